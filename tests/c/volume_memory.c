/* Makes a volume and a file of it again and again, with one allocation refused each time: the
 * first, the second ... until none is. Every refusal must give VT_OUT_OF_MEMORY and leave nothing
 * behind (the program is built with the address sanitizer, which reports leaks at the end). Linked
 * with
 * --wrap for the four functions below. Prints how many allocations there are. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/vec3.h"
#include "kernels/dispatch.h"
#include "volume/walls.h"

/* The kernels that volumes take; the others are not linked. */
const vt_stage_table *vti_stages(void)
{
    static const vt_stage_table stages = {.filter_leaf = vti_scalar_filter_leaf,
                                          .halve = vti_scalar_halve};
    return &stages;
}

/* In the place of the simulation that has the bodies: one ball, where the space of the body is the
 * world. */
vt_status vti_enter(vt_simulation *simulation)
{
    (void)simulation;
    return VT_OK;
}

vt_status vti_leave(vt_simulation *simulation, vt_status status)
{
    (void)simulation;
    return status;
}

vt_status vti_list_walls(const vt_simulation *simulation, vt_walls *walls)
{
    *walls = (vt_walls){.items = NULL};
    if (!simulation)
        return VT_OK;
    walls->items = vti_allocate(sizeof *walls->items);
    if (!walls->items)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for walls");
    const vt_pose pose = {.matrix = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .scale = 1};
    walls->count = 1;
    *walls->items = (vt_wall){.pose = pose, .scale = 1, .reach = 0.7};
    return VT_OK;
}

double vti_solid_distance(const vt_solid *solid, const double point[3], double normal[3])
{
    (void)solid;
    memcpy(normal, point, 3 * sizeof *normal);
    return vti_normalise(normal) - 0.7;
}

void vti_pose_direction(const vt_pose *pose, const double direction[3], double world[3])
{
    (void)pose;
    memcpy(world, direction, 3 * sizeof *world);
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);

static _Atomic int64_t left; /* allocations until one is refused */

static int refuse(void)
{
    return left-- == 0;
}

void *__wrap_malloc(size_t bytes)
{
    return refuse() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return refuse() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return refuse() ? NULL : __real_realloc(old, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return refuse() ? NULL : __real_aligned_alloc(alignment, bytes);
}

static vt_status turn(void *context, int64_t count, const float *points, float *velocity)
{
    (void)context;
    for (int64_t i = 0; i < count; i++) {
        velocity[3 * i] = -points[3 * i + 1];
        velocity[3 * i + 1] = points[3 * i];
        velocity[3 * i + 2] = 1.0f;
    }
    return VT_OK;
}

enum { COUNT = 15000 };
static float position[COUNT][3], density[COUNT], size[COUNT], temperature[COUNT], flame[COUNT],
    growth[COUNT];

static void place_tracers(void)
{
    uint32_t state = 1;
    for (int i = 0; i < COUNT; i++) {
        for (int axis = 0; axis < 3; axis++) {
            state = state * 1664525u + 1013904223u;
            position[i][axis] = (float)(state >> 8) * 0x1p-24f * 4.0f - 2.0f;
        }
        density[i] = 1e-4f;
        size[i] = 0.08f;
        temperature[i] = 900.0f;
        flame[i] = 0.5f;
        growth[i] = 0.01f;
    }
}

/* With all tracers, or sharply a few that carry temperature and flame, beside a ball. */
static vt_status make_file(int threads, int32_t half, int burns)
{
    vt_tracer_source source;
    vt_default_tracer_source(&source);
    source.count = burns ? 1000 : COUNT;
    source.position = position[0];
    source.density = density;
    source.size = size;
    source.velocity = turn;
    source.temperature = burns ? temperature : NULL;
    source.flame = burns ? flame : NULL;
    source.growth = burns ? NULL : growth;
    source.ambient_temperature = 290.0;
    source.bodies = burns ? (vt_simulation *)&source : NULL; /* see vti_list_walls above */
    vt_volume_def def;
    vt_default_volume(&def);
    vt_vdb_def vdb;
    vt_default_vdb(&vdb);
    vt_volume *volume;
    uint8_t *bytes = NULL;
    int64_t bytes_size = 0;
    def.voxel_size = 0.1;
    def.threads = threads;
    def.sharp = burns;
    vdb.half = half;
    vdb.heat_name = "heat";
    vdb.compress = half;
    vt_status status = vt_create_volume_from_tracers(&source, &def, &volume);
    if (status == VT_OK)
        status = vt_encode_vdb(volume, &vdb, &bytes, &bytes_size);
    if (status == VT_OK && bytes_size < 10000)
        return VT_IO;
    vt_destroy_volume(volume);
    vt_free(bytes);
    return status;
}

int main(void)
{
    place_tracers();
    for (int pass = 0; pass < 3; pass++) {
        const int threads = pass == 0 ? 1 : 3;
        int64_t number = 0;
        for (;; number++) {
            left = number;
            const vt_status status = make_file(threads, (int32_t)(threads > 1), pass == 2);
            const int refused = left < 0;
            left = INT64_MAX;
            if (status != (refused ? VT_OUT_OF_MEMORY : VT_OK)) {
                printf("allocation %lld: status %d, %s\n", (long long)number, (int)status,
                       vt_error_message());
                return 1;
            }
            if (!refused)
                break;
        }
        printf("%lld allocations in pass %d\n", (long long)number, pass);
    }
    return 0;
}
