"""A ball warms the water around it: it rises through a sheet of dye that shows its temperature.

The ball cools by the heat that it gives (articles, part 10, Figures 1 and 4 to 6).

python examples/warm_ball.py                   # prints the books of the heat
python examples/warm_ball.py warm_ball.png     # three times side by side
"""

import sys

import numpy as np

import vorton as vt
from vorton.preview import Camera, render, write_film

COLD, WARM = 293.15, 333.15  # K
RADIUS = 0.03  # m
FRAMES = (73, 145, 217)
SHEET = vt.Box((-0.11, -0.003, -0.05), (0.11, 0.003, 0.2))

scene = vt.Scene("warm_ball", ambient=vt.Water(COLD), thermal_diffusivity=1e-6, voxel=0.002)
ball = {"density": 8900, "specific_heat": 385, "held": True}  # copper
scene.add(vt.Body(vt.Sphere(radius=RADIUS), name="ball", temperature=WARM, **ball))
scene.add(vt.Tracers(SHEET, per_voxel=8))


def paint_ball(picture, camera):
    """The ball, lit from above: half of it lies before the sheet."""
    height, width, _ = picture.shape
    away = np.linalg.norm(np.subtract(camera.eye, camera.target))
    pixel = 2 * away * np.tan(np.radians(camera.field_of_view / 2)) / height  # m
    x = (np.arange(width) - width / 2 + 0.5) * pixel
    z = camera.target[2] + (height / 2 - 0.5 - np.arange(height)[:, None]) * pixel
    depth = RADIUS**2 - x**2 - z**2
    light = np.clip((0.8 * z + 0.5 * np.sqrt(np.clip(depth, 0, None)) - 0.3 * x) / RADIUS, 0.12, 1)
    painted = np.array([206, 124, 86]) * light[..., None]
    return np.where(depth[..., None] > 0, painted, picture).astype(np.uint8)


def draw(size=(240, 272), frames=FRAMES):
    """Frames side by side."""
    sim = vt.Simulation(scene)
    camera = Camera.frame(SHEET.lower, SHEET.upper, size, azimuth=-90, elevation=0, margin=0.02)
    pictures = []
    for frame in frames:
        sim.step(frame - sim.frame - 1)
        picture = render(sim.volume(0.0016), camera, size, dye=(COLD, COLD + 10), fire=False)
        pictures.append(paint_ball(picture, camera))
    return np.concatenate(pictures, axis=1)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write_film([draw()], sys.argv[1])
    else:
        sim = vt.Simulation(scene)
        for _ in range(4):
            sim.step(24)
            lost, gained = sim.bodies["ball"].heat_given, sim.health.heat
            at = sim.bodies["ball"].temperature
            print(
                f"{sim.time:.0f} s: ball {at:.2f} K, it gave {lost:.1f} J, water has {gained:.1f} J"
            )
