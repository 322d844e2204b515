/* Vortex lines that close, stretch and turn, and density differences within a fluid at rest, never
 * change the sum of the strengths: it is the integral of the vorticity. On a grid, with a bound on
 * stretching, each substep leaves a little, which adds up to a flow that nothing drives. Where
 * fluid that differs in density fills a container it does: a tilted surface between two walls turns
 * the fluid, and its vortex lines end at the walls. */
#include "balance.h"

#include "core/parallel.h"
#include "field.h"

enum { BLOCK = 4096, LANES = 4 };

typedef struct strength_sums {
    double strength[3], square; /* of vectors, and of their lengths */
} strength_sums;

typedef struct context {
    float *strength;
    strength_sums *block;
    float share[3]; /* of |alpha|^2 that each vorton gets */
} context;

static strength_sums added(strength_sums a, strength_sums b)
{
    for (int c = 0; c < 3; c++)
        a.strength[c] += b.strength[c];
    a.square += b.square;
    return a;
}

static void sum_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const context *const c = data;
    strength_sums lane[LANES] = {{{0}, 0}};
    for (int64_t i = begin; i < end; i++) {
        const float *const a = c->strength + 3 * i;
        const strength_sums one = {{a[0], a[1], a[2]}, a[0] * a[0] + a[1] * a[1] + a[2] * a[2]};
        lane[i % LANES] = added(lane[i % LANES], one);
    }
    c->block[begin / BLOCK] = added(added(lane[0], lane[1]), added(lane[2], lane[3]));
}

static strength_sums sum_all(vt_simulation *s)
{
    const int64_t count = s->vortons.set.count, blocks = (count + BLOCK - 1) / BLOCK;
    const size_t mark = vt_arena_mark(&s->arena);
    const context c = {.strength = s->vortons.strength,
                       .block = vt_arena_push(&s->arena, sizeof(strength_sums) * (size_t)blocks)};
    vt_parallel_for(s->def.threads, count, BLOCK, sum_block, (void *)&c);
    strength_sums all = {{0}, 0};
    for (int64_t b = 0; b < blocks; b++)
        all = added(all, c.block[b]);
    vt_arena_pop(&s->arena, mark);
    return all;
}

static void share_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const context *const c = data;
    for (int64_t i = begin; i < end; i++) {
        float *const a = c->strength + 3 * i;
        const float square = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
        for (int k = 0; k < 3; k++)
            a[k] += c->share[k] * square;
    }
}

int vt_keeps_sum(const vt_simulation *s)
{
    return s->def.method.balance == VT_BALANCE_SUM && vt_has_grid(s) && s->winds.grid_count == 0 &&
           !(vt_has_container(&s->bodies) && vt_is_buoyant(s));
}

void vt_sum_strengths(vt_simulation *s, double sum[3])
{
    const strength_sums all = sum_all(s);
    for (int k = 0; k < 3; k++)
        sum[k] = all.strength[k];
}

void vt_restore_sum(vt_simulation *s, const double before[3])
{
    const strength_sums now = sum_all(s);
    if (!(now.square > 0))
        return;
    context c = {.strength = s->vortons.strength};
    for (int k = 0; k < 3; k++)
        c.share[k] = (float)((before[k] - now.strength[k]) / now.square);
    vt_parallel_for(s->def.threads, s->vortons.set.count, BLOCK, share_block, &c);
}
