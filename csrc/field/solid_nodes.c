/* Row by row: a straight line meets a convex solid in one piece. */
#include "field/solid_nodes.h"

#include "state/distance_to_bodies.h"
#include "state/rigid_body.h"
#include "state/simulation.h"

/* Room at a point beside a body at a time, m; the normal of the wall in the world. */
static double wall_at(const vt_body *body, const vt_pose *pose, const double point[3],
                      double normal[3])
{
    double local[3], away[3];
    vti_pose_point_back(pose, point, local);
    const double room = body->scale * vti_distance_to_body(body, local, away);
    vti_pose_direction(pose, away, normal);
    return room;
}

double vti_nearest_solid(const vt_simulation *s, const vt_pose *pose, const double point[3],
                         double normal[3], int32_t *body)
{
    double least = INFINITY, candidate[3];
    memset(normal, 0, sizeof candidate);
    *body = 0;
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const double room = wall_at(&s->bodies.items[n], &pose[n], point, candidate);
        if (room < least) {
            least = room;
            *body = n;
            memcpy(normal, candidate, sizeof candidate);
        }
    }
    return least;
}

double vti_hit_radius(const vt_vortons *v, int64_t row)
{
    const double ball = 4.18879020478639; /* volume of a ball of radius 1 */
    return vti_cbrt((double)v->volume[row] / ball);
}

static f4 without(f4 slope, const double normal[3])
{
    const float n[3] = {(float)normal[0], (float)normal[1], (float)normal[2]};
    const float along = slope[0] * n[0] + slope[1] * n[1] + slope[2] * n[2];
    return (f4){slope[0] - along * n[0], slope[1] - along * n[1], slope[2] - along * n[2],
                slope[3]};
}

static void poison_nodes(vt_simulation *s, const vt_grid *grid, f4 *slopes, double time)
{
    const vt_pose *const pose = vti_poses_at(s, time);
    vt_node_marks marks;
    vti_mark_wall_nodes(s, grid, time, &marks);
    for (int64_t k = 1; k < grid->cells[2]; k++)
        for (int64_t j = 1; j < grid->cells[1]; j++)
            for (int64_t i = 1; i < grid->cells[0]; i++) {
                const int64_t at = k * grid->node_plane + j * grid->node_row + i;
                const double node[3] = {(grid->base[0] + (double)i) * grid->spacing,
                                        (grid->base[1] + (double)j) * grid->spacing,
                                        (grid->base[2] + (double)k) * grid->spacing};
                double normal[3];
                int32_t body;
                if (!marks.open[at] && vti_nearest_solid(s, pose, node, normal, &body) < INFINITY)
                    slopes[at] = without(slopes[at], normal);
            }
}

static void poison_around(const vt_grid *grid, f4 *slopes, const double place[3],
                          const double normal[3])
{
    int64_t low[3];
    for (int a = 0; a < 3; a++) {
        low[a] = (int64_t)floor(place[a] / grid->spacing - grid->base[a]);
        if (low[a] < 0 || low[a] >= grid->cells[a])
            return;
    }
    for (int n = 0; n < 8; n++) {
        f4 *const at = slopes + (low[2] + (n >> 2)) * grid->node_plane +
                       (low[1] + (n >> 1 & 1)) * grid->node_row + low[0] + (n & 1);
        *at = without(*at, normal);
    }
}

static void poison_hits(vt_simulation *s, const vt_grid *grid, f4 *slopes, double time)
{
    const vt_vortons *const v = &s->vortons;
    const vt_pose *const pose = vti_poses_at(s, time);
    for (int64_t i = 0; i < v->set.count; i++) {
        double place[3], normal[3];
        int32_t body;
        vti_widen(v->position + 3 * i, place);
        if (vti_nearest_solid(s, pose, place, normal, &body) < vti_hit_radius(v, i))
            poison_around(grid, slopes, place, normal);
    }
}

void vti_poison_slopes(vt_simulation *s, const vt_grid *grid, f4 *slopes, double time)
{
    const size_t mark = vti_arena_mark(&s->arena);
    if (s->bodies.count > 0 && s->def.method.walls == VT_WALLS_NODES)
        poison_nodes(s, grid, slopes, time);
    else if (s->bodies.count > 0 && s->def.method.walls == VT_WALLS_HITS)
        poison_hits(s, grid, slopes, time);
    vti_arena_pop(&s->arena, mark);
}

/* In spacings: a node nearer to a wall has too little fluid around it for a mean. With .001 a half
 * full container that is tilted does not stay at rest; .4 is too far, too
 * (tests/test_containers_at_rest.py). */
static const double skin = 0.1;

typedef struct marking {
    const vt_simulation *simulation;
    const vt_grid *grid;
    const vt_pose *pose; /* pose of each body */
    double skin;         /* m */
    vt_node_marks marks;
} marking;

/* One row of nodes beside one body. */
typedef struct row_line {
    const vt_body *body;
    double from[3], to[3]; /* first and last node, in the space of the body */
    double skin, spacing;  /* skin and spacing of the grid in the space of the body */
    int64_t nodes;
    uint8_t *open;
} row_line;

static void close_nodes(uint8_t *open, int64_t first, int64_t end)
{
    if (end > first)
        memset(open + first, 0, (size_t)(end - first));
}

/* The nodes from the first that is not before a share of the line on. */
static int64_t node_at(const row_line *row, double share)
{
    const double at = ceil(share * (double)(row->nodes - 1));
    return at<0 ? 0 : at>(double) row->nodes ? row->nodes : (int64_t)at;
}

/* By which a solid counts as larger: one thinner than a cell as thick as that, or it would hold no
 * node, and what lies on its sides would be neighbours. */
static double margin_of(const vt_solid *solid, const row_line *row)
{
    if (row->body->hole)
        return -row->skin;
    return isfinite(solid->circumscribed) ? fmax(row->skin, 0.5 * row->spacing - solid->inscribed)
                                          : row->skin;
}

static void close_row(const row_line *row)
{
    const vt_body *const body = row->body;
    for (int32_t n = 0; n < body->solid_count; n++) {
        double enter, leave;
        const double margin = margin_of(&body->solids[n], row);
        const int cuts =
            vti_solid_cut(&body->solids[n], margin, row->from, row->to, &enter, &leave);
        const int64_t first = cuts ? node_at(row, enter) : 0;
        const int64_t end = cuts ? node_at(row, leave) : 0;
        if (body->hole) {
            close_nodes(row->open, 0, first);
            close_nodes(row->open, end > first ? end : first, row->nodes);
        } else {
            close_nodes(row->open, first, end);
        }
    }
}

/* Rows of a plane that a body reaches: [*first, *end). */
static void find_rows(const marking *m, int32_t n, int64_t k, int64_t *first, int64_t *end)
{
    const vt_grid *const grid = m->grid;
    const vt_body *const body = &m->simulation->bodies.items[n];
    const int64_t rows = grid->cells[1] + 1;
    double center[3];
    *first = 0;
    *end = rows;
    if (body->hole || !isfinite(body->reach))
        return;
    vti_pose_point(&m->pose[n], body->center, center);
    const double reach = body->reach / grid->spacing + 1; /* more than any margin */
    const double y = center[1] / grid->spacing - grid->base[1];
    const double z = center[2] / grid->spacing - grid->base[2];
    const double least = ceil(y - reach), most = floor(y + reach);
    *first = least > 0 ? (least < (double)rows ? (int64_t)least : rows) : 0;
    *end = most + 1 < (double)rows ? (most + 1 > 0 ? (int64_t)most + 1 : 0) : rows;
    if (vti_abs((double)k - z) > reach)
        *end = *first;
}

static void mark_planes(void *data, int64_t begin, int64_t end_plane)
{
    const marking *const m = data;
    const vt_grid *const grid = m->grid;
    const int64_t rows = grid->cells[1] + 1;
    for (int64_t k = begin; k < end_plane; k++) {
        uint8_t *const plane = m->marks.open + k * grid->node_plane;
        memset(plane, 1, (size_t)grid->node_plane);
        for (int32_t n = 0; n < m->simulation->bodies.count; n++) {
            const vt_body *const body = &m->simulation->bodies.items[n];
            int64_t first, end;
            find_rows(m, n, k, &first, &end);
            for (int64_t j = first; j < end; j++) {
                const double y = (grid->base[1] + (double)j) * grid->spacing;
                const double z = (grid->base[2] + (double)k) * grid->spacing;
                const double from[3] = {grid->base[0] * grid->spacing, y, z};
                const double to[3] = {(grid->base[0] + grid->cells[0]) * grid->spacing, y, z};
                row_line row = {.body = body,
                                .skin = m->skin / body->scale,
                                .spacing = grid->spacing / body->scale,
                                .nodes = grid->cells[0] + 1,
                                .open = plane + j * grid->node_row};
                vti_pose_point_back(&m->pose[n], from, row.from);
                vti_pose_point_back(&m->pose[n], to, row.to);
                close_row(&row);
            }
        }
        for (int64_t j = 0; j < rows; j++)
            m->marks.walled[k * rows + j] =
                memchr(plane + j * grid->node_row, 0, (size_t)(grid->cells[0] + 1)) != NULL;
    }
}

void vti_mark_wall_nodes(vt_simulation *s, const vt_grid *grid, double time, vt_node_marks *marks)
{
    const int32_t bodies = s->bodies.count;
    const int64_t planes = grid->cells[2] + 1;
    *marks = (vt_node_marks){NULL, NULL};
    if (bodies == 0)
        return;
    vt_pose *const pose = vti_arena_push(&s->arena, sizeof *pose * (size_t)bodies);
    for (int32_t n = 0; n < bodies; n++)
        pose[n] = vti_body_pose(&s->transforms, &s->bodies.items[n], time);
    marks->open = vti_arena_push(&s->arena, (size_t)(grid->node_plane * planes));
    marks->walled = vti_arena_push(&s->arena, (size_t)((grid->cells[1] + 1) * planes));
    marking m = {s, grid, pose, skin * grid->spacing, *marks};
    vti_parallel_for(s->def.threads, planes, 1, mark_planes, &m);
}
