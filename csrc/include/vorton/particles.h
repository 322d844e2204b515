/* The columns of vortons and tracers. */
#ifndef VORTON_PARTICLES_H
#define VORTON_PARTICLES_H

#include "vorton/simulation.h"

VT_BEGIN_C

enum { VT_VORTONS, VT_TRACERS };
enum { VT_FLOAT32, VT_INT64, VT_UINT32, VT_BOOL }; /* VT_BOOL: bytes, 0 or 1 */

/* Bits of the vortons' column `flags`: columns.def says what they mean. */
enum {
#define VT_FLAG(name, bit, description) VT_FLAG_##name = 1 << bit,
#include "vorton/columns.def"
};

/* An array that belongs to the simulation, in C order. Column arrays never move; the first `count`
 * rows are alive. A step may permute the rows of a set, all columns together: id is identity. */
typedef struct vt_array {
    size_t struct_size;
    void *data;
    int32_t type; /* VT_FLOAT32, VT_INT64, VT_UINT32 or VT_BOOL */
    int32_t dimensions;
    int64_t shape[4];
    int64_t strides[4]; /* bytes */
} vt_array;

VT_API int64_t vt_count(const vt_simulation *simulation, int set);

/* Room for so many: max_vortons or max_tracers, or what the machine gave where these are 0. */
VT_API int64_t vt_capacity(const vt_simulation *simulation, int set);

/* Column by its name in columns.def, shape (count,) or (count, 3). Asking for `velocity` of the
 * tracers once makes every later step keep it up to date. */
VT_API vt_status vt_column(vt_simulation *simulation, int set, const char *name, vt_array *array);

/* 1 where the vortons carry what this column of the tracers shows (temperature, fuel, flame,
 * smoke), else 0: then all tracers are ambient, or have none of it. */
VT_API int vt_tracers_carry(const vt_simulation *simulation, const char *name);

/* Row `index` of columns.def for the set; returns 0 past the last. */
typedef struct vt_column_field {
    size_t struct_size;
    const char *name, *description;
    int32_t type, components;
} vt_column_field;
VT_API int vt_describe_column(int set, int index, vt_column_field *field);

/* Appends vortons. position and strength: count x 3, finite; core: count, > 0, m; volume: count,
 * > 0, m^3. ids (count, may be NULL) receives their identities. */
VT_API vt_status vt_insert_vortons(vt_simulation *simulation, int64_t count, const float *position,
                                   const float *strength, const float *core, const float *volume,
                                   int64_t *ids);

/* Appends tracers. position: count x 3, finite; density: count, >= 0, kg; size: count, > 0, m. */
VT_API vt_status vt_insert_tracers(vt_simulation *simulation, int64_t count, const float *position,
                                   const float *density, const float *size, int64_t *ids);

/* Removes the rows where mask (count bytes) is not 0; the others keep their order. */
VT_API vt_status vt_remove(vt_simulation *simulation, int set, const uint8_t *mask);

/* rows[i] = row of ids[i] now, or -1 where it is not alive. */
VT_API vt_status vt_find_rows(vt_simulation *simulation, int set, int64_t count, const int64_t *ids,
                              int64_t *rows);

VT_END_C

#endif
