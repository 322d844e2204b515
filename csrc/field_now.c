#include "field_now.h"

#include <math.h>
#include <string.h>

#include "core/parallel.h"
#include "core/status.h"
#include "field.h"
#include "panels.h"

/* ---- solving ---- */

static vt_status solve_grid_now(vt_simulation *s, const vt_content *content)
{
    vt_placement placement = s->placement;
    const vt_status status = vt_place_grid(s, content, &placement);
    if (status)
        return status;
    vt_lay_out_grid(s, &placement);
    vt_pose_panels(s, s->time, (const double[3]){0, 0, 0});
    const size_t mark = vt_arena_mark(&s->arena);
    const int64_t count = s->vortons.set.count;
    const size_t bytes = sizeof(vt_record) * (size_t)(count + VL);
    const size_t rows = (size_t)s->grid.cells[1] * (size_t)s->grid.cells[2];
    vt_record *const records = vt_arena_push(&s->arena, bytes);
    vt_record *const sorted = vt_arena_push(&s->arena, bytes);
    uint32_t *const row_start = vt_arena_push(&s->arena, 4 * (rows + 1));
    vt_collect_records(s, &s->grid, 0, count, records);
    vt_solve_field(s, count, records, sorted, row_start, 0);
    vt_arena_pop(&s->arena, mark);
    return VT_OK;
}

/* What is made of the records takes their place: the fields that of those sorted, the nodes that of
 * the others. */
void vt_find_source(vt_simulation *s, float *source[3])
{
    enum { MARGIN = VT_LANES };
    vt_grid grid = s->grid;
    const int64_t count = s->vortons.set.count;
    const int64_t field = grid.plane * (grid.cells[2] + 1) + 2 * MARGIN;
    const int64_t nodes = grid.node_plane * (grid.cells[2] + 2);
    const size_t records = sizeof(vt_record) * (size_t)(count + VL);
    const size_t fields = 3 * sizeof(float) * (size_t)field;
    const size_t rows = (size_t)grid.cells[1] * (size_t)grid.cells[2];
    float *const first = vt_arena_push(&s->arena, fields > records ? fields : records);
    const size_t mark = vt_arena_mark(&s->arena);
    uint32_t *const row_start = vt_arena_push(&s->arena, 4 * (rows + 1));
    const size_t mark_of_records = vt_arena_mark(&s->arena);
    vt_record *const unsorted = vt_arena_push(&s->arena, records), *const sorted = (void *)first;
    vt_collect_records(s, &s->grid, 0, count, unsorted);
    s->stages->sort(&grid, count, unsorted, sorted, row_start, &s->arena, s->def.threads);
    vt_arena_pop(&s->arena, mark_of_records);
    grid.nodes = vt_arena_push(&s->arena, sizeof(f4) * (size_t)nodes);
    s->stages->deposit(&grid, sorted, row_start, s->def.threads);
    for (int c = 0; c < 3; c++)
        grid.field[c] = source[c] = first + c * field + MARGIN;
    s->stages->filter(&grid, vt_filter_variance(s), 1 / grid.spacing, &s->arena, s->def.threads);
    vt_arena_pop(&s->arena, mark);
}

/* Columns of the vortons that the fields are made from. */
static const int source_columns[] = {VT_VORTON_position, VT_VORTON_strength, VT_VORTON_core,
                                     VT_VORTON_swelling};
enum { SOURCE_COLUMNS = sizeof source_columns / sizeof *source_columns, DIGEST_BLOCK = 65536 };

typedef struct digest_job {
    const char *values;
    int64_t bytes;
    uint64_t *block;
} digest_job;

/* One-to-one in each of its arguments, and every bit reaches the others: a change does not get
 * lost, nor two of them together but by a chance of 2^-64. */
static inline uint64_t mix(uint64_t digest, uint64_t word)
{
    digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ digest >> 29;
}

static void digest_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    enum { LANES = 4, WORD = sizeof(uint64_t) };
    const digest_job job = *(const digest_job *)data;
    uint64_t digest[LANES] = {0, 1, 2, 3};
    for (int64_t at = begin; at < end; at += LANES * WORD) {
        uint64_t word[LANES] = {0};
        memcpy(word, job.values + at, (size_t)(end - at < LANES * WORD ? end - at : LANES * WORD));
        for (int l = 0; l < LANES; l++)
            digest[l] = mix(digest[l], word[l]);
    }
    for (int l = 1; l < LANES; l++)
        digest[0] = mix(digest[0], digest[l]);
    job.block[begin / DIGEST_BLOCK] = digest[0];
}

/* Digest of the source columns where any of them was viewed, never 0; else 0. */
static uint64_t digest_sources(vt_simulation *s)
{
    const vt_set *const set = &s->vortons.set;
    uint64_t digest = (uint64_t)set->count;
    int viewed = 0;
    for (int n = 0; n < SOURCE_COLUMNS; n++)
        viewed |= vt_is_viewed(s, VT_VORTONS, source_columns[n]);
    if (!viewed)
        return 0;
    for (int n = 0; n < SOURCE_COLUMNS; n++) {
        const int c = source_columns[n];
        if (!set->used[c])
            continue;
        const int64_t bytes = set->row_bytes[c] * set->count;
        const int64_t blocks = (bytes + DIGEST_BLOCK - 1) / DIGEST_BLOCK;
        const size_t mark = vt_arena_mark(&s->arena);
        digest_job job = {set->column[c], bytes, vt_arena_push(&s->arena, 8 * (size_t)blocks)};
        vt_parallel_for(s->def.threads, bytes, DIGEST_BLOCK, digest_block, &job);
        for (int64_t b = 0; b < blocks; b++)
            digest = mix(digest, job.block[b]);
        vt_arena_pop(&s->arena, mark);
    }
    return digest ? digest : 1;
}

vt_status vt_solve_now(vt_simulation *s)
{
    static const double nowhere[3] = {0, 0, 0};
    vt_content content;
    vt_set_wind(s, s->time, s->time);
    vt_set_wind_grids(s, s->time, s->time, nowhere);
    const uint64_t digest = digest_sources(s);
    /* a box holds the tracers, too, and they may have been written */
    const int moved = s->def.method.domain == VT_DOMAIN_BOX && s->viewed[VT_TRACERS];
    if (s->fields_current && s->fields_digest == digest && !moved)
        return VT_OK;
    vt_status status = vt_find_content(s, NULL, &content);
    if (status)
        return status;
    s->fields_exist = content.exists && vt_has_grid(s);
    if (s->fields_exist)
        status = solve_grid_now(s, &content);
    else
        vt_pose_panels(s, s->time, nowhere);
    s->fields_current = status == VT_OK;
    s->fields_digest = digest;
    return status;
}

vt_status vt_update_fields(vt_simulation *s)
{
    vt_status status = vt_enter(s);
    if (status)
        return status;
    s->fields_current = 0;
    status = vt_solve_now(s);
    vt_leave(s);
    return status;
}

/* ---- reading the fields ---- */

static void velocity_far_away(vt_simulation *s, int64_t count, const float *points,
                              const uint8_t *inside, float *velocity)
{
    int64_t far = 0;
    for (int64_t i = 0; i < count; i++)
        far += !inside[i];
    if (far == 0)
        return;
    const size_t mark = vt_arena_mark(&s->arena);
    float *const at = vt_arena_push(&s->arena, 12 * (size_t)far);
    float *const u = vt_arena_push(&s->arena, 12 * (size_t)far);
    for (int64_t i = 0, n = 0; i < count; i++)
        if (!inside[i])
            memcpy(at + 3 * n++, points + 3 * i, 12);
    s->stages->far_velocity(&s->grid, &s->moments, s->def.method.opening_angle, far, at, u,
                            s->def.threads);
    if (s->grid.has_potential)
        s->stages->far_gradient(&s->grid, &s->charges, s->def.method.opening_angle, far, at, u,
                                s->def.threads);
    vt_add_outer_panels(s, far, at, u);
    vt_add_wind_grids(s, far, at, u, NULL);
    for (int64_t i = 0, n = 0; i < count; i++)
        if (!inside[i])
            memcpy(velocity + 3 * i, u + 3 * n++, 12);
    vt_arena_pop(&s->arena, mark);
}

void vt_velocity_of_points(vt_simulation *s, int64_t count, const float *points, float *velocity)
{
    const int threads = s->def.threads;
    const size_t mark = vt_arena_mark(&s->arena);
    if (!vt_has_grid(s)) {
        const vt_vortons *const v = &s->vortons;
        const vt_pair_sources now = {v->set.count, v->position, v->strength, v->core};
        const vt_pair_sources *const from = s->pairs.position ? &s->pairs : &now;
        vt_sum_vortons(s, count, points, from, velocity, NULL, NULL);
        vt_add_wind_grids(s, count, points, velocity, NULL);
    } else if (s->fields_exist) {
        uint8_t *const inside = vt_arena_push(&s->arena, (size_t)count);
        s->stages->sample(&s->grid, count, points, velocity, inside, threads);
        velocity_far_away(s, count, points, inside, velocity);
        vt_hold_velocities(s, count, points, velocity);
    } else {
        memset(velocity, 0, 12 * (size_t)count);
        vt_add_wind_grids(s, count, points, velocity, NULL);
    }
    vt_arena_pop(&s->arena, mark);
}

enum { PORTION = 1 << 20 };

vt_status vt_velocity_at(vt_simulation *s, int64_t count, const float *points, float *velocity)
{
    if (count < 0 || (count > 0 && (!points || !velocity)))
        return vt_fail(VT_INVALID_ARGUMENT, "count is %lld; allowed is >= 0, with arrays",
                       (long long)count);
    for (int64_t i = 0; i < 3 * count; i++)
        if (!isfinite(points[i]))
            return vt_fail(VT_NOT_FINITE, "points has %g in row %lld; allowed are finite values",
                           (double)points[i], (long long)(i / 3));
    vt_status status = vt_enter(s);
    if (status)
        return status;
    status = vt_solve_now(s);
    /* in portions: scratch is reserved for as many particles as the simulation may have */
    for (int64_t from = 0; from < count && !status; from += PORTION) {
        const int64_t portion = count - from < PORTION ? count - from : PORTION;
        float *const u = velocity + 3 * from;
        vt_velocity_of_points(s, portion, points + 3 * from, u);
        for (int64_t i = 0; i < 3 * portion; i++)
            u[i] += (float)s->winds.velocity[i % 3];
    }
    vt_leave(s);
    return status;
}

/* Node-centred views: velocity in nodes of four floats, the potential in three arrays that lie at
 * equal distances. */
static vt_status describe_grid(vt_simulation *s, const char *name, vt_array *array)
{
    const vt_grid *const g = &s->grid;
    const int potential = strcmp(name, "vector_potential") == 0;
    if (!potential && strcmp(name, "velocity") != 0)
        return vt_fail(VT_INVALID_ARGUMENT,
                       "there is no grid \"%s\"; allowed are velocity and vector_potential", name);
    if (!s->fields_exist)
        return vt_fail(VT_INVALID_ARGUMENT,
                       "there is no grid %s: no vorton carries circulation, or the method has none",
                       name);
    *array = (vt_array){.data = potential ? (void *)g->field[0] : (void *)g->nodes,
                        .type = VT_FLOAT32,
                        .dimensions = 4,
                        .shape = {g->cells[2] + 1, g->cells[1] + 1, g->cells[0] + 1, 3}};
    const int64_t item = sizeof(float), node = sizeof(f4);
    if (potential) {
        const int64_t apart = (g->field[1] - g->field[0]) * item;
        const int64_t strides[4] = {g->plane * item, g->row * item, item, apart};
        memcpy(array->strides, strides, sizeof strides);
    } else {
        const int64_t strides[4] = {g->node_plane * node, g->node_row * node, node, item};
        memcpy(array->strides, strides, sizeof strides);
    }
    return VT_OK;
}

vt_status vt_get_grid(vt_simulation *s, const char *name, vt_array *array, double origin[3],
                      double *spacing)
{
    vt_status status = vt_enter(s);
    if (status)
        return status;
    status = vt_solve_now(s);
    if (!status)
        status = describe_grid(s, name, array);
    if (!status) {
        for (int a = 0; a < 3; a++)
            origin[a] = s->grid.base[a] * s->grid.spacing;
        *spacing = s->grid.spacing;
    }
    vt_leave(s);
    return status;
}
