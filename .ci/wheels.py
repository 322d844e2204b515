"""Wheels for Linux, macOS and Windows from one Linux machine, with the clang of ziglang.

    python .ci/wheels.py [--folder FOLDER] [--like LIBRARY] [--minutes M] [PLATFORM ...]

makes FOLDER/dist/vorton-...-cp311-abi3-PLATFORM.whl (default: all platforms, in build/wheels). It
needs the packages ziglang, setuptools, wheel, abi3audit, auditwheel and cmake, make, and the
headers of the Python that runs it. NumPy's headers come from its own wheels for the platforms; for
Windows the import library of python3.dll is made from the list of the stable ABI. Objects are kept
in FOLDER and taken again while their sources stay as they are.

Wheels are built without OpenMP, for which clang would need a runtime of its own beside those of
other libraries: the threads are those of the pool. Instruction sets are chosen when programs run.

Each wheel is held against its tag and the stable ABI, that for ARM Macs against its signatures.
Where they can run, on another processor by qemu-aarch64, as programs of Windows by wine64, the
tests in C must pass with what the wheel brings, and the examples in C and C++, which CMake builds
with the files that it has for that; with --like, .ci/bits.c must give the same digests with its
library as with that one, a source build. The time that all of it took is told; with --minutes more
than that is a failure.
"""

import argparse
import functools
import hashlib
import importlib.util
import os
import resource
import shlex
import shutil
import struct
import subprocess
import sys
import sysconfig
import time
import tomllib
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
MOST_BYTES = 4_000_000  # of a wheel
BITS = ROOT / ".ci" / "bits.c"
TESTS = [ROOT / "tests" / "c" / name for name in ("api.c", "archive.c")]
EXAMPLES = ROOT / "examples" / "c"  # with a CMakeLists.txt
SOURCES = (".py", ".pyi", ".h", ".def")  # of what wheels hold many files
NUMPY = "numpy==2.4.*"  # its headers: they serve NumPy 1.22 and later

# Clang finds more than gcc does under the same names.
CFLAGS = "-g0 -Wno-sign-conversion -Wno-enum-float-conversion -Wno-missing-field-initializers"


class Platform(NamedTuple):
    target: str  # of zig
    system: str  # of setup.py
    machine: str
    numpy: str  # platform of NumPy's wheel
    runner: tuple[str, ...] | None  # what runs its programs here; None: nothing


QEMU = ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu")
WINE = ("/usr/lib/wine/wine64",)  # not on Debian's PATH

PLATFORMS = {  # that whose check takes longest first
    "manylinux_2_17_aarch64": Platform(
        "aarch64-linux-gnu.2.17", "linux", "aarch64", "manylinux_2_28_aarch64", QEMU
    ),
    "manylinux_2_17_x86_64": Platform(
        "x86_64-linux-gnu.2.17", "linux", "x86_64", "manylinux_2_28_x86_64", ()
    ),
    "macosx_11_0_arm64": Platform(
        "aarch64-macos.11.0", "darwin", "arm64", "macosx_11_0_arm64", None
    ),
    "macosx_11_0_x86_64": Platform(
        "x86_64-macos.11.0", "darwin", "x86_64", "macosx_10_9_x86_64", None
    ),
    "win_amd64": Platform("x86_64-windows-gnu", "win32", "AMD64", "win_amd64", WINE),
}

# What the limited API asks of a platform: sizes, and how Windows imports.
PYCONFIG = """\
#include <stdint.h>
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG __SIZEOF_LONG__
#define SIZEOF_LONG_LONG 8
#define SIZEOF_FLOAT 4
#define SIZEOF_DOUBLE 8
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_WCHAR_T __SIZEOF_WCHAR_T__
#define SIZEOF_TIME_T 8
#define SIZEOF_OFF_T 8
#define HAVE_STDARG_PROTOTYPES 1
#define HAVE_LONG_LONG 1
#define HAVE_UINTPTR_T 1
#ifdef _WIN32
#define MS_WINDOWS 1
#define MS_WIN64 1
#define HAVE_DECLSPEC_DLL 1
#define Py_ENABLE_SHARED 1
#else
#define HAVE_SSIZE_T 1
#define HAVE_UNISTD_H 1
#endif
"""


def zig():
    """The program itself: by `python -m ziglang` a Python more would start for each object."""
    [folder] = importlib.util.find_spec("ziglang").submodule_search_locations
    return Path(folder) / "zig"


def load_setup():
    spec = importlib.util.spec_from_file_location("vorton_setup", ROOT / "setup.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def processor_time():
    """Of this process and all that it has run, s: it depends less on what else the machine does."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def run(*command):
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True)


def copy_python_headers(folder):
    """Those of the Python that runs this, all platforms alike but for pyconfig.h."""
    target = folder / "python"
    if not target.exists():
        shutil.copytree(sysconfig.get_path("include"), target)
    (target / "pyconfig.h").write_text(PYCONFIG)
    return target


def fetch_numpy_headers(folder, name):
    """From NumPy's wheel for the platform."""
    target = folder / "numpy" / name
    if not target.exists():
        wheels = folder / "download" / name
        run(sys.executable, "-m", "pip", "-q", "download", NUMPY, "--no-deps", "-d", wheels,
            "--only-binary=:all:", "--python-version=3.11", "--platform", name)  # fmt: skip
        [wheel] = wheels.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            head = "numpy/_core/include/"
            names = [file for file in archive.namelist() if file.startswith(head)]
            archive.extractall(target.with_suffix(".part"), names)
        target.with_suffix(".part").rename(target)
        shutil.rmtree(wheels)
    return target / "numpy" / "_core" / "include"


def make_import_library(folder):
    """Of python3.dll: functions and data of the stable ABI, as far as Python 3.11 has them."""
    from abi3info import DATAS, FUNCTIONS
    from abi3info.models import PyVersion

    def names(symbols):
        return sorted(s.name for s, about in symbols.items() if about.added <= PyVersion(3, 11))

    lines = ["LIBRARY python3.dll", "EXPORTS", *names(FUNCTIONS)]
    lines += [f"{name} DATA" for name in names(DATAS)]
    definition = folder / "python3.def"
    definition.write_text("\n".join(lines) + "\n")
    library = folder / "python3.lib"
    run(zig(), "dlltool", "-m", "i386:x86-64", "-d", definition, "-l", library)
    return library


def build_wheel(name, folder):
    """One wheel, by setup.py with another compiler and other files to include and link."""
    platform, setup = PLATFORMS[name], load_setup()
    os.environ.update(
        CC=f"{shlex.quote(str(zig()))} cc -target {platform.target}",
        CFLAGS=CFLAGS,
        LDFLAGS="-s",
        VORTON_OPENMP="0",
        VORTON_WERROR="1",
    )
    python, numpy = copy_python_headers(folder), fetch_numpy_headers(folder, platform.numpy)

    class Build(setup.BuildNative):
        system, machine = setup.SYSTEMS[platform.system], platform.machine

        def make_toolchain(self):
            return setup.Toolchain(self.system, folder / "objects" / name)

        def find_headers(self):
            return [python, numpy]

        def find_libraries(self):
            if platform.system != "win32":
                return super().find_libraries()
            unused = f"-Wl,--out-implib,{folder / 'extension.a'}"  # else it goes into the wheel
            return [*super().find_libraries(), str(make_import_library(folder)), unused]

    made = folder / name
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    os.chdir(ROOT)
    setup.run_setup(
        Build,
        ["-q", "egg_info", "--egg-base", str(made), "build", "--build-base", str(made),
         "bdist_wheel", "--plat-name", name, "--bdist-dir", str(made / "bdist"),
         "--dist-dir", str(folder / "dist")],
    )  # fmt: skip


def wheel_name(version, platform):
    """File of the wheel for a platform."""
    return f"vorton-{version}-cp311-abi3-{platform}.whl"


def find_wheel(name, folder):
    [wheel] = (folder / "dist").glob(wheel_name("*", name))
    return wheel


def package_data():
    """Names of the files that pyproject.toml adds to the packages."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        added = tomllib.load(file)["tool"]["setuptools"]["package-data"]
    folders = {ROOT.joinpath(*package.split(".")): each for package, each in added.items()}
    paths = [
        path for folder, each in folders.items() for glob in each for path in folder.glob(glob)
    ]
    return {path.name for path in paths if not path.name.endswith(SOURCES)}


def headers():
    """Where a wheel has the headers of the library, with the tables that they include."""
    include = ROOT / "csrc" / "include"
    paths = [path for end in ("*.h", "*.def") for path in include.rglob(end)]
    return {f"vorton/include/{path.relative_to(include).as_posix()}" for path in paths}


def check_wheel(name, folder):
    wheel = find_wheel(name, folder)
    size = wheel.stat().st_size
    print(f"{wheel}: {size / 1e6:.2f} MB", flush=True)
    if size > MOST_BYTES:
        sys.exit(f"{wheel.name}: {size} bytes; allowed are {MOST_BYTES}")
    with zipfile.ZipFile(wheel) as archive:
        files = archive.namelist()
    if lacking := headers() - set(files):
        sys.exit(f"{wheel.name} lacks {sorted(lacking)}")
    names = {Path(file).name for file in files if file.startswith("vorton/")}
    setup = load_setup()
    system = setup.SYSTEMS[PLATFORMS[name].system]
    library = setup.library_name(system)
    made = {library, library + system.import_suffix, system.extension} | package_data()
    made |= {"vorton.pc", "vortonConfig.cmake", "vortonConfigVersion.cmake"}
    found = {file for file in names if not file.endswith(SOURCES)}
    if found != made:
        sys.exit(f"{wheel.name} holds {sorted(found)}; expected are {sorted(made)}")
    run(sys.executable, "-m", "abi3audit", "--strict", wheel)
    if "linux" in name:
        command = [sys.executable, "-m", "auditwheel", "show", str(wheel)]
        shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        print(" ".join(shown.split()), flush=True)
        if f'"{name}"' not in shown:
            sys.exit(f"{wheel.name} is not {name}")


def is_signed(binary):
    """Whether a Mach-O file has a signature, and all of its pages the digests that stand there: no
    Mac with an ARM processor loads others.
    """
    count, place = *struct.unpack_from("<I", binary, 16), 32  # of its load commands
    for _ in range(count):
        kind, size = struct.unpack_from("<2I", binary, place)
        if kind == 0x1D:  # LC_CODE_SIGNATURE
            break
        place += size
    else:
        return False
    signature = struct.unpack_from("<I", binary, place + 8)[0]
    directory = signature + struct.unpack_from(">I", binary, signature + 16)[0]
    digests = directory + struct.unpack_from(">I", binary, directory + 16)[0]
    pages, end = struct.unpack_from(">2I", binary, directory + 28)
    length = 1 << binary[directory + 39]
    whole = end == signature and pages == -(-end // length)
    return whole and all(
        hashlib.sha256(binary[n * length : min((n + 1) * length, end)]).digest()
        == binary[digests + 32 * n : digests + 32 * (n + 1)]
        for n in range(pages)
    )


def check_signatures(name, folder):
    with zipfile.ZipFile(find_wheel(name, folder)) as wheel:
        for file in wheel.namelist():
            if file.endswith((".so", ".dylib")) and not is_signed(wheel.read(file)):
                sys.exit(f"{name}: {file} is not signed as its pages are")


def compile_program(compiler, source, library, program, include=ROOT / "csrc" / "include"):
    """A program, linked with a library that then lies beside it."""
    run(*compiler, "-std=c11", "-O1", "-I", include, source, library, "-lm", "-pthread",
        "-o", program)  # fmt: skip


def output_of(runner, program, *arguments, simd=""):
    """What a program prints that lies beside its library."""
    environment = {**os.environ, "VORTON_BACKEND": "pthread", "VORTON_SIMD": simd,
                   "LD_LIBRARY_PATH": str(program.parent), "WINEDEBUG": "-all",
                   "WINEPREFIX": str(program.parents[1] / "wine")}  # fmt: skip
    command = [*runner, str(program), *map(str, arguments)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command}: status {done.returncode}\n{done.stdout}")
    return done.stdout.splitlines()


@functools.cache  # for all platforms
def bits_of(like, folder):
    """The digests of a library that was built here."""
    folder.mkdir(exist_ok=True)
    compile_program(["cc"], BITS, like, folder / "bits")
    shutil.copy(like, folder)
    return output_of((), folder / "bits", 2)


def take_library(name, folder):
    """The folder with the library and the headers of a wheel; what programs are linked with."""
    setup, own = load_setup(), folder / name / "bits"
    system = setup.SYSTEMS[PLATFORMS[name].system]
    library = setup.library_name(system)
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir()
    with zipfile.ZipFile(find_wheel(name, folder)) as wheel:
        for file in wheel.namelist():
            if file.startswith((f"vorton/{library}", "vorton/include/")):
                target = own / Path(file).relative_to("vorton")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(wheel.read(file))
    return own, own / (library + system.import_suffix)


def check_bits(name, own, linked, expected):
    """Whether a library gives the digests that are expected, by all instruction sets."""
    platform = PLATFORMS[name]
    program = own / "bits.exe"
    compile_program([zig(), "cc", "-target", platform.target], BITS, linked, program)
    for threads, simd in enumerate(reversed(load_setup().targets_of(platform.machine)), 1):
        found = output_of(platform.runner, program, threads, simd=simd)
        if found != expected:
            sys.exit("\n".join([f"{name}, {simd}: other bits", *expected, *found]))
    print(f"{name}: {len(expected)} scenes with the same bits", flush=True)


def check_program(name, program):
    said = output_of(PLATFORMS[name].runner, program)
    print(f"{name}: {program.stem} passed: {said[-1] if said else 'nothing to say'}", flush=True)


def check_tests(name, own, linked):
    """The tests in C, by the headers and the library of a wheel."""
    for source in TESTS:
        program = own / f"{source.stem}.exe"
        compiler = [zig(), "cc", "-target", PLATFORMS[name].target]
        compile_program(compiler, source, linked, program, own / "include")
        check_program(name, program)


def check_examples(name, folder):
    """The examples in C and C++, built by CMake with the files for it that a wheel has."""
    platform, whole, made = PLATFORMS[name], folder / name / "whole", folder / name / "examples"
    for each in (whole, made):
        shutil.rmtree(each, ignore_errors=True)
    with zipfile.ZipFile(find_wheel(name, folder)) as wheel:
        wheel.extractall(whole)
    system, ending = ("Windows", ".exe") if platform.system == "win32" else ("Linux", "")
    tools = {"C": ["cc", "-target", platform.target], "CXX": ["c++", "-target", platform.target]}
    tools |= {"RC": []} if system == "Windows" else {}
    run(sys.executable, "-m", "cmake", "-S", EXAMPLES, "-B", made, f"-DCMAKE_SYSTEM_NAME={system}",
        f"-Dvorton_DIR={whole / 'vorton' / 'cmake'}",
        *(f"-DCMAKE_{key}_COMPILER={';'.join([str(zig()), *rest])}" for key, rest in tools.items()),
    )  # fmt: skip
    run(sys.executable, "-m", "cmake", "--build", made)
    for example in ("ring", "plugin"):
        check_program(name, made / f"{example}{ending}")


def check(name, folder, like):
    """All checks of a wheel; with `like`, a library, its own must have the bits of that."""
    check_wheel(name, folder)
    if name.startswith("macosx") and name.endswith("arm64"):
        check_signatures(name, folder)
    if PLATFORMS[name].runner is None:
        print(f"{name}: linked and checked, cannot be run here", flush=True)
        return
    own, linked = take_library(name, folder)
    if like:
        check_bits(name, own, linked, bits_of(like.resolve(), folder / "like"))
    check_tests(name, own, linked)
    check_examples(name, folder)
    print(f"{name}: checked", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("platforms", nargs="*", metavar="PLATFORM", help="of these alone")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "wheels")
    parser.add_argument("--like", type=Path, metavar="LIBRARY", help="give the bits of that one")
    parser.add_argument("--minutes", type=float, metavar="M", help="the most that it may take")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder = options.folder.resolve()
    unknown = set(options.platforms) - PLATFORMS.keys()
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: platforms are {', '.join(PLATFORMS)}")
    names = options.platforms or list(PLATFORMS)
    if options.here:
        [name] = names
        build_wheel(name, folder)
        print(f"{name}: built in {processor_time():.0f} s of a processor", flush=True)
        return
    begin = time.monotonic()
    os.environ["ZIG_GLOBAL_CACHE_DIR"] = str(folder / "zig")  # the C libraries that it makes
    # While a wheel is checked, which seldom takes more than one processor, the next is compiled.
    with ThreadPoolExecutor(1) as checks:
        checked = []
        for name in names:  # a process each: os.environ and setuptools are for one
            run(sys.executable, __file__, "--here", "--folder", folder, name)
            checked.append(checks.submit(check, name, folder, options.like))
        for each in checked:
            each.result()
    took = time.monotonic() - begin
    print(f"{len(names)} wheels: {took:.0f} s, {processor_time():.0f} s of a processor", flush=True)
    if options.minutes is not None and took > 60 * options.minutes:
        sys.exit(f"{took / 60:.1f} minutes; allowed are {options.minutes:g}")


if __name__ == "__main__":
    main()
