"""What a scene is warned of before its first step: it works, but not as can have been meant."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _core
from ..base.checks import shown
from ..definitions.animation import Animation, largest
from ..geometry.shapes import Plane, Shape, Surface
from ..sources.emitter import Emitter
from ..sources.ring_and_tracers import Tracers
from ..sources.vortices import Jet
from .bodies import Container
from .effects import Wind, WindGrid
from .fire_advice import has_share, warn_of_fires
from .forces import Drag, ForceGrid, ForcePoints, Turbulence, UniformForce, Vortex
from .scene import Scene
from .scene_warning import warn

__all__ = [
    "warn_of_coarse_voxel",
    "warn_of_past_end",
    "warn_of_scene",
]


def _warn_of_no_buoyancy(scene: Scene) -> None:
    """Without the grid nothing rises: for comparison that may be what is wanted."""
    method = scene.method
    moving = not isinstance(scene.gravity, tuple)
    pulled = moving or any(scene.gravity)
    rises = pulled and method.buoyancy != "none" and method.buoyancy_scale > 0
    emitters = [index for index, s in enumerate(scene.sources) if isinstance(s, Emitter)]
    if emitters and rises and method.velocity != "poisson":
        warn(
            f"sources[{emitters[0]}]: Emitter: with Method.velocity {method.velocity!r} its fluid "
            "neither rises nor sinks: that needs 'poisson'; Method(buoyancy='none') says that this "
            "is meant"
        )


def _warn_of_no_flow(scene: Scene) -> None:
    """Without the grid particles stop at bodies, but the flow goes through them."""
    method = scene.method
    solid = [index for index, body in enumerate(scene.bodies) if body.panels > 0]
    if solid and method.bodies != "none" and method.velocity != "poisson":
        warn(
            f"bodies[{solid[0]}]: {scene.bodies[solid[0]]._what()}: with Method.velocity "
            f"{method.velocity!r} the flow does not know of it: that needs 'poisson'; panels=0 or "
            "Method(bodies='none') says that this is meant"
        )


_COLD = 0.5
"""Below this share of the ambient temperature a temperature may be meant in degrees Celsius: of 293
K that is 147 K, where air is nearly liquid."""


def _is_cold(value: Any, ambient: float) -> bool:
    highest = np.max(value._values() if isinstance(value, Animation) else value)
    return 0 < highest < _COLD * ambient


def _warn_of_celsius(scene: Scene) -> None:
    """The largest temperature of a source or a body, far below that of the ambient fluid."""
    ambient = scene.ambient.temperature
    items = [("sources", *entry) for entry in enumerate(scene.sources)]
    items += [("bodies", *entry) for entry in enumerate(scene.bodies)]
    for group, index, item in items:
        value = getattr(item, "temperature", None)
        if value is None or not _is_cold(value, ambient):
            continue
        kelvin = f": {value + 273.15:g}" if isinstance(value, (int, float)) else ""
        warn(
            f"{group}[{index}]: {type(item).__name__}.temperature = {shown(value)}: in kelvin that "
            f"is far colder than the ambient fluid, {ambient:g} K; for degrees Celsius add "
            f"273.15{kelvin}"
        )


def _length_of(shape: Shape) -> float:
    """How long a shape is at least along its longest side, m."""
    data = shape.shape._surface_shape() if isinstance(shape, Surface) else shape._core_shape()
    if "vertices" in data:
        return float(np.ptp(data["vertices"], axis=0).max())
    return max(*data.get("size", (0.0, 0.0)), 2 * data.get("radius", 0.0))


def _smoke_length(source: Any) -> float:
    """Length of the shape in which a source bears smoke, m; infinite where it bears none."""
    if not isinstance(source, Emitter | Tracers) or getattr(source, "smoke", 1) == 0:
        return math.inf
    return _length_of(source.shape) * (source.parent.largest_scale() if source.parent else 1.0)


def warn_of_coarse_voxel(scene: Scene, voxel: float, what: str) -> None:
    """Smoke that is smaller than a voxel shows nothing: the number was meant otherwise."""
    for index, source in enumerate(scene.sources):
        length = _smoke_length(source)
        if length >= voxel:
            continue
        warn(
            f"{what} = {voxel:g} m: the smoke of sources[{index}], {type(source).__name__}, is "
            f"born smaller than one such voxel, {length:.2g} m. It is the length of an edge in "
            f"metres; {length / 20:.2g} would show it"
        )
        return


MANY_NODES = 1e5
"""A grid with fewer takes some 40 ms a frame on one processor: who would mind."""


def _placed(item: Any, span: Any, time: float) -> np.ndarray:
    """Eight corners of a box around a source or a body, m, in the world at a time, s."""
    lower, upper = span
    corners = np.where(np.indices((2, 2, 2)).reshape(3, 8).T, upper, lower)
    if item.parent is None:
        return corners
    space = _core.Simulation()
    pose = space.pose(item.parent._add_to(space), time)
    return corners @ pose[:, :3].T + pose[:, 3]


def _cells_of_source(source: Any) -> tuple[float, np.ndarray] | None:
    """Narrowest core of a source, m, and corners around its births; None: it bears no vortons."""
    core = source._least_core()
    if core is None:
        return None
    born = getattr(source, "time", getattr(source, "start", 0.0))
    scale = source.parent.scale_at(born) if source.parent else 1.0
    return core * scale, _placed(source, source._span(), born)


def _is_always_in_grid(scene: Scene, body: Any) -> bool:
    """Whether it moves, sheds in a wind, or has warm fluid around it, wherever the flow is."""
    keyed = body.parent is not None and body.parent.is_animated()
    moves = keyed or getattr(body, "density", None) is not None
    keyed_wind = not isinstance(scene.wind, tuple)
    blows = keyed_wind or any(scene.wind)
    blows = blows or any(isinstance(effect, Wind | WindGrid) for effect in scene.effects)
    warm = body.temperature is not None or getattr(body, "specific_heat", None) is not None
    return warm or (body.panels > 0 and (moves or (blows and body.shedding != 0)))


def _cells_of_body(scene: Scene, body: Any) -> tuple[float, np.ndarray] | None:
    """Core that would do for the smallest part of a body that always lies in the grid, and the
    corners of the whole."""
    endless = any(isinstance(shape, Plane) for shape in body.shapes)
    if endless or isinstance(body, Container) or not _is_always_in_grid(scene, body):
        return None
    spans = np.array([shape._span() for shape in body.shapes])
    size = float(np.prod(spans[:, 1] - spans[:, 0], axis=1).min()) ** (1 / 3)
    scale = body.parent.scale_at(0.0) if body.parent else 1.0
    whole = spans[:, 0].min(axis=0), spans[:, 1].max(axis=0)
    return 0.2 * scale * size, _placed(body, whole, 0.0)


def _node_count(corners: np.ndarray, spacing: float) -> float:
    return float(
        np.prod(np.ptp(corners, axis=0) / spacing + 2 * _core.CONSTANTS["grid_margin"] + 1)
    )


def _warn_of_fine_cells(scene: Scene) -> None:
    """One grid serves all: its cells are as wide as the narrowest cores, also around what is wide.

    Said where the other sources, and bodies that move, are warm or stand in a wind, would do with
    cells of twice that width or more, and all on one grid take at least four times the nodes of
    each on its own."""
    if scene.spacing is not None or scene.method.velocity != "poisson":
        return
    found = [
        (f"sources[{n}], {type(source).__name__}", _cells_of_source(source))
        for n, source in enumerate(scene.sources)
    ]
    least = min((cells[0] for _, cells in found if cells), default=0.0)
    found += [
        (f"bodies[{n}], {body._what()}", cells)
        for n, body in enumerate(scene.bodies)
        if (cells := _cells_of_body(scene, body)) and cells[0] > least > 0
    ]
    placed = sorted(((*cells, name) for name, cells in found if cells), key=lambda row: row[0])
    wider = next((n for n in range(1, len(placed)) if placed[n][0] >= 2 * placed[n - 1][0]), None)
    if wider is None:
        return
    (_, _, small), (wide, _, large) = placed[0], placed[wider]
    together = _node_count(np.concatenate([corners for _, corners, _ in placed]), least)
    apart = sum(_node_count(corners, min(core, wide)) for core, corners, _ in placed)
    if together < max(MANY_NODES, 4 * apart):
        return
    flat = "make the second a Plane, or let it shed nothing (shedding=0), "
    warn(
        f"{small}: its cores of {least:.2g} m set the cells of the whole grid; for {large} cells "
        f"of {wide:.2g} m would do, one where there are now {(wide / least) ** 3:.0f}. Give the "
        f"first wider cores, {flat if large.startswith('bodies') else ''}"
        "or simulate it in a scene of its own; "
        f"Scene(spacing={least:.2g}) says that this is meant"
    )


def _warn_of_lumps(scene: Scene) -> None:
    """Into a shape smaller than a vorton one is born by chance, or never. Fires are told of wide
    cores sooner (`fire_advice`)."""
    for index, source in enumerate(scene.sources):
        if not isinstance(source, Emitter) or isinstance(source.shape, Surface):
            continue
        size = source.shape.volume ** (1 / 3)
        if source.vorton_core <= 2 * size or has_share(source.fuel, source.flame):
            continue
        warn(
            f"sources[{index}], Emitter: its cores of {source.vorton_core:.2g} m are too wide for "
            f"its shape, {size:.2g} m across (the cube root of its volume): not one vorton fits "
            f"into it, so that few are born, or none. Give it core={size:.2g} or less, or a larger "
            "shape"
        )


MANY_SUBSTEPS, MANY_BESIDE_BODIES = 20, 10
"""In 1/24 s; what smoke and fires need themselves are one to ten. With panels each takes several
times as long: 17 of an exhaust in cores of .013 m, at a car above a road, 22 s."""


def _warn_of_fast_jets(scene: Scene) -> None:
    """The layer around a jet turns speed / core radians a second, and a substep bears but one."""
    if scene.method.velocity != "poisson":
        return
    solid = scene.method.bodies == "panels" and any(body.panels > 0 for body in scene.bodies)
    many = MANY_BESIDE_BODIES if solid else MANY_SUBSTEPS
    for index, source in enumerate(scene.sources):
        if not isinstance(source, Jet):
            continue
        core, speed = source._placed_core(), largest(source.speed)
        wanted = speed / (24 * scene.method.turn * many)
        if core >= wanted:
            continue
        warn(
            f"sources[{index}], Jet: {speed:g} m/s in cores of {core:.2g} m take some "
            f"{many * wanted / core:.0f} substeps in 1/24 s, of all that is in the "
            f"scene, bodies too; {many} would do for cores of {wanted:.2g} m, which need "
            "a radius of three times that"
        )
        return


CLOSE_PULSES = 1.5
"""Slug of a pulse over the core of its ring. With .8 and 1.1 jets of cores of .3 and .6 radii blow
up after 12 to 25 radii / speed, with 1.5 not after 25."""


def _warn_of_close_pulses(scene: Scene) -> None:
    """Rings closer than their cores are wide fill space with vortons many times over."""
    for index, source in enumerate(scene.sources):
        if not isinstance(source, Jet) or source.rate is None or source.layers == 0:
            continue
        core, speed, rate = source._widest_core(), largest(source.speed), largest(source.rate)
        most = speed / (CLOSE_PULSES * core)
        if rate <= most or scene.method.cleaning == 0:
            continue
        warn(
            f"sources[{index}], Jet: at {rate:g} pulses a second its rings are born "
            f"{speed / rate:.2g} m apart, closer than cores of {core:.2g} m allow, and "
            f"may blow up. Up to {most:.3g} will do: leave rate out, or give narrower cores"
        )
        return


def _missing_without_shape(force: Any) -> str | None:
    """What a force on the fluid that has no shape leaves out, and what helps; None: nothing."""
    if isinstance(force, UniformForce) and _is_moving(force.strength):
        return (
            "moves nothing: pressure balances an acceleration that is the same everywhere. Give "
            "it a shape, in which it pushes; what blows everywhere is a Wind"
        )
    if isinstance(force, Drag) and force.acts_on == "fluid" and _is_moving(force.velocity):
        return (
            "brakes, but drives nothing: only what turns the fluid acts where all of it is driven "
            "alike. Give it a shape, in which the fluid follows; what blows everywhere is a Wind"
        )
    if isinstance(force, Vortex) and force.acts_on == "fluid" and _is_moving(force.circulation):
        return (
            "turns the fluid only where there are vortons, and its whirl breaks off where these "
            "end, which throws smoke along the axis. Give it a shape whose ends lie out of the "
            "picture, wider than three cores, such as Cylinder(center, radius, length), or "
            "acts_on='tracers', which turns smoke everywhere"
        )
    return None


def _is_moving(value: Any) -> bool:
    """Whether a number or a vector, or a key of it, is not 0."""
    return bool(np.any(np.asarray(value._values() if isinstance(value, Animation) else value)))


def _warn_of_endless_forces(scene: Scene) -> None:
    """A curl acts where vortons carry it; without a shape these need not be where it is."""
    for index, effect in enumerate(scene.effects):
        if getattr(effect, "shape", effect) is not None:
            continue
        missing = _missing_without_shape(effect)
        if missing:
            warn(f"effects[{index}], {type(effect).__name__}: without a shape it {missing}")


def _drives(force: Any) -> bool:
    """Whether a force on the fluid sets fluid at rest in motion."""
    if getattr(force, "acts_on", "fluid") != "fluid":
        return False
    drive = {UniformForce: "strength", Turbulence: "strength", Vortex: "circulation"}
    name = {**drive, Drag: "velocity"}.get(type(force))
    return _is_moving(getattr(force, name)) if name else isinstance(force, (ForceGrid, ForcePoints))


def _warn_of_forces_without_fluid(scene: Scene) -> None:
    """Nothing fills their shapes: what they drive is the vortons that come by."""
    if scene.method.halo or scene.method.velocity != "poisson":
        return
    for index, effect in enumerate(scene.effects):
        if getattr(effect, "shape", None) is not None and _drives(effect):
            warn(
                f"effects[{index}], {type(effect).__name__}: with Method.halo = 0, as that of "
                "Method.article(), no fluid is kept in its shape, and it moves only vortons that "
                "happen to be there. Give halo=2, as by default"
            )


def _warn_of_turbulence_without_vortons(scene: Scene) -> None:
    """It has a curl everywhere, but nothing carries that."""
    if scene.bodies or not scene.sources or any(s._least_core() for s in scene.sources):
        return
    for index, effect in enumerate(scene.effects):
        if isinstance(effect, Turbulence) and effect.shape is None and _is_moving(effect.strength):
            warn(
                f"effects[{index}], Turbulence: without a shape it moves the fluid only where "
                "there are vortons, and no source of this scene bears any: its tracers stay where "
                "they are. Give it a shape, in which the fluid moves"
            )


def _warn_of_wind_in_containers(scene: Scene) -> None:
    """Walls that the flow knows of let none through."""
    method = scene.method
    rooms = [
        (index, body)
        for index, body in enumerate(scene.bodies)
        if isinstance(body, Container) and body.panels > 0
    ]
    winds = {
        f"effects[{index}], Wind": effect.velocity
        for index, effect in enumerate(scene.effects)
        if isinstance(effect, Wind)
    }
    blowing = [
        what for what, wind in {"Scene.wind": scene.wind, **winds}.items() if _is_moving(wind)
    ]
    if not (rooms and blowing) or (method.velocity, method.bodies) != ("poisson", "panels"):
        return
    number, room = rooms[0]
    warn(
        f"{blowing[0]}: does nothing in bodies[{number}], the closed {room._what()}, whose walls "
        "let no wind in. For a draught give a Drag or a UniformForce with a shape; for a room "
        "that is open make its walls bodies, Body(Plane(...)), or let wind through with panels=0"
    )


def _warn_of_hulls(scene: Scene) -> None:
    """A piece of a body stays convex as it deforms: one that is bent is filled."""
    for index, body in enumerate(scene.bodies):
        frame, share = body._filled_most()
        if share > 1.5:
            warn(
                f"bodies[{index}], {body._what()}: its mesh is convex at rest, and stays so: in "
                f"frame {frame} of its deformation it fills {share:.2g} times the volume of the "
                "mesh. Give it a rest pose that is bent as much, in which it is split into pieces"
            )


def _warn_of_skins_at_rest(scene: Scene) -> None:
    """Sources do not deform: the skin of a body that does so is left behind."""
    for index, source in enumerate(scene.sources):
        shape = getattr(source, "shape", None)
        for number, body in enumerate(scene.bodies):
            deforms = getattr(body, "deformation", None) is not None
            if not (deforms and isinstance(shape, Surface) and shape.shape in body.shapes):
                continue
            warn(
                f"sources[{index}], {type(source).__name__}: its surface is that of "
                f"bodies[{number}], {body._what()}, which deforms: the source does not, and bears "
                "where the mesh is at rest. Give several, each with the mesh of a moment and with "
                "start and end, or put the mesh of each frame there by sim.change(...)"
            )


def warn_of_past_end(item: Any, now: float) -> None:
    """Times count from the beginning of a simulation, not from when something is added to it."""
    end = getattr(item, "end", None)
    if isinstance(end, float) and end <= now and now > 0:
        warn(
            f"{type(item).__name__}.end = {end:g} s is past: it is added at {now:.4g} s, and does "
            "nothing. Times count from the beginning of the simulation: give a later one, or none"
        )


def warn_of_scene(scene: Scene) -> None:
    """All that can be seen before the first step."""
    _warn_of_no_buoyancy(scene)
    _warn_of_no_flow(scene)
    _warn_of_celsius(scene)
    _warn_of_fine_cells(scene)
    _warn_of_lumps(scene)
    _warn_of_fast_jets(scene)
    _warn_of_close_pulses(scene)
    warn_of_fires(scene)
    _warn_of_endless_forces(scene)
    _warn_of_forces_without_fluid(scene)
    _warn_of_turbulence_without_vortons(scene)
    _warn_of_wind_in_containers(scene)
    _warn_of_hulls(scene)
    _warn_of_skins_at_rest(scene)
    if scene.voxel is not None:
        warn_of_coarse_voxel(scene, scene.voxel, "Scene.voxel")
