#include "base/block_sums.h"
#include "state/strength_sums.h"

#include "state/simulation.h"

enum { BLOCK = 2048 };

typedef struct sum_job {
    const vt_vortons *vortons;
    const double *about;
} sum_job;

/* vt_strengths as doubles. */
static void sum_block(void *data, int64_t begin, int64_t end, double *sums)
{
    const sum_job *const job = data;
    vt_strengths sum = {{0}, {{0}}, {0}};
    for (int64_t i = begin; i < end; i++) {
        double r[3], alpha[3], turn[3], twist[3];
        for (int c = 0; c < 3; c++) {
            r[c] = (double)job->vortons->position[3 * i + c] - job->about[c];
            alpha[c] = (double)job->vortons->strength[3 * i + c];
        }
        vti_cross(r, alpha, turn);
        vti_cross(r, turn, twist);
        vti_add_scaled(sum.sum, 1, alpha);
        vti_add_scaled(sum.angular, 1.0 / 3.0, twist);
        for (int c = 0; c < 3; c++)
            vti_add_scaled(sum.moment[c], r[c], alpha);
    }
    memcpy(sums, &sum, sizeof sum);
}

void vti_add_strengths(vt_strengths *a, double factor, const vt_strengths *b)
{
    vti_add_scaled(a->sum, factor, b->sum);
    vti_add_scaled(a->angular, factor, b->angular);
    for (int c = 0; c < 3; c++)
        vti_add_scaled(a->moment[c], factor, b->moment[c]);
}

vt_strengths vti_sum_strengths(vt_simulation *s, const double about[3])
{
    sum_job job = {&s->vortons, about};
    vt_strengths sum;
    vti_sum_blocks(&s->arena, s->def.threads, s->vortons.set.count, BLOCK, sum_block, &job,
                   sizeof sum / sizeof(double), (double *)&sum);
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
