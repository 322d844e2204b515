#include "panels/image_vorticity.h"

#include "panels/node_correction.h"
#include "panels/patches.h"
#include "panels/source_densities.h"
#include "state/simulation.h"

/* From the wall to where omega is read, in cells: nodes nearer to it lack what lies behind it. */
static const float depth = 1.5f;

/* Heights of bodies, in those, from which on none of their lines are seen to meet a plane, and all.
 * A block of .8 cells that shed as if they were grows its layer for ever; one of 8, and a wall 10
 * high and a third thick, as if they were not. */
static const double none_seen = 1, all_seen = 3;

double vti_continued_share(const vt_simulation *s, const vt_paneled_body *b)
{
    const double height = b->rise / (s->grid.spacing * (double)depth);
    return fmin(fmax((height - none_seen) / (all_seen - none_seen), 0), 1);
}

static int is_inside(const vt_grid *g, const float cell[3])
{
    int inside = 1;
    for (int c = 0; c < 3; c++)
        inside &= cell[c] >= 0 && cell[c] < (float)g->cells[c];
    return inside;
}

/* omega . n outwards at each panel, 1/s, from its patches. */
static void find_flux(const vt_simulation *s, const vt_paneled_body *b, double *flux)
{
    const vt_panels *const p = &s->panels;
    const vt_grid *const g = &s->grid;
    double through = 0, area = 0;
    memset(flux, 0, sizeof *flux * (size_t)b->count);
    for (int32_t n = b->first_patch; n < b->first_patch + b->patch_count; n++) {
        const vt_patch *const patch = &p->patch[n];
        float cell[3], strength[3] = {0, 0, 0};
        double out = 0;
        for (int c = 0; c < 3; c++)
            cell[c] = patch->center[c] + depth * patch->normal[c];
        if (is_inside(g, cell)) /* the strength deposited there, per cell */
            vti_sample_nodes(g, cell, strength);
        for (int c = 0; c < 3; c++)
            out -= (double)strength[c] * (double)patch->normal[c];
        flux[(int32_t)p->panel[n] - b->first] += out * (double)patch->area / g->spacing;
    }
    for (int32_t i = 0; i < b->count; i++) {
        through += flux[i];
        area += (double)p->area[b->first + i];
    }
    for (int32_t i = 0; i < b->count; i++)
        flux[i] = flux[i] / (double)p->area[b->first + i] - through / area;
}

static void continue_lines_of(vt_simulation *s, const vt_paneled_body *b)
{
    const vt_panels *const p = &s->panels;
    const size_t mark = vti_arena_mark(&s->arena);
    double *const flux = vti_arena_push(&s->arena, sizeof *flux * (size_t)b->count);
    float *const chi = vti_arena_push(&s->arena, sizeof *chi * (size_t)b->count);
    vt_record *const records = vti_arena_push(&s->arena, sizeof *records * (size_t)b->patch_count);
    const double h = s->grid.spacing;
    int64_t found = 0;
    find_flux(s, b, flux);
    vti_multiply_panels(b->count, b->set->beyond, flux, chi, s->def.threads);
    for (int32_t n = b->first_patch; n < b->first_patch + b->patch_count; n++) {
        const vt_patch *const patch = &p->patch[n];
        vt_record *const r = &records[found];
        *r = (vt_record){.volume = 0};
        if (!vti_place_charge(&s->grid, patch->center, r->position))
            continue;
        const double size = (double)chi[(int32_t)p->panel[n] - b->first] * b->laid.scale *
                            (double)patch->area * h * h;
        for (int c = 0; c < 3; c++)
            r->strength[c] = (float)(size * (double)patch->normal[c]);
        found++;
    }
    s->stages->deposit_more(&s->grid, found, records);
    vti_arena_pop(&s->arena, mark);
}

void vti_continue_lines(vt_simulation *s)
{
    const vt_panels *const p = &s->panels;
    for (int32_t n = 0; n < p->body_count; n++)
        if (p->bodies[n].set->beyond)
            continue_lines_of(s, &p->bodies[n]);
}
