/* Where bodies touch each other, or will within a moment. */
#pragma once

#include "model/columns.h"
#include "model/pose.h"

typedef struct vt_body_contact {
    int32_t body[2];  /* the first moves by itself */
    double point[3];  /* m, between both surfaces */
    double normal[3]; /* away from the second body */
    double gap;       /* between the surfaces, m; below 0 they overlap */
} vt_body_contact;

enum { VT_TOUCHES_PER_PAIR = 4 };

/* Lists where two bodies are nearer to each other than `margin`, m, at most `most` places: of two
 * solids, or a solid and a wall, at most four, the deepest and those farthest apart. Returns how
 * many. now: the poses of all bodies. */
int32_t vti_find_body_contacts(const vt_simulation *s, const vt_pose *now, int32_t first,
                               int32_t second, double margin, vt_body_contact *touches,
                               int32_t most);

/* Whether each solid of a body is certainly farther than `margin`, m, outside of a container: all
 * of it beyond one flat wall, or the ball around it beyond a round one. */
int vti_is_outside(const vt_simulation *s, const vt_pose *now, int32_t body, int32_t container,
                   double margin);
