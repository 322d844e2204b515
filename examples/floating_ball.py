"""A ball falls into a tank of two fluids and comes to rest on the boundary between them.

It is lighter than the lower fluid and heavier than the upper one. Archimedes says where it floats:
where the fluid that it displaces weighs as much.

vorton preview examples/floating_ball.py floating_ball.png --frames 96 --size 480x480
"""

import numpy as np

import vorton as vt

UPPER, LOWER, BALL = 700.0, 1000.0, 850.0  # kg/m^3

scene = vt.Scene("floating_ball", seed=2, voxel=0.04, ambient=vt.Liquid(density=UPPER))
scene.add(vt.Container(vt.Box((-1, -1, -0.8), (1, 1, 1))))
ball = vt.Sphere((0, 0, 0.6), 0.3)
scene.add(vt.Body(ball, density=BALL, damping=2.0, restitution=0.2, name="ball"))
lower = vt.Box((-1, -1, -0.8), (1, 1, 0))  # dyed; the rim fills the rest of the tank with vortons
scene.add(vt.Emitter(lower, density=LOWER - UPPER, core=0.2, rim=1.0, renew=0))

if __name__ == "__main__":
    sim = vt.Simulation(scene)
    for _ in range(6):
        sim.step(16)
        ball = sim.bodies["ball"]
        print(f"{sim.time:.1f} s: {np.round(ball.position[2], 3)} m, {ball.velocity[2]:.3f} m/s")
