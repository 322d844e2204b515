#include "python/convert.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- single values ---- */

/* Booleans and arrays would pass as numbers; here they are mistakes. */
static int is_scalar_number(PyObject *value)
{
    if (PyBool_Check(value) || PyArray_IsScalar(value, Bool))
        return 0;
    if (PyComplex_Check(value) || PyArray_IsScalar(value, ComplexFloating))
        return 0;
    return !PyArray_Check(value) || (PyArray_NDIM((PyArrayObject *)value) == 0 &&
                                     !PyArray_ISCOMPLEX((PyArrayObject *)value));
}

int vti_py_to_double(PyObject *value, const char *name, int infinity_allowed, double *result)
{
    double number = -1.0;
    if (is_scalar_number(value))
        number = PyFloat_AsDouble(value);
    else
        PyErr_SetNone(PyExc_TypeError);
    if (number == -1.0 && PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError))
            PyErr_Format(PyExc_ValueError, "%s must be finite, got %.200R", name, value);
        else
            PyErr_Format(PyExc_TypeError, "%s must be a number, got %.200R", name, value);
        return -1;
    }
    if (isnan(number) || (!infinity_allowed && isinf(number))) {
        PyErr_Format(PyExc_ValueError, "%s must be %s, got %.200R", name,
                     infinity_allowed ? "a number" : "finite", value);
        return -1;
    }
    *result = number;
    return 0;
}

/* New reference to the int that value is, NULL with an exception when it is none. */
static PyObject *to_integer(PyObject *value, const char *name)
{
    PyObject *integer = is_scalar_number(value) ? PyNumber_Index(value) : NULL;
    if (!integer)
        PyErr_Format(PyExc_TypeError, "%s must be an integer, got %.200R", name, value);
    return integer;
}

int vti_py_to_int64(PyObject *value, const char *name, int64_t least, int64_t most, int64_t *result)
{
    PyObject *integer = to_integer(value, name);
    if (!integer)
        return -1;
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(integer, &overflow);
    Py_DECREF(integer);
    if (overflow != 0 || number < least || number > most) {
        PyErr_Format(PyExc_ValueError, "%s must be in %lld .. %lld, got %.200R", name,
                     (long long)least, (long long)most, value);
        return -1;
    }
    *result = number;
    return 0;
}

static int to_uint64(PyObject *value, const char *name, uint64_t *result)
{
    PyObject *integer = to_integer(value, name);
    if (!integer)
        return -1;
    const unsigned long long number = PyLong_AsUnsignedLongLong(integer);
    Py_DECREF(integer);
    if (number == (unsigned long long)-1 && PyErr_Occurred()) {
        PyErr_Format(PyExc_ValueError, "%s must be in 0 .. 2^64 - 1, got %.200R", name, value);
        return -1;
    }
    *result = number;
    return 0;
}

int vti_py_to_int32(PyObject *value, const char *name, int32_t *result)
{
    int64_t number;
    if (vti_py_to_int64(value, name, INT32_MIN, INT32_MAX, &number) < 0)
        return -1;
    *result = (int32_t)number;
    return 0;
}

int vti_py_to_bool(PyObject *value, const char *name, int32_t *result)
{
    if (!PyBool_Check(value) && !PyArray_IsScalar(value, Bool)) {
        PyErr_Format(PyExc_TypeError, "%s must be True or False, got %.200R", name, value);
        return -1;
    }
    *result = PyObject_IsTrue(value);
    return 0;
}

int vti_py_to_choice(PyObject *value, const char *name, const char *choices, int32_t *result)
{
    Py_ssize_t length;
    const char *text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, &length) : NULL;
    if (!text) {
        PyErr_Format(PyExc_TypeError, "%s must be one of: %s; got %.200R", name, choices, value);
        return -1;
    }
    const char *word = choices;
    for (int32_t index = 0; *word; index++) {
        const size_t size = strcspn(word, " ");
        if (size == (size_t)length && memcmp(word, text, size) == 0) {
            *result = index;
            return 0;
        }
        word += size + (word[size] == ' ');
    }
    PyErr_Format(PyExc_ValueError, "%s must be one of: %s; got %.200R", name, choices, value);
    return -1;
}

static int to_text(PyObject *value, const char *name, const char **result)
{
    if (value == Py_None) {
        *result = NULL;
        return 0;
    }
    Py_ssize_t length;
    const char *text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, &length) : NULL;
    if (!text || strlen(text) != (size_t)length) {
        PyErr_Format(PyExc_TypeError, "%s must be a string or None, got %.200R", name, value);
        return -1;
    }
    *result = text;
    return 0;
}

static int to_doubles(PyObject *value, const char *name, int rows, int columns, double *result)
{
    const npy_intp shape[2] = {rows, columns};
    PyArrayObject *array = rows == 1 ? vti_py_to_array(value, name, NPY_FLOAT64, 1, shape + 1)
                                     : vti_py_to_array(value, name, NPY_FLOAT64, 2, shape);
    if (!array)
        return -1;
    memcpy(result, PyArray_DATA(array), sizeof(double) * (size_t)(rows * columns));
    vti_py_release(array);
    return 0;
}

static int to_pair(PyObject *value, const char *name, double result[2])
{
    if (!PyFloat_Check(value) && !PyLong_Check(value) && !PyArray_CheckScalar(value))
        return to_doubles(value, name, 1, 2, result);
    if (vti_py_to_double(value, name, 0, result) < 0)
        return -1;
    result[1] = result[0];
    return 0;
}

int vti_py_to_ints3(PyObject *value, const char *name, int32_t result[3])
{
    const npy_intp three = 3;
    PyArrayObject *array = vti_py_to_array(value, name, NPY_INT32, 1, &three);
    if (!array)
        return -1;
    memcpy(result, PyArray_DATA(array), sizeof(int32_t) * 3);
    vti_py_release(array);
    return 0;
}

/* ---- members of structs ---- */

int vti_py_to_value(PyObject *value, const vt_row *row, void *member)
{
    switch (row->kind) {
    case VT_ROW_whole:
    case VT_ROW_parent:
        return vti_py_to_int32(value, row->name, member);
    case VT_ROW_count:
        return vti_py_to_int64(value, row->name, INT64_MIN, INT64_MAX, member);
    case VT_ROW_seed:
        return to_uint64(value, row->name, member);
    case VT_ROW_flag:
        return vti_py_to_bool(value, row->name, member);
    case VT_ROW_number:
        return vti_py_to_double(value, row->name, 0, member);
    case VT_ROW_limit:
        return vti_py_to_double(value, row->name, 1, member);
    case VT_ROW_pair:
        return to_pair(value, row->name, member);
    case VT_ROW_vector:
    case VT_ROW_direction:
        return to_doubles(value, row->name, 1, 3, member);
    case VT_ROW_quaternion:
        return to_doubles(value, row->name, 1, 4, member);
    case VT_ROW_vectors:
        return to_doubles(value, row->name, 2, 3, member);
    case VT_ROW_choice:
        return vti_py_to_choice(value, row->name, row->unit, member);
    case VT_ROW_text:
        return to_text(value, row->name, member);
    default:
        PyErr_Format(PyExc_SystemError, "%s of type %s has no way from Python", row->name,
                     row->type);
        return -1;
    }
}

static PyObject *from_field(const vt_py_field *field, const void *source)
{
    const void *const place = (const char *)source + field->offset;
    const double *const numbers = place;
    const int32_t *const integers = place;
    switch (field->kind) {
    case VT_PY_INT32:
        return PyLong_FromLong(integers[0]);
    case VT_PY_INT64:
        return PyLong_FromLongLong(*(const int64_t *)place);
    case VT_PY_INTS3:
        return Py_BuildValue("(iii)", integers[0], integers[1], integers[2]);
    case VT_PY_BOOL:
        return PyBool_FromLong(integers[0]);
    case VT_PY_DOUBLE:
        return PyFloat_FromDouble(numbers[0]);
    case VT_PY_VECTOR:
        return Py_BuildValue("(ddd)", numbers[0], numbers[1], numbers[2]);
    case VT_PY_QUATERNION:
        return Py_BuildValue("(dddd)", numbers[0], numbers[1], numbers[2], numbers[3]);
    case VT_PY_MATRIX:
        return Py_BuildValue("((ddd)(ddd)(ddd))", numbers[0], numbers[1], numbers[2], numbers[3],
                             numbers[4], numbers[5], numbers[6], numbers[7], numbers[8]);
    default:
        PyErr_Format(PyExc_SystemError, "field %s has no way to Python", field->name);
        return NULL;
    }
}

int vti_py_append(PyObject *list, PyObject *object)
{
    const int failed = !object || PyList_Append(list, object) < 0;
    Py_XDECREF(object);
    return failed ? -1 : 0;
}

PyObject *vti_py_to_tuple(PyObject *list)
{
    PyObject *const tuple = list ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return tuple;
}

int vti_py_set_item(PyObject *dict, const char *name, PyObject *object)
{
    const int failed = !object || PyDict_SetItemString(dict, name, object) < 0;
    Py_XDECREF(object);
    return failed ? -1 : 0;
}

PyObject *vti_py_to_dict(const vt_py_field *fields, const void *source)
{
    PyObject *dict = PyDict_New();
    for (const vt_py_field *field = fields; dict && field->name; field++)
        if (vti_py_set_item(dict, field->name, from_field(field, source)) < 0)
            Py_CLEAR(dict);
    return dict;
}

/* ---- tuples and lists ---- */

PyObject *vti_py_words(const char *text)
{
    if (!text)
        return Py_NewRef(Py_None);
    PyObject *string = PyUnicode_FromString(text);
    PyObject *list = string ? PyUnicode_Split(string, NULL, -1) : NULL;
    PyObject *tuple = list ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(string);
    Py_XDECREF(list);
    return tuple;
}

/* ---- arrays ---- */

/* "(n, 3)" for {-1, 3}: a new string. */
static PyObject *shape_text(int dimensions, const npy_intp *shape)
{
    PyObject *text = PyUnicode_FromString("(");
    for (int axis = 0; text && axis < dimensions; axis++) {
        const char *end = axis + 1 < dimensions ? ", " : dimensions == 1 ? "," : "";
        PyObject *longer =
            shape[axis] < 0 ? PyUnicode_FromFormat("%Un%s", text, end)
                            : PyUnicode_FromFormat("%U%zd%s", text, (Py_ssize_t)shape[axis], end);
        Py_DECREF(text);
        text = longer;
    }
    PyObject *closed = text ? PyUnicode_FromFormat("%U)", text) : NULL;
    Py_XDECREF(text);
    return closed;
}

static int check_shape(PyArrayObject *array, const char *name, int dimensions,
                       const npy_intp *shape)
{
    int right = PyArray_NDIM(array) == dimensions;
    for (int axis = 0; right && axis < dimensions; axis++)
        right = shape[axis] < 0 || PyArray_DIM(array, axis) == shape[axis];
    if (right)
        return 0;
    PyObject *wanted = shape_text(dimensions, shape);
    PyObject *got = shape_text(PyArray_NDIM(array), PyArray_DIMS(array));
    if (wanted && got)
        PyErr_Format(PyExc_ValueError, "%s must have shape %U, got %U", name, wanted, got);
    Py_XDECREF(wanted);
    Py_XDECREF(got);
    return -1;
}

static int check_kind(PyArrayObject *array, const char *name, int type)
{
    const int is_empty = PyArray_SIZE(array) == 0 && PyArray_TYPE(array) != NPY_OBJECT;
    const char *wanted;
    if (type == NPY_BOOL) {
        wanted = "True or False";
        if (PyArray_ISBOOL(array) || is_empty)
            return 0;
    } else if (type == NPY_FLOAT32 || type == NPY_FLOAT64) {
        wanted = "real numbers";
        if (PyArray_ISFLOAT(array) || PyArray_ISINTEGER(array))
            return 0;
    } else {
        wanted = "integers";
        if (PyArray_ISINTEGER(array) || is_empty)
            return 0;
    }
    PyErr_Format(PyExc_TypeError, "%s must hold %s, got dtype %S", name, wanted,
                 (PyObject *)PyArray_DESCR(array));
    return -1;
}

/* Says which value of the array is beyond the bound (or NaN), and where. */
static int refuse_value(const char *name, double value, npy_intp index, double bound)
{
    PyObject *number = PyFloat_FromDouble(value);
    if (number)
        PyErr_Format(PyExc_ValueError, "%s must be finite%s, got %.200R at flat index %zd", name,
                     bound < DBL_MAX && isfinite(value) ? " in float32" : "", number,
                     (Py_ssize_t)index);
    Py_XDECREF(number);
    return -1;
}

static int check_floats(const float *values, npy_intp count, const char *name)
{
    for (npy_intp i = 0; i < count; i++)
        if (!(fabsf(values[i]) <= FLT_MAX))
            return refuse_value(name, (double)values[i], i, (double)FLT_MAX);
    return 0;
}

static int check_doubles(const double *values, npy_intp count, const char *name, double bound)
{
    for (npy_intp i = 0; i < count; i++)
        if (!(fabs(values[i]) <= bound))
            return refuse_value(name, values[i], i, bound);
    return 0;
}

static int check_integers(const int64_t *values, npy_intp count, const char *name, int64_t least,
                          int64_t most)
{
    for (npy_intp i = 0; i < count; i++)
        if (values[i] < least || values[i] > most) {
            PyErr_Format(PyExc_ValueError, "%s must be in %lld .. %lld, got %lld at flat index %zd",
                         name, (long long)least, (long long)most, (long long)values[i],
                         (Py_ssize_t)i);
            return -1;
        }
    return 0;
}

static PyArrayObject *cast(PyArrayObject *array, int type)
{
    return (PyArrayObject *)PyArray_FROM_OTF(
        (PyObject *)array, type, NPY_ARRAY_IN_ARRAY | NPY_ARRAY_FORCECAST | NPY_ARRAY_ENSUREARRAY);
}

/* The values are looked at in the wider type before they are narrowed: nothing wraps or overflows
 * unseen. */
static PyArrayObject *narrow(PyArrayObject *array, const char *name, int type)
{
    const int is_float = type == NPY_FLOAT32 || type == NPY_FLOAT64;
    const int wide = is_float ? NPY_FLOAT64 : NPY_INT64;
    PyArrayObject *checked = cast(array, PyArray_TYPE(array) == type ? type : wide);
    if (!checked)
        return NULL;
    const npy_intp count = PyArray_SIZE(checked);
    const void *const data = PyArray_DATA(checked);
    int failed = 0;
    if (PyArray_TYPE(checked) == NPY_FLOAT32)
        failed = check_floats(data, count, name);
    else if (is_float)
        failed = check_doubles(data, count, name, type == NPY_FLOAT32 ? (double)FLT_MAX : DBL_MAX);
    else if (PyArray_TYPE(checked) == NPY_INT64 && PyArray_ISUNSIGNED(array))
        failed = check_integers(data, count, name, 0, type == NPY_INT32 ? INT32_MAX : INT64_MAX);
    else if (type == NPY_INT32 && PyArray_TYPE(checked) == NPY_INT64)
        failed = check_integers(data, count, name, INT32_MIN, INT32_MAX);
    PyArrayObject *result = failed ? NULL : cast(checked, type);
    vti_py_release(checked);
    return result;
}

PyArrayObject *vti_py_to_array(PyObject *value, const char *name, int type, int dimensions,
                               const npy_intp *shape)
{
    PyArrayObject *array = (PyArrayObject *)PyArray_FROM_O(value);
    if (!array) {
        if (PyErr_ExceptionMatches(PyExc_ValueError) || PyErr_ExceptionMatches(PyExc_TypeError))
            PyErr_Format(PyExc_ValueError, "%s must be an array of numbers, got %.200R", name,
                         value);
        return NULL;
    }
    PyArrayObject *result = NULL;
    if (check_kind(array, name, type) == 0 && check_shape(array, name, dimensions, shape) == 0)
        result = type == NPY_BOOL ? cast(array, type) : narrow(array, name, type);
    vti_py_release(array);
    return result;
}

PyObject *vti_py_view(const vt_array *array, PyObject *owner, int writable)
{
    npy_intp shape[4], strides[4];
    for (int axis = 0; axis < array->dimensions; axis++) {
        shape[axis] = (npy_intp)array->shape[axis];
        strides[axis] = (npy_intp)array->strides[axis];
    }
    static const int types[] = {
        [VT_FLOAT32] = NPY_FLOAT32,
        [VT_INT64] = NPY_INT64,
        [VT_UINT32] = NPY_UINT32,
        [VT_BOOL] = NPY_BOOL,
    };
    PyObject *view = PyArray_New(&PyArray_Type, array->dimensions, shape, types[array->type],
                                 strides, array->data, 0, writable ? NPY_ARRAY_WRITEABLE : 0, NULL);
    if (view && PyArray_SetBaseObject((PyArrayObject *)view, Py_NewRef(owner)) < 0)
        Py_CLEAR(view);
    return view;
}
