"""A small fast ring flies through a large slow one, which tightens around it.

vorton preview examples/ring_through_ring.py through.webp --frames 1-48
vorton preview examples/ring_through_ring.py through.png --frames 15 --azimuth -58 --elevation 10
"""

import vorton as vt

AXIS = (0.9, -0.5, 0.15)

scene = vt.Scene("ring_through_ring", seed=1, voxel=0.01)
# distance along the axis, radius, core: m; circulation: m^2/s
for place, radius, core, circulation in ((0.0, 0.8, 0.08, 1.5), (-0.7, 0.4, 0.05, 1.5)):
    centre = tuple(place * a for a in AXIS)
    ring = vt.VortexRing(
        centre, AXIS, radius=radius, core=core, circulation=circulation, wobble=0.015
    )
    scene.add(ring)
    smoke = vt.Torus(centre, AXIS, radius=radius, thickness=1.2 * core)
    scene.add(vt.Tracers(smoke, per_voxel=12))
