/* Methods of Simulation that add bodies and look at them. */
#include "simulation.h"

/* ---- adding ---- */

typedef struct body_arguments {
    vt_body_def def;
    PyObject *shapes;
} body_arguments;

static const vt_py_field body_fields[] = {
    {"shapes", VT_PY_OBJECT, offsetof(body_arguments, shapes), NULL},
    {"name", VT_PY_TEXT, offsetof(body_arguments, def.name), NULL},
    {"hole", VT_PY_BOOL, offsetof(body_arguments, def.hole), NULL},
    {"parent", VT_PY_INT32, offsetof(body_arguments, def.parent), NULL},
    {NULL, VT_PY_OBJECT, 0, NULL}};

/* Shapes, and what keeps their meshes alive. */
typedef struct held_shapes {
    Py_ssize_t count;
    vt_shape *shapes;
    PyArrayObject **vertices, **faces;
} held_shapes;

static void release_shapes(held_shapes *held)
{
    for (Py_ssize_t n = 0; n < held->count; n++) {
        vt_py_release(held->vertices[n]);
        vt_py_release(held->faces[n]);
    }
    PyMem_Free(held->shapes);
    PyMem_Free(held->vertices);
    PyMem_Free(held->faces);
}

static int hold_shapes(PyObject *list, held_shapes *held)
{
    *held = (held_shapes){.count = 0};
    if (!list || !PyList_Check(list)) {
        PyErr_Format(PyExc_TypeError, "shapes must be a list of dicts, got %.200R",
                     list ? list : Py_None);
        return -1;
    }
    const size_t count = (size_t)PyList_Size(list);
    held->shapes = PyMem_Calloc(count + 1, sizeof *held->shapes);
    held->vertices = PyMem_Calloc(count + 1, sizeof *held->vertices);
    held->faces = PyMem_Calloc(count + 1, sizeof *held->faces);
    if (!held->shapes || !held->vertices || !held->faces) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t n = 0; n < (Py_ssize_t)count; n++) {
        PyObject *const dict = PyList_GetItem(list, n);
        held->count = n + 1;
        if (!PyDict_Check(dict)) {
            PyErr_Format(PyExc_TypeError, "shapes[%zd] must be a dict, got %.200R", n, dict);
            return -1;
        }
        if (vt_py_to_shape(dict, &held->shapes[n], &held->vertices[n], &held->faces[n]) < 0)
            return -1;
    }
    return 0;
}

PyObject *vt_py_add_body(PyObject *self, PyObject *positional, PyObject *named)
{
    body_arguments arguments = {.def = vt_default_body()};
    held_shapes held;
    PyObject *result = NULL;
    int32_t id;
    if (vt_py_fill_arguments("add_body", positional, named, body_fields, &arguments) < 0)
        return NULL;
    if (hold_shapes(arguments.shapes, &held) == 0) {
        vt_simulation *const simulation = vt_py_idle(self);
        arguments.def.shapes = held.shapes;
        arguments.def.shape_count = held.count > INT32_MAX ? INT32_MAX : (int32_t)held.count;
        if (simulation) {
            const vt_status status = vt_add_body(simulation, &arguments.def, &id);
            result =
                status == VT_OK ? PyLong_FromLong(id) : vt_py_raise(vt_py_state_of(self), status);
        }
    }
    release_shapes(&held);
    return result;
}

/* ---- looking ---- */

static PyObject *to_row(const vt_body_state *b)
{
    return Py_BuildValue("{s:s, s:O, s:(ddd), s:(dddd), s:(ddd), s:(ddd)}", "name", b->name, "hole",
                         b->hole ? Py_True : Py_False, "position", b->position[0], b->position[1],
                         b->position[2], "rotation", b->rotation[0], b->rotation[1], b->rotation[2],
                         b->rotation[3], "velocity", b->velocity[0], b->velocity[1], b->velocity[2],
                         "angular_velocity", b->angular_velocity[0], b->angular_velocity[1],
                         b->angular_velocity[2]);
}

PyObject *vt_py_bodies(PyObject *self, PyObject *Py_UNUSED(arguments))
{
    vt_simulation *const simulation = vt_py_idle(self);
    PyObject *list = simulation ? PyList_New(0) : NULL;
    vt_body_state state;
    for (int32_t n = 0; list && n < vt_body_count(simulation); n++) {
        const vt_status status = vt_get_body(simulation, n, &state);
        PyObject *row =
            status == VT_OK ? to_row(&state) : vt_py_raise(vt_py_state_of(self), status);
        if (!row || PyList_Append(list, row) < 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

PyObject *vt_py_body_distance(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"id", "points", NULL};
    PyObject *id_object, *points_object;
    npy_intp shape[2] = {-1, 3};
    int32_t id;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "OO:body_distance", names, &id_object,
                                     &points_object) ||
        vt_py_to_int32(id_object, "id", &id) < 0)
        return NULL;
    PyArrayObject *points = vt_py_to_array(points_object, "points", NPY_FLOAT64, 2, shape);
    if (!points)
        return NULL;
    shape[0] = PyArray_DIM(points, 0);
    PyObject *distance = PyArray_SimpleNew(1, shape, NPY_FLOAT64);
    PyObject *nearest = PyArray_SimpleNew(2, shape, NPY_FLOAT64);
    PyObject *normal = PyArray_SimpleNew(2, shape, NPY_FLOAT64);
    vt_simulation *const simulation = PyErr_Occurred() ? NULL : vt_py_idle(self);
    PyObject *result = NULL;
    if (simulation) {
        const vt_status status = vt_body_distance(
            simulation, id, shape[0], PyArray_DATA(points), PyArray_DATA((PyArrayObject *)distance),
            PyArray_DATA((PyArrayObject *)nearest), PyArray_DATA((PyArrayObject *)normal));
        result = status == VT_OK ? Py_BuildValue("(OOO)", distance, nearest, normal)
                                 : vt_py_raise(vt_py_state_of(self), status);
    }
    Py_XDECREF(distance);
    Py_XDECREF(nearest);
    Py_XDECREF(normal);
    vt_py_release(points);
    return result;
}
