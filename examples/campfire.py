"""A campfire: what flows through a disk half a metre wide burns in tongues, flickers and smokes.

vorton preview examples/campfire.py campfire.png --frames 84 --size 480x720
vorton preview examples/campfire.py campfire.webp --frames 1-96 --size 300x450
"""

import vorton as vt

burns = vt.Combustion(rate=4, flame_time=0.12, mixing=2.5)
scene = vt.Scene("campfire", seed=11, combustion=burns, voxel=0.016)
bed = vt.Disk((0, 0, 0.05), radius=0.25, thickness=0.1)
fire = {"temperature": 700, "fuel": 0.9, "taper": 0.5, "flicker": 0.9, "swirl": 0.5, "renew": 3}
scene.add(vt.Emitter(bed, **fire, core=0.05, lifetime=1.3, per_voxel=40))

if __name__ == "__main__":
    vt.bake(scene, "cache/campfire", frames=(1, 96), volumes=vt.Volumes())
