#include "field/room.h"

#include "state/container_frame.h"
#include "state/predicates.h"
#include "state/rigid_body.h"

/* How far an edge may turn away from an axis, as a share of its length, and a corner lie beside its
 * place, as a share of the box: rounding. */
static const double rounding = 1e-6;

/* The box around a solid, m. */
static void find_bounds(const vt_polytope *p, const vt_pose *pose, double least[3], double most[3])
{
    vti_empty_box(least, most);
    for (int32_t v = 0; v < p->vertex_count; v++) {
        double corner[3];
        vti_pose_point(pose, p->vertex[v], corner);
        vti_add_to_box(corner, least, most);
    }
}

/* Whether a solid fills the box around it. */
static int is_box(const vt_solid *solid, const vt_pose *pose, double least[3], double most[3])
{
    if (solid->kind != VT_SHAPE_POLYTOPE || solid->polytope.vertex_count != 8)
        return 0;
    find_bounds(&solid->polytope, pose, least, most);
    const double scale = pose->scale;
    double volume = 1;
    for (int c = 0; c < 3; c++)
        volume *= most[c] - least[c];
    return vti_abs(solid->volume * scale * scale * scale - volume) < rounding * volume;
}

/* Whether it keeps its axes: on its way it takes the fluid along, and the frame of the grid, too
 * (state/container_frame.h). */
static int turns(const vt_simulation *s, const vt_body *body)
{
    const vt_motion motion = vti_body_motion(&s->transforms, body, s->time);
    return motion.angular[0] != 0 || motion.angular[1] != 0 || motion.angular[2] != 0;
}

/* The only body of which the flow knows, a container; NULL: there is none, or others are in it. */
static const vt_body *find_container(const vt_simulation *s)
{
    const vt_body *found = NULL;
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_body *const body = &s->bodies.items[n];
        const int wanted = vti_wants_panels(s, n);
        if (!body->hole || (wanted && found))
            return NULL;
        found = wanted ? body : found;
    }
    return found;
}

int vti_find_room(const vt_simulation *s, double least[3], double most[3])
{
    const vt_method *const m = &s->def.method;
    const vt_body *const body = find_container(s);
    if (!body || body != vti_find_frame_body(s) || body->solid_count != 1 || turns(s, body) ||
        s->winds.grid_count > 0 || m->poisson != VT_POISSON_DIRECT || m->walls != VT_WALLS_MASKED ||
        m->halo == 0)
        return 0;
    const vt_pose pose = vti_body_pose(&s->transforms, body, s->time);
    return is_box(body->solids, &pose, least, most);
}
