"""Any JSON as a scene: an error that says so, or the same scene once more, of which a simulation is
made or refused. With Google's atheris, a libFuzzer for Python (`pip install atheris`):

    PYTHONPATH=. python tests/fuzz/scenes.py FOUND -runs=100000 -max_len=20000

What it finds to be new goes into the folder FOUND, where scenes of one item each and two whole ones
are put first: the small ones are read several times as fast.
"""

import json
import sys
import warnings
from pathlib import Path

import atheris
from json_trees import mutate

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
with atheris.instrument_imports(include=["vorton"]):
    from everything import fire_scene, room_scene

    import vorton as vt

    vt.Simulation(fire_scene())  # what is loaded when it is needed

REFUSALS = (ValueError, TypeError, OSError, vt.CapacityError)
FEW = {"max_vortons": 500, "max_tracers": 500, "max_nodes": 6000}


def try_one(content):
    try:
        scene = vt.Scene.from_json(content.decode(errors="replace"))
    except REFUSALS as error:
        assert str(error)
        return
    assert vt.Scene.from_json(scene.to_json()) == scene
    for name, few in FEW.items():
        setattr(scene, name, few)
    try:
        vt.Simulation(scene, threads=1)
    except REFUSALS as error:
        assert str(error)


def parts_of(scene):
    """Scenes with one item of a scene each."""
    data = scene.to_dict()
    kinds = ("sources", "effects", "bodies")
    common = {key: value for key, value in data.items() if key not in (*kinds, "method")}
    for kind in kinds:
        for number, item in enumerate(data.get(kind, [])):
            yield f"{scene.name}.{kind}.{number}", common | {kind: [item]}


def main(found, *options):
    warnings.simplefilter("ignore")
    Path(found).mkdir(parents=True, exist_ok=True)
    for scene in (fire_scene(), room_scene()):
        (Path(found) / scene.name).write_text(scene.to_json())
        for name, part in parts_of(scene):
            (Path(found) / name).write_text(json.dumps(part))
    atheris.Setup([sys.argv[0], found, *options], try_one, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
