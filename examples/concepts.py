"""What a vorton is: one moment of a ring as its vortons, as its tracers, and as smoke.

python examples/concepts.py concepts.png    # pip install matplotlib
"""

import sys

import numpy as np

import vorton as vt
from vorton.preview import Camera, Survey, render, write_film

FRAME, SIZE = 30, (440, 400)
AXIS = (1, -0.9, 0.35)

scene = vt.Scene("concepts", seed=1, voxel=0.014, detail=3, detail_strength=0.3)
scene.add(vt.VortexRing(radius=0.5, core=0.09, circulation=1, axis=AXIS, wobble=0.04))
scene.add(vt.Tracers(vt.Torus(radius=0.5, thickness=0.1, axis=AXIS), per_voxel=10))


def project(points, camera):
    """Pixels of points, and how far they are from the camera."""
    eye, target = np.array(camera.eye), np.array(camera.target)
    view = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(view, camera.up)
    right /= np.linalg.norm(right)
    away = points - eye
    depth = away @ view
    scale = SIZE[1] / 2 / np.tan(np.radians(camera.field_of_view / 2)) / depth
    x = SIZE[0] / 2 + (away @ right) * scale
    return x, SIZE[1] / 2 - (away @ np.cross(right, view)) * scale, depth


def dots(points, camera, **looks):
    """A picture of points by the camera, those far away first."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(SIZE[0] / 100, SIZE[1] / 100), dpi=100, facecolor="#1b222b")
    axis = figure.add_axes((0, 0, 1, 1))
    x, y, depth = project(points, camera)
    order = np.argsort(-depth)
    looks = {name: v[order] if isinstance(v, np.ndarray) else v for name, v in looks.items()}
    axis.scatter(x[order], y[order], linewidths=0, **looks)
    axis.set(xlim=(0, SIZE[0]), ylim=(SIZE[1], 0))
    axis.set_axis_off()
    figure.canvas.draw()
    picture = np.asarray(figure.canvas.buffer_rgba())[..., :3].copy()
    plt.close(figure)
    return picture


def draw():
    """The three side by side."""
    sim = vt.Simulation(scene)
    sim.step(FRAME - 1)
    volume = sim.volume()
    survey = Survey()
    survey.add(volume)
    camera = Camera.frame(survey.lower, survey.upper, SIZE, azimuth=-40, elevation=12, margin=0.05)
    strength = np.linalg.norm(sim.vortons.strength, axis=1)
    strength = strength / np.percentile(strength, 99)
    vortons = dots(sim.vortons.position, camera, s=14, c=strength, cmap="plasma", vmin=0, vmax=1)
    some = sim.tracers.position[::6]
    tracers = dots(some, camera, s=0.8, c="#dfe4ea", alpha=0.6)
    smoke = render(volume, camera, SIZE, **survey.light(camera, SIZE, None))
    return np.concatenate([vortons, tracers, smoke], axis=1)


if __name__ == "__main__":
    write_film([draw()], *(sys.argv[1:] or ["concepts.png"]))
