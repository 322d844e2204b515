"""Scenes of the benchmark, and what the articles measured with scenes of that size.

What users run stands in README and examples/, which an installed package has not:
tests/test_bench.py holds the scenes here against those there. Tests take them from here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ..definitions.combustion import Combustion
from ..definitions.method import Method
from ..geometry.shapes import Box, Disk, Mesh, Sphere, Torus
from ..preview.demo import make_scene as explosion
from ..scenes.bodies import Body, Container
from ..scenes.scene import Scene
from ..sources.emitter import Emitter
from ..sources.ring_and_tracers import Tracers, VortexRing

__all__ = [
    "ARTICLES",
    "SCENES",
    "Article",
    "BakeScene",
    "BenchScene",
    "DeriveScene",
    "FilmScene",
    "lattice",
    "region",
]

PORTION = 2_000  # points made at a time
HALO = 3.0  # width of the neutral vortons around full scenes, spacings


@dataclasses.dataclass(frozen=True)
class BenchScene:
    """Vortons and tracers in a region that makes a cubic grid of `nodes` a side.

    `volume` is that of the region, whose half width is 1. A `full` scene has all that fluids do: a
    density gradient with the vorticity that it makes, four scalars that the tracers take, diffusion
    of vorticity and heat (and with it neutral vortons around the others), wind, ages; volumes stay
    as they are (`Method.expansion` 0), as in the peers that it is held against, and the neutral
    vortons lie as close as the others (`Method.diffusion` "pse"). Lengths of
    `bodies` are in half widths; each has about `panels` panels, 0: none; every second one goes
    round the axis of the region by `orbit` degrees a second. `turn` is the largest velocity
    gradient times the length of a frame, `method` the choices that the scene makes by itself.
    """

    name: str
    vortons: int
    tracers: int
    nodes: int
    make: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
    volume: float
    full: bool = False
    bodies: tuple[Mapping[str, object], ...] = ()  # shapes, each a body
    panels: int = 0
    orbit: float = 0.0
    turn: float = 0.002
    method: Mapping[str, object] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class FilmScene:
    """A scene in frames of a film, with the substeps that each needs, developed, by its own method.

    `vortons` and `tracers` are about as many as there are by then, after `settled` frames; at least
    `frames` are measured.
    """

    name: str
    vortons: int
    tracers: int
    make: Callable[[], Scene]
    settled: int
    frames: int = 2
    fps: float = 24.0


@dataclasses.dataclass(frozen=True)
class BakeScene:
    """A scene that is baked, volumes and tracers: after `settled` frames so many, `frames`.

    `voxel` is that of the volumes, m; None: that of the scene.
    """

    name: str
    make: Callable[[], Scene]
    voxel: float | None
    settled: int
    frames: int = 8


@dataclasses.dataclass(frozen=True)
class DeriveScene:
    """A bake of which volumes are derived: of `frames` frames of its archive after `settled`.

    `voxel` is that of these volumes, m.
    """

    name: str
    make: Callable[[], Scene]
    voxel: float
    settled: int
    frames: int = 8


def _ring() -> Scene:
    """A ring of 103 220 vortons in a million tracers."""
    scene = Scene("ring", seed=1, max_tracers=1_000_000)
    scene.add(VortexRing(radius=0.5, core=0.06, circulation=1.0, sections=260, layers=11))
    scene.add(Tracers(Torus(radius=0.5, thickness=0.15), count=1_000_000))
    return scene


def _cloud() -> Scene:
    """A vortex ring in a cloud that it has turned over, of a million tracers."""
    scene = Scene("cloud", seed=1, max_tracers=1_000_000)
    scene.add(VortexRing(radius=0.5, core=0.1, circulation=1.0))
    scene.add(Tracers(Torus(radius=0.5, thickness=0.3), count=1_000_000))
    return scene


def campfire() -> Scene:
    """The fire of the README."""
    burns = Combustion()
    scene = Scene("campfire", seed=7, combustion=burns, voxel=0.03)
    bed = Disk((0, 0, 0.05), radius=0.25, thickness=0.1)
    fire = {"temperature": 800, "fuel": 1.0, "swirl": 0.5, "taper": 0.5, "flicker": 0.9}
    scene.add(Emitter(bed, **fire, core=0.05, lifetime=1.3, per_voxel=20))
    scene.add(Body(Sphere((0, 0, 1.2), radius=0.2)))
    return scene


def plume(core: float = 0.045) -> Scene:
    """The plume of examples/plume.py, or with finer cores (m) and voxels."""
    scene = Scene("plume", seed=1, voxel=0.02 * core / 0.045)
    source = Disk(radius=0.25, thickness=0.1)
    scene.add(Emitter(source, temperature=600, renew=6, core=core, lifetime=3))
    return scene


def _head() -> Mesh:
    """A closed mesh about as large as a head, of 5000 triangles, with a nose and two hollows."""
    rings, around = 51, 50
    polar = np.pi * np.arange(1, rings) / rings
    azimuth = 2 * np.pi * np.arange(around) / around
    z, side = np.cos(polar), np.sin(polar)
    way = np.stack(
        np.broadcast_arrays(
            side[:, None] * np.cos(azimuth), side[:, None] * np.sin(azimuth), z[:, None]
        ),
        axis=-1,
    )
    way = np.concatenate([[[0, 0, 1]], way.reshape(-1, 3), [[0, 0, -1]]])

    def bump(center: tuple[float, float, float], width: float) -> np.ndarray:
        return np.exp(-((way - np.array(center)) ** 2).sum(axis=1) / width**2)

    radius = 1 + 0.3 * bump((1, 0, -0.1), 0.25)
    radius -= 0.12 * bump((0.85, 0.4, 0.25), 0.2) + 0.12 * bump((0.85, -0.4, 0.25), 0.2)
    vertices = np.array([0.1, 0.08, 0.13]) * (radius[:, None] * way) + np.array([0, 0, 0.9])
    n = np.arange(around)
    last, next_ = 1 + (rings - 1) * around, (n + 1) % around
    faces = [np.stack([0 * n, 1 + n, 1 + next_], axis=1)]
    for ring in range(rings - 2):
        low, high = 1 + ring * around, 1 + (ring + 1) * around
        faces.append(np.stack([low + n, high + n, high + next_], axis=1))
        faces.append(np.stack([low + n, high + next_, low + next_], axis=1))
    low = 1 + (rings - 2) * around
    faces.append(np.stack([low + n, 0 * n + last, low + next_], axis=1))
    return Mesh(vertices=vertices, faces=np.concatenate(faces))


def _mesh() -> Scene:
    """The plume below a head, cells as wide as cores."""
    scene = plume()
    scene.spacing = 0.045
    scene.add(Body(_head()))
    return scene


def candle() -> Scene:
    """That of examples/candle.py: strength and heat diffuse farther than a cell in a frame."""
    wax = Combustion(rate=40, flame_time=0.015, soot=0.0, mixing=0, heat=2.6e6)
    scene = Scene("candle", seed=3, combustion=wax, voxel=0.0005, spacing=0.001, detail=0)
    scene.viscosity, scene.thermal_diffusivity = 1.5e-5, 2.1e-5
    scene.method = Method(time="extrapolated", turn=1.5, merge=3)
    wick = Sphere((0, 0, 0.005), radius=0.006)
    flame = {"temperature": 900, "fuel": 1.0, "taper": 1.0, "renew": 8}
    scene.add(Emitter(wick, **flame, core=0.001, lifetime=0.08, fade=0.7, per_voxel=16))
    return scene


def _room() -> Scene:
    """A plume that fills a room of 3 x 3 x 2 m, whose walls are the faces of the grid."""
    scene = Scene("room", seed=3, voxel=0.04, spacing=1 / 16)
    source = Disk((-0.6, 0.2, 0.1), radius=0.3, thickness=0.1)
    scene.add(Emitter(source, temperature=500, core=0.09, lifetime=5, renew=3))
    scene.add(Container(Box((-1.5, -1.5, 0), (1.5, 1.5, 2))))
    return scene


def _ball(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Hill's spherical vortex, the fattest of vortex rings: azimuthal vorticity ~ radius."""
    inside = points[(points**2).sum(axis=1) < 1]
    return inside, np.stack([-inside[:, 1], inside[:, 0], 0 * inside[:, 0]], axis=1)


def _column(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A jet: a cylindrical shear layer, rolled up into rings along its axis."""
    radius = np.hypot(points[:, 0], points[:, 1])
    points, radius = points[radius < 1], radius[radius < 1]
    azimuth = np.stack([-points[:, 1], points[:, 0], 0 * radius], axis=1)
    layer = np.exp(-(((radius - 0.6) / 0.15) ** 2)) * (1 + 0.8 * np.sin(8 * np.pi * points[:, 2]))
    return points, azimuth * layer[:, None]


# part 13: two spheres and a box in the way of the plume
BODIES = (
    {"kind": "sphere", "center": (0.35, 0.1, -0.5), "radius": 0.25},
    {"kind": "sphere", "center": (-0.4, -0.2, 0.0), "radius": 0.25},
    {"kind": "box", "center": (0.1, 0.0, 0.6), "size": (0.8, 0.5, 0.2)},
)


def _scattered(count: int, seed: int) -> tuple[Mapping[str, object], ...]:
    """Spheres and boxes in turn, a tenth as wide as the region's half, where its fluid is."""
    generator = np.random.default_rng(seed)
    bodies: list[Mapping[str, object]] = []
    for place in generator.uniform(-0.9, 0.9, (8 * count, 3)):
        if np.hypot(place[0], place[1]) < 0.85 and len(bodies) < count:
            center = tuple(place.tolist())
            size = {"radius": 0.05} if len(bodies) % 4 < 2 else {"size": (0.1, 0.08, 0.06)}
            kind = "sphere" if len(bodies) % 4 < 2 else "box"
            bodies.append({"kind": kind, "center": center, **size})
    return tuple(bodies)


BALL, COLUMN = 4 / 3 * np.pi, 2 * np.pi  # volumes


def _full(name: str, vortons: int, tracers: int, nodes: int) -> BenchScene:
    still = {"expansion": 0, "diffusion": "pse"}
    return BenchScene(name, vortons, tracers, nodes, _ball, BALL, full=True, method=still)


def _plume(name: str, nodes: int, **more: Any) -> BenchScene:
    return BenchScene(name, 981, 49_000, nodes, _column, COLUMN, **more)


RING_100K = BenchScene("ring-100k", 100_000, 1_000_000, 65, _ball, BALL)
BALL_INSIDE = {"kind": "sphere", "center": (0.0, 0.0, 0.0), "radius": 0.3}

SCENES = {
    scene.name: scene
    for scene in (
        BenchScene("ring-1k", 1_200, 50_000, 17, _ball, BALL),
        BenchScene("ring-10k", 10_000, 200_000, 33, _ball, BALL),
        RING_100K,
        BenchScene("ring-1m", 1_000_000, 4_000_000, 129, _ball, BALL),
        _full("ring-1k-full", 1_200, 50_000, 17),
        _full("ring-10k-full", 10_000, 200_000, 33),
        _full("ring-100k-full", 100_000, 1_000_000, 65),
        BenchScene("jet-4m", 4_000_000, 4_000_000, 257, _column, COLUMN),
        # a plume of flame and smoke, without the bodies that it passed
        _plume("part13", 17),
        # the same with them, in frames as long as those of a film, in which many run into them: the
        # flow goes round them; then on twice as fine a grid, so that they are wider than the cells
        _plume("smoke-bodies", 17, bodies=BODIES, panels=320, turn=0.3),
        _plume("smoke-panels", 33, bodies=BODIES, panels=320, turn=0.3),
        # bodies act on the flow by the rule of the articles
        _plume("smoke-bodies-article", 17, bodies=BODIES, turn=0.3, method={"bodies": "article"}),
        # half of them on orbits, in frames as long as those of a film: what contact costs
        BenchScene(
            "bodies-200",
            15_000,
            1_000_000,
            33,
            _column,
            COLUMN,
            bodies=_scattered(200, seed=3),
            orbit=12.0,
            turn=0.03,
            method={"bodies": "none"},
        ),
        # a sphere of 320 panels, to be held against ring-100k
        dataclasses.replace(RING_100K, name="ring-panels", bodies=(BALL_INSIDE,), panels=320),
        # no counts are given: a ring of the size of the scene of part 13
        BenchScene("part20", 1_200, 49_000, 17, _ball, BALL),
        # what users run: README and examples, developed
        FilmScene("campfire", 50_000, 75_000, campfire, settled=47),
        FilmScene("plume", 85_000, 261_000, plume, settled=71),
        FilmScene("plume-fine", 235_000, 1_470_000, lambda: plume(0.02), settled=35, frames=5),
        FilmScene("plume-hero", 660_000, 4_300_000, lambda: plume(0.014), settled=35, frames=5),
        FilmScene("mesh", 88_000, 261_000, _mesh, settled=71),
        FilmScene("candle", 56_000, 74_000, candle, settled=12),
        FilmScene("explosion", 54_000, 209_000, explosion, settled=23),
        FilmScene("room", 20_000, 32_000, _room, settled=96),
        # as `vorton bake` does it: README's scenes from the first frame to the last, and volumes
        # about 256 voxels across
        BakeScene("bake-campfire", campfire, voxel=None, settled=1, frames=95),
        BakeScene("bake-plume", plume, voxel=None, settled=1, frames=95),
        BakeScene("bake-256", _cloud, voxel=0.0056, settled=8),
        # as many vortons as in ring-100k: what the archive takes of a frame
        BakeScene("bake-ring-100k", _ring, voxel=None, settled=4),
        DeriveScene("derive-256", _cloud, voxel=0.0056, settled=8),
    )
}


@dataclasses.dataclass(frozen=True)
class Article:
    """What an article measured, ms a frame by number of threads, under the names of our stages."""

    machine: str
    names: Mapping[str, str]
    times: Mapping[int, Mapping[str, float]]

    def nearest(self, threads: int) -> tuple[int, Mapping[str, float]]:
        """The times for the most threads that are not more than `threads`."""
        used = max(n for n in self.times if n <= threads)
        return used, self.times[used]


# Table 2 of part 13, ms: threads, update, boundary conditions (collisions with the bodies)
PART_13 = (
    (1, 4.12, 2.42),
    (2, 2.52, 1.606),
    (3, 2.15, 1.134),
    (4, 2.03, 1.142),
    (6, 1.81, 0.804),
    (8, 1.76, 0.784),
    (12, 1.61, 0.69),
    (16, 1.64, 0.718),
)


def _part_20(simulation: float, potential: float, up: float, poisson: float) -> dict[str, float]:
    return {"boundary": potential, "poisson": poisson + up, "step": simulation}


ARTICLES = {
    "part13": Article(
        machine="Core i7-2600, 3.4 GHz",
        names={"step": "sim update - boundary conditions"},
        times={threads: {"step": update - bodies} for threads, update, bodies in PART_13},
    ),
    "smoke-bodies-article": Article(
        machine="Core i7-2600, 3.4 GHz",
        names={"contact": "boundary conditions", "step": "sim update"},
        times={threads: {"contact": b, "step": update} for threads, update, b in PART_13},
    ),
    # Table 1
    "part20": Article(
        machine="Core i7-3770K, 3.5 GHz",
        names={
            "boundary": "vector potential",
            "poisson": "Poisson + up-sample",
            "step": "vorton sim",
        },
        times={
            1: _part_20(6.64, 2.37, 0.0554, 0.222),
            2: _part_20(5.11, 1.36, 0.0205, 0.148),
            3: _part_20(4.69, 1.28, 0.0196, 0.153),
            4: _part_20(4.55, 1.22, 0.0116, 0.148),
            8: _part_20(4.44, 1.13, 0.0023, 0.141),
        },
    ),
}


def lattice(scene: BenchScene, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points evenly spaced but for a quarter of the spacing, and the vorticity there.

    Of a ball of as many as the scene has vortons those that neutral ones are to surround.
    """
    spacing = (scene.volume / scene.vortons) ** (1 / 3)
    line = np.arange(-1, 1, spacing)
    points = np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1).reshape(-1, 3)
    points += np.random.default_rng(seed).uniform(-0.25, 0.25, points.shape) * spacing
    return scene.make(points[(points**2).sum(axis=1) < (1 - HALO * spacing) ** 2])


def region(scene: BenchScene, count: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Exactly `count` random points of the region, in units of its half width, and vorticity.

    In small portions, so that what the process holds afterwards is the simulation.
    """
    generator = np.random.default_rng(seed)
    while count > 0:
        points, vorticity = scene.make(generator.uniform(-1, 1, (PORTION, 3)))
        points, vorticity = points[:count], vorticity[:count]
        count -= len(points)
        yield np.float32(points), np.float32(vorticity)
