/* Packs a few kilobytes as a stream of zlib (RFC 1950 and 1951), or any number of bytes as a raw
 * one of many blocks; in the same bytes on every system. Of a few kilobytes: Lempel and Ziv's
 * repeats, taken as soon as they are found, in one block with Huffman codes of its own, or with
 * those of the standard where their table would take more than it gives. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { VT_DEFLATE_MOST = 8192 /* bytes at a time */, VT_DEFLATE_HASHES = 2048 };

/* Room to work in; need not be filled. */
typedef struct vt_deflate {
    uint32_t token[VT_DEFLATE_MOST];    /* a literal, or a length << 16 | a distance */
    uint16_t before[VT_DEFLATE_MOST];   /* place of the same hash before, + 1; 0: none */
    uint16_t newest[VT_DEFLATE_HASHES]; /* last place of a hash, + 1 */
} vt_deflate;

/* Puts size bytes, 1 .. VT_DEFLATE_MOST, into at most `most` at `to`; returns how many it took, or
 * 0 if they do not fit. */
size_t vti_deflate(vt_deflate *work, const uint8_t *from, size_t size, uint8_t *to, size_t most);

/* Puts any number of bytes, of numbers of 4 or 8, as blocks of a raw stream (RFC 1951), none of
 * them the last, that begin and end with whole bytes: others may follow. Returns how many bytes
 * they take, at most vti_deflate_room(size). What would get less than an eighth smaller is stored.
 */
size_t vti_deflate_part(vt_deflate *work, const uint8_t *from, size_t size, uint8_t *to);
size_t vti_deflate_room(size_t size);

/* The checksum of such a stream (RFC 1950, 8.2), of any size. */
uint32_t vti_adler32(const uint8_t *from, size_t size);
