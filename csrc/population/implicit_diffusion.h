/* Diffusion of strength and of heat over any time in one go, through the nodes of a lattice as wide
 * as the vortons are apart (kernels/grid/node_diffusion.h has the scheme):
 *
 *   node:    w = sum W c_i / sum W m_i       c: strength, or mass x warmth; m: volume, or mass
 *   vorton:  c_i += m_i sum W (w' - (1 - r) w) - r c_i
 *
 * with W the trilinear weights. r mixes what the lattice does not see, the differences between
 * vortons of one cell, which diffusion would level out at once: as far as this spreads things by
 * itself, r f (1 - f) cells^2 along an axis with f the place in a cell, the nodes around spread
 * them less. The sum of c is kept by construction, for any arrangement; no vorton beside a wall or
 * the ambient fluid loses anything to where no vorton is. The first moments of strength, and with
 * them linear and angular impulse, are restored by the least change. */
#pragma once

#include "vorton.h"

/* By reach2[0] (strength) and reach2[1] (heat), diffusivity x time, m^2; heat at the rate of
 * ambient fluid, and faster where fluid has expanded. least, most: bounds of the vortons, m. */
void vti_diffuse_implicitly(vt_simulation *s, const double reach2[2], const double least[3],
                            const double most[3]);
