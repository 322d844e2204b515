/* clang-format off */
/* How a field of an archive is packed: numbers of one size, of which the bytes of equal weight are
 * alike where the numbers are, in chunks of VT_PLANE, 8192. A chunk is
 *
 *   1 byte   0: numbers as they are, in planes; 1: each but the first of the chunk less the one before,
 *            as an integer, in planes; 2: of numbers of 8 bytes alone, the same difference d, the first
 *            number less 0, as a word: 2d, or -2d - 1 where d, taken with its sign, is below 0; where all
 *            words fit into 32 bits
 *   then of 0 and 1, for each byte of a number from the lowest, its plane, the bytes of that weight of
 *   all numbers of the chunk in their order:
 *   2 bytes  size of what follows, little-endian; 0: the plane itself follows; 65534: its bytes as
 *            codes (archive/byte_codes.h); 65535: one byte, which is all that the plane has
 *   that many bytes: a stream of zlib, or the plane, the codes, or that byte
 *   and of 2 the words, of 4 bytes, as classes (kernels/words/word_classes.h):
 *   the class of each (archive/byte_codes.h)
 *   2 bytes  size of what follows, little-endian
 *   that many bytes: the digits that the classes leave
 *
 * Columns of numbers of 4 bytes that belong to particles: archive/row_chunks.h.
 *
 * Exact, and the same bytes on every system. Planes whose beginning looks like noise are not tried.
 */
/* clang-format on */
#pragma once

#include "archive/byte_codes.h"
#include "base/parallel.h"
#include "volume/bytes.h"
#include "volume/deflate.h"
#include "vorton.h"

enum { VT_PLANE = 8192 /* numbers */, VT_MOST_PLANES = 8 /* bytes of a number */ };

/* Room in which threads pack fields, one field after the other. */
typedef struct vt_packer {
    int threads;
    uint8_t *chunks; /* some of each thread: of each chunk VT_MOST_CHUNK */
    size_t *size;    /* of each chunk, packed */
    uint8_t *planes; /* of each thread: VT_MOST_PLANES x VT_PLANE */
    vt_deflate *work;
} vt_packer;

/* With up to `threads` threads; -1: there is no memory. */
int vti_create_packer(vt_packer *packer, int threads);
void vti_destroy_packer(vt_packer *packer);

/* Appends count numbers of item bytes (1 .. VT_MOST_PLANES) in packed form: the same bytes with any
 * number of threads. */
void vti_pack_planes(const vt_packer *packer, const void *from, int64_t count, int item,
                     vt_bytes *to);

/* Fills count numbers. VT_INVALID_ARGUMENT where the bytes are not what vti_pack_planes makes of as
 * many; VT_OUT_OF_MEMORY. The caller, who knows whose bytes they are, says so. */
vt_status vti_unpack_planes(const uint8_t *from, size_t size, int64_t count, int item, int threads,
                            void *to);

/* ---- for archive/row_chunks.c ---- */

/* The first byte of a chunk of plain numbers. */
enum { VT_PLAIN, VT_DIFFERENCES, VT_SMALL_DIFFERENCES };

enum { VT_MOST_CHUNK = 2 + VT_MOST_PLANES * (2 + VT_CODED_ROOM + 8) };

/* Chunks that are packed, some at a time. */
typedef struct vt_packing {
    const uint8_t *from;
    const void *about;
    int may_be_multiples;
    int64_t count, first; /* numbers in all, or rows; number of the first chunk */
    int item;
    const vt_packer *packer;
} vt_packing;

/* Appends `chunks` chunks, some at a time; `pack` puts each where vti_room_of_chunk says. */
void vti_put_chunks(vt_packing *p, int64_t chunks, vt_numbered_function *pack, vt_bytes *to);

static inline uint8_t *vti_room_of_chunk(const vt_packing *p, int64_t chunk)
{
    return p->packer->chunks + chunk * VT_MOST_CHUNK;
}

static inline uint8_t *vti_planes_of_thread(const vt_packing *p, int thread)
{
    return p->packer->planes + (size_t)thread * VT_MOST_PLANES * VT_PLANE;
}

/* What a plane looks like: not to be packed at all, byte by byte, or with its repeats. */
enum { VT_NOISE, VT_ALONE, VT_REPEATS };

/* Of a byte of noise. */
enum { VT_NOISE_BITS = 8 * 256 };

/* What planes of `some` numbers look like; about how many bits they take, in 256ths. */
int64_t vti_look_at(const uint8_t *planes, int64_t some, int item, int looks[VT_MOST_PLANES]);

/* The same of words as classes. */
int64_t vti_guess_class_bits(const uint32_t *words, int64_t some);

/* Bytes of words by their weight. */
void vti_split_into_planes(const uint32_t *words, int64_t count, uint8_t *restrict planes);

/* Whether items of so many bytes, one behind the other, are all the same. */
int vti_are_alike(const void *items, size_t size, int64_t count);

/* A plane that is all one byte, any plane, or words as classes; each returns where the next thing
 * goes. */
uint8_t *vti_put_equal_bytes(uint8_t byte, uint8_t *to);
uint8_t *vti_put_plane(vt_deflate *work, const uint8_t *plane, int64_t count, int looks,
                       uint8_t *to);
uint8_t *vti_put_words(const uint32_t *words, int64_t count, uint8_t *to);

/* Chunks that are unpacked. */
typedef struct vt_unpacking {
    const uint8_t *from;
    const size_t *start; /* of each chunk */
    const void *about;
    int64_t count; /* numbers in all, or rows */
    int item;
    uint8_t *to;
    uint8_t *failed; /* of each chunk */
} vt_unpacking;

/* Where the chunk of `count` numbers that begins at `at` ends; 0: not within the bytes. */
typedef size_t vt_end_of_chunk_function(const vt_unpacking *u, size_t size, size_t at,
                                        int64_t count);

vt_status vti_unpack_chunks(vt_unpacking *u, size_t size, int components,
                            vt_end_of_chunk_function *end_of, vt_block_function *unpack,
                            int threads);

/* Where a plane, or words, end that begin at `at`; 0: not within the bytes, or at is 0. */
size_t vti_end_of_plane(const uint8_t *from, size_t size, size_t at, int64_t count);
size_t vti_end_of_words(const uint8_t *from, size_t size, size_t at);

/* Several planes, or words as classes: 0, or -1. */
int vti_get_planes(const uint8_t *from, int64_t count, int item, uint8_t *planes);
int vti_get_words(const uint8_t *from, int64_t count, uint32_t *words);
void vti_join_planes(const uint8_t *planes, int64_t count, uint32_t *words);
