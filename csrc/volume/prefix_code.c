#include "volume/prefix_code.h"

#include <string.h>

/* By insertion, of which each takes its time with all before. */
static void sort_few(const uint16_t *count, const uint16_t *from, int used, uint16_t *sorted)
{
    for (int n = 0; n < used; n++) {
        int place = n;
        for (; place > 0 && count[sorted[place - 1]] > count[from[n]]; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = from[n];
    }
}

/* Symbols that occur, the rarest first, of the same count the first one first; returns how many. */
static int sort_symbols(const uint16_t *count, int symbols, uint16_t *sorted)
{
    enum { FEW = 32 };
    uint16_t once[VT_MOST_SYMBOLS];
    int used = 0;
    for (int s = 0; s < symbols; s++)
        if (count[s])
            once[used++] = (uint16_t)s;
    if (used <= FEW) {
        sort_few(count, once, used, sorted);
        return used;
    }
    for (int shift = 0; shift < 16; shift += 8) { /* by the low byte of the count, then the high */
        const uint16_t *const from = shift ? sorted : once;
        uint16_t *const to = shift ? once : sorted;
        int first[257] = {0};
        for (int n = 0; n < used; n++)
            first[(count[from[n]] >> shift & 255) + 1]++;
        for (int value = 0; value < 255; value++)
            first[value + 1] += first[value];
        for (int n = 0; n < used; n++)
            to[first[count[from[n]] >> shift & 255]++] = from[n];
    }
    memcpy(sorted, once, sizeof *once * (size_t)used);
    return used;
}

/* How many codes have each length: Huffman's tree over counts in ascending order, where the two
 * lightest of what is left are the next leaves or the next nodes. */
static void count_lengths(const uint16_t *count, const uint16_t *sorted, int used, int *with_length)
{
    enum { NODES = 2 * VT_MOST_SYMBOLS };
    uint32_t weight[NODES];
    int parent[NODES], depth[NODES];
    int leaf = 0, node = used;
    for (int made = used; made < 2 * used - 1; made++) {
        weight[made] = 0;
        for (int side = 0; side < 2; side++) {
            const int is_leaf =
                leaf < used && (node == made || count[sorted[leaf]] <= weight[node]);
            const int taken = is_leaf ? leaf++ : node++;
            weight[made] += is_leaf ? count[sorted[taken]] : weight[taken];
            parent[taken] = made;
        }
    }
    depth[2 * used - 2] = 0;
    for (int n = 2 * used - 3; n >= 0; n--)
        depth[n] = depth[parent[n]] + 1;
    for (int n = 0; n < used; n++)
        with_length[depth[n]]++;
}

/* Codes that are too long become shorter, others longer, until Kraft's sum is 1 again. */
static void limit_lengths(int *with_length, int used, int most)
{
    for (int length = most + 1; length <= used; length++) {
        with_length[most] += with_length[length];
        with_length[length] = 0;
    }
    int sum = 0;
    for (int length = 1; length <= most; length++)
        sum += with_length[length] << (most - length);
    for (; sum > 1 << most; sum--) {
        int length = most - 1;
        while (!with_length[length])
            length--;
        with_length[most]--;
        with_length[length]--;
        with_length[length + 1] += 2;
    }
}

/* 16 bits, the lowest first. */
static unsigned int reverse(unsigned int bits)
{
    bits = (bits & 0x5555) << 1 | (bits >> 1 & 0x5555);
    bits = (bits & 0x3333) << 2 | (bits >> 2 & 0x3333);
    bits = (bits & 0x0f0f) << 4 | (bits >> 4 & 0x0f0f);
    return (bits & 0xff) << 8 | bits >> 8;
}

void vti_number_codes(vt_prefix_code *c, int symbols)
{
    int next[VT_MOST_CODE_BITS + 2] = {0};
    for (int s = 0; s < symbols; s++)
        next[c->length[s] + 1] += c->length[s] ? 1 << (VT_MOST_CODE_BITS - c->length[s]) : 0;
    for (int length = 1; length <= VT_MOST_CODE_BITS; length++)
        next[length] += next[length - 1];
    for (int s = 0; s < symbols; s++) {
        const int length = c->length[s];
        if (!length)
            continue;
        c->bits[s] = (uint16_t)reverse((unsigned int)next[length] << (16 - VT_MOST_CODE_BITS));
        next[length] += 1 << (VT_MOST_CODE_BITS - length);
    }
}

void vti_make_code(vt_prefix_code *c, const uint16_t *count, int symbols, int most)
{
    uint16_t sorted[VT_MOST_SYMBOLS];
    int with_length[VT_MOST_SYMBOLS + 1] = {0};
    const int used = sort_symbols(count, symbols, sorted);
    memset(c->length, 0, sizeof c->length);
    if (used == 1)
        with_length[1] = 1; /* no code has less than a bit */
    else if (used > 1)
        count_lengths(count, sorted, used, with_length);
    limit_lengths(with_length, used, most);
    int length = most;
    for (int n = 0; n < used; n++) {
        while (!with_length[length])
            length--;
        c->length[sorted[n]] = (uint8_t)length;
        with_length[length]--;
    }
    vti_number_codes(c, symbols);
}
