/* The Python module vorton._core: vorton.h for NumPy, and a few constants. Limited API of Python
 * 3.11, NumPy 1.22 and later. The only folder that includes Python.h.
 *
 * module.c      the module, its exceptions, version and build, the tables of fields, constants
 * convert.c     arguments to C and results to Python, with errors that name the argument
 * definitions.c definitions from dicts, and the tables of all definitions
 * simulation.c  the type Simulation; particles.c: its methods that work on the columns; bodies.c:
 *               those that work on bodies
 * animation.c   tracks, poses of transforms
 * volume.c      the type Volume; velocity_function.c: functions as the velocity of its tracers
 * archive.c     states of simulations as bytes
 * solvers.c     the solvers by themselves */
#pragma once

#include <stddef.h>

#include "python/numpy_api.h"
#include "vorton.h"

/* ---- module.c ---- */

/* Lives in the module: one for each time that the module is made. */
typedef struct vt_py_state {
    PyObject *busy_error, *capacity_error, *blow_up_error;
    PyTypeObject *simulation_type, *volume_type;
} vt_py_state;

/* State of the module that defined the type of an object. */
static inline vt_py_state *vti_py_state_of(PyObject *object)
{
    return PyType_GetModuleState(Py_TYPE(object));
}

/* Raises the exception of a failed call, with vt_error_message(). Returns NULL. */
PyObject *vti_py_raise(const vt_py_state *state, vt_status status);

/* ---- convert.c: records of the library ---- */

typedef enum vt_py_kind {
    VT_PY_INT32,
    VT_PY_INT64,
    VT_PY_BOOL,       /* an int32_t, 0 or 1 */
    VT_PY_DOUBLE,     /* a double */
    VT_PY_VECTOR,     /* double[3] */
    VT_PY_QUATERNION, /* double[4] */
    VT_PY_MATRIX,     /* double[3][3] */
    VT_PY_INTS3       /* int32_t[3] */
} vt_py_kind;

/* One member of a struct that the library fills. */
typedef struct vt_py_field {
    const char *name;
    vt_py_kind kind;
    size_t offset;
} vt_py_field;

/* Gives a reference to an array back; NULL is allowed. */
static inline void vti_py_release(PyArrayObject *array)
{
    Py_XDECREF((PyObject *)array);
}

/* ---- simulation.c, volume.c ---- */

extern PyType_Spec vti_py_simulation_spec;
extern PyType_Spec vti_py_volume_spec;

extern PyMethodDef vti_py_volume_functions[];

/* ---- solvers.c ---- */

/* For tables of methods: any C function type as PyCFunction. */
#define VT_PY_FUNCTION(function) ((PyCFunction)(void (*)(void))(function))

/* busy is guarded by the GIL: set before it is released and cleared after it is taken back, so that
 * between two looks at the library inside one method nothing can have changed. */
typedef struct vt_py_simulation {
    PyObject_HEAD vt_simulation *simulation;
    int busy;
    PyObject *progress; /* called before each substep while it steps; NULL: nothing is */
} vt_py_simulation;

/* The simulation, or NULL with BusyError when another thread is inside. */
vt_simulation *vti_py_idle(PyObject *self);

/* None, or the exception of a failed call. */
PyObject *vti_py_none_or_raise(PyObject *self, vt_status status);

/* Runs the statement, which sets status, without the GIL. */
#define VT_PY_WITHOUT_GIL(self, statement)                                                         \
    do {                                                                                           \
        ((vt_py_simulation *)(self))->busy = 1;                                                    \
        Py_BEGIN_ALLOW_THREADS;                                                                    \
        statement;                                                                                 \
        Py_END_ALLOW_THREADS;                                                                      \
        ((vt_py_simulation *)(self))->busy = 0;                                                    \
    } while (0)

/* Calls the library for the simulation, which it knows as `simulation`, without the GIL. Where
 * another thread is inside or the call fails, the function that this stands in returns NULL. */
#define VT_PY_CALL(self, call)                                                                     \
    do {                                                                                           \
        vt_simulation *const simulation = vti_py_idle(self);                                       \
        vt_status status;                                                                          \
        if (!simulation)                                                                           \
            return NULL;                                                                           \
        VT_PY_WITHOUT_GIL(self, status = (call));                                                  \
        if (status != VT_OK)                                                                       \
            return vti_py_raise(vti_py_state_of(self), status);                                    \
    } while (0)
