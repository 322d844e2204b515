#include "kernels/particles/join_looks.h"

#include "base/parallel.h"
#include "kernels/grid/trilinear.h"

enum { BLOCK = 4096 };

typedef struct context {
    const float *u0, *u1;
    float *u2;
} context;

static void join_some(const float *u0, const float *u1, float *u2)
{
    vf a[3], b[3], c[3];
    vti_load_rows(u0, a);
    vti_load_rows(u1, b);
    vti_load_rows(u2, c);
    vti_join_looks(a, b, c);
    vti_store_rows(u2, c);
}

static void join_block(void *data, int64_t begin, int64_t end)
{
    const context *const c = data;
    int64_t i = begin;
    for (; i + VL <= end; i += VL)
        join_some(c->u0 + 3 * i, c->u1 + 3 * i, c->u2 + 3 * i);
    if (i == end)
        return;
    float padded[3][3 * VL] = {{0}};
    const size_t bytes = 12 * (size_t)(end - i);
    memcpy(padded[0], c->u0 + 3 * i, bytes);
    memcpy(padded[1], c->u1 + 3 * i, bytes);
    memcpy(padded[2], c->u2 + 3 * i, bytes);
    join_some(padded[0], padded[1], padded[2]);
    memcpy(c->u2 + 3 * i, padded[2], bytes);
}

void VT_NAME(join_looks)(int64_t count, const float *u0, const float *u1, float *u2, int threads)
{
    context c = {u0, u1, u2};
    vti_parallel_for(threads, count, BLOCK, join_block, &c);
}
