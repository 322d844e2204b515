"""A campfire: what flows through a disk half a metre wide burns, flickers and smokes."""

import vorton as vt

scene = vt.Scene("campfire", seed=7, voxel=0.015, combustion=vt.Combustion())
bed = vt.Disk((0, 0, 0.04), radius=0.25, thickness=0.08)
scene.add(vt.Emitter(bed, temperature=800, fuel=1, swirl=0.4, core=0.14, smoke=0.5, lifetime=0.8))

if __name__ == "__main__":
    vt.bake(scene, "cache/campfire", frames=(1, 96), volumes=vt.Volumes())
