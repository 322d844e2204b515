#include "python/volume.h"

#include "python/convert.h"
#include "python/definitions.h"

/* A volume never changes after it is made, so any number of threads may read it. */
typedef struct volume_object {
    PyObject_HEAD vt_volume *volume;
} volume_object;

static const vt_volume *volume_of(PyObject *self)
{
    return ((volume_object *)self)->volume;
}

PyObject *vti_py_new_volume(const vt_py_state *state, vt_volume *volume)
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

/* ---- bodies ---- */

static int drop_bodies(PyObject *arguments)
{
    return PyDict_GetItemString(arguments, "bodies") ? PyDict_DelItemString(arguments, "bodies")
                                                     : 0;
}

/* The simulation whose bodies are meant; of None and NULL none, and *bodies becomes NULL. */
static int read_bodies(const char *name, const vt_py_state *state, PyObject **bodies,
                       vt_simulation **simulation)
{
    if (!*bodies || *bodies == Py_None) {
        *bodies = NULL;
        return 0;
    }
    if (!PyObject_TypeCheck(*bodies, state->simulation_type)) {
        PyErr_Format(PyExc_TypeError, "%s: bodies must be a Simulation of the core, or None", name);
        return -1;
    }
    *simulation = vti_py_idle(*bodies);
    return *simulation ? 0 : -1;
}

/* ---- from tracers alone ---- */

/* bodies: a simulation, or NULL. */
static PyObject *make_from_tracers(PyObject *module, const vt_tracer_source *source,
                                   PyObject *bodies, const vt_volume_def *def)
{
    vt_volume *volume = NULL;
    vt_status status;
    if (bodies) {
        VT_PY_WITHOUT_GIL(bodies, status = vt_create_volume_from_tracers(source, def, &volume));
    } else {
        Py_BEGIN_ALLOW_THREADS;
        status = vt_create_volume_from_tracers(source, def, &volume);
        Py_END_ALLOW_THREADS;
    }
    if (status == VT_OK)
        return vti_py_new_volume(PyModule_GetState(module), volume);
    return PyErr_Occurred() ? NULL : vti_py_raise(PyModule_GetState(module), status);
}

/* Moves those of the arguments that the other definition knows into a dict of their own. */
static int split_arguments(PyObject *named, const char *const names[], PyObject *other)
{
    for (; *names; names++) {
        PyObject *const value = PyDict_GetItemString(named, *names);
        if (value && (PyDict_SetItemString(other, *names, value) < 0 ||
                      PyDict_DelItemString(named, *names) < 0))
            return -1;
    }
    return 0;
}

static PyObject *volume_from_tracers(PyObject *module, PyObject *positional, PyObject *named)
{
    static const char *const of_volume[] = {"voxel_size", "velocity_margin", "threads", "sharp",
                                            NULL};
    PyObject *const own = named ? PyDict_Copy(named) : PyDict_New();
    PyObject *const settings = PyDict_New(), *const kept = PyList_New(0);
    PyObject *result = NULL, *bodies = own ? PyDict_GetItemString(own, "bodies") : NULL;
    vt_tracer_source source;
    vt_volume_def def;
    vt_default_tracer_source(&source);
    vt_default_volume(&def);
    if (own && settings && kept && drop_bodies(own) == 0 &&
        split_arguments(own, of_volume, settings) == 0 &&
        vti_py_read_arguments("volume_from_tracers", "tracer_source", positional, own, &source,
                              kept) == 0 &&
        vti_py_read("volume_from_tracers", "volume", settings, &def, kept) == 0 &&
        read_bodies("volume_from_tracers", PyModule_GetState(module), &bodies, &source.bodies) == 0)
        result = make_from_tracers(module, &source, bodies, &def);
    Py_XDECREF(own);
    Py_XDECREF(settings);
    Py_XDECREF(kept);
    return result;
}

PyMethodDef vti_py_volume_functions[] = {
    {"volume_from_tracers", VT_PY_FUNCTION(volume_from_tracers), METH_VARARGS | METH_KEYWORDS,
     "volume_from_tracers($module, /, **parameters)\n--\n\n"
     "Volume of tracers that belong to no simulation.\n\n"
     "DEFINITIONS['tracer_source'] and ['volume'] say the parameters. velocity: a function of\n"
     "points (m, 3) that returns (m, 3) in m/s. bodies: the core of a Simulation, or None."},
    {NULL, NULL, 0, NULL}};

/* ---- what is in it ---- */

static const vt_py_field info_fields[] = {
    {"leaves", VT_PY_INT64, offsetof(vt_volume_info, leaves)},
    {"active_voxels", VT_PY_INT64, offsetof(vt_volume_info, active_voxels)},
    {"filled_voxels", VT_PY_DOUBLE, offsetof(vt_volume_info, filled_voxels)},
    {"tracers", VT_PY_INT64, offsetof(vt_volume_info, tracers)},
    {"mass", VT_PY_DOUBLE, offsetof(vt_volume_info, mass)},
    {"centroid", VT_PY_VECTOR, offsetof(vt_volume_info, centroid)},
    {"lower", VT_PY_VECTOR, offsetof(vt_volume_info, lower)},
    {"upper", VT_PY_VECTOR, offsetof(vt_volume_info, upper)},
    {"coldest", VT_PY_DOUBLE, offsetof(vt_volume_info, coldest)},
    {"hottest", VT_PY_DOUBLE, offsetof(vt_volume_info, hottest)},
    {"flame_volume", VT_PY_DOUBLE, offsetof(vt_volume_info, flame_volume)},
    {"ambient_temperature", VT_PY_DOUBLE, offsetof(vt_volume_info, ambient_temperature)},
    {"voxel_size", VT_PY_DOUBLE, offsetof(vt_volume_info, voxel_size)},
    {NULL, VT_PY_INT32, 0}};

static PyObject *info(PyObject *self, PyObject *Py_UNUSED(arguments))
{
    vt_volume_info numbers = {.struct_size = sizeof numbers};
    const vt_status status = vt_get_volume_info(volume_of(self), &numbers);
    if (status != VT_OK)
        return vti_py_raise(vti_py_state_of(self), status);
    return vti_py_to_dict(info_fields, &numbers);
}

/* Values of a box: of a field, or of the density where field is -1. */
static PyObject *read_box(PyObject *self, int field, PyObject *first_object, PyObject *shape_object)
{
    int32_t first[3], shape[3];
    if (vti_py_to_ints3(first_object, "first", first) < 0 ||
        vti_py_to_ints3(shape_object, "shape", shape) < 0)
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
    return vti_py_raise(vti_py_state_of(self), status);
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
        vti_py_to_choice(name, "field", choices, &field) < 0)
        return NULL;
    return read_box(self, field, first, shape);
}

static PyObject *fields(PyObject *self, PyObject *Py_UNUSED(arguments))
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < VT_VOLUME_FIELDS; i++)
        if (vt_volume_carries(volume_of(self), i) &&
            vti_py_append(list, PyUnicode_FromString(vt_volume_field_name(i))) < 0)
            Py_CLEAR(list);
    return vti_py_to_tuple(list);
}

static void free_file(PyObject *capsule)
{
    vt_free(PyCapsule_GetPointer(capsule, NULL));
}

PyObject *vti_py_view_of_bytes(uint8_t *bytes, int64_t size)
{
    const npy_intp shape[1] = {(npy_intp)size};
    PyObject *const owner = PyCapsule_New(bytes, NULL, free_file);
    if (!owner) {
        vt_free(bytes);
        return NULL;
    }
    PyObject *const array = PyArray_SimpleNewFromData(1, shape, NPY_UINT8, bytes);
    if (!array || PyArray_SetBaseObject((PyArrayObject *)array, owner) < 0) {
        if (!array)
            Py_DECREF(owner);
        Py_XDECREF(array);
        return NULL;
    }
    PyArray_CLEARFLAGS((PyArrayObject *)array, NPY_ARRAY_WRITEABLE);
    PyObject *const view = PyMemoryView_FromObject(array);
    Py_DECREF(array);
    return view;
}

static PyObject *encode_vdb(PyObject *self, PyObject *positional, PyObject *named)
{
    vt_vdb_def def;
    vt_default_vdb(&def);
    if (vti_py_read_arguments("encode_vdb", "vdb", positional, named, &def, NULL) < 0)
        return NULL;
    uint8_t *bytes = NULL;
    int64_t size = 0;
    vt_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = vt_encode_vdb(volume_of(self), &def, &bytes, &size);
    Py_END_ALLOW_THREADS;
    if (status != VT_OK)
        return vti_py_raise(vti_py_state_of(self), status);
    return vti_py_view_of_bytes(bytes, size);
}

/* ---- pictures ---- */

typedef struct preview_arguments {
    vt_preview_def def;
    PyObject *bodies; /* borrowed, NULL: none */
} preview_arguments;

/* The arguments of a picture. Whose bodies are drawn is left to the object that holds them. */
static int fill_preview(const char *name, PyObject *self, PyObject *positional, PyObject *named,
                        preview_arguments *a)
{
    PyObject *const own = named ? PyDict_Copy(named) : PyDict_New();
    vt_default_preview(&a->def);
    a->bodies = own ? PyDict_GetItemString(own, "bodies") : NULL;
    const int failed = !own || drop_bodies(own) < 0 ||
                       vti_py_read_arguments(name, "preview", positional, own, &a->def, NULL) < 0 ||
                       read_bodies(name, vti_py_state_of(self), &a->bodies, &a->def.bodies) < 0;
    Py_XDECREF(own);
    return failed ? -1 : 0;
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
    return vti_py_raise(vti_py_state_of(self), status);
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
    return status == VT_OK ? PyFloat_FromDouble(result)
                           : vti_py_raise(vti_py_state_of(self), status);
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
     "encode_vdb($self, /, **parameters)\n--\n\n"
     "The volume as an OpenVDB file, a memoryview of its bytes; a name of None leaves that grid "
     "out."},
    {"render", VT_PY_FUNCTION(render), METH_VARARGS | METH_KEYWORDS,
     "render($self, /, **parameters)\n--\n\n"
     "Lit picture of the smoke: sRGB bytes, uint8 (height, width, 3).\n\n"
     "DEFINITIONS['preview'] says the parameters; bodies is a Simulation whose bodies are drawn."},
    {"extinction", VT_PY_FUNCTION(extinction), METH_VARARGS | METH_KEYWORDS,
     "extinction($self, /, **parameters)\n--\n\n"
     "Extinction that makes this frame read as smoke; keep it for the whole shot."},
    {"emission", VT_PY_FUNCTION(emission), METH_VARARGS | METH_KEYWORDS,
     "emission($self, /, **parameters)\n--\n\n"
     "Emission that makes this frame read as fire; keep it for the whole shot."},
    {NULL, NULL, 0, NULL}};

static const char documentation[] =
    "Density and velocity on sparse voxels, made by Simulation.volume().";

static PyType_Slot slots[] = {{Py_tp_dealloc, (void *)volume_dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, (void *)documentation},
                              {0, NULL}};

PyType_Spec vti_py_volume_spec = {.name = "vorton._core.Volume",
                                  .basicsize = sizeof(volume_object),
                                  .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE |
                                           Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                  .slots = slots};
