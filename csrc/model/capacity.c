#include "model/capacity.h"

#include "vorton.h"

const int64_t vti_most_rows[2] = {[VT_VORTONS] = INT64_C(1) << 30, [VT_TRACERS] = INT32_MAX};

/* What a row takes while all is done that a bake does: its columns, scratch of a step, its share of
 * the volume and of the state on the way to the disk, bytes. Measured as resident memory: 250 for
 * vortons alone, 370 in fire; 85 for tracers, 140 in fire, 275 with volumes(sharp=True). With less
 * the system ends the process before the simulation says that it is full; more leaves memory idle.
 */
static const uint64_t row_bytes[2] = {[VT_VORTONS] = 512, [VT_TRACERS] = 256};

int64_t vti_rows_in_memory(int set, uint64_t bytes)
{
    const uint64_t rows = bytes / 2 / row_bytes[set], most = (uint64_t)vti_most_rows[set];
    return (int64_t)(rows > most ? most : rows < VT_USUAL_ROWS ? VT_USUAL_ROWS : rows);
}
