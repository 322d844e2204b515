"""A box with dyed brine below water that moves to and fro: the two slosh.

After part 14 of the articles, Figure 6: arrows show the density gradient at the solver's own nodes,
dots the vortons. The arrows stand on the surface alone; the walls make none, so fluid with a level
surface rests. The fluid goes with the box, whose walls have source panels, and differences of its
density feel gravity less the acceleration of the box. That moves at the rate of its own standing
wave, omega^2 = g k tanh(k h) (rho_1 - rho_2) / (rho_1 + rho_2), k = pi / side and h half of it, so
every swing is higher than the one before.

python examples/sloshing.py                 # where box and brine are
python examples/sloshing.py sloshing.png    # and the picture (pip install matplotlib)
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
scene.add(vt.Tracers(vt.Box(box.lower, (SIDE / 2, SIDE / 2, 0)), count=12000))  # dye in the brine


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


def section(sim):
    """What the solver has in the plane y = 0 of its grid: places of the nodes (x, z), whether they
    are open to fluid, density above that of water, kg/m^3, and its gradient, kg/m^4, from which the
    solver makes vorticity."""
    grids = sim.grids
    x, y, z = (
        low + grids.spacing * np.arange(n) for low, n in zip(grids.origin, grids.shape[::-1])
    )
    middle = np.abs(y).argmin()
    fields = grids.open, grids.density, grids.density_gradient
    return np.meshgrid(x, z), *(field[:, middle] for field in fields)


def lean(sim):
    """Where the middle of the brine lies in the box, m."""
    return sim.vortons.position[sim.vortons.density > BRINE / 2][:, 0].mean() - place(sim)[0]


def draw_fluid(axis, sim, frame):
    """Density in the box."""
    from matplotlib.colors import LinearSegmentedColormap

    colors = LinearSegmentedColormap.from_list("brine", ["#121a24", "#1f6fb5", "#2f8fdd"])
    places, _, density, _ = section(sim)
    shade = axis.pcolormesh(*places, density, cmap=colors, vmin=0, vmax=BRINE, shading="gouraud")
    shade.set_clip_path(frame)


def draw_vortons(axis, sim):
    """Those near the plane that turn: red with the clock, green against it, and as large as they
    turn fast."""
    v = sim.vortons
    near = np.abs(v.position[:, 1]) < 0.5 * SPACING
    turn = v.strength[near, 1] / v.volume[near]  # 1/s
    seen = np.abs(turn) > 0.2
    size = 8 + 60 * np.minimum(np.abs(turn[seen]) / 4, 1)
    colors = np.where(turn[seen] > 0, "#ff7a6b", "#6fe0a0")
    x = v.position[near][seen]
    axis.scatter(x[:, 0], x[:, 2], s=size, c=colors, alpha=0.85, linewidths=0, zorder=4)


def draw_gradient(axis, sim):
    """An arrow at every open node where the gradient is a third of its largest."""
    places, is_open, _, slope = section(sim)
    size = np.linalg.norm(slope, axis=-1)
    seen = is_open & (size > size[is_open].max() / 3)
    axis.quiver(
        *(place[seen] for place in places),
        *slope[seen][:, [0, 2]].T,
        color="#f6e27a",
        width=0.0035,
        headwidth=4,
        scale=BRINE / SPACING * 9,
        zorder=3,
    )


def draw(path, frames=FRAMES):
    """Sections in the middle of the box, and where on its way that is."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    sim = fill()
    figure, axes = plt.subplots(1, 4, figsize=(14, 4.1), layout="constrained", facecolor="#0d0f12")
    for number, axis in zip(frames, axes.flat, strict=True):
        sim.step(number - sim.frame - 1)
        at, half = place(sim)[0], SIDE / 2
        corner = at - half, -half
        frame = plt.Rectangle(corner, SIDE, SIDE, fill=False, ec="w", lw=1.5, zorder=3)
        axis.add_patch(frame)
        draw_fluid(axis, sim, frame)
        draw_vortons(axis, sim)
        draw_gradient(axis, sim)
        rail = at + SIDE * (np.array([0, 1, at / WAY]) - 0.5)
        axis.plot(rail[:2], [-1.1 * half] * 2, c="#69717d", lw=2, solid_capstyle="round")
        axis.plot(rail[2], -1.1 * half, "o", c="w", ms=6)
        room = 1.06 * half
        axis.set(aspect="equal", xlim=(at - room, at + room), ylim=(-1.16 * half, room))
        axis.set_axis_off()
        axis.set_title(f"{sim.time:.1f} s", fontsize=11, color="w")
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
