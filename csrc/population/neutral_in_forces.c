#include "population/neutral_in_forces.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "panels/grid_request.h"
#include "sources/source_list.h"
#include "state/distance_to_bodies.h"
#include "state/force_at_time.h"
#include "state/particles.h"
#include "state/predicates.h"

enum { EDGE = VT_BRICK_EDGE };

/* Nodes of a brick in the shape of a force. */
typedef struct marks {
    struct marks *next;
    int32_t at[3]; /* of the brick */
    vt_node_bits inside;
} marks;

/* A force that marks the nodes in its shape. */
typedef struct marking {
    const vt_simulation *simulation;
    const vt_pose *pose; /* of each body */
    vt_shell_lattice *lattice;
    const vt_acting_force *acting;
    double core;  /* of the vortons to be born, m */
    int64_t left; /* nodes that may still be marked, by this force and those after it */
    marks *found;
    int64_t count;
} marking;

/* ---- the nodes of one force ---- */

static int is_full(const marking *m)
{
    return m->left < 0;
}

/* `walled`: whether a wall may cut the brick. */
static void look_into_brick(marking *m, const int32_t at[3], int walled)
{
    const vt_brick *const known = vti_search_brick(m->lattice, at);
    marks new = {.next = m->found, .at = {at[0], at[1], at[2]}};
    int any = 0;
    for (int n = 0; n < VT_BRICK_NODES && !is_full(m); n++) {
        const int32_t node[3] = {at[0] * EDGE + n % EDGE, at[1] * EDGE + n / EDGE % EDGE,
                                 at[2] * EDGE + n / EDGE / EDGE};
        const int row = vti_bit_row(node), bit = vti_bit(node);
        double world[3];
        for (int a = 0; a < 3; a++)
            world[a] = node[a] * m->lattice->spacing;
        if (!vti_acts_at(m->acting, world))
            continue;
        any = 1;
        new.inside[row] |= (uint8_t)bit;
        m->left -= !(known && known->source[row] & bit) &&
                   !(walled && vti_distance_near(m->simulation, m->pose, world) < 0);
    }
    if (!any || !vti_has_room_for_bricks(m->lattice))
        return;
    m->found = vti_arena_push(m->lattice->arena, sizeof new);
    *m->found = new;
    m->count++;
}

/* In a cube of bricks, a power of 2 a side; one in a wall or outside of the shape is passed over.
 */
static void look_into_cube(marking *m, const int32_t at[3], int32_t side)
{
    const double nodes = (double)side * EDGE - 1, spacing = m->lattice->spacing;
    const double reach = 0.88 * nodes * spacing; /* to the corners, and a little more */
    double middle[3];
    for (int a = 0; a < 3; a++)
        middle[a] = spacing * ((double)at[a] * EDGE + 0.5 * nodes);
    if (is_full(m) || !vti_acts_near(m->acting, middle, reach))
        return;
    const double room = vti_distance_near(m->simulation, m->pose, middle);
    if (room < -reach)
        return;
    if (side == 1) {
        look_into_brick(m, at, room < reach);
        return;
    }
    for (int part = 0; part < 8; part++) {
        const int32_t half = side / 2;
        const int32_t corner[3] = {at[0] + (part & 1) * half, at[1] + (part >> 1 & 1) * half,
                                   at[2] + (part >> 2) * half};
        look_into_cube(m, corner, half);
    }
}

static void look_into_shape(marking *m)
{
    const double brick = EDGE * m->lattice->spacing, farthest = 1 << 24;
    double low[3], high[3];
    int32_t first[3], longest = 1, side = 1;
    m->found = NULL;
    m->count = 0;
    if (!(vti_abs(m->acting->now.strength) > 0) || !vti_acting_box(m->acting, low, high))
        return;
    for (int a = 0; a < 3; a++) {
        if (!(low[a] / brick < farthest) || !(high[a] / brick > -farthest))
            return;
        first[a] = (int32_t)vti_floor(fmax(low[a] / brick, -farthest));
        const int32_t length = (int32_t)vti_floor(fmin(high[a] / brick, farthest)) - first[a] + 1;
        longest = length > longest ? length : longest;
    }
    while (side < longest)
        side *= 2;
    look_into_cube(m, first, side);
}

static int compare_places(const void *first, const void *second)
{
    const marks *const a = *(marks *const *)first, *const b = *(marks *const *)second;
    for (int axis = 2; axis >= 0; axis--)
        if (a->at[axis] != b->at[axis])
            return a->at[axis] < b->at[axis] ? -1 : 1;
    return 0;
}

/* In the order of their places. 0: no memory, then not all was found either. */
static int mark_found(marking *m)
{
    vt_brick_hints hints = {{NULL}};
    marks **const in_order = vti_arena_push(m->lattice->arena, sizeof(marks *) * (size_t)m->count);
    int64_t n = 0;
    for (marks *found = m->found; found; found = found->next)
        in_order[n++] = found;
    qsort(in_order, (size_t)n, sizeof *in_order, compare_places);
    for (n = 0; n < m->count; n++) {
        vt_brick *const b =
            vti_need_brick(m->lattice, in_order[n]->at, (float)m->core, INFINITY, &hints);
        if (!b)
            return 0;
        for (int row = 0; row < EDGE * EDGE; row++)
            b->source[row] |= in_order[n]->inside[row];
    }
    return 1;
}

/* ---- room ---- */

/* A vorton fills at most the nodes around it: where more than so many lie in the shapes, and in no
 * wall, there is no room for what they lack. */
static int64_t count_bearable(const vt_simulation *s, int64_t reserved)
{
    const int64_t alive = s->vortons.set.count, room = s->vortons.set.capacity - alive - reserved;
    return 8 * alive + (room > 0 ? room : 0);
}

/* " of source 2 (emitter)", the emitter whose cores are the narrowest, or nothing. */
static void name_narrowest(const vt_simulation *s, double core, char name[64])
{
    name[0] = 0;
    for (int32_t n = 0; n < s->sources.fluid_emitter_count && !name[0]; n++) {
        const vt_fluid_emitter *const p = &s->sources.parcels[n];
        const vt_pose pose = vti_pose_at(&s->transforms, p->stream.parent, s->time);
        if (p->core * pose.scale <= 1.01 * core)
            snprintf(name, 64, " of source %d (%s)", p->stream.id,
                     vti_name_of_source(&s->sources, p->stream.id));
    }
}

static double volume_of(const vt_acting_force *acting)
{
    const double scale = acting->pose.scale;
    return acting->region.volume * scale * scale * scale;
}

static vt_status refuse(const marking *m)
{
    const vt_simulation *const s = m->simulation;
    const double spacing = m->lattice->spacing, volume = volume_of(m->acting);
    char whose[64];
    name_narrowest(s, m->core, whose);
    return vti_fail(VT_OVER_CAPACITY,
                    "force %d has a shape of %.3g m^3: to fill it takes %.3g vortons, %.2g m "
                    "apart for the narrowest cores of %.2g m%s, and %lld of max_vortons %lld%s are "
                    "alive; give the force a smaller shape, or wider cores, or simulate what is "
                    "narrow in a scene of its own",
                    m->acting->force->id, volume, volume / (spacing * spacing * spacing), spacing,
                    m->core, whose, (long long)s->vortons.set.count,
                    (long long)s->vortons.set.capacity, vti_whose_room(s, VT_VORTONS));
}

/* More than anyone means: a frame takes a second and more. */
static const int64_t many_vortons = 500000;

/* Neutral vortons alive, where a force fills a good part of what is much. */
static int64_t count_neutral(const vt_simulation *s, int64_t filled)
{
    int64_t count = 0;
    if (filled <= many_vortons / 4 || s->vortons.set.count <= many_vortons)
        return 0;
    for (int64_t i = 0; i < s->vortons.set.count; i++)
        count += s->vortons.flags[i] & VT_FLAG_NEUTRAL;
    return count;
}

/* nodes: in the shape. Those around it, and those that a shape that moves has left, count too, from
 * when they are there. */
static void look_for_many(vt_simulation *s, const marking *m, int64_t nodes)
{
    char whose[64];
    if (vti_is_warned(&s->warnings, VT_WARN_MANY_VORTONS))
        return;
    const int64_t there = count_neutral(s, nodes), filled = there > nodes ? there : nodes;
    if (filled <= many_vortons)
        return;
    name_narrowest(s, m->core, whose);
    vti_warn(&s->warnings, VT_WARN_MANY_VORTONS, -1,
             "the shape of force %d, %.3g m^3, is filled with %.2g vortons, %.2g m apart for the "
             "narrowest cores of %.2g m%s, which is slow: give the force a smaller shape, or "
             "wider cores, or simulate what is narrow in a scene of its own",
             m->acting->force->id, volume_of(m->acting), (double)filled, m->lattice->spacing,
             m->core, whose);
}

vt_status vti_mark_forces(vt_simulation *s, int64_t reserved, int refuses,
                          vt_shell_lattice *lattice)
{
    marking m = {.simulation = s,
                 .lattice = lattice,
                 .core = vti_core_of_neutral(s),
                 .left = count_bearable(s, reserved)};
    if (vti_has_forces_on(s, VT_FORCE_ON_FLUID) && s->bodies.count > 0)
        m.pose = vti_poses_at(s, s->time);
    for (int32_t n = 0; n < s->forces.count && !is_full(&m); n++) {
        if (s->forces.force[n].def.acts_on != VT_FORCE_ON_FLUID)
            continue;
        const vt_acting_force acting = vti_force_at(s, &s->forces.force[n], s->time);
        const int64_t left = m.left;
        m.acting = &acting;
        look_into_shape(&m);
        if (is_full(&m) && refuses)
            return refuse(&m);
        if (!mark_found(&m))
            return VT_OUT_OF_MEMORY;
        look_for_many(s, &m, left - m.left);
    }
    return VT_OK;
}
