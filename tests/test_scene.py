"""Scenes: every value checked, plain data, equal after a round trip."""

import dataclasses
import functools
import json
import math

import numpy as np
import pytest

import vorton as vt
from vorton import (
    Attractor,
    Body,
    Box,
    Cylinder,
    Disk,
    Drag,
    Emitter,
    Filament,
    ForceGrid,
    ForcePoints,
    Jet,
    Keys,
    Kill,
    Liquid,
    Mesh,
    Points,
    RandomCloud,
    Samples,
    Scene,
    Simulation,
    Sphere,
    Surface,
    Torus,
    Tracers,
    Transform,
    Turbulence,
    UniformForce,
    Vortex,
    VortexRing,
    VortexTube,
    VortonPoints,
    Wind,
    WindGrid,
)
from vorton.definitions import fields
from vorton.files import json_text
from vorton.scenes.forces import EFFECTS
from vorton.scenes.scene import SCHEMA, SOURCES

CUBE_VERTICES = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
CUBE_FACES = [
    [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
    [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
]  # fmt: skip


def full_scene() -> Scene:
    """A scene with every source, every shape and no default value anywhere."""
    scene = Scene(
        "all of it", seed=2**64 - 1, wind=(0.1, -0.2, 1 / 3), voxel=0.02, spacing=0.05,
        viscosity=0.01, thermal_diffusivity=0.02,
        max_vortons=5000, max_tracers=70000, max_nodes=10**6, at_capacity="oldest",
        gravity=(0, -9.81, 0), ambient=Liquid(temperature=300),
    )  # fmt: skip
    scene.add(
        VortexRing(
            center=(1, 2, 3), axis=(0, 1, 1), radius=(0.7, np.float32(0.5)), circulation=-2.5,
            core=0.07, wobble=0.1, seed=11, time=0.25, major=(1, 0.5, 0), vorton_core=0.045,
            sections=64, layers=2,
        )
    )  # fmt: skip
    scene.add(Tracers(Sphere((0, 0, 1), 0.3), count=500, start=0.5, density=0.1, lifetime=3))
    scene.add(Tracers(Box((-1, -1, 0), (1, 1, 0.1)), rate=1e4, start=1, end=2))
    scene.add(Tracers(Disk(radius=0.4, axis=(1, 0, 0), thickness=0.05), per_voxel=8, renew=2))
    scene.add(Tracers(Torus(axis=(1, 1, 1), radius=0.7, thickness=0.1)))
    effects = full_effects()
    for effect in effects:
        scene.add(effect)
    mesh = Mesh(vertices=CUBE_VERTICES, faces=CUBE_FACES, scale=(0.1, 0.2, 1 / 3), up="y")
    scene.add(Tracers(mesh, count=7))
    scene.add(Tracers(Surface(mesh, 0.01, offset=0.1), count=7))
    line = {"core": 0.07, "circulation": -1.5, "vorton_core": 0.03, "time": 0.5, "layers": 2}
    curve = [(0, 0, 0), (1, 0, 1 / 3), (0, 1, 0.5)]
    scene.add(Filament(curve, closed=True, sections=50, **line))
    scene.add(VortexTube(start=(0, 0, -2), end=(0, 1, 3), wobble=0.01, seed=3, sections=7, **line))
    scene.add(
        Jet(
            center=(1, 0, 0), axis=(0, 1, 1), radius=0.7, speed=3, rate=4, duty=0.5,
            circulation=0.1, start=0.5, end=3, core=0.07, wobble=0.1, tilt=0.2, seed=9,
            vorton_core=0.03, sections=50, layers=2,
        )
    )  # fmt: skip
    scene.add(RandomCloud(Box(), speed=2, eddy=0.3, core=0.05, count=10, seed=4, time=0.5))
    scene.add(VortonPoints(curve, np.eye(3) / 3, core=[0.1, 0.2, 1 / 3], volume=1, time=0.5))
    values = {"size": 0.1, "density": [1, 2, 1 / 3], "lifetime": 2, "start": 1, "jitter": 0.5}
    scene.add(Points(curve, rate=3, **values))
    scene.add(
        Emitter(
            Disk(radius=0.4), temperature=Keys([(0, 400), (1, 300.1)]), density=-0.01, renew=3,
            start=0.5, end=2, lifetime=1, core=0.1, rim=0.15, smoke=0.5, per_voxel=3,
        )
    )  # fmt: skip
    scene.add(Points(curve, rate=3, end=2, **values))
    return scene


def full_effects():
    """Every effect, with no default value anywhere."""
    spin = Transform(angle=Keys([(0, 0), (1, 90)]))
    velocity = np.arange(2 * 3 * 4 * 3).reshape(2, 3, 4, 3) / 7
    place = Keys([(0, (0, 0, 1)), (1, (1, 0, 0), "smooth"), (2, (2, 1 / 3, 0))])
    return [
        Wind(place, parent=spin),
        WindGrid(velocity, origin=(1, 2, 3), spacing=(0.1, 0.2, 1 / 3), outside="border",
                 strength=Samples([1, 2, 0.1], fps=24), parent=spin),
        Attractor(place, strength=-2, radius=Keys([(0, 1), (1, 3)]), shape=Sphere(), parent=spin),
        Vortex((1, 0, 0), axis=(1, 0, 0), circulation=-1.5, core=0.3, shape=Box(), parent=spin,
               acts_on="tracers", time=2, falloff=0),
        Drag(place, fraction=Keys([(0, 0), (1, 1)]), shape=Disk(), parent=spin,
             acts_on="tracers", time=2, falloff=0),
        UniformForce((1, 0, 1), strength=Keys([(0, 0), (1, 9)]), shape=Sphere(), falloff=1,
                     gusts=0.5, time=3, seed=4, parent=spin),
        Turbulence(strength=2, scale=Keys([(0, 2), (1, 1)]), shape=Box(), velocity=(1, 2, 3),
                   time=0.2, falloff=0.1, seed=9, parent=spin),
        ForceGrid(velocity, origin=(1, 2, 3), spacing=(0.1, 0.2, 1 / 3), shape=Sphere(),
                  strength=Samples([1, 2, 0.1], fps=24), falloff=0.1, parent=spin),
        ForcePoints([(0, 0, 1), (1, 1 / 3, 0)], [(3, 0, 0), (0, 2, 1)], radius=0.2,
                    strength=Keys([(0, 0), (1, 2)]), shape=Box(), falloff=0.1, parent=spin),
        Kill("both", inside=Sphere(), older_than=2, point=(1, 0, 0), nearer_than=5,
             farther_than=0.5, slower_than=3, faster_than=0.1, start=1, end=2, parent=spin),
    ]  # fmt: skip


def test_round_trip_is_equal():
    scene = full_scene()
    again = Scene.from_json(scene.to_json())
    assert again == scene
    assert again.sha256 == scene.sha256
    assert again.to_json() == scene.to_json()
    assert [type(s) for s in again.sources] == [type(s) for s in scene.sources]
    assert [type(e) for e in again.effects] == list(EFFECTS) == [type(e) for e in scene.effects]
    assert json.loads(scene.to_json())["schema"] == SCHEMA


def test_json_is_readable():
    data = {"a": [1, -2.5, None, True], "b": [[1], []], "c": ["x", "[\n1\n]"]}
    text = json_text.readable_json(data)
    assert json.loads(text) == data
    assert '"a": [1, -2.5, null, true],\n' in text and text.endswith("}\n")


def test_round_trip_through_file(tmp_path):
    scene = full_scene()
    scene.save(tmp_path / "scene.json")
    assert Scene.load(tmp_path / "scene.json") == scene
    assert [p.name for p in tmp_path.iterdir()] == ["scene.json"]


@pytest.mark.parametrize("key", sorted(Scene().to_dict().keys() - {"schema", "sources"}))
def test_every_value_of_a_scene_is_part_of_its_digest(key):
    other = full_scene().to_dict()
    default = Scene().to_dict()[key]
    if key == "method":
        other[key] = {**default, "time": "euler"}
    else:
        assert other[key] != default
        other[key] = default
    changed = Scene.from_dict(other)
    assert changed != full_scene() and changed.sha256 != full_scene().sha256


@pytest.mark.parametrize("cls", SOURCES)
def test_every_value_of_a_source_is_part_of_the_digest(cls):
    source = next(s for s in full_scene().sources if isinstance(s, cls))
    defaults = {f.name: f.default for f in dataclasses.fields(cls)}
    for key, value in source.to_dict().items():
        if key in ("type", "shape") or defaults[key] is dataclasses.MISSING:
            continue
        if fields.plain(defaults[key]) == value:
            continue
        assert key in defaults and value != fields.plain(defaults[key])
        assert dataclasses.replace(source, **{key: defaults[key]}) != source


@pytest.mark.parametrize("effect", full_effects(), ids=lambda effect: type(effect).__name__)
def test_every_value_of_an_effect_is_part_of_the_digest(effect):
    for item in dataclasses.fields(effect):
        on_nodes = isinstance(effect, (WindGrid, ForceGrid))
        if item.name in ("velocity", "acceleration", "path", "sha256") and on_nodes:
            continue
        if item.default is dataclasses.MISSING:
            changed = dataclasses.replace(effect, **{item.name: 2 * getattr(effect, item.name)})
            assert changed != effect, item.name
            continue
        if isinstance(effect, Kill) and item.name == "outside":
            continue
        assert getattr(effect, item.name) != item.default, item.name
        assert dataclasses.replace(effect, **{item.name: item.default}) != effect, item.name
    if isinstance(effect, WindGrid):
        assert dataclasses.replace(effect, velocity=effect.velocity + 1) != effect
    if isinstance(effect, ForceGrid):
        assert dataclasses.replace(effect, acceleration=effect.acceleration + 1) != effect


def test_digest_is_stable():
    """Guards resumed bakes: if this fails, the schema has changed and needs a new number."""
    scene = Scene("ring", seed=1, voxel=0.1)
    scene.add(VortexRing())
    data = scene._identity()
    data["method"] = {}
    text = json_text.canonical_json(data)
    scene.max_vortons = scene.max_tracers = 2**23  # the default until it followed the machine
    older = json_text.canonical_json(scene._identity() | {"method": {}})
    room = '"max_tracers":8388608,"max_vortons":8388608,'
    assert room in older and older.replace(room, "") == text
    assert text == (
        '{"ambient":{"pressure":101325.0,"stratification":0.0,"temperature":293.15,"type":"Air"},'
        '"at_capacity":"error","gravity":[0.0,0.0,-9.81],"max_nodes":16777216,'
        '"method":{},"name":"ring","schema":1,"seed":1,"sources":[{"axis":[0.0,0.0,1.0],'
        '"center":[0.0,0.0,0.0],"circulation":1.0,"core":0.1,"layers":null,'
        '"major":[1.0,0.0,0.0],"radius":1.0,"sections":null,"seed":0,"time":0.0,'
        '"type":"VortexRing","vorton_core":null,"wobble":0.0}],"spacing":null,'
        '"viscosity":0.0,"voxel":0.1,"wind":[0.0,0.0,0.0]}'
    )


def test_a_definition_shows_what_makes_it_again():
    shown = [*full_scene().sources, *full_effects()]
    evaluated = 0
    for item in shown:
        text = repr(item)
        if "<" in text:  # arrays, of which shape and type are told
            assert len(text) < 600
            continue
        assert eval(text, vars(vt)) == item
        evaluated += 1
    assert evaluated > len(shown) / 2
    assert repr(VortexRing(radius=0.5, temperature=400)) == (
        "VortexRing(radius=0.5, temperature=400.0)"
    )


def test_definitions_are_immutable_and_normalised():
    ring = VortexRing(radius=np.float64(2), center=np.arange(3), core=np.float32(0.5))
    assert ring.radius == 2.0 and type(ring.radius) is float
    assert ring.center == (0.0, 1.0, 2.0) and type(ring.center[0]) is float
    with pytest.raises(dataclasses.FrozenInstanceError):
        ring.radius = 3.0
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete"):
        del ring.radius
    assert ring.radius == 2.0
    mesh = Mesh(vertices=CUBE_VERTICES, faces=CUBE_FACES)
    with pytest.raises(ValueError, match="read-only"):
        mesh.vertices[0] = 0
    assert VortexRing() == VortexRing() and hash(VortexRing()) == hash(VortexRing())
    assert VortexRing() != VortexRing(seed=1) and VortexRing() != Sphere()


def test_setting_a_value_says_how_to_change_it():
    jet = Jet()
    again = r"item\.replace\(speed=5\)"
    live = rf"Jet\.speed = 5: cannot be set.*{again}.*sim\.change\(item, {again}\)"
    for _ in range(2):
        with pytest.raises(dataclasses.FrozenInstanceError, match=live):
            jet.speed = 5
    with pytest.raises(dataclasses.FrozenInstanceError, match="'sped'.*'speed'"):
        jet.sped = 5
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"replace\(radius=3\)") as caught:
        Sphere().radius = 3
    assert "sim.change" not in str(caught.value)

    class Mine(Jet):
        pass

    class Other(vt.VortexTube):  # of which none has been made before
        pass

    with pytest.raises(dataclasses.FrozenInstanceError, match=r"Other\.core = 5: .*sim\.change"):
        Other((0, 0, 0), (0, 0, 1)).core = 5
    mine = Mine()
    mine.note = "allowed, as before"
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"Mine\.speed = 5: .*sim\.change"):
        mine.speed = 5


# ---- bad input: each error names the argument, the value and what is allowed ----

NAN, INF = float("nan"), float("inf")
SPHERE = Sphere()
MOVING = Keys([(0, (0, 0, 0)), (1, (1, 0, 0))])
GRID = np.zeros((2, 2, 2, 3))


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: Sphere(radius=NAN), ValueError, ["Sphere.radius = nan", "> 0", "(m)"]),
        (lambda: Sphere(radius=INF), ValueError, ["Sphere.radius = inf", "finite"]),
        (lambda: Sphere(radius=-0.5), ValueError, ["Sphere.radius = -0.5", "> 0"]),
        (lambda: Sphere(radius=0), ValueError, ["Sphere.radius = 0", "> 0"]),
        (lambda: Sphere(radius=10**400), ValueError, ["Sphere.radius", "finite"]),
        (lambda: Sphere(radius=1e30), ValueError, ["Sphere.radius", "at most 1e+12"]),
        (lambda: Sphere(radius="1"), TypeError, ["Sphere.radius = '1'", "finite number"]),
        (lambda: Sphere(radius=True), TypeError, ["Sphere.radius = True"]),
        (lambda: Sphere(radius=1j), TypeError, ["Sphere.radius = 1j"]),
        (lambda: Sphere(radius=None), TypeError, ["Sphere.radius = None"]),
        (lambda: Sphere(radius=np.ones((3, 2))), TypeError, ["Sphere.radius"]),
        (lambda: Sphere(center=(0, NAN, 0)), ValueError, ["Sphere.center[1] = nan"]),
        (lambda: Sphere(center=(0, 0)), ValueError, ["Sphere.center", "shape (2,)", "3 finite"]),
        (lambda: Sphere(center=np.zeros((3, 3))), TypeError, ["Sphere.center[0]"]),
        (lambda: Sphere(center="abc"), TypeError, ["Sphere.center = 'abc'"]),
        (lambda: Sphere(center=1), TypeError, ["Sphere.center = 1"]),
        (lambda: Sphere(raduis=1), TypeError, ["raduis"]),
        (lambda: Box((0, 0, 0), (1, 0, 1)), ValueError, ["Box.upper", "greater than lower"]),
        (lambda: Disk(axis=(0, 0, 0)), ValueError, ["Disk.axis", "not all 0"]),
        (lambda: Disk(thickness=-1), ValueError, ["Disk.thickness = -1"]),
        (lambda: Torus(radius=1, thickness=1), ValueError, ["Torus.thickness", "radius = 1.0"]),
        (lambda: VortexRing(core=1), ValueError, ["VortexRing.core = 1.0", "smaller radius, 1"]),
        (lambda: VortexRing(radius=(1, 0.05)), ValueError, ["core = 0.1", "radius, 0.05"]),
        (lambda: VortexRing(radius=(1, 2, 3)), ValueError, ["VortexRing.radius", "2 finite"]),
        (lambda: VortexRing(radius=(1, -2)), ValueError, ["VortexRing.radius[1] = -2"]),
        (lambda: VortexRing(wobble=0.6), ValueError, ["wobble = 0.6", "from 0 to 0.5"]),
        (lambda: VortexRing(seed=-1), ValueError, ["VortexRing.seed = -1", "from 0 to"]),
        (lambda: VortexRing(seed=1.0), TypeError, ["VortexRing.seed = 1.0", "whole number"]),
        (lambda: VortexRing(sections=7), ValueError, ["sections = 7", "from 8"]),
        (lambda: VortexRing(time=-1), ValueError, ["time = -1", ">= 0"]),
        (lambda: VortexRing(vorton_core=0.2), ValueError, ["vorton_core = 0.2", "<= core / 1.5"]),
        (lambda: VortexRing(radius=(1, 2), axis=(1, 0, 0)), ValueError, ["major", "elliptic"]),
        (lambda: Tracers("sphere"), TypeError, ["Tracers.shape = 'sphere'", "Torus"]),
        (lambda: Tracers(SPHERE, count=0), ValueError, ["Tracers.count = 0", "from 1"]),
        (lambda: Tracers(SPHERE, count=2**31), ValueError, ["count = 2147483648", "2147483647"]),
        (lambda: Tracers(SPHERE, count=1e3), TypeError, ["count = 1000.0", "whole number"]),
        (lambda: Tracers(SPHERE, rate=-1), ValueError, ["Tracers.rate = -1", "1/s"]),
        (lambda: Tracers(SPHERE, count=1, rate=1), ValueError, ["count and rate exclude"]),
        (lambda: Tracers(SPHERE, count=1, renew=1), ValueError, ["renew = 1", "per_voxel"]),
        (lambda: Tracers(SPHERE, end=1), ValueError, ["end = 1", "rate or renew"]),
        (lambda: Tracers(SPHERE, rate=1, start=2, end=1), ValueError, ["end = 1", "start = 2"]),
        (lambda: Tracers(SPHERE, density=NAN), ValueError, ["density = nan", "kg/m^3"]),
        (lambda: Tracers(SPHERE, lifetime=0), ValueError, ["lifetime = 0", "> 0"]),
        (lambda: Scene(name="a/b"), ValueError, ["Scene.name = 'a/b'", "letters"]),
        (lambda: Scene(name=".."), ValueError, ["Scene.name = '..'"]),
        (lambda: Scene(name=""), ValueError, ["Scene.name = ''"]),
        (lambda: Scene(name=3), TypeError, ["Scene.name = 3"]),
        (lambda: Scene(seed=2**64), ValueError, ["Scene.seed"]),
        (lambda: Scene(wind=(0, 0, INF)), ValueError, ["Scene.wind[2] = inf", "m/s"]),
        (lambda: Scene(voxel=0), ValueError, ["Scene.voxel = 0", "> 0"]),
        (lambda: Scene(spacing=-1), ValueError, ["Scene.spacing = -1"]),
        (lambda: Scene(max_vortons=2**31), ValueError, ["max_vortons", "from 1 to 1073741824"]),
        (lambda: Scene(viscosity=-1e-3), ValueError, ["viscosity", "from 0 to 1e+06 (m^2/s)"]),
        (lambda: Scene(viscosity="thick"), TypeError, ["viscosity", "number"]),
        (lambda: Scene(thermal_diffusivity=-1e-3), ValueError, ["thermal_diffusivity", "(m^2/s)"]),
        (lambda: Scene(thermal_diffusivity="hot"), TypeError, ["thermal_diffusivity", "number"]),
        (lambda: Scene(at_capacity="stopp"), ValueError, ["at_capacity", "did you mean 'stop'"]),
        (lambda: Scene(ambient="water"), TypeError, ["Scene.ambient = 'water'", "as Air() or"]),
        (lambda: Body(SPHERE, mass=3), TypeError, ["'mass'", "density"]),
        (lambda: Body(SPHERE, gusts=1), TypeError, ["a wind that changes has keys, Wind(Keys("]),
        (lambda: Body(SPHERE, position=(0, 0, 1)), TypeError, ["'position'", "`parent`"]),
        (lambda: Emitter(SPHERE, parent=MOVING), TypeError, ["Emitter.parent", "be a Transform"]),
        (lambda: Emitter(SPHERE, rate=1), TypeError, ["'rate'", "`renew`"]),
        (lambda: VortexRing(start=1), TypeError, ["'start'", "`time`"]),
        (lambda: Cylinder(height=1), TypeError, ["'height'", "`length`"]),
        (lambda: Scene(grafity=0), TypeError, ["Scene: unknown", "mean 'gravity'"]),
        (lambda: Scene(fps=24), TypeError, ["'fps'", "Simulation(scene, fps=24)"]),
        (lambda: Body("a.obj"), TypeError, ["Body.shape = 'a.obj'", "Mesh('a.obj')"]),
        (lambda: VortexRing(raduis=1), TypeError, ["VortexRing", "'raduis'", "mean 'radius'"]),
        (lambda: Wind((1e30, 0, 0)), ValueError, ["= 1e+30", "from -1e+09 to 1e+09 (m/s)"]),
        (lambda: Scene(method="rk2"), TypeError, ["Scene.method = 'rk2'", "Method"]),
        (lambda: Scene().add(SPHERE), TypeError, ["Scene.add", "not a source", "VortexRing"]),
        (lambda: Tracers(SPHERE, growth=-1), ValueError, ["Tracers.growth = -1", "from 0 to"]),
        (lambda: Tracers(SPHERE, fade=1.5), ValueError, ["Tracers.fade = 1.5", "from 0 to 1"]),
        (lambda: Tracers(SPHERE, growth="1"), TypeError, ["Tracers.growth = '1'"]),
        (lambda: Wind((0, 0, NAN)), ValueError, ["Wind.velocity[2] = nan", "m/s"]),
        (lambda: Wind((0, 0)), ValueError, ["Wind.velocity", "3 finite"]),
        (lambda: Wind(Keys([(0, 1)])), TypeError, ["Wind.velocity: key 0", "3 finite"]),
        (lambda: Wind(Keys([(0, (0, 0, 1e10))])), ValueError, ["key 0", "[2] = 1", "1e+09"]),
        (lambda: WindGrid(), ValueError, ["WindGrid", "either path or velocity"]),
        (lambda: WindGrid(GRID, path="a.npy"), ValueError, ["either path or velocity"]),
        (lambda: WindGrid("a.npy"), TypeError, ["WindGrid.velocity", "shape (nz, ny, nx, 3)"]),
        (lambda: WindGrid(GRID[0]), ValueError, ["of shape (2, 2, 3)"]),
        (lambda: WindGrid(GRID[..., :2]), ValueError, ["of shape (2, 2, 2, 2)"]),
        (lambda: WindGrid(GRID[:1]), ValueError, ["of shape (1, 2, 2, 3)", "2 nodes"]),
        (lambda: WindGrid(GRID + 1j), TypeError, ["WindGrid.velocity", "complex"]),
        (lambda: WindGrid(GRID > 0), TypeError, ["WindGrid.velocity", "bool"]),
        (lambda: WindGrid(GRID + NAN), ValueError, ["velocity[0, 0, 0, 0] = nan", "finite"]),
        (lambda: WindGrid(GRID + 2e9), ValueError, ["velocity[0, 0, 0, 0] = 2000000000"]),
        (lambda: WindGrid(path="none.npy"), FileNotFoundError, ["WindGrid.path", "none.npy"]),
        (lambda: WindGrid(path=3), TypeError, ["WindGrid.path = 3"]),
        (lambda: WindGrid(path=__file__), ValueError, ["WindGrid.path", "cannot be read"]),
        (lambda: WindGrid(GRID, sha256="0" * 64), ValueError, ["sha256", "goes with path"]),
        (lambda: WindGrid(GRID, sha256="0"), ValueError, ["sha256", "64 hexadecimal"]),
        (lambda: WindGrid(GRID, spacing=0), ValueError, ["WindGrid.spacing = 0", "(m)"]),
        (lambda: WindGrid(GRID, spacing=(1, 1, -1)), ValueError, ["WindGrid.spacing[2] = -1"]),
        (lambda: WindGrid(GRID, spacing=(1, 1)), ValueError, ["WindGrid.spacing", "3 finite"]),
        (lambda: WindGrid(GRID, origin=(0, 0, 2e9)), ValueError, ["WindGrid.origin[2]"]),
        (lambda: WindGrid(GRID, outside="bordr"), ValueError, ["outside", "'border'"]),
        (lambda: WindGrid(GRID, outside=0), TypeError, ["WindGrid.outside = 0"]),
        (lambda: WindGrid(GRID, strength=NAN), ValueError, ["WindGrid.strength = nan"]),
        (lambda: WindGrid({"shape": [2, 2, 2, 3]}), ValueError, ["'float32' is missing"]),
        (lambda: WindGrid({"shape": 8, "float32": ""}), TypeError, ["velocity.shape = 8"]),
        (lambda: WindGrid({"shape": [2, 2, 2, 3], "float32": "AA=="}), ValueError, ["float32"]),
        (lambda: WindGrid({"shape": [2, 2, 2, 3], "float32": "?"}), ValueError, ["base64"]),
        (lambda: WindGrid({"shape": [2, 2, 2, 3], "float32": 1}), TypeError, ["base64"]),
        (lambda: Attractor((0, 0, INF)), ValueError, ["Attractor.center[2] = inf"]),
        (lambda: Attractor(strength=NAN), ValueError, ["Attractor.strength = nan", "m/s"]),
        (lambda: Attractor(radius=0), ValueError, ["Attractor.radius = 0", "1e-06"]),
        (lambda: Attractor(radius=Keys([(0, 1), (1, 0)])), ValueError, ["key 1", "1e-06"]),
        (lambda: Attractor(shape="ball"), TypeError, ["Attractor.shape = 'ball'", "Torus"]),
        (lambda: Attractor(parent="hub"), TypeError, ["Attractor.parent", "Transform"]),
        (lambda: Vortex(axis=(0, 0, 0)), ValueError, ["Vortex.axis", "not all 0"]),
        (lambda: Vortex(axis=Keys([(0, (0, 0, 0))])), ValueError, ["key 0", "not all 0"]),
        (lambda: Vortex(core=-1), ValueError, ["Vortex.core = -1", "(m)"]),
        (lambda: Vortex(circulation="1"), TypeError, ["Vortex.circulation = '1'"]),
        (lambda: Drag(fraction=1.1), ValueError, ["Drag.fraction = 1.1", "from 0 to 1"]),
        (lambda: Drag(fraction=Keys([(0, -1)])), ValueError, ["key 0", "from 0 to 1"]),
        (lambda: Drag(acts_on="smoke"), ValueError, ["Drag.acts_on = 'smoke'", "fluid"]),
        (lambda: Vortex(time=0), ValueError, ["Vortex.time = 0", "1e-06"]),
        (lambda: UniformForce(falloff=2), ValueError, ["UniformForce.falloff = 2", "0 to 1"]),
        (lambda: Turbulence(velocity=Keys([(0, (0, 0, 0))])), TypeError, ["Turbulence.velocity"]),
        (lambda: ForceGrid(), ValueError, ["ForceGrid", "either path or acceleration"]),
        (lambda: ForceGrid(np.full((2, 2, 2, 3), NAN)), ValueError, ["acceleration[0", "m/s^2"]),
        (lambda: ForceGrid(np.ones((2, 2, 1, 3))), ValueError, ["(2, 2, 1, 3)"]),
        (lambda: ForcePoints([(0, 0, 0)], [(0, 0, 0)] * 2), ValueError, ["2 rows"]),
        (lambda: ForcePoints([(0, 0)], [(0, 0)]), ValueError, ["ForcePoints.positions"]),
        (lambda: ForcePoints([(0, 0, 0)], [(0, 0, INF)]), ValueError, ["accelerations"]),
        (lambda: Drag(velocity=1), TypeError, ["Drag.velocity = 1"]),
        (lambda: Kill(), ValueError, ["Kill", "would remove everything", "older_than"]),
        (lambda: Kill("smoke", older_than=1), ValueError, ["Kill.what = 'smoke'"]),
        (lambda: Kill(inside=SPHERE, outside=SPHERE), ValueError, ["exclude each other"]),
        (lambda: Kill(inside="ball"), TypeError, ["Kill.inside = 'ball'"]),
        (lambda: Kill(older_than=0), ValueError, ["Kill.older_than = 0", "> 0"]),
        (lambda: Kill(older_than=NAN), ValueError, ["Kill.older_than = nan"]),
        (lambda: Kill(nearer_than=-1), ValueError, ["Kill.nearer_than = -1", "(m)"]),
        (lambda: Kill(nearer_than=1, farther_than=2), ValueError, ["nearer_than = 1", "> farther"]),
        (lambda: Kill(slower_than=1, faster_than=1), ValueError, ["slower_than = 1", "> faster"]),
        (lambda: Kill(slower_than="1"), TypeError, ["Kill.slower_than = '1'"]),
        (lambda: Kill(older_than=1, point=(0, 0, NAN)), ValueError, ["Kill.point[2] = nan"]),
        (lambda: Kill(older_than=1, start=2, end=1), ValueError, ["Kill.end = 1", "> start = 2"]),
        (lambda: Kill(older_than=1, start=-1), ValueError, ["Kill.start = -1", ">= 0"]),
        (lambda: setattr(Scene(), "widn", 1), ValueError, ["'widn'", "did you mean 'wind'"]),
        (lambda: Scene().nominal_voxel, ValueError, ["Scene.voxel = None"]),
    ],
)
def test_bad_value(make, error, words):
    with pytest.raises(error) as caught:
        make()
    for word in words:
        assert word in str(caught.value)


def test_failed_set_changes_nothing():
    scene = full_scene()
    before = scene.sha256
    for key, value in (("wind", (NAN, 0, 0)), ("voxel", -1), ("seed", "x")):
        with pytest.raises((TypeError, ValueError)):
            setattr(scene, key, value)
    with pytest.raises(TypeError):
        scene.add(None)
    assert scene.sha256 == before


@functools.cache
def full_text() -> str:
    """The full scene as JSON."""
    return full_scene().to_json()


def edited(path: str, value: object) -> dict:
    """The full scene as data, with one entry replaced ('a/0/b'), or removed for KeyError."""
    data = json.loads(full_text())
    *way, last = [int(p) if p.isdigit() else p for p in path.split("/")]
    place = data
    for part in way:
        place = place[part]
    if value is KeyError:
        del place[last]
    else:
        place[last] = value
    return data


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        (edited("schema", SCHEMA + 1), ValueError, ["schema = 2", "reads schema 1", "update"]),
        (edited("schema", KeyError), ValueError, ["'schema' is missing"]),
        (edited("schema", "1"), TypeError, ["schema = '1'"]),
        (edited("widn", 0), ValueError, ["unknown key 'widn'", "did you mean 'wind'"]),
        (edited("zzz", 0), ValueError, ["unknown key 'zzz'", "known: schema, name"]),
        (edited("sources", {}), TypeError, ["sources", "list"]),
        (edited("sources/0", 3), TypeError, ["sources[0]", "3"]),
        (edited("sources/0/type", "VortexRong"), ValueError, ["sources[0]", "'VortexRing'"]),
        (edited("sources/0/type", KeyError), ValueError, ["sources[0]", "'type' is missing"]),
        (edited("sources/0/raduis", 1), ValueError, ["sources[0]", "did you mean 'radius'"]),
        (edited("sources/0/core", -1), ValueError, ["sources[0]", "VortexRing.core = -1"]),
        (edited("sources/1/shape", KeyError), ValueError, ["sources[1]", "'shape' is missing"]),
        (edited("sources/1/shape/radius", None), TypeError, ["sources[1]", "Sphere.radius"]),
        (edited("sources/1/shape/type", "Ball"), ValueError, ["sources[1]", "Sphere, Box"]),
        (edited("sources/1/shape/size", 1), ValueError, ["sources[1]", "unknown key 'size'"]),
        (edited("method/tyme", 1), ValueError, ["'tyme'", "'time'"]),
        (edited("effects", {}), TypeError, ["effects", "list"]),
        (edited("effects/0/type", "Wimd"), ValueError, ["effects[0]", "'Wind'"]),
        (edited("effects/1/velocity/shape", [1]), TypeError, ["effects[1]", "shape"]),
        (edited("effects/2/strenght", 1), ValueError, ["effects[2]", "'strength'"]),
        (edited("effects/9/older_than", -1), ValueError, ["effects[9]", "Kill.older_than = -1"]),
        ([], TypeError, ["[]"]),
    ],
)
def test_bad_scene_data(data, error, words):
    with pytest.raises(error) as caught:
        Scene.from_dict(data)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", ["not valid JSON"]),
        ('{"schema": 1, "voxel": NaN}', ["NaN"]),
        ('{"schema": 1, "voxel": -Infinity}', ["-Infinity"]),
    ],
)
def test_bad_json(tmp_path, text, words):
    (tmp_path / "bad.json").write_text(text)
    for read in (lambda: Scene.from_json(text), lambda: Scene.load(tmp_path / "bad.json")):
        with pytest.raises(ValueError) as caught:
            read()
        for word in words:
            assert word in str(caught.value)


def test_missing_keys_take_defaults():
    assert Scene.from_dict({"schema": 1}) == Scene()
    scene = Scene.from_dict({"schema": 1, "sources": [{"type": "VortexRing"}]})
    assert scene.sources == (VortexRing(),)


def test_load_names_the_file(tmp_path):
    (tmp_path / "bad.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"bad\.json"):
        Scene.load(tmp_path / "bad.json")
    with pytest.raises(FileNotFoundError, match="none"):
        Scene.load(tmp_path / "none.json")


# ---- what goes to the core ----


class Recorder:
    """Stands in for a simulation and keeps what it is told."""

    def __init__(self):
        self.calls = []

    def add(self, kind, /, **values):
        self.calls.append(values)


def told(source, voxel=0.1):
    core = Recorder()
    source._add_to(core, voxel)
    return core.calls[0]


def test_ring_to_core():
    values = told(VortexRing(radius=0.5, seed=3, layers=0, core=0.2))
    assert values["radius"] == (0.5, 0.5) and values["seed"] == 3
    assert values["layers"] == 0 and values["vorton_core"] == 0 and values["sections"] == 0
    assert told(VortexRing())["layers"] == -1
    assert told(VortexRing(axis=(2, 0, 0)))["major"] == (0.0, 0.0, 1.0)


def test_tracers_per_voxel():
    box = Box((0, 0, 0), (1, 2, 0.5))
    assert told(Tracers(box))["count"] == 6 * 1000
    assert told(Tracers(box, per_voxel=2))["count"] == 2000
    assert told(Tracers(Box((0, 0, 0), (1e-3, 1e-3, 1e-3))))["count"] == 1
    steady = told(Tracers(box, per_voxel=2, renew=3, density=0.5, start=1, end=4))
    assert steady["count"] == 0 and math.isclose(steady["rate"], 6000)
    assert steady["density"] == 1.5 and steady["start"] == 1 and steady["end"] == 4
    with pytest.raises(ValueError, match="per_voxel"):
        told(Tracers(box), voxel=1e-4)


def test_defaults_follow_what_is_replaced():
    """What `dataclasses.replace` leaves out is as if it had never been given."""
    warm = Emitter(SPHERE, temperature=900)
    lit = dataclasses.replace(warm, fuel=0.5)
    assert (warm.tracers_per_voxel, lit.tracers_per_voxel) == (6, 12)
    assert dataclasses.replace(lit, per_voxel=3).tracers_per_voxel == 3
    counted = dataclasses.replace(Tracers(SPHERE), count=100)
    assert counted.births(0.1) == (100, 0.0) and counted.tracers_per_voxel is None


def test_nominal_voxel():
    scene = Scene()
    scene.add(VortexRing(core=0.3))
    scene.add(VortexRing(core=0.15))
    assert math.isclose(scene.nominal_voxel, 0.05)
    scene.voxel = 0.01
    assert scene.nominal_voxel == 0.01


@pytest.mark.parametrize(
    ("shape", "volume", "tolerance"),
    [
        (Sphere(radius=2), 32 / 3 * math.pi, 1e-12),
        (Box((0, 0, 0), (1, 2, 3)), 6.0, 1e-12),
        (Disk(radius=2, thickness=0.25), math.pi, 1e-12),
        (Torus(center=(5, 5, 5), axis=(1, 2, 3), radius=1, thickness=0.2), 0.08 * math.pi**2, 0.01),
        (Mesh(vertices=CUBE_VERTICES, faces=CUBE_FACES, translate=(9, 9, 9)), 1.0, 1e-6),
    ],
)
def test_volume(shape, volume, tolerance):
    assert math.isclose(shape.volume, volume, rel_tol=tolerance)
    assert shape._core_shape()["kind"] == (
        "mesh" if type(shape) is Torus else type(shape).__name__.lower()
    )


# ---- messages in the words of the scene ----


def refused(*items):
    scene = Scene()
    for item in items:
        scene.add(item)
    with pytest.raises(ValueError) as error:
        Simulation(scene, threads=1)
    return str(error.value)


def test_tiny_cores_are_named_not_what_follows_from_them():
    ring, ball = VortexRing(core=0.1), Sphere(radius=0.1)
    for renew, made in ((0, "count"), (None, "tracers.rate"), (3, "tracers.rate")):
        source = Emitter(ball, temperature=500, core=0.001, renew=renew)
        text = refused(ring, source)
        assert text.startswith(f"sources[1]: Emitter: {made} is "), text
        assert "Voxels are 0.000333 m wide (Scene.voxel" in text and "wider cores" in text
    text = refused(VortexRing(core=0.001), Tracers(ball))
    assert text.startswith("sources[1]: Tracers: count is 6785") and "0.000333 m" in text
    text = refused(Emitter(ball, temperature=500, core=1e-6, renew=3))
    assert "renew = 3" in text and "cores of 1e-06 m" in text and "emitter.rate" not in text


def test_bodies_and_sources_are_named_by_their_place():
    ball = Body(Sphere(radius=0.3), "ball", density=100)
    text = refused(VortexRing((0, 0, 5)), ball, Body(Sphere(radius=0.2), density=90))
    assert text == (
        "bodies[1]: Body: it starts 0.5 m inside of bodies[0], Body 'ball', and both move by "
        "themselves; allowed is a place beside it"
    )
    stone = Body(Sphere(radius=3), "stone")
    text = refused(VortexRing((0, 0, 5)), Tracers(Sphere(), rate=9), stone)
    assert text.startswith("bodies[0]: Body 'stone': sources[1], Tracers lies inside of it")
    scene = Scene()
    scene.add(ball)
    with pytest.raises(ValueError, match=r"bodies\[1\], Body 'egg'.*bodies\[0\], Body 'ball'"):
        Simulation(scene, threads=1).add(Body(Sphere(radius=0.2), "egg", density=90))


TETRAHEDRON = {"vertices": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
               "faces": [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]}


@pytest.mark.parametrize(
    ("made", "name", "value"),
    [
        (lambda: vt.Emitter(SPHERE, temperature=400), "temperature", 500.0),
        (lambda: vt.Tracers(SPHERE, rate=100), "rate", 200.0),
        (lambda: vt.Jet(), "speed", vt.Keys([(0, 1), (1, 2)])),
        (lambda: vt.Body([vt.Box(), SPHERE], name="a"), "name", "b"),
        (lambda: vt.Container(vt.Box()), "panels", 0),
        (lambda: vt.Body(vt.Mesh(**TETRAHEDRON), density=2), "density", 3.0),
        (lambda: vt.Mesh(**TETRAHEDRON), "scale", 2.0),
        (lambda: vt.Torus(), "thickness", 0.1),
        (lambda: vt.Transform(), "angle", 3.0),
        (lambda: vt.Samples([1, 2]), "start", 1.0),
        (lambda: vt.Combustion("arrhenius"), "rate", 7.0),
        (lambda: vt.Method(), "bound", 1.0),
    ],
)
def test_a_copy_with_another_value_is_what_would_have_been_made_with_it(made, name, value):
    item = made()
    other = item.replace(**{name: value})
    assert type(other) is type(item) and item == made() == item.replace() != other
    told, new = item.to_dict(), other.to_dict()
    assert told.keys() == new.keys() and {key for key in told if told[key] != new[key]} == {name}
    with pytest.raises(TypeError, match=f"unknown argument '{name}s'; did you mean '{name}'"):
        item.replace(**{name + "s": value})
