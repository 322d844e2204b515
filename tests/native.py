"""Internals of the C library for tests: sources compiled by themselves, loaded with ctypes.

The library hides all but its public functions. A test of a kernel compiles its file, and those
whose headers are included there, with the flags of the build and everything visible, for one
instruction set::

    from native import load
    library = load("csrc/kernels/grid/gaussian_filter.c", target="avx2")
    library.vti_avx2_filter(...)

C code of the test's own (wrappers that fill structs, say) goes in ``code``.
"""

import contextlib
import ctypes
import fcntl
import hashlib
import importlib.util
import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def _setup_module():
    spec = importlib.util.spec_from_file_location("vorton_setup", ROOT / "setup.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def targets():
    """Instruction sets that this processor runs, the lowest first."""
    try:
        flags = Path("/proc/cpuinfo").read_text().split()
    except OSError:
        return ["scalar"]
    needs = {
        "scalar": [],
        "avx2": ["avx2", "fma"],
        "avx512": ["avx512f", "avx512dq", "avx512bw", "avx512vl"],
    }
    built = _setup_module().TARGETS
    return [name for name in built if all(flag in flags for flag in needs[name])]


@contextlib.contextmanager
def _alone(folder):
    """Of the processes that share the work of the tests, one at a time compiles."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _with_included(files, folder):
    """The files, and the sources of all headers that these and those include, but for the table
    of all kernels."""
    found, waiting = [], list(files)
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.append(path)
        for name in re.findall(r'^\s*#\s*include "(.+?)\.h"', path.read_text(), re.MULTILINE):
            header = folder / f"{name}.h"
            if header.exists() and name != "kernels/dispatch":
                source = header.with_suffix(".c")
                waiting += [header, source] if source.exists() else [header]
    return sorted(path for path in found if path.suffix == ".c")


def load(*sources, target="scalar", code=""):
    """Shared library of the sources (paths from the repository root) and of ``code``, with those
    that they include.

    Kept in build/tests and made anew when a source changes. Functions that no source defines are
    an error only when they are called.
    """
    folder = ROOT / "build" / "tests"
    with _alone(folder):
        return ctypes.CDLL(_build(folder, sources, target, code))


def _build(folder, sources, target, code):
    build = _setup_module()
    tools = build.Toolchain()
    include = [
        "-I",
        str(build.CSRC),
        "-I",
        str(build.CSRC / "include"),
        "-fvisibility=default",
        f"-DVT_TARGET={target}",
        *build.TARGETS[target],
    ]
    files = _with_included([ROOT / source for source in sources], build.CSRC)
    if code:
        extra = folder / f"code_{hashlib.sha256(code.encode()).hexdigest()[:16]}.c"
        if not extra.exists():
            extra.write_text(code)
        files.append(extra)
    objects = tools.compile_all([(source, include) for source in files])
    key = hashlib.sha256("\0".join(map(str, objects)).encode()).hexdigest()[:16]
    library = folder / f"{target}_{key}.so"
    if build.is_older(library, objects):
        # Linked beside its name and renamed: a library that is loaded now must not be overwritten.
        fresh = library.with_suffix(f".{os.getpid()}")
        tools.link(fresh, objects, ["-Wl,-z,lazy"], tools.libraries)
        os.replace(fresh, library)
    return str(library)
