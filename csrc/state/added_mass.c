/* Potential flow around an ellipsoid of semi-axes a, b, c (Lamb, Hydrodynamics, 1932, articles 114
 * and 115): with
 *
 *   alpha = a b c integral of dl / ((a^2 + l) D) = 2/3 a b c R_D(b^2, c^2, a^2),
 *   D = sqrt((a^2 + l) (b^2 + l) (c^2 + l)),
 *
 * beta and gamma likewise, and alpha + beta + gamma = 2, it takes along
 *
 *   alpha / (2 - alpha) of the displaced fluid along a, and for turns about a of its moment
 *   (b^2 - c^2)^2 (gamma - beta) / (5 (2 (b^2 - c^2) + (b^2 + c^2) (beta - gamma))).
 *
 * R_D is Carlson's integral, by his duplication theorem (Numerische Mathematik 33, 1979). */
#include "state/added_mass.h"

#include "geometry/source_panels.h"

/* Carlson's R_D(x, y, z), x, y, z > 0. */
static double carlson_d(double x, double y, double z)
{
    double sum = 0, factor = 1;
    for (int n = 0; n < 30; n++) {
        const double lambda = vti_sqrt(x * y) + vti_sqrt(x * z) + vti_sqrt(y * z);
        sum += factor / (vti_sqrt(z) * (z + lambda));
        factor /= 4;
        x = (x + lambda) / 4;
        y = (y + lambda) / 4;
        z = (z + lambda) / 4;
    }
    return 3 * sum + factor / (z * vti_sqrt(z));
}

/* Eigenvectors of a symmetric matrix in the columns of v, by Jacobi's rotations; m becomes
 * diagonal.
 */
static void diagonalise(double m[3][3], double v[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            v[i][j] = i == j;
    for (int sweep = 0; sweep < 24; sweep++)
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                if (vti_abs(m[p][q]) <= 1e-16 * (vti_abs(m[p][p]) + vti_abs(m[q][q])))
                    continue;
                const double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
                const double root = vti_abs(theta) + vti_sqrt(theta * theta + 1);
                const double t = theta < 0 ? -1 / root : 1 / root;
                const double c = 1 / vti_sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < 3; k++) {
                    const double a = m[k][p], b = m[k][q], g = v[k][p], h = v[k][q];
                    m[k][p] = c * a - s * b;
                    m[k][q] = s * a + c * b;
                    v[k][p] = c * g - s * h;
                    v[k][q] = s * g + c * h;
                }
                for (int k = 0; k < 3; k++) {
                    const double a = m[p][k], b = m[q][k];
                    m[p][k] = c * a - s * b;
                    m[q][k] = s * a + c * b;
                }
            }
}

/* Shares of the displaced volume and of its fifth, m^2, along and about the axes. */
static void find_coefficients(const double square[3], double along[3], double about[3])
{
    double share[3], sum = 0;
    const double product = vti_sqrt(square[0]) * vti_sqrt(square[1]) * vti_sqrt(square[2]);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        share[i] = 2.0 / 3 * product * carlson_d(square[j], square[k], square[i]);
        sum += share[i];
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double difference = square[j] - square[k], both = square[j] + square[k];
        along[i] = share[i] / (sum - share[i]);
        about[i] = vti_abs(difference) <= 1e-6 * both
                       ? 0
                       : difference * difference * (share[k] - share[j]) /
                             (2 * difference + both * (share[j] - share[k]));
    }
}

static int has_good_panels(const vt_body *body)
{
    const vt_panel_set *const set = body->panels;
    if (set && !(body->bulk.volume > 0)) /* without mass nothing else is known of it */
        return 1;
    return set && !set->is_thin && body->solids[0].kind != VT_SHAPE_SPHERE &&
           !(vti_square_between(set->origin, body->center) > 1e-12 * set->length * set->length);
}

static void fill_ellipsoid(const vt_body *body, double matrix[6][6])
{
    double m[3][3], axes[3][3], square[3], along[3], about[3], largest = 0;
    const double s = body->scale, volume = body->bulk.volume;
    memcpy(m, body->bulk.spread, sizeof m);
    diagonalise(m, axes);
    for (int i = 0; i < 3; i++)
        largest = fmax(largest, m[i][i]);
    /* a leaf without any thickness would have an edge that moves infinitely fast */
    for (int i = 0; i < 3; i++)
        square[i] = 5 * fmax(m[i][i], 1e-6 * largest) / volume;
    find_coefficients(square, along, about);
    memset(matrix, 0, 36 * sizeof(double));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) {
                const double both = s * s * s * volume * axes[i][k] * axes[j][k];
                matrix[i][j] += both * along[k];
                matrix[i + 3][j + 3] += both * s * s * about[k] / 5;
            }
}

void vti_added_mass(const vt_body *body, double matrix[6][6])
{
    if (has_good_panels(body))
        vti_scale_added_mass(body->panels, body->scale, matrix);
    else
        fill_ellipsoid(body, matrix);
}
