#include "panels/surface_velocity.h"

#include "panels/panels.h"
#include "panels/patches.h"
#include "panels/source_densities.h"
#include "state/simulation.h"

/* ---- within wide panels ---- */

/* By how much the velocity that a panel makes itself differs, on average over it, from that at its
 * centroid: cells (3) of the centroid, `count` patches. What a charge q gives to the mean over a
 * panel of area A is what A of an even density 1 / A, there, would give it, turned round. */
static void find_own_change(vt_simulation *s, const vt_paneled_body *b, int32_t panel,
                            const float *cell, int32_t first, int32_t count, float change[3])
{
    const vt_patch *const patch = s->panels.patch + first;
    const size_t mark = vti_arena_mark(&s->arena), bytes = 12 * (size_t)count;
    float *const points = vti_arena_push(&s->arena, bytes);
    float *const field = vti_arena_push(&s->arena, bytes);
    float at_centroid[3] = {0};
    double sum[3] = {0}, area = 0;
    vt_patch whole;
    vti_make_whole_patch(s, b, panel, &whole);
    whole.density = 1;
    memset(field, 0, bytes);
    for (int32_t n = 0; n < count; n++)
        memcpy(points + 3 * (int64_t)n, patch[n].center, sizeof patch[n].center);
    s->stages->panel_field(count, patch, 1, cell, at_centroid, s->def.threads);
    s->stages->panel_field(1, &whole, count, points, field, s->def.threads);
    for (int32_t n = 0; n < count; n++) {
        area += (double)patch[n].area;
        for (int c = 0; c < 3; c++)
            sum[c] -= (double)patch[n].density * (double)patch[n].area * (double)field[3 * n + c];
    }
    for (int c = 0; c < 3; c++)
        change[c] = (float)(sum[c] / area) - at_centroid[c];
    vti_arena_pop(&s->arena, mark);
}

/* Such a panel turns each vortex near it back by charges beside it: at its centroid they would
 * count for many times what they are on average, which the vortices are taken for (panels/
 * source_densities.c), and what a lump of shed layer slows would look like slip, that feeds it. */
static void take_means(vt_simulation *s, const vt_paneled_body *b, const float *cells,
                       float *velocity)
{
    const vt_panels *const p = &s->panels;
    const int32_t all = b->first_patch + b->patch_count;
    for (int32_t n = b->first_patch, end; n < all; n = end) {
        end = vti_end_of_panel(p, n, all);
        const int32_t i = (int32_t)p->panel[n] - b->first;
        float change[3];
        if (!vti_is_wide(b, end - n))
            continue;
        find_own_change(s, b, i, cells + 3 * (int64_t)i, n, end - n, change);
        for (int c = 0; c < 3; c++)
            velocity[3 * (int64_t)i + c] += change[c];
    }
}

/* ---- all of it ---- */

void vti_find_surface_velocity(vt_simulation *s, const vt_paneled_body *b, float *velocity)
{
    const vt_panels *const p = &s->panels;
    const size_t mark = vti_arena_mark(&s->arena);
    float *const cells = vti_arena_push(&s->arena, 12 * (size_t)b->count);
    vti_panel_cells(s, b, cells);
    vti_find_passing_velocity(s, b, VT_ALL_OTHERS, velocity);
    s->stages->panel_field(b->patch_count, p->patch + b->first_patch, b->count, cells, velocity,
                           s->def.threads);
    take_means(s, b, cells, velocity);
    for (int32_t i = 0; i < 3 * b->count; i++)
        velocity[i] += (float)p->wind[i % 3];
    /* with a diagonal for the panel as a whole the condition holds, not the velocity at the
     * centroid; nor is it known there on which side of the panel that is */
    for (int32_t i = 0; i < b->count; i++) {
        const double *const n = p->normal[b->first + i];
        double wall[3], through = 0;
        vti_wall_velocity(b, p->center[b->first + i], wall);
        for (int c = 0; c < 3; c++)
            through += ((double)velocity[3 * i + c] - wall[c] - p->wind[c]) * n[c];
        for (int c = 0; c < 3; c++)
            velocity[3 * i + c] -= (float)(through * n[c]);
    }
    vti_arena_pop(&s->arena, mark);
}
