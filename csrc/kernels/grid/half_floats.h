/* 16-bit floats (IEEE 754 binary16) of many values. */
#pragma once

#include <stdint.h>

#include "base/kernel.h"

/* Magnitudes from here on round to infinity. */
#define VT_HALF_OVERFLOW 65520.0f

/* Rounds `count` finite values to nearest, ties to even; returns their largest magnitude. */
typedef float vt_halve_kernel(int64_t count, const float *from, uint16_t *to);
VT_DECLARE_KERNEL(halve);
