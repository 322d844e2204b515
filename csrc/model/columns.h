/* Column sets: the vortons and the tracers. Every column lies in an address range of its own,
 * reserved for the capacity when the simulation is made; rows [0, count) are alive. */
#pragma once

#include <string.h>

#include "base/arena.h"
#include "vorton.h"

typedef int64_t vt_type_int64;
typedef uint32_t vt_type_uint32;
typedef float vt_type_float;

enum vt_vorton_column {
#define VT_VORTON_COLUMN(name, type, components, always, description) VT_VORTON_##name,
#include "vorton/columns.def"
    VT_VORTON_COLUMNS
};

enum vt_tracer_column {
#define VT_TRACER_COLUMN(name, type, components, always, description) VT_TRACER_##name,
#include "vorton/columns.def"
    VT_TRACER_COLUMNS
};

/* Columns that nobody sees. Within a step, from which Method.time extrapolated goes on: rates at
 * the last field solve of its substeps, and at the one before it; of each the velocity without the
 * uniform wind, m/s, growth of the core, 1/s, the rate of strength, m^3/s^2, and the volume in its
 * bound, m^3. */
enum { VT_VORTON_past_rates = VT_VORTON_COLUMNS, VT_VORTON_ALL_COLUMNS };

/* Kept from when the temperature of the tracers is viewed: what the library left in that, K. A row
 * that differs was written. */
enum { VT_TRACER_left_temperature = VT_TRACER_COLUMNS, VT_TRACER_ALL_COLUMNS };

/* What the fluid of a vorton carries, and what tracers take from it, by number. */
enum vt_carried {
#define VT_CARRIED(name, least, most, allowed) VT_CARRIED_##name,
#include "vorton/columns.def"
    VT_COMPOSITION_COLUMNS
};

enum vt_taken {
#define VT_TAKEN(name) VT_TAKEN_##name,
#include "vorton/columns.def"
    VT_TAKEN_COLUMNS
};

extern const int vti_composition_column[VT_COMPOSITION_COLUMNS]; /* of the vortons: VT_VORTON_... */
extern const int vti_taken_column[VT_TAKEN_COLUMNS];             /* of the tracers: VT_TRACER_... */
extern const int vti_taken_from[VT_TAKEN_COLUMNS];               /* of the vortons */
extern const int vti_composition_of_taken[VT_TAKEN_COLUMNS];     /* VT_CARRIED_... */

enum { VT_MOST_COLUMNS = 24 };
_Static_assert((int)VT_VORTON_ALL_COLUMNS <= VT_MOST_COLUMNS, "room for the columns of vortons");
_Static_assert((int)VT_TRACER_ALL_COLUMNS <= VT_MOST_COLUMNS, "room for the columns of tracers");

typedef struct vt_set {
    int64_t count, capacity;
    int64_t committed; /* rows that may be touched: vti_grow_set */
    int32_t column_count;
    int32_t used[VT_MOST_COLUMNS]; /* 0: not kept up to date yet, never touched */
    float alike[VT_MOST_COLUMNS];  /* what all rows hold of a column of floats until it is used */
    int64_t row_bytes[VT_MOST_COLUMNS];
    void *column[VT_MOST_COLUMNS];
} vt_set;

/* Typed pointers to the columns of a set: vortons.position, tracers.age ... */
typedef struct vt_vortons {
    vt_set set;
#define VT_VORTON_COLUMN(name, type, components, always, description) vt_type_##type *name;
#include "vorton/columns.def"
    float *past_rates; /* 16 a row */
} vt_vortons;

typedef struct vt_tracers {
    vt_set set;
#define VT_TRACER_COLUMN(name, type, components, always, description) vt_type_##type *name;
#include "vorton/columns.def"
    float *left_temperature;
} vt_tracers;

/* Whether a column of the tracers is taken from the vortons. */
int vti_is_taken(int column);

/* A column of floats where it is used, else NULL. */
static inline float *vti_used_column(const vt_set *set, int column)
{
    return set->used[column] ? set->column[column] : NULL;
}

/* Reserve and release; 0 on success. The columns that are always used are so from the start. */
int vti_create_vortons(vt_vortons *vortons, int64_t capacity);
int vti_create_tracers(vt_tracers *tracers, int64_t capacity);
void vti_destroy_set(vt_set *set);

/* Before rows from `count` on are written: asks the system for the memory of so many rows in all,
 * at most the capacity. 0 on success. */
int vti_grow_set(vt_set *set, int64_t rows);

/* Whether newborn rows hold in a column of floats that is not used what all others hold there (the
 * first rows say what): it then takes no memory. */
int vti_stay_alike(vt_set *set, int column, const float *values, int64_t count);

/* Makes `to`, new and with room for them, hold the rows of `from`, and use the same columns. */
void vti_copy_rows(const vt_set *from, vt_set *to);

/* Writes value into rows [first, first + count) of a column of floats. */
void vti_fill_column(vt_set *set, int column, int64_t first, int64_t count, double value);

/* The first row from i on whose mask is not 0; count: there is none. */
static inline int64_t vti_first_marked(const uint8_t *mask, int64_t i, int64_t count)
{
    uint64_t eight = 0;
    for (; i + 8 <= count && !eight; i += 8)
        memcpy(&eight, mask + i, 8);
    i -= eight ? 8 : 0;
    while (i < count && !mask[i])
        i++;
    return i;
}

/* Rows whose mask is not 0 go out of every used column, those behind them move up; returns how many
 * are left. Takes 6 bytes a row from the arena. */
int64_t vti_take_out_rows(vt_set *set, const uint8_t *mask, vt_arena *arena, int threads);

/* Row i of every used column becomes what row order[i] was, for i < count; count becomes the new
 * number of rows. Takes 4 bytes a row from the arena. */
void vti_permute_set(vt_set *set, const uint32_t *order, int64_t count, vt_arena *arena,
                     int threads);
