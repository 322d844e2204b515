"""Definitions stand once, in csrc/include/vorton/*.def: what C, the module and the Python classes
say of a parameter agrees with the table.
"""

import ast
import dataclasses
import inspect
import math
import re
from pathlib import Path

import definitions
import numpy as np
import pytest

import vorton as vt
from vorton import _core
from vorton.base.checks import ABOVE_0, ANY
from vorton.definitions.docstrings import document
from vorton.definitions.fields import Definition
from vorton.definitions.tables import Table

FOLDER = Path(vt.get_include()) / "vorton"
FILES = {name: {"volume": "volume_settings"}.get(name, name) for name in definitions.names()}
HIDDEN = "length", "rows", "nodes", "context", "version", "reserved", "simulation"


def classes(cls=Definition):
    return [c for sub in cls.__subclasses__() for c in (sub, *classes(sub))]


def fields_of(cls):
    return {f.name: f for f in dataclasses.fields(cls) if "row" in f.metadata}


for public in vt.__all__:  # modules are imported when they are asked for
    getattr(vt, public)
FROM_TABLES = sorted(filter(fields_of, classes()), key=lambda cls: cls.__name__)


# ---- the tables as they are written ----


def written(definition):
    """(type, name, rest) of every row of a .def file."""
    text = (FOLDER / f"{FILES[definition]}.def").read_text()
    return re.findall(r"^VT_ROW\((\w+), (\w+), (.*?)\)$", text, re.M | re.S)


@pytest.mark.parametrize("name", [n for n in FILES if n != "method"])
def test_the_module_has_every_row_of_the_files(name):
    rows = written(name)
    assert rows == [r for r in rows if r[0] and r[1]] and len(rows) == len(definitions.rows(name))
    shown = {row: kind for kind, row, _ in rows if kind not in HIDDEN}
    assert {row: values["type"] for row, values in _core.DEFINITIONS[name].items()} == shown
    for kind, row, rest in rows:
        if row in shown:
            value = _core.DEFINITIONS[name][row]
            texts = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', rest))
            unit = "" if kind in ("choice", "text") else value["unit"]
            assert texts.endswith(value["doc"]) and unit in texts


def test_every_file_has_its_definition_and_no_other_has_rows():
    with_rows = {p.stem for p in FOLDER.glob("*.def") if "VT_ROW(" in p.read_text()}
    assert with_rows == set(FILES.values()) - {"method"}


def test_every_row_says_what_it_is():
    for name, rows in _core.DEFINITIONS.items():
        for row in rows.values():
            assert row["doc"] and not row["doc"].endswith("."), (name, row["name"])
            assert row["least"] <= row["most"], (name, row["name"])


def test_defaults_lie_in_their_ranges():
    for name, rows in _core.DEFINITIONS.items():
        for row in rows.values():
            if row["type"] not in ("number", "limit", "pair", "vector", "whole", "count"):
                continue
            if row["optional"] or name == "volume" and row["name"] == "voxel_size":
                continue
            values = row["default"] if isinstance(row["default"], tuple) else (row["default"],)
            low, high = row["least"], row["most"]
            assert all(low <= v <= high or (row["or_0"] and v == 0) for v in values), row


def test_defaults_of_the_library_are_those_of_the_tables():
    for name in definitions.names():
        made = definitions.default(name)
        for key, row in _core.DEFINITIONS[name].items():
            value = getattr(made, key)
            if row["type"] in definitions.NUMBERS:
                found = tuple(value) if isinstance(row["default"], tuple) else value
                assert found == row["default"], (name, key)
            elif row["type"] in ("whole", "count", "seed", "flag"):
                assert value == row["default"], (name, key)
            elif row["type"] == "choice":
                assert row["choices"][value] == row["default"], (name, key)


# ---- checks of the library ----


def is_number(row):
    return row["type"] == "number" and not row["optional"] and not row["or_0"]


ADDED = {
    "ring": {},
    "tube": {},
    "jet": {},
    "cloud": {},
    "emitter": {"fluid": {"temperature": 400.0}},
    "tracers": {"rate": 1.0},
    "wind": {},
    "force": {},
    "kill": {"age": 1.0},
    "transform": {},
    "body": {"shapes": [{"kind": "sphere"}]},
}


@pytest.mark.parametrize("kind", ADDED)
def test_the_library_refuses_what_lies_outside_of_the_table(kind):
    tried = 0
    for name, row in _core.DEFINITIONS[kind].items():
        if not is_number(row):
            continue
        below = -1.0 if row["least"] == ABOVE_0 else row["least"] - abs(row["least"]) / 2 - 1
        above = row["most"] * 2 + 1 if row["most"] < 1e300 else math.inf
        for bad in (below if row["least"] > -1e300 else -math.inf, above):
            with pytest.raises(ValueError, match=name):
                _core.Simulation().add(kind, **{**ADDED[kind], name: bad})
            tried += 1
    assert tried or kind in ("wind", "transform")


ROWS = np.full((3, 3), 0.5, np.float32)
WITH_ARRAYS = {
    "filament": {"points": np.eye(3)},
    "vorton_points": {"position": ROWS, "strength": ROWS, "core": ROWS[0], "volume": ROWS[0]},
    "tracer_points": {"position": ROWS, "density": ROWS[0], "size": ROWS[0]},
    "wind_grid": {"velocity": np.ones((2, 2, 2, 3), np.float32)},
    "force": {"kind": "points", "acts_on": "fluid", "positions": ROWS, "accelerations": ROWS},
    "body": {"shapes": [{"kind": "box"}], "mesh_vertices": ROWS},
}
SHAPES = {"floats": (3,), "float_vectors": (3, 3), "vectors_of_rows": (3, 3),
          "node_vectors": (2, 2, 2, 3)}  # fmt: skip


def bad_numbers():
    """Rows of arrays, each with a number below and above its range, if float32 has one."""
    for kind in WITH_ARRAYS:
        for name, row in _core.DEFINITIONS[kind].items():
            if row["type"] in SHAPES:
                below = 0.0 if row["least"] == ABOVE_0 else 2 * row["least"] - 1
                for bad in (below, 2 * row["most"] + 1):
                    if abs(bad) < np.finfo(np.float32).max:
                        yield kind, name, row, bad


@pytest.mark.parametrize("kind, name, row, bad", list(bad_numbers()))
def test_arrays_are_refused_where_the_table_says_so(kind, name, row, bad):
    values = np.full(SHAPES[row["type"]], 0.5)
    values.reshape(-1, *values.shape[-1:] if values.ndim > 1 else ())[1] = bad
    given = {**WITH_ARRAYS[kind], name: values.astype(np.float32)}
    if row["type"] == "node_vectors" and kind == "force":
        given = {"kind": "grid", "acts_on": "fluid", name: given[name]}
    core = _core.Simulation(combustion={"law": "simple"})
    with pytest.raises(ValueError, match=rf"{name} has \S+ in row 1; allowed is "):
        core.add(kind, **given)
    assert core.count("vortons") == core.count("tracers") == 0


def test_shares_of_points_may_fill_the_mass():
    """As float32 they may be a little more than 1 together."""
    fuel, smoke = np.float32([0.6] * 3), np.float32([0.4] * 3)
    assert float(fuel[0]) + float(smoke[0]) > 1
    for kind in ("vorton_points", "tracer_points"):
        core = _core.Simulation(combustion={"law": "simple"})
        core.add(kind, **WITH_ARRAYS[kind], fuel=fuel, smoke=smoke)
        assert core.count("vortons") + core.count("tracers") == 3
        with pytest.raises(ValueError, match="row 2: fuel"):
            core.add(kind, **WITH_ARRAYS[kind], fuel=fuel, smoke=smoke + np.float32([0, 0, 0.1]))


@pytest.mark.parametrize("kind", _core.DEFINITIONS)
def test_a_row_says_its_rule_in_few_sentences(kind):
    for name, row in _core.DEFINITIONS[kind].items():
        sentences = re.split(r"\.\s+(?=[A-Z0-9])", row["doc"])
        assert len(sentences) <= 3 and len(row["doc"]) < 480, name


# ---- the classes of Python ----


def test_many_classes_come_from_tables():
    names = {cls.__name__ for cls in FROM_TABLES}
    assert {"VortexRing", "Filament", "VortexTube", "Jet", "RandomCloud", "Tracers", "Emitter",
            "Points", "VortonPoints", "Wind", "WindGrid", "Attractor", "Vortex", "Drag", "Kill",
            "UniformForce", "Turbulence", "ForceGrid", "ForcePoints",
            "Transform", "Body", "Container", "Deformation", "Air", "Gas", "Liquid", "Combustion",
            } <= names  # fmt: skip


@pytest.mark.parametrize("cls", FROM_TABLES, ids=lambda c: c.__name__)
def test_signature_docstring_and_table_agree(cls):
    parameters = inspect.signature(cls).parameters
    for name, made in fields_of(cls).items():
        row = made.metadata["row"]
        expected = None if row["optional"] else row["default"]
        assert parameters[name].default == made.default == expected
        assert made.metadata["unit"] == row["unit"] and made.metadata["text"] == row["doc"]
        assert bool(made.metadata.get("animatable")) == bool(row["animatable"])
        own = made is vars(cls).get("__dataclass_fields__", {}).get(name) and name in vars(cls)
        entry = " ".join(document(name, made).split())
        if own and "Parameters" in (cls.__doc__ or ""):
            assert entry in " ".join(cls.__doc__.split())


@pytest.mark.parametrize("cls", FROM_TABLES, ids=lambda c: c.__name__)
def test_classes_refuse_what_lies_outside_of_the_table(cls):
    for name, made in fields_of(cls).items():
        row, check = made.metadata["row"], made.metadata["check"]
        if row["type"] not in ("number", "limit"):
            continue
        label = f"{cls.__name__}.{name}"
        if row["most"] < ANY:
            check(label, row["most"])
            with pytest.raises(ValueError, match=re.escape(label)):
                check(label, row["most"] * 1.01)
        if row["least"] == ABOVE_0 or row["least"] > -ANY:
            least = 0.0 if row["least"] == ABOVE_0 else row["least"]
            if row["least"] != ABOVE_0:
                check(label, least)
            with pytest.raises(ValueError, match=re.escape(label)):
                check(label, 0.0 if row["least"] == ABOVE_0 else least - abs(least) / 100 - 1e-12)


def test_no_docstring_keeps_a_placeholder():
    for cls in [*classes(), vt.Scene]:
        text = cls.__doc__ or ""
        assert "{parameters}" not in text


def documented(cls):
    """Parameters that a docstring has an entry for, in their order."""
    _, _, text = inspect.getdoc(cls).partition("Parameters\n----------\n")
    heads = [line.split(" :")[0] for line in text.split("\n\n")[0].splitlines() if line[0] != " "]
    return [name for head in heads for name in head.split(", ")]


PUBLIC = [getattr(vt, name) for name in vt.__all__]
DATACLASSES = [item for item in PUBLIC if isinstance(item, type) and dataclasses.is_dataclass(item)]


@pytest.mark.parametrize("cls", DATACLASSES, ids=lambda cls: cls.__name__)
def test_a_docstring_explains_every_parameter_in_its_order(cls):
    assert documented(cls) == list(inspect.signature(cls).parameters)


def test_scene_has_the_defaults_of_the_table():
    table, scene = Table("simulation"), vt.Scene()
    for name in ("seed", "gravity", "wind", "viscosity", "thermal_diffusivity", "dissipation",
                 "max_vortons", "max_tracers", "max_nodes", "at_capacity"):  # fmt: skip
        assert getattr(scene, name) == table.default(name)
        assert f"\n{name} : " in vt.Scene.__doc__


def test_the_stub_names_what_the_module_adds():
    stub = ast.parse((Path(vt.__file__).parent / "_core.pyi").read_text())
    names = {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}
    assert {"DEFINITIONS", "ARTICLE_METHOD"} <= names
    simulation = next(n for n in stub.body if getattr(n, "name", "") == "Simulation")
    assert "add" in {getattr(n, "name", "") for n in simulation.body}


def test_what_may_change_is_what_the_library_lets_change():
    track = {"values": [[0.1]], "times": [0.0]}
    for kind in ("jet", "tracers", "emitter", "wind", "force", "kill", "transform", "body"):
        for name, row in _core.DEFINITIONS[kind].items():
            if row["type"] != "number":
                continue
            core = _core.Simulation()
            moving = {"animations": {name: track}}
            if row["animatable"]:
                core.add(kind, **{**ADDED[kind], **moving})
            else:
                with pytest.raises(ValueError, match=f"{name} of .* cannot be animated"):
                    core.add(kind, **{**ADDED[kind], **moving})
