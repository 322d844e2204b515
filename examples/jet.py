"""A starting jet: puffs of smoke from a nozzle, each a small vortex ring born at its own time.

vorton bake examples/jet.py jet --frames 1-60
vorton preview jet jet/jet.webp --size 480x640
"""

import random

import vorton as vt

NOZZLE = 0.25  # radius, m
SPEED = 2.5  # of the jet, m/s
PUFF = 0.05  # seconds between two rings
SECONDS = 2.5
VOXEL = 0.022  # m; the picture in README.md was made with 0.014

scene = vt.Scene("jet", seed=2, voxel=VOXEL)
random_tilt = random.Random(4)

# A jet of speed U sheds the circulation U^2 / 2 a second from the lip of its nozzle.
for puff in range(int(SECONDS / PUFF)):
    tilt = random_tilt.gauss(0, 0.1), random_tilt.gauss(0, 0.1)
    scene.add(
        vt.VortexRing(
            axis=(*tilt, 1),
            radius=NOZZLE,
            core=0.045,
            circulation=SPEED**2 / 2 * PUFF,
            wobble=0.04,
            seed=puff,
            time=puff * PUFF,
        )
    )

# The smoke leaves at about half the speed of the jet's axis: the disk is renewed that often.
slab = vt.Disk(radius=0.95 * NOZZLE, thickness=0.1)
scene.add(vt.Tracers(slab, renew=0.6 * SPEED / slab.thickness, end=SECONDS))

if __name__ == "__main__":
    sim = vt.Simulation(scene)
    sim.step(24)
    print(sim, f"top at {sim.tracers.position[:, 2].max():.2f} m")
