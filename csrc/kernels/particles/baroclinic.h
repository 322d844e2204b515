/* Baroclinic generation of vorticity (part 8):
 *
 *   d omega / dt = grad rho x grad p / rho^2,   grad p = rho (g - a)
 *   =>   d alpha / dt = V grad rho' x (g - a) / rho
 *
 * with a = Du/Dt the acceleration of the fluid itself, which the other forms leave out. It is that
 * of the last substeps, from which the next follows as a fixed-point iteration (converges as long
 * as densities differ by a finite ratio: Baker, Meiron and Orszag 1982 for a vortex sheet). What is
 * known of a is as smooth as the cores, the density is sharper: where it jumps, a is the mean of
 * both sides, so rho has to be that, too. By the density at the place itself the jump would count
 * as ln (rho2 / rho1) instead of 2 (rho2 - rho1) / (rho2 + rho1), 12 % more for hot gas of 1 000 K.
 *
 * rho' is the deviation from the ambient density; at the nodes it is its mean over the vortons
 * around, weighted by their volumes, and nodes without any vorton are ambient. The gradient is that
 * of central differences, interpolated: the one of the interpolant itself, a cell wide, is too
 * small by 4 % where density jumps, because a vorton lifts the nodes on which it depends. */
#pragma once

#include "kernels/grid/trilinear.h"

/* What the vortons feel of the density around them. */
typedef struct vt_buoyancy {
    vt_fluid fluid;
    const f4 *nodes;     /* differences of rho' per cell in lanes 0-2, rho' in lane 3, kg/m^3; laid
                            out as the nodes of the grid */
    const float *volume; /* of the vortons, by row, m^3 */
    const float *acceleration; /* count x 3, by row, m/s^2; NULL: left out */
    const float *felt; /* count x 3, in the order of the records: from each to where it feels the
                          density, cells; NULL: where it is */
} vt_buoyancy;

/* Differences of rho' and rho' at VL points of a grid (cells). */
VT_INLINE void vti_sample_density(const vt_buoyancy *b, const vt_grid *grid, const vf position[3],
                                  vf slope[4])
{
    vt_cells cells;
    vf unused[4];
    f8 pair[VL];
    vti_find_record_cells(&cells, grid, position);
    for (int l = 0; l < VL; l++)
        pair[l] = vti_sample_around(b->nodes, grid->node_row, grid->node_plane, &cells, l).value;
    vti_sample_along(pair, &cells, slope, unused);
}

/* The mean of rho' a core before and a core behind, along its slope. */
VT_INLINE vf vti_mean_of_sides(const vt_buoyancy *b, const vt_grid *grid, const vf position[3],
                               const vf slope[3])
{
    const float core = 1.5f; /* cells */
    const vf square = vf_fma(slope[2], slope[2], vf_fma(slope[1], slope[1], slope[0] * slope[0]));
    const vf step = vf_set(core) / vf_sqrt(vf_max(square, vf_set(1e-20f)));
    vf side[2][3], there[2][4];
    for (int a = 0; a < 3; a++) {
        const vf most = vf_set((float)grid->cells[a] - 1e-2f);
        side[0][a] = vf_fma(-step, slope[a], position[a]);
        side[1][a] = vf_fma(step, slope[a], position[a]);
        for (int n = 0; n < 2; n++)
            side[n][a] = vf_max((vf){0}, vf_min(side[n][a], most));
    }
    for (int n = 0; n < 2; n++)
        vti_sample_density(b, grid, side[n], there[n]);
    return vf_set(0.5f) * (there[0][3] + there[1][3]);
}

/* Where VL records from number i on feel the density. */
VT_INLINE void vti_load_felt(const vt_buoyancy *b, const vf at[3], int64_t i, vf position[3])
{
    vf felt[3] = {{0}};
    if (b->felt)
        vti_load_rows(b->felt + 3 * i, felt);
    for (int a = 0; a < 3; a++)
        position[a] = at[a] + felt[a];
}

/* Adds to rate (m^3/s^2); pull becomes 2 A g, m/s^2, at VL points of a grid (cells): A is the
 * Atwood number of what is there and the ambient fluid, sqrt(A g k) how fast a wave between them
 * grows. */
VT_INLINE void vti_add_baroclinic(const vt_buoyancy *b, const vt_grid *grid, const vf at[3],
                                  int64_t i, vi home, vf rate[3], vf *pull)
{
    vf slope[4], position[3];
    vti_load_felt(b, at, i, position);
    vti_sample_density(b, grid, position, slope);
    const vt_fluid *const f = &b->fluid;
    const vf rho0 = vf_set(f->density), scale = vf_set((float)(1.0 / grid->spacing));
    /* a twentieth of the ambient density: no gas of a fire is lighter */
    const vf contrast = b->acceleration ? vti_mean_of_sides(b, grid, position, slope) : slope[3];
    const vf rho = f->local ? vf_max(rho0 + contrast, vf_set(0.05f) * rho0) : rho0;
    const vf factor = vf_gather(b->volume, home) * scale / rho;
    vf g[3] = {vf_set(f->gravity[0]), vf_set(f->gravity[1]), vf_set(f->gravity[2])};
    for (int i = 0; i < 3 && b->acceleration; i++)
        g[i] = g[i] - vf_gather(b->acceleration + i, home * 3);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const vf cross = slope[j] * g[k] - slope[k] * g[j];
        rate[i] = vf_fma(factor, cross, rate[i]);
    }
    const vf g2 = vf_fma(g[2], g[2], vf_fma(g[1], g[1], g[0] * g[0]));
    const vf half = vf_set(f->local ? 0.5f : 0); /* by Boussinesq both have the ambient density */
    const vf mean = vf_max(vf_fma(half, slope[3], rho0), vf_set(0.5f) * rho0);
    *pull = vf_max(slope[3], -slope[3]) * vf_sqrt(g2) / mean;
}
