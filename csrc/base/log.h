/* Messages about what went another way than was asked for: to whom the host named (vt_set_log). */
#pragma once

/* One sentence; nothing is done where nobody listens. */
void vti_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
