"""An explosion among standing stones: a ball of fuel burns, swells, rises, and dies to embers.

vorton preview examples/explosion.py explosion.webp --frames 1-72
vorton preview examples/explosion.py explosion.png --frames 27 --size 640x480 \\
    --eye 1.1 -6.4 1.2 --target 0.05 0 1.15
vorton bake examples/explosion.py explosion --frames 1-72

A ball of fuel on the ground, just hot enough, that burns in half a second (`rate`), glows as long
(`flame_time`), swells to three times its volume (`heat`) and rises. `swirl` as wide as the ball
throws out lobes; `flicker` and `taper` let some burn before others, so that the fireball has folds
of many colours. `renew=0`: the ball is filled once, at the start. `vorton demo` bakes this scene.
"""

import math

import vorton as vt

burns = vt.Combustion(rate=4.5, flame_time=0.6, heat=2.6e6, soot=0.8, radiation=300)
scene = vt.Scene("explosion", seed=5, voxel=0.028, combustion=burns, spacing=0.06)
lively = {"swirl": 6.0, "flicker": 0.9, "taper": 0.6}
fuel = {"temperature": 650, "fuel": 1.0, "renew": 0, "core": 0.06, "lifetime": 6}
scene.add(vt.Emitter(vt.Sphere((0, 0, 0.5), radius=0.45), **fuel, **lively))
scene.add(vt.Body(vt.Plane((0, 0, 0), (0, 0, 1)), "ground"))
# Stones stand around it, for the eye; the gas parts around them, and no panels are solved.
for stone, height in enumerate((1.25, 1.1, 1.4, 1.2, 1.35, 1.05, 1.3)):
    angle = math.radians(36 * stone - 18)
    x, y = 2.1 * math.cos(angle), 2.1 * math.sin(angle)
    scene.add(vt.Body(vt.Box((x - 0.15, y - 0.12, 0), (x + 0.15, y + 0.12, height)), panels=0))

if __name__ == "__main__":
    vt.bake(scene, "cache/explosion", frames=(1, 72))
