/* From the columns to what the grid stages work on: bounds of the particles, and sorted records. */
#include "stages/sampling.h"
#include "stages/stages.h"

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
        vt_load_rows(rows, p);
        vt_load_rows(strengths, s);
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
    vt_parallel_for(threads, count, BOUNDS_BLOCK, bounds_block, &c);
}

typedef struct collect_context {
    const vt_grid *grid;
    const float *position, *strength, *bound_volume;
    vt_record *records;
} collect_context;

static void collect_one(const collect_context *c, const float base[3], float scale, int64_t i)
{
    vt_record *const r = c->records + i;
    for (int a = 0; a < 3; a++) {
        r->position[a] = f1_fma(c->position[3 * i + a], scale, base[a]);
        r->strength[a] = c->strength[3 * i + a];
    }
    r->volume = c->bound_volume[i];
    r->home = (uint32_t)i;
}

static void collect_block(void *context, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const collect_context *const c = context;
    const float scale = (float)(1.0 / c->grid->spacing);
    const float base[3] = {-(float)c->grid->base[0], -(float)c->grid->base[1],
                           -(float)c->grid->base[2]};
    int64_t i = begin;
    for (; i + VL <= end; i += VL) {
        vf p[4], s[4];
        vt_load_rows(c->position + 3 * i, p);
        vt_load_rows(c->strength + 3 * i, s);
        for (int a = 0; a < 3; a++)
            p[a] = vf_fma(p[a], vf_set(scale), vf_set(base[a]));
        p[3] = vf_load(c->bound_volume + i);
        vi home = vi_set((int32_t)i);
        for (int l = 0; l < VL; l++)
            home[l] += l;
        s[3] = (vf)home;
        f4 low[VL], high[VL];
        vt_lanes_to_nodes(p, low);
        vt_lanes_to_nodes(s, high);
        for (int l = 0; l < VL; l++)
            f8_store(c->records + i + l, f8_join(low[l], high[l]));
    }
    for (; i < end; i++)
        collect_one(c, base, scale, i);
}

void VT_NAME(collect)(const vt_grid *grid, int64_t count, const float *position,
                      const float *strength, const float *bound_volume, vt_record *records,
                      int threads)
{
    collect_context c = {grid, position, strength, bound_volume, records};
    vt_parallel_for(threads, count, COLLECT_BLOCK, collect_block, &c);
}
