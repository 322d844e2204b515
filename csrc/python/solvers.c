#include "python/solvers.h"

#include <string.h>

#include "python/convert.h"
#include "python/definitions.h"

/* ---- shapes ---- */

static PyObject *shape_volume(PyObject *module, PyObject *positional, PyObject *named)
{
    PyObject *const kept = PyList_New(0);
    PyObject *result = NULL;
    vt_shape shape;
    vt_default_shape(&shape);
    if (kept &&
        vti_py_read_arguments("shape_volume", "shape", positional, named, &shape, kept) == 0) {
        vt_status status;
        double volume;
        Py_BEGIN_ALLOW_THREADS;
        status = vt_shape_volume(&shape, &volume);
        Py_END_ALLOW_THREADS;
        result = status == VT_OK ? PyFloat_FromDouble(volume)
                                 : vti_py_raise(PyModule_GetState(module), status);
    }
    Py_XDECREF(kept);
    return result;
}

/* ---- direct sum ---- */

typedef struct direct_arrays {
    PyArrayObject *targets, *positions, *strengths, *cores; /* in */
    PyObject *velocity, *gradient, *potential;              /* out, NULL where not asked for */
} direct_arrays;

static void release_direct(direct_arrays *arrays)
{
    vti_py_release(arrays->targets);
    vti_py_release(arrays->positions);
    vti_py_release(arrays->strengths);
    vti_py_release(arrays->cores);
    Py_XDECREF(arrays->velocity);
    Py_XDECREF(arrays->gradient);
    Py_XDECREF(arrays->potential);
}

static int make_direct(direct_arrays *arrays, PyObject *const objects[4], int gradient,
                       int potential)
{
    npy_intp shape[3] = {-1, 3, 3};
    arrays->targets = vti_py_to_array(objects[0], "targets", NPY_FLOAT64, 2, shape);
    arrays->positions = vti_py_to_array(objects[1], "positions", NPY_FLOAT64, 2, shape);
    if (!arrays->targets || !arrays->positions)
        return -1;
    shape[0] = PyArray_DIM(arrays->positions, 0);
    arrays->strengths = vti_py_to_array(objects[2], "strengths", NPY_FLOAT64, 2, shape);
    if (!arrays->strengths)
        return -1;
    arrays->cores = vti_py_to_array(objects[3], "cores", NPY_FLOAT64, 1, shape);
    if (!arrays->cores)
        return -1;
    shape[0] = PyArray_DIM(arrays->targets, 0);
    arrays->velocity = PyArray_SimpleNew(2, shape, NPY_FLOAT64);
    arrays->gradient = gradient ? PyArray_SimpleNew(3, shape, NPY_FLOAT64) : NULL;
    arrays->potential = potential ? PyArray_SimpleNew(2, shape, NPY_FLOAT64) : NULL;
    return PyErr_Occurred() ? -1 : 0;
}

static double *data_or_null(PyObject *array)
{
    return array ? PyArray_DATA((PyArrayObject *)array) : NULL;
}

static PyObject *run_direct(PyObject *module, const direct_arrays *arrays, int32_t kernel,
                            int32_t threads)
{
    const int64_t targets = PyArray_DIM(arrays->targets, 0);
    const int64_t sources = PyArray_DIM(arrays->positions, 0);
    vt_status status;
    Py_BEGIN_ALLOW_THREADS;
    status =
        vt_direct_sum(kernel, targets, PyArray_DATA(arrays->targets), sources,
                      PyArray_DATA(arrays->positions), PyArray_DATA(arrays->strengths),
                      PyArray_DATA(arrays->cores), data_or_null(arrays->velocity),
                      data_or_null(arrays->gradient), data_or_null(arrays->potential), threads);
    Py_END_ALLOW_THREADS;
    if (status != VT_OK)
        return vti_py_raise(PyModule_GetState(module), status);
    return Py_BuildValue("(OOO)", arrays->velocity, arrays->gradient ? arrays->gradient : Py_None,
                         arrays->potential ? arrays->potential : Py_None);
}

typedef struct direct_options {
    int32_t kernel, gradient, potential, threads;
} direct_options;

/* The choices of the field `kernel` in method.def. */
static const char *kernel_names(void)
{
    vt_row row = {.struct_size = sizeof row};
    for (int n = 0; vt_describe("method", n, &row); n++)
        if (strcmp(row.name, "kernel") == 0)
            return row.unit;
    return "";
}

static int to_direct_options(PyObject *const objects[4], direct_options *options)
{
    if (objects[0] && vti_py_to_choice(objects[0], "kernel", kernel_names(), &options->kernel) < 0)
        return -1;
    if (objects[3] && vti_py_to_int32(objects[3], "threads", &options->threads) < 0)
        return -1;
    options->gradient = objects[1] ? PyObject_IsTrue(objects[1]) : 0;
    options->potential = objects[2] ? PyObject_IsTrue(objects[2]) : 0;
    return options->gradient < 0 || options->potential < 0 ? -1 : 0;
}

static PyObject *direct_sum(PyObject *module, PyObject *positional, PyObject *named)
{
    static char *names[] = {"targets",  "positions", "strengths", "cores", "kernel",
                            "gradient", "potential", "threads",   NULL};
    PyObject *objects[8] = {NULL};
    direct_options options = {.kernel = VT_KERNEL_GAUSSIAN};
    direct_arrays arrays = {NULL};
    if (!PyArg_ParseTupleAndKeywords(positional, named, "OOOO|OOOO:direct_sum", names, &objects[0],
                                     &objects[1], &objects[2], &objects[3], &objects[4],
                                     &objects[5], &objects[6], &objects[7]) ||
        to_direct_options(objects + 4, &options) < 0)
        return NULL;
    PyObject *result = NULL;
    if (make_direct(&arrays, objects, options.gradient, options.potential) == 0)
        result = run_direct(module, &arrays, options.kernel, options.threads);
    release_direct(&arrays);
    return result;
}

/* ---- Poisson ---- */

/* Copy of the field for the library to overwrite, and its cells along x, y, z. */
static PyArrayObject *copy_field(PyObject *object, int32_t cells[3])
{
    static const npy_intp shape[4] = {-1, -1, -1, 3};
    PyArrayObject *field = vti_py_to_array(object, "field", NPY_FLOAT32, 4, shape);
    if (!field)
        return NULL;
    for (int axis = 0; axis < 3; axis++) {
        const npy_intp nodes = PyArray_DIM(field, 2 - axis);
        cells[axis] = nodes < INT32_MAX ? (int32_t)nodes - 1 : INT32_MAX;
    }
    PyArrayObject *copy = (PyArrayObject *)PyArray_NewCopy(field, NPY_CORDER);
    vti_py_release(field);
    return copy;
}

/* In a box, or with boundary values by the method. */
static PyObject *solve(PyObject *module, const char *format, int in_box, PyObject *positional,
                       PyObject *named)
{
    static char *names[] = {"field", "spacing", "threads", "method", NULL};
    static char *names_in_box[] = {"field", "spacing", "threads", NULL};
    PyObject *field_object, *spacing_object, *threads_object = NULL, *method_object = NULL;
    vt_method method;
    vt_default_method(&method);
    double spacing;
    int32_t cells[3], threads = 0;
    if (!PyArg_ParseTupleAndKeywords(positional, named, format, in_box ? names_in_box : names,
                                     &field_object, &spacing_object, &threads_object,
                                     &method_object) ||
        vti_py_to_double(spacing_object, "spacing", 0, &spacing) < 0 ||
        (threads_object && vti_py_to_int32(threads_object, "threads", &threads) < 0) ||
        vti_py_read("method", "method", method_object, &method, NULL) < 0)
        return NULL;
    PyArrayObject *field = copy_field(field_object, cells);
    if (!field)
        return NULL;
    float *const nodes = PyArray_DATA(field);
    vt_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = in_box ? vt_solve_poisson_in_box(cells, spacing, nodes, threads)
                    : vt_solve_poisson(cells, spacing, nodes, &method, threads);
    Py_END_ALLOW_THREADS;
    if (status == VT_OK)
        return (PyObject *)field;
    vti_py_release(field);
    return vti_py_raise(PyModule_GetState(module), status);
}

static PyObject *solve_poisson(PyObject *module, PyObject *positional, PyObject *named)
{
    return solve(module, "OO|OO:solve_poisson", 0, positional, named);
}

static PyObject *solve_poisson_in_box(PyObject *module, PyObject *positional, PyObject *named)
{
    return solve(module, "OO|O:solve_poisson_in_box", 1, positional, named);
}

PyMethodDef vti_py_solver_functions[] = {
    {"shape_volume", VT_PY_FUNCTION(shape_volume), METH_VARARGS | METH_KEYWORDS,
     "shape_volume($module, /, **parameters)\n--\n\n"
     "Volume of a shape in m^3; checks the shape (a mesh without a layer must be closed).\n\n"
     "DEFINITIONS['shape'] says its parameters."},
    {"direct_sum", VT_PY_FUNCTION(direct_sum), METH_VARARGS | METH_KEYWORDS,
     "direct_sum($module, /, targets, positions, strengths, cores, kernel='gaussian', "
     "gradient=False, potential=False, threads=0)\n--\n\n"
     "(velocity, gradient, potential) at targets by the sum over all vortons, float64.\n\n"
     "velocity (n, 3), m/s; gradient (n, 3, 3) with d u_i / d x_j at [:, i, j], potential (n, 3):\n"
     "None where not asked for. The judge of all other routes."},
    {"solve_poisson", VT_PY_FUNCTION(solve_poisson), METH_VARARGS | METH_KEYWORDS,
     "solve_poisson($module, /, field, spacing, threads=0, method={})\n--\n\n"
     "Solves laplace(A) = -source on nodes; returns A, float32 (nz, ny, nx, 3).\n\n"
     "field: source at inner nodes, boundary values of A on the faces; cells per axis even,\n"
     "2^a 3^b 5^c, 6 .. 1024. method: dict of the rows poisson, cycles, steps and downsampling of\n"
     "DEFINITIONS['method']."},
    {"solve_poisson_in_box", VT_PY_FUNCTION(solve_poisson_in_box), METH_VARARGS | METH_KEYWORDS,
     "solve_poisson_in_box($module, /, field, spacing, threads=0)\n--\n\n"
     "Solves laplace(A) = -source in a box through whose walls curl A does not flow.\n\n"
     "As solve_poisson, but field is the source at all nodes: the components of A along a wall "
     "are\n"
     "0 at it, as are those of the source, and the one across it has no slope."},
    {NULL, NULL, 0, NULL}};
