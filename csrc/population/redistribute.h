/* Vortons that go hand what they carry to their neighbours.
 *
 * Shares w_j with sum w_j = 1 and sum w_j (x_j - x) = 0 keep the strength, and with it the linear
 * impulse 1/2 sum x cross alpha. The smallest such shares are w_j = (1, x_j - x) . M^-1 (1, 0, 0,
 * 0) with M the sum of the outer products of (1, x_j - x). Where the neighbours do not lie around
 * x, M cannot be inverted or the shares become large: then everything goes to the nearest one. */
#pragma once

#include "vorton.h"

/* Removes the rows where mask is not 0. What each carries goes to those that stay within `reach`
 * (m, > 0) of it, in shares that keep its strength and, where they lie around it, its impulse; rows
 * without such neighbours stay, and their mask becomes 0. */
void vti_redistribute(vt_simulation *s, double reach, uint8_t *mask);
