/* Vector potential on the faces of the grid as in part 20 of the articles, to compare with.
 *
 * The vorticity of nested blocks stands at their mean position, as one vorton each. A node adds up
 * those of the blocks around it: of the blocks that make up the whole grid, that which holds the
 * node is looked into, the others are taken as they are, however near they lie; and so on down.
 * Only nodes with an even index along x do that, the next one gets a copy. */
#include "core/parallel.h"
#include "stages/moments.h"
#include "stages/stages.h"

typedef struct face_work {
    const vt_grid *grid;
    const vt_moments *tree;
    int face, u, v;
} face_work;

/* The block of a level that holds a node: the last one also takes the last node. */
static void find_block(const vt_moments *tree, int level, const int32_t node[3], int32_t block[3])
{
    for (int a = 0; a < 3; a++) {
        const int32_t at = node[a] / (tree->edge << level), last = tree->blocks[level][a] - 1;
        block[a] = at < last ? at : last;
    }
}

/* Adds the monopole of a block, by 4 pi and cells. */
static void add_block(const vt_cluster *block, const int32_t node[3], float sum[3])
{
    float r2 = 0;
    for (int a = 0; a < 3; a++) {
        const float d = (float)node[a] - block->centre[a];
        r2 += d * d;
    }
    const float inverse = 1.0f / f1_sqrt(r2 > 0.25f ? r2 : 0.25f);
    for (int c = 0; c < 3; c++)
        sum[c] += inverse * block->moment[MOMENT_SUM][c];
}

static void sum_blocks(const vt_moments *tree, const int32_t node[3], float sum[3])
{
    const vt_cluster *const clusters = tree->memory, *parent = clusters;
    parent += tree->first[tree->levels - 1];
    memset(sum, 0, 3 * sizeof *sum);
    for (int level = tree->levels - 2; level >= 0; level--) {
        const vt_cluster *const children = clusters + vt_first_child(parent);
        const uint32_t occupied = vt_occupied_children(parent);
        int32_t block[3];
        find_block(tree, level, node, block);
        const int own = (block[0] & 1) | (block[1] & 1) << 1 | (block[2] & 1) << 2;
        for (int o = 0; o < 8; o++)
            if ((occupied >> o & 1) && (o != own || level == 0))
                add_block(&children[o], node, sum);
        if (!(occupied >> own & 1))
            return;
        parent = &children[own];
    }
}

static void sum_rows(void *context, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const face_work *const w = context;
    const vt_grid *const grid = w->grid;
    const float scale = (float)(0.07957747154594767 / grid->spacing); /* 1 / (4 pi h) */
    for (int64_t row = begin; row < end; row++) {
        float *const face = grid->face[w->face] + row * grid->face_row;
        int32_t node[3];
        node[w->face / 2] = w->face & 1 ? grid->cells[w->face / 2] : 0;
        node[w->v] = (int32_t)row;
        for (int32_t i = 0; i <= grid->cells[w->u]; i++) {
            const int copy = w->u == 0 && (i & 1);
            float sum[3];
            node[w->u] = i;
            if (!copy)
                sum_blocks(w->tree, node, sum);
            for (int c = 0; c < 3; c++) {
                float *const value = face + c * grid->face_plane + i;
                *value = copy ? value[-1] : sum[c] * scale;
            }
        }
    }
}

void VT_NAME(boundary_decimated)(vt_grid *grid, const vt_moments *tree, int threads)
{
    for (int face = 0; face < 6; face++) {
        face_work w = {.grid = grid, .tree = tree, .face = face};
        vt_face_axes(face, &w.u, &w.v);
        vt_parallel_for(threads, grid->cells[w.v] + 1, 4, sum_rows, &w);
    }
}

void VT_NAME(boundary_zero)(vt_grid *grid)
{
    for (int face = 0; face < 6; face++)
        memset(grid->face[face], 0, 3 * sizeof(float) * (size_t)grid->face_plane);
}
