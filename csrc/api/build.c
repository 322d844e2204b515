#include "base/parallel.h"
#include "vorton.h"

const char *vt_version(void)
{
    return VORTON_VERSION;
}

const char *vt_backend(void)
{
    return vti_parallel_backend();
}

/* The macros are for this file alone (setup.py): a change of the sources compiles no other. */
const char *vt_build(void)
{
    return VT_BUILD_COMPILER " | " VT_BUILD_FLAGS " | " VT_BUILD_SOURCES;
}
