"""A candle: a flame as wide as a thumb, kept smooth by the viscosity of air and conduction of heat.
Its cores are a millimetre wide.

It burns without soot: what its tracers show is the flame alone, and the picture has hardly any
smoke. Gas that is .08 s old, some 5 cm above the wick, is let go: it would only be there for the
column above the flame, and cost three times the flame. Wax and wick are there for the picture; the
flow does not know of them.

python examples/candle.py               # bakes cache/candle
python examples/candle.py candle.png    # a picture
"""

import sys

import vorton as vt
from vorton.preview import Camera, Survey, render, write_film

FRAME, SIZE = 35, (360, 480)

wax = vt.Combustion(rate=40, flame_time=0.015, soot=0.0, mixing=0, heat=2.6e6)
scene = vt.Scene("candle", seed=3, combustion=wax, voxel=0.0005, spacing=0.001, detail=0)
scene.viscosity, scene.thermal_diffusivity = 1.5e-5, 2.1e-5  # of air, m^2/s
# So calm a flow bears long substeps with one solve each, and few vortons.
scene.method = vt.Method(time="extrapolated", turn=1.5, merge=3)
wick = vt.Sphere((0, 0, 0.005), radius=0.006)
flame = {"temperature": 900, "fuel": 1.0, "taper": 1.0, "renew": 8}  # K
scene.add(vt.Emitter(wick, **flame, core=0.001, lifetime=0.08, fade=0.7, per_voxel=16))


def draw():
    """The flame on its candle."""
    sim = vt.Simulation(scene)
    sim.step(FRAME - 1)
    volume, survey = sim.volume(0.0008), Survey()  # m; finer ones show single tracers
    survey.add(volume)
    camera = Camera((0.0, -0.17, 0.034), (0, 0, 0.014), field_of_view=21)
    light = survey.light(camera, SIZE)
    light["extinction"] *= 1e-3
    light["emission"] *= 2
    stick = vt.Scene("stick")
    stick.add(vt.Body(vt.Cylinder((0, 0, -0.0435), radius=0.011, length=0.08)))
    stick.add(vt.Body(vt.Cylinder((0, 0, -0.001), radius=0.0006, length=0.007)))
    return render(volume, camera, SIZE, bodies=vt.Simulation(stick), bloom=0.25, **light)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write_film([draw()], sys.argv[1])
    else:
        vt.bake(scene, "cache/candle", frames=(1, 48), volumes=vt.Volumes())
