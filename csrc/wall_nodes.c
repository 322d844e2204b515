/* Row by row: a straight line meets a convex solid in one piece. */
#include "wall_nodes.h"

#include <math.h>
#include <string.h>

#include "core/parallel.h"
#include "core/vec3.h"

/* Of the spacing: what is nearer to a wall has too little fluid around it to be a mean. */
static const double skin = 0.1;

typedef struct marking {
    const vt_simulation *simulation;
    const vt_grid *grid;
    const vt_pose *pose; /* of each body */
    double skin;         /* m */
    vt_node_marks marks;
} marking;

/* One row of nodes beside one body. */
typedef struct row_line {
    const vt_body *body;
    double from[3], to[3]; /* first and last node, in the space of the body */
    double skin;           /* in that space */
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

static void close_row(const row_line *row)
{
    const vt_body *const body = row->body;
    const double margin = body->hole ? -row->skin : row->skin;
    for (int32_t n = 0; n < body->solid_count; n++) {
        double enter, leave;
        const int cuts = vt_solid_cut(&body->solids[n], margin, row->from, row->to, &enter, &leave);
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
    vt_pose_point(&m->pose[n], body->center, center);
    const double reach = (body->reach + m->skin) / grid->spacing;
    const double y = center[1] / grid->spacing - grid->base[1];
    const double z = center[2] / grid->spacing - grid->base[2];
    const double least = ceil(y - reach), most = floor(y + reach);
    *first = least > 0 ? (least < (double)rows ? (int64_t)least : rows) : 0;
    *end = most + 1 < (double)rows ? (most + 1 > 0 ? (int64_t)most + 1 : 0) : rows;
    if (vt_abs((double)k - z) > reach)
        *end = *first;
}

static void mark_planes(void *data, int64_t begin, int64_t end_plane, int thread)
{
    (void)thread;
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
                                .nodes = grid->cells[0] + 1,
                                .open = plane + j * grid->node_row};
                vt_pose_point_back(&m->pose[n], from, row.from);
                vt_pose_point_back(&m->pose[n], to, row.to);
                close_row(&row);
            }
        }
        for (int64_t j = 0; j < rows; j++)
            m->marks.walled[k * rows + j] =
                memchr(plane + j * grid->node_row, 0, (size_t)(grid->cells[0] + 1)) != NULL;
    }
}

void vt_mark_wall_nodes(vt_simulation *s, const vt_grid *grid, double time, vt_node_marks *marks)
{
    const int32_t bodies = s->bodies.count;
    const int64_t planes = grid->cells[2] + 1;
    *marks = (vt_node_marks){NULL, NULL};
    if (bodies == 0)
        return;
    vt_pose *const pose = vt_arena_push(&s->arena, sizeof *pose * (size_t)bodies);
    for (int32_t n = 0; n < bodies; n++)
        pose[n] = vt_body_pose(&s->transforms, &s->bodies.items[n], time);
    marks->open = vt_arena_push(&s->arena, (size_t)(grid->node_plane * planes));
    marks->walled = vt_arena_push(&s->arena, (size_t)((grid->cells[1] + 1) * planes));
    marking m = {s, grid, pose, skin * grid->spacing, *marks};
    vt_parallel_for(s->def.threads, planes, 1, mark_planes, &m);
}
