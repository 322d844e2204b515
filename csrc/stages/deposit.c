/* From vortons to nodes: every vorton adds its strength, and 1 to the count, to the eight nodes of
 * its cell with trilinear weights (cloud in cell; Birdsall and Fuss 1969).
 *
 * Slabs of cell layers share only the plane of nodes between neighbours: all even slabs run at the
 * same time, then all odd ones. A node gets its terms in a fixed order for any number of threads.
 */
#include "core/parallel.h"
#include "stages/stages.h"

enum {
    SMALL_SLAB_CELLS = 32, /* boxes no higher than this have slabs of two layers, else four */
    BLOCK_WORK = 1024      /* records x 8 + nodes that a block has at least: .3 us */
};

typedef struct deposit_job {
    vt_grid *grid;
    const vt_record *records;
    const uint32_t *row_start;
    int64_t layers, colour; /* layers of cells in a slab; 0 even slabs, 1 odd ones */
} deposit_job;

/* The four pairs of neighbours along x take one product each of the strength with the y, z weights:
 * w0 = s - s f, w1 = s f is the split along every axis. */
VT_INLINE void add_record(float *row, int64_t row_floats, int64_t plane_floats,
                          const vt_record *record, float j, float k)
{
    const float x = record->position[0];
    const int32_t i = (int32_t)x;
    const f8 fy = f8_set(record->position[1] - j), fz = f8_set(record->position[2] - k);
    f4 strength = f4_load(record->strength);
    strength[3] = __builtin_fabsf(record->volume); /* negative in newborn vortons */
    const f4 right = strength * f4_set(x - (float)i);
    const f8 pair = f8_join(strength - right, right);
    const f8 back = pair * fz, front = pair - back;
    const f8 front_high = front * fy, front_low = front - front_high;
    const f8 back_high = back * fy, back_low = back - back_high;

    float *const node = row + 4 * (int64_t)i;
    f8_store(node, f8_load(node) + front_low);
    f8_store(node + row_floats, f8_load(node + row_floats) + front_high);
    f8_store(node + plane_floats, f8_load(node + plane_floats) + back_low);
    f8_store(node + plane_floats + row_floats,
             f8_load(node + plane_floats + row_floats) + back_high);
}

static void add_layer(const deposit_job *job, int64_t k)
{
    const vt_grid *const grid = job->grid;
    const int64_t row_floats = 4 * grid->node_row, plane_floats = 4 * grid->node_plane;
    const uint32_t *const start = job->row_start + k * grid->cells[1];
    float *row = (float *)(grid->nodes + k * grid->node_plane);
    for (int64_t j = 0; j < grid->cells[1]; j++, row += row_floats)
        for (uint32_t r = start[j]; r < start[j + 1]; r++)
            add_record(row, row_floats, plane_floats, job->records + r, (float)j, (float)k);
}

void VT_NAME(deposit_more)(vt_grid *grid, int64_t count, const vt_record *records)
{
    for (int64_t r = 0; r < count; r++) {
        const int64_t j = (int64_t)records[r].position[1], k = (int64_t)records[r].position[2];
        float *const row = (float *)(grid->nodes + k * grid->node_plane + j * grid->node_row);
        add_record(row, 4 * grid->node_row, 4 * grid->node_plane, records + r, (float)j, (float)k);
    }
}

static void clear_plane(const vt_grid *grid, int64_t k)
{
    memset(grid->nodes + k * grid->node_plane, 0, (size_t)grid->node_plane * sizeof(f4));
}

/* Planes are cleared just before they are first written, while they are in the cache anyway: even
 * slabs own the planes that they share with odd ones. */
static void deposit_slabs(void *context, int64_t begin, int64_t end, int thread)
{
    const deposit_job *const job = context;
    const int64_t top = job->grid->cells[2];
    const int even = job->colour == 0;
    (void)thread;
    for (int64_t slab = begin; slab < end; slab++) {
        const int64_t first = (2 * slab + job->colour) * job->layers;
        const int64_t last = first + job->layers < top ? first + job->layers : top;
        if (even)
            clear_plane(job->grid, first);
        for (int64_t k = first; k < last; k++) {
            if (even || k + 1 < last || k + 1 == top)
                clear_plane(job->grid, k + 1);
            add_layer(job, k);
        }
    }
}

void VT_NAME(deposit)(vt_grid *grid, const vt_record *records, const uint32_t *row_start,
                      int threads)
{
    const int64_t top = grid->cells[2];
    deposit_job job = {.grid = grid, .records = records, .row_start = row_start};
    job.layers = top > SMALL_SLAB_CELLS ? 4 : 2;
    const int64_t slabs = (top + job.layers - 1) / job.layers;
    const int64_t count = row_start[top * grid->cells[1]];
    const int64_t slab_work = (8 * count + grid->node_plane * (top + 1)) / slabs;
    const int64_t block = 1 + BLOCK_WORK / (slab_work + 1);
    for (job.colour = 0; job.colour < 2; job.colour++)
        vt_parallel_for(threads, (slabs + 1 - job.colour) / 2, block, deposit_slabs, &job);
}
