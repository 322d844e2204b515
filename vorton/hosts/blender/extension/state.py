# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel says of the bake that a scene shows: its frames, and what Bake from here keeps."""

from pathlib import Path
from typing import NamedTuple

from vorton import Manifest

from .places import bake_folder, shown_folder

_known = {}  # by folder: when it was last changed, in ns, and the manifest that was there


class Told(NamedTuple):
    """Lines for the panel.

    Attributes
    ----------
    baked : str
        Which frames there are; empty: none.
    changed : str
        From which frame on they are of a scene that was changed; empty: from none.
    may_leave : bool
        Whether a bake may go on from the current frame.
    here : str
        What that replaces, or which frame it wants.
    """

    baked: str = ""
    changed: str = ""
    may_leave: bool = False
    here: str = ""


def manifest_in(folder):
    """The manifest of the bake in a folder, None: there is none. It is read again after anything in
    the folder has come or gone: a panel is drawn many times a second."""
    folder = Path(folder)
    try:
        when = folder.stat().st_mtime_ns
    except OSError:  # no such folder
        return None
    if folder not in _known or _known[folder][0] != when:
        found = Manifest.all_in(folder)
        _known[folder] = when, found[0] if found else None
    return _known[folder][1]


def tell(scene):
    """Of the bake that a scene shows, or has in its folder."""
    folder = shown_folder(scene, manifest_in)
    manifest = manifest_in(folder)
    if manifest is None or not manifest.frames:
        return Told()
    shown, start = scene.vorton.result, scene.frame_start
    if shown is not None and shown.type == "VOLUME":
        start = shown.data.frame_start
    first, last = (start + number - 1 for number in (manifest.frames[0], manifest.frames[-1]))
    end = scene.frame_end
    baked = f"Baked: {first} to {last}" + (f" of {end}" if last < end else "")
    branch, changed = manifest.data.get("branch"), ""
    if branch is not None:
        changed = f"By a changed scene from {start + branch['frame']}"
    if manifest.archive is None or not scene.vorton.keep_archive:
        return Told(baked, changed, False, "needs Keep archive")
    here, most = scene.frame_current, min(last + 1, end)
    if not start < here <= most:
        return Told(baked, changed, False, f"go to frame {start + 1} to {most}")
    own = bake_folder(scene)
    if own.resolve() != folder.resolve():
        replaced = "replaces that in Folder" if manifest_in(own) else "keeps the bake shown"
    else:
        replaced = f"replaces {here} to {last}" if here <= last else "replaces no frame"
    return Told(baked, changed, True, replaced)
