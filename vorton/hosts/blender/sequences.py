"""Numbered .vdb files of a bake."""

from __future__ import annotations

import dataclasses
import os
import re
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Sequence:
    """Numbered .vdb files without a gap.

    Attributes
    ----------
    files : tuple of Path
    first : int
        Number of the first.
    """

    files: tuple[Path, ...]
    first: int


def find_sequence(place: str | os.PathLike[str]) -> Sequence:
    """The .vdb files of a bake folder, or those that one of its files belongs to.

    Parameters
    ----------
    place : path
        A folder with one sequence, or one of its .vdb files.

    Raises
    ------
    FileNotFoundError
        No such file, or no numbered .vdb file in the folder.
    ValueError
        More than one sequence in the folder, or a gap in the numbers.
    """
    place = Path(place).absolute()
    if place.is_dir():
        names = sorted(
            {split_number(p)[0] for p in place.glob("*.vdb") if split_number(p)[1] is not None}
        )
        if not names:
            raise FileNotFoundError(f"{place}: holds no numbered .vdb file")
        if len(names) > 1:
            raise ValueError(f"{place}: holds {', '.join(names)}; give one of their files")
        folder, name = place, names[0]
    else:
        if not place.is_file():
            raise FileNotFoundError(f"{place}: no such file")
        folder, (name, number) = place.parent, split_number(place)
        if number is None:
            return Sequence((place,), 1)
    found = [
        (number, path)
        for path in folder.glob("*.vdb")
        for text, number in [split_number(path)]
        if text == name and number is not None
    ]
    found.sort()
    numbers = [number for number, _ in found]
    for before, after in zip(numbers, numbers[1:]):
        if after != before + 1:
            raise ValueError(f"{folder}: frame {before + 1} of {name} is missing")
    return Sequence(tuple(path for _, path in found), numbers[0])


def split_number(path: Path) -> tuple[str, int | None]:
    """Name and number of `name_0001.vdb`; the number is None where there is none."""
    match = re.fullmatch(r"(.*?)(\d+)", path.stem)
    return (match[1], int(match[2])) if match else (path.stem, None)
