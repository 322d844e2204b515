"""A ball falls into a tank of two fluids and comes to rest on the boundary between them.

It is lighter than the lower fluid and heavier than the upper one. Archimedes says where it floats:
where the fluid that it displaces weighs as much. The ball makes no waves here: `damping` stands for
what they and the drag take from it.

python examples/floating_ball.py                      # where it is, and how fast
python examples/floating_ball.py floating_ball.png    # and the picture (pip install matplotlib)
"""

import sys

import numpy as np

import vorton as vt

UPPER, LOWER, BALL = 700.0, 1000.0, 850.0  # kg/m^3

scene = vt.Scene("floating_ball", seed=2, voxel=0.04, ambient=vt.Liquid(density=UPPER))
scene.add(vt.Container(vt.Box((-1, -1, -0.8), (1, 1, 1))))
ball = vt.Sphere((0, 0, 0.6), 0.3)
scene.add(vt.Body(ball, density=BALL, damping=2.0, panels=0, name="ball"))
lower = vt.Box((-1, -1, -0.8), (1, 1, 0))  # dyed; the rim fills the rest of the tank with vortons
scene.add(vt.Emitter(lower, density=LOWER - UPPER, core=0.2, rim=1.0, renew=0))

TIMES = (0.0, 0.5, 1.0, 1.75, 2.5, 4.0)  # s


def simulate():
    """At each time: where the ball is, and the dye in a slice through its middle."""
    sim, moments = vt.Simulation(scene), []
    for time in TIMES:
        if time > sim.time:
            sim.step(round((time - sim.time) * sim.fps))
        body, x = sim.bodies["ball"], sim.tracers.position
        moments.append((sim.time, body.position, x[np.abs(x[:, 1] - body.position[1]) < 0.06]))
        print(f"{sim.time:.2f} s: {body.position[2]:6.3f} m, {body.velocity[2]:6.3f} m/s")
    return moments


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
    found = simulate()
    if len(sys.argv) > 1:
        draw(sys.argv[1], found)
