#include "binding.h"

#include <string.h>

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

/* ---- what is in it ---- */

static const vt_py_field info_fields[] = {
    {"leaves", VT_PY_INT64, offsetof(vt_volume_info, leaves), NULL},
    {"active_voxels", VT_PY_INT64, offsetof(vt_volume_info, active_voxels), NULL},
    {"tracers", VT_PY_INT64, offsetof(vt_volume_info, tracers), NULL},
    {"mass", VT_PY_DOUBLE, offsetof(vt_volume_info, mass), NULL},
    {"centroid", VT_PY_VECTOR, offsetof(vt_volume_info, centroid), NULL},
    {"lower", VT_PY_VECTOR, offsetof(vt_volume_info, lower), NULL},
    {"upper", VT_PY_VECTOR, offsetof(vt_volume_info, upper), NULL},
    {NULL, VT_PY_OBJECT, 0, NULL}};

static PyObject *info(PyObject *self, PyObject *Py_UNUSED(arguments))
{
    vt_volume_info numbers;
    const vt_status status = vt_get_volume_info(volume_of(self), &numbers);
    if (status != VT_OK)
        return vt_py_raise(vt_py_state_of(self), status);
    return vt_py_to_dict(info_fields, &numbers);
}

static PyObject *density(PyObject *self, PyObject *positional, PyObject *named)
{
    static char *names[] = {"first", "shape", NULL};
    PyObject *first_object, *shape_object;
    int32_t first[3], shape[3];
    if (!PyArg_ParseTupleAndKeywords(positional, named, "OO:density", names, &first_object,
                                     &shape_object) ||
        vt_py_to_ints3(first_object, "first", first) < 0 ||
        vt_py_to_ints3(shape_object, "shape", shape) < 0)
        return NULL;
    for (int axis = 0; axis < 3; axis++)
        if (shape[axis] < 1)
            return PyErr_Format(PyExc_ValueError, "shape must be positive, got %R", shape_object);
    const npy_intp dimensions[3] = {shape[2], shape[1], shape[0]};
    PyObject *values = PyArray_SimpleNew(3, dimensions, NPY_FLOAT32);
    if (!values)
        return NULL;
    const vt_status status =
        vt_volume_density(volume_of(self), first, shape, PyArray_DATA((PyArrayObject *)values));
    if (status == VT_OK)
        return values;
    Py_DECREF(values);
    return vt_py_raise(vt_py_state_of(self), status);
}

static const vt_py_field vdb_fields[] = {
    {"density_name", VT_PY_TEXT, offsetof(vt_vdb_def, density_name), NULL},
    {"velocity_name", VT_PY_TEXT, offsetof(vt_vdb_def, velocity_name), NULL},
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
    {NULL, VT_PY_OBJECT, 0, NULL}};

static PyObject *render(PyObject *self, PyObject *positional, PyObject *named)
{
    vt_preview_def def = vt_default_preview();
    if (vt_py_fill_arguments("render", positional, named, preview_fields, &def) < 0)
        return NULL;
    /* The library refuses sizes out of range before it writes; the array must exist by then. */
    const npy_intp shape[3] = {def.height > 0 ? def.height : 0, def.width > 0 ? def.width : 0, 3};
    PyObject *pixels = PyArray_SimpleNew(3, shape, NPY_UINT8);
    if (!pixels)
        return NULL;
    uint8_t *const bytes = PyArray_DATA((PyArrayObject *)pixels);
    vt_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = vt_render_preview(volume_of(self), &def, bytes);
    Py_END_ALLOW_THREADS;
    if (status == VT_OK)
        return pixels;
    Py_DECREF(pixels);
    return vt_py_raise(vt_py_state_of(self), status);
}

static PyObject *extinction(PyObject *self, PyObject *positional, PyObject *named)
{
    vt_preview_def def = vt_default_preview();
    double result = 0.0;
    vt_status status;
    if (vt_py_fill_arguments("extinction", positional, named, preview_fields, &def) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = vt_preview_extinction(volume_of(self), &def, &result);
    Py_END_ALLOW_THREADS;
    return status == VT_OK ? PyFloat_FromDouble(result) : vt_py_raise(vt_py_state_of(self), status);
}

/* ---- the type ---- */

#define PREVIEW_ARGUMENTS                                                                          \
    "($self, /, *, width=..., height=..., eye=..., target=..., up=..., field_of_view=..., "        \
    "extinction=..., exposure=..., albedo=..., key_direction=..., key_color=..., sky_color=..., "  \
    "ground_color=..., background=..., step=..., threads=...)\n--\n\n"

static PyMethodDef methods[] = {
    {"info", info, METH_NOARGS,
     "info($self, /)\n--\n\nCounts, mass (kg), centroid and bounds (m) of the density."},
    {"density", VT_PY_FUNCTION(density), METH_VARARGS | METH_KEYWORDS,
     "density($self, /, first, shape)\n--\n\n"
     "Density in kg/m^3 of a box of voxels, float32 (nz, ny, nx).\n\n"
     "first: index (x, y, z) of its first voxel; shape: voxels along x, y, z."},
    {"encode_vdb", VT_PY_FUNCTION(encode_vdb), METH_VARARGS | METH_KEYWORDS,
     "encode_vdb($self, /, *, density_name=..., velocity_name=..., half=..., compress=...)\n--\n\n"
     "The volume as the bytes of an OpenVDB file; a name of None leaves that grid out."},
    {"render", VT_PY_FUNCTION(render), METH_VARARGS | METH_KEYWORDS,
     "render" PREVIEW_ARGUMENTS
     "Lit picture of the smoke: sRGB bytes, uint8 (height, width, 3).\n\n"
     "vorton.h (vt_preview_def) has units, ranges and defaults."},
    {"extinction", VT_PY_FUNCTION(extinction), METH_VARARGS | METH_KEYWORDS,
     "extinction" PREVIEW_ARGUMENTS
     "Extinction that makes this frame read as smoke; keep it for the whole shot."},
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
