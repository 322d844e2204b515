"""A smoke ring hits a ball, spreads over it, and parts around it.

vorton preview examples/ring_and_ball.py ball.webp --frames 1-36 --azimuth -140 --elevation 15
vorton preview examples/ring_and_ball.py ball.png --frames 25 --azimuth -140 --elevation 15
"""

import vorton as vt

CENTRE, AXIS = (-0.95, 0, 0), (1, 0, 0)

scene = vt.Scene("ring_and_ball", seed=1, voxel=0.012, detail=3, detail_strength=0.4)
scene.add(vt.VortexRing(CENTRE, AXIS, radius=0.3, core=0.1, circulation=2.5, layers=3))
scene.add(vt.Tracers(vt.Torus(CENTRE, AXIS, radius=0.3, thickness=0.1), per_voxel=8))
scene.add(vt.Body(vt.Sphere((0.35, 0.0, 0.06), 0.5), name="ball"))
