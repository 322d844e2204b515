#include "kernels/sums/multipole_moments.h"

#include "base/reserve.h"

/* Below this many cells leaves are 2 nodes wide, else 4: a leaf must stay small against its
 * distance from the faces, which is 6 cells or so on grids of any size. */
static const int64_t few_cells = 32 * 32 * 32;

int64_t vti_moments_bound(int64_t max_nodes)
{
    return max_nodes / 16 + 8192;
}

int vti_moments_create(vt_moments *moments, int64_t max_nodes)
{
    const size_t bytes = (size_t)vti_moments_bound(max_nodes) * sizeof(vt_cluster);
    *moments = (vt_moments){.memory = vti_reserve(bytes), .capacity = bytes};
    return moments->memory ? 0 : -1;
}

void vti_moments_destroy(vt_moments *moments)
{
    vti_release(moments->memory, moments->capacity);
    *moments = (vt_moments){0};
}

int64_t vti_moments_layout(vt_moments *moments, const int32_t cells[3])
{
    const int64_t volume = (int64_t)cells[0] * cells[1] * cells[2];
    const int32_t edge = volume < few_cells ? 2 : 4;
    moments->edge = edge;
    for (int axis = 0; axis < 3; axis++)
        moments->blocks[0][axis] = (cells[axis] + edge - 1) / edge;

    int64_t records = 0;
    int level = 0;
    for (int64_t count = 0; count != 1; level++) {
        const int32_t *const blocks = moments->blocks[level];
        count = (int64_t)blocks[0] * blocks[1] * blocks[2];
        int64_t parents = 1;
        for (int axis = 0; axis < 3; axis++) {
            moments->blocks[level + 1][axis] = (blocks[axis] + 1) / 2;
            parents *= moments->blocks[level + 1][axis];
        }
        moments->first[level] = records;
        records += 8 * parents; /* the children of a block lie together, missing ones too */
    }
    moments->levels = level;
    return records;
}
