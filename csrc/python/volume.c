#include "binding.h"

#include <string.h>

#include "simulation.h"

/* A volume never changes after it is made, so any number of threads may read it. */
typedef struct volume_object {
    PyObject_HEAD vt_volume *volume;
} volume_object;

static const vt_volume *volume_of(PyObject *self)
{
    return ((volume_object *)self)->volume;
}

PyObject *vt_py_new_volume(const vt_py_state *state, vt_volume *volume)
{
    PyTypeObject *const type = state->volume_type;
    volume_object *self = (volume_object *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (self)
        self->volume = volume;
    else
        vt_destroy_volume(volume);
    return (PyObject *)self;
}

static void volume_dealloc(PyObject *self)
{
    PyTypeObject *const type = Py_TYPE(self);
    vt_destroy_volume(((volume_object *)self)->volume);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* ---- from tracers alone ---- */

/* Calls a Python function for the velocity at points: the thread is the one that called in. An
 * exception stays set, for the caller to find. */
static vt_status ask_velocity(void *function, int64_t count, const float *points, float *velocity)
{
    const PyGILState_STATE gil = PyGILState_Ensure();
    const npy_intp shape[2] = {(npy_intp)count, 3};
    PyObject *places = PyArray_SimpleNew(2, shape, NPY_FLOAT32);
    PyObject *answer = NULL;
    PyArrayObject *values = NULL;
    if (places) {
        memcpy(PyArray_DATA((PyArrayObject *)places), points, sizeof(float) * 3 * (size_t)count);
        answer = PyObject_CallFunctionObjArgs(function, places, NULL);
    }
    if (answer)
        values = vt_py_to_array(answer, "what velocity returned", NPY_FLOAT32, 2, shape);
    if (values)
        memcpy(velocity, PyArray_DATA(values), sizeof(float) * 3 * (size_t)count);
    Py_XDECREF(places);
    Py_XDECREF(answer);
    const vt_status status = values ? VT_OK : VT_INVALID_ARGUMENT;
    vt_py_release(values);
    PyGILState_Release(gil);
    return status;
}

static PyObject *make_from_tracers(PyObject *module, const vt_tracer_source *source,
                                   const vt_volume_def *def)
{
    vt_volume *volume = NULL;
    vt_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = vt_create_volume_from_tracers(source, def, &volume);
    Py_END_ALLOW_THREADS;
    if (status == VT_OK)
        return vt_py_new_volume(PyModule_GetState(module), volume);
    return PyErr_Occurred() ? NULL : vt_py_raise(PyModule_GetState(module), status);
}

typedef struct tracer_arguments {
    PyObject *position, *density, *size, *velocity, *carried[4], *combustion;
    double ambient_temperature;
    vt_volume_def def;
} tracer_arguments;

static const char *const carried_names[4] = {"temperature", "fuel", "flame", "smoke"};

static const vt_py_field tracer_fields[] = {
    {"position", VT_PY_OBJECT, offsetof(tracer_arguments, position), NULL},
    {"density", VT_PY_OBJECT, offsetof(tracer_arguments, density), NULL},
    {"size", VT_PY_OBJECT, offsetof(tracer_arguments, size), NULL},
    {"velocity", VT_PY_OBJECT, offsetof(tracer_arguments, velocity), NULL},
    {"temperature", VT_PY_OBJECT, offsetof(tracer_arguments, carried[0]), NULL},
    {"fuel", VT_PY_OBJECT, offsetof(tracer_arguments, carried[1]), NULL},
    {"flame", VT_PY_OBJECT, offsetof(tracer_arguments, carried[2]), NULL},
    {"smoke", VT_PY_OBJECT, offsetof(tracer_arguments, carried[3]), NULL},
    {"ambient_temperature", VT_PY_FINITE, offsetof(tracer_arguments, ambient_temperature), NULL},
    {"combustion", VT_PY_OBJECT, offsetof(tracer_arguments, combustion), NULL},
    {"voxel_size", VT_PY_FINITE, offsetof(tracer_arguments, def.voxel_size), NULL},
    {"velocity_margin", VT_PY_FINITE, offsetof(tracer_arguments, def.velocity_margin), NULL},
    {"threads", VT_PY_INT32, offsetof(tracer_arguments, def.threads), NULL},
    {"sharp", VT_PY_BOOL, offsetof(tracer_arguments, def.sharp), NULL},
    {NULL, VT_PY_OBJECT, 0, NULL}};

/* The source with arrays of the arguments, which `held` keeps; -1 with an exception set. */
static int fill_source(const tracer_arguments *a, PyArrayObject *held[7], vt_tracer_source *source)
{
    npy_intp shape[2] = {-1, 3};
    PyObject *const objects[7] = {a->position,   a->density,    a->size,      a->carried[0],
                                  a->carried[1], a->carried[2], a->carried[3]};
    const char *const names[7] = {"position",       "density",        "size",
                                  carried_names[0], carried_names[1], carried_names[2],
                                  carried_names[3]};
    const float *data[7] = {NULL};
    vt_combustion combustion = {.law = VT_BURN_NONE};
    if (vt_py_to_combustion(a->combustion, &combustion) < 0)
        return -1;
    for (int i = 0; i < 7; i++) {
        if (!objects[i] || objects[i] == Py_None)
            continue;
        held[i] = vt_py_to_array(objects[i], names[i], NPY_FLOAT32, i == 0 ? 2 : 1, shape);
        if (!held[i])
            return -1;
        data[i] = PyArray_DATA(held[i]);
        shape[0] = PyArray_DIM(held[i], 0);
    }
    *source = (vt_tracer_source){.count = shape[0],
                                 .position = data[0],
                                 .density = data[1],
                                 .size = data[2],
                                 .temperature = data[3],
                                 .fuel = data[4],
                                 .flame = data[5],
                                 .smoke = data[6],
                                 .ambient_temperature = a->ambient_temperature,
                                 .combustion = combustion};
    if (a->velocity && a->velocity != Py_None) {
        source->velocity = ask_velocity;
        source->context = a->velocity;
    }
    return 0;
}

static PyObject *volume_from_tracers(PyObject *module, PyObject *positional, PyObject *named)
{
    tracer_arguments a = {.def = vt_default_volume(),
                          .ambient_temperature = vt_default_ambient().temperature};
    PyArrayObject *held[7] = {NULL};
    vt_tracer_source source;
    if (vt_py_fill_arguments("volume_from_tracers", positional, named, tracer_fields, &a) < 0)
        return NULL;
    if (!a.position || !a.density || !a.size)
        return PyErr_Format(PyExc_TypeError,
                            "volume_from_tracers needs position, density, size and voxel_size");
    if (a.velocity && a.velocity != Py_None && !PyCallable_Check(a.velocity))
        return PyErr_Format(PyExc_TypeError, "velocity must be a function or None, got %.200R",
                            a.velocity);
    PyObject *const result =
        fill_source(&a, held, &source) == 0 ? make_from_tracers(module, &source, &a.def) : NULL;
    for (int i = 0; i < 7; i++)
        vt_py_release(held[i]);
    return result;
}

PyMethodDef vt_py_volume_functions[] = {
    {"volume_from_tracers", VT_PY_FUNCTION(volume_from_tracers), METH_VARARGS | METH_KEYWORDS,
     "volume_from_tracers($module, /, *, position, density, size, voxel_size, velocity=None, "
     "velocity_margin=..., threads=0, temperature=None, fuel=None, flame=None, smoke=None, "
     "ambient_temperature=..., combustion={}, sharp=False)\n--\n\n"
     "Volume of tracers that belong to no simulation.\n\n"
     "position (n, 3), m; density (n,), kg; size (n,), m: the spacing of the tracers around each.\n"
     "velocity: a function of points (m, 3) that returns (m, 3) in m/s; None leaves that grid "
     "out.\ntemperature (n,), K; fuel, flame, smoke (n,): mass fractions of the fluid there; None: "
     "not carried.\ncombustion: the law, as of Simulation: fuel too cold to burn by it is smoke."},
    {NULL, NULL, 0, NULL}};

/* ---- what is in it ---- */

static const vt_py_field info_fields[] = {
    {"leaves", VT_PY_INT64, offsetof(vt_volume_info, leaves), NULL},
    {"active_voxels", VT_PY_INT64, offsetof(vt_volume_info, active_voxels), NULL},
    {"filled_voxels", VT_PY_DOUBLE, offsetof(vt_volume_info, filled_voxels), NULL},
    {"tracers", VT_PY_INT64, offsetof(vt_volume_info, tracers), NULL},
    {"mass", VT_PY_DOUBLE, offsetof(vt_volume_info, mass), NULL},
    {"centroid", VT_PY_VECTOR, offsetof(vt_volume_info, centroid), NULL},
    {"lower", VT_PY_VECTOR, offsetof(vt_volume_info, lower), NULL},
    {"upper", VT_PY_VECTOR, offsetof(vt_volume_info, upper), NULL},
    {"coldest", VT_PY_DOUBLE, offsetof(vt_volume_info, coldest), NULL},
    {"hottest", VT_PY_DOUBLE, offsetof(vt_volume_info, hottest), NULL},
    {"flame_volume", VT_PY_DOUBLE, offsetof(vt_volume_info, flame_volume), NULL},
    {"ambient_temperature", VT_PY_DOUBLE, offsetof(vt_volume_info, ambient_temperature), NULL},
    {NULL, VT_PY_OBJECT, 0, NULL}};

static PyObject *info(PyObject *self, PyObject *Py_UNUSED(arguments))
{
    vt_volume_info numbers;
    const vt_status status = vt_get_volume_info(volume_of(self), &numbers);
    if (status != VT_OK)
        return vt_py_raise(vt_py_state_of(self), status);
    return vt_py_to_dict(info_fields, &numbers);
}

/* Values of a box: of a field, or of the density where field is -1. */
static PyObject *read_box(PyObject *self, int field, PyObject *first_object, PyObject *shape_object)
{
    int32_t first[3], shape[3];
    if (vt_py_to_ints3(first_object, "first", first) < 0 ||
        vt_py_to_ints3(shape_object, "shape", shape) < 0)
        return NULL;
    for (int axis = 0; axis < 3; axis++)
        if (shape[axis] < 1)
            return PyErr_Format(PyExc_ValueError, "shape must be positive, got %R", shape_object);
    const npy_intp dimensions[3] = {shape[2], shape[1], shape[0]};
    PyObject *values = PyArray_SimpleNew(3, dimensions, NPY_FLOAT32);
    if (!values)
        return NULL;
    float *const data = PyArray_DATA((PyArrayObject *)values);
    const vt_status status = field < 0
                                 ? vt_volume_density(volume_of(self), first, shape, data)
                                 : vt_volume_values(volume_of(self), field, first, shape, data);
    if (status == VT_OK)
        return values;
    Py_DECREF(values);
    return vt_py_raise(vt_py_state_of(self), status);
}

static PyObject *density(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"first", "shape", NULL};
    PyObject *first, *shape;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "OO:density", names, &first, &shape))
        return NULL;
    return read_box(self, -1, first, shape);
}

static PyObject *values(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"field", "first", "shape", NULL};
    static const char choices[] = ""
#define VT_VOLUME_FIELD(name, unit, description) #name " "
#include "vorton/volume.def"
        ;
    PyObject *name, *first, *shape;
    int32_t field;
    if (!PyArg_ParseTupleAndKeywords(positional, named, "OOO:values", names, &name, &first,
                                     &shape) ||
        vt_py_to_choice(name, "field", choices, &field) < 0)
        return NULL;
    return read_box(self, field, first, shape);
}

static PyObject *fields(PyObject *self, PyObject *Py_UNUSED(arguments))
{
    PyObject *const list = PyList_New(0);
    for (int i = 0; list && i < VT_VOLUME_FIELDS; i++) {
        if (!vt_volume_carries(volume_of(self), i))
            continue;
        PyObject *const name = PyUnicode_FromString(vt_volume_field_name(i));
        const int failed = !name || PyList_Append(list, name) < 0;
        Py_XDECREF(name);
        if (failed) {
            Py_DECREF(list);
            return NULL;
        }
    }
    PyObject *const names = list ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return names;
}

static const vt_py_field vdb_fields[] = {
    {"density_name", VT_PY_TEXT, offsetof(vt_vdb_def, density_name), NULL},
    {"velocity_name", VT_PY_TEXT, offsetof(vt_vdb_def, velocity_name), NULL},
    {"temperature_name", VT_PY_TEXT, offsetof(vt_vdb_def, temperature_name), NULL},
    {"heat_name", VT_PY_TEXT, offsetof(vt_vdb_def, heat_name), NULL},
    {"flame_name", VT_PY_TEXT, offsetof(vt_vdb_def, flame_name), NULL},
    {"fuel_name", VT_PY_TEXT, offsetof(vt_vdb_def, fuel_name), NULL},
    {"half", VT_PY_BOOL, offsetof(vt_vdb_def, half), NULL},
    {"compress", VT_PY_BOOL, offsetof(vt_vdb_def, compress), NULL},
    {NULL, VT_PY_OBJECT, 0, NULL}};

static PyObject *encode_vdb(PyObject *self, PyObject *positional, PyObject *named)
{
    vt_vdb_def def = vt_default_vdb();
    if (vt_py_fill_arguments("encode_vdb", positional, named, vdb_fields, &def) < 0)
        return NULL;
    uint8_t *bytes = NULL;
    int64_t size = 0;
    vt_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = vt_encode_vdb(volume_of(self), &def, &bytes, &size);
    Py_END_ALLOW_THREADS;
    if (status != VT_OK)
        return vt_py_raise(vt_py_state_of(self), status);
    PyObject *file = PyBytes_FromStringAndSize((const char *)bytes, (Py_ssize_t)size);
    vt_free(bytes);
    return file;
}

/* ---- pictures ---- */

typedef struct preview_arguments {
    vt_preview_def def; /* first: the fields are its own */
    PyObject *bodies;
} preview_arguments;

static const vt_py_field preview_fields[] = {
    {"width", VT_PY_INT32, offsetof(vt_preview_def, width), NULL},
    {"height", VT_PY_INT32, offsetof(vt_preview_def, height), NULL},
    {"eye", VT_PY_VECTOR, offsetof(vt_preview_def, eye), NULL},
    {"target", VT_PY_VECTOR, offsetof(vt_preview_def, target), NULL},
    {"up", VT_PY_VECTOR, offsetof(vt_preview_def, up), NULL},
    {"field_of_view", VT_PY_FINITE, offsetof(vt_preview_def, field_of_view), NULL},
    {"extinction", VT_PY_FINITE, offsetof(vt_preview_def, extinction), NULL},
    {"exposure", VT_PY_FINITE, offsetof(vt_preview_def, exposure), NULL},
    {"albedo", VT_PY_VECTOR, offsetof(vt_preview_def, albedo), NULL},
    {"key_direction", VT_PY_VECTOR, offsetof(vt_preview_def, key_direction), NULL},
    {"key_color", VT_PY_VECTOR, offsetof(vt_preview_def, key_color), NULL},
    {"sky_color", VT_PY_VECTOR, offsetof(vt_preview_def, sky_color), NULL},
    {"ground_color", VT_PY_VECTOR, offsetof(vt_preview_def, ground_color), NULL},
    {"background", VT_PY_VECTORS2, offsetof(vt_preview_def, background), NULL},
    {"step", VT_PY_FINITE, offsetof(vt_preview_def, step), NULL},
    {"threads", VT_PY_INT32, offsetof(vt_preview_def, threads), NULL},
    {"emission", VT_PY_FINITE, offsetof(vt_preview_def, emission), NULL},
    {"bloom", VT_PY_FINITE, offsetof(vt_preview_def, bloom), NULL},
    {"dye", VT_PY_PAIR, offsetof(vt_preview_def, dye), NULL},
    {"bodies", VT_PY_OBJECT, offsetof(preview_arguments, bodies), NULL},
    {NULL, VT_PY_OBJECT, 0, NULL}};

/* The arguments of a picture. Whose bodies are drawn is left to the object that holds them. */
static int fill_preview(const char *name, PyObject *self, PyObject *positional, PyObject *named,
                        preview_arguments *a)
{
    *a = (preview_arguments){.def = vt_default_preview()};
    if (vt_py_fill_arguments(name, positional, named, preview_fields, a) < 0)
        return -1;
    if (a->bodies == Py_None)
        a->bodies = NULL;
    if (!a->bodies)
        return 0;
    if (!PyObject_TypeCheck(a->bodies, vt_py_state_of(self)->simulation_type)) {
        PyErr_Format(PyExc_TypeError, "%s: bodies must be a Simulation of the core, or None", name);
        return -1;
    }
    a->def.bodies = vt_py_idle(a->bodies);
    return a->def.bodies ? 0 : -1;
}

static PyObject *render(PyObject *self, PyObject *positional, PyObject *named)
{
    preview_arguments a;
    if (fill_preview("render", self, positional, named, &a) < 0)
        return NULL;
    /* The library refuses sizes out of range before it writes; the array must exist by then. */
    const npy_intp shape[3] = {a.def.height > 0 ? a.def.height : 0,
                               a.def.width > 0 ? a.def.width : 0, 3};
    PyObject *pixels = PyArray_SimpleNew(3, shape, NPY_UINT8);
    if (!pixels)
        return NULL;
    uint8_t *const bytes = PyArray_DATA((PyArrayObject *)pixels);
    vt_status status;
    if (a.bodies) {
        VT_PY_WITHOUT_GIL(a.bodies, status = vt_render_preview(volume_of(self), &a.def, bytes));
    } else {
        Py_BEGIN_ALLOW_THREADS;
        status = vt_render_preview(volume_of(self), &a.def, bytes);
        Py_END_ALLOW_THREADS;
    }
    if (status == VT_OK)
        return pixels;
    Py_DECREF(pixels);
    return vt_py_raise(vt_py_state_of(self), status);
}

typedef vt_status measuring(const vt_volume *volume, const vt_preview_def *def, double *result);

static PyObject *measure(PyObject *self, const char *name, measuring *function,
                         PyObject *positional, PyObject *named)
{
    preview_arguments a;
    double result = 0.0;
    vt_status status;
    if (fill_preview(name, self, positional, named, &a) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = function(volume_of(self), &a.def, &result);
    Py_END_ALLOW_THREADS;
    return status == VT_OK ? PyFloat_FromDouble(result) : vt_py_raise(vt_py_state_of(self), status);
}

static PyObject *extinction(PyObject *self, PyObject *positional, PyObject *named)
{
    return measure(self, "extinction", vt_preview_extinction, positional, named);
}

static PyObject *emission(PyObject *self, PyObject *positional, PyObject *named)
{
    return measure(self, "emission", vt_preview_emission, positional, named);
}

/* ---- the type ---- */

#define PREVIEW_ARGUMENTS                                                                          \
    "($self, /, *, width=..., height=..., eye=..., target=..., up=..., field_of_view=..., "        \
    "extinction=..., exposure=..., albedo=..., key_direction=..., key_color=..., sky_color=..., "  \
    "ground_color=..., background=..., step=..., threads=..., emission=..., bloom=..., "           \
    "dye=..., bodies=...)\n--\n\n"

static PyMethodDef methods[] = {
    {"info", info, METH_NOARGS,
     "info($self, /)\n--\n\nCounts, mass (kg), centroid and bounds (m) of the density."},
    {"density", VT_PY_FUNCTION(density), METH_VARARGS | METH_KEYWORDS,
     "density($self, /, first, shape)\n--\n\n"
     "Density in kg/m^3 of a box of voxels, float32 (nz, ny, nx).\n\n"
     "first: index (x, y, z) of its first voxel; shape: voxels along x, y, z."},
    {"values", VT_PY_FUNCTION(values), METH_VARARGS | METH_KEYWORDS,
     "values($self, /, field, first, shape)\n--\n\n"
     "A field (temperature, fuel, flame, coverage) of a box of voxels, float32 (nz, ny, nx).\n\n"
     "first: index (x, y, z) of its first voxel; shape: voxels along x, y, z."},
    {"fields", fields, METH_NOARGS,
     "fields($self, /)\n--\n\nNames of the fields that the tracers carry."},
    {"encode_vdb", VT_PY_FUNCTION(encode_vdb), METH_VARARGS | METH_KEYWORDS,
     "encode_vdb($self, /, *, density_name=..., velocity_name=..., half=..., compress=..., "
     "temperature_name=..., heat_name=..., flame_name=..., fuel_name=...)\n--\n\n"
     "The volume as the bytes of an OpenVDB file; a name of None leaves that grid out."},
    {"render", VT_PY_FUNCTION(render), METH_VARARGS | METH_KEYWORDS,
     "render" PREVIEW_ARGUMENTS
     "Lit picture of the smoke: sRGB bytes, uint8 (height, width, 3).\n\n"
     "vorton.h (vt_preview_def) has units, ranges and defaults."},
    {"extinction", VT_PY_FUNCTION(extinction), METH_VARARGS | METH_KEYWORDS,
     "extinction" PREVIEW_ARGUMENTS
     "Extinction that makes this frame read as smoke; keep it for the whole shot."},
    {"emission", VT_PY_FUNCTION(emission), METH_VARARGS | METH_KEYWORDS,
     "emission" PREVIEW_ARGUMENTS
     "Emission that makes this frame read as fire; keep it for the whole shot."},
    {NULL, NULL, 0, NULL}};

static const char documentation[] =
    "Density and velocity on sparse voxels, made by Simulation.volume().";

static PyType_Slot slots[] = {{Py_tp_dealloc, (void *)volume_dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, (void *)documentation},
                              {0, NULL}};

PyType_Spec vt_py_volume_spec = {.name = "vorton._core.Volume",
                                 .basicsize = sizeof(volume_object),
                                 .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE |
                                          Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 .slots = slots};
