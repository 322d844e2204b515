#include "field/domain.h"

#include "base/status.h"
#include "kernels/poisson/poisson_plan.h"

enum {
    FARTHEST = (1 << 24) - 4096 /* cells from the origin: whole numbers that a float still holds */
};

double vti_domain_spacing(double spacing, int32_t level)
{
    /* 2^(k/8) */
    static const double root[8] = {1.0,
                                   1.0905077326652577,
                                   1.189207115002721,
                                   1.2968395546510096,
                                   1.4142135623730951,
                                   1.5422108254079407,
                                   1.681792830507429,
                                   1.8340080864093424};
    double factor = level < 0 ? root[level + 8] / 2 : root[level % 8];
    for (int32_t k = 0; k < level / 8; k++)
        factor *= 2;
    return spacing * factor;
}

int vti_domain_fits(const int32_t cells[3], int64_t max_nodes)
{
    vt_grid grid = {.cells = {cells[0], cells[1], cells[2]}};
    vti_grid_pitches(&grid);
    const int64_t nodes = (int64_t)(cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1);
    return nodes <= max_nodes && grid.node_plane * (cells[2] + 2) <= 4 * max_nodes &&
           grid.plane * (cells[2] + 1) <= 4 * max_nodes;
}

/* Smallest cell count from `cells` on that the solver takes; above VT_MOST_CELLS: there is none. */
static int64_t liked(int64_t cells)
{
    int64_t n = cells < 8 ? 8 : cells + (cells & 1);
    while (n <= VT_MOST_CELLS && !vti_poisson_likes(n))
        n += 2;
    return n;
}

static double floor_of(double x)
{
    const double whole = (double)(int64_t)x;
    return whole > x ? whole - 1 : whole;
}

/* Places one axis; low and high are the cells that must lie inside. Returns whether the axis
 * changed. */
static int place_axis(vt_placement *p, int axis, int64_t low, int64_t high)
{
    const int64_t cells = p->cells[axis], base = (int64_t)p->base[axis], needed = high - low;
    const int shrinks = liked(needed) < cells;
    if (!shrinks && cells > 0 && low >= base && high <= base + cells)
        return 0;
    const int64_t size = shrinks || needed > cells ? liked(needed) : cells;
    p->cells[axis] = (int32_t)(size > VT_MOST_CELLS ? VT_MOST_CELLS + 1 : size);
    p->base[axis] = (double)(low - (size - needed) / 2);
    return 1;
}

static int try_box(vt_placement *p, const double least[3], const double most[3], double spacing,
                   int64_t max_nodes)
{
    const double h = vti_domain_spacing(spacing, p->level);
    for (int axis = 0; axis < 3; axis++) {
        const double low = least[axis] / h, high = most[axis] / h;
        if (!(low > -FARTHEST && high < FARTHEST && high - low < VT_MOST_CELLS))
            return 0;
        const int64_t size = liked((int64_t)(high - low) + 1 + 2 * VT_DOMAIN_MARGIN);
        if (size > VT_MOST_CELLS)
            return 0;
        p->cells[axis] = (int32_t)size;
        p->base[axis] = (low + high - (double)size) / 2;
    }
    return vti_domain_fits(p->cells, max_nodes);
}

static int try_level(vt_placement *p, const double least[3], const double most[3], double spacing,
                     int64_t max_nodes)
{
    const double h = vti_domain_spacing(spacing, p->level);
    int fits = 1;
    for (int axis = 0; axis < 3; axis++) {
        const double low = least[axis] / h, high = most[axis] / h;
        if (!(low > -FARTHEST && high < FARTHEST))
            return 0;
        place_axis(p, axis, (int64_t)floor_of(low) - VT_DOMAIN_MARGIN,
                   (int64_t)floor_of(high) + 1 + VT_DOMAIN_MARGIN);
        fits &= p->cells[axis] <= VT_MOST_CELLS;
    }
    return fits && vti_domain_fits(p->cells, max_nodes);
}

static vt_status report_too_far(const char *what, const double least[3], const double most[3],
                                int64_t max_nodes)
{
    return vti_fail(VT_INVALID_ARGUMENT,
                    "%s spans %g x %g x %g m, up to (%g, %g, %g) m: too far, or too far from "
                    "the origin, for a grid of max_nodes %lld",
                    what, most[0] - least[0], most[1] - least[1], most[2] - least[2], most[0],
                    most[1], most[2], (long long)max_nodes);
}

vt_status vti_place_domain(vt_placement *placement, const double least[3], const double most[3],
                           double spacing, int64_t max_nodes)
{
    vt_placement kept = *placement;
    if (try_level(&kept, least, most, spacing, max_nodes)) {
        /* finer again only when two levels below would fit: no flicker between two spacings */
        vt_placement finer = {.level = kept.level - 2};
        while (finer.level >= -1 && try_level(&finer, least, most, spacing, max_nodes)) {
            finer.level += 1;
            vt_placement chosen = {.level = finer.level};
            try_level(&chosen, least, most, spacing, max_nodes);
            kept = chosen;
            finer = (vt_placement){.level = kept.level - 2};
        }
        *placement = kept;
        return VT_OK;
    }
    for (int32_t level = placement->level + 1; level < VT_COARSEST_LEVEL; level++) {
        vt_placement coarser = {.level = level};
        if (try_level(&coarser, least, most, spacing, max_nodes)) {
            *placement = coarser;
            return VT_OK;
        }
    }
    return report_too_far("vortons.position", least, most, max_nodes);
}

vt_status vti_place_box(vt_placement *placement, const double least[3], const double most[3],
                        double spacing, int64_t max_nodes)
{
    for (int32_t level = 0; level < VT_COARSEST_LEVEL; level++) {
        vt_placement box = {.level = level};
        if (try_box(&box, least, most, spacing, max_nodes)) {
            *placement = box;
            return VT_OK;
        }
    }
    return report_too_far("position of the particles", least, most, max_nodes);
}
