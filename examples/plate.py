"""A plate tumbles through still air: it moves, and spins about two axes.

Smoke comes off its edges, and the wake behind the plate rolls it up.

vorton preview examples/plate.py plate.webp --frames 1-60 --azimuth -70 --elevation 12
vorton preview examples/plate.py plate.png --frames 36 --azimuth -70 --elevation 12
"""

import vorton as vt

HALF, THICK = 0.3, 0.03  # of the plate, m
WAY = vt.Keys([(0, (-1.3, 0, 0)), (2.5, (1.7, 0, 0))])  # m, at 1.2 m/s
YAW = vt.Keys([(0, 0), (2.5, 240)])  # degrees, about the vertical
PITCH = vt.Keys([(0, 60), (2.5, 500)])  # and about an axis in the plate, carried along by the yaw

scene = vt.Scene("plate", seed=3, voxel=0.014, detail=3, detail_strength=0.5)
path = vt.Transform(position=WAY, axis=(0, 0, 1), angle=YAW)
spin = vt.Transform(axis=(0, 1, 0), angle=PITCH, parent=path)
scene.add(vt.Body(vt.Box((-HALF, -HALF, -THICK), (HALF, HALF, THICK)), name="plate", parent=spin))
for end in (-1, 1):
    near, far = sorted((end * (HALF + 0.005), end * (HALF + 0.035)))
    for box in (
        vt.Box((near, -HALF, -THICK), (far, HALF, THICK)),
        vt.Box((-HALF, near, -THICK), (HALF, far, THICK)),
    ):
        scene.add(vt.Tracers(box, rate=24000, lifetime=1.6, fade=0.5, parent=spin))
