"""A campfire: what flows through a disk half a metre wide burns in tongues, flickers and smokes."""

import vorton as vt

scene = vt.Scene("campfire", seed=7, combustion=vt.Combustion(rate=8), voxel=0.022)
bed = vt.Disk((0, 0, 0.05), radius=0.25, thickness=0.1)
fire = {"temperature": 800, "fuel": 1.0, "taper": 0.4, "flicker": 0.7, "swirl": 1.4, "renew": 3}
scene.add(vt.Emitter(bed, **fire, core=0.075, lifetime=1.5, per_voxel=20))

if __name__ == "__main__":
    vt.bake(scene, "cache/campfire", frames=(1, 96), volumes=vt.Volumes())
