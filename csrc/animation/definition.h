/* Definitions of any size: defaults, and definitions of programs that were compiled with an older
 * header. */
#pragma once

#include "animation/definition_tables.h"

/* A definition as this library has it: the program's own, or a copy with what the program does not
 * know at its default. */
typedef struct vt_accepted {
    const void *def;
    void *memory; /* of copies, to be given back */
} vt_accepted;

/* VT_INVALID_ARGUMENT: NULL, or a size that no header of this version has. On failure there is
 * nothing to give back, but it may be done. */
vt_status vti_accept(const vt_definition *definition, const void *def, vt_accepted *taken);
void vti_give_back(vt_accepted *taken);

/* A copy of a definition of this library's size, with its arrays of floats, of `count` rows, behind
 * it in the same block, for vti_free(); NULL without memory. Other pointers stay as they are. */
void *vti_copy_with_rows(const vt_definition *definition, const void *def, int64_t count);
