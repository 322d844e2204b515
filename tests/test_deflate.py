"""The packing of files: zlib, which knows nothing of it, reads what it writes; and back."""

import ctypes as c
import zlib

import numpy as np
import pytest
from native import load

from vorton import _core

MOST = 8192
BEHIND = b"\x5a" * 16

library = load("csrc/volume/deflate.c")
reader = load("csrc/archive/inflate.c")
library.vti_deflate.restype = c.c_size_t
work = c.create_string_buffer(b"\xff" * (4 * MOST + 2 * MOST + 2 * 2048))


def pack(data, most=2 * MOST):
    room = c.create_string_buffer(b"\xa5" * most + BEHIND)
    size = library.vti_deflate(work, data, c.c_size_t(len(data)), room, c.c_size_t(most))
    assert room.raw[most : most + len(BEHIND)] == BEHIND
    return room.raw[:size]


def unpack(packed, size):
    """None: it is not a stream of that many bytes."""
    room = c.create_string_buffer(b"\xa5" * size + BEHIND)
    failed = reader.vti_inflate(packed, c.c_size_t(len(packed)), room, c.c_size_t(size))
    assert room.raw[size : size + len(BEHIND)] == BEHIND
    return None if failed else room.raw[:size]


def as_zlib(data):
    """By zlib at its fastest, as files of OpenVDB are."""
    packer = zlib.compressobj(1)
    return packer.compress(data) + packer.flush()


def rare_bytes(random):
    """Counts that grow like Fibonacci's: Huffman's codes would take 18 bits and more."""
    counts = [1, 1]
    while sum(counts) < MOST - 2000:
        counts.append(counts[-1] + counts[-2])
    return random.permutation(np.repeat(np.arange(len(counts), dtype=np.uint8), counts)).tobytes()


def samples():
    random = np.random.default_rng(5)
    x = np.linspace(-1, 1, 1536)
    yield "noise", random.integers(0, 256, 6144, dtype=np.uint8).tobytes()
    yield "zeros", bytes(MOST)
    yield "text", (b"vortons and tracers, " * 400)[:MOST]
    yield "rare", rare_bytes(random)
    yield "floats", np.exp(-9 * x**2).astype(np.float32).tobytes()
    yield "halves", np.exp(-9 * x**2).astype(np.float16).tobytes()
    yield "sparse", np.where(random.random(1536) < 0.1, x, 0).astype(np.float32).tobytes()
    for size in (*range(1, 40), 257, 258, 259, 260, 261):
        yield f"{size} alike", b"a" * size
        yield f"{size} others", bytes(random.integers(0, 3, size, dtype=np.uint8))


@pytest.mark.parametrize("data", [pytest.param(data, id=name) for name, data in samples()])
def test_zlib_reads_it(data):
    packed = pack(data)
    assert zlib.decompress(packed) == data
    assert unpack(packed, len(data)) == data
    assert pack(data, len(packed)) == packed
    assert pack(data, len(packed) - 1) == b""


@pytest.mark.parametrize("strategy", [zlib.Z_DEFAULT_STRATEGY, zlib.Z_HUFFMAN_ONLY, zlib.Z_FIXED])
@pytest.mark.parametrize("level", [0, 1, 9])
def test_what_zlib_packs_is_unpacked(level, strategy):
    for _, data in samples():
        packer = zlib.compressobj(level, zlib.DEFLATED, 15, 8, strategy)
        packed = packer.compress(data[: len(data) // 2]) + packer.flush(zlib.Z_FULL_FLUSH)
        packed += packer.compress(data[len(data) // 2 :]) + packer.flush()
        assert unpack(packed, len(data)) == data
        assert unpack(packed, len(data) + 1) is None and unpack(packed[:-1], len(data)) is None
        assert unpack(packed + b"a", len(data)) is None
        if data:
            assert unpack(packed, len(data) - 1) is None


def test_damaged_streams_are_found():
    """Nothing is read or written outside, whatever the bytes are; and the checksum, which has 32
    bits, misses few."""
    random = np.random.default_rng(8)
    streams = [(pack(data), data) for _, data in samples() if len(data) > 100]
    missed = 0
    for n in range(3000):
        packed, data = streams[n % len(streams)]
        broken = bytearray(packed)
        for _ in range(random.integers(1, 4)):
            broken[random.integers(2, len(broken))] ^= 1 << random.integers(8)
        found = unpack(bytes(broken), len(data))
        missed += found is not None and found != data
    assert missed < 10, missed


@pytest.mark.parametrize("name", ["text", "rare", "floats", "halves", "sparse"])
def test_it_packs_as_well_as_zlib_at_its_fastest(name):
    data = dict(samples())[name]
    assert len(pack(data)) < 1.03 * len(as_zlib(data))


def test_repeats_from_far_and_of_every_length():
    random = np.random.default_rng(6)
    for length in range(3, 300):
        part = random.integers(0, 256, length, dtype=np.uint8).tobytes()
        between = random.integers(0, 256, int(random.integers(0, 7000)), dtype=np.uint8).tobytes()
        data = (part + between + part)[-MOST:]
        assert zlib.decompress(pack(data)) == data


# ---- arrays of numbers ----


def arrays():
    random = np.random.default_rng(9)
    yield "nothing", np.zeros(0)
    yield "one", np.array([3], np.int32)
    yield "alike", np.full(100_000, 0.02, np.float32)
    yield "ids", np.cumsum(random.integers(1, 3, 60_000))
    yield "noise", random.integers(0, 2**63, 20_000)
    yield "floats", random.normal(0, 1, (50_000, 3)).astype(np.float32)
    yield "few values", random.choice(np.float32([0, 0.5, 1, 2]), 70_001)
    yield "half of it", np.r_[np.zeros(40_000), random.normal(0, 1, 40_000)].astype(np.float32)
    yield "bytes", random.integers(0, 255, 65_537, dtype=np.uint8)
    some, others = random.choice(random.random(200), 300_000), random.random(300_000)
    yield "half of few", np.where(others < 0.5, some, others).astype(np.float32)


def pack_numbers(array):
    packed = bytes(_core.pack_numbers(array))
    reader = zlib.decompressobj(-15)
    assert reader.decompress(packed + b"\x03\x00") == array.tobytes()
    assert reader.eof and not reader.unused_data
    return packed


@pytest.mark.parametrize("array", [pytest.param(array, id=name) for name, array in arrays()])
def test_zlib_reads_packed_numbers(array):
    parts = [pack_numbers(part) for part in (array, array[: len(array) // 3])]
    together = zlib.decompress(b"".join(parts) + b"\x03\x00", -15)
    assert together == array.tobytes() + array[: len(array) // 3].tobytes()
    assert len(parts[0]) <= array.nbytes + 7 * (array.nbytes // MOST + 3)


@pytest.mark.parametrize(
    "name, most",
    [("alike", 0.004), ("ids", 0.25), ("few values", 0.2), ("half of few", 0.8)],
)
def test_numbers_that_repeat_are_packed(name, most):
    array = dict(arrays())[name]
    packed = zlib.compressobj(1, zlib.DEFLATED, -15)
    by_zlib = len(packed.compress(array.tobytes()) + packed.flush())
    size = len(pack_numbers(array))
    assert size < most * array.nbytes and size < 1.2 * by_zlib


def test_nothing_is_written_behind():
    library.vti_deflate_part.restype = library.vti_deflate_room.restype = c.c_size_t
    random = np.random.default_rng(10)
    for size in (*range(20), 8191, 8192, 8193, 32767, 32768, 32769, 100_003):
        rising = np.arange(size // 8 + 1).tobytes()[:size]
        for data in (random.bytes(size), bytes(size), rising, (b"abc" * size)[:size]):
            most = library.vti_deflate_room(c.c_size_t(size))
            room = c.create_string_buffer(b"\xa5" * most + BEHIND)
            done = library.vti_deflate_part(work, data, c.c_size_t(size), room)
            assert done <= most and room.raw[most : most + len(BEHIND)] == BEHIND
            assert zlib.decompress(room.raw[:done] + b"\x03\x00", -15) == data


def test_what_is_no_array_is_not_packed():
    with pytest.raises(TypeError):
        _core.pack_numbers(3)
    with pytest.raises(TypeError, match="must not be objects"):
        _core.pack_numbers(np.array([None, 1], object))
    with pytest.raises((BufferError, ValueError), match="contiguous"):
        _core.pack_numbers(np.zeros((4, 4))[:, 1])
