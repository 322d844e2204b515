#include "population/neutral_in_forces.h"

#include "state/force_at_time.h"
#include "state/predicates.h"

enum { EDGE = VT_BRICK_EDGE };

static int mark_brick(const vt_acting_force *acting, vt_shell_lattice *lattice, float core,
                      const int32_t at[3])
{
    vt_brick_hints hints = {{NULL}};
    vt_brick *b = NULL;
    for (int n = 0; n < VT_BRICK_NODES; n++) {
        const int32_t node[3] = {at[0] * EDGE + n % EDGE, at[1] * EDGE + n / EDGE % EDGE,
                                 at[2] * EDGE + n / EDGE / EDGE};
        double world[3];
        for (int a = 0; a < 3; a++)
            world[a] = node[a] * lattice->spacing;
        if (!vti_acts_at(acting, world))
            continue;
        if (!b)
            b = vti_need_brick(lattice, at, core, INFINITY, &hints);
        if (!b)
            return 0;
        b->source[vti_bit_row(node)] |= vti_bit(node);
    }
    return 1;
}

static int mark_force(const vt_acting_force *acting, vt_shell_lattice *lattice, float core)
{
    const double brick = EDGE * lattice->spacing, farthest = 1 << 24;
    double low[3], high[3];
    int32_t first[3], last[3], at[3];
    if (!(vti_abs(acting->now.strength) > 0) || !vti_acting_box(acting, low, high))
        return 1;
    for (int a = 0; a < 3; a++) {
        if (!(low[a] / brick > -farthest) || !(high[a] / brick < farthest))
            return 1;
        first[a] = (int32_t)vti_floor(low[a] / brick);
        last[a] = (int32_t)vti_floor(high[a] / brick);
    }
    for (at[2] = first[2]; at[2] <= last[2]; at[2]++)
        for (at[1] = first[1]; at[1] <= last[1]; at[1]++)
            for (at[0] = first[0]; at[0] <= last[0]; at[0]++)
                if (!mark_brick(acting, lattice, core, at))
                    return 0;
    return 1;
}

int vti_mark_forces(const vt_simulation *s, vt_shell_lattice *lattice)
{
    int room = 1;
    for (int32_t n = 0; n < s->forces.count && room; n++) {
        if (s->forces.force[n].def.acts_on != VT_FORCE_ON_FLUID)
            continue;
        const vt_acting_force acting = vti_force_at(s, &s->forces.force[n], s->time);
        room = mark_force(&acting, lattice, (float)vti_core_of_neutral(s));
    }
    return room;
}
