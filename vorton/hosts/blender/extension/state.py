# SPDX-License-Identifier: GPL-3.0-or-later
"""The bake that a scene shows: its frames, and what stays of it where it is left at one of them.

Panel and buttons ask here, so that none offers what another refuses.
"""

from pathlib import Path
from typing import NamedTuple

from vorton import Manifest
from vorton.archive import Archive
from vorton.files.disk import one_line
from vorton.hosts.blender.sampling import frame_rate

from .places import bake_folder, is_same, shown_folder

_known = {}  # by folder: when it was last changed, in ns, and the bake that was there


class Bake(NamedTuple):
    """A bake as its files tell.

    Attributes
    ----------
    manifest : Manifest
    last : int
        The last frame of its archive; 0: there is none.
    trouble : str
        Why nothing goes on from it, as its archive is damaged; empty: nothing is wrong.
    """

    manifest: Manifest
    last: int
    trouble: str


class CannotLeave(ValueError):
    """Why a bake is not gone on with from the current frame; `brief` says it in a panel."""

    def __init__(self, brief, text):
        super().__init__(text)
        self.brief = brief


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


def read_bake(folder):
    """The bake in a folder; None: there is none."""
    found = Manifest.all_in(folder)
    if not found:
        return None
    last, trouble = 0, ""
    try:
        archive = Manifest.find(folder).archive
        if archive is not None:
            with Archive(archive) as file:
                last = file.last
    except (ValueError, OSError) as error:
        trouble = one_line(error)
    return Bake(found[0], last, trouble)


def known_bake(folder):
    """As `read_bake`. It is read again after anything in the folder has come or gone: a panel is
    drawn many times a second."""
    folder = Path(folder)
    try:
        when = folder.stat().st_mtime_ns
    except OSError:  # no such folder
        return None
    if folder not in _known or _known[folder][0] != when:
        _known[folder] = when, read_bake(folder)
    return _known[folder][1]


def last_kept(scene, bake):
    """The last frame of a bake that stays where it is left at the current frame of the scene.

    Raises
    ------
    CannotLeave
    """
    here, start, about = scene.frame_current, scene.frame_start, scene.vorton
    manifest = bake.manifest
    if manifest.archive is None or not about.keep_archive:
        told = "a bake is gone on with from its archive: tick Keep archive and bake"
        raise CannotLeave("needs Keep archive", told)
    if bake.trouble:
        raise CannotLeave("cannot be gone on with", bake.trouble)
    rate = frame_rate(scene)
    if manifest.data["fps"] != rate:
        told = f"the bake has {manifest.data['fps']:g} frames a second, the scene {rate:g}"
        told += ": set the frame rate back, or bake all of it"
        raise CannotLeave(f"has {manifest.data['fps']:g} frames a second", told)
    if manifest.data["tracers"] != about.keep_points:
        has, box = ("has", "tick") if manifest.data["tracers"] else ("has no", "untick")
        told = f"the bake {has} points: {box} Keep points, or bake all of it"
        raise CannotLeave(f"{has} points: {box} Keep points", told)
    first = first_frame(scene)
    if first != start:
        told = f"the bake begins at frame {first}, the scene at {start}"
        told += ": set its first frame back, or bake all of it"
        raise CannotLeave(f"begins at frame {first}", told)
    last = start + bake.last - 1
    most = min(last + 1, scene.frame_end)
    if not start < here <= most:
        told = f"frame {here}: go to one of the frames {start + 1} to {most}: the bake has frames "
        told += f"{start} to {last}, and the first of them stays as it is"
        raise CannotLeave(f"go to frame {start + 1} to {most}", told)
    return here - start


def first_frame(scene):
    """The frame of the scene at which its bake is shown to begin."""
    shown = scene.vorton.result
    if shown is not None and shown.type == "VOLUME":
        return shown.data.frame_start
    return scene.frame_start


def tell(scene):
    """Of the bake that a scene shows, or has in its folder."""
    folder = shown_folder(scene, known_bake)
    bake = known_bake(folder)
    if bake is None or not bake.manifest.frames:
        return Told()
    frames, start = bake.manifest.frames, first_frame(scene)
    first, last = start + frames[0] - 1, start + frames[-1] - 1
    end = scene.frame_end
    baked = f"Baked: {first} to {last}" + (f" of {end}" if last < end else "")
    branch, changed = bake.manifest.data.get("branch"), ""
    if branch is not None:
        changed = f"By a changed scene from {start + branch['frame']}"
    try:
        last_kept(scene, bake)
    except CannotLeave as reason:
        return Told(baked, changed, False, reason.brief)
    own, here = bake_folder(scene), scene.frame_current
    if not is_same(own, folder):
        replaced = "replaces that in Folder" if known_bake(own) else "keeps the bake shown"
    else:
        replaced = f"replaces {here} to {last}" if here <= last else "replaces no frame"
    return Told(baked, changed, True, replaced)
