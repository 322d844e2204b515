"""Walls that several bodies make up, as those of crates, rooms and ducts of boards."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..definitions.animation import Keys
from ..definitions.transform import Transform
from ..geometry.shapes import Box
from ..scenes.bodies import Body, Container
from ..scenes.effects import Wind
from ..sources.ring_and_tracers import VortexRing
from .case import Result, case
from .potential_flow import rms, simulation


def duct(half: float, thickness: float, length: float) -> Iterator[Box]:
    """Four boards around a square hole along z."""
    h, o = half, half + thickness
    yield Box((-o, -o, 0), (-h, o, length))
    yield Box((h, -o, 0), (o, o, length))
    yield Box((-h, -o, 0), (h, -h, length))
    yield Box((-h, h, 0), (h, o, length))


def lid(half: float, thickness: float, low: float) -> Body:
    """A board across such a duct."""
    o = half + thickness
    return Body(Box((-o, -o, low), (o, o, low + thickness)), shedding=0)


@case("what flows in flows out: 0")
def flow_along_a_duct() -> Result:
    """Of four boards, in which a piston moves: the mean velocity at five sections ahead of it, the
    difference between the largest and the least over the largest."""
    half, way = 0.25, Keys([(0, (0, 0, 0.2)), (1, (0, 0, 0.7))])
    head = Box((-0.24, -0.24, -0.1), (0.24, 0.24, 0.1))
    piston = Body(head, shedding=0, parent=Transform(position=way))
    far = VortexRing((0, 0, 1.7), radius=0.1, core=0.05, circulation=1e-4)
    walls = [Body(board, shedding=0) for board in duct(half, 0.2, 1.2)]
    sim = simulation(*walls, piston, far)
    sim.step(6)
    g = half * (2 * (np.arange(24) + 0.5) / 24 - 1)
    x, y = (a.ravel() for a in np.meshgrid(g, g))
    sections = (0.6, 0.75, 0.9, 1.05, 1.18)
    mean = [float(sim.velocity_at(np.c_[x, y, 0 * x + z])[:, 2].mean()) for z in sections]
    return Result("difference", 0.0, max(mean) - min(mean), 0.12, "m/s", max(mean))


@case("its mirror images")
def ring_in_a_room_of_boards() -> Result:
    """Six boards around a cube, to the same as a Container, whose walls are mirrors in the
    transforms: rms difference off the ring, whose cores lie otherwise on each grid, over rms."""
    half, thickness = 0.4, 0.2
    walls = [lid(half, thickness, -half - thickness), lid(half, thickness, half)]
    for board in duct(half, thickness, 2 * half):
        low, high = np.add(board.lower, (0, 0, -half)), np.add(board.upper, (0, 0, -half))
        walls.append(Body(Box(tuple(low), tuple(high)), shedding=0))
    g = (2 * (np.arange(13) + 0.5) / 13 - 1) * 0.37
    points = np.stack(np.meshgrid(g, g, g), -1).reshape(-1, 3)
    points = points[np.abs(points).max(axis=1) > 0.25]
    ring = VortexRing((0.05, 0, 0.02), axis=(0.3, 0.2, 1), radius=0.18, core=0.05, circulation=0.2)
    room = Container(Box((-half,) * 3, (half,) * 3))
    flow = []
    for items in [ring, *walls], [ring, room]:
        sim = simulation(*items, fps=1000, spacing=0.03)
        sim.step()
        flow.append(sim.velocity_at(np.float32(points)))
    return Result("rms difference", 0.0, rms(flow[0] - flow[1]), 0.06, "m/s", rms(flow[1]))


@case("that on the block in one piece")
def force_on_quarters_of_a_block() -> Result:
    """Of a wind that grows, on a cube in four parts that touch: the sum of what they get."""
    forces = []
    corners = [(a, b) for a in (-0.4, 0.4) for b in (-0.4, 0.4)]
    quarters = [Box((min(a, 0), min(b, 0), -0.4), (max(a, 0), max(b, 0), 0.4)) for a, b in corners]
    for parts in [Box((-0.4, -0.4, -0.4), (0.4, 0.4, 0.4))], quarters:
        bodies = [Body(part, shedding=0, panels=300 // len(parts)) for part in parts]
        wind = Wind(Keys([(0, (0, 0, 0)), (1, (2, 0, 0))]))
        sim = simulation(*bodies, wind, spacing=0.1)
        sim.step(4)
        start = sum(body.flow_impulse[0] for body in sim.bodies)
        sim.step(12)
        forces.append(float(sum(body.flow_impulse[0] for body in sim.bodies) - start) / 0.5)
    return Result("force", forces[0], forces[1], 0.01, "N")
