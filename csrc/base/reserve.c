#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "base/reserve.h"

#include "base/threads.h"

static uint64_t machine_memory; /* bytes */

#if defined(_WIN32)

#include <windows.h>

void *vti_reserve(size_t bytes)
{
    return VirtualAlloc(NULL, bytes ? bytes : 1, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void *vti_reserve_vast(size_t bytes)
{
    return VirtualAlloc(NULL, bytes ? bytes : 1, MEM_RESERVE, PAGE_READWRITE);
}

int vti_commit(void *part, size_t bytes)
{
    return bytes == 0 || VirtualAlloc(part, bytes, MEM_COMMIT, PAGE_READWRITE) ? 0 : -1;
}

void vti_reserve_huge(void *range, size_t bytes)
{
    (void)range, (void)bytes; /* a privilege that users do not have */
}

void vti_release(void *range, size_t bytes)
{
    (void)bytes;
    if (range)
        VirtualFree(range, 0, MEM_RELEASE);
}

static void look(void)
{
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
    machine_memory = GlobalMemoryStatusEx(&memory) ? memory.ullTotalPhys : 0;
}

#else

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_NORESERVE /* nor does macOS count them */
#define MAP_NORESERVE 0
#endif

void *vti_reserve(size_t bytes)
{
    void *const range = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return range == MAP_FAILED ? NULL : range;
}

void *vti_reserve_vast(size_t bytes)
{
    return vti_reserve(bytes);
}

int vti_commit(void *part, size_t bytes)
{
    (void)part, (void)bytes;
    return 0;
}

void vti_reserve_huge(void *range, size_t bytes)
{
#if defined(MADV_HUGEPAGE)
    /* A wish: where it is refused everything still works, more slowly. */
    (void)madvise(range, bytes, MADV_HUGEPAGE);
#else
    (void)range, (void)bytes;
#endif
}

void vti_release(void *range, size_t bytes)
{
    if (range)
        munmap(range, bytes ? bytes : 1);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t number_in(const char *path)
{
    unsigned long long bytes;
    FILE *const file = fopen(path, "r");
    const int is_number = file && fscanf(file, "%llu", &bytes) == 1; /* not "max" */
    if (file)
        fclose(file);
    return is_number ? bytes : UINT64_MAX;
}

/* Of a group and of all that it lies in. Not all of them need be there: a container may see its own
 * as the root. */
static uint64_t limit_upward(const char *root, const char *below, char *group, const char *file)
{
    char path[2 * FILENAME_MAX];
    uint64_t limit = UINT64_MAX;
    for (char *end = group + strlen(group); end; end = strrchr(group, '/')) {
        *end = 0;
        snprintf(path, sizeof path, "%s%s%s/%s", root, below, group, file);
        limit = smaller(limit, number_in(path));
    }
    return limit;
}

/* Lines "number:controllers:/group"; in version 2 of control groups "0::/group". */
uint64_t vti_group_limit(const char *list, const char *root)
{
    char line[FILENAME_MAX];
    uint64_t limit = UINT64_MAX;
    FILE *const file = fopen(list, "r");
    while (file && fgets(line, sizeof line, file)) {
        char *const controllers = strchr(line, ':');
        char *const group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group = 0;
        group[1 + strcspn(group + 1, "\n")] = 0;
        if (controllers[1] == 0)
            limit = smaller(limit, limit_upward(root, "", group + 1, "memory.max"));
        else if (strstr(controllers, "memory"))
            limit =
                smaller(limit, limit_upward(root, "/memory", group + 1, "memory.limit_in_bytes"));
    }
    if (file)
        fclose(file);
    return limit;
}

static void look(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const uint64_t physical = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
    machine_memory = smaller(physical, vti_group_limit("/proc/self/cgroup", "/sys/fs/cgroup"));
}

#endif

uint64_t vti_machine_memory(void)
{
    static vt_once once = VT_NEW_ONCE;
    vti_call_once(&once, look);
    return machine_memory;
}
