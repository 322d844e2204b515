#include "vorton/retime.h"

#include <string.h>

#include "archive/block.h"
#include "archive/take_over.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "state/particles.h"

enum { BLOCK = 4096 /* rows */ };

/* Rows that the result has: of the earlier and the later moment, -1: it lacks the particle; the
 * share of its strength that is there. */
typedef struct pairing {
    int32_t *row[2];
    float *share;
    int64_t count;
} pairing;

typedef struct blending {
    const vt_simulation *from[2]; /* the earlier, the later */
    const float *velocity[2];
    double at[2]; /* their times, s */
    double time;
    int set;
    pairing pairs;
    vt_set *to;
    int threads;
} blending;

/* ---- who is who ---- */

/* Rows by id, with open addressing: a power of two of places, at least twice as many as rows. */
typedef struct id_table {
    int32_t *row; /* -1: none */
    uint64_t mask;
    int shift;
    const int64_t *id;
} id_table;

static uint64_t place_of(const id_table *t, int64_t id)
{
    return (uint64_t)id * UINT64_C(0x9e3779b97f4a7c15) >> t->shift; /* Fibonacci hashing */
}

static int make_table(id_table *t, const int64_t *id, int64_t count)
{
    int bits = 4;
    while ((INT64_C(1) << bits) < 2 * count)
        bits++;
    *t = (id_table){.mask = (UINT64_C(1) << bits) - 1, .shift = 64 - bits, .id = id};
    t->row = vti_allocate(sizeof *t->row << bits);
    if (!t->row)
        return -1;
    memset(t->row, 0xff, sizeof *t->row << bits);
    for (int64_t i = 0; i < count; i++) {
        uint64_t at = place_of(t, id[i]);
        while (t->row[at] >= 0)
            at = (at + 1) & t->mask;
        t->row[at] = (int32_t)i;
    }
    return 0;
}

static int32_t find(const id_table *t, int64_t id)
{
    uint64_t at = place_of(t, id);
    while (t->row[at] >= 0 && t->id[t->row[at]] != id)
        at = (at + 1) & t->mask;
    return t->row[at];
}

static const float *column(const blending *b, int moment, int of_vortons, int of_tracers)
{
    const int c = b->set == VT_VORTONS ? of_vortons : of_tracers;
    return vti_used_column(vti_set_of(b->from[moment], b->set), c);
}

static const int64_t *ids(const blending *b, int moment)
{
    const vt_simulation *const s = b->from[moment];
    return b->set == VT_VORTONS ? s->vortons.id : s->tracers.id;
}

static void put_pair(pairing *p, int64_t earlier, int64_t later, double share)
{
    p->row[0][p->count] = (int32_t)earlier;
    p->row[1][p->count] = (int32_t)later;
    p->share[p->count++] = (float)share;
}

/* Those of the earlier moment: with their rows in the later one, or until they are gone. */
static void pair_earlier(blending *b, const id_table *later, double progress)
{
    const int64_t *const id = ids(b, 0);
    const float *const age = column(b, 0, VT_VORTON_age, VT_TRACER_age);
    const float *const lifetime = column(b, 0, VT_VORTON_lifetime, VT_TRACER_lifetime);
    const double rest = b->at[1] - b->at[0];
    for (int64_t i = 0; i < vti_set_of(b->from[0], b->set)->count; i++) {
        const int32_t row = find(later, id[i]);
        if (row >= 0) {
            put_pair(&b->pairs, i, row, 1);
            continue;
        }
        const double left = lifetime ? (double)lifetime[i] - (double)age[i] : INFINITY;
        if (left > b->time - b->at[0])
            put_pair(&b->pairs, i, -1, left < rest || b->set == VT_TRACERS ? 1 : 1 - progress);
    }
}

/* Those that only the later moment has, from their birth on. */
static void pair_later(blending *b, const id_table *earlier, double progress)
{
    const int64_t *const id = ids(b, 1);
    const float *const age = column(b, 1, VT_VORTON_age, VT_TRACER_age);
    const double since = b->at[1] - b->at[0];
    for (int64_t i = 0; i < vti_set_of(b->from[1], b->set)->count; i++) {
        if (find(earlier, id[i]) >= 0)
            continue;
        const int born_between = (double)age[i] < since;
        if (!born_between || (double)age[i] >= b->at[1] - b->time)
            put_pair(&b->pairs, -1, i, born_between || b->set == VT_TRACERS ? 1 : progress);
    }
}

static int pair_particles(blending *b)
{
    const int64_t counts[2] = {vti_set_of(b->from[0], b->set)->count,
                               vti_set_of(b->from[1], b->set)->count};
    const size_t most = (size_t)(counts[0] + counts[1]) + 1;
    const double progress = (b->time - b->at[0]) / (b->at[1] - b->at[0]);
    id_table tables[2] = {{.row = NULL}, {.row = NULL}};
    b->pairs = (pairing){
        .row = {vti_allocate(most * sizeof(int32_t)), vti_allocate(most * sizeof(int32_t))},
        .share = vti_allocate(most * sizeof(float))};
    const int failed = !b->pairs.row[0] || !b->pairs.row[1] || !b->pairs.share ||
                       make_table(&tables[0], ids(b, 0), counts[0]) ||
                       make_table(&tables[1], ids(b, 1), counts[1]);
    if (!failed) {
        pair_earlier(b, &tables[1], progress);
        pair_later(b, &tables[0], progress);
    }
    vti_free(tables[0].row);
    vti_free(tables[1].row);
    return failed ? -1 : 0;
}

static void free_pairs(pairing *p)
{
    vti_free(p->row[0]);
    vti_free(p->row[1]);
    vti_free(p->share);
}

/* ---- particles ---- */

/* The cubic Hermite polynomial through x0, x1 with the velocities v0, v1 at both ends of a time. */
static double hermite(double x0, double v0, double x1, double v1, double s, double dt)
{
    const double rest = 1 - s;
    return rest * rest * ((1 + 2 * s) * x0 + s * dt * v0) +
           s * s * ((1 + 2 * rest) * x1 - rest * dt * v1);
}

static void place_rows(void *data, int64_t begin, int64_t end)
{
    const blending *const b = data;
    const float *const x[2] = {column(b, 0, VT_VORTON_position, VT_TRACER_position),
                               column(b, 1, VT_VORTON_position, VT_TRACER_position)};
    const int column = b->set == VT_VORTONS ? (int)VT_VORTON_position : (int)VT_TRACER_position;
    float *const to = b->to->column[column];
    const double dt = b->at[1] - b->at[0], s = (b->time - b->at[0]) / dt;
    for (int64_t n = 3 * begin; n < 3 * end; n++) {
        const int64_t row[2] = {b->pairs.row[0][n / 3], b->pairs.row[1][n / 3]};
        const int only = row[1] < 0 ? 0 : 1;
        const int64_t i = 3 * row[0] + n % 3, j = 3 * row[1] + n % 3, k = only ? j : i;
        to[n] = (float)(row[0] >= 0 && row[1] >= 0
                            ? hermite((double)x[0][i], (double)b->velocity[0][i], (double)x[1][j],
                                      (double)b->velocity[1][j], s, dt)
                            : (double)x[only][k] +
                                  (double)b->velocity[only][k] * (b->time - b->at[only]));
    }
}

/* A column of floats, components in a row. */
typedef struct column_job {
    const blending *b;
    int c;
    int64_t components;
    int ages, strengths;
} column_job;

static float value_of(const column_job *job, int moment, int64_t row, int64_t component)
{
    const vt_set *const set = vti_set_of(job->b->from[moment], job->b->set);
    const float *const values = set->column[job->c];
    return set->used[job->c] ? values[row * job->components + component] : set->alike[job->c];
}

static void blend_rows(void *data, int64_t begin, int64_t end)
{
    const column_job *const job = data;
    const blending *const b = job->b;
    float *const to = b->to->column[job->c];
    const double s = (b->time - b->at[0]) / (b->at[1] - b->at[0]);
    for (int64_t n = begin; n < end; n++)
        for (int64_t k = 0; k < job->components; k++) {
            const int64_t i = b->pairs.row[0][n], j = b->pairs.row[1][n];
            double value;
            if (i >= 0 && j >= 0)
                value =
                    (1 - s) * (double)value_of(job, 0, i, k) + s * (double)value_of(job, 1, j, k);
            else
                value = (double)(j < 0 ? value_of(job, 0, i, k) : value_of(job, 1, j, k)) +
                        (job->ages ? b->time - b->at[j < 0 ? 0 : 1] : 0);
            to[n * job->components + k] =
                (float)(job->strengths ? value * (double)b->pairs.share[n] : value);
        }
}

/* What is no quantity: the earlier moment's, or that of the newborn. */
static void copy_rows(void *data, int64_t begin, int64_t end)
{
    const column_job *const job = data;
    const blending *const b = job->b;
    const size_t bytes = (size_t)b->to->row_bytes[job->c];
    for (int64_t n = begin; n < end; n++) {
        const int moment = b->pairs.row[0][n] < 0;
        const char *const from = vti_set_of(b->from[moment], b->set)->column[job->c];
        char *const to = b->to->column[job->c];
        if (vti_set_of(b->from[moment], b->set)->used[job->c])
            memcpy(to + (size_t)n * bytes, from + (size_t)b->pairs.row[moment][n] * bytes, bytes);
        else
            memset(to + (size_t)n * bytes, 0, bytes);
    }
}

static int is_blended(int set, int c)
{
    if (set == VT_VORTONS)
        return c != VT_VORTON_flags && c != VT_VORTON_panel && c != VT_VORTON_id &&
               c != VT_VORTON_lifetime;
    return c != VT_TRACER_id && c != VT_TRACER_eddy_place && c != VT_TRACER_lifetime &&
           c != VT_TRACER_fade;
}

static void blend_particles(blending *b)
{
    const int of_vortons = b->set == VT_VORTONS;
    b->to->count = b->pairs.count;
    for (int c = 0; c < b->to->column_count; c++) {
        column_job job = {.b = b,
                          .c = c,
                          .components = b->to->row_bytes[c] / 4,
                          .ages = c == (of_vortons ? (int)VT_VORTON_age : (int)VT_TRACER_age),
                          .strengths = of_vortons && c == VT_VORTON_strength};
        if (!b->to->used[c])
            continue;
        if (c == (of_vortons ? (int)VT_VORTON_position : (int)VT_TRACER_position))
            vti_parallel_for(b->threads, b->pairs.count, BLOCK, place_rows, b);
        else
            vti_parallel_for(b->threads, b->pairs.count, BLOCK,
                             is_blended(b->set, c) ? blend_rows : copy_rows, &job);
    }
}

/* ---- bodies and winds ---- */

static void make_unit(double *quaternion)
{
    double square = 0;
    for (int c = 0; c < 4; c++)
        square += quaternion[c] * quaternion[c];
    for (int c = 0; c < 4 && square > 0; c++)
        quaternion[c] /= sqrt(square);
}

/* Numbers that are linear in time between the moments; places of bodies are turned as straight. */
static void blend_fields(const vt_state_list *to, const vt_state_list *earlier,
                         const vt_state_list *later, double s)
{
    static const char *const names[] = {"winds.velocity",  "winds.shift", "wind_grids.amplitude",
                                        "wind_grids.pose", "bodies.now",  "bodies.velocity",
                                        "bodies.angular"};
    for (int32_t f = 0; f < to->count; f++)
        for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
            if (strcmp(to->field[f].name, names[n]) != 0)
                continue;
            const vt_state_field *const field = &to->field[f];
            for (int64_t row = 0; row < field->rows; row++) {
                double *const x = (double *)(field->data + row * field->stride);
                const vt_state_field *const a = &earlier->field[f], *const b = &later->field[f];
                const double *const x0 = (const double *)(a->data + row * a->stride);
                const double *const x1 = (const double *)(b->data + row * b->stride);
                const int places = strcmp(names[n], "bodies.now") == 0;
                double along = 0; /* both signs of a quaternion are the same turn */
                for (int c = 3; places && c < 7; c++)
                    along += x0[c] * x1[c];
                for (int c = 0; c < field->components; c++)
                    x[c] = (1 - s) * x0[c] + (places && c >= 3 && along < 0 ? -s : s) * x1[c];
                if (places)
                    make_unit(x + 3);
            }
        }
}

/* Records, and animated numbers of the definition, are those of the step in which the time lies,
 * whatever was shown before. */
static void take_records(const vt_state_list *to, const vt_state_list *later)
{
    for (int32_t f = 0; f < to->count; f++) {
        const vt_state_field *const field = &to->field[f], *const from = &later->field[f];
        const size_t row = vti_bytes_of_type((uint32_t)field->type) * (size_t)field->components;
        for (int64_t n = 0; n < field->rows && field->items == VT_ROWS_STAY; n++)
            memcpy(field->data + n * field->stride, from->data + n * from->stride, row);
    }
}

/* ---- the whole ---- */

static vt_status check_moments(const vt_simulation *s, const vt_simulation *a,
                               const vt_simulation *b, double time)
{
    if (vti_definition_digest(s) != vti_definition_digest(a) ||
        vti_definition_digest(s) != vti_definition_digest(b))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "the moments: belong to another simulation; allowed are those of one that "
                        "was made of the same definition");
    if (!(b->time > a->time) || !(time >= a->time && time <= b->time))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "time is %g s; allowed is one between the moments, %g to %g s", time,
                        a->time, b->time);
    return VT_OK;
}

static vt_status show(vt_simulation *s, const vt_moment *earlier, const vt_moment *later,
                      double time, vt_state_list lists[3])
{
    vt_simulation *const a = earlier->simulation, *const b = later->simulation;
    vt_status status = check_moments(s, a, b, time);
    blending jobs[2];
    for (int set = 0; set < 2 && !status; set++) {
        jobs[set] = (blending){.from = {a, b}, .at = {a->time, b->time}, .time = time, .set = set};
        jobs[set].velocity[0] =
            set == VT_VORTONS ? earlier->vorton_velocity : earlier->tracer_velocity;
        jobs[set].velocity[1] = set == VT_VORTONS ? later->vorton_velocity : later->tracer_velocity;
        jobs[set].to = vti_set_of(s, set);
        jobs[set].threads = s->def.threads;
        if (pair_particles(&jobs[set]))
            status = vti_fail(VT_OUT_OF_MEMORY, "no memory to pair particles");
        else
            status = vti_check_room(s, set, jobs[set].pairs.count, "between the frames there are");
        if (status)
            for (int n = 0; n <= set; n++)
                free_pairs(&jobs[n].pairs);
    }
    if (status)
        return status;
    vti_take_state(s, a, &(vt_row_maps){.of = {NULL}}, lists);
    vti_list_state(b, &lists[2]);
    take_records(&lists[0], &lists[2]);
    blend_fields(&lists[0], &lists[1], &lists[2], (time - a->time) / (b->time - a->time));
    for (int set = 0; set < 2; set++) {
        blend_particles(&jobs[set]);
        free_pairs(&jobs[set].pairs);
    }
    s->time = time;
    vti_form_bodies(&s->bodies, time);
    vti_update_smallest_core(s);
    return VT_OK;
}

vt_status vt_show_between(vt_simulation *s, const vt_moment *earlier, const vt_moment *later,
                          double time)
{
    if (!earlier || !later || !earlier->vorton_velocity || !earlier->tracer_velocity ||
        !later->vorton_velocity || !later->tracer_velocity)
        return vti_fail(VT_INVALID_ARGUMENT, "a moment is NULL, or lacks its velocities");
    vt_simulation *const all[3] = {s, earlier->simulation, later->simulation};
    int entered = 0;
    vt_status status = VT_OK;
    while (entered < 3 && !status) {
        status = vti_enter(all[entered]); /* busy where two are the same */
        entered += !status;
    }
    vt_state_list *const lists = vti_allocate(3 * sizeof *lists);
    if (!status && !lists)
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for a state");
    if (!status)
        status = show(s, earlier, later, time, lists);
    vti_free(lists);
    for (int n = entered - 1; n >= 0; n--)
        vti_leave(all[n], VT_OK);
    return status;
}
