"""A smoke ring flies at a ball, widens, and parts around it.

vorton preview examples/ring_and_ball.py ball.webp --frames 1-60
vorton preview examples/ring_and_ball.py ball.png --frames 30 --azimuth 60
"""

import vorton as vt

CENTRE, AXIS = (-0.9, 0, 0), (1, 0, 0)

scene = vt.Scene("ring_and_ball", seed=1, voxel=0.011)
scene.add(vt.VortexRing(CENTRE, AXIS, radius=0.42, core=0.1, circulation=2.5, wobble=0.01))
scene.add(vt.Tracers(vt.Torus(CENTRE, AXIS, radius=0.42, thickness=0.13), per_voxel=8))
scene.add(vt.Body(vt.Sphere((0.25, 0.06, -0.03), 0.3), name="ball"))
