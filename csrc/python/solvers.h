/* The solvers by themselves. */
#pragma once

#include "python/numpy_api.h"

extern PyMethodDef vti_py_solver_functions[];
