#include "sources/room_to_fill.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "geometry/region_points.h"
#include "model/birth_sequence.h"
#include "model/fluid_composition.h"
#include "sources/fluid_emitter.h"
#include "sources/random_eddies.h"
#include "state/container_frame.h"
#include "state/heat_budget.h"
#include "state/predicates.h"
#include "state/simulation.h"
#include "state/wind_at_time.h"

enum { BLOCK = 4096, MOST_SAMPLES = 1 << 20, MOST_NODES = MOST_SAMPLES / 8 };

/* Width of the lattice, in spacings of births: eight of them in a cell. With four, a layer of .1 m
 * on a floor, under which nothing lies, was filled 1.23 times instead of .97. */
static const double width_in_spacings = 2;

/* A shape that is filled once leaves out places that are full to more than this already. */
static const float full = 0.5f;

/* Of the volume of a birth, what a vorton that makes way keeps: it may have strength. */
static const double least_volume = 1.0 / 64;

/* Volumes around a node, in cells. */
typedef struct node_volumes {
    float fits;    /* in the shape */
    float held;    /* by fluid in it that differs; where it is filled once, in and around it */
    float other;   /* of all fluid that differs */
    float ambient; /* of the rest */
    float taken;   /* by what is born */
    float gives;   /* of the ambient fluid: the share that makes way */
} node_volumes;

typedef struct room {
    vt_simulation *simulation;
    const vt_fluid_emitter *emitter;
    vt_fluid fluid;
    vt_pose pose;
    vt_region shape;
    double time, wind[3];   /* s; mean from now to then, m/s */
    int32_t once;           /* the emitter fills it once */
    double contrast;        /* of what is born, kg/m^3 */
    double width, least[3]; /* m, in the space of the pose */
    double volume;          /* of a cell in the world, m^3 */
    int32_t size[3];
    node_volumes *node;
    uint8_t *near; /* of each vorton: in the lattice */
} room;

/* ---- the lattice ---- */

typedef struct corner {
    node_volumes *node;
    float share;
} corner;

/* The nodes around a place in the space of the pose; 0: the lattice does not reach there. */
static int find_corners(const room *r, const double place[3], corner corners[8])
{
    int64_t low[3];
    double part[3];
    for (int a = 0; a < 3; a++) {
        const double at = (place[a] - r->least[a]) / r->width;
        if (!(at >= 0 && at < r->size[a] - 1))
            return 0;
        low[a] = (int64_t)at;
        part[a] = at - (double)low[a];
    }
    for (int n = 0; n < 8; n++) {
        const int side[3] = {n & 1, n >> 1 & 1, n >> 2};
        double share = 1;
        int64_t node = 0;
        for (int a = 2; a >= 0; a--) {
            share *= side[a] ? part[a] : 1 - part[a];
            node = node * r->size[a] + low[a] + side[a];
        }
        corners[n] = (corner){r->node + node, (float)share};
    }
    return 1;
}

static int64_t count_nodes(const room *r)
{
    return (int64_t)r->size[0] * r->size[1] * r->size[2];
}

static double nodes_along(const vt_region *region, int axis, double width)
{
    return ceil((region->upper[axis] - region->lower[axis]) / width) + 3;
}

/* Wider where there would be more nodes than there may be. */
static double choose_width(const vt_fluid_emitter *p)
{
    const vt_region *const region = &p->stream.region;
    double width = width_in_spacings * p->spacing;
    while (nodes_along(region, 0, width) * nodes_along(region, 1, width) *
               nodes_along(region, 2, width) >
           MOST_NODES)
        width *= 2;
    return width;
}

/* Around the region of the births. */
static void lay_out(room *r)
{
    const vt_region *const region = &r->emitter->stream.region;
    r->width = choose_width(r->emitter);
    for (int a = 0; a < 3; a++) {
        r->least[a] = region->lower[a] - r->width;
        r->size[a] = (int32_t)nodes_along(region, a, r->width);
    }
    const double width = r->width * r->pose.scale;
    r->volume = width * width * width;
    const size_t bytes = sizeof *r->node * (size_t)count_nodes(r);
    r->node = vti_arena_push(&r->simulation->arena, bytes);
    memset(r->node, 0, bytes);
}

/* ---- what fits, and what is there ---- */

static void find_what_fits(room *r)
{
    const vt_birth_stream *const stream = &r->emitter->stream;
    vt_arena *const arena = &r->simulation->arena;
    const int64_t filling = vti_filling(r->emitter);
    const int64_t count = filling < MOST_SAMPLES ? filling : MOST_SAMPLES;
    const double cell = r->width * r->width * r->width;
    const float one = (float)(stream->region.volume / (double)count / cell);
    const size_t mark = vti_arena_mark(arena);
    float *const point = vti_arena_push(arena, 3 * sizeof *point * (size_t)count);
    vti_fill_region(&stream->region, stream->seed, count, point);
    for (int64_t i = 0; i < count; i++) {
        double place[3];
        corner c[8];
        vti_widen(point + 3 * i, place);
        if (vti_region_contains(&r->shape, point + 3 * i) && find_corners(r, place, c))
            for (int n = 0; n < 8; n++)
                c[n].node->fits += one * c[n].share;
    }
    vti_arena_pop(arena, mark);
}

/* A point of the world in the space of the pose. */
static void find_place(const room *r, const float world[3], double place[3])
{
    double from[3];
    vti_widen(world, from);
    vti_pose_point_back(&r->pose, from, place);
}

/* Where a vorton lies when the run is born, gone with the wind since now or since its own birth. */
static void find_place_of(const room *r, int64_t row, double place[3])
{
    const vt_simulation *const s = r->simulation;
    const double born = fmax(-(double)s->vortons.age[row], 0);
    double from[3];
    vti_widen(s->vortons.position + 3 * row, from);
    vti_add_scaled(from, r->time - s->time - born, r->wind);
    vti_pose_point_back(&r->pose, from, place);
}

static void find_near(void *data, int64_t begin, int64_t end)
{
    const room *const r = data;
    for (int64_t i = begin; i < end; i++) {
        double place[3];
        find_place_of(r, i, place);
        r->near[i] = 1;
        for (int a = 0; a < 3; a++) {
            const double at = place[a] - r->least[a];
            r->near[i] &= at >= 0 && at < r->width * (r->size[a] - 1);
        }
    }
}

static int differs(const room *r, int64_t row)
{
    return vti_contrast_of(r->simulation, &r->fluid, row) > VT_FRESH_SHARE * r->contrast ||
           vti_may_burn(r->simulation, row);
}

static int contains(const room *r, const double place[3])
{
    const float point[3] = {(float)place[0], (float)place[1], (float)place[2]};
    return vti_region_contains(&r->shape, point);
}

static void find_what_is_there(room *r)
{
    const vt_vortons *const v = &r->simulation->vortons;
    r->near = vti_arena_push(&r->simulation->arena, (size_t)v->set.count);
    vti_parallel_for(r->simulation->def.threads, v->set.count, BLOCK, find_near, r);
    for (int64_t i = 0; i < v->set.count; i++) {
        double place[3];
        corner c[8];
        if (!r->near[i])
            continue;
        find_place_of(r, i, place);
        if (!find_corners(r, place, c))
            continue;
        const float one = (float)((double)v->volume[i] / r->volume);
        const int other = differs(r, i);
        const int held = other && (r->once || contains(r, place));
        for (int n = 0; n < 8; n++) {
            const float part = one * c[n].share;
            c[n].node->held += held ? part : 0;
            *(other ? &c[n].node->other : &c[n].node->ambient) += part;
        }
    }
}

/* ---- births ---- */

static int is_ambient(const vt_births *b, int64_t i)
{
    int ambient = 1;
    for (int c = 0; c < VT_COMPOSITION_COLUMNS; c++)
        ambient &= b->vorton_composition[c][i] == 0;
    return ambient;
}

/* Of a birth, kg/m^3. */
static double find_contrast(const room *r, const vt_births *b, int64_t i)
{
    const float *const x = b->vorton_position + 3 * i;
    const float given = b->vorton_composition[VT_CARRIED_temperature][i];
    const float temperature = given > 0 ? given : vti_ambient_temperature(&r->fluid, x);
    return fabs((double)vti_density_deviation(&r->fluid, x, temperature,
                                              b->vorton_composition[VT_CARRIED_density][i]));
}

/* Whether there is room for a birth. What burns swells, and so makes room by itself: it comes as
 * fast as its emitter is to give it. */
static int has_room(const room *r, const vt_births *b, int64_t i, const corner c[8])
{
    float held = 0, fits = 0, there = 0;
    for (int n = 0; n < 8; n++) {
        held += c[n].share * c[n].node->held;
        fits += c[n].share * c[n].node->fits;
        there += c[n].share * (c[n].node->other + c[n].node->ambient);
    }
    if (r->once)
        return (is_ambient(b, i) ? there : held) <= full;
    return is_ambient(b, i) || b->vorton_composition[VT_CARRIED_fuel][i] > 0 || held < fits;
}

static int takes_room(const room *r, const vt_births *b, int64_t i)
{
    const int ambient = is_ambient(b, i);
    const float one = (float)((double)b->vorton_volume[i] / r->volume);
    double place[3];
    corner c[8];
    find_place(r, b->vorton_position + 3 * i, place);
    if (!find_corners(r, place, c))
        return 1;
    if (!has_room(r, b, i, c))
        return 0;
    for (int n = 0; n < 8 && !ambient; n++) {
        c[n].node->taken += one * c[n].share;
        c[n].node->held += r->once ? 0 : one * c[n].share;
    }
    return 1;
}

static void move_birth(vt_births *b, int64_t to, int64_t from)
{
    if (to == from)
        return;
    memcpy(b->vorton_position + 3 * to, b->vorton_position + 3 * from, 12);
    memcpy(b->vorton_strength + 3 * to, b->vorton_strength + 3 * from, 12);
    b->vorton_core[to] = b->vorton_core[from];
    b->vorton_volume[to] = b->vorton_volume[from];
    for (int c = 0; c < VT_COMPOSITION_COLUMNS; c++)
        b->vorton_composition[c][to] = b->vorton_composition[c][from];
    b->vorton_lifetime[to] = b->vorton_lifetime[from];
    b->vorton_time[to] = b->vorton_time[from];
}

/* ---- ambient fluid ---- */

/* What is born takes empty space first. */
static void find_share_that_gives(room *r)
{
    const int64_t count = count_nodes(r);
    for (int64_t n = 0; n < count; n++) {
        node_volumes *const node = r->node + n;
        const float empty = fmaxf(1 - (node->other + node->ambient), 0);
        const float beyond = fmaxf(node->taken - empty, 0);
        node->gives = beyond < node->ambient ? beyond / node->ambient : beyond > 0;
    }
}

/* Of the eddies that the fluid in the shape has (population/inflow_swirl.h), what makes way takes
 * its part along: the newborn bring their own. */
static void take_eddies(const room *r, int64_t row, const double place[3], float volume)
{
    const vt_fluid_emitter *const p = r->emitter;
    const vt_vortons *const v = &r->simulation->vortons;
    float strength[3];
    if (!p->eddies || !(v->flags[row] & VT_FLAG_STIRRED) || !contains(r, place))
        return;
    vti_random_eddies_at(p->eddies, &r->pose, place, r->time - p->stream.start,
                         vti_parcels_at(p, r->time).swirl, (double)volume,
                         vti_filters_at_birth(r->simulation, (double)v->core[row]), strength);
    for (int c = 0; c < 3; c++)
        v->strength[3 * row + c] -= strength[c];
}

static void make_way(room *r)
{
    vt_simulation *const s = r->simulation;
    const vt_vortons *const v = &s->vortons;
    const double scale = r->emitter->spacing * r->pose.scale;
    const float least = (float)(least_volume * scale * scale * scale);
    find_share_that_gives(r);
    for (int64_t i = 0; i < v->set.count; i++) {
        double place[3];
        float share = 0;
        corner c[8];
        if (!r->near[i] || v->volume[i] <= least)
            continue;
        find_place_of(r, i, place);
        if (!find_corners(r, place, c))
            continue;
        for (int n = 0; n < 8; n++)
            share += c[n].share * c[n].node->gives;
        if (!(share > 0) || differs(r, i))
            continue;
        const float kept = fmaxf(v->volume[i] * (1 - share), least);
        take_eddies(r, i, place, v->volume[i] - kept);
        vti_count_heat(s, i, 1, NULL, -1);
        v->volume[i] = kept;
        vti_count_heat(s, i, 1, NULL, 1);
    }
}

/* ---- a run of births ---- */

static const vt_fluid_emitter *find_emitter(const vt_simulation *s, const vt_birth_run *run)
{
    for (int32_t p = 0; p < s->sources.fluid_emitter_count; p++)
        if (s->sources.parcels[p].stream.id == run->source)
            return &s->sources.parcels[p];
    return NULL;
}

/* Mean of the uniform winds between two times, m/s. */
static void find_wind(const vt_simulation *s, double from, double to, double wind[3])
{
    vti_integrate_winds(s, from, to, wind);
    for (int c = 0; c < 3; c++)
        wind[c] = to > from ? wind[c] / (to - from) : 0;
}

/* Whether the shape has gone farther than a node of the lattice from one time to the other, through
 * fluid that goes with the wind. */
static int has_moved(const vt_simulation *s, const vt_fluid_emitter *p, double from, double to)
{
    const vt_pose there = vti_pose_at(&s->transforms, p->stream.parent, from),
                  here = vti_pose_at(&s->transforms, p->stream.parent, to);
    const double *const corner[2] = {p->stream.region.lower, p->stream.region.upper};
    const double width = width_in_spacings * p->spacing * there.scale;
    double wind[3];
    vti_integrate_winds(s, from, to, wind);
    for (int n = 0; n < 8; n++) {
        const double point[3] = {corner[n & 1][0], corner[n >> 1 & 1][1], corner[n >> 2][2]};
        double a[3], b[3];
        vti_pose_point(&there, point, a);
        vti_pose_point(&here, point, b);
        vti_add_scaled(a, 1, wind);
        if (vti_square_between(a, b) > width * width)
            return 1;
    }
    return 0;
}

int64_t vti_end_of_place(const vt_simulation *s, const vt_births *b, const vt_birth_run *run,
                         int64_t end)
{
    const vt_fluid_emitter *const p = find_emitter(s, run);
    if (!p || p->points)
        return end;
    int64_t most = end;
    for (int64_t least = run->next + 1; least < most;) { /* times rise */
        const int64_t middle = least + (most - least) / 2;
        if (has_moved(s, p, b->vorton_time[run->next], b->vorton_time[middle]))
            most = middle;
        else
            least = middle + 1;
    }
    return most;
}

int64_t vti_strike_crowded(vt_simulation *s, vt_births *b, vt_birth_run *run, int64_t end)
{
    const vt_fluid_emitter *const p = find_emitter(s, run);
    if (!p || p->points || p->shape.shape.layer > 0 || !vti_is_lifted(s))
        return end;
    const size_t mark = vti_arena_mark(&s->arena);
    const double time = b->vorton_time[run->next];
    room r = {.simulation = s,
              .emitter = p,
              .fluid = vti_fluid_of(&s->def),
              .pose = vti_pose_at(&s->transforms, p->stream.parent, time),
              .shape = vti_region_at(&p->shape, time),
              .time = time,
              .once = p->stream.rate == 0};
    find_wind(s, s->time, time, r.wind);
    for (int64_t i = run->next; i < end; i++)
        r.contrast = fmax(r.contrast, find_contrast(&r, b, i));
    if (!(r.contrast > VT_LEAST_CONTRAST * s->def.ambient.density)) {
        vti_arena_pop(&s->arena, mark); /* it has no weight to be counted more than once */
        return end;
    }
    lay_out(&r);
    find_what_fits(&r);
    find_what_is_there(&r);
    int64_t kept = run->next;
    for (int64_t i = run->next; i < end; i++)
        if (takes_room(&r, b, i))
            move_birth(b, kept++, i);
    make_way(&r);
    vti_arena_pop(&s->arena, mark);
    for (int64_t i = end; i < run->end; i++)
        move_birth(b, kept + i - end, i);
    run->end -= end - kept;
    return kept;
}
