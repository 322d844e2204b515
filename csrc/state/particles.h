/* Adding, removing and finding vortons and tracers. */
#pragma once

#include "model/columns.h"

vt_set *vti_set_of(const vt_simulation *s, int set);

/* A row and its id, and comparison for qsort and bsearch: by the id. */
typedef struct vt_id_of_row {
    int64_t id, row;
} vt_id_of_row;

int vti_compare_ids(const void *a, const void *b);

const char *vti_name_of_set(int set);

/* Whether the room of a set follows the memory of the machine; for messages, after its number:
 * " (what this machine allows)" where it does, else "". */
int vti_room_is_by_machine(const vt_simulation *simulation, int set);
const char *vti_whose_room(const vt_simulation *simulation, int set);

/* VT_OVER_CAPACITY where a set cannot hold so many rows; `owner` begins the message: "it has". */
vt_status vti_check_room(const vt_simulation *simulation, int set, int64_t count,
                         const char *owner);

/* Whether the policy of the simulation has room for count more rows. For VT_AT_CAPACITY_STOP *count
 * is reduced to what fits. Changes nothing else. */
vt_status vti_check_capacity(const vt_simulation *simulation, int set, int64_t *count);

/* Makes that room: for VT_AT_CAPACITY_OLDEST removes the oldest. count as vti_check_capacity left
 * it.
 */
void vti_make_capacity(vt_simulation *simulation, int set, int64_t count);

/* Appends rows whose columns are filled by the caller: returns the first row. */
int64_t vti_append_vortons(vt_simulation *simulation, int64_t count, const float *position,
                           const float *strength, const float *core, const float *volume);

/* Such rows as those of a vortex, which will take up the fluid that they are born in. */
void vti_mark_newborn_vortex(vt_simulation *simulation, int64_t first, int64_t count);

/* Rows [first, first + count) are the pieces of a line with these flags (0: they are not). */
void vti_mark_line(vt_simulation *simulation, int64_t first, int64_t count, uint32_t line);

/* Begins to keep a column of the vortons, filled with what it should hold now. */
void vti_use_vorton_column(vt_simulation *simulation, int column);

/* smallest_core again, from the column: after removal, and where a view of it may have been
 * written. */
void vti_update_smallest_core(vt_simulation *simulation);

/* Removes the rows where mask is not 0; the others keep their order. */
void vti_remove_rows(vt_simulation *simulation, int set, const uint8_t *mask);

/* The same where what they carry is gone with them: what is left of a wake is not whole. */
void vti_cut_rows(vt_simulation *simulation, int set, const uint8_t *mask);
