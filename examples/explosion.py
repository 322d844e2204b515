"""An explosion: a ball of fuel that burns all at once, and rises as a cloud of smoke."""

import vorton as vt

burns = vt.Combustion(rate=12, flame_time=0.2, mixing=1.5)
scene = vt.Scene("explosion", seed=5, combustion=burns, voxel=0.04, spacing=0.1)
charge = vt.Sphere((0, 0, 0.7), radius=0.35)
fuel = {"temperature": 900, "fuel": 1.0, "taper": 0.3, "flicker": 0.7, "swirl": 3}
scene.add(vt.Emitter(charge, **fuel, renew=0, core=0.1, smoke=3, per_voxel=60))
scene.add(vt.Body(vt.Plane(), name="ground"))

if __name__ == "__main__":
    vt.bake(scene, "cache/explosion", frames=(1, 72))
