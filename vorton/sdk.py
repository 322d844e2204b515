"""What C and C++ programs need to link the library, which every installation brings along.

`vorton sdk`, or `python -m vorton.sdk`, prints where it lies::

    cmake -B build -Dvorton_DIR="$(vorton sdk --cmake-dir)"     # find_package(vorton)
    export PKG_CONFIG_PATH="$(vorton sdk --pkg-config-dir)"     # pkg-config --cflags --libs vorton
    cc ring.c -o ring $(vorton sdk --cflags --libs) -lm

Headers, library and these texts lie in the folder of the package, which may be moved as a whole.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from . import _core

__all__ = ["cflags", "get_cmake_dir", "get_include", "get_library", "get_linked", "libs", "main"]

_FOLDER = Path(__file__).parent


def _file(key: str) -> str:
    """Path of a file that vorton.pc names: setup.py knows what a system calls it."""
    lines = (_FOLDER / "vorton.pc").read_text(encoding="utf-8").splitlines()
    names = dict(line.split("=", 1) for line in lines if "=" in line)
    return str(_FOLDER / names[key])


def get_include() -> str:
    """Folder of vorton.h, for C programs that link the library; vorton.pc lies beside it."""
    return str(_FOLDER / "include")


def get_library() -> str:
    """Path of the C library, which is named after its major version: libvorton.so.0 on Linux,
    libvorton.0.dylib on macOS, vorton-0.dll on Windows."""
    return _file("library")


def get_linked() -> str:
    """Path of what programs are linked with: the library, on Windows its import library."""
    return _file("linked")


def get_cmake_dir() -> str:
    """Folder of vortonConfig.cmake, a value for vorton_DIR: find_package(vorton) then makes the
    target vorton::vorton."""
    return str(_FOLDER / "cmake")


def cflags() -> list[str]:
    """Arguments of a compiler, to find the headers."""
    return [f"-I{get_include()}"]


def libs() -> list[str]:
    """Arguments of a linker, also so that the program finds the library when it runs; not on
    Windows, where the DLL belongs beside the program, or in a folder of PATH."""
    return [get_linked(), *([] if sys.platform == "win32" else [f"-Wl,-rpath,{_FOLDER}"])]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """One for each thing that can be asked for."""
    for option, text in (
        ("--cflags", "arguments of the compiler"),
        ("--libs", "arguments of the linker"),
        ("--cmake-dir", "folder for vorton_DIR of CMake"),
        ("--pkg-config-dir", "folder for PKG_CONFIG_PATH"),
        ("--include-dir", "folder of vorton.h"),
        ("--library", "the shared library"),
        ("--version", "of the library"),
    ):
        parser.add_argument(option, action="store_true", help=text)


def show(arguments: argparse.Namespace) -> int:
    """Print what is asked for, one thing a line; flags are quoted for a shell. With no option
    all of it, named."""
    found = {
        "cflags": shlex.join(cflags()),
        "libs": shlex.join(libs()),
        "cmake_dir": get_cmake_dir(),
        "pkg_config_dir": str(_FOLDER),
        "include_dir": get_include(),
        "library": get_library(),
        "version": _core.version(),
    }
    chosen = [name for name in found if getattr(arguments, name)]
    for name in chosen:
        print(found[name])
    if not chosen:
        for name, value in found.items():
            print(f"{name.replace('_', '-'):14} {value}")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """`python -m vorton.sdk`."""
    parser = argparse.ArgumentParser(
        prog="python -m vorton.sdk", description="Print what C and C++ programs need."
    )
    add_arguments(parser)
    return show(parser.parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())
