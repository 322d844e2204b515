/* The Python module vorton._core: vorton.h for NumPy, nothing more. Limited API of Python 3.11,
 * NumPy 1.22 and later. The only folder that includes Python.h.
 *
 * module.c      the module, its exceptions, version and build, the tables of fields
 * convert.c     arguments to C and results to Python, with errors that name the argument
 * simulation.c  the type Simulation; particles.c: its methods that work on the columns;
 *               effects.c: those that add winds, force fields and removals;
 *               sources.c: those that add what is born
 * animation.c   tracks, animated parameters, transforms
 * volume.c      the type Volume
 * solvers.c     shapes, and the solvers by themselves */
#ifndef VORTON_PYTHON_BINDING_H
#define VORTON_PYTHON_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define PY_ARRAY_UNIQUE_SYMBOL vorton_numpy
#ifndef VT_PY_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include <stddef.h>
#include <stdint.h>

#include "vorton.h"

/* ---- module.c ---- */

/* Lives in the module: one for each time that the module is made. */
typedef struct vt_py_state {
    PyObject *busy_error, *capacity_error;
    PyTypeObject *simulation_type, *volume_type;
} vt_py_state;

/* State of the module that defined the type of an object. */
static inline vt_py_state *vt_py_state_of(PyObject *object)
{
    return PyType_GetModuleState(Py_TYPE(object));
}

/* Raises the exception of a failed call, with vt_error_message(). Returns NULL. */
PyObject *vt_py_raise(const vt_py_state *state, vt_status status);

/* ---- convert.c: structs ---- */

typedef enum vt_py_kind {
    VT_PY_INT32,
    VT_PY_INT64,
    VT_PY_UINT64,
    VT_PY_BOOL,     /* an int32_t, 0 or 1 */
    VT_PY_FINITE,   /* a double, finite */
    VT_PY_DOUBLE,   /* a double, infinity allowed, NaN not */
    VT_PY_PAIR,     /* double[2]; a single number stands for both */
    VT_PY_VECTOR,   /* double[3] */
    VT_PY_VECTORS2, /* double[2][3] */
    VT_PY_CHOICE,   /* an int32_t: the index of a name in choices */
    VT_PY_TEXT,     /* a const char *, NULL for None; lives as long as the argument */
    VT_PY_INTS3,    /* int32_t[3] */
    VT_PY_FLUID,    /* a vt_fluid_def, from a dict */
    VT_PY_OBJECT    /* a borrowed PyObject *, for the caller to convert */
} vt_py_kind;

/* One member of a C struct as Python sees it: a keyword argument, or an entry of a dict. Which
 * values are allowed, the library says; here only the type is checked, and NaN. */
typedef struct vt_py_field {
    const char *name;
    vt_py_kind kind;
    size_t offset;
    const char *choices; /* for VT_PY_CHOICE: "name name ..." */
} vt_py_field;

/* Fills the members that the dict names (NULL: none). fields ends with a name of NULL. Unknown keys
 * are a TypeError that lists the known ones. Returns 0, or -1 with an exception set. */
int vt_py_fill(const char *function, PyObject *dict, const vt_py_field *fields, void *target);

/* The same for a method that takes keyword arguments alone: positional ones are a TypeError. */
int vt_py_fill_arguments(const char *function, PyObject *positional, PyObject *dict,
                         const vt_py_field *fields, void *target);

/* New dict of all fields (numbers, and tuples of them). */
PyObject *vt_py_to_dict(const vt_py_field *fields, const void *source);

/* ---- convert.c: single values ---- */

int vt_py_to_double(PyObject *value, const char *name, int infinity_allowed, double *result);
int vt_py_to_int64(PyObject *value, const char *name, int64_t least, int64_t most, int64_t *result);
int vt_py_to_int32(PyObject *value, const char *name, int32_t *result);
int vt_py_to_bool(PyObject *value, const char *name, int32_t *result);
int vt_py_to_choice(PyObject *value, const char *name, const char *choices, int32_t *result);
int vt_py_to_ints3(PyObject *value, const char *name, int32_t result[3]);

/* ---- convert.c: arrays ---- */

/* New reference to a C-contiguous, aligned array of `type` (NPY_FLOAT32, NPY_FLOAT64, NPY_INT32,
 * NPY_INT64 or NPY_BOOL) with `dimensions` axes; an axis of -1 in shape may have any length.
 * Real numbers are converted (booleans only to NPY_BOOL, floats not to integers); values that are
 * not finite in the wanted type are a ValueError. NULL with an exception that names the argument.
 */
PyArrayObject *vt_py_to_array(PyObject *value, const char *name, int type, int dimensions,
                              const npy_intp *shape);

/* Gives a reference to an array back; NULL is allowed. */
static inline void vt_py_release(PyArrayObject *array)
{
    Py_XDECREF((PyObject *)array);
}

/* New array over memory of the library that lives as long as owner. */
PyObject *vt_py_view(const vt_array *array, PyObject *owner, int writable);

/* ---- animation.c ---- */

/* A track, and the arrays in which it lies. */
typedef struct vt_py_track {
    vt_track track;
    PyArrayObject *times, *values;
} vt_py_track;

/* From a dict with the members of vt_track (evaluate_track says which); it must stay alive as long
 * as the track. `name` is the parameter's, for errors. Returns 0, or -1 with nothing to release. */
int vt_py_to_track(PyObject *dict, const char *name, vt_py_track *result);
void vt_py_release_track(vt_py_track *track);

typedef struct vt_py_animations {
    int32_t count;
    vt_animation *items;
    vt_py_track *tracks;
} vt_py_animations;

/* From a dict of tracks by the names of parameters (NULL: none), which must stay alive as long. */
int vt_py_to_animations(PyObject *dict, vt_py_animations *result);
void vt_py_release_animations(vt_py_animations *animations);

extern PyMethodDef vt_py_track_functions[];

/* ---- simulation.c, volume.c ---- */

extern PyType_Spec vt_py_simulation_spec, vt_py_volume_spec;

extern PyMethodDef vt_py_volume_functions[];

/* Changes the rows of a method that the dict names (NULL: none). Returns 0, or -1. */
int vt_py_to_method(PyObject *dict, vt_method *method);
int vt_py_to_combustion(PyObject *dict, vt_combustion *combustion);

/* A new Volume that takes over the C one (freed on failure, too). */
PyObject *vt_py_new_volume(const vt_py_state *state, vt_volume *volume);

/* ---- solvers.c ---- */

/* Shape from a dict; *vertices and *faces receive references that keep the mesh alive (or NULL). */
int vt_py_to_shape(PyObject *dict, vt_shape *shape, PyArrayObject **vertices,
                   PyArrayObject **faces);

extern PyMethodDef vt_py_solver_functions[];

/* For tables of methods: any C function type as PyCFunction. */
#define VT_PY_FUNCTION(function) ((PyCFunction)(void (*)(void))(function))

#endif
