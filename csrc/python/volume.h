/* The type Volume. */
#pragma once

#include "python/binding.h"
#include "volume/volume.h"

/* A new Volume that takes over the C one (freed on failure, too). */
PyObject *vti_py_new_volume(const vt_py_state *state, vt_volume *volume);

/* A memoryview of bytes that the library made, which are freed with the last view of them. */
PyObject *vti_py_view_of_bytes(uint8_t *bytes, int64_t size);
