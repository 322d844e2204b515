/* What the parts of the halo share: see population/neutral_particles.c. */
#pragma once

#include "kernels/particles/vorton_content.h"
#include "vorton.h"

/* The vortons as a population, weighted by their strength; where they have none and heat diffuses,
 * by the heat that they carry. */
typedef struct vt_population {
    double strength; /* sum of |alpha|, m^3/s */
    double spacing;  /* cube root of their mean volume, m; 0 where nothing is carried */
    /* of those alone that a halo is looked after for now; else 0 */
    double vorticity; /* mean |alpha| / volume, 1/s */
    double contrast;  /* mean |rho'| weighted by volume x |rho'|, kg/m^3 */
} vt_population;

/* The columns that say what vortons carry. */
vt_content_rows vti_content_rows(const vt_vortons *vortons);

/* Between neutral vortons around those that diffuse, m; where the population has a spacing. Vortons
 * that are closer than the grid can tell are not worth as many neutral ones, but where they
 * exchange strength with each other: these are as close. */
double vti_lattice_spacing(const vt_simulation *s, const vt_population *population);

/* How to keep the shell. */
typedef struct vt_shell_wish {
    int64_t reserved; /* rows of the capacity that are kept free */
    int32_t width;    /* nodes, 1 to VT_WIDEST_SHELL */
    int32_t kept;     /* neutral vortons farther away than so many, and one, are removed; 0: none */
    int32_t yields;   /* where there is no room for all, there are fewer: no error */
} vt_shell_wish;

enum { VT_WIDEST_SHELL = 7 };

/* Keeps `width` spacings full of neutral vortons around those that carry strength, where that
 * diffuses, around those that differ in density from the ambient fluid, and around bodies that
 * exchange heat. */
vt_status vti_keep_shell(vt_simulation *s, const vt_population *population,
                         const vt_shell_wish *wish);
