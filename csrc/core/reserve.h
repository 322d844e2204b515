/* Address ranges that never move: the whole capacity is reserved when a simulation is made, the
 * system commits pages (zeroed) as they are first touched. A view into one stays valid until
 * release. */
#ifndef VORTON_CORE_RESERVE_H
#define VORTON_CORE_RESERVE_H

#include <stddef.h>

/* A zero-filled range of at least bytes, aligned to 64 bytes; NULL when the system refuses. */
void *vt_reserve(size_t bytes);

/* Asks for huge pages behind the range: for arrays that are swept whole every step. */
void vt_reserve_huge(void *range, size_t bytes);

/* Gives the range back; NULL is allowed. bytes as reserved. */
void vt_release(void *range, size_t bytes);

#endif
