#include "panels/touching_bodies.h"

#include "base/memory.h"
#include "geometry/panel_mesh.h"
#include "geometry/source_panels.h"
#include "panels/panel_choice.h"
#include "state/rigid_body.h"
#include "state/transform.h"

/* Of the surface of the smaller body, lies against the other where they touch: of boards that meet
 * at their narrow sides a hundredth. */
static const double least_covered = 1e-3;

/* A gap narrower than this share of how thick the thinner of two bodies is, is none: rounded
 * numbers, and boards that do not quite meet. */
static const double least_gap = 0.02;

_Static_assert((int)VT_PANEL_NUMBERS > (int)VT_MOST_PANELS, "the panels of a body have numbers");

static int may_join(const vt_simulation *s, const vt_body *body)
{
    return body->panels && !vti_own_panels(body, 0)->open && !body->hole && !body->form &&
           !body->rigid.placed && s->def.method.bodies == VT_BODIES_PANELS;
}

/* Whether they never move against each other. */
static int stay_together(const vt_simulation *s, const vt_body *a, const vt_body *b)
{
    return a->scale == b->scale && vti_move_as_one(&s->transforms, a->parent, b->parent);
}

/* From the space of a body to that of the world at 0 s, as at any time to each other, in which
 * bodies of that scale have theirs. */
static vt_pose pose_among(const vt_simulation *s, const vt_body *body, double scale)
{
    vt_pose pose = vti_pose_at(&s->transforms, body->parent, 0);
    for (int c = 0; c < 3; c++)
        pose.position[c] /= scale;
    pose.scale = body->scale / scale;
    return pose;
}

static vt_member make_member(const vt_simulation *s, int32_t number, int moves)
{
    const vt_body *const body = &s->bodies.items[number];
    return (vt_member){
        .body = body, .pose = pose_among(s, body, body->scale), .moves = moves, .number = number};
}

void vti_pose_triangles(const vt_member *m, int back, vt_triangles *t)
{
    for (int32_t n = 0; n < t->count && m->moves; n++)
        for (int k = 0; k < 3; k++) {
            double from[3];
            memcpy(from, t->item[n][k], sizeof from);
            if (back)
                vti_pose_point_back(&m->pose, from, t->item[n][k]);
            else
                vti_pose_point(&m->pose, from, t->item[n][k]);
        }
}

static int are_near(const vt_member *a, const vt_member *b)
{
    double from[3], to[3];
    vti_pose_point(&a->pose, a->body->center, from);
    vti_pose_point(&b->pose, b->body->center, to);
    const double limit = (1 + least_gap) * (a->body->reach + b->body->reach) / a->body->scale;
    return vti_square_between(from, to) < limit * limit;
}

static double closed_gap(const vt_member *a, const vt_member *b)
{
    const double half = fmin(vti_half_thickness(a->body), vti_half_thickness(b->body));
    return least_gap * 2 * half;
}

/* Cuts off what of the triangles of one body another covers, lies against, or is near. */
static void cut_by(const vt_member *own, const vt_member *other, int32_t divided, vt_triangles *t)
{
    const vt_body *const a = own->body, *const b = other->body;
    const vt_cut cut = {
        .keeps_common = own->number < other->number,
        .skin = fmax(vti_skin(a->solid_count, a->solids), vti_skin(b->solid_count, b->solids)),
        .margin = closed_gap(own, other),
        .aimed = b->aimed_panels / divided};
    vti_pose_triangles(own, 0, t);
    vti_pose_triangles(other, 1, t);
    vti_cut_off(b->solid_count, b->solids, &cut, t);
    vti_pose_triangles(other, 0, t);
    vti_pose_triangles(own, 1, t);
}

static double area_of(const vt_triangles *t)
{
    double area = 0;
    for (int32_t n = 0; n < t->count; n++)
        area += vti_triangle_area(t->item[n]);
    return area;
}

static void add_own_panels(const vt_member *m, vt_triangles *t)
{
    const vt_panel_set *const set = vti_own_panels(m->body, 0);
    for (int32_t n = 0; n < set->count; n++)
        vti_add_triangle(t, set->corner[n][0], set->corner[n][1], set->corner[n][2]);
}

/* Across how much of its side a triangle looks at what panels do not resolve the gap to. */
static const double near_side = 0.5;

/* Whether a triangle looks at a wall, that far away, with that normal, across less than that. */
static int looks_across(double gap, double room, const double away[3], vt_triangle corner)
{
    const double opposite = -0.7;
    double normal[3];
    const double side = vti_sqrt(2 * vti_triangle_area(corner));
    vti_cross_of_sides(corner[0], corner[1], corner[2], normal);
    vti_normalise(normal);
    return room > gap && room < near_side * side && vti_dot(normal, away) < opposite;
}

static void find_middle(vt_triangle corner, double middle[3])
{
    for (int c = 0; c < 3; c++)
        middle[c] = (corner[0][c] + corner[1][c] + corner[2][c]) / 3;
}

/* The same of one of a body and the surface of another. */
static int looks_at_body(const vt_member *own, const vt_member *other, vt_triangle corner)
{
    double center[3], away[3], turned[3];
    const double side = vti_sqrt(2 * vti_triangle_area(corner));
    find_middle(corner, center);
    if (own->moves) {
        vti_pose_point(&own->pose, center, turned);
        vti_pose_point_back(&other->pose, turned, center);
    }
    const double room = vti_room_at_body(other->body, center, near_side * side, away);
    if (own->moves) {
        vti_pose_direction(&other->pose, away, turned);
        vti_pose_direction_back(&own->pose, turned, away);
    }
    return looks_across(closed_gap(own, other), room, away, corner);
}

/* How two bodies lie beside each other, of the panels of one. */
typedef struct contact {
    double area, covered; /* of its panels, and of what the other one covers of them, m^2 */
    int narrow;           /* it looks at the other one across less than panels resolve */
} contact;

static contact find_contact(const vt_member *own, const vt_member *other, int *failed)
{
    contact c = {.narrow = 0};
    vt_triangles t = {0};
    add_own_panels(own, &t);
    c.area = area_of(&t);
    cut_by(own, other, 1, &t);
    c.covered = c.area - area_of(&t);
    for (int32_t n = 0; n < t.count && !c.narrow; n++)
        c.narrow = looks_at_body(own, other, t.item[n]);
    *failed |= t.failed;
    vti_free(t.item);
    return c;
}

static int is_round(const vt_body *body)
{
    int found = 0;
    for (int32_t n = 0; n < body->solid_count; n++)
        found |= body->solids[n].kind != VT_SHAPE_POLYTOPE;
    return found;
}

/* Under a ball on a floor, or a ramp, a gap closes to nothing: no matrix of panels is right there.
 * Such bodies keep their own panels, which see little of each other (panels/source_densities.c). So
 * do two round ones: of their triangles, which stick out of both, scraps would be left. */
static int touch(const vt_member *a, const vt_member *b, int *failed)
{
    if (!are_near(a, b) || (is_round(a->body) && is_round(b->body)))
        return 0;
    const contact of_a = find_contact(a, b, failed), of_b = find_contact(b, a, failed);
    return fmax(of_a.covered, of_b.covered) > least_covered * fmin(of_a.area, of_b.area) &&
           !of_a.narrow && !of_b.narrow;
}

/* Gives each body the number of the first of those that it touches, over others, too. */
static int find_groups(const vt_simulation *s, int32_t *group)
{
    const vt_body *const items = s->bodies.items;
    int failed = 0;
    for (int32_t n = 0; n < s->bodies.count; n++) {
        group[n] = n;
        for (int32_t m = 0; m < n && may_join(s, &items[n]); m++) {
            const int moves = items[n].parent != items[m].parent;
            if (group[m] == group[n] || !may_join(s, &items[m]) ||
                !stay_together(s, &items[m], &items[n]))
                continue;
            const vt_member a = make_member(s, m, moves), b = make_member(s, n, moves);
            const int32_t kept = group[m] < group[n] ? group[m] : group[n];
            const int32_t gone = group[m] < group[n] ? group[n] : group[m];
            for (int32_t i = 0, joins = touch(&a, &b, &failed); i <= n && joins; i++)
                group[i] = group[i] == gone ? kept : group[i];
        }
    }
    return failed;
}

/* ---- planes ---- */

/* In the world, or, where nothing moves, in the space that a plane has in common with `first`. */
static vt_floor make_floor(const vt_simulation *s, int32_t number, const vt_body *first, int moves)
{
    const vt_body *const plane = &s->bodies.items[number];
    vt_floor f = {
        .wall = *plane->solids, .pose = pose_among(s, plane, first->scale), .number = number};
    if (moves) {
        vti_pose_point(&f.pose, plane->solids->center, f.wall.center);
        vti_pose_direction(&f.pose, plane->solids->axis, f.wall.axis);
    }
    for (int c = 0; c < 3 && plane->hole; c++)
        f.wall.axis[c] = -f.wall.axis[c];
    return f;
}

/* Cuts off what of triangles, in the space of a member, lies behind a plane, or on it. */
static void cut_by_floor(const vt_member *own, const vt_floor *f, vt_triangles *t)
{
    const vt_body *const body = own->body;
    const vt_cut cut = {.skin = vti_skin(body->solid_count, body->solids),
                        .margin = least_gap * 2 * vti_half_thickness(body),
                        .aimed = 1};
    vti_pose_triangles(own, 0, t);
    vti_cut_off(1, &f->wall, &cut, t);
    vti_pose_triangles(own, 1, t);
}

static contact find_stand(const vt_member *own, const vt_floor *f, int *failed)
{
    const double gap = least_gap * 2 * vti_half_thickness(own->body);
    contact c = {.narrow = 0};
    vt_triangles t = {0};
    add_own_panels(own, &t);
    c.area = area_of(&t);
    cut_by_floor(own, f, &t);
    c.covered = c.area - area_of(&t);
    vti_pose_triangles(own, 0, &t);
    for (int32_t n = 0; n < t.count && !c.narrow; n++) {
        double middle[3], away[3];
        find_middle(t.item[n], middle);
        const double room = vti_solid_distance(&f->wall, middle, away);
        c.narrow = looks_across(gap, room, away, t.item[n]);
    }
    *failed |= t.failed;
    vti_free(t.item);
    return c;
}

/* Whether any member stands on a plane, with no gap beside where it does that is not resolved. */
static int stand_on(const vt_joint *j, const vt_floor *f, int *failed)
{
    int stands = 0;
    for (int32_t n = 0; n < j->count && !stands; n++) {
        const vt_member *const own = &j->members[n];
        const double reach = (1 + least_gap) * own->body->reach / own->body->scale;
        double center[3];
        memcpy(center, own->body->center, sizeof center);
        if (own->moves)
            vti_pose_point(&own->pose, own->body->center, center);
        if (vti_solid_distance(&f->wall, center, NULL) > reach)
            continue;
        const contact c = find_stand(own, f, failed);
        stands = c.covered > least_covered * c.area && !c.narrow;
    }
    return stands;
}

static int is_square_to(const vt_joint *j, const vt_floor *f)
{
    const double rounded = 1e-9;
    int square = 1;
    for (int32_t n = 0; n < j->floor_count; n++)
        square &= vti_abs(vti_dot(j->floors[n].wall.axis, f->wall.axis)) < rounded;
    return square && j->floor_count < VT_MOST_MIRRORS;
}

static int is_floor(const vt_simulation *s, int32_t number)
{
    const vt_body *const body = &s->bodies.items[number];
    return body->panels && body->panels->open && !body->rigid.placed &&
           s->def.method.bodies == VT_BODIES_PANELS;
}

/* Of the bodies of the group of which `first` is the first. */
static void find_floors(const vt_simulation *s, const int32_t *group, int32_t first, vt_joint *j,
                        int *failed)
{
    const vt_body *const items = s->bodies.items;
    vt_stand *const stand = &j->stands[first];
    *stand = (vt_stand){.count = 0};
    j->count = j->floor_count = 0;
    for (int32_t n = first; n < s->bodies.count && may_join(s, &items[first]); n++)
        if (group[n] == first)
            j->members[j->count++] = make_member(s, n, 1);
    for (int32_t n = 0; n < s->bodies.count && j->count > 0; n++) {
        if (!is_floor(s, n) ||
            !vti_move_as_one(&s->transforms, items[first].parent, items[n].parent))
            continue;
        const vt_floor f = make_floor(s, n, &items[first], 1);
        if (!is_square_to(j, &f) || !stand_on(j, &f, failed))
            continue;
        stand->plane[stand->count++] = n;
        j->floors[j->floor_count++] = f;
    }
}

void vti_list_members(const vt_simulation *s, const int32_t *group, int32_t first, vt_joint *j)
{
    const vt_body *const items = s->bodies.items;
    const vt_stand *const stand = &j->stands[first];
    int moves = 0;
    j->count = j->floor_count = 0;
    for (int32_t n = first; n < s->bodies.count; n++)
        moves |= group[n] == first && items[n].parent != items[first].parent;
    for (int32_t n = 0; n < stand->count; n++)
        moves |= items[stand->plane[n]].parent != items[first].parent;
    for (int32_t n = first; n < s->bodies.count; n++)
        if (group[n] == first)
            j->members[j->count++] = make_member(s, n, moves);
    for (int32_t n = 0; n < stand->count; n++)
        j->floors[j->floor_count++] = make_floor(s, stand->plane[n], &items[first], moves);
    j->count = j->count > 1 || j->floor_count > 0 ? j->count : 0;
}

void vti_cut_by_others(const vt_joint *j, int32_t n, int32_t divided, vt_triangles *t)
{
    for (int32_t m = 0; m < j->count && !t->failed; m++)
        if (m != n && are_near(&j->members[n], &j->members[m]))
            cut_by(&j->members[n], &j->members[m], divided, t);
    for (int32_t m = 0; m < j->floor_count && !t->failed; m++)
        cut_by_floor(&j->members[n], &j->floors[m], t);
}

/* Whether the others cover all of its panels. */
static int is_hidden(const vt_joint *j, int32_t n, int *failed)
{
    const vt_member *const own = &j->members[n];
    vt_triangles t = {0};
    add_own_panels(own, &t);
    vti_cut_by_others(j, n, 1, &t);
    const int hidden = t.count == 0 && !t.failed;
    *failed |= t.failed;
    vti_free(t.item);
    return hidden;
}

/* A body inside the others of its group has no wall: they are a group without it. */
static int leave_out_hidden(const vt_simulation *s, vt_joint *j, int32_t *group, uint8_t *hidden)
{
    int failed = 0;
    for (int32_t first = 0; first < s->bodies.count; first++) {
        int32_t seen = -1;
        if (group[first] != first)
            continue;
        vti_list_members(s, group, first, j);
        const vt_stand stand = j->stands[first];
        for (int32_t n = 0; n < j->count; n++) {
            const int32_t number = j->members[n].number;
            const int is_in = is_hidden(j, n, &failed);
            seen = seen < 0 && !is_in ? number : seen;
            group[number] = is_in ? number : seen;
            hidden[number] = (uint8_t)is_in;
            j->stands[number] = number == seen ? stand : (vt_stand){.count = 0};
        }
    }
    return failed;
}

/* ---- changes ---- */

typedef struct ball {
    double center[3], reach; /* infinite of a plane */
} ball;

/* Marks those that body number `from` may touch, over others, too, by the balls around them. */
static void mark_near(const vt_simulation *s, const ball *balls, int32_t from, uint8_t *near)
{
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const double limit = (1 + least_gap) * (balls[from].reach + balls[n].reach);
        if (!near[n] && may_join(s, &s->bodies.items[n]) &&
            vti_square_between(balls[from].center, balls[n].center) < limit * limit)
            near[n] = 1;
    }
}

/* 1: that of body number n; 2: that was looked around. */
static void find_near(const vt_simulation *s, int32_t number, ball *balls, uint8_t *near)
{
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_body *const body = &s->bodies.items[n];
        const vt_pose pose = vti_body_pose(&s->transforms, body, s->time);
        vti_pose_point(&pose, body->center, balls[n].center);
        balls[n].reach = body->reach;
    }
    near[number] = 1;
    for (int found = may_join(s, &s->bodies.items[number]) || is_floor(s, number); found;) {
        found = 0;
        for (int32_t n = 0; n < s->bodies.count; n++)
            if (near[n] == 1) {
                mark_near(s, balls, n, near);
                near[n] = 2;
                found = 1;
            }
    }
}

static int is_near(const vt_simulation *s, const uint8_t *near, uint32_t panel)
{
    const int32_t n = vti_body_of_id(&s->bodies, panel / VT_PANEL_NUMBERS);
    return n >= 0 && near[n];
}

void vti_part_body(vt_simulation *s, int32_t number)
{
    const vt_vortons *const v = &s->vortons;
    const size_t count = (size_t)s->bodies.count;
    int64_t growing = 0;
    s->bodies.joined = 0;
    for (int64_t i = 0; v->set.used[VT_VORTON_panel] && i < v->set.count; i++)
        growing += v->panel[i] > 0;
    if (growing == 0)
        return;
    ball *const balls = vti_allocate(sizeof *balls * count);
    uint8_t *const near = vti_allocate_zeroed(count, 1);
    const int known = balls && near; /* without memory all of them grow no longer */
    if (known)
        find_near(s, number, balls, near);
    for (int64_t i = 0; i < v->set.count; i++)
        if (v->panel[i] > 0 && (!known || is_near(s, near, v->panel[i])))
            v->panel[i] = 0;
    vti_free(balls);
    vti_free(near);
}

/* ---- all of it ---- */

int vti_group_touching(const vt_simulation *s, vt_joint *j, int32_t *group, uint8_t *hidden)
{
    int failed = find_groups(s, group);
    for (int32_t n = 0; n < s->bodies.count; n++)
        if (group[n] == n)
            find_floors(s, group, n, j, &failed);
    return failed || leave_out_hidden(s, j, group, hidden) ? -1 : 0;
}
