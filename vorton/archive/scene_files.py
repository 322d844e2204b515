"""Scenes from files: JSON that holds one, or a Python script that makes one."""

from __future__ import annotations

import contextlib
import os
import runpy
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

from ..base.checks import check_place
from ..scenes.scene import Scene
from .reading import SUFFIX, Archive

RUN_NAME = "__vorton__"
"""`__name__` of a script that is run for its scene."""


class ScriptError(RuntimeError):
    """A scene script failed; the message says where and why."""


def load_scene(path: str | os.PathLike[str]) -> Scene:
    """The scene in a .json file, that of a .vta archive, or the one that a .py script makes.

    A script is a program, with all that it may do: load only those that you trust. The others hold
    data alone. It gives its scene as a variable `scene`, or as a function `make_scene()`. It runs
    with `__name__` set to "__vorton__", so that what stands under `if __name__ == "__main__":` does
    not run. It may import modules that lie beside it; they are loaded anew for each script.

    Raises
    ------
    ValueError, TypeError
        Not a scene; a bad value in it.
    OSError
        The file cannot be read.
    ScriptError
        The script failed.
    """
    path = check_place("path", path)
    if path.suffix.lower() == ".json":
        return Scene.load(path)
    if path.suffix.lower() == SUFFIX:
        with Archive(path) as archive:
            return archive.scene()
    if not path.suffix and not path.exists():
        raise FileNotFoundError(f"{path}: no such file or folder")
    if path.suffix.lower() != ".py":
        raise ValueError(f"{path}: a scene is a .json or a .py file, or in a .vta")
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file")
    try:
        with _modules_beside(path):
            names = runpy.run_path(str(path), run_name=RUN_NAME)
            made = names["make_scene"]() if "scene" not in names and "make_scene" in names else None
    except Exception as error:
        raise ScriptError(_where(path, error)) from error
    scene = names.get("scene", made)
    if not isinstance(scene, Scene):
        text = "makes no scene: it must set a variable `scene`, or define make_scene()"
        raise TypeError(f"{path}: {text}")
    return scene


@contextlib.contextmanager
def _modules_beside(path: Path) -> Iterator[None]:
    """Within, modules are found in the folder of a script first, as when Python runs it."""
    folder = path.resolve().parent
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # the script may have taken it out
            sys.path.remove(str(folder))
        # Another script may have modules of the same names.
        made = set(sys.modules) - before
        own = {name for name in made if _lies_in(folder, name.partition(".")[0])}
        for name in own:
            del sys.modules[name]


def _lies_in(folder: Path, name: str) -> bool:
    """Whether a module that was imported is a file or a package directly in a folder."""
    file = getattr(sys.modules.get(name), "__file__", None)
    return file is not None and Path(file) in (folder / f"{name}.py", folder / name / "__init__.py")


def _where(path: Path, error: Exception) -> str:
    """Message with the last line of the script that the error passed."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename) == path
    ]
    if isinstance(error, SyntaxError) and error.filename == str(path) and error.lineno:
        lines = [error.lineno]
    line = f" line {lines[-1]}:" if lines else ""
    return f"{path}:{line} {type(error).__name__}: {error}"
