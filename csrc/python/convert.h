/* Arguments to C and results to Python, with errors that name the argument. */
#pragma once

#include "python/binding.h"

/* New dict of all fields (numbers, and tuples of them), which end with a name of NULL. */
PyObject *vti_py_to_dict(const vt_py_field *fields, const void *source);

/* Append to a list, or set in a dict, a new reference (NULL after an error) and take it; 0 or -1.
 */
int vti_py_append(PyObject *list, PyObject *object);
int vti_py_set_item(PyObject *dict, const char *name, PyObject *object);

/* Tuple of what is in a list, whose reference it takes; NULL for NULL. */
PyObject *vti_py_to_tuple(PyObject *list);

/* Tuple of the words in "word word ...", or None for NULL. */
PyObject *vti_py_words(const char *text);

/* A number, several, a flag, a word, a text, by the row of a table. */
int vti_py_to_value(PyObject *value, const vt_row *row, void *member);

int vti_py_to_double(PyObject *value, const char *name, int infinity_allowed, double *result);
int vti_py_to_int64(PyObject *value, const char *name, int64_t least, int64_t most,
                    int64_t *result);
int vti_py_to_int32(PyObject *value, const char *name, int32_t *result);
int vti_py_to_bool(PyObject *value, const char *name, int32_t *result);
int vti_py_to_choice(PyObject *value, const char *name, const char *choices, int32_t *result);
int vti_py_to_ints3(PyObject *value, const char *name, int32_t result[3]);

/* New reference to a C-contiguous, aligned array of `type` (NPY_FLOAT32, NPY_FLOAT64, NPY_INT32,
 * NPY_INT64 or NPY_BOOL) with `dimensions` axes; an axis of -1 in shape may have any length.
 * Real numbers are converted (booleans only to NPY_BOOL, floats not to integers); values that are
 * not finite in the wanted type are a ValueError. NULL with an exception that names the argument.
 */
PyArrayObject *vti_py_to_array(PyObject *value, const char *name, int type, int dimensions,
                               const npy_intp *shape);

/* New array over memory of the library that lives as long as owner. */
PyObject *vti_py_view(const vt_array *array, PyObject *owner, int writable);
