/* Broad phase of contact (part 13): which rows end in a cell of the lattice with less room than
 * their way takes, or come from so far that one cell does not say enough. */
#include "stages/contact.h"

#include "core/parallel.h"
#include "stages/sampling.h"
#include "stages/stages.h"

typedef struct context {
    const vt_lattice *lattice;
    const float *from, *to;
    uint32_t *near;
    int32_t *near_count;
} context;

typedef struct box {
    vf lower[3], per_cell, most[3], reach;
    vi row, plane, last[3];
} box;

static box make_box(const vt_lattice *lattice)
{
    box b = {.per_cell = vf_set(lattice->per_cell),
             .reach = vf_set(lattice->reach),
             .row = vi_set(lattice->cells[0]),
             .plane = vi_set(lattice->cells[0] * lattice->cells[1])};
    for (int a = 0; a < 3; a++) {
        b.lower[a] = vf_set(lattice->lower[a]);
        b.most[a] = vf_set((float)lattice->cells[a]);
    }
    return b;
}

/* Cells of VL rows, -1 for those outside of the box, -2 for those that came from far, and the
 * squares of their ways, m^2. */
VT_INLINE vi find_cells(const box *b, const float *from, const float *to, vf *square)
{
    vf x[3], start[3];
    vi outside = {0}, away = {0}, cell[3];
    vt_load_rows(to, x);
    vt_load_rows(from, start);
    *square = vf_set(0.0f);
    for (int a = 0; a < 3; a++) {
        const vf way = x[a] - start[a], at = (x[a] - b->lower[a]) * b->per_cell;
        const vi in = (at >= 0.0f) & (at < b->most[a]);
        outside |= ~in;
        away |= (way > b->reach) | (way < -b->reach);
        *square += way * way;
        cell[a] = vf_truncate((vf)((vi)at & in));
    }
    const vi place = cell[0] + cell[1] * b->row + cell[2] * b->plane;
    return (place & ~outside & ~away) | (outside & ~away) | (away & vi_set(-2));
}

/* square: of the way, in the unit of the cells. */
VT_INLINE int is_near(const vt_lattice *lattice, int32_t cell, float square)
{
    if (cell < 0)
        return cell == -2 || lattice->near_outside;
    const int32_t way = lattice->free_way[cell];
    return way < VT_NO_WALL && (float)(way * way) <= square;
}

static int32_t list_lanes(const vt_lattice *lattice, const box *b, const float *from,
                          const float *to, int64_t row, int lanes, uint32_t *near)
{
    /* a little more, for what rounding takes */
    const float scale = 1.0002f * lattice->per_unit;
    vf square;
    const vi cells = find_cells(b, from, to, &square);
    square *= vf_set(scale * scale);
    int32_t count = 0;
    for (int l = 0; l < lanes; l++) {
        near[count] = (uint32_t)(row + l);
        count += is_near(lattice, cells[l], square[l]);
    }
    return count;
}

static void contact_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const context *const c = data;
    const box b = make_box(c->lattice);
    uint32_t near[VT_CONTACT_BLOCK + VL];
    int32_t count = 0;
    int64_t i = begin;
    for (; i + VL <= end; i += VL)
        count += list_lanes(c->lattice, &b, c->from + 3 * i, c->to + 3 * i, i, VL, near + count);
    if (i < end) {
        const size_t bytes = 12 * (size_t)(end - i);
        float from[3 * VL] = {0}, to[3 * VL] = {0};
        memcpy(from, c->from + 3 * i, bytes);
        memcpy(to, c->to + 3 * i, bytes);
        count += list_lanes(c->lattice, &b, from, to, i, (int)(end - i), near + count);
    }
    memcpy(c->near + begin, near, sizeof *near * (size_t)count);
    c->near_count[begin / VT_CONTACT_BLOCK] = count;
}

void VT_NAME(contact)(const vt_lattice *lattice, int64_t count, const float *from, const float *to,
                      uint32_t *near, int32_t *near_count, int threads)
{
    context c = {lattice, from, to, near, near_count};
    vt_parallel_for(threads, count, VT_CONTACT_BLOCK, contact_block, &c);
}
