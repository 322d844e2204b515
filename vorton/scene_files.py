"""Scenes from files: JSON that holds one, or a Python script that makes one."""

from __future__ import annotations

import os
import runpy
import traceback
from pathlib import Path

from .scene import Scene

RUN_NAME = "__vorton__"
"""`__name__` of a script that is run for its scene."""


class ScriptError(RuntimeError):
    """A scene script failed; the message says where and why."""


def load_scene(path: str | os.PathLike[str]) -> Scene:
    """The scene in a .json file, or the one that a .py script makes.

    A script gives its scene as a variable `scene`, or as a function `make_scene()`. It runs with
    `__name__` set to "__vorton__", so that what stands under `if __name__ == "__main__":` does not
    run.

    Raises
    ------
    ValueError, TypeError
        Not a scene; a bad value in it.
    OSError
        The file cannot be read.
    ScriptError
        The script failed.
    """
    path = Path(path)
    if path.suffix.lower() == ".json":
        return Scene.load(path)
    if not path.suffix and not path.exists():
        raise FileNotFoundError(f"{path}: no such file or folder")
    if path.suffix.lower() != ".py":
        raise ValueError(f"{path}: a scene is a .json or a .py file")
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file")
    try:
        names = runpy.run_path(str(path), run_name=RUN_NAME)
        made = names["make_scene"]() if "scene" not in names and "make_scene" in names else None
    except Exception as error:
        raise ScriptError(_where(path, error)) from error
    scene = names.get("scene", made)
    if not isinstance(scene, Scene):
        text = "makes no scene: it must set a variable `scene`, or define make_scene()"
        raise TypeError(f"{path}: {text}")
    return scene


def _where(path: Path, error: Exception) -> str:
    """Message with the last line of the script that the error passed."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename) == path
    ]
    if isinstance(error, SyntaxError) and error.lineno:
        lines = [error.lineno]
    line = f" line {lines[-1]}:" if lines else ""
    return f"{path}:{line} {type(error).__name__}: {error}"
