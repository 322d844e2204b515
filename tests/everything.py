"""One scene with everything in it that moves, one with all that is hot, and digests of all that a
user can see of their state.

    python everything.py METHOD THREADS [FRAMES [STATE]]

prints the digests as JSON: the tests run it where the environment forces a backend or an
instruction set, from the start or from a state in a file.
"""

import contextlib
import hashlib
import json
import sys
from pathlib import Path

import numpy as np

import vorton as vt

METHODS = {
    "poisson": vt.Method(),
    "direct": vt.Method(velocity="direct"),
    # the articles' rule at bodies makes this flow blow up
    "article": vt.Method.article().replace(bodies="none"),
    "tree": vt.Method(velocity="tree", turn=0.4),  # more than one substep
    "viscous": vt.Method(split=1.2, merge=5, prune=0.01, halo=1),
    "options": vt.Method(velocity="direct", time="rk3", stretching="rvpm", relaxation=0.3,
                         turn=0.4),  # fmt: skip
    "fire": vt.Method(halo=2),
    "room": vt.Method(expansion=0),
}
STEPS = 36
FPS = 24


def fire_scene():
    """A fire that flickers under a ball and over a hot plate: heat, combustion and expansion."""
    scene = vt.Scene("fire", seed=6, method=METHODS["fire"], voxel=0.08)
    scene.combustion = vt.Combustion("arrhenius")
    scene.thermal_diffusivity = vt.Keys([(0, 0), (1, 2e-3)])
    scene.viscosity = 5e-4
    bed = vt.Disk((0, 0, 0.1), radius=vt.Keys([(0, 0.2), (1, 0.3)]), thickness=0.2)
    values = {"temperature": 900, "fuel": 0.6, "swirl": 0.4, "flicker": 0.5, "taper": 0.3}
    scene.add(vt.Emitter(bed, core=0.16, lifetime=0.8, per_voxel=2, **values))
    scene.add(vt.Body(vt.Sphere((0, 0.1, 0.9), 0.15), density=50.0, held=True, panels=60))
    plate = vt.Box((-0.3, -0.3, -0.25), (0.3, 0.3, -0.15))
    scene.add(vt.Body(plate, temperature=800, panels=0))
    scene.add(vt.Kill("both", outside=vt.Sphere(radius=1.8)))
    return scene


def room_scene():
    """A room with panels that shakes, cut by a plane and full of warm and heavy fluid; in it a ball
    that flies and sheds, a warm plate that turns, smoke and a ring."""
    scene = vt.Scene("room", seed=7, method=METHODS["room"], spacing=0.1)
    path = vt.Keys([(0, (0, 0, 0)), (0.5, (0.1, 0, 0.05)), (1, (0, 0, 0))], "smooth")
    shake = vt.Transform(position=path, angle=vt.Keys([(0, 0), (2, 30)]))
    walls = [vt.Box((-1, -1, -1), (1, 1, 1)), vt.Plane((0, 0, 0.8), (0.1, 0, 1))]
    scene.add(vt.Container(walls, parent=shake))
    coarse = {"core": 0.15, "per_voxel": 1}
    scene.add(
        vt.Emitter(vt.Box((-0.9, -0.9, -0.9), (0.9, 0.9, -0.5)), density=0.2, renew=0, **coarse)
    )
    scene.add(vt.Emitter(vt.Sphere((0.4, 0, -0.2), 0.2), temperature=400, renew=3, **coarse))
    flies = {"velocity": (0.5, 0.2, 0), "angular_velocity": (0, 2, 0)}
    scene.add(
        vt.Body(vt.Sphere((-0.5, 0, 0.3), 0.2), density=20.0, panels=80, shedding=20, **flies)
    )
    spin = vt.Transform(position=(0.4, 0, 0.1), axis=(0, 1, 0), angle=vt.Keys([(0, 0), (2, 300)]))
    plate = vt.Box((-0.2, -0.2, -0.05), (0.2, 0.2, 0.05))
    scene.add(vt.Body(plate, parent=spin, temperature=350, panels=80))
    scene.add(vt.VortexRing((0, 0, 0.3), radius=0.3, core=0.15))
    scene.add(vt.Tracers(vt.Box((-0.8, -0.8, -0.8), (0.8, 0.8, 0)), count=5000, lifetime=0.5))
    return scene


def scene(method):
    """Two wavy rings, one of them elliptic, tilted and born inside a step; winds; three emitters;
    force fields; kills; bodies.

    For `poisson` enough of everything to keep 8 threads busy, for the sums what they do in time,
    for the articles' method rings so fine that they live to the end.
    """
    if method == "fire":
        return fire_scene()
    if method == "room":
        return room_scene()
    viscous, article = method == "viscous", method == "article"
    method = METHODS[method]
    few = method.velocity != "poisson"
    scene = vt.Scene("everything", seed=5, wind=(0.2, -0.1, 0.05), method=method, voxel=0.05)
    scene.viscosity = 1e-3 if viscous else 0.0
    # viscous: few, for their neutral neighbours are many
    fine = 0.08 if viscous else 0.06 if article else 0.075
    ring = {"core": 0.12, "wobble": 0.05}
    ring |= {"layers": 1, "sections": 40} if few else {"vorton_core": fine}
    scene.add(vt.VortexRing(radius=0.5, seed=3, **ring))
    scene.add(
        vt.VortexRing(
            center=(0.1, 0, -0.4),
            axis=(0.2, 0.1, 1),
            radius=(0.55, 0.4),
            circulation=0.8,
            seed=4,
            time=14.7 / FPS,
            **ring,
        )
    )
    much = 1 if few or viscous or article else 10
    scene.add(vt.Tracers(vt.Sphere((0, 0, 0.1), 0.4), count=2000 * much))
    scene.add(
        vt.Tracers(vt.Disk(radius=0.5), rate=1000 * much, start=0.11, lifetime=0.8, growth=0.05)
    )
    scene.add(vt.Tracers(vt.Box((2, 2, 2), (2.3, 2.3, 2.3)), rate=100 * much, end=1.3))
    add_effects(scene)
    add_bodies(scene)
    return scene


def add_bodies(scene):
    """Still, turning and flying ones in the way of rings and smoke, in a room that shakes."""
    swing = vt.Transform(
        axis=(0, 1, 0), angle=vt.Keys([(0, -40), (2, 400)]), position=(0.3, 0, 0.5)
    )
    plate = vt.Box((-0.3, -0.3, -0.01), (0.3, 0.3, 0.01))
    scene.add(vt.Body(plate, name="plate", parent=swing, panels=0))
    path = vt.Keys([(0, (-2, 0, 0)), (2, (3, 0.3, 0.2))], "smooth")
    pair = [vt.Sphere((0, 0, 0.3), 0.1), vt.Capsule((0, 0, 0), (0, 0, 0.3), 0.05)]
    scene.add(vt.Body(pair, parent=vt.Transform(position=path), panels=0))
    points = np.random.default_rng(6).normal(0, 0.1, (20, 3)) + (-0.3, 0.2, 0.4)
    scene.add(vt.Body(vt.Polytope(points), panels=0))
    ball = vt.Sphere((-0.8, 0.3, 0.9), 0.2)
    flies = {"velocity": (0.5, 0, 0), "angular_velocity": (0, 1, 0)}
    scene.add(vt.Body(ball, density=40.0, panels=80, **flies))
    bone = [vt.Sphere((0.9, 0.9, 0.8), 0.15), vt.Box((0.9, 0.8, 0.7), (1.3, 1.0, 0.9))]
    pull = vt.Keys([(0, (0, 0, 0)), (1, (0, -0.2, 0))])
    scene.add(vt.Body(bone, density=0.9, force=pull, panels=0))
    scene.add(
        vt.Body(vt.Cylinder((0, 0.6, -1), 0.1, 0.3), density=9.0, held=True, panels=80, shedding=0)
    )
    shake = vt.Keys([(0, (0, 0, 0)), (1, (0.2, 0, 0.1)), (2, (0, 0, 0))], "smooth")
    walls = [vt.Cylinder(radius=3.2, length=5.0), vt.Plane((0, 0, 2.4), (0, 0.1, 1))]
    scene.add(vt.Container(walls, parent=vt.Transform(position=shake), panels=0))


def add_effects(scene):
    gust = vt.Keys([(0, (0, 0, 0)), (0.7, (0.3, 0.2, 0)), (2, (-0.1, 0, 0.1))], "smooth")
    scene.add(vt.Wind(gust))
    values = 0.1 * np.random.default_rng(3).normal(0, 1, (4, 5, 6, 3))
    growing = vt.Keys([(0, 0.2), (1, 1)])
    scene.add(vt.WindGrid(values, origin=(-1, -1, -1), spacing=(0.5, 0.45, 0.4), strength=growing))
    scene.add(vt.WindGrid(values, spacing=0.3, outside="border", strength=0.3))
    spin = vt.Transform(angle=vt.Keys([(0, 0), (2, 300)]), position=(0.1, 0, 0))
    scene.add(vt.Drag((0, 0, 0.2), fraction=0.3, shape=vt.Box(), parent=spin, acts_on="tracers"))
    scene.add(vt.Attractor((0.5, 0, 0.3), strength=0.3, radius=0.4, parent=spin))
    axis = (0, 1, 1)
    scene.add(vt.Vortex((0, 0.2, 0), axis, circulation=0.2, core=0.15, acts_on="tracers"))
    scene.add(vt.Kill(outside=vt.Sphere(radius=1.9), older_than=1.4))
    scene.add(vt.Kill(faster_than=2.2, start=0.5))
    scene.add(vt.Kill("vortons", inside=vt.Sphere((0.45, 0, 0.3), 0.2), start=0.7, parent=spin))


def frames(method):
    """How many frames there are: fewer where they cost more."""
    return {"viscous": 23, "room": 12}.get(method, STEPS)


def run(method, threads, steps=None, state=None):
    """The simulation after that many frames, from a saved state if there is one."""
    sim = vt.Simulation(scene(method), FPS, threads=threads)
    _ = sim.tracers.velocity  # from here on every step keeps it up to date
    if state is not None:
        sim._core.load_state(state)
    sim.step(frames(method) if steps is None else steps)
    return sim


def arrays(sim):
    """Every column in the order of its rows, and the fields and volumes made from them."""
    found = {}
    for particles in (sim.vortons, sim.tracers):
        for name in particles._columns:
            found[f"{particles._set}.{name}"] = getattr(particles, name)
    volume = sim.volume()
    found["volume.vdb"] = np.frombuffer(volume.encode_vdb(), np.uint8)
    found["sharp.vdb"] = np.frombuffer(sim.volume(sharp=True).encode_vdb(), np.uint8)
    found["velocity_at"] = sim.velocity_at([[0, 0, 0], [0.3, 0.2, 0.1], [9, 8, 7]])
    if sim.scene.method.velocity == "poisson":
        sim.update_fields()
        for name in sim.grids._fields:
            with contextlib.suppress(ValueError):  # not every scene has every field
                found[f"grids.{name}"] = getattr(sim.grids, name)
    found["bodies"] = np.array([repr(sorted(body.items())) for body in sim.bodies])
    found["health"] = np.array(repr(sorted(sim.health.items())))
    return found


def digests(sim):
    """sha256 of each array, and how many particles there are."""
    shown = {
        name: hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
        for name, array in arrays(sim).items()
    }
    whole = hashlib.sha256("".join(shown.values()).encode()).hexdigest()
    return {
        "all": whole,
        "vortons": sim.vortons.count,
        "tracers": sim.tracers.count,
        "substeps": sim.health["substeps"],
        **shown,
    }


if __name__ == "__main__":
    given = [Path(name).read_bytes() for name in sys.argv[4:]]
    result = digests(run(sys.argv[1], *map(int, sys.argv[2:4]), *given))
    print(json.dumps({"simd": vt._core.simd(), "backend": vt._core.backend(), "digests": result}))
