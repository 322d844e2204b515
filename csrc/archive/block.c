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

static uint32_t way_of(const vt_field_entry *e)
{
    return e->packing & 255;
}

/* The number of the field that the rows are less, from 1 on; 0: none. */
static uint32_t reference_of(const vt_field_entry *e)
{
    return e->packing >> 8;
}

/* Whether the field that the rows of entry n are less lies before it, and has as many. */
static int has_reference(const uint8_t *bytes, uint32_t n, const vt_field_entry *e)
{
    const uint32_t number = way_of(e) == VT_IN_ROWS ? reference_of(e) : 0;
    if (number == 0)
        return 1;
    if (number > n)
        return 0;
    const vt_field_entry other = vti_frame_entry(bytes, number - 1);
    return other.rows == e->rows && vti_bytes_of_type(other.type) == 4;
}

static int is_sound(const vt_field_entry *e, int packed, uint64_t room)
{
    const uint32_t item = vti_bytes_of_type(e->type);
    if (e->name[sizeof e->name - 1] || item == 0 || e->components == 0 ||
        e->components > 1u << 16 || e->rows > INT32_MAX ||
        e->rows > most_bytes / (e->components * item) || e->bytes > room)
        return 0;
    if (packed && way_of(e) == VT_IN_ROWS)
        return item == 4;
    if (e->packing > (packed ? VT_IN_PLANES : VT_STORED))
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
        if (!is_sound(&entry, is_kind(head, "FRAM"), head->block.length - at) ||
            !has_reference(bytes, n, &entry))
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

/* Columns that hold nearly what another one does: eddies have been entered not long ago, what has
 * not expanded or been written is as it was. */
static const char *const nearly_like[][2] = {{"tracers.eddy_place", "tracers.position"},
                                             {"tracers.left_temperature", "tracers.temperature"},
                                             {"vortons.bound_volume", "vortons.volume"},
                                             {"vortons.birth_volume", "vortons.volume"},
                                             {"vortons.volume_temperature", "vortons.temperature"}};

/* The number of the field that a field may be nearly like, from 1 on; 0: none. */
static uint32_t find_reference(const uint8_t *bytes, uint32_t n, const vt_field_entry *entry)
{
    for (size_t k = 0; k < sizeof nearly_like / sizeof *nearly_like; k++) {
        if (strcmp(entry->name, nearly_like[k][0]) != 0)
            continue;
        for (uint32_t m = 0; m < n; m++) {
            const vt_field_entry other = vti_frame_entry(bytes, m);
            if (strcmp(other.name, nearly_like[k][1]) == 0 && other.rows == entry->rows)
                return m + 1;
        }
    }
    return 0;
}

/* Where the numbers of a field lie in a state, of which only the directory need be there. */
static size_t offset_of(const uint8_t *bytes, size_t begin, uint32_t field)
{
    for (uint32_t n = 0; n < field; n++) {
        const vt_field_entry entry = vti_frame_entry(bytes, n);
        begin += (size_t)vti_unpacked_bytes(&entry);
    }
    return begin;
}

/* `state` is that of which `directory`, the same or that of its frame, tells. */
static vt_packed_rows describe_rows(const uint8_t *directory, const uint8_t *state, size_t begin,
                                    uint32_t reference, const vt_field_entry *entry)
{
    vt_packed_rows rows = {.rows = (int64_t)entry->rows, .components = (int)entry->components};
    if (reference) {
        rows.reference = state + offset_of(directory, begin, reference - 1);
        rows.reference_components = (int)vti_frame_entry(directory, reference - 1).components;
    }
    return rows;
}

/* Field n of a state, in rows or planes where that takes less. */
static void pack_field(const uint8_t *state, const vt_frame_head *head, uint32_t n,
                       const uint8_t *from, int threads, const vt_crc *crc, vt_bytes *to)
{
    vt_field_entry entry = vti_frame_entry(state, n);
    const size_t start = to->size, plain = (size_t)vti_unpacked_bytes(&entry);
    if (vti_bytes_of_type(entry.type) == 4) {
        const uint32_t reference = find_reference(state, n, &entry);
        const vt_packed_rows rows =
            describe_rows(state, state, (size_t)head->block.summed, reference, &entry);
        vti_pack_rows(from, &rows, threads, to);
        entry.packing = VT_IN_ROWS | reference << 8;
    } else {
        vti_pack_planes(from, (int64_t)(entry.rows * entry.components),
                        (int)vti_bytes_of_type(entry.type), threads, to);
        entry.packing = VT_IN_PLANES;
    }
    if (!to->failed && to->size - start >= plain) {
        to->size = start;
        vti_put(to, from, plain);
        entry.packing = VT_STORED;
    }
    if (to->failed)
        return;
    entry.bytes = to->size - start;
    entry.crc = vti_crc32(crc, to->bytes + start, (size_t)entry.bytes);
    put_entry(to, n, &entry);
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
        const vt_field_entry entry = vti_frame_entry(bytes, n);
        pack_field(bytes, &head, n, from, threads, &crc, to);
        from += entry.bytes;
    }
    return end_frame(to, &crc);
}

/* Unpacks behind what is there. */
static vt_status unpack_numbers(const uint8_t *frame, size_t begin, const uint8_t *from,
                                int threads, const vt_field_entry *entry, vt_bytes *to)
{
    const size_t plain = (size_t)vti_unpacked_bytes(entry), start = to->size;
    const int64_t numbers = (int64_t)(entry->rows * entry->components);
    vti_put_zeros(to, plain);
    if (to->failed)
        return VT_OK; /* said at the end */
    if (way_of(entry) == VT_IN_PLANES)
        return vti_unpack_planes(from, (size_t)entry->bytes, numbers,
                                 (int)vti_bytes_of_type(entry->type), threads, to->bytes + start);
    const vt_packed_rows rows = describe_rows(frame, to->bytes, begin, reference_of(entry), entry);
    return vti_unpack_rows(from, (size_t)entry->bytes, &rows, threads, to->bytes + start);
}

/* `frame` begins with the directory, `begin` is where the fields of the state begin. */
static vt_status unpack_field(const char *what, const vt_crc *crc, const uint8_t *frame,
                              size_t begin, const uint8_t *from, int threads,
                              const vt_field_entry *entry, vt_bytes *to)
{
    if (vti_crc32(crc, from, (size_t)entry->bytes) != entry->crc)
        return vti_fail(VT_INVALID_ARGUMENT, "%s: is damaged: the checksum of %s differs", what,
                        entry->name);
    if (entry->packing == VT_STORED) {
        vti_put(to, from, (size_t)vti_unpacked_bytes(entry));
        return VT_OK;
    }
    /* a chunk takes at least 3 bytes for each plane */
    if (entry->rows * entry->components / VT_PLANE > entry->bytes)
        return vti_fail(VT_INVALID_ARGUMENT, "%s: is damaged: %s is too short", what, entry->name);
    const vt_status status = unpack_numbers(frame, begin, from, threads, entry, to);
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
        const vt_status status =
            unpack_field(what, &crc, bytes, (size_t)head.block.summed, from, threads, &entry, to);
        if (status)
            return status;
        from += entry.bytes;
        entry.bytes = vti_unpacked_bytes(&entry);
        entry.crc = entry.packing = 0;
        put_entry(to, n, &entry);
    }
    return end_frame(to, &crc);
}
