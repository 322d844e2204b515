/* Broad phase of contact (part 13): which rows end in a cell of the lattice with less room than
 * their way takes and do not stay beyond the planes that part them from its walls. Of those that
 * come from so far that one cell does not say enough, which cannot go back by steps as long as the
 * cell where each begins lets them be (sphere tracing, Hart, The Visual Computer 12, 1996). */
#include "kernels/bodies/contact_broad_phase.h"

#include "base/parallel.h"
#include "kernels/grid/trilinear.h"

typedef struct context {
    const vt_lattice *lattice;
    float since;
    const float *from, *to, *age;
    uint32_t *near;
    int32_t *near_count;
} context;

enum { MOST_STEPS = 24 };
_Static_assert(VT_CONTACT_BLOCK % VT_LANES == 0, "whole vectors stay in the list of their block");

typedef struct box {
    vf lower[3], per_cell, most[3], reach, square_unit;
    vf clear, beside;         /* where no wall is near: in cells, and outside of them, m */
    float unit, stray, drift; /* m; as in vt_lattice */
    vi row, plane;
    vi outside; /* the way that is free outside of it, as in free_way */
    const uint8_t *free_way;
} box;

/* Rows of which the way alone does not tell, and room for the lanes behind the last of them. */
typedef struct candidates {
    int32_t count;
    int32_t row[VT_CONTACT_BLOCK + VL];  /* of the block */
    int32_t cell[VT_CONTACT_BLOCK + VL]; /* -1: of one that came from far, or is outside */
} candidates;

static box make_box(const vt_lattice *lattice)
{
    static const uint8_t none[VT_CELLS_BEHIND + 1] = {VT_NO_WALL};
    /* a little more, for what rounding takes */
    const float scale = 1.0002f * lattice->per_unit;
    box b = {.per_cell = vf_set(lattice->per_cell),
             .reach = vf_set(lattice->reach),
             .square_unit = vf_set(scale * scale),
             .unit = 1 / scale,
             .clear = vf_set(3.4f * lattice->reach),
             .beside = vf_set(lattice->reach),
             .stray = lattice->stray,
             .drift = lattice->drift,
             .row = vi_set(lattice->cells[0]),
             .plane = vi_set(lattice->cells[0] * lattice->cells[1]),
             .outside = vi_set(lattice->near_outside ? 0 : VT_NO_WALL),
             .free_way = lattice->free_way ? lattice->free_way : none};
    for (int a = 0; a < 3; a++) {
        b.lower[a] = vf_set(lattice->lower[a]);
        b.most[a] = vf_set((float)lattice->cells[a]);
    }
    return b;
}

/* p[i[0]], p[i[1]] ... */
VT_INLINE vi look_up(const uint8_t *p, vi i)
{
#if VL == 16
    return (vi)_mm512_i32gather_epi32((__m512i)i, p, 1) & vi_set(255);
#else
    int32_t value[VL];
    for (int l = 0; l < VL; l++)
        value[l] = p[i[l]];
    return vi_load(value);
#endif
}

/* The way that is free about VL points, as in free_way, and their cells, which are 0 for those
 * outside of the box. */
VT_INLINE vi find_free(const box *b, const vf x[3], vi *cells, vi *outside)
{
    vi cell[3];
    *outside = (vi){0};
    for (int a = 0; a < 3; a++) {
        const vf at = (x[a] - b->lower[a]) * b->per_cell;
        const vi in = (at >= 0.0f) & (at < b->most[a]);
        *outside |= ~in;
        cell[a] = vf_truncate((vf)((vi)at & in));
    }
    *cells = (cell[0] + cell[1] * b->row + cell[2] * b->plane) & ~*outside;
    return (vi)vf_select(*outside, (vf)b->outside, (vf)look_up(b->free_way, *cells));
}

/* Which of VL rows cannot go back to their start without coming near a wall; those whose bits are
 * not in `lanes` do not matter. */
static __attribute__((noinline)) uint32_t trace(const box *b, const vf start[3], const vf end[3],
                                                uint32_t lanes)
{
    vf way[3], square = {0}, gone = {0};
    uint32_t stuck = 0;
    for (int a = 0; a < 3; a++) {
        way[a] = start[a] - end[a];
        square += way[a] * way[a];
    }
    const vf length = vf_sqrt(square), margin = b->stray + b->drift * length;
    for (int n = 0; n < MOST_STEPS && lanes; n++) {
        vf x[3];
        vi cells, outside;
        const vf share = vf_min(gone / length, vf_set(1));
        for (int a = 0; a < 3; a++)
            x[a] = end[a] + share * way[a];
        const vi units = find_free(b, x, &cells, &outside);
        const vf listed = vi_to_vf(units) * b->unit;
        const vf clear = vf_select(outside, b->beside, b->clear);
        const vf step = vf_select(units < VT_NO_WALL, listed, clear) - margin;
        gone += step;
        stuck |= lanes & ~vi_bits(step > 0.01f * b->clear);
        lanes &= ~stuck & ~vi_bits(gone > length);
    }
    return stuck | lanes;
}

/* Cells of VL rows: -1 for those outside of the box and those that came from far. Returns which of
 * the rows are to be looked at: none of those whose bits are not in `lanes`. */
VT_INLINE uint32_t find_near(const box *b, const float *from, const float *to, uint32_t lanes,
                             vi *cells)
{
    vf x[3], start[3], square = {0};
    vi outside, away = {0};
    vti_load_rows(to, x);
    vti_load_rows(from, start);
    for (int a = 0; a < 3; a++) {
        const vf step = x[a] - start[a];
        away |= (step > b->reach) | (step < -b->reach);
        square += step * step;
    }
    const vi way = find_free(b, x, cells, &outside);
    const vf free_square = vi_to_vf(way * way);
    const vi near = (way < VT_NO_WALL) & (free_square <= square * b->square_unit);
    *cells |= outside | away;
    const uint32_t far = vi_bits(away) & lanes;
    return (vi_bits(near & ~away) & lanes) | (far ? trace(b, start, x, far) : 0);
}

/* The lanes whose bits are set, one after the other, and something behind them. */
VT_INLINE void store_found(int32_t *list, vi lanes, uint32_t found)
{
#if VL == 16
    _mm512_storeu_si512(list, _mm512_maskz_compress_epi32((__mmask16)found, (__m512i)lanes));
#else
    for (int l = 0; l < VL; l++) {
        *list = lanes[l];
        list += found >> l & 1;
    }
#endif
}

/* Lists those of VL rows that are to be looked at. */
VT_INLINE void list_lanes(const box *b, const float *from, const float *to, int64_t row, int lanes,
                          candidates *list)
{
    vi cells;
    const uint32_t found = find_near(b, from, to, UINT32_MAX >> (32 - lanes), &cells);
    store_found(list->row + list->count, vi_lanes() + vi_set((int32_t)row), found);
    store_found(list->cell + list->count, cells, found);
    list->count += __builtin_popcount(found);
}

/* p[i[0]], p[i[1]] ...: walls repeat, and rows lie near each other, so that the gather of the
 * processor is the faster one. */
VT_INLINE vf fetch(const float *p, vi i)
{
#if VL == 16
    return (vf)_mm512_i32gather_ps((__m512i)i, p, 4);
#else
    return vf_gather(p, i);
#endif
}

VT_INLINE vi fetch_whole(const uint32_t *p, vi i)
{
#if VL == 16
    return (vi)_mm512_i32gather_epi32((__m512i)i, p, 4);
#else
    int32_t value[VL];
    for (int l = 0; l < VL; l++)
        value[l] = (int32_t)p[i[l]];
    return vi_load(value);
#endif
}

/* Signed distances from plane 0 or 1 of walls, whose planes begin at these places. */
VT_INLINE vf distance_of(const float (*planes)[8], vi place, int plane, const vf x[3])
{
    const float *const p = planes[0] + 4 * plane;
    vf part[4];
    for (int a = 0; a < 4; a++)
        part[a] = fetch(p + a, place) * (a < 3 ? x[a] : vf_set(1));
    return (part[0] + part[1]) + (part[2] + part[3]);
}

/* Which of the rows lie beyond the planes of all walls of their cells; only those count whose bits
 * are in `lanes`. */
VT_INLINE uint32_t are_beyond(const vt_lattice *lattice, vi cell, const float *from,
                              const float *to, vi row, uint32_t lanes)
{
    if (!lanes)
        return 0;
    const vi end = fetch_whole(lattice->first + 1, cell), at = row * 3;
    vi wall = fetch_whole(lattice->first, cell);
    vf x[2][3];
    for (int a = 0; a < 3; a++) {
        x[0][a] = fetch(from + a, at);
        x[1][a] = fetch(to + a, at);
    }
    for (;; wall += 1) {
        const vi more = wall < end;
        if (!(vi_bits(more) & lanes))
            return lanes;
        const vi place = (wall & more) * 8;
        const vi beyond = (distance_of(lattice->planes, place, 0, x[0]) > 0.0f) &
                          (distance_of(lattice->planes, place, 1, x[1]) > 0.0f);
        lanes &= vi_bits(beyond | ~more);
    }
}

/* Without those that planes part from all walls. Planes know where walls begin and end, not where
 * they are at a birth in between. */
static int32_t part(const context *c, int64_t begin, candidates *list, uint32_t *near)
{
    const float *const from = c->from + 3 * begin, *const to = c->to + 3 * begin;
    int32_t left = 0;
    for (int32_t n = 0; n < list->count; n += VL) {
        const int32_t lanes = list->count - n < VL ? list->count - n : VL;
        const uint32_t here = UINT32_MAX >> (32 - lanes);
        const vi all = vi_lanes() < vi_set(lanes);
        const vi row = vi_load(list->row + n) & all, cell = vi_load(list->cell + n);
        const vi old = fetch(c->age + begin, row) > vf_set(c->since);
        const vi known = old & ~(cell < 0) & all;
        const uint32_t beyond = are_beyond(c->lattice, cell & known, from, to, row, vi_bits(known));
        store_found((int32_t *)near + left, row + (int32_t)begin, here & ~beyond);
        left += __builtin_popcount(here & ~beyond);
    }
    return left;
}

static void contact_block(void *data, int64_t begin, int64_t end)
{
    const context *const c = data;
    const float *const from = c->from + 3 * begin, *const to = c->to + 3 * begin;
    const int64_t count = end - begin;
    const box b = make_box(c->lattice);
    candidates list;
    int64_t i = 0;
    list.count = 0;
    for (; i + VL <= count; i += VL)
        list_lanes(&b, from + 3 * i, to + 3 * i, i, VL, &list);
    if (i < count) {
        const size_t bytes = 12 * (size_t)(count - i);
        float last_from[3 * VL] = {0}, last_to[3 * VL] = {0};
        memcpy(last_from, from + 3 * i, bytes);
        memcpy(last_to, to + 3 * i, bytes);
        list_lanes(&b, last_from, last_to, i, (int)(count - i), &list);
    }
    c->near_count[begin / VT_CONTACT_BLOCK] = part(c, begin, &list, c->near + begin);
}

void VT_NAME(contact)(const vt_lattice *lattice, float since, int64_t count, const float *from,
                      const float *to, const float *age, uint32_t *near, int32_t *near_count,
                      int threads)
{
    context c = {lattice, since, from, to, age, near, near_count};
    vti_parallel_for(threads, count, VT_CONTACT_BLOCK, contact_block, &c);
}
