#include "conservation/fluid_forces.h"

#include <math.h>

#include "base/block_sums.h"
#include "kernels/grid/mirror.h"
#include "model/impulse.h"
#include "population/kept_sums.h"
#include "sources/random_eddies.h"
#include "state/force_at_time.h"
#include "state/wind_at_time.h"

enum { BLOCK = 2048 };

/* Largest mean relative change of the new strengths by which their sums are made those of the
 * nodes. Where bodies fill a part of a force these sums are not those of the vortons at all. */
static const double most_change = 0.1;

typedef struct acting_force {
    vt_acting_force acting;
    double within;           /* of a difference of velocities, how much goes in the substep */
    double gust;             /* strength of now over the mean */
    int32_t low[3], high[3]; /* nodes where it may act */
} acting_force;

typedef struct forcing {
    vt_simulation *simulation;
    double dt, time;         /* s: the middle of the substep, when forces are taken */
    double way[3];           /* of the uniform wind, from the beginning to the field, m */
    int32_t low[3], high[3]; /* nodes that may get strength */
    acting_force *acting;
    int32_t forces;
    f4 *acceleration; /* of the box of nodes and one more around it, x fastest, m/s^2 */
    f4 *nodes; /* laid out as the grid: strength over volume, 1/s, and in lane 3 the volume of the
                  vortons around, m^3 */
    vt_frame frame;
    vt_invariants *plane; /* sums over the strengths of the nodes, of each plane of the box */
    int64_t count;
    const vt_record *records;
    float *strength; /* what each vorton gets, by row, m^3/s */
} forcing;

/* ---- acceleration ---- */

/* Turns the velocity around the axis to that of the vortex; the rest stays. */
static void add_swirl(const vt_current_force *now, double share, const double world[3], double u[3])
{
    double d[3], turn[3];
    vti_subtract(world, now->center, d);
    vti_cross(now->axis, d, turn);
    const double square = vti_dot(turn, turn), q = square / (now->radius * now->radius);
    if (!(q > 1e-12))
        return;
    const double rate = now->strength * (1 - vti_exp(-q)) / (2 * VT_PI * square);
    vti_add_scaled(u, share * (rate - vti_dot(u, turn) / square), turn);
}

static void add_turbulence(const forcing *f, const vt_acting_force *acting, double share,
                           const double world[3], double u[3])
{
    const vt_force_def *const def = &acting->force->def;
    const double radius = acting->now.radius / acting->pose.scale;
    double place[3], v[3], turned[3];
    vti_pose_point_back(&acting->pose, world, place);
    for (int a = 0; a < 3; a++)
        place[a] = (place[a] - def->velocity[a] * f->time) / radius;
    vti_random_eddies_value(acting->force->eddies, place, f->time, v);
    vti_pose_direction(&acting->pose, v, turned);
    vti_add_scaled(u, share * acting->now.strength * f->dt, turned);
}

/* What is given on a grid. */
static void add_given(const forcing *f, const vt_acting_force *acting, double share,
                      const double world[3], double u[3])
{
    double place[3], turned[3];
    vti_pose_point_back(&acting->pose, world, place);
    const f4 value = vti_wind_value(&acting->force->grid, place);
    const double given[3] = {(double)value[0], (double)value[1], (double)value[2]};
    vti_pose_direction(&acting->pose, given, turned);
    vti_add_scaled(u, share * acting->now.strength * f->dt, turned);
}

/* The velocity u (m/s, less the uniform wind) at a point, dt later by this force alone. */
static void add_force(const forcing *f, const acting_force *force, const double world[3],
                      double u[3])
{
    const vt_acting_force *const acting = &force->acting;
    const vt_current_force *const now = &acting->now;
    const double share = vti_share_at(acting, world);
    if (!(share > 0))
        return;
    switch (now->kind) {
    case VT_FORCE_VORTEX:
        add_swirl(now, share * force->within, world, u);
        break;
    case VT_FORCE_DRAG:
        for (int a = 0; a < 3; a++)
            u[a] += share * now->strength * force->within * (now->target[a] - u[a]);
        break;
    case VT_FORCE_UNIFORM:
        vti_add_scaled(u, share * now->strength * f->dt * force->gust, now->axis);
        break;
    case VT_FORCE_TURBULENCE:
        add_turbulence(f, acting, share, world, u);
        break;
    default:
        add_given(f, acting, share, world, u);
    }
}

/* Row pitch and plane pitch of the accelerations. */
static void find_pitches(const forcing *f, int64_t *row, int64_t *plane)
{
    *row = f->high[0] - f->low[0] + 3;
    *plane = *row * (f->high[1] - f->low[1] + 3);
}

static int has_node(const acting_force *force, const int64_t at[3])
{
    int has = 1;
    for (int a = 0; a < 3; a++)
        has &= at[a] >= force->low[a] && at[a] <= force->high[a];
    return has;
}

/* The velocity at a node; at one behind a wall, where there is none, it goes on as before it. */
static f4 velocity_at(const vt_grid *g, const int64_t at[3])
{
    int64_t here = 0, before = 0;
    const int64_t pitch[3] = {1, g->node_row, g->node_plane};
    for (int a = 0; a < 3; a++) {
        const int64_t inside = at[a] < 0 ? 0 : at[a] > g->cells[a] ? g->cells[a] : at[a];
        here += pitch[a] * inside;
        before += pitch[a] * (2 * inside - at[a]);
    }
    return here == before ? g->nodes[here] : g->nodes[here] + (g->nodes[here] - g->nodes[before]);
}

static void accelerate_plane(void *data, int64_t n)
{
    const forcing *const f = data;
    const vt_grid *const g = &f->simulation->grid;
    int64_t row, plane;
    find_pitches(f, &row, &plane);
    const int64_t k = f->low[2] - 1 + n;
    f4 *to = f->acceleration + n * plane;
    for (int64_t j = f->low[1] - 1; j <= f->high[1] + 1; j++)
        for (int64_t i = f->low[0] - 1; i <= f->high[0] + 1; i++) {
            const int64_t at[3] = {i, j, k};
            const f4 before = velocity_at(g, at);
            double u[3] = {(double)before[0], (double)before[1], (double)before[2]}, world[3];
            for (int a = 0; a < 3; a++)
                world[a] = (g->base[a] + (double)at[a]) * g->spacing + f->way[a];
            for (int32_t m = 0; m < f->forces; m++)
                if (has_node(&f->acting[m], at))
                    add_force(f, &f->acting[m], world, u);
            *to++ = (f4){(float)((u[0] - (double)before[0]) / f->dt),
                         (float)((u[1] - (double)before[1]) / f->dt),
                         (float)((u[2] - (double)before[2]) / f->dt), 0};
        }
}

/* ---- strength of the nodes ---- */

static double share_of_cell(const vt_grid *g, const int64_t at[3])
{
    double share = 1;
    for (int a = 0; a < 3; a++)
        share *= vti_share_before_walls(at[a], g->cells[a]);
    return share;
}

/* Half the differences over two cells of the curl, m/s^2. */
static void find_curl(const f4 *f, int64_t row, int64_t plane, double curl[3])
{
    const int64_t step[3] = {1, row, plane};
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        curl[a] = 0.5 * ((double)f[step[b]][c] - (double)f[-step[b]][c] - (double)f[step[c]][b] +
                         (double)f[-step[c]][b]);
    }
}

static void add_node(const vt_frame *frame, const double position[3], const double strength[3],
                     vt_invariants *all)
{
    double x[3], turn[3], twist[3];
    for (int a = 0; a < 3; a++)
        x[a] = (position[a] - (double)frame->center[a]) / (double)frame->length;
    vti_cross(x, strength, turn);
    vti_cross(x, turn, twist);
    for (int a = 0; a < 3; a++) {
        all->sum[a] += strength[a];
        all->sum[12 + a] += twist[a];
        for (int b = 0; b < 3; b++)
            all->sum[3 + 3 * a + b] += x[a] * strength[b];
    }
}

static void strengthen_plane(void *data, int64_t n)
{
    const forcing *const f = data;
    const vt_grid *const g = &f->simulation->grid;
    const double factor = f->dt * g->spacing * g->spacing;
    int64_t row, plane;
    find_pitches(f, &row, &plane);
    const int64_t k = f->low[2] + n;
    vt_invariants *const all = &f->plane[n];
    *all = (vt_invariants){{0}, {0}};
    for (int64_t j = f->low[1]; j <= f->high[1]; j++)
        for (int64_t i = f->low[0]; i <= f->high[0]; i++) {
            f4 *const node = f->nodes + k * g->node_plane + j * g->node_row + i;
            const f4 *const from =
                f->acceleration + (n + 1) * plane + (j - f->low[1] + 1) * row + i - f->low[0] + 1;
            const int64_t at[3] = {i, j, k};
            double strength[3], position[3];
            const double volume = (double)(*node)[3];
            if (!(volume > 0)) /* nobody to carry it */
                continue;
            find_curl(from, row, plane, strength);
            for (int a = 0; a < 3; a++) {
                strength[a] *= factor * share_of_cell(g, at);
                position[a] = (g->base[a] + (double)at[a]) * g->spacing;
                (*node)[a] = (float)(strength[a] / volume);
            }
            add_node(&f->frame, position, strength, all);
        }
}

/* Lane 3 of the nodes: the volume of the vortons around. */
static void deposit_volumes(const forcing *f, const uint32_t *row_start)
{
    vt_simulation *const s = f->simulation;
    const size_t mark = vti_arena_mark(&s->arena);
    const vt_fluid fluid = vti_fluid_of(&s->def);
    vt_grid volumes = s->grid;
    volumes.nodes = f->nodes;
    volumes.fourth = 0;
    vt_record *const records = vti_arena_push(&s->arena, sizeof *records * (size_t)(f->count + VL));
    const vti_scalar_rows rows = {.volume = s->vortons.volume};
    s->stages->collect_scalars(&volumes, f->count, f->records, &rows, &fluid, records,
                               s->def.threads);
    s->stages->deposit(&volumes, records, row_start, s->def.threads);
    vti_arena_pop(&s->arena, mark);
}

/* ---- strength of the vortons ---- */

static void hand_out(void *data, int64_t begin, int64_t end)
{
    const forcing *const f = data;
    const vt_grid *const g = &f->simulation->grid;
    for (int64_t n = begin; n < end; n++) {
        const vt_record *const record = f->records + n;
        const double volume = (double)f->simulation->vortons.volume[record->home];
        int64_t cell[3];
        double part[3], sum[3] = {0, 0, 0};
        for (int a = 0; a < 3; a++) {
            cell[a] = (int64_t)record->position[a];
            part[a] = (double)record->position[a] - (double)cell[a];
        }
        const f4 *const node = f->nodes + cell[2] * g->node_plane + cell[1] * g->node_row + cell[0];
        for (int c = 0; c < 8; c++) {
            const f4 at = node[(c & 1) + (c >> 1 & 1) * g->node_row + (c >> 2) * g->node_plane];
            const double weight = (c & 1 ? part[0] : 1 - part[0]) *
                                  (c & 2 ? part[1] : 1 - part[1]) * (c & 4 ? part[2] : 1 - part[2]);
            for (int a = 0; a < 3; a++)
                sum[a] += weight * (double)at[a];
        }
        for (int a = 0; a < 3; a++)
            f->strength[3 * (int64_t)record->home + a] = (float)(volume * sum[a]);
    }
}

static void add_to_strengths(void *data, int64_t begin, int64_t end)
{
    const forcing *const f = data;
    for (int64_t n = 3 * begin; n < 3 * end; n++)
        f->simulation->vortons.strength[n] += f->strength[n];
}

/* Impulse of the new strengths, about the origin: 3 + 3 sums. */
static void sum_impulse(void *data, int64_t begin, int64_t end, double *sum)
{
    const forcing *const f = data;
    const float *const position = f->simulation->vortons.position;
    vt_impulse all = {{0}, {0}};
    for (int64_t n = 3 * begin; n < 3 * end; n += 3) {
        const double x[3] = {position[n], position[n + 1], position[n + 2]};
        const double a[3] = {f->strength[n], f->strength[n + 1], f->strength[n + 2]};
        vti_add_turns(1, x, a, &all);
    }
    vti_split_impulse(&all, sum, sum + 3);
}

static void book(const forcing *f)
{
    vt_simulation *const s = f->simulation;
    double sum[6];
    vt_impulse given;
    vti_sum_blocks(&s->arena, s->def.threads, s->vortons.set.count, BLOCK, sum_impulse, (void *)f,
                   6, sum);
    memcpy(given.linear, sum, sizeof given.linear);
    memcpy(given.angular, sum + 3, sizeof given.angular);
    vti_add_impulse(&s->impulses.forced, 1, &given);
}

/* ---- the whole ---- */

/* Gusts: the strength of now over the mean. */
static double find_gust(const vt_force *force, double time)
{
    if (force->def.kind != VT_FORCE_UNIFORM || !force->eddies)
        return 1;
    return vti_random_eddies_gust(force->eddies, force->def.gusts, time);
}

/* The nodes of the grid where a force may act. */
static void find_nodes(const forcing *f, acting_force *force)
{
    const vt_grid *const g = &f->simulation->grid;
    double low[3] = {-INFINITY, -INFINITY, -INFINITY}, high[3] = {INFINITY, INFINITY, INFINITY};
    vti_acting_box(&force->acting, low, high);
    for (int a = 0; a < 3; a++) {
        const double least = (low[a] - f->way[a]) / g->spacing - g->base[a];
        const double most = (high[a] - f->way[a]) / g->spacing - g->base[a];
        const double last = g->cells[a];
        force->low[a] = (int32_t)vti_floor(fmin(fmax(least, -2), last + 2));
        force->high[a] = (int32_t)-vti_floor(-fmin(fmax(most, -2), last + 2));
    }
}

/* The forces that act, in arena memory. */
static void find_acting(forcing *f)
{
    const vt_simulation *const s = f->simulation;
    f->acting = vti_arena_push(&f->simulation->arena, sizeof *f->acting * (size_t)s->forces.count);
    for (int32_t n = 0; n < s->forces.count; n++) {
        const vt_force *const force = &s->forces.force[n];
        if (force->def.acts_on != VT_FORCE_ON_FLUID)
            continue;
        acting_force *const next = &f->acting[f->forces];
        *next = (acting_force){.acting = vti_force_at(s, force, f->time),
                               .within = 1 - vti_exp(-f->dt / force->def.time),
                               .gust = find_gust(force, f->time)};
        find_nodes(f, next);
        f->forces += vti_does_act(&next->acting);
    }
}

/* The nodes that may get strength: those of all forces and one more on each side, but no faces of
 * the grid that are no walls. 0: there are none. */
static int find_box(forcing *f)
{
    const vt_grid *const g = &f->simulation->grid;
    for (int a = 0; a < 3; a++) {
        const int32_t first = !g->walled, last = g->cells[a] - first;
        int32_t low = g->cells[a], high = 0;
        for (int32_t n = 0; n < f->forces; n++) {
            const acting_force *const force = &f->acting[n];
            low = force->low[a] < low ? force->low[a] : low;
            high = force->high[a] > high ? force->high[a] : high;
        }
        f->low[a] = low > first + 1 ? low - 1 : first;
        f->high[a] = high < last - 1 ? high + 1 : last;
        if (f->low[a] > f->high[a])
            return 0;
    }
    return 1;
}

static vt_frame frame_of_box(const forcing *f)
{
    const vt_grid *const g = &f->simulation->grid;
    vt_frame frame = {.cap = 0};
    for (int a = 0; a < 3; a++) {
        const double middle = 0.5 * (f->low[a] + f->high[a]), half = 0.5 * (f->high[a] - f->low[a]);
        frame.center[a] = (float)((g->base[a] + middle) * g->spacing);
        frame.length = fmaxf(frame.length, (float)((half + 1) * g->spacing));
    }
    return frame;
}

/* The new strengths, whose sums are those of the nodes. */
static void find_strengths(forcing *f, const uint32_t *row_start)
{
    vt_simulation *const s = f->simulation;
    const vt_grid *const g = &s->grid;
    const int threads = s->def.threads;
    const int64_t planes = f->high[2] - f->low[2] + 1;
    int64_t row, plane;
    find_pitches(f, &row, &plane);
    f->nodes = vti_arena_push(&s->arena, sizeof(f4) * (size_t)(g->node_plane * (g->cells[2] + 2)));
    f->acceleration = vti_arena_push(&s->arena, sizeof(f4) * (size_t)(plane * (planes + 2)));
    f->plane = vti_arena_push(&s->arena, sizeof *f->plane * (size_t)planes);
    f->frame = frame_of_box(f);
    deposit_volumes(f, row_start);
    vti_parallel_each(threads, planes + 2, 1, accelerate_plane, f);
    vti_parallel_each(threads, planes, 1, strengthen_plane, f);
    double sum[VT_INVARIANTS] = {0};
    for (int64_t n = 0; n < planes; n++)
        for (int m = 0; m < VT_INVARIANTS; m++)
            sum[m] += f->plane[n].sum[m];
    memset(f->strength, 0, 12 * (size_t)s->vortons.set.count);
    vti_parallel_for(threads, f->count, BLOCK, hand_out, f);
    vti_make_sums(s, f->strength, &f->frame, most_change, sum);
}

void vti_force_fluid(vt_simulation *s, double dt, double since, int64_t count,
                     const vt_record *records, const uint32_t *row_start)
{
    const size_t mark = vti_arena_mark(&s->arena);
    forcing f = {
        .simulation = s, .dt = dt, .time = s->time + 0.5 * dt, .count = count, .records = records};
    vti_integrate_winds(s, s->time, s->time + since, f.way);
    find_acting(&f);
    if (f.forces > 0 && find_box(&f)) {
        f.strength = vti_arena_push(&s->arena, 12 * (size_t)s->vortons.set.count);
        find_strengths(&f, row_start);
        vti_parallel_for(s->def.threads, s->vortons.set.count, BLOCK, add_to_strengths, &f);
        book(&f);
    }
    vti_arena_pop(&s->arena, mark);
}

double vti_largest_force(const vt_simulation *s)
{
    double sum = 0;
    for (int32_t n = 0; n < s->forces.count; n++) {
        if (s->forces.force[n].def.acts_on != VT_FORCE_ON_FLUID)
            continue;
        const vt_acting_force acting = vti_force_at(s, &s->forces.force[n], s->time);
        sum += vti_largest_acceleration(&acting, s->grid.spacing) *
               find_gust(&s->forces.force[n], s->time);
    }
    return sum;
}
