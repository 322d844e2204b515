"""The JSON of scenes: its version, paths of files in it, transforms that several items share."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base.checks import LARGEST, check_integer, shown
from ..definitions.fields import from_dict
from ..definitions.transform import Transform
from ..files.json_text import canonical_json

SCHEMA = 1
"""Version of the scene format that this vorton writes, and the newest that it reads."""


def refuse_constant(text: str) -> float:
    """Raise ValueError for NaN and infinity, which Python's JSON would read."""
    raise ValueError(f"scene: {text} is not a number that JSON has; up to {LARGEST:g} is allowed")


def check_schema(data: Mapping[str, Any]) -> None:
    """Raise ValueError for a scene without a version of the format, or with a newer one."""
    if "schema" not in data:
        raise ValueError(f"scene: key 'schema' is missing; this vorton writes schema {SCHEMA}")
    schema = check_integer("scene: schema", data["schema"], least=1, most=2**31 - 1)
    if schema > SCHEMA:
        text = f"this vorton reads schema {SCHEMA}; a newer vorton wrote the scene: update vorton"
        raise ValueError(f"scene: schema = {schema}: {text}")


def relate_paths(data: dict[str, Any], folder: Path) -> None:
    """Make `path` of the definition and of all definitions in it relative to the folder."""
    if isinstance(data.get("path"), str):
        data["path"] = Path(os.path.relpath(data["path"], folder)).as_posix()
    for value in data.values():
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict):
                relate_paths(item, folder)


def absolute_paths(data: Any, folder: Path) -> Any:
    """The data with every `path` that lies in it placed in the folder."""
    if isinstance(data, list):
        return [absolute_paths(item, folder) for item in data]
    if not isinstance(data, Mapping):
        return data
    made = {key: absolute_paths(value, folder) for key, value in data.items()}
    if isinstance(made.get("path"), str):
        made["path"] = str(folder / made["path"])
    return made


def list_in(data: Mapping[str, Any], key: str) -> Sequence[Any]:
    """The list of that key, empty where there is none."""
    value = data.get(key, [])
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"scene: {key} = {shown(value)}: must be a list")
    return value


# ---- transforms: in the data each stands once, and others name its place in the list ----


def share_transforms(sources: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The transforms of the sources, parents first; in the sources numbers take their place."""
    shared: dict[str, int] = {}
    transforms: list[dict[str, Any]] = []

    def number_of(transform: dict[str, Any]) -> int:
        if "parent" in transform:
            transform = {**transform, "parent": number_of(transform["parent"])}
        text = canonical_json(transform)
        if text not in shared:
            shared[text] = len(transforms)
            transforms.append(transform)
        return shared[text]

    for source in sources:
        if "parent" in source:
            source["parent"] = number_of(source["parent"])
    return transforms


def give_parent(data: Any, transforms: Sequence[Transform]) -> Any:
    """The data with the transform in place of its number."""
    parent = data.get("parent") if isinstance(data, Mapping) else None
    if parent is None or isinstance(parent, Mapping):
        return data
    if not transforms:
        raise ValueError(f"parent = {shown(parent)}: the scene has no transforms before it")
    index = check_integer("parent", parent, least=0, most=len(transforms) - 1)
    return {**data, "parent": transforms[index]}


def make_transforms(items: Sequence[Any]) -> list[Transform]:
    """The transforms of the list, each of which may have one before it as its parent."""
    made: list[Transform] = []
    for index, data in enumerate(items):
        try:
            transform = from_dict(give_parent(data, made), (Transform,), "transform")
        except (TypeError, ValueError) as error:
            raise type(error)(f"scene: transforms[{index}]: {error}") from error
        made.append(transform)  # type: ignore[arg-type]
    return made
