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
    int64_t *id;              /* of the vorton of each, rising */
    uint32_t *before, *after; /* pieces; at an end the piece itself */
    double *circulation;      /* of its line, m^2/s */
} vt_lines;

/* Finds the lines that are whole, and whose strengths are those of lines; the vortons of others are
 * none any more. Where the vorticity of lines changes otherwise, too (gravity, viscosity, bodies,
 * forces, expansion), and with another form of stretching, there are none. */
void vti_find_lines(vt_simulation *s, vt_lines *lines);

/* Brings the pieces of lines, in the columns, to even distances along them, and takes away what
 * goes to and fro from piece to piece. */
void vti_space_lines(vt_simulation *s, const vt_lines *lines);

/* Gives the strengths of lines to records (places in cells of h, m) that have gone on, and to the
 * columns at the end of a substep. */
void vti_turn_line_records(vt_simulation *s, const vt_lines *lines, double h, int64_t count,
                           vt_record *records);
void vti_turn_lines(vt_simulation *s, const vt_lines *lines);
