/* Status codes with a message: every function that can fail returns a vt_status and, on failure,
 * leaves one sentence for the caller in a buffer of the calling thread (vt_error_message). */
#pragma once

#include "vorton.h"

/* Stores the formatted message for this thread and returns code, so that a check is one line:
 * return vti_fail(VT_INVALID_ARGUMENT, "dt must be positive and finite, got %g", dt); */
vt_status vti_fail(vt_status code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Fills a struct of the program's, which says its size, from the library's own of `size` bytes:
 * writes no farther than either. VT_INVALID_ARGUMENT: NULL, or no size. */
vt_status vti_hand_out(void *to, const void *from, size_t size);
