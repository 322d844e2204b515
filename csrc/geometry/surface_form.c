#include "geometry/surface_form.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/vec3.h"
#include "geometry/convex_hull.h"
#include "geometry/mesh_inside.h"
#include "geometry/panel_matrix.h"
#include "geometry/source_panels.h"

/* ---- memory ---- */

void vti_destroy_form(vt_form *form)
{
    if (!form)
        return;
    vti_release_deforming_mesh(form->mesh);
    vti_free(form->first);
    vti_free(form->point);
    for (int k = 0; k < 2; k++)
        vti_free(form->corner[k]);
    vti_free(form->vertex);
    vti_free(form->velocity);
    vti_free(form->wall);
    vti_free(form);
}

/* With room for its points; the caller has set mesh, solid_count and, of `first`, nothing. */
static vt_form *make_form(vt_deforming_mesh *mesh, int32_t solid_count, int64_t points)
{
    vt_form *const form = vti_allocate_zeroed(1, sizeof *form);
    const size_t vertices = (size_t)mesh->vertex_count, count = (size_t)points;
    if (!form)
        return NULL;
    *form = (vt_form){.mesh = vti_share_deforming_mesh(mesh),
                      .solid_count = solid_count,
                      .first = vti_allocate(sizeof *form->first * ((size_t)solid_count + 1)),
                      .point = vti_allocate(sizeof *form->point * count),
                      .time = NAN,
                      .solved = {NAN, NAN},
                      .vertex = vti_allocate(sizeof *form->vertex * vertices),
                      .velocity = vti_allocate(sizeof *form->velocity * vertices),
                      .wall = vti_allocate_zeroed(count, sizeof *form->wall)};
    if (form->first && form->point && form->vertex && form->velocity && form->wall)
        return form;
    vti_destroy_form(form);
    return NULL;
}

static vt_bound_point *copy_corners(const vt_bound_point *from, int64_t count)
{
    vt_bound_point *const to = vti_allocate(sizeof *to * (size_t)count);
    return to ? memcpy(to, from, sizeof *to * (size_t)count) : NULL;
}

int vti_copy_form(const vt_form *from, vt_form **to)
{
    const int64_t points = from->first[from->solid_count];
    const size_t vertices = (size_t)from->mesh->vertex_count;
    vt_form *const form = make_form(from->mesh, from->solid_count, points);
    *to = form;
    if (!form)
        return -1;
    memcpy(form->first, from->first, sizeof *form->first * ((size_t)from->solid_count + 1));
    memcpy(form->point, from->point, sizeof *form->point * (size_t)points);
    memcpy(form->wall, from->wall, sizeof *form->wall * (size_t)points);
    memcpy(form->vertex, from->vertex, sizeof *form->vertex * vertices);
    memcpy(form->velocity, from->velocity, sizeof *form->velocity * vertices);
    form->time = from->time;
    memcpy(form->solved, from->solved, sizeof form->solved);
    for (int k = 0; k < 2; k++) {
        form->corners[k] = from->corners[k];
        form->corner[k] = from->corner[k] ? copy_corners(from->corner[k], form->corners[k]) : NULL;
        if (from->corner[k] && !form->corner[k]) {
            vti_destroy_form(form);
            *to = NULL;
            return -1;
        }
    }
    return 0;
}

/* ---- making ---- */

static vt_status no_memory(int64_t points)
{
    return vti_fail(VT_OUT_OF_MEMORY, "no memory for %lld points", (long long)points);
}

static vt_status check_solids(int32_t count, const vt_solid *solids)
{
    for (int32_t n = 0; n < count; n++)
        if (solids[n].kind != VT_SHAPE_POLYTOPE)
            return vti_fail(VT_INVALID_ARGUMENT,
                            "it deforms and shape %d is round or a plane; allowed are meshes, "
                            "polytopes and boxes",
                            n);
    return VT_OK;
}

static vt_status bind_solids(vt_form *form, const vt_solid *solids, int threads)
{
    vt_status status = VT_OK;
    form->first[0] = 0;
    for (int32_t n = 0; n < form->solid_count && !status; n++) {
        const vt_polytope *const p = &solids[n].polytope;
        form->first[n + 1] = form->first[n] + p->vertex_count;
        status = vti_bind_points(form->mesh, p->vertex_count, (const double (*)[3])p->vertex,
                                 threads, form->point + form->first[n]);
    }
    return status;
}

/* The hull of the points of a solid by the vertices that the form holds. */
static vt_status make_hull(const vt_form *form, int32_t n, double (*points)[3], vt_polytope *hull)
{
    const int64_t first = form->first[n], count = form->first[n + 1] - first;
    for (int64_t i = 0; i < count; i++)
        vti_place_point(form->mesh, (const double (*)[3])form->vertex, form->point + first + i,
                        points[i]);
    return vti_create_hull(count, &points[0][0], hull);
}

/* That the mesh is not inside out in a frame. */
static vt_status check_sides(const vt_deforming_mesh *m, int64_t frame)
{
    const vt_shape mesh = {.vertices = m->frame[frame * m->vertex_count],
                           .vertex_count = m->vertex_count,
                           .faces = m->face[0],
                           .face_count = m->face_count};
    const double volume = vti_mesh_volume(&mesh);
    if (volume >= 0.0)
        return VT_OK;
    return vti_fail(VT_INVALID_ARGUMENT,
                    "deformed_vertices: in frame %lld the mesh is inside out, its volume %g m^3; "
                    "allowed are faces that look outwards",
                    (long long)frame, volume);
}

/* That each solid has an inside in each frame. */
static vt_status check_frames(vt_form *form)
{
    double (*const points)[3] =
        vti_allocate(sizeof *points * (size_t)form->first[form->solid_count]);
    vt_status status = points ? VT_OK : no_memory(form->first[form->solid_count]);
    const vt_deforming_mesh *const m = form->mesh;
    for (int64_t k = 0; k < m->frame_count && !status; k++) {
        vti_place_vertices(m, m->start + (double)k / m->rate, form->vertex, form->velocity);
        for (int32_t n = 0; n < form->solid_count && !status; n++) {
            vt_polytope hull;
            if (!make_hull(form, n, points, &hull))
                vti_destroy_polytope(&hull);
            else
                status = vti_fail(VT_INVALID_ARGUMENT,
                                  "deformed_vertices: in frame %lld shape %d is flat; allowed is "
                                  "what has an inside",
                                  (long long)k, n);
        }
        if (!status)
            status = check_sides(m, k);
    }
    vti_free(points);
    return status;
}

vt_status vti_create_form(const vt_body_def *def, int32_t solid_count, const vt_solid *solids,
                          int threads, vt_form **form)
{
    vt_deforming_mesh *mesh;
    int64_t points = 0;
    *form = NULL;
    vt_status status = check_solids(solid_count, solids);
    if (!status)
        status = vti_create_deforming_mesh(def, &mesh);
    if (status)
        return status;
    for (int32_t n = 0; n < solid_count; n++)
        points += solids[n].polytope.vertex_count;
    *form = make_form(mesh, solid_count, points);
    vti_release_deforming_mesh(mesh);
    if (!*form)
        return no_memory(points);
    status = bind_solids(*form, solids, threads);
    if (!status)
        status = check_frames(*form);
    if (status) {
        vti_destroy_form(*form);
        *form = NULL;
    }
    return status;
}

vt_status vti_bind_panels(vt_form *form, int which, const vt_panel_set *set, int threads)
{
    const int64_t count = 3 * (int64_t)set->count;
    vti_free(form->corner[which]);
    form->corners[which] = count;
    form->corner[which] = vti_allocate(sizeof **form->corner * (size_t)count);
    form->solved[which] = NAN;
    if (!form->corner[which])
        return no_memory(count);
    return vti_bind_points(form->mesh, count, (const double (*)[3])set->corner, threads,
                           form->corner[which]);
}

/* ---- solids ---- */

typedef struct numbered {
    double at[3];
    int64_t number;
} numbered;

static int compare(const void *a, const void *b)
{
    return memcmp(((const numbered *)a)->at, ((const numbered *)b)->at, sizeof(double[3]));
}

/* Velocities of the vertices of a hull, which are some of the points: bit by bit. */
static void take_velocities(vt_form *form, int32_t n, const double (*points)[3], numbered *order,
                            const vt_polytope *hull)
{
    const int64_t first = form->first[n], count = form->first[n + 1] - first;
    for (int64_t i = 0; i < count; i++) {
        memcpy(order[i].at, points[i], sizeof order[i].at);
        order[i].number = i;
    }
    qsort(order, (size_t)count, sizeof *order, compare);
    for (int32_t v = 0; v < hull->vertex_count; v++) {
        numbered key;
        memcpy(key.at, hull->vertex[v], sizeof key.at);
        const numbered *const found = bsearch(&key, order, (size_t)count, sizeof *order, compare);
        if (found)
            vti_carry_point(form->mesh, (const double (*)[3])form->velocity,
                            form->point + first + found->number, form->wall[first + v]);
    }
}

static void form_solid(vt_form *form, int32_t n, double (*points)[3], numbered *order,
                       vt_solid *solid)
{
    vt_polytope hull;
    if (make_hull(form, n, points, &hull))
        return;
    vti_replace_hull(solid, &hull);
    take_velocities(form, n, (const double (*)[3])points, order, &solid->polytope);
}

static void form_all(vt_form *form, vt_solid *solids)
{
    const size_t count = (size_t)form->first[form->solid_count];
    double (*const points)[3] = vti_allocate(sizeof *points * count);
    numbered *const order = vti_allocate(sizeof *order * count);
    for (int32_t n = 0; n < form->solid_count && points && order; n++)
        form_solid(form, n, points, order, &solids[n]);
    vti_free(points);
    vti_free(order);
}

void vti_form_at_rest(vt_form *form, vt_solid *solids)
{
    const vt_deforming_mesh *const m = form->mesh;
    for (int64_t i = 0; i < m->vertex_count; i++)
        for (int c = 0; c < 3; c++) {
            form->vertex[i][c] = (double)m->rest[i][c];
            form->velocity[i][c] = 0;
        }
    form->time = NAN;
    form_all(form, solids);
}

void vti_form_solids(vt_form *form, vt_solid *solids, double time)
{
    if (form->time == time)
        return;
    form->time = time;
    vti_place_vertices(form->mesh, time, form->vertex, form->velocity);
    form_all(form, solids);
}

/* ---- panels ---- */

void vti_form_panels(vt_form *form, int which, vt_panel_set *set, const double origin[3], int solve,
                     int threads)
{
    double (*const corner)[3] = (double (*)[3])set->corner;
    for (int64_t i = 0; i < form->corners[which]; i++)
        vti_place_point(form->mesh, (const double (*)[3])form->vertex, form->corner[which] + i,
                        corner[i]);
    vti_measure_panels(set, origin);
    if (!solve || form->solved[which] == form->time)
        return;
    form->solved[which] = form->time;
    vti_solve_panels(set, threads); /* without memory those of before act */
}

/* ---- velocity ---- */

/* Of the triangles of a face about its first corner the one that holds a point of its plane, or
 * comes nearest to it, and the weights there. */
static void find_weights(const vt_polytope *p, int32_t face, const double point[3],
                         int32_t corner[3], double weight[3])
{
    const int32_t first = p->first[face], last = p->first[face + 1] - 1;
    double best = -INFINITY;
    for (int32_t k = first + 1; k < last; k++) {
        const int32_t at[3] = {p->corner[first], p->corner[k], p->corner[k + 1]};
        double a[3], b[3], arm[3], across[3], w[3];
        vti_subtract(p->vertex[at[1]], p->vertex[at[0]], a);
        vti_subtract(p->vertex[at[2]], p->vertex[at[0]], b);
        vti_subtract(point, p->vertex[at[0]], arm);
        vti_cross(a, b, across);
        const double area = vti_dot(across, p->plane[face]);
        if (!(area > 0))
            continue;
        vti_cross(arm, b, across);
        w[1] = vti_dot(across, p->plane[face]) / area;
        vti_cross(a, arm, across);
        w[2] = vti_dot(across, p->plane[face]) / area;
        w[0] = 1 - w[1] - w[2];
        const double least = fmin(fmin(w[0], w[1]), w[2]);
        if (least > best) {
            best = least;
            memcpy(corner, at, sizeof at);
            memcpy(weight, w, sizeof w);
        }
    }
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        weight[k] = fmax(weight[k], 0);
        sum += weight[k];
    }
    for (int k = 0; k < 3; k++)
        weight[k] /= sum;
}

void vti_form_velocity(const vt_form *form, const vt_solid *solids, const double point[3],
                       double velocity[3])
{
    double least = INFINITY, weight[3] = {1, 0, 0};
    int32_t nearest = 0, face = 0, corner[3] = {0, 0, 0};
    for (int32_t n = 0; n < form->solid_count; n++) {
        int32_t deepest;
        const double room = vti_polytope_distance(&solids[n].polytope, point, INFINITY, &deepest);
        if (room < least) {
            least = room;
            nearest = n;
            face = deepest;
        }
    }
    find_weights(&solids[nearest].polytope, face, point, corner, weight);
    memset(velocity, 0, 3 * sizeof *velocity);
    for (int k = 0; k < 3; k++)
        vti_add_scaled(velocity, weight[k], form->wall[form->first[nearest] + corner[k]]);
}

/* Adds the integral of (x - center) (v . n) over a triangle, x and v linear in it. */
static void add_moment(const double corner[3][3], const double (*velocity[3])[3],
                       const double center[3], double moment[3])
{
    double normal[3], through[3], sum = 0;
    vti_cross_of_sides(corner[0], corner[1], corner[2], normal);
    for (int k = 0; k < 3; k++) {
        through[k] = vti_dot(*velocity[k], normal) / 24;
        sum += through[k];
    }
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
            moment[c] += (through[k] + sum) * (corner[k][c] - center[c]);
}

void vti_form_drift(const vt_form *form, const vt_solid *solids, const double center[3],
                    double drift[3])
{
    double volume = 0;
    memset(drift, 0, 3 * sizeof *drift);
    for (int32_t n = 0; n < form->solid_count; n++) {
        const vt_polytope *const p = &solids[n].polytope;
        const double (*const wall)[3] = (const double (*)[3])form->wall + form->first[n];
        volume += p->volume;
        for (int32_t f = 0; f < p->face_count; f++)
            for (int32_t k = p->first[f] + 1; k + 1 < p->first[f + 1]; k++) {
                const int32_t at[3] = {p->corner[p->first[f]], p->corner[k], p->corner[k + 1]};
                const double (*velocity[3])[3] = {&wall[at[0]], &wall[at[1]], &wall[at[2]]};
                double corner[3][3];
                for (int i = 0; i < 3; i++)
                    memcpy(corner[i], p->vertex[at[i]], sizeof corner[i]);
                add_moment((const double (*)[3])corner, velocity, center, drift);
            }
    }
    for (int c = 0; c < 3; c++)
        drift[c] /= volume;
}
