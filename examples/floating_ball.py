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

TIMES = (0.0, 1.0, 1.9, 2.7, 3.55, 5.2)  # s: among them the turns


def simulate():
    """At each time: where the ball is, and the dye in a slice through its middle."""
    sim, moments, way = vt.Simulation(scene), [], []
    for time in TIMES:
        while sim.time < time - 0.5 / sim.fps:
            sim.step()
            way.append((sim.time, sim.bodies["ball"].position[2]))
        body, x = sim.bodies["ball"], sim.tracers.position
        moments.append((sim.time, body.position, x[np.abs(x[:, 1] - body.position[1]) < 0.06]))
        print(f"{sim.time:.2f} s: {body.position[2]:6.3f} m, {body.velocity[2]:6.3f} m/s")
    return moments, np.array(way)


def period():
    """By the formula, s."""
    volume, section = 4 / 3 * np.pi * ball.radius**3, np.pi * ball.radius**2
    inertia = (BALL + (UPPER + LOWER) / 4) * volume
    return 2 * np.pi / np.sqrt(9.81 * (LOWER - UPPER) * section / inertia)


def draw(path, moments):
    """The slices side by side; the line is where both fluids met at first."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, places = plt.subplots(1, len(moments), figsize=(13, 2.9), facecolor="#15191e")
    for place, (time, center, dye) in zip(places, moments, strict=True):
        place.scatter(dye[:, 0], dye[:, 2], s=0.5, c="#4f9fd0", alpha=0.5, linewidths=0)
        place.add_patch(plt.Circle((center[0], center[2]), ball.radius, color="#e8a54b"))
        place.axhline(0, color="white", linewidth=0.5, linestyle=":")
        place.set(xlim=(-1, 1), ylim=(-0.8, 1), aspect="equal", xticks=[], yticks=[])
        place.set_facecolor("#1f262e")
        place.set_title(f"{time:.2f} s", color="white", fontsize=10)
    figure.tight_layout()
    figure.savefig(path, dpi=90, facecolor=figure.get_facecolor())


if __name__ == "__main__":
    found, way = simulate()
    turns = np.flatnonzero(np.diff(np.sign(np.diff(way[:, 1])))) + 1
    print(f"it turns at {' and '.join(f'{t:.2f}' for t in way[turns, 0])} s")
    print(f"a swing by the formula: {period():.2f} s")
    if len(sys.argv) > 1:
        draw(sys.argv[1], found)
