"""A box with dyed brine below water that moves to and fro: the two slosh.

After part 14 of the articles, Figure 6: arrows show the density gradient. They stand on the surface
alone; the walls make none, so fluid with a level surface rests. The fluid goes with the box, whose
walls have source panels, and differences of its density feel gravity less the acceleration of the
box. That moves at the rate of its own standing wave, omega^2 = g k tanh(k h) (rho_1 - rho_2) /
(rho_1 + rho_2), k = pi / side and h half of it, so every swing is higher than the one before.
"""

import sys

import numpy as np

import vorton as vt

SIDE, SPACING = 0.3, 0.0125  # of the box, between the vortons, m
BRINE = 60.0  # kg/m^3 more than water
WAY = 0.5  # of the box, from side to side, m
FRAMES = (1, 78, 124, 168)

k = np.pi / SIDE
RATE = np.sqrt(9.81 * k * np.tanh(k * SIDE / 2) * BRINE / (2 * 998.2 + BRINE))  # rad/s

scene = vt.Scene("sloshing", ambient=vt.Water(), spacing=SPACING / 0.75)
box = vt.Box((-SIDE / 2,) * 3, (SIDE / 2,) * 3)
times = np.arange(0, 20, 1 / 24)
places = [(WAY / 2 * (1 - np.cos(RATE * t)), 0, 0) for t in times]
moving = vt.Transform(position=vt.Samples(places, fps=24))
scene.add(vt.Container(box, name="box", parent=moving))
DYE = 12000  # tracers
scene.add(vt.Tracers(vt.Box(box.lower, (SIDE / 2, SIDE / 2, 0)), count=DYE))
scene.add(vt.Tracers(vt.Box((-SIDE / 2, -SIDE / 2, 0), box.upper), count=DYE // 2))


def fill():
    """A simulation of the scene with vortons all through the box."""
    sim = vt.Simulation(scene)
    n = round(SIDE / SPACING)
    axis = (np.arange(n) + 0.5) * SPACING - SIDE / 2
    x = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    x += np.random.default_rng(2).uniform(-0.25, 0.25, x.shape) * SPACING
    density = BRINE * (x[:, 2] < 0)
    core = 1.5 * scene.spacing
    sim.vortons.add(x, 0 * x, core=core, volume=SPACING**3, density=density)
    return sim


def place(sim):
    """Of the box, m."""
    return np.array(sim.bodies["box"].position)


def density_gradient(sim, cells=12):
    """Means of cells of the box, and differences between them: places and gradients, kg/m^4."""
    x = sim.vortons.position - place(sim)
    cell = np.clip(((x / SIDE + 0.5) * cells).astype(int), 0, cells - 1)
    total, count = np.zeros((cells,) * 3), np.zeros((cells,) * 3)
    np.add.at(total, tuple(cell.T), sim.vortons.density)
    np.add.at(count, tuple(cell.T), 1)
    slopes = np.gradient(total / np.maximum(count, 1), SIDE / cells)
    middle = (np.arange(cells) + 0.5) * SIDE / cells - SIDE / 2
    return middle, np.stack(slopes, axis=-1)


def lean(sim):
    """Where the middle of the brine lies in the box, m."""
    return sim.vortons.position[sim.vortons.density > BRINE / 2][:, 0].mean() - place(sim)[0]


def draw(path, frames=FRAMES):
    """Sections in the middle of the box."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    sim = fill()
    figure, axes = plt.subplots(2, 2, figsize=(12, 5), layout="constrained")
    for frame, axis in zip(frames, axes.flat, strict=True):
        sim.step(frame - sim.frame - 1)
        x, at = sim.tracers.position, place(sim)[0]
        near = np.abs(x[:, 1]) < 1.7 * SPACING
        brine = sim.tracers.id < DYE
        for part, color in ((near & brine, "#4c8fe0"), (near & ~brine, "#6b7078")):
            axis.scatter(*x[part][:, [0, 2]].T, s=2.5, c=color, linewidths=0)
        middle, slope = density_gradient(sim)
        slope = slope[:, len(middle) // 2 - 1 : len(middle) // 2 + 1].mean(axis=1)
        seen = np.linalg.norm(slope, axis=-1) > 0.1 * BRINE / SIDE * len(middle) / 2
        foot = np.stack(np.meshgrid(middle + at, middle, indexing="ij"), axis=-1)[seen]
        arrow = slope[seen][:, [0, 2]]
        axis.quiver(*foot.T, *arrow.T, color="#f2d24b", width=0.0025, scale=BRINE / SIDE * 180)
        axis.add_patch(plt.Rectangle((at - SIDE / 2, -SIDE / 2), SIDE, SIDE, fill=False, ec="w"))
        axis.set(aspect="equal", xlim=(-0.2, WAY + 0.2), ylim=(-0.17, 0.17), xticks=[], yticks=[])
        axis.set_facecolor("#16181c")
        axis.set_title(f"{sim.time:.1f} s", fontsize=10)
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        draw(sys.argv[1])
    else:
        sim = fill()
        while sim.time < 6:
            sim.step(6)
            print(
                f"{sim.time:.2f} s: the box is at {place(sim)[0]:.2f} m, the brine leans by "
                f"{1000 * lean(sim):.1f} mm"
            )
