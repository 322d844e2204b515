#include "state/force_grid.h"

#include <math.h>

#include "base/math_double.h"
#include "base/status.h"
#include "state/wind.h"

enum { MOST_GRID_NODES = 1 << 28 };

/* Nodes in a radius of points: between them (1 - d^2 / R^2)^2 is linear to 2 %. */
static const double nodes_in_radius = 4;

static f4 *values_of(vt_wind_grid *grid)
{
    return (f4 *)(uintptr_t)grid->values;
}

vt_shape vti_box_of_grid(const vt_wind_grid *grid)
{
    vt_shape box;
    vt_default_shape(&box);
    box.kind = VT_SHAPE_BOX;
    for (int a = 0; a < 3; a++) {
        box.size[a] = (grid->nodes[a] - 1) / grid->per_spacing[a];
        box.center[a] = grid->origin[a] + 0.5 * box.size[a];
    }
    return box;
}

static vt_status create_from_nodes(const vt_force_def *def, vt_wind_grid *grid)
{
    if (!def->values || def->nodes[0] == 0)
        return vti_fail(VT_INVALID_ARGUMENT, "force.values is %s; allowed are nodes x 3 numbers",
                        def->values ? "of no nodes" : "NULL");
    const vt_status status = vti_make_wind_grid("force", def->nodes, def->values, grid);
    if (!status)
        vti_place_wind_grid(def->origin, def->spacing, grid);
    return status;
}

/* ---- points ---- */

static void add_point(vt_wind_grid *grid, double radius, const float *position, const float *value)
{
    const double h = radius / nodes_in_radius;
    const f4 vector = {value[0], value[1], value[2], 0};
    int32_t low[3], high[3], at[3];
    for (int a = 0; a < 3; a++) {
        const double cell = ((double)position[a] - grid->origin[a]) / h;
        low[a] = (int32_t)fmax(-vti_floor(nodes_in_radius - cell), 0);
        high[a] = (int32_t)fmin(vti_floor(cell + nodes_in_radius), grid->nodes[a] - 1);
    }
    for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
        for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
            for (at[0] = low[0]; at[0] <= high[0]; at[0]++) {
                double square = 0;
                for (int a = 0; a < 3; a++) {
                    const double d = grid->origin[a] + h * at[a] - (double)position[a];
                    square += d * d / (radius * radius);
                }
                const double share = fmax(1 - square, 0);
                const int64_t node =
                    ((int64_t)at[2] * grid->nodes[1] + at[1]) * grid->nodes[0] + at[0];
                values_of(grid)[node] += vector * (float)(share * share);
            }
}

/* The box around all points, as far as they act. */
static vt_status find_box(const vt_force_def *def, double origin[3], int32_t nodes[3])
{
    const double h = def->radius / nodes_in_radius;
    double count = 1;
    for (int a = 0; a < 3; a++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t n = 0; n < def->point_count; n++) {
            low = fmin(low, (double)def->positions[3 * n + a]);
            high = fmax(high, (double)def->positions[3 * n + a]);
        }
        const double cells = vti_floor((high - low) / h) + 1 + 2 * nodes_in_radius;
        count *= cells + 1;
        if (!(count <= MOST_GRID_NODES))
            return vti_fail(VT_INVALID_ARGUMENT,
                            "force.radius is %g; allowed is what is at most 2^28 quarters of it in "
                            "the box around the positions",
                            def->radius);
        nodes[a] = (int32_t)cells + 1;
        origin[a] = low - def->radius;
    }
    return VT_OK;
}

static vt_status create_from_points(const vt_force_def *def, vt_wind_grid *grid)
{
    vt_status status;
    double origin[3];
    int32_t nodes[3];
    if (def->point_count < 1)
        return vti_fail(VT_INVALID_ARGUMENT, "force.point_count is %lld; allowed is 1 and more",
                        (long long)def->point_count);
    if (!def->positions || !def->accelerations)
        return vti_fail(VT_INVALID_ARGUMENT, "force.%s is NULL; allowed are point_count rows",
                        def->positions ? "accelerations" : "positions");
    if ((status = find_box(def, origin, nodes)))
        return status;
    const double h = def->radius / nodes_in_radius, spacing[3] = {h, h, h};
    if ((status = vti_make_wind_grid("force", nodes, NULL, grid)))
        return status;
    vti_place_wind_grid(origin, spacing, grid);
    for (int64_t n = 0; n < def->point_count; n++)
        add_point(grid, def->radius, def->positions + 3 * n, def->accelerations + 3 * n);
    return VT_OK;
}

vt_status vti_create_force_grid(const vt_force_def *def, vt_wind_grid *grid)
{
    return def->kind == VT_FORCE_GRID ? create_from_nodes(def, grid)
                                      : create_from_points(def, grid);
}
