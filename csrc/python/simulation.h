/* What the files of the type Simulation share. */
#ifndef VORTON_PYTHON_SIMULATION_H
#define VORTON_PYTHON_SIMULATION_H

#include "binding.h"

/* busy is guarded by the GIL: set before it is released and cleared after it is taken back, so that
 * between two looks at the library inside one method nothing can have changed. */
typedef struct vt_py_simulation {
    PyObject_HEAD vt_simulation *simulation;
    int busy;
} vt_py_simulation;

/* The simulation, or NULL with BusyError when another thread is inside. */
vt_simulation *vt_py_idle(PyObject *self);

/* None, or the exception of a failed call. */
PyObject *vt_py_none_or_raise(PyObject *self, vt_status status);

/* Runs the statement, which sets status, without the GIL. */
#define VT_PY_WITHOUT_GIL(self, statement)                                                         \
    do {                                                                                           \
        ((vt_py_simulation *)(self))->busy = 1;                                                    \
        Py_BEGIN_ALLOW_THREADS;                                                                    \
        statement;                                                                                 \
        Py_END_ALLOW_THREADS;                                                                      \
        ((vt_py_simulation *)(self))->busy = 0;                                                    \
    } while (0)

/* sources.c: methods that add what is born */
PyObject *vt_py_add_ring(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vt_py_add_filament(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vt_py_add_tube(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vt_py_add_jet(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vt_py_add_cloud(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vt_py_add_parcels(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vt_py_add_emitter(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vt_py_add_vorton_points(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vt_py_add_tracer_points(PyObject *self, PyObject *positional, PyObject *named);

/* Arrays that describe particles, one row each: widths[c] numbers in a row of arrays[c], as many
 * rows in all as arrays[0] (rows, 3) has. Returns 0, or -1 with an exception set. */
int vt_py_to_rows(PyObject *const objects[], char *const names[], const int widths[], int columns,
                  PyArrayObject *arrays[]);
void vt_py_release_rows(PyArrayObject *arrays[], int columns);

/* particles.c: methods that work on the columns */
PyObject *vt_py_add_vortons(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vt_py_add_tracers(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vt_py_remove(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vt_py_find_rows(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vt_py_column(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vt_py_tracers_carry(PyObject *self, PyObject *name);
PyObject *vt_py_give_tracers(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vt_py_count(PyObject *self, PyObject *set);
PyObject *vt_py_capacity(PyObject *self, PyObject *set);

/* effects.c: methods that add winds, force fields and removals */
PyObject *vt_py_add_wind(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vt_py_add_wind_grid(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vt_py_add_force(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vt_py_add_kill(PyObject *self, PyObject *positional, PyObject *named);

/* bodies.c */
PyObject *vt_py_add_body(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vt_py_set_body(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vt_py_apply_impulse(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vt_py_bodies(PyObject *self, PyObject *arguments);
PyObject *vt_py_body_distance(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vt_py_panels(PyObject *self, PyObject *positional, PyObject *named);

/* animation.c */
PyObject *vt_py_add_transform(PyObject *self, PyObject *positional, PyObject *named);
PyObject *vt_py_pose(PyObject *self, PyObject *positional, PyObject *named);

#endif
