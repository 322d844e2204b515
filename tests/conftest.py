"""The tests are of the package that Python finds, also in the processes that they start.

Python puts the working directory, or that of a script, before everything else: from the top folder
that would be the sources, where nothing is built.
"""

import os
import re
from pathlib import Path

import pytest

# Tests share the processors with the processes that they start. The library takes to its pool when
# it sees that; this spares the time until then in each of the many processes.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# For the same reason: the threads of NumPy's matrices spin while they wait, too.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import vorton  # noqa: E402 (it reads the environment)

HERE = Path(__file__).resolve().parent
PACKAGE = Path(vorton.__file__).resolve().parents[1]

paths = [str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
if PACKAGE.name != "site-packages":
    paths.append(str(PACKAGE))
os.environ["PYTHONPATH"] = os.pathsep.join(paths)
os.environ["PYTHONSAFEPATH"] = "1"

# The files that take longest, these first: one of them that began last would be waited for by one
# of two processes. pytest-xdist would begin with the files of most tests.
LONGEST = """
    innocent_scenes determinism light_bodies long_runs blender_extension sequences wakes
    body_flow archive newborn validation containers_at_rest memory blender volume branch rigid
    article_method faults bench testing examples state vdb rigid_contact grids engineering
    dynamics emitter preview switching combustion bake refused_steps copy views bodies binding
""".split()


def pytest_collection_modifyitems(items):
    order = {f"test_{name}": number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: (order.get(item.path.stem, len(order)), item.path))


def place_of(config):
    """Number of this one of the processes that pytest-xdist starts, and how many they are."""
    worker = getattr(config, "workerinput", None)
    return (int(worker["workerid"].removeprefix("gw")), worker["workercount"]) if worker else (0, 1)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Each process begins at another file: who is the first to read one writes down its asserts as
    pytest wants them, which takes two thirds of the time, for all."""
    report = yield
    if collector.path == HERE:
        number, count = place_of(collector.config)
        first = len(report.result) * number // count
        report.result = report.result[first:] + report.result[:first]
    return report


ALL = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()


def share_of(config):
    """Processors of one of the processes; all where there is no other."""
    number, count = place_of(config)
    return set(sorted(ALL)[number::count]) or ALL


def is_about_threads(item):
    """What it shows would be less if its threads took turns on one processor."""
    parameters = item.callspec.params if hasattr(item, "callspec") else ()
    return "threads" in parameters or re.search("thread|same_bits|_e1_|backend", item.nodeid)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Where each process takes all processors, threads wait for each other more than they work: a
    small scene takes twice the time of the processors. So each has a share of them, which the
    processes that it starts inherit; bits do not depend on it (E1)."""
    share = share_of(item.config)
    if share != ALL:
        os.sched_setaffinity(0, ALL if is_about_threads(item) else share)


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """Folder of a bake of the small scene that nothing has interrupted."""
    from bakes import quiet, small_scene

    folder = tmp_path_factory.mktemp("reference")
    quiet(small_scene(), folder)
    return folder
