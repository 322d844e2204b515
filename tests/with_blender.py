"""Blender as tests need it: the Python that can import bpy, and vorton as it finds it there."""

import os
from pathlib import Path

import pytest

import vorton


def blender_python():
    """That of VORTON_BLENDER_PYTHON; without it the test is skipped."""
    python = os.environ.get("VORTON_BLENDER_PYTHON")
    if not python or not Path(python).exists():
        pytest.skip("VORTON_BLENDER_PYTHON names no Python with Blender")
    return python


def environment_of(folder, library=True):
    """Of what Blender runs: with vorton, by a link in a folder, but nothing installed beside it:
    other packages are Blender's own. Scripts import those that lie beside them."""
    others = "PYTHONPATH", "PYTHONSAFEPATH"
    environment = {key: value for key, value in os.environ.items() if key not in others}
    if library:
        link = Path(folder) / "library" / "vorton"
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.exists():
            link.symlink_to(Path(vorton.__file__).parent)
        environment["PYTHONPATH"] = str(link.parent)
    return environment
