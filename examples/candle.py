"""A candle: a flame as wide as a thumb, kept smooth by the viscosity of air and conduction of heat.
Its cores are a millimetre wide.

vorton preview examples/candle.py candle.png --frames 11 --size 240x480
"""

import vorton as vt

wax = vt.Combustion(rate=30, flame_time=0.04, soot=0.0, mixing=0, heat=2.6e6)
scene = vt.Scene("candle", seed=3, combustion=wax, voxel=0.0005, spacing=0.001, detail=0)
scene.viscosity, scene.thermal_diffusivity = 1.5e-5, 2.1e-5  # of air, m^2/s
scene.method = vt.Method(turn=1.5, merge=3)  # so calm a flow bears long substeps and few vortons
wick = vt.Sphere((0, 0, 0.005), radius=0.005)
flame = {"temperature": 900, "fuel": 0.8, "taper": 0.5, "renew": 12}  # K
scene.add(vt.Emitter(wick, **flame, core=0.001, lifetime=0.15, fade=0.7, per_voxel=10))

if __name__ == "__main__":
    vt.bake(scene, "cache/candle", frames=(1, 48), volumes=vt.Volumes())
