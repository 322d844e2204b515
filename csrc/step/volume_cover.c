#include "step/volume_cover.h"

#include "base/parallel.h"
#include "state/predicates.h"

enum { ROW_BLOCK = 64, RECORD_BLOCK = 2048 };

/* Of a vorton that is so many cells away along an axis: about as the cores of the grid weigh it. By
 * a mean over all 27 cells, of which those in a wall are empty, what lies along the edge of two
 * walls counted a quarter as much, and still blew up. */
static const double weight[2] = {0.5, 0.25};

typedef struct cover_job {
    const vt_grid *grid;
    const vt_record *sorted;
    const uint32_t *row_start;
    const float *volume; /* column */
    int64_t length;      /* cells of a row, and one beside each end */
    float *filled;       /* of three cells along x each, weighed, m^3 */
    float *cover;
} cover_job;

static int64_t cell_of(const vt_record *record, int axis, int32_t cells)
{
    const int64_t cell = (int64_t)record->position[axis];
    return cell < 0 ? 0 : cell < cells ? cell : cells - 1;
}

static void fill_row(void *data, int64_t row)
{
    const cover_job *const job = data;
    float *const filled = job->filled + row * job->length;
    memset(filled, 0, sizeof *filled * (size_t)job->length);
    for (uint32_t r = job->row_start[row]; r < job->row_start[row + 1]; r++) {
        const vt_record *const record = &job->sorted[r];
        const float volume = job->volume[record->home];
        float *const cell = filled + cell_of(record, 0, job->grid->cells[0]);
        for (int n = 0; n < 3; n++)
            cell[n] += (float)weight[n != 1] * volume;
    }
}

static void find_around(void *data, int64_t begin, int64_t end)
{
    const cover_job *const job = data;
    const vt_grid *const g = job->grid;
    const double h = g->spacing, room = h * h * h;
    for (int64_t r = begin; r < end; r++) {
        const vt_record *const record = &job->sorted[r];
        const int64_t i = cell_of(record, 0, g->cells[0]) + 1;
        const int64_t j = cell_of(record, 1, g->cells[1]), k = cell_of(record, 2, g->cells[2]);
        double sum = 0;
        for (int64_t z = k > 0 ? k - 1 : 0; z <= k + 1 && z < g->cells[2]; z++)
            for (int64_t y = j > 0 ? j - 1 : 0; y <= j + 1 && y < g->cells[1]; y++)
                sum += weight[z != k] * weight[y != j] *
                       (double)job->filled[(z * g->cells[1] + y) * job->length + i];
        job->cover[record->home] = (float)(sum / room);
    }
}

const float *vti_find_cover(vt_simulation *s, int64_t count, const vt_record *sorted,
                            const uint32_t *row_start)
{
    const vt_grid *const g = &s->grid;
    if (!vti_has_grid(s) || !vti_has_panels(s))
        return NULL;
    const int64_t rows = (int64_t)g->cells[1] * g->cells[2];
    float *const cover = vti_arena_push(&s->arena, sizeof *cover * (size_t)s->vortons.set.count);
    const size_t mark = vti_arena_mark(&s->arena);
    cover_job job = {.grid = g,
                     .sorted = sorted,
                     .row_start = row_start,
                     .volume = s->vortons.volume,
                     .length = g->cells[0] + 2,
                     .cover = cover};
    job.filled = vti_arena_push(&s->arena, sizeof *job.filled * (size_t)(rows * job.length));
    vti_parallel_each(s->def.threads, rows, ROW_BLOCK, fill_row, &job);
    vti_parallel_for(s->def.threads, count, RECORD_BLOCK, find_around, &job);
    vti_arena_pop(&s->arena, mark);
    return cover;
}
