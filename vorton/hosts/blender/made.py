"""What has been made in a scene of Blender, in a collection of its own, and alone is removed again.

The scene knows its objects: marks on these would pass to copies that somebody makes of them.
"""

from __future__ import annotations

from typing import Any


def remove_made(scene: Any, key: str) -> None:
    """Remove what has been added under a key, wherever it is now; nothing else.

    Parameters
    ----------
    scene : bpy.types.Scene
    key : str
        Custom property of the scene: the collection and the objects.
    """
    import bpy

    made = dict(scene.get(key, {}))
    collection = made.pop("collection", None)
    for thing in made.values():
        if thing is not None:  # else somebody else has removed it
            bpy.data.objects.remove(thing)
    if collection in scene.collection.children_recursive:
        scene[key] = {"collection": collection}
    elif key in scene:
        del scene[key]


def add_made(thing: Any, scene: Any, key: str, name: str) -> None:
    """Put an object, as one to be removed again, into the collection of a key, or where the scene
    has none into a new one of that name."""
    import bpy

    if key not in scene:
        collection = bpy.data.collections.new(name)
        scene.collection.children.link(collection)
        scene[key] = {"collection": collection}
    scene[key]["collection"].objects.link(thing)
    scene[key][str(len(scene[key]))] = thing
