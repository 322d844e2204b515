/* What the sine and the cosine transform have in common: a line of any length, from its halves.
 * Included once for each, with VT_TRANSFORM its name, after
 *
 *   vf_NAME_base      a short line
 *   vf_NAME_pack      the odd points of a long one
 *   vf_NAME_add       what they give at a frequency
 *   vf_NAME_add_ends  and where their transform is real
 *
 * and the lists of the usual lengths. It has no guard, and defines vf_NAME_transform. */
#define VT_JOINED(name, part) vf_##name##_##part
#define VT_NAMED(name, part) VT_JOINED(name, part)
#define VT_OF(part) VT_NAMED(VT_TRANSFORM, part)

VT_INLINE void VT_OF(merge)(const vt_sine_tables *t, vf *out, const vf *z, int n)
{
    const int points = n / 4;
    const vfc *const c = (const vfc *)z;
    VT_OF(add_ends)(out, n, c[0]);
    const float *w = t->rotation;
    for (int k = 1; 2 * k < points; k++, w += 6) {
        const vfc a = c[t->place[k]], b = c[t->place[points - k]];
        const vfc sum = {a.re + b.re, a.im - b.im}, difference = {a.im + b.im, b.re - a.re};
        const vfc turned = vfc_turn(difference, w);
        const vfc low = vfc_add(sum, turned), high = {sum.re - turned.re, turned.im - sum.im};
        VT_OF(add)(out, n, k, low, w + 2);
        VT_OF(add)(out, n, points - k, high, w + 4);
    }
    if (points % 2 == 0) {
        const vfc a = c[t->place[points / 2]];
        VT_OF(add)(out, n, points / 2, (vfc){2.0f * a.re, -2.0f * a.im}, w + 2);
    }
}

#define VT_LAST(n)                                                                                 \
    VT_INLINE void VT_OF(n)(const vt_sine_tables *t, const vf *in, int step, vf *out, vf *z)       \
    {                                                                                              \
        VT_OF(base)(t, in, step, out, z, n);                                                       \
    }
#define VT_SPLIT(n, half)                                                                          \
    void VT_OF(n)(const vt_sine_tables *t, const vf *in, int step, vf *out, vf *z)                 \
    {                                                                                              \
        VT_OF(pack)(in, step, z, n);                                                               \
        vfc_transform((vfc *)z, n / 4, t->twiddle);                                                \
        VT_OF(half)(t + 1, in, 2 * step, out, z + n / 2);                                          \
        VT_OF(merge)(t, out, z, n);                                                                \
    }
#define VT_SHORT(n, half) VT_INLINE VT_SPLIT(n, half)
#define VT_LONG(n, half) static VT_SPLIT(n, half)
VT_LAST_LENGTHS(VT_LAST)
VT_SHORT_LENGTHS(VT_SHORT)
VT_LONG_LENGTHS(VT_LONG)

/* in and out may be the same, as all reading goes before. z: n vectors of scratch. step: between
 * the points of in. */
static void VT_OF(transform)(const vt_sine_tables *t, const vf *in, int step, vf *out, vf *z)
{
    const int n = t->cells;
#define VT_CASE(n, ...)                                                                            \
    case n:                                                                                        \
        VT_OF(n)(t, in, step, out, z);                                                             \
        return;
    switch (n) {
        VT_SHORT_LENGTHS(VT_CASE)
        VT_LONG_LENGTHS(VT_CASE)
    }
    if (!vti_sine_splits(n)) {
        VT_OF(base)(t, in, step, out, z, n);
        return;
    }
    VT_OF(pack)(in, step, z, n);
    vfc_transform((vfc *)z, n / 4, t->twiddle);
    VT_OF(transform)(t + 1, in, 2 * step, out, z + n / 2);
    VT_OF(merge)(t, out, z, n);
}

#undef VT_CASE
#undef VT_LONG
#undef VT_SHORT
#undef VT_SPLIT
#undef VT_LAST
#undef VT_OF
#undef VT_NAMED
#undef VT_JOINED
