"""Fire on the ground: it lights a ball beside it; its smoke parts around another, and both cast
shadows.

vorton preview examples/fire_and_spheres.py spheres.webp --frames 1-96 --azimuth -10 --elevation 6
vorton preview examples/fire_and_spheres.py spheres.png --frames 72 --azimuth -10 --elevation 6
"""

import vorton as vt

burns = vt.Combustion(rate=9, mixing=2.5)
scene = vt.Scene("fire_and_spheres", seed=4, combustion=burns, voxel=0.022)
bed = vt.Disk((0, 0, 0.05), radius=0.25, thickness=0.1)
fire = {"temperature": 700, "fuel": 0.9, "taper": 0.5, "flicker": 0.9, "swirl": 0.4, "renew": 4}
scene.add(vt.Emitter(bed, **fire, core=0.065, lifetime=1.3, per_voxel=24))
scene.add(vt.Body(vt.Plane((0, 0, 0), (0, 0, 1)), "ground"))
scene.add(vt.Body(vt.Sphere((0.25, -0.43, 0.16), radius=0.16)))
scene.add(vt.Body(vt.Sphere((0.05, 0.03, 1.15), radius=0.26)))

if __name__ == "__main__":
    vt.bake(scene, "cache/fire_and_spheres", frames=(1, 96), volumes=vt.Volumes())
