#include <string.h>

#include "python/animation.h"
#include "python/archive.h"
#include "python/bodies.h"
#include "python/convert.h"
#include "python/definitions.h"
#include "python/particles.h"
#include "python/volume.h"

/* ---- life ---- */

static PyObject *simulation_new(PyTypeObject *type, PyObject *positional, PyObject *named)
{
    vt_simulation_def def;
    vt_default_simulation(&def);
    PyObject *const kept = PyList_New(0);
    vt_py_simulation *self = NULL;
    if (kept &&
        vti_py_read_arguments("Simulation", "simulation", positional, named, &def, kept) == 0)
        self = (vt_py_simulation *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (self) {
        const vt_status status = vt_create_simulation(&def, &self->simulation);
        if (status) {
            vti_py_raise(PyType_GetModuleState(type), status);
            self->simulation = NULL;
            Py_CLEAR(self);
        }
    }
    Py_XDECREF(kept);
    return (PyObject *)self;
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
        if (asked[n] && vti_py_to_int64(asked[n], names[n], 0, INT64_MAX, &room[n]) < 0)
            return NULL;
    vt_simulation *const simulation = vti_py_idle(self);
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
    return vti_py_raise(vti_py_state_of(self), status);
}

static PyObject *set_method(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"method", NULL};
    PyObject *dict;
    vt_method method;
    vt_default_method(&method);
    if (!PyArg_ParseTupleAndKeywords(positional, named, "O:set_method", names, &dict) ||
        vti_py_read("method", "method", dict, &method, NULL) < 0)
        return NULL;
    VT_PY_CALL(self, vt_set_method(simulation, &method));
    return Py_NewRef(Py_None);
}

static void simulation_dealloc(PyObject *self)
{
    PyTypeObject *const type = Py_TYPE(self);
    vt_destroy_simulation(((vt_py_simulation *)self)->simulation);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* ---- time ---- */

/* Before a substep, without the GIL: an exception, of the callback or of a signal, ends the step.
 * Signals have been looked at before the first one. */
static int look_up(void *self, const vt_progress *progress)
{
    PyObject *const function = ((vt_py_simulation *)self)->progress;
    if (!function && progress->substeps == 0)
        return 0;
    const PyGILState_STATE held = PyGILState_Ensure();
    int failed = PyErr_CheckSignals() < 0;
    if (!failed && function) {
        PyObject *const result = PyObject_CallFunction(
            function, "ddi", progress->done / progress->step, progress->time, progress->substeps);
        failed = !result;
        Py_XDECREF(result);
    }
    PyGILState_Release(held);
    return failed;
}

/* None for an id of -1. */
static PyObject *id_or_none(int32_t id)
{
    return id < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(id);
}

/* Gives the exception that is raised an attribute; takes the reference. */
static void set_attribute(PyObject *error, const char *name, PyObject *value)
{
    if (value)
        PyObject_SetAttrString(error, name, value);
    Py_XDECREF(value);
}

static void raise_blow_up(PyObject *self)
{
    vt_blow_up found = {.struct_size = sizeof found};
    PyObject *const type = vti_py_state_of(self)->blow_up_error;
    PyObject *const error = PyObject_CallFunction(type, "s", vt_error_message());
    if (!error)
        return;
    vt_get_blow_up(((vt_py_simulation *)self)->simulation, &found);
    const double *const at = found.position;
    set_attribute(error, "position",
                  found.vorton < 0 ? Py_NewRef(Py_None)
                                   : Py_BuildValue("(ddd)", at[0], at[1], at[2]));
    set_attribute(error, "source", id_or_none(found.source));
    set_attribute(error, "body", id_or_none(found.body));
    if (!PyErr_Occurred())
        PyErr_SetObject(type, error);
    Py_DECREF(error);
}

/* What one step has come to: 0, or -1 with an exception. */
static int end_step(PyObject *self, vt_status status)
{
    if (status == VT_OK)
        return PyErr_CheckSignals();
    if (status == VT_BLOWN_UP)
        raise_blow_up(self);
    else if (status != VT_CANCELLED || !PyErr_Occurred())
        vti_py_raise(vti_py_state_of(self), status);
    return -1;
}

static int step_once(PyObject *self, double dt, PyObject *progress)
{
    vt_simulation *const simulation = vti_py_idle(self);
    vt_status status;
    if (!simulation)
        return -1;
    ((vt_py_simulation *)self)->progress = progress;
    status = vt_set_progress(simulation, look_up, self);
    if (status == VT_OK)
        VT_PY_WITHOUT_GIL(self, status = vt_step(simulation, dt));
    ((vt_py_simulation *)self)->progress = NULL;
    return end_step(self, status);
}

static PyObject *step(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"dt", "count", "progress", NULL};
    PyObject *dt_object, *count_object = NULL, *progress = NULL;
    double dt;
    int64_t count = 1;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "O|OO:step", names, &dt_object,
                                     &count_object, &progress) ||
        vti_py_to_double(dt_object, "dt", 0, &dt) < 0 ||
        (count_object && vti_py_to_int64(count_object, "count", 0, INT64_MAX, &count) < 0))
        return NULL;
    if (progress == Py_None)
        progress = NULL;
    if (progress && !PyCallable_Check(progress))
        return PyErr_Format(PyExc_TypeError, "progress must be callable, got %.200R", progress);
    for (int64_t i = 0; i < count; i++)
        if (step_once(self, dt, progress) < 0)
            return NULL;
    return Py_NewRef(Py_None);
}

static PyObject *update_fields(PyObject *self, PyObject *Py_UNUSED(arguments))
{
    VT_PY_CALL(self, vt_update_fields(simulation));
    return Py_NewRef(Py_None);
}

static PyObject *get_time(PyObject *self, void *Py_UNUSED(closure))
{
    const vt_simulation *const simulation = vti_py_idle(self);
    return simulation ? PyFloat_FromDouble(vt_time(simulation)) : NULL;
}

static PyObject *get_step_count(PyObject *self, void *Py_UNUSED(closure))
{
    const vt_simulation *const simulation = vti_py_idle(self);
    return simulation ? PyLong_FromLongLong(vt_step_count(simulation)) : NULL;
}

/* ---- fields and volumes ---- */

/* The number of a field of grid_fields.def, -1 and an exception for another name. */
static int find_field(const char *name)
{
    vt_grid_field row = {.struct_size = sizeof row};
    for (int field = 0; vt_describe_grid(field, &row); field++)
        if (strcmp(row.name, name) == 0)
            return field;
    PyErr_Format(PyExc_ValueError, "there is no grid \"%s\"; GRID_FIELDS lists them", name);
    return -1;
}

static PyObject *grid(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"name", NULL};
    const char *name;
    vt_grid_view view = {.struct_size = sizeof view};
    if (!PyArg_ParseTupleAndKeywords(positional, named, "s:grid", names, &name))
        return NULL;
    const int field = find_field(name);
    if (field < 0)
        return NULL;
    VT_PY_CALL(self, vt_get_grid(simulation, field, &view));
    vt_array seen = {sizeof seen, (void *)view.data, view.type, view.dimensions, {0}, {0}};
    memcpy(seen.shape, view.shape, sizeof seen.shape);
    memcpy(seen.strides, view.strides, sizeof seen.strides);
    PyObject *array = vti_py_view(&seen, self, 0);
    const double *const at = view.origin;
    return array ? Py_BuildValue("N(ddd)d", array, at[0], at[1], at[2], view.spacing) : NULL;
}

static PyObject *grid_place(PyObject *self, PyObject *Py_UNUSED(arguments))
{
    int64_t nodes[3];
    double at[3], spacing;
    VT_PY_CALL(self, vt_get_grid_place(simulation, nodes, at, &spacing));
    return Py_BuildValue("(LLL)(ddd)d", (long long)nodes[0], (long long)nodes[1],
                         (long long)nodes[2], at[0], at[1], at[2], spacing);
}

static PyObject *velocity_at(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"points", NULL};
    static const npy_intp shape[2] = {-1, 3};
    PyObject *points_object, *velocity = NULL;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "O:velocity_at", names, &points_object))
        return NULL;
    PyArrayObject *points = vti_py_to_array(points_object, "points", NPY_FLOAT32, 2, shape);
    if (points)
        velocity = PyArray_SimpleNew(2, PyArray_DIMS(points), NPY_FLOAT32);
    vt_simulation *const simulation = velocity ? vti_py_idle(self) : NULL;
    vt_status status = VT_OK;
    if (simulation) {
        const int64_t rows = PyArray_DIM(points, 0);
        const float *const from = PyArray_DATA(points);
        float *const to = PyArray_DATA((PyArrayObject *)velocity);
        VT_PY_WITHOUT_GIL(self, status = vt_velocity_at(simulation, rows, from, to));
    }
    vti_py_release(points);
    if (simulation && status == VT_OK)
        return velocity;
    Py_XDECREF(velocity);
    return simulation ? vti_py_raise(vti_py_state_of(self), status) : NULL;
}

static PyObject *volume(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"voxel_size", "velocity_margin", "threads", "sharp", NULL};
    PyObject *size = NULL, *margin = NULL, *threads = NULL, *sharp = NULL;
    vt_volume_def def;
    vt_default_volume(&def);
    if (!PyArg_ParseTupleAndKeywords(positional, named, "O|OOO:volume", names, &size, &margin,
                                     &threads, &sharp) ||
        vti_py_to_double(size, "voxel_size", 0, &def.voxel_size) < 0 ||
        (margin && vti_py_to_double(margin, "velocity_margin", 0, &def.velocity_margin) < 0) ||
        (threads && vti_py_to_int32(threads, "threads", &def.threads) < 0) ||
        (sharp && vti_py_to_bool(sharp, "sharp", &def.sharp) < 0))
        return NULL;
    vt_volume *result = NULL;
    VT_PY_CALL(self, vt_create_volume(simulation, &def, &result));
    return vti_py_new_volume(vti_py_state_of(self), result);
}

/* ---- records ---- */

static const vt_py_field health_fields[] = {
#define VT_PY_HEALTH_int64 VT_PY_INT64
#define VT_PY_HEALTH_int32 VT_PY_INT32
#define VT_PY_HEALTH_double VT_PY_DOUBLE
#define VT_PY_HEALTH_VECTOR_int32 VT_PY_INTS3
#define VT_PY_HEALTH_VECTOR_double VT_PY_VECTOR
#define VT_HEALTH(name, type, unit, description)                                                   \
    {#name, VT_PY_HEALTH_##type, offsetof(vt_health, name)},
#define VT_HEALTH_VECTOR(name, type, unit, description)                                            \
    {#name, VT_PY_HEALTH_VECTOR_##type, offsetof(vt_health, name)},
#include "vorton/health.def"
    {NULL, VT_PY_INT32, 0}};

static PyObject *health(PyObject *self, PyObject *Py_UNUSED(arguments))
{
    vt_health numbers = {.struct_size = sizeof numbers};
    VT_PY_CALL(self, vt_get_health(simulation, &numbers));
    return vti_py_to_dict(health_fields, &numbers);
}

static PyObject *timings(PyObject *self, PyObject *Py_UNUSED(arguments))
{
    const vt_simulation *const simulation = vti_py_idle(self);
    PyObject *list = simulation ? PyList_New(0) : NULL;
    vt_timing timing = {.struct_size = sizeof timing};
    for (int i = 0; list && vt_get_timing(simulation, i, &timing); i++)
        if (vti_py_append(list, Py_BuildValue("{s:s, s:d, s:d, s:L}", "name", timing.name, "last",
                                              timing.last, "total", timing.total, "calls",
                                              (long long)timing.calls)) < 0)
            Py_CLEAR(list);
    return list;
}

static PyObject *warnings(PyObject *self, PyObject *Py_UNUSED(arguments))
{
    const vt_simulation *const simulation = vti_py_idle(self);
    PyObject *list = simulation ? PyList_New(0) : NULL;
    vt_warning warning = {.struct_size = sizeof warning};
    for (int i = 0; list && vt_get_warning(simulation, i, &warning); i++)
        if (vti_py_append(list, Py_BuildValue("(Ns)", id_or_none(warning.source), warning.text)) <
            0)
            Py_CLEAR(list);
    return list;
}

/* ---- the type ---- */

static PyMethodDef methods[] = {
    {"step", VT_PY_FUNCTION(step), METH_VARARGS | METH_KEYWORDS,
     "step($self, /, dt, count=1, progress=None)\n--\n\n"
     "Advances count times by dt > 0 seconds (0 changes nothing).\n\n"
     "Other Python threads run meanwhile. progress(fraction, time, substeps) is called before "
     "each\n"
     "substep; Ctrl-C is seen between two of them, too."},
    {"copy", VT_PY_FUNCTION(copy), METH_VARARGS | METH_KEYWORDS,
     "copy($self, /, *, max_vortons=0, max_tracers=0)\n--\n\n"
     "A second simulation in the same state, with this much room (0: as much as here)."},
    {"save_state", vti_py_save_state, METH_O,
     "save_state($self, number, /)\n--\n\n"
     "The state as a memoryview, exact; number >= 0 is that of the frame."},
    {"save_packed_state", vti_py_save_packed_state, METH_O,
     "save_packed_state($self, number, /)\n--\n\n"
     "What pack_state makes of save_state, without a copy of the particles on the way."},
    {"load_state", vti_py_load_state, METH_O,
     "load_state($self, state, /)\n--\n\n"
     "Goes on from a state of a simulation that was made of the same definitions."},
    {"take_over", vti_py_take_over, METH_VARARGS,
     "take_over($self, from_, sources, winds, /)\n--\n\n"
     "Goes on from the state of another simulation. sources, winds: int32, for each id here that "
     "in\n"
     "the other, -1: it has none. Bodies are the same."},
    {"show_between", vti_py_show_between, METH_VARARGS,
     "show_between($self, earlier, later, time, velocities, /)\n--\n\n"
     "Shows what lies between two moments of another simulation, at a time from the earlier to "
     "the\n"
     "later, s. velocities: four buffers of float32, those of the fluid at the vortons and at the\n"
     "tracers of the earlier, and of the later one, m/s."},
    {"set_method", VT_PY_FUNCTION(set_method), METH_VARARGS | METH_KEYWORDS,
     "set_method($self, /, method)\n--\n\n"
     "Goes on with another method, a dict as Simulation takes it: all of it, what is left out is\n"
     "the default."},
    {"update_fields", update_fields, METH_NOARGS,
     "update_fields($self, /)\n--\n\n"
     "Brings the fields up to date with the particles, without moving anything."},
    {"add", VT_PY_FUNCTION(vti_py_add), METH_VARARGS | METH_KEYWORDS,
     "add($self, kind, /, **parameters)\n--\n\n"
     "Adds a definition, such as 'ring': DEFINITIONS[kind] says its parameters.\n\n"
     "Returns its id; of an emitter (id, how often a second it is renewed). A shape is a dict of "
     "the rows of 'shape'; animations is a dict of tracks (see\n"
     "evaluate_track) by the names of parameters."},
    {"pose", VT_PY_FUNCTION(vti_py_pose), METH_VARARGS | METH_KEYWORDS,
     "pose($self, /, id, time)\n--\n\n"
     "(3, 4) matrix from the space of a transform to the world at a time, s."},
    {"change", VT_PY_FUNCTION(vti_py_change), METH_VARARGS | METH_KEYWORDS,
     "change($self, kind, id, /, **parameters)\n--\n\n"
     "Puts another definition in the place of that of an id. Returns what add returns."},
    {"remove_added", vti_py_remove_added, METH_VARARGS,
     "remove_added($self, what, id, /)\n--\n\n"
     "Removes a 'source', 'wind', 'force', 'kill' or 'body'; what it has borne stays."},
    {"bodies", vti_py_bodies, METH_NOARGS,
     "bodies($self, /)\n--\n\n"
     "For each body its state now; BODY_FIELDS explains it."},
    {"set_body", VT_PY_FUNCTION(vti_py_set_body), METH_VARARGS | METH_KEYWORDS,
     "set_body($self, id, /, **change)\n--\n\n"
     "Sets where a body is, or how it moves; DEFINITIONS['body_change'] says what."},
    {"apply_impulse", VT_PY_FUNCTION(vti_py_apply_impulse), METH_VARARGS | METH_KEYWORDS,
     "apply_impulse($self, /, id, impulse, point=None, angular_impulse=None)\n--\n\n"
     "Changes the velocities of a body that moves by itself: N s, m, N m s."},
    {"body_distance", VT_PY_FUNCTION(vti_py_body_distance), METH_VARARGS | METH_KEYWORDS,
     "body_distance($self, /, id, points)\n--\n\n"
     "(distance (n,), nearest (n, 3), normal (n, 3)) of points (n, 3) from the walls of a body."},
    {"panels", VT_PY_FUNCTION(vti_py_panels), METH_VARARGS | METH_KEYWORDS,
     "panels($self, /, id)\n--\n\n"
     "Of the source panels of a body, which may be none: center (n, 3), normal (n, 3), area (n,),\n"
     "density (n,) and velocity (n, 3) of the fluid now, in the world; and added_mass (6, 6), in\n"
     "the space of the body. vorton.h (vt_get_panels) has the units."},
    {"add_vortons", VT_PY_FUNCTION(vti_py_add_vortons), METH_VARARGS | METH_KEYWORDS,
     "add_vortons($self, /, position, strength, core, volume)\n--\n\n"
     "Appends vortons and returns their ids (int64).\n\n"
     "position (n, 3), m; strength (n, 3), m^3/s; core (n,), > 0, m; volume (n,), > 0, m^3."},
    {"add_tracers", VT_PY_FUNCTION(vti_py_add_tracers), METH_VARARGS | METH_KEYWORDS,
     "add_tracers($self, /, position, density, size)\n--\n\n"
     "Appends tracers and returns their ids (int64).\n\n"
     "position (n, 3), m; density (n,), >= 0, kg; size (n,), > 0, m."},
    {"remove", VT_PY_FUNCTION(vti_py_remove), METH_VARARGS | METH_KEYWORDS,
     "remove($self, /, set, mask)\n--\n\n"
     "Removes the rows where mask (count,) is True; the others keep their order."},
    {"find_rows", VT_PY_FUNCTION(vti_py_find_rows), METH_VARARGS | METH_KEYWORDS,
     "find_rows($self, /, set, ids)\n--\n\n"
     "Rows (int64) where the ids are now, -1 where one is not alive."},
    {"count", vti_py_count, METH_O,
     "count($self, set, /)\n--\n\nParticles alive in 'vortons' or 'tracers'."},
    {"capacity", vti_py_capacity, METH_O,
     "capacity($self, set, /)\n--\n\nRoom for particles in 'vortons' or 'tracers'."},
    {"tracers_carry", vti_py_tracers_carry, METH_O,
     "tracers_carry($self, name, /)\n--\n\n"
     "Whether vortons carry what this column of the tracers shows: 'temperature', 'fuel' ..."},
    {"column", VT_PY_FUNCTION(vti_py_column), METH_VARARGS | METH_KEYWORDS,
     "column($self, /, set, name)\n--\n\n"
     "View (count,) or (count, 3) of a column of 'vortons' or 'tracers'.\n\n"
     "The view shows live memory, never moves, and keeps the simulation alive. 'velocity' and "
     "'id'\n"
     "are read-only."},
    {"grid", VT_PY_FUNCTION(grid), METH_VARARGS | METH_KEYWORDS,
     "grid($self, /, name)\n--\n\n"
     "(view, origin, spacing) of a field on the nodes; GRID_FIELDS lists them.\n\n"
     "The view has shape (nz, ny, nx) or (nz, ny, nx, 3), is read-only and right until the next\n"
     "step; node (k, j, i) lies at origin + spacing (i, j, k)."},
    {"grid_place", VT_PY_FUNCTION(grid_place), METH_NOARGS,
     "grid_place($self, /)\n--\n\n"
     "((nx, ny, nz), origin, spacing) of the nodes on which all fields lie."},
    {"velocity_at", VT_PY_FUNCTION(velocity_at), METH_VARARGS | METH_KEYWORDS,
     "velocity_at($self, /, points)\n--\n\n"
     "Velocity (n, 3) in m/s at points (n, 3) anywhere, from the fields of now."},
    {"volume", VT_PY_FUNCTION(volume), METH_VARARGS | METH_KEYWORDS,
     "volume($self, /, voxel_size, velocity_margin=..., threads=0, sharp=False)\n--\n\n"
     "Volume of density and velocity, from the state of now."},
    {"health", health, METH_NOARGS,
     "health($self, /)\n--\n\nHealth of the flow; HEALTH_FIELDS explains the numbers."},
    {"warnings", warnings, METH_NOARGS,
     "warnings($self, /)\n--\n\n"
     "Warnings so far, in the order in which they were given: (id of a source or None, text)."},
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
    "Simulation(**parameters)\n--\n\n"
    "A simulation of the C library; DEFINITIONS['simulation'] says its parameters.\n\n"
    "One thread at a time may call in: a second one gets BusyError.";

static PyType_Slot slots[] = {{Py_tp_new, (void *)simulation_new},
                              {Py_tp_dealloc, (void *)simulation_dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, properties},
                              {Py_tp_doc, (void *)documentation},
                              {0, NULL}};

PyType_Spec vti_py_simulation_spec = {.name = "vorton._core.Simulation",
                                      .basicsize = sizeof(vt_py_simulation),
                                      .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                                      .slots = slots};
