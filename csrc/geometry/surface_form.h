/* The form of a body that deforms: its solids and panels as they are at a time.
 *
 * All go with one deforming mesh, their points bound to it (geometry/deforming_mesh.h). A solid is
 * the hull of its points: where it folds inwards it stays convex. The triangles of panels stay the
 * same ones, and are solved for again. All in the space of the body, m. */
#pragma once

#include "geometry/convex_solid.h"
#include "geometry/deforming_mesh.h"
#include "geometry/panel_set.h"

enum { VT_FINE_PANELS, VT_COARSE_PANELS };

typedef struct vt_form {
    vt_deforming_mesh *mesh;
    int32_t solid_count;
    int64_t *first;            /* solid_count + 1: first point of each solid in `point` */
    vt_bound_point *point;     /* vertices that the solids have at rest */
    vt_bound_point *corner[2]; /* of fine and of coarse panels, 3 for each; NULL: there are none */
    int64_t corners[2];        /* how many */
    double time;               /* s: of the solids, and of vertex and velocity */
    double solved[2];          /* s: of the panels of each set */
    double (*vertex)[3], (*velocity)[3]; /* of the mesh, m, m/s */
    double (*wall)[3]; /* velocity of the vertices of each polytope, from `first` on, m/s */
} vt_form;

/* Binds solids as they are at rest, all polytopes. VT_INVALID_ARGUMENT: another solid, or a frame
 * in which one is flat. On failure there is nothing to destroy. The solids do not change. */
vt_status vti_create_form(const vt_body_def *def, int32_t solid_count, const vt_solid *solids,
                          int threads, vt_form **form);
void vti_destroy_form(vt_form *form);                 /* NULL is allowed */
int vti_copy_form(const vt_form *from, vt_form **to); /* 0, or -1 without memory */

/* Binds the panels of a set as they are at rest, which nobody shares. */
vt_status vti_bind_panels(vt_form *form, int which, const vt_panel_set *set, int threads);

/* Gives the solids the form of rest, that of the mesh of the definition. */
void vti_form_at_rest(vt_form *form, vt_solid *solids);

/* Gives the solids the form of a time, s. Where one is flat, or has no memory, it stays as it was.
 */
void vti_form_solids(vt_form *form, vt_solid *solids, double time);

/* Lays the panels of a set where those of form->time are, about a centre; `solve` them, too. */
void vti_form_panels(vt_form *form, int which, vt_panel_set *set, const double origin[3], int solve,
                     int threads);

/* Velocity of the wall nearest to a point, m/s: of the face of a solid that is least deep under it,
 * there where the point is above it. */
void vti_form_velocity(const vt_form *form, const vt_solid *solids, const double point[3],
                       double velocity[3]);

/* How the centre of the volume of the solids moves, m/s; where they overlap, as if they did not. */
void vti_form_drift(const vt_form *form, const vt_solid *solids, const double center[3],
                    double drift[3]);
