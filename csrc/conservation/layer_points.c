#include "conservation/layer_points.h"

#include "state/predicates.h"

static const double square_cores = 16;

/* By how much parts grow until they are few enough. */
static const double wider = 1.25;

double vti_widest_point(const vt_simulation *s)
{
    const double core = s->grid.core;
    return square_cores * core * core;
}

int vti_cuts_of_layer(double area, double area_of_points)
{
    return area > area_of_points ? (int)ceil(vti_sqrt(area / area_of_points)) : 1;
}

static double area_of_panel(const vt_body *body, int32_t panel)
{
    return body->panels->area[panel] * body->scale * body->scale;
}

static int64_t count_points(const vt_body *body, double area_of_points)
{
    int64_t count = 0;
    for (int32_t p = 0; p < body->panels->count; p++) {
        const int64_t cuts = vti_cuts_of_layer(area_of_panel(body, p), area_of_points);
        count += cuts * cuts;
    }
    return count;
}

double vti_area_of_points(const vt_simulation *s, int32_t n)
{
    const vt_body *const body = &s->bodies.items[n];
    const double area = vti_area_of_panels(body->panels) * body->scale * body->scale;
    double most = vti_widest_point(s);
    if (!(most > 0) || !vti_panels_stir(s)) /* or there is no grid yet */
        return INFINITY;
    /* there are at least as many as the area has room for */
    most = fmax(most, area / (VT_PANEL_NUMBERS - 1));
    while (count_points(body, most) >= VT_PANEL_NUMBERS)
        most *= wider;
    return most;
}

int64_t vti_count_points(const vt_simulation *s, int32_t n)
{
    return count_points(&s->bodies.items[n], vti_area_of_points(s, n));
}

/* The centroid of the part of a triangle cut n times along each side that lies i / n and j / n
 * along two of them; turned: of the one that points the other way. */
static void find_centroid(double corner[3][3], int n, int i, int j, int turned, double place[3])
{
    const double in = (turned ? 2.0 : 1.0) / 3;
    for (int c = 0; c < 3; c++)
        place[c] = corner[0][c] + (corner[1][c] - corner[0][c]) * (i + in) / n +
                   (corner[2][c] - corner[0][c]) * (j + in) / n;
}

/* Fills the places of n x n points. */
static void cut(double corner[3][3], int n, vt_layer_point *point)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n - i; j++) {
            find_centroid(corner, n, i, j, 0, (point++)->place);
            if (i + j < n - 1)
                find_centroid(corner, n, i, j, 1, (point++)->place);
        }
}

void vti_find_points(const vt_simulation *s, int32_t n, vt_layer_point *point)
{
    const vt_body *const body = &s->bodies.items[n];
    const vt_panel_set *const set = body->panels;
    const double area_of_points = vti_area_of_points(s, n);
    for (int32_t p = 0; p < set->count; p++) {
        const double area = area_of_panel(body, p);
        const int cuts = vti_cuts_of_layer(area, area_of_points);
        if (cuts > 1)
            cut(set->corner[p], cuts, point);
        else
            memcpy(point->place, set->center[p], sizeof point->place);
        for (int k = 0; k < cuts * cuts; k++, point++) {
            point->area = area / (cuts * cuts);
            point->panel = p;
        }
    }
}
