/* States of simulations as bytes. */
#pragma once

#include "python/binding.h"

PyObject *vti_py_save_state(PyObject *self, PyObject *number);
PyObject *vti_py_save_packed_state(PyObject *self, PyObject *number);
PyObject *vti_py_load_state(PyObject *self, PyObject *bytes);
PyObject *vti_py_take_over(PyObject *self, PyObject *positional);
PyObject *vti_py_show_between(PyObject *self, PyObject *positional);

extern PyMethodDef vti_py_archive_functions[];
