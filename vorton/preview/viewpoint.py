"""From where the default camera looks: so that bodies do not stand before what it is to show."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .camera import AZIMUTH, Camera

if TYPE_CHECKING:
    from .._core import Volume
    from ..simulations.simulation import Simulation

ABOVE_FLOORS = 10.0
"""Degrees above the horizon from which the default camera looks where there are bodies: from below
(-5) a floor hides what is on it."""

TURNS = (0.0, 25.0, -25.0, 50.0, -50.0, 80.0, -80.0, 110.0, -110.0, 140.0, -140.0, 180.0)
"""Degrees by which it goes aside, the first that are enough."""

ELEVATIONS = (ABOVE_FLOORS, 25.0, -5.0, 45.0)
"""And degrees above the horizon, for each of them."""

ENOUGH = 0.6
"""Share of the points of the box that are seen: what is in the middle of smoke may hide the rest,
a wall before it may not."""

POINTS = 3
"""Of the box along each axis."""

LAYERS = 16
"""Of the voxels of smoke, from bottom to top, in which it is looked for."""

MARKS = 64
"""Points of the smoke of a frame that a camera is judged by, and four times as many of a shot."""

FINEST = 1 / 512
"""Least share of a line of sight from one place where bodies are looked for to the next: otherwise
it goes as far as nothing can be, or a thin wall would lie between two."""

CLOSE = 0.9
"""Share of the way to what stands in the way that a camera keeps that has to stand before it."""


def present(bodies: Simulation | None, hidden: Sequence[str]) -> list[Any]:
    """The bodies of a simulation, or of none, that are in the picture."""
    return [body for body in bodies.bodies if body.name not in hidden] if bodies else []


def see(
    lower: Any,
    upper: Any,
    size: tuple[int, int],
    bodies: Simulation | None = None,
    hidden: Sequence[str] = (),
    shown: tuple[Any, Any] | None = None,
    marks: np.ndarray | None = None,
    **around: float,
) -> Camera:
    """A camera that frames the box, past the bodies of a simulation as they are now.

    Where all directions are barred, as in a room whose walls are planes, it stands before what bars
    the one with most room, and its view is as wide as it must.

    Parameters
    ----------
    lower, upper : (3,) numbers, m
        Corners of the box.
    size : 2 whole numbers
        Of the picture, pixels.
    bodies : Simulation, optional
    hidden : names
        Of bodies that are in nobody's way.
    shown : (lower, upper), m, optional
        The part of the box that bodies shall not hide, smoke among them; default: all.
    marks : (n, 3) numbers, m, optional
        Points of that part that shall be seen; default: spread evenly over it.
    **around
        azimuth, elevation, field_of_view: of `Camera.frame`; what is given stays.

    Returns
    -------
    Camera
    """
    there = present(bodies, hidden)
    solids = [body.id for body in there if not body.hole]
    if not solids:
        floors = {"elevation": ABOVE_FLOORS} if there else {}
        return Camera.frame(lower, upper, size, **floors | around)
    first = around.get("azimuth", AZIMUTH)
    azimuths = [first] if "azimuth" in around else [first + turn for turn in TURNS]
    elevations = [around["elevation"]] if "elevation" in around else ELEVATIONS
    low, high = shown or (lower, upper)
    points = _points_outside(bodies, solids, low, high, marks)
    best, most = None, -1.0
    for azimuth, elevation in itertools.product(azimuths, elevations):
        angles = {"azimuth": azimuth, "elevation": elevation}
        camera = Camera.frame(lower, upper, size, **around | angles)
        share = float(np.mean(_free_share(bodies, solids, points, camera.eye) == 1))
        if share >= ENOUGH:
            return camera
        if share > most:
            best, most = camera, share
    if most > 0:
        return best
    view = {name: value for name, value in around.items() if name == "field_of_view"}
    middle = np.mean([low, high], 0)
    target = points[np.argmin(np.linalg.norm(points - middle, axis=1))]  # in no body
    cameras = [
        Camera.frame(low, high, size, **around | {"azimuth": azimuth, "elevation": elevations[0]})
        for azimuth in azimuths
    ]
    closer = _come_closer(bodies, solids, np.subtract(high, low), target, cameras)
    return dataclasses.replace(closer, **view)


def smoke_marks(volume: Volume) -> np.ndarray:
    """Points ((n, 3), m) where the smoke of a volume is: where there is more of it, more of them.

    None where there is no smoke in any of its `LAYERS`.
    """
    info = volume.info()
    if not info["active_voxels"]:
        return np.empty((0, 3))
    size = info["voxel_size"]
    first, end = (np.rint(np.divide(info[side], size) + 0.5) for side in ("lower", "upper"))
    count = (end - first).astype(int)
    voxels, masses = [], []
    for z in np.unique(((np.arange(LAYERS) + 0.5) / LAYERS * count[2]).astype(int)):
        corner = (int(first[0]), int(first[1]), int(first[2]) + int(z))
        layer = volume.density(corner, (int(count[0]), int(count[1]), 1))[0]
        y, x = np.nonzero(layer)
        voxels.append(np.stack([x, y, np.full(len(x), z)], 1))
        masses.append(layer[y, x])
    mass = np.cumsum(np.concatenate(masses), dtype=float)
    if not len(mass):
        return np.empty((0, 3))
    rows = np.searchsorted(mass, (np.arange(MARKS) + 0.5) / MARKS * mass[-1])
    return size * (first + np.concatenate(voxels)[rows])


def _points_outside(
    bodies: Simulation, solids: list[int], lower: Any, upper: Any, marks: np.ndarray | None
) -> np.ndarray:
    """Marks that are in no body, or points of the box; its centre where there is none."""
    if marks is not None and len(marks):
        free = _distance(bodies, solids, marks) > 0
        if free.any():
            return marks[free]
    shares = (np.arange(POINTS) + 0.5) / POINTS
    axes = [low + shares * (high - low) for low, high in zip(lower, upper, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)
    free = _distance(bodies, solids, points) > 0
    return points[free] if free.any() else np.mean([lower, upper], 0)[None]


def _distance(bodies: Simulation, solids: list[int], points: np.ndarray) -> np.ndarray:
    """Of points from the nearest body, m; negative inside."""
    return np.min([bodies._core.body_distance(n, points)[0] for n in solids], 0)


def _free_share(bodies: Simulation, solids: list[int], points: np.ndarray, eye: Any) -> np.ndarray:
    """Share of the way from each point to the eye that no body bars."""
    ways = np.array(eye) - points
    lengths = np.maximum(np.linalg.norm(ways, axis=1), 1e-300)
    share, going = np.zeros(len(points)), np.arange(len(points))
    while len(going):
        room = _distance(bodies, solids, points[going] + share[going, None] * ways[going])
        going, room = going[room >= 0], room[room >= 0]
        share[going] = np.minimum(share[going] + np.maximum(room / lengths[going], FINEST), 1)
        going = going[share[going] < 1]
    return share


def _come_closer(
    bodies: Simulation,
    solids: list[int],
    extent: np.ndarray,
    target: np.ndarray,
    cameras: list[Camera],
) -> Camera:
    """The camera before what bars the direction with most room."""
    room = [
        CLOSE
        * _free_share(bodies, solids, target[None], camera.eye)[0]
        * np.linalg.norm(np.subtract(camera.eye, target))
        for camera in cameras
    ]
    best = int(np.argmax(room))
    back = np.subtract(cameras[best].eye, target)
    eye = target + room[best] * back / np.linalg.norm(back)
    half = np.linalg.norm(extent) / 2
    angle = 2 * np.degrees(np.arctan2(half, room[best]))
    return Camera(tuple(eye), tuple(target), field_of_view=float(np.clip(angle, 35, 100)))
