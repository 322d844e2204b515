#include "base/symmetric_solve.h"

#include "base/math_double.h"

void vti_solve_symmetric(int count, int stride, double *matrix, const double *right, double *x)
{
    for (int r = 0; r < count; r++) { /* the lower half becomes L, with L L^T the matrix */
        double *const row = matrix + r * stride;
        x[r] = right[r];
        for (int c = 0; c <= r; c++) {
            const double *const other = matrix + c * stride;
            double sum = row[c];
            for (int k = 0; k < c; k++)
                sum -= row[k] * other[k];
            row[c] = c < r ? sum / other[c] : vti_sqrt(sum);
        }
        for (int k = 0; k < r; k++)
            x[r] -= row[k] * x[k];
        x[r] /= row[r];
    }
    for (int r = count - 1; r >= 0; r--) {
        for (int k = r + 1; k < count; k++)
            x[r] -= matrix[k * stride + r] * x[k];
        x[r] /= matrix[r * stride + r];
    }
}
