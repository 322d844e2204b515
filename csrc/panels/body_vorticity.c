/* The volume is that of cones from the centre of the body to its panels, cut into shells. */
#include "panels/body_vorticity.h"

#include "panels/image_vorticity.h"
#include "panels/panels.h"
#include "panels/patches.h"
#include "panels/panel_onset.h"
#include "state/simulation.h"

enum { MOST_SHELLS = 32 };

/* The strength of all of it, m^3/s: what of its lines does not go on beyond a plane. */
static void find_strength(const vt_simulation *s, const vt_paneled_body *b, double strength[3])
{
    for (int c = 0; c < 3; c++)
        strength[c] = -b->body->shed_strength[c];
    vti_cancel_strength(&b->mirrors, vti_continued_share(s, b), strength);
}

static int spins(const vt_simulation *s, const vt_paneled_body *b)
{
    double strength[3] = {0};
    if (b)
        find_strength(s, b, strength);
    return vti_dot(strength, strength) > 0;
}

/* The part of the cone to a panel between two shares of its length: returns its volume, m^3; middle
 * receives its centre. */
static double cut_cone(const vt_simulation *s, const vt_paneled_body *b, int32_t panel, double from,
                       double to, double middle[3])
{
    const vt_panels *const p = &s->panels;
    const double cube = to * to * to - from * from * from;
    const double share = 0.75 * (to * to * to * to - from * from * from * from) / cube;
    double r[3];
    for (int c = 0; c < 3; c++) {
        r[c] = p->center[panel][c] - b->center[c];
        middle[c] = b->center[c] + share * r[c];
    }
    return cube * (double)p->area[panel] * vti_dot(r, p->normal[panel]) / 3;
}

/* Makes the record of a volume at a point; 0: it lies outside the grid. */
static int make_record(const vt_simulation *s, const double point[3], double volume,
                       const double vorticity[3], vt_record *record)
{
    double cell[3];
    float place[3];
    vti_to_cells(&s->grid, point, cell);
    vti_narrow(cell, place);
    *record = (vt_record){.volume = 0};
    for (int c = 0; c < 3; c++)
        record->strength[c] = (float)(vorticity[c] * volume);
    return vti_place_charge(&s->grid, place, record->position);
}

/* The vorticity inside, 1/s. */
static void find_vorticity(const vt_simulation *s, const vt_paneled_body *b, double vorticity[3])
{
    const double volume = vti_paneled_volume(b);
    find_strength(s, b, vorticity);
    for (int c = 0; c < 3; c++)
        vorticity[c] /= volume;
}

static int32_t count_shells(const vt_simulation *s, const vt_paneled_body *b)
{
    return (int32_t)fmin(fmax(ceil(b->reach / s->grid.spacing), 1), MOST_SHELLS);
}

/* What of the body lies in the grid has the lines of all of it: they would end at the faces. */
static void deposit_body(vt_simulation *s, const vt_paneled_body *b)
{
    const size_t mark = vti_arena_mark(&s->arena);
    const int32_t shells = count_shells(s, b);
    const int64_t all = (int64_t)shells * b->count;
    vt_record *const records = vti_arena_push(&s->arena, sizeof *records * (size_t)all);
    double vorticity[3], volume = 0, within = 0;
    int64_t count = 0;
    find_vorticity(s, b, vorticity);
    for (int32_t k = 0; k < shells; k++)
        for (int32_t p = b->first; p < b->first + b->count; p++) {
            double middle[3];
            const double from = (double)k / shells, to = (k + 1.0) / shells;
            const double part = cut_cone(s, b, p, from, to, middle);
            const int in_grid = make_record(s, middle, part, vorticity, &records[count]);
            volume += part;
            within += in_grid ? part : 0;
            count += in_grid;
        }
    for (int64_t i = 0; i < count && count < all && within > 0; i++)
        for (int c = 0; c < 3; c++)
            records[i].strength[c] *= (float)(volume / within);
    for (int64_t i = 0; i < count; i += b->count)
        s->stages->deposit_more(&s->grid, count - i < b->count ? count - i : b->count, records + i);
    vti_arena_pop(&s->arena, mark);
}

void vti_deposit_body_vorticity(vt_simulation *s)
{
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_paneled_body *const b = vti_panels_of(s, n);
        if (spins(s, b))
            deposit_body(s, b);
    }
}

/* One part of a cone. */
static void add_bound(const vt_paneled_body *b, const double place[3], double volume,
                      const double vorticity[3], vt_impulse *bound)
{
    double strength[3], arm[3], turning[3], moment[3];
    for (int c = 0; c < 3; c++) {
        strength[c] = volume * vorticity[c];
        arm[c] = place[c] - b->center[c];
    }
    vti_add_strength(arm, strength, bound);
    vti_cross(vorticity, arm, turning);
    vti_cross(arm, turning, moment);
    vti_add_scaled(bound->angular, -0.5 * volume, moment);
}

static void add_pull(const vt_paneled_body *b, const double place[3], const float velocity[3],
                     double volume, const double vorticity[3], vt_impulse *pull)
{
    double arm[3], moment[3], force[3], flow[3], rigid[3];
    vti_rigid_velocity(b, place, rigid);
    for (int c = 0; c < 3; c++) {
        flow[c] = volume * ((double)velocity[c] - rigid[c]);
        arm[c] = place[c] - b->center[c];
    }
    vti_cross(flow, vorticity, force);
    vti_cross(arm, force, moment);
    vti_add_scaled(pull->linear, 1, force);
    vti_add_scaled(pull->angular, 1, moment);
}

void vti_add_bound_vorticity(const vt_simulation *s, const vt_paneled_body *b, vt_impulse *bound)
{
    const int32_t shells = count_shells(s, b);
    double vorticity[3];
    if (!spins(s, b))
        return;
    find_vorticity(s, b, vorticity);
    for (int32_t k = 0; k < shells; k++)
        for (int32_t p = b->first; p < b->first + b->count; p++) {
            double middle[3];
            const double volume = cut_cone(s, b, p, (double)k / shells, (k + 1.0) / shells, middle);
            add_bound(b, middle, volume, vorticity, bound);
        }
}

void vti_add_pull_at_vorticity(vt_simulation *s, const vt_paneled_body *b, vt_impulse *pull)
{
    const int32_t shells = count_shells(s, b);
    const size_t mark = vti_arena_mark(&s->arena), count = (size_t)b->count;
    double vorticity[3];
    if (!spins(s, b))
        return;
    double (*const middle)[3] = vti_arena_push(&s->arena, sizeof *middle * count);
    double *const volume = vti_arena_push(&s->arena, sizeof *volume * count);
    float *const points = vti_arena_push(&s->arena, 12 * count);
    float *const velocity = vti_arena_push(&s->arena, 12 * count);
    find_vorticity(s, b, vorticity);
    for (int32_t k = 0; k < shells; k++) {
        for (int32_t p = 0; p < b->count; p++) {
            volume[p] =
                cut_cone(s, b, b->first + p, (double)k / shells, (k + 1.0) / shells, middle[p]);
            vti_narrow(middle[p], points + 3 * p);
        }
        vti_vortical_velocity(s, b->count, points, velocity);
        for (int32_t p = 0; p < b->count; p++)
            add_pull(b, middle[p], velocity + 3 * p, volume[p], vorticity, pull);
    }
    vti_arena_pop(&s->arena, mark);
}
