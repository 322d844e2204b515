/* A jet (vt_jet_def): a structure of which each pulse is a ring. */
#pragma once

#include "state/sources.h"

/* Checks a vt_jet_def and makes a structure of it: the error names the field, its value and what is
 * allowed. On failure there is nothing to destroy. */
vt_status vti_create_jet(const void *def, vt_structure *made);
