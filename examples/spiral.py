"""A nozzle flies up a spiral and leaves a trail of smoke: an emitter on transforms that move.

vorton bake examples/spiral.py spiral --frames 1-84
vorton preview spiral spiral/spiral.webp --size 480x640
"""

import random

import vorton as vt

SECONDS = 3.0
TURNS = 3.0
RADIUS = 0.09  # of the nozzle, m
PUFF = 0.05  # seconds between two rings
VOXEL = 0.02  # m

scene = vt.Scene("spiral", seed=3, voxel=VOXEL)

# The mast rises and turns; the arm on it draws in as it goes; the nozzle at its end looks back.
mast = vt.Transform(
    position=vt.Keys([(0, (0, 0, 0)), (SECONDS, (0, 0, 2.4))], "smooth"),
    angle=vt.Keys([(0, 0), (SECONDS, 360 * TURNS)]),
)
arm = vt.Transform(
    position=vt.Keys([(0, (1.1, 0, 0)), (SECONDS, (0.25, 0, 0))]),
    scale=vt.Keys([(0, 1.4), (SECONDS, 0.7)]),
    parent=mast,
)

# The smoke swells and dies away.
rate = vt.Keys([(0, 0), (0.3, 1), (2.5, 1), (SECONDS, 0)], "smooth")
nozzle = vt.Sphere(radius=RADIUS)
scene.add(vt.Tracers(nozzle, per_voxel=8, renew=vt.Keys([(t, 60 * v) for t, v in rate.keys], "smooth"),
                     end=SECONDS, parent=arm))

# Small rings, each born where the nozzle is at that moment, roll the trail up.
tilt = random.Random(5)
for puff in range(int(SECONDS / PUFF)):
    scene.add(
        vt.VortexRing(
            axis=(tilt.gauss(0, 0.3), -1, tilt.gauss(0, 0.3)),
            radius=RADIUS,
            core=0.055,
            layers=0,
            circulation=0.09 * rate.at(puff * PUFF),
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
