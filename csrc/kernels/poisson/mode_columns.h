/* Modes of the direct Poisson solver along z: the filter that gives the nodes their cores, what is
 * given on the faces, and the tridiagonal system of each mode (kernels/poisson/poisson_direct.c).
 * All of a column of VL modes is done while it is in the cache. */
#pragma once

#include "kernels/poisson/face_modes.h"

/* One column: VL modes along x from kx on, and mode ky. */
typedef struct column {
    int component, kx, ky;
    int even, first, last; /* along z: whether it is even at the walls; planes with unknowns */
    int64_t at;            /* of its modes in each plane */
} column;

static column column_of(const solver *s, int component, int kx, int ky)
{
    const int even = is_even(s, component, 2);
    const int64_t at = (int64_t)kx * s->rows + (int64_t)VL * ky;
    return (column){component, kx, ky, even, !even, s->nz - !even, at};
}

/* ---- the right side ---- */

/* What is beyond the planes: mirror images, with their sign changed where the component is odd;
 * what lies near a face without walls is as odd there as across x and y, whose modes are sines. */
static void mirror_beyond_ends(const solver *s, const column *c, vf *f)
{
    const vf sign = vf_set(c->even ? 1.0f : -1.0f);
    if (!c->even)
        f[0] = f[s->nz] = (vf){0};
    for (int r = 1; r <= s->filters->reach; r++) {
        f[-r] = sign * f[r];
        f[s->nz + r] = sign * f[s->nz - r];
    }
}

/* The taps along z of the sum of filters, for each mode what they leave of it along x and y. */
static void find_column_taps(const solver *s, const column *c, vf taps[VT_FILTER_REACH + 1])
{
    const int reach = s->filters->reach;
    for (int r = 0; r <= reach; r++)
        taps[r] = (vf){0};
    for (int n = 0; n < s->filters->count; n++) {
        const vf left = vf_load(s->left[n][0] + c->kx) * s->left[n][1][c->ky];
        for (int r = 0; r <= reach; r++)
            taps[r] = vf_fma(vf_set(s->along_z[n][r]), left, taps[r]);
    }
}

/* From f, which goes on beyond its ends, to g. */
static void filter_column(const solver *s, const column *c, const vf *f, vf *g)
{
    const int reach = s->filters->reach;
    vf w[VT_FILTER_REACH + 1];
    find_column_taps(s, c, w);
    for (int z = c->first; z <= c->last; z++) {
        vf sum = f[z] * w[0];
        for (int r = 1; r <= reach; r++)
            sum = vf_fma(f[z - r] + f[z + r], w[r], sum);
        g[z] = sum;
    }
}

/* Charges in a room whose sum is not 0: their mean is taken away, since what is in a room cannot
 * expand as a whole. It is the first mode along x and y, summed along z. */
static void take_mean_away(const solver *s, vf *g)
{
    vf sum = 0.5f * (g[0] + g[s->nz]), mean = {0};
    for (int z = 1; z < s->nz; z++)
        sum += g[z];
    mean[0] = sum[0] / (float)s->nz;
    for (int z = 0; z <= s->nz; z++)
        g[z] -= mean;
}

static void find_right_side(const solver *s, const column *c, vf *f, vf *g)
{
    const float *const modes = plane_of(s, c->component, 0) + c->at;
    for (int z = c->first; z <= c->last; z++) {
        f[z] = vf_load(modes + z * s->grid->plane);
        __builtin_prefetch(modes + z * s->grid->plane + VL, 1); /* of the next column */
    }
    if (s->filters) {
        mirror_beyond_ends(s, c, f);
        filter_column(s, c, f, g);
    } else {
        for (int z = c->first; z <= c->last; z++)
            g[z] = f[z] * s->scale;
    }
    if (s->faces)
        add_faces(s, c->component, c->kx, c->ky, g);
    if (s->solves && s->grid->walled && s->grid->scalar && c->kx == 0 && c->ky == 0)
        take_mean_away(s, g);
}

/* ---- the system ---- */

static const float *pivots_of(const solver *s, const column *c, int depth)
{
    return c->at + (c->even ? s->plan->even_pivot + depth * s->modes
                            : s->plan->pivot + (depth - 1) * s->modes);
}

/* From the right side to modes of A, in place. */
static void eliminate(const solver *s, const column *c, vf *g, vf *pivot)
{
    const int half = s->nz / 2;
    vf *const high = g + s->nz;
    for (int q = c->first; q < half; q++) {
        const vf p = pivot[q] = vf_load(pivots_of(s, c, q));
        __builtin_prefetch(pivots_of(s, c, q) + VL);
        const vf below = q > c->first ? g[q] + g[q - 1] : g[q];
        const vf above = q > c->first ? high[-q] + high[1 - q] : high[-q];
        g[q] = below * p;
        high[-q] = above * p;
    }
    g[half] = (g[half] + g[half - 1] + g[half + 1]) * vf_load(pivots_of(s, c, half));
    for (int q = half - 1; q >= c->first; q--) {
        const vf p = q == 0 ? 2.0f * pivot[q] : pivot[q];
        g[q] = vf_fma(p, g[q + 1], g[q]);
        high[-q] = vf_fma(p, high[-q - 1], high[-q]);
    }
}

static void solve_column(const solver *s, const scratch *m, const column *c)
{
    vf *const f = m->column + VT_FILTER_REACH, *const g = m->solved;
    find_right_side(s, c, f, g);
    if (s->solves)
        eliminate(s, c, g, m->pivot);
    float *const modes = plane_of(s, c->component, 0) + c->at;
    for (int z = c->first; z <= c->last; z++)
        vf_store(modes + z * s->grid->plane, g[z]);
}
