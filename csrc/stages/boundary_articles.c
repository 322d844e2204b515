/* Vector potential on the faces of the grid as in part 20 of the articles, to compare with.
 *
 * The grid is cut into blocks, a power of two of them along each axis. All vortons of a block count
 * as one, with the sum of their strengths, at their mean position weighted by |alpha|; so do those
 * of 2 x 2 x 2 blocks, and so on up to the whole grid. A node of a face starts from the whole: of
 * the parts of a block, that which holds the node is looked into, the others are taken as they are,
 * however near they lie. Only nodes with an even index along x do that; the next one gets a copy.
 */
#include "core/parallel.h"
#include "stages/stages.h"

enum { LEVELS = 10, ROW_BLOCK = 4 };

/* All vortons of a block. */
typedef struct super_vorton {
    float strength[3];
    float weight;    /* sum of |alpha| */
    float moment[3]; /* sum of |alpha| x position (cells) */
    float padding;
} super_vorton;

/* Level 0 has the smallest blocks, the last one is the whole. */
typedef struct nest {
    int levels;
    int32_t blocks[LEVELS][3];
    super_vorton *block[LEVELS];
    float per_block[3]; /* smallest blocks per cell */
} nest;

typedef struct face_work {
    const vt_grid *grid;
    const nest *nest;
    int face, u, v;
} face_work;

typedef struct nest_work {
    nest *nest;
    int64_t count;
    const vt_record *records;
} nest_work;

/* ---- the blocks ---- */

static void lay_out_nest(nest *n, const int32_t cells[3], vt_arena *arena)
{
    int64_t count = 1;
    for (int a = 0; a < 3; a++) {
        int32_t blocks = 1;
        while (4 * blocks <= cells[a]) /* two to four cells each */
            blocks *= 2;
        n->blocks[0][a] = blocks;
        n->per_block[a] = (float)blocks / (float)cells[a];
        count *= blocks;
    }
    for (n->levels = 0; count > 0; n->levels++) {
        const int32_t *const blocks = n->blocks[n->levels];
        count = (int64_t)blocks[0] * blocks[1] * blocks[2];
        n->block[n->levels] = vt_arena_push(arena, (size_t)count * sizeof(super_vorton));
        memset(n->block[n->levels], 0, (size_t)count * sizeof(super_vorton));
        if (count == 1)
            count = 0;
        else
            for (int a = 0; a < 3; a++)
                n->blocks[n->levels + 1][a] = blocks[a] > 1 ? blocks[a] / 2 : 1;
    }
}

static super_vorton *block_at(const nest *n, int level, const int32_t at[3])
{
    const int32_t *const blocks = n->blocks[level];
    return n->block[level] + ((int64_t)at[2] * blocks[1] + at[1]) * blocks[0] + at[0];
}

/* The block of a level that holds a point (cells); the last face belongs to the last block. */
static void find_block(const nest *n, int level, const float point[3], int32_t at[3])
{
    for (int a = 0; a < 3; a++) {
        const int32_t finest = (int32_t)(point[a] * n->per_block[a]), most = n->blocks[0][a] - 1;
        at[a] = (finest < most ? finest : most) / (n->blocks[0][a] / n->blocks[level][a]);
    }
}

static void add_vorton(super_vorton *block, const vt_record *r)
{
    float square = 0;
    for (int a = 0; a < 3; a++)
        square += r->strength[a] * r->strength[a];
    const float weight = f1_sqrt(square);
    block->weight += weight;
    for (int a = 0; a < 3; a++) {
        block->strength[a] += r->strength[a];
        block->moment[a] += weight * r->position[a];
    }
}

/* One thread: in the order of the records. */
static void fill_nest(void *context, int64_t begin, int64_t end, int thread)
{
    (void)begin, (void)end, (void)thread;
    const nest_work *const w = context;
    nest *const n = w->nest;
    int32_t at[3];
    for (int64_t i = 0; i < w->count; i++) {
        find_block(n, 0, w->records[i].position, at);
        add_vorton(block_at(n, 0, at), &w->records[i]);
    }
    for (int level = 1; level < n->levels; level++) {
        const int32_t *const below = n->blocks[level - 1], *const here = n->blocks[level];
        for (at[2] = 0; at[2] < below[2]; at[2]++)
            for (at[1] = 0; at[1] < below[1]; at[1]++)
                for (at[0] = 0; at[0] < below[0]; at[0]++) {
                    const super_vorton *const part = block_at(n, level - 1, at);
                    const int32_t above[3] = {at[0] * here[0] / below[0],
                                              at[1] * here[1] / below[1],
                                              at[2] * here[2] / below[2]};
                    super_vorton *const whole = block_at(n, level, above);
                    whole->weight += part->weight;
                    for (int a = 0; a < 3; a++) {
                        whole->strength[a] += part->strength[a];
                        whole->moment[a] += part->moment[a];
                    }
                }
    }
}

/* ---- the faces ---- */

/* Adds the potential of a block, by 4 pi and cells. */
static void add_block(const super_vorton *block, const float point[3], float sum[3])
{
    if (!(block->weight > 0))
        return;
    float r2 = 0;
    for (int a = 0; a < 3; a++) {
        const float d = point[a] - block->moment[a] / block->weight;
        r2 += d * d;
    }
    /* Vortons are at least a cell away; the bound keeps the sum finite if they are not. */
    const float inverse = 1.0f / f1_sqrt(r2 > 0.25f ? r2 : 0.25f);
    for (int c = 0; c < 3; c++)
        sum[c] += inverse * block->strength[c];
}

static void sum_blocks(const nest *n, const float point[3], float sum[3])
{
    memset(sum, 0, 3 * sizeof *sum);
    for (int level = n->levels - 2; level >= 0; level--) {
        int32_t parent[3], own[3], parts[3];
        find_block(n, level + 1, point, parent);
        find_block(n, level, point, own);
        for (int a = 0; a < 3; a++)
            parts[a] = n->blocks[level][a] / n->blocks[level + 1][a];
        for (int o = 0; o < parts[0] * parts[1] * parts[2]; o++) {
            const int32_t at[3] = {parent[0] * parts[0] + o % parts[0],
                                   parent[1] * parts[1] + o / parts[0] % parts[1],
                                   parent[2] * parts[2] + o / (parts[0] * parts[1])};
            if (level == 0 || memcmp(at, own, sizeof at) != 0)
                add_block(block_at(n, level, at), point, sum);
        }
    }
}

static void sum_rows(void *context, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const face_work *const w = context;
    const vt_grid *const grid = w->grid;
    const float scale = (float)(0.07957747154594767 / grid->spacing); /* 1 / (4 pi h) */
    float point[3];
    point[w->face / 2] = w->face & 1 ? (float)grid->cells[w->face / 2] : 0.0f;
    for (int64_t row = begin; row < end; row++) {
        float *const face = grid->face[w->face] + row * grid->face_row;
        point[w->v] = (float)row;
        for (int32_t i = 0; i <= grid->cells[w->u]; i++) {
            const int copy = w->u == 0 && (i & 1);
            float sum[3];
            point[w->u] = (float)i;
            if (!copy)
                sum_blocks(w->nest, point, sum);
            for (int c = 0; c < 3; c++) {
                float *const value = face + c * grid->face_plane + i;
                *value = copy ? value[-1] : sum[c] * scale;
            }
        }
    }
}

void VT_NAME(boundary_decimated)(vt_grid *grid, int64_t count, const vt_record *records,
                                 vt_arena *arena, int threads)
{
    const size_t mark = vt_arena_mark(arena);
    nest n;
    lay_out_nest(&n, grid->cells, arena);
    nest_work filling = {&n, count, records};
    vt_parallel_for(1, 1, 1, fill_nest, &filling);
    for (int face = 0; face < 6; face++) {
        face_work w = {.grid = grid, .nest = &n, .face = face};
        vt_face_axes(face, &w.u, &w.v);
        vt_parallel_for(threads, grid->cells[w.v] + 1, ROW_BLOCK, sum_rows, &w);
    }
    vt_arena_pop(arena, mark);
}

void VT_NAME(boundary_zero)(vt_grid *grid)
{
    for (int face = 0; face < 6; face++)
        memset(grid->face[face], 0, 3 * sizeof(float) * (size_t)grid->face_plane);
}
