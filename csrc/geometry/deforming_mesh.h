/* Meshes whose vertices move, and points that go with them.
 *
 * The vertices are given at equal times; in between they run in straight lines, and before the
 * first and after the last they stand still. A point that is bound goes with the triangle that is
 * nearest to it at rest: by the barycentric weights w of its foot there, and by what it lies beside
 * it, along the axes a, b, n of the triangle (first edge, across it, normal):
 *
 *   x(t) = sum_k w_k v_k(t) + o_1 a(t) + o_2 b(t) + o_3 n(t),   foot velocity sum_k w_k dv_k/dt
 *
 * so that a bound point is as rigid as its triangle, and two bound points that coincide at rest
 * always do. */
#pragma once

#include <stdatomic.h>

#include "vorton.h"

/* Users share one mesh, which never changes. */
typedef struct vt_deforming_mesh {
    _Atomic int32_t users;
    int64_t vertex_count, face_count, frame_count;
    double rate, start; /* frames a second, 1/s; time of the first, s */
    double speed;       /* largest of any vertex, m/s */
    float (*rest)[3];   /* vertex_count, m */
    int32_t (*face)[3]; /* face_count */
    float (*frame)[3];  /* frame_count x vertex_count, m */
} vt_deforming_mesh;

typedef struct vt_bound_point {
    int32_t face;
    double weight[3], offset[3]; /* m */
} vt_bound_point;

/* Copies the mesh of a definition that has one. VT_INVALID_ARGUMENT: counts that do not fit, an
 * index without a vertex, a number that is not finite or beyond 1e9 m; VT_OUT_OF_MEMORY. */
vt_status vti_create_deforming_mesh(const vt_body_def *def, vt_deforming_mesh **mesh);

/* One user more; NULL is allowed. Returns the mesh. */
vt_deforming_mesh *vti_share_deforming_mesh(vt_deforming_mesh *mesh);

/* One user less, the last one frees it; NULL is allowed. */
void vti_release_deforming_mesh(vt_deforming_mesh *mesh);

/* Where the vertices are at a time, s, and how they move from then on (vertex_count each). */
void vti_place_vertices(const vt_deforming_mesh *mesh, double time, double (*vertex)[3],
                        double (*velocity)[3]);

/* Binds points (count x 3, m) that are where the mesh is at rest; every point looks at every
 * triangle. VT_OUT_OF_MEMORY. */
vt_status vti_bind_points(const vt_deforming_mesh *mesh, int64_t count, const double (*point)[3],
                          int threads, vt_bound_point *bound);

/* Where a bound point is, and how its foot moves, by the vertices of a time. */
void vti_place_point(const vt_deforming_mesh *mesh, const double (*vertex)[3],
                     const vt_bound_point *bound, double point[3]);
void vti_carry_point(const vt_deforming_mesh *mesh, const double (*velocity)[3],
                     const vt_bound_point *bound, double result[3]);
