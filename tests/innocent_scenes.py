"""Random scenes that a user may make without thinking of the solver: each must step.

    python innocent_scenes.py [FIRST [LAST [FRAMES]]]

runs those of the seeds FIRST to LAST - 1 and prints one line for each.
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


def run(seed, frames=FRAMES):
    """The simulation of a scene after its frames; None where the scene cannot be.

    Raises what fails in a step.
    """
    try:
        sim = vt.Simulation(make_scene(seed), threads=2)
    except ValueError:  # a source in a body, bodies in each other, a tube out of the room
        return None
    sim.step(frames)
    return sim


def main(first=0, last=200, frames=FRAMES):
    """Print a line for each seed; returns how many failed in a step."""
    failed = 0
    for seed in range(first, last):
        began = time.perf_counter()
        try:
            sim = run(seed, frames)
            text = "cannot be" if sim is None else f"{sim.vortons.count} vortons"
        except (ValueError, RuntimeError) as error:
            failed += 1
            text = f"FAILED {type(error).__name__}: {error}"
        print(f"{seed} {time.perf_counter() - began:.1f} s {text}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) > 0)
