#include "model/warnings.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"

int vti_is_warned(const vt_warnings *w, vt_warning_kind kind)
{
    int32_t given = 0;
    for (int32_t n = 0; n < w->count; n++)
        given |= w->item[n].kind == (int32_t)kind;
    return given;
}

void vti_warn(vt_warnings *w, vt_warning_kind kind, int32_t source, const char *format, ...)
{
    va_list arguments;
    if (vti_is_warned(w, kind))
        return;
    w->item[w->count].kind = (int32_t)kind;
    w->item[w->count].source = source;
    va_start(arguments, format);
    vsnprintf(w->item[w->count].text, sizeof w->item[w->count].text, format, arguments);
    va_end(arguments);
    vti_tell("%s", w->item[w->count].text);
    w->count++;
}
