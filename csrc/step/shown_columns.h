/* Columns of vortons that nothing but a view has asked for. Density and temperature make fluid
 * buoyant where they are kept: whoever reads them in a scene without either changes nothing. */
#pragma once

#include "state/simulation.h"

/* Notes that the column is to be shown; where nothing kept it, nothing does until a view writes. */
void vti_show_column(vt_simulation *simulation, int column);

/* For a step: those of them that still hold what newborn vortons carry are not kept. */
void vti_put_aside(vt_simulation *simulation);

/* After it: they show that again, for the vortons that there are now. */
void vti_bring_back(vt_simulation *simulation);
