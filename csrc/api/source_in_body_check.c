#include "api/source_in_body_check.h"

#include "base/status.h"
#include "model/birth_sequence.h"
#include "sources/source_list.h"
#include "sources/vortex_structures.h"
#include "state/rigid_body.h"
#include "state/simulation.h"

enum { SAMPLES = 256 };

/* Where a source bears, in the space of its parent: in a region, or at points. */
typedef struct births {
    int32_t id;   /* of the source */
    double start; /* s */
    int over;     /* whether all has been born */
    int strewn;   /* about the points, who knows how far */
    int32_t parent;
    int moves;               /* apart from its parent */
    int once;                /* all at start */
    const vt_region *region; /* NULL: at points */
    uint64_t seed;
    int64_t count;
    const float *points;
} births;

/* Points in [0, count) that particles may be at, in the world, while body and points are posed so.
 */
static int64_t count_free(const vt_body *body, const vt_pose *pose, const vt_pose *placed,
                          int64_t count, const float *points)
{
    int64_t fitting = 0;
    for (int64_t i = 0; i < count; i++) {
        double place[3], world[3], local[3], normal[3];
        vti_widen(points + 3 * i, place);
        vti_pose_point(placed, place, world);
        vti_pose_point_back(pose, world, local);
        fitting += vti_distance_to_body(body, local, normal) >= 0;
    }
    return fitting;
}

/* Whether the box of points that are placed so comes near a container that is bounded: none of a
 * few may lie in one that is much smaller than they are apart. */
static int may_meet(const vt_body *body, const vt_pose *pose, const vt_pose *placed, int64_t count,
                    const float *points)
{
    double least[3], most[3], center[3], square = 0;
    if (!body->hole || !isfinite(body->reach))
        return 0;
    vti_empty_box(least, most);
    for (int64_t i = 0; i < count; i++) {
        const double place[3] = {points[3 * i], points[3 * i + 1], points[3 * i + 2]};
        double world[3];
        vti_pose_point(placed, place, world);
        vti_add_to_box(world, least, most);
    }
    vti_pose_point(pose, body->center, center);
    for (int c = 0; c < 3; c++) {
        const double away = fmax(fmax(least[c] - center[c], center[c] - most[c]), 0);
        square += away * away;
    }
    return square < body->reach * body->reach;
}

/* Whether any of the births may have room beside the body when they begin. */
static int bears(const vt_simulation *s, const vt_body *body, const births *b)
{
    float points[3 * SAMPLES];
    const double time = fmax(b->start, s->time);
    const vt_pose pose = vti_body_pose(&s->transforms, body, time);
    const vt_pose placed = vti_pose_at(&s->transforms, b->parent, time);
    if (!b->region)
        return count_free(body, &pose, &placed, b->count, b->points) > 0;
    vti_fill_region(b->region, b->seed, SAMPLES, points);
    return count_free(body, &pose, &placed, SAMPLES, points) > 0 ||
           may_meet(body, &pose, &placed, SAMPLES, points);
}

static vt_status check_births(const vt_simulation *s, const vt_body *body, const births *b)
{
    const int may_part = b->moves || (b->parent != body->parent &&
                                      (body->moves || vti_parent_moves(&s->transforms, b->parent)));
    if (may_part || b->over || b->strewn || (b->once && b->start < s->time) || bears(s, body, b))
        return VT_OK;
    return vti_fail(
        VT_INVALID_ARGUMENT,
        "body '%s': source %d (%s) lies %s of it for good and would bear nothing; allowed are "
        "sources that lie %s in part",
        body->name, b->id, vti_name_of_source(&s->sources, b->id),
        body->hole ? "outside" : "inside", body->hole ? "inside" : "outside");
}

/* At points, or, with NULL for them, in a region. */
static vt_status check_stream(const vt_simulation *s, const vt_body *body,
                              const vt_birth_stream *stream, const vt_region *region, int64_t count,
                              const float *points, double jitter)
{
    const int once = stream->rate == 0;
    const births b = {.id = stream->id,
                      .start = stream->start,
                      .parent = stream->parent,
                      .seed = stream->seed,
                      .once = once,
                      .over = !once && stream->end <= s->time,
                      .region = region,
                      .strewn = jitter > 0 || vti_find_animation(&stream->animations, "jitter"),
                      .count = count,
                      .points = points};
    return check_births(s, body, &b);
}

static vt_status check_tracer_emitter(const vt_simulation *s, const vt_body *body, int32_t n)
{
    const vt_tracer_emitter *const e = &s->sources.emitters[n];
    const vt_tracer_points_def *const at = e->points;
    return at ? check_stream(s, body, &e->stream, NULL, at->count, at->position, at->jitter)
              : check_stream(s, body, &e->stream, &e->stream.region, 0, NULL, 0);
}

static vt_status check_fluid_emitter(const vt_simulation *s, const vt_body *body, int32_t n)
{
    const vt_fluid_emitter *const p = &s->sources.parcels[n];
    const vt_vorton_points_def *const at = p->points;
    return at ? check_stream(s, body, &p->stream, NULL, at->count, at->position, at->jitter)
              : check_stream(s, body, &p->stream, &p->shape, 0, NULL, 0);
}

/* The first birth of a structure, at `start`, stands for all. */
static vt_status check_structure(vt_simulation *s, const vt_body *body, int32_t n)
{
    const vt_structure *const structure = &s->sources.structures.item[n];
    births b = {.id = structure->id,
                .start = structure->start,
                .parent = structure->parent,
                .moves = vti_structure_changes(structure),
                .once = structure->period == 0,
                .count = structure->kind->count(structure->data, 0)};
    if (b.moves || b.count == 0)
        return VT_OK;
    const size_t mark = vti_arena_mark(&s->arena);
    vt_vorton_list list = vti_new_vorton_list(s, b.count);
    structure->kind->fill(structure->data, 0, &list);
    b.points = list.position;
    const vt_status status = check_births(s, body, &b);
    vti_arena_pop(&s->arena, mark);
    return status;
}

static vt_status check_sources(vt_simulation *s, const vt_body *body)
{
    vt_status status = VT_OK;
    for (int32_t n = 0; n < s->sources.tracer_emitter_count && !status; n++)
        status = check_tracer_emitter(s, body, n);
    for (int32_t n = 0; n < s->sources.fluid_emitter_count && !status; n++)
        status = check_fluid_emitter(s, body, n);
    for (int32_t n = 0; n < s->sources.structures.count && !status; n++)
        status = check_structure(s, body, n);
    return status;
}

vt_status vti_check_sources_in_body(vt_simulation *s, const vt_body *body)
{
    const vt_pose pose = vti_body_pose(&s->transforms, body, s->time),
                  world = {.matrix = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .scale = 1};
    const vt_status status = check_sources(s, body);
    const int64_t content = s->vortons.set.count + s->tracers.set.count;
    /* a source that is left has room, or may get some */
    if (status || !body->hole || content == 0 || s->sources.tracer_emitter_count > 0 ||
        s->sources.fluid_emitter_count > 0 || s->sources.structures.count > 0 ||
        count_free(body, &pose, &world, s->vortons.set.count, s->vortons.position) > 0 ||
        count_free(body, &pose, &world, s->tracers.set.count, s->tracers.position) > 0)
        return status;
    return vti_fail(
        VT_INVALID_ARGUMENT,
        "body '%s': the container holds nothing at %g s: all particles and emitters lie "
        "outside of it",
        body->name, s->time);
}
