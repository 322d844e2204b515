"""A box with brine below water, its surface tilted at the start: it swings back.

After part 14 of the articles, Figure 6: arrows show the density gradient. They stand on the surface
alone; the walls make none, so fluid with a level surface rests. No fluid flows through the walls,
which have source panels: it swings to and fro at the rate of the standing wave of the box,
omega^2 = g k tanh(k h) (rho_1 - rho_2) / (rho_1 + rho_2), k = pi / side and h half of it, but for a
surface as wide as the cores of so few vortons and a wave as high as this: they cost a fifth of it.
"""

import sys

import numpy as np

import vorton as vt

SIDE, SPACING = 0.3, 0.0125  # of the box, between the vortons, m
BRINE = 60.0  # kg/m^3 more than water
SLOPE = 0.35  # of the surface at the start
FRAMES = (1, 25, 49, 73)

scene = vt.Scene("sloshing", ambient=vt.Water(), spacing=SPACING / 0.75)
box = vt.Box((-SIDE / 2,) * 3, (SIDE / 2,) * 3)
scene.add(vt.Container(box, name="box"))


def fill():
    """A simulation of the scene with vortons all through the box."""
    sim = vt.Simulation(scene)
    n = round(SIDE / SPACING)
    axis = (np.arange(n) + 0.5) * SPACING - SIDE / 2
    x = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    x += np.random.default_rng(2).uniform(-0.25, 0.25, x.shape) * SPACING
    density = BRINE * (x[:, 2] + SLOPE * x[:, 0] < 0)
    core = 1.5 * scene.spacing
    sim.vortons.add(x, 0 * x, core=core, volume=SPACING**3, density=density)
    return sim


def density_gradient(sim, cells=12):
    """Means of cells of the box, and differences between them: places and gradients, kg/m^4."""
    x = sim.vortons.position
    cell = np.clip(((x / SIDE + 0.5) * cells).astype(int), 0, cells - 1)
    total, count = np.zeros((cells,) * 3), np.zeros((cells,) * 3)
    np.add.at(total, tuple(cell.T), sim.vortons.density)
    np.add.at(count, tuple(cell.T), 1)
    slopes = np.gradient(total / np.maximum(count, 1), SIDE / cells)
    middle = (np.arange(cells) + 0.5) * SIDE / cells - SIDE / 2
    return middle, np.stack(slopes, axis=-1)


def lean(sim):
    """Where the middle of the brine lies in the box, m."""
    return sim.vortons.position[sim.vortons.density > 0][:, 0].mean()


def draw(path, frames=FRAMES):
    """Sections in the middle of the box."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    sim = fill()
    figure, axes = plt.subplots(1, len(frames), figsize=(12, 3.3), layout="constrained")
    for frame, axis in zip(frames, axes, strict=True):
        sim.step(frame - sim.frame - 1)
        x = sim.vortons.position
        near = np.abs(x[:, 1]) < SPACING
        brine = sim.vortons.density > 0
        for part, color, size in ((near & brine, "#3f6ea8", 9), (near & ~brine, "#7a7f88", 4)):
            axis.scatter(*x[part][:, [0, 2]].T, s=size, c=color, linewidths=0)
        middle, slope = density_gradient(sim)
        slope = slope[:, len(middle) // 2 - 1 : len(middle) // 2 + 1].mean(axis=1)
        seen = np.linalg.norm(slope, axis=-1) > 0.1 * BRINE / SIDE * len(middle) / 2
        place = np.stack(np.meshgrid(middle, middle, indexing="ij"), axis=-1)[seen]
        arrow = slope[seen][:, [0, 2]]
        axis.quiver(*place.T, *arrow.T, color="#4fe0e6", width=0.007, scale=BRINE / SIDE * 60)
        axis.set(aspect="equal", xlim=(-0.155, 0.155), ylim=(-0.155, 0.155), xticks=[], yticks=[])
        axis.set_facecolor("#16181c")
        axis.set_title(f"{sim.time:.1f} s", fontsize=10)
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        draw(sys.argv[1])
    else:
        sim = fill()
        k, sides = np.pi / SIDE, [(0, lean(sim))]
        while sim.time < 5:
            sim.step(6)
            sides.append((sim.time, lean(sim)))
            print(f"{sim.time:.2f} s: the brine leans by {1000 * sides[-1][1]:.0f} mm")
        turns = [
            t + (later - t) * a / (a - b)
            for (t, a), (later, b) in zip(sides, sides[1:], strict=False)
            if a * b < 0
        ]
        rate = np.sqrt(9.81 * k * np.tanh(k * SIDE / 2) * BRINE / (2 * 998.2 + BRINE))
        print(
            f"level at {' and '.join(f'{t:.2f}' for t in turns)} s; half a swing: "
            f"{np.pi / rate:.2f} s by the formula"
        )
