"""Every argument of every public definition with what nobody should pass: an error that names it.

What is taken nevertheless is plain data afterwards: it goes to JSON and back, whatever the object
that was passed does later.
"""

import copy
import dataclasses
import fractions
import inspect
import itertools
import json
import numbers
import pickle

import numpy as np
import pytest

import vorton as vt
from vorton.definitions.fields import Definition, from_dict
from vorton.files import vdb_files
from vorton.files.film_files import write_film
from vorton.files.json_text import canonical_json
from vorton.hosts.alembic import write_alembic
from vorton.hosts.vdb_points import write_point_grids

TRIANGLES = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
REQUIRED = {
    vt.Body: {"shape": vt.Sphere()},
    vt.Container: {"shape": vt.Sphere()},
    vt.Deformation: {"vertices": [TRIANGLES, TRIANGLES]},
    vt.Drag: {},
    vt.Emitter: {"shape": vt.Sphere(), "temperature": 400.0},
    vt.Filament: {"points": [[0, 0, 0], [1, 0, 0], [1, 1, 0]]},
    vt.ForceGrid: {"acceleration": np.zeros((2, 2, 2, 3))},
    vt.ForcePoints: {"positions": [[0, 0, 0]], "accelerations": [[0, 0, 1]]},
    vt.Keys: {"keys": [(0, 1.0), (1, 2.0)]},
    vt.Kill: {"older_than": 1.0},
    vt.Mesh: {"vertices": TRIANGLES, "faces": FACES},
    vt.Points: {"positions": TRIANGLES, "size": 0.1},
    vt.Polytope: {"points": TRIANGLES},
    vt.RandomCloud: {"shape": vt.Sphere()},
    vt.Samples: {"values": [0.0, 1.0], "fps": 24.0},
    vt.Surface: {"shape": vt.Sphere(), "thickness": 0.1},
    vt.Tracers: {"shape": vt.Sphere()},
    vt.VortonPoints: {
        "positions": TRIANGLES, "strengths": TRIANGLES, "core": 0.1, "volume": 1e-3,
    },
    vt.WindGrid: {"velocity": np.zeros((2, 2, 2, 3))},
}  # fmt: skip
PUBLIC = [getattr(vt, name) for name in vt.__all__]
CLASSES = [c for c in PUBLIC if inspect.isclass(c) and issubclass(c, Definition)]


class Number(numbers.Real):
    """A number whose conversion does as it likes: all methods of numbers.Real are there."""

    def __float__(self):
        raise RuntimeError("no number")

    __index__ = __float__


for _method in Number.__abstractmethods__:
    setattr(Number, _method, lambda self, *_: self)
Number.__abstractmethods__ = frozenset()


class Changing(Number):
    """Another number each time."""

    def __init__(self):
        self.asked = 0

    def __float__(self):
        self.asked += 1
        return 0.25 if self.asked == 1 else float("nan")


class Unspeakable:
    """What an error message cannot show."""

    def __repr__(self):
        raise RuntimeError("no text")


class Shrinking(list):
    """A list that loses its numbers as it is read."""

    def __iter__(self):
        for _ in range(len(self)):
            yield self.pop() if self else 0.5

    def __len__(self):
        return 3


class Array:
    """Offers itself as an array, and fails."""

    def __array__(self, *_, **__):
        raise RuntimeError("no array")


def nested(depth):
    made = []
    for _ in range(depth):
        made = [made]
    return made


HOSTILE = {
    "None": lambda: None,
    "text": lambda: "1e5",
    "text with a null": lambda: "a\0b",
    "half a character": lambda: "\ud800",
    "bytes": lambda: b"abc",
    "nan": lambda: float("nan"),
    "infinity": lambda: float("-inf"),
    "huge integer": lambda: 10**400,
    "integer too long for a text": lambda: 10**5000,
    "complex": lambda: 1j,
    "fraction": lambda: fractions.Fraction(1, 3),
    "bool": lambda: True,
    "0-d array": lambda: np.array(0.5),
    "0-d text": lambda: np.array("a"),
    "0-d object": lambda: np.array(None, object),
    "matrix": lambda: np.zeros((4, 4)),
    "empty array": lambda: np.zeros((0, 3)),
    "array of nan": lambda: np.full((4, 3), np.nan),
    "array of objects": lambda: np.full((4, 3), None, object),
    "dates": lambda: np.zeros(3, "M8[s]"),
    "records": lambda: np.zeros(3, [("x", float)]),
    "masked array": lambda: np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0]),
    "read-only and strided": lambda: np.broadcast_to(np.float16(1), (4, 3))[::-1],
    "ragged list": lambda: [[1, 2, 3], [1, 2]],
    "nested list": lambda: nested(20),
    "very nested list": lambda: nested(3000),
    "dictionary": lambda: {"type": "Nothing"},
    "dictionary without a type": lambda: {1: 2},
    "endless": lambda: itertools.count(),
    "a number that raises": Number,
    "a number that changes": Changing,
    "three that change": lambda: [Changing(), Changing(), Changing()],
    "a list that shrinks": lambda: Shrinking([0.1, 0.2, 0.3]),
    "an array that raises": Array,
    "no text of it": Unspeakable,
    "list of no text": lambda: [Unspeakable()] * 3,
    "a class": lambda: vt.Sphere,
    "a function": lambda: len,
}  # fmt: skip


def is_plain(item):
    """Whether what was taken goes to JSON and back, twice the same."""
    data = item.to_dict()
    plain = json.loads(canonical_json(data))
    if isinstance(item, vt.Method):
        again = vt.Method.from_dict(plain)
    else:
        again = from_dict(plain, [type(item)], "it")
    return canonical_json(again.to_dict()) == canonical_json(data)


def find_fault(cls, good, name, value):
    """What is wrong where the argument has this value; None: nothing."""
    try:
        made = cls(**{**good, name: value})
    except (TypeError, ValueError) as error:
        text = str(error)
        if name not in text or cls.__name__ not in text:
            return f"does not name it: {text[:300]}"
        return f"has a text of {len(text)} characters" if len(text) > 1500 else None
    except Exception as error:
        return f"raises {error!r:.300}"
    try:
        return None if is_plain(made) else f"is taken as {made.to_dict()[name]!r:.300}"
    except Exception as error:
        return f"is taken, and no plain data: {error!r:.300}"


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_argument_of_every_definition(cls):
    good = REQUIRED.get(cls, {})
    assert is_plain(cls(**good))
    faults = []
    for field, (what, make) in itertools.product(dataclasses.fields(cls), HOSTILE.items()):
        fault = find_fault(cls, good, field.name, make())
        faults += [f"{field.name}, {what}: {fault}"] if fault else []
    assert not faults, f"{cls.__name__}:\n" + "\n".join(faults)


@pytest.mark.parametrize("cls", [vt.Scene, vt.Simulation])
def test_every_argument_of_a_scene_and_of_a_simulation(cls):
    small = {"max_vortons": 9, "max_tracers": 9, "max_nodes": 9000} if cls is vt.Simulation else {}
    for name, (what, make) in itertools.product(
        inspect.signature(cls).parameters, HOSTILE.items()
    ):
        try:
            made = cls(**{**small, name: make()})
        except (TypeError, ValueError) as error:
            assert name in str(error), f"{name}, {what}: {error}"
        else:
            scene = made if cls is vt.Scene else made.scene
            canonical_json(scene.to_dict())


def test_a_long_chain_of_parents():
    """Refused before anything that follows it runs out of stack; the longest one works."""
    chain = vt.Transform()
    with pytest.raises(ValueError, match=r"Transform\.parent: 101 transforms above each other"):
        for _ in range(2000):
            chain = vt.Transform(position=(0.01, 0, 0), parent=chain)
    chain = chain.parent  # with it a source has 100 above it
    scene = vt.Scene(voxel=0.1)
    scene.add(vt.VortexRing(core=0.2, layers=0, sections=8, parent=chain))
    assert pickle.loads(pickle.dumps(chain)) == copy.deepcopy(chain)
    assert vt.Scene.from_dict(scene.to_dict()) == scene and repr(scene)
    sim = vt.Simulation(scene, max_vortons=9, max_tracers=9, max_nodes=9000)
    sim.advance(1e-6)
    assert abs(sim.vortons.position[:, 0].mean() - 0.99) < 1e-5


def test_all_classes_are_tried():
    left = {c.__name__ for c in PUBLIC if inspect.isclass(c) and c not in CLASSES}
    assert left == {"Scene", "Simulation", "Manifest", "SceneWarning", "VortonFlag", "BlowUpError",
                    "BusyError", "CapacityError"}  # fmt: skip


@pytest.mark.parametrize("voxel", [1e-300, 1e-110, 1e-9])
@pytest.mark.parametrize("renew", [0, 1])
def test_voxels_of_which_the_cube_is_no_number(voxel, renew):
    """As those that are merely too small: more tracers than there can be."""
    scene = vt.Scene("fine", voxel=voxel)
    scene.add(vt.Tracers(vt.Sphere(), renew=renew, lifetime=1))
    with pytest.raises(ValueError, match=r"per_voxel = 6.0: asks for .* at most 2147483647"):
        vt.Simulation(scene, threads=1)


# ---- paths ----


class NoPath:
    """A path that does as it likes."""

    def __fspath__(self):
        raise RuntimeError("nowhere")


HOSTILE_PATHS = [None, 1, [[1]], np.zeros((2, 2)), b"bake", {}, NoPath()]


@pytest.fixture(scope="module")
def calls(reference):
    """Every call that takes a path: by name, the argument and a function of its value."""
    scene, sim, last = vt.Scene(), vt.Simulation(), {"progress": False}
    return {
        "bake out": lambda p: vt.bake(scene, p, **last),
        "derive place": lambda p: vt.derive(p, "out", **last),
        "derive out": lambda p: vt.derive(reference, p, **last),
        "branch place": lambda p: vt.branch(scene, p, "out", frame=1, **last),
        "branch out": lambda p: vt.branch(scene, reference, p, frame=1, **last),
        "rewind place": lambda p: vt.rewind(p, 1),
        "copy_bake place": lambda p: vt.copy_bake(p, "out"),
        "copy_bake out": lambda p: vt.copy_bake(reference, p),
        "move_bake place": lambda p: vt.move_bake(p, "out"),
        "move_bake out": lambda p: vt.move_bake(reference, p),
        "prune_bake place": lambda p: vt.prune_bake(p),
        "Archive path": lambda p: vt.archive.Archive(p),
        "Manifest path": lambda p: vt.Manifest(p, {}),
        "Manifest.load path": lambda p: vt.Manifest.load(p),
        "Manifest.find place": lambda p: vt.Manifest.find(p),
        "Manifest.of_file path": lambda p: vt.Manifest.of_file(p),
        "Manifest.all_in folder": lambda p: vt.Manifest.all_in(p),
        "Scene.load path": lambda p: vt.Scene.load(p),
        "Scene.save path": lambda p: scene.save(p),
        "Simulation.load path": lambda p: vt.Simulation.load(p),
        "Simulation.save path": lambda p: sim.save(p),
        "make_film place": lambda p: vt.film.make_film(p, "a.png", **last),
        "make_film out": lambda p: vt.film.make_film(scene, p, **last),
        "make_stage place": lambda p: vt.hosts.usd.make_stage(p),
        "write_alembic place": lambda p: write_alembic(p),
        "write_point_grids place": lambda p: write_point_grids(p),
        "read path": lambda p: vdb_files.read(p),
        "write_film path": lambda p: write_film([], p),
    }


def test_paths_that_are_none_are_named(calls, tmp_path, monkeypatch):
    """The argument, its value and what is allowed; nothing is made."""
    monkeypatch.chdir(tmp_path)
    for what, call in calls.items():
        argument = what.split(" ")[1]
        for value in HOSTILE_PATHS:
            with pytest.raises(TypeError) as raised:
                call(value)
            text = str(raised.value)
            assert text.startswith(f"{argument} = "), (what, value)
            assert text.endswith(": must be a path, as str or os.PathLike"), (what, value)
        with pytest.raises(ValueError, match=rf"^{argument} = 'a.x00b': must be a path.*without"):
            call("a\0b")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("data", [None, 2, [], "{}", np.zeros(3)])
def test_a_manifest_of_no_dict_is_refused(data, reference):
    with pytest.raises(TypeError, match="^data = .*: must be a dict, what a manifest holds"):
        vt.Manifest(reference / "ring.json", data)


def test_a_manifest_that_is_not_whole_is_refused(reference):
    """Each member that is missing, or another thing."""
    whole = vt.Manifest.find(reference).data
    assert vt.Manifest(str(reference / "ring.json"), whole).frames == [1, 2, 3, 4]
    for key in ("name", "scene", "fps", "first", "frames", "volumes"):
        with pytest.raises(ValueError, match=f"manifest: {key!r} is missing"):
            vt.Manifest("ring.json", {k: v for k, v in whole.items() if k != key})
        with pytest.raises(ValueError, match=f"manifest.{key} = "):
            vt.Manifest("ring.json", {**whole, key: {1}})
