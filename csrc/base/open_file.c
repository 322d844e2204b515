#define _FILE_OFFSET_BITS 64

#include "base/open_file.h"

#if defined(_WIN32)

#include <errno.h>
#include <wchar.h>
#include <windows.h>

#include "base/memory.h"

/* fopen would take the name in the code page of the system. */
FILE *vti_open_file(const char *path)
{
    const int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
    if (length <= 0) {
        errno = EINVAL;
        return NULL;
    }
    wchar_t *const wide = vti_allocate((size_t)length * sizeof *wide);
    if (!wide) {
        errno = ENOMEM;
        return NULL;
    }
    MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, length);
    FILE *const file = _wfopen(wide, L"rb");
    vti_free(wide);
    return file;
}

#else

FILE *vti_open_file(const char *path)
{
    return fopen(path, "rb");
}

#endif
