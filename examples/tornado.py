"""A tornado: a vortex field spins the air, an updraft draws it in over the ground, dust shows both.

vorton preview examples/tornado.py tornado.png --frames 84 --size 480x720 \\
    --eye 0.8 -6.5 1 --target 0.25 0 1.75 --fov 38
vorton bake examples/tornado.py tornado --frames 1-120
"""

import math
import random

import vorton as vt

VOXEL = 0.03  # m
SPACING = 0.06  # m

scene = vt.Scene("tornado", seed=4, voxel=VOXEL, spacing=SPACING, detail=3)
scene.add(vt.Body(vt.Plane((0, 0, 0), (0, 0, 1)), "ground"))

# It wanders over the ground, from which it reaches into the cloud.
way = [(t, (0.12 * (-1) ** t, 0.08 * (-1) ** (t // 2), 0)) for t in range(7)]
wander = vt.Transform(position=vt.Keys(way, "smooth"))
spin = vt.Keys([(0, 0.0), (0.8, 3.0)], "smooth")  # m^2/s
column = vt.Disk((0, 0, 1.5), radius=0.8, thickness=4)
scene.add(vt.Vortex(circulation=spin, core=0.15, shape=column, parent=wander))
throat = vt.Disk((0, 0, 1.5), radius=0.45, thickness=3.4)
scene.add(vt.UniformForce((0, 0, 1), strength=6, shape=throat, falloff=1, parent=wander))

# What lies on the ground is stirred up.
skirt = vt.Disk((0, 0, 0.1), radius=1.0, thickness=0.6)
scene.add(vt.Turbulence(strength=5, scale=0.3, shape=skirt, time=0.3))

dust = {"per_voxel": 6, "renew": 3, "lifetime": 2.4, "fade": 0.7}
scene.add(vt.Tracers(vt.Disk((0, 0, 0.06), radius=0.3, thickness=0.1), density=0.9, **dust))
scene.add(vt.Tracers(vt.Torus((0, 0, 0.1), radius=0.6, thickness=0.08), density=0.3, **dust))

# Vapour that condenses on the way up, where the funnel opens into the cloud.
for z, radius in ((1.5, 0.1), (1.9, 0.16), (2.3, 0.24), (2.65, 0.36)):
    ring = vt.Disk((0, 0, z), radius=radius, thickness=0.2)
    scene.add(vt.Tracers(ring, per_voxel=6, renew=5, lifetime=0.8, density=0.4, parent=wander))

# The cloud: lumps around its middle, which it turns, too.
lumps = random.Random(8)
for lump in range(28):
    r, angle = 1.7 * math.sqrt((lump + 0.5) / 28), 2.4 * lump
    radius = lumps.uniform(0.28, 0.42)
    center = (r * math.cos(angle), r * math.sin(angle), 3.15 + 0.1 * r + lumps.uniform(-0.1, 0.1))
    scene.add(vt.Tracers(vt.Sphere(center, radius), per_voxel=6, density=0.4))

if __name__ == "__main__":
    sim = vt.Simulation(scene)
    sim.step(24)
    print(sim)
