#include "animation/definition_tables.h"

#include <math.h>
#include <string.h>

#include "base/status.h"

/* ---- the tables ---- */

enum {
    FIXED = 0,
    OPTIONAL = VT_ROW_OPTIONAL,
    ANIMATED = VT_ROW_ANIMATED,
    ANIMATED_FROM_0 = VT_ROW_ANIMATED | VT_ROW_FROM_0,
    OPTIONAL_ANIMATED = VT_ROW_OPTIONAL | VT_ROW_ANIMATED,
    OPTIONAL_ANIMATED_FROM_0 = VT_ROW_OPTIONAL | VT_ROW_ANIMATED | VT_ROW_FROM_0,
    OR_0 = VT_ROW_OR_0
};

#undef VT_ROW
#define VT_ROW(kind, name, value, least, most, unit, use, text)                                    \
    {sizeof(vt_row),         #name,         #kind, unit, text, {value}, least, most,               \
     offsetof(STRUCT, name), VT_ROW_##kind, use},

#define DEFINITION(kind, what)                                                                     \
    const vt_definition vti_##kind##_definition = {#kind, what, sizeof(STRUCT), kind##_rows,       \
                                                   sizeof kind##_rows / sizeof(vt_row)};

#define STRUCT vt_shape
static const vt_row shape_rows[] = {
#include "vorton/shape.def"
};
DEFINITION(shape, "a shape")
#undef STRUCT

#define STRUCT vt_fluid_def
static const vt_row fluid_rows[] = {
#include "vorton/fluid.def"
};
DEFINITION(fluid, "a fluid")
#undef STRUCT

#define STRUCT vt_ambient
static const vt_row ambient_rows[] = {
#include "vorton/ambient.def"
};
DEFINITION(ambient, "an ambient fluid")
#undef STRUCT

#define STRUCT vt_combustion
static const vt_row combustion_rows[] = {
#include "vorton/combustion.def"
};
DEFINITION(combustion, "a combustion")
#undef STRUCT

#define STRUCT vt_method
static const vt_row method_rows[] = {
#define VT_CHOICE(name, value, article, choices, description)                                      \
    VT_ROW(choice, name, value, 0, 0, choices, FIXED, description)
#define VT_WHOLE(name, value, article, least, most, description)                                   \
    VT_ROW(whole, name, value, least, most, "", FIXED, description)
#define VT_NUMBER(name, value, article, least, most, description)                                  \
    VT_ROW(number, name, value, least, most, "", FIXED, description)
#define VT_OR_0(name, value, article, least, most, description)                                    \
    VT_ROW(number, name, value, least, most, "", OR_0, description)
#include "vorton/method.def"
};
DEFINITION(method, "a method")
#undef STRUCT

#define STRUCT vt_simulation_def
static const vt_row simulation_rows[] = {
#include "vorton/simulation.def"
};
DEFINITION(simulation, "a simulation")
#undef STRUCT

#define STRUCT vt_transform_def
static const vt_row transform_rows[] = {
#include "vorton/transform.def"
};
DEFINITION(transform, "a transform")
#undef STRUCT

#define STRUCT vt_ring_def
static const vt_row ring_rows[] = {
#include "vorton/ring.def"
};
DEFINITION(ring, "a ring")
#undef STRUCT

#define STRUCT vt_filament_def
static const vt_row filament_rows[] = {
#include "vorton/filament.def"
};
DEFINITION(filament, "a filament")
#undef STRUCT

#define STRUCT vt_tube_def
static const vt_row tube_rows[] = {
#include "vorton/tube.def"
};
DEFINITION(tube, "a tube")
#undef STRUCT

#define STRUCT vt_jet_def
static const vt_row jet_rows[] = {
#include "vorton/jet.def"
};
DEFINITION(jet, "a jet")
#undef STRUCT

#define STRUCT vt_cloud_def
static const vt_row cloud_rows[] = {
#include "vorton/cloud.def"
};
DEFINITION(cloud, "a cloud")
#undef STRUCT

#define STRUCT vt_vorton_points_def
static const vt_row vorton_points_rows[] = {
#include "vorton/vorton_points.def"
};
DEFINITION(vorton_points, "vorton points")
#undef STRUCT

#define STRUCT vt_emitter_def
static const vt_row emitter_rows[] = {
#include "vorton/emitter.def"
};
DEFINITION(emitter, "an emitter")
#undef STRUCT

#define STRUCT vt_tracers_def
static const vt_row tracers_rows[] = {
#include "vorton/tracers.def"
};
DEFINITION(tracers, "tracers")
#undef STRUCT

#define STRUCT vt_tracer_points_def
static const vt_row tracer_points_rows[] = {
#include "vorton/tracer_points.def"
};
DEFINITION(tracer_points, "tracer points")
#undef STRUCT

#define STRUCT vt_point_numbers
static const vt_row point_numbers_rows[] = {
#include "vorton/tracer_points.def"
};
DEFINITION(point_numbers, "tracer points")
#undef STRUCT

#define STRUCT vt_wind_def
static const vt_row wind_rows[] = {
#include "vorton/wind.def"
};
DEFINITION(wind, "a wind")
#undef STRUCT

#define STRUCT vt_wind_grid_def
static const vt_row wind_grid_rows[] = {
#include "vorton/wind_grid.def"
};
DEFINITION(wind_grid, "a wind grid")
#undef STRUCT

#define STRUCT vt_force_def
static const vt_row force_rows[] = {
#include "vorton/force.def"
};
DEFINITION(force, "a force")
#undef STRUCT

#define STRUCT vt_kill_def
static const vt_row kill_rows[] = {
#include "vorton/kill.def"
};
DEFINITION(kill, "a kill")
#undef STRUCT

#define STRUCT vt_body_def
static const vt_row body_rows[] = {
#include "vorton/body.def"
};
DEFINITION(body, "a body")
#undef STRUCT

#define STRUCT vt_body_change
static const vt_row body_change_rows[] = {
#include "vorton/body_change.def"
};
DEFINITION(body_change, "a change of a body")
#undef STRUCT

#define STRUCT vt_volume_def
static const vt_row volume_rows[] = {
#include "vorton/volume_settings.def"
};
DEFINITION(volume, "a volume")
#undef STRUCT

#define STRUCT vt_tracer_source
static const vt_row tracer_source_rows[] = {
#include "vorton/tracer_source.def"
};
DEFINITION(tracer_source, "tracers")
#undef STRUCT

#define STRUCT vt_vdb_def
static const vt_row vdb_rows[] = {
#include "vorton/vdb.def"
};
DEFINITION(vdb, "a file")
#undef STRUCT

#define STRUCT vt_preview_def
static const vt_row preview_rows[] = {
#include "vorton/preview.def"
};
DEFINITION(preview, "a preview")
#undef STRUCT

static const vt_definition *const definitions[] = {
    &vti_shape_definition,         &vti_fluid_definition,   &vti_ambient_definition,
    &vti_combustion_definition,    &vti_method_definition,  &vti_simulation_definition,
    &vti_transform_definition,     &vti_ring_definition,    &vti_filament_definition,
    &vti_tube_definition,          &vti_jet_definition,     &vti_cloud_definition,
    &vti_vorton_points_definition, &vti_emitter_definition, &vti_tracers_definition,
    &vti_tracer_points_definition, &vti_wind_definition,    &vti_wind_grid_definition,
    &vti_force_definition,         &vti_kill_definition,    &vti_body_definition,
    &vti_body_change_definition,   &vti_volume_definition,  &vti_tracer_source_definition,
    &vti_vdb_definition,           &vti_preview_definition,
};
enum { DEFINITIONS = sizeof definitions / sizeof *definitions };

const vt_definition *vti_find_definition(const char *name)
{
    for (int n = 0; n < DEFINITIONS; n++)
        if (strcmp(definitions[n]->name, name) == 0)
            return definitions[n];
    return NULL;
}

int vt_describe(const char *definition, int index, vt_row *row)
{
    const vt_definition *const d = vti_find_definition(definition);
    if (!d || index < 0 || index >= d->count)
        return 0;
    return vti_hand_out(row, &d->rows[index], sizeof *d->rows) == VT_OK;
}

const char *vt_definition_name(int index, size_t *size)
{
    if (index < 0 || index >= DEFINITIONS)
        return NULL;
    if (size)
        *size = definitions[index]->size;
    return definitions[index]->name;
}

/* ---- members by their kind ---- */

const vt_definition *vti_part_of(int32_t kind)
{
    switch (kind) {
    case VT_ROW_shape:
        return &vti_shape_definition;
    case VT_ROW_fluid:
        return &vti_fluid_definition;
    case VT_ROW_ambient:
        return &vti_ambient_definition;
    case VT_ROW_combustion:
        return &vti_combustion_definition;
    case VT_ROW_method:
        return &vti_method_definition;
    default:
        return NULL;
    }
}

int vti_numbers_in(int32_t kind)
{
    switch (kind) {
    case VT_ROW_number:
    case VT_ROW_limit:
        return 1;
    case VT_ROW_pair:
        return 2;
    case VT_ROW_vector:
    case VT_ROW_direction:
        return 3;
    case VT_ROW_quaternion:
        return 4;
    case VT_ROW_vectors:
        return 6;
    default:
        return 0;
    }
}

int vti_is_int32(int32_t kind)
{
    return kind == VT_ROW_whole || kind == VT_ROW_flag || kind == VT_ROW_choice ||
           kind == VT_ROW_parent || kind == VT_ROW_length || kind == VT_ROW_version ||
           kind == VT_ROW_reserved;
}

size_t vti_member_size(int32_t kind)
{
    const int numbers = vti_numbers_in(kind);
    return numbers                ? 8 * (size_t)numbers
           : vti_is_int32(kind)   ? 4
           : kind == VT_ROW_nodes ? 12
                                  : 8; /* an int64_t or a pointer */
}

_Static_assert(sizeof(void *) == 8 && sizeof(size_t) == 8, "members are pointers of 8 bytes");
