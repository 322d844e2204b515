"""What the controls of smoke and fire do: small pictures of one scene side by side.

python examples/controls.py swirl swirl.png
python examples/controls.py                  # names the controls
"""

import sys

import numpy as np

import vorton as vt
from vorton.preview import render_shot, write_film
from vorton.preview.shots import SceneShot

SIZE = (180, 300)  # of each picture
FRAME = {"smoke": 66, "fire": 40}


def smoke(swirl=0.0, flicker=0.0, lifetime=2.5, dissipation=0.0, detail=None, core=0.05, **method):
    """Warm smoke from a disk half a metre wide."""
    method = vt.Method(**method)
    scene = vt.Scene("smoke", seed=1, voxel=0.025, dissipation=dissipation, method=method)
    scene.detail = detail
    disk = vt.Disk(radius=0.25, thickness=0.1)
    plume = {"temperature": 500, "renew": 6, "core": core, "lifetime": lifetime, "per_voxel": 12}
    scene.add(vt.Emitter(disk, swirl=swirl, flicker=flicker, **plume))
    return scene


def plain_smoke(core):
    """The same without eddies below the grid: the core alone decides how fine it is."""
    return smoke(core=core, detail=0)


def lively_smoke(**method):
    """The same full of eddies from the start: what liveliness keeps or smooths away."""
    return smoke(swirl=1.0, **method)


COLUMN = vt.Cylinder((0, 0, 1), radius=0.7, length=6)
FORCES = {
    "none": (),
    "wind": (vt.Wind((0.3, 0, 0)),),
    "vortex": (vt.Vortex(circulation=3.0, core=0.2, shape=COLUMN),),
    "attractor": (vt.Attractor((0.4, 0, 1.3), strength=0.8, radius=0.4),),
}


def forced_smoke(force):
    """The same in a force field."""
    scene = smoke(swirl=0.3)
    for effect in FORCES[force]:
        scene.add(effect)
    return scene


def fire(**combustion):
    """A fire on a disk half a metre wide."""
    scene = vt.Scene("fire", seed=7, voxel=0.03, combustion=vt.Combustion(**combustion))
    bed = vt.Disk((0, 0, 0.05), radius=0.25, thickness=0.1)
    scene.add(vt.Emitter(bed, temperature=800, fuel=1.0, core=0.07, lifetime=1.8, per_voxel=40))
    return scene


# The scene, and what it is made with in each picture. Defaults: no swirl, no force, no dissipation,
# smoke that lasts; else the middle one.
CONTROLS = {
    "core": (plain_smoke, "core", (0.12, 0.06, 0.035)),
    "liveliness": (lively_smoke, "exchange", (0.1, 0.3, 1.0)),
    "dissipation": (smoke, "dissipation", (0.3, 1.0, 3.0)),
    "lifetime": (smoke, "lifetime", (1.3, 1.9, 2.5)),
    "force_fields": (forced_smoke, "force", tuple(FORCES)),
    "buoyancy_scale": (smoke, "buoyancy_scale", (0.5, 1.0, 2.0)),
    "detail": (smoke, "detail", (0, 1, 3, 4)),
    "swirl": (smoke, "swirl", (0.0, 0.3, 1.0)),
    "flicker": (smoke, "flicker", (0.0, 0.5, 1.0)),
    "cooling": (fire, "mixing", (0.0, 1.0, 4.0)),
    "radiation": (fire, "radiation", (0.0, 400.0, 2000.0)),
    "flame_time": (fire, "flame_time", (0.05, 0.1, 0.2)),
}


def draw(control, frame=None):
    """The strip: one camera, one light."""
    make, name, values = CONTROLS[control]
    frame = frame or FRAME["fire" if make is fire else "smoke"]
    volumes = []
    for value in values:
        (volume,) = SceneShot(make(**{name: value}), (frame, frame))
        volumes.append(volume)
    return np.concatenate(list(render_shot(volumes, size=SIZE)), axis=1)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in CONTROLS:
        sys.exit(f"{__doc__}\ncontrols: {', '.join(CONTROLS)}")
    write_film([draw(sys.argv[1])], sys.argv[2])
    _, name, values = CONTROLS[sys.argv[1]]
    print(f"{sys.argv[2]}: {name} =", ", ".join(map(str, values)))
