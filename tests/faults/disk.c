/* A disk that fails: a library to be loaded before all others (LD_PRELOAD). Calls that write below
 * a folder are counted, and fail from a given one on: that one alone, or all after it, too. Of a
 * full disk the first write still stores half of its bytes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[4096];
static size_t length;
static long passing = -1, made; /* -1: nothing fails, nothing counts */
static int code, fails_on, stored_half;

/* For the test: calls of this process below the folder fail once `after` have passed. */
void fail_writes(const char *below, long after, int error, int all)
{
    snprintf(folder, sizeof folder, "%s", below);
    length = strlen(folder);
    made = 0, code = error, fails_on = all, stored_half = 0, passing = after;
}

/* Nothing fails any more; how many calls there were. */
long stop_failing(void)
{
    passing = -1;
    return made;
}

static int is_below(const char *path)
{
    return passing >= 0 && path && strncmp(path, folder, length) == 0;
}

static int is_file_below(int file)
{
    char link[64], path[4096];
    if (passing < 0)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t size = readlink(link, path, sizeof path - 1);
    path[size > 0 ? size : 0] = 0;
    return is_below(path);
}

static int refuses(int counts)
{
    if (!counts)
        return 0;
    const long number = made++;
    if (number < passing || (number > passing && !fails_on))
        return 0;
    errno = code;
    return 1;
}

#define NEXT(result, name, ...)                                                                    \
    static result (*next)(__VA_ARGS__);                                                            \
    if (!next)                                                                                     \
    *(void **)&next = dlsym(RTLD_NEXT, #name)

ssize_t write(int file, const void *bytes, size_t size)
{
    NEXT(ssize_t, write, int, const void *, size_t);
    if (!refuses(is_file_below(file)))
        return next(file, bytes, size);
    if (code != ENOSPC || stored_half || size < 2)
        return -1;
    stored_half = 1;
    return next(file, bytes, size / 2);
}

#define VT_OF_FILE(name, ...)                                                                      \
    int name(int file __VA_OPT__(, off_t size))                                                    \
    {                                                                                              \
        NEXT(int, name, int __VA_OPT__(, off_t));                                                  \
        return refuses(is_file_below(file)) ? -1 : next(file __VA_OPT__(, size));                  \
    }
VT_OF_FILE(fsync)
VT_OF_FILE(ftruncate, size)
VT_OF_FILE(ftruncate64, size)

int truncate64(const char *path, off_t size)
{
    NEXT(int, truncate64, const char *, off_t);
    return refuses(is_below(path)) ? -1 : next(path, size);
}

int unlink(const char *path)
{
    NEXT(int, unlink, const char *);
    return refuses(is_below(path)) ? -1 : next(path);
}

int rmdir(const char *path)
{
    NEXT(int, rmdir, const char *);
    return refuses(is_below(path)) ? -1 : next(path);
}

int link(const char *from, const char *to)
{
    NEXT(int, link, const char *, const char *);
    return refuses(is_below(to)) ? -1 : next(from, to);
}

ssize_t sendfile64(int to, int from, off64_t *at, size_t size)
{
    NEXT(ssize_t, sendfile64, int, int, off64_t *, size_t);
    return refuses(is_file_below(to)) ? -1 : next(to, from, at, size);
}

int rename(const char *from, const char *to)
{
    NEXT(int, rename, const char *, const char *);
    return refuses(is_below(to)) ? -1 : next(from, to);
}

int mkdir(const char *path, mode_t mode)
{
    NEXT(int, mkdir, const char *, mode_t);
    return refuses(is_below(path)) ? -1 : next(path, mode);
}

#define VT_OPEN(name)                                                                              \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        NEXT(int, name, const char *, int, ...);                                                   \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;                            \
        va_end(rest);                                                                              \
        const int writes = flags & (O_CREAT | O_WRONLY | O_RDWR);                                  \
        return refuses(writes && is_below(path)) ? -1 : next(path, flags, mode);                   \
    }
VT_OPEN(open)
VT_OPEN(open64)
