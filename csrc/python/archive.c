#include "python/archive.h"

#include "python/convert.h"
#include "python/volume.h"

PyObject *vti_py_save_state(PyObject *self, PyObject *number_object)
{
    int64_t number, size = 0;
    uint8_t *bytes = NULL;
    vt_status status;
    if (vti_py_to_int64(number_object, "number", 0, INT64_MAX, &number) < 0)
        return NULL;
    vt_simulation *const simulation = vti_py_idle(self);
    if (!simulation)
        return NULL;
    VT_PY_WITHOUT_GIL(self, status = vt_save_state(simulation, number, &bytes, &size));
    return status == VT_OK ? vti_py_view_of_bytes(bytes, size)
                           : vti_py_raise(vti_py_state_of(self), status);
}

PyObject *vti_py_load_state(PyObject *self, PyObject *object)
{
    Py_buffer buffer;
    vt_status status;
    vt_simulation *const simulation = vti_py_idle(self);
    if (!simulation || PyObject_GetBuffer(object, &buffer, PyBUF_SIMPLE) < 0)
        return NULL;
    VT_PY_WITHOUT_GIL(self, status = vt_load_state(simulation, buffer.buf, buffer.len));
    PyBuffer_Release(&buffer);
    return vti_py_none_or_raise(self, status);
}

PyObject *vti_py_take_over(PyObject *self, PyObject *positional)
{
    PyObject *from;
    Py_buffer sources, winds;
    vt_status status = VT_OK;
    if (!PyArg_ParseTuple(positional, "O!y*y*:take_over", vti_py_state_of(self)->simulation_type,
                          &from, &sources, &winds))
        return NULL;
    vt_simulation *const simulation = vti_py_idle(self), *const other = vti_py_idle(from);
    if (simulation && other) {
        const int64_t source_count = sources.len / 4, wind_count = winds.len / 4;
        VT_PY_WITHOUT_GIL(self, status = vt_take_over(simulation, other, source_count, sources.buf,
                                                      wind_count, winds.buf));
    }
    PyBuffer_Release(&sources);
    PyBuffer_Release(&winds);
    return simulation && other ? vti_py_none_or_raise(self, status) : NULL;
}

typedef vt_status converting(const uint8_t *bytes, int64_t size, int32_t threads, uint8_t **made,
                             int64_t *made_size);

static PyObject *convert(PyObject *module, const char *format, converting *function,
                         PyObject *positional, PyObject *named)
{
    static char *names[] = {"state", "threads", NULL};
    Py_buffer buffer;
    int threads = 1;
    uint8_t *bytes = NULL;
    int64_t size = 0;
    vt_status status;
    if (!PyArg_ParseTupleAndKeywords(positional, named, format, names, &buffer, &threads))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = function(buffer.buf, buffer.len, threads, &bytes, &size);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&buffer);
    return status == VT_OK ? vti_py_view_of_bytes(bytes, size)
                           : vti_py_raise(PyModule_GetState(module), status);
}

static PyObject *pack_state(PyObject *module, PyObject *positional, PyObject *named)
{
    return convert(module, "y*|i:pack_state", vt_pack_state, positional, named);
}

static PyObject *unpack_state(PyObject *module, PyObject *positional, PyObject *named)
{
    return convert(module, "y*|i:unpack_state", vt_unpack_state, positional, named);
}

PyMethodDef vti_py_archive_functions[] = {
    {"pack_state", VT_PY_FUNCTION(pack_state), METH_VARARGS | METH_KEYWORDS,
     "pack_state($module, /, state, threads=1)\n--\n\n"
     "What Simulation.save_state gave as a frame of an archive, packed: a memoryview.\n\n"
     "threads: 1 to 64; the bytes do not depend on it."},
    {"unpack_state", VT_PY_FUNCTION(unpack_state), METH_VARARGS | METH_KEYWORDS,
     "unpack_state($module, /, state, threads=1)\n--\n\n"
     "A packed frame, its checksums compared, as Simulation.save_state gives it: a memoryview."},
    {NULL, NULL, 0, NULL}};
