#include "simulation.h"

vt_simulation *vt_py_idle(PyObject *self)
{
    vt_py_simulation *const object = (vt_py_simulation *)self;
    if (!object->busy)
        return object->simulation;
    PyErr_SetString(vt_py_state_of(self)->busy_error,
                    "another thread is inside this simulation: wait for it, or give each thread "
                    "a simulation of its own");
    return NULL;
}

PyObject *vt_py_none_or_raise(PyObject *self, vt_status status)
{
    return status == VT_OK ? Py_NewRef(Py_None) : vt_py_raise(vt_py_state_of(self), status);
}

/* ---- life ---- */

static const vt_py_field ambient_fields[] = {
    {"kind", VT_PY_CHOICE, offsetof(vt_ambient, kind), "gas liquid"},
    {"density", VT_PY_FINITE, offsetof(vt_ambient, density), NULL},
    {"temperature", VT_PY_FINITE, offsetof(vt_ambient, temperature), NULL},
    {"stratification", VT_PY_FINITE, offsetof(vt_ambient, stratification), NULL},
    {"expansion", VT_PY_FINITE, offsetof(vt_ambient, expansion), NULL},
    {NULL, VT_PY_OBJECT, 0, NULL}};

typedef struct simulation_arguments {
    vt_simulation_def def;
    PyObject *method, *ambient, *combustion, *animations;
} simulation_arguments;

static const vt_py_field simulation_fields[] = {
    {"max_vortons", VT_PY_INT64, offsetof(simulation_arguments, def.max_vortons), NULL},
    {"max_tracers", VT_PY_INT64, offsetof(simulation_arguments, def.max_tracers), NULL},
    {"max_nodes", VT_PY_INT64, offsetof(simulation_arguments, def.max_nodes), NULL},
    {"spacing", VT_PY_FINITE, offsetof(simulation_arguments, def.spacing), NULL},
    {"gravity", VT_PY_VECTOR, offsetof(simulation_arguments, def.gravity), NULL},
    {"ambient", VT_PY_OBJECT, offsetof(simulation_arguments, ambient), NULL},
    {"combustion", VT_PY_OBJECT, offsetof(simulation_arguments, combustion), NULL},
    {"viscosity", VT_PY_FINITE, offsetof(simulation_arguments, def.viscosity), NULL},
    {"thermal_diffusivity", VT_PY_FINITE, offsetof(simulation_arguments, def.thermal_diffusivity),
     NULL},
    {"dissipation", VT_PY_FINITE, offsetof(simulation_arguments, def.dissipation), NULL},
    {"wind", VT_PY_VECTOR, offsetof(simulation_arguments, def.wind), NULL},
    {"seed", VT_PY_UINT64, offsetof(simulation_arguments, def.seed), NULL},
    {"threads", VT_PY_INT32, offsetof(simulation_arguments, def.threads), NULL},
    {"at_capacity", VT_PY_CHOICE, offsetof(simulation_arguments, def.at_capacity),
     "error oldest stop"},
    {"method", VT_PY_OBJECT, offsetof(simulation_arguments, method), NULL},
    {"animations", VT_PY_OBJECT, offsetof(simulation_arguments, animations), NULL},
    {NULL, VT_PY_OBJECT, 0, NULL}};

static PyObject *simulation_new(PyTypeObject *type, PyObject *positional, PyObject *named)
{
    simulation_arguments arguments = {.def = vt_default_simulation()};
    if (vt_py_fill_arguments("Simulation", positional, named, simulation_fields, &arguments) < 0 ||
        vt_py_to_method(arguments.method, &arguments.def.method) < 0 ||
        vt_py_fill("ambient", arguments.ambient, ambient_fields, &arguments.def.ambient) < 0 ||
        vt_py_to_combustion(arguments.combustion, &arguments.def.combustion) < 0)
        return NULL;
    vt_py_animations animations;
    if (vt_py_to_animations(arguments.animations, &animations) < 0)
        return NULL;
    arguments.def.animation_count = animations.count;
    arguments.def.animations = animations.items;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    vt_py_simulation *self = (vt_py_simulation *)allocate(type, 0);
    if (!self) {
        vt_py_release_animations(&animations);
        return NULL;
    }
    const vt_status status = vt_create_simulation(&arguments.def, &self->simulation);
    vt_py_release_animations(&animations);
    if (status == VT_OK)
        return (PyObject *)self;
    vt_py_raise(PyType_GetModuleState(type), status);
    self->simulation = NULL;
    Py_DECREF(self);
    return NULL;
}

static PyObject *copy(PyObject *self, PyObject *positional, PyObject *named)
{
    static const char *const names[] = {"max_vortons", "max_tracers"};
    int64_t room[2] = {0, 0};
    static char *keywords[] = {"max_vortons", "max_tracers", NULL};
    PyObject *asked[2] = {NULL, NULL};
    if (!PyArg_ParseTupleAndKeywords(positional, named, "|$OO:copy", keywords, &asked[0],
                                     &asked[1]))
        return NULL;
    for (int n = 0; n < 2; n++)
        if (asked[n] && vt_py_to_int64(asked[n], names[n], 0, INT64_MAX, &room[n]) < 0)
            return NULL;
    vt_simulation *const simulation = vt_py_idle(self);
    allocfunc allocate = (allocfunc)PyType_GetSlot(Py_TYPE(self), Py_tp_alloc);
    vt_py_simulation *const other =
        simulation ? (vt_py_simulation *)allocate(Py_TYPE(self), 0) : NULL;
    if (!other)
        return NULL;
    vt_status status;
    VT_PY_WITHOUT_GIL(
        self, status = vt_copy_simulation(simulation, room[0], room[1], &other->simulation));
    if (status == VT_OK)
        return (PyObject *)other;
    Py_DECREF(other);
    return vt_py_raise(vt_py_state_of(self), status);
}

static PyObject *set_method(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"method", NULL};
    PyObject *dict;
    vt_method method = vt_default_method();
    if (!PyArg_ParseTupleAndKeywords(positional, named, "O:set_method", names, &dict) ||
        vt_py_to_method(dict, &method) < 0)
        return NULL;
    vt_simulation *const simulation = vt_py_idle(self);
    vt_status status;
    if (!simulation)
        return NULL;
    VT_PY_WITHOUT_GIL(self, status = vt_set_method(simulation, &method));
    return vt_py_none_or_raise(self, status);
}

static void simulation_dealloc(PyObject *self)
{
    PyTypeObject *const type = Py_TYPE(self);
    vt_destroy_simulation(((vt_py_simulation *)self)->simulation);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* ---- time ---- */

static PyObject *step(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"dt", "count", NULL};
    PyObject *dt_object, *count_object = NULL;
    double dt;
    int64_t count = 1;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "O|O:step", names, &dt_object,
                                     &count_object) ||
        vt_py_to_double(dt_object, "dt", 0, &dt) < 0 ||
        (count_object && vt_py_to_int64(count_object, "count", 0, INT64_MAX, &count) < 0))
        return NULL;
    for (int64_t i = 0; i < count; i++) {
        vt_simulation *const simulation = vt_py_idle(self);
        vt_status status;
        if (!simulation)
            return NULL;
        VT_PY_WITHOUT_GIL(self, status = vt_step(simulation, dt));
        if (status != VT_OK)
            return vt_py_raise(vt_py_state_of(self), status);
        if (PyErr_CheckSignals() < 0)
            return NULL;
    }
    return Py_NewRef(Py_None);
}

static PyObject *update_fields(PyObject *self, PyObject *Py_UNUSED(arguments))
{
    vt_simulation *const simulation = vt_py_idle(self);
    vt_status status;
    if (!simulation)
        return NULL;
    VT_PY_WITHOUT_GIL(self, status = vt_update_fields(simulation));
    return vt_py_none_or_raise(self, status);
}

static PyObject *get_time(PyObject *self, void *Py_UNUSED(closure))
{
    const vt_simulation *const simulation = vt_py_idle(self);
    return simulation ? PyFloat_FromDouble(vt_time(simulation)) : NULL;
}

static PyObject *get_step_count(PyObject *self, void *Py_UNUSED(closure))
{
    const vt_simulation *const simulation = vt_py_idle(self);
    return simulation ? PyLong_FromLongLong(vt_step_count(simulation)) : NULL;
}

/* ---- fields and volumes ---- */

static PyObject *grid(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"name", NULL};
    const char *name;
    vt_array array;
    double origin[3], spacing;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "s:grid", names, &name))
        return NULL;
    vt_simulation *const simulation = vt_py_idle(self);
    if (!simulation)
        return NULL;
    const vt_status status = vt_get_grid(simulation, name, &array, origin, &spacing);
    if (status != VT_OK)
        return vt_py_raise(vt_py_state_of(self), status);
    PyObject *view = vt_py_view(&array, self, 0);
    if (!view)
        return NULL;
    return Py_BuildValue("N(ddd)d", view, origin[0], origin[1], origin[2], spacing);
}

static PyObject *velocity_at(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"points", NULL};
    static const npy_intp shape[2] = {-1, 3};
    PyObject *points_object, *velocity = NULL;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "O:velocity_at", names, &points_object))
        return NULL;
    PyArrayObject *points = vt_py_to_array(points_object, "points", NPY_FLOAT32, 2, shape);
    if (points)
        velocity = PyArray_SimpleNew(2, PyArray_DIMS(points), NPY_FLOAT32);
    vt_simulation *const simulation = velocity ? vt_py_idle(self) : NULL;
    vt_status status = VT_OK;
    if (simulation) {
        const int64_t rows = PyArray_DIM(points, 0);
        const float *const from = PyArray_DATA(points);
        float *const to = PyArray_DATA((PyArrayObject *)velocity);
        VT_PY_WITHOUT_GIL(self, status = vt_velocity_at(simulation, rows, from, to));
    }
    vt_py_release(points);
    if (simulation && status == VT_OK)
        return velocity;
    Py_XDECREF(velocity);
    return simulation ? vt_py_raise(vt_py_state_of(self), status) : NULL;
}

static PyObject *volume(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"voxel_size", "velocity_margin", "threads", "sharp", NULL};
    PyObject *size = NULL, *margin = NULL, *threads = NULL, *sharp = NULL;
    vt_volume_def def = vt_default_volume();
    if (!PyArg_ParseTupleAndKeywords(positional, named, "O|OOO:volume", names, &size, &margin,
                                     &threads, &sharp) ||
        vt_py_to_double(size, "voxel_size", 0, &def.voxel_size) < 0 ||
        (margin && vt_py_to_double(margin, "velocity_margin", 0, &def.velocity_margin) < 0) ||
        (threads && vt_py_to_int32(threads, "threads", &def.threads) < 0) ||
        (sharp && vt_py_to_bool(sharp, "sharp", &def.sharp) < 0))
        return NULL;
    vt_simulation *const simulation = vt_py_idle(self);
    vt_volume *result = NULL;
    vt_status status;
    if (!simulation)
        return NULL;
    VT_PY_WITHOUT_GIL(self, status = vt_create_volume(simulation, &def, &result));
    if (status != VT_OK)
        return vt_py_raise(vt_py_state_of(self), status);
    return vt_py_new_volume(vt_py_state_of(self), result);
}

/* ---- records ---- */

static const vt_py_field health_fields[] = {
#define VT_PY_HEALTH_int64 VT_PY_INT64
#define VT_PY_HEALTH_int32 VT_PY_INT32
#define VT_PY_HEALTH_double VT_PY_DOUBLE
#define VT_PY_HEALTH_VECTOR_int32 VT_PY_INTS3
#define VT_PY_HEALTH_VECTOR_double VT_PY_VECTOR
#define VT_HEALTH(name, type, unit, description)                                                   \
    {#name, VT_PY_HEALTH_##type, offsetof(vt_health, name), NULL},
#define VT_HEALTH_VECTOR(name, type, unit, description)                                            \
    {#name, VT_PY_HEALTH_VECTOR_##type, offsetof(vt_health, name), NULL},
#include "vorton/health.def"
    {NULL, VT_PY_OBJECT, 0, NULL}};

static PyObject *health(PyObject *self, PyObject *Py_UNUSED(arguments))
{
    vt_simulation *const simulation = vt_py_idle(self);
    vt_health numbers;
    vt_status status;
    if (!simulation)
        return NULL;
    VT_PY_WITHOUT_GIL(self, status = vt_get_health(simulation, &numbers));
    if (status != VT_OK)
        return vt_py_raise(vt_py_state_of(self), status);
    return vt_py_to_dict(health_fields, &numbers);
}

static PyObject *timings(PyObject *self, PyObject *Py_UNUSED(arguments))
{
    const vt_simulation *const simulation = vt_py_idle(self);
    PyObject *list = simulation ? PyList_New(0) : NULL;
    vt_timing timing;
    for (int i = 0; list && vt_get_timing(simulation, i, &timing); i++) {
        PyObject *row =
            Py_BuildValue("{s:s, s:d, s:d, s:L}", "name", timing.name, "last", timing.last, "total",
                          timing.total, "calls", (long long)timing.calls);
        if (!row || PyList_Append(list, row) < 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* ---- the type ---- */

static PyMethodDef methods[] = {
    {"step", VT_PY_FUNCTION(step), METH_VARARGS | METH_KEYWORDS,
     "step($self, /, dt, count=1)\n--\n\n"
     "Advances count times by dt > 0 seconds (0 changes nothing).\n\n"
     "Other Python threads run meanwhile; Ctrl-C is seen between two steps."},
    {"copy", VT_PY_FUNCTION(copy), METH_VARARGS | METH_KEYWORDS,
     "copy($self, /, *, max_vortons=0, max_tracers=0)\n--\n\n"
     "A second simulation in the same state, with this much room (0: as much as here)."},
    {"set_method", VT_PY_FUNCTION(set_method), METH_VARARGS | METH_KEYWORDS,
     "set_method($self, /, method)\n--\n\n"
     "Goes on with another method, a dict as Simulation takes it: all of it, what is left out is\n"
     "the default."},
    {"update_fields", update_fields, METH_NOARGS,
     "update_fields($self, /)\n--\n\n"
     "Brings the fields up to date with the particles, without moving anything."},
    {"add_ring", VT_PY_FUNCTION(vt_py_add_ring), METH_VARARGS | METH_KEYWORDS,
     "add_ring($self, /, *, center=..., axis=..., radius=..., major=..., circulation=..., "
     "core=..., vorton_core=..., wobble=..., wobble_seed=..., sections=..., layers=..., "
     "time=..., parent=..., fluid=...)\n--\n\n"
     "Adds a vortex ring; vorton.h (vt_ring_def) has units, ranges and defaults."},
    {"add_filament", VT_PY_FUNCTION(vt_py_add_filament), METH_VARARGS | METH_KEYWORDS,
     "add_filament($self, /, *, points=..., closed=..., circulation=..., core=..., "
     "vorton_core=..., sections=..., layers=..., time=..., parent=..., fluid=...)\n--\n\n"
     "Adds a vortex line along a curve; vorton.h (vt_filament_def) has units, ranges and "
     "defaults."},
    {"add_tube", VT_PY_FUNCTION(vt_py_add_tube), METH_VARARGS | METH_KEYWORDS,
     "add_tube($self, /, *, start=..., end=..., circulation=..., core=..., vorton_core=..., "
     "wobble=..., wobble_seed=..., sections=..., layers=..., time=..., parent=..., "
     "fluid=...)\n--\n\n"
     "Adds a straight vortex tube; vorton.h (vt_tube_def) has units, ranges and defaults."},
    {"add_jet", VT_PY_FUNCTION(vt_py_add_jet), METH_VARARGS | METH_KEYWORDS,
     "add_jet($self, /, *, center=..., axis=..., radius=..., speed=..., rate=..., duty=..., "
     "circulation=..., start=..., end=..., core=..., vorton_core=..., wobble=..., tilt=..., "
     "seed=..., sections=..., layers=..., parent=..., fluid=..., animations=...)\n--\n\n"
     "Adds a jet that pulses vortex rings; vorton.h (vt_jet_def) has units, ranges and defaults."},
    {"add_cloud", VT_PY_FUNCTION(vt_py_add_cloud), METH_VARARGS | METH_KEYWORDS,
     "add_cloud($self, /, *, shape=..., speed=..., eddy=..., core=..., count=..., seed=..., "
     "time=..., parent=..., fluid=...)\n--\n\n"
     "Adds a cloud of random eddies; vorton.h (vt_cloud_def) has units, ranges and defaults.\n\n"
     "shape is a dict with the keyword arguments of shape_volume."},
    {"add_vorton_points", VT_PY_FUNCTION(vt_py_add_vorton_points), METH_VARARGS | METH_KEYWORDS,
     "add_vorton_points($self, /, *, position, strength, core, volume, density=None, "
     "temperature=None, fuel=None, flame=None, smoke=None, lifetime=None, time=..., rate=..., "
     "end=..., jitter=..., parent=..., animations=...)\n--\n\n"
     "Adds vortons that are born at a time, or at a rate; arrays as of add_vortons. vorton.h\n"
     "(vt_vorton_points_def) has units, ranges and defaults."},
    {"add_parcels", VT_PY_FUNCTION(vt_py_add_parcels), METH_VARARGS | METH_KEYWORDS,
     "add_parcels($self, /, *, shape=..., around=..., core=..., spacing=..., fluid=..., "
     "swirl=..., taper=..., flicker=..., rate=..., start=..., end=..., lifetime=..., parent=..., "
     "animations=...)\n--\n\n"
     "Vortons that carry temperature, density and fuel, born inside a shape; renewals a second. "
     "shape and around as for add_emitter."},
    {"add_emitter", VT_PY_FUNCTION(vt_py_add_emitter), METH_VARARGS | METH_KEYWORDS,
     "add_emitter($self, /, *, shape=..., count=..., rate=..., start=..., end=..., density=..., "
     "lifetime=..., growth=..., fade=..., fluid=..., parent=..., animations=...)\n--\n\n"
     "Adds a source of tracers; vorton.h (vt_emitter_def) has units, ranges and defaults.\n\n"
     "shape is a dict with the keyword arguments of shape_volume; animations is a dict of tracks\n"
     "(see evaluate_track) by the names of parameters."},
    {"add_transform", VT_PY_FUNCTION(vt_py_add_transform), METH_VARARGS | METH_KEYWORDS,
     "add_transform($self, /, *, position=..., rotation=..., axis=..., angle=..., scale=..., "
     "parent=..., animations=...)\n--\n\n"
     "Adds a space for others to be placed in and returns its id; vorton.h (vt_transform_def) has\n"
     "units, ranges and defaults. animations is a dict of tracks by the names of parameters."},
    {"pose", VT_PY_FUNCTION(vt_py_pose), METH_VARARGS | METH_KEYWORDS,
     "pose($self, /, id, time)\n--\n\n"
     "(3, 4) matrix from the space of a transform to the world at a time, s."},
    {"add_tracer_points", VT_PY_FUNCTION(vt_py_add_tracer_points), METH_VARARGS | METH_KEYWORDS,
     "add_tracer_points($self, /, *, position, density, size, lifetime=None, growth=None, "
     "fade=None, temperature=None, fuel=None, flame=None, smoke=None, rate=..., start=..., "
     "end=..., jitter=..., parent=..., animations=...)\n--\n\n"
     "Adds a source of tracers at points; arrays as of add_tracers, lifetime, growth and fade "
     "(n,).\n"
     "vorton.h (vt_tracer_points_def) has units, ranges and defaults."},
    {"add_wind", VT_PY_FUNCTION(vt_py_add_wind), METH_VARARGS | METH_KEYWORDS,
     "add_wind($self, /, *, velocity=..., parent=..., animations=...)\n--\n\n"
     "Adds a uniform wind; vorton.h (vt_wind_def) has units, ranges and defaults.\n\n"
     "animations is a dict of tracks (see evaluate_track) by the names of parameters."},
    {"add_wind_grid", VT_PY_FUNCTION(vt_py_add_wind_grid), METH_VARARGS | METH_KEYWORDS,
     "add_wind_grid($self, /, *, velocity, origin=..., spacing=..., outside=..., "
     "strength=..., parent=..., animations=...)\n--\n\n"
     "Adds a wind given by velocity (nz, ny, nx, 3); vorton.h (vt_wind_grid_def) has units, "
     "ranges\n"
     "and defaults. outside is 'zero' or 'border'."},
    {"add_force", VT_PY_FUNCTION(vt_py_add_force), METH_VARARGS | METH_KEYWORDS,
     "add_force($self, /, *, kind=..., center=..., axis=..., strength=..., radius=..., "
     "velocity=..., shape=..., parent=..., animations=...)\n--\n\n"
     "Adds a force field for tracers; vorton.h (vt_force_def) has units, ranges and defaults.\n\n"
     "kind is 'attractor', 'vortex' or 'drag'; shape is a dict as for add_emitter, or None."},
    {"add_kill", VT_PY_FUNCTION(vt_py_add_kill), METH_VARARGS | METH_KEYWORDS,
     "add_kill($self, /, *, what=..., shape=..., parent=..., outside=..., age=..., point=..., "
     "least_distance=..., most_distance=..., least_speed=..., most_speed=..., start=..., "
     "end=..., animations=...)\n--\n\n"
     "Adds a removal of particles; vorton.h (vt_kill_def) has units, ranges and defaults.\n\n"
     "what is 'tracers', 'vortons' or 'both'; shape is a dict as for add_emitter, or None."},
    {"add_body", VT_PY_FUNCTION(vt_py_add_body), METH_VARARGS | METH_KEYWORDS,
     "add_body($self, /, *, shapes, name=None, hole=..., parent=..., density=..., held=..., "
     "velocity=..., angular_velocity=..., restitution=..., friction=..., damping=..., force=..., "
     "torque=..., animations=..., panels=..., shedding=..., temperature=..., specific_heat=..., "
     "conductance=...)\n--\n\n"
     "Adds a body and returns its number; vorton.h (vt_body_def) has ranges and defaults.\n\n"
     "shapes is a list of dicts with the keyword arguments of shape_volume, of any kind."},
    {"bodies", vt_py_bodies, METH_NOARGS,
     "bodies($self, /)\n--\n\n"
     "For each body its state now; vorton.h (vt_body_state) lists and explains it."},
    {"set_body", VT_PY_FUNCTION(vt_py_set_body), METH_VARARGS | METH_KEYWORDS,
     "set_body($self, /, id, position=None, rotation=None, velocity=None, angular_velocity=None, "
     "over=0.0)\n--\n\n"
     "Sets where a body is, or how it moves; vorton.h (vt_body_change) explains it."},
    {"apply_impulse", VT_PY_FUNCTION(vt_py_apply_impulse), METH_VARARGS | METH_KEYWORDS,
     "apply_impulse($self, /, id, impulse, point=None, angular_impulse=None)\n--\n\n"
     "Changes the velocities of a body that moves by itself: N s, m, N m s."},
    {"body_distance", VT_PY_FUNCTION(vt_py_body_distance), METH_VARARGS | METH_KEYWORDS,
     "body_distance($self, /, id, points)\n--\n\n"
     "(distance (n,), nearest (n, 3), normal (n, 3)) of points (n, 3) from the walls of a body."},
    {"panels", VT_PY_FUNCTION(vt_py_panels), METH_VARARGS | METH_KEYWORDS,
     "panels($self, /, id)\n--\n\n"
     "Of the source panels of a body, which may be none: center (n, 3), normal (n, 3), area (n,),\n"
     "density (n,) and velocity (n, 3) of the fluid now, in the world; and added_mass (6, 6), in\n"
     "the space of the body. vorton.h (vt_get_panels) has the units."},
    {"add_vortons", VT_PY_FUNCTION(vt_py_add_vortons), METH_VARARGS | METH_KEYWORDS,
     "add_vortons($self, /, position, strength, core, volume)\n--\n\n"
     "Appends vortons and returns their ids (int64).\n\n"
     "position (n, 3), m; strength (n, 3), m^3/s; core (n,), > 0, m; volume (n,), > 0, m^3."},
    {"add_tracers", VT_PY_FUNCTION(vt_py_add_tracers), METH_VARARGS | METH_KEYWORDS,
     "add_tracers($self, /, position, density, size)\n--\n\n"
     "Appends tracers and returns their ids (int64).\n\n"
     "position (n, 3), m; density (n,), >= 0, kg; size (n,), > 0, m."},
    {"remove", VT_PY_FUNCTION(vt_py_remove), METH_VARARGS | METH_KEYWORDS,
     "remove($self, /, set, mask)\n--\n\n"
     "Removes the rows where mask (count,) is True; the others keep their order."},
    {"find_rows", VT_PY_FUNCTION(vt_py_find_rows), METH_VARARGS | METH_KEYWORDS,
     "find_rows($self, /, set, ids)\n--\n\n"
     "Rows (int64) where the ids are now, -1 where one is not alive."},
    {"count", vt_py_count, METH_O,
     "count($self, set, /)\n--\n\nParticles alive in 'vortons' or 'tracers'."},
    {"capacity", vt_py_capacity, METH_O,
     "capacity($self, set, /)\n--\n\nRoom for particles in 'vortons' or 'tracers'."},
    {"give_tracers", VT_PY_FUNCTION(vt_py_give_tracers), METH_VARARGS | METH_KEYWORDS,
     "give_tracers($self, /, column, values)\n--\n\n"
     "Writes a column of the last tracers: of those that have just been added."},
    {"tracers_carry", vt_py_tracers_carry, METH_O,
     "tracers_carry($self, name, /)\n--\n\n"
     "Whether vortons carry what this column of the tracers shows: 'temperature', 'fuel' ..."},
    {"column", VT_PY_FUNCTION(vt_py_column), METH_VARARGS | METH_KEYWORDS,
     "column($self, /, set, name)\n--\n\n"
     "View (count,) or (count, 3) of a column of 'vortons' or 'tracers'.\n\n"
     "The view shows live memory, never moves, and keeps the simulation alive. 'velocity' and "
     "'id'\n"
     "are read-only."},
    {"grid", VT_PY_FUNCTION(grid), METH_VARARGS | METH_KEYWORDS,
     "grid($self, /, name)\n--\n\n"
     "(view, origin, spacing) of the grid 'velocity' or 'vector_potential'.\n\n"
     "The view has shape (nz, ny, nx, 3), is read-only and right until the next step; node\n"
     "(k, j, i) lies at origin + spacing (i, j, k)."},
    {"velocity_at", VT_PY_FUNCTION(velocity_at), METH_VARARGS | METH_KEYWORDS,
     "velocity_at($self, /, points)\n--\n\n"
     "Velocity (n, 3) in m/s at points (n, 3) anywhere, from the fields of now."},
    {"volume", VT_PY_FUNCTION(volume), METH_VARARGS | METH_KEYWORDS,
     "volume($self, /, voxel_size, velocity_margin=..., threads=0, sharp=False)\n--\n\n"
     "Volume of density and velocity, from the state of now."},
    {"health", health, METH_NOARGS,
     "health($self, /)\n--\n\nHealth of the flow; HEALTH_FIELDS explains the numbers."},
    {"timings", timings, METH_NOARGS,
     "timings($self, /)\n--\n\n"
     "For each stage its name, seconds in the last step, total seconds, and calls; TIMED_STAGES "
     "explains the stages."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef properties[] = {
    {"time", get_time, NULL, "Seconds since creation.", NULL},
    {"step_count", get_step_count, NULL, "Steps since creation.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static const char documentation[] =
    "Simulation(*, max_vortons=..., max_tracers=..., max_nodes=..., spacing=..., viscosity=..., "
    "thermal_diffusivity=..., gravity=..., ambient=..., combustion=..., dissipation=..., wind=..., "
    "seed=..., "
    "threads=..., at_capacity=..., method=..., animations=...)"
    "\n--\n\n"
    "A simulation of the C library; vorton.h (vt_simulation_def) has units, ranges and "
    "defaults.\n\n"
    "at_capacity is 'error', 'oldest' or 'stop'; method is a dict with the names of "
    "METHOD_FIELDS.\n"
    "One thread at a time may call in: a second one gets BusyError.";

static PyType_Slot slots[] = {{Py_tp_new, (void *)simulation_new},
                              {Py_tp_dealloc, (void *)simulation_dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, properties},
                              {Py_tp_doc, (void *)documentation},
                              {0, NULL}};

PyType_Spec vt_py_simulation_spec = {.name = "vorton._core.Simulation",
                                     .basicsize = sizeof(vt_py_simulation),
                                     .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                                     .slots = slots};
