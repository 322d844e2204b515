#include "python/animation.h"

#include <string.h>

#include "python/convert.h"

/* ---- tracks ---- */

/* Values, and times where there are any. */
static int read_keys(PyObject *values, PyObject *times, const char *name, vt_track *track,
                     PyObject *kept)
{
    npy_intp shape[2] = {-1, -1};
    PyArrayObject *const rows = vti_py_to_array(values, name, NPY_FLOAT64, 2, shape);
    if (vti_py_append(kept, (PyObject *)rows) < 0)
        return -1;
    track->count = shape[0] = PyArray_DIM(rows, 0);
    track->components = (int32_t)PyArray_DIM(rows, 1);
    track->values = PyArray_DATA(rows);
    if (!times)
        return 0;
    PyArrayObject *const keys = vti_py_to_array(times, name, NPY_FLOAT64, 1, shape);
    if (vti_py_append(kept, (PyObject *)keys) < 0)
        return -1;
    track->times = PyArray_DATA(keys);
    return 0;
}

static int read_interpolation(PyObject *bytes, const char *name, vt_track *track)
{
    char *interpolation = NULL;
    Py_ssize_t length = 0;
    if (PyBytes_AsStringAndSize(bytes, &interpolation, &length) < 0)
        return -1;
    if (length != track->count) {
        PyErr_Format(PyExc_ValueError, "%s: interpolation of %zd keys must be one for each key",
                     name, length);
        return -1;
    }
    track->interpolation = (const uint8_t *)interpolation;
    return 0;
}

enum { TIMES, VALUES, INTERPOLATION, START, RATE, MEMBERS };

/* Borrowed references to the members of a track; -1 with an exception set. */
static int find_members(PyObject *dict, const char *name, PyObject *found[MEMBERS])
{
    static const char *const names[MEMBERS] = {"times", "values", "interpolation", "start", "rate"};
    Py_ssize_t known = 0;
    if (!PyDict_Check(dict)) {
        PyErr_Format(PyExc_TypeError, "%s must be a dict, got %.200R", name, dict);
        return -1;
    }
    for (int n = 0; n < MEMBERS; n++) {
        found[n] = PyDict_GetItemString(dict, names[n]);
        known += found[n] != NULL;
    }
    if (known != PyDict_Size(dict))
        PyErr_Format(PyExc_TypeError,
                     "%s is %.200R; a track knows times, values, interpolation, start, rate", name,
                     dict);
    else if (!found[VALUES])
        PyErr_Format(PyExc_TypeError, "%s: values are missing", name);
    return PyErr_Occurred() ? -1 : 0;
}

int vti_py_to_track(PyObject *dict, const char *name, vt_track *track, PyObject *kept)
{
    PyObject *found[MEMBERS];
    vt_default_track(track);
    track->rate = 1;
    if (find_members(dict, name, found) < 0 ||
        (found[START] && vti_py_to_double(found[START], "start", 0, &track->start) < 0) ||
        (found[RATE] && vti_py_to_double(found[RATE], "rate", 0, &track->rate) < 0) ||
        read_keys(found[VALUES], found[TIMES], name, track, kept) < 0)
        return -1;
    return found[INTERPOLATION] ? read_interpolation(found[INTERPOLATION], name, track) : 0;
}

/* ---- transforms ---- */

PyObject *vti_py_pose(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"id", "time", NULL};
    PyObject *id_object, *time_object;
    int32_t id;
    double time, matrix[3][4];
    if (!PyArg_ParseTupleAndKeywords(positional, named, "OO:pose", names, &id_object,
                                     &time_object) ||
        vti_py_to_int32(id_object, "id", &id) < 0 ||
        vti_py_to_double(time_object, "time", 0, &time) < 0)
        return NULL;
    VT_PY_CALL(self, vt_get_pose(simulation, id, time, matrix));
    const npy_intp shape[2] = {3, 4};
    PyObject *array = PyArray_SimpleNew(2, shape, NPY_FLOAT64);
    if (array)
        memcpy(PyArray_DATA((PyArrayObject *)array), matrix, sizeof matrix);
    return array;
}

/* ---- tracks by themselves ---- */

static PyObject *run_track(PyObject *module, PyObject *dict, double from, const double *to)
{
    vt_track track;
    PyObject *const kept = PyList_New(0);
    PyObject *result = NULL;
    if (kept && vti_py_to_track(dict, "track", &track, kept) == 0) {
        const vt_status status = vt_validate_track(&track);
        const npy_intp components = track.components;
        if (status != VT_OK)
            vti_py_raise(PyModule_GetState(module), status);
        else
            result = PyArray_SimpleNew(1, &components, NPY_FLOAT64);
        if (result && to)
            vt_integrate_track(&track, from, *to, PyArray_DATA((PyArrayObject *)result));
        else if (result)
            vt_evaluate_track(&track, from, PyArray_DATA((PyArrayObject *)result));
    }
    Py_XDECREF(kept);
    return result;
}

static PyObject *evaluate_track(PyObject *module, PyObject *positional, PyObject *named)
{
    static char *names[] = {"track", "time", NULL};
    PyObject *dict, *time_object;
    double time;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "OO:evaluate_track", names, &dict,
                                     &time_object) ||
        vti_py_to_double(time_object, "time", 0, &time) < 0)
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
        vti_py_to_double(from_object, "start", 0, &from) < 0 ||
        vti_py_to_double(to_object, "end", 0, &to) < 0)
        return NULL;
    return run_track(module, dict, from, &to);
}

PyMethodDef vti_py_track_functions[] = {
    {"evaluate_track", VT_PY_FUNCTION(evaluate_track), METH_VARARGS | METH_KEYWORDS,
     "evaluate_track($module, /, track, time)\n--\n\n"
     "Values (components,) of a track at a time, s.\n\n"
     "track is a dict: values (count, components); times (count,), s, and interpolation, a byte\n"
     "for each key (0 constant, 1 linear, 2 smooth), or start, s, and rate, samples a second."},
    {"integrate_track", VT_PY_FUNCTION(integrate_track), METH_VARARGS | METH_KEYWORDS,
     "integrate_track($module, /, track, start, end)\n--\n\n"
     "Integrals (components,) of a track from one time to another, s."},
    {NULL, NULL, 0, NULL}};
