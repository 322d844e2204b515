#include "geometry/panel_matrix.h"

#include <math.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "base/vec3.h"
#include "geometry/cavities.h"
#include "base/matrix_inverse.h"
#include "geometry/triangle_source.h"

enum { ROW_BLOCK = 8 };

typedef struct matrix_job {
    const vt_panel_set *set;
    double *matrix, *product;             /* [i * count + j] */
    double (*motion)[6], (*potential)[6]; /* of each panel, for each unit motion */
} matrix_job;

/* What emits: panel j, or its image. */
typedef struct source {
    vt_triangle corner;
    double center[3], normal[3], area;
} source;

static source source_of(const vt_panel_set *set, int64_t j, int image)
{
    source from = {.area = set->area[j]};
    memcpy(from.corner, set->corner[j], sizeof from.corner);
    memcpy(from.center, set->center[j], sizeof from.center);
    memcpy(from.normal, set->normal[j], sizeof from.normal);
    vti_mirror_triangle(&set->mirrors, image, from.corner);
    vti_mirror_point(&set->mirrors, image, from.center);
    vti_mirror_direction(&set->mirrors, image, from.normal);
    return from;
}

/* Of what a panel emits, the share that passes panel i, from the centroids of the four parts into
 * which halves of its sides cut it. From anywhere all panels of a closed surface are seen under its
 * whole angle: however coarse they are, no fluid is gained or lost in what they enclose, as by the
 * velocity at the centroids, or by cuts that differ from one pair to the next, it is. More parts
 * would see the jumps of density from panel to panel, which are not there, across a thin wall: the
 * added mass of a disk of a hundredth of its breadth is 2.70 by 4 parts, 2.24 by 64. */
static double find_share(const vt_panel_set *set, int64_t i, const source *from)
{
    double sum = 0;
    for (int part = 0; part < 4; part++) {
        double point[3];
        for (int c = 0; c < 3; c++) {
            const double at = part < 3 ? from->corner[part][c] : from->center[c];
            point[c] = 0.5 * (at + from->center[c]);
        }
        sum += vti_triangle_flux(set->corner[i], set->normal[i], point);
    }
    return sum / 4;
}

/* Whether panels meet at an edge that stands out into the fluid, or would if they were longer: each
 * lies behind the other, and they do not look away from each other as the sides of a board do. */
static int meet_outwards(const vt_panel_set *set, int64_t i, const source *from)
{
    const double opposite = -0.7;
    double way[3];
    vti_subtract(from->center, set->center[i], way);
    return vti_dot(way, set->normal[i]) <= 0 && vti_dot(way, from->normal) >= 0 &&
           vti_dot(set->normal[i], from->normal) > opposite;
}

/* What passes panel i for a density of 1 of another, m/s. Beside an edge that stands out densities
 * rise without bound, and even ones are nearer to them by the velocity at the centroids: the added
 * mass of a cube is .637 by 320 panels, .66 by means. Of thin boards that would let fluid through
 * their ends: in a tube of walls of .03, closed at one end, -.1 m/s for .03. */
static double find_entry(const vt_panel_set *set, int64_t i, source *from)
{
    double u[3];
    if (set->is_thin || !meet_outwards(set, i, from))
        return find_share(set, i, from) * from->area / set->area[i];
    vti_triangle_velocity(from->corner, from->normal, set->center[i], u);
    return vti_dot(u, set->normal[i]);
}

/* Together with the images of the panels; what one does to itself comes later. */
static void fill_row(void *data, int64_t i)
{
    const matrix_job *const job = data;
    const vt_panel_set *const set = job->set;
    for (int64_t j = 0; j < set->count; j++) {
        double *const entry = &job->matrix[i * set->count + j];
        *entry = 0;
        for (int image = i == j; image < vti_count_images(&set->mirrors); image++) {
            source from = source_of(set, j, image);
            *entry += find_entry(set, i, &from);
        }
    }
}

/* Where panels were left out the surface has gaps, and what passes them is not half of it. What the
 * images of a panel do to it is there already. */
static void set_diagonal(const vt_panel_set *set, double *matrix)
{
    const int64_t count = set->count;
    for (int64_t j = 0; j < count; j++) {
        double others = 0;
        for (int64_t i = 0; i < count; i++)
            others += i == j ? 0 : set->area[i] * matrix[i * count + j];
        double *const own = &matrix[j * count + j];
        *own = set->hole ? -others / set->area[j]
                         : *own + fmin(fmax(1 - others / set->area[j] - *own, 0.3), 0.8);
    }
}

static vt_status no_memory(const vt_panel_set *set)
{
    return vti_fail(VT_OUT_OF_MEMORY, "no memory for %d panels", set->count);
}

/* M leaves open what even densities of a cavity, as of a container, do: nothing outside of it, nor
 * inside. Its densities sum to what flows into all of it, which is next to nothing. */
static vt_status add_means(const vt_panel_set *set, double *matrix)
{
    const int64_t count = set->count;
    int32_t *const cavity = vti_allocate(sizeof *cavity * (size_t)count);
    if (!cavity || vti_find_cavities(set, cavity)) {
        vti_free(cavity);
        return no_memory(set);
    }
    for (int64_t i = 0; i < count; i++) {
        double area = 0;
        for (int64_t j = 0; j < count && cavity[i] >= 0; j++)
            area += cavity[j] == cavity[i] ? set->area[j] : 0;
        for (int64_t j = 0; j < count && cavity[i] >= 0; j++)
            matrix[i * count + j] += cavity[j] == cavity[i] ? set->area[j] / area : 0;
    }
    vti_free(cavity);
    return VT_OK;
}

/* ---- beyond the walls of a container ---- */

/* A row of the potentials of the panels at its centroid, times the inverse: to beyond. */
static void find_beyond(void *data, int64_t i)
{
    const matrix_job *const job = data;
    const vt_panel_set *const set = job->set;
    const int64_t count = set->count;
    double *const row = job->product + i * count;
    memset(row, 0, sizeof *row * (size_t)count);
    for (int64_t j = 0; j < count; j++) {
        const double *const from = job->matrix + j * count;
        const double p = vti_triangle_potential(set->corner[j], set->normal[j], set->center[i]);
        for (int64_t k = 0; k < count; k++)
            row[k] += p * from[k];
    }
    for (int64_t k = 0; k < count; k++)
        set->beyond[k * count + i] = (float)row[k];
}

static vt_status invert(const vt_panel_set *set, double *matrix, int threads)
{
    const vt_status status = vti_invert(matrix, set->count, threads);
    if (status == VT_OUT_OF_MEMORY)
        return no_memory(set);
    if (status)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "the shapes overlap so that %d panels cannot be solved for; allowed are "
                        "others, or panels 0",
                        set->count);
    return VT_OK;
}

/* With the diagonal of the other side of the panels, which is less by 1, and the normals inwards,
 * (1 - M) s is what flows out. */
static vt_status solve_beyond(const vt_panel_set *set, const double *matrix, int threads)
{
    const int64_t count = set->count;
    const size_t bytes = sizeof *matrix * (size_t)(count * count);
    matrix_job job = {.set = set, .matrix = vti_allocate(bytes), .product = vti_allocate(bytes)};
    vt_status status = VT_OK;
    if (!job.matrix || !job.product)
        status = no_memory(set);
    for (int64_t n = 0; n < count * count && !status; n++)
        job.matrix[n] = (n % (count + 1) == 0 ? 1 : 0) - matrix[n];
    if (!status)
        status = invert(set, job.matrix, threads);
    if (!status)
        vti_parallel_each(threads, count, ROW_BLOCK, find_beyond, &job);
    vti_free(job.matrix);
    vti_free(job.product);
    return status;
}

/* ---- added mass ---- */

/* Normal velocity of a panel where the body moves or turns with unit rate. */
static void unit_motions(const vt_panel_set *set, int64_t i, double motion[6])
{
    double arm[3];
    vti_subtract(set->center[i], set->origin, arm);
    memcpy(motion, set->normal[i], 3 * sizeof *motion);
    vti_cross(arm, set->normal[i], motion + 3);
}

static void find_potentials(void *data, int64_t i)
{
    const matrix_job *const job = data;
    const vt_panel_set *const set = job->set;
    memset(job->potential[i], 0, sizeof job->potential[i]);
    for (int64_t j = 0; j < set->count; j++) {
        const double p = vti_triangle_potential(set->corner[j], set->normal[j], set->center[i]);
        for (int q = 0; q < 6; q++)
            job->potential[i][q] += p * job->motion[j][q];
    }
}

/* motion becomes the densities of the unit motions. */
static void find_densities(const matrix_job *job, double (*density)[6])
{
    const int64_t count = job->set->count;
    for (int64_t i = 0; i < count; i++)
        for (int q = 0; q < 6; q++) {
            double sum = 0;
            for (int64_t j = 0; j < count; j++)
                sum += job->matrix[i * count + j] * job->motion[j][q];
            density[i][q] = sum;
        }
    memcpy(job->motion, density, sizeof *density * (size_t)count);
}

static void find_added_mass(vt_panel_set *set, matrix_job *job, int threads)
{
    for (int64_t i = 0; i < set->count; i++)
        unit_motions(set, i, job->motion[i]);
    memset(set->added_mass, 0, sizeof set->added_mass);
    find_densities(job, job->potential);
    vti_parallel_each(threads, set->count, ROW_BLOCK, find_potentials, job);
    for (int64_t i = 0; i < set->count; i++) {
        double motion[6];
        unit_motions(set, i, motion);
        for (int p = 0; p < 6; p++)
            for (int q = 0; q < 6; q++)
                set->added_mass[p][q] -= motion[p] * job->potential[i][q] * set->area[i];
    }
    for (int p = 0; p < 6; p++)
        for (int q = 0; q < p; q++)
            set->added_mass[p][q] = set->added_mass[q][p] =
                0.5 * (set->added_mass[p][q] + set->added_mass[q][p]);
}

vt_status vti_solve_panels(vt_panel_set *set, int threads)
{
    const int64_t count = set->count;
    vt_status status = VT_OK;
    matrix_job job = {.set = set};
    job.matrix = vti_allocate(sizeof(double) * (size_t)(count * count));
    job.motion = vti_allocate(sizeof *job.motion * (size_t)count);
    job.potential = vti_allocate(sizeof *job.potential * (size_t)count);
    if (!job.matrix || !job.motion || !job.potential) {
        status = no_memory(set);
    } else {
        vti_parallel_each(threads, count, ROW_BLOCK, fill_row, &job);
        set_diagonal(set, job.matrix);
        if (set->hole)
            status = solve_beyond(set, job.matrix, threads);
        if (!status)
            status = add_means(set, job.matrix);
        if (!status)
            status = invert(set, job.matrix, threads);
    }
    if (!status) {
        for (int64_t i = 0; i < count; i++)
            for (int64_t j = 0; j < count; j++)
                set->inverse[j * count + i] = (float)job.matrix[i * count + j];
        if (!set->hole && !set->is_whole)
            find_added_mass(set, &job, threads);
    }
    vti_free(job.matrix);
    vti_free(job.motion);
    vti_free(job.potential);
    return status;
}
