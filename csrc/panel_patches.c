/* Panels cut for the grid, and the charges that it sees of them. */
#include <math.h>
#include <string.h>

#include "core/vec3.h"
#include "panel_parts.h"
#include "potential.h"

enum { MOST_CUTS = 64, MOST_PATCHES = 1 << 20 };

/* A panel is cut into patches no longer than this, in cells. */
static const double longest_patch = 2.5;

/* A patch is near within this many times sqrt(2 x area). */
static const double near_patch = 1.5;

void vt_to_cells(const vt_grid *grid, const double point[3], double cell[3])
{
    for (int c = 0; c < 3; c++)
        cell[c] = point[c] / grid->spacing - grid->base[c];
}

void vt_from_cells(const vt_grid *grid, const float cell[3], double point[3])
{
    for (int c = 0; c < 3; c++)
        point[c] = ((double)cell[c] + grid->base[c]) * grid->spacing;
}

void vt_panel_cells(const vt_simulation *s, const vt_paneled_body *b, float *cells)
{
    for (int32_t i = 0; i < b->count; i++) {
        double cell[3];
        vt_to_cells(&s->grid, s->panels.center[b->first + i], cell);
        for (int c = 0; c < 3; c++)
            cells[3 * i + c] = (float)cell[c];
    }
}

/* Whether a panel lies where the grid does not see it. */
static int is_far(const vt_simulation *s, const vt_paneled_body *b, int32_t i)
{
    enum { AWAY = 8 };
    double at[3][3];
    for (int k = 0; k < 3; k++) {
        double point[3];
        vt_pose_point(&b->laid, b->set->corner[i][k], point);
        vt_to_cells(&s->grid, point, at[k]);
    }
    int far = 0;
    for (int c = 0; c < 3; c++)
        far |= fmax(fmax(at[0][c], at[1][c]), at[2][c]) < -AWAY ||
               fmin(fmin(at[0][c], at[1][c]), at[2][c]) > s->grid.cells[c] + AWAY;
    return far;
}

static int cuts_of(const vt_simulation *s, const vt_paneled_body *b, int32_t i, double cell)
{
    const double (*const corner)[3] = (const double (*)[3])b->set->corner[i];
    double square = 0;
    for (int k = 0; k < 3; k++)
        square = fmax(square, vt_square_between(corner[k], corner[(k + 1) % 3]));
    if (is_far(s, b, i))
        return 1;
    const double cuts = ceil(b->laid.scale * vt_sqrt(square) / (longest_patch * cell));
    return cuts > MOST_CUTS ? MOST_CUTS : cuts > 1 ? (int)cuts : 1;
}

/* Corners in cells of the grid, and what follows from them. */
static void make_patch(double corner[3][3], const double normal[3], vt_patch *patch)
{
    double a[3], b[3], cross[3];
    for (int c = 0; c < 3; c++) {
        a[c] = corner[1][c] - corner[0][c];
        b[c] = corner[2][c] - corner[0][c];
        patch->center[c] = (float)((corner[0][c] + corner[1][c] + corner[2][c]) / 3);
        patch->normal[c] = (float)normal[c];
    }
    vt_cross(a, b, cross);
    const double area = 0.5 * vt_sqrt(vt_dot(cross, cross));
    patch->area = (float)area;
    patch->near_square = (float)(near_patch * near_patch * 2 * area);
    for (int k = 0; k < 3; k++) {
        double side[3], outward[3];
        memcpy(side, corner[(k + 1) % 3], sizeof side);
        vt_add_scaled(side, -1, corner[k]);
        patch->length[k] = (float)vt_normalise(side);
        vt_cross(side, normal, outward);
        for (int c = 0; c < 3; c++) {
            patch->corner[k][c] = (float)corner[k][c];
            patch->outward[k][c] = (float)outward[c];
        }
    }
}

/* A place in a panel that is cut n times along each side. */
static void cut_at(double corner[3][3], int i, int j, int n, double place[3])
{
    for (int c = 0; c < 3; c++)
        place[c] = corner[0][c] + (corner[1][c] - corner[0][c]) * i / n +
                   (corner[2][c] - corner[0][c]) * j / n;
}

static int32_t cut_panel(double corner[3][3], const double normal[3], int n, vt_patch *patch)
{
    int32_t made = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n - i; j++) {
            double at[3][3];
            cut_at(corner, i, j, n, at[0]);
            cut_at(corner, i + 1, j, n, at[1]);
            cut_at(corner, i, j + 1, n, at[2]);
            make_patch(at, normal, &patch[made++]);
            if (i + j == n - 1)
                continue;
            cut_at(corner, i + 1, j + 1, n, at[0]);
            make_patch((double[3][3]){{at[1][0], at[1][1], at[1][2]},
                                      {at[0][0], at[0][1], at[0][2]},
                                      {at[2][0], at[2][1], at[2][2]}},
                       normal, &patch[made++]);
        }
    return made;
}

static void cut_body(vt_simulation *s, vt_paneled_body *b, double cell)
{
    vt_panels *const p = &s->panels;
    b->first_patch = p->patch_count;
    for (int32_t i = 0; i < b->count; i++) {
        double corner[3][3];
        for (int k = 0; k < 3; k++) {
            double point[3];
            vt_pose_point(&b->laid, b->set->corner[i][k], point);
            vt_to_cells(&s->grid, point, corner[k]);
        }
        const int32_t made = cut_panel(corner, p->normal[b->first + i], cuts_of(s, b, i, cell),
                                       p->patch + p->patch_count);
        for (int32_t n = 0; n < made; n++)
            p->panel[p->patch_count + n] = (uint32_t)(b->first + i);
        p->patch_count += made;
    }
    b->patch_count = p->patch_count - b->first_patch;
}

void vt_cut_panels(vt_simulation *s)
{
    vt_panels *const p = &s->panels;
    double cell = s->grid.spacing;
    int64_t count = (int64_t)MOST_PATCHES + 1;
    /* where a body is huge for the grid, coarser than it should be */
    for (int tries = 0; count > MOST_PATCHES && tries < 8; tries++, cell *= 2) {
        count = 0;
        for (int32_t n = 0; n < p->body_count; n++)
            for (int32_t i = 0; i < p->bodies[n].count; i++) {
                const int64_t cuts = cuts_of(s, &p->bodies[n], i, cell);
                count += cuts * cuts;
            }
    }
    p->patch = vt_arena_push(&p->arena, sizeof *p->patch * (size_t)count);
    p->panel = vt_arena_push(&p->arena, sizeof *p->panel * (size_t)count);
    p->excess = vt_arena_push(&p->arena, sizeof *p->excess * (size_t)count);
    p->patch_count = 0;
    for (int32_t n = 0; n < p->body_count; n++)
        cut_body(s, &p->bodies[n], cell / 2);
}

/* ---- charges ---- */

int64_t vt_count_panel_charges(const vt_simulation *s)
{
    return s->panels.exist ? s->panels.patch_count : 0;
}

int vt_place_charge(const vt_grid *grid, const float center[3], float at[3])
{
    for (int c = 0; c < 3; c++) {
        const float last = (float)grid->cells[c];
        if (!(center[c] > -2 && center[c] < last + 2))
            return 0;
        at[c] = fminf(fmaxf(center[c], 3), last - 3);
    }
    return 1;
}

int64_t vt_collect_panel_charges(const vt_simulation *s, vt_record *charges)
{
    const vt_panels *const p = &s->panels;
    const float h = (float)s->grid.spacing;
    int64_t found = 0;
    for (int32_t n = 0; n < p->patch_count; n++) {
        const vt_patch *const patch = &p->patch[n];
        float at[3];
        if (vt_place_charge(&s->grid, patch->center, at))
            charges[found++] = vt_charge(at, patch->density * patch->area * h * h);
    }
    return found;
}
