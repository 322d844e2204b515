/* A solid touches a plane, or the wall of a hole, with its corners: all of it is on one side where
 * they are. It touches another solid with a corner or an edge of either: the distance from a convex
 * solid is a convex function along an edge, so that its least value is found by golden section,
 * inside of the solid as outside. Spheres and capsules are corners and edges with a radius. */
#include "contact/body_narrow_phase.h"

#include "state/simulation.h"

enum { RIM = 24, MOST_FOUND = 64, SEARCH = 26 };

/* ---- touches that were found ---- */

typedef struct finds {
    int32_t count, has_other;
    vt_body_contact list[MOST_FOUND], other; /* other: one that counts where there is none else */
} finds;

/* Adds a touch; where there is no room for all, the deepest are kept. */
static void keep(finds *f, const vt_body_contact *touch)
{
    int32_t at = f->count;
    if (f->count == MOST_FOUND) {
        at = 0;
        for (int32_t n = 1; n < f->count; n++)
            at = f->list[n].gap > f->list[at].gap ? n : at;
        if (!(touch->gap < f->list[at].gap))
            return;
    } else {
        f->count++;
    }
    f->list[at] = *touch;
}

/* The least distance of a place from those that were chosen. */
static double apart(const vt_body_contact *chosen, int32_t count, const double point[3])
{
    double least = INFINITY;
    for (int32_t n = 0; n < count; n++)
        least = fmin(least, vti_square_between(chosen[n].point, point));
    return least;
}

/* The deepest, then those farthest from the ones chosen before. */
static int32_t choose(const finds *f, vt_body_contact *chosen, int32_t most)
{
    int32_t count = 0, best = 0;
    for (int32_t n = 1; n < f->count; n++)
        best = f->list[n].gap < f->list[best].gap ? n : best;
    while (count < most && count < VT_TOUCHES_PER_PAIR && count < f->count) {
        chosen[count++] = f->list[best];
        double farthest = 0;
        for (int32_t n = 0; n < f->count; n++) {
            const double distance = apart(chosen, count, f->list[n].point);
            best = distance > farthest ? n : best;
            farthest = fmax(farthest, distance);
        }
        if (!(farthest > 0))
            break;
    }
    return count;
}

/* ---- corners and edges of a solid, in the world ---- */

/* A solid of a body as it lies in the world. */
typedef struct placed {
    const vt_solid *solid;
    const vt_pose *pose;
    double radius;           /* radius by which corners and edges are round, m */
    double center[3], reach; /* m */
} placed;

static placed place_solid(const vt_solid *solid, const vt_pose *pose)
{
    placed p = {.solid = solid, .pose = pose, .reach = pose->scale * solid->circumscribed};
    const int round = solid->kind == VT_SHAPE_SPHERE || solid->kind == VT_SHAPE_CAPSULE;
    p.radius = round ? pose->scale * solid->radius : 0;
    vti_pose_point(pose, solid->center, p.center);
    return p;
}

/* A point on the rim at one end of a disk, at a share of the way around from a direction across. */
static void rim_point(const placed *p, int end, const double across[3], double turn,
                      double point[3])
{
    const vt_solid *const solid = p->solid;
    double side[3], local[3];
    vti_cross(solid->axis, across, side);
    memcpy(local, solid->center, sizeof local);
    vti_add_scaled(local, end ? solid->half : -solid->half, solid->axis);
    vti_add_scaled(local, solid->radius * vti_cos_pi(2 * turn), across);
    vti_add_scaled(local, solid->radius * vti_sin_pi(2 * turn), side);
    vti_pose_point(p->pose, local, point);
}

static int32_t corner_count(const placed *p)
{
    switch (p->solid->kind) {
    case VT_SHAPE_SPHERE:
        return 1;
    case VT_SHAPE_CAPSULE:
        return 2;
    case VT_SHAPE_DISK:
        return 8;
    default:
        return p->solid->polytope.vertex_count;
    }
}

/* Corner n; of a disk four at each end, the first as far as it goes against `normal` (others do not
 * read it). */
static void find_corner(const placed *p, int32_t n, const double normal[3], double point[3])
{
    const vt_solid *const solid = p->solid;
    double local[3];
    memcpy(local, solid->center, sizeof local);
    if (solid->kind == VT_SHAPE_DISK) {
        const double against[3] = {-normal[0], -normal[1], -normal[2]};
        double down[3], across[3];
        vti_pose_direction_back(p->pose, against, down);
        vti_normal_to(solid->axis, down, across);
        rim_point(p, n >= 4, across, 0.25 * (n % 4), point);
        return;
    }
    if (solid->kind == VT_SHAPE_CAPSULE)
        vti_add_scaled(local, n ? solid->half : -solid->half, solid->axis);
    else if (solid->kind == VT_SHAPE_POLYTOPE)
        memcpy(local, solid->polytope.vertex[n], sizeof local);
    vti_pose_point(p->pose, local, point);
}

/* ---- against walls ---- */

/* One wall that the solid must be before: a plane, or a round one. */
typedef struct wall {
    const vt_solid *solid;
    const vt_pose *pose;
    int32_t face; /* of a polytope or of a disk (0, 1: its ends, 2: its side) */
    int32_t hole;
} wall;

static int32_t wall_count(const vt_solid *solid)
{
    if (solid->kind == VT_SHAPE_POLYTOPE)
        return solid->polytope.face_count;
    return solid->kind == VT_SHAPE_DISK ? 3 : 1;
}

/* Distance of a point from the wall, m, > 0 before it, and the normal that points there. */
static double wall_distance(const wall *w, const double world[3], double normal[3])
{
    const vt_solid *const solid = w->solid;
    double local[3], outward[3], distance;
    vti_pose_point_back(w->pose, world, local);
    if (solid->kind == VT_SHAPE_POLYTOPE) {
        const double *const plane = solid->polytope.plane[w->face];
        memcpy(outward, plane, sizeof outward);
        distance = vti_dot(plane, local) - plane[3];
    } else if (solid->kind == VT_SHAPE_DISK && w->face < 2) {
        for (int c = 0; c < 3; c++)
            outward[c] = w->face ? solid->axis[c] : -solid->axis[c];
        distance = vti_dot(outward, local) - vti_dot(outward, solid->center) - solid->half;
    } else if (solid->kind == VT_SHAPE_DISK) {
        vti_subtract(local, solid->center, outward);
        vti_add_scaled(outward, -vti_dot(outward, solid->axis), solid->axis);
        distance = vti_normalise(outward) - solid->radius;
    } else {
        distance = vti_solid_distance(solid, local, outward);
    }
    for (int c = 0; c < 3 && w->hole; c++)
        outward[c] = -outward[c];
    vti_pose_direction(w->pose, outward, normal);
    return w->pose->scale * (w->hole ? -distance : distance);
}

static int32_t touch_wall(const placed *p, const wall *w, const int32_t body[2], double margin,
                          vt_body_contact *touches, int32_t most)
{
    finds found = {.count = 0};
    double toward[3];
    if (wall_distance(w, p->center, toward) > p->reach + margin)
        return 0;
    for (int32_t n = 0; n < corner_count(p); n++) {
        double corner[3];
        vt_body_contact touch = {.body = {body[0], body[1]}};
        find_corner(p, n, toward, corner);
        touch.gap = wall_distance(w, corner, touch.normal) - p->radius;
        if (!(touch.gap < margin))
            continue;
        memcpy(touch.point, corner, sizeof corner);
        vti_add_scaled(touch.point, -p->radius - 0.5 * touch.gap, touch.normal);
        keep(&found, &touch);
    }
    return choose(&found, touches, most);
}

/* ---- against solids ---- */

/* Distance of the surface around a point of one solid from another, m; normal: away from that. */
static double solid_distance(const placed *other, const double world[3], double normal[3])
{
    double local[3], nearest[3], away[3];
    vti_pose_point_back(other->pose, world, local);
    const double distance = vti_solid_nearest(other->solid, local, nearest, away);
    vti_pose_direction(other->pose, away, normal);
    return other->pose->scale * distance;
}

typedef struct meeting {
    const placed *own, *other;
    int32_t body[2];
    int32_t turned; /* the corners and edges belong to the second body */
    double margin;
    finds *found;
    /* of two polytopes, the face of the other that the solid is least deep behind as a whole, and
     * how far before it; -1: they are others */
    int32_t face;
    double separation, rival; /* rival: that of the other before the faces of the solid */
} meeting;

/* How far the solid goes from a point along the normal at least: against it at most, where < 0. */
static double least_way(const placed *own, const double point[3], const double normal[3],
                        double enough)
{
    double least = 0;
    for (int32_t n = 0; n < corner_count(own) && least > enough; n++) {
        double corner[3], way[3];
        find_corner(own, n, normal, corner);
        vti_subtract(corner, point, way);
        least = fmin(least, vti_dot(way, normal));
    }
    return least;
}

/* Distance of a point from a face of the other solid, m, and its normal. */
static double face_distance(const meeting *m, int32_t face, const double point[3], double normal[3])
{
    const wall w = {m->other->solid, m->other->pose, face, 0};
    return wall_distance(&w, point, normal);
}

static void find_separation(meeting *m)
{
    double corner[3], normal[3];
    m->face = -1;
    m->separation = -INFINITY;
    if (m->own->solid->kind != VT_SHAPE_POLYTOPE || m->other->solid->kind != VT_SHAPE_POLYTOPE)
        return;
    find_corner(m->own, 0, NULL, corner);
    for (int32_t f = 0; f < m->other->solid->polytope.face_count; f++) {
        const double first = face_distance(m, f, corner, normal);
        const double enough = m->separation - first,
                     least = least_way(m->own, corner, normal, enough);
        if (least > enough) { /* else there may be deeper corners */
            m->separation = first + least;
            m->face = f;
        }
    }
}

/* What rounding may take of places on a solid, in its radii: far more than it does, as sides that
 * do not count as in one plane are of no use to a stack, and far less than anyone sees. */
static const double rounding = 1e-6;

/* Whether the solid has a side that lies in a plane through the point, with the same normal, but
 * for what it may come nearer by the end of the substep. */
static int has_side(const meeting *m, const double point[3], const double normal[3])
{
    const double alike = 0.98; /* cosine: 11 degrees, more than a stack tilts before it falls */
    const placed *const own = m->own;
    for (int32_t f = 0; f < own->solid->polytope.face_count; f++) {
        const wall side = {own->solid, own->pose, f, 0};
        double outward[3];
        if (vti_abs(wall_distance(&side, point, outward)) <= m->margin + rounding * own->reach &&
            vti_dot(outward, normal) > alike)
            return 1;
    }
    return 0;
}

/* Where sides of both solids lie in one plane, as in a stack of boxes, the nearest face of what
 * touches there is that side, along which the solids are deep in each other: the face that they are
 * least deep behind is meant. 0 where that is one of the solid itself, whose other corners it has.
 */
static int choose_face(const meeting *m, const double point[3], double *distance, double normal[3])
{
    const double enough = fmax(m->separation, m->rival) - m->margin - rounding * m->own->reach;
    if (m->face < 0 || !has_side(m, point, normal) ||
        *distance + least_way(m->own, point, normal, enough - *distance) >= enough)
        return 1;
    if (m->separation < m->rival - rounding * m->own->reach)
        return 0;
    *distance = face_distance(m, m->face, point, normal);
    return 1;
}

static void keep_point(const meeting *m, const double point[3], double distance, double normal[3])
{
    if (!(distance - m->own->radius < m->margin))
        return;
    const int chosen = choose_face(m, point, &distance, normal);
    vt_body_contact touch = {.body = {m->body[0], m->body[1]}, .gap = distance - m->own->radius};
    memcpy(touch.point, point, sizeof touch.point);
    vti_add_scaled(touch.point, -m->own->radius - 0.5 * touch.gap, normal);
    for (int c = 0; c < 3; c++)
        touch.normal[c] = m->turned ? -normal[c] : normal[c];
    if (chosen)
        keep(m->found, &touch);
    else
        m->found->other = touch;
    m->found->has_other |= !chosen;
}

/* Whether a cheap lower bound of the distance is beyond the margin. */
static int is_far(const meeting *m, const double point[3], double around)
{
    double local[3];
    vti_pose_point_back(m->other->pose, point, local);
    return m->other->pose->scale * vti_solid_distance(m->other->solid, local, NULL) >
           m->own->radius + m->margin + around;
}

static void meet_corner(const meeting *m, const double point[3])
{
    double normal[3];
    if (is_far(m, point, 0))
        return;
    const double distance = solid_distance(m->other, point, normal);
    keep_point(m, point, distance, normal);
}

/* Where an edge comes nearest between its corners. */
static void meet_edge(const meeting *m, const double a[3], const double b[3])
{
    const double golden = 0.6180339887498949;
    const double length = vti_sqrt(vti_square_between(a, b));
    double low = 0, high = 1, normal[3], point[3];
    vti_point_between(a, b, 0.5, point);
    if (is_far(m, point, 0.5 * length))
        return;
    double left = 1 - golden, right = golden;
    vti_point_between(a, b, left, point);
    double at_left = solid_distance(m->other, point, normal);
    vti_point_between(a, b, right, point);
    double at_right = solid_distance(m->other, point, normal);
    for (int n = 0; n < SEARCH; n++) {
        const int lower = at_left < at_right;
        if (lower) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - golden * (high - low);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + golden * (high - low);
        }
        vti_point_between(a, b, lower ? left : right, point);
        *(lower ? &at_left : &at_right) = solid_distance(m->other, point, normal);
    }
    const double share = 0.5 * (low + high);
    if (share < 1e-3 || share > 1 - 1e-3)
        return;
    vti_point_between(a, b, share, point);
    const double distance = solid_distance(m->other, point, normal);
    keep_point(m, point, distance, normal);
}

static void meet_disk(const meeting *m)
{
    static const double x_axis[3] = {1, 0, 0};
    double across[3], a[3], b[3];
    vti_normal_to(m->own->solid->axis, x_axis, across);
    for (int end = 0; end < 2; end++)
        for (int32_t n = 0; n < RIM; n++) {
            rim_point(m->own, end, across, (double)n / RIM, a);
            rim_point(m->own, end, across, (double)(n + 1) / RIM, b);
            meet_corner(m, a);
            meet_edge(m, a, b);
        }
}

static void meet_edges(const meeting *m)
{
    const vt_polytope *const p = &m->own->solid->polytope;
    for (int32_t f = 0; f < p->face_count; f++)
        for (int32_t n = p->first[f]; n < p->first[f + 1]; n++) {
            const int32_t next = n + 1 < p->first[f + 1] ? n + 1 : p->first[f];
            double a[3], b[3];
            if (p->corner[n] > p->corner[next])
                continue; /* each edge once */
            find_corner(m->own, p->corner[n], NULL, a);
            find_corner(m->own, p->corner[next], NULL, b);
            meet_edge(m, a, b);
        }
}

static void meet(const meeting *m)
{
    double corner[2][3];
    if (m->own->solid->kind == VT_SHAPE_DISK) {
        meet_disk(m);
        return;
    }
    for (int32_t n = 0; n < corner_count(m->own); n++) {
        find_corner(m->own, n, NULL, corner[n % 2]);
        meet_corner(m, corner[n % 2]);
    }
    if (m->own->solid->kind == VT_SHAPE_POLYTOPE)
        meet_edges(m);
    if (m->own->solid->kind == VT_SHAPE_CAPSULE)
        meet_edge(m, corner[0], corner[1]);
}

static int32_t touch_solid(const placed *a, const placed *b, const int32_t body[2], double margin,
                           vt_body_contact *touches, int32_t most)
{
    finds found = {.count = 0};
    const double near = a->reach + b->reach + margin;
    if (vti_square_between(a->center, b->center) > near * near)
        return 0;
    meeting forth = {a, b, {body[0], body[1]}, 0, margin, &found, -1, 0, 0};
    meeting back = {b, a, {body[0], body[1]}, 1, margin, &found, -1, 0, 0};
    find_separation(&forth);
    find_separation(&back);
    forth.rival = back.separation;
    back.rival = forth.separation;
    /* the centre of a sphere is enough */
    if (a->solid->kind == VT_SHAPE_SPHERE || b->solid->kind != VT_SHAPE_SPHERE)
        meet(&forth);
    if (a->solid->kind != VT_SHAPE_SPHERE)
        meet(&back);
    if (found.count == 0 && found.has_other)
        keep(&found, &found.other);
    return choose(&found, touches, most);
}

/* ---- bodies ---- */

int32_t vti_find_body_contacts(const vt_simulation *s, const vt_pose *now, int32_t first,
                               int32_t second, double margin, vt_body_contact *touches,
                               int32_t most)
{
    const vt_body *const a = &s->bodies.items[first], *const b = &s->bodies.items[second];
    const int32_t body[2] = {first, second};
    int32_t count = 0;
    for (int32_t i = 0; i < a->solid_count; i++) {
        const placed own = place_solid(&a->solids[i], &now[first]);
        for (int32_t j = 0; j < b->solid_count; j++) {
            const vt_solid *const solid = &b->solids[j];
            if (!b->hole && solid->kind != VT_SHAPE_PLANE) {
                const placed other = place_solid(solid, &now[second]);
                count += touch_solid(&own, &other, body, margin, touches + count, most - count);
                continue;
            }
            for (int32_t f = 0; f < wall_count(solid); f++) {
                const wall w = {solid, &now[second], f, b->hole};
                count += touch_wall(&own, &w, body, margin, touches + count, most - count);
            }
        }
    }
    return count;
}

/* ---- outside ---- */

static int is_beyond(const placed *p, const wall *w, double margin)
{
    double inward[3], corner[3], normal[3];
    const double away = -wall_distance(w, p->center, inward);
    if (away > p->reach + margin)
        return 1;
    const int flat = w->solid->kind == VT_SHAPE_POLYTOPE || w->solid->kind == VT_SHAPE_PLANE ||
                     (w->solid->kind == VT_SHAPE_DISK && w->face < 2);
    if (!flat || !isfinite(p->reach))
        return 0;
    const double outward[3] = {-inward[0], -inward[1], -inward[2]};
    for (int32_t n = 0; n < corner_count(p); n++) {
        find_corner(p, n, outward, corner); /* the first one on a rim is the farthest inward */
        if (!(-wall_distance(w, corner, normal) > p->radius + margin))
            return 0;
    }
    return 1;
}

int vti_is_outside(const vt_simulation *s, const vt_pose *now, int32_t body, int32_t container,
                   double margin)
{
    const vt_body *const inner = &s->bodies.items[body], *const outer = &s->bodies.items[container];
    int all = 1;
    for (int32_t i = 0; i < inner->solid_count && all; i++) {
        const placed own = place_solid(&inner->solids[i], &now[body]);
        all = 0;
        for (int32_t j = 0; j < outer->solid_count && !all; j++)
            for (int32_t f = 0; f < wall_count(&outer->solids[j]) && !all; f++) {
                const wall w = {&outer->solids[j], &now[container], f, 1};
                all = is_beyond(&own, &w, margin);
            }
    }
    return all;
}
