"""Leapfrogging rings: the one behind shrinks, slips through the one in front, and so on in turn.

vorton preview examples/leapfrog.py leapfrog.webp --frames 1-96
vorton preview examples/leapfrog.py leapfrog.png --frames 10 --azimuth -62 --elevation 14
"""

import vorton as vt

AXIS = (1, -0.35, 0.2)
RADIUS, CORE, APART = 0.5, 0.07, 0.4  # m

scene = vt.Scene("leapfrog", seed=1, voxel=0.01)
for side in (-0.5, 0.5):
    centre = tuple(side * APART * a for a in AXIS)
    ring = vt.VortexRing(centre, AXIS, radius=RADIUS, core=CORE, circulation=1.5, wobble=0.03)
    scene.add(ring)
    smoke = vt.Torus(centre, AXIS, radius=RADIUS, thickness=1.2 * CORE)
    scene.add(vt.Tracers(smoke, per_voxel=12))
