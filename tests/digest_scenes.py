"""Short scenes that reach everything whose bits `digests.py` keeps watch over.

SCENES holds functions that take a number of threads and return a simulation that has run. ROWS says
for each choice of Method in which flows it acts, and beside which other choices.
"""

import functools

import everything
import numpy as np
import test_fluid_sources
import test_forces
import test_jumping_containers
import test_refused_steps
from rich_sequences import REFUSALS, random_scene

import vorton as vt

FPS = 24
TETRAHEDRON = (
    np.float64([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]),
    [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)],
)


def simulate(scene, threads, frames):
    sim = vt.Simulation(scene, FPS, threads=threads)
    _ = sim.tracers.velocity  # from here on every step keeps it up to date
    sim.step(frames)
    return sim


def scene_of(*items, method=None, **values):
    scene = vt.Scene("digest", seed=3, **{"voxel": 0.1, **values})
    scene.method = vt.Method(**(method or {}))
    for item in items:
        scene.add(item)
    return scene


def tracers(count=300, radius=0.6):
    return vt.Tracers(vt.Sphere(radius=radius), count=count)


def ring(**values):
    return vt.VortexRing(**{"radius": 0.5, "core": 0.12, "wobble": 0.08, **values})


# ---- one row of Method at a time ----


def wavy_ring(method):
    return scene_of(ring(), tracers(), method=method)


def two_rings(method):
    """Fine ones that go after each other, askew."""
    fine = {"core": 0.15, "vorton_core": 0.08, "wobble": 0.05}
    askew = ring(center=(0.1, 0, 0.5), axis=(0.3, 0.1, 1), seed=2, **fine)
    return scene_of(ring(**fine), askew, tracers(), method=method)


def viscous_ring(method):
    return scene_of(ring(), tracers(), method=method, viscosity=2e-3)


def ring_in_honey(method):
    """So viscous that particle strength exchange would take many steps."""
    return scene_of(ring(), tracers(), method=method, viscosity=0.02)


def warm_beside_solids(method):
    """Hot and heavy fluid, a ball that floats in it and a floor."""
    warm = vt.Emitter(vt.Sphere((0, 0, -0.25), 0.2), temperature=500.0, core=0.15, renew=3)
    heavy = vt.VortexRing((0, 0, 0.2), radius=0.35, core=0.15, density=0.3)
    ball = vt.Body(vt.Sphere((0.1, 0, 0.1), 0.15), density=2.0, panels=60)
    floor = vt.Body(vt.Plane((0, 0, -0.6), (0, 0, 1)))
    return scene_of(warm, heavy, tracers(), ball, floor, method=method)


def fire(method):
    bed = vt.Sphere(radius=0.25)
    flame = {"temperature": 900.0, "fuel": 0.5, "flame": 0.1, "soot": 0.1}
    source = vt.Emitter(bed, core=0.15, per_voxel=2, renew=4, lifetime=0.5, **flame)
    return scene_of(source, ring(), tracers(), method=method, combustion=vt.Combustion())


def smoke(method):
    """Of an emitter alone: its vortons crowd, and their cores are sharp by themselves."""
    source = vt.Emitter(vt.Sphere(radius=0.25), temperature=400.0, core=0.15, renew=9, swirl=0.3)
    return scene_of(source, method=method)


TREE = {"velocity": "tree"}
DIRECT = {"velocity": "direct"}
NESTED = {"poisson": "nested"}
ROWS = {
    "velocity": [(wavy_ring, {})],
    "boundary": [(wavy_ring, {}), (wavy_ring, {"opening": "article"})],
    "poisson": [(wavy_ring, {})],
    "cycles": [(wavy_ring, {"poisson": "multigrid"})],
    "steps": [(wavy_ring, NESTED)],
    "downsampling": [(wavy_ring, NESTED)],
    "kernel": [(wavy_ring, DIRECT), (wavy_ring, TREE)],
    "cores": [(wavy_ring, {}), (smoke, {})],
    "order": [(wavy_ring, {})],
    "domain": [(wavy_ring, {})],
    "stretching": [(wavy_ring, {}), (wavy_ring, DIRECT), (wavy_ring, TREE)],
    "time": [(wavy_ring, {}), (wavy_ring, DIRECT), (fire, {}), (warm_beside_solids, {})],
    "bound": [(wavy_ring, {})],
    "relaxation": [(wavy_ring, {}), (wavy_ring, DIRECT)],
    "cleaning": [(wavy_ring, {})],
    "exchange": [(wavy_ring, {})],
    "balance": [(wavy_ring, {}), (two_rings, {}), (warm_beside_solids, {})],
    "buoyancy": [(warm_beside_solids, {})],
    "buoyancy_scale": [(warm_beside_solids, {})],
    "expansion": [(warm_beside_solids, {}), (fire, {})],
    "walls": [(warm_beside_solids, {"bodies": "article", "buoyancy": "boussinesq"})],
    "bodies": [(warm_beside_solids, {})],
    "flames": [(fire, {})],
    "burning": [(fire, {})],
    "diffusion": [(viscous_ring, {}), (ring_in_honey, {})],
    "halo": [(viscous_ring, {}), (warm_beside_solids, {})],
    "split": [(two_rings, {})],
    "merge": [(smoke, {})],
    "merge_emitted": [(smoke, {})],
    "prune": [(two_rings, {})],
    "opening": [(wavy_ring, TREE), (wavy_ring, {"boundary": "tree"})],
    "opening_angle": [(wavy_ring, TREE), (wavy_ring, {"boundary": "tree"})],
    "turn": [(wavy_ring, {})],
    "stretching_factor": [(wavy_ring, {}), (wavy_ring, DIRECT)],
    "rounding": [(wavy_ring, {}), (fire, {})],
}
NUMBERS = {
    "cycles": (1, 3),
    "steps": (3, 8),
    "bound": (0.0, 0.1, 1.5),
    "relaxation": (0.0, 0.3),
    "cleaning": (0.0, 0.8),
    "exchange": (0.0, 0.3),
    "buoyancy_scale": (0.0, 1.0, 2.0),
    "expansion": (0.0, 0.5, 1.0),
    "halo": (0, 1, 2),
    "split": (0.0, 1.01),
    "merge": (0, 3),
    "merge_emitted": (0, 1),
    "prune": (0.0, 0.3),
    "opening_angle": (0.0, 0.5, 0.9),
    "turn": (0.05, 0.4),
    "stretching_factor": (0.0, 0.5, 1.0),
    "rounding": (0, 64, 512),
}


def values_of(row):
    """The values of a row of method.def that are tried."""
    return row["choices"] or NUMBERS.get(row["name"], ())


def run_row(flow, beside, name, value, threads):
    frames = {two_rings: 12, smoke: 12}.get(flow, 3)  # the population is looked after now and then
    return simulate(flow({**beside, name: value}), threads, frames)


# ---- whole scenes ----

FRAMES = {"poisson": 18, "direct": 20, "article": 12, "tree": 20, "viscous": 12, "options": 20,
          "fire": 15, "room": 6}  # fmt: skip


def kinds_of_sources(threads):
    """Every kind of source in every shape, some of them with a fluid that burns."""
    hot = test_fluid_sources.FIRE
    lines = [test_fluid_sources.make(kind, **hot) for kind in test_fluid_sources.LINES]
    late = test_fluid_sources.make("cloud", time=0.07, count=80, density=0.1)
    points = np.random.default_rng(5).uniform(-0.5, 0.5, (30, 3))
    vertices, faces = TETRAHEDRON
    shapes = [
        vt.Sphere((1, 0, 0), 0.2), vt.Box(), vt.Disk(radius=0.4), vt.Cylinder((0, 1, 0), 0.2, 0.5),
        vt.Torus(radius=0.4), vt.Mesh(vertices=vertices, faces=faces),
        vt.Surface(vt.Sphere(radius=0.4), thickness=0.1),
    ]  # fmt: skip
    turn = vt.Transform(angle=vt.Keys([(0, 0), (1, 200)]), position=(0, 0, 0.2))
    born = [
        vt.Tracers(shape, rate=vt.Keys([(0, 200), (1, 900)]), lifetime=0.3, growth=0.1, parent=turn)
        for shape in shapes
    ]
    scene = scene_of(*lines, late, *born, method={"halo": 1}, combustion=vt.Combustion("arrhenius"))
    scene.add(vt.Emitter(vt.Box(), temperature=500.0, core=0.2, per_voxel=0.5, rim=0.5, swirl=0.4))
    scene.add(vt.Tracers(vt.Sphere(), per_voxel=0.3, renew=3, lifetime=0.4))
    scene.add(vt.Filament([(-1, 0, 0), (0, 0.3, 0.2), (1, 0, 0.4), (1.8, 0.4, 0)], core=0.15))
    scene.add(vt.Points(points, size=0.1, rate=100, jitter=0.05, lifetime=0.2, temperature=400.0))
    strengths = 0.01 * points[:, ::-1]
    values = {"core": 0.15, "volume": 2e-3, "jitter": 0.02, "density": 0.1}
    scene.add(vt.VortonPoints(points, strengths, rate=200, lifetime=0.3, parent=turn, **values))
    scene.add(vt.Kill("vortons", farther_than=1.5, slower_than=0.05, older_than=0.1))
    return simulate(scene, threads, 7)


def stratified_fire(threads):
    source = vt.Disk((0, 0, 0.1), radius=0.3, thickness=0.2)
    flame = {"temperature": 1000.0, "fuel": 0.7, "flame": 0.1, "taper": 0.4, "flicker": 0.5}
    fluid = vt.Gas(density=0.8, temperature=320.0, stratification=20.0)
    scene = scene_of(
        vt.Emitter(source, core=0.16, renew=4, lifetime=1.5, per_voxel=2, **flame),
        tracers(),
        vt.Body(vt.Sphere((0, 0.1, 0.7), 0.15), held=True, density=5.0, temperature=600, panels=60),
        method={"expansion": 0.7, "merge": 20, "split": 3},
        ambient=fluid,
        combustion=vt.Combustion(),
        dissipation=0.3,
        thermal_diffusivity=1e-3,
    )
    return simulate(scene, threads, 30)


def liquid_with_heat(threads):
    """Warm and salty water round a hot body, by the accelerations of the fluid itself."""
    warm = vt.Emitter(vt.Sphere((0, 0, -0.3), 0.25), temperature=340.0, core=0.15, per_voxel=2)
    salt = vt.Emitter(vt.Box((-0.3, -0.3, 0.3), (0.3, 0.3, 0.5)), density=60.0, core=0.15)
    cork = {"density": 400.0, "temperature": 350.0, "specific_heat": 900.0, "conductance": 500.0}
    scene = scene_of(
        warm,
        salt,
        tracers(),
        vt.Body(vt.Sphere((0.2, 0, 0), 0.2), panels=80, **cork),
        method={"buoyancy": "full", "time": "rk3"},
        ambient=vt.Water(stratification=3.0),
        gravity=vt.Keys([(0, (0, 0, -9.81)), (1, (2, 0, -9))]),
        viscosity=1e-3,
        thermal_diffusivity=vt.Keys([(0, 1e-3), (1, 3e-3)]),
    )
    return simulate(scene, threads, 24)


def bodies_in_a_container(threads):
    """Two free bodies that shed and meet in a container with panels that swings."""
    swing = vt.Keys([(0, (0, 0, 0)), (0.3, (0.15, 0, 0.05)), (1, (0, 0, 0))], "smooth")
    room = vt.Container(vt.Cylinder(radius=1.0, length=1.6), parent=vt.Transform(position=swing))
    left = vt.Body(vt.Sphere((-0.3, 0, 0), 0.2), density=3.0, panels=80, shedding=40,
                   velocity=(1.5, 0, 0), friction=0.6)  # fmt: skip
    right = vt.Body(vt.Box((0.05, -0.2, -0.15), (0.35, 0.2, 0.15)), density=1.0, panels=80,
                    shedding=80, velocity=(-1, 0, 0), angular_velocity=(0, 3, 1))  # fmt: skip
    scene = scene_of(ring(radius=0.6), tracers(), room, left, right, spacing=0.1)
    scene.viscosity = 5e-4
    return simulate(scene, threads, 8)


def container_jumps(threads):
    jump = test_jumping_containers.JUMPS["across and turned"]
    parent = test_jumping_containers.transform(jump, 0.12)
    scene = scene_of(
        vt.Container(test_jumping_containers.SHAPES["box"], name="room", parent=parent),
        vt.VortexRing(radius=0.25, core=0.11, density=0.2, temperature=320.0),
        vt.Body(vt.Sphere((0.3, 0, 0.2), 0.1), "ball", density=2.0, panels=40, shedding=20),
        vt.Tracers(test_jumping_containers.SHAPES["box"], count=1000),
    )
    return simulate(scene, threads, 6)


def room(threads):
    """A plume and a ring between walls of the grid, in a box that moves."""
    swing = vt.Keys([(0, (0, 0, 0)), (0.3, (0.15, 0, 0.05)), (1, (0, 0, 0))], "smooth")
    box = vt.Box((-1, -0.6, -0.8), (1, 0.6, 0.8))
    hot = vt.Emitter(vt.Disk((0.4, 0, -0.6), radius=0.2), temperature=600, core=0.075)
    walls = vt.Container(box, parent=vt.Transform(position=swing))
    scene = scene_of(ring(radius=0.4, density=0.2), tracers(), hot, walls, spacing=0.05)
    scene.thermal_diffusivity = 1e-3
    return simulate(scene, threads, 8)


def crowd(threads):
    """Splits, merges, prunes and diffuses."""
    scene = test_refused_steps.split_merged_and_pruned()
    scene.viscosity = 1e-3
    return simulate(scene, threads, 16)


def articles_bodies(threads):
    """What runs into bodies pushes them, as in the articles."""
    scene = warm_beside_solids(vt.Method.article().to_dict())
    scene.add(ring(radius=0.7, core=0.2))
    return simulate(scene, threads, 12)


def after_refused_steps(threads):
    """Steps that are refused, a switch of the method, a copy, and bodies pushed from outside."""
    scene = test_refused_steps.beside_bodies()
    scene.max_vortons, scene.at_capacity = 3000, "oldest"
    scene.add(vt.Body(vt.Box((-0.9, -0.1, -0.1), (-0.7, 0.1, 0.1)), "paddle", panels=40))
    sim = simulate(scene, threads, 2)
    try:
        sim.advance(test_refused_steps.TOO_LONG)
    except REFUSALS:
        pass
    else:
        raise AssertionError("a step that is too long was not refused")
    sim.apply_impulse("ball", (0.01, 0.02, 0), point=(0.1, 0, 0.6), angular_impulse=(0, 1e-3, 0))
    sim.set_body("paddle", position=(-0.5, 0.1, 0), rotation=(1, 0.2, 0, 0), over=1 / FPS)
    sim.step(2)
    sim.vortons.add([[0.3, 0.3, 0.3]], [[0, 0, 0.01]], core=0.15, volume=2e-3, temperature=400.0)
    sim.tracers.add([[0.3, 0.3, 0.3], [0, 0, 1]], density=0.1, size=0.05, smoke=0.2)
    sim.tracers.remove(sim.tracers.position[:, 2] > 0.45)
    sim.method = sim.method.replace(velocity="direct")
    sim.step()
    sim = sim.copy(method=vt.Method(split=1.1, boundary="tree"), max_tracers=5000)
    sim.set_body("paddle", position=(0.3, 0, -0.3))
    sim.step(2)
    return sim


def random_one(seed, threads):
    """A scene of `rich_sequences.py`; seeds of those that do not go together are skipped."""
    while True:
        random = np.random.default_rng(seed)
        try:
            sim = vt.Simulation(random_scene(random), FPS, threads=threads, max_nodes=100_000)
            sim.step(6)
        except REFUSALS:
            seed += 1000
        else:
            return sim


SCENES = {
    f"everything-{name}": functools.partial(everything.run, name, steps=frames)
    for name, frames in FRAMES.items()
}
SCENES |= {
    "sources": kinds_of_sources,
    "stratified-fire": stratified_fire,
    "liquid-with-heat": liquid_with_heat,
    "bodies-in-a-container": bodies_in_a_container,
    "container-jumps": container_jumps,
    "room": room,
    "crowd": crowd,
    "forces-on-the-fluid": lambda threads: test_forces.everything(6, threads),
    "article-bodies": articles_bodies,
    "after-refused-steps": after_refused_steps,
}
SCENES |= {f"random-{seed:02d}": functools.partial(random_one, seed) for seed in range(12)}


def take_apart(definition, found):
    """The kinds of all definitions that a scene is made of."""
    if isinstance(definition, (list, tuple)):
        for part in definition:
            take_apart(part, found)
    elif type(definition).__module__.split(".")[0] == "vorton":
        found.add(type(definition))
        for name in getattr(definition, "__dataclass_fields__", ()):
            take_apart(getattr(definition, name), found)
    return found


def kinds_in(sim):
    """The kinds of sources, shapes, effects, bodies and fluids in the scene of a simulation."""
    scene = sim.scene
    return take_apart([*scene.sources, *scene.effects, *scene.bodies, scene.ambient], set())


def all_kinds():
    from vorton.definitions.ambient import AMBIENTS
    from vorton.geometry.shapes import SHAPES
    from vorton.scenes.bodies import BODIES
    from vorton.scenes.forces import EFFECTS
    from vorton.scenes.scene import SOURCES

    return {*AMBIENTS, *BODIES, *EFFECTS, *SOURCES, *SHAPES, vt.Capsule, vt.Plane, vt.Polytope}
