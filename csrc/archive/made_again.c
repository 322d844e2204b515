#include "archive/made_again.h"

#include "field/sample.h"
#include "state/predicates.h"
#include "tracers/scalars.h"

static int is_velocity(const vt_state_field *field)
{
    return field->set == VT_TRACERS && field->column == VT_TRACER_velocity;
}

/* Tracers that burn by themselves take the temperature alone. */
static int is_taken(const vt_simulation *s, const vt_state_field *field)
{
    return field->set == VT_TRACERS &&
           (field->column == VT_TRACER_temperature || field->column == VT_TRACER_left_temperature ||
            (vti_is_taken(field->column) && !vti_tracers_burn(s)));
}

int vti_can_be_made_again(const vt_simulation *s, const vt_state_field *field)
{
    return is_velocity(field) || is_taken(s, field);
}

/* ---- saving ---- */

static size_t bytes_of(const vt_state_field *field)
{
    return field->absent ? 0 : (size_t)(field->stride * field->rows);
}

/* Whether what the tracers have taken is what they would take now. They keep it as it is. */
static int is_as_taken_now(vt_simulation *s, const vt_state_list *list)
{
    const size_t mark = vti_arena_mark(&s->arena);
    char *kept[VT_STATE_FIELDS];
    int same = 1;
    for (int32_t n = 0; n < list->count; n++)
        if (is_taken(s, &list->field[n])) {
            kept[n] = vti_arena_push(&s->arena, bytes_of(&list->field[n]));
            memcpy(kept[n], list->field[n].data, bytes_of(&list->field[n]));
        }
    vti_take_tracer_scalars(s);
    for (int32_t n = 0; n < list->count; n++)
        if (is_taken(s, &list->field[n])) {
            same &= memcmp(kept[n], list->field[n].data, bytes_of(&list->field[n])) == 0;
            memcpy(list->field[n].data, kept[n], bytes_of(&list->field[n]));
        }
    vti_arena_pop(&s->arena, mark);
    return same;
}

void vti_mark_made_again(vt_simulation *s, vt_state_list *list)
{
    int taken = 0;
    for (int32_t n = 0; n < list->count; n++)
        taken |= is_taken(s, &list->field[n]) && bytes_of(&list->field[n]) > 0;
    taken = taken && is_as_taken_now(s, list);
    for (int32_t n = 0; n < list->count; n++) {
        vt_state_field *const field = &list->field[n];
        field->made_again =
            bytes_of(field) > 0 && (is_velocity(field) || (taken && is_taken(s, field)));
    }
}

/* ---- loading ---- */

static void find_velocities(vt_simulation *s, const vt_state_field *field)
{
    float *const velocity = (float *)field->data;
    memset(velocity, 0, 12 * (size_t)field->rows);
    if (vti_solve_current(s))
        return;
    vti_velocity_of_points(s, field->rows, s->tracers.position, velocity);
    for (int64_t i = 0; i < 3 * field->rows; i++)
        velocity[i] += (float)s->winds.velocity[i % 3];
}

void vti_make_again(vt_simulation *s, const vt_state_list *list)
{
    int take = 0;
    for (int32_t n = 0; n < list->count; n++) {
        const vt_state_field *const field = &list->field[n];
        if (!field->made_again)
            continue;
        memset(field->data, 0, (size_t)(field->stride * field->rows));
        take |= is_taken(s, field);
    }
    if (take)
        vti_take_tracer_scalars(s);
    for (int32_t n = 0; n < list->count; n++)
        if (list->field[n].made_again && is_velocity(&list->field[n]))
            find_velocities(s, &list->field[n]);
}
