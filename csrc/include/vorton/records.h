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

/* Where the last step that failed with VT_BLOWN_UP did so: at the vorton that sets the length of
 * the substep, found by its velocity gradient, its speed or its buoyancy. */
typedef struct vt_blow_up {
    size_t struct_size;
    double time;            /* that the step had come to, s */
    int64_t vorton;         /* id; -1: no vorton is to blame, and there is no place */
    double position[3];     /* of that vorton, m */
    double gradient, speed; /* largest velocity gradient, 1/s, and speed, m/s, of all vortons */
    int32_t source;         /* id of that whose vortons were born nearest; -1: none were */
    double source_distance; /* from there, m; infinite without a source */
    int32_t body;           /* id of the body with the nearest wall; -1: there is none */
    double body_distance;   /* from that wall, m, below 0 inside of it; infinite without a body */
} vt_blow_up;

/* VT_INVALID_ARGUMENT: no step of this simulation blew up. */
VT_API vt_status vt_get_blow_up(const vt_simulation *simulation, vt_blow_up *blow_up);

/* A warning, by index in the order in which they were given (returns 0 past the last): the
 * simulation does as it was told, but hardly what was meant. One line, in the units of the
 * definitions; each kind is given once, and goes to the log of vorton/host.h, too. Copies have
 * those of the original. */
typedef struct vt_warning {
    size_t struct_size;
    int32_t source;   /* id of the source that is meant, -1: none */
    const char *text; /* belongs to the simulation */
} vt_warning;
VT_API int vt_get_warning(const vt_simulation *simulation, int index, vt_warning *warning);

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
