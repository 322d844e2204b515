"""Two rings, linked like a chain: where they meet they join, and the link comes undone.

vorton preview examples/linked_rings.py linked.webp --frames 1-72
vorton preview examples/linked_rings.py linked.png --frames 29 --elevation 15
"""

import vorton as vt

RADIUS, CORE = 0.5, 0.06  # m

scene = vt.Scene("linked_rings", seed=1, voxel=0.01)
for centre, axis in (((-0.25, 0, 0), (0, 0.25, 1)), ((0.25, 0, 0), (0, 1, -0.25))):
    scene.add(vt.VortexRing(centre, axis, radius=RADIUS, core=CORE, circulation=1.0))
    smoke = vt.Torus(centre, axis, radius=RADIUS, thickness=1.2 * CORE)
    scene.add(vt.Tracers(smoke, per_voxel=12))
