/* Files by names in UTF-8, as all texts of the library are. */
#pragma once

#include <stdio.h>

/* fopen to read bytes; NULL with errno where it cannot be opened. */
FILE *vti_open_file(const char *path);
