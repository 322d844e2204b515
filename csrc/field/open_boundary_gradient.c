#include "field/open_boundary_gradient.h"

#include "state/simulation.h"

/* A node filled to less than this is open. */
static const float least_fill = 0.05f;

typedef struct context {
    const vt_half_open *half;
    const vt_grid *means;
    vt_grid *slopes; /* nodes of the differences; NULL: the values are worked on */
} context;

static int is_fluid(const vt_half_open *h, int64_t node)
{
    return !h->marks->open || h->marks->open[node];
}

/* Volume of vortons in a node / volume of a node. */
static float fill_at(const context *c, int64_t node)
{
    return ((const float *)c->means->nodes)[4 * node + 3];
}

static int is_open(const context *c, int64_t node)
{
    return is_fluid(c->half, node) && fill_at(c, node) < least_fill;
}

static void close_value(const context *c, int64_t node)
{
    const vt_half_open *const h = c->half;
    const int64_t step[3] = {1, c->means->node_row, c->means->node_plane};
    float *const value = &((float *)c->means->nodes)[4 * node];
    if (!(fill_at(c, node) > 0) || !is_fluid(h, node))
        return;
    int edge = 0;
    for (int a = 0; a < 3; a++)
        edge |= is_open(c, node - step[a]) | is_open(c, node + step[a]);
    h->edge[node] = (uint8_t)edge;
    if (is_open(c, node))
        *value = 0;
    else if (edge && fill_at(c, node) < 1)
        *value *= fill_at(c, node);
}

static void close_slope(const context *c, int64_t node)
{
    const int64_t step[3] = {1, c->means->node_row, c->means->node_plane};
    const f4 *const at = c->means->nodes + node;
    f4 slope = {0, 0, 0, at[0][0]};
    const float fill = fill_at(c, node) < 1 ? fill_at(c, node) : 1;
    for (int a = 0; a < 3 && !is_open(c, node); a++) {
        const float below = at[0][0] - at[-step[a]][0], above = at[step[a]][0] - at[0][0];
        slope[a] = ((is_open(c, node - step[a]) ? 1.0f : 0.5f) * below +
                    (is_open(c, node + step[a]) ? 1.0f : 0.5f) * above) /
                   fill;
    }
    c->slopes->nodes[node] = slope;
}

static void close_planes(void *data, int64_t begin, int64_t end)
{
    const context *const c = data;
    const vt_grid *const grid = c->means;
    for (int64_t k = begin > 0 ? begin : 1; k < end && k < grid->cells[2]; k++)
        for (int64_t j = 1; j < grid->cells[1]; j++)
            for (int64_t i = 1; i < grid->cells[0]; i++) {
                const int64_t node = k * grid->node_plane + j * grid->node_row + i;
                if (!c->slopes)
                    close_value(c, node);
                else if (c->half->edge[node])
                    close_slope(c, node);
            }
}

void vti_close_values(vt_simulation *s, const vt_node_marks *marks, vt_grid *means,
                      vt_half_open *half)
{
    const size_t nodes = (size_t)(means->node_plane * (means->cells[2] + 2));
    *half = (vt_half_open){marks, vti_arena_push(&s->arena, nodes)};
    memset(half->edge, 0, nodes);
    context c = {half, means, NULL};
    vti_parallel_for(s->def.threads, means->cells[2] + 1, 1, close_planes, &c);
}

void vti_close_slopes(const vt_simulation *s, const vt_half_open *half, const vt_grid *means,
                      vt_grid *slopes)
{
    context c = {half, means, slopes};
    vti_parallel_for(s->def.threads, means->cells[2] + 1, 1, close_planes, &c);
}
