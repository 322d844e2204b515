/* Memory for arrays that come again with each frame of a film: volumes, files, states. The system
 * clears each page that it hands out; for a volume of a million tracers that takes as long as a
 * third of its making. So a large block that is given back stays ready for the next that fits,
 * while a simulation lives. Blocks in use and blocks that wait never take more together than half
 * as much again as those in use took at most. (To offer the system the pages that wait, MADV_FREE,
 * costs half of the gain.) */
#pragma once

#include <stddef.h>

/* Aligned to 16 bytes, behind huge pages where it is large, contents undefined; NULL when there is
 * no memory. What is borrowed is brought back; NULL is allowed. */
void *vti_borrow(size_t bytes);
void vti_return_borrowed(void *memory);

/* From the first call of vti_keep_spares on blocks are kept, until each has been answered by one of
 * vti_drop_spares. */
void vti_keep_spares(void);
void vti_drop_spares(void);
