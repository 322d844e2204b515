#include "contacts.h"

#include <math.h>
#include <string.h>

#include "core/parallel.h"
#include "field.h"
#include "hits.h"
#include "state/ambient.h"
#include "walls.h"

enum { COPY_BLOCK = 4096, HOLD_BLOCK = 64, BIRTH_BLOCK = 256, AHEAD = 8 };

/* The columns of a set that contact reads and writes. */
typedef struct rows {
    int64_t count;
    float *position, *velocity; /* velocity may be NULL */
    const float *age;
    const int64_t *id;
} rows;

static rows rows_of(const vt_simulation *s, int set)
{
    const vt_vortons *const v = &s->vortons;
    const vt_tracers *const t = &s->tracers;
    /* from the velocities of vortons follows the acceleration of the fluid: no wall stops it */
    if (set == VT_VORTONS)
        return (rows){v->set.count, v->position, vt_accelerations(s) ? NULL : v->velocity, v->age,
                      v->id};
    return (rows){t->set.count, t->position, t->set.used[VT_TRACER_velocity] ? t->velocity : NULL,
                  t->age, t->id};
}

static double room_of(const vt_body *body, const vt_pose *pose, const double point[3])
{
    double local[3], normal[3];
    vt_pose_point_back(pose, point, local);
    return body->scale * vt_body_room(body, local, normal);
}

double vt_room_at(const vt_simulation *s, const double point[3])
{
    double room = INFINITY;
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_body *const body = &s->bodies.items[n];
        const vt_pose pose = vt_body_pose(&s->transforms, body, s->time);
        room = fmin(room, room_of(body, &pose, point));
    }
    return room;
}

const vt_pose *vt_poses_at(vt_simulation *s, double time)
{
    vt_pose *const pose = vt_arena_push(&s->arena, sizeof *pose * (size_t)s->bodies.count);
    for (int32_t n = 0; n < s->bodies.count; n++)
        pose[n] = vt_body_pose(&s->transforms, &s->bodies.items[n], time);
    return pose;
}

double vt_room_beside(const vt_simulation *s, const vt_pose *pose, const double point[3])
{
    double room = INFINITY;
    for (int32_t n = 0; n < s->bodies.count; n++)
        room = fmin(room, room_of(&s->bodies.items[n], &pose[n], point));
    return room;
}

/* ---- births ---- */

typedef struct birth_job {
    const vt_simulation *s;
    rows rows;
    int64_t first; /* row */
    int32_t first_body;
    const vt_pose *pose; /* of each body now */
    uint8_t *mask;
} birth_job;

/* The box around a block of rows. */
static void find_bounds(const float *position, int64_t begin, int64_t end, double lower[3],
                        double upper[3])
{
    for (int c = 0; c < 3; c++) {
        lower[c] = upper[c] = (double)position[3 * begin + c];
        for (int64_t i = begin; i < end; i++) {
            const double at = (double)position[3 * i + c];
            lower[c] = at < lower[c] ? at : lower[c];
            upper[c] = at > upper[c] ? at : upper[c];
        }
    }
}

/* Whether a solid at rest lies apart from a box. */
static int lies_apart(const birth_job *job, int32_t n, const double lower[3], const double upper[3])
{
    const vt_body *const body = &job->s->bodies.items[n];
    int apart = 0;
    double center[3];
    vt_pose_point(&job->pose[n], body->center, center);
    for (int c = 0; c < 3; c++)
        apart |= center[c] + body->reach < lower[c] || center[c] - body->reach > upper[c];
    return apart && !body->moves && !body->hole;
}

/* Whether a particle is on the wrong side of the wall where the body is at its birth. */
static int is_embedded(const birth_job *job, int32_t n, int64_t row)
{
    const vt_body *const body = &job->s->bodies.items[n];
    const double birth = job->s->time - (double)job->rows.age[row];
    const vt_pose pose = body->moves && birth > job->s->time
                             ? vt_body_pose(&job->s->transforms, body, birth)
                             : job->pose[n];
    double world[3], local[3], normal[3];
    for (int c = 0; c < 3; c++)
        world[c] = (double)job->rows.position[3 * row + c];
    vt_pose_point_back(&pose, world, local);
    return body->scale * vt_body_room(body, local, normal) < -vt_contact_skin(body, world);
}

/* Rows far from a solid, which is where it is now at their birth, need no closer look. */
static void mark_beside(const birth_job *job, int32_t n, int64_t first, int64_t last)
{
    const vt_body *const body = &job->s->bodies.items[n];
    const double reach = body->hole ? (double)INFINITY : body->reach * body->reach;
    double center[3];
    vt_pose_point(&job->pose[n], body->center, center);
    for (int64_t row = first; row < last; row++) {
        const float *const x = job->rows.position + 3 * row;
        double square = 0;
        for (int c = 0; c < 3; c++)
            square += ((double)x[c] - center[c]) * ((double)x[c] - center[c]);
        if (square <= reach || (body->moves && job->rows.age[row] < 0))
            job->mask[row] |= (uint8_t)is_embedded(job, n, row);
    }
}

static void mark_embedded(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const birth_job *const job = data;
    const int64_t first = job->first + begin, last = job->first + end;
    double lower[3], upper[3];
    find_bounds(job->rows.position, first, last, lower, upper);
    for (int32_t n = job->first_body; n < job->s->bodies.count; n++)
        if (!lies_apart(job, n, lower, upper))
            mark_beside(job, n, first, last);
}

/* Newer rows than those that were looked at lie at the end. */
static int64_t first_new(const rows *r, int64_t known_id)
{
    int64_t first = r->count;
    while (first > 0 && r->id[first - 1] >= known_id)
        first--;
    return first;
}

static void remove_marked(vt_simulation *s, int set, int64_t count, const uint8_t *mask)
{
    if (count && memchr(mask, 1, (size_t)count))
        vt_remove_rows(s, set, mask);
}

/* Looks at the rows from `first` on, beside the bodies from first_body on. */
static void remove_embedded_from(vt_simulation *s, int set, int64_t first, int32_t first_body)
{
    birth_job job = {.s = s, .rows = rows_of(s, set), .first = first, .first_body = first_body};
    const int64_t count = job.rows.count;
    if (first == count)
        return;
    const size_t mark = vt_arena_mark(&s->arena);
    job.pose = vt_poses_at(s, s->time);
    job.mask = vt_arena_push(&s->arena, (size_t)count);
    memset(job.mask, 0, (size_t)count);
    vt_parallel_for(s->def.threads, count - first, BIRTH_BLOCK, mark_embedded, &job);
    remove_marked(s, set, count, job.mask);
    vt_arena_pop(&s->arena, mark);
}

void vt_remove_embedded(vt_simulation *s, int set)
{
    const rows r = rows_of(s, set);
    if (s->bodies.count == 0)
        return;
    remove_embedded_from(s, set, first_new(&r, s->contact_checked[set]), 0);
    s->contact_checked[set] = s->next_id[set];
}

int vt_has_unlooked(const vt_simulation *s, int set)
{
    const rows r = rows_of(s, set);
    return s->bodies.count > 0 && first_new(&r, s->contact_checked[set]) < r.count;
}

void vt_clear_last_body(vt_simulation *s)
{
    for (int set = 0; set < 2; set++) {
        remove_embedded_from(s, set, 0, s->bodies.count - 1);
        if (s->bodies.count == 1)
            s->contact_checked[set] = s->next_id[set];
    }
}

/* ---- motion ---- */

typedef struct copy_job {
    const float *from;
    float *to;
} copy_job;

static void copy_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const copy_job *const job = data;
    memcpy(job->to + 3 * begin, job->from + 3 * begin, 12 * (size_t)(end - begin));
}

void vt_begin_contact(vt_simulation *s, vt_contacts *contacts)
{
    *contacts = (vt_contacts){{NULL, NULL}};
    for (int set = 0; set < 2 && s->bodies.count > 0; set++) {
        const rows r = rows_of(s, set);
        copy_job job = {r.position, vt_arena_push(&s->arena, 12 * (size_t)r.count)};
        vt_parallel_for(s->def.threads, r.count, COPY_BLOCK, copy_block, &job);
        contacts->start[set] = job.to;
    }
}

typedef struct hold_job {
    const vt_simulation *s;
    const vt_walls *walls;
    rows rows;
    const float *start;
    const uint32_t *list;
    uint8_t *squeezed;        /* of the list */
    vt_contact_counts *count; /* of each block */
    vt_hit_sums *hits;        /* likewise; NULL: nobody asks */
    vt_fluid fluid;           /* of what hits */
} hold_job;

/* The rows lie far from each other: they are fetched before their turn. */
static inline void ask_for(const hold_job *job, int64_t row)
{
    __builtin_prefetch(job->rows.position + 3 * row);
    __builtin_prefetch(job->start + 3 * row);
    __builtin_prefetch(job->rows.age + row);
    if (job->rows.velocity)
        __builtin_prefetch(job->rows.velocity + 3 * row);
}

/* What a tracer that ran into bodies gives them. It had the mean velocity of its way; over a time
 * that is too short positions do not tell. */
static void sum_hits(const hold_job *job, int64_t row, const vt_traveller *t, vt_hit_sums *sums)
{
    const vt_simulation *const s = job->s;
    const vt_set *const set = &s->tracers.set;
    const double from = job->walls->from, to = job->walls->to;
    const double lived = fmax(to - t->birth, 1e-3 * (to - from));
    const double size = set->used[VT_TRACER_size] ? (double)s->tracers.size[row]
                                                  : (double)set->alike[VT_TRACER_size];
    double velocity[3];
    for (int c = 0; c < 3; c++)
        velocity[c] = ((double)job->rows.position[3 * row + c] - t->start[c]) / lived;
    const double mass = vt_ambient_density(&job->fluid, t->end) * size * size * size;
    vt_sum_hits(s, t->hits, mass, velocity, sums);
}

static void hold_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const hold_job *const job = data;
    const double from = job->walls->from, to = job->walls->to;
    vt_contact_counts count = {0, 0};
    vt_hits hits;
    for (int64_t n = begin; n < end; n++) {
        const int64_t row = job->list[n];
        if (n + AHEAD < end)
            ask_for(job, job->list[n + AHEAD]);
        float *const position = job->rows.position + 3 * row;
        float *const velocity = job->rows.velocity ? job->rows.velocity + 3 * row : NULL;
        vt_traveller t = {.birth = fmax(from, to - (double)job->rows.age[row]),
                          .looks = &count.looks,
                          .hits = job->hits ? &hits : NULL};
        for (int c = 0; c < 3; c++) {
            t.start[c] = (double)job->start[3 * row + c];
            t.end[c] = (double)position[c];
            t.velocity[c] = velocity ? (double)velocity[c] : 0;
        }
        const int held = vt_hold(job->walls, &t);
        if (held == VT_HELD && job->hits)
            sum_hits(job, row, &t, &job->hits[begin / HOLD_BLOCK]);
        for (int c = 0; c < 3 && held == VT_HELD; c++) {
            position[c] = (float)t.end[c];
            if (velocity)
                velocity[c] = (float)t.velocity[c];
        }
        job->squeezed[n] = held == VT_SQUEEZED;
        count.held += held != VT_UNHINDERED;
    }
    job->count[begin / HOLD_BLOCK] = count;
}

/* The rows that may have met a body, one after the other; returns how many. */
static int64_t list_near(vt_simulation *s, const vt_walls *walls, const rows *r, const float *start,
                         uint32_t *near)
{
    const int64_t blocks = (r->count + VT_CONTACT_BLOCK - 1) / VT_CONTACT_BLOCK;
    int32_t *const count = vt_arena_push(&s->arena, sizeof *count * (size_t)blocks);
    const float since = 1.000001f * (float)(walls->to - walls->from);
    s->stages->contact(&walls->lattice, since, r->count, start, r->position, r->age, near, count,
                       s->def.threads);
    int64_t listed = 0;
    for (int64_t b = 0; b < blocks; b++) {
        memmove(near + listed, near + b * VT_CONTACT_BLOCK, sizeof *near * (size_t)count[b]);
        listed += count[b];
    }
    return listed;
}

/* Room for what the bodies receive in each block. */
static vt_hit_sums *make_hit_sums(vt_simulation *s, int64_t blocks)
{
    const int32_t most = HOLD_BLOCK * VT_MOST_HITS;
    const int32_t room = s->bodies.count < most ? s->bodies.count : most;
    vt_hit_sums *const sums = vt_arena_push(&s->arena, sizeof *sums * (size_t)blocks);
    vt_hit_sum *const all = vt_arena_push(&s->arena, sizeof *all * (size_t)(blocks * room));
    for (int64_t b = 0; b < blocks; b++)
        sums[b] = (vt_hit_sums){.sum = all + b * room};
    return sums;
}

static void take_hits(vt_simulation *s, const vt_walls *walls, int64_t blocks,
                      const vt_hit_sums *sums)
{
    for (int64_t b = 0; b < blocks; b++)
        for (int32_t n = 0; n < sums[b].count; n++)
            vt_take_hits(s, &sums[b].sum[n], walls->wall[sums[b].sum[n].body].center);
}

static void remove_squeezed(vt_simulation *s, int set, int64_t listed, const hold_job *job)
{
    if (listed <= 0 || !memchr(job->squeezed, 1, (size_t)listed))
        return;
    uint8_t *const mask = vt_arena_push(&s->arena, (size_t)job->rows.count);
    memset(mask, 0, (size_t)job->rows.count);
    for (int64_t n = 0; n < listed; n++)
        mask[job->list[n]] = job->squeezed[n];
    vt_remove_rows(s, set, mask);
}

static void hold_rows(vt_simulation *s, const vt_walls *walls, int set, const float *start)
{
    const size_t mark = vt_arena_mark(&s->arena);
    hold_job job = {.s = s, .walls = walls, .rows = rows_of(s, set), .start = start};
    const int64_t count = job.rows.count;
    uint32_t *const near = vt_arena_push(&s->arena, sizeof *near * (size_t)(count + VT_LANES));
    const int64_t listed = list_near(s, walls, &job.rows, start, near);
    job.list = near;
    if (listed) {
        const int64_t blocks = (listed + HOLD_BLOCK - 1) / HOLD_BLOCK;
        job.count = vt_arena_push(&s->arena, sizeof *job.count * (size_t)blocks);
        job.squeezed = vt_arena_push(&s->arena, (size_t)listed);
        if (set == VT_TRACERS && vt_has_hits(s)) {
            job.hits = make_hit_sums(s, blocks);
            job.fluid = vt_fluid_of(&s->def);
        }
        vt_parallel_for(s->def.threads, listed, HOLD_BLOCK, hold_block, &job);
        for (int64_t b = 0; b < blocks; b++) {
            s->contacts.held += job.count[b].held;
            s->contacts.looks += job.count[b].looks;
        }
        if (job.hits)
            take_hits(s, walls, blocks, job.hits);
        remove_squeezed(s, set, listed, &job);
    }
    vt_arena_pop(&s->arena, mark);
}

/* How far all but few particles move along each axis, m, by samples. */
static double find_way(const vt_simulation *s, const vt_contacts *contacts)
{
    enum { SAMPLES = 128, FEW = 128, MOST_FEW = 2 * SAMPLES / FEW }; /* few: one in so many */
    float longest[MOST_FEW + 1] = {0};                               /* in falling order */
    int64_t count = 0;
    for (int set = 0; set < 2; set++) {
        const rows r = rows_of(s, set);
        const int64_t apart = 1 + r.count / SAMPLES;
        for (int64_t i = 0; i < r.count; i += apart, count++) {
            float most = 0;
            for (int c = 0; c < 3; c++)
                most = fmaxf(most, fabsf(r.position[3 * i + c] - contacts->start[set][3 * i + c]));
            int n = MOST_FEW;
            if (!(most > longest[n]))
                continue;
            for (; n > 0 && most > longest[n - 1]; n--)
                longest[n] = longest[n - 1];
            longest[n] = most;
        }
    }
    return (double)longest[count / FEW];
}

/* Most particles are in the working grid. */
static vt_crowd find_crowd(const vt_simulation *s, const vt_contacts *contacts)
{
    vt_crowd crowd = {.count = s->vortons.set.count + s->tracers.set.count,
                      .way = find_way(s, contacts)};
    for (int c = 0; c < 3; c++) {
        crowd.lower[c] = s->fields_exist ? s->grid.base[c] * s->grid.spacing : INFINITY;
        crowd.upper[c] =
            s->fields_exist ? crowd.lower[c] + s->grid.cells[c] * s->grid.spacing : -INFINITY;
    }
    return crowd;
}

void vt_end_contact(vt_simulation *s, double dt, const vt_contacts *contacts)
{
    vt_walls walls;
    if (s->bodies.count == 0)
        return;
    const size_t mark = vt_arena_mark(&s->arena);
    const vt_crowd crowd = find_crowd(s, contacts);
    vt_make_walls(&s->bodies, &s->transforms, s->time, s->time + dt, &s->arena, s->def.threads,
                  &walls);
    vt_make_lattice(&walls, &crowd, &s->kept_lattice, &s->arena, s->def.threads);
    for (int set = 0; set < 2; set++)
        hold_rows(s, &walls, set, contacts->start[set]);
    vt_arena_pop(&s->arena, mark);
}
