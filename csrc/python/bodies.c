/* Methods of Simulation that add bodies, change them and look at them. */
#include "simulation.h"

/* ---- adding ---- */

typedef struct body_arguments {
    vt_body_def def;
    PyObject *shapes, *animations;
} body_arguments;

static const vt_py_field body_fields[] = {
    {"shapes", VT_PY_OBJECT, offsetof(body_arguments, shapes), NULL},
    {"name", VT_PY_TEXT, offsetof(body_arguments, def.name), NULL},
    {"hole", VT_PY_BOOL, offsetof(body_arguments, def.hole), NULL},
    {"parent", VT_PY_INT32, offsetof(body_arguments, def.parent), NULL},
    {"density", VT_PY_FINITE, offsetof(body_arguments, def.density), NULL},
    {"held", VT_PY_BOOL, offsetof(body_arguments, def.held), NULL},
    {"velocity", VT_PY_VECTOR, offsetof(body_arguments, def.velocity), NULL},
    {"angular_velocity", VT_PY_VECTOR, offsetof(body_arguments, def.angular_velocity), NULL},
    {"restitution", VT_PY_FINITE, offsetof(body_arguments, def.restitution), NULL},
    {"friction", VT_PY_FINITE, offsetof(body_arguments, def.friction), NULL},
    {"damping", VT_PY_FINITE, offsetof(body_arguments, def.damping), NULL},
    {"force", VT_PY_VECTOR, offsetof(body_arguments, def.force), NULL},
    {"torque", VT_PY_VECTOR, offsetof(body_arguments, def.torque), NULL},
    {"animations", VT_PY_OBJECT, offsetof(body_arguments, animations), NULL},
    {"panels", VT_PY_INT32, offsetof(body_arguments, def.panels), NULL},
    {"shedding", VT_PY_FINITE, offsetof(body_arguments, def.shedding), NULL},
    {"temperature", VT_PY_FINITE, offsetof(body_arguments, def.temperature), NULL},
    {"specific_heat", VT_PY_FINITE, offsetof(body_arguments, def.specific_heat), NULL},
    {"conductance", VT_PY_FINITE, offsetof(body_arguments, def.conductance), NULL},
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
    vt_py_animations animations;
    PyObject *result = NULL;
    int32_t id;
    if (vt_py_fill_arguments("add_body", positional, named, body_fields, &arguments) < 0 ||
        vt_py_to_animations(arguments.animations, &animations) < 0)
        return NULL;
    arguments.def.animation_count = animations.count;
    arguments.def.animations = animations.items;
    if (hold_shapes(arguments.shapes, &held) == 0) {
        vt_simulation *const simulation = vt_py_idle(self);
        arguments.def.shapes = held.shapes;
        arguments.def.shape_count = held.count > INT32_MAX ? INT32_MAX : (int32_t)held.count;
        if (simulation) {
            vt_status status;
            VT_PY_WITHOUT_GIL(self, status = vt_add_body(simulation, &arguments.def, &id));
            result =
                status == VT_OK ? PyLong_FromLong(id) : vt_py_raise(vt_py_state_of(self), status);
        }
    }
    release_shapes(&held);
    vt_py_release_animations(&animations);
    return result;
}

/* ---- changing ---- */

enum { POSITION, ROTATION, VELOCITY, ANGULAR_VELOCITY, CHANGES };

/* Rows of numbers, NULL for None; each keeps its memory alive. Returns 0, or -1. */
static int to_numbers(PyObject *const objects[], char *const names[], const npy_intp lengths[],
                      int count, PyArrayObject *arrays[], const double *numbers[])
{
    for (int n = 0; n < count; n++) {
        numbers[n] = NULL;
        if (!objects[n] || objects[n] == Py_None)
            continue;
        arrays[n] = vt_py_to_array(objects[n], names[n], NPY_FLOAT64, 1, &lengths[n]);
        if (!arrays[n])
            return -1;
        numbers[n] = PyArray_DATA(arrays[n]);
    }
    return 0;
}

PyObject *vt_py_set_body(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"id",   "position", "rotation", "velocity", "angular_velocity",
                            "over", NULL};
    static const npy_intp lengths[CHANGES] = {3, 4, 3, 3};
    PyObject *objects[CHANGES] = {NULL}, *id_object, *over = NULL, *result = NULL;
    PyArrayObject *arrays[CHANGES] = {NULL};
    const double *numbers[CHANGES];
    vt_body_change change = vt_default_body_change();
    int32_t id;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "O|OOOOO:set_body", names, &id_object,
                                     &objects[POSITION], &objects[ROTATION], &objects[VELOCITY],
                                     &objects[ANGULAR_VELOCITY], &over) ||
        vt_py_to_int32(id_object, "id", &id) < 0 ||
        (over && vt_py_to_double(over, "over", 0, &change.over) < 0))
        return NULL;
    if (to_numbers(objects, names + 1, lengths, CHANGES, arrays, numbers) == 0) {
        change.position = numbers[POSITION];
        change.rotation = numbers[ROTATION];
        change.velocity = numbers[VELOCITY];
        change.angular_velocity = numbers[ANGULAR_VELOCITY];
        vt_simulation *const simulation = vt_py_idle(self);
        if (simulation)
            result = vt_py_none_or_raise(self, vt_set_body(simulation, id, &change));
    }
    for (int n = 0; n < CHANGES; n++)
        vt_py_release(arrays[n]);
    return result;
}

PyObject *vt_py_apply_impulse(PyObject *self, PyObject *positional, PyObject *named)
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
        vt_py_to_int32(id_object, "id", &id) < 0)
        return NULL;
    if (objects[IMPULSE] == Py_None)
        PyErr_SetString(PyExc_TypeError, "impulse must be three numbers (N s), got None");
    else if (to_numbers(objects, names + 1, lengths, ARRAYS, arrays, numbers) == 0) {
        vt_simulation *const simulation = vt_py_idle(self);
        if (simulation)
            result = vt_py_none_or_raise(self, vt_apply_impulse(simulation, id, numbers[IMPULSE],
                                                                numbers[POINT], numbers[ANGULAR]));
    }
    for (int n = 0; n < ARRAYS; n++)
        vt_py_release(arrays[n]);
    return result;
}

/* ---- looking ---- */

#define ROW(member) {#member, VT_PY_VECTOR, offsetof(vt_body_state, member), NULL}
static const vt_py_field state_fields[] = {
    {"hole", VT_PY_BOOL, offsetof(vt_body_state, hole), NULL},
    ROW(position),
    ROW(velocity),
    ROW(angular_velocity),
    {"free", VT_PY_BOOL, offsetof(vt_body_state, free), NULL},
    {"mass", VT_PY_DOUBLE, offsetof(vt_body_state, mass), NULL},
    {"fluid_density", VT_PY_DOUBLE, offsetof(vt_body_state, fluid_density), NULL},
    ROW(flow_impulse),
    ROW(flow_angular_impulse),
    ROW(weight_impulse),
    ROW(weight_angular_impulse),
    ROW(contact_impulse),
    ROW(contact_angular_impulse),
    {"temperature", VT_PY_DOUBLE, offsetof(vt_body_state, temperature), NULL},
    {"heat_given", VT_PY_DOUBLE, offsetof(vt_body_state, heat_given), NULL},
    ROW(shed_strength),
    {NULL, VT_PY_OBJECT, 0, NULL}};

/* Adds a value, whose reference it takes, to a dict. */
static int set_item(PyObject *dict, const char *name, PyObject *value)
{
    const int failed = !value || PyDict_SetItemString(dict, name, value) < 0;
    Py_XDECREF(value);
    return failed ? -1 : 0;
}

static PyObject *to_row(const vt_body_state *b)
{
    PyObject *row = vt_py_to_dict(state_fields, b);
    const double *const q = b->rotation, (*const i)[3] = b->inertia;
    if (row && (set_item(row, "name", PyUnicode_FromString(b->name)) < 0 ||
                set_item(row, "rotation", Py_BuildValue("(dddd)", q[0], q[1], q[2], q[3])) < 0 ||
                set_item(row, "inertia",
                         Py_BuildValue("((ddd)(ddd)(ddd))", i[0][0], i[0][1], i[0][2], i[1][0],
                                       i[1][1], i[1][2], i[2][0], i[2][1], i[2][2])) < 0))
        Py_CLEAR(row);
    return row;
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

PyObject *vt_py_panels(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"id", NULL};
    PyObject *id_object;
    int32_t id, count;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "O:panels", names, &id_object) ||
        vt_py_to_int32(id_object, "id", &id) < 0)
        return NULL;
    vt_simulation *const simulation = vt_py_idle(self);
    if (!simulation)
        return NULL;
    vt_status status = vt_count_panels(simulation, id, &count);
    if (status)
        return vt_py_raise(vt_py_state_of(self), status);
    PyObject *const dict = PyDict_New();
    if (!dict)
        return NULL;
    const vt_panel_arrays arrays = {
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
        vt_py_raise(vt_py_state_of(self), status);
    }
    Py_DECREF(dict);
    return NULL;
}
