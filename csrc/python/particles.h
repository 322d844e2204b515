/* Methods of the type Simulation that work on the columns. */
#pragma once

#include "python/numpy_api.h"

/* Arrays that describe particles, one row each: widths[c] numbers in a row of arrays[c], as many
 * rows in all as arrays[0] (rows, 3) has. Returns 0, or -1 with an exception set. */
int vti_py_to_rows(PyObject *const objects[], char *const names[], const int widths[], int columns,
                   PyArrayObject *arrays[]);
void vti_py_release_rows(PyArrayObject *arrays[], int columns);

/* particles.c: methods that work on the columns */
PyObject *vti_py_add_vortons(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vti_py_add_tracers(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vti_py_remove(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vti_py_find_rows(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vti_py_column(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vti_py_tracers_carry(PyObject *self, PyObject *name);
PyObject *vti_py_count(PyObject *self, PyObject *set);
PyObject *vti_py_capacity(PyObject *self, PyObject *set);
