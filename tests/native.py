"""Internals of the C library for tests: objects of the build, loaded with ctypes.

The library hides all but its public functions. A test of a kernel links the objects of its file,
and of those whose headers are included there, for one instruction set, as the build made them::

    from native import load
    library = load("csrc/kernels/grid/gaussian_filter.c", target="avx2")
    library.vti_avx2_filter(...)

C code of the test's own (wrappers that fill structs, say) goes in ``code``.
"""

import contextlib
import ctypes
import fcntl
import functools
import hashlib
import importlib.util
import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@functools.cache
def _setup_module():
    spec = importlib.util.spec_from_file_location("vorton_setup", ROOT / "setup.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@functools.cache
def _kernels():
    return {source for source, is_kernel in _setup_module().library_sources() if is_kernel}


@functools.cache
def targets():
    """Instruction sets that this processor runs, the lowest first."""
    try:
        flags = Path("/proc/cpuinfo").read_text().split()
    except OSError:
        return ["scalar"]
    needs = {
        "scalar": [],
        "avx2": ["avx2", "fma", "f16c", "pclmulqdq"],
        "avx512": ["avx512f", "avx512dq", "avx512bw", "avx512vl"],
    }
    built = _setup_module().TARGETS
    needs["avx512"] += needs["avx2"]
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


class Library(ctypes.CDLL):
    """A shared library whose hidden functions are found, too."""

    def __init__(self, path):
        super().__init__(path)
        with open("/proc/self/maps") as maps:
            self._start = next(int(line.split("-")[0], 16) for line in maps if path in line)
        symbols = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
        defined = (line.split() for line in symbols.splitlines())
        self._hidden = {words[2]: int(words[0], 16) for words in defined if len(words) == 3}

    def __getattr__(self, name):
        if name not in self._hidden:
            return super().__getattr__(name)
        function = self._FuncPtr(self._start + self._hidden[name])
        function.__name__ = name
        setattr(self, name, function)
        return function


@functools.cache
def load(*sources, target="scalar", code=""):
    """Library of the sources (paths from the repository root) and of ``code``, with those that they
    include.

    Kept in build/tests; what has not been built, or not since a source changed, is compiled.
    Functions that no source defines are an error only when they are called.
    """
    folder = ROOT / "build" / "tests"
    with _alone(folder):
        return Library(_build(folder, sources, target, code))


def _build(folder, sources, target, code):
    build = _setup_module()
    tools = build.Toolchain()
    include = ["-I", str(build.CSRC), "-I", str(build.CSRC / "include")]
    for_target = [*include, f"-DVT_TARGET={target}", *build.TARGETS[target]]
    kernels = _kernels()
    files = _with_included([ROOT / source for source in sources], build.CSRC)
    objects = tools.compile_all([(f, for_target if f in kernels else include) for f in files])
    if code:
        extra = folder / f"code_{hashlib.sha256(code.encode()).hexdigest()[:16]}.c"
        if not extra.exists():
            extra.write_text(code)
        tools.flags = [flag for flag in tools.flags if flag != "-Werror"]  # not for these few lines
        objects.append(tools.compile(extra, for_target))
    key = hashlib.sha256("\0".join(map(str, objects)).encode()).hexdigest()[:16]
    library = folder / f"{target}_{key}.so"
    if build.is_older(library, objects):
        # Linked beside its name and renamed: a library that is loaded now must not be overwritten.
        fresh = library.with_suffix(f".{os.getpid()}")
        tools.link(fresh, objects, ["-Wl,-z,lazy"], tools.libraries)
        os.replace(fresh, library)
    return str(library)
