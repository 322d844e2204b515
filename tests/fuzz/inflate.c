/* Any bytes as a stream of zlib, and as numbers in planes or rows: nothing is read or written
 * elsewhere, and what is given out is given out whole. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "archive/byte_planes.h"
#include "archive/inflate.h"
#include "archive/row_chunks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_ROWS = UINT16_MAX };

/* Of the other field and of the order, for the most rows that there may be: fewer take the last
 * ones, so that what is read behind them is behind the memory. Filled once: it took most of the
 * time. */
static float *others;
static uint32_t *orders;

static void fill_tables(void)
{
    others = malloc(8 * (size_t)MOST_ROWS);
    orders = malloc(4 * (size_t)MOST_ROWS);
    for (int64_t n = 0; n < MOST_ROWS; n++) {
        others[2 * n] = (float)n * 1e30f * (n % 3 ? 1.0f : -1e9f);
        others[2 * n + 1] = 0.37f * (float)n;
        orders[n] = (uint32_t)(MOST_ROWS - 1 - n);
    }
}

/* In three columns, beside another field of two or by themselves, in their own order or backwards.
 */
static void unpack_rows(const uint8_t *from, size_t size, int64_t rows, int beside, int backwards)
{
    if (!others)
        fill_tables();
    void *const to = malloc(12 * (size_t)rows + 1);
    const vt_packed_rows about = {.rows = rows,
                                  .components = 3,
                                  .reference = beside ? others + 2 * (MOST_ROWS - rows) : NULL,
                                  .reference_components = 2,
                                  .order = backwards ? orders + (MOST_ROWS - rows) : NULL};
    (void)vti_unpack_rows(from, size, &about, 1, to);
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
