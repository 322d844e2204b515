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
    vf position[3], place[VT_EDDY_FIELDS][3], speed, way[3];
} stirred;

/* Velocity and rate of strain of the resolved flow; both 0 beyond the grid. */
VT_INLINE void sample_flow(const vt_grid *grid, const vf position[3], vf velocity[3], vf *strain)
{
    const vf scale = vf_set((float)(1.0 / grid->spacing));
    vf cell[3], u[4], slope[3][4], unused[4];
    vi outside = {0};
    for (int a = 0; a < 3; a++) {
        const vf at = vf_fma(position[a], scale, vf_set(-(float)grid->base[a]));
        cell[a] = vf_max((vf){0}, vf_min(at, vf_set((float)grid->cells[a])));
        outside |= (vi)at ^ (vi)cell[a];
    }
    vt_cells cells;
    vti_find_cells(&cells, cell[0], cell[1], cell[2], vi_set((int32_t)grid->node_row),
                   vi_set((int32_t)grid->node_plane));
    f8 value[VL], dy[VL], dz[VL];
    for (int l = 0; l < VL; l++) {
        const vt_around around =
            vti_sample_around(grid->nodes, grid->node_row, grid->node_plane, &cells, l);
        value[l] = around.value;
        dy[l] = around.dy;
        dz[l] = around.dz;
    }
    vti_sample_along(value, &cells, u, slope[0]);
    vti_sample_along(dy, &cells, slope[1], unused);
    vti_sample_along(dz, &cells, slope[2], unused);
    vf square = {0}; /* 2 S_ij S_ij */
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const vf shear = slope[i][j] + slope[j][i];
        square = vf_fma(slope[i][i] + slope[i][i], slope[i][i], vf_fma(shear, shear, square));
    }
    const vi inside = outside == (vi){0};
    *strain = vf_select(inside, vf_sqrt(square) * scale, (vf){0});
    for (int a = 0; a < 3; a++)
        velocity[a] = vf_select(inside, u[a], (vf){0});
}

/* Places and speed at the beginning of the way. */
VT_INLINE void prepare(const context *c, stirred *s, vf age)
{
    const vt_eddies_of_substep *const e = c->eddies;
    const vf dt = vf_set((float)e->dt), length = vf_set((float)e->length);
    const vi newborn = ~(age > dt);
    vf velocity[3], strain;
    sample_flow(c->grid, s->position, velocity, &strain);
    for (int f = 0; f < VT_EDDY_FIELDS; f++)
        for (int a = 0; a < 3; a++) {
            /* the fluid of the newborn has come along with their velocity */
            const vf come = velocity[a] + vf_set((float)e->wind[a]);
            const vf start = vf_fma(vf_set(-e->field[f].age), come, s->position[a]);
            s->place[f][a] = vf_select(newborn, start, s->place[f][a]);
            if (e->field[f].renewed)
                s->place[f][a] = s->position[a];
        }
    const vf supply = vf_set((float)e->share) * length * strain;
    const vf before = vf_select(newborn, (vf){0}, s->speed);
    s->speed = vf_fma(dt * supply, supply, length * before) / vf_fma(dt, before, length);
    for (int a = 0; a < 3; a++)
        s->way[a] = (vf){0};
}

/* A smooth wave of period 1 between -1 and 1: parabolas for the halves of a sine. */
VT_INLINE vf wave_at(vf turns)
{
    const vf large = vf_set(0x1.8p23f);
    const vf r = turns - ((turns + large) - large);
    return r * vf_fma(vf_max(r, -r), vf_set(-16.0f), vf_set(8.0f));
}

VT_INLINE void shear(const vt_eddy_wave *w, const vf place[3], vf distance, vf way[3])
{
    vf at = vf_set(w->phase);
    for (int a = 0; a < 3; a++)
        at = vf_fma(vf_set(w->k[a]), place[a] + way[a], at);
    const vf moved = distance * wave_at(at);
    for (int a = 0; a < 3; a++)
        way[a] = vf_fma(vf_set(w->amplitude[a]), moved, way[a]);
}

/* One chunk of rows, in arrays of their own. */
typedef struct chunk {
    float position[3 * CHUNK], place[6 * CHUNK], speed[CHUNK], age[CHUNK];
} chunk;

VT_INLINE void load_places(const float *rows, stirred *s)
{
    vf low[3], high[3];
    vti_load_rows(rows, low);
    vti_load_rows(rows + 3 * VL, high);
    for (int a = 0; a < 3; a++)
        vf_unzip(low[a], high[a], &s->place[0][a], &s->place[1][a]);
}

VT_INLINE void store_places(float *rows, const stirred *s)
{
    vf low[3], high[3];
    for (int a = 0; a < 3; a++)
        vf_zip(s->place[0][a] + s->way[a], s->place[1][a] + s->way[a], &low[a], &high[a]);
    vti_store_rows(rows, low);
    vti_store_rows(rows + 3 * VL, high);
}

/* GROUP vectors from row i of the chunk on. */
static void stir_group(const context *c, chunk *rows, int i)
{
    const vt_eddies_of_substep *const e = c->eddies;
    stirred s[GROUP];
    vf distance[GROUP];
    for (int n = 0; n < GROUP; n++) {
        const int at = i + n * VL;
        vti_load_rows(rows->position + 3 * at, s[n].position);
        load_places(rows->place + 6 * at, &s[n]);
        s[n].speed = vf_load(rows->speed + at);
        prepare(c, &s[n], vf_load(rows->age + at));
        distance[n] = s[n].speed * vf_set((float)e->dt);
    }
    for (int f = 0; f < VT_EDDY_FIELDS; f++)
        for (int w = 0; w < e->waves; w++)
            for (int n = 0; n < GROUP; n++)
                shear(&e->field[f].wave[w], s[n].place[f], distance[n], s[n].way);
    for (int n = 0; n < GROUP; n++) {
        const int at = i + n * VL;
        vf moved[3];
        for (int a = 0; a < 3; a++)
            moved[a] = s[n].position[a] + s[n].way[a];
        vti_store_rows(rows->position + 3 * at, moved);
        store_places(rows->place + 6 * at, &s[n]);
        vf_store(rows->speed + at, s[n].speed);
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
        memcpy(rows.speed, c->rows.speed + row, 4 * count);
        memcpy(rows.age, c->rows.age + row, 4 * count);
        for (int i = 0; i < CHUNK; i += GROUP * VL)
            stir_group(c, &rows, i);
        memcpy(c->rows.position + 3 * row, rows.position, 12 * count);
        memcpy(c->rows.place + 6 * row, rows.place, 24 * count);
        memcpy(c->rows.speed + row, rows.speed, 4 * count);
    }
}

void VT_NAME(stir)(const vt_grid *grid, const vt_eddies_of_substep *eddies, int64_t count,
                   const vt_stirred_rows *rows, int threads)
{
    context c = {grid, eddies, *rows};
    vti_parallel_for(threads, count, BLOCK, stir_block, &c);
}
