#include <stddef.h>

#include "core/status.h"
#include "io/volume.h"

static vt_status velocity_of_simulation(void *context, int64_t count, const float *points,
                                        float *velocity)
{
    return vt_velocity_at(context, count, points, velocity);
}

static vt_status tracer_column(vt_simulation *simulation, const char *name, const float **data)
{
    vt_array array;
    const vt_status status = vt_column(simulation, VT_TRACERS, name, &array);
    *data = status == VT_OK ? array.data : NULL;
    return status;
}

vt_status vt_create_volume(vt_simulation *simulation, const vt_volume_def *def, vt_volume **volume)
{
    if (!simulation)
        return vt_fail(VT_INVALID_ARGUMENT, "simulation must not be NULL");
    vt_tracer_source source = {.velocity = velocity_of_simulation, .context = simulation};
    vt_status status = vt_check_volume_def(def, volume);
    if (status == VT_OK)
        status = vt_update_fields(simulation); /* may permute the rows: before columns are read */
    if (status == VT_OK)
        status = tracer_column(simulation, "position", &source.position);
    if (status == VT_OK)
        status = tracer_column(simulation, "density", &source.density);
    if (status == VT_OK)
        status = tracer_column(simulation, "size", &source.size);
    if (status != VT_OK)
        return status;
    source.count = vt_count(simulation, VT_TRACERS);
    return vt_create_volume_from_tracers(&source, def, volume);
}
