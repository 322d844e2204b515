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
    {"fluid", VT_PY_FLUID, offsetof(emitter_arguments, def.fluid), NULL},
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

/* Rows of a definition, a pointer to the first of which goes to `place`. */
typedef struct point_rows {
    PyObject *object;
    const float **place;
    char *name;
    int width;
} point_rows;

enum { MOST_ROWS = 10 };

/* Converts those that are given, all of as many rows; returns how many arrays, or -1. */
static int to_point_rows(const point_rows *all, int count, int64_t *rows,
                         PyArrayObject *arrays[MOST_ROWS])
{
    PyObject *objects[MOST_ROWS];
    char *names[MOST_ROWS];
    int widths[MOST_ROWS], given = 0;
    const float **places[MOST_ROWS];
    for (int n = 0; n < count; n++) {
        if (!all[n].object || all[n].object == Py_None)
            continue;
        objects[given] = all[n].object;
        names[given] = all[n].name;
        widths[given] = all[n].width;
        places[given++] = all[n].place;
    }
    if (vt_py_to_rows(objects, names, widths, given, arrays) < 0)
        return -1;
    for (int n = 0; n < given; n++)
        *places[n] = PyArray_DATA(arrays[n]);
    *rows = PyArray_DIM(arrays[0], 0);
    return given;
}

static int lacks(const char *function, const point_rows *needed, int count)
{
    for (int n = 0; n < count; n++)
        if (!needed[n].object || needed[n].object == Py_None) {
            PyErr_Format(PyExc_TypeError, "%s needs %s", function, needed[n].name);
            return 1;
        }
    return 0;
}

/* What a definition points at while the core copies it. */
typedef struct held_points {
    PyArrayObject *arrays[MOST_ROWS];
    vt_py_animations animations;
    int64_t count;
} held_points;

static void release_points(held_points *held)
{
    vt_py_release_rows(held->arrays, MOST_ROWS);
    vt_py_release_animations(&held->animations);
}

/* The first `needed` rows must be given. On failure nothing is held. */
static int hold_points(const char *function, const point_rows rows[MOST_ROWS], int needed,
                       PyObject *animations, held_points *held)
{
    *held = (held_points){.arrays = {NULL}};
    if (lacks(function, rows, needed) || vt_py_to_animations(animations, &held->animations) < 0)
        return -1;
    if (to_point_rows(rows, MOST_ROWS, &held->count, held->arrays) >= 0)
        return 0;
    release_points(held);
    return -1;
}

typedef struct vorton_points_arguments {
    vt_vorton_points_def def;
    PyObject *position, *strength, *core, *volume, *density, *temperature, *fuel, *flame, *smoke,
        *lifetime, *animations;
} vorton_points_arguments;

#define ROWS(member) {#member, VT_PY_OBJECT, offsetof(vorton_points_arguments, member), NULL}
#define VALUE(member, kind) {#member, kind, offsetof(vorton_points_arguments, def.member), NULL}
static const vt_py_field vorton_points_fields[] = {ROWS(position),
                                                   ROWS(strength),
                                                   ROWS(core),
                                                   ROWS(volume),
                                                   ROWS(density),
                                                   ROWS(temperature),
                                                   ROWS(fuel),
                                                   ROWS(flame),
                                                   ROWS(smoke),
                                                   ROWS(lifetime),
                                                   VALUE(time, VT_PY_FINITE),
                                                   VALUE(rate, VT_PY_FINITE),
                                                   VALUE(end, VT_PY_DOUBLE),
                                                   VALUE(jitter, VT_PY_FINITE),
                                                   VALUE(parent, VT_PY_INT32),
                                                   ROWS(animations),
                                                   {NULL, VT_PY_OBJECT, 0, NULL}};
#undef ROWS
#undef VALUE

PyObject *vt_py_add_vorton_points(PyObject *self, PyObject *positional, PyObject *named)
{
    vorton_points_arguments a = {.def = vt_default_vorton_points()};
    held_points held;
    vt_status status = VT_OK;
    if (vt_py_fill_arguments("add_vorton_points", positional, named, vorton_points_fields, &a) < 0)
        return NULL;
    const point_rows rows[] = {{a.position, &a.def.position, "position", 3},
                               {a.strength, &a.def.strength, "strength", 3},
                               {a.core, &a.def.core, "core", 1},
                               {a.volume, &a.def.volume, "volume", 1},
                               {a.density, &a.def.density, "density", 1},
                               {a.temperature, &a.def.temperature, "temperature", 1},
                               {a.fuel, &a.def.fuel, "fuel", 1},
                               {a.flame, &a.def.flame, "flame", 1},
                               {a.smoke, &a.def.smoke, "smoke", 1},
                               {a.lifetime, &a.def.lifetime, "lifetime", 1}};
    if (hold_points("add_vorton_points", rows, 4, a.animations, &held) < 0)
        return NULL;
    a.def.count = held.count;
    a.def.animation_count = held.animations.count;
    a.def.animations = held.animations.items;
    vt_simulation *const simulation = vt_py_idle(self);
    if (simulation)
        VT_PY_WITHOUT_GIL(self, status = vt_add_vorton_points(simulation, &a.def));
    release_points(&held);
    return simulation ? vt_py_none_or_raise(self, status) : NULL;
}

typedef struct tracer_points_arguments {
    vt_tracer_points_def def;
    PyObject *position, *density, *size, *lifetime, *growth, *fade, *temperature, *fuel, *flame,
        *smoke, *animations;
} tracer_points_arguments;

#define ROWS(member) {#member, VT_PY_OBJECT, offsetof(tracer_points_arguments, member), NULL}
#define VALUE(member, kind) {#member, kind, offsetof(tracer_points_arguments, def.member), NULL}
static const vt_py_field tracer_points_fields[] = {ROWS(position),
                                                   ROWS(density),
                                                   ROWS(size),
                                                   ROWS(lifetime),
                                                   ROWS(growth),
                                                   ROWS(fade),
                                                   ROWS(temperature),
                                                   ROWS(fuel),
                                                   ROWS(flame),
                                                   ROWS(smoke),
                                                   VALUE(rate, VT_PY_FINITE),
                                                   VALUE(start, VT_PY_FINITE),
                                                   VALUE(end, VT_PY_DOUBLE),
                                                   VALUE(jitter, VT_PY_FINITE),
                                                   VALUE(parent, VT_PY_INT32),
                                                   ROWS(animations),
                                                   {NULL, VT_PY_OBJECT, 0, NULL}};
#undef ROWS
#undef VALUE

PyObject *vt_py_add_tracer_points(PyObject *self, PyObject *positional, PyObject *named)
{
    tracer_points_arguments a = {.def = vt_default_tracer_points()};
    held_points held;
    vt_status status = VT_OK;
    if (vt_py_fill_arguments("add_tracer_points", positional, named, tracer_points_fields, &a) < 0)
        return NULL;
    const point_rows rows[] = {{a.position, &a.def.position, "position", 3},
                               {a.density, &a.def.density, "density", 1},
                               {a.size, &a.def.size, "size", 1},
                               {a.lifetime, &a.def.lifetime, "lifetime", 1},
                               {a.growth, &a.def.growth, "growth", 1},
                               {a.fade, &a.def.fade, "fade", 1},
                               {a.temperature, &a.def.temperature, "temperature", 1},
                               {a.fuel, &a.def.fuel, "fuel", 1},
                               {a.flame, &a.def.flame, "flame", 1},
                               {a.smoke, &a.def.smoke, "smoke", 1}};
    if (hold_points("add_tracer_points", rows, 3, a.animations, &held) < 0)
        return NULL;
    a.def.count = held.count;
    a.def.animation_count = held.animations.count;
    a.def.animations = held.animations.items;
    vt_simulation *const simulation = vt_py_idle(self);
    if (simulation)
        VT_PY_WITHOUT_GIL(self, status = vt_add_tracer_points(simulation, &a.def));
    release_points(&held);
    return simulation ? vt_py_none_or_raise(self, status) : NULL;
}
