/* Warnings of a simulation: what it does, but a user can hardly have meant. Each kind once. */
#pragma once

#include <stdint.h>

typedef enum vt_warning_kind {
    VT_WARN_UNLIT_FUEL,
    VT_WARN_SLOW_DIFFUSION,
    VT_WARN_MANY_VORTONS,
    VT_WARN_LONG_WAKE,
    VT_WARN_THIN_TRAIL,
    VT_WARN_WIDE_PANELS,
    VT_WARN_PARTED_PANELS,
    VT_WARN_FEWER_PANELS,
    VT_WARN_LOST_LAYER,
    VT_WARN_LONG_WAY,
    VT_WARN_LITTLE_ROOM,
    VT_WARNING_KINDS
} vt_warning_kind;

typedef struct vt_warnings {
    int32_t count;
    struct {
        int32_t kind, source; /* source: id, -1: none is meant */
        char text[400];
    } item[VT_WARNING_KINDS];
} vt_warnings;

/* Whether that kind was given. */
int vti_is_warned(const vt_warnings *warnings, vt_warning_kind kind);

/* Gives a warning, unless that kind was given: into the records, and to the log. */
void vti_warn(vt_warnings *warnings, vt_warning_kind kind, int32_t source, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
