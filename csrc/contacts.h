/* Contact of vortons and tracers with bodies: none is ever inside a solid or outside a container.
 */
#ifndef VORTON_CONTACTS_H
#define VORTON_CONTACTS_H

#include "state/simulation.h"

/* Where the rows of both sets were before they moved (count x 3, m), in arena memory; NULL: there
 * are no bodies. */
typedef struct vt_contacts {
    float *start[2];
} vt_contacts;

/* Removes what was born or added inside a solid or outside a container, of the rows of a set since
 * the last call; and all rows of both that the last body leaves no room. */
void vt_remove_embedded(vt_simulation *s, int set);
void vt_clear_last_body(vt_simulation *s);

/* Whether there are such rows to look at. */
int vt_has_unlooked(const vt_simulation *s, int set);

/* How far a point is from the walls of now, m, at least: below 0 where no particle may be; INFINITY
 * without bodies. */
double vt_room_at(const vt_simulation *s, const double point[3]);

/* Where each body is at a time, s, in arena memory; and the same room from that, for many points.
 */
const vt_pose *vt_poses_at(vt_simulation *s, double time);
double vt_room_beside(const vt_simulation *s, const vt_pose *pose, const double point[3]);

/* Before particles move by a substep, and after they have moved, with the wind: from s->time to
 * s->time + dt. */
void vt_begin_contact(vt_simulation *s, vt_contacts *contacts);
void vt_end_contact(vt_simulation *s, double dt, const vt_contacts *contacts);

#endif
