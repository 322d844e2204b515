#include "step/blow_up.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "field/thin_walls.h"
#include "sources/source_list.h"
#include "state/distance_to_bodies.h"
#include "state/predicates.h"

/* ---- the vorton to blame ---- */

/* The largest value that a limit looks at, over records [first, end). */
static double largest_of(const vt_simulation *s, const vt_substep *w, vt_substep_limit limit,
                         vt_extremes *scratch, int64_t first, int64_t end)
{
    vt_velocity_source field = w->field;
    vt_buoyancy buoyancy = w->buoyancy;
    if (field.velocity) { /* arrays in the order of the records */
        field.velocity += 3 * first;
        field.gradient += 9 * first;
        field.divergence += 3 * first;
    }
    if (field.buoyancy && buoyancy.felt) {
        buoyancy.felt += 3 * first;
        field.buoyancy = &buoyancy;
    }
    field.least_vorticity = NULL; /* bounds of stretching change no value that is looked at here */
    s->stages->stretch(&field, &s->def.method, end - first, w->sorted + first, w->rates + first,
                       s->vortons.bound_volume, scratch, s->def.threads);
    const vt_largest most = vti_find_largest(scratch);
    return limit == VT_LIMIT_PULL    ? most.pull
           : limit == VT_LIMIT_SPEED ? most.speed
                                     : most.gradient;
}

/* The record with the largest value, by halves; the rates are lost. */
static int64_t find_record(vt_simulation *s, const vt_substep *w, vt_substep_limit limit)
{
    const size_t mark = vti_arena_mark(&s->arena);
    char *const room = vti_arena_push(&s->arena, sizeof(vt_extremes) + VT_APART);
    vt_extremes *const scratch = (vt_extremes *)(room + VT_APART - (uintptr_t)room % VT_APART);
    int64_t first = 0, end = w->count;
    while (end - first > 1) {
        const int64_t middle = first + (end - first) / 2;
        const double low = largest_of(s, w, limit, scratch, first, middle);
        if (low >= largest_of(s, w, limit, scratch, middle, end))
            end = middle;
        else
            first = middle;
    }
    vti_arena_pop(&s->arena, mark);
    return first;
}

/* Between two substeps: the row that was fastest in the last one. */
static int64_t find_fastest_row(const vt_simulation *s)
{
    const float *const velocity = s->vortons.velocity;
    int64_t fastest = 0;
    double most = -1;
    for (int64_t i = 0; i < s->vortons.set.count; i++) {
        double square = 0;
        for (int a = 0; a < 3; a++)
            square += (double)velocity[3 * i + a] * (double)velocity[3 * i + a];
        if (square > most) {
            most = square;
            fastest = i;
        }
    }
    return fastest;
}

static void find_place(vt_simulation *s, const vt_substep *w, vt_substep_limit limit,
                       vt_blow_up *found)
{
    if (limit == VT_LIMIT_FORCE || limit == VT_LIMIT_TURN || s->vortons.set.count == 0)
        return;
    const int has_field = w && !w->extrapolates; /* of the start of the substep */
    const int64_t row = has_field ? w->sorted[find_record(s, w, limit)].home : find_fastest_row(s);
    for (int a = 0; a < 3; a++)
        found->position[a] = (double)s->vortons.position[3 * row + a];
    found->vorton = s->vortons.id[row];
}

/* ---- what is near ---- */

static int32_t nearest_body(const vt_simulation *s, const double point[3], double *distance)
{
    int32_t nearest = -1;
    *distance = INFINITY;
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const double to_wall = vti_distance_to_one(s, n, point);
        if (nearest < 0 || fabs(to_wall) < fabs(*distance)) {
            nearest = n;
            *distance = to_wall;
        }
    }
    return nearest;
}

static int is_in_emitter(const vt_simulation *s, const vt_blow_up *found, double near)
{
    return found->source >= 0 && s->sources.made_by[found->source] == VT_SOURCE_EMITTER &&
           found->source_distance < near;
}

/* Whether a body has shed the vorton, or has added to it what it sheds. */
static int is_fed(const vt_simulation *s, const vt_blow_up *found)
{
    for (int64_t i = 0; i < s->vortons.set.count; i++)
        if (s->vortons.id[i] == found->vorton)
            return (s->vortons.flags[i] & VT_FLAG_FED) != 0;
    return 0;
}

/* Whether fluid slips along a body that could shed, which planes and containers cannot. */
static int slips(const vt_body *body)
{
    return body->panels && !body->panels->open && !body->hole && body->shedding == 0;
}

/* Whether a body has walls of less than a cell, which do not keep apart for long what is heavy or
 * hot on one side. */
static int has_thin_walls(const vt_simulation *s, const vt_body *body)
{
    int thin = 0;
    for (int32_t i = 0; vti_is_buoyant(s) && s->fields_exist && i < body->solid_count; i++)
        thin |= vti_is_thin_wall(body, &body->solids[i], s->grid.spacing, s->grid.spacing);
    return thin;
}

static const char *remedy_at_emitter(const vt_simulation *s, const vt_body *beside)
{
    if (beside && vti_sheds(beside))
        return "let that body shed nothing (shedding=0), give that emitter less swirl or keep it "
               "off walls";
    if (vti_has_sharp_cores(s))
        return "give that emitter less swirl or keep it off walls; Method(cores='filtered') bears "
               "more";
    return "give that emitter less swirl or keep it off walls";
}

static const char *remedy_for_flow(const vt_simulation *s, const vt_blow_up *found)
{
    const double near = 3 * (s->fields_exist ? s->grid.spacing : s->smallest_core);
    const int32_t body =
        fabs(found->body_distance) < near ? vti_body_of_id(&s->bodies, found->body) : -1;
    const vt_body *const beside = body < 0 ? NULL : &s->bodies.items[body];
    if (beside && has_thin_walls(s, beside))
        return "give that body walls at least a cell thick (a cell is about a core), which heavy "
               "or hot fluid needs; or give that fluid finer cores";
    if (beside && slips(beside))
        return "let that body shed (no shedding=0), or give the vortons larger cores";
    if (is_in_emitter(s, found, near))
        return remedy_at_emitter(s, beside);
    if (is_fed(s, found))
        return "let the body that shed it shed nothing (shedding=0), move it more slowly, or give "
               "it more panels; keep sources farther from it";
    if (beside && vti_sheds(beside))
        return "let that body shed nothing (shedding=0), or keep sources farther from it, or give "
               "them larger cores and less circulation";
    if (beside)
        return "keep sources farther from that body, or give them larger cores and less "
               "circulation";
    return "give what is there less circulation or speed, or larger cores, or take more frames a "
           "second";
}

static const char *remedy_for(const vt_simulation *s, vt_substep_limit limit,
                              const vt_blow_up *found)
{
    switch (limit) {
    case VT_LIMIT_PULL:
        return "give what is there less contrast of temperature or density, or larger cores";
    case VT_LIMIT_FORCE:
        return "give the forces on the fluid less strength or, vortices and drags, more time";
    case VT_LIMIT_TURN:
        return "let the bodies turn more slowly, or take more frames a second";
    default:
        return remedy_for_flow(s, found);
    }
}

static int write_nearest(const vt_simulation *s, const vt_blow_up *found, char *text, size_t room)
{
    int used = snprintf(text, room, "at (%.4g, %.4g, %.4g) m, vorton %lld", found->position[0],
                        found->position[1], found->position[2], (long long)found->vorton);
    if (found->source >= 0)
        used += snprintf(text + used, room - (size_t)used, "; nearest source: %d (%s), %.3g m away",
                         found->source, vti_name_of_source(&s->sources, found->source),
                         found->source_distance);
    for (int32_t n = 0; n < s->bodies.count; n++)
        if (s->bodies.items[n].id == found->body)
            used += snprintf(text + used, room - (size_t)used,
                             "; nearest wall: of body %d '%s', %.3g m away", found->body,
                             s->bodies.items[n].name, found->body_distance);
    return used;
}

static void look_around(const vt_simulation *s, vt_blow_up *found)
{
    if (found->vorton < 0)
        return;
    found->source = vti_nearest_source(&s->sources, found->position, &found->source_distance);
    const int32_t body = nearest_body(s, found->position, &found->body_distance);
    found->body = body < 0 ? -1 : s->bodies.items[body].id;
}

static vt_blow_up nothing_found(const vt_simulation *s)
{
    const vt_largest most = vti_find_largest(&s->extremes);
    return (vt_blow_up){.struct_size = sizeof(vt_blow_up),
                        .time = s->time,
                        .vorton = -1,
                        .position = {NAN, NAN, NAN},
                        .gradient = most.gradient,
                        .speed = most.speed,
                        .source = -1,
                        .source_distance = INFINITY,
                        .body = -1,
                        .body_distance = INFINITY};
}

vt_status vti_blow_up(vt_simulation *s, const vt_substep *w, vt_substep_limit limit,
                      double remaining)
{
    char place[400] = "with no vorton to blame", spreads[200] = "";
    vt_blow_up found = nothing_found(s);
    find_place(s, w, limit, &found);
    look_around(s, &found);
    s->blow_up = found;
    if (found.vorton >= 0)
        write_nearest(s, &found, place, sizeof place);
    if (s->vorton_spacing > 0)
        snprintf(spreads, sizeof spreads,
                 ", viscosity %g and thermal diffusivity %g m^2/s where vortons are %.3g m apart",
                 s->def.viscosity, s->def.thermal_diffusivity, s->vorton_spacing);
    return vti_fail(VT_BLOWN_UP,
                    "the next %g s would need more than %d substeps: the flow has blown up, or dt "
                    "is too long,\n%s\n(largest velocity gradient %.4g 1/s, largest speed %.4g "
                    "m/s%s):\n%s",
                    remaining, VT_MOST_SUBSTEPS, place, found.gradient, found.speed, spreads,
                    remedy_for(s, limit, &found));
}

vt_status vti_blow_up_to_nan(vt_simulation *s)
{
    char cause[400];
    snprintf(cause, sizeof cause, "%.399s", vt_error_message());
    s->blow_up = nothing_found(s);
    return vti_fail(VT_BLOWN_UP, "the flow has blown up: %s", cause);
}
