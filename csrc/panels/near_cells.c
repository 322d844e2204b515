#include "panels/near_cells.h"

#include "panels/nearest_wall.h"
#include "panels/patches.h"
#include "panels/private.h"
#include "state/simulation.h"

enum { PLANE_BLOCK = 4 };

/* Largest ratio of the distance from an edge or a corner of the body to the room there. */
static double find_corner(const vt_body *body)
{
    int round = 1;
    for (int32_t n = 0; n < body->solid_count; n++)
        round &=
            body->solids[n].kind == VT_SHAPE_SPHERE || body->solids[n].kind == VT_SHAPE_CAPSULE;
    return round ? 1 : 1.74;
}

/* Planes of a panel: both sides of it, and one along each edge, normal to it, outwards. */
enum { BOUNDS = 5 };

/* Where cells (their middles) are near a panel: normal . x <= limit for each plane. */
typedef struct region {
    int32_t rows[3][2];                       /* the first and the last cell along each axis */
    float normal[BOUNDS][3], inverse[BOUNDS]; /* 1 / normal[0]; 0: normal[0] hardly matters */
    float limit[BOUNDS];
} region;

typedef struct mark_job {
    const vt_simulation *s;
    region *regions; /* the region of each panel */
    uint8_t *near;
} mark_job;

/* The lesser of two numbers, without the care that fminf takes of NaN. */
static inline float lesser(float a, float b)
{
    return a < b ? a : b;
}

static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

/* Marks the cells of a row, by what j and k leave of the limits. */
static inline void mark_row(const region *r, const float rest[BOUNDS], uint8_t *row)
{
    float low = (float)r->rows[0][0], high = (float)r->rows[0][1];
    for (int q = 0; q < BOUNDS; q++) {
        const float room = r->limit[q] - rest[q], at = room * r->inverse[q] - 0.5f;
        if (r->inverse[q] == 0 && room < 0)
            return;
        low = r->inverse[q] < 0 ? larger(low, at - 0.01f) : low;
        high = r->inverse[q] > 0 ? lesser(high, at + 0.01f) : high;
    }
    if (low <= high)
        memset(row + (int32_t)low, 1, (size_t)((int32_t)high - (int32_t)low) + 1);
}

/* Marks the cells near a panel in the planes [begin, end) of cells. */
static void mark_region(const mark_job *job, const region *r, int64_t begin, int64_t end)
{
    const vt_grid *const g = &job->s->grid;
    for (int64_t k = begin; k < end; k++)
        for (int64_t j = r->rows[1][0]; j <= r->rows[1][1]; j++) {
            const float y = (float)j + 0.5f, z = (float)k + 0.5f;
            float rest[BOUNDS];
            for (int q = 0; q < BOUNDS; q++)
                rest[q] = r->normal[q][1] * y + r->normal[q][2] * z;
            mark_row(r, rest, job->near + k * g->node_plane + j * g->node_row);
        }
}

/* Adds plane number q of a region, so far above a point. */
static void add_plane(region *r, int q, const double normal[3], const double point[3], double above)
{
    enum { FINE = 1000 };
    const double along = vti_abs(normal[0]), level = vti_dot(normal, point);
    /* what the first component matters along the whole row, where it is too small to divide by */
    const double slack = along * FINE < 1 ? along * (r->rows[0][1] + 1) : 0;
    for (int c = 0; c < 3; c++)
        r->normal[q][c] = (float)normal[c];
    r->inverse[q] = along * FINE < 1 ? 0 : (float)(1 / normal[0]);
    r->limit[q] = (float)(level + above + slack);
}

/* Panel number i of a body: so many cells from its plane, and `beside` from the panel. */
static void make_region(const vt_simulation *s, const vt_paneled_body *b, int32_t i, double above,
                        double beside, region *r)
{
    const double *const normal = s->panels.normal[b->first + i];
    double at[3][3], opposite[3];
    vti_panel_corners(s, b, i, at);
    for (int c = 0; c < 3; c++) {
        const double low = fmin(fmin(at[0][c], at[1][c]), at[2][c]) - beside;
        const double high = fmax(fmax(at[0][c], at[1][c]), at[2][c]) + beside;
        r->rows[c][0] = (int32_t)fmin(fmax(low - 0.51, 0), s->grid.cells[c]);
        r->rows[c][1] = (int32_t)fmax(fmin(high - 0.49, s->grid.cells[c] - 1), -1);
        opposite[c] = -normal[c];
    }
    add_plane(r, 0, normal, at[0], above);
    add_plane(r, 1, opposite, at[0], above);
    for (int k = 0; k < 3; k++) {
        double side[3], outward[3];
        memcpy(side, at[(k + 1) % 3], sizeof side);
        vti_add_scaled(side, -1, at[k]);
        vti_normalise(side);
        vti_cross(side, normal, outward);
        add_plane(r, 2 + k, outward, at[k], beside);
    }
}

static void make_regions(void *data, int64_t n)
{
    const mark_job *const job = data;
    const vt_simulation *const s = job->s;
    const vt_paneled_body *const b = &s->panels.bodies[n];
    const double around = vti_find_bulge(b) / s->grid.spacing + VT_HALF_DIAGONAL;
    const double above = fmax(3 * vti_wall_width(s, b), vt_pairs_within) + around;
    const double beside = find_corner(b->body) * above;
    for (int32_t i = 0; i < b->count; i++)
        make_region(s, b, i, above, beside, &job->regions[b->first + i]);
}

static void mark_planes(void *data, int64_t begin, int64_t end)
{
    const mark_job *const job = data;
    const int64_t plane = job->s->grid.node_plane;
    memset(job->near + begin * plane, 0, (size_t)((end - begin) * plane));
    for (int32_t n = 0; n < job->s->panels.count; n++) {
        const region *const r = &job->regions[n];
        const int64_t first = r->rows[2][0], last = r->rows[2][1];
        if (first < end && last >= begin)
            mark_region(job, r, first > begin ? first : begin, last + 1 < end ? last + 1 : end);
    }
}

static void mark_cells(vt_simulation *s)
{
    vt_panels *const p = &s->panels;
    const vt_grid *const g = &s->grid;
    const int64_t planes = g->cells[2] + 1;
    p->near.near_cell = vti_arena_push(&p->near.arena, (size_t)(planes * g->node_plane));
    const size_t mark = vti_arena_mark(&s->arena);
    mark_job job = {.s = s,
                    .regions = vti_arena_push(&s->arena, sizeof *job.regions * (size_t)p->count),
                    .near = p->near.near_cell};
    vti_parallel_each(s->def.threads, p->body_count, 1, make_regions, &job);
    vti_parallel_for(s->def.threads, planes, PLANE_BLOCK, mark_planes, &job);
    vti_arena_pop(&s->arena, mark);
}

const uint8_t *vti_cells_near_panels(vt_simulation *s)
{
    if (!s->panels.exist)
        return NULL;
    if (!s->panels.near.near_cell)
        mark_cells(s);
    return s->panels.near.near_cell;
}
