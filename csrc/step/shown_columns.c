#include "step/shown_columns.h"

#include "state/particles.h"
#include "state/predicates.h"

static const int kept_columns[] = {VT_VORTON_density, VT_VORTON_temperature};
enum { KEPT = sizeof kept_columns / sizeof *kept_columns };

void vti_show_column(vt_simulation *s, int column)
{
    for (int n = 0; n < KEPT; n++)
        if (column == kept_columns[n] && !s->vortons.set.used[column])
            s->shown |= 1u << column;
    vti_use_vorton_column(s, column);
}

/* Whether a view has written to the column. */
static int is_written(const vt_simulation *s, int column)
{
    const vt_vortons *const v = &s->vortons;
    const vt_fluid fluid = vti_fluid_of(&s->def);
    const float *const values = (const float *)v->set.column[column];
    for (int64_t i = 0; i < v->set.count; i++) {
        const float plain =
            column == VT_VORTON_density ? 0 : vti_ambient_temperature(&fluid, v->position + 3 * i);
        if (memcmp(values + i, &plain, sizeof plain) != 0)
            return 1;
    }
    return 0;
}

void vti_put_aside(vt_simulation *s)
{
    for (int n = 0; n < KEPT; n++) {
        const int column = kept_columns[n];
        if (!(s->shown >> column & 1))
            continue;
        s->vortons.set.used[column] = 0;
        if (!is_written(s, column)) {
            s->was_aside |= 1u << column;
            continue;
        }
        /* after steps without it volumes are those of the ambient temperature */
        if (column == VT_VORTON_temperature && s->was_aside >> column & 1 && vti_may_expand(s))
            vti_use_vorton_column(s, VT_VORTON_volume_temperature);
        s->shown &= ~(1u << column);
        s->vortons.set.used[column] = 1;
    }
}

void vti_bring_back(vt_simulation *s)
{
    for (int n = 0; n < KEPT; n++) {
        const int column = kept_columns[n];
        if (s->shown >> column & 1 && s->vortons.set.used[column])
            s->shown &= ~(1u << column); /* the step has made something of it */
        if (s->shown >> column & 1)
            vti_use_vorton_column(s, column);
    }
}
