/* The cross-section of a vortex line, and the vortons of a structure (ring, filament, cloud) as
 * they are made.
 *
 * One vorton thick (layers 0): strength = circulation x arc length x tangent, core = the line's
 * core, volume = arc length x pi core^2.
 *
 * Resolved: a vorton on the centreline and `layers` circles around it, 6 m vortons on circle m, in
 * the plane normal to the centreline. The section of a Gaussian core of radius a, made of blobs
 * exp(-d^2 / 2 sigma^2), is sampled as exp(-rho^2 / b^2) with b^2 = a^2 - 2 sigma^2: each vorton
 * has the circulation of its cell, and the radii are such that the second moment is that of the
 * whole Gaussian. Vortons with one place in all sections form a line, and strength follows it:
 * strength = circulation of the cell x d(line) / d(arc length) x arc length, volume = area of the
 * cell x length along the line. Circulation is exact. */
#pragma once

#include "state/sources.h"

enum { VT_MOST_LAYERS = 64, VT_MOST_SECTIONS = 1 << 24 };
static const int64_t vt_most_structure_vortons = INT64_C(1) << 30;

/* How a definition describes its section: fields of the same names. */
typedef struct vt_section_def {
    double core, vorton_core;
    int64_t sections;
    int32_t layers;
} vt_section_def;

typedef struct vt_section {
    int layers;
    double vorton_core;
    double radius[VT_MOST_LAYERS + 1];      /* of the circles, m; 0 is the centre */
    double circulation[VT_MOST_LAYERS + 1]; /* of one vorton; 1 in all */
    double area[VT_MOST_LAYERS + 1];        /* of its cell, m^2 */
} vt_section;

/* Checks vorton_core, sections (0, or least .. VT_MOST_SECTIONS) and layers; core is checked by the
 * caller. The error begins with `what` and names the field, its value and what is allowed. */
vt_status vti_check_section(const char *what, const vt_section_def *def, int64_t least);

/* The same for the vortons of a whole line of that length, m. */
vt_status vti_check_section_count(const char *what, const vt_section_def *def, int64_t least,
                                  double length);

/* Sections along a line of that length, and vortons in all of them. */
int64_t vti_section_count(const vt_section_def *def, int64_t least, double length);
int64_t vti_section_vortons(const vt_section_def *def, int64_t least, double length);

vt_section vti_make_section(const vt_section_def *def);

/* A place on the centreline: its normals, and the derivatives of place and normals by any one
 * parameter, of which `step` is what one section covers. */
typedef struct vt_line_frame {
    double place[3], slope[3], normal[2][3], normal_slope[2][3];
    double step;
} vt_line_frame;

void vti_list_section(const vt_section *section, const vt_line_frame *frame, double circulation,
                      vt_vorton_list *list);

/* The flags of vortons that are the pieces of a line of such sections; 0 where it is thicker. */
uint32_t vti_line_of(const vt_section *section, int closed);

/* A closed line has no total strength: what the sum over few vortons leaves is taken from all. */
void vti_remove_sum(vt_vorton_list *list);
