#include "base/vec3.h"

void vti_quaternion_matrix(const double q[4], double m[3][3])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double rows[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                               {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                               {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(m, rows, sizeof rows);
}

int vti_solve_three(const double matrix[3][3], const double right[3], double x[3])
{
    double minor[3][3];
    for (int r = 0; r < 3; r++)
        vti_cross(matrix[(r + 1) % 3], matrix[(r + 2) % 3], minor[r]);
    const double determinant = vti_dot(matrix[0], minor[0]);
    if (!(fabs(determinant) > 0))
        return 0;
    for (int c = 0; c < 3; c++)
        x[c] = (right[0] * minor[0][c] + right[1] * minor[1][c] + right[2] * minor[2][c]) /
               determinant;
    return 1;
}
