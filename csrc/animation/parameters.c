#include "animation/parameters.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

/* ---- checks ---- */

static vt_status refuse_name(const vt_definition *definition, const char *name)
{
    char known[256] = "";
    vt_parameter p;
    for (int n = 0; vti_parameter_at(definition, n, &p); n++) {
        strncat(known, n == 0 ? "" : ", ", sizeof known - strlen(known) - 1);
        strncat(known, p.name, sizeof known - strlen(known) - 1);
    }
    return vti_fail(VT_INVALID_ARGUMENT, "%s of %s cannot be animated; allowed are %s",
                    name ? name : "NULL", definition->what, known);
}

/* Keys (count x 3) of a direction, none of which may be 0. */
static vt_status check_directions(const char *name, int64_t count, const double *values)
{
    for (int64_t k = 0; k < count; k++)
        if (values[3 * k] == 0 && values[3 * k + 1] == 0 && values[3 * k + 2] == 0)
            return vti_fail(VT_INVALID_ARGUMENT,
                            "%s is (0, 0, 0) in key %lld; allowed is any length but 0", name,
                            (long long)k);
    return VT_OK;
}

/* Names, that none comes twice, and the tracks. */
static vt_status check_animations(const vt_definition *definition, int32_t count,
                                  const vt_animation *animations)
{
    if (count < 0 || (count > 0 && !animations))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "animation_count is %d; allowed is the length of animations", count);
    for (int32_t a = 0; a < count; a++) {
        const char *const name = animations[a].parameter;
        vt_parameter parameter;
        if (!vti_find_parameter(definition, name, &parameter))
            return refuse_name(definition, name);
        for (int32_t b = 0; b < a; b++)
            if (strcmp(animations[b].parameter, name) == 0)
                return vti_fail(VT_INVALID_ARGUMENT, "%s is animated twice; allowed is once", name);
        const vt_track *const track = &animations[a].track;
        const vt_row *const row = vti_row_named(definition, name);
        vt_status status = vti_check_track(track, name, &parameter.range);
        if (!status && row && row->kind == VT_ROW_direction)
            status = check_directions(name, track->count, track->values);
        if (status)
            return status;
    }
    return VT_OK;
}

/* A member of this name and kind; NULL: the definition has none. */
static const void *member_of(const vt_definition *d, const void *def, const char *name,
                             int32_t kind)
{
    const vt_row *const row = vti_row_named(d, name);
    return row && row->kind == kind ? (const char *)def + row->offset : NULL;
}

static vt_status check_times(const vt_definition *d, const void *def)
{
    const double *const end = member_of(d, def, "end", VT_ROW_limit);
    const double *const start = member_of(d, def, "start", VT_ROW_number);
    const double from =
        end ? *(start ? start : (const double *)member_of(d, def, "time", VT_ROW_number)) : 0;
    if (end && !(*end >= from))
        return vti_fail(VT_INVALID_ARGUMENT, "%s.end is %g s; allowed is %s, %g s, or later",
                        d->name, *end, start ? "start" : "time", from);
    return VT_OK;
}

vt_status vti_check_definition(const vt_definition *d, const void *def)
{
    const int32_t *const count = member_of(d, def, "animation_count", VT_ROW_length);
    const vt_animation *const *const animations =
        member_of(d, def, "animations", VT_ROW_animations);
    const char *const *const name = member_of(d, def, "name", VT_ROW_text);
    char what[96];
    if (name && *name)
        snprintf(what, sizeof what, "%s '%.63s': ", d->name, *name);
    else
        snprintf(what, sizeof what, "%s.", d->name);
    vt_status status = vti_check_rows(d, what, def);
    if (!status)
        status = vti_check_arrays(d, what, def);
    if (!status && animations)
        status = check_animations(d, *count, *animations);
    return status ? status : check_times(d, def);
}

/* ---- copies ---- */

vt_status vti_copy_animations(const vt_definition *definition, int32_t count,
                              const vt_animation *animations, vt_animations *copy)
{
    *copy = (vt_animations){0};
    if (count == 0)
        return VT_OK;
    copy->items = vti_allocate_zeroed((size_t)count, sizeof *copy->items);
    copy->offsets = vti_allocate_zeroed((size_t)count, sizeof *copy->offsets);
    vt_status status = VT_OK;
    if (!copy->items || !copy->offsets)
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for %d animations", count);
    for (int32_t a = 0; a < count && !status; a++) {
        vt_parameter parameter;
        const int32_t n = copy->count;
        if (!vti_find_parameter(definition, animations[a].parameter, &parameter) ||
            parameter.offset == VT_OF_SHAPE)
            continue;
        copy->items[n].parameter = parameter.name;
        copy->offsets[n] = parameter.offset;
        status = vti_copy_track(&animations[a].track, &copy->items[n].track);
        copy->count += !status;
    }
    if (status)
        vti_destroy_animations(copy);
    return status;
}

void vti_destroy_animations(vt_animations *animations)
{
    for (int32_t a = 0; a < animations->count; a++)
        vti_destroy_track(&animations->items[a].track);
    vti_free(animations->items);
    vti_free(animations->offsets);
    *animations = (vt_animations){0};
}

/* ---- use ---- */

const vt_track *vti_find_track(int32_t count, const vt_animation *animations, const char *parameter)
{
    for (int32_t a = 0; a < count; a++)
        if (strcmp(animations[a].parameter, parameter) == 0)
            return &animations[a].track;
    return NULL;
}

const vt_track *vti_find_animation(const vt_animations *animations, const char *parameter)
{
    return vti_find_track(animations->count, animations->items, parameter);
}

void vti_animate(const vt_animations *animations, double time, void *def)
{
    for (int32_t a = 0; a < animations->count; a++)
        vt_evaluate_track(&animations->items[a].track, time,
                          (double *)((char *)def + animations->offsets[a]));
}
