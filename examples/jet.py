"""A starting jet: puffs from a nozzle, each a small vortex ring, and the smoke that they carry.

vorton bake examples/jet.py jet --frames 1-60
vorton preview jet jet/jet.webp --size 480x640
vorton preview examples/jet.py jet.png --frames 56 --size 480x640
"""

import vorton as vt

scene = vt.Scene("jet", seed=2, voxel=0.012)
jet = scene.add(vt.Jet(radius=0.25, speed=2.5, core=0.03, tilt=0.12, wobble=0.04, seed=5, end=2.5))
scene.add(jet.smoke())

if __name__ == "__main__":
    sim = vt.Simulation(scene)
    sim.step(24)
    print(sim, f"top at {sim.tracers.position[:, 2].max():.2f} m")
