#include "python/definitions.h"

#include <string.h>

#include "python/animation.h"
#include "python/convert.h"
#include "python/velocity_function.h"

/* ---- what a definition points to ---- */

/* Memory that lives as long as `kept`, all 0; NULL with an exception. */
static void *keep_memory(PyObject *kept, size_t size)
{
    PyObject *const bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (vti_py_append(kept, bytes) < 0)
        return NULL;
    return memset(PyBytes_AsString(bytes), 0, size);
}

/* Values of a kept array; NULL with an exception. */
static const void *keep_array(PyObject *kept, PyObject *value, const char *name, int type,
                              int dimensions, npy_intp *shape)
{
    PyArrayObject *const array = vti_py_to_array(value, name, type, dimensions, shape);
    if (vti_py_append(kept, (PyObject *)array) < 0)
        return NULL;
    memcpy(shape, PyArray_DIMS(array), sizeof *shape * (size_t)dimensions);
    return PyArray_DATA(array);
}

static int set_pointer(char *member, const void *pointer)
{
    memcpy(member, &pointer, sizeof pointer);
    return pointer ? 0 : -1;
}

/* ---- members ---- */

/* A definition that is read from a dict. */
typedef struct reading {
    const char *function, *definition;
    char *def;
    PyObject *kept;
} reading;

static vt_row row_of(const char *definition, int index)
{
    vt_row row = {.struct_size = sizeof row};
    if (!vt_describe(definition, index, &row))
        row.name = NULL;
    return row;
}

/* The nearest member before row `index` of a kind: it counts what the row points to. */
static char *counter_before(const reading *r, int index, int32_t kind)
{
    while (--index >= 0) {
        const vt_row row = row_of(r->definition, index);
        if (row.kind == kind)
            return r->def + row.offset;
    }
    return NULL;
}

/* Rows of numbers: as many as in the arrays before that share the counter. */
static int read_rows(const reading *r, const vt_row *row, int index, PyObject *value)
{
    char *const counter = counter_before(r, index, VT_ROW_rows);
    const int type = row->kind == VT_ROW_vectors_of_rows ? NPY_FLOAT64
                     : row->kind == VT_ROW_faces         ? NPY_INT32
                                                         : NPY_FLOAT32;
    int64_t count;
    memcpy(&count, counter, sizeof count);
    npy_intp shape[2] = {count > 0 ? (npy_intp)count : -1, 3};
    const void *const data =
        keep_array(r->kept, value, row->name, type, row->kind == VT_ROW_floats ? 1 : 2, shape);
    count = shape[0];
    memcpy(counter, &count, sizeof count);
    return set_pointer(r->def + row->offset, data);
}

static int read_nodes(const reading *r, const vt_row *row, int index, PyObject *value)
{
    npy_intp shape[4] = {-1, -1, -1, 3};
    int32_t nodes[3];
    const void *const data = keep_array(r->kept, value, row->name, NPY_FLOAT32, 4, shape);
    for (int axis = 0; axis < 3; axis++)
        nodes[axis] = shape[2 - axis] > INT32_MAX ? INT32_MAX : (int32_t)shape[2 - axis];
    memcpy(counter_before(r, index, VT_ROW_nodes), nodes, sizeof nodes);
    return set_pointer(r->def + row->offset, data);
}

static int read_shapes(const reading *r, const vt_row *row, int index, PyObject *list)
{
    if (!PyList_Check(list)) {
        PyErr_Format(PyExc_TypeError, "%s must be a list of dicts, got %.200R", row->name, list);
        return -1;
    }
    const Py_ssize_t size = PyList_Size(list);
    const int32_t count = size > INT32_MAX ? INT32_MAX : (int32_t)size;
    vt_shape *const shapes = keep_memory(r->kept, sizeof *shapes * ((size_t)count + 1));
    if (!shapes)
        return -1;
    for (int32_t n = 0; n < count; n++) {
        PyObject *const dict = PyList_GetItem(list, n);
        if (!PyDict_Check(dict)) {
            PyErr_Format(PyExc_TypeError, "%s[%d] must be a dict, got %.200R", row->name, (int)n,
                         dict);
            return -1;
        }
        vt_default_shape(&shapes[n]);
        if (vti_py_read("shape", "shape", dict, &shapes[n], r->kept) < 0)
            return -1;
    }
    memcpy(counter_before(r, index, VT_ROW_length), &count, sizeof count);
    return set_pointer(r->def + row->offset, shapes);
}

static int read_shape_or_none(const reading *r, const vt_row *row, PyObject *value)
{
    if (value == Py_None)
        return 0;
    vt_shape *const shape = keep_memory(r->kept, sizeof *shape);
    if (!shape)
        return -1;
    vt_default_shape(shape);
    if (vti_py_read(row->name, "shape", value, shape, r->kept) < 0)
        return -1;
    return set_pointer(r->def + row->offset, shape);
}

static int read_animations(const reading *r, const vt_row *row, int index, PyObject *dict)
{
    if (!PyDict_Check(dict)) {
        PyErr_Format(PyExc_TypeError, "%s must be a dict, got %.200R", row->name, dict);
        return -1;
    }
    const int32_t count = (int32_t)PyDict_Size(dict);
    vt_animation *const items = keep_memory(r->kept, sizeof *items * ((size_t)count + 1));
    Py_ssize_t position = 0;
    PyObject *key, *value;
    if (!items)
        return -1;
    for (int32_t n = 0; PyDict_Next(dict, &position, &key, &value); n++) {
        items[n].parameter = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, NULL) : NULL;
        if (!items[n].parameter && !PyErr_Occurred())
            PyErr_Format(PyExc_TypeError, "animations: keys must be names, got %.200R", key);
        if (!items[n].parameter ||
            vti_py_to_track(value, items[n].parameter, &items[n].track, r->kept) < 0)
            return -1;
    }
    memcpy(counter_before(r, index, VT_ROW_length), &count, sizeof count);
    return set_pointer(r->def + row->offset, items);
}

/* Three or four numbers, or None. */
static int read_some(const reading *r, const vt_row *row, PyObject *value)
{
    npy_intp shape = row->kind == VT_ROW_four ? 4 : 3;
    if (value == Py_None)
        return 0;
    return set_pointer(r->def + row->offset,
                       keep_array(r->kept, value, row->name, NPY_FLOAT64, 1, &shape));
}

/* A Python function with the points as its argument. */
static int read_function(const reading *r, const vt_row *row, int index, PyObject *value)
{
    vt_velocity_function *const ask = vti_py_ask_velocity;
    if (value == Py_None)
        return 0;
    if (!PyCallable_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be a function or None, got %.200R", row->name,
                     value);
        return -1;
    }
    memcpy(r->def + row->offset, &ask, sizeof ask);
    return set_pointer(r->def + row_of(r->definition, index + 1).offset, value);
}

static int read_member(const reading *r, const vt_row *row, int index, PyObject *value)
{
    char *const member = r->def + row->offset;
    switch (row->kind) {
    case VT_ROW_floats:
        if (value == Py_None && row->use & VT_ROW_OPTIONAL)
            return 0; /* fall through */
    case VT_ROW_float_vectors:
    case VT_ROW_vectors_of_rows:
    case VT_ROW_faces:
        return read_rows(r, row, index, value);
    case VT_ROW_node_vectors:
        return read_nodes(r, row, index, value);
    case VT_ROW_shape:
    case VT_ROW_fluid:
    case VT_ROW_ambient:
    case VT_ROW_combustion:
    case VT_ROW_method:
        return vti_py_read(row->name, row->type, value, member, r->kept);
    case VT_ROW_shape_or_none:
        return read_shape_or_none(r, row, value);
    case VT_ROW_shapes:
        return read_shapes(r, row, index, value);
    case VT_ROW_animations:
        return read_animations(r, row, index, value);
    case VT_ROW_three:
    case VT_ROW_four:
        return read_some(r, row, value);
    case VT_ROW_function:
        return read_function(r, row, index, value);
    default:
        return vti_py_to_value(value, row, member);
    }
}

/* ---- definitions ---- */

/* What of a table is no argument: it follows from others. */
static int is_hidden(int32_t kind)
{
    return kind == VT_ROW_length || kind == VT_ROW_rows || kind == VT_ROW_nodes ||
           kind == VT_ROW_context || kind == VT_ROW_version || kind == VT_ROW_reserved ||
           kind == VT_ROW_simulation;
}

static int refuse_key(const char *function, const char *definition, PyObject *key)
{
    PyObject *known = PyUnicode_FromString("");
    vt_row row = {.struct_size = sizeof row};
    const char *comma = "";
    for (int n = 0; known && vt_describe(definition, n, &row); n++) {
        if (is_hidden(row.kind))
            continue;
        PyObject *longer = PyUnicode_FromFormat("%U%s%s", known, comma, row.name);
        Py_DECREF(known);
        known = longer;
        comma = ", ";
    }
    if (known)
        PyErr_Format(PyExc_TypeError, "%s does not know %R; it knows %U", function, key, known);
    Py_XDECREF(known);
    return -1;
}

/* Row of the table with this name; -1 where there is none. */
static int find_row(const char *definition, PyObject *key, vt_row *row)
{
    *row = (vt_row){.struct_size = sizeof *row};
    for (int n = 0; PyUnicode_Check(key) && vt_describe(definition, n, row); n++)
        if (!is_hidden(row->kind) && PyUnicode_CompareWithASCIIString(key, row->name) == 0)
            return n;
    return -1;
}

int vti_py_read(const char *function, const char *definition, PyObject *dict, void *def,
                PyObject *kept)
{
    const reading r = {function, definition, def, kept};
    Py_ssize_t position = 0;
    PyObject *key, *value;
    if (!dict)
        return 0;
    if (!PyDict_Check(dict)) {
        PyErr_Format(PyExc_TypeError, "%s must be a dict, got %.200R", function, dict);
        return -1;
    }
    while (PyDict_Next(dict, &position, &key, &value)) {
        vt_row row;
        const int index = find_row(definition, key, &row);
        if (index < 0)
            return refuse_key(function, definition, key);
        if (read_member(&r, &row, index, value) < 0)
            return -1;
    }
    return 0;
}

/* Arrays and lists of shapes without which there is nothing. */
static int check_needed(const char *function, const char *definition, const char *def)
{
    const void *pointer;
    vt_row row = {.struct_size = sizeof row};
    for (int n = 0; vt_describe(definition, n, &row); n++) {
        const int needed = row.kind == VT_ROW_floats || row.kind == VT_ROW_float_vectors ||
                           row.kind == VT_ROW_vectors_of_rows || row.kind == VT_ROW_node_vectors ||
                           row.kind == VT_ROW_shapes;
        memcpy(&pointer, def + row.offset, needed ? sizeof pointer : 0);
        if (needed && !(row.use & VT_ROW_OPTIONAL) && !pointer) {
            PyErr_Format(PyExc_TypeError, "%s needs %s", function, row.name);
            return -1;
        }
    }
    return 0;
}

int vti_py_read_arguments(const char *function, const char *definition, PyObject *positional,
                          PyObject *named, void *def, PyObject *kept)
{
    if (positional && PyTuple_Size(positional) > 0) {
        PyErr_Format(PyExc_TypeError, "%s takes keyword arguments only", function);
        return -1;
    }
    return vti_py_read(function, definition, named, def, kept) < 0
               ? -1
               : check_needed(function, definition, def);
}

/* ---- adding ---- */

/* Kinds of definitions that can be changed later by the same function, and all that are added. */
#define CHANGED(X)                                                                                 \
    X(ring)                                                                                        \
    X(filament)                                                                                    \
    X(tube)                                                                                        \
    X(jet)                                                                                         \
    X(cloud)                                                                                       \
    X(vorton_points)                                                                               \
    X(tracers)                                                                                     \
    X(tracer_points)                                                                               \
    X(wind)                                                                                        \
    X(wind_grid)                                                                                   \
    X(force)                                                                                       \
    X(kill)
#define ADDED(X) CHANGED(X) X(emitter) X(transform) X(body)

#define MEMBER(kind) vt_##kind##_def kind;
typedef union any_def {
    ADDED(MEMBER)
} any_def;

/* Adds a definition, whose id *id receives, or with an id >= 0 changes that one; *renew is set by
 * emitters. */
typedef vt_status adder(vt_simulation *simulation, const any_def *def, int32_t *id, double *renew);

#define ADDER(kind)                                                                                \
    static vt_status add_##kind(vt_simulation *s, const any_def *def, int32_t *id, double *renew)  \
    {                                                                                              \
        (void)renew;                                                                               \
        return *id < 0 ? vt_add_##kind(s, &def->kind, id) : vt_change_##kind(s, *id, &def->kind);  \
    }
CHANGED(ADDER)

static vt_status add_emitter(vt_simulation *s, const any_def *def, int32_t *id, double *renew)
{
    return *id < 0 ? vt_add_emitter(s, &def->emitter, renew, id)
                   : vt_change_emitter(s, *id, &def->emitter, renew);
}

static vt_status add_transform(vt_simulation *s, const any_def *def, int32_t *id, double *renew)
{
    (void)renew;
    return vt_add_transform(s, &def->transform, id);
}

static vt_status add_body(vt_simulation *s, const any_def *def, int32_t *id, double *renew)
{
    (void)renew;
    return vt_add_body(s, &def->body, id);
}

#define ROW(kind) {#kind, add_##kind},
static const struct {
    const char *kind;
    adder *add;
} adders[] = {ADDED(ROW)};
enum { ADDERS = sizeof adders / sizeof *adders };

static size_t size_of(const char *definition)
{
    size_t size = 0;
    const char *name = "";
    for (int n = 0; name && strcmp(name, definition) != 0; n++)
        name = vt_definition_name(n, &size);
    return size;
}

/* id: whose definition changes, -1: it is a new one. */
static PyObject *add_kind(PyObject *self, int which, int32_t id, PyObject *named)
{
    const char *const kind = adders[which].kind;
    PyObject *const kept = PyList_New(0);
    PyObject *result = NULL;
    any_def def;
    double renew = -1;
    if (!kept)
        return NULL;
    vt_fill_default(kind, &def, size_of(kind), NULL);
    vt_simulation *const simulation =
        vti_py_read_arguments(kind, kind, NULL, named, &def, kept) < 0 ? NULL : vti_py_idle(self);
    if (simulation) {
        vt_status status;
        VT_PY_WITHOUT_GIL(self, status = adders[which].add(simulation, &def, &id, &renew));
        result = status       ? vti_py_raise(vti_py_state_of(self), status)
                 : renew >= 0 ? Py_BuildValue("(id)", (int)id, renew)
                              : PyLong_FromLong(id);
    }
    Py_DECREF(kept);
    return result;
}

/* Index of a kind in `adders`; -1 with an exception. */
static int find_adder(PyObject *kind)
{
    for (int n = 0; PyUnicode_Check(kind) && n < ADDERS; n++)
        if (PyUnicode_CompareWithASCIIString(kind, adders[n].kind) == 0)
            return n;
    PyErr_Format(PyUnicode_Check(kind) ? PyExc_ValueError : PyExc_TypeError,
                 "kind is %R; allowed are 'ring' and other names of definitions that are added",
                 kind);
    return -1;
}

PyObject *vti_py_add(PyObject *self, PyObject *positional, PyObject *named)
{
    if (PyTuple_Size(positional) != 1) {
        PyErr_SetString(PyExc_TypeError, "add takes the kind of a definition, and its parameters "
                                         "as keyword arguments");
        return NULL;
    }
    const int which = find_adder(PyTuple_GetItem(positional, 0));
    return which < 0 ? NULL : add_kind(self, which, -1, named);
}

PyObject *vti_py_change(PyObject *self, PyObject *positional, PyObject *named)
{
    PyObject *kind, *id_object;
    int32_t id;
    if (!PyArg_ParseTuple(positional, "OO:change", &kind, &id_object) ||
        vti_py_to_int32(id_object, "id", &id) < 0)
        return NULL;
    const int which = find_adder(kind);
    if (which < 0)
        return NULL;
    if (id >= 0 && adders[which].add != add_transform && adders[which].add != add_body)
        return add_kind(self, which, id, named);
    return PyErr_Format(PyExc_ValueError,
                        "kind is %R, id is %d; allowed are ids that add gave to sources, winds, "
                        "forces and kills",
                        kind, (int)id);
}

/* ---- removing ---- */

PyObject *vti_py_remove_added(PyObject *self, PyObject *arguments)
{
    static const struct {
        const char *what;
        vt_status (*remove)(vt_simulation *simulation, int32_t id);
    } removers[] = {{"source", vt_remove_source},
                    {"wind", vt_remove_wind},
                    {"force", vt_remove_force},
                    {"kill", vt_remove_kill},
                    {"body", vt_remove_body}};
    const char *what;
    PyObject *id_object;
    int32_t id;
    if (!PyArg_ParseTuple(arguments, "sO:remove_added", &what, &id_object) ||
        vti_py_to_int32(id_object, "id", &id) < 0)
        return NULL;
    vt_simulation *const simulation = vti_py_idle(self);
    for (size_t n = 0; simulation && n < sizeof removers / sizeof *removers; n++)
        if (strcmp(what, removers[n].what) == 0)
            return vti_py_none_or_raise(self, removers[n].remove(simulation, id));
    return simulation
               ? PyErr_Format(PyExc_ValueError,
                              "what is '%s'; allowed are source, wind, force, kill and body", what)
               : NULL;
}

/* ---- the tables for Python ---- */

/* Default of a row: a number, several, a flag, a word, a text; None for what has none. */
static PyObject *default_of(const vt_row *row)
{
    const double *const v = row->value;
    switch (row->kind) {
    case VT_ROW_number:
    case VT_ROW_limit:
        return PyFloat_FromDouble(v[0]);
    case VT_ROW_pair:
        return Py_BuildValue("(dd)", v[0], v[1]);
    case VT_ROW_vector:
    case VT_ROW_direction:
        return Py_BuildValue("(ddd)", v[0], v[1], v[2]);
    case VT_ROW_quaternion:
        return Py_BuildValue("(dddd)", v[0], v[1], v[2], v[3]);
    case VT_ROW_vectors:
        return Py_BuildValue("((ddd)(ddd))", v[0], v[1], v[2], v[3], v[4], v[5]);
    case VT_ROW_flag:
        return PyBool_FromLong(v[0] != 0);
    case VT_ROW_whole:
    case VT_ROW_count:
    case VT_ROW_seed:
        return PyLong_FromDouble(v[0]);
    case VT_ROW_choice: {
        PyObject *const words = vti_py_words(row->unit);
        PyObject *const word = words ? Py_XNewRef(PyTuple_GetItem(words, (Py_ssize_t)v[0])) : NULL;
        Py_XDECREF(words);
        return word;
    }
    default:
        return Py_NewRef(Py_None);
    }
}

static PyObject *row_dict(const vt_row *row)
{
    const int is_choice = row->kind == VT_ROW_choice;
    PyObject *const value = default_of(row);
    PyObject *const choices = vti_py_words(is_choice ? row->unit : NULL);
    PyObject *dict = NULL;
    if (value && choices)
        dict = Py_BuildValue("{s:s, s:s, s:O, s:d, s:d, s:s, s:O, s:O, s:O, s:O, s:O, s:s}", "name",
                             row->name, "type", row->type, "default", value, "least", row->least,
                             "most", row->most, "unit", is_choice ? "" : row->unit, "choices",
                             choices, "optional", row->use & VT_ROW_OPTIONAL ? Py_True : Py_False,
                             "animatable", row->use & VT_ROW_ANIMATED ? Py_True : Py_False,
                             "keys_from_0", row->use & VT_ROW_FROM_0 ? Py_True : Py_False, "or_0",
                             row->use & VT_ROW_OR_0 ? Py_True : Py_False, "doc", row->text);
    Py_XDECREF(value);
    Py_XDECREF(choices);
    return dict;
}

static PyObject *table_of(const char *definition)
{
    PyObject *table = PyDict_New();
    vt_row row = {.struct_size = sizeof row};
    for (int n = 0; table && vt_describe(definition, n, &row); n++) {
        if (!is_hidden(row.kind) && vti_py_set_item(table, row.name, row_dict(&row)) < 0)
            Py_CLEAR(table);
    }
    return table;
}

PyObject *vti_py_tables(void)
{
    PyObject *tables = PyDict_New();
    const char *name;
    for (int n = 0; tables && (name = vt_definition_name(n, NULL)); n++)
        if (vti_py_set_item(tables, name, table_of(name)) < 0)
            Py_CLEAR(tables);
    return tables;
}

PyObject *vti_py_article_method(void)
{
    vt_method method = {.struct_size = sizeof method};
    PyObject *dict = PyDict_New();
    vt_row row = {.struct_size = sizeof row};
    vt_article_method(&method);
    for (int n = 0; dict && vt_describe("method", n, &row); n++) {
        const char *const member = (const char *)&method + row.offset;
        int32_t whole;
        memcpy(&whole, member, sizeof whole);
        row.value[0] = whole;
        if (row.kind == VT_ROW_number)
            memcpy(row.value, member, sizeof *row.value);
        if (vti_py_set_item(dict, row.name, default_of(&row)) < 0)
            Py_CLEAR(dict);
    }
    return dict;
}
