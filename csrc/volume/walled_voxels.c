#include "volume/walled_voxels.h"

#include <math.h>

#include "base/math_double.h"
#include "base/parallel.h"
#include "base/status.h"

enum { SIDE = VT_LEAF_SIDE + 1, POINTS = SIDE * SIDE * SIDE, ALL = 255 };

/* How deep the middle of a voxel may lie in a solid that the voxel reaches out of, and how far a
 * look before a wall goes, edges of a voxel: more than rounding, less than can be seen. */
static const double deepest = 0.5, just_outside = 1e-3;

/* A leaf and the first voxels of its upper neighbours: rooms in voxels. */
typedef struct survey {
    const vt_walls *walls;
    double voxel_size; /* m */
    int32_t first[3];  /* voxel of the leaf */
    const vt_wall *wall;
    float room[POINTS], normal[POINTS][3];   /* of that wall */
    float depth[POINTS], outward[POINTS][3]; /* of the solid that the voxel is deepest in */
    uint8_t parted[POINTS], shut[POINTS];    /* ways, that walls cross; voxels */
} survey;

static inline int index_of(int x, int y, int z)
{
    return (x * SIDE + y) * SIDE + z;
}

/* The middle of a voxel, m: the same in every digit wherever it is asked for, as of one in the
 * middle of a thin solid rounding says which wall is the nearest. */
static inline void middle_of(double voxel_size, const int32_t voxel[3], double middle[3])
{
    for (int c = 0; c < 3; c++)
        middle[c] = voxel_size * (double)voxel[c];
}

static inline void point_of(const survey *s, int x, int y, int z, double point[3])
{
    const int32_t voxel[3] = {s->first[0] + x, s->first[1] + y, s->first[2] + z};
    middle_of(s->voxel_size, voxel, point);
}

/* ---- one wall ---- */

/* The room changes by a voxel from voxel to voxel, at most: those that lie more than a voxel before
 * the wall or behind it are passed over. */
static void measure_row(survey *s, int x, int y)
{
    for (int z = 0; z < SIDE;) {
        double point[3];
        point_of(s, x, y, z, point);
        const vt_side side = vti_side_of_wall(s->wall, point);
        const double room = side.room / s->voxel_size, more = 1.001;
        int alike = (int)fmin(room > 0 ? room - more : -room - more, SIDE);
        for (alike = alike > 0 ? alike : 0; alike >= 0 && z < SIDE; alike--, z++) {
            const int i = index_of(x, y, z);
            s->room[i] = (float)room;
            for (int c = 0; c < 3; c++)
                s->normal[i][c] = (float)side.normal[c];
        }
    }
}

/* Takes the depth of voxels in the solid, if it is the greatest. */
static void take_depth(survey *s)
{
    for (int i = 0; i < POINTS; i++)
        if (-s->room[i] > s->depth[i]) {
            s->depth[i] = -s->room[i];
            memcpy(s->outward[i], s->normal[i], sizeof s->outward[i]);
        }
}

static vt_side side_of(const survey *s, int i)
{
    return (vt_side){(double)s->room[i],
                     {(double)s->normal[i][0], (double)s->normal[i][1], (double)s->normal[i][2]}};
}

/* Shuts ways along an axis, of which the next voxel is `step` further, that the wall crosses. (Of
 * ways out of the survey anything is said, and nothing read.) */
static void cross_ways(survey *s, int axis, int step)
{
    double way[3] = {0, 0, 0};
    way[axis] = 1.0;
    for (int i = 0; i + step < POINTS; i++) {
        if (!(s->room[i] + s->room[i + step] < 1.0f))
            continue;
        const vt_side first = side_of(s, i), second = side_of(s, i + step);
        if (vti_wall_parts(s->wall, &first, &second, way))
            s->parted[i] |= (uint8_t)(1 << axis);
    }
}

/* ---- a leaf ---- */

static const int steps[3] = {SIDE * SIDE, SIDE, 1};

static int is_shut(const survey *s, int i)
{
    double point[3];
    if (!(s->depth[i] > 0.0f))
        return 0;
    if ((double)s->depth[i] > deepest)
        return 1;
    point_of(s, i / steps[0], i / SIDE % SIDE, i % SIDE, point);
    for (int c = 0; c < 3; c++)
        point[c] += s->voxel_size * ((double)s->depth[i] + just_outside) * (double)s->outward[i][c];
    return vti_is_in_solid(s->walls, point, 0);
}

/* Of each voxel the ways that nothing passes. */
static void shut_ways(survey *s, uint8_t ways[POINTS])
{
    memcpy(ways, s->parted, POINTS);
    for (int i = 0; i < POINTS; i++)
        s->shut[i] = (uint8_t)is_shut(s, i);
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i + steps[axis] < POINTS; i++)
            ways[i] |= (uint8_t)((s->shut[i] | s->shut[i + steps[axis]]) << axis);
}

/* Makes of the ways of each voxel those between all corners of its cell. */
static void gather_ways(uint8_t ways[POINTS])
{
    for (int axis = 2; axis >= 0; axis--)
        for (int i = 0; i + steps[axis] < POINTS; i++)
            ways[i] |= (uint8_t)(ways[i + steps[axis]] & ~(1 << axis));
}

/* The same of voxels: bits as in vt_walled_leaf. */
static void gather_corners(uint8_t shut[POINTS])
{
    for (int axis = 2; axis >= 0; axis--)
        for (int i = 0; i + steps[axis] < POINTS; i++)
            shut[i] |= (uint8_t)(shut[i + steps[axis]] << (4 >> axis));
}

/* Returns whether anything is shut. */
static uint8_t store_leaf(survey *s, vt_walled_leaf *leaf)
{
    uint8_t ways[POINTS], cell[POINTS], any = 0;
    shut_ways(s, ways);
    memcpy(cell, ways, sizeof cell);
    gather_ways(cell);
    gather_ways(s->parted);
    gather_corners(s->shut);
    for (int n = 0; n < VT_LEAF_VOXELS; n++) {
        const int i = index_of(n >> 6, n >> 3 & 7, n & 7);
        leaf->ways[n] = (uint8_t)(ways[i] | (cell[i] ? VT_SHUT_IN_CELL : 0) |
                                  (s->parted[i] ? VT_PARTED_CELL : 0));
        leaf->shut[n] = s->shut[i];
        any |= cell[i];
    }
    return any != 0;
}

/* How far the cube of voxels around a leaf, `more` of them beyond it, comes from its middle. */
static double half_diagonal(double more)
{
    return 0.5 * (VT_LEAF_SIDE + 2 * more) * 1.7320508;
}

/* How far a wall is from the middle of a leaf, m; INFINITY: farther than `within`. */
static double room_of_leaf(const vt_walled_voxels *v, const vt_wall *wall, uint64_t key,
                           double within)
{
    double middle[3];
    int32_t voxel[3];
    vti_leaf_origin(key, voxel);
    for (int c = 0; c < 3; c++)
        middle[c] = v->voxel_size * (voxel[c] + VT_LEAF_SIDE / 2);
    return vti_is_near_wall(wall, middle, within) ? vti_side_of_wall(wall, middle).room
                                                  : (double)INFINITY;
}

/* Whether a wall comes within a voxel of a leaf, or of those around it up to `more` voxels. */
static int is_beside(const vt_walled_voxels *v, const vt_wall *wall, uint64_t key, double more)
{
    const double within = v->voxel_size * (half_diagonal(more) + 1.0);
    return room_of_leaf(v, wall, key, within) < within;
}

static void survey_wall(survey *s)
{
    for (int n = 0; n < SIDE * SIDE; n++)
        measure_row(s, n / SIDE, n % SIDE);
    take_depth(s);
    for (int axis = 0; axis < 3; axis++)
        cross_ways(s, axis, steps[axis]);
}

static void survey_leaf(void *context, int64_t place)
{
    const vt_walled_voxels *const v = context;
    const uint64_t key = v->keys.keys[place];
    const double within = v->voxel_size * (half_diagonal(0) + 1.0);
    survey s = {.walls = v->walls, .voxel_size = v->voxel_size};
    vti_leaf_origin(key, s.first);
    for (int32_t k = 0; k < v->walls->count; k++) {
        s.wall = &v->walls->items[k];
        const double room = room_of_leaf(v, s.wall, key, within);
        if (room < -within) { /* all of the leaf is deep in the solid */
            memset(&v->leaves[place], ALL, sizeof *v->leaves);
            v->used[place] = 1;
            return;
        }
        if (room < within)
            survey_wall(&s);
    }
    v->used[place] = store_leaf(&s, &v->leaves[place]);
}

/* ---- all leaves ---- */

static int is_beside_any(const vt_walled_voxels *v, uint64_t key, double more)
{
    for (int32_t k = 0; k < v->walls->count; k++)
        if (is_beside(v, &v->walls->items[k], key, more))
            return 1;
    return 0;
}

static int add_around(vt_walled_voxels *v, uint64_t key)
{
    const vt_neighbourhood around = vti_neighbours(key);
    for (int n = 0; n < 27; n++) {
        const uint64_t next = vti_neighbour(&around, n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1);
        if (vti_key_set_find(&v->keys, next) < 0 && is_beside_any(v, next, 0) &&
            vti_key_set_add(&v->keys, next) < 0)
            return -1;
    }
    return 0;
}

vt_status vti_find_walled_voxels(const vt_walls *walls, double voxel_size, const vt_leaves *leaves,
                                 int threads, vt_walled_voxels *v)
{
    int failed = 0;
    *v = (vt_walled_voxels){.walls = walls, .voxel_size = voxel_size};
    for (int64_t row = 0; row < leaves->count && !failed; row++)
        failed = is_beside_any(v, leaves->keys[row], VT_LEAF_SIDE) &&
                 add_around(v, leaves->keys[row]) != 0;
    if (v->keys.count && !failed) {
        v->leaves = vti_borrow((size_t)v->keys.count * sizeof *v->leaves);
        v->used = vti_borrow((size_t)v->keys.count);
        failed = !v->leaves || !v->used;
    }
    if (failed)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for the voxels beside walls");
    vti_parallel_each(threads, v->keys.count, 1, survey_leaf, v);
    return VT_OK;
}

void vti_destroy_walled_voxels(vt_walled_voxels *v)
{
    vti_key_set_destroy(&v->keys);
    vti_return_borrowed(v->leaves);
    vti_return_borrowed(v->used);
    *v = (vt_walled_voxels){.walls = NULL};
}

/* ---- points ---- */

/* Corners of the cell that begins with a voxel which a wall parts from a point in it. */
static int parted_corners(const vt_wall *wall, double voxel_size, const double point[3],
                          const int32_t voxel[3])
{
    const vt_side own = vti_side_of_wall(wall, point);
    int parted = 0;
    for (int n = 0; n < 8; n++) {
        const int32_t at[3] = {voxel[0] + (n >> 2), voxel[1] + (n >> 1 & 1), voxel[2] + (n & 1)};
        double way[3], corner[3];
        middle_of(voxel_size, at, corner);
        vti_subtract(corner, point, way);
        if (!(vti_dot(own.normal, way) < 0))
            continue;
        const vt_side other = vti_side_of_wall(wall, corner);
        parted |= vti_wall_parts(wall, &own, &other, way) << n;
    }
    return parted;
}

/* Whether the corners of a cell are connected by its edges. */
static int is_connected(int corners)
{
    int known = corners & -corners, before;
    do {
        before = known;
        known |= (known & 0x0f) << 4 | (known & 0xf0) >> 4 | (known & 0x33) << 2 |
                 (known & 0xcc) >> 2 | (known & 0x55) << 1 | (known & 0xaa) >> 1;
        known &= corners;
    } while (known != before);
    return known == corners;
}

uint8_t vti_open_corners(const vt_walled_voxels *v, const vt_walled_leaf *leaf,
                         const double place[3])
{
    int32_t voxel[3];
    double point[3];
    for (int c = 0; c < 3; c++) {
        voxel[c] = (int32_t)place[c] - VT_VOXEL_LIMIT;
        point[c] = (place[c] - VT_VOXEL_LIMIT) * v->voxel_size;
    }
    const int n = (voxel[0] & 7) << 6 | (voxel[1] & 7) << 3 | (voxel[2] & 7);
    if (!(leaf->ways[n] & VT_SHUT_IN_CELL))
        return ALL;
    int open = ALL & ~leaf->shut[n];
    if (!(leaf->ways[n] & VT_PARTED_CELL) && is_connected(open))
        return (uint8_t)(open ? open : ALL);
    for (int32_t k = 0; k < v->walls->count; k++)
        if (!v->walls->items[k].hole && vti_is_near_wall(&v->walls->items[k], point, v->voxel_size))
            open &= ~parted_corners(&v->walls->items[k], v->voxel_size, point, voxel);
    return (uint8_t)(open ? open : ALL);
}
