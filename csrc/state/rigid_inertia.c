#include "state/rigid_inertia.h"

#include "base/symmetric_solve.h"

void vti_inertia_of(const vt_body *body, const double rotation[4], double fluid_density,
                    double matrix[6][6])
{
    const vt_rigid *const r = &body->rigid;
    double own[6][6], turn[3][3];
    vti_quaternion_matrix(rotation, turn);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            own[i][j] = fluid_density * r->added[i][j];
            if (i < 3 && i == j)
                own[i][j] += r->mass;
            if (i >= 3 && j >= 3)
                own[i][j] += r->inertia[i - 3][j - 3];
        }
    for (int block = 0; block < 4; block++) {
        const int row = 3 * (block / 2), column = 3 * (block % 2);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double sum = 0;
                for (int k = 0; k < 3; k++)
                    for (int l = 0; l < 3; l++)
                        sum += turn[i][k] * own[row + k][column + l] * turn[j][l];
                matrix[row + i][column + j] = sum;
            }
    }
}

void vti_solve_inertia(const double (*matrix)[6], const double right[6], double x[6])
{
    double factor[6][6];
    memcpy(factor, matrix, sizeof factor);
    vti_solve_symmetric(6, 6, factor[0], right, x);
}

/* matrix x */
static void multiply_inertia(const double (*matrix)[6], const double x[6], double product[6])
{
    for (int i = 0; i < 6; i++) {
        product[i] = 0;
        for (int j = 0; j < 6; j++)
            product[i] += matrix[i][j] * x[j];
    }
}

void vti_find_momentum(const vt_body *body, double driven_density, double momentum[6])
{
    const vt_rigid *const r = &body->rigid;
    double inertia[6][6], velocity[6];
    memcpy(velocity, r->velocity, sizeof r->velocity);
    memcpy(velocity + 3, r->angular, sizeof r->angular);
    vti_inertia_of(body, r->now.rotation, driven_density, inertia);
    multiply_inertia((const double (*)[6])inertia, velocity, momentum);
}

void vti_kick_body(vt_body *body, const double impulse[6], double to_body[6])
{
    vt_rigid *const r = &body->rigid;
    double both[6][6], own[6][6], change[6];
    vti_inertia_of(body, r->now.rotation, r->driven_density, both);
    vti_solve_inertia((const double (*)[6])both, impulse, change);
    vti_add_scaled(r->velocity, 1, change);
    vti_add_scaled(r->angular, 1, change + 3);
    if (!to_body)
        return;
    vti_inertia_of(body, r->now.rotation, 0, own);
    multiply_inertia((const double (*)[6])own, change, to_body);
}
