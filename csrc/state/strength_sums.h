/* Sums over the strengths of all vortons. */
#pragma once

#include "model/impulse.h"
#include "vorton.h"

/* About a point: of alpha, m^3/s, of x_i alpha_j, m^4/s, and of 1/3 x cross (x cross alpha), the
 * angular impulse, m^5/s. */
typedef struct vt_strengths {
    double sum[3], moment[3][3], angular[3];
} vt_strengths;

/* Over fixed blocks, which are added in their order: the same bits for any number of threads. */
vt_strengths vti_sum_strengths(vt_simulation *s, const double about[3]);

/* a += factor b */
void vti_add_strengths(vt_strengths *a, double factor, const vt_strengths *b);

/* 1/2 sum x cross alpha, and the angular impulse. */
vt_impulse vti_impulse_of(const vt_strengths *strengths);
