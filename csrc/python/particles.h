/* Methods of the type Simulation that work on the columns. */
#pragma once

#include "python/numpy_api.h"

/* particles.c: methods that work on the columns */
PyObject *vti_py_add_vortons(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vti_py_add_tracers(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vti_py_remove(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vti_py_find_rows(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vti_py_column(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vti_py_tracers_carry(PyObject *self, PyObject *name);
PyObject *vti_py_count(PyObject *self, PyObject *set);
PyObject *vti_py_capacity(PyObject *self, PyObject *set);
