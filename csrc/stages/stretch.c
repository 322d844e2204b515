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
#include "stages/sampling.h"
#include "stages/stages.h"

/* Records per block: a multiple of every vector length. */
enum { BLOCK = 2048 };

/* What a vector of vortons feels. */
typedef struct sample {
    vf position[3], volume, strength[3];
    vf velocity[3];
    vf gradient[3][3]; /* [i][j] = d u_j / d x_i, 1/s */
    vf divergence[3];  /* gradient of div A, 1/s */
    vi home;
} sample;

typedef struct context {
    const vt_field *field;
    const vt_method *method;
    const double *wind;
    double dt;
    int64_t count;
    vt_record *records;
    vt_rate *rates;
    vt_record *moved;
    vt_extremes *extremes;
    const vt_vorton_rows *rows;
    float *share;
} context;

/* VL records as vectors; past the end the last record is repeated. */
VT_INLINE void load_records(const vt_record *records, int64_t left, sample *s)
{
    f4 low[VL], high[VL];
    for (int l = 0; l < VL; l++) {
        const float *const r = records[l < left ? l : left - 1].position;
        low[l] = f4_load(r);
        high[l] = f4_load(r + 4);
    }
    vf p[4], q[4];
    vt_nodes_to_lanes(low, p);
    vt_nodes_to_lanes(high, q);
    for (int a = 0; a < 3; a++) {
        s->position[a] = p[a];
        s->strength[a] = q[a];
    }
    s->volume = p[3];
    s->home = (vi)q[3];
}

VT_INLINE void sample_grid(const vt_grid *grid, sample *s)
{
    vt_cells cells;
    vt_find_cells(&cells, s->position[0], s->position[1], s->position[2],
                  vi_set((int32_t)grid->node_row), vi_set((int32_t)grid->node_plane));
    f4 value[VL], dx[VL], dy[VL], dz[VL];
#pragma GCC unroll 4
    for (int l = 0; l < VL; l++)
        vt_sample_gradient(grid->nodes, grid->node_row, grid->node_plane, &cells, l, &value[l],
                           &dx[l], &dy[l], &dz[l]);
    const vf scale = vf_set((float)(1.0 / grid->spacing));
    const f4 *const derivative[3] = {dx, dy, dz};
    vf lanes[4];
    vt_nodes_to_lanes(value, lanes);
    for (int a = 0; a < 3; a++)
        s->velocity[a] = lanes[a];
    for (int i = 0; i < 3; i++) {
        vt_nodes_to_lanes(derivative[i], lanes);
        for (int j = 0; j < 3; j++)
            s->gradient[i][j] = lanes[j] * scale;
        s->divergence[i] = lanes[3] * scale;
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

/* Stretching rate; sets the volume of the newborn (negative until now) to that of their bound, and
 * bounded to the lanes on which it acts. */
VT_INLINE void stretching_rate(const vt_method *method, sample *s, vf rate[3], vi *bounded)
{
    const vf tiny = vf_set(1e-30f), one = vf_set(1.0f);
    const vf w = resolved_vorticity(s), length = vf_sqrt(dot(s->strength, s->strength));
    const vi newborn = s->volume < (vf){0};
    const vf own = vf_max(-s->volume, length / vf_max(w, tiny));
    s->volume = vf_select(newborn, vf_select(w > (vf){0}, own, -s->volume), s->volume);
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
}

VT_INLINE void keep_extremes(vt_extremes *extremes, int thread, const sample *s, vi bounded,
                             int64_t left)
{
    vf g = {0};
    for (int i = 0; i < 3; i++)
        g = g + dot(s->gradient[i], s->gradient[i]);
    const vf none = vf_set(VT_NO_EXTREME); /* the second operand of min, where the first is NaN */
    const vf gradient = vf_min(vf_sqrt(g), none);
    const vf speed = vf_min(vf_sqrt(dot(s->velocity, s->velocity)), none);
    float most_gradient = extremes->thread[thread].gradient;
    float most_speed = extremes->thread[thread].speed;
    int64_t count = 0;
    for (int l = 0; l < VL; l++) {
        most_gradient = gradient[l] > most_gradient ? gradient[l] : most_gradient;
        most_speed = speed[l] > most_speed ? speed[l] : most_speed;
        count += l < left && bounded[l] != 0;
    }
    extremes->thread[thread].gradient = most_gradient;
    extremes->thread[thread].speed = most_speed;
    extremes->thread[thread].bounded += count;
}

static void stretch_block(void *data, int64_t begin, int64_t end, int thread)
{
    const context *const c = data;
    for (int64_t i = begin; i < end; i += VL) {
        const int64_t left = end - i < VL ? end - i : VL;
        sample s;
        vf rate[4], u[4];
        vi bounded;
        take_sample(c, i, left, &s);
        stretching_rate(c->method, &s, rate, &bounded);
        keep_extremes(c->extremes, thread, &s, bounded, left);
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
}

void VT_NAME(stretch)(const vt_field *field, const vt_method *method, int64_t count,
                      const vt_record *records, vt_rate *rates, vt_extremes *extremes, int threads)
{
    memset(extremes, 0, sizeof *extremes);
    context c = {.field = field,
                 .method = method,
                 .count = count,
                 .records = (vt_record *)records,
                 .rates = rates,
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

/* New position and velocity of VL vortons, and the strength before the exchange. */
VT_INLINE void store_vortons(const context *c, int64_t i, int64_t left, const sample *s,
                             const vf change[3], vf volume, vf step, vf share)
{
    const f4 wind = {(float)c->wind[0], (float)c->wind[1], (float)c->wind[2], 0};
    const vf speed[4] = {s->velocity[0], s->velocity[1], s->velocity[2], step};
    const vf delta[4] = {change[0], change[1], change[2], volume};
    f4 u[VL], d[VL];
    vt_lanes_to_nodes(speed, u);
    vt_lanes_to_nodes(delta, d);
    for (int l = 0; l < left; l++) {
        const int64_t home = (uint32_t)s->home[l];
        float *const position = c->rows->position + 3 * home;
        const f4 velocity = u[l] + wind;
        const f4 x = f4_fma(velocity, f4_set(u[l][3]), f4_load(position));
        const f4 a = f4_load(c->rows->strength + 3 * home) + d[l];
        memcpy(position, &x, 12);
        memcpy(c->rows->velocity + 3 * home, &velocity, 12);
        c->rows->age[home] += (float)c->dt;
        c->rows->bound_volume[home] = s->volume[l];
        memcpy(c->records[i + l].strength, &a, 12);
        c->records[i + l].volume = d[l][3];
        c->share[i + l] = share[l];
    }
}

static void finish_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const context *const c = data;
    const vf dt = vf_set((float)c->dt);
    for (int64_t i = begin; i < end; i += VL) {
        const int64_t left = end - i < VL ? end - i : VL;
        sample s;
        vf rate[3], age, volume;
        vi bounded;
        take_sample(c, i, left, &s);
        stretching_rate(c->method, &s, rate, &bounded);
        for (int l = 0; l < VL; l++) {
            age[l] = c->rows->age[(uint32_t)s.home[l]];
            volume[l] = c->rows->volume[(uint32_t)s.home[l]];
        }
        /* a vorton born inside the substep (negative age) moves for the rest of it only */
        const vf step = vf_max(vf_min(age + dt, dt), (vf){0}), turned = strain_rate(&s) * step;
        const vf cleaned = fraction(c->method->cleaning, turned) * volume;
        for (int a = 0; a < 3; a++)
            rate[a] = vf_fma(cleaned, s.divergence[a], rate[a] * step);
        store_vortons(c, i, left, &s, rate, volume, step, fraction(c->method->exchange, turned));
    }
}

void VT_NAME(finish)(const vt_field *field, const vt_method *method, double dt, const double *wind,
                     int64_t count, vt_record *records, const vt_vorton_rows *rows, float *share,
                     int threads)
{
    context c = {.field = field,
                 .method = method,
                 .wind = wind,
                 .dt = dt,
                 .count = count,
                 .records = records,
                 .rows = rows,
                 .share = share};
    vt_parallel_for(threads, count, BLOCK, finish_block, &c);
}
