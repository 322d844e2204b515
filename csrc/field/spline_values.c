#include "field/spline_values.h"

#include "kernels/grid/mirror.h"

/* The nodes before, at and after one along an axis, and their weights; of those behind walls the
 * images. */
typedef struct axis_nodes {
    int64_t node[3];
    float weight[3];
    int32_t image[3];
} axis_nodes;

static axis_nodes find_nodes(const vt_grid *g, int axis, int64_t at)
{
    const int64_t cells = g->cells[axis];
    const int face = !g->walled && (at == 0 || at == cells);
    axis_nodes found = {{at, at, at}, {0, 1, 0}, {0, 0, 0}};
    for (int n = 0; n < 3 && !face; n++) {
        found.node[n] = vti_mirrored(at + n - 1, cells);
        found.weight[n] = n == 1 ? 0.75f : 0.125f;
        found.image[n] = found.node[n] != at + n - 1;
    }
    return found;
}

enum { MOST_LANES = 4 };

/* Rows of the coefficients and of the values, of one float or four at a node. */
typedef struct values_job {
    const vt_grid *grid;
    const float *from;
    float *to;
    int64_t row, plane; /* floats from one to the next */
    int lanes;
    int32_t odd[3][MOST_LANES]; /* for each axis: whether images behind its walls are turned */
} values_job;

/* Weights of the lanes of neighbour number n. */
static void weigh(const values_job *job, const axis_nodes *a, int axis, int n,
                  float weight[MOST_LANES])
{
    for (int l = 0; l < MOST_LANES; l++)
        weight[l] = a->image[n] && job->odd[axis][l] ? -a->weight[n] : a->weight[n];
}

/* Adds a row of nodes, or begins with it. */
static void add_row(int64_t nodes, int lanes, const float weight[MOST_LANES],
                    const float *restrict from, int begins, float *restrict to)
{
    if (begins)
        memset(to, 0, sizeof *to * (size_t)(nodes * lanes));
    if (lanes == 1)
        for (int64_t i = 0; i < nodes; i++)
            to[i] += weight[0] * from[i];
    else
        for (int64_t i = 0; i < nodes; i++)
            for (int l = 0; l < MOST_LANES; l++)
                to[MOST_LANES * i + l] += weight[l] * from[MOST_LANES * i + l];
}

/* What rows beside each other have made, in place, along the row. */
static void mix_along(const values_job *job, float *row)
{
    const int64_t last = job->grid->cells[0], lanes = job->lanes;
    const axis_nodes first = find_nodes(job->grid, 0, 0), end = find_nodes(job->grid, 0, last);
    for (int l = 0; l < lanes; l++) {
        float weight[3][MOST_LANES], before = row[l], begin = 0;
        for (int n = 0; n < 3; n++) {
            weigh(job, &first, 0, n, weight[n]);
            begin += weight[n][l] * row[first.node[n] * lanes + l];
        }
        float close = 0;
        for (int n = 0; n < 3; n++) {
            weigh(job, &end, 0, n, weight[n]);
            close += weight[n][l] * row[end.node[n] * lanes + l];
        }
        row[l] = begin;
        for (int64_t i = 1; i < last; i++) {
            const float here = row[i * lanes + l];
            row[i * lanes + l] = 0.125f * (before + row[(i + 1) * lanes + l]) + 0.75f * here;
            before = here;
        }
        row[last * lanes + l] = close;
    }
}

static void mix_plane(void *data, int64_t k)
{
    const values_job *const job = data;
    const vt_grid *const g = job->grid;
    const axis_nodes z = find_nodes(g, 2, k);
    for (int64_t j = 0; j <= g->cells[1]; j++) {
        const axis_nodes y = find_nodes(g, 1, j);
        float *const to = job->to + k * job->plane + j * job->row;
        for (int n = 0; n < 9; n++) {
            const int b = n % 3, c = n / 3;
            float along_y[MOST_LANES], weight[MOST_LANES];
            weigh(job, &y, 1, b, along_y);
            weigh(job, &z, 2, c, weight);
            for (int l = 0; l < MOST_LANES; l++)
                weight[l] *= along_y[l];
            add_row(g->cells[0] + 1, job->lanes, weight,
                    job->from + z.node[c] * job->plane + y.node[b] * job->row, n == 0, to);
        }
        mix_along(job, to);
    }
}

void vti_find_node_values(const vt_simulation *s, const vt_grid *grid, f4 *values)
{
    values_job job = {.grid = grid,
                      .from = (const float *)grid->nodes,
                      .to = (float *)values,
                      .row = MOST_LANES * grid->node_row,
                      .plane = MOST_LANES * grid->node_plane,
                      .lanes = MOST_LANES};
    /* the velocity across a wall is odd there, as is div A along all axes */
    for (int a = 0; a < 3; a++)
        job.odd[a][a] = job.odd[a][3] = 1;
    vti_parallel_each(s->def.threads, grid->cells[2] + 1, 1, mix_plane, &job);
}

void vti_find_potential_values(const vt_simulation *s, const vt_grid *grid, int component,
                               float *values)
{
    values_job job = {.grid = grid,
                      .from = grid->field[component],
                      .to = values,
                      .row = grid->row,
                      .plane = grid->plane,
                      .lanes = 1};
    /* a component of the vector potential is even along its own axis, the scalar one along all */
    for (int a = 0; a < 3; a++)
        job.odd[a][0] = component != 3 && component != a;
    vti_parallel_each(s->def.threads, grid->cells[2] + 1, 1, mix_plane, &job);
}
