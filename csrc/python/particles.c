#include "python/particles.h"

#include <string.h>

#include "python/convert.h"

enum { MOST_COLUMNS = 4 };

static int to_set(PyObject *value, int32_t *set)
{
    return vti_py_to_choice(value, "set", "vortons tracers", set);
}

/* Arrays that describe particles, one row each: widths[c] numbers in a row of arrays[c], as many
 * rows in all as arrays[0] (rows, 3) has. Returns 0, or -1 with an exception set. */
static int to_rows(PyObject *const objects[], char *const names[], const int widths[], int columns,
                   PyArrayObject *arrays[])
{
    npy_intp shape[2] = {-1, 0};
    for (int c = 0; c < columns; c++) {
        shape[1] = widths[c];
        arrays[c] =
            vti_py_to_array(objects[c], names[c], NPY_FLOAT32, widths[c] > 1 ? 2 : 1, shape);
        if (!arrays[c])
            return -1;
        shape[0] = PyArray_DIM(arrays[c], 0);
    }
    return 0;
}

static void release_rows(PyArrayObject *arrays[], int columns)
{
    for (int c = 0; c < columns; c++)
        vti_py_release(arrays[c]);
}

/* New particles' ids (int64), filled by the library. */
static PyObject *new_ids(npy_intp count)
{
    return PyArray_SimpleNew(1, &count, NPY_INT64);
}

static vt_status append(vt_simulation *simulation, int set, PyArrayObject *const rows[],
                        int64_t *ids)
{
    const npy_intp count = PyArray_DIM(rows[0], 0);
    if (set == VT_VORTONS)
        return vt_insert_vortons(simulation, count, PyArray_DATA(rows[0]), PyArray_DATA(rows[1]),
                                 PyArray_DATA(rows[2]), PyArray_DATA(rows[3]), ids);
    return vt_insert_tracers(simulation, count, PyArray_DATA(rows[0]), PyArray_DATA(rows[1]),
                             PyArray_DATA(rows[2]), ids);
}

/* Appends one particle for each row of the arguments; their ids. */
static PyObject *add(PyObject *self, int set, PyObject *const objects[], char *const names[],
                     const int widths[], int columns)
{
    PyArrayObject *rows[MOST_COLUMNS] = {NULL};
    PyObject *ids = NULL;
    if (to_rows(objects, names, widths, columns, rows) == 0)
        ids = new_ids(PyArray_DIM(rows[0], 0));
    vt_simulation *const simulation = ids ? vti_py_idle(self) : NULL;
    vt_status status = VT_OK;
    if (simulation)
        status = append(simulation, set, rows, PyArray_DATA((PyArrayObject *)ids));
    release_rows(rows, columns);
    if (simulation && status == VT_OK)
        return ids;
    Py_XDECREF(ids);
    return simulation ? vti_py_raise(vti_py_state_of(self), status) : NULL;
}

PyObject *vti_py_add_vortons(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"position", "strength", "core", "volume", NULL};
    static const int widths[] = {3, 3, 1, 1};
    PyObject *objects[4];
    if (!PyArg_ParseTupleAndKeywords(positional, named, "OOOO:add_vortons", names, &objects[0],
                                     &objects[1], &objects[2], &objects[3]))
        return NULL;
    return add(self, VT_VORTONS, objects, names, widths, 4);
}

PyObject *vti_py_add_tracers(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"position", "density", "size", NULL};
    static const int widths[] = {3, 1, 1};
    PyObject *objects[3];
    if (!PyArg_ParseTupleAndKeywords(positional, named, "OOO:add_tracers", names, &objects[0],
                                     &objects[1], &objects[2]))
        return NULL;
    return add(self, VT_TRACERS, objects, names, widths, 3);
}

PyObject *vti_py_remove(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"set", "mask", NULL};
    PyObject *set_object, *mask_object;
    int32_t set;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "OO:remove", names, &set_object,
                                     &mask_object) ||
        to_set(set_object, &set) < 0 || !vti_py_idle(self))
        return NULL;
    const npy_intp any = -1;
    PyArrayObject *mask = vti_py_to_array(mask_object, "mask", NPY_BOOL, 1, &any);
    vt_simulation *const simulation = mask ? vti_py_idle(self) : NULL;
    PyObject *result = NULL;
    if (simulation) {
        const int64_t count = vt_count(simulation, set), length = PyArray_DIM(mask, 0);
        if (length == count)
            result = vti_py_none_or_raise(self, vt_remove(simulation, set, PyArray_DATA(mask)));
        else
            PyErr_Format(PyExc_ValueError, "mask must have shape (%lld,), got (%lld,)",
                         (long long)count, (long long)length);
    }
    vti_py_release(mask);
    return result;
}

PyObject *vti_py_find_rows(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"set", "ids", NULL};
    PyObject *set_object, *ids_object;
    int32_t set;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "OO:find_rows", names, &set_object,
                                     &ids_object) ||
        to_set(set_object, &set) < 0)
        return NULL;
    const npy_intp any = -1;
    PyArrayObject *ids = vti_py_to_array(ids_object, "ids", NPY_INT64, 1, &any);
    PyObject *rows = ids ? new_ids(PyArray_DIM(ids, 0)) : NULL;
    vt_simulation *const simulation = rows ? vti_py_idle(self) : NULL;
    vt_status status = VT_OK;
    if (simulation)
        status = vt_find_rows(simulation, set, PyArray_DIM(ids, 0), PyArray_DATA(ids),
                              PyArray_DATA((PyArrayObject *)rows));
    vti_py_release(ids);
    if (simulation && status == VT_OK)
        return rows;
    Py_XDECREF(rows);
    return simulation ? vti_py_raise(vti_py_state_of(self), status) : NULL;
}

PyObject *vti_py_count(PyObject *self, PyObject *set_object)
{
    int32_t set;
    const vt_simulation *const simulation = vti_py_idle(self);
    if (!simulation || to_set(set_object, &set) < 0)
        return NULL;
    return PyLong_FromLongLong(vt_count(simulation, set));
}

PyObject *vti_py_capacity(PyObject *self, PyObject *set_object)
{
    int32_t set;
    const vt_simulation *const simulation = vti_py_idle(self);
    if (!simulation || to_set(set_object, &set) < 0)
        return NULL;
    return PyLong_FromLongLong(vt_capacity(simulation, set));
}

/* Columns that the simulation makes, not its user. */
static int is_result(const char *name)
{
    static const char *const names[] = {
        "velocity",     "acceleration",       "id",      "panel",     "birth_strength",
        "birth_volume", "volume_temperature", "mixture", "eddy_place"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        if (strcmp(name, names[n]) == 0)
            return 1;
    return 0;
}

PyObject *vti_py_tracers_carry(PyObject *self, PyObject *name)
{
    PyObject *const text = PyUnicode_Check(name) ? PyUnicode_AsUTF8String(name) : NULL;
    if (!text)
        return PyErr_Format(PyExc_TypeError, "name must be a string, got %.200R", name);
    vt_simulation *const simulation = vti_py_idle(self);
    const int carried = simulation && vt_tracers_carry(simulation, PyBytes_AsString(text));
    Py_DECREF(text);
    return simulation ? PyBool_FromLong(carried) : NULL;
}

PyObject *vti_py_column(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"set", "name", NULL};
    PyObject *set_object;
    const char *name;
    int32_t set;
    vt_array array = {.struct_size = sizeof array};
    if (!PyArg_ParseTupleAndKeywords(positional, named, "Os:column", names, &set_object, &name) ||
        to_set(set_object, &set) < 0)
        return NULL;
    /* The first view of the tracers' velocity solves for it. */
    VT_PY_CALL(self, vt_column(simulation, set, name, &array));
    return vti_py_view(&array, self, !is_result(name));
}
