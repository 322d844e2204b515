"""The package file that tells Houdini where vorton and its shelf are."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ...files.disk import make_folder, write_atomically

NAME = "vorton.json"


def package(library: str | os.PathLike[str]) -> dict[str, Any]:
    """What the package file says.

    Parameters
    ----------
    library : path
        Folder in which the package vorton lies, as `pip install --target` leaves it.
    """
    library = Path(library).as_posix()
    return {
        "enable": "houdini_version >= '20.5'",
        "env": [{"PYTHONPATH": {"method": "append", "value": [library]}}],
        "hpath": f"{library}/vorton/hosts/houdini",
    }


def install(folder: str | os.PathLike[str]) -> Path:
    """Write `vorton.json` into a folder of packages, for the vorton that runs now.

    Parameters
    ----------
    folder : path
        `$HOUDINI_USER_PREF_DIR/packages`; made if it is not there.

    Returns
    -------
    Path
        Of the file.

    Raises
    ------
    OSError
        It cannot be written.
    """
    folder = Path(folder)
    make_folder(folder)
    library = Path(__file__).resolve().parents[3]
    path = folder / NAME
    write_atomically(path, (json.dumps(package(library), indent=4) + "\n").encode())
    return path
