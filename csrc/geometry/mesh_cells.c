#include "geometry/mesh_cells.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/vec3.h"
#include "geometry/mesh_inside.h"

enum { MOST_CELLS = 1 << 20, MOST_ENTRIES = 1 << 26 };

static const double enough = 0.25; /* share of the cells that the mesh fills */

/* A list of cells while it is refined; faces of cell i: entry[first[i]] .. entry[first[i + 1] - 1].
 */
typedef struct cell_list {
    double size[3];
    int64_t count, room, entries, entry_distance;
    uint32_t (*cell)[3];
    int64_t *first;
    int32_t *entry;
} cell_list;

static void destroy_list(cell_list *list)
{
    vti_free(list->cell);
    vti_free(list->first);
    vti_free(list->entry);
    *list = (cell_list){0};
}

static int create_list(cell_list *list, int64_t room, int64_t entry_distance)
{
    *list = (cell_list){.room = room, .entry_distance = entry_distance};
    list->cell = vti_allocate(sizeof *list->cell * (size_t)room);
    list->first = vti_allocate_zeroed((size_t)room + 1, sizeof *list->first);
    list->entry = vti_allocate(sizeof *list->entry * (size_t)entry_distance);
    return list->cell && list->first && list->entry ? 0 : -1;
}

/* ---- triangles and boxes ---- */

/* Whether the triangle and the box of these half edges about the origin are apart along a direction
 * of any length. */
static int is_apart(double corner[3][3], const double half[3], const double direction[3])
{
    const double reach = half[0] * vti_abs(direction[0]) + half[1] * vti_abs(direction[1]) +
                         half[2] * vti_abs(direction[2]);
    const double a = vti_dot(corner[0], direction), b = vti_dot(corner[1], direction),
                 c = vti_dot(corner[2], direction);
    const double low = a < b ? (a < c ? a : c) : (b < c ? b : c);
    const double high = a > b ? (a > c ? a : c) : (b > c ? b : c);
    return low > reach || high < -reach;
}

static int face_meets(const vt_shape *mesh, int32_t face, const double center[3],
                      const double half[3])
{
    double corner[3][3], edge[3][3], normal[3];
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++)
            corner[i][c] =
                (double)mesh->vertices[3 * (int64_t)mesh->faces[3 * (int64_t)face + i] + c] -
                center[c];
    for (int i = 0; i < 3; i++)
        vti_subtract(corner[(i + 1) % 3], corner[i], edge[i]);
    vti_cross(edge[0], edge[1], normal);
    if (is_apart(corner, half, normal))
        return 0;
    for (int axis = 0; axis < 3; axis++) {
        double unit[3] = {0}, direction[3];
        unit[axis] = 1.0;
        if (is_apart(corner, half, unit))
            return 0;
        for (int i = 0; i < 3; i++) {
            vti_cross(unit, edge[i], direction);
            if (is_apart(corner, half, direction))
                return 0;
        }
    }
    return 1;
}

/* ---- refining ---- */

static void cell_center(const vt_region *region, const double size[3], const uint32_t cell[3],
                        double center[3])
{
    for (int c = 0; c < 3; c++)
        center[c] = region->lower[c] + ((double)cell[c] + 0.5) * size[c];
}

/* Adds a half of a parent with those of its faces that meet it; -1 when there is no room. */
static int add_half(const vt_region *region, const cell_list *parents, int64_t parent,
                    const uint32_t cell[3], cell_list *list)
{
    double center[3], half[3];
    const int64_t from = parents->first[parent], to = parents->first[parent + 1];
    const int64_t start = list->entries;
    if (list->count == list->room || list->entries + to - from > list->entry_distance)
        return -1;
    cell_center(region, list->size, cell, center);
    for (int c = 0; c < 3; c++) /* a little more, for what rounding loses */
        half[c] = list->size[c] * (0.5 + 1e-9) + 1e-12 * vti_abs(center[c]);
    for (int64_t i = from; i < to; i++)
        if (face_meets(&region->shape, parents->entry[i], center, half))
            list->entry[list->entries++] = parents->entry[i];
    if (from < to && list->entries == start) {
        const float point[3] = {(float)center[0], (float)center[1], (float)center[2]};
        if (!vti_mesh_contains(&region->shape, &region->columns, point))
            return 0;
    }
    memcpy(list->cell[list->count++], cell, sizeof(uint32_t[3]));
    list->first[list->count] = list->entries;
    return 0;
}

/* Halves all cells; -1 when there is no room, and nothing has changed. */
static int refine(const vt_region *region, cell_list *list)
{
    cell_list finer;
    const int64_t entry_distance = 4 * list->entries + 1024;
    if (2 * list->count > MOST_CELLS || entry_distance > MOST_ENTRIES)
        return -1;
    int failed = create_list(&finer, 2 * list->count, entry_distance);
    int axis = 0;
    for (int c = 1; c < 3; c++)
        axis = list->size[c] > list->size[axis] ? c : axis;
    memcpy(finer.size, list->size, sizeof finer.size);
    finer.size[axis] *= 0.5;
    for (int64_t i = 0; i < list->count && !failed; i++)
        for (uint32_t half = 0; half < 2 && !failed; half++) {
            uint32_t cell[3] = {list->cell[i][0], list->cell[i][1], list->cell[i][2]};
            cell[axis] = 2 * cell[axis] + half;
            failed = add_half(region, list, i, cell, &finer);
        }
    if (failed) {
        destroy_list(&finer);
        return -1;
    }
    destroy_list(list);
    *list = finer;
    return 0;
}

static double volume_of(const cell_list *list)
{
    return (double)list->count * list->size[0] * list->size[1] * list->size[2];
}

vt_status vti_create_mesh_cells(vt_region *region)
{
    cell_list list;
    const int64_t faces = region->shape.face_count;
    if (create_list(&list, 1, faces)) {
        destroy_list(&list);
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a mesh of %lld faces", (long long)faces);
    }
    list.count = 1;
    list.entries = list.first[1] = faces;
    memset(list.cell[0], 0, sizeof list.cell[0]);
    for (int32_t face = 0; face < faces; face++)
        list.entry[face] = face;
    vti_subtract(region->upper, region->lower, list.size);
    for (int level = 0; level < 60 && region->volume < enough * volume_of(&list); level++)
        if (refine(region, &list))
            break;
    region->cell_count = list.count;
    region->cell = list.cell;
    memcpy(region->cell_size, list.size, sizeof list.size);
    region->box_volume = volume_of(&list);
    list.cell = NULL;
    destroy_list(&list);
    return VT_OK;
}

void vti_mesh_cell_point(const vt_region *region, const double uvw[3], float point[3])
{
    const double place = uvw[0] * (double)region->cell_count;
    const int64_t index = (int64_t)place;
    const double inside[3] = {place - (double)index, uvw[1], uvw[2]};
    for (int c = 0; c < 3; c++)
        point[c] = (float)(region->lower[c] +
                           ((double)region->cell[index][c] + inside[c]) * region->cell_size[c]);
}
