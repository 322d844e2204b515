/* Names of kernels: functions that are compiled once for every target. */
#pragma once

#define VT_PASTE2(a, b) vti_##a##_##b
#define VT_PASTE(a, b) VT_PASTE2(a, b)
#ifndef VT_TARGET
#define VT_TARGET scalar
#endif
/* VT_NAME(deposit) is vti_avx512_deposit in the avx512 build of the file, and so on. */
#define VT_NAME(name) VT_PASTE(VT_TARGET, name)

/* Declares the kernel `name` for every target; its type is vt_NAME_kernel. */
#define VT_DECLARE_KERNEL(name)                                                                    \
    vt_##name##_kernel VT_PASTE(scalar, name), VT_PASTE(avx2, name), VT_PASTE(avx512, name)
