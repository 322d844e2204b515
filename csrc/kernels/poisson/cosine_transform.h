/* Cosine transform (DCT-I) of VL independent lines at once, the sister of the sine transform.
 *
 *   out[k] = 2 in[0] + 2 (-1)^k in[n] + 4 sum_{j=1}^{n-1} in[j] cos(pi j k / n),   k = 0 .. n
 *
 * which is its own inverse up to the factor 8 n, too, and goes the same way with the same tables
 * (kernels/poisson/sine_transform.h): continued as an even sequence of period 2 n, the even points
 * are a line of half the length, with results e[k], k = 0 .. n / 2; the odd ones give, with the
 * same U, o[k] = Re U. Then out[k] = e[k] + o[k] and out[n - k] = e[k] - o[k]. The last line goes
 * the textbook way, with a running sum over the odd results. */
#pragma once

#include "kernels/poisson/sine_transform.h"

/* ---- a short line, by one complex transform of n / 2 points ---- */

VT_INLINE void vf_cosine_base(const vt_sine_tables *t, const vf *in, int step, vf *out, vf *z,
                              int n)
{
    const int points = n / 2;
    const vf first = in[0], last = in[n * step];
    vf sum = 2.0f * (first - last); /* becomes out[1] */
    z[0] = first + last;
    for (int j = 1; j < points; j++) {
        const vf a = in[j * step], b = in[(n - j) * step];
        const vf weight = vf_set(t->weight[j]), both = a + b, difference = a - b;
        z[j] = vf_fma(-weight, difference, both);
        z[n - j] = vf_fma(weight, difference, both);
        sum = vf_fma(vf_set(2.0f * t->weight[points - j]), difference, sum);
    }
    z[points] = 2.0f * in[points * step];
    const vfc *const c = (const vfc *)z;
    vfc_transform((vfc *)z, points, t->twiddle);

    /* Real parts are the even results, imaginary ones minus the differences of the odd ones. */
    out[0] = 2.0f * (c[0].re + c[0].im);
    out[n] = 2.0f * (c[0].re - c[0].im);
    const float *rotation = t->rotation;
    for (int k = 1; 2 * k <= points; k++, rotation += 2) {
        const vfc a = c[t->place[k]], b = c[t->place[points - k]];
        const vfc even = {a.re + b.re, a.im - b.im}, odd = {a.im + b.im, b.re - a.re};
        const vfc turned = vfc_turn(odd, rotation);
        out[2 * k] = even.re + turned.re;
        out[2 * k + 1] = -(even.im + turned.im);
        out[2 * (points - k)] = even.re - turned.re;
        out[2 * (points - k) + 1] = even.im - turned.im;
    }
    out[1] = sum;
    for (int k = 1; k < points; k++) {
        sum += out[2 * k + 1];
        out[2 * k + 1] = sum;
    }
}

/* ---- a long line ---- */

/* x[1], x[5], x[9] ... of the even continuation of the line beyond n. */
VT_INLINE void vf_cosine_pack(const vf *in, int step, vf *z, int n)
{
    for (int j = 0; j < n / 4; j++) {
        z[j] = in[(4 * j + 1) * step];
        z[n / 2 - 1 - j] = in[(4 * j + 3) * step];
    }
}

/* As vf_sine_add. */
VT_INLINE void vf_cosine_add(vf *out, int n, int k, vfc r, const float *w)
{
    const vf cosine = vf_set(w[0]), sine = vf_set(w[1]), even1 = out[k], even2 = out[n / 2 - k];
    const vf odd1 = vf_fma(cosine, r.re, sine * r.im), odd2 = vf_fma(sine, r.re, -(cosine * r.im));
    out[k] = even1 + odd1;
    out[n - k] = even1 - odd1;
    out[n / 2 - k] = even2 + odd2;
    out[n / 2 + k] = even2 - odd2;
}

/* As vf_sine_add_ends. */
VT_INLINE void vf_cosine_add_ends(vf *out, int n, vfc c)
{
    const float root8 = 2.82842712474619010f;
    const vf all = 4.0f * (c.re + c.im), middle = c.re - c.im;
    const vf first = out[0], even = out[n / 4];
    out[0] = first + all;
    out[n] = first - all;
    out[n / 4] = vf_fma(vf_set(root8), middle, even);
    out[n - n / 4] = vf_fma(vf_set(-root8), middle, even);
}

/* vf_cosine_transform: in and out are n + 1 vectors. */
#define VT_TRANSFORM cosine
#include "kernels/poisson/transform_of_length.h"
#undef VT_TRANSFORM
