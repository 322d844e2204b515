#include "core/status.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char message[512];

vt_status vt_fail(vt_status code, const char *format, ...)
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
