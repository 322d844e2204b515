/* Reading archives (vorton/archive.h): where the frames of a file lie. */
#pragma once

#include <stdio.h>

#include "archive/checksum.h"
#include "vorton.h"

struct vt_archive {
    FILE *file;
    char *path, *text;
    uint64_t size;
    vt_archive_frame *frame;
    int64_t count;
    vt_crc crc;
};
