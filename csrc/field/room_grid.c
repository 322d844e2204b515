#include "field/room_grid.h"

#include "field/domain.h"
#include "field/room.h"
#include "kernels/poisson/poisson_plan.h"
#include "panels/grid_request.h"

/* Nodes up to which the walls are always the faces, and how many times the nodes of the content are
 * worth it: solving for panels costs about as much as half a million nodes. Twice that where they
 * are it already. */
enum { FEW_NODES = 1 << 19 };
static const double worth = 4;

/* The spacing may be so much finer and coarser than asked for, and a wall may lie so far beside its
 * nodes, in cells: a hundredth of what the flow there does in a cell then passes it. */
static const double finest = 0.75, coarsest = 1.12, beside_nodes = 0.01;

enum { COARSER = 64 /* levels to be tried, of domain.h */ };

typedef struct room {
    double least[3], most[3]; /* m */
} room;

/* Cells of at most `spacing` along the sides that differ from it as little as they may; their
 * spacing, so that the grid holds the room, or 0. */
static double fit_cells(const room *r, double spacing, int32_t cells[3])
{
    double widest = 0;
    for (int c = 0; c < 3; c++) {
        const double side = r->most[c] - r->least[c], n = floor(side / spacing + 0.5);
        if (!(n < VT_MOST_CELLS + 1 && vti_poisson_likes((int64_t)n)) ||
            vti_abs(side / spacing - n) > 2 * beside_nodes)
            return 0;
        cells[c] = (int32_t)n;
        widest = fmax(widest, side / n);
    }
    return widest;
}

/* Cores that the grid has as they are with the spacing asked for are not to become wider. */
static double coarsest_spacing(const vt_simulation *s, double spacing)
{
    const double core = s->smallest_core, most = coarsest * spacing;
    return core > 0 && core < most && core >= (1 - 1e-6) * spacing ? core : most;
}

/* The spacing nearest to the one asked for, in ratio, that fits; 0: none does. */
static double fit_spacing(const vt_simulation *s, const room *r, double spacing, int32_t cells[3])
{
    const double side = r->most[0] - r->least[0], most = coarsest_spacing(s, spacing);
    const double least = fmax(finest * spacing, s->smallest_core / 2.1);
    double best = 0, difference = INFINITY;
    for (double n = 2 * floor(side / most / 2); n * least <= side * (1 + 1e-9); n += 2) {
        int32_t found[3];
        const double h = n > 0 ? fit_cells(r, side / n, found) : 0;
        const double ratio = h > spacing ? h / spacing : spacing / h;
        if (!(h >= least && h <= most && ratio < difference))
            continue;
        best = h;
        difference = ratio;
        memcpy(cells, found, sizeof found);
    }
    return best;
}

int vti_place_in_room(const vt_simulation *s, double spacing, vt_placement *placement)
{
    room r;
    if (!vti_find_room(s, r.least, r.most))
        return 0;
    for (int32_t level = 0; level < COARSER; level++) {
        vt_placement p = {.level = level};
        p.walled = fit_spacing(s, &r, vti_domain_spacing(spacing, level), p.cells);
        if (p.walled == 0 && level == 0)
            return 0;
        if (p.walled == 0 || !vti_domain_fits(p.cells, s->def.max_nodes))
            continue;
        for (int c = 0; c < 3; c++)
            p.base[c] = 0.5 * (r.least[c] + r.most[c]) / p.walled - 0.5 * p.cells[c];
        *placement = p;
        return 1;
    }
    return 0;
}

int vti_wants_room_grid(const vt_simulation *s, double spacing, const vt_extent *content)
{
    vt_placement p;
    if (!(vti_core_of_neutral(s) > 0) || !vti_place_in_room(s, spacing, &p))
        return 0;
    double nodes = 1, needed = 1;
    for (int c = 0; c < 3; c++) {
        nodes *= p.cells[c] + 1;
        needed *= (content->most[c] - content->least[c]) / spacing + 2 * VT_DOMAIN_MARGIN + 1;
    }
    const double most = fmax(FEW_NODES, worth * needed);
    return nodes <= (s->placement.walled > 0 ? 2 : 1) * most;
}

/* ---- images at the walls ---- */

/* Of a node in walls across some axes: the component across a wall is doubled, those along it are
 * gone; lengths and scalars are doubled. */
static void add_image(f4 *node, int32_t scalar, const int32_t across[3])
{
    f4 factor = {1, 1, 1, 1};
    for (int a = 0; a < 3; a++) {
        if (!across[a])
            continue;
        f4 own = {0, 0, 0, 2};
        own[scalar ? 0 : a] = 2;
        factor *= own;
    }
    *node *= factor;
}

void vti_add_images_at_walls(vt_grid *grid)
{
    const int32_t *const n = grid->cells;
    for (int32_t k = 0; k <= n[2]; k++)
        for (int32_t j = 0; j <= n[1]; j++) {
            const int32_t across_y = j == 0 || j == n[1], across_z = k == 0 || k == n[2];
            if (!vti_is_filled(grid, j, k))
                continue;
            f4 *const row = grid->nodes + k * grid->node_plane + j * grid->node_row;
            add_image(row, grid->scalar, (int32_t[3]){1, across_y, across_z});
            add_image(row + n[0], grid->scalar, (int32_t[3]){1, across_y, across_z});
            for (int32_t i = 1; i < n[0] && (across_y || across_z); i++)
                add_image(row + i, grid->scalar, (int32_t[3]){0, across_y, across_z});
        }
}
