"""Room for vortons and tracers: by the memory of the machine, or as the scene says; what is said
before it ends, and how a bake goes on with more."""

import copy
import json
import os
import re
import subprocess
import sys
import warnings
from ctypes import c_int64, c_uint64

import pytest
from bakes import content, quiet
from marks import limits_address_space
from native import load

import vorton as vt

GIB, USUAL = 2**30, 2**23
BYTES = {"vortons": 512, "tracers": 256}  # of a row, as csrc/model/capacity.c counts


def crowd(**room):
    scene = vt.Scene("crowd", voxel=0.1, **room)
    scene.add(vt.VortexRing(core=0.2))
    scene.add(vt.Tracers(vt.Torus(), rate=1000))
    scene.add(vt.Tracers(vt.Torus(), rate=10))
    return scene


def warned(act):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        act()
    return [str(item.message) for item in found if "are alive" in str(item.message)]


# ---- by the machine ----


def test_rows_follow_the_memory():
    rows = load("csrc/model/capacity.c").vti_rows_in_memory
    rows.restype = c_int64
    for number, name in enumerate(BYTES):
        for gib in (0, 1, 8):
            expected = max(gib * GIB // 2 // BYTES[name], USUAL)
            assert rows(number, c_uint64(gib * GIB)) == expected
        assert rows(number, c_uint64(64 * GIB)) == 32 * GIB // BYTES[name]
    assert rows(0, c_uint64(2**60)) == 2**30 and rows(1, c_uint64(2**60)) == 2**31 - 1


@pytest.mark.skipif(sys.platform == "win32", reason="has no control groups")
def test_the_limit_of_a_control_group(tmp_path):
    limit = load("csrc/base/reserve.c").vti_group_limit
    limit.restype = c_uint64

    def of(text, **files):
        (tmp_path / "list").write_text(text)
        for name, value in files.items():
            path = tmp_path / "fs" / name.replace("__", "/").replace("_dot_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(value)
        return limit(str(tmp_path / "list").encode(), str(tmp_path / "fs").encode())

    none = 2**64 - 1
    assert of("0::/\n") == none  # nothing is there
    assert of("0::/a/b\n", a__b__memory_dot_max="max\n") == none
    assert of("0::/a/b\n", a__memory_dot_max="7000\n") == 7000  # what it lies in
    assert of("0::/a/b\n", a__b__memory_dot_max="5000\n") == 5000
    assert of("0::/a/b\n", memory_dot_max="300\n") == 300  # a container's own root
    older = "9:cpu,cpuacct:/x\n4:memory:/job/1\n0::/nowhere\n"
    (tmp_path / "fs" / "memory.max").unlink()
    assert of(older) == none
    unlimited = 2**63 - 4096
    assert of(older, memory__job__1__memory_dot_limit_in_bytes=f"{unlimited}\n") == unlimited
    assert of(older, memory__memory_dot_limit_in_bytes="42\n") == 42
    assert limit(b"/nowhere", b"/nowhere") == none


def test_the_default_has_room_for_eight_million_and_no_more_than_half_of_the_memory():
    sim = vt.Simulation(crowd(), threads=1)
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for name, row in BYTES.items():
        room = getattr(sim, name).capacity
        assert room >= USUAL and (room == USUAL or 2 * room * row <= memory)
        assert getattr(sim.copy(), name).capacity == room


def test_the_machine_is_no_part_of_a_scene_or_of_its_state():
    """Neither its digest nor what is saved tells how much memory there was."""
    scene = crowd()
    assert scene.max_vortons is None and not {"max_vortons", "max_tracers"} & scene.to_dict().keys()
    assert vt.Scene.from_dict({**scene.to_dict(), "max_tracers": None}) == scene
    given = crowd(max_vortons=5000, max_tracers=6000)
    assert given != scene and vt.Scene.from_json(given.to_json()) == given
    states = []
    for one in (scene, given):
        sim = vt.Simulation(one, threads=1)
        sim.step(3)
        states.append(bytes(sim._core.save_state(1)))
    assert states[0] == states[1]


LIMITED = """
import json, resource
import vorton as vt
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + (6 << 30), resource.RLIM_INFINITY))
scene = vt.Scene("few", max_nodes=10_000, voxel=.1)
scene.add(vt.VortexRing())
sim = vt.Simulation(scene, threads=1)
sim.step()
try:
    said = vt.Simulation(scene, max_vortons=2**23)
except MemoryError as error:
    said = str(error)
print(json.dumps([sim.vortons.capacity, sim.tracers.capacity, said]))
"""


@limits_address_space
def test_where_addresses_are_short_there_is_less_room():
    done = subprocess.run(
        [sys.executable, "-c", LIMITED], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    vortons, tracers, said = json.loads(done.stdout)
    assert 2**16 <= vortons < USUAL and 2**16 <= tracers < USUAL
    assert "no address space for max_vortons 8388608" in said and "ulimit -v" in said


# ---- before it ends ----


def test_a_warning_comes_before_the_end():
    sim = vt.Simulation(crowd(max_tracers=1000), threads=1)
    (text,) = warned(lambda: sim.step(21))
    found = re.match(r"(\d+).*and (\d+) more.* in ([\d.]+) s", text)
    alive, each, left = map(float, found.groups())
    assert 750 < alive < 850 and each == pytest.approx(1010, rel=0.05)
    assert "sources[1], Tracers" in text and "max_tracers 1000" in text
    assert left == pytest.approx((1000 - alive) / 1010, rel=0.1)
    begin = sim.time
    why = r"raise max_tracers.*come from sources\[1\], Tracers"
    with pytest.raises(vt.CapacityError, match=why):
        sim.step(100)
    assert sim.time - begin < 0.25


def test_no_warning_of_what_does_not_grow_or_may_be_full():
    for policy in ("oldest", "stop"):
        sim = vt.Simulation(crowd(max_tracers=500, at_capacity=policy), threads=1)
        assert warned(lambda sim=sim: sim.step(15)) == [] and sim.tracers.count == 500
    scene = vt.Scene("full", voxel=0.1, max_tracers=500)
    scene.add(vt.VortexRing(core=0.2))
    scene.add(vt.Tracers(vt.Torus(), count=499))
    assert warned(lambda: vt.Simulation(scene, threads=1).step(3)) == []


def test_what_bodies_shed_is_told_of():
    scene = vt.Scene("wake", wind=(2, 0, 0), spacing=0.1, max_vortons=3000)
    scene.add(vt.Body(vt.Sphere(radius=0.3)))
    sim = vt.Simulation(scene, threads=1)

    def run():
        with pytest.raises(vt.CapacityError, match="max_vortons 3000"):
            sim.step(100)

    (text,) = warned(run)
    assert "what bodies shed" in text and "max_vortons 3000" in text


# ---- and after ----


def test_a_bake_that_meets_the_end_goes_on_with_more_room(tmp_path):
    """From the frame that its error names, to the bytes of a bake that had the room from the start;
    frames that were never made are not said to be removed."""
    out = tmp_path / "out"
    with pytest.raises(vt.CapacityError) as caught:
        quiet(crowd(max_tracers=100), out, frames=(1, 6))
    told = " ".join(caught.value.__notes__)
    assert "sources[1], Tracers" in str(caught.value) and "frame 4" in told
    assert f"branch(scene, {str(out)!r}, {str(out)!r}, frame=3)" in told
    wider = copy.copy(crowd(max_tracers=10_000))
    manifest = vt.branch(wider, out, out, frame=3, progress=False, threads=1)
    assert manifest.frames == [1, 2, 3, 4, 5, 6] and all(map(manifest.is_whole, range(1, 7)))
    quiet(wider, tmp_path / "at once", frames=(1, 6))
    frames = [{n: b for n, b in content(p).items() if n.endswith((".vdb", ".npz"))}
              for p in (out, tmp_path / "at once")]  # fmt: skip
    assert len(frames[0]) == 12 and frames[0] == frames[1]
