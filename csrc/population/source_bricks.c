#include "population/source_bricks.h"

#include "base/hash.h"
#include "base/parallel.h"
#include "state/simulation.h"

enum { BLOCK = 2048, HEADS = 512, NONE = -1 };

/* What the sources of a block of rows need of one brick. */
typedef struct need {
    int32_t at[3], chain;       /* the next of the same head */
    float core, left, lifetime; /* of the first source; what that, and the longest, has left, s */
    vt_node_bits source;
} need;

/* In the order in which the rows come to them. */
typedef struct need_list {
    need *first;
    int32_t count, head[HEADS];
} need_list;

typedef struct marking {
    const vt_shell *shell;
    need *need;     /* as many for each block as it has rows */
    int32_t *count; /* of each block */
} marking;

static int32_t *head_for(need_list *list, const int32_t at[3])
{
    return &list->head[vti_hash_place(at) & (HEADS - 1)];
}

/* What is needed of the brick at a place; `row` needs it first where nothing was. */
static need *find_need(need_list *list, const int32_t at[3], const vt_vortons *v, int64_t row,
                       float left)
{
    int32_t *const head = head_for(list, at);
    for (int32_t n = *head; n != NONE; n = list->first[n].chain)
        if (memcmp(list->first[n].at, at, sizeof list->first[n].at) == 0)
            return &list->first[n];
    need *const made = &list->first[list->count];
    *made = (need){.at = {at[0], at[1], at[2]},
                   .chain = *head,
                   .core = v->core[row],
                   .left = left,
                   .lifetime = left};
    *head = list->count++;
    return made;
}

static void mark_some(const vt_shell *h, int64_t first, int64_t count, need_list *list)
{
    const vt_vortons *const v = &h->simulation->vortons;
    const int ends = v->set.used[VT_VORTON_lifetime];
    vt_lattice_nodes nodes;
    need *last = NULL;
    h->simulation->stages->find_nodes(count, v->position + 3 * first, h->lattice.scale, 0.5, NULL,
                                      &nodes);
    for (int64_t i = 0; i < count; i++) {
        const int32_t node[3] = {nodes.node[0][i], nodes.node[1][i], nodes.node[2][i]};
        const int seed = (h->part[first + i] & VT_SHELL_SEED) && node[0] != INT32_MIN;
        const float left = ends ? v->lifetime[first + i] - v->age[first + i] : INFINITY;
        int32_t at[3];
        if (!seed)
            continue;
        vti_brick_of(node, at);
        if (!last || memcmp(last->at, at, sizeof at) != 0)
            last = find_need(list, at, v, first + i, left);
        last->source[vti_bit_row(node)] |= vti_bit(node);
        last->lifetime = left > last->lifetime ? left : last->lifetime;
    }
}

static void mark_block(void *data, int64_t begin, int64_t end)
{
    const marking *const m = data;
    need_list list = {.first = m->need + begin};
    for (int32_t n = 0; n < HEADS; n++)
        list.head[n] = NONE;
    for (int64_t i = begin; i < end; i += VT_LATTICE_ROWS)
        mark_some(m->shell, i, end - i < VT_LATTICE_ROWS ? end - i : VT_LATTICE_ROWS, &list);
    m->count[begin / BLOCK] = list.count;
}

static int fill_need(vt_shell_lattice *lattice, const need *of, vt_brick_hints *hints)
{
    vt_brick *const b = vti_need_brick(lattice, of->at, of->core, of->left, hints);
    if (!b)
        return 0;
    for (int row = 0; row < VT_BRICK_EDGE * VT_BRICK_EDGE; row++)
        b->source[row] |= of->source[row];
    b->lifetime = of->lifetime > b->lifetime ? of->lifetime : b->lifetime;
    return 1;
}

int vti_mark_sources(vt_shell *h)
{
    vt_arena *const arena = &h->simulation->arena;
    const int64_t blocks = (h->count + BLOCK - 1) / BLOCK;
    marking m = {h, vti_arena_push(arena, sizeof *m.need * (size_t)h->count),
                 vti_arena_push(arena, sizeof *m.count * (size_t)blocks)};
    vt_brick_hints hints = {{NULL}};
    int room = 1;
    vti_parallel_for(h->simulation->def.threads, h->count, BLOCK, mark_block, &m);
    for (int64_t b = 0; b < blocks; b++)
        for (int32_t n = 0; n < m.count[b] && room; n++)
            room = fill_need(&h->lattice, m.need + b * BLOCK + n, &hints);
    return room;
}
