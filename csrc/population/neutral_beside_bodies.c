/* What bodies have to do with the lattice of neutral vortons. */

#include "population/neutral_beside_bodies.h"

#include "panels/grid_request.h"
#include "state/distance_to_bodies.h"
#include "state/predicates.h"
#include "state/rigid_body.h"

enum { EDGE = VT_BRICK_EDGE };

/* ---- bodies that want fluid around them ---- */

/* The lattice, one body, and where that is now. */
typedef struct beside {
    const vt_simulation *simulation;
    vt_shell_lattice *lattice;
    const vt_body *body;
    vt_pose pose;
    float core; /* of the vortons to be born, m */
} beside;

/* Room at a point whose coordinates are nodes, in spacings. */
static double distance_near(const beside *s, const double node[3])
{
    const double spacing = s->lattice->spacing;
    const double world[3] = {node[0] * spacing, node[1] * spacing, node[2] * spacing};
    double local[3], normal[3];
    vti_pose_point_back(&s->pose, world, local);
    return s->body->scale * vti_distance_to_body(s->body, local, normal) / spacing;
}

static int mark_nodes(const beside *s, const int32_t at[3])
{
    vt_brick_hints hints = {{NULL}};
    for (int n = 0; n < VT_BRICK_NODES; n++) {
        const int32_t node[3] = {at[0] * EDGE + n % EDGE, at[1] * EDGE + n / EDGE % EDGE,
                                 at[2] * EDGE + n / EDGE / EDGE};
        const double place[3] = {node[0], node[1], node[2]};
        const double room = distance_near(s, place);
        if (!(room >= 0 && room < 1))
            continue;
        vt_brick *const b = vti_need_brick(s->lattice, at, s->core, INFINITY, &hints);
        if (!b)
            return 0;
        b->source[vti_bit_row(node)] |= vti_bit(node);
    }
    return 1;
}

/* A cube of bricks, a power of 2 a side; one that no wall cuts is passed over. */
static int mark_cube(const beside *s, const int32_t at[3], int32_t side)
{
    const double nodes = (double)side * EDGE - 1, half = 0.5 * nodes;
    const double middle[3] = {(double)at[0] * EDGE + half, (double)at[1] * EDGE + half,
                              (double)at[2] * EDGE + half};
    if (vti_abs(distance_near(s, middle)) > 1.74 * half + 1)
        return 1;
    if (side == 1)
        return mark_nodes(s, at);
    int room = 1;
    for (int part = 0; part < 8 && room; part++) {
        const int32_t step = side / 2;
        const int32_t corner[3] = {at[0] + (part & 1) * step, at[1] + (part >> 1 & 1) * step,
                                   at[2] + (part >> 2) * step};
        room = mark_cube(s, corner, step);
    }
    return room;
}

static int mark_body(const vt_simulation *s, const vt_body *body, vt_shell_lattice *lattice)
{
    const beside all = {s, lattice, body, vti_body_pose(&s->transforms, body, s->time),
                        (float)vti_core_of_neutral(s)};
    const double brick = EDGE * lattice->spacing, farthest = 1 << 24;
    const double reach = body->reach / brick + 1;
    double center[3];
    int32_t low[3], side = 1;
    vti_pose_point(&all.pose, body->center, center);
    for (int a = 0; a < 3; a++) {
        if (!(vti_abs(center[a] / brick) + reach < farthest))
            return 1;
        low[a] = (int32_t)floor(center[a] / brick - reach);
    }
    while (side < 2 * reach + 1)
        side *= 2;
    return mark_cube(&all, low, side);
}

int vti_mark_bodies(const vt_simulation *s, vt_shell_lattice *lattice)
{
    int room = 1;
    for (int32_t n = 0; n < s->bodies.count && room; n++)
        if (vti_wants_fluid_around(&s->bodies.items[n]))
            room = mark_body(s, &s->bodies.items[n], lattice);
    return room;
}

/* ---- walls ---- */

/* They take nothing of a node that is farther away, spacings. */
static const double beside_wall = 1.5;

/* Volume that walls take of a node, as its trilinear weight fills it: at 4 x 4 x 4 points. */
static double walled_share(const vt_simulation *s, const vt_pose *pose, const double node[3],
                           double spacing)
{
    static const double offset[4] = {-0.75, -0.25, 0.25, 0.75},
                        weight[4] = {.125, .375, .375, .125};
    double walled = 0;
    for (int i = 0; i < 64; i++) {
        const int at[3] = {i & 3, i >> 2 & 3, i >> 4};
        double point[3], share = 1;
        for (int a = 0; a < 3; a++) {
            point[a] = node[a] + offset[at[a]] * spacing;
            share *= weight[at[a]];
        }
        walled += vti_distance_near(s, pose, point) < 0 ? share : 0;
    }
    return walled;
}

static void fill_node(const vt_simulation *s, const vt_pose *pose, const vt_shell_lattice *lattice,
                      vt_brick *b, int n)
{
    double position[3];
    vti_place_node(lattice, b, n, position);
    const double room = vti_distance_near(s, pose, position);
    if (room < 0)
        b->fill[n] = 1;
    else if (room < beside_wall * lattice->spacing)
        b->fill[n] += (float)walled_share(s, pose, position, lattice->spacing);
}

void vti_fill_with_walls(const vt_simulation *s, const vt_pose *pose,
                         const vt_shell_lattice *lattice, vt_brick *b)
{
    const double half = 0.5 * (EDGE - 1), corner = 1.74 * half;
    double middle[3];
    for (int a = 0; a < 3; a++)
        middle[a] = (b->at[a] * EDGE + half) * lattice->spacing;
    const double room = vti_distance_near(s, pose, middle) / lattice->spacing;
    for (int n = 0; room < -corner && n < VT_BRICK_NODES; n++)
        b->fill[n] = 1;
    for (int n = 0; vti_abs(room) < corner + beside_wall && n < VT_BRICK_NODES; n++)
        if (vti_lacks_volume(b, b->wide, n))
            fill_node(s, pose, lattice, b, n);
}
