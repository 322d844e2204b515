#include "panels/grid_request.h"

#include "state/predicates.h"
#include "state/rigid_body.h"

/* Nodes of a grid that bodies alone may ask for, and up to which they are always in it whole. */
enum { LARGE_GRID = 1 << 20, SMALL_GRID = 1 << 18 };

/* Bodies are in a larger grid whole, too, where it has no more nodes than this multiple of the
 * nodes that it would have without them. */
static const double more_nodes = 1.5;

/* Walls farther from the flow than this, in cells, act from beyond the grid:
 * field/scalar_potential.h. Of nearer ones what lies before the flow, and as many cells beside it.
 * What a wall 9 cells away does is wrong by 15 % from there, by 4 % in the grid. */
static const double near_wall = 12, beside = 2;

/* Spacings to a panel where there are no vortons that set the spacing. */
static const double cells_in_panel = 2.24;

/* A box; empty where least > most. */
typedef struct box {
    double least[3], most[3];
} box;

static const box nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void add_box(box *to, const box *b)
{
    for (int c = 0; c < 3; c++) {
        to->least[c] = fmin(to->least[c], b->least[c]);
        to->most[c] = fmax(to->most[c], b->most[c]);
    }
}

static int holds(const box *all, const box *b)
{
    int holds = 1;
    for (int c = 0; c < 3; c++)
        holds &= b->least[c] >= all->least[c] && b->most[c] <= all->most[c];
    return holds;
}

static box box_of_body(const vt_simulation *s, const vt_body *body)
{
    const vt_pose pose = vti_body_pose(&s->transforms, body, s->time);
    box b = nothing;
    for (int corner = 0; corner < 8; corner++) {
        double local[3];
        box point;
        for (int c = 0; c < 3; c++)
            local[c] = corner >> c & 1 ? body->panels->high[c] : body->panels->low[c];
        vti_pose_point(&pose, local, point.least);
        memcpy(point.most, point.least, sizeof point.most);
        add_box(&b, &point);
    }
    return b;
}

/* Whether body number n has panels that stay on it; those of a plane follow the grid. */
static int is_closed(const vt_simulation *s, int32_t n)
{
    return vti_wants_panels(s, n) && !s->bodies.items[n].panels->open;
}

/* The box of all bodies of a kind. */
static box box_of_bodies(const vt_simulation *s, int solid, int containers)
{
    box all = nothing;
    for (int32_t n = 0; n < s->bodies.count; n++)
        if (is_closed(s, n) && (s->bodies.items[n].panels->hole ? containers : solid)) {
            const box b = box_of_body(s, &s->bodies.items[n]);
            add_box(&all, &b);
        }
    return all;
}

/* Nodes of a grid around a box. */
static double count_nodes(const box *b, double spacing)
{
    double nodes = 1;
    for (int c = 0; c < 3; c++)
        nodes *= (b->most[c] - b->least[c]) / spacing + 2 * VT_DOMAIN_MARGIN + 1;
    return nodes;
}

/* Of a grid that holds bodies whole beside what lies within the bounds. */
static double most_nodes(const box *bounds, double spacing)
{
    return fmax(SMALL_GRID, more_nodes * count_nodes(bounds, spacing));
}

static double extent_of(const box *b)
{
    double extent = 0;
    for (int c = 0; c < 3; c++)
        extent = fmax(extent, b->most[c] - b->least[c]);
    return extent;
}

/* Room of a corner of a box before a body, m; normal (in the world) out of that. */
static double distance_at_corner(const vt_body *body, const vt_pose *pose, const box *b, int corner,
                                 double point[3], double normal[3])
{
    double local[3];
    for (int c = 0; c < 3; c++)
        point[c] = corner >> c & 1 ? b->most[c] : b->least[c];
    vti_pose_point_back(pose, point, local);
    const double room = pose->scale * vti_distance_to_body(body, local, normal);
    vti_pose_direction(pose, normal, normal);
    return room;
}

/* What of a plane lies under the corners of the bounds that are near it, and around that as much
 * more as these lie above it at least: so far it sees the flow. */
static void add_feet(const vt_simulation *s, const vt_body *body, const box *bounds, double near,
                     box *all)
{
    const vt_pose pose = vti_body_pose(&s->transforms, body, s->time);
    double point[3], normal[3], least = INFINITY;
    for (int corner = 0; corner < 8; corner++)
        least = fmin(least, distance_at_corner(body, &pose, bounds, corner, point, normal));
    for (int corner = 0; corner < 8; corner++) {
        const double room = distance_at_corner(body, &pose, bounds, corner, point, normal);
        box foot;
        if (!(room > 0 && room < near))
            continue;
        for (int c = 0; c < 3; c++) {
            const double wide = fmax(least, 0) * vti_sqrt(fmax(1 - normal[c] * normal[c], 0));
            foot.least[c] = point[c] - room * normal[c] - wide;
            foot.most[c] = point[c] - room * normal[c] + wide;
        }
        add_box(all, &foot);
    }
}

/* Cuts a box to the part within reach of the bounds along each axis; returns whether any is left.
 */
static int clip_box(box *b, const box *bounds, const double reach[3])
{
    int meets = 1;
    for (int c = 0; c < 3; c++) {
        b->least[c] = fmax(b->least[c], bounds->least[c] - reach[c]);
        b->most[c] = fmin(b->most[c], bounds->most[c] + reach[c]);
        meets &= b->least[c] <= b->most[c];
    }
    return meets;
}

/* Each solid body that the flow within the bounds reaches: any of it is no farther from them than
 * half of their extent. Then each that comes into the grid around those: of walls on both sides of
 * a face of the grid the nodes have the sources of one side, and from beyond it come those of the
 * other, smeared (panels/patches.c). */
static void add_reached(const vt_simulation *s, double spacing, const box *bounds, box *all)
{
    const double half = 0.5 * extent_of(bounds), margin = 2 * VT_DOMAIN_MARGIN * spacing;
    const double most = most_nodes(bounds, spacing);
    for (int grows = 1, first = 1; grows && count_nodes(all, spacing) <= most; first = 0) {
        const box within = first ? *bounds : *all;
        const double reach = first ? half : margin;
        grows = 0;
        for (int32_t n = 0; n < s->bodies.count; n++) {
            if (!is_closed(s, n) || s->bodies.items[n].panels->hole)
                continue;
            const box b = box_of_body(s, &s->bodies.items[n]);
            box part = b;
            if (!holds(all, &b) && clip_box(&part, &within, (double[3]){reach, reach, reach})) {
                add_box(all, &b);
                grows = 1;
            }
        }
    }
}

/* How far the bounds lie before the plane of a panel, m: the nearest of their corners. */
static double height_above(const box *bounds, const double place[3], const double normal[3])
{
    double height = 0;
    for (int c = 0; c < 3; c++)
        height += normal[c] * ((normal[c] > 0 ? bounds->least[c] : bounds->most[c]) - place[c]);
    return height;
}

/* What of the walls of a body lies beside the bounds, and so near that their panels have to be
 * in the grid. */
static void add_near_walls(const vt_simulation *s, const vt_body *body, const box *bounds,
                           double spacing, box *all)
{
    const vt_pose pose = vti_body_pose(&s->transforms, body, s->time);
    const vt_panel_set *const set = body->panels;
    const double most = near_wall * spacing;
    for (int32_t i = 0; i < set->count; i++) {
        box b = nothing, point;
        double normal[3], reach[3];
        for (int k = 0; k < 3; k++) {
            vti_pose_point(&pose, set->corner[i][k], point.least);
            memcpy(point.most, point.least, sizeof point.most);
            add_box(&b, &point);
        }
        vti_pose_direction(&pose, set->normal[i], normal);
        const double height = fmax(height_above(bounds, point.least, normal), 0);
        for (int c = 0; c < 3; c++)
            reach[c] = height * vti_abs(normal[c]) + beside * spacing;
        if (height < most && clip_box(&b, bounds, reach))
            add_box(all, &b);
    }
}

/* Of a box of bodies, containers or solids, and the bounds: both, or with bodies that would make
 * the grid large of these only what is near. */
static void keep_small(const vt_simulation *s, double spacing, const box *bounds, int containers,
                       box *all)
{
    add_box(all, bounds);
    if (count_nodes(all, spacing) <= most_nodes(bounds, spacing))
        return;
    *all = *bounds;
    for (int32_t n = 0; n < s->bodies.count; n++)
        if (is_closed(s, n) && s->bodies.items[n].panels->hole == containers)
            add_near_walls(s, &s->bodies.items[n], bounds, spacing, all);
}

void vti_add_panel_bounds(const vt_simulation *s, double spacing, double least[3], double most[3],
                          int *any)
{
    int wanted = 0;
    for (int32_t n = 0; n < s->bodies.count; n++)
        wanted |= vti_wants_panels(s, n);
    if (!wanted)
        return;
    box bounds = nothing, all = nothing;
    if (*any) {
        memcpy(bounds.least, least, sizeof bounds.least);
        memcpy(bounds.most, most, sizeof bounds.most);
    }
    if (!*any || vti_panels_stir(s))
        all = box_of_bodies(s, 1, !*any);
    else /* of a body at rest in still air that no flow reaches nothing is to be seen */
        add_reached(s, spacing, &bounds, &all);
    if (*any) {
        keep_small(s, spacing, &bounds, 0, &all);
        bounds = all;
        all = box_of_bodies(s, 0, 1);
        keep_small(s, spacing, &bounds, 1, &all);
    }
    bounds = all;
    for (int32_t n = 0; n < s->bodies.count; n++)
        if (vti_wants_panels(s, n) && !is_closed(s, n) && bounds.least[0] <= bounds.most[0])
            add_feet(s, &s->bodies.items[n], &bounds, near_wall * spacing, &all);
    if (!(all.least[0] <= all.most[0]))
        return;
    memcpy(least, all.least, sizeof all.least);
    memcpy(most, all.most, sizeof all.most);
    *any = 1;
}

static double spacing_of_panels(const vt_simulation *s)
{
    double least = INFINITY;
    for (int32_t n = 0; n < s->bodies.count; n++)
        if (is_closed(s, n)) {
            const vt_body *const body = &s->bodies.items[n];
            least = fmin(least, body->scale * body->panels->side / cells_in_panel);
        }
    if (!isfinite(least))
        return 0;
    /* small bodies far from each other, or beside a huge one, are not worth a grid without end */
    const box all = box_of_bodies(s, 1, 1);
    while (count_nodes(&all, least) > LARGE_GRID)
        least *= 1.25;
    return least;
}

static int any_sheds(const vt_simulation *s)
{
    for (int32_t n = 0; n < s->bodies.count; n++)
        if (vti_wants_panels(s, n) && vti_sheds(&s->bodies.items[n]))
            return 1;
    return 0;
}

/* Where bodies alone make vortons, and emitters are still to do so: the coarser of both. But what
 * is shed in cells more than this many times as wide as those to come would be lumps in these. */
static const double wider_cells = 2;

static double spacing_before_births(const vt_simulation *s, double panels, double cells)
{
    return cells > panels || (wider_cells * cells < panels && any_sheds(s)) ? cells : panels;
}

double vti_panel_spacing(const vt_simulation *s)
{
    const double panels = spacing_of_panels(s), other = vti_core_to_come(s);
    return panels > 0 && isfinite(other)
               ? spacing_before_births(s, panels, other / vti_usual_core(s))
               : panels;
}

/* A fifth of the cube root of the volume of the smallest warm body, m, or infinity. */
static double core_of_warm(const vt_simulation *s)
{
    double least = INFINITY;
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_body *const body = &s->bodies.items[n];
        if (vti_wants_fluid_around(body))
            least = fmin(least, 0.2 * body->scale * vti_cbrt(body->volume));
    }
    return least;
}

double vti_core_of_neutral(const vt_simulation *s)
{
    if (s->smallest_core > 0)
        return s->smallest_core;
    const double warm = core_of_warm(s), forces = vti_core_in_forces(s);
    if (!isfinite(fmin(warm, forces)))
        return 0;
    if (s->def.spacing > 0)
        return vti_usual_core(s) * s->def.spacing;
    if (!isfinite(forces) && vti_panels_stir(s))
        return vti_usual_core(s) * vti_panel_spacing(s);
    const double other = vti_core_to_come(s);
    return isfinite(other) ? other : fmin(warm, forces);
}
