/* What is born: definitions from keyword arguments. Filling a large structure or mesh takes a
 * while: other Python threads run meanwhile. */
#include "simulation.h"

#include <math.h>

/* ---- vortex lines ---- */

static const vt_py_field ring_fields[] = {
    {"center", VT_PY_VECTOR, offsetof(vt_ring_def, center), NULL},
    {"axis", VT_PY_VECTOR, offsetof(vt_ring_def, axis), NULL},
    {"radius", VT_PY_PAIR, offsetof(vt_ring_def, radius), NULL},
    {"major", VT_PY_VECTOR, offsetof(vt_ring_def, major), NULL},
    {"circulation", VT_PY_FINITE, offsetof(vt_ring_def, circulation), NULL},
    {"core", VT_PY_FINITE, offsetof(vt_ring_def, core), NULL},
    {"vorton_core", VT_PY_FINITE, offsetof(vt_ring_def, vorton_core), NULL},
    {"wobble", VT_PY_FINITE, offsetof(vt_ring_def, wobble), NULL},
    {"wobble_seed", VT_PY_UINT64, offsetof(vt_ring_def, wobble_seed), NULL},
    {"sections", VT_PY_INT64, offsetof(vt_ring_def, sections), NULL},
    {"layers", VT_PY_INT32, offsetof(vt_ring_def, layers), NULL},
    {"time", VT_PY_FINITE, offsetof(vt_ring_def, time), NULL},
    {"parent", VT_PY_INT32, offsetof(vt_ring_def, parent), NULL},
    {"fluid", VT_PY_FLUID, offsetof(vt_ring_def, fluid), NULL},
    {NULL, VT_PY_OBJECT, 0, NULL}};

PyObject *vt_py_add_ring(PyObject *self, PyObject *positional, PyObject *named)
{
    vt_ring_def def = vt_default_ring();
    vt_simulation *const simulation = vt_py_idle(self);
    vt_status status;
    if (!simulation || vt_py_fill_arguments("add_ring", positional, named, ring_fields, &def) < 0)
        return NULL;
    VT_PY_WITHOUT_GIL(self, status = vt_add_ring(simulation, &def));
    return vt_py_none_or_raise(self, status);
}

static const vt_py_field tube_fields[] = {
    {"start", VT_PY_VECTOR, offsetof(vt_tube_def, start), NULL},
    {"end", VT_PY_VECTOR, offsetof(vt_tube_def, end), NULL},
    {"circulation", VT_PY_FINITE, offsetof(vt_tube_def, circulation), NULL},
    {"core", VT_PY_FINITE, offsetof(vt_tube_def, core), NULL},
    {"vorton_core", VT_PY_FINITE, offsetof(vt_tube_def, vorton_core), NULL},
    {"wobble", VT_PY_FINITE, offsetof(vt_tube_def, wobble), NULL},
    {"wobble_seed", VT_PY_UINT64, offsetof(vt_tube_def, wobble_seed), NULL},
    {"sections", VT_PY_INT64, offsetof(vt_tube_def, sections), NULL},
    {"layers", VT_PY_INT32, offsetof(vt_tube_def, layers), NULL},
    {"time", VT_PY_FINITE, offsetof(vt_tube_def, time), NULL},
    {"parent", VT_PY_INT32, offsetof(vt_tube_def, parent), NULL},
    {"fluid", VT_PY_FLUID, offsetof(vt_tube_def, fluid), NULL},
    {NULL, VT_PY_OBJECT, 0, NULL}};

PyObject *vt_py_add_tube(PyObject *self, PyObject *positional, PyObject *named)
{
    vt_tube_def def = vt_default_tube();
    vt_simulation *const simulation = vt_py_idle(self);
    vt_status status;
    if (!simulation || vt_py_fill_arguments("add_tube", positional, named, tube_fields, &def) < 0)
        return NULL;
    VT_PY_WITHOUT_GIL(self, status = vt_add_tube(simulation, &def));
    return vt_py_none_or_raise(self, status);
}

typedef struct jet_arguments {
    vt_jet_def def;
    PyObject *animations;
} jet_arguments;

static const vt_py_field jet_fields[] = {
    {"center", VT_PY_VECTOR, offsetof(jet_arguments, def.center), NULL},
    {"axis", VT_PY_VECTOR, offsetof(jet_arguments, def.axis), NULL},
    {"radius", VT_PY_FINITE, offsetof(jet_arguments, def.radius), NULL},
    {"speed", VT_PY_FINITE, offsetof(jet_arguments, def.speed), NULL},
    {"rate", VT_PY_FINITE, offsetof(jet_arguments, def.rate), NULL},
    {"duty", VT_PY_FINITE, offsetof(jet_arguments, def.duty), NULL},
    {"circulation", VT_PY_FINITE, offsetof(jet_arguments, def.circulation), NULL},
    {"start", VT_PY_FINITE, offsetof(jet_arguments, def.start), NULL},
    {"end", VT_PY_DOUBLE, offsetof(jet_arguments, def.end), NULL},
    {"core", VT_PY_FINITE, offsetof(jet_arguments, def.core), NULL},
    {"vorton_core", VT_PY_FINITE, offsetof(jet_arguments, def.vorton_core), NULL},
    {"wobble", VT_PY_FINITE, offsetof(jet_arguments, def.wobble), NULL},
    {"tilt", VT_PY_FINITE, offsetof(jet_arguments, def.tilt), NULL},
    {"seed", VT_PY_UINT64, offsetof(jet_arguments, def.seed), NULL},
    {"sections", VT_PY_INT64, offsetof(jet_arguments, def.sections), NULL},
    {"layers", VT_PY_INT32, offsetof(jet_arguments, def.layers), NULL},
    {"parent", VT_PY_INT32, offsetof(jet_arguments, def.parent), NULL},
    {"fluid", VT_PY_FLUID, offsetof(jet_arguments, def.fluid), NULL},
    {"animations", VT_PY_OBJECT, offsetof(jet_arguments, animations), NULL},
    {NULL, VT_PY_OBJECT, 0, NULL}};

PyObject *vt_py_add_jet(PyObject *self, PyObject *positional, PyObject *named)
{
    jet_arguments arguments = {.def = vt_default_jet()};
    vt_py_animations animations;
    vt_status status;
    if (vt_py_fill_arguments("add_jet", positional, named, jet_fields, &arguments) < 0 ||
        vt_py_to_animations(arguments.animations, &animations) < 0)
        return NULL;
    arguments.def.animation_count = animations.count;
    arguments.def.animations = animations.items;
    vt_simulation *const simulation = vt_py_idle(self);
    PyObject *result = NULL;
    if (simulation) {
        VT_PY_WITHOUT_GIL(self, status = vt_add_jet(simulation, &arguments.def));
        result = vt_py_none_or_raise(self, status);
    }
    vt_py_release_animations(&animations);
    return result;
}

typedef struct filament_arguments {
    vt_filament_def def;
    PyObject *points;
} filament_arguments;

static const vt_py_field filament_fields[] = {
    {"points", VT_PY_OBJECT, offsetof(filament_arguments, points), NULL},
    {"closed", VT_PY_BOOL, offsetof(filament_arguments, def.closed), NULL},
    {"circulation", VT_PY_FINITE, offsetof(filament_arguments, def.circulation), NULL},
    {"core", VT_PY_FINITE, offsetof(filament_arguments, def.core), NULL},
    {"vorton_core", VT_PY_FINITE, offsetof(filament_arguments, def.vorton_core), NULL},
    {"sections", VT_PY_INT64, offsetof(filament_arguments, def.sections), NULL},
    {"layers", VT_PY_INT32, offsetof(filament_arguments, def.layers), NULL},
    {"time", VT_PY_FINITE, offsetof(filament_arguments, def.time), NULL},
    {"parent", VT_PY_INT32, offsetof(filament_arguments, def.parent), NULL},
    {"fluid", VT_PY_FLUID, offsetof(filament_arguments, def.fluid), NULL},
    {NULL, VT_PY_OBJECT, 0, NULL}};

PyObject *vt_py_add_filament(PyObject *self, PyObject *positional, PyObject *named)
{
    static const npy_intp shape[2] = {-1, 3};
    filament_arguments arguments = {.def = vt_default_filament()};
    if (vt_py_fill_arguments("add_filament", positional, named, filament_fields, &arguments) < 0)
        return NULL;
    PyArrayObject *points = NULL;
    if (arguments.points) {
        points = vt_py_to_array(arguments.points, "points", NPY_FLOAT64, 2, shape);
        if (!points)
            return NULL;
        arguments.def.points = PyArray_DATA(points);
        arguments.def.point_count = PyArray_DIM(points, 0);
    }
    vt_simulation *const simulation = vt_py_idle(self);
    vt_status status = VT_OK;
    if (simulation)
        VT_PY_WITHOUT_GIL(self, status = vt_add_filament(simulation, &arguments.def));
    vt_py_release(points);
    return simulation ? vt_py_none_or_raise(self, status) : NULL;
}

/* ---- in shapes ---- */

typedef struct cloud_arguments {
    vt_cloud_def def;
    PyObject *shape;
} cloud_arguments;

static const vt_py_field cloud_fields[] = {
    {"shape", VT_PY_OBJECT, offsetof(cloud_arguments, shape), NULL},
    {"speed", VT_PY_FINITE, offsetof(cloud_arguments, def.speed), NULL},
    {"eddy", VT_PY_FINITE, offsetof(cloud_arguments, def.eddy), NULL},
    {"core", VT_PY_FINITE, offsetof(cloud_arguments, def.core), NULL},
    {"count", VT_PY_INT64, offsetof(cloud_arguments, def.count), NULL},
    {"seed", VT_PY_UINT64, offsetof(cloud_arguments, def.seed), NULL},
    {"time", VT_PY_FINITE, offsetof(cloud_arguments, def.time), NULL},
    {"parent", VT_PY_INT32, offsetof(cloud_arguments, def.parent), NULL},
    {"fluid", VT_PY_FLUID, offsetof(cloud_arguments, def.fluid), NULL},
    {NULL, VT_PY_OBJECT, 0, NULL}};

PyObject *vt_py_add_cloud(PyObject *self, PyObject *positional, PyObject *named)
{
    cloud_arguments arguments = {.def = vt_default_cloud()};
    PyArrayObject *vertices = NULL, *faces = NULL;
    PyObject *result = NULL;
    vt_status status;
    if (vt_py_fill_arguments("add_cloud", positional, named, cloud_fields, &arguments) == 0 &&
        (!arguments.shape ||
         vt_py_to_shape(arguments.shape, &arguments.def.shape, &vertices, &faces) == 0)) {
        vt_simulation *const simulation = vt_py_idle(self);
        if (simulation) {
            VT_PY_WITHOUT_GIL(self, status = vt_add_cloud(simulation, &arguments.def));
            result = vt_py_none_or_raise(self, status);
        }
    }
    vt_py_release(vertices);
    vt_py_release(faces);
    return result;
}

typedef struct emitter_arguments {
    vt_emitter_def def;
    PyObject *shape, *animations;
} emitter_arguments;

static const vt_py_field emitter_fields[] = {
    {"shape", VT_PY_OBJECT, offsetof(emitter_arguments, shape), NULL},
    {"count", VT_PY_INT64, offsetof(emitter_arguments, def.count), NULL},
    {"rate", VT_PY_FINITE, offsetof(emitter_arguments, def.rate), NULL},
    {"start", VT_PY_FINITE, offsetof(emitter_arguments, def.start), NULL},
    {"end", VT_PY_DOUBLE, offsetof(emitter_arguments, def.end), NULL},
    {"density", VT_PY_FINITE, offsetof(emitter_arguments, def.density), NULL},
    {"lifetime", VT_PY_DOUBLE, offsetof(emitter_arguments, def.lifetime), NULL},
    {"growth", VT_PY_FINITE, offsetof(emitter_arguments, def.growth), NULL},
    {"fade", VT_PY_FINITE, offsetof(emitter_arguments, def.fade), NULL},
    {"parent", VT_PY_INT32, offsetof(emitter_arguments, def.parent), NULL},
    {"animations", VT_PY_OBJECT, offsetof(emitter_arguments, animations), NULL},
    {NULL, VT_PY_OBJECT, 0, NULL}};

PyObject *vt_py_add_emitter(PyObject *self, PyObject *positional, PyObject *named)
{
    emitter_arguments arguments = {.def = vt_default_emitter()};
    vt_py_animations animations = {0};
    PyArrayObject *vertices = NULL, *faces = NULL;
    PyObject *result = NULL;
    vt_status status;
    if (vt_py_fill_arguments("add_emitter", positional, named, emitter_fields, &arguments) == 0 &&
        vt_py_to_animations(arguments.animations, &animations) == 0 &&
        (!arguments.shape ||
         vt_py_to_shape(arguments.shape, &arguments.def.shape, &vertices, &faces) == 0)) {
        vt_simulation *const simulation = vt_py_idle(self);
        arguments.def.animation_count = animations.count;
        arguments.def.animations = animations.items;
        if (simulation) {
            VT_PY_WITHOUT_GIL(self, status = vt_add_emitter(simulation, &arguments.def));
            result = vt_py_none_or_raise(self, status);
        }
    }
    vt_py_release_animations(&animations);
    vt_py_release(vertices);
    vt_py_release(faces);
    return result;
}

typedef struct parcels_arguments {
    vt_parcels_def def;
    PyObject *shape, *around, *animations;
} parcels_arguments;

static const vt_py_field parcels_fields[] = {
    {"shape", VT_PY_OBJECT, offsetof(parcels_arguments, shape), NULL},
    {"around", VT_PY_OBJECT, offsetof(parcels_arguments, around), NULL},
    {"core", VT_PY_FINITE, offsetof(parcels_arguments, def.core), NULL},
    {"spacing", VT_PY_FINITE, offsetof(parcels_arguments, def.spacing), NULL},
    {"fluid", VT_PY_FLUID, offsetof(parcels_arguments, def.fluid), NULL},
    {"swirl", VT_PY_FINITE, offsetof(parcels_arguments, def.swirl), NULL},
    {"taper", VT_PY_FINITE, offsetof(parcels_arguments, def.taper), NULL},
    {"flicker", VT_PY_FINITE, offsetof(parcels_arguments, def.flicker), NULL},
    {"rate", VT_PY_FINITE, offsetof(parcels_arguments, def.rate), NULL},
    {"start", VT_PY_FINITE, offsetof(parcels_arguments, def.start), NULL},
    {"end", VT_PY_DOUBLE, offsetof(parcels_arguments, def.end), NULL},
    {"lifetime", VT_PY_DOUBLE, offsetof(parcels_arguments, def.lifetime), NULL},
    {"parent", VT_PY_INT32, offsetof(parcels_arguments, def.parent), NULL},
    {"animations", VT_PY_OBJECT, offsetof(parcels_arguments, animations), NULL},
    {NULL, VT_PY_OBJECT, 0, NULL}};

/* The shapes of the arguments, with their meshes; around is NULL where it is not given. */
static int to_shapes(parcels_arguments *arguments, vt_shape *around, PyArrayObject *meshes[4])
{
    vt_parcels_def *const def = &arguments->def;
    if (arguments->shape &&
        vt_py_to_shape(arguments->shape, &def->shape, &meshes[0], &meshes[1]) < 0)
        return -1;
    if (!arguments->around || arguments->around == Py_None)
        return 0;
    def->around = around;
    return vt_py_to_shape(arguments->around, around, &meshes[2], &meshes[3]);
}

PyObject *vt_py_add_parcels(PyObject *self, PyObject *positional, PyObject *named)
{
    parcels_arguments arguments = {.def = vt_default_parcels()};
    vt_shape around = vt_default_shape();
    vt_py_animations animations = {0};
    PyArrayObject *meshes[4] = {NULL};
    PyObject *result = NULL;
    double renew = 0;
    vt_status status;
    if (vt_py_fill_arguments("add_parcels", positional, named, parcels_fields, &arguments) == 0 &&
        vt_py_to_animations(arguments.animations, &animations) == 0 &&
        to_shapes(&arguments, &around, meshes) == 0) {
        vt_simulation *const simulation = vt_py_idle(self);
        arguments.def.animation_count = animations.count;
        arguments.def.animations = animations.items;
        if (simulation) {
            VT_PY_WITHOUT_GIL(self, status = vt_add_parcels(simulation, &arguments.def, &renew));
            result = status ? vt_py_none_or_raise(self, status) : PyFloat_FromDouble(renew);
        }
    }
    vt_py_release_animations(&animations);
    vt_py_release_rows(meshes, 4);
    return result;
}

/* ---- at points ---- */

PyObject *vt_py_add_vorton_points(PyObject *self, PyObject *positional, PyObject *named)
{
    enum { OWN = 4, CARRIED = 5, ALL = OWN + CARRIED };
    static char *names[] = {"position", "strength",    "core", "volume", "time",  "parent",
                            "density",  "temperature", "fuel", "flame",  "smoke", NULL};
    static const int widths[ALL] = {3, 3, 1, 1, 1, 1, 1, 1, 1};
    PyObject *objects[ALL] = {NULL}, *time = NULL, *parent = NULL, *carried[CARRIED] = {NULL};
    PyArrayObject *rows[ALL] = {NULL};
    char *given[ALL] = {names[0], names[1], names[2], names[3]};
    const float **place[ALL] = {NULL};
    int columns = OWN;
    vt_vorton_points_def def = vt_default_vorton_points();
    const float **const places[ALL] = {&def.position, &def.strength, &def.core,
                                       &def.volume,   &def.density,  &def.temperature,
                                       &def.fuel,     &def.flame,    &def.smoke};
    vt_status status = VT_OK;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "OOOO|OOOOOOO:add_vorton_points", names,
                                     &objects[0], &objects[1], &objects[2], &objects[3], &time,
                                     &parent, &carried[0], &carried[1], &carried[2], &carried[3],
                                     &carried[4]) ||
        (time && vt_py_to_double(time, "time", 0, &def.time) < 0) ||
        (parent && vt_py_to_int32(parent, "parent", &def.parent) < 0))
        return NULL;
    for (int i = 0; i < OWN; i++)
        place[i] = places[i];
    for (int c = 0; c < CARRIED; c++)
        if (carried[c] && carried[c] != Py_None) {
            given[columns] = names[6 + c];
            place[columns] = places[OWN + c];
            objects[columns++] = carried[c];
        }
    vt_simulation *simulation = NULL;
    if (vt_py_to_rows(objects, given, widths, columns, rows) == 0)
        simulation = vt_py_idle(self);
    if (simulation) {
        def.count = PyArray_DIM(rows[0], 0);
        for (int i = 0; i < columns; i++)
            *place[i] = PyArray_DATA(rows[i]);
        VT_PY_WITHOUT_GIL(self, status = vt_add_vorton_points(simulation, &def));
    }
    vt_py_release_rows(rows, columns);
    return simulation ? vt_py_none_or_raise(self, status) : NULL;
}

PyObject *vt_py_add_tracer_points(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"position", "density", "size",   "lifetime", "rate",
                            "start",    "end",     "jitter", "parent",   NULL};
    static const int widths[] = {3, 1, 1, 1};
    PyObject *objects[4] = {NULL}, *rate = NULL, *start = NULL, *end = NULL, *jitter = NULL,
             *parent = NULL;
    PyArrayObject *rows[4] = {NULL};
    vt_tracer_points_def def = vt_default_tracer_points();
    vt_status status = VT_OK;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "OOO|OOOOOO:add_tracer_points", names,
                                     &objects[0], &objects[1], &objects[2], &objects[3], &rate,
                                     &start, &end, &jitter, &parent) ||
        (rate && vt_py_to_double(rate, "rate", 0, &def.rate) < 0) ||
        (start && vt_py_to_double(start, "start", 0, &def.start) < 0) ||
        (end && vt_py_to_double(end, "end", 1, &def.end) < 0) ||
        (jitter && vt_py_to_double(jitter, "jitter", 0, &def.jitter) < 0) ||
        (parent && vt_py_to_int32(parent, "parent", &def.parent) < 0))
        return NULL;
    const int columns = objects[3] && objects[3] != Py_None ? 4 : 3;
    vt_simulation *simulation = NULL;
    if (vt_py_to_rows(objects, names, widths, columns, rows) == 0)
        simulation = vt_py_idle(self);
    if (simulation) {
        def.count = PyArray_DIM(rows[0], 0);
        def.position = PyArray_DATA(rows[0]);
        def.density = PyArray_DATA(rows[1]);
        def.size = PyArray_DATA(rows[2]);
        def.lifetime = rows[3] ? PyArray_DATA(rows[3]) : NULL;
        VT_PY_WITHOUT_GIL(self, status = vt_add_tracer_points(simulation, &def));
    }
    vt_py_release_rows(rows, columns);
    return simulation ? vt_py_none_or_raise(self, status) : NULL;
}
