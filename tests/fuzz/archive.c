/* Any file as a motion archive: it is refused, or its frames can be read, and each of them is
 * refused or can be unpacked. Checksums are put right before, or none of it would be reached. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/frame_packing.h"
#include "archive/checksum.h"
#include "base/open_file.h"
#include "base/spare_memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/* A state that a frame holds is packed again, and unpacked to the same. */
static void pack_again(const vt_bytes *state)
{
    vt_frame_head head;
    vt_bytes packed = {0}, again = {0};
    if (vti_pack_frame(state->bytes, 1, &packed) ||
        vti_check_frame("the frame", packed.bytes, packed.size, &head) ||
        vti_unpack_frame("the frame", packed.bytes, 1, &again) || again.size != state->size ||
        memcmp(again.bytes, state->bytes, state->size) != 0)
        abort();
    vti_return_borrowed(packed.bytes);
    vti_return_borrowed(again.bytes);
}

/* In place of those that know simulations, which are not linked. */
vt_status vt_load_state(vt_simulation *none, const uint8_t *bytes, int64_t size)
{
    (void)none;
    vt_frame_head head;
    vt_bytes unpacked = {0};
    vt_status status = vti_check_frame("the state", bytes, (uint64_t)size, &head);
    if (!status && memcmp(head.block.kind, "FRAM", 4) == 0) {
        status = vti_unpack_frame("the state", bytes, 1, &unpacked);
        if (!status)
            pack_again(&unpacked);
    }
    vti_return_borrowed(unpacked.bytes);
    return status;
}

vt_status vt_unpack_state(const uint8_t *packed, int64_t packed_size, int32_t threads,
                          uint8_t **bytes, int64_t *size)
{
    (void)threads, (void)bytes, (void)size;
    return vt_load_state(NULL, packed, packed_size);
}

static void mend_fields(const vt_crc *crc, uint8_t *block, size_t length)
{
    vt_frame_head head;
    memcpy(&head, block, sizeof head);
    size_t at = (size_t)head.block.summed;
    for (uint32_t n = 0; n < head.fields; n++) {
        const size_t place = sizeof head + (size_t)n * sizeof(vt_field_entry);
        vt_field_entry entry;
        if (place + sizeof entry > length)
            return;
        memcpy(&entry, block + place, sizeof entry);
        if (at > length || entry.bytes > length - at)
            return;
        entry.crc = vti_crc32(crc, block + at, (size_t)entry.bytes);
        memcpy(block + place, &entry, sizeof entry);
        at += (size_t)entry.bytes;
    }
}

static void mend(uint8_t *data, size_t size)
{
    static vt_crc crc;
    if (!crc.table[0][1])
        vti_make_crc(&crc);
    for (size_t at = 0; size - at >= sizeof(vt_block_head);) {
        vt_block_head head;
        memcpy(&head, data + at, sizeof head);
        if (head.length > size - at || head.summed > head.length || head.summed < sizeof head)
            return;
        if (memcmp(head.kind, "FRAM", 4) == 0 && head.summed >= sizeof(vt_frame_head))
            mend_fields(&crc, data + at, (size_t)head.length);
        head.crc = vti_crc32(&crc, data + at + 8, (size_t)head.summed - 8);
        memcpy(data + at, &head, sizeof head);
        at += (size_t)head.length;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    size = LLVMFuzzerMutate(data, size, most);
    if (seed % 8) /* now and then as it is */
        mend(data, size);
    return size;
}

/* In place of that which opens files by their names: all else of a file is as it is. */
static const uint8_t *opened;
static size_t opened_size;

FILE *vti_open_file(const char *path)
{
    (void)path;
    return fmemopen((void *)opened, opened_size, "rb");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    vt_archive *archive;
    opened = data;
    opened_size = size;
    if (vt_open_archive("any bytes", &archive))
        return 0;
    vt_archive_frame frame = {.struct_size = sizeof frame};
    (void)!strlen(vt_archive_text(archive));
    for (int64_t n = 0; vt_get_archive_frame(archive, n, &frame); n++) {
        if (frame.offset > size || frame.bytes > size - frame.offset)
            abort();
        (void)vt_load_archive_frame(archive, n, NULL);
    }
    vt_close_archive(archive);
    return 0;
}
