/* The state of a simulation as named fields: what an archive has of a frame.
 *
 * The definition (sources, effects, bodies, method) is not among them: a state belongs to a
 * simulation that was made of the same one. */
#pragma once

#include "archive/lone_fluid.h"
#include "state/simulation.h"

enum { VT_FIELD_NAME = 40 /* with the 0 at its end */, VT_STATE_FIELDS = 256 };

/* Whose rows they are, where a state goes over to a simulation that has other items. */
enum {
    VT_ROWS_OF_ALL, /* one row, or those of particles and bodies */
    VT_ROWS_OF_SOURCES,
    VT_ROWS_OF_TRACER_EMITTERS,
    VT_ROWS_OF_FLUID_EMITTERS,
    VT_ROWS_OF_WIND_GRIDS,
    VT_ROWS_STAY /* each simulation has its own: the definition, and records of the last step */
};

/* rows of `components` numbers of a type (archive/block.h), `stride` bytes apart. */
typedef struct vt_state_field {
    char name[VT_FIELD_NAME];
    char *data;
    int64_t rows, stride;
    int32_t type, components;
    int32_t set, column; /* of a column of particles: which; else -1 */
    int32_t absent;      /* a column that is not used */
    int32_t made_again;  /* archive/made_again.h */
    int32_t items;       /* VT_ROWS_... */
} vt_state_field;

typedef struct vt_state_list {
    vt_state_field field[VT_STATE_FIELDS];
    int32_t count;
    int32_t items; /* of the fields that are listed now */
    float fluid_law[VT_LAW_NUMBERS];
} vt_state_list;

/* All fields, those that are absent, too. The largest rates of the last step, which threads have
 * found in parts, become those of one. */
void vti_list_state(vt_simulation *simulation, vt_state_list *list);

/* Digest of the names and sizes of all fields: that of every simulation of this build. */
uint64_t vti_state_layout(const vt_state_list *list);

/* Digest of what must agree for a state to belong to a simulation: method, ids and times of
 * sources, effects and bodies. That no shape and no track differs is for the caller to know. */
uint64_t vti_definition_digest(const vt_simulation *simulation);
