"""A drop of dyed brine falls in water: it rolls up into a ring, and what it sheds hangs in fingers.

vorton preview examples/dyed_drop.py drop.webp --frames 1-96 --size 480x640 --elevation 12
python examples/dyed_drop.py drop.png          # frame 84, as ink before a bright wall
"""

import sys

import vorton as vt
from vorton.preview import Camera, render, volume_bounds, write_film

CORE = 0.005  # of the vortons, m

scene = vt.Scene("dyed_drop", seed=3, ambient=vt.Water(), voxel=0.0016)
scene.detail = 0  # ink has a smooth edge: no eddies but those that one sees
drop = vt.Sphere(radius=0.05)
scene.add(vt.Emitter(drop, density=10, renew=0, core=CORE, swirl=0.01))  # kg/m^3 more, at once
push = {"radius": 0.033, "core": 0.014, "circulation": 0.02}  # the swirl of a drop that fell in
scene.add(vt.VortexRing(axis=(0, 0, -1), vorton_core=CORE, **push))

INK = {
    "albedo": (0.2, 0.35, 0.85),
    "background": ((0.55, 0.6, 0.62), (0.75, 0.8, 0.82)),
    "key_color": (1.6, 1.6, 1.6),
    "sky_color": (0.35, 0.4, 0.42),
    "ground_color": (0.2, 0.22, 0.24),
}

if __name__ == "__main__":
    sim = vt.Simulation(scene)
    sim.step(83)
    volume, size = sim.volume(scene.nominal_voxel), (480, 640)
    camera = Camera.frame(*volume_bounds([volume]), size, elevation=12)
    write_film([render(volume, camera, size, **INK)], *(sys.argv[1:] or ["drop.png"]))
