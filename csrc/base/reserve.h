/* Address ranges that never move: the whole capacity is reserved when a simulation is made, the
 * system commits pages (zeroed) as they are first touched. A view into one stays valid until
 * release. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A zero-filled range of at least bytes, aligned to 4096 bytes; NULL when the system refuses.
 * Windows, too, finds the pages when they are touched, but counts all of them from now on as memory
 * that it has promised. */
void *vti_reserve(size_t bytes);

/* The same for ranges of which little is used as a rule: what of them is to be touched is asked for
 * before by vti_commit, which returns 0, or -1 when the system refuses (who cannot say so goes on:
 * the process then ends as where memory ends elsewhere). What was asked for may be asked for
 * again. */
void *vti_reserve_vast(size_t bytes);
int vti_commit(void *part, size_t bytes);

/* Asks for huge pages behind the range: for arrays that are swept whole every step. */
void vti_reserve_huge(void *range, size_t bytes);

/* Gives the range back; NULL is allowed. bytes as reserved. */
void vti_release(void *range, size_t bytes);

/* How much memory the machine has for this process, bytes: the physical memory, or as much of it as
 * the control group of the process may take where that is less (containers); looked at once. 0: the
 * system does not tell. */
uint64_t vti_machine_memory(void);

#if !defined(_WIN32)
/* The least limit of the control groups that a list (/proc/self/cgroup) names, and of those that
 * they lie in, below the folder `root` (/sys/fs/cgroup); UINT64_MAX: there is none. */
uint64_t vti_group_limit(const char *list, const char *root);
#endif
