/* Any bytes as a stream of zlib, and as numbers in planes or rows: nothing is read or written
 * elsewhere, and what is given out is given out whole. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "archive/byte_planes.h"
#include "archive/inflate.h"
#include "archive/row_chunks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In three columns, beside another field of two or by themselves, in their own order or backwards.
 */
static void unpack_rows(const uint8_t *from, size_t size, int64_t rows, int beside, int backwards)
{
    float *const other = malloc(8 * (size_t)rows + 1);
    uint32_t *const order = malloc(4 * (size_t)rows + 1);
    void *const to = malloc(12 * (size_t)rows + 1);
    for (int64_t n = 0; n < rows; n++) {
        other[2 * n] = (float)n * 1e30f * (n % 3 ? 1.0f : -1e9f);
        other[2 * n + 1] = 0.37f * (float)n;
        order[n] = (uint32_t)(rows - 1 - n);
    }
    const vt_packed_rows about = {.rows = rows,
                                  .components = 3,
                                  .reference = beside ? other : NULL,
                                  .reference_components = 2,
                                  .order = backwards ? order : NULL};
    (void)vti_unpack_rows(from, size, &about, 1, to);
    free(other);
    free(order);
    free(to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int items[4] = {1, 4, 8, 0};
    uint16_t count;
    if (size < 3)
        return 0;
    const int item = items[data[0] & 3];
    memcpy(&count, data + 1, sizeof count);
    const size_t most = item ? (size_t)count * (size_t)item : count;
    uint8_t *const to = malloc(most + 1), *const from = malloc(size - 3 + 1);
    memcpy(from + 1, data + 3, size - 3); /* so that it ends where its memory ends */
    if (data[0] & 4)
        unpack_rows(from + 1, size - 3, count, data[0] & 8, data[0] & 16);
    else if (item == 0)
        (void)vti_inflate(from + 1, size - 3, to + 1, most);
    else
        (void)vti_unpack_planes(from + 1, size - 3, count, item, 1, to + 1);
    free(from);
    free(to);
    return 0;
}
