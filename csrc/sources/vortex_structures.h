/* Structures of vortons that are born whole: rings, filaments, clouds, points, and jets, which make
 * a ring for each pulse. Half of a vortex line would be none. */
#pragma once

#include "model/pose.h"
#include "state/sources.h"

/* One that is in a list no more: its data goes with the last of those that share it. */
void vti_release_structure(const vt_structure *structure);

void vti_destroy_structures(vt_structures *structures);

/* Makes `to` hold the same structures; VT_OUT_OF_MEMORY leaves nothing to destroy. */
vt_status vti_copy_structures(const vt_structures *from, vt_structures *to);

/* Takes over a structure whose definition was checked: destroys its data when that fails. What is
 * born once and is due is born now, and is not in the list. */
vt_status vti_keep_structure(vt_simulation *simulation, vt_structure *structure);

/* The births with time in [from, to), in the order of the structures: writes at most `room` of them
 * and returns how many there are; INT64_MAX for more than 2^14. */
int64_t vti_find_structure_births(const vt_structures *structures, double from, double to,
                                  int64_t room, vt_structure_birth *births);

/* The vortons of a birth (list: room for its count) where the parent has them at its time: lengths,
 * cores and strengths grow with its scale, so that circulations stay. */
void vti_fill_structure(const vt_structure_birth *birth, vt_vorton_list *list);

/* What the fluid of the vortons of a birth carries in a column VT_CARRIED_... of its members: a
 * value for each; temperature 0 is that of the ambient fluid. */
void vti_fill_composition(const vt_structure_birth *birth, int column, float *values);

/* The lifetimes of its vortons, s; NULL: they have none. */
const float *vti_structure_lifetimes(const vt_structure *structure);

/* Whether its births may lie elsewhere than the first one. */
int vti_structure_changes(const vt_structure *structure);

/* A list of count vortons in arena memory of the simulation. */
vt_vorton_list vti_new_vorton_list(vt_simulation *s, int64_t count);
