/* What is removed at the end of a step: particles past their lifetime, and what a kill names. */
#pragma once

#include "state/kill.h"

vt_status vti_check_kill(const vt_kill_def *def);

/* Of a definition that was checked; VT_INVALID_ARGUMENT: no such parent. */
vt_status vti_make_kill(const vt_kill_def *def, vt_kill *kill);

/* Keeps the columns that it looks at from now on. */
void vti_use_kill_columns(vt_simulation *s, const vt_kill *kill);

/* Removes them from both sets; the others keep their order. */
void vti_remove_dead(vt_simulation *simulation);
