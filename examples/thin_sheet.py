"""A vortex ring goes through a thin sheet of dye, which few tracers show: as dots, and sharp.

python examples/thin_sheet.py thin_sheet.png    # the same 23 000 tracers, without and with `sharp`
vorton preview examples/thin_sheet.py thin_sheet.webp --frames 1-60 --sharp
"""

import sys

import numpy as np

import vorton as vt
from vorton.preview import Camera, measure_extinction, render, volume_bounds, write_film

FRAME, SIZE = 36, (460, 360)
THIN = 0.3  # of the extinction that suits smoke: dye that one sees through

scene = vt.Scene("thin_sheet", seed=1, voxel=0.014)
scene.add(vt.VortexRing(radius=0.5, core=0.1, circulation=1, axis=(0.1, 0, 1)))
scene.add(vt.Tracers(vt.Disk((0, 0, 0.21), radius=0.9, thickness=0.025), per_voxel=1))


def draw():
    """Both pictures, with the light and the camera of the first."""
    sim = vt.Simulation(scene)
    sim.step(FRAME - 1)
    volumes = [sim.volume(sharp=sharp) for sharp in (False, True)]
    camera = Camera.frame(*volume_bounds(volumes[:1]), SIZE, elevation=8, margin=0.0)
    light = {"extinction": THIN * measure_extinction(volumes[0], camera, SIZE)}
    return np.concatenate([render(v, camera, SIZE, **light) for v in volumes], axis=1)


if __name__ == "__main__":
    write_film([draw()], *(sys.argv[1:] or ["thin_sheet.png"]))
