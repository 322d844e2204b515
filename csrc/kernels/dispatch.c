#include "kernels/dispatch.h"

#include <stdatomic.h>
#include <stdlib.h>

#define VT_KERNEL_ROW(name) .name = VT_PASTE(scalar, name),
static const vt_stage_table scalar_stages = {
#include "kernels/kernels.def"
};
#undef VT_KERNEL_ROW

#if defined(__x86_64__)
#define VT_KERNEL_ROW(name) .name = VT_PASTE(avx2, name),
static const vt_stage_table avx2_stages = {
#include "kernels/kernels.def"
};
#undef VT_KERNEL_ROW
#define VT_KERNEL_ROW(name) .name = VT_PASTE(avx512, name),
static const vt_stage_table avx512_stages = {
#include "kernels/kernels.def"
};
#undef VT_KERNEL_ROW
#endif

enum { SCALAR, AVX2, AVX512 };
static const char *const names[] = {"scalar", "avx2", "avx512"};

/* The best target of this processor, or a lower one that VORTON_SIMD names. */
static int choose_target(void)
{
    int best = SCALAR;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        best = AVX2;
    if (best == AVX2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        best = AVX512;
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
