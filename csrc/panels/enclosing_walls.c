#include "panels/enclosing_walls.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "geometry/panel_mesh.h"
#include "model/warnings.h"
#include "panels/panel_choice.h"
#include "panels/touching_bodies.h"
#include "state/predicates.h"
#include "state/transform.h"

/* Widest panels with which no more than a tenth of the wind is in a closed room, over its width and
 * by the fourth root of thickness over width, for thin walls let more through: of rooms of six
 * boards of .033, .17 and .5 widths .14, .21 and .29 of it, five times as long as wide .24, as wide
 * as flat .42, a hut with a door .17, a tube with one end .25; by this .13, .20, .27, .21, .39,
 * .18, .26. Where a share of the directions along the walls is open, panels may be 1 / (1 - 2 x the
 * share) times as wide: a duct .37 to .45, by this .37; a crate without a lid .30 (.4); a channel
 * without a roof .5 (whatever). tests/test_enclosing_walls.py has some of them. */
static const double widest = 0.3;

/* How far along the walls something must close the space between them, in gaps: farther off, as
 * beside a box near a wall of a hall, it does not matter. */
static const double around = 8;

/* Least share that is as wide for its gap: of what faces other walls, so that a box before a wall
 * does not make a room narrow, and of all, so that a nook of a heap of bricks is no room. */
static const double share_of_facing = 1.0 / 3, share_of_all = 0.05;

/* Up to which share of open directions a space is closed: bodies that touch, but are not solved for
 * together, lead the flow along a duct within 3 %, through a closed room goes .2 to .8 of the wind,
 * whatever their panels. */
static const double closed = 1.0 / 8;

/* More of them than reach the widest, for advice: how many there are comes in jumps. */
static const double more_panels = 1.2;

/* Sides of a panel as far as which a wall is looked for, and before it where a look starts. */
static const double far_sides = 1000, near_sides = 1e-3;

/* Directions in which is looked whether a space is closed. */
enum { QUARTER = 4 };

/* What a panel faces. */
typedef struct facing {
    double closeness; /* 1 / the largest width that it may have there, 1/m */
    double ratio;     /* how wide it is, over that */
    double gap, area; /* m, m^2 */
    int32_t body;
} facing;

typedef struct look {
    const vt_simulation *s;
    const int32_t *group;
    vt_pose *pose;       /* of each body at 0 s: what is looked at never moves against each other */
    double (*center)[3]; /* of each, in the world, m */
    uint8_t *stands; /* which stand in the way of what is looked at from this one, at any time */
    facing *found;   /* of all that touch */
    int32_t from, count;
    int32_t parted;    /* they touch, but each has panels of its own */
    double faces, all; /* area of what is found, and of all that touch, m^2 */
} look;

/* ---- looking ---- */

static int passes_ball(const double center[3], double reach, const double at[3],
                       const double way[3], double length)
{
    double arm[3];
    vti_subtract(center, at, arm);
    const double along = fmin(fmax(vti_dot(arm, way), 0), length);
    vti_add_scaled(arm, -along, way);
    return vti_dot(arm, arm) <= reach * reach;
}

/* Distance along `way`, a unit vector, to body number m; `length` where there is none before;
 * normal of the wall there. */
static double distance_to(const look *l, int32_t m, const double at[3], const double way[3],
                          double length, double normal[3])
{
    const vt_body *const body = &l->s->bodies.items[m];
    const vt_pose *const pose = &l->pose[m];
    double from[3], along[3], to[3], out[3], nearest = length;
    if (isfinite(body->reach) && !passes_ball(l->center[m], body->reach, at, way, length))
        return length;
    vti_pose_point_back(pose, at, from);
    vti_pose_direction_back(pose, way, along);
    for (int32_t n = 0; n < body->solid_count; n++) {
        const vt_solid *const solid = &body->solids[n];
        const double far = nearest / pose->scale;
        double share;
        if (isfinite(solid->circumscribed) &&
            !passes_ball(solid->center, solid->circumscribed, from, along, far))
            continue;
        memcpy(to, from, sizeof to);
        vti_add_scaled(to, far, along);
        if (!vti_solid_enter(solid, from, to, &share, out))
            continue;
        nearest *= share;
        vti_pose_direction(pose, out, normal);
    }
    return nearest;
}

/* Whether a body is a plane that what is looked at stands on. */
static int is_floor(const look *l, int32_t m)
{
    const vt_body *const items = l->s->bodies.items;
    const vt_panel_set *const whole = items[l->from].panels->whole;
    int is = 0;
    for (int32_t n = 0; whole && n < whole->mirrors.count; n++)
        is |= whole->mirrors.item[n].of == items[m].id && l->stands[m];
    return is;
}

/* The nearest wall of those that the body touches, or stands on, and of its own, or with `any` of
 * all bodies. */
static double look_along(const look *l, int any, const double at[3], const double way[3],
                         double length, double normal[3])
{
    double nearest = length;
    for (int32_t m = 0; m < l->s->bodies.count; m++)
        if (any ? l->stands[m] : l->group[m] == l->group[l->from] || is_floor(l, m))
            nearest = distance_to(l, m, at, way, nearest, normal);
    return nearest;
}

/* From wall to wall in opposite directions, of all of those the median, the lower one. */
static double median_chord(const double reach[4 * QUARTER])
{
    double chord[2 * QUARTER];
    for (int k = 0; k < 2 * QUARTER; k++) {
        const double own = reach[k] + reach[k + 2 * QUARTER];
        int at = k;
        for (; at > 0 && chord[at - 1] > own; at--)
            chord[at] = chord[at - 1];
        chord[at] = own;
    }
    return chord[QUARTER - 1];
}

/* Share of the directions across a normal in which nothing is within a length; *across: the way
 * from wall to wall there. */
static double open_share(const look *l, const double at[3], const double normal[3], double length,
                         double *across)
{
    static const double cosine[QUARTER + 1] = {1, 0.9238795325112867, 0.7071067811865476,
                                               0.38268343236508984, 0};
    double axis[2][3], out[3], reach[4 * QUARTER];
    int open = 0;
    vti_find_across(normal, axis);
    for (int k = 0; k < 4 * QUARTER; k++) {
        double way[3] = {0, 0, 0};
        const int side = k / QUARTER % 2, back = k >= 2 * QUARTER;
        const double x = cosine[k % QUARTER], y = cosine[QUARTER - k % QUARTER];
        vti_add_scaled(way, back ? -x : x, axis[side]);
        vti_add_scaled(way, side != back ? -y : y, axis[!side]);
        reach[k] = look_along(l, 1, at, way, length, out);
        open += !(reach[k] < length);
    }
    *across = median_chord(reach);
    return open / (4.0 * QUARTER);
}

/* Whether a point lies in one of those that the body touches. */
static int is_covered(const look *l, const double at[3])
{
    int covered = 0;
    for (int32_t m = 0; m < l->s->bodies.count && l->parted; m++) {
        double local[3];
        if (m == l->from || l->group[m] != l->group[l->from])
            continue;
        vti_pose_point_back(&l->pose[m], at, local);
        covered |= vti_room_at_body(&l->s->bodies.items[m], local, 0, NULL) < 0;
    }
    return covered;
}

/* How thick the solid is on which a panel lies, m: from a point just above it down. */
static double thickness_below(const look *l, const double at[3], const double normal[3])
{
    const vt_body *const body = &l->s->bodies.items[l->from];
    const vt_pose *const pose = &l->pose[l->from];
    double from[3], down[3], to[3], nearest = INFINITY, thickness = 0;
    vti_pose_point_back(pose, at, from);
    vti_pose_direction_back(pose, normal, down);
    memcpy(to, from, sizeof to);
    vti_add_scaled(to, -1, down);
    for (int32_t n = 0; n < body->solid_count; n++) {
        double enter, leave;
        if (vti_solid_cut(&body->solids[n], 0, from, to, &enter, &leave) && leave > 0 &&
            vti_abs(enter) < nearest) {
            nearest = vti_abs(enter);
            thickness = pose->scale * (leave - enter);
        }
    }
    return thickness;
}

/* Widest panels on walls of a thickness around so wide a space. */
static double widest_in(double width, double thickness)
{
    return widest * width * vti_sqrt(vti_sqrt(fmin(thickness / width, 1)));
}

/* Whether a body stands in the way of what body `from` looks at, at any time. */
static int stands_by(const look *l, int32_t m)
{
    const vt_body *const own = &l->s->bodies.items[l->from], *const body = &l->s->bodies.items[m];
    return m == l->from ||
           (vti_wants_panels(l->s, m) && !body->hole && !body->form && !body->rigid.placed &&
            !own->rigid.placed && vti_move_as_one(&l->s->transforms, own->parent, body->parent));
}

/* What panel i of the body faces, if panels as wide as `wide` may matter there. */
static void look_from_panel(look *l, const vt_panel_set *set, int32_t i, double wide)
{
    const double opposite = -0.7;
    const vt_pose *const pose = &l->pose[l->from];
    const double side = pose->scale * set->side;
    double at[3], normal[3], other[3] = {0, 0, 0}, across;
    vti_pose_point(pose, set->center[i], at);
    vti_pose_direction(pose, set->normal[i], normal);
    vti_add_scaled(at, near_sides * side, normal);
    if (is_covered(l, at))
        return;
    const double gap = look_along(l, 0, at, normal, far_sides * side, other);
    if (!(gap < far_sides * side) || vti_dot(normal, other) > opposite)
        return;
    facing *const f = &l->found[l->count++];
    *f = (facing){.gap = gap, .area = pose->scale * pose->scale * set->area[i], .body = l->from};
    l->faces += f->area;
    const double thickness = thickness_below(l, at, normal);
    if (!l->parted && wide < widest_in(gap, thickness))
        return;
    vti_add_scaled(at, 0.5 * gap, normal);
    const double open = open_share(l, at, normal, around * gap, &across);
    const double space = vti_sqrt(gap * fmax(across, gap));
    f->closeness = fmax(1 - 2 * open, 0) / widest_in(space, thickness);
    f->ratio = l->parted ? 2 * (open <= closed) : f->closeness * side;
}

static void look_from_body(look *l, int32_t n)
{
    const vt_body *const body = &l->s->bodies.items[n];
    const vt_panel_set *const set = body->panels;
    const double wide = body->coarse ? body->coarse->side : set->side;
    l->from = n;
    for (int32_t m = 0; m < l->s->bodies.count; m++)
        l->stands[m] = (uint8_t)stands_by(l, m);
    for (int32_t i = 0; i < set->count; i++) {
        l->all += body->scale * body->scale * set->area[i];
        look_from_panel(l, set, i, body->scale * wide);
    }
}

/* ---- what was found ---- */

static int compare_ratios(const void *a, const void *b)
{
    const facing *const x = a, *const y = b;
    if (x->ratio != y->ratio)
        return x->ratio > y->ratio ? -1 : 1;
    return x->body != y->body ? (x->body > y->body) - (x->body < y->body)
                              : (x->gap > y->gap) - (x->gap < y->gap);
}

static double enough_of(const look *l)
{
    return fmax(share_of_facing * l->faces, share_of_all * l->all);
}

/* Of what a good share is as wide as; ratio 0: they enclose nothing. */
static facing typical(const look *l)
{
    double area = 0;
    qsort(l->found, (size_t)l->count, sizeof *l->found, compare_ratios);
    for (int32_t n = 0; n < l->count; n++) {
        area += l->found[n].area;
        if (area >= enough_of(l))
            return l->found[n];
    }
    return (facing){0};
}

/* Whether the coarse panels of that share would be too wide. */
static int are_coarse_too_wide(const look *l)
{
    double area = 0;
    for (int32_t n = 0; n < l->count && !l->parted; n++) {
        const vt_body *const body = &l->s->bodies.items[l->found[n].body];
        if (body->coarse && body->scale * body->coarse->side * l->found[n].closeness > 1)
            area += l->found[n].area;
    }
    return area > 0 && area >= enough_of(l);
}

/* ---- what is told ---- */

static int32_t count_touching(const look *l)
{
    int32_t count = 0;
    for (int32_t m = 0; m < l->s->bodies.count; m++)
        count += l->group[m] == l->group[l->from];
    return count;
}

/* Rounded up to tens. */
static int as_panels(double count)
{
    return (int)fmin(fmax(10 * ceil(count / 10), VT_LEAST_PANELS), VT_MOST_AIMED);
}

/* Panels that are no wider on a surface than is allowed there, and some more. */
static double panels_for(const vt_panel_set *set, double scale, double closeness)
{
    const double ratio = scale * set->side * closeness;
    return more_panels * set->count * ratio * ratio;
}

/* What to give the body, and those that it touches: as many as the largest of them needs. */
static void advise(const look *l, const vt_body *body, double closeness, char text[160])
{
    const int others = count_touching(l) - 1;
    const vt_panel_set *const whole = others > 0 ? body->panels->whole : NULL;
    double each = 0;
    for (int32_t m = 0; m < l->s->bodies.count; m++) {
        const vt_body *const other = &l->s->bodies.items[m];
        if (l->group[m] == l->from)
            each = fmax(each, panels_for(vti_own_panels(other, 0), other->scale, closeness));
    }
    const double all = whole ? panels_for(whole, body->scale, closeness) : each;
    if (whole && all > VT_MOST_TOGETHER)
        snprintf(text, 160,
                 "make it and the %d that it touches shapes of one Body([...]), with panels=%d",
                 others, as_panels(all));
    else if (whole)
        snprintf(text, 160, "give it panels=%d, and as many to the %d that it touches",
                 as_panels(each), others);
    else
        snprintf(text, 160, "give it panels=%d%s", as_panels(each),
                 each > VT_MOST_AIMED ? ", the most there may be" : "");
}

static void warn_of_wide(vt_simulation *s, const look *l, const facing *f)
{
    const vt_body *const body = &s->bodies.items[f->body];
    char text[160];
    advise(l, body, f->closeness, text);
    vti_warn(
        &s->warnings, VT_WARN_WIDE_PANELS, -1,
        "body '%s': its panels are %.2g m wide, where walls face each other across %.2g m: the "
        "flow in what they enclose is wrong by a tenth or more. Up to %.2g m will do: %s",
        body->name, body->scale * body->panels->side, f->gap, 1 / f->closeness, text);
}

static void warn_of_parted(vt_simulation *s, const look *l)
{
    const vt_body *const body = &s->bodies.items[l->from];
    double all = 0;
    for (int32_t m = 0; m < s->bodies.count; m++)
        if (l->group[m] == l->group[l->from])
            all += vti_own_panels(&s->bodies.items[m], 0)->count;
    const int fit = (int)(0.9 * VT_MOST_TOGETHER / all * body->aimed_panels);
    char give[64] = "";
    if (fit >= VT_LEAST_PANELS)
        snprintf(give, sizeof give, "give each panels=%d, or ", fit);
    vti_warn(&s->warnings, VT_WARN_PARTED_PANELS, -1,
             "body '%s' and the %d that it touches enclose fluid, but have %.0f panels, more than "
             "the %d that are solved for together: each keeps its own, and a good part of the flow "
             "outside goes through their walls. For a tight room %smake them shapes of one "
             "Body([...])",
             body->name, count_touching(l) - 1, all, VT_MOST_TOGETHER, give);
}

/* ---- all of it ---- */

/* Whether a body may enclose anything: one that is convex, and touches none, does not. */
static int may_enclose(const look *l, int32_t n)
{
    const vt_body *const body = &l->s->bodies.items[n];
    int touches = 0;
    for (int32_t m = 0; m < l->s->bodies.count; m++)
        touches |= m != n && l->group[m] == l->group[n];
    return vti_wants_panels(l->s, n) && !body->hole && !body->panels->open && !body->form &&
           !body->hidden && (touches || body->solid_count > 1);
}

/* Those that body number `first` is the first of. */
static void look_from_group(vt_simulation *s, look *l, int32_t first)
{
    l->count = l->parted = 0;
    l->faces = l->all = 0;
    for (int32_t n = first; n < s->bodies.count; n++)
        l->parted |= n != first && l->group[n] == first && !s->bodies.items[n].panels->whole;
    for (int32_t n = first; n < s->bodies.count; n++)
        if (l->group[n] == first && may_enclose(l, n))
            look_from_body(l, n);
    l->from = first;
    const int encloses = are_coarse_too_wide(l);
    for (int32_t n = first; n < s->bodies.count; n++)
        if (l->group[n] == first)
            s->bodies.items[n].encloses = encloses;
    const facing found = typical(l);
    if (found.ratio > 1 && l->parted)
        warn_of_parted(s, l);
    else if (found.ratio > 1)
        warn_of_wide(s, l, &found);
}

vt_status vti_look_at_enclosing_walls(vt_simulation *s, const int32_t *group)
{
    const size_t count = (size_t)s->bodies.count;
    size_t panels = 1;
    for (size_t n = 0; n < count; n++)
        panels += s->bodies.items[n].panels ? (size_t)s->bodies.items[n].panels->count : 0;
    look l = {.s = s,
              .group = group,
              .pose = vti_allocate(sizeof *l.pose * count),
              .center = vti_allocate(sizeof *l.center * count),
              .stands = vti_allocate(count),
              .found = vti_allocate(sizeof *l.found * panels)};
    const int known = l.pose && l.center && l.stands && l.found;
    for (int32_t n = 0; n < s->bodies.count && known; n++) {
        l.pose[n] = vti_pose_at(&s->transforms, s->bodies.items[n].parent, 0);
        vti_pose_point(&l.pose[n], s->bodies.items[n].center, l.center[n]);
    }
    for (int32_t n = 0; n < s->bodies.count && known; n++)
        if (group[n] == n)
            look_from_group(s, &l, n);
    vti_free(l.pose);
    vti_free(l.center);
    vti_free(l.stands);
    vti_free(l.found);
    return known ? VT_OK
                 : vti_fail(VT_OUT_OF_MEMORY, "no memory for the panels of %zu bodies", count);
}
