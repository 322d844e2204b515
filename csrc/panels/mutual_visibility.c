#include "panels/mutual_visibility.h"

#include "panels/patches.h"
#include "state/predicates.h"

/* Bodies farther apart than their reaches x this see of each other no panels but dipoles, and
 * farther than that nothing. */
static const double near_bodies = 1.25, far_bodies = 4;

/* How the panels of a body act on another body. */
typedef enum sight { UNSEEN, DIPOLE, PANELS } sight;

static sight sight_of(const vt_paneled_body *a, const vt_paneled_body *b)
{
    const double reach = a->reach + b->reach;
    const double distance = vti_sqrt(vti_square_between(a->center, b->center));
    return distance < near_bodies * reach  ? PANELS
           : distance < far_bodies * reach ? DIPOLE
                                           : UNSEEN;
}

static void add_dipole(const vt_grid *grid, const vt_paneled_body *from, const float cell[3],
                       float velocity[3])
{
    double way[3];
    vti_from_cells(grid, cell, way);
    vti_add_scaled(way, -1, from->center);
    const double square = vti_dot(way, way), cube = square * vti_sqrt(square) * 4 * VT_PI;
    const double along = from->charge + 3 * vti_dot(from->dipole, way) / square;
    for (int c = 0; c < 3; c++)
        velocity[c] += (float)((along * way[c] - from->dipole[c]) / cube);
}

void vti_add_neighbours(vt_simulation *s, const vt_paneled_body *b, int with_joined, int64_t count,
                        const float *cells, float *velocity)
{
    const vt_panels *const p = &s->panels;
    for (int32_t n = 0; n < p->body_count; n++) {
        const vt_paneled_body *const other = &p->bodies[n];
        const int left_out = other == b || (!with_joined && vti_are_joined(b, other));
        const sight seen = left_out ? UNSEEN : sight_of(b, other);
        if (seen == PANELS)
            s->stages->panel_field(other->count, other->whole, count, cells, velocity,
                                   s->def.threads);
        for (int64_t i = 0; i < count && seen == DIPOLE; i++)
            add_dipole(&s->grid, other, cells + 3 * i, velocity + 3 * i);
    }
}

int vti_have_neighbours(const vt_panels *p)
{
    for (int32_t m = 0; m < p->body_count; m++)
        for (int32_t n = 0; n < m; n++)
            if (!vti_are_joined(&p->bodies[m], &p->bodies[n]) &&
                sight_of(&p->bodies[m], &p->bodies[n]) != UNSEEN)
                return 1;
    return 0;
}

/* ---- panels as others see them ---- */

void vti_lay_whole_panels(vt_simulation *s)
{
    vt_panels *const p = &s->panels;
    for (int32_t n = 0; n < p->body_count; n++) {
        vt_paneled_body *const b = &p->bodies[n];
        b->whole = NULL;
        if (p->body_count < 2)
            continue;
        b->whole = vti_arena_push(&p->arena, sizeof *b->whole * (size_t)b->count);
        for (int32_t i = 0; i < b->count; i++)
            vti_make_whole_patch(s, b, i, &b->whole[i]);
    }
}

/* Lists the patches whose emission differs from that of their panel, with the difference; returns
 * how many. */
static int64_t list_excess(const vt_panels *p, const vt_paneled_body *b, vt_patch *list)
{
    int64_t found = 0;
    for (int32_t n = b->first_patch; n < b->first_patch + b->patch_count; n++)
        if (p->excess[n] != 0) {
            list[found] = p->patch[n];
            list[found++].density = p->excess[n];
        }
    return found;
}

void vti_add_excess_around(vt_simulation *s, const vt_paneled_body *b, int64_t count,
                           const float *cells, float *velocity)
{
    const vt_panels *const p = &s->panels;
    for (int32_t n = 0; n < p->body_count; n++) {
        const vt_paneled_body *const other = &p->bodies[n];
        if (other == b || sight_of(b, other) != PANELS)
            continue;
        const size_t mark = vti_arena_mark(&s->arena);
        vt_patch *const list = vti_arena_push(&s->arena, sizeof *list * (size_t)other->patch_count);
        const int64_t found = list_excess(p, other, list);
        s->stages->panel_field(found, list, count, cells, velocity, s->def.threads);
        vti_arena_pop(&s->arena, mark);
    }
}
