#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

#include "vorton/host.h"

static vt_log_function *listener;
static void *listener_context;

void vt_set_log(vt_log_function *function, void *context)
{
    listener = function;
    listener_context = context;
}

void vti_tell(const char *format, ...)
{
    char message[512];
    va_list arguments;
    if (!listener)
        return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    listener(listener_context, message);
}
