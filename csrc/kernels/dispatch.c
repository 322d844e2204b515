#include "kernels/dispatch.h"

#include <stdatomic.h>
#include <stdlib.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define VT_KERNEL_ROW(name) .name = VT_PASTE(scalar, name),
static const vt_stage_table scalar_stages = {
#include "kernels/kernels.def"
};

#if defined(__x86_64__)
#define VT_KERNEL_ROW(name) .name = VT_PASTE(avx2, name),
static const vt_stage_table avx2_stages = {
#include "kernels/kernels.def"
};
#define VT_KERNEL_ROW(name) .name = VT_PASTE(avx512, name),
static const vt_stage_table avx512_stages = {
#include "kernels/kernels.def"
};
#endif

enum { SCALAR, AVX2, AVX512 };
static const char *const names[] = {"scalar", "avx2", "avx512"};

#if defined(__x86_64__)
/* What the system keeps of the registers when it changes threads: register XCR0. */
static unsigned int kept_state(void)
{
    unsigned int low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

/* Asked of the processor itself: not every compiler has a runtime that knows it. Bits of CPUID as
 * in Intel's manual, volume 2, "CPUID"; those of XCR0 in volume 1, section 13.3. */
static int best_target(void)
{
    const unsigned int fma = bit_FMA | bit_AVX | bit_F16C | bit_PCLMUL | bit_OSXSAVE, avx = 0x06,
                       zmm = 0xe0;
    const unsigned int wide = bit_AVX512F | bit_AVX512DQ | bit_AVX512BW | bit_AVX512VL;
    unsigned int a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & fma) != fma)
        return SCALAR;
    const unsigned int kept = kept_state();
    if ((kept & avx) != avx || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2))
        return SCALAR;
    return (kept & zmm) == zmm && (b & wide) == wide ? AVX512 : AVX2;
}
#endif

/* The best target of this processor, or a lower one that VORTON_SIMD names. */
static int choose_target(void)
{
    int best = SCALAR;
#if defined(__x86_64__)
    best = best_target();
#endif
    const char *const forced = getenv("VORTON_SIMD");
    for (int target = SCALAR; forced && target < best; target++)
        if (strcmp(forced, names[target]) == 0)
            return target;
    return best;
}

static int target(void)
{
    static _Atomic int chosen = -1;
    int now = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (now < 0) {
        now = choose_target();
        atomic_store_explicit(&chosen, now, memory_order_relaxed);
    }
    return now;
}

const vt_stage_table *vti_stages(void)
{
#if defined(__x86_64__)
    if (target() == AVX512)
        return &avx512_stages;
    if (target() == AVX2)
        return &avx2_stages;
#endif
    return &scalar_stages;
}

const char *vt_simd(void)
{
    return names[target()];
}
