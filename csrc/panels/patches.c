#include "panels/patches.h"

#include "state/predicates.h"

enum { PANEL_BLOCK = 64, FEW_CUTS = 16, MOST_CUTS = 1 << 14, MOST_PATCHES = 1 << 20 };

/* A panel is cut into patches no longer than this, in cells. */
static const double longest_patch = 2.5;

/* Outside the grid patches may be as long as this share of their distance from the vortons. */
static const double share_of_distance = 1;

/* A patch is near within this many times sqrt(2 x area). */
static const double near_patch = 1.5;

/* Where nothing is felt of any patch, in cells: squares of distances beyond would not be finite. */
static const double farthest = 1e18;

void vti_to_cells(const vt_grid *grid, const double point[3], double cell[3])
{
    for (int c = 0; c < 3; c++)
        cell[c] = point[c] / grid->spacing - grid->base[c];
}

void vti_from_cells(const vt_grid *grid, const float cell[3], double point[3])
{
    for (int c = 0; c < 3; c++)
        point[c] = ((double)cell[c] + grid->base[c]) * grid->spacing;
}

vt_mirrors vti_mirrors_in_cells(const vt_grid *grid, const vt_paneled_body *b)
{
    vt_mirrors mirrors = b->mirrors;
    for (int32_t n = 0; n < mirrors.count; n++) {
        vt_mirror *const m = &mirrors.item[n];
        const double base[3] = {grid->base[0], grid->base[1], grid->base[2]};
        m->offset = m->offset / grid->spacing - vti_dot(m->normal, base);
    }
    return mirrors;
}

void vti_panel_cells(const vt_simulation *s, const vt_paneled_body *b, float *cells)
{
    for (int32_t i = 0; i < b->count; i++) {
        double cell[3];
        vti_to_cells(&s->grid, s->panels.center[b->first + i], cell);
        for (int c = 0; c < 3; c++)
            cells[3 * i + c] = (float)cell[c];
    }
}

/* How far a triangle (cells) lies outside the grid, by its box; below 0: all of it is inside. */
static double distance_outside(const vt_grid *grid, double corner[3][3])
{
    double square = 0, deepest = -INFINITY;
    for (int c = 0; c < 3; c++) {
        const double low = fmin(fmin(corner[0][c], corner[1][c]), corner[2][c]);
        const double high = fmax(fmax(corner[0][c], corner[1][c]), corner[2][c]);
        const double away = fmax(fmax(-high, low - grid->cells[c]), 0);
        square += away * away;
        deepest = fmax(deepest, fmax(-low, high - grid->cells[c]));
    }
    return deepest < 0 ? deepest : vti_sqrt(square);
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
    vti_cross(a, b, cross);
    const double area = 0.5 * vti_sqrt(vti_dot(cross, cross));
    patch->area = (float)area;
    patch->near_square = (float)(near_patch * near_patch * 2 * area);
    for (int k = 0; k < 3; k++) {
        double side[3], outward[3];
        memcpy(side, corner[(k + 1) % 3], sizeof side);
        vti_add_scaled(side, -1, corner[k]);
        patch->length[k] = (float)vti_normalise(side);
        vti_cross(side, normal, outward);
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

/* The cutting of a panel: where it cuts, how finely, and the patches that it makes. */
typedef struct cutter {
    const vt_grid *grid;
    const double *normal;
    double longest; /* cells */
    int64_t made;
    vt_patch *patch; /* NULL: patches are only counted */
} cutter;

static void cut_triangle(cutter *k, double corner[3][3], int cuts);

/* Cuts a triangle n times along each side, and each of its parts `cuts` times along each side. */
static void cut_evenly(cutter *k, double corner[3][3], int n, int cuts)
{
    if (cuts <= 1 && !k->patch) {
        k->made += (int64_t)n * n;
        return;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n - i; j++) {
            double at[3][3], other[3][3];
            cut_at(corner, i, j, n, at[0]);
            cut_at(corner, i + 1, j, n, at[1]);
            cut_at(corner, i, j + 1, n, at[2]);
            cut_triangle(k, at, cuts);
            if (i + j == n - 1)
                continue;
            memcpy(other[0], at[1], sizeof other[0]);
            cut_at(corner, i + 1, j + 1, n, other[1]);
            memcpy(other[2], at[2], sizeof other[2]);
            cut_triangle(k, other, cuts);
        }
}

/* Cuts a triangle as finely as so many cuts of each side make it, where it lies in the grid. */
static void cut_triangle(cutter *k, double corner[3][3], int cuts)
{
    if (cuts <= 1) {
        if (k->patch)
            make_patch(corner, k->normal, &k->patch[k->made]);
        k->made++;
        return;
    }
    const double away = distance_outside(k->grid, corner);
    if (away < 0)
        cut_evenly(k, corner, cuts, 1);
    else if (cuts * k->longest <= share_of_distance * (away + VT_DOMAIN_MARGIN))
        cut_triangle(k, corner, 1);
    else if (cuts <= 3)
        cut_evenly(k, corner, cuts, 1);
    else
        cut_evenly(k, corner, 2, (cuts + 1) / 2);
}

void vti_panel_corners(const vt_simulation *s, const vt_paneled_body *b, int32_t i,
                       double corner[3][3])
{
    for (int n = 0; n < 3; n++) {
        double point[3];
        vti_pose_point(&b->laid, b->set->corner[i][n], point);
        vti_to_cells(&s->grid, point, corner[n]);
    }
}

void vti_make_whole_patch(const vt_simulation *s, const vt_paneled_body *b, int32_t i,
                          vt_patch *patch)
{
    double corner[3][3];
    vti_panel_corners(s, b, i, corner);
    make_patch(corner, s->panels.normal[b->first + i], patch);
}

/* How often each side of a triangle is cut, by its longest one, which begins at corner *at. */
static int count_cuts(const cutter *k, double corner[3][3], int *at)
{
    double square[3];
    for (int n = 0; n < 3; n++)
        square[n] = vti_square_between(corner[n], corner[(n + 1) % 3]);
    *at = square[1] > square[0] ? 1 : 0;
    *at = square[2] > square[*at] ? 2 : *at;
    return (int)fmin(ceil(vti_sqrt(square[*at]) / k->longest), MOST_CUTS);
}

/* Whether a triangle is far longer than it is wide: cuts of all sides would make as many across as
 * along. */
static int is_sliver(double corner[3][3], int at)
{
    const double most = 16; /* of the panels of a bar of 30 times its breadth, 8 */
    double across[3];
    vti_cross_of_sides(corner[0], corner[1], corner[2], across);
    return vti_square_between(corner[at], corner[(at + 1) % 3]) >
           most * vti_sqrt(vti_dot(across, across));
}

/* Halves the longest side of a sliver, and of the halves, until they are short enough where they
 * lie in the grid, or no slivers any more. */
static void cut_sliver(cutter *k, double corner[3][3])
{
    int at;
    const int cuts = count_cuts(k, corner, &at);
    const double away = distance_outside(k->grid, corner);
    const int far = cuts * k->longest <= share_of_distance * (away + VT_DOMAIN_MARGIN);
    if (cuts <= 1 || (away >= 0 && far) || !is_sliver(corner, at)) {
        cut_triangle(k, corner, cuts);
        return;
    }
    for (int end = 0; end < 2; end++) {
        double half[3][3];
        memcpy(half, corner, sizeof half);
        vti_point_between(corner[at], corner[(at + 1) % 3], 0.5, half[(at + end) % 3]);
        cut_sliver(k, half);
    }
}

/* Panel number i of a body: coarser outside the grid. */
static void cut_panel(const vt_simulation *s, const vt_paneled_body *b, int32_t i, cutter *k)
{
    double corner[3][3];
    int at;
    vti_panel_corners(s, b, i, corner);
    k->normal = s->panels.normal[b->first + i];
    const int cuts = count_cuts(k, corner, &at);
    if (cuts > FEW_CUTS && is_sliver(corner, at))
        cut_sliver(k, corner);
    else
        cut_triangle(k, corner, cuts);
}

typedef struct cut_job {
    vt_simulation *s;
    double longest;
    int make;       /* 0: patches are only counted */
    int64_t *patch; /* of each panel: how many there are, or with `make` the first */
} cut_job;

static void cut_block(void *data, int64_t i)
{
    const cut_job *const job = data;
    const vt_simulation *const s = job->s;
    const vt_panels *const p = &s->panels;
    const vt_paneled_body *body = p->bodies;
    while (i >= body->first + body->count)
        body++;
    cutter k = {.grid = &s->grid,
                .longest = job->longest,
                .patch = job->make ? p->patch + job->patch[i] : NULL};
    cut_panel(s, body, (int32_t)(i - body->first), &k);
    for (int64_t n = 0; n < k.made && job->make; n++)
        p->panel[job->patch[i] + n] = (uint32_t)i;
    if (!job->make)
        job->patch[i] = k.made;
}

static void cut_all(const vt_simulation *s, cut_job *job)
{
    vti_parallel_each(s->def.threads, s->panels.count, PANEL_BLOCK, cut_block, job);
}

/* Turns the counts of patches into the numbers of the first patch of each panel and body; returns
 * the sum. */
static int64_t find_first_patches(vt_panels *p, int64_t *patch)
{
    int64_t sum = 0;
    for (int32_t n = 0; n < p->body_count; n++) {
        vt_paneled_body *const b = &p->bodies[n];
        b->first_patch = (int32_t)sum;
        for (int32_t i = b->first; i < b->first + b->count; i++) {
            const int64_t count = patch[i];
            patch[i] = sum;
            sum += count;
        }
        b->patch_count = (int32_t)(sum - b->first_patch);
    }
    return sum;
}

/* ---- images ---- */

/* The image of a patch, or panel, with these corners and that normal. */
static void make_image(const vt_mirrors *mirrors, int image, double corner[3][3],
                       const double normal[3], vt_patch *patch)
{
    double turned[3];
    memcpy(turned, normal, sizeof turned);
    vti_mirror_direction(mirrors, image, turned);
    vti_mirror_triangle(mirrors, image, corner);
    make_patch(corner, turned, patch);
}

/* Adds an image of a panel, of which `count` patches from `first` on are: as a whole where it is
 * far enough from the grid, and patch by patch elsewhere. */
static void add_images_of_panel(vt_simulation *s, const vt_paneled_body *b, int32_t first,
                                int32_t count, int image)
{
    vt_panels *const p = &s->panels;
    const vt_mirrors mirrors = vti_mirrors_in_cells(&s->grid, b);
    const int32_t panel = (int32_t)p->panel[first];
    const double *const normal = p->normal[panel];
    const cutter k = {.longest = 1};
    double corner[3][3], seen[3][3];
    int at;
    vti_panel_corners(s, b, panel - b->first, corner);
    memcpy(seen, corner, sizeof seen);
    vti_mirror_triangle(&mirrors, image, seen);
    const double away = distance_outside(&s->grid, seen);
    if (away > 0 && count_cuts(&k, corner, &at) <= share_of_distance * (away + VT_DOMAIN_MARGIN)) {
        make_image(&mirrors, image, corner, normal, &p->image[p->image_count]);
        p->image_of[p->image_count++] = -1 - panel;
        return;
    }
    for (int32_t n = first; n < first + count; n++) {
        for (int c = 0; c < 9; c++)
            corner[c / 3][c % 3] = (double)p->patch[n].corner[c / 3][c % 3];
        make_image(&mirrors, image, corner, normal, &p->image[p->image_count]);
        p->image_of[p->image_count++] = n;
    }
}

static void make_images(vt_simulation *s)
{
    vt_panels *const p = &s->panels;
    int64_t most = 0;
    for (const vt_paneled_body *b = p->bodies; b < p->bodies + p->body_count; b++)
        most += (int64_t)b->patch_count * (vti_count_images(&b->mirrors) - 1);
    p->image = vti_arena_push(&p->arena, sizeof *p->image * (size_t)most);
    p->image_of = vti_arena_push(&p->arena, sizeof *p->image_of * (size_t)most);
    p->image_count = 0;
    for (vt_paneled_body *b = p->bodies; b < p->bodies + p->body_count; b++) {
        const int32_t all = b->first_patch + b->patch_count;
        b->first_image = p->image_count;
        for (int image = 1; image < vti_count_images(&b->mirrors); image++)
            for (int32_t n = b->first_patch, end; n < all; n = end) {
                end = vti_end_of_panel(p, n, all);
                add_images_of_panel(s, b, n, end - n, image);
            }
        b->image_count = p->image_count - b->first_image;
    }
}

void vti_cut_panels(vt_simulation *s)
{
    vt_panels *const p = &s->panels;
    const size_t mark = vti_arena_mark(&s->arena);
    cut_job job = {.s = s, .longest = longest_patch};
    job.patch = vti_arena_push(&s->arena, sizeof *job.patch * (size_t)p->count);
    cut_all(s, &job);
    int64_t count = find_first_patches(p, job.patch);
    /* a body that is huge for the grid gets coarser patches than it should */
    for (int tries = 1; count > MOST_PATCHES && tries < 8; tries++) {
        job.longest *= 2;
        cut_all(s, &job);
        count = find_first_patches(p, job.patch);
    }
    p->patch_count = (int32_t)count;
    p->patch = vti_arena_push(&p->arena, sizeof *p->patch * (size_t)count);
    p->panel = vti_arena_push(&p->arena, sizeof *p->panel * (size_t)count);
    p->excess = vti_arena_push(&p->arena, sizeof *p->excess * (size_t)count);
    job.make = 1;
    cut_all(s, &job);
    vti_arena_pop(&s->arena, mark);
    make_images(s);
}

int32_t vti_end_of_panel(const vt_panels *p, int32_t n, int32_t all)
{
    int32_t end = n;
    while (end < all && p->panel[end] == p->panel[n])
        end++;
    return end;
}

/* ---- charges ---- */

int64_t vti_count_panel_charges(const vt_simulation *s)
{
    return s->panels.exist ? s->panels.patch_count + s->panels.image_count : 0;
}

int vti_place_charge(const vt_grid *grid, const float center[3], float at[3])
{
    for (int c = 0; c < 3; c++) {
        const float last = (float)grid->cells[c];
        if (!(center[c] > -2 && center[c] < last + 2))
            return 0;
        at[c] = fminf(fmaxf(center[c], 3), last - 3);
    }
    return 1;
}

/* Whether nodes inside the grid take all of the charge of a patch. */
static int is_within(const vt_grid *grid, const float center[3])
{
    int within = 1;
    for (int c = 0; c < 3; c++)
        within &= center[c] >= 3 && center[c] <= (float)grid->cells[c] - 3;
    return within;
}

/* Adds a charge that the nodes do not take. To points of the faces that are nearer to the charge
 * than its patch is wide, or than they are to each other, it is smeared. */
static void add_outer(vt_panels *p, const vt_patch *patch, float charge)
{
    const float square = fmaxf(9, 0.5f * patch->area);
    p->outer_patch[p->outer_count] = *patch;
    p->outer[p->outer_count++] =
        (vt_outer_charge){{patch->center[0], patch->center[1], patch->center[2]}, -charge, square};
}

/* Those of patches; returns how many charges. */
static int64_t collect_charges(vt_simulation *s, int32_t count, const vt_patch *patch,
                               vt_record *charges)
{
    const float h = (float)s->grid.spacing;
    int64_t found = 0;
    for (; count > 0; count--, patch++) {
        const float charge = patch->density * patch->area * h * h;
        float at[3];
        if (!is_within(&s->grid, patch->center))
            add_outer(&s->panels, patch, charge);
        else if (vti_place_charge(&s->grid, patch->center, at))
            charges[found++] = vti_charge(at, charge);
    }
    return found;
}

int64_t vti_collect_panel_charges(vt_simulation *s, vt_record *charges)
{
    vt_panels *const p = &s->panels;
    const size_t all = (size_t)p->patch_count + (size_t)p->image_count;
    p->outer_count = 0;
    p->outer = vti_arena_push(&p->arena, sizeof *p->outer * all);
    p->outer_patch = vti_arena_push(&p->arena, sizeof *p->outer_patch * all);
    const int64_t found = collect_charges(s, p->patch_count, p->patch, charges);
    return found + collect_charges(s, p->image_count, p->image, charges + found);
}

int vti_has_outer_panels(const vt_simulation *s)
{
    return s->panels.exist && s->panels.outer_count > 0;
}

void vti_add_outer_panels(vt_simulation *s, int64_t count, const float *points, float *velocity)
{
    const vt_panels *const p = &s->panels;
    if (!vti_has_outer_panels(s))
        return;
    vt_arena *const arena = &s->arena;
    const size_t mark = vti_arena_mark(arena);
    float *const cells = vti_arena_push(arena, 12 * (size_t)count);
    for (int64_t n = 0; n < count; n++) {
        const float *const at = points + 3 * n;
        double cell[3];
        vti_to_cells(&s->grid, (double[3]){(double)at[0], (double)at[1], (double)at[2]}, cell);
        for (int c = 0; c < 3; c++)
            cells[3 * n + c] = (float)fmin(fmax(cell[c], -farthest), farthest);
    }
    s->stages->panel_field(p->outer_count, p->outer_patch, count, cells, velocity, s->def.threads);
    vti_arena_pop(arena, mark);
}

int vti_is_far_from_outer_panels(const vt_simulation *s, const double low[3], const double high[3],
                                 double far)
{
    const vt_panels *const p = &s->panels;
    const float cells = (float)(far / s->grid.spacing);
    float from[3], to[3];
    double cell[3];
    int is_far = 1;
    vti_to_cells(&s->grid, low, cell);
    vti_narrow(cell, from);
    vti_to_cells(&s->grid, high, cell);
    vti_narrow(cell, to);
    for (int32_t n = 0; vti_has_outer_panels(s) && n < p->outer_count && is_far; n++) {
        const vt_patch *const patch = &p->outer_patch[n];
        float square = 0;
        for (int c = 0; c < 3; c++) {
            const float a = patch->corner[0][c], b = patch->corner[1][c];
            const float d = patch->corner[2][c];
            const float above = fminf(fminf(a, b), d) - to[c];
            const float below = from[c] - fmaxf(fmaxf(a, b), d);
            const float away = fmaxf(fmaxf(above, below), 0);
            square += away * away;
        }
        is_far = square > cells * cells;
    }
    return is_far;
}
