/* Prefix codes as deflate has them (RFC 1951, 3.2.2), by Huffman's rule from how often symbols
 * come. */
#pragma once

#include <stdint.h>

enum { VT_MOST_SYMBOLS = 286, VT_MOST_CODE_BITS = 15 };

/* Bits of a symbol, the first one to be sent the lowest, and how many; 0 for one that does not
 * occur. */
typedef struct vt_prefix_code {
    uint16_t bits[VT_MOST_SYMBOLS + 2];
    uint8_t length[VT_MOST_SYMBOLS + 2];
} vt_prefix_code;

/* The shortest code of no more than `most` bits a symbol for symbols that come so often, all
 * together less than 2^16 times. */
void vti_make_code(vt_prefix_code *code, const uint16_t *count, int symbols, int most);

/* Bits of each symbol from the lengths of all. */
void vti_number_codes(vt_prefix_code *code, int symbols);
