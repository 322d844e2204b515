/* The volume is that of cones from the centre of the body to its panels, cut into shells. */
#include "spin.h"

#include <math.h>

#include "body_flow.h"
#include "core/vec3.h"
#include "panels.h"

enum { MOST_SHELLS = 32 };

static int spins(const vt_paneled_body *b)
{
    return b && vt_sheds(b->body) && vt_dot(b->angular, b->angular) > 0;
}

/* The part of a cone between two shares of its length. */
static vt_record record_of(const vt_simulation *s, const vt_paneled_body *b, int32_t panel,
                           double from, double to)
{
    const vt_panels *const p = &s->panels;
    const double h = s->grid.spacing, cube = to * to * to - from * from * from;
    const double middle = 0.75 * (to * to * to * to - from * from * from * from) / cube;
    double r[3];
    for (int c = 0; c < 3; c++)
        r[c] = p->center[panel][c] - b->center[c];
    const double volume = cube * (double)p->area[panel] * vt_dot(r, p->normal[panel]) / 3;
    vt_record record = {.volume = (float)fabs(volume)};
    for (int c = 0; c < 3; c++) {
        const double cell = (b->center[c] + middle * r[c]) / h - s->grid.base[c];
        /* a body that moves may have come near the face since the grid was placed */
        record.position[c] = (float)fmin(fmax(cell, 3), s->grid.cells[c] - 3);
        record.strength[c] = (float)(2 * b->angular[c] * volume);
    }
    return record;
}

static void deposit_body(vt_simulation *s, const vt_paneled_body *b)
{
    const size_t mark = vt_arena_mark(&s->arena);
    vt_record *const records = vt_arena_push(&s->arena, sizeof *records * (size_t)b->count);
    const double least = ceil(b->reach / s->grid.spacing);
    const int32_t shells = (int32_t)fmin(fmax(least, 1), MOST_SHELLS);
    for (int32_t k = 0; k < shells; k++) {
        for (int32_t p = 0; p < b->count; p++)
            records[p] = record_of(s, b, b->first + p, (double)k / shells, (k + 1.0) / shells);
        s->stages->deposit_more(&s->grid, b->count, records);
    }
    vt_arena_pop(&s->arena, mark);
}

void vt_deposit_spin(vt_simulation *s)
{
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_paneled_body *const b = vt_panels_of(s, n);
        if (spins(b))
            deposit_body(s, b);
    }
}
