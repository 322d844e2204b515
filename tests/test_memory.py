"""Resident memory, each in a process of its own: of a large scene, and over many steps."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from marks import limits_address_space, slow_but

if not Path("/proc/self/statm").exists():
    pytest.skip("resident memory is read from /proc", allow_module_level=True)

resident = pytest.mark.skipif(
    "VORTON_SANITIZE" in os.environ, reason="a sanitizer keeps memory of its own beside"
)

RESIDENT = """
import ctypes, gc, json, resource, sys
PR_SET_THP_DISABLE = 41  # what the kernel rounds up to 2 MiB differs from run to run
ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)
import numpy as np
import vorton as vt
from vorton.bench import scenes as bench
from vorton.bench import runs as bench_runs

def resident():  # MiB
    gc.collect()
    pages = int(open("/proc/self/statm").read().split()[1])
    return pages * resource.getpagesize() / 2**20

"""


def run(code, *arguments):
    """What the code prints as JSON in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", RESIDENT + code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


LARGE = """
before = resident()
simulation = bench_runs.build(bench.SCENES["ring-100k"], 2)
built = resident()
simulation.step(1e-9)
dt = 0.05 / simulation.health()["largest_gradient"]
simulation.step(dt, 20)
count = simulation.count("vortons"), simulation.count("tracers")
print(json.dumps({"count": count, "grid": simulation.health()["grid"],
                  "built": built - before, "stepped": resident() - before}))
"""


@resident
@pytest.mark.slow
def test_a_hundred_thousand_vortons_and_a_million_tracers_take_less_than_60_million_bytes():
    found = run(LARGE)
    assert found["count"] == [100_000, 1_000_000] and found["grid"] == [65, 65, 65]
    # what the columns alone hold: densities and sizes that are all alike take nothing
    particles = (100_000 * 60 + 1_000_000 * 24) / 2**20
    assert found["stepped"] > particles  # it is really there
    assert found["stepped"] < 60e6 / 2**20, found


LONG = """
steps = int(sys.argv[1])
scene = vt.Scene("constant", voxel=0.05)
scene.add(vt.VortexRing(radius=0.5, core=0.1, layers=1, sections=60, circulation=1e-4))
scene.add(vt.Tracers(vt.Sphere(radius=0.4), rate=1000, lifetime=1.0))
sim = vt.Simulation(scene, fps=24, threads=2)
sizes, counts, grids = [], [], []
for part in range(10):
    sim.step(steps // 10)
    assert np.isfinite(sim.vortons.position).all()
    sim.volume().encode_vdb()
    sizes.append(resident())
    counts.append((sim.vortons.count, sim.tracers.count))
    grids.append(sim.health["grid"])
print(json.dumps({"sizes": sizes, "counts": counts, "grids": grids, "frame": sim.frame}))
"""


@resident
@pytest.mark.slow
def test_ten_thousand_steps_leave_the_memory_as_it_is():
    """A ring of 420 vortons, so slow that its grid stays; tracers are born and die all the time."""
    found = run(LONG, 10_000)
    assert found["frame"] == 10_000
    assert all(vortons == 420 and 900 < tracers < 1100 for vortons, tracers in found["counts"])
    assert all(grid == found["grids"][-1] for grid in found["grids"][2:])
    sizes = found["sizes"][2:]  # every buffer has had its largest size by then
    assert max(sizes) - min(sizes) < 0.25, found["sizes"]  # 32 bytes a step


BAKED = """
import pathlib, tempfile
scene = vt.Scene("cloud", seed=1, max_vortons=2000, max_tracers=100_000, voxel=0.05)
scene.add(vt.VortexRing(radius=0.5, core=0.2, layers=1, sections=48))
scene.add(vt.Tracers(vt.Torus(radius=0.5, thickness=0.2), count=100_000))
vt.bake(scene, sys.argv[1], frames=(21, 21), volumes=None, progress=False, threads=1)
print("true")
"""
DERIVED = """
import resource
place, out, last = sys.argv[1:4]
how = dict(fps=48, shutter=0.5, samples=4, volumes=vt.Volumes(voxel=0.04), tracers=True)
before = resident()
made = vt.derive(place, out, frames=(2, int(last) + 1), progress=False, threads=1, **how)
most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
print(json.dumps({"frames": len(made.frames), "more": most - before}))
"""


@resident
@pytest.mark.slow
def test_the_memory_of_derived_frames_does_not_grow_with_their_number(tmp_path):
    """At most: of 10 small frames as of 39, between those of the archive and with an open shutter.
    A frame of 100 000 tracers has 4 MB of them."""
    assert run(BAKED, tmp_path / "bake")
    few, many = (run(DERIVED, tmp_path / "bake", tmp_path / f"{n}", n) for n in (10, 39))
    assert (few["frames"], many["frames"]) == (10, 39)
    assert few["more"] > 30  # three simulations and their volumes
    assert many["more"] < few["more"] + 8, (few, many)


ADDRESSES = """
scene = vt.Scene("a", voxel=0.1, max_vortons=VORTONS, max_tracers=VORTONS, max_nodes=NODES)

def taken():  # bytes of address space
    return int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()

before = taken()
simulation = vt.Simulation(scene, threads=1)
needed = taken() - before

def said_with(limit):
    resource.setrlimit(resource.RLIMIT_AS, (taken() + limit, resource.RLIM_INFINITY))
    try:
        vt.Simulation(scene, threads=1)
    except MemoryError as error:
        return str(error)

del simulation
said = said_with(needed // 2)
scene.add(vt.Body(vt.Sphere(radius=0.1)))
print(json.dumps({"needed": needed / 2**30, "said": said, "of_body": said_with(needed + 2**30)}))
"""


@limits_address_space
@pytest.mark.parametrize(
    "vortons, nodes", slow_but([(1000, 10_000)], [(1 << 23, 1 << 24), (1000, 10_000)])
)
def test_how_much_address_space_a_simulation_takes_is_said(vortons, nodes):
    found = run(ADDRESSES.replace("VORTONS", str(vortons)).replace("NODES", str(nodes)))
    told = re.search(rf"max_nodes {nodes}: more than (\d+) GiB", found["said"])
    assert 0.7 * found["needed"] < int(told[1]) <= round(found["needed"])
    assert nodes > 10_000 or found["needed"] < 5
    bodies = 10 + round(650 * nodes / 2**30)  # the nodes that may lie beside their walls, too
    assert re.match(f"no address space for bodies: {bodies} GiB more", found["of_body"])
