/* The tables of the definitions (vorton/rows.h) as the library uses them. */
#pragma once

#include <stddef.h>

#include "vorton.h"

typedef struct vt_definition {
    const char *name; /* "ring" */
    const char *what; /* "a ring" */
    size_t size;
    const vt_row *rows;
    int count;
} vt_definition;

extern const vt_definition vti_shape_definition, vti_fluid_definition, vti_method_definition,
    vti_ambient_definition, vti_combustion_definition, vti_simulation_definition,
    vti_transform_definition, vti_ring_definition, vti_filament_definition, vti_tube_definition,
    vti_jet_definition, vti_cloud_definition, vti_vorton_points_definition, vti_emitter_definition,
    vti_tracers_definition, vti_tracer_points_definition, vti_wind_definition,
    vti_wind_grid_definition, vti_force_definition, vti_kill_definition, vti_body_definition,
    vti_body_change_definition, vti_volume_definition, vti_tracer_source_definition,
    vti_vdb_definition, vti_preview_definition;

/* Numbers of tracers born at points: those of one birth, which its arrays give, or animations. */
#define VT_NUMBERS_length VT_MEMBER_length
#define VT_NUMBERS_parent VT_MEMBER_parent
#define VT_NUMBERS_animations VT_MEMBER_animations
#define VT_NUMBERS_rows VT_MEMBER_rows
#define VT_NUMBERS_float_vectors VT_MEMBER_vector
#define VT_NUMBERS_floats VT_MEMBER_number
#define VT_NUMBERS_number VT_MEMBER_number
#define VT_NUMBERS_limit VT_MEMBER_limit
#define VT_ROW(type, name, value, least, most, unit, use, text) VT_NUMBERS_##type(name)
typedef struct vt_point_numbers {
#include "vorton/tracer_points.def"
} vt_point_numbers;
#undef VT_ROW
extern const vt_definition vti_point_numbers_definition;

/* NULL where there is none of this name. */
const vt_definition *vti_find_definition(const char *name);

/* ---- kinds of members ---- */

/* The struct that is a member of this kind, NULL for others. */
const vt_definition *vti_part_of(int32_t kind);

/* Doubles in a member, 0 for other kinds. */
int vti_numbers_in(int32_t kind);

int vti_is_int32(int32_t kind);

/* Of a member that is not a struct, bytes. */
size_t vti_member_size(int32_t kind);
