#include "archive/place_order.h"

#include <string.h>

#include "archive/byte_planes.h"
#include "base/parallel.h"
#include "kernels/dispatch.h"

enum {
    HALVINGS = 8,
    CUBES = 1 << HALVINGS,
    DIGIT = 8 /* bits that are sorted by at once */
};

/* How places of a chunk become keys: the bits of the numbers of their cubes in turn, without those
 * that are 0 everywhere. */
typedef struct cubes {
    float least[3], extent[3], per_length;
    int bits;
    uint32_t part[3][CUBES]; /* of a key, by the number of the cube along an axis */
} cubes;

static void find_extent(const float *at, int64_t count, cubes *c, int axis)
{
    float least = 1e30f, most = -1e30f;
    for (int64_t n = 0; n < count; n++) {
        least = at[n] < least ? at[n] : least;
        most = at[n] > most ? at[n] : most;
    }
    c->least[axis] = least;
    c->extent[axis] = most - least > 1e-30f && most - least < 1e30f ? most - least : 0;
}

/* The number of the last cube along an axis. */
static uint32_t last_cube(const cubes *c, int axis)
{
    const float last = c->extent[axis] * c->per_length;
    return last < CUBES - 1 ? (uint32_t)(int32_t)last : CUBES - 1;
}

static void choose_cubes(cubes *c)
{
    float longest = 0;
    for (int axis = 0; axis < 3; axis++)
        longest = c->extent[axis] > longest ? c->extent[axis] : longest;
    c->per_length = longest > 0 ? CUBES / longest : 0;
}

static void make_parts(cubes *c)
{
    c->bits = 0;
    for (int axis = 0; axis < 3; axis++)
        memset(c->part[axis], 0, sizeof *c->part);
    for (int bit = 0; bit < HALVINGS; bit++)
        for (int axis = 0; axis < 3; axis++) {
            const uint32_t last = last_cube(c, axis);
            if (last >> bit == 0)
                continue;
            for (uint32_t cube = 0; cube <= last; cube++)
                c->part[axis][cube] |= (cube >> bit & 1) << c->bits;
            c->bits++;
        }
}

static void add_parts(const cubes *c, int axis, const float *at, int64_t count,
                      uint32_t *restrict key)
{
    const float least = c->least[axis], scale = c->per_length, last = (float)last_cube(c, axis);
    uint8_t cube[VT_PLANE];
    for (int64_t n = 0; n < count; n++) {
        const float place = (at[n] - least) * scale;
        const float known = place > 0 ? place : 0;
        cube[n] = (uint8_t)(int32_t)(known < last ? known : last);
    }
    for (int64_t n = 0; n < count; n++)
        key[n] |= c->part[axis][cube[n]];
}

/* By some digits of the keys; rows keep their order where these are the same. */
static void sort_by_digits(const uint32_t *key, int shift, const uint16_t *from, int64_t count,
                           uint16_t *restrict to)
{
    uint32_t begin[(1 << DIGIT) + 1] = {0};
    for (int64_t n = 0; n < count; n++)
        begin[1 + (key[n] >> shift & ((1 << DIGIT) - 1))]++;
    for (int d = 0; d < 1 << DIGIT; d++)
        begin[d + 1] += begin[d];
    for (int64_t n = 0; n < count; n++)
        to[begin[key[from[n]] >> shift & ((1 << DIGIT) - 1)]++] = from[n];
}

static void order_chunk(const uint8_t *places, int64_t count, uint32_t first, uint32_t *order)
{
    float at[3][VT_PLANE];
    uint32_t key[VT_PLANE] = {0};
    uint16_t rows[2][VT_PLANE];
    cubes c;
    int now = 0;
    for (int64_t n = 0; n < count; n++) {
        float place[3];
        memcpy(place, places + 12 * n, sizeof place);
        for (int axis = 0; axis < 3; axis++)
            at[axis][n] = place[axis];
        rows[0][n] = (uint16_t)n;
    }
    for (int axis = 0; axis < 3; axis++)
        find_extent(at[axis], count, &c, axis);
    choose_cubes(&c);
    make_parts(&c);
    for (int axis = 0; axis < 3; axis++)
        add_parts(&c, axis, at[axis], count, key);
    for (int shift = 0; shift < c.bits; shift += DIGIT, now = !now)
        sort_by_digits(key, shift, rows[now], count, rows[!now]);
    for (int64_t n = 0; n < count; n++)
        order[n] = first + rows[now][n];
}

typedef struct ordering {
    const uint8_t *places;
    int64_t rows;
    uint32_t *order;
} ordering;

static void order_chunks(void *data, int64_t begin, int64_t end)
{
    const ordering *const o = data;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        const int64_t first = chunk * VT_PLANE, left = o->rows - first;
        const int64_t count = left < VT_PLANE ? left : VT_PLANE;
        order_chunk(o->places + 12 * first, count, (uint32_t)first, o->order + first);
    }
}

void vti_order_by_place(const uint8_t *places, int64_t rows, int threads, uint32_t *order)
{
    ordering o = {places, rows, order};
    vti_parallel_for(threads, (rows + VT_PLANE - 1) / VT_PLANE, 1, order_chunks, &o);
}

int64_t vti_guess_bits_from_places(const uint8_t *numbers, const uint8_t *places, int64_t rows)
{
    enum { SAMPLE = 512 };
    uint32_t some[SAMPLE], others[SAMPLE], words[SAMPLE];
    vt_strays strays;
    const int64_t count = rows < SAMPLE ? rows : SAMPLE, first = (rows - count) / 2;
    for (int64_t n = 0; n < count; n++) {
        memcpy(&some[n], numbers + 12 * (first + n), 4);
        memcpy(&others[n], places + 12 * (first + n), 4);
    }
    const int digits = vti_stages()->find_digits(some, count, &strays);
    if (digits < 0 || count == 0)
        return 0;
    vti_stages()->take_words(some, others, 0, count, VT_ON_A_LATTICE_BESIDE_ANOTHER, digits,
                             &strays, words);
    return 3 * rows * (vti_guess_class_bits(words, count) / count) / 256;
}
