/* Scratch memory of one simulation: pushed and popped in stack order inside a step, reserved once,
 * never moved. Every stage gives back what it took; step.c checks that. */
#ifndef VORTON_CORE_ARENA_H
#define VORTON_CORE_ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct vt_arena {
    char *base;
    size_t capacity, used, peak;
} vt_arena;

/* Reserves address space (not memory) for capacity bytes; 0 on success, -1 when refused. */
int vt_arena_create(vt_arena *arena, size_t capacity);
void vt_arena_destroy(vt_arena *arena);

/* bytes aligned to 64, contents undefined; NULL when the reserved range is full. */
void *vt_arena_push(vt_arena *arena, size_t bytes);

/* The level now, and back to it. */
static inline size_t vt_arena_mark(const vt_arena *arena)
{
    return arena->used;
}
void vt_arena_pop(vt_arena *arena, size_t mark);

#endif
