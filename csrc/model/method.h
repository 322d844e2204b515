/* The method of a simulation: defaults and ranges of its rows. */
#pragma once

#include "vorton.h"

vt_status vti_check_method(const vt_method *method);
