#include "panels/joint_panels.h"

#include "base/memory.h"
#include "base/status.h"
#include "geometry/panel_matrix.h"
#include "geometry/panel_mesh.h"
#include "geometry/source_panels.h"
#include "panels/enclosing_walls.h"
#include "panels/panel_choice.h"
#include "panels/touching_bodies.h"

/* Where all together would have more than may be, with half of what each is aimed at, each keeps
 * its own. With a third of them a room of boards holds no better than one whose boards are solved
 * for one by one. */
enum { MOST_DIVIDED = 2 };

/* Of one that stands on a plane alone as many as without it. */
static int32_t most_panels(const vt_joint *j)
{
    return j->count > 1 ? VT_MOST_TOGETHER : VT_MOST_PANELS;
}

static int32_t most_divided(const vt_joint *j)
{
    return j->count > 1 ? MOST_DIVIDED : 1;
}

static int32_t aimed_at(const vt_member *m, int32_t divided)
{
    return m->body->aimed_panels / divided;
}

/* Whether so few may do: none of them is cut away yet. */
static int may_fit(const vt_joint *j, int32_t divided)
{
    const double most = 2.0 * most_panels(j);
    double all = 0;
    int fits = 1;
    for (int32_t n = 0; n < j->count; n++) {
        all += (double)vti_own_panels(j->members[n].body, 0)->count / divided;
        fits &= aimed_at(&j->members[n], divided) >= VT_LEAST_PANELS;
    }
    return fits && all <= most;
}

/* The triangles of all, each body's in its own order, in the space in which they meet. */
static void lay_triangles(vt_joint *j, int32_t divided, vt_triangles *t)
{
    vt_triangles part = {0};
    for (int32_t n = 0; n < j->count && !t->failed; n++) {
        vt_member *const own = &j->members[n];
        vti_lay_walls_of_body(own->body->solid_count, own->body->solids, aimed_at(own, divided),
                              &part);
        vti_cut_by_others(j, n, divided, &part);
        vti_pose_triangles(own, 0, &part);
        own->first = t->count;
        for (int32_t k = 0; k < part.count; k++)
            vti_add_triangle(t, part.item[k][0], part.item[k][1], part.item[k][2]);
        t->failed |= part.failed;
    }
    vti_free(part.item);
}

static int32_t end_of(const vt_joint *j, int32_t n, const vt_panel_set *whole)
{
    return n + 1 < j->count ? j->members[n + 1].first : whole->count;
}

/* The planes that they stand on. */
static vt_mirrors mirrors_of(const vt_simulation *s, const vt_joint *j)
{
    vt_mirrors m = {.count = j->floor_count};
    for (int32_t n = 0; n < j->floor_count; n++) {
        const vt_floor *const f = &j->floors[n];
        memcpy(m.item[n].normal, f->wall.axis, sizeof f->wall.axis);
        m.item[n].offset = vti_dot(f->wall.axis, f->wall.center);
        m.item[n].of = s->bodies.items[f->number].id;
    }
    return m;
}

/* The panels of a whole; *whole is NULL where there would be too many, a body has none left, or the
 * matrix has no inverse. */
static vt_status make_whole(const vt_simulation *s, vt_joint *j, int32_t divided, uint64_t key,
                            vt_panel_set **whole)
{
    static const double origin[3] = {0, 0, 0};
    vt_triangles t = {0};
    double thinnest = INFINITY;
    int fits = 1;
    *whole = NULL;
    lay_triangles(j, divided, &t);
    const int32_t count = t.count;
    vt_status status = VT_OK;
    const int may = count > 0 && count <= most_panels(j);
    if (!t.failed && may)
        *whole = vti_make_panels(&t, 0, origin, NULL);
    if (t.failed || (may && !*whole))
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for %d panels", count);
    vti_free(t.item);
    for (int32_t n = 0; n < j->count && *whole; n++) {
        thinnest = fmin(thinnest, 2 * vti_half_thickness(j->members[n].body));
        fits &= end_of(j, n, *whole) > j->members[n].first;
    }
    if (*whole && fits) {
        (*whole)->is_whole = 1;
        (*whole)->divided = divided;
        (*whole)->key = key;
        (*whole)->mirrors = mirrors_of(s, j);
        (*whole)->thickness = thinnest;
        (*whole)->is_thin = thinnest < (*whole)->side;
        status = vti_solve_panels(*whole, s->def.threads);
        fits = !status;
    }
    if (!fits) {
        vti_release_panels(*whole);
        *whole = NULL;
    }
    return status == VT_INVALID_ARGUMENT ? VT_OK : status;
}

/* What of a whole is a body's, in its space; NULL without memory. */
static vt_panel_set *make_part(const vt_joint *j, int32_t n, vt_panel_set *whole,
                               const vt_panel_set *alone)
{
    const vt_member *const m = &j->members[n];
    vt_triangles t = {0};
    for (int32_t i = m->first; i < end_of(j, n, whole); i++)
        vti_add_triangle(&t, whole->corner[i][0], whole->corner[i][1], whole->corner[i][2]);
    vti_pose_triangles(m, 1, &t);
    vt_panel_set *const part = t.failed ? NULL : vti_make_panels(&t, 0, m->body->center, whole);
    vti_free(t.item);
    if (!part)
        return NULL;
    part->first = m->first;
    part->is_thin = alone->is_thin;
    part->length = alone->length;
    part->volume = alone->volume;
    memcpy(part->low, alone->low, sizeof part->low);
    memcpy(part->high, alone->high, sizeof part->high);
    memcpy(part->added_mass, alone->added_mass, sizeof part->added_mass);
    return part;
}

/* Parts of a whole for all bodies, or none: 0, or -1 without memory. */
static int make_parts(const vt_joint *j, vt_panel_set *whole, int which, vt_panel_set **parts)
{
    int failed = 0;
    for (int32_t n = 0; n < j->count && !failed; n++) {
        parts[n] = make_part(j, n, whole, vti_own_panels(j->members[n].body, which));
        failed = !parts[n];
    }
    for (int32_t n = 0; n < j->count && failed; n++) {
        vti_release_panels(parts[n]);
        parts[n] = NULL;
    }
    return failed ? -1 : 0;
}

/* Coarse panels are those of bodies that shed nothing (panels/panels.c). */
static int takes_coarse(const vt_joint *j)
{
    int takes = 1;
    for (int32_t n = 0; n < j->count; n++)
        takes &= j->members[n].body->shedding == 0 && vti_own_panels(j->members[n].body, 1);
    return takes;
}

/* Fine parts, and coarse ones behind them where there are some; none where the whole cannot be. */
static vt_status make_sets(const vt_simulation *s, vt_joint *j, uint64_t key, vt_panel_set **parts)
{
    vt_panel_set *whole = NULL;
    vt_status status = VT_OK;
    for (int32_t divided = 1; !status && !whole && divided <= most_divided(j); divided *= 2)
        if (may_fit(j, divided))
            status = make_whole(s, j, divided, key, &whole);
    if (whole && make_parts(j, whole, 0, parts))
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for %d panels", whole->count);
    const int fine = whole != NULL;
    vti_release_panels(whole);
    whole = NULL;
    if (!status && fine && takes_coarse(j))
        status = make_whole(s, j, VT_COARSER_PANELS, key, &whole);
    if (whole && make_parts(j, whole, 1, parts + j->count))
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for %d panels", whole->count);
    vti_release_panels(whole);
    return status;
}

/* ---- parting and joining ---- */

static void part(vt_body *body)
{
    if (!body->alone[0])
        return;
    vti_release_panels(body->panels);
    vti_release_panels(body->coarse);
    body->panels = body->alone[0];
    body->coarse = body->alone[1];
    body->alone[0] = body->alone[1] = NULL;
}

static void take_parts(vt_simulation *s, const vt_joint *j, vt_panel_set **parts)
{
    for (int32_t n = 0; n < j->count && parts[0]; n++) {
        vt_body *const body = &s->bodies.items[j->members[n].number];
        part(body);
        body->alone[0] = body->panels;
        body->alone[1] = body->coarse;
        body->panels = parts[n];
        body->coarse = parts[j->count + n];
    }
}

static uint64_t mix(uint64_t key, uint64_t more)
{
    key = (key ^ more) * 0x9e3779b97f4a7c15u;
    return key ^ key >> 32;
}

static uint64_t mix_place(uint64_t key, int32_t id, const vt_pose *pose, int moves)
{
    double at[12];
    memcpy(at, pose->matrix, sizeof pose->matrix);
    memcpy(at + 9, pose->position, sizeof pose->position);
    key = mix(key, (uint64_t)id);
    for (int k = 0; k < 12 && moves; k++) {
        uint64_t word;
        memcpy(&word, at + k, sizeof word);
        key = mix(key, word);
    }
    return key;
}

/* Which bodies, and where: what a whole depends on. */
static uint64_t key_of(const vt_simulation *s, const vt_joint *j)
{
    uint64_t key = (uint64_t)j->count;
    for (int32_t n = 0; n < j->count; n++) {
        const vt_member *const m = &j->members[n];
        key = mix_place(key, m->body->id, &m->pose, m->moves);
    }
    for (int32_t n = 0; n < j->floor_count; n++) {
        const vt_floor *const f = &j->floors[n];
        key = mix_place(key, s->bodies.items[f->number].id, &f->pose, j->members[0].moves);
    }
    return key;
}

static int is_whole(const vt_joint *j, uint64_t key)
{
    int is = 1;
    for (int32_t n = 0; n < j->count; n++) {
        const vt_panel_set *const set = j->members[n].body->panels;
        is &= set->whole && set->whole->key == key;
    }
    return is;
}

/* ---- all of it ---- */

typedef struct work {
    int32_t *group;
    uint8_t *hidden;
    vt_panel_set **parts; /* of each group twice as many as it has bodies, one after the other */
    vt_joint joint;
} work;

/* Makes what is new, group by group, and changes nothing. */
static vt_status make_all(const vt_simulation *s, work *w)
{
    vt_panel_set **parts = w->parts;
    vt_status status = VT_OK;
    for (int32_t n = 0; n < s->bodies.count && !status; n++) {
        if (w->group[n] != n)
            continue;
        vti_list_members(s, w->group, n, &w->joint);
        const uint64_t key = key_of(s, &w->joint);
        if (w->joint.count && !is_whole(&w->joint, key))
            status = make_sets(s, &w->joint, key, parts);
        parts += 2 * w->joint.count;
    }
    return status;
}

static void take_all(vt_simulation *s, work *w)
{
    vt_panel_set **parts = w->parts;
    vti_forget_fields(s); /* which hold the sets of before */
    for (int32_t n = 0; n < s->bodies.count; n++) {
        s->bodies.items[n].hidden = w->hidden[n];
        if (w->group[n] != n)
            continue;
        vti_list_members(s, w->group, n, &w->joint);
        if (w->joint.count == 0)
            part(&s->bodies.items[n]);
        else if (!is_whole(&w->joint, key_of(s, &w->joint))) {
            for (int32_t m = 0; m < w->joint.count; m++)
                part(&s->bodies.items[w->joint.members[m].number]);
            take_parts(s, &w->joint, parts);
        }
        parts += 2 * w->joint.count;
    }
}

vt_status vti_join_panels(vt_simulation *s)
{
    const size_t count = (size_t)s->bodies.count;
    if (s->bodies.joined || count == 0)
        return VT_OK;
    work w = {.group = vti_allocate(sizeof *w.group * count),
              .hidden = vti_allocate_zeroed(count, 1),
              .parts = vti_allocate_zeroed(2 * count, sizeof(vt_panel_set *)),
              .joint.members = vti_allocate(sizeof(vt_member) * count),
              .joint.stands = vti_allocate_zeroed(count, sizeof(vt_stand))};
    vt_status status = VT_OK;
    if (!w.group || !w.hidden || !w.parts || !w.joint.members || !w.joint.stands ||
        vti_group_touching(s, &w.joint, w.group, w.hidden))
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for the panels of %zu bodies", count);
    if (!status)
        status = make_all(s, &w);
    if (!status) {
        take_all(s, &w);
        memset(w.parts, 0, 2 * count * sizeof *w.parts);
        status = vti_look_at_enclosing_walls(s, w.group);
        s->bodies.joined = !status;
    }
    for (size_t n = 0; n < 2 * count && status && w.parts; n++)
        vti_release_panels(w.parts[n]);
    vti_free(w.group);
    vti_free(w.hidden);
    vti_free(w.parts);
    vti_free(w.joint.members);
    vti_free(w.joint.stands);
    return status;
}
