#include "geometry/mesh_inside.h"

#include <stdlib.h>

#include "base/math_double.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/vec3.h"
#include "geometry/surface_points.h"

enum { MOST_FACES = 1 << 27 };

/* ---- checks ---- */

static vt_status check_numbers(const vt_shape *mesh)
{
    const int64_t vertices = mesh->layer > 0.0 ? 3 : 4, faces = mesh->layer > 0.0 ? 1 : 4;
    if (!mesh->vertices || mesh->vertex_count < vertices || mesh->vertex_count > MOST_FACES)
        return vti_fail(
            VT_INVALID_ARGUMENT, "shape: a mesh needs vertices, %lld .. %d of them, got %lld",
            (long long)vertices, MOST_FACES, (long long)(mesh->vertices ? mesh->vertex_count : 0));
    if (!mesh->faces || mesh->face_count < faces || mesh->face_count > MOST_FACES)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "shape: a mesh needs faces, %lld .. %d of them, got %lld", (long long)faces,
                        MOST_FACES, (long long)(mesh->faces ? mesh->face_count : 0));
    for (int64_t i = 0; i < 3 * mesh->vertex_count; i++)
        if (!(vti_abs((double)mesh->vertices[i]) <= VT_MOST_LENGTH))
            return vti_fail(VT_INVALID_ARGUMENT,
                            "shape: vertex %lld of the mesh must be finite and within %g m, got %g",
                            (long long)(i / 3), VT_MOST_LENGTH, (double)mesh->vertices[i]);
    for (int64_t i = 0; i < 3 * mesh->face_count; i++)
        if (mesh->faces[i] < 0 || mesh->faces[i] >= mesh->vertex_count)
            return vti_fail(VT_INVALID_ARGUMENT,
                            "shape: face %lld of the mesh names vertex %d, there are %lld",
                            (long long)(i / 3), mesh->faces[i], (long long)mesh->vertex_count);
    return VT_OK;
}

/* An edge as one number: lesser vertex, greater vertex, direction in the lowest bit. */
static uint64_t edge_key(int32_t from, int32_t to)
{
    const uint64_t a = (uint64_t)from, b = (uint64_t)to;
    return a < b ? (a << 33) | (b << 1) : (b << 33) | (a << 1) | 1u;
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorted, the keys of a closed mesh come in pairs that differ in their lowest bit alone. */
static vt_status check_pairs(const uint64_t *keys, int64_t count)
{
    for (int64_t i = 0; i < count;) {
        const uint64_t edge = keys[i] >> 1;
        int64_t same = 1;
        while (i + same < count && keys[i + same] >> 1 == edge)
            same++;
        if (same != 2 || keys[i] == keys[i + 1])
            return vti_fail(
                VT_INVALID_ARGUMENT,
                "shape: the mesh is not closed: edge %lld-%lld is used by %lld face%s%s "
                "(every edge must be used by two, in opposite directions)",
                (long long)(edge >> 32), (long long)(edge & 0xffffffffu), (long long)same,
                same == 1 ? "" : "s", same == 2 ? " in the same direction" : "");
        i += same;
    }
    return VT_OK;
}

static vt_status check_closed(const vt_shape *mesh)
{
    const int64_t count = 3 * mesh->face_count;
    uint64_t *const keys = vti_allocate((size_t)count * sizeof *keys);
    if (!keys)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory to check a mesh of %lld faces",
                        (long long)mesh->face_count);
    vt_status status = VT_OK;
    for (int64_t f = 0; f < mesh->face_count && status == VT_OK; f++) {
        const int32_t *const face = mesh->faces + 3 * f;
        if (face[0] == face[1] || face[1] == face[2] || face[2] == face[0])
            status =
                vti_fail(VT_INVALID_ARGUMENT, "shape: face %lld of the mesh names vertex %d twice",
                         (long long)f, face[0] == face[1] ? face[0] : face[2]);
        for (int i = 0; i < 3; i++)
            keys[3 * f + i] = edge_key(face[i], face[(i + 1) % 3]);
    }
    if (status == VT_OK) {
        qsort(keys, (size_t)count, sizeof *keys, compare_keys);
        status = check_pairs(keys, count);
    }
    vti_free(keys);
    return status;
}

vt_status vti_check_mesh(const vt_shape *mesh)
{
    vt_status status = check_numbers(mesh);
    if (status == VT_OK && mesh->layer > 0.0)
        return vti_surface_area(mesh) > 0.0
                   ? VT_OK
                   : vti_fail(VT_INVALID_ARGUMENT, "shape: the area of the mesh must be positive");
    if (status == VT_OK)
        status = check_closed(mesh);
    if (status != VT_OK)
        return status;
    const double volume = vti_mesh_volume(mesh);
    if (!(volume > 0.0))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "shape: the volume of the mesh must be positive, got %g m^3%s", volume,
                        volume < 0.0 ? ": its faces point inwards" : "");
    return VT_OK;
}

/* Sum of the tetrahedra between the faces and the first vertex. */
double vti_mesh_volume(const vt_shape *mesh)
{
    double volume = 0.0;
    for (int64_t f = 0; f < mesh->face_count; f++) {
        double v[3][3];
        for (int i = 0; i < 3; i++)
            for (int c = 0; c < 3; c++)
                v[i][c] = (double)mesh->vertices[3 * (int64_t)mesh->faces[3 * f + i] + c] -
                          (double)mesh->vertices[c];
        volume += v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) +
                  v[0][1] * (v[1][2] * v[2][0] - v[1][0] * v[2][2]) +
                  v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
    }
    return volume / 6.0;
}

/* ---- columns ---- */

static int32_t column_of(const vt_mesh_columns *columns, int axis, float x)
{
    /* Does not fall as x grows, so a point inside a face's bounds lies in one of its columns. */
    const double place = ((double)x - columns->origin[axis]) * columns->scale[axis];
    const int32_t last = columns->count[axis] - 1;
    return place <= 0.0 ? 0 : place >= (double)last ? last : (int32_t)place;
}

static void face_columns(const vt_shape *mesh, const vt_mesh_columns *columns, int64_t face,
                         int32_t low[2], int32_t high[2])
{
    for (int axis = 0; axis < 2; axis++) {
        low[axis] = INT32_MAX;
        high[axis] = 0;
        for (int i = 0; i < 3; i++) {
            const int64_t vertex = mesh->faces[3 * face + i];
            const int32_t column = column_of(columns, axis, mesh->vertices[3 * vertex + axis]);
            low[axis] = column < low[axis] ? column : low[axis];
            high[axis] = column > high[axis] ? column : high[axis];
        }
    }
}

static int64_t count_entries(const vt_shape *mesh, const vt_mesh_columns *columns)
{
    int64_t entries = 0;
    for (int64_t face = 0; face < mesh->face_count; face++) {
        int32_t low[2], high[2];
        face_columns(mesh, columns, face, low, high);
        entries += (int64_t)(high[0] - low[0] + 1) * (high[1] - low[1] + 1);
    }
    return entries;
}

/* As many columns as faces, fewer where long faces would fill too many of them. */
static int64_t choose_columns(const vt_shape *mesh, vt_mesh_columns *columns)
{
    double lower[2], upper[2];
    for (int axis = 0; axis < 2; axis++) {
        lower[axis] = upper[axis] = (double)mesh->vertices[axis];
        for (int64_t v = 1; v < mesh->vertex_count; v++) {
            const double x = (double)mesh->vertices[3 * v + axis];
            lower[axis] = x < lower[axis] ? x : lower[axis];
            upper[axis] = x > upper[axis] ? x : upper[axis];
        }
    }
    double side = vti_sqrt((double)mesh->face_count) + 1.0;
    for (;;) {
        for (int axis = 0; axis < 2; axis++) {
            const double extent = upper[axis] - lower[axis];
            columns->count[axis] = extent > 0.0 ? (int32_t)side : 1;
            columns->origin[axis] = lower[axis];
            columns->scale[axis] = extent > 0.0 ? columns->count[axis] / extent : 0.0;
        }
        const int64_t entries = count_entries(mesh, columns);
        if (entries <= 16 * mesh->face_count || side < 2.0)
            return entries;
        side *= 0.5;
    }
}

/* Moves first[c + 1] on by one for every face in column c, and writes the face there if asked. */
static void visit_columns(const vt_shape *mesh, vt_mesh_columns *columns, int32_t *faces)
{
    for (int64_t face = 0; face < mesh->face_count; face++) {
        int32_t low[2], high[2];
        face_columns(mesh, columns, face, low, high);
        for (int64_t y = low[1]; y <= high[1]; y++)
            for (int64_t x = low[0]; x <= high[0]; x++) {
                uint32_t *const next = &columns->first[y * columns->count[0] + x + 1];
                if (faces)
                    faces[*next] = (int32_t)face;
                ++*next;
            }
    }
}

static void fill_columns(const vt_shape *mesh, vt_mesh_columns *columns, int64_t cells)
{
    uint32_t sum = 0;
    visit_columns(mesh, columns, NULL);
    for (int64_t c = 1; c <= cells; c++) { /* counts to places of the first entries */
        const uint32_t entries = columns->first[c];
        columns->first[c] = sum;
        sum += entries;
    }
    visit_columns(mesh, columns, columns->face);
}

vt_status vti_create_mesh_columns(const vt_shape *mesh, vt_mesh_columns *columns)
{
    const int64_t entries = choose_columns(mesh, columns);
    const int64_t cells = (int64_t)columns->count[0] * columns->count[1];
    columns->first = vti_allocate_zeroed((size_t)cells + 1, sizeof *columns->first);
    columns->face = vti_allocate((size_t)entries * sizeof *columns->face);
    if (!columns->first || !columns->face)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a mesh of %lld faces",
                        (long long)mesh->face_count);
    fill_columns(mesh, columns, cells);
    return VT_OK;
}

int vti_copy_mesh_columns(const vt_mesh_columns *from, vt_mesh_columns *to)
{
    const size_t cells = (size_t)from->count[0] * (size_t)from->count[1];
    const size_t first_bytes = (cells + 1) * sizeof *to->first;
    const size_t face_bytes = from->first[cells] * sizeof *to->face;
    *to = *from;
    to->first = vti_allocate(first_bytes);
    to->face = vti_allocate(face_bytes);
    if (!to->first || !to->face) {
        vti_destroy_mesh_columns(to);
        return -1;
    }
    memcpy(to->first, from->first, first_bytes);
    memcpy(to->face, from->face, face_bytes);
    return 0;
}

void vti_destroy_mesh_columns(vt_mesh_columns *columns)
{
    vti_free(columns->first);
    vti_free(columns->face);
    *columns = (vt_mesh_columns){0};
}

/* ---- inside ---- */

/* Positive where the point (x, y) is left of a -> b, seen from above. */
static double left_of(const float *a, const float *b, const float *point)
{
    return ((double)b[0] - (double)a[0]) * ((double)point[1] - (double)a[1]) -
           ((double)b[1] - (double)a[1]) * ((double)point[0] - (double)a[0]);
}

/* Whether a line from the point along +x, seen from above, meets the edge. */
static int line_meets(const float *a, const float *b, const float *point)
{
    const int a_below = a[1] <= point[1], b_below = b[1] <= point[1];
    if (a_below == b_below)
        return 0;
    return a_below ? left_of(a, b, point) > 0.0 : left_of(b, a, point) > 0.0;
}

/* What the face adds to the winding around the point: 1 for a face above it that looks up. */
static int face_winding(const float *a, const float *b, const float *c, const float *point)
{
    if (!(line_meets(a, b, point) ^ line_meets(b, c, point) ^ line_meets(c, a, point)))
        return 0;
    /* The point is inside the face's shadow: all three weights have one sign, or are 0. */
    const double wa = left_of(b, c, point), wb = left_of(c, a, point), wc = left_of(a, b, point);
    const double area = wa + wb + wc, z = (double)point[2];
    const double height =
        wa * ((double)a[2] - z) + wb * ((double)b[2] - z) + wc * ((double)c[2] - z);
    if (area > 0.0)
        return height > 0.0 ? 1 : 0;
    return height < 0.0 ? -1 : 0;
}

int vti_mesh_contains(const vt_shape *mesh, const vt_mesh_columns *columns, const float point[3])
{
    const int32_t x = column_of(columns, 0, point[0]), y = column_of(columns, 1, point[1]);
    const size_t column = (size_t)y * (size_t)columns->count[0] + (size_t)x;
    int winding = 0;
    for (uint32_t i = columns->first[column]; i < columns->first[column + 1]; i++) {
        const int32_t *const face = mesh->faces + 3 * (int64_t)columns->face[i];
        const float *const v = mesh->vertices;
        winding += face_winding(v + 3 * (int64_t)face[0], v + 3 * (int64_t)face[1],
                                v + 3 * (int64_t)face[2], point);
    }
    return winding != 0;
}
