"""What sim.health says of good flows and of bad ones: where its limits lie between them.

    python health_table.py [--seconds S] [NAME ...]

steps each of them to its end, or to the frame before it blows up, and prints the worst of each
number. Good are the examples as they are, the scenes of the README, random scenes that a user may
make, and flows that tests compare with exact solutions; bad are those whose method, scene or
resolution is known to be wrong, each for a reason that stands beside it.
"""

import argparse
import dataclasses
import runpy
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from innocent_scenes import make_scene

import vorton as vt
from vorton.bench.scenes import campfire as make_campfire
from vorton.definitions.records import has_limit
from vorton.preview.demo import make_scene as make_demo
from vorton.records import HEALTH_LIMITS

EXAMPLES = Path(__file__).parents[1] / "examples"


@dataclasses.dataclass(frozen=True)
class Flow:
    """A flow that is known to be good, or known to be bad."""

    start: Callable[[], vt.Simulation]
    frames: int
    wrong: str = ""
    """What is wrong with it; empty: nothing."""


# ---- good ----


def example(name, method=None):
    def start():
        module = runpy.run_path(str(EXAMPLES / f"{name}.py"))
        if "fill" in module:
            sim = module["fill"]()
        elif "make_scene" in module and "scene" not in module:
            sim = vt.Simulation(module["make_scene"]())
        else:
            sim = vt.Simulation(module["scene"])
        if method:
            sim.method = method
        return sim

    return start


def simulation(*items, fps=24, **scene):
    scene = vt.Scene("flow", **scene)
    for item in items:
        scene.add(item)
    return vt.Simulation(scene, fps=fps)


RING = vt.VortexRing(radius=0.5, core=0.1)
CLOUD = vt.RandomCloud(vt.Sphere(radius=1.0), speed=1.0, eddy=0.5, core=0.5 / 8, seed=1)


def rings(gap=0.4, **options):
    return [
        vt.VortexRing(center=(0, 0, z), **{"radius": 0.5, "core": 0.1, **options})
        for z in (0.0, -gap)
    ]


FRAMES = {
    "ring": 48, "leapfrog": 96, "linked_rings": 72, "ring_through_ring": 48, "jet": 60,
    "dyed_drop": 96, "spiral": 84, "thin_sheet": 60, "plume": 72, "tornado": 84, "campfire": 96,
    "fire_and_spheres": 96, "ring_and_ball": 36, "plate": 52, "airfoil": 58, "warm_ball": 73,
    "warm_dye": 73, "floating_ball": 88, "sloshing": 168,
}  # fmt: skip

GOOD = {
    **{f"examples/{name}": Flow(example(name), frames) for name, frames in FRAMES.items()},
    "demo": Flow(lambda: vt.Simulation(make_demo()), 60),
    "README puff": Flow(lambda: simulation(RING), 48),
    "README campfire": Flow(lambda: vt.Simulation(make_campfire()), 48),
    "turbulent ball": Flow(lambda: simulation(CLOUD, fps=20), 60),
    "tube": Flow(
        lambda: simulation(vt.VortexTube((0, 0, -3), (0, 0, 3), core=0.15, wobble=0.02)), 48
    ),
    "viscous ring": Flow(lambda: simulation(RING, viscosity=1e-3), 48),
    "ring, direct sum": Flow(lambda: simulation(RING, method=vt.Method(velocity="direct")), 24),
    "ring, one vorton thick": Flow(
        lambda: simulation(vt.VortexRing(radius=0.5, core=0.1, layers=0)), 48
    ),
    **{
        f"innocent {seed}": Flow(lambda seed=seed: vt.Simulation(make_scene(seed)), 24)
        for seed in (0, 1, 3, 4, 6, 8, 9, 11, 12, 14)
    },
}


# ---- bad ----

LOOSE = {"bound": 0, "cleaning": 0, "exchange": 0}


def sparse_ring(sections, core):
    """A ring of few vortons with cores too small to touch."""
    return vt.VortexRing(radius=0.5, core=core, layers=0, sections=sections)


def half_ring():
    angle = np.linspace(0, np.pi, 40)
    points = np.stack([0.5 * np.cos(angle), 0.5 * np.sin(angle), 0 * angle], axis=1)
    return vt.Filament([tuple(map(float, p)) for p in points], core=0.1)


def noisy(share):
    """Vortons whose strengths have nothing to do with each other, beside those of a ring."""
    sim = simulation(RING)
    v, random = sim.vortons, np.random.default_rng(1)
    size = np.linalg.norm(v.strength, axis=1).mean()
    v.strength = v.strength + share * size * random.normal(size=v.strength.shape)
    return sim


BAD = {
    "ball without bound and cleaning": Flow(
        lambda: simulation(CLOUD, fps=20, method=vt.Method(**LOOSE)), 60, "blows up"
    ),
    "ball without cleaning and exchange": Flow(
        lambda: simulation(CLOUD, fps=20, method=vt.Method(cleaning=0, exchange=0)),
        100,
        "energy grows",
    ),
    "ball without cleaning": Flow(
        lambda: simulation(CLOUD, fps=20, method=vt.Method(cleaning=0)), 100, "energy"
    ),
    "articles, factor 1, ring": Flow(
        example("ring", vt.Method.article().replace(stretching_factor=1)), 96, "blows up"
    ),
    "articles, factor 1, leapfrog": Flow(
        example("leapfrog", vt.Method.article().replace(stretching_factor=1)), 96, "blows up"
    ),
    "articles, sloshing": Flow(example("sloshing", vt.Method.article()), 24, "blows up"),
    "articles, floating ball": Flow(example("floating_ball", vt.Method.article()), 40, "blows up"),
    "articles, leapfrog": Flow(example("leapfrog", vt.Method.article()), 72, "blows up"),
    "too long steps": Flow(
        lambda: simulation(*rings(wobble=0.05), fps=6, method=vt.Method(turn=2, time="euler")),
        24,
        "steps of two turns",
    ),
    "too long steps, ball": Flow(
        lambda: simulation(CLOUD, fps=5, method=vt.Method(turn=2, time="euler")),
        24,
        "steps of two turns",
    ),
    "cores apart": Flow(
        lambda: simulation(sparse_ring(24, 0.03), method=vt.Method(velocity="direct")), 48, "lumps"
    ),
    "cores apart on the grid": Flow(
        lambda: simulation(sparse_ring(24, 0.03), spacing=0.02), 48, "lumps"
    ),
    "far from the origin": Flow(
        lambda: simulation(vt.VortexRing((4e5, 0, 0), radius=0.5, core=0.1)), 24, "float32"
    ),
    "far from the origin 2": Flow(
        lambda: simulation(vt.VortexRing((1e5, 0, 0), radius=0.5, core=0.1)), 24, "float32"
    ),
    "open filament": Flow(lambda: simulation(half_ring()), 24, "open"),
    "noise on a ring": Flow(lambda: noisy(3.0), 4, "noise"),
    "noise on a ring, a third of it": Flow(lambda: noisy(1.0), 4, "noise"),
    "nested poisson, one step": Flow(
        lambda: simulation(RING, method=vt.Method(poisson="nested", steps=1)), 24, "not solved"
    ),
    "classical stretching": Flow(
        lambda: simulation(
            CLOUD,
            fps=20,
            method=vt.Method(stretching="classical", balance="none", **LOOSE),
        ),
        60,
        "blows up",
    ),
}
FLOWS = GOOD | BAD

NAMES = [*HEALTH_LIMITS, "strength_share", "noise", "overlap", "bounded_share"]


@dataclasses.dataclass
class Seen:
    """The worst of each number over the frames of a flow, where it counts, and how it ended."""

    worst: dict[str, float]
    frames: int = 0
    end: str = ""

    @property
    def above(self):
        """The numbers that are above their limits."""
        return [name for name, row in HEALTH_LIMITS.items() if self.worst[name] > row.limit]


def follow(flow, seconds=1e9, every=2):
    """Looks at a flow in every so many frames, until its end or until it has taken so long."""
    sim, began = flow.start(), time.process_time()
    seen = Seen(dict.fromkeys(NAMES, 0.0))
    try:
        for frame in range(0, flow.frames + 1):
            # before it blows up each frame counts
            if frame % every == 0 or flow.wrong:
                health = sim.health
                for name in NAMES:
                    if name not in HEALTH_LIMITS or has_limit(name, health, sim.time):
                        seen.worst[name] = max(seen.worst[name], health[name])
            seen.frames = frame
            if time.process_time() - began > seconds:
                seen.end = "not followed further"
                break
            sim.step()
    except (vt.BlowUpError, ValueError) as error:
        seen.end = type(error).__name__
    return seen


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="of these alone")
    parser.add_argument("--seconds", type=float, default=1e9, help="of the processor, for each")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # of the scenes
    print(f"{'':38} frames", *(f"{name[:11]:>11}" for name in NAMES))
    print(f"{'limit':45}", *(f"{row.limit:11g}" for row in HEALTH_LIMITS.values()))
    for name, flow in FLOWS.items():
        if options.names and name not in options.names:
            continue
        seen = follow(flow, options.seconds)
        numbers = (f"{seen.worst[n]:11.3g}" for n in NAMES)
        kind = f"bad: {flow.wrong}" if flow.wrong else "good"
        said = ", ".join(seen.above)
        line = f"{name[:38]:38} {seen.frames:6d}"
        print(line, *numbers, f" {kind}; {said} {seen.end}", flush=True)


if __name__ == "__main__":
    main()
