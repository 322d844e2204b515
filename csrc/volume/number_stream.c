/* Arrays of numbers as files of arrays pack them. */
#include "base/spare_memory.h"
#include "base/status.h"
#include "volume/deflate.h"
#include "vorton.h"

vt_status vt_pack_numbers(const uint8_t *bytes, int64_t size, uint8_t **packed,
                          int64_t *packed_size)
{
    vt_deflate work;
    if (!packed || !packed_size || (!bytes && size))
        return vti_fail(VT_INVALID_ARGUMENT, "%s must not be NULL",
                        !packed        ? "packed"
                        : !packed_size ? "packed_size"
                                       : "bytes");
    if (size < 0)
        return vti_fail(VT_INVALID_ARGUMENT, "size must be 0 or more, got %lld", (long long)size);
    uint8_t *const to = vti_borrow(vti_deflate_room((size_t)size));
    if (!to)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory to pack %lld bytes", (long long)size);
    *packed_size = (int64_t)vti_deflate_part(&work, bytes, (size_t)size, to);
    *packed = to;
    return VT_OK;
}
