#include "state/strength_sums.h"

#include "state/simulation.h"

_Static_assert(sizeof(vt_strengths) == sizeof(double) * VT_STRENGTH_SUMS, "as the kernel has them");

void vti_add_strengths(vt_strengths *a, double factor, const vt_strengths *b)
{
    vti_add_scaled(a->sum, factor, b->sum);
    vti_add_scaled(a->angular, factor, b->angular);
    for (int c = 0; c < 3; c++)
        vti_add_scaled(a->moment[c], factor, b->moment[c]);
}

vt_strengths vti_sum_strengths(vt_simulation *s, const double about[3])
{
    const vt_vortons *const v = &s->vortons;
    const int64_t blocks = (v->set.count + VT_STRENGTH_BLOCK - 1) / VT_STRENGTH_BLOCK;
    const size_t mark = vti_arena_mark(&s->arena);
    vt_strengths *const block = vti_arena_push(&s->arena, sizeof *block * (size_t)blocks);
    vt_strengths sum = {{0}, {{0}}, {0}};
    s->stages->sum_strengths(v->set.count, v->position, v->strength, about, (double *)block,
                             s->def.threads);
    for (int64_t b = 0; b < blocks; b++)
        vti_add_strengths(&sum, 1, &block[b]);
    vti_arena_pop(&s->arena, mark);
    return sum;
}

vt_impulse vti_impulse_of(const vt_strengths *strengths)
{
    vt_impulse impulse;
    memcpy(impulse.angular, strengths->angular, sizeof impulse.angular);
    for (int c = 0; c < 3; c++) {
        const int j = (c + 1) % 3, k = (c + 2) % 3;
        impulse.linear[c] = 0.5 * (strengths->moment[j][k] - strengths->moment[k][j]);
    }
    return impulse;
}
