#include "population/least_change.h"

#include "base/symmetric_solve.h"

/* Added to the normal equations, over what their diagonal is for strengths that lie around evenly:
 * sums that the vortons can hardly change, as when they all lie in a plane, are left as they are;
 * others get all but this share of what they lack. */
static const double softening = 1e-4;

/* One term of a component of the change: factor x (x^i y^j z^k). */
typedef struct term {
    double factor;
    int power[3];
} term;

/* Component c of change n: e, x_i e, (e cross x) cross x = x (e . x) - e |x|^2, with e along axis n
 * % 3. Returns the number of terms. */
static int find_terms(int n, int c, term terms[4])
{
    const int axis = n % 3;
    int count = 0;
    if (n < 3 && c == axis)
        terms[count++] = (term){1, {0, 0, 0}};
    if (n >= 3 && n < 12 && c == axis) {
        terms[count] = (term){1, {0, 0, 0}};
        terms[count++].power[n / 3 - 1] = 1;
    }
    if (n >= 12) {
        terms[count] = (term){1, {0, 0, 0}};
        terms[count].power[c]++;
        terms[count++].power[axis]++;
        for (int a = 0; a < 3 && c == axis; a++) {
            terms[count] = (term){-1, {0, 0, 0}};
            terms[count++].power[a] = 2;
        }
    }
    return count;
}

/* How much change m brings to sum n. */
static double find_entry(const double moment[VT_MONOMIALS], int m, int n)
{
    double entry = 0;
    for (int c = 0; c < 3; c++) {
        term a[4], b[4];
        const int of_a = find_terms(m, c, a), of_b = find_terms(n, c, b);
        for (int i = 0; i < of_a; i++)
            for (int j = 0; j < of_b; j++) {
                const int at =
                    vti_monomial(a[i].power[0] + b[j].power[0], a[i].power[1] + b[j].power[1],
                                 a[i].power[2] + b[j].power[2]);
                entry += a[i].factor * b[j].factor * moment[at];
            }
    }
    return entry;
}

/* Adds the softening: with what x is in the mean for each kind of sum, which does not depend on how
 * the axes lie. */
static void soften(int count, const double moment[VT_MONOMIALS],
                   double matrix[VT_INVARIANTS][VT_INVARIANTS])
{
    const double square = 1e-6 * moment[0] + /* for one vorton alone */
                          moment[vti_monomial(2, 0, 0)] + moment[vti_monomial(0, 2, 0)] +
                          moment[vti_monomial(0, 0, 2)];
    for (int n = 3; n < count; n++) /* any strengths can take the sum */
        matrix[n][n] += softening * (n < 12 ? square : square * square / moment[0]);
}

void vti_find_changes(int count, const double moment[VT_MONOMIALS],
                      const double missing[VT_INVARIANTS], double x[VT_INVARIANTS])
{
    double matrix[VT_INVARIANTS][VT_INVARIANTS];
    for (int m = 0; m < count; m++)
        for (int n = 0; n <= m; n++)
            matrix[m][n] = find_entry(moment, m, n);
    soften(count, moment, matrix);
    vti_solve_symmetric(count, VT_INVARIANTS, matrix[0], missing, x);
}
