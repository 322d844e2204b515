/* Winds, force fields and kills. */
#ifndef VORTON_EFFECTS_H
#define VORTON_EFFECTS_H

#include "vorton/shapes.h"

VT_BEGIN_C

/* ---- wind ---- */

/* A uniform wind: wind.def. */
typedef struct vt_wind_def {
    size_t struct_size;
#include "vorton/wind.def"
} vt_wind_def;

/* At most 1024. */
VT_API vt_status vt_add_wind(vt_simulation *simulation, const vt_wind_def *def, int32_t *id);
VT_API vt_status vt_change_wind(vt_simulation *simulation, int32_t id, const vt_wind_def *def);

enum { VT_WIND_ZERO, VT_WIND_BORDER };

/* A wind that depends on the position: wind_grid.def. */
typedef struct vt_wind_grid_def {
    size_t struct_size;
#include "vorton/wind_grid.def"
} vt_wind_grid_def;

/* Copies the values. At most 1024. */
VT_API vt_status vt_add_wind_grid(vt_simulation *simulation, const vt_wind_grid_def *def,
                                  int32_t *id);
VT_API vt_status vt_change_wind_grid(vt_simulation *simulation, int32_t id,
                                     const vt_wind_grid_def *def);

/* ---- force fields ---- */

enum {
    VT_FORCE_ATTRACTOR,
    VT_FORCE_VORTEX,
    VT_FORCE_DRAG,
    VT_FORCE_UNIFORM,
    VT_FORCE_TURBULENCE,
    VT_FORCE_GRID,
    VT_FORCE_POINTS
};
enum { VT_FORCE_ON_TRACERS, VT_FORCE_ON_FLUID };

/* A force field, on tracers or on the fluid: force.def. */
typedef struct vt_force_def {
    size_t struct_size;
#include "vorton/force.def"
} vt_force_def;

/* At most 1024. Copies what it needs. */
VT_API vt_status vt_add_force(vt_simulation *simulation, const vt_force_def *def, int32_t *id);
VT_API vt_status vt_change_force(vt_simulation *simulation, int32_t id, const vt_force_def *def);

/* ---- removal ---- */

enum { VT_KILL_TRACERS, VT_KILL_VORTONS, VT_KILL_BOTH };

/* What removes particles at the end of each step: kill.def. */
typedef struct vt_kill_def {
    size_t struct_size;
#include "vorton/kill.def"
} vt_kill_def;

/* At most 1024. VT_INVALID_ARGUMENT also where no condition is given. */
VT_API vt_status vt_add_kill(vt_simulation *simulation, const vt_kill_def *def, int32_t *id);
VT_API vt_status vt_change_kill(vt_simulation *simulation, int32_t id, const vt_kill_def *def);

VT_END_C

#endif
