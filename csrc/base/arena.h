/* Scratch memory: blocks are pushed and popped in stack order, in a range of addresses that is
 * reserved once and never moves. A function that pushes notes the level first and pops back to it
 * at the end, unless its header says that what it returns lies in arena memory; step/step.c pops
 * that at the end of a substep and of the step.
 *
 * A push does not fail, so nobody checks it: the capacity covers the largest number of particles
 * and nodes that the simulation may have (api/simulation.c: arena_bytes_for), counts of the caller
 * are taken in portions (api/fields.c), and lists whose length those numbers do not bound look at
 * the level before they push (population/brick_lattice.c). A system without memory shows it where
 * it shows that to all programs: at the first access. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct vt_arena {
    char *base;
    size_t capacity, used, peak;
    size_t committed; /* as much of it the system has been asked for: base/reserve.h */
} vt_arena;

/* Reserves address space (not memory) for capacity bytes; 0 on success, -1 when refused. */
int vti_arena_create(vt_arena *arena, size_t capacity);
void vti_arena_destroy(vt_arena *arena);

/* bytes aligned to 64, contents undefined. Beyond the capacity, which is an error of this library,
 * NULL: the first access then faults, and nothing behind the range is overwritten. */
void *vti_arena_push(vt_arena *arena, size_t bytes);

/* The level of the stack now; vti_arena_pop goes back to it. */
static inline size_t vti_arena_mark(const vt_arena *arena)
{
    return arena->used;
}
void vti_arena_pop(vt_arena *arena, size_t mark);
