#include "field/spline_values.h"

#include "kernels/grid/mirror.h"

/* The nodes before, at and after one along an axis, and their weights; of those behind walls the
 * images, which turn what is odd. */
typedef struct axis_nodes {
    int64_t node[3];
    float weight[3], odd[3]; /* odd: the weights with the sign of what is odd */
} axis_nodes;

static axis_nodes find_nodes(const vt_grid *g, int axis, int64_t at)
{
    const int64_t cells = g->cells[axis];
    const int face = !g->walled && (at == 0 || at == cells);
    axis_nodes found = {{at, at, at}, {0, 1, 0}, {0, 1, 0}};
    for (int n = 0; n < 3 && !face; n++) {
        found.node[n] = vti_mirrored(at + n - 1, cells);
        found.weight[n] = n == 1 ? 0.75f : 0.125f;
        found.odd[n] = found.node[n] == at + n - 1 ? found.weight[n] : -found.weight[n];
    }
    return found;
}

typedef struct values_job {
    const vt_grid *grid;
    f4 *nodes;
    int component;
    float *field;
} values_job;

/* The velocity across a wall is odd there, as is div A along all axes. */
static f4 lane_weights(const axis_nodes *a, int axis, int n)
{
    f4 weight = f4_set(a->weight[n]);
    weight[axis] = weight[3] = a->odd[n];
    return weight;
}

static void find_node_plane(void *data, int64_t k)
{
    const values_job *const job = data;
    const vt_grid *const g = job->grid;
    const axis_nodes z = find_nodes(g, 2, k);
    for (int64_t j = 0; j <= g->cells[1]; j++) {
        const axis_nodes y = find_nodes(g, 1, j);
        for (int64_t i = 0; i <= g->cells[0]; i++) {
            const axis_nodes x = find_nodes(g, 0, i);
            f4 sum = f4_set(0);
            for (int n = 0; n < 27; n++) {
                const int a = n % 3, b = n / 3 % 3, c = n / 9;
                const f4 weight =
                    lane_weights(&x, 0, a) * lane_weights(&y, 1, b) * lane_weights(&z, 2, c);
                sum += weight *
                       g->nodes[z.node[c] * g->node_plane + y.node[b] * g->node_row + x.node[a]];
            }
            job->nodes[k * g->node_plane + j * g->node_row + i] = sum;
        }
    }
}

void vti_find_node_values(const vt_simulation *s, const vt_grid *grid, f4 *values)
{
    values_job job = {.grid = grid, .nodes = values};
    vti_parallel_each(s->def.threads, grid->cells[2] + 1, 1, find_node_plane, &job);
}

/* A component of the vector potential is even along its own axis, the scalar potential along all.
 */
static float field_weight(const values_job *job, const axis_nodes *a, int axis, int n)
{
    return job->component == 3 || job->component == axis ? a->weight[n] : a->odd[n];
}

static void find_field_plane(void *data, int64_t k)
{
    const values_job *const job = data;
    const vt_grid *const g = job->grid;
    const float *const from = g->field[job->component];
    const axis_nodes z = find_nodes(g, 2, k);
    for (int64_t j = 0; j <= g->cells[1]; j++) {
        const axis_nodes y = find_nodes(g, 1, j);
        for (int64_t i = 0; i <= g->cells[0]; i++) {
            const axis_nodes x = find_nodes(g, 0, i);
            float sum = 0;
            for (int n = 0; n < 27; n++) {
                const int a = n % 3, b = n / 3 % 3, c = n / 9;
                sum += field_weight(job, &x, 0, a) * field_weight(job, &y, 1, b) *
                       field_weight(job, &z, 2, c) *
                       from[z.node[c] * g->plane + y.node[b] * g->row + x.node[a]];
            }
            job->field[k * g->plane + j * g->row + i] = sum;
        }
    }
}

void vti_find_potential_values(const vt_simulation *s, const vt_grid *grid, int component,
                               float *values)
{
    values_job job = {.grid = grid, .component = component, .field = values};
    vti_parallel_each(s->def.threads, grid->cells[2] + 1, 1, find_field_plane, &job);
}
