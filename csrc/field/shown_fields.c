#include "field/shown_fields.h"

#include "base/reserve.h"
#include "base/status.h"
#include "field/extent.h"
#include "field/solid_nodes.h"
#include "field/sample.h"
#include "field/solve.h"
#include "field/spline_values.h"
#include "field/thin_walls.h"
#include "state/predicates.h"

/* ---- memory ---- */

enum {
    PART_VORTICITY,
    PART_DENSITY,
    PART_CARRIED,
    PART_OPEN,
    PART_VELOCITY,
    PART_POTENTIALS,
    PARTS
};
enum { MARGIN = 64 }; /* bytes around an array that vectors may touch */

/* Bytes of a field for each node of its layout, of which there are at most 4 max_nodes
 * (vti_domain_fits). */
static const size_t node_bytes[PARTS] = {3 * sizeof(float), sizeof(f4),       sizeof(f4), 1,
                                         sizeof(f4),        4 * sizeof(float)};

static size_t part_bytes(const vt_simulation *s, int part)
{
    const size_t bytes = 4 * (size_t)s->def.max_nodes * node_bytes[part];
    return (bytes + MARGIN - 1) / MARGIN * MARGIN + 8 * MARGIN;
}

/* The place of a part; NULL: no address space. */
static void *find_part(vt_simulation *s, int part)
{
    size_t before = 0, all = 0;
    for (int p = 0; p < PARTS; p++) {
        before += p < part ? part_bytes(s, p) : 0;
        all += part_bytes(s, p);
    }
    if (!s->shown_memory) {
        s->shown_memory = vti_reserve_vast(all);
        s->shown_bytes = all;
    }
    char *const begin = s->shown_memory ? (char *)s->shown_memory + before : NULL;
    return begin && vti_commit(begin, part_bytes(s, part)) == 0 ? begin + MARGIN : NULL;
}

static vt_status no_room(const vt_simulation *s)
{
    return vti_fail(VT_OUT_OF_MEMORY, "no address space for fields of max_nodes %lld",
                    (long long)s->def.max_nodes);
}

int vti_find_grid(vt_simulation *s, vt_grid *grid)
{
    vt_placement placement = s->placement;
    vt_extent content;
    if (s->vortons.set.count == 0 || !vti_has_grid(s) || vti_find_extent(s, NULL, &content) ||
        vti_place_grid(s, &content, &placement))
        return 0;
    const vt_grid before = s->grid;
    vti_lay_out_grid(s, &placement);
    *grid = s->grid;
    s->grid = before;
    return 1;
}

vt_sorted_vortons vti_sort_givers(vt_simulation *s, const vt_grid *grid)
{
    vt_sorted_vortons sorted = vti_sort_vortons(s, grid);
    vti_give_off_thin_walls(s, grid, s->time, s->vortons.set.count, NULL, &sorted.records,
                            &sorted.row_start);
    return sorted;
}

/* ---- vorticity ---- */

/* A field in memory laid out as those of a grid. */
static float *find_field(const vt_grid *grid, float *part, int number)
{
    return part + number * (grid->plane * (grid->cells[2] + 1) + MARGIN / (int64_t)sizeof(float));
}

vt_status vti_show_vorticity(vt_simulation *s, float *vorticity[3])
{
    const vt_grid *const grid = &s->grid;
    const double h = grid->spacing;
    float *const part = find_part(s, PART_VORTICITY);
    if (!part)
        return no_room(s);
    for (int c = 0; c < 3; c++)
        vorticity[c] = find_field(grid, part, c);
    vti_find_source(s, VT_NODES_VORTICITY, 1 / (h * h * h), vorticity);
    return VT_OK;
}

/* ---- velocity and potentials ---- */

vt_status vti_show_velocity(vt_simulation *s, const vt_grid *grid, f4 **nodes)
{
    *nodes = grid->fourth ? find_part(s, PART_VELOCITY) : grid->nodes;
    if (!*nodes)
        return no_room(s);
    if (grid->fourth)
        vti_find_node_values(s, grid, *nodes);
    return VT_OK;
}

vt_status vti_show_potentials(vt_simulation *s, const vt_grid *grid, float *potential[4])
{
    float *const part = grid->fourth ? find_part(s, PART_POTENTIALS) : NULL;
    memcpy(potential, grid->field, sizeof grid->field);
    if (grid->fourth && !part)
        return no_room(s);
    /* the scalar potential of panels is not of splines (field/scalar_potential.c) */
    const int splines = grid->has_potential && !s->panels.exist ? 4 : 3;
    for (int c = 0; c < splines && part; c++) {
        potential[c] = find_field(grid, part, c);
        vti_find_potential_values(s, grid, c, potential[c]);
    }
    return VT_OK;
}

/* ---- what the vortons carry ---- */

/* Something done to the nodes of the planes of a grid. */
typedef struct node_job {
    const vt_grid *grid;
    f4 *nodes;
    f4 factor;
    vt_fluid fluid;
} node_job;

static void scale_planes(void *data, int64_t begin, int64_t end)
{
    const node_job *const job = data;
    const vt_grid *const grid = job->grid;
    for (int64_t k = begin; k < end; k++)
        for (int64_t j = 0; j <= grid->cells[1]; j++) {
            f4 *const row = job->nodes + k * grid->node_plane + j * grid->node_row;
            for (int64_t i = 0; i <= grid->cells[0]; i++)
                row[i] *= job->factor;
        }
}

vt_status vti_show_density(vt_simulation *s, const vt_grid *grid, f4 **nodes)
{
    const vt_grid before = s->grid;
    const float per_metre = (float)(1 / grid->spacing);
    vt_buoyancy unused;
    *nodes = find_part(s, PART_DENSITY);
    if (!*nodes)
        return no_room(s);
    const size_t mark = vti_arena_mark(&s->arena);
    const vt_sorted_vortons sorted = vti_sort_vortons(s, grid);
    s->grid = *grid;
    s->grid.scalars = *nodes;
    const int64_t count = s->vortons.set.count;
    float *const felt = vti_make_room_for_felt(s, (size_t)count);
    vti_solve_scalars(s, count, sorted.records, sorted.row_start, s->time, felt, &unused);
    s->grid = before;
    vti_arena_pop(&s->arena, mark);
    node_job job = {.grid = grid, .nodes = *nodes, .factor = {per_metre, per_metre, per_metre, 1}};
    vti_parallel_for(s->def.threads, grid->cells[2] + 1, 1, scale_planes, &job);
    return VT_OK;
}

static void warm_planes(void *data, int64_t begin, int64_t end)
{
    const node_job *const job = data;
    const vt_grid *const grid = job->grid;
    for (int64_t k = begin; k < end; k++)
        for (int64_t j = 0; j <= grid->cells[1]; j++)
            for (int64_t i = 0; i <= grid->cells[0]; i++) {
                const float place[3] = {(float)((grid->base[0] + (double)i) * grid->spacing),
                                        (float)((grid->base[1] + (double)j) * grid->spacing),
                                        (float)((grid->base[2] + (double)k) * grid->spacing)};
                job->nodes[k * grid->node_plane + j * grid->node_row + i][VT_TAKEN_temperature] +=
                    vti_ambient_temperature(&job->fluid, place);
            }
}

vt_status vti_show_composition(vt_simulation *s, const vt_grid *grid, f4 **nodes)
{
    vti_scalar_lane lanes[4] = {{VT_SCALAR_NONE, NULL}};
    vt_grid means = *grid;
    _Static_assert(VT_TAKEN_COLUMNS == 4, "a lane for each");
    means.nodes = *nodes = find_part(s, PART_CARRIED);
    if (!*nodes)
        return no_room(s);
    for (int n = 0; n < VT_TAKEN_COLUMNS; n++) {
        const float *const column = vti_used_column(&s->vortons.set, vti_taken_from[n]);
        if (column)
            lanes[n] = (vti_scalar_lane){
                n == VT_TAKEN_temperature ? VT_SCALAR_TEMPERATURE : VT_SCALAR_COLUMN, column};
    }
    const size_t mark = vti_arena_mark(&s->arena);
    const vt_sorted_vortons sorted = vti_sort_givers(s, grid);
    vti_find_means(s, s->vortons.set.count, sorted.records, sorted.row_start, lanes, &means);
    vti_arena_pop(&s->arena, mark);
    node_job job = {.grid = grid, .nodes = *nodes, .fluid = vti_fluid_of(&s->def)};
    vti_parallel_for(s->def.threads, grid->cells[2] + 1, 1, warm_planes, &job);
    return VT_OK;
}

vt_status vti_show_open(vt_simulation *s, const vt_grid *grid, uint8_t **open)
{
    const size_t nodes = (size_t)(grid->node_plane * (grid->cells[2] + 1));
    vt_node_marks marks;
    *open = find_part(s, PART_OPEN);
    if (!*open)
        return no_room(s);
    const size_t mark = vti_arena_mark(&s->arena);
    vti_mark_wall_nodes(s, grid, s->time, &marks);
    if (marks.open && !grid->walled) /* in a room all nodes are, up to the walls */
        memcpy(*open, marks.open, nodes);
    else
        memset(*open, 1, nodes);
    vti_arena_pop(&s->arena, mark);
    return VT_OK;
}
