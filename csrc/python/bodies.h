/* Methods of Simulation that change bodies and look at them. */
#pragma once

#include "python/numpy_api.h"

/* bodies.c */
PyObject *vti_py_set_body(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vti_py_apply_impulse(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vti_py_bodies(PyObject *self, PyObject *arguments);
PyObject *vti_py_body_distance(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vti_py_panels(PyObject *self, PyObject *positional, PyObject *named);
