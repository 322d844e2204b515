"""Scenes, manifests and heads of archives in which anything may stand: an error that says so, or
the same once more.

VORTON_EXAMPLES in the environment sets another number of examples.
"""

import copy
import json
import os
import sys

import pytest
from everything import fire_scene, room_scene
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import vorton as vt

EXAMPLES = int(os.environ.get("VORTON_EXAMPLES", "60"))
SETTINGS = settings(
    max_examples=EXAMPLES, deadline=None, database=None, derandomize="VORTON_EXAMPLES" not in
    os.environ, suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip

numbers = st.one_of(
    st.integers(), st.integers(10**300, 10**320), st.floats(), st.sampled_from([0, -1, 1, 2, 2**31])
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, st.text(max_size=5), st.just("smooth")),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["type", "keys", "shape", "x"]), inner, max_size=3),
    ),
    max_leaves=6,
)
picks = st.integers(0, 2**30)


def nodes(data, found):
    """All (container, key) in it, depth first."""
    keys = data.keys() if isinstance(data, dict) else range(len(data))
    for key in keys:
        found.append((data, key))
        if isinstance(data[key], (dict, list)):
            nodes(data[key], found)
    return found


@st.composite
def damages(draw):
    """Of a tree of JSON: up to three places that hold something else, or what others hold."""

    def damage(data):
        data = copy.deepcopy(data)
        for which, other, what, value in changes:
            places = nodes(data, [])
            container, key = places[which % len(places)]
            if what == "delete":
                del container[key]
            elif what == "copy":
                source, name = places[other % len(places)]
                container[key] = copy.deepcopy(source[name])
            else:
                container[key] = value
        return data

    kinds = st.sampled_from(["delete", "copy", "value", "value"])
    changes = draw(st.lists(st.tuples(picks, picks, kinds, values), min_size=1, max_size=3))
    return damage


SCENES = [fire_scene().to_dict(), room_scene().to_dict()]


@pytest.mark.slow
@SETTINGS
@given(st.sampled_from(SCENES), damages())
def test_scenes(data, damage):
    text = json.dumps(damage(data))
    try:
        scene = vt.Scene.from_json(text)
    except (TypeError, ValueError) as error:
        assert str(error)
    else:
        assert vt.Scene.from_json(scene.to_json()) == scene


@SETTINGS
@given(st.text(max_size=50) | st.binary(max_size=50))
def test_what_is_no_json(text):
    with pytest.raises((TypeError, ValueError)):
        vt.Scene.from_json(text)


@pytest.mark.parametrize("open, close", ["[]", ('{"x":', "}")])
@pytest.mark.parametrize("depth", [200, 900, 10**5])
def test_depth(tmp_path, open, close, depth):
    text = open * depth + "1" + close * depth
    with pytest.raises((TypeError, ValueError)):
        vt.Scene.from_json(text)
    with pytest.raises(ValueError, match="not the manifest"):
        (tmp_path / "ring.json").write_text(text)
        vt.Manifest.load(tmp_path / "ring.json")


@pytest.mark.parametrize("depth", [101, 300, sys.getrecursionlimit(), 10**5])
def test_transforms_in_transforms(depth):
    chain = '{"type": "Transform", "parent": ' * depth + "null" + "}" * depth
    ring = '{"type": "VortexRing", "parent": ' + chain + "}"
    with pytest.raises(ValueError, match="deep|above each other"):
        vt.Scene.from_json('{"schema": 1, "sources": [' + ring + "]}")


@pytest.fixture(scope="module")
def manifest(tmp_path_factory):
    scene = vt.Scene("ring", voxel=0.2)
    scene.add(vt.VortexRing(core=0.3, layers=0, sections=12))
    scene.add(vt.Tracers(vt.Sphere(), count=20))
    folder = tmp_path_factory.mktemp("bake")
    vt.bake(scene, folder, frames=(1, 2), progress=False, archive=False)
    return vt.Manifest.load(folder / "ring.json").data, folder  # without its digest


def test_manifests(manifest):
    whole, folder = manifest
    path = folder / "damaged.json"

    @SETTINGS
    @given(damages())
    def read(damage):
        path.write_text(json.dumps(damage(whole)))
        try:
            found = vt.Manifest.load(path)
        except ValueError as error:
            assert "damaged.json" in str(error)
            return
        assert found.frames == sorted(found.frames)
        for number in found.frames:
            assert found.damage(number) is None or found.damage(number)
        assert isinstance(found.missing, list) and found.suffixes is not None

    read()
