#include "base/arena.h"

#include "base/reserve.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define HIDE(address, bytes) ASAN_POISON_MEMORY_REGION(address, bytes)
#define SHOW(address, bytes) ASAN_UNPOISON_MEMORY_REGION(address, bytes)
#else
#define HIDE(address, bytes) ((void)(address), (void)(bytes))
#define SHOW(address, bytes) ((void)(address), (void)(bytes))
#endif

enum { ALIGNMENT = 64, GUARD = 64, COMMITTED_AT_ONCE = 4 << 20 };

int vti_arena_create(vt_arena *arena, size_t capacity)
{
    *arena = (vt_arena){.base = vti_reserve_vast(capacity), .capacity = capacity};
    if (!arena->base)
        return -1;
    vti_reserve_huge(arena->base, capacity);
    return 0;
}

void vti_arena_destroy(vt_arena *arena)
{
    if (arena->base)
        SHOW(arena->base, arena->peak);
    vti_release(arena->base, arena->capacity);
    *arena = (vt_arena){0};
}

/* So that the arena may be used up to its level, and a few bytes further by loops over vectors. */
static void commit(vt_arena *arena)
{
    const size_t before = arena->committed, more = arena->used + COMMITTED_AT_ONCE;
    arena->committed = more < arena->capacity ? more : arena->capacity;
    (void)vti_commit(arena->base + before, arena->committed - before);
}

void *vti_arena_push(vt_arena *arena, size_t bytes)
{
    const size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (rounded < bytes || arena->capacity - arena->used < rounded + GUARD)
        return NULL;
    char *const block = arena->base + arena->used;
    arena->used += rounded + GUARD;
    if (arena->used > arena->peak)
        arena->peak = arena->used;
    if (arena->used + GUARD > arena->committed)
        commit(arena);
    SHOW(block, bytes);
    HIDE(block + rounded, GUARD);
    return block;
}

void vti_arena_pop(vt_arena *arena, size_t mark)
{
    HIDE(arena->base + mark, arena->used - mark);
    arena->used = mark;
}
