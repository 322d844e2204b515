#include "sources/room_to_fill.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "geometry/region_points.h"
#include "sources/fluid_emitter.h"
#include "sources/random_eddies.h"
#include "sources/room_lattice.h"
#include "state/container_frame.h"
#include "state/heat_budget.h"
#include "state/predicates.h"
#include "state/simulation.h"
#include "state/wind_at_time.h"

enum { BLOCK = 4096, SHARES = 2 };

/* A shape that is filled once leaves out places that are full to more than this already. */
static const float full = 0.5f;

/* Of the volume of a birth, what a vorton that makes way keeps: it may have strength. */
static const double least_volume = 1.0 / 64;

/* Volumes around a node, in cells. */
typedef struct node_volumes {
    float held;    /* by fluid in it that differs; where it is filled once, in and around it */
    float other;   /* of all fluid that differs */
    float ambient; /* of the rest */
    float taken;   /* by what is born */
    float gives;   /* of the ambient fluid: the share that makes way */
} node_volumes;

/* A vorton that is in the lattice. */
typedef struct neighbour {
    vt_room_corners corners;
    uint32_t row;
    float volume;        /* in cells */
    int32_t other, held; /* whether it differs; and takes up room */
} neighbour;

typedef struct room {
    vt_simulation *simulation;
    const vt_fluid_emitter *emitter;
    vt_fluid fluid;
    vt_pose pose;
    vt_region shape;
    double time, wind[3]; /* s; mean from now to then, m/s */
    int32_t once;         /* the emitter fills it once */
    int32_t heats;        /* what is born is ambient fluid that it heats */
    double contrast;      /* of what is born, kg/m^3 */
    vt_room_lattice lattice;
    double volume; /* of a cell in the world, m^3 */
    node_volumes *node;
    const float *fits;        /* volume in the shape */
    double middle[3], reach2; /* m, m^2: a ball in the world that holds the lattice */
    double beyond[3];         /* m: a corner that no place in it lies beyond */
    neighbour *near;          /* those of a block of rows begin where it does */
    int32_t *near_count;      /* of each block */
} room;

/* ---- the lattice ---- */

/* A little larger than the lattice: rounding must leave no point of it out. */
static void find_ball(room *r)
{
    double middle[3], half2 = 0;
    for (int a = 0; a < 3; a++) {
        const double half = 0.5 * r->lattice.width * (r->lattice.size[a] - 1);
        middle[a] = r->lattice.least[a] + half;
        r->beyond[a] = middle[a] + 1.001 * half;
        half2 += half * half;
    }
    vti_pose_point(&r->pose, middle, r->middle);
    r->reach2 = 1.001 * half2 * r->pose.scale * r->pose.scale;
}

static void lay_out(room *r)
{
    const vt_fluid_emitter *const p = r->emitter;
    vt_arena *const arena = &r->simulation->arena;
    r->lattice = vti_lay_out_room(&p->stream.region, p->spacing);
    const double width = r->lattice.width * r->pose.scale;
    r->volume = width * width * width;
    const size_t nodes = (size_t)vti_room_nodes(&r->lattice);
    r->node = vti_arena_push(arena, sizeof *r->node * nodes);
    memset(r->node, 0, sizeof *r->node * nodes);
    find_ball(r);
    r->fits = p->fits;
    if (r->fits)
        return;
    float *const fits = vti_arena_push(arena, sizeof *fits * nodes);
    vti_find_what_fits(&p->stream, &r->shape, vti_filling(p), &r->lattice, arena, fits);
    r->fits = fits;
}

/* ---- what is there ---- */

/* A point of the world in the space of the pose. */
static void find_place(const room *r, const float world[3], double place[3])
{
    double from[3];
    vti_widen(world, from);
    vti_pose_point_back(&r->pose, from, place);
}

/* Where a vorton lies when the run is born, gone with the wind since now or since its own birth: in
 * the world. */
static void find_world_of(const room *r, int64_t row, double world[3])
{
    const vt_simulation *const s = r->simulation;
    const double born = fmax(-(double)s->vortons.age[row], 0);
    vti_widen(s->vortons.position + 3 * row, world);
    vti_add_scaled(world, r->time - s->time - born, r->wind);
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

static int is_near(const room *r, int64_t row, neighbour *to)
{
    const vt_vortons *const v = &r->simulation->vortons;
    double world[3], place[3];
    find_world_of(r, row, world);
    if (!(vti_square_between(world, r->middle) <= r->reach2))
        return 0;
    vti_pose_point_back(&r->pose, world, place);
    for (int a = 0; a < 3; a++)
        if (!(place[a] >= r->lattice.least[a] && place[a] <= r->beyond[a]))
            return 0;
    if (!vti_find_room_corners(&r->lattice, place, &to->corners))
        return 0;
    to->row = (uint32_t)row;
    to->volume = (float)((double)v->volume[row] / r->volume);
    to->other = differs(r, row);
    to->held = to->other && (r->once || contains(r, place));
    return 1;
}

static void find_near(void *data, int64_t begin, int64_t end)
{
    const room *const r = data;
    int32_t found = 0;
    for (int64_t i = begin; i < end; i++)
        found += is_near(r, i, r->near + begin + found);
    r->near_count[begin / BLOCK] = found;
}

static int64_t count_blocks(const room *r)
{
    return (r->simulation->vortons.set.count + BLOCK - 1) / BLOCK;
}

static void add_volume(const room *r, const neighbour *near)
{
    for (int n = 0; n < 8; n++) {
        node_volumes *const node = r->node + near->corners.node[n];
        const float part = near->volume * near->corners.share[n];
        node->held += near->held ? part : 0;
        *(near->other ? &node->other : &node->ambient) += part;
    }
}

/* The node on a side of another; -1: the lattice ends there. */
static int64_t node_beside(const room *r, int64_t node, int side)
{
    const int32_t *const size = r->lattice.size;
    const int64_t stride[3] = {1, size[0], (int64_t)size[0] * size[1]};
    const int axis = side / 2, up = side % 2;
    if (node / stride[axis] % size[axis] == (up ? size[axis] - 1 : 0))
        return -1;
    return up ? node + stride[axis] : node - stride[axis];
}

/* How much more fits around a node. */
static float room_at(const room *r, int64_t node)
{
    return node < 0 ? 0 : fmaxf(r->fits[node] - r->node[node].held, 0);
}

/* What a node holds beyond what fits there goes to those beside it, as far as they have room. */
static void share_excess_of(const room *r, int64_t node, float *change)
{
    const float excess = r->node[node].held - r->fits[node];
    float room_beside[6], there = 0;
    if (!(excess > 0))
        return;
    for (int side = 0; side < 6; side++)
        there += room_beside[side] = room_at(r, node_beside(r, node, side));
    for (int side = 0; side < 6; side++) {
        if (!(room_beside[side] > 0))
            continue;
        const float given = fminf(excess / there, 1) * room_beside[side];
        change[node_beside(r, node, side)] += given;
        change[node] -= given;
    }
}

/* Vortons are small where they lie, but not what they stand for: where some are close together and
 * others far apart, as after they have merged, births in the gaps would fill a shape more than
 * once. */
static void share_excess(room *r)
{
    const int64_t nodes = vti_room_nodes(&r->lattice);
    const size_t mark = vti_arena_mark(&r->simulation->arena);
    float *const change = vti_arena_push(&r->simulation->arena, sizeof *change * (size_t)nodes);
    memset(change, 0, sizeof *change * (size_t)nodes);
    for (int64_t n = 0; n < nodes; n++)
        share_excess_of(r, n, change);
    for (int64_t n = 0; n < nodes; n++)
        r->node[n].held += change[n];
    vti_arena_pop(&r->simulation->arena, mark);
}

static void find_what_is_there(room *r)
{
    const int64_t count = r->simulation->vortons.set.count, blocks = count_blocks(r);
    r->near = vti_arena_push(&r->simulation->arena, sizeof *r->near * (size_t)count);
    r->near_count = vti_arena_push(&r->simulation->arena, sizeof *r->near_count * (size_t)blocks);
    vti_parallel_for(r->simulation->def.threads, count, BLOCK, find_near, r);
    for (int64_t b = 0; b < blocks; b++)
        for (int32_t n = 0; n < r->near_count[b]; n++)
            add_volume(r, r->near + b * BLOCK + n);
    for (int n = 0; n < SHARES && !r->once; n++)
        share_excess(r);
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

/* Whether there is room for half of what a birth of `one` cells adds at its place. What burns
 * swells, and so makes room by itself: it comes as fast as its emitter is to give it. */
static int has_room(const room *r, const vt_births *b, int64_t i, float one,
                    const vt_room_corners *c)
{
    float held = 0, own = 0, fits = 0, there = 0;
    for (int n = 0; n < 8; n++) {
        const node_volumes *const node = r->node + c->node[n];
        held += c->share[n] * node->held;
        own += c->share[n] * c->share[n] * one;
        fits += c->share[n] * r->fits[c->node[n]];
        there += c->share[n] * (node->other + node->ambient);
    }
    if (r->once)
        return (is_ambient(b, i) ? there : held) <= full;
    return is_ambient(b, i) || b->vorton_composition[VT_CARRIED_fuel][i] > 0 ||
           held + own / 2 < fits;
}

/* Of the volume of a birth, what it takes from the ambient fluid. */
static double share_taken(const room *r, const vt_births *b, int64_t i)
{
    const float temperature = b->vorton_composition[VT_CARRIED_temperature][i];
    return temperature > 0 && r->heats
               ? vti_ambient_share(&r->fluid, b->vorton_position + 3 * i, temperature)
               : 1;
}

static int takes_room(const room *r, const vt_births *b, int64_t i)
{
    const int ambient = is_ambient(b, i);
    const float one = (float)((double)b->vorton_volume[i] / r->volume);
    double place[3];
    vt_room_corners c;
    find_place(r, b->vorton_position + 3 * i, place);
    if (!vti_find_room_corners(&r->lattice, place, &c))
        return 1;
    if (!has_room(r, b, i, one, &c))
        return 0;
    const float taken = one * (float)share_taken(r, b, i);
    for (int n = 0; n < 8 && !ambient; n++) {
        node_volumes *const node = r->node + c.node[n];
        node->taken += taken * c.share[n];
        node->held += r->once ? 0 : one * c.share[n];
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

static float fill_of(const node_volumes *node)
{
    return node->other + node->ambient;
}

/* Whether a node is empty, or lies beside one that is. The others lack volume only because vortons
 * happen to lie farther apart: what is born there would come on top. */
static int is_open(const room *r, int64_t n)
{
    int open = fill_of(r->node + n) < VT_EMPTY_FILL;
    for (int side = 0; side < 6; side++) {
        const int64_t at = node_beside(r, n, side);
        open |= at >= 0 && fill_of(r->node + at) < VT_EMPTY_FILL;
    }
    return open;
}

/* What is born takes empty space first. */
static void find_share_that_gives(room *r)
{
    const int64_t count = vti_room_nodes(&r->lattice);
    for (int64_t n = 0; n < count; n++) {
        node_volumes *const node = r->node + n;
        if (!(node->taken > 0))
            continue; /* gives nothing */
        const float empty = is_open(r, n) ? fmaxf(1 - fill_of(node), 0) : 0;
        const float beyond = fmaxf(node->taken - empty, 0);
        node->gives = beyond < node->ambient ? beyond / node->ambient : beyond > 0;
    }
}

/* Of the eddies that the fluid in the shape has (population/inflow_swirl.h), what makes way takes
 * its part along: the newborn bring their own. */
static void take_eddies(const room *r, int64_t row, float volume)
{
    const vt_fluid_emitter *const p = r->emitter;
    const vt_vortons *const v = &r->simulation->vortons;
    double world[3], place[3];
    float strength[3];
    if (!vti_fluid_follows_eddies(p) || !(v->flags[row] & VT_FLAG_STIRRED))
        return;
    find_world_of(r, row, world);
    vti_pose_point_back(&r->pose, world, place);
    if (!contains(r, place))
        return;
    vti_random_eddies_at(p->eddies, &r->pose, place, r->time - p->stream.start,
                         vti_parcels_at(p, r->time).swirl, (double)volume,
                         vti_filters_at_birth(r->simulation, (double)v->core[row]), strength);
    for (int c = 0; c < 3; c++)
        v->strength[3 * row + c] -= strength[c];
}

/* One of ambient fluid. */
static void give_way(const room *r, const neighbour *near, float least)
{
    vt_simulation *const s = r->simulation;
    float *const volume = s->vortons.volume + near->row;
    float share = 0;
    if (near->other || *volume <= least)
        return;
    for (int n = 0; n < 8; n++)
        share += near->corners.share[n] * r->node[near->corners.node[n]].gives;
    if (!(share > 0))
        return;
    const float kept = fmaxf(*volume * (1 - share), least);
    take_eddies(r, near->row, *volume - kept);
    vti_count_heat(s, near->row, 1, NULL, -1);
    *volume = kept;
    vti_count_heat(s, near->row, 1, NULL, 1);
}

static void make_way(room *r)
{
    const double scale = r->emitter->spacing * r->pose.scale;
    const float least = (float)(least_volume * scale * scale * scale);
    find_share_that_gives(r);
    for (int64_t b = 0; b < count_blocks(r); b++)
        for (int32_t n = 0; n < r->near_count[b]; n++)
            give_way(r, r->near + b * BLOCK + n, least);
}

/* ---- a run of births ---- */

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
    const double width = vti_lay_out_room(&p->stream.region, p->spacing).width * there.scale;
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

/* Whether the births of an emitter depend on what is there: fluid that has weight, or pushes the
 * rest away, counts once. */
static int looks_for_room(const vt_simulation *s, const vt_fluid_emitter *p)
{
    return p && !p->points && !(p->shape.shape.layer > 0) &&
           (vti_is_lifted(s) || vti_is_heated_at_birth(s, p));
}

int64_t vti_end_of_place(const vt_simulation *s, const vt_births *b, const vt_birth_run *run,
                         int64_t end)
{
    const vt_fluid_emitter *const p = vti_emitter_of_id(s, run->source);
    if (!looks_for_room(s, p))
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
    const vt_fluid_emitter *const p = vti_emitter_of_id(s, run->source);
    if (!looks_for_room(s, p))
        return end;
    const size_t mark = vti_arena_mark(&s->arena);
    const double time = b->vorton_time[run->next];
    room r = {.simulation = s,
              .emitter = p,
              .fluid = vti_fluid_of(&s->def),
              .pose = vti_pose_at(&s->transforms, p->stream.parent, time),
              .shape = vti_region_at(&p->shape, time),
              .time = time,
              .once = p->stream.rate == 0,
              .heats = vti_is_heated_at_birth(s, p)};
    find_wind(s, s->time, time, r.wind);
    for (int64_t i = run->next; i < end; i++)
        r.contrast = fmax(r.contrast, find_contrast(&r, b, i));
    if (!(r.contrast > VT_LEAST_CONTRAST * s->def.ambient.density)) {
        vti_arena_pop(&s->arena, mark); /* it has no weight to be counted more than once */
        return end;
    }
    lay_out(&r);
    find_what_is_there(&r);
    int64_t kept = run->next;
    for (int64_t i = run->next; i < end; i++)
        if (takes_room(&r, b, i))
            move_birth(b, kept++, i);
    make_way(&r);
    vti_arena_pop(&s->arena, mark);
    return kept;
}
