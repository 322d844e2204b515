#include "panels/mutual_visibility.h"

#include "panels/patches.h"
#include "state/predicates.h"

/* Bodies farther apart than their reaches x this see of each other no panels but dipoles, and
 * farther than that nothing. */
static const double near_bodies = 1.25, far_bodies = 4;

/* How the panels of a body act on another body. */
typedef enum sight { UNSEEN, DIPOLE, PANELS } sight;

static sight sight_of_image(const vt_paneled_body *a, const vt_paneled_body *b, int image)
{
    const double reach = a->reach + b->reach;
    double center[3];
    memcpy(center, b->center, sizeof center);
    vti_mirror_point(&b->mirrors, image, center);
    const double distance = vti_sqrt(vti_square_between(a->center, center));
    return distance < near_bodies * reach  ? PANELS
           : distance < far_bodies * reach ? DIPOLE
                                           : UNSEEN;
}

static sight sight_of(const vt_paneled_body *a, const vt_paneled_body *b)
{
    return sight_of_image(a, b, 0);
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

/* What of a body acts, and the points where. */
typedef struct emission {
    const vt_paneled_body *from;
    sight seen;
    const vt_patch *patch;
    int64_t patches, count;
} emission;

static void add_emission(vt_simulation *s, const emission *e, const float *cells, float *velocity)
{
    if (e->seen == PANELS)
        s->stages->panel_field(e->patches, e->patch, e->count, cells, velocity, s->def.threads);
    for (int64_t i = 0; i < e->count && e->seen == DIPOLE; i++)
        add_dipole(&s->grid, e->from, cells + 3 * i, velocity + 3 * i);
}

/* What an image of a body does at points the body does at theirs, seen in the mirrors. */
static void add_image(vt_simulation *s, const emission *e, int image, const float *cells,
                      float *velocity)
{
    const size_t mark = vti_arena_mark(&s->arena), bytes = 12 * (size_t)e->count;
    const vt_mirrors mirrors = vti_mirrors_in_cells(&s->grid, e->from);
    float *const at = vti_arena_push(&s->arena, bytes), *const u = vti_arena_push(&s->arena, bytes);
    for (int64_t i = 0; i < e->count; i++) {
        double point[3];
        vti_widen(cells + 3 * i, point);
        vti_mirror_point(&mirrors, image, point);
        vti_narrow(point, at + 3 * i);
    }
    memset(u, 0, bytes);
    add_emission(s, e, at, u);
    for (int64_t i = 0; i < e->count; i++) {
        double way[3];
        vti_widen(u + 3 * i, way);
        vti_mirror_direction(&mirrors, image, way);
        for (int c = 0; c < 3; c++)
            velocity[3 * i + c] += (float)way[c];
    }
    vti_arena_pop(&s->arena, mark);
}

void vti_add_neighbours(vt_simulation *s, const vt_paneled_body *b, vt_scope scope, int64_t count,
                        const float *cells, float *velocity)
{
    const vt_panels *const p = &s->panels;
    for (int32_t n = 0; n < p->body_count; n++) {
        const vt_paneled_body *const other = &p->bodies[n];
        const int joined = other == b || vti_are_joined(b, other);
        emission e = {other, sight_of(b, other), other->whole, other->count, count};
        if (scope == VT_SOLVED_APART && (joined || vti_stands_on(other, b)))
            continue;
        if (scope == VT_ALL_OTHERS ? other != b : !joined)
            add_emission(s, &e, cells, velocity);
        for (int image = 1; image < vti_count_images(&other->mirrors); image++) {
            e.seen = sight_of_image(b, other, image);
            if (e.seen != UNSEEN)
                add_image(s, &e, image, cells, velocity);
        }
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
        const int images = vti_count_images(&other->mirrors);
        if ((other == b && images == 1) || sight_of(b, other) != PANELS)
            continue;
        const size_t mark = vti_arena_mark(&s->arena);
        vt_patch *const list = vti_arena_push(&s->arena, sizeof *list * (size_t)other->patch_count);
        const int64_t found = list_excess(p, other, list);
        const emission e = {other, PANELS, list, found, count};
        if (other != b)
            add_emission(s, &e, cells, velocity);
        for (int image = 1; image < images && found > 0; image++)
            add_image(s, &e, image, cells, velocity);
        vti_arena_pop(&s->arena, mark);
    }
}
