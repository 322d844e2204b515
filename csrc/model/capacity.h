/* How many vortons and tracers a simulation has room for. */
#pragma once

#include <stdint.h>

/* The most of each set that one may ask for. */
extern const int64_t vti_most_rows[2]; /* VT_VORTONS, VT_TRACERS */

/* Room for each set where the definition leaves it to the machine, which has so many bytes of
 * memory: as many rows as fit into half of it, but at least VT_USUAL_ROWS. */
int64_t vti_rows_in_memory(int set, uint64_t bytes);

/* 8 million: what a simulation has room for on a machine whose memory is not known. */
enum { VT_USUAL_ROWS = 1 << 23 };

/* Where there are no addresses for that, a simulation has less room, but not below this. */
enum { VT_FEWEST_ROWS = 1 << 16 };
