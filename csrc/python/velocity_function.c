#include "python/velocity_function.h"

#include <string.h>

#include "python/convert.h"

/* The thread is the one that called in. An exception stays set, for the caller to find. */
vt_status vti_py_ask_velocity(void *function, int64_t count, const float *points, float *velocity)
{
    const PyGILState_STATE gil = PyGILState_Ensure();
    const npy_intp shape[2] = {(npy_intp)count, 3};
    PyObject *places = PyArray_SimpleNew(2, shape, NPY_FLOAT32);
    PyObject *answer = NULL;
    PyArrayObject *values = NULL;
    if (places) {
        memcpy(PyArray_DATA((PyArrayObject *)places), points, sizeof(float) * 3 * (size_t)count);
        answer = PyObject_CallFunctionObjArgs(function, places, NULL);
    }
    if (answer)
        values = vti_py_to_array(answer, "what velocity returned", NPY_FLOAT32, 2, shape);
    if (values)
        memcpy(velocity, PyArray_DATA(values), sizeof(float) * 3 * (size_t)count);
    Py_XDECREF(places);
    Py_XDECREF(answer);
    const vt_status status = values ? VT_OK : VT_INVALID_ARGUMENT;
    vti_py_release(values);
    PyGILState_Release(gil);
    return status;
}
