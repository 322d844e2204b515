
#include "animation/definition.h"
#include "base/status.h"
#include "field/sample.h"
#include "panels/near_cells.h"
#include "state/simulation.h"
#include "tracers/scalars.h"
#include "volume/volume.h"

typedef struct wind_task {
    const double *wind;
    float *velocity;
} wind_task;

static void add_wind(void *context, int64_t begin, int64_t end)
{
    const wind_task *const t = context;
    for (int64_t i = begin; i < end; i++)
        for (int axis = 0; axis < 3; axis++)
            t->velocity[3 * i + axis] += (float)t->wind[axis];
}

typedef struct flow {
    vt_simulation *simulation;
    double voxel_size;
    const uint8_t *near_panels; /* cells; NULL: there are none */
} flow;

_Static_assert((int)VT_SAMPLED_SIDE == (int)VT_LEAF_SIDE, "leaves are sampled whole");

static int velocity_of_leaf(const void *context, const int32_t origin[3], float *values)
{
    const flow *const f = context;
    double first[3];
    for (int c = 0; c < 3; c++)
        first[c] = f->voxel_size * origin[c];
    return vti_velocity_of_leaf(f->simulation, f->near_panels, first, f->voxel_size, values);
}

static vt_status velocity_of_simulation(void *context, int64_t count, const float *points,
                                        float *velocity)
{
    const flow *const f = context;
    vt_simulation *const s = f->simulation;
    wind_task task = {s->winds.velocity, velocity};
    vti_velocity_of_voxels(s, f->voxel_size, count, points, velocity);
    vti_parallel_for(s->def.threads, count, 8192, add_wind, &task);
    return VT_OK;
}

/* The velocity, too, takes no more threads than the volume may. */
static vt_status make_volume(vt_simulation *s, const vt_tracer_source *source,
                             const vt_volume_def *def, vt_volume **volume)
{
    const int32_t threads = s->def.threads;
    s->def.threads = def->threads < threads ? def->threads : threads;
    const vt_status status = vti_make_volume(source, velocity_of_leaf, def, volume);
    s->def.threads = threads;
    return status;
}

static void list_tracers(const vt_tracers *t, vt_tracer_source *source)
{
    source->count = t->set.count;
    source->position = t->position;
    source->density = t->density;
    source->size = t->size;
    source->temperature = vti_used_column(&t->set, VT_TRACER_temperature);
    source->fuel = vti_used_column(&t->set, VT_TRACER_fuel);
    source->flame = vti_used_column(&t->set, VT_TRACER_flame);
    source->smoke = vti_used_column(&t->set, VT_TRACER_smoke);
    source->growth = vti_used_column(&t->set, VT_TRACER_growth);
}

static vt_status create_now(vt_simulation *s, const vt_volume_def *def, vt_volume **volume)
{
    flow of_simulation = {s, def->voxel_size, NULL};
    vt_tracer_source source = {.velocity = velocity_of_simulation,
                               .context = &of_simulation,
                               .ambient_temperature = s->def.ambient.temperature,
                               .combustion = s->def.combustion,
                               .bodies = s};
    vt_volume_def own = *def;
    if (own.threads == 0)
        own.threads = s->def.threads;
    vt_status status = vti_solve_current(s);
    vti_use_tracer_column(s, VT_TRACER_density);
    vti_use_tracer_column(s, VT_TRACER_size);
    for (int n = 0; n < VT_TAKEN_COLUMNS && status == VT_OK; n++)
        if (s->vortons.set.used[vti_taken_from[n]])
            vti_use_tracer_column(s, vti_taken_column[n]);
    if (status == VT_OK && s->fields_exist)
        of_simulation.near_panels = vti_cells_near_panels(s);
    if (status == VT_OK)
        list_tracers(&s->tracers, &source);
    if (status == VT_OK)
        status = make_volume(s, &source, &own, volume);
    return status;
}

static vt_status create_volume_now(vt_simulation *simulation, const vt_volume_def *def,
                                   vt_volume **volume)
{
    if (!simulation)
        return vti_fail(VT_INVALID_ARGUMENT, "simulation must not be NULL");
    vt_status status = vti_check_volume_def(def, volume);
    if (status == VT_OK)
        status = vti_enter(simulation);
    return status ? status : vti_leave(simulation, create_now(simulation, def, volume));
}

vt_status vt_create_volume(vt_simulation *simulation, const vt_volume_def *def, vt_volume **volume)
{
    vt_accepted accepted;
    if (volume)
        *volume = NULL;
    vt_status status = vti_accept(&vti_volume_definition, def, &accepted);
    if (!status)
        status = create_volume_now(simulation, accepted.def, volume);
    vti_give_back(&accepted);
    return status;
}
