#include "state/transform.h"

#include <math.h>

#include "base/growing_array.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/vec3.h"
#include "model/columns.h"

enum { MOST_TRANSFORMS = 1 << 20 };

/* Factors, as far as positions in single precision have a meaning. */
static const double most_scale = 1e9;

/* ---- checks ---- */

vt_status vti_check_parent(const vt_transforms *transforms, int32_t id)
{
    if (id >= 0 && id <= transforms->count)
        return VT_OK;
    return vti_fail(VT_INVALID_ARGUMENT,
                    "parent is %d; allowed is 0 or the id of a transform, 1 to %d", id,
                    transforms->count);
}

static vt_status check_rotations(const vt_transform_def *def)
{
    const vt_track constant = {.components = 4, .count = 1, .values = def->rotation, .rate = 1};
    for (int32_t a = -1; a < def->animation_count; a++) {
        const vt_track *const track = a < 0 ? &constant : &def->animations[a].track;
        if (a >= 0 && strcmp(def->animations[a].parameter, "rotation") != 0)
            continue;
        for (int64_t k = 0; k < track->count; k++) {
            double q[4];
            memcpy(q, track->values + 4 * k, sizeof q);
            if (!vti_normalise_quaternion(q))
                return vti_fail(VT_INVALID_ARGUMENT,
                                "rotation: %s %lld is 0 0 0 0; allowed are quaternions w x y z of "
                                "any length but 0",
                                a < 0 ? "constant" : "key", (long long)k);
        }
    }
    return VT_OK;
}

/* ---- keeping ---- */

/* Extremes of a parameter over all times. */
static void extremes_of(const vt_animations *animations, const char *name, int component,
                        double constant, double *least, double *most)
{
    const vt_track *const track = vti_find_animation(animations, name);
    *least = *most = constant;
    if (track)
        vti_track_extremes(track, component, least, most);
}

static vt_status bound_transform(const vt_transforms *transforms, vt_transform *t)
{
    const vt_transform world = {.least_scale = 1, .most_scale = 1};
    const vt_transform *const parent =
        t->def.parent ? &transforms->items[t->def.parent - 1] : &world;
    double least, most, square = 0;
    for (int c = 0; c < 3; c++) {
        extremes_of(&t->animations, "position", c, t->def.position[c], &least, &most);
        const double farthest = fmax(vti_abs(least), vti_abs(most));
        square += farthest * farthest;
    }
    extremes_of(&t->animations, "scale", 0, t->def.scale, &least, &most);
    t->reach = parent->reach + parent->most_scale * vti_sqrt(square);
    t->least_scale = parent->least_scale * least;
    t->most_scale = parent->most_scale * most;
    t->moves = parent->moves || t->animations.count > 0;
    if (!(t->reach <= 2 * VT_MOST_LENGTH))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "position: the transform comes as far as %g m from the origin; allowed is "
                        "up to %g m",
                        t->reach, 2 * VT_MOST_LENGTH);
    if (!(t->most_scale <= most_scale && t->least_scale >= 1 / most_scale))
        return vti_fail(
            VT_INVALID_ARGUMENT,
            "scale: with its parents the transform scales by %g to %g; allowed is %g to "
            "%g",
            t->least_scale, t->most_scale, 1 / most_scale, most_scale);
    return VT_OK;
}

/* Quaternions of length 1, each on the side of the one before, and the way along their arcs. */
static vt_status prepare_rotation(vt_transform *t)
{
    const vt_track *const rotation = vti_find_animation(&t->animations, "rotation");
    vti_normalise_quaternion(t->def.rotation);
    if (!rotation)
        return VT_OK;
    double *const q = (double *)(uintptr_t)rotation->values;
    double *const way = vti_allocate(sizeof(double) * (size_t)rotation->count);
    if (!way)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a rotation of %lld keys",
                        (long long)rotation->count);
    for (int64_t k = 0; k < rotation->count; k++) {
        vti_normalise_quaternion(q + 4 * k);
        way[k] = 0;
        if (k == 0)
            continue;
        double *const here = q + 4 * k, *const before = here - 4;
        if (here[0] * before[0] + here[1] * before[1] + here[2] * before[2] + here[3] * before[3] <
            0)
            for (int c = 0; c < 4; c++)
                here[c] = -here[c];
        way[k] = way[k - 1] + vti_quaternion_angle(q + 4 * k - 4, q + 4 * k);
    }
    t->arc = *rotation;
    t->arc.components = 1;
    t->arc.values = way;
    return VT_OK;
}

/* `times` and `interpolation` of the arc are those of the rotation. */
static void destroy_transform(vt_transform *t)
{
    vti_free((void *)(uintptr_t)t->arc.values);
    vti_destroy_animations(&t->animations);
}

void vti_destroy_transforms(vt_transforms *transforms)
{
    for (int32_t t = 0; t < transforms->count; t++)
        destroy_transform(&transforms->items[t]);
    vti_free(transforms->items);
    *transforms = (vt_transforms){0};
}

/* `to` has the plain values of `from` already; on failure there is nothing to destroy. */
static vt_status copy_transform(const vt_transform *from, vt_transform *to)
{
    const vt_status status = vti_copy_animations(&vti_transform_definition, from->animations.count,
                                                 from->animations.items, &to->animations);
    if (status || !from->arc.values)
        return status;
    double *const way = vti_copy_of(from->arc.values, sizeof(double) * (size_t)from->arc.count);
    if (!way) {
        vti_destroy_animations(&to->animations);
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a rotation of %lld keys",
                        (long long)from->arc.count);
    }
    to->arc = *vti_find_animation(&to->animations, "rotation");
    to->arc.components = 1;
    to->arc.values = way;
    return VT_OK;
}

/* What owns memory in them is copied here: whoever adds a member looks at this. */
_Static_assert(sizeof(vt_transform) == sizeof(vt_transform_def) + sizeof(vt_animations) +
                                           sizeof(vt_track) + 4 * sizeof(double),
               "copy_transform copies every member");

vt_status vti_copy_transforms(const vt_transforms *from, vt_transforms *to)
{
    *to = (vt_transforms){0};
    if (from->count == 0)
        return VT_OK;
    to->items = vti_allocate(sizeof *to->items * (size_t)from->count);
    if (!to->items)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for %d transforms", from->count);
    vt_status status = VT_OK;
    for (int32_t t = 0; t < from->count && !status; t++) {
        to->items[t] = from->items[t];
        status = copy_transform(&from->items[t], &to->items[t]);
        to->count = t + !status;
    }
    return status;
}

vt_status vti_keep_transform(vt_transforms *transforms, const vt_transform_def *def)
{
    const int32_t n = transforms->count;
    vt_transform t = {.def = *def};
    t.def.animations = NULL;
    vti_normalise(t.def.axis);
    vt_status status = check_rotations(def);
    if (!status)
        status = vti_copy_animations(&vti_transform_definition, def->animation_count,
                                     def->animations, &t.animations);
    if (!status)
        status = prepare_rotation(&t);
    if (!status)
        status = bound_transform(transforms, &t);
    vt_transform *const items = status || n == MOST_TRANSFORMS
                                    ? NULL
                                    : vti_resize(transforms->items, sizeof t * (size_t)(n + 1));
    if (!status && !items)
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for transform %d", n);
    if (status) {
        destroy_transform(&t);
        return status;
    }
    transforms->items = items;
    items[n] = t;
    transforms->count = n + 1;
    return VT_OK;
}

/* ---- which move alike ---- */

static int is_same(const void *a, const void *b, size_t bytes)
{
    return (!a && !b) || (a && b && memcmp(a, b, bytes) == 0);
}

static int is_same_track(const vt_track *a, const vt_track *b)
{
    const size_t count = (size_t)a->count, values = count * (size_t)a->components;
    return a->count == b->count && a->components == b->components && a->start == b->start &&
           a->rate == b->rate && is_same(a->times, b->times, sizeof(double) * count) &&
           is_same(a->values, b->values, sizeof(double) * values) &&
           is_same(a->interpolation, b->interpolation, count);
}

static int is_same_transform(const vt_transform *a, const vt_transform *b)
{
    int same = a->animations.count == b->animations.count && a->def.angle == b->def.angle &&
               a->def.scale == b->def.scale &&
               is_same(a->def.position, b->def.position, sizeof a->def.position) &&
               is_same(a->def.rotation, b->def.rotation, sizeof a->def.rotation) &&
               is_same(a->def.axis, b->def.axis, sizeof a->def.axis);
    for (int32_t n = 0; same && n < a->animations.count; n++)
        same = strcmp(a->animations.items[n].parameter, b->animations.items[n].parameter) == 0 &&
               is_same_track(&a->animations.items[n].track, &b->animations.items[n].track);
    return same;
}

/* The nearest of a space and its parents that moves by itself; 0: none does. */
static int32_t find_mover(const vt_transforms *transforms, int32_t id)
{
    while (id != 0 && transforms->items[id - 1].animations.count == 0)
        id = transforms->items[id - 1].def.parent;
    return id;
}

int vti_move_as_one(const vt_transforms *transforms, int32_t a, int32_t b)
{
    const vt_transform *const items = transforms->items;
    a = find_mover(transforms, a);
    b = find_mover(transforms, b);
    while (a != b && a != 0 && b != 0 && is_same_transform(&items[a - 1], &items[b - 1])) {
        a = items[a - 1].def.parent;
        b = items[b - 1].def.parent;
    }
    return a == b;
}
