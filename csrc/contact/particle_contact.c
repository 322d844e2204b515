#include "contact/particle_contact.h"

#include "contact/article_impulse.h"
#include "contact/contact_lattice.h"
#include "contact/contact_response.h"
#include "panels/panels.h"
#include "state/distance_to_bodies.h"
#include "state/particles.h"
#include "state/predicates.h"
#include "state/rigid_body.h"

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
        return (rows){v->set.count, v->position, vti_accelerations(s) ? NULL : v->velocity, v->age,
                      v->id};
    return (rows){t->set.count, t->position, t->set.used[VT_TRACER_velocity] ? t->velocity : NULL,
                  t->age, t->id};
}

/* ---- births ---- */

typedef struct birth_job {
    const vt_simulation *s;
    rows rows;
    int64_t first; /* row */
    int32_t first_body;
    const vt_pose *pose; /* pose of each body now */
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
    vti_pose_point(&job->pose[n], body->center, center);
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
                             ? vti_body_pose(&job->s->transforms, body, birth)
                             : job->pose[n];
    double world[3], local[3], normal[3];
    vti_widen(job->rows.position + 3 * row, world);
    vti_pose_point_back(&pose, world, local);
    return body->scale * vti_distance_to_body(body, local, normal) < -vti_contact_skin(body, world);
}

/* Rows far from a solid, which is where it is now at their birth, need no closer look. */
static void mark_beside(const birth_job *job, int32_t n, int64_t first, int64_t last)
{
    const vt_body *const body = &job->s->bodies.items[n];
    const double reach = body->hole ? (double)INFINITY : body->reach * body->reach;
    double center[3];
    vti_pose_point(&job->pose[n], body->center, center);
    for (int64_t row = first; row < last; row++) {
        const float *const x = job->rows.position + 3 * row;
        double square = 0;
        for (int c = 0; c < 3; c++)
            square += ((double)x[c] - center[c]) * ((double)x[c] - center[c]);
        if (square <= reach || (body->moves && job->rows.age[row] < 0))
            job->mask[row] |= (uint8_t)is_embedded(job, n, row);
    }
}

static void mark_embedded(void *data, int64_t begin, int64_t end)
{
    const birth_job *const job = data;
    const int64_t first = job->first + begin, last = job->first + end;
    double lower[3], upper[3];
    find_bounds(job->rows.position, first, last, lower, upper);
    for (int32_t n = job->first_body; n < job->s->bodies.count; n++)
        if (!lies_apart(job, n, lower, upper))
            mark_beside(job, n, first, last);
}

/* The first row that was not looked at yet: newer rows lie at the end. */
static int64_t first_new(const rows *r, int64_t known_id)
{
    int64_t first = r->count;
    while (first > 0 && r->id[first - 1] >= known_id)
        first--;
    return first;
}

/* Looks at the rows from `first` on, beside the bodies from first_body on. */
static void remove_embedded_from(vt_simulation *s, int set, int64_t first, int32_t first_body)
{
    birth_job job = {.s = s, .rows = rows_of(s, set), .first = first, .first_body = first_body};
    const int64_t count = job.rows.count;
    if (first == count)
        return;
    const size_t mark = vti_arena_mark(&s->arena);
    job.pose = vti_poses_at(s, s->time);
    job.mask = vti_arena_push(&s->arena, (size_t)count);
    memset(job.mask, 0, (size_t)count);
    vti_parallel_for(s->def.threads, count - first, BIRTH_BLOCK, mark_embedded, &job);
    if (memchr(job.mask, 1, (size_t)count))
        vti_remove_rows(s, set, job.mask);
    vti_arena_pop(&s->arena, mark);
}

void vti_remove_embedded(vt_simulation *s, int set)
{
    const rows r = rows_of(s, set);
    if (s->bodies.count == 0)
        return;
    remove_embedded_from(s, set, first_new(&r, s->contact_checked[set]), 0);
    s->contact_checked[set] = s->next_id[set];
}

int vti_has_unlooked(const vt_simulation *s, int set)
{
    const rows r = rows_of(s, set);
    return s->bodies.count > 0 && first_new(&r, s->contact_checked[set]) < r.count;
}

void vti_clear_last_body(vt_simulation *s)
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

static void copy_block(void *data, int64_t begin, int64_t end)
{
    const copy_job *const job = data;
    memcpy(job->to + 3 * begin, job->from + 3 * begin, 12 * (size_t)(end - begin));
}

void vti_begin_contact(vt_simulation *s, vt_contacts *contacts)
{
    *contacts = (vt_contacts){{NULL, NULL}};
    for (int set = 0; set < 2 && s->bodies.count > 0; set++) {
        const rows r = rows_of(s, set);
        copy_job job = {r.position, vti_arena_push(&s->arena, 12 * (size_t)r.count)};
        vti_parallel_for(s->def.threads, r.count, COPY_BLOCK, copy_block, &job);
        contacts->start[set] = job.to;
    }
}

typedef struct response_job {
    const vt_simulation *s;
    const vt_walls *walls;
    rows rows;
    const float *start;
    const uint32_t *list;
    uint8_t *squeezed;        /* of the list */
    vt_contact_counts *count; /* counts of each block */
    vt_hit_sums *hits;        /* hits of each block; NULL: nobody asks */
    vt_fluid fluid;           /* fluid of the tracers that hit bodies */
} response_job;

/* The rows lie far from each other: they are fetched before their turn. */
static inline void ask_for(const response_job *job, int64_t row)
{
    __builtin_prefetch(job->rows.position + 3 * row);
    __builtin_prefetch(job->start + 3 * row);
    __builtin_prefetch(job->rows.age + row);
    if (job->rows.velocity)
        __builtin_prefetch(job->rows.velocity + 3 * row);
}

/* What a tracer that ran into bodies gives them. It had the mean velocity of its way; over a time
 * that is too short positions do not tell. */
static void sum_hits(const response_job *job, int64_t row, const vt_traveller *t, vt_hit_sums *sums)
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
    const double mass = vti_ambient_density(&job->fluid, t->end) * size * size * size;
    vti_sum_article_impulse(s, t->hits, mass, velocity, sums);
}

static void respond_block(void *data, int64_t begin, int64_t end)
{
    const response_job *const job = data;
    const double from = job->walls->from, to = job->walls->to;
    vt_contact_counts count = {0, 0};
    vt_article_impulse hits;
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
        const int held = vti_respond(job->walls, &t);
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
    int32_t *const count = vti_arena_push(&s->arena, sizeof *count * (size_t)blocks);
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
    vt_hit_sums *const sums = vti_arena_push(&s->arena, sizeof *sums * (size_t)blocks);
    vt_hit_sum *const all = vti_arena_push(&s->arena, sizeof *all * (size_t)(blocks * room));
    for (int64_t b = 0; b < blocks; b++)
        sums[b] = (vt_hit_sums){.sum = all + b * room};
    return sums;
}

static void take_hits(vt_simulation *s, const vt_walls *walls, int64_t blocks,
                      const vt_hit_sums *sums)
{
    for (int64_t b = 0; b < blocks; b++)
        for (int32_t n = 0; n < sums[b].count; n++)
            vti_take_article_impulse(s, &sums[b].sum[n], walls->wall[sums[b].sum[n].body].center);
}

static void remove_squeezed(vt_simulation *s, int set, int64_t listed, const response_job *job)
{
    if (listed <= 0 || !memchr(job->squeezed, 1, (size_t)listed))
        return;
    uint8_t *const mask = vti_arena_push(&s->arena, (size_t)job->rows.count);
    memset(mask, 0, (size_t)job->rows.count);
    for (int64_t n = 0; n < listed; n++)
        mask[job->list[n]] = job->squeezed[n];
    vti_remove_rows(s, set, mask);
}

static void respond_rows(vt_simulation *s, const vt_walls *walls, int set, const float *start)
{
    const size_t mark = vti_arena_mark(&s->arena);
    response_job job = {.s = s, .walls = walls, .rows = rows_of(s, set), .start = start};
    const int64_t count = job.rows.count;
    uint32_t *const near = vti_arena_push(&s->arena, sizeof *near * (size_t)(count + VT_LANES));
    const int64_t listed = list_near(s, walls, &job.rows, start, near);
    job.list = near;
    if (listed) {
        const int64_t blocks = (listed + HOLD_BLOCK - 1) / HOLD_BLOCK;
        job.count = vti_arena_push(&s->arena, sizeof *job.count * (size_t)blocks);
        job.squeezed = vti_arena_push(&s->arena, (size_t)listed);
        if (set == VT_TRACERS && vti_has_article_impulse(s)) {
            job.hits = make_hit_sums(s, blocks);
            job.fluid = vti_fluid_of(&s->def);
        }
        vti_parallel_for(s->def.threads, listed, HOLD_BLOCK, respond_block, &job);
        for (int64_t b = 0; b < blocks; b++) {
            s->contacts.held += job.count[b].held;
            s->contacts.looks += job.count[b].looks;
        }
        if (job.hits)
            take_hits(s, walls, blocks, job.hits);
        remove_squeezed(s, set, listed, &job);
    }
    vti_arena_pop(&s->arena, mark);
}

/* How far all but few particles move along each axis, m, by samples. */
static double find_way(const vt_simulation *s, const vt_contacts *contacts)
{
    /* one in FEW particles may go farther */
    enum { SAMPLES = 128, FEW = 128, MOST_FEW = 2 * SAMPLES / FEW };
    float longest[MOST_FEW + 1] = {0}; /* in falling order */
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

void vti_end_contact(vt_simulation *s, double dt, const vt_contacts *contacts)
{
    vt_walls walls;
    if (s->bodies.count == 0)
        return;
    const size_t mark = vti_arena_mark(&s->arena);
    vti_form_walls(s, s->time + dt);
    const vt_crowd crowd = find_crowd(s, contacts);
    vti_make_walls(&s->bodies, &s->transforms, s->time, s->time + dt, &s->arena, s->def.threads,
                   &walls);
    vti_make_lattice(&walls, &crowd, &s->kept_lattice, &s->arena, s->def.threads);
    for (int set = 0; set < 2; set++)
        respond_rows(s, &walls, set, contacts->start[set]);
    vti_arena_pop(&s->arena, mark);
}
