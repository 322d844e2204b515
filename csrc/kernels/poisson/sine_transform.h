/* Sine transform (DST-I) of VL independent lines at once: lanes are lines, so nothing is shuffled.
 *
 *   out[k] = 4 sum_{j=1}^{n-1} in[j] sin(pi j k / n),   k = 1 .. n - 1;  n = 2^a 3^b 5^c, even
 *
 * which is its own inverse up to the factor 8 n. Continued as an odd sequence x of period 2 n, the
 * even points of a line are a line of half the length, with results e[k], k = 1 .. n / 2 - 1. The
 * odd points are those of x[1], x[5], x[9] ... (n / 2 real numbers with the spectrum R) and their
 * mirror images; with U = R[k] exp(-pi i k / n) they give o[k] = -Im U and, as R[n/2 - k] = conj
 * R[k], also o[n/2 - k]. Then out[k] = o[k] + e[k] and out[n - k] = o[k] - e[k]. (The split-radix
 * idea; see Hollmann 1984. The running sum of the textbook DST has errors that grow with
 * n; this one is as accurate as a complex transform.) A line with odd n / 2, or of 4, is the last:
 * it goes the textbook way (Cooley, Lewis and Welch 1970), by a complex transform of n / 2 points.
 *
 * The complex transform is decimation in frequency, in place: a pass of radix r over blocks of L
 * points puts the frequencies q modulo r into the q-th of r smaller blocks. Radix 5 and 3 go first,
 * then 4, the last pass is 8, 4 or 2 (vti_next_radix); results lie at vt_sine_tables.place. Lane
 * for lane the operations are the same for every VL, and so are the bits. */
#pragma once

#include "base/simd.h"
#include "kernels/poisson/poisson_plan.h"

typedef struct vfc {
    vf re, im;
} vfc;

VT_INLINE vfc vfc_add(vfc a, vfc b)
{
    return (vfc){a.re + b.re, a.im + b.im};
}

VT_INLINE vfc vfc_sub(vfc a, vfc b)
{
    return (vfc){a.re - b.re, a.im - b.im};
}

/* s a + b */
VT_INLINE vfc vfc_fma(float s, vfc a, vfc b)
{
    return (vfc){vf_fma(vf_set(s), a.re, b.re), vf_fma(vf_set(s), a.im, b.im)};
}

/* b - i s a and b + i s a. */
VT_INLINE vfc vfc_fma_minus_i(float s, vfc a, vfc b)
{
    return (vfc){vf_fma(vf_set(s), a.im, b.re), vf_fma(vf_set(-s), a.re, b.im)};
}

VT_INLINE vfc vfc_fma_plus_i(float s, vfc a, vfc b)
{
    return (vfc){vf_fma(vf_set(-s), a.im, b.re), vf_fma(vf_set(s), a.re, b.im)};
}

/* b - i a and b + i a. */
VT_INLINE vfc vfc_minus_i(vfc a, vfc b)
{
    return (vfc){b.re + a.im, b.im - a.re};
}

VT_INLINE vfc vfc_plus_i(vfc a, vfc b)
{
    return (vfc){b.re - a.im, b.im + a.re};
}

/* w a with w = w[0] + i w[1], the same for all lanes. */
VT_INLINE vfc vfc_turn(vfc a, const float *w)
{
    const vf re = vf_set(w[0]), im = vf_set(w[1]);
    return (vfc){vf_fma(re, a.re, -(im * a.im)), vf_fma(re, a.im, im * a.re)};
}

/* ---- transforms of r points in registers: c[q] = sum_p c[p] exp(-2 pi i p q / r) ---- */

VT_INLINE void vfc_transform2(vfc c[2])
{
    const vfc a = c[0];
    c[0] = vfc_add(a, c[1]);
    c[1] = vfc_sub(a, c[1]);
}

VT_INLINE void vfc_transform3(vfc c[3])
{
    const float sin60 = 0.866025403784438647f;
    const vfc sum = vfc_add(c[1], c[2]), difference = vfc_sub(c[1], c[2]);
    const vfc middle = vfc_fma(-0.5f, sum, c[0]);
    c[0] = vfc_add(c[0], sum);
    c[1] = vfc_fma_minus_i(sin60, difference, middle);
    c[2] = vfc_fma_plus_i(sin60, difference, middle);
}

VT_INLINE void vfc_transform4(vfc c[4])
{
    const vfc even = vfc_add(c[0], c[2]), odd = vfc_add(c[1], c[3]);
    const vfc a = vfc_sub(c[0], c[2]), b = vfc_sub(c[1], c[3]);
    c[0] = vfc_add(even, odd);
    c[1] = vfc_minus_i(b, a);
    c[2] = vfc_sub(even, odd);
    c[3] = vfc_plus_i(b, a);
}

VT_INLINE void vfc_transform5(vfc c[5])
{
    const float cos72 = 0.309016994374947424f, sin72 = 0.951056516295153572f;
    const float cos144 = -0.809016994374947424f, sin144 = 0.587785252292473129f;
    const vfc s1 = vfc_add(c[1], c[4]), d1 = vfc_sub(c[1], c[4]);
    const vfc s2 = vfc_add(c[2], c[3]), d2 = vfc_sub(c[2], c[3]);
    const vfc a = vfc_fma(cos72, s1, vfc_fma(cos144, s2, c[0]));
    const vfc b = vfc_fma(cos144, s1, vfc_fma(cos72, s2, c[0]));
    c[0] = vfc_add(c[0], vfc_add(s1, s2));
    c[1] = vfc_fma_minus_i(sin72, d1, vfc_fma_minus_i(sin144, d2, a));
    c[2] = vfc_fma_minus_i(sin144, d1, vfc_fma_plus_i(sin72, d2, b));
    c[3] = vfc_fma_plus_i(sin144, d1, vfc_fma_minus_i(sin72, d2, b));
    c[4] = vfc_fma_plus_i(sin72, d1, vfc_fma_plus_i(sin144, d2, a));
}

VT_INLINE void vfc_transform8(vfc c[8])
{
    const float root = 0.707106781186547524f;
    vfc even[4] = {c[0], c[2], c[4], c[6]}, odd[4] = {c[1], c[3], c[5], c[7]};
    vfc_transform4(even);
    vfc_transform4(odd);
    const vfc o1 = vfc_minus_i(odd[1], odd[1]), o3 = vfc_plus_i(odd[3], odd[3]);
    c[0] = vfc_add(even[0], odd[0]);
    c[4] = vfc_sub(even[0], odd[0]);
    c[1] = vfc_fma(root, o1, even[1]);
    c[5] = vfc_fma(-root, o1, even[1]);
    c[2] = vfc_minus_i(odd[2], even[2]);
    c[6] = vfc_plus_i(odd[2], even[2]);
    c[3] = vfc_fma(-root, o3, even[3]);
    c[7] = vfc_fma(root, o3, even[3]);
}

/* ---- the complex transform ---- */

/* One transform of `radix` points that lie `stride` apart, then turned by radix - 1 twiddles. */
VT_INLINE void vfc_butterfly(vfc *z, int stride, int radix, const float *twiddle)
{
    vfc c[8];
    for (int q = 0; q < radix; q++)
        c[q] = z[q * stride];
    switch (radix) {
    case 2:
        vfc_transform2(c);
        break;
    case 3:
        vfc_transform3(c);
        break;
    case 4:
        vfc_transform4(c);
        break;
    case 5:
        vfc_transform5(c);
        break;
    default:
        vfc_transform8(c);
        break;
    }
    z[0] = c[0];
    for (int q = 1; q < radix; q++)
        z[q * stride] = twiddle ? vfc_turn(c[q], twiddle + 2 * (q - 1)) : c[q];
}

VT_INLINE void vfc_pass(vfc *z, int points, int block, int radix, const float *twiddle)
{
    const int stride = block / radix;
    for (int first = 0; first < points; first += block) {
        vfc_butterfly(z + first, stride, radix, NULL);
        for (int j = 1; j < stride; j++)
            vfc_butterfly(z + first + j, stride, radix, twiddle + 2 * (radix - 1) * (j - 1));
    }
}

VT_INLINE void vfc_transform(vfc *z, int points, const float *twiddle)
{
    for (int block = points; block > 1;) {
        const int radix = vti_next_radix(block);
        switch (radix) {
        case 2:
            vfc_pass(z, points, block, 2, twiddle);
            break;
        case 3:
            vfc_pass(z, points, block, 3, twiddle);
            break;
        case 4:
            vfc_pass(z, points, block, 4, twiddle);
            break;
        case 5:
            vfc_pass(z, points, block, 5, twiddle);
            break;
        default:
            vfc_pass(z, points, block, 8, twiddle);
            break;
        }
        block /= radix;
        twiddle += 2 * (radix - 1) * (block - 1);
    }
}

/* ---- the sine transform of a short line, by one complex transform of n / 2 points ---- */

VT_INLINE void vf_sine_base(const vt_sine_tables *t, const vf *in, int step, vf *out, vf *z, int n)
{
    const int points = n / 2;
    z[0] = (vf){0};
    for (int j = 1; j < points; j++) {
        const vf a = in[j * step], b = in[(n - j) * step];
        const vf weight = vf_set(t->weight[j]), sum = a + b, difference = a - b;
        z[j] = vf_fma(weight, sum, difference);
        z[n - j] = vf_fma(weight, sum, -difference);
    }
    z[points] = 4.0f * in[points * step];
    const vfc *const c = (const vfc *)z;
    vfc_transform((vfc *)z, points, t->twiddle);

    /* Spectrum of the real sequence from that of the complex one, frequencies k and points - k:
     * imaginary parts are the even results, real parts the differences of the odd ones. */
    out[1] = c[0].re + c[0].im;
    const float *rotation = t->rotation;
    for (int k = 1; 2 * k <= points; k++, rotation += 2) {
        const vfc a = c[t->place[k]], b = c[t->place[points - k]];
        const vfc even = {a.re + b.re, a.im - b.im}, odd = {a.im + b.im, b.re - a.re};
        const vfc turned = vfc_turn(odd, rotation);
        out[2 * k] = -(even.im + turned.im);
        out[2 * k + 1] = even.re + turned.re;
        out[2 * (points - k)] = even.im - turned.im;
        out[2 * (points - k) + 1] = even.re - turned.re;
    }
    vf sum = out[1];
    for (int k = 1; k < points; k++) {
        sum += out[2 * k + 1];
        out[2 * k + 1] = sum;
    }
}

/* ---- a long line: its odd points by a complex transform of n / 4 points, the even ones as a line
 * of half the length ---- */

/* x[1], x[5], x[9] ... of the odd continuation of the line beyond n. */
VT_INLINE void vf_sine_pack(const vf *in, int step, vf *z, int n)
{
    for (int j = 0; j < n / 4; j++) {
        z[j] = in[(4 * j + 1) * step];
        z[n / 2 - 1 - j] = -in[(4 * j + 3) * step];
    }
}

/* Adds what the odd points give, from their real transform r at frequency k; w is 2 cos and
 * 2 sin of pi k / n. out holds the transform of the even points, 1 .. n / 2 - 1. */
VT_INLINE void vf_sine_add(vf *out, int n, int k, vfc r, const float *w)
{
    const vf cosine = vf_set(w[0]), sine = vf_set(w[1]), even1 = out[k], even2 = out[n / 2 - k];
    const vf odd1 = vf_fma(sine, r.re, -(cosine * r.im)), odd2 = vf_fma(cosine, r.re, sine * r.im);
    out[k] = odd1 + even1;
    out[n - k] = odd1 - even1;
    out[n / 2 - k] = odd2 + even2;
    out[n / 2 + k] = odd2 - even2;
}

/* Where the transform of the odd points is real. */
VT_INLINE void vf_sine_add_ends(vf *out, int n, vfc c)
{
    const float root8 = 2.82842712474619010f;
    const vf middle = c.re - c.im, even = out[n / 4];
    out[n / 2] = 4.0f * (c.re + c.im);
    out[n / 4] = vf_fma(vf_set(root8), middle, even);
    out[n - n / 4] = vf_fma(vf_set(root8), middle, -even);
}

/* ---- any line ---- */

/* The usual lengths are compiled by themselves, where strides and loops are known: short ones
 * (n, n / 2) as a part of the longer ones. Where fma is made in software nothing is gained beside
 * it, and the compiler would take longer than for all other files of the library. */
#if VL == 4 && defined(__SSE2__)
#define VT_LAST_LENGTHS(_)
#define VT_SHORT_LENGTHS(_)
#define VT_LONG_LENGTHS(_)
#else
#define VT_LAST_LENGTHS(_) _(4) _(6) _(10) _(18) _(30)
#define VT_SHORT_LENGTHS(_) _(8, 4) _(16, 8) _(12, 6) _(20, 10)
#define VT_POWERS_OF_2(_) _(32, 16) _(64, 32) _(128, 64)
#define VT_MULTIPLES_OF_3(_) _(24, 12) _(48, 24) _(96, 48) _(36, 18) _(72, 36)
#define VT_MULTIPLES_OF_5(_) _(40, 20) _(80, 40) _(60, 30)
#define VT_LONG_LENGTHS(_) VT_POWERS_OF_2(_) VT_MULTIPLES_OF_3(_) VT_MULTIPLES_OF_5(_)
#endif

/* vf_sine_transform: in and out are n vectors, [0] neither read nor written. */
#define VT_TRANSFORM sine
#include "kernels/poisson/transform_of_length.h"
#undef VT_TRANSFORM
