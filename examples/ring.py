"""A dyed vortex ring: ten lines from nothing to frames that Blender loads.

python examples/ring.py                           # steps it and prints how fast it moves
vorton bake examples/ring.py ring --frames 1-48   # ring/ring_0001.vdb, .npz, ring.json
vorton preview ring ring/ring.webp
vorton preview examples/ring.py ring.png --frames 36 --azimuth -25 --elevation 8 --voxel 0.011
"""

import vorton as vt

scene = vt.Scene("ring", seed=1, voxel=0.015, detail=3, detail_strength=0.4)
AXIS = (1, -0.6, 0.5)
scene.add(vt.VortexRing(radius=0.5, core=0.08, circulation=1.0, axis=AXIS, wobble=0.03))
scene.add(vt.Tracers(vt.Torus(radius=0.5, thickness=0.1, axis=AXIS), per_voxel=16))

if __name__ == "__main__":
    sim = vt.Simulation(scene, fps=24)
    start = sim.vortons.position.mean(axis=0)
    for frame in sim.frames(48):
        if frame % 12 == 0:
            print(f"frame {frame}: {sim.tracers.count} tracers")
    way = sim.vortons.position.mean(axis=0) - start
    print(f"the ring moves at {(way @ way) ** 0.5 / sim.time:.3f} m/s")
