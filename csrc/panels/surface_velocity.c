#include "panels/surface_velocity.h"

#include "panels/panels.h"
#include "panels/patches.h"
#include "panels/source_densities.h"
#include "state/simulation.h"

void vti_find_surface_velocity(vt_simulation *s, const vt_paneled_body *b, float *velocity)
{
    const vt_panels *const p = &s->panels;
    const size_t mark = vti_arena_mark(&s->arena);
    float *const cells = vti_arena_push(&s->arena, 12 * (size_t)b->count);
    vti_panel_cells(s, b, cells);
    vti_find_passing_velocity(s, b, velocity);
    s->stages->panel_field(b->patch_count, p->patch + b->first_patch, b->count, cells, velocity,
                           s->def.threads);
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
