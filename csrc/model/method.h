/* The method of a simulation: defaults and ranges of its rows. */
#pragma once

#include "vorton.h"
