#include "line_ends.h"

#include <math.h>
#include <string.h>

#include "core/vec3.h"
#include "panel_parts.h"

/* From the wall to where omega is read, in cells: nodes nearer to it lack what lies behind it. */
static const double depth = 1.5;

/* Strengths deposited around a point, in cells, per cell; 0 outside the grid. */
static void sample_strength(const vt_grid *g, const double cell[3], double strength[3])
{
    int64_t low[3];
    double weight[3];
    memset(strength, 0, 3 * sizeof *strength);
    for (int c = 0; c < 3; c++) {
        if (!(cell[c] >= 0 && cell[c] < g->cells[c]))
            return;
        low[c] = (int64_t)cell[c];
        weight[c] = cell[c] - (double)low[c];
    }
    for (int n = 0; n < 8; n++) {
        const int64_t i = n & 1, j = n >> 1 & 1, k = n >> 2;
        const double share = (i ? weight[0] : 1 - weight[0]) * (j ? weight[1] : 1 - weight[1]) *
                             (k ? weight[2] : 1 - weight[2]);
        const float *const node =
            (const float *)&g
                ->nodes[(low[2] + k) * g->node_plane + (low[1] + j) * g->node_row + low[0] + i];
        for (int c = 0; c < 3; c++)
            strength[c] += share * (double)node[c];
    }
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
        double cell[3], strength[3], out = 0;
        for (int c = 0; c < 3; c++)
            cell[c] = (double)patch->center[c] + depth * (double)patch->normal[c];
        sample_strength(g, cell, strength);
        for (int c = 0; c < 3; c++)
            out -= strength[c] * (double)patch->normal[c];
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
    const size_t mark = vt_arena_mark(&s->arena);
    double *const flux = vt_arena_push(&s->arena, sizeof *flux * (size_t)b->count);
    float *const chi = vt_arena_push(&s->arena, sizeof *chi * (size_t)b->count);
    vt_record *const records = vt_arena_push(&s->arena, sizeof *records * (size_t)b->patch_count);
    const double h = s->grid.spacing;
    int64_t found = 0;
    find_flux(s, b, flux);
    vt_multiply_panels(b->count, b->set->beyond, flux, chi, s->def.threads);
    for (int32_t n = b->first_patch; n < b->first_patch + b->patch_count; n++) {
        const vt_patch *const patch = &p->patch[n];
        vt_record *const r = &records[found];
        *r = (vt_record){.volume = (float)(h * h * h)};
        if (!vt_place_charge(&s->grid, patch->center, r->position))
            continue;
        const double size = (double)chi[(int32_t)p->panel[n] - b->first] * b->pose.scale *
                            (double)patch->area * h * h;
        for (int c = 0; c < 3; c++)
            r->strength[c] = (float)(size * (double)patch->normal[c]);
        found++;
    }
    s->stages->deposit_more(&s->grid, found, records);
    vt_arena_pop(&s->arena, mark);
}

void vt_continue_lines(vt_simulation *s)
{
    const vt_panels *const p = &s->panels;
    for (int32_t n = 0; n < p->body_count; n++)
        if (p->bodies[n].set->beyond)
            continue_lines_of(s, &p->bodies[n]);
}
