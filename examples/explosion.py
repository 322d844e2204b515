"""An explosion: a ball of fuel, just hot enough to burn, swells, rises, and dies to embers.

vorton preview examples/explosion.py explosion.webp --frames 1-72
vorton bake examples/explosion.py explosion --frames 1-72
"""

import vorton as vt

# What makes it: fuel that burns in some tenths of a second (rate), glows as long (flame_time), and
# heats the gas so much that it swells to three times its volume (heat); swirl as wide as the ball
# throws out lobes. renew=0: the ball is filled once, at the start.
burns = vt.Combustion(rate=4.5, flame_time=0.5, heat=2.3e6, soot=0.8, radiation=300)
scene = vt.Scene("explosion", seed=5, voxel=0.028, combustion=burns, spacing=0.06)
fuel = {"temperature": 650, "fuel": 1.0, "swirl": 6.0, "flicker": 0.4, "renew": 0}
scene.add(vt.Emitter(vt.Sphere((0, 0, 0.5), radius=0.45), **fuel, core=0.06, lifetime=6))

if __name__ == "__main__":
    vt.bake(scene, "cache/explosion", frames=(1, 72))
