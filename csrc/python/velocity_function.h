/* A Python function as the velocity of a volume's tracers. */
#pragma once

#include "python/binding.h"

/* Calls a Python function, the context, for the velocity at points. */
vt_status vti_py_ask_velocity(void *function, int64_t count, const float *points, float *velocity);
