#include "conservation/surface_slip.h"

#include "conservation/body_forces.h"
#include "conservation/layer_points.h"
#include "conservation/vortex_shedding.h"
#include "panels/image_vorticity.h"
#include "panels/panel_onset.h"
#include "panels/panels.h"
#include "panels/surface_velocity.h"
#include "state/predicates.h"

/* How deep under the panels the velocity is looked at that a layer above them leaves: there nothing
 * is left of its width, which would be taken for slip. Not beyond the middle of a thin body, nor
 * short of it: a face that sees the layer of the face behind it better than its own sheds the more
 * the more it has, and the difference of the two grows without bound. */
static double depth_of(const vt_simulation *s, const vt_body *body)
{
    double depth = s->grid.core;
    for (int32_t n = 0; n < body->solid_count; n++)
        depth = fmin(depth, body->scale * body->solids[n].inscribed);
    return depth;
}

enum { PANEL_BLOCK = 8 };

typedef struct slip_job {
    const vt_simulation *s;
    const vt_paneled_body *body;
    const float *fluid; /* velocities of the fluid at the panels, m/s */
    double depth;
    float *slip;
} slip_job;

/* Velocity less that of the body at a panel, in its space, from that of the fluid there. */
static void find_slip_at(void *data, int64_t panel)
{
    const slip_job *const job = data;
    const vt_paneled_body *const b = job->body;
    const vt_panels *const p = &job->s->panels;
    const int32_t at = b->first + (int32_t)panel;
    double below[3], rigid[3], velocity[3], change[3];
    memcpy(below, p->center[at], sizeof below);
    vti_add_scaled(below, -job->depth, p->normal[at]);
    vti_change_under_panel(job->s, b, at, job->depth, change);
    vti_wall_velocity(b, below, rigid);
    for (int c = 0; c < 3; c++)
        velocity[c] = (double)job->fluid[3 * panel + c] - p->wind[c] - rigid[c] + change[c];
    vti_pose_direction_back(&b->pose, velocity, velocity);
    vti_narrow(velocity, job->slip + 3 * panel);
}

/* A layer is as wide as a core. Where another wall is nearer than that it is none: what would be
 * shed acts on both walls alike, hardly slows the slip that it is shed for, and grows without
 * bound. Share that is left of the layer: none from half a core down, and of parts of panels of
 * twice the area that they may have. */
static double share_of_layer(const vt_simulation *s, const vt_paneled_body *b, int32_t panel)
{
    const double room = (double)s->panels.room[panel], area = (double)s->panels.area[panel];
    const double beside = fmin(fmax(2 * room / s->grid.core - 1, 0), 1);
    const double cuts = vti_cuts_of_layer(area, b->parts);
    return beside * fmin(fmax(2 - area / (cuts * cuts * vti_widest_point(s)), 0), 1);
}

/* Whether any panel has a layer. */
static int has_layer(const vt_simulation *s, const vt_paneled_body *b)
{
    for (int32_t i = b->first; i < b->first + b->count; i++)
        if (share_of_layer(s, b, i) > 0)
            return 1;
    return 0;
}

static void find_slip_of(vt_simulation *s, const vt_paneled_body *b, float *slip)
{
    const size_t mark = vti_arena_mark(&s->arena);
    float *const velocity = vti_arena_push(&s->arena, 12 * (size_t)b->count);
    slip_job job = {s, b, velocity, depth_of(s, b->body), slip};
    vti_find_surface_velocity(s, b, velocity);
    vti_parallel_each(s->def.threads, b->count, PANEL_BLOCK, find_slip_at, &job);
    vti_arena_pop(&s->arena, mark);
}

/* What bodies that touch, or a single one, have of layers. */
typedef struct layers {
    double sum[3];                   /* of n cross slip over the panels, in the world, m^3/s */
    double spread[3][3];             /* of area x (1 - n n^T), m^2 */
    double missing[3];               /* m^3/s */
    const vt_paneled_body *standing; /* one that stands on a plane; or NULL */
} layers;

static void add_layers(const vt_simulation *s, const vt_paneled_body *b, const float *slip,
                       layers *l)
{
    const vt_panels *const p = &s->panels;
    for (int32_t i = 0; i < b->count; i++) {
        const double *const n = p->normal[b->first + i];
        const double area = share_of_layer(s, b, b->first + i) * (double)p->area[b->first + i];
        const double along[3] = {(double)slip[3 * i], (double)slip[3 * i + 1],
                                 (double)slip[3 * i + 2]};
        double world[3], sheet[3];
        vti_pose_direction(&b->pose, along, world);
        vti_cross(n, world, sheet);
        vti_add_scaled(l->sum, area, sheet);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                l->spread[r][c] += area * ((r == c) - n[r] * n[c]);
    }
}

/* Each panel takes its part of what is missing, and is left its share of the layer. */
static void end_layer(const vt_simulation *s, const vt_paneled_body *b, const double made_up[3],
                      float *slip)
{
    for (int32_t i = 0; i < b->count; i++) {
        double along[3];
        vti_cross(made_up, s->panels.normal[b->first + i], along);
        for (int c = 0; c < 3; c++)
            for (int w = 0; w < 3; w++)
                slip[3 * i + c] += (float)(b->pose.matrix[w][c] * along[w]);
        for (int c = 0; c < 3; c++)
            slip[3 * i + c] *= (float)share_of_layer(s, b, b->first + i);
    }
}

/* Vortex lines end nowhere: what bodies that touch have shed, the layer that slips and their own
 * vorticity sum to nothing. A layer that is seen as wide as a core does not keep to that by itself,
 * and fluid around a body that spins would turn backwards in the end: n cross slip gets the
 * tangential part of the one vector that makes up for what is missing. The lines of those that
 * stand on a plane go on in their images. `slip` is that of each body with panels, NULL: it sheds
 * nothing. */
static void close_lines(const vt_simulation *s, int32_t group, float *const *slip)
{
    const vt_panels *const p = &s->panels;
    layers l = {.missing = {0}};
    double made_up[3] = {0};
    for (int32_t n = group; n < p->body_count; n++) {
        const vt_paneled_body *const b = &p->bodies[n];
        const double volume = vti_paneled_volume(b);
        for (int c = 0; c < 3 && b->group == group; c++)
            l.missing[c] -= b->body->shed_strength[c] + 2 * volume * b->angular[c];
        if (b->group == group && b->mirrors.count > 0)
            l.standing = b;
        if (b->group == group && slip[n])
            add_layers(s, b, slip[n], &l);
    }
    vti_subtract(l.missing, l.sum, l.missing);
    if (l.standing)
        vti_cancel_strength(&l.standing->mirrors, vti_continued_share(s, l.standing), l.missing);
    (void)vti_solve_three((const double (*)[3])l.spread, l.missing, made_up);
    for (int32_t n = group; n < p->body_count; n++)
        if (p->bodies[n].group == group && slip[n])
            end_layer(s, &p->bodies[n], made_up, slip[n]);
}

/* Whether the flow reaches a body: any of it is in the grid, or it stirs the fluid by itself
 * (panels/grid_request.h). */
static int is_reached(const vt_simulation *s, const vt_paneled_body *b)
{
    const vt_grid *const g = &s->grid;
    double square = 0;
    for (int c = 0; c < 3; c++) {
        const double low = g->base[c] * g->spacing, high = low + g->cells[c] * g->spacing;
        const double away = fmax(fmax(low - b->center[c], b->center[c] - high), 0);
        square += away * away;
    }
    return vti_panels_stir(s) || square < b->reach * b->reach;
}

void vti_find_slip(vt_simulation *s, float *slip)
{
    if (!s->panels.exist || vti_count_slipping(s) == 0)
        return;
    const size_t mark = vti_arena_mark(&s->arena);
    const int32_t count = s->panels.body_count;
    float **const slip_of = vti_arena_push(&s->arena, sizeof *slip_of * (size_t)count);
    for (int32_t n = 0; n < count; n++) {
        s->panels.bodies[n].parts = vti_area_of_points(s, s->panels.bodies[n].number);
        slip_of[n] = NULL;
    }
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_body *const body = &s->bodies.items[n];
        const vt_paneled_body *const b = vti_panels_of(s, n);
        if (!vti_sheds(body))
            continue;
        if (b && vti_has_books(b) && is_reached(s, b) && has_layer(s, b))
            find_slip_of(s, b, slip_of[b - s->panels.bodies] = slip);
        else
            memset(slip, 0, 12 * (size_t)body->panels->count);
        slip += 3 * (int64_t)body->panels->count;
    }
    for (int32_t n = 0; n < count; n++)
        if (s->panels.bodies[n].group == n)
            close_lines(s, n, slip_of);
    vti_arena_pop(&s->arena, mark);
}
