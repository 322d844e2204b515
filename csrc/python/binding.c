#include "python/binding.h"

PyObject *vti_py_raise(const vt_py_state *state, vt_status status)
{
    PyObject *type = PyExc_RuntimeError;
    switch (status) {
    case VT_INVALID_ARGUMENT:
    case VT_NOT_FINITE:
        type = PyExc_ValueError;
        break;
    case VT_OUT_OF_MEMORY:
        type = PyExc_MemoryError;
        break;
    case VT_OVER_CAPACITY:
        type = state->capacity_error;
        break;
    case VT_BUSY:
        type = state->busy_error;
        break;
    case VT_IO:
        type = PyExc_OSError;
        break;
    case VT_BLOWN_UP:
        type = state->blow_up_error;
        break;
    case VT_CANCELLED:
    case VT_OK:
        break;
    }
    PyErr_SetString(type, vt_error_message());
    return NULL;
}

vt_simulation *vti_py_idle(PyObject *self)
{
    vt_py_simulation *const object = (vt_py_simulation *)self;
    if (!object->busy)
        return object->simulation;
    PyErr_SetString(vti_py_state_of(self)->busy_error,
                    "another thread is inside this simulation: wait for it, or give each thread "
                    "a simulation of its own");
    return NULL;
}

PyObject *vti_py_none_or_raise(PyObject *self, vt_status status)
{
    return status == VT_OK ? Py_NewRef(Py_None) : vti_py_raise(vti_py_state_of(self), status);
}
