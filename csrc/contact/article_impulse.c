#include "contact/article_impulse.h"

#include "state/simulation.h"

/* Share of its normal velocity with which the articles send a particle back from a wall. */
static const double elasticity = 0.01;

static double *impulse_of(vt_hit_sums *sums, int32_t body)
{
    int32_t n = 0;
    while (n < sums->count && sums->sum[n].body != body)
        n++;
    if (n == sums->count)
        sums->sum[sums->count++] = (vt_hit_sum){.body = body};
    return sums->sum[n].impulse;
}

void vti_sum_article_impulse(const vt_simulation *s, const vt_article_impulse *hits, double mass,
                             const double velocity[3], vt_hit_sums *sums)
{
    double left[3] = {velocity[0], velocity[1], velocity[2]};
    for (int32_t n = 0; n < hits->count; n++) {
        const vt_hit *const hit = &hits->hit[n];
        const vt_wall *const wall = hit->wall;
        const double change = (1 + elasticity) * vti_approach(wall, hit->point, left, hit->normal);
        if (!(change < 0))
            continue;
        vti_add_scaled(left, -change, hit->normal);
        double impulse[3], arm[3], moment[3];
        for (int c = 0; c < 3; c++) {
            impulse[c] = mass * change * hit->normal[c];
            arm[c] = hit->point[c] - wall->center[c];
        }
        vti_cross(arm, impulse, moment);
        double *const sum = impulse_of(sums, (int32_t)(wall->body - s->bodies.items));
        vti_add_scaled(sum, 1, impulse);
        vti_add_scaled(sum + 3, 1, moment);
    }
}

void vti_take_article_impulse(vt_simulation *s, const vt_hit_sum *sum, const double center[3])
{
    vt_rigid *const r = &s->bodies.items[sum->body].rigid;
    vt_impulse given;
    vti_add_scaled(r->hit, 1, sum->impulse);
    vti_add_scaled(r->hit + 3, 1, sum->impulse + 3);
    memcpy(given.linear, sum->impulse, sizeof given.linear);
    memcpy(given.angular, sum->impulse + 3, sizeof given.angular);
    vti_move_moment(&given, center);
    vti_add_impulse(&s->impulses.hits, 1, &given);
    vti_add_impulse(&s->impulses.support, r->free ? 0 : -1, &given);
}
