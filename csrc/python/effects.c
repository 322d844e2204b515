/* Methods of Simulation that add winds, force fields and removals. */
#include "simulation.h"

/* ---- wind ---- */

typedef struct wind_arguments {
    vt_wind_def def;
    PyObject *animations;
} wind_arguments;

static const vt_py_field wind_fields[] = {
    {"velocity", VT_PY_VECTOR, offsetof(wind_arguments, def.velocity), NULL},
    {"parent", VT_PY_INT32, offsetof(wind_arguments, def.parent), NULL},
    {"animations", VT_PY_OBJECT, offsetof(wind_arguments, animations), NULL},
    {NULL, VT_PY_OBJECT, 0, NULL}};

PyObject *vt_py_add_wind(PyObject *self, PyObject *positional, PyObject *named)
{
    wind_arguments arguments = {.def = vt_default_wind()};
    vt_py_animations animations;
    PyObject *result = NULL;
    if (vt_py_fill_arguments("add_wind", positional, named, wind_fields, &arguments) < 0 ||
        vt_py_to_animations(arguments.animations, &animations) < 0)
        return NULL;
    arguments.def.animation_count = animations.count;
    arguments.def.animations = animations.items;
    vt_simulation *const simulation = vt_py_idle(self);
    if (simulation)
        result = vt_py_none_or_raise(self, vt_add_wind(simulation, &arguments.def));
    vt_py_release_animations(&animations);
    return result;
}

typedef struct grid_arguments {
    vt_wind_grid_def def;
    PyObject *velocity, *animations;
} grid_arguments;

static const vt_py_field grid_fields[] = {
    {"velocity", VT_PY_OBJECT, offsetof(grid_arguments, velocity), NULL},
    {"origin", VT_PY_VECTOR, offsetof(grid_arguments, def.origin), NULL},
    {"spacing", VT_PY_VECTOR, offsetof(grid_arguments, def.spacing), NULL},
    {"outside", VT_PY_CHOICE, offsetof(grid_arguments, def.outside), "zero border"},
    {"strength", VT_PY_FINITE, offsetof(grid_arguments, def.strength), NULL},
    {"parent", VT_PY_INT32, offsetof(grid_arguments, def.parent), NULL},
    {"animations", VT_PY_OBJECT, offsetof(grid_arguments, animations), NULL},
    {NULL, VT_PY_OBJECT, 0, NULL}};

static PyArrayObject *to_velocity(grid_arguments *arguments)
{
    static const npy_intp shape[4] = {-1, -1, -1, 3};
    if (!arguments->velocity) {
        PyErr_SetString(PyExc_TypeError, "add_wind_grid needs velocity");
        return NULL;
    }
    PyArrayObject *const values =
        vt_py_to_array(arguments->velocity, "velocity", NPY_FLOAT32, 4, shape);
    for (int axis = 0; values && axis < 3; axis++) {
        const npy_intp nodes = PyArray_DIM(values, 2 - axis);
        arguments->def.nodes[axis] = nodes > INT32_MAX ? INT32_MAX : (int32_t)nodes;
    }
    if (values)
        arguments->def.velocity = PyArray_DATA(values);
    return values;
}

PyObject *vt_py_add_wind_grid(PyObject *self, PyObject *positional, PyObject *named)
{
    grid_arguments arguments = {.def = vt_default_wind_grid()};
    vt_py_animations animations;
    if (vt_py_fill_arguments("add_wind_grid", positional, named, grid_fields, &arguments) < 0 ||
        vt_py_to_animations(arguments.animations, &animations) < 0)
        return NULL;
    arguments.def.animation_count = animations.count;
    arguments.def.animations = animations.items;
    PyArrayObject *const values = to_velocity(&arguments);
    vt_simulation *const simulation = values ? vt_py_idle(self) : NULL;
    PyObject *result = NULL;
    if (simulation)
        result = vt_py_none_or_raise(self, vt_add_wind_grid(simulation, &arguments.def));
    vt_py_release(values);
    vt_py_release_animations(&animations);
    return result;
}

/* ---- definitions that may have a shape ---- */

/* The shape in a dict, or in None, with what keeps its mesh alive. */
typedef struct held_shape {
    vt_shape shape;
    PyArrayObject *vertices, *faces;
} held_shape;

/* *place points to the shape, or is NULL where there is none; 0 or -1. */
static int hold_shape(PyObject *value, held_shape *held, const vt_shape **place)
{
    *held = (held_shape){.vertices = NULL};
    *place = NULL;
    if (!value || value == Py_None)
        return 0;
    *place = &held->shape;
    return vt_py_to_shape(value, &held->shape, &held->vertices, &held->faces);
}

static void release_shape(held_shape *held)
{
    vt_py_release(held->vertices);
    vt_py_release(held->faces);
}

/* ---- force fields ---- */

typedef struct force_arguments {
    vt_force_def def;
    PyObject *shape, *animations;
} force_arguments;

static const vt_py_field force_fields[] = {
    {"kind", VT_PY_CHOICE, offsetof(force_arguments, def.kind), "attractor vortex drag"},
    {"center", VT_PY_VECTOR, offsetof(force_arguments, def.center), NULL},
    {"axis", VT_PY_VECTOR, offsetof(force_arguments, def.axis), NULL},
    {"strength", VT_PY_FINITE, offsetof(force_arguments, def.strength), NULL},
    {"radius", VT_PY_FINITE, offsetof(force_arguments, def.radius), NULL},
    {"velocity", VT_PY_VECTOR, offsetof(force_arguments, def.velocity), NULL},
    {"shape", VT_PY_OBJECT, offsetof(force_arguments, shape), NULL},
    {"parent", VT_PY_INT32, offsetof(force_arguments, def.parent), NULL},
    {"animations", VT_PY_OBJECT, offsetof(force_arguments, animations), NULL},
    {NULL, VT_PY_OBJECT, 0, NULL}};

PyObject *vt_py_add_force(PyObject *self, PyObject *positional, PyObject *named)
{
    force_arguments arguments = {.def = vt_default_force()};
    vt_py_animations animations;
    held_shape held;
    PyObject *result = NULL;
    if (vt_py_fill_arguments("add_force", positional, named, force_fields, &arguments) < 0 ||
        vt_py_to_animations(arguments.animations, &animations) < 0)
        return NULL;
    arguments.def.animation_count = animations.count;
    arguments.def.animations = animations.items;
    if (hold_shape(arguments.shape, &held, &arguments.def.shape) == 0) {
        vt_simulation *const simulation = vt_py_idle(self);
        if (simulation)
            result = vt_py_none_or_raise(self, vt_add_force(simulation, &arguments.def));
    }
    release_shape(&held);
    vt_py_release_animations(&animations);
    return result;
}

/* ---- removal ---- */

typedef struct kill_arguments {
    vt_kill_def def;
    PyObject *shape, *animations;
} kill_arguments;

static const vt_py_field kill_fields[] = {
    {"what", VT_PY_CHOICE, offsetof(kill_arguments, def.what), "tracers vortons both"},
    {"shape", VT_PY_OBJECT, offsetof(kill_arguments, shape), NULL},
    {"parent", VT_PY_INT32, offsetof(kill_arguments, def.parent), NULL},
    {"outside", VT_PY_BOOL, offsetof(kill_arguments, def.outside), NULL},
    {"age", VT_PY_FINITE, offsetof(kill_arguments, def.age), NULL},
    {"point", VT_PY_VECTOR, offsetof(kill_arguments, def.point), NULL},
    {"least_distance", VT_PY_FINITE, offsetof(kill_arguments, def.distance[0]), NULL},
    {"most_distance", VT_PY_DOUBLE, offsetof(kill_arguments, def.distance[1]), NULL},
    {"least_speed", VT_PY_FINITE, offsetof(kill_arguments, def.speed[0]), NULL},
    {"most_speed", VT_PY_DOUBLE, offsetof(kill_arguments, def.speed[1]), NULL},
    {"start", VT_PY_FINITE, offsetof(kill_arguments, def.start), NULL},
    {"end", VT_PY_DOUBLE, offsetof(kill_arguments, def.end), NULL},
    {"animations", VT_PY_OBJECT, offsetof(kill_arguments, animations), NULL},
    {NULL, VT_PY_OBJECT, 0, NULL}};

PyObject *vt_py_add_kill(PyObject *self, PyObject *positional, PyObject *named)
{
    kill_arguments arguments = {.def = vt_default_kill()};
    vt_py_animations animations;
    held_shape held;
    PyObject *result = NULL;
    if (vt_py_fill_arguments("add_kill", positional, named, kill_fields, &arguments) < 0 ||
        vt_py_to_animations(arguments.animations, &animations) < 0)
        return NULL;
    arguments.def.animation_count = animations.count;
    arguments.def.animations = animations.items;
    if (hold_shape(arguments.shape, &held, &arguments.def.shape) == 0) {
        vt_simulation *const simulation = vt_py_idle(self);
        if (simulation)
            result = vt_py_none_or_raise(self, vt_add_kill(simulation, &arguments.def));
    }
    release_shape(&held);
    vt_py_release_animations(&animations);
    return result;
}
