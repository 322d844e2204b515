/* What the parts of the direct Poisson solver share (kernels/poisson/poisson_direct.c). */
#pragma once

/* Not kernels/dispatch.h, which declares what is defined here: this takes long to compile and is
 * not to be compiled anew whenever another kernel changes. */
#include "base/parallel.h"
#include "base/simd_rearrange.h"
#include "kernels/grid/filter_taps.h"
#include "kernels/poisson/cosine_transform.h"
#include "model/grid.h"

enum { MOST_COMPONENTS = 3, ENDS = 2, SIDES = 4 /* faces across x and y */ };

/* Scratch of one thread. */
typedef struct scratch {
    vf *half[MOST_COMPONENTS]; /* a plane transformed along x only: [y / VL][kx], lanes along y */
    vf *line[MOST_COMPONENTS], *transform;
    vf *column, *solved, *pivot; /* along z; column with room for the filter at both ends */
} scratch;

/* What a mode along the axis across a face takes of it, with the scale of the solver: `first` of
 * each value, `beside` of a sixth of the two values beside it along z. */
typedef struct face_weights {
    float *first, *beside;
} face_weights;

typedef struct solver {
    const vt_grid *grid;
    const vt_poisson_plan *plan;
    const vt_filter_sum *filters; /* NULL: what is in the field has its cores already */
    int solves;                   /* 0: the field is only filtered */
    int faces;                    /* whether values are given there */
    int components;
    int nx, ny, nz;
    int width;      /* modes along x, nx or, between walls, nx + 1, rounded up to 16 */
    int rows;       /* modes along y, ny or ny + 1 */
    int64_t modes;  /* floats in a plane of modes */
    int64_t levels; /* floats for the planes along z, with some to spare */
    float scale;    /* what the four transforms of a value leave to be divided out */
    /* what each filter leaves of a mode along x and y, and its taps along z */
    float *left[VT_MOST_FILTERS][2], along_z[VT_MOST_FILTERS][VT_FILTER_REACH + 1];
    /* modes of what the faces give: across x [ky][z], across y [z][kx], across z a plane; and of
     * the sixth of the two beside along z */
    face_weights weight[SIDES];
    float *edge[ENDS]; /* and how values at the edges along z come into modes along x */
    float *given[MOST_COMPONENTS][6], *beside[MOST_COMPONENTS][SIDES];
    scratch scratch[VT_MAX_THREADS];
} solver;

static inline float *plane_of(const solver *s, int component, int z)
{
    return s->grid->field[component] + z * s->grid->plane;
}

/* Whether a component is even at the walls across an axis, so that its lines are of cosines. */
static inline int is_even(const solver *s, int component, int axis)
{
    return s->grid->walled && (s->grid->scalar || component == axis);
}

/* Nodes, and modes, of a line: [first, end), and what of it the vectors hold. */
typedef struct line_span {
    int even, first, end;
} line_span;

static inline line_span span_of(const solver *s, int component, int axis)
{
    const int even = is_even(s, component, axis), cells = axis == 0 ? s->nx : s->ny;
    return (line_span){even, !even, cells + even};
}

/* Values of row v of a face. */
static inline const float *face_row(const solver *s, int component, int face, int v)
{
    const vt_grid *const g = s->grid;
    return g->face[face] + component * g->face_plane + v * g->face_row;
}

/* What is no part of a line, up to the next multiple of VL: padding. */
VT_INLINE void clear_rest(vf *line, line_span span)
{
    if (span.first)
        line[0] = (vf){0};
    for (int i = span.end; i % VL != 0; i++)
        line[i] = (vf){0};
}

static void transform_line(const solver *s, int axis, line_span span, const vf *in, vf *out, vf *z)
{
    if (span.even)
        vf_cosine_transform(s->plan->sine[axis], in, 1, out, z);
    else
        vf_sine_transform(s->plan->sine[axis], in, 1, out, z);
}
