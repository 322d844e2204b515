"""An explosion among standing stones: a ball of fuel burns, swells, rises, and dies to embers.

vorton preview examples/explosion.py explosion.webp --frames 1-72
vorton preview examples/explosion.py explosion.png --frames 27 --size 640x480 \\
    --eye 1.1 -6.4 1.2 --target 0.05 0 1.15
vorton bake examples/explosion.py explosion --frames 1-72

The scene is that of `vorton demo`: vorton/preview/demo.py says what each number does.
"""

import vorton as vt
from vorton.preview.demo import make_scene

scene = make_scene()

if __name__ == "__main__":
    vt.bake(scene, "cache/explosion", frames=(1, 72))
