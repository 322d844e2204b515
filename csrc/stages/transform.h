/* Sine transform (DST-I) of VL independent lines at once: lanes are lines, so nothing is shuffled.
 *
 *   out[k] = 4 sum_{j=1}^{n-1} in[j] sin(pi j k / n),   k = 1 .. n - 1;  n = 2^a 3^b 5^c, even
 *
 * By one complex transform of n / 2 points: the input is combined so that the spectrum of the real
 * sequence holds the even frequencies directly and differences of the odd ones, which a running sum
 * undoes (Cooley, Lewis and Welch 1970; Press et al., Numerical Recipes, 12.3). Factors 1/2 along
 * the way are left out, which makes the 4. The transform is its own inverse up to the factor 8 n.
 *
 * The complex transform is decimation in frequency, in place: a pass of radix r over blocks of L
 * points puts the frequencies q modulo r into the q-th of r smaller blocks. Radix 5 and 3 go first,
 * then 4, the last pass is 8, 4 or 2 (vt_next_radix);
 * results lie at vt_sine_tables.place. Only + - * of floats, no
 * reassociation: lane for lane the same bits for every VL. */
#ifndef VORTON_STAGES_TRANSFORM_H
#define VORTON_STAGES_TRANSFORM_H

#include "core/simd.h"
#include "stages/poisson.h"

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

VT_INLINE vfc vfc_scale(float s, vfc a)
{
    return (vfc){s * a.re, s * a.im};
}

/* a - i b and a + i b. */
VT_INLINE vfc vfc_sub_i(vfc a, vfc b)
{
    return (vfc){a.re + b.im, a.im - b.re};
}

VT_INLINE vfc vfc_add_i(vfc a, vfc b)
{
    return (vfc){a.re - b.im, a.im + b.re};
}

/* a times w[0] + i w[1], the same for all lanes. */
VT_INLINE vfc vfc_turn(vfc a, const float *w)
{
    return (vfc){a.re * w[0] - a.im * w[1], a.re * w[1] + a.im * w[0]};
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
    const float half = 0.5f, sin60 = 0.866025403784438647f;
    const vfc sum = vfc_add(c[1], c[2]);
    const vfc turned = vfc_scale(sin60, vfc_sub(c[1], c[2]));
    const vfc middle = vfc_sub(c[0], vfc_scale(half, sum));
    c[0] = vfc_add(c[0], sum);
    c[1] = vfc_sub_i(middle, turned);
    c[2] = vfc_add_i(middle, turned);
}

VT_INLINE void vfc_transform4(vfc c[4])
{
    const vfc even = vfc_add(c[0], c[2]), odd = vfc_add(c[1], c[3]);
    const vfc a = vfc_sub(c[0], c[2]), b = vfc_sub(c[1], c[3]);
    c[0] = vfc_add(even, odd);
    c[1] = vfc_sub_i(a, b);
    c[2] = vfc_sub(even, odd);
    c[3] = vfc_add_i(a, b);
}

VT_INLINE void vfc_transform5(vfc c[5])
{
    const float cos72 = 0.309016994374947424f, sin72 = 0.951056516295153572f;
    const float cos144 = -0.809016994374947424f, sin144 = 0.587785252292473129f;
    const vfc s1 = vfc_add(c[1], c[4]), d1 = vfc_sub(c[1], c[4]);
    const vfc s2 = vfc_add(c[2], c[3]), d2 = vfc_sub(c[2], c[3]);
    const vfc a = vfc_add(c[0], vfc_add(vfc_scale(cos72, s1), vfc_scale(cos144, s2)));
    const vfc b = vfc_add(c[0], vfc_add(vfc_scale(cos144, s1), vfc_scale(cos72, s2)));
    const vfc e = vfc_add(vfc_scale(sin72, d1), vfc_scale(sin144, d2));
    const vfc f = vfc_sub(vfc_scale(sin144, d1), vfc_scale(sin72, d2));
    c[0] = vfc_add(c[0], vfc_add(s1, s2));
    c[1] = vfc_sub_i(a, e);
    c[2] = vfc_sub_i(b, f);
    c[3] = vfc_add_i(b, f);
    c[4] = vfc_add_i(a, e);
}

VT_INLINE void vfc_transform8(vfc c[8])
{
    const float root = 0.707106781186547524f;
    vfc even[4] = {c[0], c[2], c[4], c[6]}, odd[4] = {c[1], c[3], c[5], c[7]};
    vfc_transform4(even);
    vfc_transform4(odd);
    const vfc o1 = vfc_scale(root, vfc_sub_i(odd[1], odd[1]));
    const vfc o3 = vfc_scale(root, vfc_add_i(odd[3], odd[3]));
    c[0] = vfc_add(even[0], odd[0]);
    c[4] = vfc_sub(even[0], odd[0]);
    c[1] = vfc_add(even[1], o1);
    c[5] = vfc_sub(even[1], o1);
    c[2] = vfc_sub_i(even[2], odd[2]);
    c[6] = vfc_add_i(even[2], odd[2]);
    c[3] = vfc_sub(even[3], o3);
    c[7] = vfc_add(even[3], o3);
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
        const int radix = vt_next_radix(block);
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

/* ---- the sine transform ---- */

/* in and out: n vectors, [0] neither read nor written; may be the same. z: n vectors of scratch. */
VT_INLINE void vf_sine_transform_n(const vt_sine_tables *t, const vf *in, vf *out, vf *restrict z,
                                   int n)
{
    const int points = n / 2;
    z[0] = (vf){0};
    for (int j = 1; j < points; j++) {
        const vf sum = (in[j] + in[n - j]) * t->weight[j], difference = in[j] - in[n - j];
        z[j] = sum + difference;
        z[n - j] = sum - difference;
    }
    z[points] = 4.0f * in[points];
    vfc *const c = (vfc *)z;
    vfc_transform(c, points, t->twiddle);

    /* Spectrum of the real sequence from that of the complex one: frequencies k and points - k. */
    out[1] = c[0].re + c[0].im;
    for (int k = 1; 2 * k <= points; k++) {
        const vfc a = c[t->place[k]], b = c[t->place[points - k]];
        const float cosine = t->rotation[2 * k], sine = t->rotation[2 * k + 1];
        const vfc even = {a.re + b.re, a.im - b.im}, odd = {a.im + b.im, b.re - a.re};
        const vf re = cosine * odd.re + sine * odd.im, im = cosine * odd.im - sine * odd.re;
        out[2 * k] = -(even.im + im);
        out[2 * k + 1] = even.re + re;
        out[2 * (points - k)] = even.im - im;
        out[2 * (points - k) + 1] = even.re - re;
    }
    vf sum = out[1];
    for (int k = 1; k < points; k++) {
        sum += out[2 * k + 1];
        out[2 * k + 1] = sum;
    }
}

/* The common lengths are compiled by themselves: the loops over passes and radices vanish. */
static void vf_sine_transform(const vt_sine_tables *t, const vf *in, vf *out, vf *restrict z)
{
    switch (t->cells) {
    case 16:
        vf_sine_transform_n(t, in, out, z, 16);
        break;
    case 32:
        vf_sine_transform_n(t, in, out, z, 32);
        break;
    case 64:
        vf_sine_transform_n(t, in, out, z, 64);
        break;
    case 128:
        vf_sine_transform_n(t, in, out, z, 128);
        break;
    default:
        vf_sine_transform_n(t, in, out, z, t->cells);
    }
}

#endif
