"""What is wrong with the files of a bake."""

from __future__ import annotations

from ..archive.manifest import Manifest
from ..archive.reading import Archive, frames_text
from ..base.checks import frames_named
from ..base.progress import Callback, Progress
from .bake_opening import foreign_states

__all__ = ["damages", "damages_of_archive"]


def damages(
    manifest: Manifest, content: bool = True, progress: bool | Callback = False
) -> list[str]:
    """What is wrong with its frames and its archive; without `content` only what is missing, or has
    another size, or belongs to another bake."""
    found = []
    with Progress(len(manifest.frames), f"verify {manifest.data['name']}", progress) as steps:
        for number in manifest.frames:
            if text := manifest.damage(number, content):
                found.append(text)
            steps.advance()
    if manifest.archive is None:
        return found
    name = manifest.archive.name
    if foreign := foreign_states(manifest):
        found.append(f"{name} holds {foreign}, and is to be moved away first")
    try:
        with Archive(manifest.archive) as archive:
            lacking = set(range(1, max(manifest.frames, default=0) + 1)) - set(archive.frames)
            if lacking:
                lost = frames_text({n: archive.lost[n] for n in lacking & archive.lost.keys()})
                why = f" ({lost})" if lost else ""
                found.append(f"{name} lacks {frames_named(sorted(lacking))}{why}")
            if content:
                found += damages_of_archive(archive)
    except (OSError, ValueError) as error:
        found.append(error.strerror or str(error) if isinstance(error, OSError) else str(error))
    return found


def damages_of_archive(archive: Archive) -> list[str]:
    """What is wrong with the content of its frames."""
    name = archive.path.name
    return [f"{name}, frame {n}: {why}" for n in archive.frames if (why := archive.damage(n))]
