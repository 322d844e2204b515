"""An airfoil in a wind: threads of smoke bend over it and leave its tail downwards; it is lifted.

python examples/airfoil.py                      # lift and drag at three angles of attack
vorton preview examples/airfoil.py airfoil.png --frames 58 --azimuth -85 --elevation 10
"""

import numpy as np

import vorton as vt

CHORD, SPAN, WIND = 1.0, 1.2, 2.0  # m, m, m/s
ANGLE = 12.0  # of attack, degrees


def section(points=24, thickness=0.15):
    """The profile NACA 0015, its quarter chord at the origin: x, z, m."""
    x = 0.5 * (1 - np.cos(np.linspace(0, np.pi, points // 2)))
    z = (
        5
        * thickness
        * (0.2969 * np.sqrt(x) - 0.126 * x - 0.3516 * x**2 + 0.2843 * x**3 - 0.1036 * x**4)
    )
    return CHORD * np.stack([np.r_[x, x] - 0.25, np.r_[z, -z]], axis=1)


def make_scene(angle=ANGLE, threads=13):
    scene = vt.Scene("airfoil", seed=1, voxel=0.014, wind=(WIND, 0, 0), spacing=0.06)
    corners = [(x, y, z) for x, z in section() for y in (-SPAN / 2, SPAN / 2)]
    turned = vt.Transform(axis=(0, 1, 0), angle=angle)  # a nose that points against the wind rises
    scene.add(vt.Body(vt.Polytope(corners), name="airfoil", parent=turned))
    for height in np.linspace(-0.45, 0.55, threads) if threads else ():
        source = vt.Box((-1.22, -0.03, height - 0.012), (-1.2, 0.03, height + 0.012))
        scene.add(vt.Tracers(source, rate=4000, lifetime=1.9, fade=0.3))
    return scene


def mean_force(angle, seconds=1.0):
    """Drag and lift (N) on the airfoil, once the flow has set in."""
    sim = vt.Simulation(make_scene(angle, threads=0))
    sim.step(12)
    before = np.array(sim.bodies["airfoil"].flow_impulse)
    sim.step(round(seconds * sim.fps))
    force = (np.array(sim.bodies["airfoil"].flow_impulse) - before) / seconds
    return force[0], force[2]


scene = make_scene()

if __name__ == "__main__":
    for angle in (-ANGLE, 0.0, ANGLE):
        drag, lift = mean_force(angle)
        print(f"{angle:5.0f} degrees: lift {lift:6.2f} N, drag {drag:5.2f} N")
