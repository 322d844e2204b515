"""A bake as an Alembic archive (Ogawa), frame after frame, through alembic3d.

    ring                  Xform: Y up and the unit of the host, against Z up and metres inside
    ring/tracers          Points
    ring/NAME, NAME_mesh  Xform and PolyMesh of each body

Frame n is at n / fps seconds, which hosts show at their frame n.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from ...archive.manifest import Manifest
from ...archive.stages import mark_of
from ...bakes.origin import warn_of_changed_origin
from ...base.checks import check_choice, check_flag
from ...base.extras import load_extra
from ...base.progress import Callback, Progress
from ...files.disk import replaced
from ...scenes.scene import Scene
from ..body_meshes import BodyMesh, body_meshes
from ..usd.stage import PRESETS, UPS
from ..usd.text import identifier
from .bodies import Body
from .points import Points
from .samples import xform_sample

SUFFIX = ".abc"


def write_alembic(
    place: str | os.PathLike[str],
    *,
    preset: str = "usd",
    up: str = "y",
    points: bool = True,
    progress: bool | Callback = True,
) -> Path:
    """Write the tracers and the bodies of a bake into its folder: `name.abc`.

    Parameters
    ----------
    place : path
        Bake folder, or its manifest.
    preset : "usd", "houdini", "karma", "maya" or "unreal"
        Its unit, as of `vorton.hosts.usd.make_stage`; default "usd": metres.
    up : "y" or "z"
        Up axis, default "y", which all hosts expect of Alembic.
    points : bool
        The tracers, too, where the bake has them; default True.
    progress : bool or function
        As for `bake`.

    Returns
    -------
    Path
        Of the archive.

    Raises
    ------
    ValueError, TypeError, OSError
        A bad argument; no bake there, one that lacks frames, or has nothing that Alembic can hold;
        a file that cannot be read or written.
    ModuleNotFoundError
        Without alembic3d; a body that is a Polytope without SciPy.

    Warns
    -----
    vorton.SceneWarning
        As of `make_stage`.
    """
    unit = PRESETS[check_choice("preset", preset, tuple(PRESETS))].unit
    up = check_choice("up", up, UPS)
    manifest = Manifest.find(place)
    manifest.check_complete()
    warn_of_changed_origin(manifest)
    scene = Scene.from_dict(manifest.data["scene"], manifest.folder)
    bodies = body_meshes(manifest, scene, manifest.frames)
    has_points = check_flag("points", points) and manifest.data["tracers"]
    if not bodies and not has_points:
        raise ValueError(f"{manifest.path}: has neither tracers nor bodies; Alembic has no volumes")
    load_extra("alembic3d", "Alembic archives need alembic3d: pip install alembic3d")
    name = manifest.data["name"]
    path = manifest.folder / f"{name}{SUFFIX}"
    with replaced(path) as part, Progress(len(manifest.frames), f"stage {name}", progress) as steps:
        _write(part, manifest, bodies, has_points, (up, unit), steps)
    return path


def _write(
    path: Path,
    manifest: Manifest,
    bodies: list[BodyMesh],
    has_points: bool,
    placed: tuple[str, float],
    steps: Progress,
) -> None:
    from alembic3d import Abc, AbcCoreAbstract, AbcGeom

    fps, first = manifest.data["fps"], manifest.frames[0]
    try:
        archive = Abc.OArchive(str(path))
    except RuntimeError as error:
        raise OSError(f"cannot write {path}: {error}") from error
    times = archive.addTimeSampling(AbcCoreAbstract.TimeSampling(1 / fps, first / fps))
    about = AbcCoreAbstract.MetaData()
    about.set("made of", mark_of(manifest, all_frames=True))
    root = AbcGeom.OXform(archive.getTop(), identifier(manifest.data["name"]), about)
    root.getSchema().set(xform_sample(_root_matrix(*placed)))
    writers: list[Any] = []
    if has_points:
        writers.append(Points(root, times, manifest))
    names = {"tracers"} if has_points else set()
    for body in bodies:
        if not body.container:
            sometimes = len(body.places) < len(manifest.frames)
            writers.append(Body(root, times, body, names, sometimes))
    for number in manifest.frames:
        for writer in writers:
            writer.write(number)
        steps.advance()


def _root_matrix(up: str, unit: float) -> np.ndarray:
    """From metres and Z up, rows of coordinates times the matrix."""
    turn = np.eye(4)
    if up == "y":
        turn[1:3, 1:3] = [(0, -1), (1, 0)]
    turn[:3] /= unit
    return turn
