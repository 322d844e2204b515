/* Where the exchange between particles (kernels/particles/particle_strength_exchange.c) finds its
 * sources: the particles around a row of targets, packed so that what one of them may meet lies
 * together. For that one kernel file. */
#pragma once

#include "base/parallel.h"
#include "base/simd.h"
#include "kernels/particles/diffusion_parameters.h"

enum {
    PILES = 3,                     /* of rows, around a target */
    PIECE = 8,                     /* floats that are copied at a time */
    OWN = VT_APART / sizeof(float) /* floats of each thread */
};

/* The particles of three rows of buckets that lie above each other, bucket by bucket, so that what
 * a target may meet lies together in three ranges. Where the axis is folded the buckets at the ends
 * are there twice, and what fills the last vector of each carries no volume; elsewhere whole
 * vectors may take in what is beyond reach. */
typedef struct vt_pile {
    uint32_t *begin; /* of bucket i, i = -slices ... */
    uint32_t first;  /* place of the first source in the values of the strip */
} vt_pile;

/* PIECE particles, or fewer: what is written too much is written over by the next piece. */
typedef struct vt_piece {
    uint32_t from, to;
} vt_piece;

/* The piles before, at and behind a row of targets. */
typedef struct vt_strip {
    vt_pile piles[PILES];
    float *values[VALUES];
    vt_piece *piece; /* of the pile that is being filled */
    uint32_t *place; /* room for a list of its vectors */
} vt_strip;

/* ---- rows ---- */

/* Row j of plane k. */
static const uint32_t *find_row(const vt_diffusion *d, int64_t j, int64_t k)
{
    const vt_partition *const p = d->cells;
    const int64_t nx = p->cells[0], ny = p->cells[1], nz = p->cells[2];
    if ((!p->folded[1] && (j < 0 || j >= ny)) || (!p->folded[2] && (k < 0 || k >= nz)))
        return d->no_row;
    return p->start + ((k + nz) % nz * ny + (j + ny) % ny) * nx;
}

/* Whether there are targets in the rows of plane k that pile j is for. */
static int is_asked_for(const vt_diffusion *d, int64_t j, int64_t k)
{
    const int64_t nx = d->cells->cells[0];
    int any = 0;
    for (int64_t n = j - 1; n <= j + 1; n++) {
        const uint32_t *const row = find_row(d, n, k);
        any |= row[nx] != row[0];
    }
    return any;
}

/* ---- filling piles ---- */

/* Lists the pieces of particles [begin, end), which come to `to`. */
VT_INLINE uint32_t list_pieces(vt_piece *piece, uint32_t pieces, uint32_t begin, uint32_t end,
                               uint32_t to)
{
    piece[pieces] = (vt_piece){begin, to};
    pieces += end > begin;
    for (uint32_t more = PIECE; begin + more < end; more += PIECE)
        piece[pieces++] = (vt_piece){begin + more, to + more};
    return pieces;
}

/* Finds the buckets of pile j of plane k and lists its pieces. */
static uint32_t plan_pile(const vt_diffusion *d, int64_t j, int64_t k, vt_piece *piece, vt_pile *to)
{
    const vt_partition *const p = d->cells;
    const int64_t nx = p->cells[0], reach = p->slices, more = p->folded[0] ? reach : 0;
    const uint32_t zeros = (uint32_t)p->count, whole = more ? VT_LANES : 1, *row[3];
    uint32_t *const start = to->begin, count = to->first, pieces = 0;
    for (int n = 0; n < 3; n++)
        row[n] = find_row(d, j, k + n - 1);
    for (int64_t i = -reach; i < -more; i++)
        start[i] = count;
    for (int64_t i = -more; i < nx + more; i++) {
        const int64_t cell = i < 0 ? i + nx : i < nx ? i : i - nx;
        start[i] = count;
#pragma GCC unroll 3
        for (int n = 0; n < 3; n++) {
            const uint32_t begin = row[n][cell], end = row[n][cell + 1];
            pieces = list_pieces(piece, pieces, begin, end, count);
            count += end - begin;
        }
        if (more && count % whole) {
            pieces = list_pieces(piece, pieces, zeros, zeros + whole, count);
            count = (count + whole - 1) / whole * whole;
        }
    }
    for (int64_t i = nx + more; i <= nx + reach; i++)
        start[i] = count;
    return list_pieces(piece, pieces, zeros, zeros + VT_LANES, count);
}

/* Pile j of plane k, with the first `values` of what sources bring along. */
static void fill_pile(const vt_diffusion *d, int32_t values, int64_t j, int64_t k,
                      const vt_strip *into, vt_pile *to)
{
    const vt_strip s = *into; /* a copy: stores cannot change it */
    const uint32_t pieces = plan_pile(d, j, k, s.piece, to);
    for (int32_t n = 0; n < values; n++) {
        const float *const from = d->values[n];
        float *const value = s.values[n];
        for (uint32_t q = 0; q < pieces; q++)
            f8_store(value + s.piece[q].to, f8_load(from + s.piece[q].from));
    }
}

/* ---- memory ---- */

static vt_strip strip_of_thread(const vt_diffusion *d, int thread)
{
    char *memory = d->strips + (size_t)thread * d->strip_bytes;
    vt_strip s;
    for (int n = 0; n < DENSITY + d->diffused->components; n++) {
        s.values[n] = (float *)memory;
        memory += PILES * d->strip * sizeof(float);
    }
    for (int n = 0; n < PILES; n++) {
        s.piles[n] =
            (vt_pile){(uint32_t *)memory + d->cells->slices, (uint32_t)((size_t)n * d->strip)};
        memory += d->buckets * sizeof(uint32_t);
    }
    s.piece = (vt_piece *)memory;
    s.place = (uint32_t *)(memory + d->pieces * sizeof(vt_piece));
    return s;
}

/* Floats of the longest pile. */
static size_t longest_pile(const vt_diffusion *d)
{
    const vt_partition *const p = d->cells;
    const int64_t nx = p->cells[0], more = p->folded[0] ? p->slices : 0;
    size_t longest = 0;
    for (int64_t k = 0; k < p->cells[2]; k++)
        for (int64_t j = 0; j < p->cells[1]; j++) {
            size_t count = 0;
            for (int n = 0; n < 3; n++) {
                const uint32_t *const r = find_row(d, j, k + n - 1);
                count += (r[nx] - r[0]) + (r[more] - r[0]) + (r[nx] - r[nx - more]);
            }
            longest = count > longest ? count : longest;
        }
    const size_t buckets = (size_t)(nx + 2 * more), most = 9 * (size_t)p->count;
    return longest + (more ? VT_LANES * (buckets < most ? buckets : most) : 0);
}

static size_t whole_vectors(size_t count)
{
    return (count + VT_LANES - 1) / VT_LANES * VT_LANES;
}

/* Room for the strips, of no more than `most` bytes: where they are very long, of fewer threads. */
static void make_strips(vt_diffusion *d, vt_arena *arena, size_t most, int *threads)
{
    const size_t nx = (size_t)d->cells->cells[0], around = nx + 2 * (size_t)d->cells->slices + 1;
    uint32_t *const no_row = vti_arena_push(arena, sizeof *no_row * (nx + 1));
    memset(no_row, 0, sizeof *no_row * (nx + 1));
    d->no_row = no_row;
    const size_t longest = longest_pile(d);
    d->strip = whole_vectors(longest + 2 * VT_LANES);
    d->buckets = whole_vectors(around);
    /* of each run one that is not full; and what is written past the end */
    d->pieces = whole_vectors(longest / PIECE + PILES * around + VT_LANES);
    const size_t places = whole_vectors(PILES * (d->strip / VT_LANES + VT_LANES));
    d->strip_bytes =
        PILES * d->strip * (size_t)(DENSITY + d->diffused->components) * sizeof(float) +
        PILES * d->buckets * sizeof(uint32_t) + d->pieces * sizeof(vt_piece) +
        places * sizeof(uint32_t);
    while (*threads > 1 && d->strip_bytes * (size_t)*threads > most)
        --*threads;
    d->strips = vti_arena_push(arena, d->strip_bytes * (size_t)*threads);
}
