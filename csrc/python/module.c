#include <string.h>

#include "model/grid.h"
#include "preview/fire.h"
#include "python/animation.h"
#include "python/archive.h"
#include "python/convert.h"
#include "python/definitions.h"
#include "python/solvers.h"
#include "sources/jet.h"

/* ---- what the library is ---- */

#define TEXT_FUNCTION(name)                                                                        \
    static PyObject *py_##name(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(arguments))        \
    {                                                                                              \
        return PyUnicode_FromString(vt_##name());                                                  \
    }
TEXT_FUNCTION(version)
TEXT_FUNCTION(simd)
TEXT_FUNCTION(backend)
TEXT_FUNCTION(build)

static PyObject *py_available_threads(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(arguments))
{
    return PyLong_FromLong(vt_available_threads());
}

static PyObject *py_probe_machine(PyObject *module, PyObject *positional, PyObject *named)
{
    static char *names[] = {"threads", NULL};
    PyObject *given = NULL;
    int32_t threads = 0;
    vt_probe probe = {.struct_size = sizeof probe};
    vt_status status;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "|O:probe_machine", names, &given) ||
        (given && vti_py_to_int32(given, "threads", &threads) < 0))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = vt_probe_machine(threads, &probe);
    Py_END_ALLOW_THREADS;
    if (status)
        return vti_py_raise(PyModule_GetState(module), status);
    return Py_BuildValue("{s:d,s:d,s:d}", "loop_us", 1e6 * probe.loop, "triad_ms",
                         1e3 * probe.triad, "triad_gb_per_s", 1e-9 * probe.bytes / probe.triad);
}

static PyMethodDef functions[] = {
    {"version", py_version, METH_NOARGS,
     "version($module, /)\n--\n\nVersion of the C library that runs, such as '0.1.0'."},
    {"simd", py_simd, METH_NOARGS,
     "simd($module, /)\n--\n\nInstruction set of the kernels: 'scalar', 'avx2' or 'avx512'.\n\n"
     "The environment variable VORTON_SIMD, read once, forces a lower one."},
    {"backend", py_backend, METH_NOARGS,
     "backend($module, /)\n--\n\nThreads: 'openmp', or 'pthread' for the pool.\n\n"
     "The environment variable VORTON_BACKEND, read once, chooses."},
    {"available_threads", py_available_threads, METH_NOARGS,
     "available_threads($module, /)\n--\n\n"
     "Processors that this process may use: what threads=0 stands for."},
    {"probe_machine", VT_PY_FUNCTION(py_probe_machine), METH_VARARGS | METH_KEYWORDS,
     "probe_machine($module, /, threads=0)\n--\n\n"
     "How fast the machine is now, by the threads that a step uses; takes some .2 s.\n\n"
     "dict: loop_us, what a parallel loop takes beyond its blocks, one of 20 us a thread, the\n"
     "median, us; triad_ms, a = b + c / 2 over 8 Mi numbers of float32, three arrays of 32 MiB,\n"
     "the shortest of eight, ms; triad_gb_per_s, 12 bytes a number by that time."},
    {"build", py_build, METH_NOARGS, "build($module, /)\n--\n\n'compiler | flags' of this build."},
    {NULL, NULL, 0, NULL}};

/* ---- tables of fields ---- */

/* Row `n` of a table as a new reference; NULL after the last, or with an exception. */
typedef PyObject *row_function(int n);

/* A tuple of all rows. */
static PyObject *table_of(row_function *row)
{
    PyObject *list = PyList_New(0), *object = NULL;
    for (int n = 0; list && (object = row(n)); n++)
        if (vti_py_append(list, object) < 0)
            Py_CLEAR(list);
    if (PyErr_Occurred())
        Py_CLEAR(list);
    return vti_py_to_tuple(list);
}

static PyObject *names_tuple(const char *const *names, size_t count)
{
    PyObject *list = PyList_New(0);
    for (size_t n = 0; list && n < count; n++)
        if (vti_py_append(list, PyUnicode_FromString(names[n])) < 0)
            Py_CLEAR(list);
    return vti_py_to_tuple(list);
}

static PyObject *column_row(int set, int n)
{
    static const char *const types[] = {
        [VT_FLOAT32] = "float32", [VT_INT64] = "int64", [VT_UINT32] = "uint32"};
    vt_column_field field = {.struct_size = sizeof field};
    if (!vt_describe_column(set, n, &field))
        return NULL;
    return Py_BuildValue("{s:s, s:s, s:i, s:s}", "name", field.name, "dtype", types[field.type],
                         "components", (int)field.components, "description", field.description);
}

static PyObject *vorton_row(int n)
{
    return column_row(VT_VORTONS, n);
}

static PyObject *tracer_row(int n)
{
    return column_row(VT_TRACERS, n);
}

/* Values of the bits of the vortons' column of flags, by name. */
static PyObject *flag_table(void)
{
    return Py_BuildValue("{"
#define VT_FLAG(name, bit, description) "si"
#include "vorton/columns.def"
                         "}"
#define VT_FLAG(name, bit, description) , #name, VT_FLAG_##name
#include "vorton/columns.def"
    );
}

/* Of grid_fields.def. */
static PyObject *grid_row(int n)
{
    vt_grid_field row = {.struct_size = sizeof row};
    if (!vt_describe_grid(n, &row))
        return NULL;
    return Py_BuildValue("{s:s, s:s, s:i, s:s, s:s}", "name", row.name, "dtype",
                         row.type == VT_BOOL ? "bool" : "float32", "components",
                         (int)row.components, "unit", row.unit, "description", row.description);
}

/* Of health.def. */
static PyObject *health_row(int n)
{
    static const struct {
        const char *name, *type, *unit, *description;
    } rows[] = {
#define VT_HEALTH(name, type, unit, description) {#name, #type, unit, description},
#define VT_HEALTH_VECTOR(name, type, unit, description) {#name, #type " x 3", unit, description},
#include "vorton/health.def"
    };
    if ((size_t)n == sizeof rows / sizeof *rows)
        return NULL;
    return Py_BuildValue("{s:s, s:s, s:s, s:s}", "name", rows[n].name, "type", rows[n].type, "unit",
                         rows[n].unit, "description", rows[n].description);
}

/* Names of the numbers of health.def that only a grid gives. */
static PyObject *names_of_grid(void)
{
    static const char *const names[] = {
#define VT_HEALTH(name, type, unit, description)
#define VT_HEALTH_VECTOR(name, type, unit, description)
#define VT_HEALTH_OF_GRID(name) #name,
#include "vorton/health.def"
    };
    return names_tuple(names, sizeof names / sizeof *names);
}

/* Of body_state.def. */
static PyObject *body_state_row(int n)
{
    static const char *const rows[][4] = {
#define VT_BODY_STATE(type, name, unit, description) {#name, #type, unit, description},
#include "vorton/body_state.def"
    };
    if ((size_t)n == sizeof rows / sizeof *rows)
        return NULL;
    return Py_BuildValue("{s:s, s:s, s:s, s:s}", "name", rows[n][0], "type", rows[n][1], "unit",
                         rows[n][2], "description", rows[n][3]);
}

/* A limit of health.def. */
static PyObject *limit_row(int n)
{
    static const struct {
        const char *name, *meaning, *remedy;
        double limit;
    } rows[] = {
#define VT_HEALTH(name, type, unit, description)
#define VT_HEALTH_VECTOR(name, type, unit, description)
#define VT_HEALTH_LIMIT(name, limit, meaning, remedy) {#name, meaning, remedy, limit},
#include "vorton/health.def"
    };
    if ((size_t)n == sizeof rows / sizeof *rows)
        return NULL;
    return Py_BuildValue("{s:s, s:d, s:s, s:s}", "name", rows[n].name, "limit", rows[n].limit,
                         "meaning", rows[n].meaning, "remedy", rows[n].remedy);
}

/* Of timings.def. */
static PyObject *timing_row(int n)
{
    static const char *const rows[][2] = {
#define VT_TIMED_STAGE(name, description) {#name, description},
#include "vorton/timings.def"
    };
    if ((size_t)n == sizeof rows / sizeof *rows)
        return NULL;
    return Py_BuildValue("{s:s, s:s}", "name", rows[n][0], "description", rows[n][1]);
}

/* What Python has to know of other units' constants. */
static PyObject *constants(void)
{
    return Py_BuildValue("{s:d, s:d, s:i, s:d, s:d, s:d}", "jet_core", VT_JET_CORE, "jet_slug",
                         VT_JET_SLUG, "grid_margin", VT_DOMAIN_MARGIN, "coolest_fire",
                         (double)VT_COOLEST_FIRE, "warmest_fire", (double)VT_WARMEST_FIRE,
                         "dull_glow", (double)VT_DULL_GLOW);
}

/* ---- the module ---- */

/* Adds object (a new reference, or NULL after an error) to the module; 0 or -1. */
static int add(PyObject *module, const char *name, PyObject *object)
{
    const int failed = !object || PyModule_AddObjectRef(module, name, object) < 0;
    Py_XDECREF(object);
    return failed ? -1 : 0;
}

static int add_exceptions(PyObject *module, vt_py_state *state)
{
    state->busy_error = PyErr_NewExceptionWithDoc(
        "vorton.BusyError", "Another thread is inside this simulation.", PyExc_RuntimeError, NULL);
    state->capacity_error = PyErr_NewExceptionWithDoc(
        "vorton.CapacityError", "More vortons or tracers than the simulation has room for.",
        PyExc_RuntimeError, NULL);
    state->blow_up_error = PyErr_NewExceptionWithDoc(
        "vorton.BlowUpError",
        "A step would need more than 4096 substeps: the flow has blown up, or the step is too "
        "long.\n\n"
        "The substeps before it stay done. The message says where, what is near there and what to\n"
        "change.\n\n"
        "Attributes\n----------\n"
        "position : three numbers, m, or None\n"
        "    Of the vorton that set the length of the substep; None: no vorton did.\n"
        "source, body : int or None\n"
        "    Ids in the core of the source whose vortons were born nearest, and of the body with\n"
        "    the nearest wall.",
        PyExc_RuntimeError, NULL);
    if (add(module, "BusyError", Py_XNewRef(state->busy_error)) < 0 ||
        add(module, "BlowUpError", Py_XNewRef(state->blow_up_error)) < 0)
        return -1;
    return add(module, "CapacityError", Py_XNewRef(state->capacity_error));
}

/* What the fluid of vortons carries, in the order of columns.def. */
static PyObject *composition_names(void)
{
    static const char *const names[] = {
#define VT_CARRIED(name, least, most, allowed) #name,
#include "vorton/columns.def"
    };
    return names_tuple(names, sizeof names / sizeof *names);
}

static int add_types(PyObject *module, vt_py_state *state)
{
    state->simulation_type =
        (PyTypeObject *)PyType_FromModuleAndSpec(module, &vti_py_simulation_spec, NULL);
    if (!state->simulation_type || PyModule_AddType(module, state->simulation_type) < 0)
        return -1;
    state->volume_type =
        (PyTypeObject *)PyType_FromModuleAndSpec(module, &vti_py_volume_spec, NULL);
    return state->volume_type ? PyModule_AddType(module, state->volume_type) : -1;
}

/* NumPy supports the main interpreter alone, and so do we. */
static int refuse_subinterpreter(void)
{
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) == 0)
        return 0;
    PyErr_SetString(PyExc_ImportError, "vorton cannot be imported into a sub-interpreter");
    return -1;
}

static int execute(PyObject *module)
{
    vt_py_state *state = PyModule_GetState(module);
    if (refuse_subinterpreter() < 0)
        return -1;
    if (vti_py_import_numpy() < 0)
        return -1;
    if (strcmp(vt_version(), VORTON_VERSION) != 0) {
        PyErr_Format(PyExc_ImportError, "the library is version %s, this module is for %s",
                     vt_version(), VORTON_VERSION);
        return -1;
    }
    if (add_exceptions(module, state) < 0 || add_types(module, state) < 0 ||
        PyModule_AddFunctions(module, vti_py_solver_functions) < 0 ||
        PyModule_AddFunctions(module, vti_py_volume_functions) < 0 ||
        PyModule_AddFunctions(module, vti_py_archive_functions) < 0 ||
        PyModule_AddFunctions(module, vti_py_track_functions) < 0)
        return -1;
    static const struct {
        const char *name;
        row_function *row;
    } tables[] = {{"HEALTH_FIELDS", health_row}, {"BODY_FIELDS", body_state_row},
                  {"HEALTH_LIMITS", limit_row},  {"GRID_FIELDS", grid_row},
                  {"TIMED_STAGES", timing_row},  {"VORTON_COLUMNS", vorton_row},
                  {"TRACER_COLUMNS", tracer_row}};
    for (size_t n = 0; n < sizeof tables / sizeof *tables; n++)
        if (add(module, tables[n].name, table_of(tables[n].row)) < 0)
            return -1;
    if (add(module, "DEFINITIONS", vti_py_tables()) < 0 ||
        add(module, "ARTICLE_METHOD", vti_py_article_method()) < 0 ||
        add(module, "HEALTH_OF_GRID", names_of_grid()) < 0 ||
        add(module, "CARRIED", composition_names()) < 0 ||
        add(module, "CONSTANTS", constants()) < 0)
        return -1;
    return add(module, "VORTON_FLAGS", flag_table());
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    const vt_py_state *state = PyModule_GetState(module);
    Py_VISIT(state->busy_error);
    Py_VISIT(state->capacity_error);
    Py_VISIT(state->blow_up_error);
    Py_VISIT((PyObject *)state->simulation_type);
    Py_VISIT((PyObject *)state->volume_type);
    return 0;
}

static int clear(PyObject *module)
{
    vt_py_state *state = PyModule_GetState(module);
    Py_CLEAR(state->busy_error);
    Py_CLEAR(state->capacity_error);
    Py_CLEAR(state->blow_up_error);
    Py_CLEAR(state->simulation_type);
    Py_CLEAR(state->volume_type);
    return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)execute}, {0, NULL}};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "vorton._core",
    .m_doc = "The C library of vorton for NumPy. vorton.Simulation is the comfortable way in.",
    .m_size = sizeof(vt_py_state),
    .m_methods = functions,
    .m_slots = slots,
    .m_traverse = traverse,
    .m_clear = clear,
};

PyMODINIT_FUNC PyInit__core(void);

__attribute__((visibility("default"))) PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&definition);
}
