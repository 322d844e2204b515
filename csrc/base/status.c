#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[1024];

vt_status vti_fail(vt_status code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return code;
}

const char *vt_error_message(void)
{
    return message;
}

vt_status vti_hand_out(void *to, const void *from, size_t size)
{
    const size_t head = sizeof(size_t);
    size_t room = 0;
    if (to)
        memcpy(&room, to, sizeof room);
    if (room < head)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "the struct to be filled %s; allowed is a struct with its struct_size set",
                        to ? "has struct_size 0" : "is NULL");
    const size_t both = room < size ? room : size;
    memcpy((char *)to + head, (const char *)from + head, both - head);
    memset((char *)to + both, 0, room - both);
    return VT_OK;
}
