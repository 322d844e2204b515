#include "volume/walls.h"

#include <math.h>

#include "base/memory.h"

void vti_destroy_walls(vt_walls *walls)
{
    vti_free(walls->items);
    *walls = (vt_walls){.items = NULL};
}

vt_side vti_side_of_wall(const vt_wall *wall, const double point[3])
{
    const double sign = wall->hole ? -1.0 : 1.0;
    double local[3], normal[3];
    vt_side side;
    vti_pose_point_back(&wall->pose, point, local);
    side.room = sign * wall->scale * vti_solid_distance(wall->solid, local, normal);
    for (int c = 0; c < 3; c++)
        normal[c] *= sign;
    vti_pose_direction(&wall->pose, normal, side.normal);
    return side;
}

int vti_is_near_wall(const vt_wall *wall, const double point[3], double within)
{
    if (wall->hole)
        return 1;
    double way[3];
    const double most = wall->reach + within;
    vti_subtract(point, wall->center, way);
    return vti_dot(way, way) <= most * most;
}

int vti_wall_parts(const vt_wall *wall, const vt_side *first, const vt_side *second,
                   const double way[3])
{
    const double room = first->room + second->room;
    return !wall->hole && vti_dot(first->normal, way) < 0 && vti_dot(second->normal, way) > 0 &&
           vti_dot(first->normal, second->normal) < 0 &&
           (room < 0 || room * room < vti_dot(way, way));
}

int vti_is_in_solid(const vt_walls *walls, const double point[3], double depth)
{
    for (int32_t k = 0; k < walls->count; k++)
        if (vti_is_near_wall(&walls->items[k], point, 0) &&
            vti_side_of_wall(&walls->items[k], point).room < -depth)
            return 1;
    return 0;
}

/* Whether a wall parts the points, or the second is in its solid. */
static int is_beyond(const vt_wall *wall, const double from[3], const double to[3])
{
    double way[3];
    vti_subtract(to, from, way);
    if (!vti_is_near_wall(wall, from, vti_sqrt(vti_dot(way, way))))
        return 0;
    const vt_side first = vti_side_of_wall(wall, from), second = vti_side_of_wall(wall, to);
    return second.room < fmin(first.room, 0) || vti_wall_parts(wall, &first, &second, way);
}

void vti_keep_on_side(const vt_walls *walls, const double from[3], double to[3])
{
    enum { HALVINGS = 4 };
    for (int n = 0; n <= HALVINGS; n++) {
        int32_t k = 0;
        while (k < walls->count && !is_beyond(&walls->items[k], from, to))
            k++;
        if (k == walls->count)
            return;
        for (int c = 0; c < 3; c++)
            to[c] = n < HALVINGS ? 0.5 * (from[c] + to[c]) : from[c];
    }
}
