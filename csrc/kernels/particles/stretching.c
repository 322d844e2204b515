#include "kernels/particles/stretching.h"

#include "kernels/grid/quadratic.h"
#include "kernels/particles/share_in_substep.h"
#include "kernels/particles/vorton_way.h"

/* Records per block, a multiple of every vector length: 10 us of work. */
enum { BLOCK = 512 };

/* The field at VL vortons. */
typedef struct sample {
    vf position[3], volume, strength[3];
    vf velocity[3];
    vf gradient[3][3]; /* [i][j] = d u_j / d x_i, 1/s */
    vf divergence[3];  /* gradient of div A, 1/s */
    vf pull;           /* acceleration by buoyancy, m/s^2 */
    vi home;
} sample;

typedef struct context {
    const vt_velocity_source *field;
    const vt_method *method;
    const double *wind;
    double dt;
    vt_ending ending;
    vt_record *records;
    vt_rate *rates, *first;
    int64_t stride; /* of first */
    vt_extremes *extremes;
    const float *bound_volume;
    const vt_vorton_rows *rows;
} context;

VT_INLINE void load_records(const vt_record *records, int64_t left, sample *s)
{
    vf p[4], q[4];
    vti_load_records(records, left, 0, p);
    vti_load_records(records, left, 1, q);
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
        vti_load_records(c->records + i, VL, 0, position);
        vti_find_record_cells(&cells, grid, position);
        vti_prefetch_cells(grid->nodes, grid->node_row, grid->node_plane, &cells);
        if (c->field->buoyancy)
            vti_prefetch_cells(c->field->buoyancy->nodes, grid->node_row, grid->node_plane, &cells);
    }
    for (int l = 0; rows && l < VL; l++) {
        const int64_t home = c->records[i + l].home;
        __builtin_prefetch(rows->position + 3 * home, 1);
        __builtin_prefetch(rows->strength + 3 * home, 1);
        __builtin_prefetch(rows->velocity + 3 * home, 1);
        __builtin_prefetch(rows->age + home, 1);
        __builtin_prefetch(rows->volume + home);
        if (rows->past)
            __builtin_prefetch(rows->past + 2 * home, 1);
    }
}

/* The four floats of the nodes at VL vortons, and their slopes per cell. */
VT_INLINE void sample_splines(const vt_grid *grid, const vf position[3], vf value[4],
                              vf derivative[3][4])
{
    vt_spline_cells cells;
    vti_find_spline_cells(&cells, grid, position);
    f4 middle[VL], slope[3][VL];
#pragma GCC unroll 4
    for (int l = 0; l < VL; l++) {
        const vt_spline_sample at = vti_sample_spline(grid, &cells, l, cells.any_beyond);
        middle[l] = at.value;
        for (int a = 0; a < 3; a++)
            slope[a][l] = at.slope[a];
    }
    vti_nodes_to_lanes(middle, value);
    for (int a = 0; a < 3; a++)
        vti_nodes_to_lanes(slope[a], derivative[a]);
}

VT_INLINE void sample_grid(const vt_grid *grid, sample *s)
{
    vt_cells cells;
    vf velocity[4], derivative[3][4];
    if (grid->fourth) {
        sample_splines(grid, s->position, velocity, derivative);
    } else {
        vti_find_record_cells(&cells, grid, s->position);
        vti_sample_slopes(grid->nodes, grid->node_row, grid->node_plane, &cells, velocity,
                          derivative);
    }
    const vf scale = vf_set((float)(1.0 / grid->spacing));
    for (int i = 0; i < 3; i++) {
        s->velocity[i] = velocity[i];
        s->divergence[i] = derivative[i][3] * scale;
        for (int j = 0; j < 3; j++)
            s->gradient[i][j] = derivative[i][j] * scale;
    }
}

VT_INLINE void sample_arrays(const vt_velocity_source *field, int64_t i, int64_t left, sample *s)
{
    for (int l = 0; l < VL; l++) {
        const int64_t row = i + (l < left ? l : left - 1);
        for (int a = 0; a < 3; a++) {
            s->velocity[a][l] = field->velocity[3 * row + a];
            s->divergence[a][l] = field->divergence[3 * row + a];
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

VT_INLINE vf length_of(const vf a[3])
{
    return vf_sqrt(vf_dot(a, a));
}

/* curl u */
VT_INLINE void resolved_vorticity(const sample *s, vf w[3])
{
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        w[a] = s->gradient[b][c] - s->gradient[c][b];
    }
}

/* The volume in the bound of the newborn: the least, which the column has, or what makes the bound
 * touch the strength that they were born with. */
static __attribute__((noinline)) void bound_newborn(const context *c, sample *s, vf w, vf length,
                                                    int64_t i, int64_t left)
{
    for (int l = 0; l < left; l++) {
        const float least_vorticity = c->field->least_vorticity[i + l];
        if (!(least_vorticity > 0))
            continue;
        const float least = c->bound_volume[(uint32_t)s->home[l]];
        const float vorticity = w[l] > least_vorticity ? w[l] : least_vorticity;
        const float touching = length[l] / vorticity;
        s->volume[l] = touching > least ? touching : least;
    }
}

/* How VL vortons change, per second. */
typedef struct change_rate {
    vf strength[3], core; /* core: relative change */
    vi bounded;           /* lanes on which the bound of stretching acts */
} change_rate;

/* Whether any of the records from i on may be newborn. */
VT_INLINE int may_be_newborn(const float *least_vorticity, int64_t i, int64_t left)
{
    return least_vorticity && (left < VL || vi_any(vf_load(least_vorticity + i) > (vf){0}));
}

/* The share of the strength on which stretching acts, by the bound. */
VT_INLINE vf bound_of(const context *c, sample *s, int64_t i, int64_t left, vi *bounded)
{
    const vf one = vf_set(1.0f);
    vf curl[3];
    resolved_vorticity(s, curl);
    const vf w = length_of(curl), length = length_of(s->strength);
    if (may_be_newborn(c->field->least_vorticity, i, left))
        bound_newborn(c, s, w, length, i, left);
    *bounded = vi_set(0);
    if (!(c->method->bound > 0))
        return one;
    const vf bound = vf_set((float)c->method->bound);
    const vf factor = bound * s->volume * w / vf_max(length, vf_set(1e-30f));
    *bounded = factor < one;
    return vf_min(factor, one);
}

/* rVPM: from the classical rate to that of a tube whose core shrinks. */
VT_INLINE void reformulate(const sample *s, change_rate *rate)
{
    const vf square = vf_max(vf_dot(s->strength, s->strength), vf_set(1e-37f));
    const vf along = vf_dot(rate->strength, s->strength) / square;
    for (int a = 0; a < 3; a++)
        rate->strength[a] = vf_fma(vf_set(-0.6f) * along, s->strength[a], rate->strength[a]);
    rate->core = vf_set(-0.2f) * along;
}

VT_INLINE void stretch_rate(const context *c, sample *s, int64_t i, int64_t left, change_rate *rate)
{
    const int form = c->method->stretching;
    const vf share = bound_of(c, s, i, left, &rate->bounded);
    const vf factor = share * vf_set((float)c->method->stretching_factor);
    const vf a[3] = {s->strength[0] * factor, s->strength[1] * factor, s->strength[2] * factor};
    rate->core = (vf){0};
    for (int b = 0; b < 3; b++) {
        const vf column[3] = {s->gradient[0][b], s->gradient[1][b], s->gradient[2][b]};
        const vf transpose = vf_dot(a, s->gradient[b]), classical = vf_dot(a, column);
        if (form == VT_STRETCHING_TRANSPOSE)
            rate->strength[b] = transpose;
        else if (form == VT_STRETCHING_CLASSICAL || form == VT_STRETCHING_RVPM)
            rate->strength[b] = classical;
        else if (form == VT_STRETCHING_MIXED)
            rate->strength[b] = vf_set(0.5f) * (transpose + classical);
        else
            rate->strength[b] = (vf){0};
    }
    if (form == VT_STRETCHING_RVPM)
        reformulate(s, rate);
    s->pull = (vf){0};
    if (c->field->buoyancy)
        vti_add_baroclinic(c->field->buoyancy, c->field->grid, s->position, i, s->home,
                           rate->strength, &s->pull);
}

/* The largest values that one block meets, lane by lane. */
typedef struct extremes {
    vf gradient2, speed2; /* squares */
    vf pull;
    vi bounded;
} extremes;

VT_INLINE void keep_extremes(extremes *e, const sample *s, vi bounded, int64_t left,
                             uint32_t gradients[VT_GRADIENT_BINS])
{
    vf g = {0};
    for (int i = 0; i < 3; i++)
        g = g + vf_dot(s->gradient[i], s->gradient[i]);
    const vf none = vf_set(VT_NO_EXTREME); /* the second operand of min, where the first is NaN */
    e->gradient2 = vf_max(vf_min(g, none), e->gradient2);
    e->speed2 = vf_max(vf_min(vf_dot(s->velocity, s->velocity), none), e->speed2);
    e->pull = vf_max(vf_min(s->pull, none), e->pull);
    e->bounded -= bounded & (vi_lanes() < vi_set((int32_t)left));
    const vf least = vf_set(0x1p-32f), most = vf_set(0x1.8p31f);
    const vi bin = (vi)vf_min(vf_max(g, least), most) >> 22;
    for (int l = 0; l < left; l++)
        gradients[bin[l] - 2 * (127 + VT_GRADIENT_LEAST)]++;
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
        change_rate rate;
        foresee(c, i + VL, end, NULL);
        take_sample(c, i, left, &s);
        stretch_rate(c, &s, i, left, &rate);
        keep_extremes(&most, &s, rate.bounded, left, c->extremes->thread[thread].gradients);
        const vf velocity[4] = {s.velocity[0], s.velocity[1], s.velocity[2], rate.core};
        const vf strength[4] = {rate.strength[0], rate.strength[1], rate.strength[2], s.volume};
        f4 low[VL], high[VL];
        vti_lanes_to_nodes(velocity, low);
        vti_lanes_to_nodes(strength, high);
        for (int l = 0; l < left; l++)
            f8_store(c->rates + i + l, f8_join(low[l], high[l]));
    }
    merge_extremes(c->extremes, thread, &most);
}

void VT_NAME(stretch)(const vt_velocity_source *field, const vt_method *method, int64_t count,
                      const vt_record *records, vt_rate *rates, const float *bound_volume,
                      vt_extremes *extremes, int threads)
{
    memset(extremes, 0, sizeof *extremes);
    context c = {.field = field,
                 .method = method,
                 .records = (vt_record *)records,
                 .rates = rates,
                 .bound_volume = bound_volume,
                 .extremes = extremes};
    vti_parallel_for_numbered(threads, count, BLOCK, stretch_block, &c);
}

static void extrapolate_block(void *data, int64_t begin, int64_t end)
{
    const context *const c = data;
    const f8 ahead = f8_set((float)c->dt);
    for (int64_t i = begin; i < end; i++) {
        const vt_record *const record = c->records + i;
        const int64_t coming = i + VL < end ? i + VL : i;
        __builtin_prefetch(c->first + 2 * (int64_t)c->records[coming].home);
        const vt_rate *const past = c->first + 2 * (int64_t)record->home;
        const f8 last = f8_load(past);
        f8_store(c->rates + i, f8_fma(ahead, last - f8_load(past + 1), last));
        c->rates[i].strength[3] = record->volume;
    }
}

void VT_NAME(extrapolate)(const vt_rate *past, double ahead, int64_t count,
                          const vt_record *records, vt_rate *rates, int threads)
{
    context c = {
        .dt = ahead, .records = (vt_record *)records, .rates = rates, .first = (vt_rate *)past};
    vti_parallel_for(threads, count, BLOCK, extrapolate_block, &c);
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

/* The changes of VL vortons in a substep. */
typedef struct change {
    vf strength[3], step, age, share, volume, core;
} change;

/* Adds the rates of the first stage, which have a share in the result except for the newborn. */
VT_INLINE void add_first(const context *c, sample *s, change_rate *rate)
{
    f4 low[VL], high[VL];
    vf velocity[4], strength[4];
    for (int l = 0; l < VL; l++) {
        const vt_rate *const from = c->ending.first + (uint32_t)s->home[l];
        low[l] = f4_load(from->velocity);
        high[l] = f4_load(from->strength);
    }
    vti_nodes_to_lanes(low, velocity);
    vti_nodes_to_lanes(high, strength);
    const vi newborn = vf_gather(c->rows->age, s->home) < (vf){0};
    const vf rest = vf_set((float)(1 - c->ending.share));
    for (int a = 0; a < 3; a++) {
        const vf u = s->velocity[a], change = rate->strength[a];
        s->velocity[a] = vf_select(newborn, u, vf_fma(rest, velocity[a] - u, u));
        rate->strength[a] = vf_select(newborn, change, vf_fma(rest, strength[a] - change, change));
    }
    const vf core = rate->core;
    rate->core = vf_select(newborn, core, vf_fma(rest, velocity[3] - core, core));
}

VT_INLINE void relax(const context *c, const sample *s, vf turned, change *by)
{
    vf w[3], alpha[3];
    resolved_vorticity(s, w);
    const vf size = length_of(w);
    for (int a = 0; a < 3; a++)
        alpha[a] = vf_gather(c->rows->strength + a, s->home * 3) + by->strength[a];
    const vi turns = size > (vf){0};
    const vf length = vf_select(turns, length_of(alpha) / size, (vf){0});
    const vf share = vf_select(turns, fraction(c->method->relaxation, turned), (vf){0});
    for (int a = 0; a < 3; a++)
        by->strength[a] = vf_fma(share, vf_fma(length, w[a], -alpha[a]), by->strength[a]);
}

/* From the velocities of this substep and the last, halfway from what it was: the substeps iterate
 * towards the acceleration with which the pressure agrees. */
VT_INLINE f4 acceleration_of(const context *c, int64_t home, f4 velocity, int is_born)
{
    if (!is_born || !(c->ending.since > 0))
        return f4_set(0.0f);
    const f4 last = f4_load_three(c->rows->velocity + 3 * home);
    const double *const with = c->ending.carried;
    const f4 carried = {(float)with[0], (float)with[1], (float)with[2], 0};
    const f4 now = (velocity - last - carried) * f4_set((float)(1 / c->ending.since));
    return f4_set(0.5f) * (now + f4_load_three(c->rows->acceleration + 3 * home));
}

/* The rates of the last solve become those before it, and these take their place. Of vortons that
 * had none before, these count for both. */
VT_INLINE void keep_rates(const context *c, int64_t i, int64_t left, const sample *s,
                          const change_rate *rate, vf age)
{
    const vf velocity[4] = {s->velocity[0], s->velocity[1], s->velocity[2], rate->core};
    const vf strength[4] = {rate->strength[0], rate->strength[1], rate->strength[2], s->volume};
    f4 low[VL], high[VL];
    vti_lanes_to_nodes(velocity, low);
    vti_lanes_to_nodes(strength, high);
    for (int l = 0; l < left; l++) {
        const int64_t home = c->records[i + l].home;
        vt_rate *const past = c->rows->past + 2 * home;
        const f8 now = f8_join(low[l], high[l]);
        f8 before = now;
        if (age[l] > 0 || (c->ending.started && age[l] >= 0))
            before = f8_load(past);
        f8_store(past + 1, before);
        f8_store(past, now);
    }
}

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
    vti_lanes_to_nodes(speed, u);
    vti_lanes_to_nodes(delta, d);
    for (int l = 0; l < left; l++) {
        vt_record *const record = c->records + i + l;
        const int64_t home = record->home;
        float *const position = rows->position + 3 * home, *const a = rows->strength + 3 * home;
        const f4 velocity = u[l] + wind, strength = f4_load_three(a) + d[l];
        const f4 way = vti_mean_on_way(&c->ending, c->field->grid, home, u[l]) + wind;
        f4_store_three(position, f4_fma(way, f4_set(u[l][3]), f4_load_three(position)));
        if (rows->acceleration)
            f4_store_three(rows->acceleration + 3 * home,
                           acceleration_of(c, home, velocity, by->age[l] > (float)c->ending.dt));
        f4_store_three(rows->velocity + 3 * home, velocity);
        f4_store_three(a, strength);
        rows->age[home] = by->age[l];
        if (rows->core)
            rows->core[home] = by->core[l];
        if (c->ending.born && !(rows->flags[home] & VT_FLAG_BOUND_KNOWN)) {
            rows->bound_volume[home] = s->volume[l];
            rows->flags[home] |= VT_FLAG_BOUND_KNOWN;
        }
        record->volume = given[l];
        f4_store_three(record->strength, strength * f4_set(d[l][3]));
    }
}

static void finish_block(void *data, int64_t begin, int64_t end, int thread)
{
    const struct context *const shared = data;
    const vt_vorton_rows rows = *shared->rows;
    context context = *shared, *const c = &context;
    c->rows = &rows;
    extremes most = {{0}, {0}, {0}, {0}};
    const vf dt = vf_set((float)c->ending.dt);
    for (int64_t i = begin; i < end; i += VL) {
        const int64_t left = end - i < VL ? end - i : VL;
        sample s;
        change by;
        change_rate rate;
        foresee(c, i + VL, end, &rows);
        take_sample(c, i, left, &s);
        stretch_rate(c, &s, i, left, &rate);
        if (c->ending.first)
            add_first(c, &s, &rate);
        const vf age = vf_gather(rows.age, s.home);
        if (rows.past) {
            keep_extremes(&most, &s, rate.bounded, left, c->extremes->thread[thread].gradients);
            keep_rates(c, i, left, &s, &rate, age);
        }
        by.age = age + dt;
        by.volume = vf_gather(rows.volume, s.home);
        /* a vorton born inside the substep (negative age) moves for the rest of it only */
        by.step = vf_max(vf_min(by.age, dt), (vf){0});
        const vf turned = strain_rate(&s) * by.step;
        const vf cover = c->ending.cover ? vf_gather(c->ending.cover, s.home) : (vf){0};
        const vf cleaned = share_cleaned(c->method->cleaning, turned, cover) *
                           vf_min(by.volume, vf_set(c->ending.cleaned_volume));
        by.share = fraction(c->method->exchange, turned);
        for (int a = 0; a < 3; a++)
            by.strength[a] = rate.strength[a] * by.step;
        if (c->method->relaxation > 0)
            relax(c, &s, turned, &by);
        for (int a = 0; a < 3; a++)
            by.strength[a] = vf_fma(cleaned, s.divergence[a], by.strength[a]);
        by.core = (vf){0};
        if (rows.core)
            by.core = vf_gather(rows.core, s.home) * vf_exp(rate.core * by.step);
        store_vortons(c, i, left, &s, &by);
    }
    if (rows.past)
        merge_extremes(c->extremes, thread, &most);
}

void VT_NAME(finish)(const vt_velocity_source *field, const vt_method *method,
                     const vt_ending *ending, const double *wind, int64_t count, vt_record *records,
                     const vt_vorton_rows *rows, vt_extremes *extremes, int threads)
{
    if (rows->past)
        memset(extremes, 0, sizeof *extremes);
    context c = {.field = field,
                 .method = method,
                 .wind = wind,
                 .ending = *ending,
                 .records = records,
                 .extremes = extremes,
                 .bound_volume = rows->bound_volume,
                 .rows = rows};
    vti_parallel_for_numbered(threads, count, BLOCK, finish_block, &c);
}
