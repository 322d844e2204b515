#include "python/archive.h"

#include <string.h>

#include "python/convert.h"
#include "python/volume.h"
#include "vorton/retime.h"

typedef vt_status saving(vt_simulation *simulation, int64_t number, uint8_t **bytes, int64_t *size);

static PyObject *save(PyObject *self, PyObject *number_object, saving *function)
{
    int64_t number, size = 0;
    uint8_t *bytes = NULL;
    if (vti_py_to_int64(number_object, "number", 0, INT64_MAX, &number) < 0)
        return NULL;
    VT_PY_CALL(self, function(simulation, number, &bytes, &size));
    return vti_py_view_of_bytes(bytes, size);
}

PyObject *vti_py_save_state(PyObject *self, PyObject *number)
{
    return save(self, number, vt_save_state);
}

PyObject *vti_py_save_packed_state(PyObject *self, PyObject *number)
{
    return save(self, number, vt_save_packed_state);
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

/* Whether there are 3 floats for each particle: vortons and tracers of both. */
static int check_velocities(vt_simulation *const *simulations, const Py_buffer *velocities)
{
    for (int n = 0; n < 4; n++) {
        const int64_t count = vt_count(simulations[n / 2], n % 2 ? VT_TRACERS : VT_VORTONS);
        if (velocities[n].len == 12 * count)
            continue;
        PyErr_Format(PyExc_ValueError, "velocities[%d] has %zd bytes; allowed is %lld", n,
                     velocities[n].len, (long long)(12 * count));
        return -1;
    }
    return 0;
}

PyObject *vti_py_show_between(PyObject *self, PyObject *positional)
{
    PyObject *from[2];
    PyTypeObject *const type = vti_py_state_of(self)->simulation_type;
    Py_buffer v[4];
    double time;
    vt_status status = VT_OK;
    if (!PyArg_ParseTuple(positional, "O!O!d(y*y*y*y*):show_between", type, &from[0], type,
                          &from[1], &time, &v[0], &v[1], &v[2], &v[3]))
        return NULL;
    vt_simulation *const simulation = vti_py_idle(self);
    vt_simulation *const moments[2] = {vti_py_idle(from[0]), vti_py_idle(from[1])};
    const int idle = simulation && moments[0] && moments[1];
    const int good = idle && check_velocities(moments, v) == 0;
    if (good) {
        const vt_moment earlier = {moments[0], v[0].buf, v[1].buf};
        const vt_moment later = {moments[1], v[2].buf, v[3].buf};
        VT_PY_WITHOUT_GIL(self, status = vt_show_between(simulation, &earlier, &later, time));
    }
    for (int n = 0; n < 4; n++)
        PyBuffer_Release(&v[n]);
    return good ? vti_py_none_or_raise(self, status) : NULL;
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

static PyObject *state_layout(PyObject *module, PyObject *nothing)
{
    uint64_t layout = 0;
    const vt_status status = vt_state_layout(&layout);
    (void)nothing;
    return status == VT_OK ? PyLong_FromUnsignedLongLong(layout)
                           : vti_py_raise(PyModule_GetState(module), status);
}

static PyObject *pack_numbers(PyObject *module, PyObject *numbers)
{
    Py_buffer buffer;
    uint8_t *bytes = NULL;
    int64_t size = 0;
    vt_status status;
    if (PyObject_GetBuffer(numbers, &buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0)
        return NULL;
    if (buffer.format && strchr(buffer.format, 'O')) {
        PyBuffer_Release(&buffer);
        PyErr_SetString(PyExc_TypeError, "pack_numbers: numbers must not be objects");
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    status = vt_pack_numbers(buffer.buf, buffer.len, &bytes, &size);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&buffer);
    return status == VT_OK ? vti_py_view_of_bytes(bytes, size)
                           : vti_py_raise(PyModule_GetState(module), status);
}

PyMethodDef vti_py_archive_functions[] = {
    {"pack_numbers", pack_numbers, METH_O,
     "pack_numbers($module, numbers, /)\n--\n\n"
     "A contiguous array of numbers as blocks of a raw deflate stream, a memoryview.\n\n"
     "It ends with a whole byte; other blocks may follow, and the bytes 3 and 0 end the stream."},
    {"pack_state", VT_PY_FUNCTION(pack_state), METH_VARARGS | METH_KEYWORDS,
     "pack_state($module, /, state, threads=1)\n--\n\n"
     "What Simulation.save_state gave as a frame of an archive, packed: a memoryview.\n\n"
     "threads: 1 to 64; the bytes do not depend on it."},
    {"unpack_state", VT_PY_FUNCTION(unpack_state), METH_VARARGS | METH_KEYWORDS,
     "unpack_state($module, /, state, threads=1)\n--\n\n"
     "A packed frame, its checksums compared, as Simulation.save_state gives it: a memoryview."},
    {"state_layout", VT_PY_FUNCTION(state_layout), METH_NOARGS,
     "state_layout($module, /)\n--\n\n"
     "Digest of the names and sizes of all that a state of this build may hold."},
    {NULL, NULL, 0, NULL}};
