#include "kernels/sums/boundary_potential_article.h"

#include "base/parallel.h"
#include "kernels/sums/boundary_potential.h"

enum { LEVELS = 10, ROW_BLOCK = 4 };

/* All vortons of a block as one. */
typedef struct super_vorton {
    float strength[3];
    float weight;  /* sum of |alpha| */
    float mean[3]; /* position (cells); at first its sum, weighted by |alpha| */
    float padding;
} super_vorton;

/* Level 0 has the smallest blocks, the last one is the whole. */
typedef struct nest {
    int levels;
    int32_t blocks[LEVELS][3];
    int32_t shift[LEVELS][3]; /* 2^shift smallest blocks in each */
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
    n->levels = 1;
    while (count > 1) {
        const int32_t *const below = n->blocks[n->levels - 1];
        count = 1;
        for (int a = 0; a < 3; a++) {
            n->blocks[n->levels][a] = below[a] > 1 ? below[a] / 2 : 1;
            n->shift[n->levels][a] = n->shift[n->levels - 1][a] + (below[a] > 1);
            count *= n->blocks[n->levels][a];
        }
        n->levels++;
    }
    for (int level = 0; level < n->levels; level++) {
        const int32_t *const blocks = n->blocks[level];
        const size_t bytes =
            (size_t)blocks[0] * (size_t)blocks[1] * (size_t)blocks[2] * sizeof(super_vorton);
        n->block[level] = memset(vti_arena_push(arena, bytes), 0, bytes);
    }
}

static super_vorton *block_at(const nest *n, int level, const int32_t at[3])
{
    const int32_t *const blocks = n->blocks[level];
    return n->block[level] + ((int64_t)at[2] * blocks[1] + at[1]) * blocks[0] + at[0];
}

/* The smallest block that holds a point (cells); the last face belongs to the last block. */
static void find_block(const nest *n, const float point[3], int32_t at[3])
{
    for (int a = 0; a < 3; a++) {
        const int32_t place = (int32_t)(point[a] * n->per_block[a]), most = n->blocks[0][a] - 1;
        at[a] = place < most ? place : most;
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
        block->mean[a] += weight * r->position[a];
    }
}

/* Adds the blocks of a level to those of the next. */
static void merge_blocks(const nest *n, int level)
{
    const int32_t *const blocks = n->blocks[level];
    int32_t at[3];
    for (at[2] = 0; at[2] < blocks[2]; at[2]++)
        for (at[1] = 0; at[1] < blocks[1]; at[1]++)
            for (at[0] = 0; at[0] < blocks[0]; at[0]++) {
                int32_t above[3];
                for (int a = 0; a < 3; a++)
                    above[a] = at[a] >> (n->shift[level + 1][a] - n->shift[level][a]);
                const super_vorton *const part = block_at(n, level, at);
                super_vorton *const whole = block_at(n, level + 1, above);
                whole->weight += part->weight;
                for (int a = 0; a < 3; a++) {
                    whole->strength[a] += part->strength[a];
                    whole->mean[a] += part->mean[a];
                }
            }
}

/* Adds the records to the smallest blocks, on one thread, in the order of the records. */
static void fill_nest(void *context, int64_t begin, int64_t end)
{
    (void)begin, (void)end;
    const nest_work *const w = context;
    nest *const n = w->nest;
    for (int64_t i = 0; i < w->count; i++) {
        int32_t at[3];
        find_block(n, w->records[i].position, at);
        add_vorton(block_at(n, 0, at), &w->records[i]);
    }
    for (int level = 0; level + 1 < n->levels; level++)
        merge_blocks(n, level);
    for (int level = 0; level < n->levels; level++) {
        const int32_t *const blocks = n->blocks[level];
        const int64_t count = (int64_t)blocks[0] * blocks[1] * blocks[2];
        for (int64_t i = 0; i < count; i++)
            for (int a = 0; a < 3 && n->block[level][i].weight > 0; a++)
                n->block[level][i].mean[a] /= n->block[level][i].weight;
    }
}

/* ---- the faces ---- */

/* Adds 4 pi times the potential of a block, lengths in cells. */
static void add_block(const super_vorton *block, const float point[3], float sum[3])
{
    if (!(block->weight > 0))
        return;
    float r2 = 0;
    for (int a = 0; a < 3; a++) {
        const float d = point[a] - block->mean[a];
        r2 += d * d;
    }
    /* Vortons are at least a cell away; the bound keeps the sum finite if they are not. */
    const float inverse = 1.0f / f1_sqrt(r2 > 0.25f ? r2 : 0.25f);
    for (int c = 0; c < 3; c++)
        sum[c] += inverse * block->strength[c];
}

static void sum_blocks(const nest *n, const float point[3], float sum[3])
{
    int32_t finest[3];
    find_block(n, point, finest);
    memset(sum, 0, 3 * sizeof *sum);
    for (int level = n->levels - 2; level >= 0; level--) {
        int32_t own[3], first[3], last[3], at[3];
        for (int a = 0; a < 3; a++) {
            const int step = n->shift[level + 1][a] - n->shift[level][a];
            own[a] = finest[a] >> n->shift[level][a];
            first[a] = own[a] >> step << step;
            last[a] = first[a] + step;
        }
        for (at[2] = first[2]; at[2] <= last[2]; at[2]++)
            for (at[1] = first[1]; at[1] <= last[1]; at[1]++)
                for (at[0] = first[0]; at[0] <= last[0]; at[0]++)
                    if (level == 0 || at[0] != own[0] || at[1] != own[1] || at[2] != own[2])
                        add_block(block_at(n, level, at), point, sum);
    }
}

static void sum_row(void *context, int64_t row)
{
    const face_work *const w = context;
    const vt_grid *const grid = w->grid;
    const float scale = (float)(0.07957747154594767 / grid->spacing); /* 1 / (4 pi h) */
    float point[3];
    point[w->face / 2] = w->face & 1 ? (float)grid->cells[w->face / 2] : 0.0f;
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

void VT_NAME(boundary_decimated)(vt_grid *grid, int64_t count, const vt_record *records,
                                 vt_arena *arena, int threads)
{
    const size_t mark = vti_arena_mark(arena);
    nest n = {0};
    lay_out_nest(&n, grid->cells, arena);
    nest_work filling = {&n, count, records};
    vti_parallel_for(1, 1, 1, fill_nest, &filling);
    for (int face = 0; face < 6; face++) {
        face_work w = {.grid = grid, .nest = &n, .face = face};
        vti_face_axes(face, &w.u, &w.v);
        vti_parallel_each(threads, grid->cells[w.v] + 1, ROW_BLOCK, sum_row, &w);
    }
    vti_arena_pop(arena, mark);
}

void VT_NAME(boundary_zero)(vt_grid *grid)
{
    for (int face = 0; face < 6; face++)
        memset(grid->face[face], 0, 3 * sizeof(float) * (size_t)grid->face_plane);
}
