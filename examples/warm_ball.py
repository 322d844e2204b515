"""A ball warms the water around it: it rises through dye that shows its temperature, a thick block
and a thin sheet.

The sheet is a section: in it one sees the pair of vortices that lifts the water. The ball cools by
the heat that it gives (articles, part 10, Figures 1 and 4 to 6).

python examples/warm_ball.py                   # prints the books of the heat
python examples/warm_ball.py warm_ball.png     # block above sheet, at three times
"""

import sys

import numpy as np

import vorton as vt
from vorton.preview import Camera, render, write_film

COLD, WARM = 293.15, 333.15  # K
RADIUS = 0.03  # m
FRAMES = (73, 145, 217)
BLOCK, SHEET = 0.08, 0.006  # depth, m

ball = {"density": 8900, "specific_heat": 385, "held": True}  # copper


def make_scene(depth, voxel=0.002):
    scene = vt.Scene("warm_ball", ambient=vt.Water(COLD), thermal_diffusivity=1e-6, voxel=voxel)
    scene.add(vt.Body(vt.Sphere(radius=RADIUS), name="ball", temperature=WARM, **ball))
    dye = vt.Box((-0.11, -depth / 2, -0.05), (0.11, depth / 2, 0.2))
    scene.add(vt.Tracers(dye, per_voxel=8))
    return scene


scene = make_scene(SHEET)


def draw(depth, voxel, size=(240, 272), frames=FRAMES, **light):
    """Three frames of one scene side by side."""
    sim = vt.Simulation(make_scene(depth, voxel))
    low, high = (-0.11, -BLOCK / 2, -0.05), (0.11, BLOCK / 2, 0.2)
    camera = Camera.frame(low, high, size, azimuth=-80, elevation=6, margin=0.02)
    light["dye"] = (COLD, COLD + 10)
    light["key_direction"] = (-0.15, -1, 0.3)  # from in front: the ball's shadow is behind it
    pictures = []
    for frame in frames:
        sim.step(frame - sim.frame - 1)
        volume = sim.volume(0.8 * voxel)
        pictures.append(render(volume, camera, size, fire=False, bodies=sim, **light))
    return np.concatenate(pictures, axis=1)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        rows = [draw(BLOCK, 0.004, extinction=25), draw(SHEET, 0.002)]  # one sees into the block
        write_film([np.concatenate(rows)], sys.argv[1])
    else:
        sim = vt.Simulation(scene)
        for _ in range(4):
            sim.step(24)
            lost, gained = sim.bodies["ball"].heat_given, sim.health.heat
            at = sim.bodies["ball"].temperature
            print(
                f"{sim.time:.0f} s: ball {at:.2f} K, it gave {lost:.1f} J, water has {gained:.1f} J"
            )
