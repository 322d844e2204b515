"""Definition structs of the C library for ctypes, by its tables (vorton/rows.h)."""

import ctypes
import functools
import itertools

import vorton

library = ctypes.CDLL(vorton.get_library())


class Row(ctypes.Structure):
    """vt_row."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_char_p),
        ("unit", ctypes.c_char_p),
        ("text", ctypes.c_char_p),
        ("value", ctypes.c_double * 6),
        ("least", ctypes.c_double),
        ("most", ctypes.c_double),
        ("offset", ctypes.c_int64),
        ("kind", ctypes.c_int32),
        ("use", ctypes.c_int32),
    ]


library.vt_definition_name.restype = ctypes.c_char_p
library.vt_describe.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(Row)]
library.vt_fill_default.restype = None
library.vt_fill_default.argtypes = [
    ctypes.c_char_p,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_void_p,
]

PARTS = "shape", "fluid", "ambient", "combustion", "method"
NUMBERS = {"number": 1, "limit": 1, "pair": 2, "vector": 3, "direction": 3, "quaternion": 4}
INTEGERS = "whole", "flag", "choice", "parent", "length", "reserved"
PLAIN = {"count": ctypes.c_int64, "rows": ctypes.c_int64, "seed": ctypes.c_uint64}
PLAIN |= {"text": ctypes.c_char_p, "version": ctypes.c_uint32, "nodes": ctypes.c_int32 * 3}
PLAIN |= {"vectors": ctypes.c_double * 6} | dict.fromkeys(INTEGERS, ctypes.c_int32)


def names():
    """Of all definitions."""
    found = (library.vt_definition_name(n, None) for n in itertools.count())
    return [name.decode() for name in itertools.takewhile(bool, found)]


def size(definition):
    """Of the struct in the library."""
    found = ctypes.c_size_t()
    library.vt_definition_name(names().index(definition), ctypes.byref(found))
    return found.value


def rows(definition):
    """The rows of its table."""
    found, row = [], Row(ctypes.sizeof(Row))
    while library.vt_describe(definition.encode(), len(found), ctypes.byref(row)):
        found.append(row)
        row = Row(ctypes.sizeof(Row))
    return found


def _member(kind):
    if kind in PARTS:
        return struct_of(kind)
    if kind in NUMBERS:
        return ctypes.c_double if NUMBERS[kind] == 1 else ctypes.c_double * NUMBERS[kind]
    return PLAIN.get(kind, ctypes.c_void_p)


@functools.cache
def struct_of(definition):
    """The ctypes struct of a definition ("ring")."""
    members = [(row.name.decode(), _member(row.type.decode())) for row in rows(definition)]
    return type(definition, (ctypes.Structure,), {"_fields_": [("struct_size", ctypes.c_size_t),
                                                               *members]})


def default(definition, **values):
    """The struct with its defaults, and with these values."""
    made = struct_of(definition)()
    library.vt_fill_default(definition.encode(), ctypes.byref(made), ctypes.sizeof(made), None)
    for name, value in values.items():
        if isinstance(value, (tuple, list)):
            value = (ctypes.c_double * len(value))(*value)
        setattr(made, name, value)
    return made
