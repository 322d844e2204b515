/* Stretching and tilting, and the motion of the vortons (parts 3 and 6).
 *
 *   d alpha / dt = (grad u)^T alpha~        transpose form: conserves the total strength
 *   alpha~ = alpha min(1, K V |curl u| / |alpha|)
 *
 * The bound by the resolved vorticity, K = 1.5, keeps long runs from blowing up: unbounded, alpha
 * grows exponentially once it parts from the vorticity that the grid resolves. Cleaning removes the
 * divergent part of the filtered vorticity, which curl curl A = grad div A - lap A shows to be
 * grad div A: alpha += (1 - exp(-C S dt)) V grad div A, S = sqrt(2 e:e) the strain rate. */
#include "core/mathf.h"
#include "stages/baroclinic.h"
#include "stages/sampling.h"
#include "stages/stages.h"

/* Records per block, a multiple of every vector length: 10 us of work. */
enum { BLOCK = 1280 };

/* What a vector of vortons feels. */
typedef struct sample {
    vf position[3], volume, strength[3];
    vf velocity[3];
    vf gradient[3][3]; /* [i][j] = d u_j / d x_i, 1/s */
    vf divergence[3];  /* gradient of div A, 1/s */
    vf pull;           /* acceleration by buoyancy, m/s^2 */
    vi home;
} sample;

typedef struct context {
    const vt_field *field;
    const vt_method *method;
    const double *wind;
    double dt;
    vt_record *records;
    vt_rate *rates;
    vt_record *moved;
    vt_extremes *extremes;
    float *bound_volume;
    const vt_vorton_rows *rows;
} context;

VT_INLINE void load_records(const vt_record *records, int64_t left, sample *s)
{
    vf p[4], q[4];
    vt_load_records(records, left, 0, p);
    vt_load_records(records, left, 1, q);
    for (int a = 0; a < 3; a++) {
        s->position[a] = p[a];
        s->strength[a] = q[a];
    }
    s->volume = p[3];
    s->home = (vi)q[3];
}

/* Asks for the nodes and, with rows, for the columns of the vortons from i on, which come next in
 * the block: both are met in an order that the processor does not foresee. */
VT_INLINE void foresee(const context *c, int64_t i, int64_t end, const vt_vorton_rows *rows)
{
    const vt_grid *const grid = c->field->grid;
    if (i + VL > end)
        return;
    if (!c->field->velocity) {
        vf position[4];
        vt_cells cells;
        vt_load_records(c->records + i, VL, 0, position);
        vt_find_record_cells(&cells, grid, position);
        vt_prefetch_cells(grid->nodes, grid->node_row, grid->node_plane, &cells);
    }
    for (int l = 0; rows && l < VL; l++) {
        const int64_t home = c->records[i + l].home;
        __builtin_prefetch(rows->position + 3 * home, 1);
        __builtin_prefetch(rows->strength + 3 * home, 1);
        __builtin_prefetch(rows->velocity + 3 * home, 1);
        __builtin_prefetch(rows->age + home, 1);
        __builtin_prefetch(rows->volume + home);
    }
}

VT_INLINE void sample_grid(const vt_grid *grid, sample *s)
{
    vt_cells cells;
    vt_find_record_cells(&cells, grid, s->position);
    f8 value[VL], dy[VL], dz[VL];
#pragma GCC unroll 4
    for (int l = 0; l < VL; l++) {
        const vt_around around =
            vt_sample_around(grid->nodes, grid->node_row, grid->node_plane, &cells, l);
        value[l] = around.value;
        dy[l] = around.dy;
        dz[l] = around.dz;
    }
    vf velocity[4], derivative[3][4], unused[4];
    vt_sample_along(value, &cells, velocity, derivative[0]);
    vt_sample_along(dy, &cells, derivative[1], unused);
    vt_sample_along(dz, &cells, derivative[2], unused);
    const vf scale = vf_set((float)(1.0 / grid->spacing));
    for (int i = 0; i < 3; i++) {
        s->velocity[i] = velocity[i];
        s->divergence[i] = derivative[i][3] * scale;
        for (int j = 0; j < 3; j++)
            s->gradient[i][j] = derivative[i][j] * scale;
    }
}

VT_INLINE void sample_arrays(const vt_field *field, int64_t i, int64_t left, sample *s)
{
    for (int l = 0; l < VL; l++) {
        const int64_t row = i + (l < left ? l : left - 1);
        for (int a = 0; a < 3; a++) {
            s->velocity[a][l] = field->velocity[3 * row + a];
            s->divergence[a][l] = 0;
            for (int b = 0; b < 3; b++)
                s->gradient[b][a][l] = field->gradient[9 * row + 3 * a + b];
        }
    }
}

VT_INLINE void take_sample(const context *c, int64_t i, int64_t left, sample *s)
{
    load_records(c->records + i, left, s);
    if (c->field->velocity)
        sample_arrays(c->field, i, left, s);
    else
        sample_grid(c->field->grid, s);
}

VT_INLINE vf dot(const vf a[3], const vf b[3])
{
    return vf_fma(a[2], b[2], vf_fma(a[1], b[1], a[0] * b[0]));
}

VT_INLINE vf resolved_vorticity(const sample *s)
{
    const vf w[3] = {s->gradient[1][2] - s->gradient[2][1], s->gradient[2][0] - s->gradient[0][2],
                     s->gradient[0][1] - s->gradient[1][0]};
    return vf_sqrt(dot(w, w));
}

static __attribute__((noinline)) void store_bounds(const context *c, const sample *s, vi newborn,
                                                   int64_t left)
{
    for (int l = 0; l < left; l++)
        if (newborn[l])
            c->bound_volume[(uint32_t)s->home[l]] = s->volume[l];
}

/* The volume in the bound of the newborn (negative until now): their own, or what makes the bound
 * touch the strength that they were born with. */
VT_INLINE void set_bounds(const context *c, sample *s, vf w, vf length, int64_t left)
{
    const vi newborn = s->volume < (vf){0};
    if (!vi_any(newborn))
        return;
    const vf own = vf_max(-s->volume, length / vf_max(w, vf_set(1e-30f)));
    s->volume = vf_select(newborn, vf_select(w > (vf){0}, own, -s->volume), s->volume);
    store_bounds(c, s, newborn, left);
}

/* Rate of change of the strength; sets bounded to the lanes on which the bound acts. */
VT_INLINE void stretching_rate(const context *c, sample *s, int64_t left, vf rate[3], vi *bounded)
{
    const vt_method *const method = c->method;
    const vf tiny = vf_set(1e-30f), one = vf_set(1.0f);
    const vf w = resolved_vorticity(s), length = vf_sqrt(dot(s->strength, s->strength));
    set_bounds(c, s, w, length, left);
    vf factor = one;
    *bounded = vi_set(0);
    if (method->bound > 0) {
        factor = vf_set((float)method->bound) * s->volume * w / vf_max(length, tiny);
        *bounded = factor < one;
        factor = vf_min(factor, one);
    }
    const vf a[3] = {s->strength[0] * factor, s->strength[1] * factor, s->strength[2] * factor};
    for (int i = 0; i < 3; i++) {
        const vf column[3] = {s->gradient[0][i], s->gradient[1][i], s->gradient[2][i]};
        const vf transpose = dot(a, s->gradient[i]), classical = dot(a, column);
        if (method->stretching == VT_STRETCHING_TRANSPOSE)
            rate[i] = transpose;
        else if (method->stretching == VT_STRETCHING_CLASSICAL)
            rate[i] = classical;
        else if (method->stretching == VT_STRETCHING_MIXED)
            rate[i] = vf_set(0.5f) * (transpose + classical);
        else
            rate[i] = (vf){0};
    }
    s->pull = (vf){0};
    if (c->field->buoyancy)
        vt_add_baroclinic(c->field->buoyancy, c->field->grid, s->position, s->home, rate, &s->pull);
}

/* The largest values that one block meets, lane by lane. */
typedef struct extremes {
    vf gradient2, speed2; /* squares */
    vf pull;
    vi bounded;
} extremes;

VT_INLINE void keep_extremes(extremes *e, const sample *s, vi bounded, int64_t left)
{
    vf g = {0};
    for (int i = 0; i < 3; i++)
        g = g + dot(s->gradient[i], s->gradient[i]);
    const vf none = vf_set(VT_NO_EXTREME); /* the second operand of min, where the first is NaN */
    e->gradient2 = vf_max(vf_min(g, none), e->gradient2);
    e->speed2 = vf_max(vf_min(dot(s->velocity, s->velocity), none), e->speed2);
    e->pull = vf_max(vf_min(s->pull, none), e->pull);
    e->bounded -= bounded & (vi_lanes() < vi_set((int32_t)left));
}

static void merge_extremes(vt_extremes *all, int thread, const extremes *e)
{
    const vf none = vf_set(VT_NO_EXTREME);
    const vf gradient = vf_select(e->gradient2 >= none, none, vf_sqrt(e->gradient2));
    const vf speed = vf_select(e->speed2 >= none, none, vf_sqrt(e->speed2));
    for (int l = 0; l < VL; l++) {
        if (gradient[l] > all->thread[thread].gradient)
            all->thread[thread].gradient = gradient[l];
        if (speed[l] > all->thread[thread].speed)
            all->thread[thread].speed = speed[l];
        if (e->pull[l] > all->thread[thread].pull)
            all->thread[thread].pull = e->pull[l];
        all->thread[thread].bounded += e->bounded[l];
    }
}

static void stretch_block(void *data, int64_t begin, int64_t end, int thread)
{
    const context context = *(const struct context *)data, *const c = &context;
    extremes most = {{0}, {0}, {0}, {0}};
    for (int64_t i = begin; i < end; i += VL) {
        const int64_t left = end - i < VL ? end - i : VL;
        sample s;
        vf rate[4], u[4];
        vi bounded;
        foresee(c, i + VL, end, NULL);
        take_sample(c, i, left, &s);
        stretching_rate(c, &s, left, rate, &bounded);
        keep_extremes(&most, &s, bounded, left);
        for (int a = 0; a < 3; a++)
            u[a] = s.velocity[a];
        u[3] = (vf){0};
        rate[3] = s.volume;
        f4 low[VL], high[VL];
        vt_lanes_to_nodes(u, low);
        vt_lanes_to_nodes(rate, high);
        for (int l = 0; l < left; l++)
            f8_store(c->rates + i + l, f8_join(low[l], high[l]));
    }
    merge_extremes(c->extremes, thread, &most);
}

void VT_NAME(stretch)(const vt_field *field, const vt_method *method, int64_t count,
                      const vt_record *records, vt_rate *rates, float *bound_volume,
                      vt_extremes *extremes, int threads)
{
    memset(extremes, 0, sizeof *extremes);
    context c = {.field = field,
                 .method = method,
                 .records = (vt_record *)records,
                 .rates = rates,
                 .bound_volume = bound_volume,
                 .extremes = extremes};
    vt_parallel_for(threads, count, BLOCK, stretch_block, &c);
}

static void midpoint_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const context *const c = data;
    const vt_grid *const grid = c->field->grid;
    const float half = (float)(0.5 * c->dt), cells = (float)(0.5 * c->dt / grid->spacing);
    const f4 low = {1, 1, 1, 0};
    const f4 high = {(float)grid->cells[0] - 1.01f, (float)grid->cells[1] - 1.01f,
                     (float)grid->cells[2] - 1.01f, 0};
    for (int64_t i = begin; i < end; i++) {
        const f4 p = f4_load(c->records[i].position), s = f4_load(c->records[i].strength);
        const f4 u = f4_load(c->rates[i].velocity), rate = f4_load(c->rates[i].strength);
        f4 x = f4_fma(u, f4_set(cells), p);
        if (grid->cells[0] > 0) {
            const i4 below = x < low;
            const i4 above = x > high;
            x = (f4)((below & (i4)low) | (~below & (i4)x));
            x = (f4)((above & (i4)high) | (~above & (i4)x));
        }
        x[3] = rate[3];
        f4 a = f4_fma(rate, f4_set(half), s);
        a = __builtin_shufflevector(a, s, 0, 1, 2, 7);
        f8_store(c->moved + i, f8_join(x, a));
    }
}

void VT_NAME(midpoint)(const vt_grid *grid, double dt, int64_t count, const vt_record *records,
                       const vt_rate *rates, vt_record *moved, int threads)
{
    const vt_field field = {.grid = grid};
    context c = {.field = &field,
                 .dt = dt,
                 .records = (vt_record *)records,
                 .rates = (vt_rate *)rates,
                 .moved = moved};
    vt_parallel_for(threads, count, BLOCK, midpoint_block, &c);
}

/* S = sqrt(2 e:e), e the symmetric part of the gradient. */
VT_INLINE vf strain_rate(const sample *s)
{
    vf sum = {0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const vf e = vf_set(0.5f) * (s->gradient[i][j] + s->gradient[j][i]);
            sum = vf_fma(e, e, sum);
        }
    return vf_sqrt(vf_set(2.0f) * sum);
}

/* 1 - exp(-rate x), x >= 0 */
VT_INLINE vf fraction(double rate, vf x)
{
    return vf_set(1.0f) - vf_exp(vf_set((float)-rate) * x);
}

/* What changes in VL vortons. */
typedef struct change {
    vf strength[3], step, age, share, volume;
} change;

/* Writes the columns, and what is exchanged into the records. */
VT_INLINE void store_vortons(const context *c, int64_t i, int64_t left, const sample *s,
                             const change *by)
{
    const vt_vorton_rows *const rows = c->rows;
    const f4 wind = {(float)c->wind[0], (float)c->wind[1], (float)c->wind[2], 0};
    const vf speed[4] = {s->velocity[0], s->velocity[1], s->velocity[2], by->step};
    const vf delta[4] = {by->strength[0], by->strength[1], by->strength[2], by->share};
    const vf given = by->share * by->volume;
    f4 u[VL], d[VL];
    vt_lanes_to_nodes(speed, u);
    vt_lanes_to_nodes(delta, d);
    for (int l = 0; l < left; l++) {
        vt_record *const record = c->records + i + l;
        const int64_t home = record->home;
        float *const position = rows->position + 3 * home, *const a = rows->strength + 3 * home;
        const f4 velocity = u[l] + wind, strength = f4_load_three(a) + d[l];
        f4_store_three(position, f4_fma(velocity, f4_set(u[l][3]), f4_load_three(position)));
        f4_store_three(rows->velocity + 3 * home, velocity);
        f4_store_three(a, strength);
        rows->age[home] = by->age[l];
        record->volume = given[l];
        f4_store_three(record->strength, strength * f4_set(d[l][3]));
    }
}

static void finish_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const struct context *const shared = data;
    const vt_vorton_rows rows = *shared->rows;
    context context = *shared, *const c = &context;
    c->rows = &rows;
    const vf dt = vf_set((float)c->dt);
    for (int64_t i = begin; i < end; i += VL) {
        const int64_t left = end - i < VL ? end - i : VL;
        sample s;
        change by;
        vi bounded;
        foresee(c, i + VL, end, &rows);
        take_sample(c, i, left, &s);
        stretching_rate(c, &s, left, by.strength, &bounded);
        by.age = vf_gather(rows.age, s.home) + dt;
        by.volume = vf_gather(rows.volume, s.home);
        /* a vorton born inside the substep (negative age) moves for the rest of it only */
        by.step = vf_max(vf_min(by.age, dt), (vf){0});
        const vf turned = strain_rate(&s) * by.step;
        const vf cleaned = fraction(c->method->cleaning, turned) * by.volume;
        by.share = fraction(c->method->exchange, turned);
        for (int a = 0; a < 3; a++)
            by.strength[a] = vf_fma(cleaned, s.divergence[a], by.strength[a] * by.step);
        store_vortons(c, i, left, &s, &by);
    }
}

void VT_NAME(finish)(const vt_field *field, const vt_method *method, double dt, const double *wind,
                     int64_t count, vt_record *records, const vt_vorton_rows *rows, int threads)
{
    context c = {.field = field,
                 .method = method,
                 .wind = wind,
                 .dt = dt,
                 .records = records,
                 .bound_volume = rows->bound_volume,
                 .rows = rows};
    vt_parallel_for(threads, count, BLOCK, finish_block, &c);
}
