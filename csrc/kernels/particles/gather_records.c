#include "kernels/particles/gather_records.h"

/* Rows per block, a multiple of every vector length: 10 us of work. */
enum { BOUNDS_BLOCK = 32768, COLLECT_BLOCK = 512 };

typedef struct bounds_context {
    const float *rows, *strength;
    vt_bounds *bounds;
} bounds_context;

/* Lanes where any component of the row is not 0. */
VT_INLINE vi carries(const vf v[3])
{
    const vf zero = {0};
    return (v[0] != zero) | (v[1] != zero) | (v[2] != zero);
}

static void bounds_block(void *context, int64_t begin, int64_t end, int thread)
{
    const bounds_context *const c = context;
    vf least[3], most[3];
    for (int a = 0; a < 3; a++) {
        least[a] = vf_set(c->bounds->thread[thread].least[a]);
        most[a] = vf_set(c->bounds->thread[thread].most[a]);
    }
    vi finite = vi_set(-1), carry = vi_set(0);
    float position[3 * VL], strength[3 * VL];
    for (int64_t i = begin; i < end; i += VL) {
        vf p[3], s[3];
        const float *rows = c->rows + 3 * i, *strengths = c->strength + 3 * i;
        if (end - i < VL) { /* the last rows: repeat one of them */
            for (int64_t l = 0; l < 3 * VL; l++) {
                const int64_t from = l / 3 < end - i ? l : 3 * (end - i - 1) + l % 3;
                position[l] = rows[from];
                strength[l] = strengths[from];
            }
            rows = position;
            strengths = strength;
        }
        vti_load_rows(rows, p);
        vti_load_rows(strengths, s);
        carry |= carries(s);
        for (int a = 0; a < 3; a++) {
            finite &= (p[a] - p[a] == (vf){0}) & (s[a] - s[a] == (vf){0});
            least[a] = vf_min(p[a], least[a]);
            most[a] = vf_max(p[a], most[a]);
        }
    }
    for (int l = 0; l < VL; l++) {
        c->bounds->thread[thread].finite &= finite[l] != 0;
        c->bounds->thread[thread].carries |= carry[l] != 0;
        for (int a = 0; a < 3; a++) {
            float *const low = &c->bounds->thread[thread].least[a];
            float *const high = &c->bounds->thread[thread].most[a];
            *low = least[a][l] < *low ? least[a][l] : *low;
            *high = most[a][l] > *high ? most[a][l] : *high;
        }
    }
}

void VT_NAME(bounds)(int64_t count, const float *rows, const float *strength, vt_bounds *bounds,
                     int threads)
{
    for (int t = 0; t < VT_MAX_THREADS; t++) {
        bounds->thread[t].finite = 1;
        bounds->thread[t].carries = 0;
        for (int a = 0; a < 3; a++) {
            bounds->thread[t].least[a] = 3.0e38f;
            bounds->thread[t].most[a] = -3.0e38f;
        }
    }
    bounds_context c = {rows, strength, bounds};
    vti_parallel_for_numbered(threads, count, BOUNDS_BLOCK, bounds_block, &c);
}

typedef struct collect_context {
    const vt_grid *grid;
    int64_t first;
    const vt_collected *rows;
    vt_record *records;
} collect_context;

/* How far a vorton may outgrow its strength at birth before its bound feels it: not at all where
 * bodies have fed it, for it is never alone. Behind the edges of a wall with a wind of 3 m/s those
 * that could grow threefold came to 29 m/s in two seconds, instead of 7 to 8, in five times as many
 * substeps (tests/test_wakes.py). */
static const float growth = 3, growth_of_fed = 1;

/* The volume in the bound of stretching: what it has beyond the volume of the vorton itself falls
 * as the vorton grows beyond that. A lone vorton, or one that outgrows its neighbours, makes the
 * vorticity that bounds it: without this there were no limit for it. */
VT_INLINE vf bound_of(vf volume, vf bound, vf born, vi flags, const vf strength[3])
{
    const vi fed = (flags & vi_set(VT_FLAG_FED)) != vi_set(0);
    const vf most = vf_select(fed, vf_set(growth_of_fed), vf_set(growth)) * born;
    const vf square = vf_dot(strength, strength);
    const vf part = vf_min(vf_set(1.0f), most * most / vf_max(square, vf_set(1e-37f)));
    return vf_select(bound > volume, vf_fma(bound - volume, part * part, volume), bound);
}

/* VL vortons of these columns. */
VT_INLINE void collect_lanes(const vt_grid *grid, const vt_collected *from, int64_t home,
                             vt_record *records)
{
    const float scale = (float)(1.0 / grid->spacing);
    vf p[4], s[4];
    vti_load_rows(from->position, p);
    vti_load_rows(from->strength, s);
    p[3] = bound_of(vf_load(from->volume), vf_load(from->bound_volume),
                    vf_load(from->birth_strength), vi_load(from->flags), s);
    for (int a = 0; a < 3; a++) {
        p[a] = vf_fma(p[a], vf_set(scale), vf_set(-(float)grid->base[a]));
        if (grid->walled)
            p[a] = vf_max(vf_set(VT_FROM_WALLS),
                          vf_min(p[a], vf_set((float)grid->cells[a] - VT_FROM_WALLS)));
    }
    s[3] = (vf)(vi_set((int32_t)home) + vi_lanes());
    f4 low[VL], high[VL];
    vti_lanes_to_nodes(p, low);
    vti_lanes_to_nodes(s, high);
    for (int l = 0; l < VL; l++)
        f8_store(records + l, f8_join(low[l], high[l]));
}

VT_INLINE vt_collected from_row(const vt_collected *c, int64_t i)
{
    return (vt_collected){c->position + 3 * i, c->strength + 3 * i,   c->volume + i,
                          c->bound_volume + i, c->birth_strength + i, c->flags + i};
}

/* Fewer than VL. */
static void collect_rest(const vt_grid *grid, const vt_collected *from, int64_t home, int64_t count,
                         vt_record *records)
{
    float value[9][VL] = {{0}};
    uint32_t flags[VL] = {0};
    vt_record all[VL];
    const size_t bytes = 4 * (size_t)count;
    memcpy(value[0], from->position, 3 * bytes);
    memcpy(value[3], from->strength, 3 * bytes);
    memcpy(value[6], from->volume, bytes);
    memcpy(value[7], from->bound_volume, bytes);
    memcpy(value[8], from->birth_strength, bytes);
    memcpy(flags, from->flags, bytes);
    const vt_collected rest = {value[0], value[3], value[6], value[7], value[8], flags};
    collect_lanes(grid, &rest, home, all);
    memcpy(records, all, sizeof *all * (size_t)count);
}

static void collect_block(void *context, int64_t begin, int64_t end)
{
    const collect_context *const c = context;
    for (int64_t i = begin; i < end; i += VL) {
        const vt_collected from = from_row(c->rows, i);
        if (i + VL <= end)
            collect_lanes(c->grid, &from, c->first + i, c->records + i);
        else
            collect_rest(c->grid, &from, c->first + i, end - i, c->records + i);
    }
}

void VT_NAME(collect)(const vt_grid *grid, int64_t count, int64_t first, const vt_collected *rows,
                      vt_record *records, int threads)
{
    collect_context c = {grid, first, rows, records};
    vti_parallel_for(threads, count, COLLECT_BLOCK, collect_block, &c);
}
