/* Many bytes as 16 that have the same checksum (archive/checksum.h): by products of polynomials,
 * where the processor has them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/kernel.h"

enum { VT_CRC_FOLDED = 16 };

/* Of the first bytes, as many as it returns, and of the rest that lies before them: what is folded
 * has the same rest behind one of 0. Returns 0 where there are few, or no such products. */
typedef size_t vt_fold_crc_kernel(const uint8_t *bytes, size_t size, uint32_t rest,
                                  uint8_t folded[VT_CRC_FOLDED]);
VT_DECLARE_KERNEL(fold_crc);
