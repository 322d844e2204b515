#include "contact/contact_response.h"

enum { PASSES = 8 };

/* ---- a particle and the walls that it may meet ---- */

typedef struct planes {
    int count;
    double normal[3][3], offset[3]; /* of the walls that the particle met in this pass, m */
} planes;

/* A wall that the particle came up against first, in the space of the body. */
typedef struct impact {
    const vt_wall *wall;
    double share; /* of the way */
    double point[3], normal[3];
} impact;

typedef struct encounter {
    const vt_walls *walls;
    const int32_t *list;
    int32_t count;
    vt_traveller *traveller;
    planes planes;
    impact first;
    const vt_wall
        *beyond; /* the wall that it was moved out of last, not to be met again; or NULL */
} encounter;

/* What is known of a particle and a wall while its end stays where it is. */
typedef struct look {
    double start[3], end[3]; /* in the space of the body, where it does not turn on the way, m */
    int32_t has_start;
    double room; /* room at the end of the particle, m */
} look;

/* Takes away the part of the velocity that leads into the wall at a point of the world. */
static void stop(const vt_wall *wall, const double normal[3], vt_traveller *t)
{
    double approach = vti_approach(wall, t->end, t->velocity, normal);
    if (wall->body->form) {
        const vt_pose *const pose = &wall->pose[wall->parts];
        double local[3], deforms[3];
        vti_pose_point_back(pose, t->end, local);
        vti_form_velocity(wall->body->form, wall->body->solids, local, deforms);
        vti_pose_direction(pose, deforms, deforms);
        approach -= pose->scale * vti_dot(deforms, normal);
    }
    if (approach < 0)
        vti_add_scaled(t->velocity, -approach, normal);
}

static void note_hit(vt_article_impulse *hits, const vt_wall *wall, const double point[3],
                     const double normal[3])
{
    if (hits->count == VT_MOST_HITS)
        return;
    vt_hit *const hit = &hits->hit[hits->count++];
    hit->wall = wall;
    memcpy(hit->point, point, sizeof hit->point);
    memcpy(hit->normal, normal, sizeof hit->normal);
}

/* Moves the end to the outer side of a plane of the world and, along it, to that of the planes met
 * before. The particle came from beyond that plane, so it does not meet a convex shape again. */
static void cancel_beyond(encounter *e, const vt_wall *wall, const double normal[3], double offset)
{
    planes *const planes = &e->planes;
    double *const end = e->traveller->end;
    vti_add_scaled(end, offset - vti_dot(normal, end), normal);
    stop(wall, normal, e->traveller);
    e->beyond = wall->simple ? wall : NULL;
    for (int p = 0; p < planes->count; p++) {
        const double missing = planes->offset[p] - vti_dot(planes->normal[p], end);
        double along[3];
        memcpy(along, planes->normal[p], sizeof along);
        vti_add_scaled(along, -vti_dot(along, normal), normal);
        const double square = vti_dot(along, along);
        if (missing > 0 && square > 1e-4)
            vti_add_scaled(end, missing / square, along);
    }
    if (planes->count < 3) {
        memcpy(planes->normal[planes->count], normal, sizeof(double) * 3);
        planes->offset[planes->count++] = offset;
    }
}

static int is_newborn(const encounter *e)
{
    return e->traveller->birth > e->walls->from;
}

/* The poses that the particle sees: of its own life, where it was born in the substep. */
static const vt_pose *poses_for(const encounter *e, const vt_wall *wall, vt_pose own[])
{
    if (!is_newborn(e) || !wall->body->moves || !wall->swept)
        return wall->pose;
    vti_fill_poses(e->walls, wall->body, e->traveller->birth, wall->parts, own);
    return own;
}

/* Whether a segment in the space of the body comes near enough to look at its solids. */
static int comes_near(const vt_body *body, const double from[3], const double to[3])
{
    double way[3], start[3];
    vti_subtract(to, from, way);
    vti_subtract(from, body->center, start);
    const double square = vti_dot(way, way);
    const double share = square > 0 ? fmax(0, fmin(1, -vti_dot(start, way) / square)) : 0;
    vti_add_scaled(start, share, way);
    return body->scale * body->scale * vti_dot(start, start) <= body->reach * body->reach;
}

/* The first of the solids that a segment enters. */
static int enter_body(const vt_body *body, const double from[3], const double to[3], impact *found)
{
    int enters = 0;
    if (!(body->solid_count == 1 && body->solids[0].kind == VT_SHAPE_SPHERE) &&
        !comes_near(body, from, to))
        return 0;
    for (int32_t n = 0; n < body->solid_count; n++) {
        double share, normal[3];
        if (!vti_solid_enter(&body->solids[n], from, to, &share, normal) ||
            (enters && share >= found->share))
            continue;
        enters = 1;
        found->share = share;
        memcpy(found->normal, normal, sizeof normal);
        vti_point_between(from, to, share, found->point);
    }
    return enters;
}

/* Follows the particle in the space of the body, from pose to pose. */
static int find_impact(const encounter *e, const vt_wall *wall, const look *known, impact *found)
{
    const vt_traveller *const t = e->traveller;
    double from[3], to[3], world[3];
    found->wall = wall;
    if (wall->parts == 1 && (wall->still || !is_newborn(e))) {
        if (known->has_start)
            memcpy(from, known->start, sizeof from);
        else
            vti_pose_point_back(&wall->pose[0], t->start, from);
        return enter_body(wall->body, from, known->end, found);
    }
    vt_pose own[VT_MOST_PARTS + 1];
    const vt_pose *const pose = poses_for(e, wall, own);
    vti_pose_point_back(&pose[0], t->start, from);
    for (int32_t k = 1; k <= wall->parts; k++) {
        const double share = (double)k / (double)wall->parts;
        for (int c = 0; c < 3; c++)
            world[c] =
                k == wall->parts ? t->end[c] : t->start[c] + share * (t->end[c] - t->start[c]);
        vti_pose_point_back(&pose[k], world, to);
        if (enter_body(wall->body, from, to, found)) {
            found->share = (k - 1 + found->share) / wall->parts;
            return 1;
        }
        memcpy(from, to, sizeof from);
    }
    return 0;
}

/* Moves the particle back to the side of the wall from which it came. */
static int sweep(encounter *e, const vt_wall *wall, const look *known)
{
    impact found;
    if (!wall->swept || !find_impact(e, wall, known, &found))
        return 0;
    if (!e->first.wall || found.share < e->first.share)
        e->first = found;
    const vt_pose *const pose = &wall->pose[wall->parts];
    double point[3], normal[3];
    vti_pose_point(pose, found.point, point);
    vti_pose_direction(pose, found.normal, normal);
    const double offset = vti_dot(normal, point) + vti_contact_skin(wall->body, e->traveller->end);
    if (!(vti_dot(normal, e->traveller->end) < offset))
        return 0;
    if (e->traveller->hits)
        note_hit(e->traveller->hits, wall, point, normal);
    cancel_beyond(e, wall, normal, offset);
    return 1;
}

/* Moves a particle that ends in the wall out of it by the shortest way. */
static int push_out(encounter *e, const vt_wall *wall)
{
    const vt_pose *const pose = &wall->pose[wall->parts];
    double *const end = e->traveller->end;
    int moved = 0;
    for (int n = 0; n < PASSES; n++) {
        double local[3], away[3], normal[3];
        vti_pose_point_back(pose, end, local);
        const double room = wall->body->scale * vti_distance_to_body(wall->body, local, away);
        const double skin = vti_contact_skin(wall->body, end);
        if (!(room < 0.25 * skin))
            return moved;
        vti_pose_direction(pose, away, normal);
        if (e->traveller->hits) {
            double point[3] = {end[0], end[1], end[2]};
            vti_add_scaled(point, -room, normal);
            note_hit(e->traveller->hits, wall, point, normal);
        }
        cancel_beyond(e, wall, normal, vti_dot(normal, end) - room + skin);
        moved = 1;
    }
    return 1;
}

/* ---- a place for a particle that wall after wall moves, without end ---- */

static int is_free(const encounter *e, const double world[3])
{
    for (int32_t n = 0; n < e->count; n++) {
        const vt_wall *const wall = &e->walls->wall[e->list[n]];
        double local[3], normal[3];
        vti_pose_point_back(&wall->pose[wall->parts], world, local);
        if (wall->body->scale * vti_distance_to_body(wall->body, local, normal) <
            0.25 * vti_contact_skin(wall->body, world))
            return 0;
    }
    return 1;
}

static int settle(encounter *e, const double world[3])
{
    if (!is_free(e, world))
        return 0;
    memcpy(e->traveller->end, world, 3 * sizeof *world);
    return 1;
}

/* Places the particle where it met the first wall. */
static int settle_at_impact(encounter *e)
{
    double normal[3], world[3];
    if (!e->first.wall)
        return 0;
    const vt_pose *const pose = &e->first.wall->pose[e->first.wall->parts];
    vti_pose_point(pose, e->first.point, world);
    vti_pose_direction(pose, e->first.normal, normal);
    vti_add_scaled(world, vti_contact_skin(e->first.wall->body, world), normal);
    return settle(e, world);
}

/* Places the particle where it started, carried along by one of the bodies. */
static int settle_composition(encounter *e)
{
    for (int32_t n = 0; n < e->count; n++) {
        const vt_wall *const wall = &e->walls->wall[e->list[n]];
        vt_pose own[VT_MOST_PARTS + 1];
        double local[3], world[3];
        vti_pose_point_back(&poses_for(e, wall, own)[0], e->traveller->start, local);
        vti_pose_point(&wall->pose[wall->parts], local, world);
        if (settle(e, world))
            return 1;
    }
    return 0;
}

/* Places the particle on the way to the middle of a container, as near to its end as there is room.
 */
static int settle_inside(encounter *e)
{
    for (int32_t n = 0; n < e->count; n++) {
        const vt_wall *const wall = &e->walls->wall[e->list[n]];
        double inside[3], world[3], near = 0, far = 1;
        if (!wall->body->hole)
            continue;
        vti_pose_point(&wall->pose[wall->parts], wall->body->inside, inside);
        for (int step = 0; step < 40; step++) {
            const double share = 0.5 * (near + far);
            vti_point_between(inside, e->traveller->end, share, world);
            if (is_free(e, world))
                near = share;
            else
                far = share;
        }
        vti_point_between(inside, e->traveller->end, near, world);
        if (near > 0 && settle(e, world))
            return 1;
    }
    return 0;
}

/* Room at a point in the space of the body, m, where it is not more than `enough`; elsewhere any
 * number that is. */
static inline double distance_at(const vt_body *body, const double local[3], double enough)
{
    const double more = 1.000001 * vti_abs(enough) / body->scale;
    if (body->solid_count != 1 || body->hole)
        return body->scale * vti_room_at_body(body, local, more, NULL);
    return body->scale * vti_solid_room(&body->solids[0], local, more, NULL);
}

/* Whether all that the particle passes lies clear of the wall. Room changes by no more than one
 * goes: between two points that are apart by less than their room together, there is some. If not,
 * *known is what was found. */
static int is_clear(const vt_walls *walls, const vt_wall *wall, const vt_traveller *t, look *known)
{
    const vt_body *const body = wall->body;
    const double skin = vti_contact_skin(wall->body, t->end);
    known->has_start = 0;
    ++*t->looks;
    vti_pose_point_back(&wall->pose[wall->parts], t->end, known->end);
    const double way = wall->swept ? vti_sqrt(vti_square_between(t->start, t->end)) : 0;
    const double room = way + wall->parts * wall->step + skin;
    known->room = distance_at(body, known->end, room);
    if (known->room < skin)
        return 0;
    if (known->room > room)
        return 1;
    if (wall->parts > 1 || !wall->swept || t->birth > walls->from)
        return 0;
    vti_pose_point_back(&wall->pose[0], t->start, known->start);
    known->has_start = 1;
    const double passed =
        wall->still ? way : body->scale * vti_sqrt(vti_square_between(known->start, known->end));
    const double needed = passed + skin - known->room;
    return distance_at(body, known->start, needed) > needed;
}

/* What the first look at a list of walls has found: those before number `first` are clear. */
typedef struct glance {
    int32_t first;
    look look; /* at that one */
} glance;

static int is_clear_of_all(const vt_walls *walls, const int32_t *list, int32_t count,
                           const vt_traveller *t, glance *g)
{
    for (g->first = 0; g->first < count; g->first++)
        if (!is_clear(walls, &walls->wall[list[g->first]], t, &g->look))
            return 0;
    return 1;
}

/* Moves the end out of the wall; the look at it may be known. */
static int meet(encounter *e, const vt_wall *wall, const look *known)
{
    look own;
    if (!known) {
        if (is_clear(e->walls, wall, e->traveller, &own))
            return 0;
        known = &own;
    }
    if (sweep(e, wall, known)) {
        if (!wall->simple)
            push_out(e, wall);
        return 1;
    }
    return known->room < 0.25 * vti_contact_skin(wall->body, e->traveller->end) &&
           push_out(e, wall);
}

/* Holds a particle by the walls of a list, of which a first look (NULL: none) is known. */
static int cancel_by(const vt_walls *walls, const int32_t *list, int32_t count, const glance *g,
                     vt_traveller *t)
{
    encounter e; /* all other fields are written before they are read */
    e.walls = walls, e.list = list, e.count = count, e.traveller = t;
    e.planes.count = 0, e.first.wall = NULL, e.beyond = NULL;
    if (t->hits)
        t->hits->count = 0;
    int held = VT_UNHINDERED;
    int32_t last = -1; /* last wall that moved the particle; later walls are clear of its end */
    for (int pass = 0; pass < PASSES; pass++) {
        int moved = 0;
        e.planes.count = 0;
        for (int32_t n = pass == 0 && g ? g->first : 0; n < count; n++) {
            const vt_wall *const wall = &walls->wall[list[n]];
            if (wall == e.beyond) {
                if (pass > 0 && n == last && !moved)
                    return held;
                continue;
            }
            if (meet(&e, wall, pass == 0 && g && n == g->first ? &g->look : NULL)) {
                moved = 1;
                last = n;
            }
        }
        if (!moved)
            return held;
        held = VT_HELD;
    }
    if (settle_at_impact(&e) || settle_composition(&e) || settle(&e, t->start) || settle_inside(&e))
        return VT_HELD;
    return VT_SQUEEZED;
}

/* The cell of a point, or -1. */
static int64_t cell_of(const vt_lattice *lattice, const double point[3])
{
    int64_t cell = 0;
    for (int c = 2; c >= 0; c--) {
        const float at = ((float)point[c] - lattice->lower[c]) * lattice->per_cell;
        if (!(at >= 0 && at < (float)lattice->cells[c]))
            return -1;
        cell = cell * lattice->cells[c] + (int64_t)at;
    }
    return cell;
}

static int is_near(const double a[3], const double b[3], double reach)
{
    for (int c = 0; c < 3; c++)
        if (!(vti_abs(a[c] - b[c]) <= reach))
            return 0;
    return 1;
}

/* Holds a particle that was moved far, or comes from far, by the walls that may be met from there
 * to twice as far. Those left out are clear of all that it passes, so that the result is that of
 * all of them.
 */
static int respond_around(const vt_walls *walls, double moved, vt_traveller *t)
{
    enum { TRIES = 4 };
    const vt_traveller before = *t;
    for (int n = 0; n < TRIES; n++) {
        const double around = 1.2 * moved + (double)walls->lattice.reach;
        int32_t list[VT_MOST_AROUND];
        const int32_t count = vti_walls_around(walls, t->start, t->end, around, list);
        const int held =
            count > VT_MOST_AROUND ? VT_SQUEEZED : cancel_by(walls, list, count, NULL, t);
        moved = vti_sqrt(vti_square_between(t->end, before.end));
        if (held != VT_SQUEEZED && moved <= around)
            return held;
        *t = before;
        if (held == VT_SQUEEZED)
            break;
    }
    return cancel_by(walls, walls->all, walls->count, NULL, t);
}

/* Holds a particle that the list of its cell does not clear. Once it is moved aside, holes and
 * planes may be met that are not in the list; moved far, any. */
static int respond_near(const vt_walls *walls, const int32_t *list, int32_t count, const glance *g,
                        vt_traveller *t)
{
    const vt_traveller before = *t;
    int32_t both[VT_MOST_AROUND];
    double moved = 0;
    if (count + walls->far_count <= VT_MOST_AROUND) {
        memcpy(both, list, sizeof *both * (size_t)count);
        memcpy(both + count, walls->far, sizeof *both * (size_t)walls->far_count);
        const int held = cancel_by(walls, both, count + walls->far_count, g, t);
        if (held == VT_UNHINDERED ||
            (held == VT_HELD && is_near(t->end, before.end, (double)walls->lattice.reach)))
            return held;
        moved = vti_sqrt(vti_square_between(t->end, before.end));
        *t = before;
        if (held == VT_SQUEEZED)
            return cancel_by(walls, walls->all, walls->count, NULL, t);
    }
    return respond_around(walls, moved, t);
}

/* Holds a particle that comes from far. */
static int respond_far(const vt_walls *walls, vt_traveller *t)
{
    int32_t list[VT_MOST_AROUND];
    glance g;
    const int32_t count = vti_walls_around(walls, t->start, t->end, 0, list);
    return count <= VT_MOST_AROUND && is_clear_of_all(walls, list, count, t, &g)
               ? VT_UNHINDERED
               : respond_around(walls, 0, t);
}

/* The list of a cell says what a particle that ends there may have met, if it comes from near. */
int vti_respond(const vt_walls *walls, vt_traveller *t)
{
    const vt_lattice *const lattice = &walls->lattice;
    const int64_t cell =
        is_near(t->start, t->end, (double)lattice->reach) ? cell_of(lattice, t->end) : -1;
    glance g;
    if (cell < 0)
        return respond_far(walls, t);
    const uint32_t first = lattice->first[cell];
    const int32_t *const list = walls->near + first;
    const int32_t count = (int32_t)(lattice->first[cell + 1] - first);
    return is_clear_of_all(walls, list, count, t, &g) ? VT_UNHINDERED
                                                      : respond_near(walls, list, count, &g, t);
}
