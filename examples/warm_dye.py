"""Warm water rises through dye that shows its temperature: a thick block, and a thin sheet.

The sheet is a section: in it one sees the pair of counter-rotating vortices that lifts the water
(articles, part 10, Figures 4 to 6).

vorton preview examples/warm_dye.py sheet.webp --frames 1-108 --dye --azimuth -80 --elevation 6
python examples/warm_dye.py warm_dye.png       # block above sheet, at three times
"""

import sys

import numpy as np

import vorton as vt
from vorton.preview import Camera, render, volume_bounds, write_film

COLD, WARM = 293.15, 313.15  # K
FRAMES = (37, 73, 109)
BLOCK, SHEET = 0.08, 0.006  # depth, m


def make_scene(depth, voxel=0.0018):
    scene = vt.Scene("warm_dye", ambient=vt.Water(COLD), thermal_diffusivity=1e-6, voxel=voxel)
    scene.detail = 0  # dye has a smooth edge: no eddies but those that one sees
    ball = vt.Sphere((0, 0, -0.01), radius=0.04)
    scene.add(vt.Emitter(ball, temperature=WARM, renew=0, core=0.005, smoke=0))
    scene.add(vt.Tracers(vt.Box((-0.11, -depth / 2, -0.07), (0.11, depth / 2, 0.07)), per_voxel=8))
    return scene


scene = make_scene(SHEET)


def draw(depth, voxel, size=(224, 210), frames=FRAMES, **light):
    """Three frames of one scene side by side."""
    sim = vt.Simulation(make_scene(depth, voxel))
    volumes = []
    for frame in frames:
        sim.step(frame - sim.frame - 1)
        volumes.append(sim.volume(voxel))
    camera = Camera.frame(*volume_bounds(volumes), size, azimuth=-80, elevation=6, margin=0.04)
    light["dye"] = (COLD, WARM - 2)
    return np.concatenate([render(v, camera, size, fire=False, **light) for v in volumes], axis=1)


if __name__ == "__main__":
    rows = [draw(BLOCK, 0.003, extinction=60), draw(SHEET, 0.0016)]  # one sees into the block
    write_film([np.concatenate(rows)], *(sys.argv[1:] or ["warm_dye.png"]))
