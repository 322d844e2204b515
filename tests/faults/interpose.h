/* Calls of the library to the system that are made to fail: allocations, reservations of addresses,
 * new threads, files that are opened.
 *
 * The program defines these functions itself, so the library, which it links, calls them here; a
 * call that comes from elsewhere goes on as it is. */
#pragma once

#include <stdint.h>

/* How calls fail once `after` of them have passed: that one alone, or all from there on. */
enum { ONE_FAILS, ALL_FAIL };

void fail_calls(int64_t after, int how);
void fail_no_calls(void);

/* Calls of the library since fail_calls, and how many of them were refused. */
int64_t calls_made(void);
int64_t calls_refused(void);

/* Blocks and ranges of addresses that the library holds now. */
int64_t blocks_held(void);
