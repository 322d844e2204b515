"""A plume: warm, smoky air rises from a disk, necks, puffs and rolls up.

vorton preview examples/plume.py plume.png --frames 72 --size 480x640
vorton bake examples/plume.py plume --frames 1-96
"""

import vorton as vt

scene = vt.Scene("plume", seed=1, voxel=0.02)
source = vt.Disk(radius=0.25, thickness=0.1)
scene.add(vt.Emitter(source, temperature=600, renew=6, core=0.045, lifetime=3))

if __name__ == "__main__":
    sim = vt.Simulation(scene)
    sim.step(24)
    print(sim, f"top at {sim.tracers.position[:, 2].max():.2f} m")
