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
VT_INLINE void vf_pack_odd_evenly(const vf *in, int step, vf *z, int n)
{
    for (int j = 0; j < n / 4; j++) {
        z[j] = in[(4 * j + 1) * step];
        z[n / 2 - 1 - j] = in[(4 * j + 3) * step];
    }
}

/* As vf_add_odd. */
VT_INLINE void vf_add_odd_evenly(vf *out, int n, int k, vfc r, const float *w)
{
    const vf cosine = vf_set(w[0]), sine = vf_set(w[1]), even1 = out[k], even2 = out[n / 2 - k];
    const vf odd1 = vf_fma(cosine, r.re, sine * r.im), odd2 = vf_fma(sine, r.re, -(cosine * r.im));
    out[k] = even1 + odd1;
    out[n - k] = even1 - odd1;
    out[n / 2 - k] = even2 + odd2;
    out[n / 2 + k] = even2 - odd2;
}

VT_INLINE void vf_merge_odd_evenly(const vt_sine_tables *t, vf *out, const vf *z, int n)
{
    const int points = n / 4;
    const vfc *const c = (const vfc *)z;
    const float root8 = 2.82842712474619010f;
    const vf all = 4.0f * (c[0].re + c[0].im), middle = c[0].re - c[0].im;
    const vf first = out[0], even = out[points];
    out[0] = first + all;
    out[n] = first - all;
    out[points] = vf_fma(vf_set(root8), middle, even);
    out[n - points] = vf_fma(vf_set(-root8), middle, even);
    const float *w = t->rotation;
    for (int k = 1; 2 * k < points; k++, w += 6) {
        const vfc a = c[t->place[k]], b = c[t->place[points - k]];
        const vfc sum = {a.re + b.re, a.im - b.im}, difference = {a.im + b.im, b.re - a.re};
        const vfc turned = vfc_turn(difference, w);
        const vfc low = vfc_add(sum, turned), high = {sum.re - turned.re, turned.im - sum.im};
        vf_add_odd_evenly(out, n, k, low, w + 2);
        vf_add_odd_evenly(out, n, points - k, high, w + 4);
    }
    if (points % 2 == 0) {
        const vfc a = c[t->place[points / 2]];
        vf_add_odd_evenly(out, n, points / 2, (vfc){2.0f * a.re, -2.0f * a.im}, w + 2);
    }
}

/* ---- any line ---- */

#define VT_LAST_COSINE(n)                                                                          \
    VT_INLINE void vf_cosine_##n(const vt_sine_tables *t, const vf *in, int step, vf *out, vf *z)  \
    {                                                                                              \
        vf_cosine_base(t, in, step, out, z, n);                                                    \
    }
#define VT_SPLIT_COSINE(n, half)                                                                   \
    void vf_cosine_##n(const vt_sine_tables *t, const vf *in, int step, vf *out, vf *z)            \
    {                                                                                              \
        vf_pack_odd_evenly(in, step, z, n);                                                        \
        vfc_transform((vfc *)z, n / 4, t->twiddle);                                                \
        vf_cosine_##half(t + 1, in, 2 * step, out, z + n / 2);                                     \
        vf_merge_odd_evenly(t, out, z, n);                                                         \
    }
#define VT_SHORT_COSINE(n, half) VT_INLINE VT_SPLIT_COSINE(n, half)
#define VT_LONG_COSINE(n, half) static VT_SPLIT_COSINE(n, half)
VT_LAST_LENGTHS(VT_LAST_COSINE)
VT_SHORT_LENGTHS(VT_SHORT_COSINE)
VT_LONG_LENGTHS(VT_LONG_COSINE)

/* in and out: n + 1 vectors; else as vf_sine_transform. */
static void vf_cosine_transform(const vt_sine_tables *t, const vf *in, int step, vf *out, vf *z)
{
    const int n = t->cells;
#define VT_CASE(n, ...)                                                                            \
    case n:                                                                                        \
        vf_cosine_##n(t, in, step, out, z);                                                        \
        return;
    switch (n) {
        VT_SHORT_LENGTHS(VT_CASE)
        VT_LONG_LENGTHS(VT_CASE)
    }
#undef VT_CASE
    if (!vti_sine_splits(n)) {
        vf_cosine_base(t, in, step, out, z, n);
        return;
    }
    vf_pack_odd_evenly(in, step, z, n);
    vfc_transform((vfc *)z, n / 4, t->twiddle);
    vf_cosine_transform(t + 1, in, 2 * step, out, z + n / 2);
    vf_merge_odd_evenly(t, out, z, n);
}
