#include "strengths.h"

#include <string.h>

#include "core/parallel.h"
#include "core/vec3.h"

enum { BLOCK = 2048 };

typedef struct sum_job {
    const vt_vortons *vortons;
    const double *about;
    vt_strengths *block;
} sum_job;

static void sum_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const sum_job *const job = data;
    vt_strengths sum = {{0}, {{0}}, {0}};
    for (int64_t i = begin; i < end; i++) {
        double r[3], alpha[3], turn[3], twist[3];
        for (int c = 0; c < 3; c++) {
            r[c] = (double)job->vortons->position[3 * i + c] - job->about[c];
            alpha[c] = (double)job->vortons->strength[3 * i + c];
        }
        vt_cross(r, alpha, turn);
        vt_cross(r, turn, twist);
        vt_add_scaled(sum.sum, 1, alpha);
        vt_add_scaled(sum.angular, 1.0 / 3.0, twist);
        for (int c = 0; c < 3; c++)
            vt_add_scaled(sum.moment[c], r[c], alpha);
    }
    job->block[begin / BLOCK] = sum;
}

void vt_add_strengths(vt_strengths *a, double factor, const vt_strengths *b)
{
    vt_add_scaled(a->sum, factor, b->sum);
    vt_add_scaled(a->angular, factor, b->angular);
    for (int c = 0; c < 3; c++)
        vt_add_scaled(a->moment[c], factor, b->moment[c]);
}

vt_strengths vt_sum_strengths(vt_simulation *s, const double about[3])
{
    const int64_t count = s->vortons.set.count, blocks = (count + BLOCK - 1) / BLOCK;
    const size_t mark = vt_arena_mark(&s->arena);
    sum_job job = {&s->vortons, about,
                   vt_arena_push(&s->arena, sizeof(vt_strengths) * (size_t)(blocks + 1))};
    vt_strengths sum = {{0}, {{0}}, {0}};
    vt_parallel_for(s->def.threads, count, BLOCK, sum_block, &job);
    for (int64_t b = 0; b < blocks; b++)
        vt_add_strengths(&sum, 1, &job.block[b]);
    vt_arena_pop(&s->arena, mark);
    return sum;
}

vt_impulse vt_impulse_of(const vt_strengths *strengths)
{
    vt_impulse impulse;
    memcpy(impulse.angular, strengths->angular, sizeof impulse.angular);
    for (int c = 0; c < 3; c++) {
        const int j = (c + 1) % 3, k = (c + 2) % 3;
        impulse.linear[c] = 0.5 * (strengths->moment[j][k] - strengths->moment[k][j]);
    }
    return impulse;
}
