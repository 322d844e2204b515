"""The dye that shows temperature, from a scene to a film: `vorton preview --dye`."""

import numpy as np
import pytest

import vorton as vt
from vorton import cli
from vorton.film import make_film

image = pytest.importorskip("PIL.Image")


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    """Warm water with dye in it rises through cold water that holds none."""
    scene = vt.Scene("warm", seed=1, voxel=0.06, ambient=vt.Water())
    scene.add(vt.Emitter(vt.Sphere(radius=0.3), temperature=313.15, renew=0, core=0.1))
    path = tmp_path_factory.mktemp("dye") / "warm.json"
    scene.save(path)
    return path


def picture(scene, out, *options):
    assert cli.main(["preview", str(scene), str(out), "--frames", "3", "--size", "96x96",
                     "--voxel", "0.06", "--quiet", *options]) == 0  # fmt: skip
    return np.asarray(image.open(out)).astype(float)


@pytest.mark.slow
def test_dye_is_red_inside_and_blue_outside(scene, tmp_path):
    dyed = picture(scene, tmp_path / "dyed.png", "--dye")
    plain = picture(scene, tmp_path / "plain.png")
    middle = (slice(40, 56), slice(40, 56))
    saturation = [np.ptp(p[middle].mean((0, 1))) for p in (dyed, plain)]
    assert saturation[0] > 3 * saturation[1]
    # all that is above 300 K is red, all below 320 K blue
    red = picture(scene, tmp_path / "red.png", "--dye", "280", "294")[middle].mean((0, 1))
    blue = picture(scene, tmp_path / "blue.png", "--dye", "320", "330")[middle].mean((0, 1))
    assert red.argmax() == 0 and red[0] > 1.5 * red[2]
    assert blue.argmax() == 2 and blue[2] > 1.5 * blue[0]


def test_refusals(scene, tmp_path, capsys, monkeypatch):
    assert cli.main(["preview", str(scene), str(tmp_path / "a.png"), "--dye", "300"]) == 1
    assert "two of them" in capsys.readouterr().err
    cold = vt.Scene("cold", voxel=0.1)
    cold.add(vt.Tracers(vt.Sphere(radius=0.2), per_voxel=2))
    with pytest.raises(ValueError, match="nothing in this scene differs"):
        vt.bake(cold, tmp_path / "bake", frames=(1, 1), progress=False)
        make_film(tmp_path / "bake", tmp_path / "b.png", dye=True, progress=False)
    monkeypatch.setattr(vt.Simulation, "step", None)  # known before
    for dye in (True, (300, 400)):
        with pytest.raises(ValueError, match="nothing in this scene differs"):
            make_film(cold, tmp_path / "b.png", frames=(2, 2), dye=dye, progress=False)


def test_looking_for_what_can_be_dyed_builds_no_second_simulation(scene, tmp_path, monkeypatch):
    """Panels of bodies are solved for when it is built: for large ones that takes seconds."""
    built, build = [], vt.Simulation.__init__

    def count(self, *arguments, **named):
        built.append(self)
        build(self, *arguments, **named)

    monkeypatch.setattr(vt.Simulation, "__init__", count)
    make_film(scene, tmp_path / "a.png", frames=(1, 1), size=(32, 32), dye=True, progress=False)
    assert len(built) == 1
