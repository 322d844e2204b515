#include "python/bodies.h"

#include "python/convert.h"
#include "python/definitions.h"

/* ---- changing ---- */

/* Rows of numbers, NULL for None; each keeps its memory alive. Returns 0, or -1. */
static int to_numbers(PyObject *const objects[], char *const names[], const npy_intp lengths[],
                      int count, PyArrayObject *arrays[], const double *numbers[])
{
    for (int n = 0; n < count; n++) {
        numbers[n] = NULL;
        if (!objects[n] || objects[n] == Py_None)
            continue;
        arrays[n] = vti_py_to_array(objects[n], names[n], NPY_FLOAT64, 1, &lengths[n]);
        if (!arrays[n])
            return -1;
        numbers[n] = PyArray_DATA(arrays[n]);
    }
    return 0;
}

/* set_body(id, **change): what is changed is a definition. */
PyObject *vti_py_set_body(PyObject *self, PyObject *positional, PyObject *named)
{
    PyObject *id_object = named ? PyDict_GetItemString(named, "id") : NULL;
    PyObject *const values = named ? PyDict_Copy(named) : PyDict_New();
    PyObject *const kept = PyList_New(0);
    PyObject *result = NULL;
    vt_body_change change;
    int32_t id;
    vt_default_body_change(&change);
    if (PyTuple_Size(positional) == 1 && !id_object)
        id_object = PyTuple_GetItem(positional, 0);
    else if (values && id_object && PyTuple_Size(positional) == 0)
        PyDict_DelItemString(values, "id");
    else
        id_object = NULL;
    if (!id_object)
        PyErr_SetString(PyExc_TypeError, "set_body takes the id of a body, and what changes as "
                                         "keyword arguments");
    if (id_object && values && kept && vti_py_to_int32(id_object, "id", &id) == 0 &&
        vti_py_read("set_body", "body_change", values, &change, kept) == 0) {
        vt_simulation *const simulation = vti_py_idle(self);
        if (simulation)
            result = vti_py_none_or_raise(self, vt_set_body(simulation, id, &change));
    }
    Py_XDECREF(values);
    Py_XDECREF(kept);
    return result;
}

PyObject *vti_py_apply_impulse(PyObject *self, PyObject *positional, PyObject *named)
{
    enum { IMPULSE, POINT, ANGULAR, ARRAYS };
    static char *names[] = {"id", "impulse", "point", "angular_impulse", NULL};
    static const npy_intp lengths[ARRAYS] = {3, 3, 3};
    PyObject *objects[ARRAYS] = {NULL}, *id_object, *result = NULL;
    PyArrayObject *arrays[ARRAYS] = {NULL};
    const double *numbers[ARRAYS];
    int32_t id;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "OO|OO:apply_impulse", names, &id_object,
                                     &objects[IMPULSE], &objects[POINT], &objects[ANGULAR]) ||
        vti_py_to_int32(id_object, "id", &id) < 0)
        return NULL;
    if (objects[IMPULSE] == Py_None)
        PyErr_SetString(PyExc_TypeError, "impulse must be three numbers (N s), got None");
    else if (to_numbers(objects, names + 1, lengths, ARRAYS, arrays, numbers) == 0) {
        vt_simulation *const simulation = vti_py_idle(self);
        if (simulation)
            result = vti_py_none_or_raise(self, vt_apply_impulse(simulation, id, numbers[IMPULSE],
                                                                 numbers[POINT], numbers[ANGULAR]));
    }
    for (int n = 0; n < ARRAYS; n++)
        vti_py_release(arrays[n]);
    return result;
}

/* ---- looking ---- */

static const vt_py_field state_fields[] = {
#define VT_PY_STATE_flag VT_PY_BOOL
#define VT_PY_STATE_number VT_PY_DOUBLE
#define VT_PY_STATE_vector VT_PY_VECTOR
#define VT_PY_STATE_quaternion VT_PY_QUATERNION
#define VT_PY_STATE_matrix VT_PY_MATRIX
#define VT_BODY_STATE(type, name, unit, description)                                               \
    {#name, VT_PY_STATE_##type, offsetof(vt_body_state, name)},
#include "vorton/body_state.def"
    {NULL, VT_PY_INT32, 0}};

static PyObject *to_row(const vt_body_state *b)
{
    PyObject *row = vti_py_to_dict(state_fields, b);
    if (row && vti_py_set_item(row, "name", PyUnicode_FromString(b->name)) < 0)
        Py_CLEAR(row);
    return row;
}

PyObject *vti_py_bodies(PyObject *self, PyObject *Py_UNUSED(arguments))
{
    vt_simulation *const simulation = vti_py_idle(self);
    PyObject *list = simulation ? PyList_New(0) : NULL;
    vt_body_state state = {.struct_size = sizeof state};
    for (int32_t n = 0; list && n < vt_body_count(simulation); n++) {
        int32_t id = 0;
        vt_status status = vt_get_body_id(simulation, n, &id);
        if (status == VT_OK)
            status = vt_get_body(simulation, id, &state);
        PyObject *row =
            status == VT_OK ? to_row(&state) : vti_py_raise(vti_py_state_of(self), status);
        if (row && vti_py_set_item(row, "id", PyLong_FromLong(id)) < 0)
            Py_CLEAR(row);
        if (vti_py_append(list, row) < 0)
            Py_CLEAR(list);
    }
    return list;
}

PyObject *vti_py_body_distance(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"id", "points", NULL};
    PyObject *id_object, *points_object;
    npy_intp shape[2] = {-1, 3};
    int32_t id;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "OO:body_distance", names, &id_object,
                                     &points_object) ||
        vti_py_to_int32(id_object, "id", &id) < 0)
        return NULL;
    PyArrayObject *points = vti_py_to_array(points_object, "points", NPY_FLOAT64, 2, shape);
    if (!points)
        return NULL;
    shape[0] = PyArray_DIM(points, 0);
    PyObject *distance = PyArray_SimpleNew(1, shape, NPY_FLOAT64);
    PyObject *nearest = PyArray_SimpleNew(2, shape, NPY_FLOAT64);
    PyObject *normal = PyArray_SimpleNew(2, shape, NPY_FLOAT64);
    vt_simulation *const simulation = PyErr_Occurred() ? NULL : vti_py_idle(self);
    PyObject *result = NULL;
    if (simulation) {
        const vt_status status = vt_body_distance(
            simulation, id, shape[0], PyArray_DATA(points), PyArray_DATA((PyArrayObject *)distance),
            PyArray_DATA((PyArrayObject *)nearest), PyArray_DATA((PyArrayObject *)normal));
        result = status == VT_OK ? Py_BuildValue("(OOO)", distance, nearest, normal)
                                 : vti_py_raise(vti_py_state_of(self), status);
    }
    Py_XDECREF(distance);
    Py_XDECREF(nearest);
    Py_XDECREF(normal);
    vti_py_release(points);
    return result;
}

/* ---- panels ---- */

/* Makes an array for each member, and adds it to the dict under its name. */
static void *new_array(PyObject *dict, const char *name, int dimensions, npy_intp count,
                       npy_intp width, int type)
{
    npy_intp shape[2] = {count, width};
    PyObject *const array = PyArray_ZEROS(dimensions, shape, type, 0);
    if (!array || PyDict_SetItemString(dict, name, array) < 0) {
        Py_XDECREF(array);
        return NULL;
    }
    Py_DECREF(array);
    return PyArray_DATA((PyArrayObject *)array);
}

PyObject *vti_py_panels(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"id", NULL};
    PyObject *id_object;
    int32_t id, count;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "O:panels", names, &id_object) ||
        vti_py_to_int32(id_object, "id", &id) < 0)
        return NULL;
    vt_simulation *const simulation = vti_py_idle(self);
    if (!simulation)
        return NULL;
    vt_status status = vt_count_panels(simulation, id, &count);
    if (status)
        return vti_py_raise(vti_py_state_of(self), status);
    PyObject *const dict = PyDict_New();
    if (!dict)
        return NULL;
    const vt_panel_arrays arrays = {
        .struct_size = sizeof arrays,
        .center = new_array(dict, "center", 2, count, 3, NPY_FLOAT64),
        .normal = new_array(dict, "normal", 2, count, 3, NPY_FLOAT64),
        .area = new_array(dict, "area", 1, count, 1, NPY_FLOAT64),
        .density = new_array(dict, "density", 1, count, 1, NPY_FLOAT32),
        .velocity = new_array(dict, "velocity", 2, count, 3, NPY_FLOAT32),
        .added_mass = new_array(dict, "added_mass", 2, 6, 6, NPY_FLOAT64)};
    if (!PyErr_Occurred()) {
        status = vt_get_panels(simulation, id, &arrays);
        if (status == VT_OK)
            return dict;
        vti_py_raise(vti_py_state_of(self), status);
    }
    Py_DECREF(dict);
    return NULL;
}
