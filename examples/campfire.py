"""A campfire: what flows through a disk half a metre wide burns in tongues, flickers and smokes."""

import vorton as vt

scene = vt.Scene("campfire", seed=11, combustion=vt.Combustion(rate=9, mixing=2.5), voxel=0.022)
bed = vt.Disk((0, 0, 0.05), radius=0.25, thickness=0.1)
fire = {"temperature": 700, "fuel": 0.9, "taper": 0.5, "flicker": 0.9, "swirl": 1.0, "renew": 2}
scene.add(vt.Emitter(bed, **fire, core=0.055, lifetime=1.3, per_voxel=24))

if __name__ == "__main__":
    vt.bake(scene, "cache/campfire", frames=(1, 96), volumes=vt.Volumes())
