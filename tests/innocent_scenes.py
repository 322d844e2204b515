"""Random scenes that a user may make without thinking of the solver: each must step.

    python innocent_scenes.py [FIRST [LAST [FRAMES [walls]]]]

runs those of the seeds FIRST to LAST - 1 and prints one line for each; with the word walls, scenes
of one source close to a wall.
"""

import sys
import time

import numpy as np

import vorton as vt

FRAMES = 6  # a source of the second 0.2 is born in the fifth


def _near(rng, spread=0.6, height=1.0):
    x, y = rng.uniform(-spread, spread, 2)
    return (float(x), float(y), float(rng.uniform(0.3, 0.3 + height)))


def _direction(rng):
    axis = rng.normal(size=3)
    return tuple((axis / np.linalg.norm(axis)).tolist())


def _number(rng, low, high):
    """Evenly over the decades between."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def ring(rng):
    radius = _number(rng, 0.15, 0.6)
    return vt.VortexRing(
        _near(rng),
        _direction(rng),
        radius=radius,
        core=radius * float(rng.uniform(0.25, 0.8)),
        circulation=_number(rng, 0.2, 4.0),
        wobble=float(rng.choice([0.0, 0.02, 0.1])),
        seed=int(rng.integers(100)),
        temperature=float(rng.uniform(250, 600)) if rng.random() < 0.3 else None,
        time=float(rng.choice([0.0, 0.2])),
    )


def jet(rng):
    radius = _number(rng, 0.15, 0.4)
    return vt.Jet(
        _near(rng, height=0.3),
        _direction(rng) if rng.random() < 0.5 else (0, 0, 1),
        radius=radius,
        core=0.4 * radius,
        speed=_number(rng, 0.5, 3.0),
        temperature=float(rng.uniform(280, 500)) if rng.random() < 0.3 else None,
    )


def plume(rng):
    radius = _number(rng, 0.2, 0.5)
    shape = vt.Sphere if rng.random() < 0.5 else vt.Disk
    return vt.Emitter(
        shape(_near(rng, height=0.2), radius=radius),
        temperature=float(rng.uniform(240, 900)),
        core=radius / 3,
        lifetime=float(rng.uniform(0.5, 2.0)),
        swirl=float(rng.choice([0.0, 0.3])),
    )


def fire(rng):
    radius = _number(rng, 0.2, 0.4)
    x, y, _ = _near(rng)
    return vt.Emitter(
        vt.Disk((x, y, 0.1), radius=radius, thickness=0.1),
        temperature=float(rng.uniform(600, 900)),
        fuel=float(rng.uniform(0.1, 1.0)),
        core=radius / 2.5,
        lifetime=float(rng.uniform(0.5, 1.5)),
    )


def cloud(rng):
    radius = _number(rng, 0.2, 0.5)
    return vt.RandomCloud(
        vt.Sphere(_near(rng), radius=radius),
        speed=_number(rng, 0.2, 2.0),
        eddy=radius,
        core=radius / 4,
        seed=int(rng.integers(100)),
    )


def tube(rng):
    x, y, _ = _near(rng)
    return vt.VortexTube((x, y, -1.5), (x, y, 2.5), core=0.15, circulation=_number(rng, 0.2, 2.0))


def ball(rng):
    mass = {"density": float(rng.uniform(0.5, 500))} if rng.random() < 0.4 else {}
    radius = _number(rng, 0.15, 0.4)
    return vt.Body(vt.Sphere(_near(rng, 1.0, 1.5), radius=radius), panels=160, **mass)


def box(rng):
    low = np.array(_near(rng, 1.0, 1.5))
    high = low + rng.uniform(0.25, 0.8, 3)
    return vt.Body(vt.Box(tuple(low.tolist()), tuple(high.tolist())), panels=160)


def plank(rng):
    turning = vt.Transform(
        position=_near(rng, 1.0, 1.5),
        axis=_direction(rng),
        angle=vt.Keys([(0.0, 0.0), (1.0, float(rng.uniform(-180, 180)))]),
    )
    shape = vt.Box((-0.6, -0.2, -0.08), (0.6, 0.2, 0.08))
    return vt.Body(shape, parent=turning, panels=160)


def room(rng):
    half = float(rng.uniform(1.6, 2.5))
    return vt.Container(vt.Box((-half, -half, -1.0), (half, half, 3.0)), panels=320)


SOURCES = (ring, jet, plume, cloud, tube)
BODIES = (ball, box, plank)


def make_scene(seed):
    """A scene of one to three sources, some with bodies, a floor, a room, wind or viscosity."""
    rng = np.random.default_rng(seed)
    burns = rng.random() < 0.25
    scene = vt.Scene(
        f"innocent {seed}",
        seed=seed,
        combustion=vt.Combustion() if burns else None,
        viscosity=float(rng.choice([0.0, 0.0, 1.5e-5, 1e-3])),
        wind=(float(rng.uniform(-2, 2)), 0.0, 0.0) if rng.random() < 0.3 else (0.0, 0.0, 0.0),
        voxel=0.05,
    )
    if burns:
        scene.add(fire(rng))
    for _ in range(int(rng.integers(1, 4)) - burns):
        scene.add(SOURCES[rng.integers(len(SOURCES))](rng))
    scene.add(vt.Tracers(vt.Sphere((0, 0, 0.8), radius=0.5), count=500))
    closed = rng.random() < 0.15 and not burns
    if closed:
        scene.add(room(rng))
    elif rng.random() < 0.3:
        scene.add(vt.Body(vt.Plane()))
    for _ in range(int(rng.integers(0, 3))):
        scene.add(BODIES[rng.integers(len(BODIES))](rng))
    return scene


# ---- close to walls ----


def source_at(rng, place, size, parent=None):
    """A source of that size (m), of any kind, that blows upwards or anywhere."""
    kind = rng.integers(5)
    axis = (0.0, 0.0, 1.0) if rng.random() < 0.4 else _direction(rng)
    warm = float(rng.uniform(280, 700)) if rng.random() < 0.5 else None
    core = size * float(rng.uniform(0.2, 0.45))
    strength = _number(rng, 0.3, 4.0)
    fluid = {"temperature": warm, "parent": parent}
    if kind == 0:
        return vt.VortexRing(
            place, axis, radius=size, core=core, circulation=strength, wobble=0.03, **fluid
        )
    if kind == 1:
        return vt.Jet(place, axis, radius=size, core=core, speed=strength, **fluid)
    if kind == 2:
        return vt.RandomCloud(
            vt.Sphere(place, radius=size), speed=strength / 2, eddy=size, core=size / 4, **fluid
        )
    shape = (
        vt.Disk(place, radius=size, axis=axis, thickness=size / 3)
        if kind == 3
        else vt.Sphere(place, radius=size)
    )
    swirl = float(rng.choice([0.0, 0.5]))
    return vt.Emitter(shape, temperature=warm or 450.0, core=size / 3, swirl=swirl, parent=parent)


def make_wall_scene(seed):
    """A source on a floor, at the wall of a room, on a body, on its way through a wall and back, or
    in the wake of a body; from 0 to half of its size away."""
    rng = np.random.default_rng(100_000 + seed)
    kind = seed % 5
    wind = (float(rng.uniform(1, 4)), 0.0, 0.0) if kind == 4 or rng.random() < 0.2 else (0, 0, 0)
    scene = vt.Scene(f"at a wall {seed}", seed=seed, wind=wind, voxel=0.05)
    size = _number(rng, 0.1, 0.35)
    gap = size * float(rng.choice([0.0, 0.02, 0.05, 0.1, 0.5])) + 1e-3
    if kind == 0:
        scene.add(vt.Body(vt.Plane()))
        scene.add(source_at(rng, (0.0, 0.0, gap), size))
    elif kind == 1:
        half = float(rng.uniform(0.8, 1.6))
        scene.add(vt.Container(vt.Box((-half, -half, 0), (half, half, 2 * half)), panels=320))
        scene.add(source_at(rng, (half - gap, 0.0, half * float(rng.uniform(0.1, 1))), size))
    elif kind == 2:
        shapes = [
            (vt.Sphere((0, 0, 0.5), radius=0.3), (0.3 + gap, 0.0, 0.5)),
            (vt.Box((-0.4, -0.4, 0.2), (0.4, 0.4, 0.5)), (0.0, 0.0, 0.5 + gap)),
            (vt.Cylinder((0, 0, 0.6), radius=0.25, length=0.8), (0.25 + gap, 0.0, 0.6)),
        ]
        shape, place = shapes[rng.integers(3)]
        scene.add(vt.Body(shape, panels=160))
        scene.add(source_at(rng, place, size))
    elif kind == 3:
        wall = vt.Box((-0.15, -1, 0), (0.15, 1, 1))
        floor = rng.random() < 0.5
        there, back = ((0, 0, 0.4), (0, 0, -0.2)) if floor else ((-0.6, 0, 0.5), (0.6, 0, 0.5))
        way = vt.Transform(position=vt.Keys([(0.0, there), (0.25, back), (0.5, there)]))
        scene.add(vt.Body(vt.Plane()) if floor else vt.Body(wall, panels=160))
        scene.add(source_at(rng, (0.0, 0.0, 0.0), size, way))
    else:
        plate = vt.Box((-0.1, -0.3, 0.1), (0.1, 0.3, 0.9))
        body = vt.Sphere((0, 0, 0.5), radius=0.25) if rng.random() < 0.5 else plate
        scene.add(vt.Body(body, panels=160))
        scene.add(source_at(rng, (float(rng.uniform(0.3, 0.8)), 0.0, 0.5), size))
    return scene


def run(seed, frames=FRAMES, make=make_scene):
    """The simulation of a scene after its frames; None where the scene cannot be.

    Raises what fails in a step.
    """
    try:
        sim = vt.Simulation(make(seed), threads=2)
    except ValueError:  # a source in a body, bodies in each other, a tube out of the room
        return None
    sim.step(frames)
    return sim


def main(first=0, last=200, frames=FRAMES, make=make_scene):
    """Print a line for each seed; returns how many failed in a step."""
    failed = 0
    for seed in range(first, last):
        began = time.perf_counter()
        try:
            sim = run(seed, frames, make)
            text = "cannot be"
            if sim is not None:
                speed = sim.health.largest_speed
                text = f"{sim.vortons.count} vortons, up to {speed:.3g} m/s"
        except (ValueError, RuntimeError) as error:
            failed += 1
            text = f"FAILED {type(error).__name__}: {error}"
        print(f"{seed} {time.perf_counter() - began:.1f} s {text}", flush=True)
    return failed


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "walls"]
    make = make_wall_scene if "walls" in sys.argv else make_scene
    sys.exit(main(*map(int, words), make=make) > 0)
