/* The headers of Python and NumPy: limited API of Python 3.11, NumPy 1.22 and later. */
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdio.h>

#define PY_ARRAY_UNIQUE_SYMBOL vorton_numpy
#ifndef VT_PY_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

/* Before anything of NumPy is used: 0, or -1 with an exception. */
int vti_py_import_numpy(void);
