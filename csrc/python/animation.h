/* Tracks from dicts, and poses of transforms. */
#pragma once

#include "python/binding.h"

/* From a dict with the members of vt_track (evaluate_track says which); `name` is the parameter's,
 * for errors; its arrays are kept. Returns 0, or -1. */
int vti_py_to_track(PyObject *dict, const char *name, vt_track *track, PyObject *kept);

extern PyMethodDef vti_py_track_functions[];

/* Method of Simulation. */
PyObject *vti_py_pose(PyObject *self, PyObject *positional, PyObject *named);
