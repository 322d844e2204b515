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

/* ---- what single patches emit beyond their panel ---- */

enum { POINT_BLOCK = 64 };

/* The sum of it is nothing, so that from far away a panel is seen as a dipole: from farther than
 * this multiple of its radius. What that leaves out is a ninth of it there, and falls faster. */
static const double far_from_panel = 3;

/* The patches of a panel, in cells. */
typedef struct excess_panel {
    float center[3], far_square; /* square of the distance from which it is far */
    int64_t first, count;
} excess_panel;

typedef struct excess {
    vt_patch *patch; /* with the difference as density */
    vt_patch *pair;  /* two charges for each panel, with its dipole */
    excess_panel *panel;
    int64_t panels;
} excess;

/* One of the two charges of a panel: all of its patches that emit more, or less. */
static vt_patch gather_charges(const vt_patch *patch, int64_t count, float sign)
{
    vt_patch sum = {.area = 1};
    double charge = 0, moment[3] = {0};
    for (int64_t i = 0; i < count; i++) {
        double center[3];
        if (!(sign * patch[i].density > 0))
            continue;
        const double here = (double)patch[i].density * (double)patch[i].area;
        vti_widen(patch[i].center, center);
        charge += here;
        vti_add_scaled(moment, here, center);
    }
    sum.density = (float)charge;
    for (int c = 0; c < 3; c++)
        sum.center[c] = charge != 0 ? (float)(moment[c] / charge) : patch->center[c];
    return sum;
}

static excess_panel look_at_panel(const vt_patch *patch, int64_t first, int64_t count)
{
    excess_panel panel = {.first = first, .count = count};
    double center[3] = {0}, area = 0, reach = 0;
    for (int64_t i = first; i < first + count; i++) {
        double at[3];
        vti_widen(patch[i].center, at);
        vti_add_scaled(center, (double)patch[i].area, at);
        area += (double)patch[i].area;
    }
    for (int c = 0; c < 3; c++)
        center[c] /= area;
    for (int64_t i = first; i < first + count; i++) {
        double at[3];
        vti_widen(patch[i].center, at);
        const double wide = vti_sqrt((double)patch[i].area);
        reach = fmax(reach, vti_sqrt(vti_square_between(at, center)) + wide);
    }
    vti_narrow(center, panel.center);
    panel.far_square = (float)(far_from_panel * far_from_panel * reach * reach);
    return panel;
}

/* Lists the patches of a body whose emission differs from that of their panel. */
static void list_excess(vt_simulation *s, const vt_paneled_body *b, excess *x)
{
    const vt_panels *const p = &s->panels;
    const size_t room = (size_t)b->patch_count;
    const int32_t all = b->first_patch + b->patch_count;
    int64_t found = 0;
    x->patch = vti_arena_push(&s->arena, sizeof *x->patch * room);
    x->pair = vti_arena_push(&s->arena, 2 * sizeof *x->pair * room);
    x->panel = vti_arena_push(&s->arena, sizeof *x->panel * room);
    x->panels = 0;
    for (int32_t n = b->first_patch, end; n < all; n = end) {
        const int64_t first = found;
        end = vti_end_of_panel(p, n, all);
        for (int32_t i = n; i < end; i++)
            if (p->excess[i] != 0) {
                x->patch[found] = p->patch[i];
                x->patch[found++].density = p->excess[i];
            }
        if (found == first)
            continue;
        vt_patch *const pair = x->pair + 2 * x->panels;
        pair[0] = gather_charges(x->patch + first, found - first, 1);
        pair[1] = gather_charges(x->patch + first, found - first, -1);
        x->panel[x->panels++] = look_at_panel(x->patch, first, found - first);
    }
}

typedef struct excess_job {
    vt_simulation *s;
    const excess *from;
    const float *cells;
    float *velocity;
} excess_job;

/* Whether all points of a box are far from a panel. */
static int is_far(const excess_panel *panel, const double low[3], const double high[3])
{
    double square = 0;
    for (int c = 0; c < 3; c++) {
        const double at = (double)panel->center[c];
        const double away = fmax(fmax(low[c] - at, at - high[c]), 0);
        square += away * away;
    }
    return square > (double)panel->far_square;
}

/* Panels [from, to), all near or all far, at the points of a block. */
static void add_run(const excess_job *job, int64_t from, int64_t to, int far, int64_t begin,
                    int64_t end)
{
    const excess *const x = job->from;
    const excess_panel *const last = &x->panel[to - 1];
    const int64_t first = x->panel[from].first;
    job->s->stages->panel_field(far ? 2 * (to - from) : last->first + last->count - first,
                                far ? x->pair + 2 * from : x->patch + first, end - begin,
                                job->cells + 3 * begin, job->velocity + 3 * begin, 1);
}

static void add_excess_to_block(void *data, int64_t begin, int64_t end)
{
    const excess_job *const job = data;
    const excess *const x = job->from;
    double low[3], high[3];
    vti_empty_box(low, high);
    for (int64_t i = begin; i < end; i++) {
        double at[3];
        vti_widen(job->cells + 3 * i, at);
        vti_add_to_box(at, low, high);
    }
    for (int64_t n = 0, to; n < x->panels; n = to) {
        const int far = is_far(&x->panel[n], low, high);
        for (to = n + 1; to < x->panels && is_far(&x->panel[to], low, high) == far;)
            to++;
        add_run(job, n, to, far, begin, end);
    }
}

/* ---- what bodies emit ---- */

/* What of a body acts, and the points where. */
typedef struct emission {
    const vt_paneled_body *from;
    sight seen;
    const excess *excess; /* of single patches; NULL: these patches do */
    const vt_patch *patch;
    int64_t patches, count;
} emission;

static void add_emission(vt_simulation *s, const emission *e, const float *cells, float *velocity)
{
    excess_job job = {s, e->excess, cells, velocity};
    if (e->excess) {
        vti_parallel_for(s->def.threads, e->count, POINT_BLOCK, add_excess_to_block, &job);
        return;
    }
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
        emission e = {other, sight_of(b, other), NULL, other->whole, other->count, count};
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
        excess from;
        list_excess(s, other, &from);
        const emission e = {other, PANELS, &from, NULL, 0, count};
        if (other != b)
            add_emission(s, &e, cells, velocity);
        for (int image = 1; image < images && from.panels > 0; image++)
            add_image(s, &e, image, cells, velocity);
        vti_arena_pop(&s->arena, mark);
    }
}
