/* clang-format off */
/* The blocks of a motion archive (.vta), and of a state in memory.
 *
 * An archive is a file of blocks, one behind the other, each of a length that 8 divides. All
 * numbers are little-endian, texts UTF-8. Every block begins with
 *
 *    0  4 bytes   kind: "HEAD", "FRAM" or "INDX"
 *    4  uint32    CRC-32 (that of zlib) of bytes 8 .. `summed` of the block
 *    8  uint64    length of the block, bytes
 *   16  uint64    summed: as far as that checksum goes
 *
 * HEAD, the first, and only once: summed is the length.
 *   24  8 bytes   "vortonA\n"
 *   32  uint32    version of the format, 4
 *   36  uint32    size of the text
 *   40  the text: JSON, what the frames belong to (its members: vorton/archive/reading.py); then
 *       0 .. 7 bytes of 0
 *
 * FRAM, a frame: the numbers of frames ascend. summed is the end of its directory, at most 2^20.
 *   24  int64     number of the frame
 *   32  double    time, s
 *   40  uint64    digest of the names and sizes of the fields that the build knows (FNV-1a)
 *   48  uint64    digest of the definition that the state belongs to (archive/state_fields.h)
 *   56  uint32    number of fields
 *   60  uint32    0
 *   64  the directory, 72 bytes for each field:
 *         0  40 bytes  name, ended and filled with 0: "tracers.position"
 *        40  uint32    type of the numbers, a character as Python's struct has it: B uint8,
 *                      i int32, I uint32, f float, q int64, Q uint64, d double
 *        44  uint32    numbers in a row
 *        48  uint64    rows
 *        56  uint64    bytes that the field takes in the file
 *        64  uint32    CRC-32 of these
 *        68  uint32    how the numbers are stored: 0 as they are, 1 in planes
 *                      (archive/byte_planes.h), 2 in rows (archive/row_chunks.h);
 *                      2 + 256 x the number in the directory, from 1 on, of a field before: in
 *                      rows that are less those of that one;
 *                      3 + 256 x the number of a field before, of int64: in rows, in its order;
 *                      4 not at all, in 0 bytes: who loads the state makes them again
 *                      (archive/made_again.h);
 *                      5 one float in a row, less what fields before foretell
 *                      (archive/lone_fluid.h): the relative volume at birth, a float; the CRC-32
 *                      of the field once it is unpacked, uint32; then in rows that are less those
 *                      of another field, which is what is foretold;
 *                      6 + 256 x the number of a field before, of places: in rows that are less
 *                      those, in their order (archive/place_order.h)
 *       then the fields in the order of the directory; then 0 .. 7 bytes of 0
 *
 * INDX, the last once the archive is closed: summed is the length.
 *   24  uint64    number of frames
 *   32  24 bytes for each: int64 number, uint64 where its block begins, uint64 length
 *    +  uint64    where this block begins
 *    +  8 bytes   "vortonE\n": with them the file ends
 *
 * Frames are appended where the last whole one ends, over an index that is there: an archive that
 * is being written, or whose writer was killed, has no index and perhaps part of a frame at its
 * end, which readers pass over; the lengths lead from block to block. Where no frame is found at the
 * end of another, one that is damaged lies there: readers go on at the next place, a multiple of 8
 * behind, where the head of a frame and its checksum are right.
 *
 * In memory a state may be a block of the kind "STAT": a frame whose fields are as they are,
 * without their checksums. There those that are stored in no way (4) are still there, or take 0
 * bytes. */
/* clang-format on */
#pragma once

#include <stdint.h>
#include <string.h>

typedef struct vt_block_head {
    char kind[4];
    uint32_t crc;
    uint64_t length, summed;
} vt_block_head;

typedef struct vt_frame_head {
    vt_block_head block;
    int64_t number;
    double time;
    uint64_t layout, digest;
    uint32_t fields, zero;
} vt_frame_head;

typedef struct vt_field_entry {
    char name[40];
    uint32_t type, components;
    uint64_t rows, bytes;
    uint32_t crc, packing;
} vt_field_entry;

enum { VT_MOST_DIRECTORY = 1 << 20 /* bytes: `summed` of a frame */ };

enum { VT_STORED, VT_IN_PLANES, VT_IN_ROWS, VT_IN_ORDER, VT_MADE_AGAIN, VT_FORETOLD, VT_BY_PLACE };

_Static_assert(sizeof(vt_block_head) == 24 && sizeof(vt_frame_head) == 64 &&
                   sizeof(vt_field_entry) == 72,
               "structs are what the file holds");

/* Entry n of the directory of a frame that was checked. */
static inline vt_field_entry vti_frame_entry(const uint8_t *bytes, uint32_t n)
{
    vt_field_entry entry;
    memcpy(&entry, bytes + sizeof(vt_frame_head) + (size_t)n * sizeof entry, sizeof entry);
    return entry;
}

/* Bytes of a number; 0: there is no such type. */
static inline uint32_t vti_bytes_of_type(uint32_t type)
{
    switch (type) {
    case 'B':
        return 1;
    case 'i':
    case 'I':
    case 'f':
        return 4;
    case 'q':
    case 'Q':
    case 'd':
        return 8;
    default:
        return 0;
    }
}

/* Bytes of a field once it is unpacked. */
static inline uint64_t vti_unpacked_bytes(const vt_field_entry *entry)
{
    return entry->rows * entry->components * vti_bytes_of_type(entry->type);
}
