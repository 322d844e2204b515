"""Volumes through the C API of the built library, for tests: tracers from arrays, no simulation."""

import ctypes as c

import numpy as np

import vorton

VelocityFunction = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_int64, c.POINTER(c.c_float),
                               c.POINTER(c.c_float))


CARRIED = "temperature", "fuel", "flame", "smoke"
FIELDS = "temperature", "fuel", "flame", "glow", "coverage"
LAW = ("rate", "ignition", "activation", "flame_time", "heat", "heat_capacity", "soot",
       "radiation", "mixing")  # fmt: skip


class Combustion(c.Structure):
    _fields_ = [("law", c.c_int32), *((name, c.c_double) for name in LAW)]


class Source(c.Structure):
    _fields_ = [("count", c.c_int64), ("position", c.c_void_p), ("density", c.c_void_p),
                ("size", c.c_void_p), ("velocity", c.c_void_p), ("context", c.c_void_p),
                *((name, c.c_void_p) for name in CARRIED), ("ambient_temperature", c.c_double),
                ("combustion", Combustion)]


class Definition(c.Structure):
    _fields_ = [("voxel_size", c.c_double), ("velocity_margin", c.c_double),
                ("threads", c.c_int32), ("sharp", c.c_int32)]


class Info(c.Structure):
    _fields_ = [("leaves", c.c_int64), ("active_voxels", c.c_int64), ("tracers", c.c_int64),
                ("mass", c.c_double), ("centroid", c.c_double * 3), ("lower", c.c_double * 3),
                ("upper", c.c_double * 3), ("filled_voxels", c.c_double),
                ("coldest", c.c_double), ("hottest", c.c_double), ("flame_volume", c.c_double),
                ("ambient_temperature", c.c_double)]


class Encoding(c.Structure):
    _fields_ = [("density_name", c.c_char_p), ("velocity_name", c.c_char_p), ("half", c.c_int32),
                ("compress", c.c_int32), ("temperature_name", c.c_char_p),
                ("heat_name", c.c_char_p), ("flame_name", c.c_char_p), ("fuel_name", c.c_char_p)]


library = c.CDLL(vorton.get_library())
library.vt_error_message.restype = c.c_char_p
library.vt_default_volume.restype = Definition
library.vt_default_vdb.restype = Encoding
library.vt_default_combustion.restype = Combustion
library.vt_free.argtypes = [c.c_void_p]
library.vt_destroy_volume.argtypes = [c.c_void_p]


class VolumeError(Exception):
    def __init__(self, status):
        super().__init__(library.vt_error_message().decode())
        self.status = status


INVALID_ARGUMENT, OUT_OF_MEMORY, NOT_FINITE = 1, 2, 5


def check(status):
    if status:
        raise VolumeError(status)


def floats(values, shape):
    array = np.ascontiguousarray(values, np.float32)
    assert array.shape == shape
    return array


class Volume:
    """A vt_volume of tracers: position (n x 3), density (n, kg), size (n, m).

    velocity: a function of points (m x 3), or None. carried: what the tracers carry beside, by
    name (temperature in K, fuel, flame, smoke), and ambient_temperature. law: VT_BURN_...
    """

    def __init__(self, position, density, size, voxel_size, velocity=None, margin=3.0, threads=0,
                 ambient_temperature=293.15, law=0, **carried):
        self.handle = c.c_void_p()
        count = len(position)
        arrays = [floats(position, (count, 3)), floats(density, (count,)), floats(size, (count,))]
        arrays += [floats(carried[name], (count,)) if name in carried else None
                   for name in CARRIED]
        assert set(carried) <= set(CARRIED)
        self.calls = []

        @VelocityFunction
        def call(context, number, points, out):
            self.calls.append(number)
            at = np.ctypeslib.as_array(points, (number, 3))
            result = velocity(at)
            if isinstance(result, int):
                return result
            np.ctypeslib.as_array(out, (number, 3))[:] = result
            return 0

        places = [a if a is None else a.ctypes.data for a in arrays]
        source = Source(count, *places[:3], c.cast(call, c.c_void_p) if velocity else None, None,
                        *places[3:], ambient_temperature, library.vt_default_combustion(law))
        definition = Definition(voxel_size, margin, threads)
        check(library.vt_create_volume_from_tracers(c.byref(source), c.byref(definition),
                                                    c.byref(self.handle)))

    def __del__(self):
        library.vt_destroy_volume(self.handle)

    @property
    def info(self):
        info = Info()
        check(library.vt_get_volume_info(self.handle, c.byref(info)))
        return info

    def density(self, first, shape):
        """Values with shape (x, y, z), from voxel first on."""
        values = np.full(tuple(shape)[::-1], np.nan, np.float32)
        check(library.vt_volume_density(
            self.handle, (c.c_int32 * 3)(*map(int, first)), (c.c_int32 * 3)(*map(int, shape)),
            values.ctypes.data_as(c.c_void_p)))
        return values.transpose(2, 1, 0)

    def values(self, field, first, shape):
        """Values of a field with shape (x, y, z), from voxel first on."""
        values = np.full(tuple(shape)[::-1], np.nan, np.float32)
        check(library.vt_volume_values(
            self.handle, FIELDS.index(field), (c.c_int32 * 3)(*map(int, first)),
            (c.c_int32 * 3)(*map(int, shape)), values.ctypes.data_as(c.c_void_p)))
        return values.transpose(2, 1, 0)

    def encode(self, **options):
        """The bytes of a .vdb file; options are members of vt_vdb_def."""
        encoding = library.vt_default_vdb()
        for name, value in options.items():
            setattr(encoding, name, value.encode() if isinstance(value, str) else value)
        data, size = c.c_void_p(), c.c_int64()
        check(library.vt_encode_vdb(self.handle, c.byref(encoding), c.byref(data),
                                    c.byref(size)))
        file = c.string_at(data, size.value)
        library.vt_free(data)
        return file
