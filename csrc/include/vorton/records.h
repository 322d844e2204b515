/* Health of the flow, and where the time goes. */
#ifndef VORTON_RECORDS_H
#define VORTON_RECORDS_H

#include "vorton/simulation.h"

VT_BEGIN_C

/* Health of the flow, computed on request from the state and the fields of now; health.def lists
 * and explains the numbers. */
typedef struct vt_health {
    size_t struct_size;
#define VT_HEALTH_int32 int32_t
#define VT_HEALTH_int64 int64_t
#define VT_HEALTH_double double
#define VT_HEALTH(name, type, unit, description) VT_HEALTH_##type name;
#define VT_HEALTH_VECTOR(name, type, unit, description) VT_HEALTH_##type name[3];
#include "vorton/health.def"
#undef VT_HEALTH_int32
#undef VT_HEALTH_int64
#undef VT_HEALTH_double
} vt_health;
VT_API vt_status vt_get_health(vt_simulation *simulation, vt_health *health);

/* Time spent in a stage, by index (returns 0 past the last): its name, seconds in the last step,
 * seconds and calls since creation; timings.def lists and explains the stages. */
typedef struct vt_timing {
    size_t struct_size;
    const char *name;
    double last, total;
    int64_t calls;
} vt_timing;
VT_API int vt_get_timing(const vt_simulation *simulation, int index, vt_timing *timing);

VT_END_C

#endif
