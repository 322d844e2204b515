"""Builds vorton: a plain shared library, and a thin Python extension linked to it.

    vorton/libvorton.so.0    all of csrc except csrc/python; knows nothing of Python. Named as its
                             soname, with the major version: wheels have no symbolic links
    vorton/_core.abi3.so     csrc/python, limited API 3.11, NumPy 1.22 and later
    vorton/include, vorton/vorton.pc   for C programs that link the library

A source that defines functions through VT_NAME(...) is a kernel: it is compiled once for every
instruction set. Objects are kept in build/objects under a hash of their command line, and compiled
anew when a file that they include is newer. Environment variables:

    VORTON_OPENMP=0          build without OpenMP: with the pool of POSIX threads alone, for hosts
                             that bring another OpenMP runtime, or have none
    VORTON_SANITIZE=LIST     address,undefined or thread: passed to -fsanitize=
    VORTON_WERROR=1          warnings are errors
    VORTON_JOBS=N            compilers at a time (default 2)
    CC, CFLAGS, LDFLAGS      compiler, more flags
"""

import hashlib
import os
import platform
import re
import shlex
import shutil
import subprocess
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

ROOT = Path(__file__).resolve().parent
CSRC = ROOT / "csrc"

BASE_FLAGS = shlex.split(
    "-std=c11 -O3 -g1 -ffp-contract=off -fno-math-errno -fno-trapping-math -fPIC "
    "-fvisibility=hidden -Wall -Wextra -Wpedantic -Wconversion -Wno-psabi -pthread"
)

TARGETS = {"scalar": []}
if platform.machine() in ("x86_64", "AMD64"):
    TARGETS["avx2"] = shlex.split("-mavx2 -mfma -mf16c")
    TARGETS["avx512"] = shlex.split(
        "-mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mf16c -mprefer-vector-width=512"
    )


def version():
    header = (CSRC / "include" / "vorton" / "base.h").read_text()
    return re.search(r'#define VORTON_VERSION "([^"]+)"', header).group(1)


def library_name():
    """File name and soname of the library: programs of another major version do not load it."""
    return f"libvorton.so.{version().split('.')[0]}"


def library_sources():
    """(source, is it a kernel) of every file of the plain library."""
    for path in sorted(CSRC.rglob("*.c")):
        if path.parent != CSRC / "python":
            yield path, re.search(r"\bVT_NAME\(", path.read_text()) is not None


def is_older(target, sources):
    if not target.exists():
        return True
    made = target.stat().st_mtime_ns
    return any(not s.exists() or s.stat().st_mtime_ns > made for s in sources)


def included_files(dependencies):
    """Files named by a make rule that the compiler wrote (-MMD)."""
    rule = dependencies.read_text().replace("\\\n", " ").split(": ", 1)[1]
    return [Path(name.replace("\\ ", " ")) for name in re.split(r"(?<!\\)\s+", rule.strip())]


class Toolchain:
    """The compiler, the flags that the environment asks for, and the objects made before."""

    def __init__(self):
        self.compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
        self.objects = ROOT / "build" / "objects"
        self.objects.mkdir(parents=True, exist_ok=True)
        self.flags = list(BASE_FLAGS)
        self.link_flags = shlex.split(os.environ.get("LDFLAGS", "")) + ["-pthread"]
        self.libraries = ["-lm"]
        self.read_environment()

    def read_environment(self):
        sanitize = os.environ.get("VORTON_SANITIZE", "")
        # libgomp is not instrumented: correct code would be reported as a race.
        if os.environ.get("VORTON_OPENMP") != "0" and "thread" not in sanitize:
            self.flags.append("-fopenmp")
            self.link_flags.append("-fopenmp")
        if sanitize:
            self.flags += ["-fsanitize=" + sanitize, "-fno-omit-frame-pointer"]
            self.link_flags.append("-fsanitize=" + sanitize)
        if os.environ.get("VORTON_WERROR") == "1":
            self.flags.append("-Werror")
        if self.has_header("zlib.h"):
            self.flags.append("-DVT_HAVE_ZLIB=1")
            self.libraries.append("-lz")
        self.flags += shlex.split(os.environ.get("CFLAGS", ""))

    def has_header(self, name):
        check = self.compiler + ["-E", "-x", "c", "-", "-o", os.devnull]
        source = f"#include <{name}>\n".encode()
        return (
            subprocess.run(check, input=source, stderr=subprocess.DEVNULL, check=False).returncode
            == 0
        )

    def description(self):
        """Macros from which vt_build() makes its text."""
        found = subprocess.run(
            self.compiler + ["--version"], capture_output=True, text=True, check=False
        )
        compiler = found.stdout.splitlines()[0] if found.stdout else self.compiler[0]
        flags = " ".join(f for f in self.flags if not f.startswith(("-W", "-std")))
        quote = {'"': '\\"', "\\": "\\\\"}
        return [
            f'-D{name}="{"".join(quote.get(c, c) for c in value)}"'
            for name, value in (("VT_BUILD_COMPILER", compiler), ("VT_BUILD_FLAGS", flags))
        ]

    def run(self, command):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.stderr:
            print(done.stderr, flush=True)
        if done.returncode != 0:
            raise CompileError(f"{shlex.join(command)} failed")

    def compile(self, source, flags):
        """The object of a source, compiled if it is not up to date."""
        command = self.compiler + self.flags + flags + ["-c", str(source)]
        key = hashlib.sha256("\0".join(command).encode()).hexdigest()[:16]
        target = self.objects / f"{source.stem}.{key}.o"
        dependencies = target.with_suffix(".d")
        if not dependencies.exists() or is_older(target, included_files(dependencies)):
            label = " ".join(flag for flag in flags if flag.startswith("-DVT_TARGET"))
            print("compile", f"{source.relative_to(ROOT)} {label}", flush=True)
            self.run(command + ["-MMD", "-MF", str(dependencies), "-o", str(target)])
        return target

    def compile_all(self, jobs):
        with ThreadPoolExecutor(int(os.environ.get("VORTON_JOBS", "2"))) as pool:
            return list(pool.map(lambda job: self.compile(*job), jobs))

    def link(self, target, objects, flags, libraries):
        target.parent.mkdir(parents=True, exist_ok=True)
        print("link", target.name, flush=True)
        self.run(
            self.compiler
            + ["-shared", "-Wl,-rpath,$ORIGIN"]
            + self.link_flags
            + flags
            + [str(o) for o in objects]
            + libraries
            + ["-o", str(target)]
        )


class BuildNative(build_ext):
    """build_ext that makes the library, what C programs need, and the extension."""

    def run(self):
        folder = ROOT / "vorton" if self.inplace else Path(self.build_lib) / "vorton"
        tools = Toolchain()
        self.build_library(tools, folder)
        self.build_binding(tools, folder)
        self.install_c_files(folder)

    def build_library(self, tools, folder):
        include = ["-I", str(CSRC), "-I", str(CSRC / "include")]
        jobs = []
        for source, is_kernel in library_sources():
            if is_kernel:
                jobs += [
                    (source, include + [f"-DVT_TARGET={name}"] + flags)
                    for name, flags in TARGETS.items()
                ]
            else:
                jobs.append((source, include + tools.description()))
        target = folder / library_name()
        objects = tools.compile_all(jobs)
        if is_older(target, objects):
            # The threads of the pool outlive a dlclose().
            flags = [f"-Wl,-soname,{target.name}", "-Wl,-z,nodelete"]
            if not os.environ.get("VORTON_SANITIZE"):  # the program brings their runtime
                flags.append("-Wl,--no-undefined")
            tools.link(target, objects, flags, tools.libraries)

    def build_binding(self, tools, folder):
        import numpy

        # Slots hold functions as void pointers: that is the API of Python.
        flags = [
            "-Wno-pedantic",
            "-DPy_LIMITED_API=0x030b0000",
            "-DNPY_TARGET_VERSION=NPY_1_22_API_VERSION",
            "-DNPY_NO_DEPRECATED_API=NPY_1_22_API_VERSION",
            "-isystem",
            sysconfig.get_path("include"),
            "-isystem",
            numpy.get_include(),
            "-I",
            str(CSRC),
            "-I",
            str(CSRC / "include"),
        ]
        sources = [ROOT / source for source in self.extensions[0].sources]
        objects = tools.compile_all([(source, flags) for source in sources])
        target = folder / "_core.abi3.so"
        if objects and is_older(target, objects + [folder / library_name()]):
            tools.link(target, objects, [], ["-L", str(folder), f"-l:{library_name()}"])

    def install_c_files(self, folder):
        include = folder / "include"
        shutil.copytree(
            CSRC / "include", include, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.in")
        )
        template = CSRC / "include" / "vorton.pc.in"
        text = template.read_text().replace("@VERSION@", version())
        (folder / "vorton.pc").write_text(text.replace("@LIBRARY@", library_name()))

    def get_outputs(self):
        return [
            str(Path(self.build_lib) / "vorton" / name)
            for name in (library_name(), "_core.abi3.so", "vorton.pc")
        ]

    def get_output_mapping(self):
        return {}


if __name__ == "__main__":
    binding = sorted(str(path.relative_to(ROOT)) for path in CSRC.glob("python/*.c"))
    setup(
        version=version(),
        license="MIT",
        ext_modules=[Extension("vorton._core", sources=binding, py_limited_api=True)],
        cmdclass={"build_ext": BuildNative},
        options={"bdist_wheel": {"py_limited_api": "cp311"}},
    )
