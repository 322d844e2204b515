/* The table of NumPy's functions is defined here, for all files of the module. */
#define VT_PY_IMPORTS_NUMPY
#include "python/numpy_api.h"

int vti_py_import_numpy(void)
{
    import_array1(-1);
    return 0;
}
