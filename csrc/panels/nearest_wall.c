#include "panels/nearest_wall.h"

#include "base/counting_sort.h"
#include "panels/patches.h"
#include "state/simulation.h"

double vti_find_bulge(const vt_paneled_body *b)
{
    double most = 0;
    for (int32_t i = 0; i < b->count && !b->set->open; i++)
        most = fmax(most, vti_abs(vti_distance_to_body(b->body, b->set->center[i], NULL)));
    return b->pose.scale * most;
}

void vti_find_bin(const vt_patches *patches, const float cell[3], int32_t bin[3])
{
    for (int c = 0; c < 3; c++)
        bin[c] = vti_bin_along(cell[c], patches->bins[c]);
}

int64_t vti_number_of_bin(const vt_patches *patches, int32_t i, int32_t j, int32_t k)
{
    return ((int64_t)k * patches->bins[1] + j) * patches->bins[0] + i;
}

int64_t vti_bin_at(const vt_patches *patches, const float cell[3])
{
    int32_t bin[3];
    vti_find_bin(patches, cell, bin);
    return vti_number_of_bin(patches, bin[0], bin[1], bin[2]);
}

/* Bins of points as far from the centre of a body as a look at its walls may start. */
static void bins_of(const vt_simulation *s, const vt_paneled_body *b, int32_t low[3],
                    int32_t high[3])
{
    const double around = b->reach / s->grid.spacing + 3 * vt_widest_wall + 0.1; /* cells */
    double center[3];
    vti_to_cells(&s->grid, b->center, center);
    for (int c = 0; c < 3; c++) {
        const double last = s->panels.near.patches.bins[c] - 1;
        low[c] = (int32_t)fmin(fmax((center[c] - around) / VT_BIN_EDGE, 0), last);
        high[c] = (int32_t)fmin(fmax((center[c] + around) / VT_BIN_EDGE, 0), last);
    }
}

/* Counts the bodies of each bin, or with `fill` writes them, from the last on. */
static void enter_bodies(const vt_simulation *s, int fill)
{
    const vt_panels *const p = &s->panels;
    const int32_t *const bins = p->near.patches.bins;
    for (int32_t n = p->body_count - 1; n >= 0; n--) {
        int32_t low[3], high[3];
        bins_of(s, &p->bodies[n], low, high);
        for (int32_t k = low[2]; k <= high[2]; k++)
            for (int32_t j = low[1]; j <= high[1]; j++)
                for (int32_t i = low[0]; i <= high[0]; i++) {
                    uint32_t *const at = p->near.first_body + (k * bins[1] + j) * bins[0] + i;
                    if (fill)
                        p->near.bin_body[--*at] = n;
                    else
                        ++*at;
                }
    }
}

void vti_list_near_bodies(vt_simulation *s)
{
    vt_panels *const p = &s->panels;
    const int32_t *const bins = p->near.patches.bins;
    const size_t count = (size_t)bins[0] * (size_t)bins[1] * (size_t)bins[2];
    p->near.first_body = vti_arena_push(&p->near.arena, sizeof *p->near.first_body * (count + 1));
    memset(p->near.first_body, 0, sizeof *p->near.first_body * (count + 1));
    enter_bodies(s, 0);
    const uint32_t entries = vti_end_lists(p->near.first_body, count);
    p->near.bin_body = vti_arena_push(&p->near.arena, sizeof *p->near.bin_body * (size_t)entries);
    enter_bodies(s, 1);
}

double vti_nearest_wall(const vt_simulation *s, const double point[3], double within,
                        double normal[3], const vt_paneled_body **body)
{
    double place[3];
    vti_to_cells(&s->grid, point, place);
    const float cell[3] = {(float)place[0], (float)place[1], (float)place[2]};
    return vti_nearest_wall_of(s, vti_bin_at(&s->panels.near.patches, cell), point, within, normal,
                               body);
}

double vti_nearest_wall_of(const vt_simulation *s, int64_t bin, const double point[3],
                           double within, double normal[3], const vt_paneled_body **body)
{
    const vt_panels *const p = &s->panels;
    double least = within, nearest[3];
    for (uint32_t i = p->near.first_body[bin]; i < p->near.first_body[bin + 1]; i++) {
        const vt_paneled_body *const b = &p->bodies[p->near.bin_body[i]];
        const double limit = b->reach + within;
        double local[3], outward[3];
        if (vti_square_between(b->center, point) > limit * limit)
            continue;
        vti_pose_point_back(&b->pose, point, local);
        const double room =
            b->pose.scale * vti_room_at_body(b->body, local, least / b->pose.scale, outward);
        if (room < least) {
            least = room;
            memcpy(nearest, outward, sizeof nearest);
            *body = b;
        }
    }
    if (*body)
        vti_pose_direction(&(*body)->pose, nearest, normal);
    return least;
}

double vti_wall_width(const vt_simulation *s, const vt_paneled_body *b)
{
    return fmin(vt_width_of_wall * b->laid.scale * b->set->side / s->grid.spacing, vt_widest_wall);
}
