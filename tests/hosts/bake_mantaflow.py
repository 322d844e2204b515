"""Bakes a plume of smoke with Mantaflow; run by a Blender that can: Debian's 3.4, no bpy wheel.

    blender -b -t 1 --factory-startup --python bake_mantaflow.py -- FOLDER CELL NOISE FRAMES

CELL is the width of a cell in m, NOISE the factor of the noise upres, 1: none. FOLDER gets the
cache, and bake.json: CPU seconds of each frame with its output, and where the grid of the last
frame lies in m, which an adaptive domain's .vdb files do not tell.
"""

import gzip
import json
import struct
import sys
import time
from pathlib import Path

import bpy

WIDTH, HEIGHT, BOTTOM = 2.0, 2.8, -0.4  # of the domain, m
FPS = 24
LEAST_CELL = 160  # byte of a config file where the lowest cell of the adaptive grid stands

options = sys.argv[sys.argv.index("--") + 1 :]
folder, cell = Path(options[0]).resolve(), float(options[1])
noise, frames = int(options[2]), int(options[3])
cache = folder / "cache"


def add_smoke():
    """The disk that smoke comes from, and the force that stirs it."""
    bpy.ops.mesh.primitive_cylinder_add(vertices=64, radius=0.25, depth=0.1)
    modifier = bpy.context.object.modifiers.new("Fluid", "FLUID")
    modifier.fluid_type = "FLOW"
    flow = modifier.flow_settings
    flow.flow_behavior, flow.flow_type = "INFLOW", "SMOKE"
    flow.density = flow.temperature = flow.volume_density = 1.0
    bpy.ops.object.effector_add(type="TURBULENCE")
    field = bpy.context.object.field
    field.strength, field.size, field.noise, field.flow, field.seed = 1.0, 0.2, 1, 0, 1
    field.use_max_distance, field.distance_max = True, 0.4


def add_domain():
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, BOTTOM + HEIGHT / 2))
    domain = bpy.context.object
    domain.scale = (WIDTH, WIDTH, HEIGHT)
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    modifier = domain.modifiers.new("Fluid", "FLUID")
    modifier.fluid_type = "DOMAIN"
    settings = modifier.domain_settings
    settings.domain_type, settings.use_adaptive_domain = "GAS", True
    settings.resolution_max = round(HEIGHT / cell)
    settings.alpha = settings.beta = 0.78  # rise by density and heat: as fast as air of 600 K
    settings.vorticity, settings.timesteps_max = 0.0, 4
    if noise > 1:
        settings.use_noise, settings.noise_scale = True, noise
    settings.cache_type, settings.cache_data_format = "ALL", "OPENVDB"
    settings.openvdb_data_depth = "16"
    settings.cache_frame_start, settings.cache_frame_end = 1, frames
    settings.cache_directory = str(cache)
    return domain


def lowest_corner(domain):
    """Of the grid of the last frame, m."""
    bpy.context.scene.frame_set(frames)
    shown = domain.evaluated_get(bpy.context.evaluated_depsgraph_get())
    settings = shown.modifiers["Fluid"].domain_settings
    config = gzip.open(cache / "config" / f"config_{frames:04d}.uni").read()
    least = struct.unpack_from("<3i", config, LEAST_CELL)
    width = list(settings.cell_size)
    start = [settings.start_point[a] + least[a] * width[a] for a in range(3)]
    return [start[a] + domain.location[a] for a in range(3)], width


for item in list(bpy.data.objects):
    bpy.data.objects.remove(item, do_unlink=True)
scene = bpy.context.scene
scene.frame_start, scene.frame_end, scene.render.fps = 1, frames, FPS
add_smoke()
domain = add_domain()
bpy.context.view_layer.objects.active = domain
bpy.context.view_layer.update()

spent, begun = {}, {}


def begin(scene, *_):
    begun[scene.frame_current] = time.process_time()


def end(scene, *_):
    frame = scene.frame_current
    if frame in begun:
        spent.setdefault(frame, time.process_time() - begun.pop(frame))


bpy.app.handlers.frame_change_pre.append(begin)
bpy.app.handlers.frame_change_post.append(end)
start = time.process_time()
bpy.ops.fluid.bake_all()
total = time.process_time() - start
corner, width = lowest_corner(domain)
record = {
    "version": bpy.app.version_string,
    "cpu": [spent[n] for n in range(1, frames + 1)],
    "cpu_total": total,
    "corner": corner,
    "cell": width,
    "frame_time": 0.1 * 25 / FPS,  # of a frame, in the time of its velocities
}
(folder / "bake.json").write_text(json.dumps(record))
