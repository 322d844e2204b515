"""Long runs of the default method (VALIDATION 2b, L1 to L4) and their books.

The tests follow short pieces of them; a whole run is a command of its own:

    python tests/long_runs.py [CASE ...] [--seeds 1 2 3] [--scale 1 2] [--json FILE]

Cases are plume, ball, ring, heads and cloud. scale 1 has the size of a grid of 65 nodes a side,
scale 2 that of 129; the cloud grows as it likes. Lengths are in grid spacings of 1 m at scale 1;
the largest vorticity of a ring and the rms of the ball are 1/s. Figures outside the ranges of
VALIDATION are named, and the command fails.
"""

import argparse
import json
import sys

import numpy as np

import vorton as vt

LATTICE = 0.94  # spacing of the vortons
CORE = 1.5


def simulate(position, strength, fps, **method):
    """A simulation of the vortons of a lattice."""
    method = vt.Method(**method)
    sim = vt.Simulation(vt.Scene(spacing=1.0, max_nodes=2**25, method=method), fps=fps)
    sim.vortons.add(position, strength, core=CORE, volume=LATTICE**3)
    return sim


def lattice(half_widths, random, jitter):
    """Points of a jittered lattice around the origin."""
    axes = [np.arange(-n, n + 1) for n in (int(w / LATTICE) + 1 for w in half_widths)]
    x = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    return LATTICE * (x + random.uniform(-jitter, jitter, x.shape))


def turbulent_ball(seed, scale=1):
    """Curl of 48 random waves of 15 to 38 spacings in a smooth window of radius 17."""
    random = np.random.default_rng(seed)
    radius, modes = 17.0 * scale, 48
    x = lattice([radius] * 3, random, 0.3)
    x = x[(x**2).sum(axis=1) < radius**2]
    way = random.normal(size=(modes, 3))
    way *= (2 * np.pi / radius * random.uniform(0.45, 1.1, modes) / np.linalg.norm(way, axis=1))[
        :, None
    ]
    amplitude, phase = random.uniform(-1, 1, (modes, 3)), random.uniform(0, 2 * np.pi, modes)

    def potential(p):
        window = np.maximum(1 - (p**2).sum(axis=1) / radius**2, 0) ** 3
        return (np.sin(p @ way.T + phase) @ amplitude) * window[:, None]

    step = 0.02 * radius
    slope = [
        (potential(x + step * axis) - potential(x - step * axis)) / (2 * step) for axis in np.eye(3)
    ]
    vorticity = np.stack([slope[b][:, c] - slope[c][:, b] for b, c in ((1, 2), (2, 0), (0, 1))], 1)
    vorticity /= np.sqrt((vorticity**2).sum(axis=1).mean())
    return x, vorticity * LATTICE**3


def thick_ring(seed, scale=1, radius=14.0, core=5.0, wobble=0.03, sign=1.0):
    """A Gaussian ring, its centreline waving by modes 2 to 13.

    The cores of the grid are left out of the vorticity that is sampled.
    """
    random = np.random.default_rng(seed)
    radius, core = radius * scale, core * scale
    square = core**2 - 2 * CORE**2
    reach = 2.2 * np.sqrt(square)
    wide, high = radius * (1 + 3 * wobble) + reach, reach + 3 * radius * wobble
    x = lattice([wide, wide, high], random, 0.25)
    angle, r = np.arctan2(x[:, 1], x[:, 0]), np.hypot(x[:, 0], x[:, 1])

    amplitude = wobble * radius / np.sqrt(6)
    mode = np.arange(2, 14)[:, None]
    phase = mode * angle + random.uniform(0, 2 * np.pi, (2, len(mode), 1))
    radial, axial = amplitude * np.cos(phase).sum(axis=1)
    slopes = -amplitude * (mode * np.sin(phase)).sum(axis=1) / (radius + radial)

    square_distance = (r - radius - radial) ** 2 + (x[:, 2] - axial) ** 2
    vorticity = sign * core**2 / square * np.exp(-square_distance / square)
    zero = np.zeros(len(x))
    along = np.stack([-x[:, 1] / r, x[:, 0] / r, zero], axis=1)
    outwards = np.stack([x[:, 0] / r, x[:, 1] / r, zero], axis=1)
    tangent = along + slopes[0][:, None] * outwards + slopes[1][:, None] * [0, 0, 1]
    inside = square_distance < reach**2
    return x[inside], (vorticity[:, None] * tangent)[inside] * LATTICE**3


def head_on_rings(seed, scale=1):
    """Two rings of radius 9 that fly at each other from three radii apart."""
    parts = []
    for side in (-1, 1):
        x, strength = thick_ring(2 * seed + side, scale, radius=9.0, core=3.5, sign=-side)
        parts.append((x + [0, 0, side * 13.5 * scale], strength))
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))


def plume(seed, scale=1, **method):
    """Frames of a plume over a disk of radius 6, with neutral fluid around it to radius 9.

    Yields the simulation after each step of .1 s; vortons live for 29 s, in a box of 58 x 58 and 44
    above the disk. The light fluid would fall upwards at 1 spacing/s^2.
    """
    random = np.random.default_rng(seed)
    spacing, outer, age = 0.62, 9.0 * scale, 29.0 * scale**0.5
    sim = vt.Simulation(
        vt.Scene(
            spacing=1.0,
            gravity=(0, 0, -1),
            ambient=vt.Gas(density=1.0),
            method=vt.Method(**{"buoyancy": "boussinesq", **method}),
        ),
        fps=10.0,
    )
    rate, due = np.pi * outer**2 * 1.2 * scale**0.5 / spacing**3, 0.0
    while True:
        due += rate / sim.fps
        count = int(due)
        due -= count
        r, angle = outer * np.sqrt(random.uniform(size=count)), random.uniform(0, 2 * np.pi, count)
        x = np.stack([r * np.cos(angle), r * np.sin(angle), random.uniform(size=count)], axis=1)
        density = np.where(r < 6.0 * scale, -1.0, 0.0)
        sim.vortons.add(x, 0 * x, core=CORE, volume=spacing**3, density=density)
        x = sim.vortons.position
        gone = (sim.vortons.age > age) | (x[:, 2] > 44 * scale)
        sim.vortons.remove(gone | (np.abs(x[:, :2]) > 29 * scale).any(axis=1))
        sim.step()
        yield sim


# ---- books ----


def record(sim, total, removed=0.0, left=0.0):
    """One row of the books: total is the sum of |strength| at the start, removed that of strength
    which has been removed since, left the energy that went with it."""
    health = sim.health
    x, strength = sim.vortons.position.astype(float), sim.vortons.strength.astype(float)
    length = np.linalg.norm(strength, axis=1)
    weight = length**2
    centre = (weight[:, None] * x).sum(axis=0) / weight.sum()
    return {
        "time": sim.time,
        "vortons": len(x),
        "energy": health["energy"],
        "left": left,
        "divergence": health["vorticity_divergence"],
        "strength": float(np.linalg.norm(strength.sum(axis=0) + removed) / total),
        "impulse": (0.5 * np.cross(x - centre, strength).sum(axis=0)).tolist(),
        "centre": centre.tolist(),
        "grid": list(health["grid"]),
        "substeps": health["substeps"],
    }


def books(sim, frames, box=None):
    """Rows of the books, yielded frame by frame.

    box removes what is farther than this from the centre of strength: a box that follows the flow.
    """
    total = np.linalg.norm(sim.vortons.strength, axis=1).astype(float).sum()
    removed, left = np.zeros(3), 0.0
    yield record(sim, total)
    for _ in range(frames):
        sim.step()
        if box is not None:
            x = sim.vortons.position
            weight = np.linalg.norm(sim.vortons.strength, axis=1)
            centre = (weight[:, None] * x).sum(axis=0) / weight.sum()
            outside = (np.abs(x - np.round(centre)) > box).any(axis=1)
            removed += sim.vortons.strength[outside].sum(axis=0, dtype=float)
            if outside.any():
                before = sim.health["energy"]
                sim.vortons.remove(outside)
                left += before - sim.health["energy"]
        yield record(sim, total, removed, left)


def sectors(sim, radius):
    """Circulation of the 12 sectors of a ring, of what is within two radii along its axis."""
    x, strength = sim.vortons.position.astype(float), sim.vortons.strength.astype(float)
    weight = (strength**2).sum(axis=1)
    centre = (weight[:, None] * x).sum(axis=0) / weight.sum()
    near = np.abs(x[:, 2] - centre[2]) < 2 * radius
    x, strength = x[near] - centre, strength[near]
    angle, r = np.arctan2(x[:, 1], x[:, 0]), np.hypot(x[:, 0], x[:, 1])
    along = strength[:, 1] * np.cos(angle) - strength[:, 0] * np.sin(angle)
    sector = ((angle / (2 * np.pi) + 0.5) * 12).astype(int) % 12
    return np.bincount(sector, along / r, 12) * 12 / (2 * np.pi)


# ---- the whole runs, with the figures of VALIDATION ----


def largest_rise(rows):
    energy = np.array([row["energy"] for row in rows])
    return float((energy / np.minimum.accumulate(energy)).max())


def follow(title, rows):
    """Collects rows, showing how far they are."""
    kept = []
    for row in rows:
        kept.append(row)
        if sys.stderr.isatty():
            print(f"\r{title}: {row['time']:.0f} s", end="", file=sys.stderr, flush=True)
    return kept


def spread(sim, scale):
    """Mean distance from the axis, weighted by |strength|, in spacings of scale 1."""
    weight = np.linalg.norm(sim.vortons.strength, axis=1).astype(float)
    x = sim.vortons.position.astype(float)
    return float((weight * np.hypot(x[:, 0], x[:, 1])).sum() / weight.sum() / scale)


def run_ball(seed, scale, **method):
    """L1: the eddy turnover time is 3.43 s for an rms velocity of 1.92 spacings a second.

    Rings that leave the ball take their energy out of the box.
    """
    position, strength = turbulent_ball(seed, scale)
    rows = follow(
        f"ball {seed}", books(simulate(position, strength, 1.0, **method), 120, 29 * scale)
    )
    energy = np.array([row["energy"] for row in rows]) / rows[0]["energy"]
    return rows, {
        "E at 6 turnovers": float(energy[21]),
        "E at 35 turnovers": float(energy[120]),
        "E that left the box": rows[-1]["left"] / rows[0]["energy"],
        "largest rise of E": largest_rise(rows),
        "divergence": max(row["divergence"] for row in rows),
        "sum of strength": max(row["strength"] for row in rows),
    }


def run_ring(seed, scale, **method):
    """L2: twenty radii."""
    radius, position, strength = 14.0 * scale, *thick_ring(seed, scale)
    sim = simulate(position, strength, 1 / 2.75, **method)
    rows, whole = [], sectors(sim, radius).mean()
    for row in books(sim, 130):
        rows.append(row)
        if row["centre"][2] > 20 * radius:
            break
    way = np.array([row["centre"][2] for row in rows]) / radius
    time = np.array([row["time"] for row in rows])
    impulse = np.array([np.linalg.norm(row["impulse"]) for row in rows])
    early, eight = np.searchsorted(time, 60), np.searchsorted(way, 8)
    start = way[early] / time[early]
    later = (way[eight] - way[early]) / (time[eight] - time[early])
    share = sectors(sim, radius) / whole
    return rows, {
        "radii": float(way[-1]),
        "speed from 60 s to 8 radii": float(later / start),
        "drift, radii": float(max(np.hypot(*row["centre"][:2]) for row in rows) / radius),
        "impulse at 6 radii": float(impulse[np.searchsorted(way, 6)] / impulse[0]),
        "impulse at the end": float(impulse[-1] / impulse[0]),
        "sectors at the end": [float(share.min()), float(share.max())],
        "largest rise of E": largest_rise(rows),
    }


def run_heads(seed, scale, **method):
    """L3: until the pair is three radii wide, and beyond."""
    position, strength = head_on_rings(seed, scale)
    sim = simulate(position, strength, 1.0, **method)
    rows = follow(f"heads {seed}", books(sim, 80))
    energy = np.array([row["energy"] for row in rows]) / rows[0]["energy"]
    return rows, {
        "E at 7, 13, 27 s": [float(energy[t]) for t in (7, 13, 27)],
        "E at the end": float(energy[-1]),
        "radii": spread(sim, scale) / 9.0,
        "largest rise of E": largest_rise(rows),
    }


def run_plume(seed, scale, **method):
    """L4: 1100 steps; figures of the last 500, but that of the rise, which is of the time before.

    The axis is that of the strength, in spacings of scale 1.
    """
    rows, middle = [], []
    for sim in plume(seed, scale, **method):
        if sim.frame % 10 == 0:
            weight = np.linalg.norm(sim.vortons.strength, axis=1).astype(float)
            rows.append(record(sim, weight.sum()))
            middle.append((weight[:, None] * sim.vortons.position).sum(axis=0) / weight.sum())
        if sim.frame == 1100:
            break
    late, middle = rows[60:], np.array(middle) / scale
    energy = np.array([row["energy"] for row in late])
    height = np.array([row["centre"][2] for row in rows]) / scale
    filling = height[: np.argmax(height > 0.9 * np.median(height[60:]))]
    return rows, {
        "vortons": rows[-1]["vortons"],
        "E, least to most": float(energy.max() / energy.min()),
        "axis": float(np.hypot(*middle[60:, :2].T).max()),
        "height": [float(middle[60:, 2].min()), float(middle[60:, 2].max())],
        "least rise in 10 steps": float(np.diff(filling).min()),
        "divergence": max(row["divergence"] for row in late),
        "sum of strength": max(row["strength"] for row in late),
    }


def run_cloud(seed, scale, **method):
    """Turbulence of 50 000 vortons over 2000 frames, with nothing that removes any of them."""
    scene = vt.Scene(method=vt.Method(**method))
    shape = vt.Sphere(radius=1.0)
    scene.add(vt.RandomCloud(shape, speed=1.0, eddy=0.4, count=50_000 * scale**3, seed=seed))
    sim = vt.Simulation(scene, fps=24)
    sim.step()
    rows = follow(f"cloud {seed}", books(sim, 2000))
    energy = np.array([row["energy"] for row in rows]) / rows[0]["energy"]
    return rows, {
        "vortons": rows[-1]["vortons"],
        "E after 100, 500, 2000 frames": [float(energy[n]) for n in (100, 500, 2000)],
        "largest rise of E": largest_rise(rows),
        "divergence": max(row["divergence"] for row in rows),
        "sum of strength": max(row["strength"] for row in rows),
        "grid at the end": rows[-1]["grid"],
    }


RUNS = {
    "plume": run_plume,
    "ball": run_ball,
    "ring": run_ring,
    "heads": run_heads,
    "cloud": run_cloud,
}


# What VALIDATION 2b asks of the figures: least and most.
RANGES = {
    "ball": {
        "E at 6 turnovers": (0.2, 0.35),
        "E at 35 turnovers": (0.02, 0.08),
        "largest rise of E": (1, 1.02),
        "divergence": (0, 0.4),
        "sum of strength": (0, 0.05),
    },
    "ring": {
        "radii": (20, np.inf),
        "speed from 60 s to 8 radii": (0.93, 1.07),
        "drift, radii": (0, 2),
        "impulse at 6 radii": (0.9, 1.1),
        "sectors at the end": (0.7, 1.1),
        "largest rise of E": (1, 1.02),
    },
    "heads": {"radii": (3, np.inf), "largest rise of E": (1, 1.02)},
    "plume": {
        "E, least to most": (1, 2),
        "axis": (0, 2),
        "least rise in 10 steps": (0, np.inf),
        "divergence": (0, 0.4),
    },
    "cloud": {"largest rise of E": (1, 1.02), "divergence": (0, 0.4), "sum of strength": (0, 0.05)},
}


def outside(case, figures):
    """Which figures of a run lie outside their ranges, as text."""
    return [
        f"{name} {np.round(figures[name], 3).tolist()} is not within {low:g} to {high:g}"
        for name, (low, high) in RANGES[case].items()
        if not (np.min(figures[name]) >= low and np.max(figures[name]) <= high)
    ]


def main():
    parser = argparse.ArgumentParser(prog="long_runs.py", description=__doc__)
    parser.add_argument("case", nargs="*", default=list(RUNS), choices=[*RUNS, []])
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--scale", nargs="+", type=int, default=[1])
    parser.add_argument("--method", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--json", metavar="FILE", help="write the books")
    arguments = parser.parse_args()
    method = {name: float(value) for name, value in (m.split("=") for m in arguments.method)}
    kept, wrong = {}, False
    for case in arguments.case:
        for scale in arguments.scale:
            for seed in arguments.seeds:
                rows, figures = RUNS[case](seed, scale, **method)
                kept[f"{case} {scale} {seed}"] = {"rows": rows, "figures": figures}
                text = ", ".join(
                    f"{name} {np.round(value, 3).tolist()}" for name, value in figures.items()
                )
                print(f"{case}, scale {scale}, seed {seed}: {text}", flush=True)
                for miss in outside(case, figures):
                    print(f"    OUTSIDE: {miss}", flush=True)
                    wrong = True
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(kept, file)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
