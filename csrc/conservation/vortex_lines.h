/* Vortex lines one vorton thick: the strength of a piece is the circulation of its line times the
 * way from the piece before it to the one after, halved (the way to its only neighbour at an end).
 *
 * Lines of vorticity move with the fluid (Helmholtz), and so do the pieces: what stretches and
 * turns them is where their neighbours go. By the gradient of a field of which the grid and the
 * cores leave out what is narrower than a core the same lines bend up to twice too fast, and the
 * noise of the grid in it grows along them. */
#pragma once

#include "state/simulation.h"

/* The lines of a substep, one piece after the other, in arena memory while it lasts. */
typedef struct vt_lines {
    int64_t count;            /* pieces */
    uint32_t *row;            /* of the vorton of each */
    uint32_t *before, *after; /* pieces; at an end the piece itself */
    double *circulation;      /* of its line, m^2/s */
    double gain[3]; /* by which the sum of the strengths of open lines has grown, m^3/s, once
                       they are turned: the circulation times what their ends have moved */
} vt_lines;

/* Finds the lines that are whole and whose strengths are those of lines, by rows [0, rows) of the
 * columns at the start of a substep; the vortons of others are pieces no more. Where something else
 * makes vorticity, too (gravity, viscosity, bodies, forces, expansion), and with another form of
 * stretching, all are let go: what it has made would be lost where lines went on. */
void vti_find_lines(vt_simulation *s, int64_t rows, vt_lines *lines);

/* Brings the pieces, which have moved, to even distances along their lines, and takes away what
 * goes to and fro from piece to piece. */
void vti_space_lines(vt_simulation *s, const vt_lines *lines);

/* Keeps the pieces out of the exchange of strength with others
 * (kernels/particles/strength_filter.h) by the records for it: what lines give, they would have
 * again once they are turned, and the impulse with it. */
void vti_hold_lines(const vt_simulation *s, const vt_lines *lines, int64_t count,
                    vt_record *records);

/* Gives the pieces the strengths of their lines. Inside of a substep these go by the gradient of
 * the field: by places in the middle of it, which are foreseen, rings that leapfrog kept .70 of
 * their energy for 6 s, and all of it so. */
void vti_turn_lines(vt_simulation *s, vt_lines *lines);
