/* Status codes with a message: every function that can fail returns a vt_status and, on failure,
 * leaves one sentence for the caller in a buffer of the calling thread (vt_error_message). */
#ifndef VORTON_CORE_STATUS_H
#define VORTON_CORE_STATUS_H

#include "vorton.h"

/* Stores the formatted message for this thread and returns code, so that a check is one line:
 * return vt_fail(VT_INVALID_ARGUMENT, "dt must be positive and finite, got %g", dt); */
vt_status vt_fail(vt_status code, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
