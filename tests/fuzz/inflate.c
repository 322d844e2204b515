/* Any bytes as a stream of zlib, and as numbers in planes: nothing is read or written elsewhere,
 * and what is given out is given out whole. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "archive/byte_planes.h"
#include "archive/inflate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
    if (item == 0)
        (void)vti_inflate(from + 1, size - 3, to + 1, most);
    else
        (void)vti_unpack_planes(from + 1, size - 3, count, item, 1, to + 1);
    free(from);
    free(to);
    return 0;
}
