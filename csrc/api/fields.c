#include "base/status.h"
#include "field/sample.h"
#include "field/shown_fields.h"
#include "state/predicates.h"

vt_status vt_update_fields(vt_simulation *s)
{
    vt_status status = vti_enter(s);
    if (status)
        return status;
    s->fields_current = 0;
    status = vti_solve_current(s);
    return vti_leave(s, status);
}

enum { PORTION = 1 << 20 };

vt_status vt_velocity_at(vt_simulation *s, int64_t count, const float *points, float *velocity)
{
    if (count < 0 || (count > 0 && (!points || !velocity)))
        return vti_fail(VT_INVALID_ARGUMENT, "count is %lld; allowed is >= 0, with arrays",
                        (long long)count);
    for (int64_t i = 0; i < 3 * count; i++)
        if (!isfinite(points[i]))
            return vti_fail(VT_NOT_FINITE, "points has %g in row %lld; allowed are finite values",
                            (double)points[i], (long long)(i / 3));
    vt_status status = vti_enter(s);
    if (status)
        return status;
    status = vti_solve_current(s);
    /* in portions: scratch is reserved for as many particles as the simulation may have */
    for (int64_t from = 0; from < count && !status; from += PORTION) {
        const int64_t portion = count - from < PORTION ? count - from : PORTION;
        float *const u = velocity + 3 * from;
        vti_velocity_of_points(s, portion, points + 3 * from, u);
        for (int64_t i = 0; i < 3 * portion; i++)
            u[i] += (float)s->winds.velocity[i % 3];
    }
    return vti_leave(s, status);
}

/* ---- views of the grid ---- */

static const vt_grid_field rows[] = {
#define VT_TYPE_float VT_FLOAT32
#define VT_TYPE_bool VT_BOOL
#define VT_GRID_FIELD(name, type, components, unit, description)                                   \
    {sizeof(vt_grid_field), #name, unit, description, VT_TYPE_##type, components},
#include "vorton/grid_fields.def"
};

int vt_describe_grid(int field, vt_grid_field *row)
{
    if (field < 0 || field >= VT_GRID_FIELDS)
        return 0;
    return vti_hand_out(row, &rows[field], sizeof rows[field]) == VT_OK;
}

/* The grid of now: that of the fields, or where no vorton carries circulation the one that the
 * means of what they carry lie on. */
static vt_status find_grid(vt_simulation *s, vt_grid *grid)
{
    vt_status status = vti_solve_current(s);
    if (status)
        return status;
    *grid = s->grid;
    if (s->fields_exist || vti_find_grid(s, grid))
        return VT_OK;
    if (!vti_has_grid(s))
        return vti_fail(
            VT_INVALID_ARGUMENT,
            "there is no grid: method.velocity makes the velocity by sums over vortons");
    return vti_fail(VT_INVALID_ARGUMENT, "there is no grid: there are no vortons");
}

/* What the vortons must carry for a field to be there; -1: nothing. */
static int carried_in(int field)
{
    switch (field) {
#define VT_TAKEN(name)                                                                             \
    case VT_GRID_##name:                                                                           \
        return VT_VORTON_##name;
#include "vorton/columns.def"
    default:
        return -1;
    }
}

static vt_status check_exists(const vt_simulation *s, int field)
{
    const int32_t *const used = s->vortons.set.used;
    const int column = carried_in(field);
    const char *missing = NULL;
    if (field == VT_GRID_density || field == VT_GRID_density_gradient) {
        if (!used[VT_VORTON_density] && !used[VT_VORTON_temperature])
            missing = "no vorton carries density or temperature";
    } else if (column >= 0) {
        if (!used[column])
            missing = "no vorton carries it";
    } else if (field != VT_GRID_open && !s->fields_exist) {
        missing = "no vorton carries circulation";
    } else if (field == VT_GRID_scalar_potential && !s->grid.has_potential) {
        missing = "no fluid appears or disappears, and no panels act";
    }
    return missing
               ? vti_fail(VT_INVALID_ARGUMENT, "there is no grid %s: %s", rows[field].name, missing)
               : VT_OK;
}

/* The first value of a field, made now where the solver does not have it; *apart receives the bytes
 * from component to component of fields with the layout of grid->field, else 0. */
static vt_status find_values(vt_simulation *s, int field, const vt_grid *grid, void **values,
                             int64_t *apart)
{
    float *vorticity[3], *potential[4];
    f4 *nodes = NULL;
    vt_status status = VT_OK;
    *apart = 0;
    switch (field) {
    case VT_GRID_velocity:
    case VT_GRID_divergence:
        status = vti_show_velocity(s, grid, &nodes);
        *values = status ? NULL : (float *)nodes + (field == VT_GRID_divergence ? 3 : 0);
        return status;
    case VT_GRID_vector_potential:
    case VT_GRID_scalar_potential:
        status = vti_show_potentials(s, grid, potential);
        *apart = status ? 0 : (potential[1] - potential[0]) * (int64_t)sizeof(float);
        *values = status ? NULL : potential[field == VT_GRID_scalar_potential ? 3 : 0];
        return status;
    case VT_GRID_vorticity:
        status = vti_show_vorticity(s, vorticity);
        *apart = status ? 0 : (vorticity[1] - vorticity[0]) * (int64_t)sizeof(float);
        *values = status ? NULL : vorticity[0];
        return status;
    case VT_GRID_density:
    case VT_GRID_density_gradient:
        status = vti_show_density(s, grid, &nodes);
        *values = status ? NULL : (float *)nodes + (field == VT_GRID_density ? 3 : 0);
        return status;
    case VT_GRID_open:
        return vti_show_open(s, grid, (uint8_t **)values);
    default:
        status = vti_show_composition(s, grid, &nodes);
        *values = status ? NULL : (float *)nodes + (field - VT_GRID_temperature);
        return status;
    }
}

_Static_assert((int)VT_GRID_smoke - VT_GRID_temperature == VT_TAKEN_smoke - VT_TAKEN_temperature &&
                   (int)VT_GRID_fuel - VT_GRID_temperature == VT_TAKEN_fuel - VT_TAKEN_temperature,
               "fields in the order of the lanes that hold them");

static vt_grid_view describe_view(const vt_grid *g, int field, const void *values, int64_t apart)
{
    const int64_t item = rows[field].type == VT_BOOL ? 1 : sizeof(float);
    const int64_t node = rows[field].type == VT_BOOL ? 1 : sizeof(f4);
    const int components = rows[field].components;
    vt_grid_view view = {.data = values,
                         .type = rows[field].type,
                         .dimensions = components > 1 ? 4 : 3,
                         .shape = {g->cells[2] + 1, g->cells[1] + 1, g->cells[0] + 1, components}};
    const int64_t fields[4] = {g->plane * item, g->row * item, item, apart};
    const int64_t nodes[4] = {g->node_plane * node, g->node_row * node, node, item};
    memcpy(view.strides, apart ? fields : nodes, sizeof fields);
    return view;
}

static void describe_place(const vt_grid *g, double origin[3], double *spacing)
{
    for (int a = 0; a < 3; a++)
        origin[a] = g->base[a] * g->spacing;
    *spacing = g->spacing;
}

vt_status vt_get_grid(vt_simulation *s, int field, vt_grid_view *view)
{
    vt_grid grid;
    void *values = NULL;
    int64_t apart = 0;
    if (field < 0 || field >= VT_GRID_FIELDS)
        return vti_fail(VT_INVALID_ARGUMENT, "field is %d; allowed is 0 to %d", field,
                        VT_GRID_FIELDS - 1);
    vt_status status = vti_enter(s);
    if (status)
        return status;
    status = find_grid(s, &grid);
    if (!status)
        status = check_exists(s, field);
    if (!status)
        status = find_values(s, field, &grid, &values, &apart);
    if (!status) {
        vt_grid_view known = describe_view(&grid, field, values, apart);
        known.step = s->steps;
        describe_place(&grid, known.origin, &known.spacing);
        status = vti_hand_out(view, &known, sizeof known);
    }
    return vti_leave(s, status);
}

vt_status vt_get_grid_place(vt_simulation *s, int64_t nodes[3], double origin[3], double *spacing)
{
    vt_grid grid;
    vt_status status = vti_enter(s);
    if (status)
        return status;
    status = find_grid(s, &grid);
    for (int a = 0; a < 3 && !status; a++)
        nodes[a] = grid.cells[a] + 1;
    if (!status)
        describe_place(&grid, origin, spacing);
    return vti_leave(s, status);
}
