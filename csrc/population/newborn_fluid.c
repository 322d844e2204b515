#include "population/newborn_fluid.h"

#include "state/heat_budget.h"
#include "state/predicates.h"

/* The least that counts as full, where a vortex takes up fluid. */
static const float least_fill = 0.75f;

/* Of the fluid around a newborn vortex, what must be of sources for it to become one. */
static const double least_share = 0.25;

enum { TAKEN = VT_COMPOSITION_COLUMNS + 1, REACH = 2 /* nodes */ };

/* Most of a vorton that another takes. */
static const double most_given = 0.25;

typedef struct giving {
    const vt_shell *halo;
    const float *node;
    float *column[TAKEN]; /* NULL: not used */
    double sum[TAKEN];    /* by mass but for density; of temperature what it is above the ambient */
    double volume, mass, of_sources;
    double share;  /* that each gives, of its volume x weight */
    int32_t plain; /* sources give nothing */
} giving;

/* 0 of those that are still to take themselves. */
static double weight_at(const giving *g, int64_t row)
{
    if (g->halo->simulation->vortons.flags[row] & VT_FLAG_NEWBORN_VORTEX ||
        (g->plain && g->halo->part[row] & VT_SHELL_SEED))
        return 0;
    const float *const x = g->halo->simulation->vortons.position + 3 * row;
    double weight = 1;
    for (int a = 0; a < 3 && weight > 0; a++) {
        const double way = vti_abs((double)x[a] - (double)g->node[a]) * g->halo->lattice.scale;
        weight = way < REACH ? weight * (1 - way / REACH) : 0;
    }
    return weight;
}

static void count_one(giving *g, double weight, int64_t row)
{
    const vt_vortons *const v = &g->halo->simulation->vortons;
    const vt_fluid *const fluid = &g->halo->fluid;
    const double volume = weight * (double)v->volume[row];
    const double mass =
        weight * (double)vti_vorton_mass(fluid, v->volume[row], vti_volume_temperature(v, row));
    g->volume += volume;
    g->mass += mass;
    g->of_sources += g->halo->part[row] & VT_SHELL_SEED ? volume : 0;
    for (int c = 0; c < TAKEN; c++) {
        if (!g->column[c])
            continue;
        double value = (double)g->column[c][row];
        if (c == VT_CARRIED_temperature)
            value -= (double)vti_ambient_temperature(fluid, v->position + 3 * row);
        g->sum[c] += (c == VT_CARRIED_density ? volume : mass) * value;
    }
}

static void give_one(giving *g, double weight, int64_t row)
{
    vt_simulation *const s = g->halo->simulation;
    vti_count_heat(s, row, 1, NULL, -1);
    s->vortons.volume[row] *= (float)(1 - g->share * weight);
    vti_count_heat(s, row, 1, NULL, 1);
}

/* The vortons around the node: in the order of the bricks, and in each of their rows. */
static void visit(giving *g, void (*what)(giving *, double, int64_t))
{
    const vt_shell_lattice *const l = &g->halo->lattice;
    vt_brick_hints hints = {{NULL}};
    int32_t node[3], low[3], high[3], at[3];
    if (!vti_find_node(l, g->node, 0.5, node))
        return;
    for (int a = 0; a < 3; a++) {
        low[a] = node[a] - REACH;
        high[a] = node[a] + REACH - 1;
    }
    vti_brick_of(low, low);
    vti_brick_of(high, high);
    for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
        for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
            for (at[0] = low[0]; at[0] <= high[0]; at[0]++) {
                const vt_brick *const b = vti_find_brick(l, at, &hints);
                for (uint32_t n = b ? l->start[b->number] : 0; b && n < l->start[b->number + 1];
                     n++) {
                    const double weight = weight_at(g, l->order[n]);
                    if (weight > 0)
                        what(g, weight, l->order[n]);
                }
            }
}

/* Whether there is fluid around it already. */
static int is_full(const giving *g)
{
    const double width = REACH * g->halo->lattice.spacing;
    return g->volume > (double)least_fill * width * width * width;
}

/* The vorton in a row takes what those around it give. */
static void take(const vt_shell *h, int64_t row)
{
    const vt_vortons *const v = &h->simulation->vortons;
    giving g = {.halo = h, .node = v->position + 3 * row};
    for (int c = 0; c < VT_COMPOSITION_COLUMNS; c++)
        g.column[c] = vti_used_column(&v->set, vti_composition_column[c]);
    g.column[VT_COMPOSITION_COLUMNS] = vti_used_column(&v->set, VT_VORTON_mixture);
    visit(&g, count_one);
    if (!is_full(&g))
        return;
    if (g.of_sources < least_share * g.volume) { /* a halo would grow around a trace */
        g = (giving){.halo = h, .node = g.node, .plain = 1};
        visit(&g, count_one);
    }
    g.share = fmin((double)v->volume[row] / g.volume, most_given);
    visit(&g, give_one);
    v->volume[row] = (float)(g.share * g.volume);
    for (int c = 0; c < TAKEN; c++) {
        double value = g.sum[c] / (c == VT_CARRIED_density ? g.volume : g.mass);
        if (c == VT_CARRIED_temperature)
            value += (double)vti_ambient_temperature(&h->fluid, g.node);
        if (g.column[c])
            g.column[c][row] = (float)value;
    }
    if (v->set.used[VT_VORTON_volume_temperature]) {
        const double swollen = (double)h->fluid.density * g.volume / g.mass;
        v->volume_temperature[row] = (float)vti_temperature_of_volume(
            &h->fluid, vti_relative_of_swollen(&h->fluid, swollen));
    }
    if (v->set.used[VT_VORTON_birth_volume])
        v->birth_volume[row] = v->volume[row];
}

static int any_differs(const vt_shell *h)
{
    int differs = 0;
    for (int64_t i = 0; i < h->count && h->contrast && !differs; i++)
        differs = vti_has_contrast(h->simulation, &h->fluid, i);
    return differs;
}

int vti_wants_to_take_up(const vt_shell *h)
{
    const uint32_t *const flags = h->simulation->vortons.flags;
    uint32_t any = 0;
    for (int64_t i = 0; i < h->count; i++)
        any |= flags[i];
    return (any & VT_FLAG_NEWBORN_VORTEX) && any_differs(h);
}

void vti_take_up_fluid(const vt_shell *h)
{
    vt_simulation *const s = h->simulation;
    const vt_vortons *const v = &s->vortons;
    for (int64_t i = 0; i < h->count; i++) {
        if (!(v->flags[i] & VT_FLAG_NEWBORN_VORTEX))
            continue;
        vti_count_heat(s, i, 1, NULL, -1);
        take(h, i);
        vti_count_heat(s, i, 1, NULL, 1);
        v->flags[i] &= ~(uint32_t)VT_FLAG_NEWBORN_VORTEX;
    }
}
