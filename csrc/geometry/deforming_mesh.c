#include "geometry/deforming_mesh.h"

#include <math.h>
#include <string.h>

#include "base/math_double.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "base/vec3.h"

enum { BIND_BLOCK = 16 };

/* ---- making ---- */

static vt_status check_counts(const vt_body_def *def)
{
    const int64_t vertices = def->mesh_vertex_count, rows = def->deformed_count;
    if (!def->mesh_vertices || !def->mesh_faces || vertices < 4 || def->mesh_face_count < 4)
        return vti_fail(
            VT_INVALID_ARGUMENT,
            "deformed_vertices go with mesh_vertices and mesh_faces, 4 and more of each; "
            "there are %lld and %lld",
            (long long)(def->mesh_vertices ? vertices : 0),
            (long long)(def->mesh_faces ? def->mesh_face_count : 0));
    if (rows < vertices || rows % vertices != 0)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "deformed_vertices has %lld rows; allowed is a multiple of those of "
                        "mesh_vertices, %lld",
                        (long long)rows, (long long)vertices);
    return VT_OK;
}

static vt_status check_mesh(const vt_body_def *def)
{
    vt_status status = check_counts(def);
    for (int64_t i = 0; i < 3 * def->mesh_face_count && !status; i++)
        if (def->mesh_faces[i] < 0 || def->mesh_faces[i] >= def->mesh_vertex_count)
            status = vti_fail(
                VT_INVALID_ARGUMENT, "mesh_faces: row %lld holds %d; allowed are 0 to %lld",
                (long long)(i / 3), def->mesh_faces[i], (long long)def->mesh_vertex_count - 1);
    return status;
}

static double find_speed(const vt_deforming_mesh *m)
{
    double most = 0;
    for (int64_t i = 0; i < (m->frame_count - 1) * m->vertex_count; i++) {
        double way[3];
        for (int c = 0; c < 3; c++)
            way[c] = (double)m->frame[i + m->vertex_count][c] - (double)m->frame[i][c];
        most = fmax(most, vti_dot(way, way));
    }
    return m->rate * vti_sqrt(most);
}

vt_status vti_create_deforming_mesh(const vt_body_def *def, vt_deforming_mesh **mesh)
{
    const vt_status status = check_mesh(def);
    *mesh = NULL;
    if (status)
        return status;
    const size_t vertices = (size_t)def->mesh_vertex_count, faces = (size_t)def->mesh_face_count;
    const size_t rows = (size_t)def->deformed_count;
    vt_deforming_mesh *const m = vti_allocate_zeroed(1, sizeof *m);
    if (m) {
        *m = (vt_deforming_mesh){.users = 1,
                                 .vertex_count = def->mesh_vertex_count,
                                 .face_count = def->mesh_face_count,
                                 .frame_count = def->deformed_count / def->mesh_vertex_count,
                                 .rate = def->deformed_rate,
                                 .start = def->deformed_start,
                                 .rest = vti_allocate(sizeof *m->rest * vertices),
                                 .face = vti_allocate(sizeof *m->face * faces),
                                 .frame = vti_allocate(sizeof *m->frame * rows)};
    }
    if (!m || !m->rest || !m->face || !m->frame) {
        vti_release_deforming_mesh(m);
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for %zu vertices", rows);
    }
    memcpy(m->rest, def->mesh_vertices, sizeof *m->rest * vertices);
    memcpy(m->face, def->mesh_faces, sizeof *m->face * faces);
    memcpy(m->frame, def->deformed_vertices, sizeof *m->frame * rows);
    m->speed = find_speed(m);
    *mesh = m;
    return VT_OK;
}

vt_deforming_mesh *vti_share_deforming_mesh(vt_deforming_mesh *mesh)
{
    if (mesh)
        atomic_fetch_add(&mesh->users, 1);
    return mesh;
}

void vti_release_deforming_mesh(vt_deforming_mesh *mesh)
{
    if (!mesh || atomic_fetch_sub(&mesh->users, 1) > 1)
        return;
    vti_free(mesh->rest);
    vti_free(mesh->face);
    vti_free(mesh->frame);
    vti_free(mesh);
}

/* ---- at a time ---- */

void vti_place_vertices(const vt_deforming_mesh *m, double time, double (*vertex)[3],
                        double (*velocity)[3])
{
    const double last = (double)(m->frame_count - 1), at = (time - m->start) * m->rate;
    const int moves = at >= 0 && at < last;
    const int64_t before = at >= last ? m->frame_count - 1 : at > 0 ? (int64_t)at : 0;
    const double share = moves ? at - (double)before : 0;
    const float (*const from)[3] = (const float (*)[3])m->frame + before * m->vertex_count;
    const float (*const to)[3] = from + (moves ? m->vertex_count : 0);
    for (int64_t i = 0; i < m->vertex_count; i++)
        for (int c = 0; c < 3; c++) {
            const double way = (double)to[i][c] - (double)from[i][c];
            vertex[i][c] = (double)from[i][c] + share * way;
            velocity[i][c] = m->rate * way;
        }
}

/* The unit axes of a triangle: along its first edge, across it, and its normal. */
static void find_axes(const double corner[3][3], double axis[3][3])
{
    vti_subtract(corner[1], corner[0], axis[0]);
    vti_cross_of_sides(corner[0], corner[1], corner[2], axis[2]);
    vti_normalise(axis[0]);
    vti_normalise(axis[2]);
    vti_cross(axis[2], axis[0], axis[1]);
}

void vti_place_point(const vt_deforming_mesh *m, const double (*vertex)[3],
                     const vt_bound_point *bound, double point[3])
{
    double corner[3][3], axis[3][3];
    memset(point, 0, 3 * sizeof *point);
    for (int k = 0; k < 3; k++) {
        memcpy(corner[k], vertex[m->face[bound->face][k]], sizeof corner[k]);
        vti_add_scaled(point, bound->weight[k], corner[k]);
    }
    if (bound->offset[0] == 0 && bound->offset[1] == 0 && bound->offset[2] == 0)
        return;
    find_axes((const double (*)[3])corner, axis);
    for (int k = 0; k < 3; k++)
        vti_add_scaled(point, bound->offset[k], axis[k]);
}

void vti_carry_point(const vt_deforming_mesh *m, const double (*velocity)[3],
                     const vt_bound_point *bound, double result[3])
{
    memset(result, 0, 3 * sizeof *result);
    for (int k = 0; k < 3; k++)
        vti_add_scaled(result, bound->weight[k], velocity[m->face[bound->face][k]]);
}

/* ---- binding ---- */

/* Weights of the point of an edge from corner i to corner j that is nearest. */
static void nearest_on_edge(const double corner[3][3], int i, int j, const double point[3],
                            double weight[3])
{
    double way[3], arm[3];
    vti_subtract(corner[j], corner[i], way);
    vti_subtract(point, corner[i], arm);
    const double square = vti_dot(way, way);
    const double share = square > 0 ? fmin(fmax(vti_dot(arm, way) / square, 0), 1) : 0;
    memset(weight, 0, 3 * sizeof *weight);
    weight[i] = 1 - share;
    weight[j] = share;
}

static double square_from(const double corner[3][3], const double weight[3], const double point[3])
{
    double way[3] = {-point[0], -point[1], -point[2]};
    for (int k = 0; k < 3; k++)
        vti_add_scaled(way, weight[k], corner[k]);
    return vti_dot(way, way);
}

/* Weights of the nearest point of a triangle; returns the square of its distance, m^2. */
static double nearest_on_triangle(const double corner[3][3], const double point[3],
                                  double weight[3])
{
    double a[3], b[3], arm[3], normal[3], across[3];
    vti_subtract(corner[1], corner[0], a);
    vti_subtract(corner[2], corner[0], b);
    vti_subtract(point, corner[0], arm);
    vti_cross(a, b, normal);
    const double area = vti_dot(normal, normal);
    if (area > 0) {
        vti_cross(arm, b, across);
        weight[1] = vti_dot(across, normal) / area;
        vti_cross(a, arm, across);
        weight[2] = vti_dot(across, normal) / area;
        weight[0] = 1 - weight[1] - weight[2];
        if (weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0)
            return square_from(corner, weight, point);
    }
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        double other[3];
        nearest_on_edge(corner, k, (k + 1) % 3, point, other);
        const double square = square_from(corner, other, point);
        if (square < least) {
            least = square;
            memcpy(weight, other, sizeof other);
        }
    }
    return least;
}

typedef struct bind_job {
    const vt_deforming_mesh *mesh;
    const double (*point)[3];
    double (*ball)[4]; /* centre and radius of each triangle, m */
    vt_bound_point *bound;
} bind_job;

static void corners_at_rest(const vt_deforming_mesh *m, int64_t face, double corner[3][3])
{
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
            corner[k][c] = (double)m->rest[m->face[face][k]][c];
}

static void bind_one(void *data, int64_t n)
{
    const bind_job *const job = data;
    const vt_deforming_mesh *const m = job->mesh;
    const double *const point = job->point[n];
    double least = INFINITY, corner[3][3], weight[3], axis[3][3];
    vt_bound_point best = {.face = 0};
    for (int64_t f = 0; f < m->face_count; f++) {
        const double limit = least + job->ball[f][3];
        if (vti_square_between(job->ball[f], point) > limit * limit)
            continue;
        corners_at_rest(m, f, corner);
        const double distance =
            vti_sqrt(nearest_on_triangle((const double (*)[3])corner, point, weight));
        if (distance < least) {
            least = distance;
            best.face = (int32_t)f;
            memcpy(best.weight, weight, sizeof weight);
        }
    }
    double way[3] = {point[0], point[1], point[2]};
    corners_at_rest(m, best.face, corner);
    for (int k = 0; k < 3; k++)
        vti_add_scaled(way, -best.weight[k], corner[k]);
    find_axes((const double (*)[3])corner, axis);
    for (int k = 0; k < 3 && least > 0; k++)
        best.offset[k] = vti_dot(way, axis[k]);
    job->bound[n] = best;
}

vt_status vti_bind_points(const vt_deforming_mesh *m, int64_t count, const double (*point)[3],
                          int threads, vt_bound_point *bound)
{
    bind_job job = {m, point, vti_allocate(sizeof *job.ball * (size_t)m->face_count), bound};
    if (!job.ball)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for %lld triangles", (long long)m->face_count);
    for (int64_t f = 0; f < m->face_count; f++) {
        double corner[3][3], square = 0;
        corners_at_rest(m, f, corner);
        for (int c = 0; c < 3; c++)
            job.ball[f][c] = (corner[0][c] + corner[1][c] + corner[2][c]) / 3;
        for (int k = 0; k < 3; k++)
            square = fmax(square, vti_square_between(job.ball[f], corner[k]));
        job.ball[f][3] = vti_sqrt(square);
    }
    vti_parallel_each(threads, count, BIND_BLOCK, bind_one, &job);
    vti_free(job.ball);
    return VT_OK;
}
