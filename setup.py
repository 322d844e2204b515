"""Builds vorton: a plain shared library, and a thin Python extension linked to it.

    vorton/libvorton.so.0    all of csrc except csrc/python; knows nothing of Python. Named as its
                             soname, with the major version: wheels have no symbolic links.
                             macOS: libvorton.0.dylib, Windows: vorton-0.dll
    vorton/_core.abi3.so     csrc/python, limited API 3.11, NumPy 1.22 and later
    vorton/include, vorton/vorton.pc, vorton/cmake   for C programs that link the library

A source that defines functions through VT_NAME(...) is a kernel: it is compiled once for every
instruction set. Objects are kept in build/objects under a hash of their command line, and compiled
anew when a file that they include is newer. Environment variables:

    VORTON_OPENMP=0          build without OpenMP: with the library's own pool alone, for hosts
                             that bring another OpenMP runtime, or have none
    VORTON_SANITIZE=LIST     address,undefined or thread: passed to -fsanitize=
    VORTON_WERROR=1          warnings are errors
    VORTON_JOBS=N            compilers at a time (default: one for each processor)
    CC, CFLAGS, LDFLAGS      compiler, more flags

Wheels for other systems are made by .ci/wheels.py, with what stands here and another compiler.
"""

import hashlib
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

ROOT = Path(__file__).resolve().parent
CSRC = ROOT / "csrc"

BASE_FLAGS = shlex.split(
    "-std=c11 -O3 -g1 -ffp-contract=off -fno-math-errno -fno-trapping-math "
    "-fvisibility=hidden -Wall -Wextra -Wpedantic -Wconversion -Wno-psabi"
)


def targets_of(machine):
    """Instruction sets that kernels are compiled for, with their flags."""
    targets = {"scalar": []}
    if machine in ("x86_64", "AMD64"):
        targets["avx2"] = shlex.split("-mavx2 -mfma -mf16c -mpclmul")
        targets["avx512"] = shlex.split(
            "-mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mf16c -mpclmul "
            "-mprefer-vector-width=512"
        )
    return targets


TARGETS = targets_of(platform.machine())


@dataclass(frozen=True)
class System:
    """How an operating system calls libraries, and what it wants to be told when it links them.

    In the file name of the library {} stands for the major version; in its flags {file} stands for
    that name, {linked} for the path of what programs are linked with.
    """

    library: str
    extension: str
    import_suffix: str = ""  # of the import library, which programs are linked with
    flags: Sequence[str] = ("-fPIC", "-pthread")
    library_defines: Sequence[str] = ()
    library_flags: Sequence[str] = ()
    whole_flags: Sequence[str] = ()  # nothing may be missing
    extension_flags: Sequence[str] = ()


SYSTEMS = {
    "linux": System(
        library="libvorton.so.{}",
        extension="_core.abi3.so",
        # The threads of the pool outlive a dlclose().
        library_flags=("-Wl,-soname,{file}", "-Wl,-z,nodelete"),
        whole_flags=("-Wl,--no-undefined",),
        extension_flags=("-Wl,-rpath,$ORIGIN",),
    ),
    "darwin": System(
        library="libvorton.{}.dylib",
        extension="_core.abi3.so",
        library_flags=("-Wl,-install_name,@rpath/{file}",),
        extension_flags=(
            "-Wl,-install_name,@rpath/_core.abi3.so",
            "-Wl,-rpath,@loader_path",
            "-Wl,-undefined,dynamic_lookup",
        ),
    ),
    "win32": System(
        library="vorton-{}.dll",
        extension="_core.pyd",
        flags=(),
        library_defines=("-DVT_BUILDS_LIBRARY",),
        import_suffix=".a",
        library_flags=("-Wl,--out-implib,{linked}",),
    ),
}


SYSTEM = SYSTEMS.get(sys.platform, SYSTEMS["linux"])


def version():
    header = (CSRC / "include" / "vorton" / "base.h").read_text()
    return re.search(r'#define VORTON_VERSION "([^"]+)"', header).group(1)


def library_name(system=SYSTEM):
    """Of the file, and its soname: programs of another major version do not load it."""
    return system.library.format(version().split(".")[0])


def library_sources():
    """(source, is it a kernel) of every file of the plain library."""
    for path in sorted(CSRC.rglob("*.c")):
        if path.parent != CSRC / "python":
            yield path, re.search(r"\bVT_NAME\(", path.read_text()) is not None


def digest_sources():
    """Of all that the library is compiled from: another digest may mean other bits."""
    digest = hashlib.sha256()
    for path in sorted(CSRC.rglob("*.[chd]*")):
        if path.parent != CSRC / "python":
            digest.update(f"{path.relative_to(CSRC).as_posix()}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def is_empty(path):
    """Also where there is none: clang of zig may leave that where it fails."""
    return not path.exists() or path.stat().st_size == 0


def is_older(target, sources):
    if is_empty(target):
        return True
    made = target.stat().st_mtime_ns
    return any(not s.exists() or s.stat().st_mtime_ns > made for s in sources)


def included_files(dependencies):
    """Files named by a make rule that the compiler wrote (-MMD)."""
    rule = dependencies.read_text().replace("\\\n", " ").split(": ", 1)[1]
    return [Path(name.replace("\\ ", " ")) for name in re.split(r"(?<!\\)\s+", rule.strip())]


class Toolchain:
    """The compiler, the flags that the environment asks for, and the objects made before."""

    def __init__(self, system=SYSTEM, objects=None):
        self.system = system
        self.compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
        self.objects = objects or ROOT / "build" / "objects"
        self.objects.mkdir(parents=True, exist_ok=True)
        self.flags = [*BASE_FLAGS, *system.flags]
        self.link_flags = [*shlex.split(os.environ.get("LDFLAGS", "")), *system.flags]
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
        self.flags += shlex.split(os.environ.get("CFLAGS", ""))

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
            for name, value in (
                ("VT_BUILD_COMPILER", compiler),
                ("VT_BUILD_FLAGS", flags),
                ("VT_BUILD_SOURCES", digest_sources()),
            )
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
            dependencies.unlink(missing_ok=True)  # without it nobody takes what a failure leaves
            self.run(command + ["-MMD", "-MF", str(dependencies), "-o", str(target)])
            if is_empty(target):
                raise CompileError(f"{shlex.join(command)} made nothing")
        return target

    def compile_all(self, jobs):
        most = os.environ.get("VORTON_JOBS") or os.cpu_count() or 1
        with ThreadPoolExecutor(int(most)) as pool:
            return list(pool.map(lambda job: self.compile(*job), jobs))

    def link(self, target, objects, flags, libraries):
        target.parent.mkdir(parents=True, exist_ok=True)
        print("link", target.name, flush=True)
        self.run(
            self.compiler
            + ["-shared"]
            + self.link_flags
            + list(flags)
            + [str(o) for o in objects]
            + libraries
            + ["-o", str(target)]
        )


class BuildNative(build_ext):
    """build_ext that makes the library, what C programs need, and the extension."""

    system, machine = SYSTEM, platform.machine()

    @property
    def folder(self):
        return ROOT / "vorton" if self.inplace else Path(self.build_lib) / "vorton"

    @property
    def library(self):
        return self.folder / library_name(self.system)

    @property
    def linked(self):
        """What programs are linked with."""
        return self.library.with_name(self.library.name + self.system.import_suffix)

    @property
    def texts(self):
        """What tells pkg-config and CMake of the library, and the templates."""
        templates = CSRC / "include"
        return {
            self.folder / "vorton.pc": templates / "vorton.pc.in",
            **{
                self.folder / "cmake" / name: templates / f"{name}.in"
                for name in ("vortonConfig.cmake", "vortonConfigVersion.cmake")
            },
        }

    def run(self):
        tools = self.make_toolchain()
        self.build_library(tools)
        self.build_binding(tools)
        self.install_c_files()

    def make_toolchain(self):
        return Toolchain()

    def build_library(self, tools):
        include = ["-I", str(CSRC), "-I", str(CSRC / "include")]
        include += self.system.library_defines
        jobs = []
        for source, is_kernel in library_sources():
            if is_kernel:
                jobs += [
                    (source, include + [f"-DVT_TARGET={name}"] + flags)
                    for name, flags in targets_of(self.machine).items()
                ]
            else:
                about = tools.description() if source == CSRC / "api" / "build.c" else []
                jobs.append((source, include + about))
        objects = tools.compile_all(jobs)
        if is_older(self.library, objects):
            flags = list(self.system.library_flags)
            if not os.environ.get("VORTON_SANITIZE"):  # the program brings their runtime
                flags += self.system.whole_flags
            flags = [flag.format(file=self.library.name, linked=self.linked) for flag in flags]
            tools.link(self.library, objects, flags, tools.libraries)

    def build_binding(self, tools):
        # Slots hold functions as void pointers: that is the API of Python.
        flags = [
            "-Wno-pedantic",
            "-DPy_LIMITED_API=0x030b0000",
            "-DNPY_TARGET_VERSION=NPY_1_22_API_VERSION",
            "-DNPY_NO_DEPRECATED_API=NPY_1_22_API_VERSION",
        ]
        for path in self.find_headers():
            flags += ["-isystem", str(path)]
        flags += ["-I", str(CSRC), "-I", str(CSRC / "include")]
        sources = [ROOT / source for source in self.extensions[0].sources]
        objects = tools.compile_all([(source, flags) for source in sources])
        target = self.folder / self.system.extension
        if objects and is_older(target, objects + [self.library]):
            tools.link(target, objects, self.system.extension_flags, self.find_libraries())

    def find_headers(self):
        """Folders with Python.h and with NumPy's headers."""
        import numpy

        return [sysconfig.get_path("include"), numpy.get_include()]

    def find_libraries(self):
        """What the extension is linked with."""
        return [str(self.linked)]

    def install_c_files(self):
        shutil.copytree(
            CSRC / "include",
            self.folder / "include",
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("*.in"),
        )
        values = {
            "VERSION": version(),
            "MAJOR": version().split(".")[0],
            "LIBRARY": self.library.name,
            "LINKED": self.linked.name,
        }
        for path, template in self.texts.items():
            text = template.read_text()
            for name, value in values.items():
                text = text.replace(f"@{name}@", value)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def get_outputs(self):
        made = [self.library, self.folder / self.system.extension, *self.texts]
        return [str(path) for path in made]

    def get_output_mapping(self):
        return {}


def run_setup(build=BuildNative, arguments=None):
    binding = sorted(str(path.relative_to(ROOT)) for path in CSRC.glob("python/*.c"))
    setup(
        version=version(),
        license="MIT",
        ext_modules=[Extension("vorton._core", sources=binding, py_limited_api=True)],
        cmdclass={"build_ext": build},
        options={"bdist_wheel": {"py_limited_api": "cp311"}},
        script_args=arguments,
    )


if __name__ == "__main__":
    run_setup()
