#include "simulation.h"

#include <string.h>

/* ---- tracks ---- */

typedef struct track_arguments {
    PyObject *times, *values, *interpolation;
    double start, rate;
} track_arguments;

static const vt_py_field track_fields[] = {
    {"times", VT_PY_OBJECT, offsetof(track_arguments, times), NULL},
    {"values", VT_PY_OBJECT, offsetof(track_arguments, values), NULL},
    {"interpolation", VT_PY_OBJECT, offsetof(track_arguments, interpolation), NULL},
    {"start", VT_PY_FINITE, offsetof(track_arguments, start), NULL},
    {"rate", VT_PY_FINITE, offsetof(track_arguments, rate), NULL},
    {NULL, VT_PY_OBJECT, 0, NULL}};

void vt_py_release_track(vt_py_track *track)
{
    vt_py_release(track->times);
    vt_py_release(track->values);
    *track = (vt_py_track){0};
}

static int fill_track(const track_arguments *arguments, const char *name, vt_py_track *result)
{
    npy_intp shape[2] = {-1, -1};
    if (!arguments->values) {
        PyErr_Format(PyExc_TypeError, "%s: values are missing", name);
        return -1;
    }
    result->values = vt_py_to_array(arguments->values, name, NPY_FLOAT64, 2, shape);
    if (!result->values)
        return -1;
    vt_track *const track = &result->track;
    track->count = shape[0] = PyArray_DIM(result->values, 0);
    track->components = (int32_t)PyArray_DIM(result->values, 1);
    track->values = PyArray_DATA(result->values);
    if (arguments->times) {
        result->times = vt_py_to_array(arguments->times, name, NPY_FLOAT64, 1, shape);
        if (!result->times)
            return -1;
        track->times = PyArray_DATA(result->times);
    }
    char *interpolation = NULL;
    Py_ssize_t length = 0;
    if (arguments->interpolation) {
        if (PyBytes_AsStringAndSize(arguments->interpolation, &interpolation, &length) < 0)
            return -1;
        if (length != track->count) {
            PyErr_Format(PyExc_ValueError, "%s: interpolation of %zd keys must be one for each key",
                         name, length);
            return -1;
        }
        track->interpolation = (const uint8_t *)interpolation;
    }
    return 0;
}

int vt_py_to_track(PyObject *dict, const char *name, vt_py_track *result)
{
    track_arguments arguments = {.rate = 1};
    *result = (vt_py_track){.track = vt_default_track()};
    if (vt_py_fill(name, dict, track_fields, &arguments) < 0)
        return -1;
    result->track.start = arguments.start;
    result->track.rate = arguments.rate;
    if (fill_track(&arguments, name, result) == 0)
        return 0;
    vt_py_release_track(result);
    return -1;
}

/* ---- animations ---- */

void vt_py_release_animations(vt_py_animations *animations)
{
    for (int32_t a = 0; a < animations->count; a++)
        vt_py_release_track(&animations->tracks[a]);
    PyMem_Free(animations->tracks);
    PyMem_Free(animations->items);
    *animations = (vt_py_animations){0};
}

int vt_py_to_animations(PyObject *dict, vt_py_animations *result)
{
    *result = (vt_py_animations){0};
    if (!dict)
        return 0;
    if (!PyDict_Check(dict)) {
        PyErr_Format(PyExc_TypeError, "animations must be a dict, got %.200R", dict);
        return -1;
    }
    const size_t count = (size_t)PyDict_Size(dict);
    result->items = PyMem_Calloc(count + 1, sizeof *result->items);
    result->tracks = PyMem_Calloc(count + 1, sizeof *result->tracks);
    int failed = !result->items || !result->tracks;
    if (failed)
        PyErr_NoMemory();
    Py_ssize_t position = 0;
    PyObject *key, *value;
    while (!failed && PyDict_Next(dict, &position, &key, &value)) {
        const int32_t a = result->count;
        const char *const name = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, NULL) : NULL;
        if (!name && !PyErr_Occurred())
            PyErr_Format(PyExc_TypeError, "animations: keys must be names, got %.200R", key);
        failed = !name || vt_py_to_track(value, name, &result->tracks[a]) < 0;
        if (failed)
            break;
        result->items[a] = (vt_animation){name, result->tracks[a].track};
        result->count++;
    }
    if (failed)
        vt_py_release_animations(result);
    return failed ? -1 : 0;
}

/* ---- transforms ---- */

typedef struct transform_arguments {
    vt_transform_def def;
    PyObject *rotation, *animations;
} transform_arguments;

static const vt_py_field transform_fields[] = {
    {"position", VT_PY_VECTOR, offsetof(transform_arguments, def.position), NULL},
    {"rotation", VT_PY_OBJECT, offsetof(transform_arguments, rotation), NULL},
    {"axis", VT_PY_VECTOR, offsetof(transform_arguments, def.axis), NULL},
    {"angle", VT_PY_FINITE, offsetof(transform_arguments, def.angle), NULL},
    {"scale", VT_PY_FINITE, offsetof(transform_arguments, def.scale), NULL},
    {"parent", VT_PY_INT32, offsetof(transform_arguments, def.parent), NULL},
    {"animations", VT_PY_OBJECT, offsetof(transform_arguments, animations), NULL},
    {NULL, VT_PY_OBJECT, 0, NULL}};

static int to_quaternion(PyObject *value, double result[4])
{
    const npy_intp four = 4;
    PyArrayObject *array = vt_py_to_array(value, "rotation", NPY_FLOAT64, 1, &four);
    if (!array)
        return -1;
    memcpy(result, PyArray_DATA(array), sizeof(double) * 4);
    vt_py_release(array);
    return 0;
}

PyObject *vt_py_add_transform(PyObject *self, PyObject *positional, PyObject *named)
{
    transform_arguments arguments = {.def = vt_default_transform()};
    vt_py_animations animations;
    int32_t id;
    if (vt_py_fill_arguments("add_transform", positional, named, transform_fields, &arguments) <
            0 ||
        (arguments.rotation && to_quaternion(arguments.rotation, arguments.def.rotation) < 0) ||
        vt_py_to_animations(arguments.animations, &animations) < 0)
        return NULL;
    arguments.def.animation_count = animations.count;
    arguments.def.animations = animations.items;
    vt_simulation *const simulation = vt_py_idle(self);
    PyObject *result = NULL;
    if (simulation) {
        const vt_status status = vt_add_transform(simulation, &arguments.def, &id);
        result = status == VT_OK ? PyLong_FromLong(id) : vt_py_raise(vt_py_state_of(self), status);
    }
    vt_py_release_animations(&animations);
    return result;
}

PyObject *vt_py_pose(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"id", "time", NULL};
    PyObject *id_object, *time_object;
    int32_t id;
    double time, matrix[3][4];
    if (!PyArg_ParseTupleAndKeywords(positional, named, "OO:pose", names, &id_object,
                                     &time_object) ||
        vt_py_to_int32(id_object, "id", &id) < 0 ||
        vt_py_to_double(time_object, "time", 0, &time) < 0)
        return NULL;
    vt_simulation *const simulation = vt_py_idle(self);
    if (!simulation)
        return NULL;
    const vt_status status = vt_get_pose(simulation, id, time, matrix);
    if (status != VT_OK)
        return vt_py_raise(vt_py_state_of(self), status);
    const npy_intp shape[2] = {3, 4};
    PyObject *array = PyArray_SimpleNew(2, shape, NPY_FLOAT64);
    if (array)
        memcpy(PyArray_DATA((PyArrayObject *)array), matrix, sizeof matrix);
    return array;
}

/* ---- tracks by themselves ---- */

static PyObject *run_track(PyObject *module, PyObject *dict, double from, const double *to)
{
    vt_py_track track;
    PyObject *result = NULL;
    if (vt_py_to_track(dict, "track", &track) < 0)
        return NULL;
    const vt_status status = vt_validate_track(&track.track);
    const npy_intp components = track.track.components;
    if (status != VT_OK)
        vt_py_raise(PyModule_GetState(module), status);
    else
        result = PyArray_SimpleNew(1, &components, NPY_FLOAT64);
    if (result && to)
        vt_integrate_track(&track.track, from, *to, PyArray_DATA((PyArrayObject *)result));
    else if (result)
        vt_evaluate_track(&track.track, from, PyArray_DATA((PyArrayObject *)result));
    vt_py_release_track(&track);
    return result;
}

static PyObject *evaluate_track(PyObject *module, PyObject *positional, PyObject *named)
{
    static char *names[] = {"track", "time", NULL};
    PyObject *dict, *time_object;
    double time;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "OO:evaluate_track", names, &dict,
                                     &time_object) ||
        vt_py_to_double(time_object, "time", 0, &time) < 0)
        return NULL;
    return run_track(module, dict, time, NULL);
}

static PyObject *integrate_track(PyObject *module, PyObject *positional, PyObject *named)
{
    static char *names[] = {"track", "start", "end", NULL};
    PyObject *dict, *from_object, *to_object;
    double from, to;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "OOO:integrate_track", names, &dict,
                                     &from_object, &to_object) ||
        vt_py_to_double(from_object, "start", 0, &from) < 0 ||
        vt_py_to_double(to_object, "end", 0, &to) < 0)
        return NULL;
    return run_track(module, dict, from, &to);
}

PyMethodDef vt_py_track_functions[] = {
    {"evaluate_track", VT_PY_FUNCTION(evaluate_track), METH_VARARGS | METH_KEYWORDS,
     "evaluate_track($module, /, track, time)\n--\n\n"
     "Values (components,) of a track at a time, s.\n\n"
     "track is a dict: values (count, components); times (count,), s, and interpolation, a byte\n"
     "for each key (0 constant, 1 linear, 2 smooth), or start, s, and rate, samples a second."},
    {"integrate_track", VT_PY_FUNCTION(integrate_track), METH_VARARGS | METH_KEYWORDS,
     "integrate_track($module, /, track, start, end)\n--\n\n"
     "Integrals (components,) of a track from one time to another, s."},
    {NULL, NULL, 0, NULL}};
