"""A dragon's breath: burning gas that a force drives from its mouth against a wall.

vorton preview examples/dragon.py dragon.png --frames 24 --azimuth -110 --elevation 12
vorton preview examples/dragon.py dragon.webp --frames 1-48 --azimuth -110 --elevation 12
"""

import vorton as vt

burns = vt.Combustion(rate=4, flame_time=0.25)
scene = vt.Scene("dragon", seed=3, combustion=burns, voxel=0.04)
scene.add(vt.Body(vt.Plane((0, 0, 0), (0, 0, 1)), "floor"))
scene.add(vt.Body(vt.Box((3, -2, 0), (3.3, 2, 3)), "wall", shedding=0))

mouth = vt.Disk((0.1, 0, 1.2), axis=(1, 0, 0), radius=0.2, thickness=0.3)
gas = {"temperature": 900, "fuel": 1, "swirl": 1, "renew": 20, "lifetime": 1.5}
scene.add(vt.Emitter(mouth, **gas, core=0.07, end=1.2))
breath = vt.Cylinder((0.25, 0, 1.2), axis=(1, 0, 0), radius=0.3, length=0.5)
scene.add(vt.UniformForce((1, 0, 0), strength=200, shape=breath))  # m/s^2

if __name__ == "__main__":
    vt.bake(scene, "cache/dragon", frames=(1, 48))
