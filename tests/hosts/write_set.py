"""A scene that Blender writes as USD; run by a Python that can import bpy.

    python write_set.py RESULT STAGE

RESULT is JSON: for each frame the matrix of each object in the world of Blender, which is Z up and
in metres, and the vertices of the meshes.
"""

import json
import math
import os
import sys

import bpy

LAST = 6


def main(result, path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = 1, LAST, 12
    bpy.ops.mesh.primitive_cube_add(size=1)
    crate = bpy.context.object
    crate.name, crate.scale, crate.rotation_mode = "crate", (1, 2, 0.5), "QUATERNION"
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=1, radius=0.4, location=(0, 0, 3))
    rock = bpy.context.object
    rock.name = "rock"
    for frame, angle, height in ((1, 0.2, 0), (3, 1.2, 1), (LAST, 2.5, 0.5)):
        crate.location = (height, -1, 2 * height)
        half = angle / 2
        crate.rotation_quaternion = (math.cos(half), 0.6 * math.sin(half), 0, 0.8 * math.sin(half))
        rock.rotation_euler = (0, angle, 0)
        for thing, what in ((crate, "location"), (crate, "rotation_quaternion"),
                            (rock, "rotation_euler")):
            thing.keyframe_insert(what, frame=frame)
    rock.parent = crate
    crate.scale = (1.5, 1.5, 1.5)
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    camera.location, camera.rotation_euler = (3, -8, 2), (1.3, 0, 0.4)
    camera.data.sensor_fit, camera.data.angle_y = "VERTICAL", math.radians(40)
    report = []
    for frame in range(1, LAST + 1):
        scene.frame_set(frame)
        report.append({thing.name: [list(row) for row in thing.matrix_world]
                       for thing in (crate, rock, camera)})
    bpy.ops.wm.usd_export(filepath=path, export_animation=True)
    with open(result + ".part", "w") as file:
        json.dump({"matrices": report, "vertices": {
            thing.name: [list(vertex.co) for vertex in thing.data.vertices]
            for thing in (crate, rock)}}, file)
    os.replace(result + ".part", result)


if __name__ == "__main__":
    main(*sys.argv[1:])
