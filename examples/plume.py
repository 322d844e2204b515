"""A plume: warm, smoky air rises from a disk, necks, puffs and rolls up.

vorton preview examples/plume.py plume.webp --frames 1-72
vorton bake examples/plume.py plume --frames 1-96
python examples/plume.py plume.png      # a picture of a finer one, in a minute or two
"""

import math
import sys

import vorton as vt
from vorton.preview import Camera, render, write_film

FRAME, SIZE = 50, (480, 640)

scene = vt.Scene("plume", seed=1, voxel=0.02)
source = vt.Disk(radius=0.25, thickness=0.1)
scene.add(vt.Emitter(source, temperature=600, renew=6, core=0.045, lifetime=3))


def make_fine(core=0.025):
    """The same with narrower cores, on cells as wide, and eddies in its source (m/s), whose smoke
    thins to its sides and in patches."""
    fine = vt.Scene("fine_plume", seed=1, voxel=0.4 * core)
    fine.method = vt.Method(time="extrapolated")
    uneven = {"swirl": 0.3, "taper": 1, "flicker": 1}
    fine.add(vt.Emitter(source, temperature=600, renew=6, **uneven, core=core, lifetime=3))
    return fine


def draw():
    """The fine plume, from its source to its top."""
    sim = vt.Simulation(make_fine())
    sim.step(FRAME - 1)
    top = float(sim.tracers.position[:, 2].max())
    height = top + 0.3
    middle, away = top / 2 - 0.02, 5.2
    angle = 2 * math.degrees(math.atan(height / 2 / away))
    camera = Camera((0.0, -away, middle + 0.3), (0.0, 0.0, middle), field_of_view=angle)
    return render(sim.volume(), camera, SIZE)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write_film([draw()], sys.argv[1])
    else:
        sim = vt.Simulation(scene)
        sim.step(24)
        print(sim, f"top at {sim.tracers.position[:, 2].max():.2f} m")
