#include "archive/block.h"

#include <string.h>

#include "archive/byte_planes.h"
#include "archive/checksum.h"
#include "base/status.h"

static const uint64_t most_bytes = UINT64_C(1) << 44; /* of a field: sums do not overflow */

vt_field_entry vti_frame_entry(const uint8_t *bytes, uint32_t n)
{
    vt_field_entry entry;
    memcpy(&entry, bytes + sizeof(vt_frame_head) + (size_t)n * sizeof entry, sizeof entry);
    return entry;
}

static int is_kind(const vt_frame_head *head, const char *kind)
{
    return memcmp(head->block.kind, kind, 4) == 0;
}

/* ---- checks ---- */

static int is_sound(const vt_field_entry *e, int packed, uint64_t room)
{
    const uint32_t item = vti_bytes_of_type(e->type), most = packed ? VT_IN_PLANES : VT_STORED;
    if (e->name[sizeof e->name - 1] || item == 0 || e->components == 0 ||
        e->components > 1u << 16 || e->rows > INT32_MAX ||
        e->rows > most_bytes / (e->components * item) || e->packing > most || e->bytes > room)
        return 0;
    return e->packing != VT_STORED || e->bytes == vti_unpacked_bytes(e);
}

vt_status vti_check_frame(const char *what, const uint8_t *bytes, uint64_t size,
                          vt_frame_head *head)
{
    if (size >= sizeof *head)
        memcpy(head, bytes, sizeof *head);
    const uint64_t end =
        size < sizeof *head ? 0 : sizeof *head + (uint64_t)head->fields * sizeof(vt_field_entry);
    if (end == 0 || (!is_kind(head, "FRAM") && !is_kind(head, "STAT")) ||
        head->block.length > size || head->block.summed != end || end > head->block.length)
        return vti_fail(VT_INVALID_ARGUMENT, "%s: is not a whole frame of an archive", what);
    vt_crc crc;
    vti_make_crc(&crc);
    if (head->block.crc != vti_crc32(&crc, bytes + 8, (size_t)(end - 8)))
        return vti_fail(VT_INVALID_ARGUMENT, "%s: is damaged: the checksum of its head differs",
                        what);
    uint64_t at = end;
    for (uint32_t n = 0; n < head->fields; n++) {
        const vt_field_entry entry = vti_frame_entry(bytes, n);
        if (!is_sound(&entry, is_kind(head, "FRAM"), head->block.length - at))
            return vti_fail(VT_INVALID_ARGUMENT, "%s: is damaged: field %u does not fit", what, n);
        at += entry.bytes;
    }
    return VT_OK;
}

/* ---- packing ---- */

/* A head and room for the directory, of which vti_end_frame says what is in it. */
static void begin_frame(vt_bytes *to, const vt_frame_head *head, const char *kind)
{
    vt_frame_head now = *head;
    memcpy(now.block.kind, kind, 4);
    vti_put(to, &now, sizeof now);
    vti_put_zeros(to, (size_t)(head->block.summed - sizeof now));
}

static void put_entry(vt_bytes *to, uint32_t n, const vt_field_entry *entry)
{
    if (!to->failed)
        memcpy(to->bytes + sizeof(vt_frame_head) + (size_t)n * sizeof *entry, entry, sizeof *entry);
}

static vt_status end_frame(vt_bytes *to, const vt_crc *crc)
{
    vti_put_zeros(to, (8 - to->size % 8) % 8);
    if (to->failed)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a frame of an archive");
    vt_block_head head;
    memcpy(&head, to->bytes, sizeof head);
    head.length = to->size;
    memcpy(to->bytes, &head, sizeof head);
    head.crc = vti_crc32(crc, to->bytes + 8, (size_t)head.summed - 8);
    memcpy(to->bytes, &head, sizeof head);
    return VT_OK;
}

/* In planes, where that takes less. */
static void pack_field(const uint8_t *from, int threads, const vt_crc *crc, vt_field_entry *entry,
                       vt_bytes *to)
{
    const size_t start = to->size, plain = (size_t)vti_unpacked_bytes(entry);
    vti_pack_planes(from, (int64_t)(entry->rows * entry->components),
                    (int)vti_bytes_of_type(entry->type), threads, to);
    entry->packing = VT_IN_PLANES;
    if (!to->failed && to->size - start >= plain) {
        to->size = start;
        vti_put(to, from, plain);
        entry->packing = VT_STORED;
    }
    if (to->failed)
        return;
    entry->bytes = to->size - start;
    entry->crc = vti_crc32(crc, to->bytes + start, (size_t)entry->bytes);
}

vt_status vti_pack_frame(const uint8_t *bytes, int threads, vt_bytes *to)
{
    vt_frame_head head;
    vt_crc crc;
    vti_make_crc(&crc);
    memcpy(&head, bytes, sizeof head);
    begin_frame(to, &head, "FRAM");
    const uint8_t *from = bytes + head.block.summed;
    for (uint32_t n = 0; n < head.fields; n++) {
        vt_field_entry entry = vti_frame_entry(bytes, n);
        const uint64_t plain = entry.bytes;
        pack_field(from, threads, &crc, &entry, to);
        put_entry(to, n, &entry);
        from += plain;
    }
    return end_frame(to, &crc);
}

static vt_status unpack_field(const char *what, const vt_crc *crc, const uint8_t *from, int threads,
                              const vt_field_entry *entry, vt_bytes *to)
{
    const size_t plain = (size_t)vti_unpacked_bytes(entry), start = to->size;
    if (vti_crc32(crc, from, (size_t)entry->bytes) != entry->crc)
        return vti_fail(VT_INVALID_ARGUMENT, "%s: is damaged: the checksum of %s differs", what,
                        entry->name);
    if (entry->packing == VT_STORED) {
        vti_put(to, from, plain);
        return VT_OK;
    }
    /* a chunk takes at least 3 bytes for each plane */
    if (entry->rows * entry->components / VT_PLANE > entry->bytes)
        return vti_fail(VT_INVALID_ARGUMENT, "%s: is damaged: %s is too short", what, entry->name);
    vti_put_zeros(to, plain);
    if (to->failed)
        return VT_OK;
    const vt_status status =
        vti_unpack_planes(from, (size_t)entry->bytes, (int64_t)(entry->rows * entry->components),
                          (int)vti_bytes_of_type(entry->type), threads, to->bytes + start);
    if (status == VT_INVALID_ARGUMENT)
        return vti_fail(status, "%s: is damaged: %s cannot be unpacked", what, entry->name);
    to->failed |= status != VT_OK; /* what then ends the frame says so */
    return VT_OK;
}

vt_status vti_unpack_frame(const char *what, const uint8_t *bytes, int threads, vt_bytes *to)
{
    vt_frame_head head;
    vt_crc crc;
    vti_make_crc(&crc);
    memcpy(&head, bytes, sizeof head);
    begin_frame(to, &head, "STAT");
    const uint8_t *from = bytes + head.block.summed;
    for (uint32_t n = 0; n < head.fields; n++) {
        vt_field_entry entry = vti_frame_entry(bytes, n);
        const vt_status status = unpack_field(what, &crc, from, threads, &entry, to);
        if (status)
            return status;
        from += entry.bytes;
        entry.bytes = vti_unpacked_bytes(&entry);
        entry.crc = entry.packing = 0;
        put_entry(to, n, &entry);
    }
    return end_frame(to, &crc);
}
