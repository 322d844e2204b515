"""Fog pours down a flight of steps: heavy, cold and thin, from a low box in uneasy air.

vorton preview examples/fog.py fog.png --frames 66 --eye 3.2 -3.6 1.9 --target -0.65 0 0.5
vorton bake examples/fog.py fog --frames 1-96
"""

import vorton as vt

scene = vt.Scene("fog", seed=3, voxel=0.025)
scene.add(vt.Body(vt.Plane((0, 0, 0), (0, 0, 1)), "floor"))
steps = [vt.Box((-2 + 0.4 * n, -1.5, 0), (-1.6 + 0.4 * n, 1.5, 0.8 - 0.2 * n)) for n in range(4)]
scene.add(vt.Body(steps, "steps"))

# Thin smoke, a twentieth of the default, shows layers and rags, and no box with edges.
bank = vt.Box((-1.95, -1.2, 0.82), (-1.3, 1.2, 0.95))
fog = {"density": 0.5, "smoke": 0.05, "swirl": 0.5, "lifetime": 4}
scene.add(vt.Emitter(bank, **fog, core=0.045))

if __name__ == "__main__":
    sim = vt.Simulation(scene)
    sim.step(24)
    print(sim)
