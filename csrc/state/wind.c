#include "state/wind.h"

#include "base/growing_array.h"
#include "base/memory.h"
#include "base/status.h"

/* ---- values on nodes ---- */

static size_t count_nodes(const int32_t nodes[3])
{
    return (size_t)nodes[0] * (size_t)nodes[1] * (size_t)nodes[2];
}

static f4 *allocate_values(const int32_t nodes[3])
{
    return vti_allocate_huge(sizeof(f4) * count_nodes(nodes));
}

static vt_status fail_memory(const char *what, const int32_t nodes[3])
{
    return vti_fail(VT_OUT_OF_MEMORY, "no memory for a %s of %zu nodes", what, count_nodes(nodes));
}

vt_status vti_make_wind_grid(const char *what, const int32_t nodes[3], const float *vectors,
                             vt_wind_grid *grid)
{
    f4 *const values = allocate_values(nodes);
    if (!values)
        return fail_memory(what, nodes);
    for (size_t n = 0; n < count_nodes(nodes); n++)
        values[n] =
            vectors ? (f4){vectors[3 * n], vectors[3 * n + 1], vectors[3 * n + 2], 0} : (f4){0};
    *grid = (vt_wind_grid){.values = values};
    memcpy(grid->nodes, nodes, sizeof grid->nodes);
    return VT_OK;
}

void vti_place_wind_grid(const double origin[3], const double spacing[3], vt_wind_grid *grid)
{
    for (int a = 0; a < 3; a++) {
        grid->origin[a] = origin[a];
        grid->per_spacing[a] = 1 / spacing[a];
    }
}

vt_status vti_copy_wind_grid(const char *what, const vt_wind_grid *from, vt_wind_grid *to)
{
    f4 *const values = allocate_values(from->nodes);
    if (!values)
        return fail_memory(what, from->nodes);
    memcpy(values, from->values, sizeof *values * count_nodes(from->nodes));
    *to = *from;
    to->values = values;
    return VT_OK;
}

void vti_destroy_wind_grid(vt_wind_grid *grid)
{
    vti_free((void *)(uintptr_t)grid->values);
    grid->values = NULL;
}

/* ---- lists ---- */

static void destroy_grid(vt_winds *winds, int32_t n)
{
    vti_destroy_wind_grid(&winds->grids[n]);
    vti_destroy_track(&winds->strength[n]);
}

void vti_destroy_winds(vt_winds *winds)
{
    for (int32_t n = 0; n < winds->uniform_count; n++)
        vti_destroy_track(&winds->uniform[n].velocity);
    for (int32_t n = 0; n < winds->grid_count; n++)
        destroy_grid(winds, n);
    vti_free(winds->uniform);
    vti_free(winds->grid_id);
    vti_free(winds->grids);
    vti_free(winds->strength);
    *winds = (vt_winds){0};
}

void vti_drop_uniform_wind(vt_winds *winds, int32_t n)
{
    vti_destroy_track(&winds->uniform[n].velocity);
    vti_close_gap(winds->uniform, n, &winds->uniform_count, sizeof *winds->uniform);
}

void vti_drop_wind_grid(vt_winds *winds, int32_t n)
{
    int32_t count = winds->grid_count, same = count;
    destroy_grid(winds, n);
    vti_close_gap(winds->grid_id, n, &count, sizeof *winds->grid_id);
    vti_close_gap(winds->strength, n, &same, sizeof *winds->strength);
    vti_close_gap(winds->grids, n, &winds->grid_count, sizeof *winds->grids);
}

static vt_status copy_grid(const vt_winds *from, int32_t n, vt_winds *to)
{
    vt_status status = vti_copy_track(&from->strength[n], &to->strength[n]);
    if (status)
        return status;
    status = vti_copy_wind_grid("wind", &from->grids[n], &to->grids[n]);
    if (status)
        vti_destroy_track(&to->strength[n]);
    to->grid_count = n + !status;
    return status;
}

/* What owns memory in it is copied here: whoever adds a member looks at this. */
_Static_assert(sizeof(vt_winds) == 4 * sizeof(void *) + 4 * sizeof(int32_t) + 6 * sizeof(double),
               "vti_copy_winds copies every member");

vt_status vti_copy_winds(const vt_winds *from, vt_winds *to)
{
    vt_status status = VT_OK;
    *to = *from;
    to->uniform_count = to->grid_count = 0;
    to->uniform = vti_copy_grown(from->uniform, from->uniform_count, sizeof *to->uniform);
    to->grids = vti_copy_grown(from->grids, from->grid_count, sizeof *to->grids);
    to->strength = vti_copy_grown(from->strength, from->grid_count, sizeof *to->strength);
    to->grid_id = vti_copy_grown(from->grid_id, from->grid_count, sizeof *to->grid_id);
    if (!to->uniform || !to->grids || !to->strength || !to->grid_id)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for %d winds",
                        from->uniform_count + from->grid_count);
    for (int32_t n = 0; n < from->uniform_count && !status; n++) {
        status = vti_copy_track(&from->uniform[n].velocity, &to->uniform[n].velocity);
        to->uniform_count = n + !status;
    }
    for (int32_t n = 0; n < from->grid_count && !status; n++)
        status = copy_grid(from, n, to);
    return status;
}
