#include "model/impulse.h"

void vti_take_open_lines(const double moment[3][3], const double arm[3], double lines[3])
{
    const double trace = moment[0][0] + moment[1][1] + moment[2][2];
    for (int c = 0; c < 3; c++) {
        lines[c] -= trace * arm[c] / 3;
        for (int k = 0; k < 3; k++)
            lines[c] += (moment[c][k] + moment[k][c]) * arm[k] / 6;
    }
}
