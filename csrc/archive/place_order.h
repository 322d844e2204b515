/* Rows of particles in an order in which those that follow each other are neighbours. They lie by
 * rows of the grid, along which any may come next to any; what is smooth in space, and differs much
 * along such a row, takes fewer bytes in this order. It follows from the places alone:
 *
 * In each chunk of VT_PLANE rows the places are counted, along each axis, from the least in cubes,
 * as wide as a 256th of the longest extent, 0 to 255. Rows come in the order of the numbers whose
 * bits are in turn those of the x, y and z of their cubes, from the lowest on (Morton 1966); those
 * of a cube stay as they lie. */
#pragma once

#include <stdint.h>

/* Places: three floats in a row, of any alignment and with any bits. */
void vti_order_by_place(const uint8_t *places, int64_t rows, int threads, uint32_t *order);

/* About how many bits numbers on a lattice, three in a row, take that are less the places, as they
 * lie; 0: they are on none. */
int64_t vti_guess_bits_from_places(const uint8_t *numbers, const uint8_t *places, int64_t rows);
