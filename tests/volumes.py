"""Volumes through the C API of the built library, for tests: tracers from arrays, no simulation."""

import ctypes as c

import definitions
import numpy as np

import vorton

VelocityFunction = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_int64, c.POINTER(c.c_float),
                               c.POINTER(c.c_float))


CARRIED = "temperature", "fuel", "flame", "smoke"
FIELDS = "temperature", "fuel", "flame", "glow", "coverage"


class Info(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("leaves", c.c_int64),
                ("active_voxels", c.c_int64), ("tracers", c.c_int64),
                ("mass", c.c_double), ("centroid", c.c_double * 3), ("lower", c.c_double * 3),
                ("upper", c.c_double * 3), ("filled_voxels", c.c_double),
                ("coldest", c.c_double), ("hottest", c.c_double), ("flame_volume", c.c_double),
                ("ambient_temperature", c.c_double)]


library = c.CDLL(vorton.get_library())
library.vt_error_message.restype = c.c_char_p
library.vt_free.argtypes = [c.c_void_p]
library.vt_destroy_volume.argtypes = [c.c_void_p]


class VolumeError(Exception):
    def __init__(self, status):
        super().__init__(library.vt_error_message().decode())
        self.status = status


INVALID_ARGUMENT, NOT_FINITE = 1, 5


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
        names = ("position", "density", "size", *CARRIED)
        source = definitions.default("tracer_source", count=count,
                                     ambient_temperature=ambient_temperature,
                                     **dict(zip(names, places)))
        source.velocity = c.cast(call, c.c_void_p) if velocity else None
        source.combustion.law = law
        definition = definitions.default("volume", voxel_size=voxel_size, velocity_margin=margin,
                                         threads=threads)
        check(library.vt_create_volume_from_tracers(c.byref(source), c.byref(definition),
                                                    c.byref(self.handle)))

    def __del__(self):
        library.vt_destroy_volume(self.handle)

    @property
    def info(self):
        info = Info(c.sizeof(Info))
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
        encoding = definitions.default("vdb")
        for name, value in options.items():
            setattr(encoding, name, value.encode() if isinstance(value, str) else value)
        data, size = c.c_void_p(), c.c_int64()
        check(library.vt_encode_vdb(self.handle, c.byref(encoding), c.byref(data),
                                    c.byref(size)))
        file = c.string_at(data, size.value)
        library.vt_free(data)
        return file
