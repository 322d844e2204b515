"""A small fast ring flies through a large slow one, which tightens around it.

vorton preview examples/ring_through_ring.py through.webp --frames 1-48
vorton preview examples/ring_through_ring.py through.png --frames 15 --elevation 10
"""

import vorton as vt

AXIS = (0.9, -0.5, 0.15)

scene = vt.Scene("ring_through_ring", seed=1, voxel=0.011)
# distance along the axis, radius, core: m; circulation: m^2/s
for place, radius, core, circulation in ((0.0, 0.75, 0.09, 2.0), (-0.9, 0.3, 0.07, 1.2)):
    centre = tuple(place * a for a in AXIS)
    ring = vt.VortexRing(
        centre, AXIS, radius=radius, core=core, circulation=circulation, wobble=0.015
    )
    scene.add(ring)
    smoke = vt.Torus(centre, AXIS, radius=radius, thickness=1.1 * core)
    scene.add(vt.Tracers(smoke, per_voxel=12))
