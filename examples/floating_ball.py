"""A ball falls into a tank of two fluids and bobs on the boundary between them.

It is lighter than the lower fluid and heavier than the upper one. Archimedes says where it floats:
where the fluid that it displaces weighs as much. It swings about that place at nearly the rate of

    omega^2 = g (rho_1 - rho_2) A / (m + m'),

with A its section where both fluids meet and m' half of the mass of the fluid in its place: a tenth
slower, in a tank not much wider than it and with a layer around it as wide as a core. It calms down
as it sheds vortices.

python examples/floating_ball.py                      # where it is, and how fast
python examples/floating_ball.py floating_ball.png    # and the picture (pip install matplotlib)
"""

import sys

import numpy as np

import vorton as vt

UPPER, LOWER, BALL = 700.0, 1000.0, 850.0  # kg/m^3

scene = vt.Scene("floating_ball", seed=2, voxel=0.04, ambient=vt.Liquid(density=UPPER))
scene.add(vt.Container(vt.Box((-1, -1, -0.8), (1, 1, 1))))
ball = vt.Sphere((0, 0, 0.5), 0.4)
scene.add(vt.Body(ball, density=BALL, name="ball"))
lower = vt.Box((-1, -1, -0.8), (1, 1, 0))  # dyed; the rim fills the rest of the tank with vortons
scene.add(vt.Emitter(lower, density=LOWER - UPPER, core=0.13, rim=1.0, renew=0))

TIMES = (0.0, 1.0, 1.9, 3.55)  # s: at the start, on its way, at its lowest, high again


def simulate():
    """At each time: where the ball is, and the dye in a slice through its middle; its whole way."""
    sim, moments = vt.Simulation(scene), []
    way = [(0.0, ball.center[2])]
    for time in TIMES:
        while sim.time < time - 0.5 / sim.fps:
            sim.step()
            way.append((sim.time, sim.bodies["ball"].position[2]))
        body, x = sim.bodies["ball"], sim.tracers.position
        moments.append((sim.time, body.position, x[np.abs(x[:, 1] - body.position[1]) < 0.1]))
        print(f"{sim.time:.2f} s: {body.position[2]:6.3f} m, {body.velocity[2]:6.3f} m/s")
    return moments, np.array(way)


def period():
    """By the formula, s."""
    volume, section = 4 / 3 * np.pi * ball.radius**3, np.pi * ball.radius**2
    inertia = (BALL + (UPPER + LOWER) / 4) * volume
    return 2 * np.pi / np.sqrt(9.81 * (LOWER - UPPER) * section / inertia)


def draw_dye(axis, dye):
    """As deep a blue as a look through the slice would be."""
    from matplotlib.colors import LinearSegmentedColormap

    colors = LinearSegmentedColormap.from_list("dye", ["#10151b", "#1b5f96", "#3d9ad9"])
    edges = np.linspace(-1, 1, 51), np.linspace(-0.8, 1, 46)
    count = np.histogram2d(dye[:, 0], dye[:, 2], edges)[0].T
    shade = 1 - np.exp(-2.5 * count / np.median(count[count > 0]))
    extent = (-1, 1, -0.8, 1)
    axis.imshow(shade, colors, extent=extent, origin="lower", interpolation="bicubic")


def draw_ball(axis, x, z):
    """A ball, lit from the upper left."""
    u, v = np.meshgrid(*[np.linspace(-1, 1, 240)] * 2)
    r = np.sqrt(np.minimum(u * u + v * v, 1))
    light = np.clip(-0.5 * u + 0.6 * v + 0.62 * np.sqrt(1 - r * r), 0, 1)
    color = np.array([0.95, 0.66, 0.28]) * (0.25 + 0.75 * light[..., None])
    edge = np.clip((1 - np.hypot(u, v)) * 60, 0, 1)
    radius = ball.radius
    extent = (x - radius, x + radius, z - radius, z + radius)
    picture = np.dstack([np.minimum(color, 1), edge])
    axis.imshow(picture, extent=extent, origin="lower", interpolation="bilinear", zorder=3)


def draw(path, moments, way):
    """The slices, with the line where both fluids met at first; below, the way of the ball."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    paper, ink = "#15191e", "#c9d2dc"
    figure = plt.figure(figsize=(13, 4.9), facecolor=paper, layout="constrained")
    rows = figure.add_gridspec(2, len(moments), height_ratios=(3, 1))
    for n, (time, center, dye) in enumerate(moments):
        place = figure.add_subplot(rows[0, n])
        draw_dye(place, dye)
        draw_ball(place, center[0], center[2])
        place.axhline(0, color="white", linewidth=0.6, linestyle=(0, (2, 4)), alpha=0.6)
        place.set(xlim=(-1, 1), ylim=(-0.8, 1), xticks=[], yticks=[])
        place.set_title(f"{time:.1f} s", color=ink, fontsize=11)
    below = figure.add_subplot(rows[1, :], facecolor=paper)
    below.plot(*way.T, color="#f2a847", linewidth=2)
    below.plot(*np.array([(t, c[2]) for t, c, _ in moments]).T, "o", color=ink, markersize=5)
    below.axhline(0, color="white", linewidth=0.6, linestyle=(0, (2, 4)), alpha=0.6)
    below.set(xlim=(-0.05, way[-1, 0] + 0.05))
    below.set_xlabel("time, s", color=ink)
    below.set_ylabel("height, m", color=ink)
    below.tick_params(colors=ink)
    below.spines[:].set_visible(False)
    figure.savefig(path, dpi=90, facecolor=paper)


if __name__ == "__main__":
    found, way = simulate()
    turns = np.flatnonzero(np.diff(np.sign(np.diff(way[:, 1])))) + 1
    print(f"it turns at {' and '.join(f'{t:.2f}' for t in way[turns, 0])} s")
    print(f"a swing by the formula: {period():.2f} s")
    if len(sys.argv) > 1:
        draw(sys.argv[1], found, way)
