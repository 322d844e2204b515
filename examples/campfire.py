"""A campfire: what flows through a disk half a metre wide burns, flickers and smokes."""

import vorton as vt

scene = vt.Scene("campfire", seed=7, combustion=vt.Combustion(), voxel=0.022)
bed = vt.Disk((0, 0, 0.05), radius=0.25, thickness=0.1)
smoke = {"lifetime": 1.6, "per_voxel": 12}
scene.add(vt.Emitter(bed, temperature=800, fuel=1.0, swirl=0.5, core=0.07, **smoke))

if __name__ == "__main__":
    vt.bake(scene, "cache/campfire", frames=(1, 96), volumes=vt.Volumes())
