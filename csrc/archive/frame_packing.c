#include "archive/frame_packing.h"

#include <string.h>

#include "archive/byte_planes.h"
#include "archive/checksum.h"
#include "archive/field_relations.h"
#include "archive/lone_fluid.h"
#include "archive/row_chunks.h"
#include "base/memory.h"
#include "base/status.h"

static const uint64_t most_bytes = UINT64_C(1) << 44; /* of a field: sums do not overflow */

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

/* Whether the field that the rows of entry n are less, or that orders them, lies before it, and has
 * as many. */
static int has_reference(const uint8_t *bytes, uint32_t n, const vt_field_entry *e)
{
    const int ordered = way_of(e) == VT_IN_ORDER, by_place = way_of(e) == VT_BY_PLACE;
    const uint32_t number = ordered || by_place || way_of(e) == VT_IN_ROWS ? reference_of(e) : 0;
    if (number == 0)
        return !ordered && !by_place;
    if (number > n)
        return 0;
    const vt_field_entry other = vti_frame_entry(bytes, number - 1);
    if (other.rows != e->rows || other.packing == VT_MADE_AGAIN)
        return 0;
    if (by_place)
        return other.type == 'f' && other.components == 3;
    return ordered ? other.type == 'q' && other.components == 1
                   : vti_bytes_of_type(other.type) == 4;
}

static int is_sound(const vt_field_entry *e, int packed, uint64_t room)
{
    const uint32_t item = vti_bytes_of_type(e->type);
    if (e->name[sizeof e->name - 1] || item == 0 || e->components == 0 ||
        e->components > 1u << 16 || e->rows > INT32_MAX ||
        e->rows > most_bytes / (e->components * item) || e->bytes > room)
        return 0;
    if (packed && (way_of(e) == VT_IN_ROWS || way_of(e) == VT_IN_ORDER || way_of(e) == VT_BY_PLACE))
        return item == 4;
    if (packed && e->packing == VT_FORETOLD)
        return e->type == 'f' && e->components == 1;
    if (e->packing == VT_MADE_AGAIN)
        return e->bytes == 0 || (!packed && e->bytes == vti_unpacked_bytes(e));
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
    for (; at < head->block.length; at++)
        if (bytes[at])
            return vti_fail(VT_INVALID_ARGUMENT,
                            "%s: is damaged: there is something behind its fields", what);
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

/* Appends field n less what is foretold of it, where that takes less than in an order, or as rows
 * lie; 0: it does not. */
static int pack_foretold(vt_fields *f, uint32_t n, const vt_field_entry *entry,
                         const uint32_t *order, const vt_packer *packer, const vt_crc *crc,
                         vt_bytes *to)
{
    const uint8_t *const from = f->place[n];
    if (entry->type != 'f' || entry->components != 1 || strncmp(entry->name, "vortons.", 8) != 0)
        return 0;
    vt_lone_state lone = vti_describe_fluid(f, NULL, n, entry->rows);
    if (!vti_can_foretell(&lone, entry->name, f->birth, from, order))
        return 0;
    float *const foretold = vti_prepare_foretelling(f, &lone);
    if (!foretold)
        return 0;
    vti_foretell(&lone, entry->name, f->birth, packer->threads, foretold);
    const vt_packed_rows rows = {.rows = (int64_t)entry->rows,
                                 .components = 1,
                                 .reference = foretold,
                                 .reference_components = 1};
    vti_put(to, &f->birth, sizeof f->birth);
    vti_put_uint32(to, vti_crc32(crc, from, (size_t)vti_unpacked_bytes(entry)));
    vti_pack_rows(packer, from, &rows, 0, to);
    return 1;
}

/* In the order of births, or as they lie, which is the same where all are. */
static uint32_t pack_rows(vt_fields *f, uint32_t n, const vt_field_entry *entry,
                          const vt_packer *packer, const vt_crc *crc, vt_bytes *to)
{
    const int alike =
        vti_are_alike(f->place[n], 4 * (size_t)entry->components, (int64_t)entry->rows);
    const uint32_t orderer = alike ? 0 : vti_find_orderer(f, n, entry);
    vt_packed_rows rows = {.rows = (int64_t)entry->rows, .components = (int)entry->components};
    if (orderer)
        rows = vti_describe_order(f, NULL, orderer, entry);
    if (!alike && pack_foretold(f, n, entry, rows.order, packer, crc, to))
        return VT_FORETOLD;
    uint32_t reference = 0;
    const int ordered = rows.order != NULL;
    int by_place = 0;
    if (!ordered) {
        reference = vti_find_reference(f, n, entry);
        by_place = !alike && vti_goes_by_place(f, n, reference, entry);
        rows = by_place ? vti_describe_by_place(f, NULL, reference, packer->threads, entry)
                        : vti_describe_rows(f, NULL, reference, entry);
    }
    rows.alike = alike;
    vti_pack_rows(packer, f->place[n], &rows, 1, to);
    if (by_place)
        return VT_BY_PLACE | reference << 8;
    return ordered ? VT_IN_ORDER | orderer << 8 : VT_IN_ROWS | reference << 8;
}

/* Field n, in rows or planes where that takes less. */
static void pack_field(vt_fields *f, uint32_t n, const vt_packer *packer, const vt_crc *crc,
                       vt_bytes *to)
{
    vt_field_entry entry = vti_frame_entry(f->directory, n);
    const size_t start = to->size, plain = (size_t)vti_unpacked_bytes(&entry);
    if (entry.packing == VT_MADE_AGAIN) {
        entry.bytes = 0;
        put_entry(to, n, &entry);
        return;
    }
    if (vti_bytes_of_type(entry.type) == 4) {
        entry.packing = pack_rows(f, n, &entry, packer, crc, to);
    } else {
        vti_pack_planes(packer, f->place[n], (int64_t)(entry.rows * entry.components),
                        (int)vti_bytes_of_type(entry.type), to);
        entry.packing = VT_IN_PLANES;
    }
    if (!to->failed && to->size - start >= plain) {
        to->size = start;
        vti_put(to, f->place[n], plain);
        entry.packing = VT_STORED;
    }
    if (to->failed)
        return;
    entry.bytes = to->size - start;
    f->of_tracers += strncmp(entry.name, "tracers.", 8) == 0 ? (int64_t)entry.bytes : 0;
    entry.crc = vti_crc32(crc, to->bytes + start, (size_t)entry.bytes);
    put_entry(to, n, &entry);
}

vt_status vti_pack_fields(const uint8_t *directory, const uint8_t *const *place, int threads,
                          vt_bytes *to)
{
    vt_frame_head head;
    vt_packer packer;
    vt_crc crc;
    vti_make_crc(&crc);
    memcpy(&head, directory, sizeof head);
    if (vti_create_packer(&packer, threads))
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a frame of an archive");
    vti_reserve_bytes(to, (size_t)head.block.length / 3); /* frames take a sixth to a fourth */
    begin_frame(to, &head, "FRAM");
    vt_fields f = vti_describe_fields(directory, &head);
    f.place = place;
    f.birth = vti_find_birth_of_fields(&f);
    for (uint32_t n = 0; n < head.fields; n++)
        pack_field(&f, n, &packer, &crc, to);
    vti_destroy_fields(&f);
    vti_destroy_packer(&packer);
    to->failed |= f.failed;
    return end_frame(to, &crc);
}

vt_status vti_pack_frame(const uint8_t *bytes, int threads, vt_bytes *to)
{
    vt_frame_head head;
    memcpy(&head, bytes, sizeof head);
    const uint8_t **const place = vti_allocate((head.fields + (size_t)1) * sizeof *place);
    if (!place)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a frame of an archive");
    const uint8_t *at = bytes + head.block.summed;
    for (uint32_t n = 0; n < head.fields; n++) {
        place[n] = at;
        at += vti_frame_entry(bytes, n).bytes;
    }
    const vt_status status = vti_pack_fields(bytes, place, threads, to);
    vti_free(place);
    return status;
}

/* Field n: the numbers behind which the rows lie, and what the fields before it foretell. */
static vt_status unpack_foretold(vt_fields *f, uint32_t n, const uint8_t *from, int threads,
                                 const vt_field_entry *entry, const vt_crc *crc,
                                 const uint8_t *state, uint8_t *to)
{
    enum { BEFORE = 8 /* bytes */ };
    float birth;
    uint32_t expected;
    vt_lone_state lone = vti_describe_fluid(f, state, n, entry->rows);
    float *const foretold = vti_prepare_foretelling(f, &lone);
    if (!foretold)
        return VT_OUT_OF_MEMORY;
    if (entry->bytes < BEFORE)
        return VT_INVALID_ARGUMENT;
    memcpy(&birth, from, sizeof birth);
    memcpy(&expected, from + sizeof birth, sizeof expected);
    if (vti_foretell(&lone, entry->name, birth, threads, foretold))
        return VT_INVALID_ARGUMENT;
    const vt_packed_rows rows = {.rows = (int64_t)entry->rows,
                                 .components = 1,
                                 .reference = foretold,
                                 .reference_components = 1};
    const vt_status status =
        vti_unpack_rows(from + BEFORE, (size_t)entry->bytes - BEFORE, &rows, threads, to);
    if (status)
        return status;
    const int same = vti_crc32(crc, to, (size_t)vti_unpacked_bytes(entry)) == expected;
    return same ? VT_OK : VT_INVALID_ARGUMENT;
}

/* Unpacks field n behind what is there. */
static vt_status unpack_numbers(vt_fields *f, uint32_t n, const vt_crc *crc, const uint8_t *from,
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
    if (way_of(entry) == VT_FORETOLD)
        return unpack_foretold(f, n, from, threads, entry, crc, to->bytes, to->bytes + start);
    const int ordered = way_of(entry) == VT_IN_ORDER, by_place = way_of(entry) == VT_BY_PLACE;
    const uint32_t number = reference_of(entry);
    const vt_packed_rows rows = ordered ? vti_describe_order(f, to->bytes, number, entry)
                                : by_place
                                    ? vti_describe_by_place(f, to->bytes, number, threads, entry)
                                    : vti_describe_rows(f, to->bytes, number, entry);
    if ((ordered || by_place) && !rows.order)
        return f->failed ? VT_OUT_OF_MEMORY : VT_INVALID_ARGUMENT;
    return vti_unpack_rows(from, (size_t)entry->bytes, &rows, threads, to->bytes + start);
}

static vt_status unpack_field(const char *what, const vt_crc *crc, vt_fields *f, uint32_t n,
                              const uint8_t *from, int threads, const vt_field_entry *entry,
                              vt_bytes *to)
{
    if (vti_crc32(crc, from, (size_t)entry->bytes) != entry->crc)
        return vti_fail(VT_INVALID_ARGUMENT, "%s: is damaged: the checksum of %s differs", what,
                        entry->name);
    if (entry->packing == VT_MADE_AGAIN)
        return VT_OK;
    if (entry->packing == VT_STORED) {
        vti_put(to, from, (size_t)vti_unpacked_bytes(entry));
        return VT_OK;
    }
    /* before memory is taken: each chunk, of up to VT_PLANE numbers, takes some bytes */
    if (entry->rows * entry->components / VT_PLANE > entry->bytes)
        return vti_fail(VT_INVALID_ARGUMENT, "%s: is damaged: %s is too short", what, entry->name);
    const vt_status status = unpack_numbers(f, n, crc, from, threads, entry, to);
    if (status == VT_INVALID_ARGUMENT && way_of(entry) == VT_FORETOLD)
        return vti_fail(
            status,
            "%s: %s cannot be unpacked: it is damaged, or was packed by a build in which "
            "fluid burns and cools by another law",
            what, entry->name);
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
    vt_fields f = vti_describe_fields(bytes, &head);
    const uint8_t *from = bytes + head.block.summed;
    vt_status status = VT_OK;
    for (uint32_t n = 0; n < head.fields && !status; n++) {
        vt_field_entry entry = vti_frame_entry(bytes, n);
        status = unpack_field(what, &crc, &f, n, from, threads, &entry, to);
        from += entry.bytes;
        entry.crc = 0;
        if (entry.packing != VT_MADE_AGAIN) {
            entry.bytes = vti_unpacked_bytes(&entry);
            entry.packing = VT_STORED;
        }
        put_entry(to, n, &entry);
    }
    vti_destroy_fields(&f);
    return status ? status : end_frame(to, &crc);
}
