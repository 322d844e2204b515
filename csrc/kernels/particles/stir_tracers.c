#include "kernels/particles/stir_tracers.h"

#include "base/parallel.h"
#include "kernels/grid/trilinear.h"

enum {
    BLOCK = 4096,
    GROUP = 4,         /* vectors that are under way together: a wave waits for the one before */
    CHUNK = GROUP * 16 /* tracers, on every target */
};

typedef struct context {
    const vt_grid *grid;
    const vt_eddies_of_substep *eddies;
    vt_stirred_rows rows;
} context;

/* VL tracers. */
typedef struct stirred {
    vf position[3], place[VT_EDDY_FIELDS][3];
    vf slope[3]; /* of q, 1/s */
    vf distance; /* q dt */
    vf way[3], potential[3];
} stirred;

/* Where the points lie; returns the lanes that are inside of the grid. */
VT_INLINE vi find_cells(const vt_grid *grid, const vf position[3], vt_cells *cells)
{
    const vf scale = vf_set((float)(1.0 / grid->spacing));
    vf cell[3];
    vi outside = {0};
    for (int a = 0; a < 3; a++) {
        const vf at = vf_fma(position[a], scale, vf_set(-(float)grid->base[a]));
        cell[a] = vf_max((vf){0}, vf_min(at, vf_set((float)grid->cells[a])));
        outside |= (vi)at ^ (vi)cell[a];
    }
    vti_find_cells(cells, cell[0], cell[1], cell[2], vi_set((int32_t)grid->node_row),
                   vi_set((int32_t)grid->node_plane));
    return outside == (vi){0};
}

/* q dt and the slope of q. */
VT_INLINE void sample_speed(const context *c, const vt_cells *cells, vi inside, stirred *s)
{
    const vt_grid *const grid = c->grid;
    const vf share = vf_set((float)c->eddies->share);
    const vf per_metre = vf_set((float)(c->eddies->share / grid->spacing));
    vf strain[4], slope[3][4];
    vti_sample_slopes(c->eddies->strain, grid->node_row, grid->node_plane, cells, strain, slope);
    s->distance = vf_select(inside, strain[0] * share * vf_set((float)c->eddies->dt), (vf){0});
    for (int a = 0; a < 3; a++)
        s->slope[a] = vf_select(inside, slope[a][0] * per_metre, (vf){0});
}

/* The velocity of the resolved flow, m/s. */
static void sample_flow(const context *c, const vt_cells *cells, vi inside, vf velocity[3])
{
    vf u[4];
    f4 node[VL];
    for (int l = 0; l < VL; l++)
        node[l] = vti_sample_node(c->grid->nodes, c->grid->node_row, c->grid->node_plane, cells, l);
    vti_nodes_to_lanes(node, u);
    for (int a = 0; a < 3; a++)
        velocity[a] = vf_select(inside, u[a], (vf){0}) + vf_set((float)c->eddies->wind[a]);
}

/* What stands at the beginning of the way. */
VT_INLINE void prepare(const context *c, stirred *s, vf age)
{
    const vt_eddies_of_substep *const e = c->eddies;
    const vi newborn = ~(age > vf_set((float)e->dt));
    vf velocity[3] = {{0}};
    vt_cells cells;
    const vi inside = find_cells(c->grid, s->position, &cells);
    sample_speed(c, &cells, inside, s);
    if (vi_any(newborn))
        sample_flow(c, &cells, inside, velocity);
    for (int a = 0; a < 3; a++) {
        for (int f = 0; f < VT_EDDY_FIELDS; f++) {
            const vf start = vf_fma(vf_set(-e->field[f].age), velocity[a], s->position[a]);
            s->place[f][a] =
                e->field[f].renewed ? s->position[a] : vf_select(newborn, start, s->place[f][a]);
        }
        s->way[a] = s->potential[a] = (vf){0};
    }
}

/* A smooth wave of period 1 between -1 and 1, parabolas for the halves of a sine, and its integral
 * of mean 0. */
VT_INLINE vf wave_at(vf turns, vf *integral)
{
    const vf large = vf_set(0x1.8p23f);
    const vf r = turns - ((turns + large) - large);
    const vf size = vf_max(r, -r);
    *integral =
        vf_fma(r * r, vf_fma(size, vf_set(-16.0f / 3.0f), vf_set(4.0f)), vf_set(-1.0f / 6.0f));
    return r * vf_fma(size, vf_set(-16.0f), vf_set(8.0f));
}

/* Moves place[] by a wave of its field. */
VT_INLINE void shear(const vt_eddy_wave *w, vf place[3], stirred *s)
{
    vf at = vf_set(w->phase), integral;
    for (int a = 0; a < 3; a++)
        at = vf_fma(vf_set(w->k[a]), place[a], at);
    const vf moved = s->distance * wave_at(at, &integral);
    for (int a = 0; a < 3; a++) {
        place[a] = vf_fma(vf_set(w->amplitude[a]), moved, place[a]);
        s->potential[a] = vf_fma(vf_set(w->potential[a]), integral, s->potential[a]);
    }
}

/* By all waves of a field; the places in the other one go along. */
VT_INLINE void stir_by(const vt_eddies_of_substep *e, int field, stirred s[GROUP])
{
    vf place[GROUP][3];
    for (int n = 0; n < GROUP; n++)
        for (int a = 0; a < 3; a++)
            place[n][a] = s[n].place[field][a] + s[n].way[a];
    for (int w = 0; w < e->waves; w++)
        for (int n = 0; n < GROUP; n++)
            shear(&e->field[field].wave[w], place[n], &s[n]);
    for (int n = 0; n < GROUP; n++)
        for (int a = 0; a < 3; a++)
            s[n].way[a] = place[n][a] - s[n].place[field][a];
}

/* The part of the way that the slope of the speed makes. */
VT_INLINE void add_slope(stirred *s, vf dt)
{
    vf across[3];
    vf_cross(s->slope, s->potential, across);
    for (int a = 0; a < 3; a++)
        s->way[a] = vf_fma(dt, across[a], s->way[a]);
}

/* One chunk of rows, in arrays of their own. */
typedef struct chunk {
    float position[3 * CHUNK], place[6 * CHUNK], age[CHUNK];
} chunk;

VT_INLINE void load_places(const float *rows, stirred *s)
{
    vf low[3], high[3];
    vti_load_rows(rows, low);
    vti_load_rows(rows + 3 * VL, high);
    for (int a = 0; a < 3; a++)
        vf_unzip(low[a], high[a], &s->place[0][a], &s->place[1][a]);
}

/* The nearest multiple; of what has more than 22 bits as it is, or nearly so. */
VT_INLINE vf round_place(const context *c, vf place)
{
    const vf large = vf_set(0x1.8p23f);
    if (c->eddies->lattice == 0)
        return place;
    const vf multiple = place * vf_set((float)(1 / c->eddies->lattice));
    return ((multiple + large) - large) * vf_set((float)c->eddies->lattice);
}

VT_INLINE void store_places(const context *c, float *rows, const stirred *s)
{
    vf low[3], high[3];
    for (int a = 0; a < 3; a++)
        vf_zip(round_place(c, s->place[0][a] + s->way[a]),
               round_place(c, s->place[1][a] + s->way[a]), &low[a], &high[a]);
    vti_store_rows(rows, low);
    vti_store_rows(rows + 3 * VL, high);
}

/* GROUP vectors from row i of the chunk on. */
static void stir_group(const context *c, chunk *rows, int i)
{
    const vt_eddies_of_substep *const e = c->eddies;
    stirred s[GROUP];
    for (int n = 0; n < GROUP; n++) {
        const int at = i + n * VL;
        vti_load_rows(rows->position + 3 * at, s[n].position);
        load_places(rows->place + 6 * at, &s[n]);
        prepare(c, &s[n], vf_load(rows->age + at));
    }
    for (int f = 0; f < VT_EDDY_FIELDS; f++)
        stir_by(e, f, s);
    for (int n = 0; n < GROUP; n++) {
        const int at = i + n * VL;
        vf moved[3];
        add_slope(&s[n], vf_set((float)e->dt));
        for (int a = 0; a < 3; a++)
            moved[a] = s[n].position[a] + s[n].way[a];
        vti_store_rows(rows->position + 3 * at, moved);
        store_places(c, rows->place + 6 * at, &s[n]);
    }
}

static void stir_block(void *data, int64_t begin, int64_t end)
{
    const context *const c = data;
    chunk rows = {0};
    for (int64_t row = begin; row < end; row += CHUNK) {
        const size_t count = (size_t)(end - row < CHUNK ? end - row : CHUNK);
        memcpy(rows.position, c->rows.position + 3 * row, 12 * count);
        memcpy(rows.place, c->rows.place + 6 * row, 24 * count);
        memcpy(rows.age, c->rows.age + row, 4 * count);
        for (int i = 0; i < CHUNK; i += GROUP * VL)
            stir_group(c, &rows, i);
        memcpy(c->rows.position + 3 * row, rows.position, 12 * count);
        memcpy(c->rows.place + 6 * row, rows.place, 24 * count);
    }
}

void VT_NAME(stir)(const vt_grid *grid, const vt_eddies_of_substep *eddies, int64_t count,
                   const vt_stirred_rows *rows, int threads)
{
    context c = {grid, eddies, *rows};
    vti_parallel_for(threads, count, BLOCK, stir_block, &c);
}
