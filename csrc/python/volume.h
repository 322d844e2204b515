/* The type Volume. */
#pragma once

#include "python/binding.h"
#include "volume/volume.h"

/* A new Volume that takes over the C one (freed on failure, too). */
PyObject *vti_py_new_volume(const vt_py_state *state, vt_volume *volume);
