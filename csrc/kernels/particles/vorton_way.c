#include "kernels/particles/vorton_way.h"

/* Records per block: 10 us of work. */
enum { BLOCK = 512 };

typedef struct context {
    const vt_grid *grid;
    double dt;
    const vt_record *records, *base;
    const vt_rate *rates;
    vt_rate *first;
    int64_t stride; /* of first */
    const vt_past *past;
    vt_record *moved;
} context;

/* How far from the straight way the record bends, in cells; u: its velocity now, m/s, in the frame
 * of the uniform wind. What its way to the end bends by is kept. */
VT_INLINE f4 bend_of(const context *c, f4 u, int64_t home)
{
    const vt_past *const past = c->past;
    const float since = (float)past->since;
    const float *const last = past->velocity + 3 * home;
    if (past->age[home] < 1.999f * since || (last[0] == 0 && last[1] == 0 && last[2] == 0)) {
        past->bend[home] = f4_set(0); /* born since, or put in with an age */
        return f4_set(0);
    }
    const f4 wind = {(float)past->wind[0], (float)past->wind[1], (float)past->wind[2], 0};
    const f4 change = u - (f4_load_three(last) - wind);
    const float half = (float)c->dt, later = 2 * half / (half + (float)past->before);
    const float weight = later * (float)past->before / since;
    f4 kept = f4_set(-weight) * u - f4_set(later * half / since) * change;
    kept[3] = weight;
    past->bend[home] = kept;
    const float cells = (float)(0.5 * c->dt * c->dt / c->grid->spacing) / since;
    return vti_within_a_cell(c->grid, change * f4_set(vt_share_of_bend * cells), 1);
}

static void advance_block(void *data, int64_t begin, int64_t end)
{
    const context *const c = data;
    const vt_grid *const grid = c->grid;
    const float dt = (float)c->dt, cells = (float)(c->dt / grid->spacing);
    const float from_face = grid->walled ? VT_FROM_WALLS : 1.0f;
    const float from_end = grid->walled ? VT_FROM_WALLS : 1.01f;
    const f4 low = {from_face, from_face, from_face, 0};
    const f4 high = {(float)grid->cells[0] - from_end, (float)grid->cells[1] - from_end,
                     (float)grid->cells[2] - from_end, 0};
    for (int64_t i = begin; i < end; i++) {
        const vt_record *const record = c->records + i;
        const vt_record *const base = c->base ? c->base + record->home : record;
        const f4 p = f4_load(base->position), s = f4_load(base->strength);
        const f4 u = f4_load(c->rates[i].velocity), rate = f4_load(c->rates[i].strength);
        if (c->first)
            f8_store(c->first + c->stride * record->home, f8_join(u, rate));
        f4 x = f4_fma(u, f4_set(cells), p);
        if (c->past)
            x += bend_of(c, u, record->home);
        if (grid->cells[0] > 0) {
            const i4 below = x < low;
            const i4 above = x > high;
            x = (f4)((below & (i4)low) | (~below & (i4)x));
            x = (f4)((above & (i4)high) | (~above & (i4)x));
        }
        x[3] = rate[3];
        f4 a = f4_fma(rate, f4_set(dt), s);
        a = __builtin_shufflevector(a, s, 0, 1, 2, 7);
        f8_store(c->moved + i, f8_join(x, a));
    }
}

void VT_NAME(advance)(const vt_grid *grid, double dt, int64_t count, const vt_record *records,
                      const vt_rate *rates, const vt_record *base, vt_rate *first, int stride,
                      const vt_past *past, vt_record *moved, int threads)
{
    context c = {grid, dt, records, base, rates, first, stride, past, moved};
    vti_parallel_for(threads, count, BLOCK, advance_block, &c);
}
