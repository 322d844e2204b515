"""How many bytes the archive of a frame takes: the goals, on the scenes that README shows."""

import hashlib
import os
import runpy
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from marks import slow_but
from native import targets

import vorton as vt
from vorton import _core
from vorton.archive.reading import Archive, _directory, fields_of
from vorton.bench.scenes import campfire

EXAMPLES = Path(__file__).parents[1] / "examples"
TRACER, VORTON = 12, 40  # bytes, at most


def example(name):
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))["scene"]


@pytest.mark.parametrize(
    "name, frame",
    slow_but(
        [("plume", 16)],
        [("plume", 16), ("campfire", 31), ("plume", 40), ("ring", 12), ("candle", 6)],
    ),
)
def test_a_frame_takes_few_bytes_and_goes_on_bit_for_bit(name, frame, tmp_path):
    sim = vt.Simulation(campfire() if name == "campfire" else example(name), threads=2)
    sim.step(frame - 1)
    path = tmp_path / "a.vta"
    sim.save(path)
    with Archive(path) as archive:
        taken = {name: size for name, *_, size, _ in _directory(archive.block(frame))}
        fields = archive.fields(frame)
    for kind, most in (("tracers", TRACER), ("vortons", VORTON)):
        rows = len(fields[f"{kind}.id"])
        assert rows > 3000
        assert sum(n for f, n in taken.items() if f.startswith(kind)) <= most * rows, kind
    again = vt.Simulation.load(path, threads=2)
    for each in (sim, again):
        each.step(2)
    assert again.same_state(sim)


def bytes_of(sim):
    """What the fields of the tracers and of the vortons take, each."""
    taken, saved = {}, sim._core.save_state(1)
    for name, *_, size, _ in _directory(bytes(_core.pack_state(saved, 2))):
        kind = name.partition(".")[0]
        taken[kind] = taken.get(kind, 0) + size
    return taken["tracers"] / sim.tracers.count, taken["vortons"] / sim.vortons.count


@pytest.mark.parametrize(
    "name", slow_but(["campfire"], ["campfire", "fire_and_spheres", "explosion"])
)
def test_a_young_fire_takes_few_bytes(name):
    """In its first half second, where most of its fluid is as it was born and has burnt since."""
    sim = vt.Simulation(campfire() if name == "campfire" else example(name), threads=2)
    for frames in (4, 2, 3, 3):
        sim.step(frames)
        tracer, vorton = bytes_of(sim)
        assert tracer <= TRACER and vorton <= VORTON, sim.frame


def test_fields_come_back_as_they_are():
    """Also those that a lattice does not hold: newborn tracers, and whatever is written."""
    sim = vt.Simulation(example("plume"), threads=2)
    sim.step(12)
    place = sim.tracers.position
    rng = np.random.default_rng(1)
    rows = rng.choice(len(place), 200, replace=False)
    place[rows[:100]] += rng.normal(0, 1e-4, (100, 3)).astype("f")
    place[rows[100:150]] = rng.normal(0, 1e6, (50, 3)).astype("f")
    place[rows[150:]] = [-0.0, 1e-44, 2.0**30]
    state = bytes(sim._core.save_state(13))
    given = dict(fields_of(state))
    for threads in (1, 2):
        packed = _core.pack_state(state, threads)
        found = dict(fields_of(bytes(_core.unpack_state(packed, threads))))
        for name, values in found.items():
            assert values.tobytes() == given[name].tobytes(), name


def check_sums(packed):
    """The checksum of each field of a frame, by Python's own zlib; one is of many bytes."""
    count = int.from_bytes(packed[56:60], "little")
    at, most = 64 + 72 * count, 0
    for n in range(count):
        entry = packed[64 + 72 * n :][:72]
        size, crc = struct.unpack_from("<QI", entry, 56)
        assert zlib.crc32(packed[at : at + size]) == crc, entry[:40]
        at, most = at + size, max(most, size)
    assert most > 2**17


PACKED = """
import sys, hashlib
from vorton import _core
for path in sys.argv[1:]:
    packed = _core.pack_state(open(path, "rb").read())
    print(*(hashlib.sha256(some).hexdigest() for some in (packed, _core.unpack_state(packed))))
"""


def test_bytes_are_the_same_with_every_instruction_set(tmp_path):
    """Of numbers of all kinds: near each other, far apart, tiny, none; of a fire, most of which is
    foretold; and checksums of many."""
    scene = vt.Scene("many", max_tracers=20_000)
    scene.add(vt.Tracers(vt.Sphere(radius=1.0), count=20_000))
    sim = vt.Simulation(scene)
    rng = np.random.default_rng(2)
    kinds = rng.integers(-(2**18), 2**18, (20_000, 3)) * np.float32(2.0**-12)
    kinds[8192:16384, 1] = np.rint(rng.normal(0, 900, 8192)) * 2.0**-12  # of one scale
    kinds[:2000] = rng.normal(0, 1e9, (2000, 3))
    kinds[9000:9100] = [[-0.0, 1e-44, np.nan]]
    kinds[-3500:] = rng.integers(0, 2**32, (3500, 3), np.uint32).view(np.float32)
    sim.tracers.position[:] = kinds
    saved = bytes(sim._core.save_state(1))
    packed = bytes(_core.pack_state(saved, 2))
    found = dict(fields_of(bytes(_core.unpack_state(packed))))["tracers.position"]
    assert found.tobytes() == kinds.astype("f").tobytes()
    check_sums(packed)
    fire = vt.Simulation(campfire(), threads=2)
    fire.step(4)
    paths, digests = [tmp_path / "state", tmp_path / "fire"], []
    for path, each in zip(paths, (saved, fire._core.save_state(1)), strict=True):
        path.write_bytes(each)
        packed = _core.pack_state(each)
        both = packed, _core.unpack_state(packed)
        digests += [hashlib.sha256(some).hexdigest() for some in both]
    for simd in targets():
        found = subprocess.run(
            [sys.executable, "-c", PACKED, *paths],
            env=os.environ | {"VORTON_SIMD": simd}, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        assert found.split() == digests, simd
