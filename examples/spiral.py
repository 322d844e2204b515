"""A nozzle flies up a spiral and leaves a trail of smoke: an emitter on transforms that move.

vorton bake examples/spiral.py spiral --frames 1-84
vorton preview examples/spiral.py spiral.png --frames 84 --size 480x640 \\
    --eye -3.2 -6.6 0.7 --target 0 0 1.55
vorton preview spiral spiral/spiral.webp --size 480x640 --eye -3.2 -6.6 0.7 --target 0 0 1.55
"""

import random

import vorton as vt

SECONDS = 3.0
TURNS = 3.0
RADIUS = 0.085  # of the nozzle, m
PUFF = 0.025  # seconds between two rings
VOXEL = 0.018  # m; examples/pictures/spiral.png was made with 0.015

scene = vt.Scene("spiral", seed=3, voxel=VOXEL)

# The mast rises and turns; the arm on it draws in as it goes; the nozzle at its end looks back.
mast = vt.Transform(
    position=vt.Keys([(0, (0, 0, 0)), (SECONDS, (0, 0, 3.2))]),
    angle=vt.Keys([(0, 0), (SECONDS, 360 * TURNS)]),
)
arm = vt.Transform(
    position=vt.Keys([(0, (1.1, 0, 0)), (SECONDS, (0.3, 0, 0))]),
    scale=vt.Keys([(0, 1.4), (SECONDS, 0.7)]),
    parent=mast,
)

# The smoke swells and dies away.
flow = vt.Keys([(0, 0), (0.25, 60), (2.4, 60), (SECONDS, 0)], "smooth")
nozzle = vt.Sphere(radius=RADIUS)
scene.add(vt.Tracers(nozzle, per_voxel=16, renew=flow, end=SECONDS, parent=arm))

# Small rings, each born where the nozzle is at that moment, roll the trail up.
tilt = random.Random(5)
for puff in range(int(SECONDS / PUFF)):
    scene.add(
        vt.VortexRing(
            axis=(tilt.gauss(0, 0.5), -1, tilt.gauss(0, 0.5)),
            radius=RADIUS,
            core=0.05,
            layers=0,
            circulation=0.055 * flow.at(puff * PUFF) / 60,
            wobble=0.05,
            seed=puff,
            time=puff * PUFF,
            parent=arm,
        )
    )

if __name__ == "__main__":
    sim = vt.Simulation(scene)
    sim.step(24)
    print(sim)
