/* Small systems of linear equations. */
#pragma once

/* matrix x = right, for count unknowns, by Cholesky's factors: the matrix, `stride` from row to
 * row, is positive definite and symmetric; only its lower half is read, and becomes the factor. */
void vti_solve_symmetric(int count, int stride, double *matrix, const double *right, double *x);
