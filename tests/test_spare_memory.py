"""Large blocks wait for the next that fits, and take half as much memory as those in use did."""

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path

import native
import numpy as np
import pytest

MB = 1 << 20
waits = pytest.mark.skipif(
    "address" in os.environ.get("VORTON_SANITIZE", ""),
    reason="nothing waits, so that the sanitizer sees what is used after it was given back",
)


@pytest.fixture
def spares():
    library = native.load("csrc/base/spare_memory.c")
    library.vti_borrow.restype = ctypes.c_void_p
    library.vti_keep_spares()
    yield library
    library.vti_drop_spares()


def allocate(library, size):
    return library.vti_borrow(ctypes.c_size_t(size))


def free(library, memory):
    library.vti_return_borrowed(ctypes.c_void_p(memory))


def bytes_of(memory, size):
    return np.frombuffer((ctypes.c_uint8 * size).from_address(memory), np.uint8)


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


@waits
def test_a_block_that_grows_a_little_gets_the_same_memory_again(spares):
    first = allocate(spares, 40 * MB)
    free(spares, first)
    assert allocate(spares, 41 * MB) == first
    second = allocate(spares, 41 * MB)
    assert second != first
    free(spares, first)
    free(spares, second)
    free(spares, None)


@waits
def test_frames_that_grow_get_the_memory_of_the_frames_before(spares):
    """Of two blocks one after the other, beside two that are held, as a bake has its states. One
    with the mark has been used before; the address alone may be that of one given back."""
    new, held, mark = 0, [], b"of before"

    def take(size):
        nonlocal new
        memory = allocate(spares, size)
        begin = bytes_of(memory, len(mark))
        new += begin.tobytes() != mark
        begin[:] = np.frombuffer(mark, np.uint8)
        return memory

    for frame in range(20):
        sizes = [int(size * 1.02**frame * MB) for size in (40, 9, 9, 5)]
        held.append(take(sizes[0]))
        for size in sizes[1:]:
            free(spares, take(size))
        if len(held) == 2:
            free(spares, held.pop(0))
    free(spares, held.pop())
    assert 0 < new <= 6  # three at a time, each outgrown once


def test_no_two_blocks_overlap(spares):
    random, held = np.random.default_rng(3), []
    for n in range(400):
        size = int(random.choice([1, 1000, 2 * MB - 1, 2 * MB, 3 * MB, 9 * MB]))
        size += int(random.integers(99))
        memory = allocate(spares, size)
        assert memory % 16 == 0
        ends = bytes_of(memory, size)
        ends[0] = ends[-1] = n % 251
        held.append((memory, size, n % 251))
        while len(held) > random.integers(1, 12):
            memory, size, mark = held.pop(random.integers(len(held)))
            ends = bytes_of(memory, size)
            assert ends[0] == ends[-1] == mark
            free(spares, memory)
    for memory, _, _ in held:
        free(spares, memory)


def resident_after_each(*sizes):
    """MB: with each of the blocks in use, one at a time, after the last, and without a keeper."""
    library = native.load("csrc/base/spare_memory.c")
    library.vti_borrow.restype = ctypes.c_void_p
    library.vti_keep_spares()
    disable_huge_pages = 41  # PR_SET_THP_DISABLE: of a huge page more is resident than is in use
    ctypes.CDLL(None).prctl(disable_huge_pages, 1, 0, 0, 0)
    before, told = resident(), []
    for size in sizes:
        memory = allocate(library, size * MB)
        bytes_of(memory, size * MB)[::4096] = 1
        told.append((resident() - before) / MB)
        free(library, memory)
    told.append((resident() - before) / MB)
    library.vti_drop_spares()
    return [*told, (resident() - before) / MB]


@pytest.mark.slow
@waits
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="resident memory is not told")
def test_what_waits_takes_half_of_what_was_in_use_and_goes_with_the_last_keeper():
    """In a process of its own: what the tests before left behind comes and goes."""
    sizes = 100, 8, 60, 12, 30, 200, 5, 90, 150
    code = (
        f"import json, test_spare_memory as t; print(json.dumps(t.resident_after_each(*{sizes})))"
    )
    child = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parent,
        check=True,
        stdout=subprocess.PIPE,
    )
    *with_each, after, without = json.loads(child.stdout)
    most = 0
    for size, used in zip(sizes, with_each, strict=True):
        most = max(most, size)
        assert used < 1.5 * most + 20
    assert after > 100
    assert without < 20
