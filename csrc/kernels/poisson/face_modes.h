/* What is given on the faces of the grid, as modes of the right side of the direct Poisson solver
 * (kernels/poisson/poisson_direct.c). It goes to the inner neighbours of the faces, which makes of
 * one value a mode 4 sin(pi k / n) along the axis across, with a sign at the far face; so a face
 * across x or y is transformed along its other axis alone.
 *
 * Of fourth order values at an x face count (1 + s(kx) / 6 - s(kz) / 6) times: 1 - cos(pi kx / nx)
 * / 3 times, and those of the face beside them along z a sixth; likewise at y faces, where the
 * edges along z, at which two faces count one value twice, are given back a sixth of it. */
#pragma once

#include "kernels/poisson/poisson_solver.h"

static const float sixth = 1.0f / 6;

/* ---- a face, transformed along u ---- */

/* VL rows of a face from row v on, transformed along u, which is an axis across: lanes along v. */
static void transform_face_rows(const solver *s, const scratch *m, int component, int face, int v,
                                int axis, vf *out)
{
    const line_span span = span_of(s, component, axis);
    vf *const line = m->line[0];
    for (int u = 0; u < span.end; u += VL) {
        vf r[VL];
        for (int i = 0; i < VL; i++)
            r[i] = vf_load(face_row(s, component, face, v + i < s->nz ? v + i : s->nz) + u);
        vf_transpose(r);
        memcpy(line + u, r, sizeof r);
    }
    transform_line(s, axis, span, line, out, m->transform);
    clear_rest(out, span);
}

/* Across x: modes along y, planes one after the other for each. */
static void transform_x_face(const solver *s, const scratch *m, int component, int face)
{
    float *const given = s->given[component][face], *const beside = s->beside[component][face];
    vf *const out = m->half[0];
    for (int z = 0; z <= s->nz; z += VL) {
        transform_face_rows(s, m, component, face, z, 1, out);
        for (int ky = 1; ky < s->ny; ky++)
            vf_store(given + ky * s->levels + z, out[ky]);
    }
    for (int ky = 1; ky < s->ny && s->grid->fourth; ky++) {
        const float *const at = given + ky * s->levels;
        for (int z = 1; z < s->nz; z += VL)
            vf_store(beside + ky * s->levels + z,
                     vf_set(sixth) * (vf_load(at + z - 1) + vf_load(at + z + 1)));
    }
}

/* What the edges along z of a face across y add beside it, in plane z. */
static void add_edges(const solver *s, int component, int face, int z)
{
    float *const beside = s->beside[component][face] + (int64_t)z * s->width;
    const float *const row = face_row(s, component, face, z);
    const vf low = vf_set(sixth * row[0]), high = vf_set(sixth * row[s->nx]);
    for (int kx = 0; kx < s->nx; kx += VL) {
        const vf once = vf_load(s->edge[0] + kx), far = vf_load(s->edge[1] + kx);
        const vf sum = vf_fma(low, once, vf_load(beside + kx));
        vf_store(beside + kx, vf_fma(high, far, sum));
    }
}

/* Across y: modes along x, those of a plane one after the other. */
static void transform_y_face(const solver *s, const scratch *m, int component, int face)
{
    const int64_t width = s->width;
    float *const given = s->given[component][face], *const beside = s->beside[component][face];
    vf *const out = m->half[0];
    for (int z = 0; z <= s->nz; z += VL) {
        transform_face_rows(s, m, component, face, z, 0, out);
        for (int kx = 0; kx < s->nx; kx += VL) {
            vf r[VL];
            memcpy(r, out + kx, sizeof r);
            vf_transpose(r);
            for (int i = 0; i < VL && z + i <= s->nz; i++)
                vf_store(given + (z + i) * width + kx, r[i]);
        }
    }
    for (int z = 1; z < s->nz && s->grid->fourth; z++) {
        for (int kx = 0; kx < s->nx; kx += VL) {
            const float *const at = given + z * width + kx;
            vf_store(beside + z * width + kx,
                     vf_set(sixth) * (vf_load(at - width) + vf_load(at + width)));
        }
        add_edges(s, component, face, z);
    }
}

static void transform_side(const solver *s, const scratch *m, int face)
{
    for (int component = 0; component < s->components; component++)
        if (face < 2)
            transform_x_face(s, m, component, face);
        else
            transform_y_face(s, m, component, face);
}

/* ---- into the columns ---- */

/* Adds what the faces give to the right side of a column. */
static void add_faces(const solver *s, int component, int kx, int ky, vf *g)
{
    float *const *const given = s->given[component], *const *const beside = s->beside[component];
    const int fourth = s->grid->fourth;
    for (int face = 0; face < 2; face++) {
        const float *const at = given[face] + ky * s->levels, *const by =
                                                                  beside[face] + ky * s->levels;
        const vf first = vf_load(s->weight[face].first + kx);
        const vf second = vf_load(s->weight[face].beside + kx);
        for (int z = 1; z < s->nz; z++) {
            g[z] = vf_fma(vf_set(at[z]), first, g[z]);
            if (fourth)
                g[z] = vf_fma(vf_set(by[z]), second, g[z]);
        }
    }
    for (int face = 2; face < SIDES; face++) {
        const float *const at = given[face] + kx, *const by = beside[face] + kx;
        const vf first = vf_set(s->weight[face].first[ky]);
        const vf second = vf_set(s->weight[face].beside[ky]);
        for (int z = 1; z < s->nz; z++) {
            g[z] = vf_fma(vf_load(at + (int64_t)z * s->width), first, g[z]);
            if (fourth)
                g[z] = vf_fma(vf_load(by + (int64_t)z * s->width), second, g[z]);
        }
    }
    const int64_t mode = (int64_t)kx * s->rows + (int64_t)VL * ky;
    g[1] = vf_fma(vf_load(given[4] + mode), vf_set(s->scale), g[1]);
    g[s->nz - 1] = vf_fma(vf_load(given[5] + mode), vf_set(s->scale), g[s->nz - 1]);
}
