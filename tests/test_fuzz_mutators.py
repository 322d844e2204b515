"""What changes the bytes that tests/fuzz reads takes any bytes itself: a fuzzer hands back what it
was given before."""

import contextlib
import importlib
import sys
import types
import warnings
from pathlib import Path

import numpy as np
import pytest

MOST = 4000
SEEDS = 60


@pytest.fixture(params=["archives", "scenes", "volumes"])
def mutate(request, monkeypatch):
    """With a library of which nothing is but that it hands bytes back."""
    library = types.ModuleType("atheris")
    library.Mutate = lambda content, most: content[:most]
    library.instrument_imports = lambda **_: contextlib.nullcontext()
    monkeypatch.setitem(sys.modules, "atheris", library)
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "fuzz"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = importlib.import_module(request.param)
    yield module.mutate
    for name in ("archives", "scenes", "volumes", "json_trees"):
        sys.modules.pop(name, None)


def contents():
    random = np.random.default_rng(5)
    yield from (b"", b"\0", b"{", b"[]", b"{}", b"[[]]", b"nul", b"1", b'{"a": {}}', b"\xff" * 40)
    for size in (39, 40, 99, 100, 101, 3000):
        yield bytes(size)
        yield b"HEAD" + bytes(size)
        yield bytes(random.integers(0, 256, size, np.uint8))


def test_any_bytes_are_changed_to_no_more_than_asked_for(mutate):
    other = 0
    for content in contents():
        for seed in range(SEEDS):
            made = mutate(content, MOST, seed)
            assert isinstance(made, bytes) and len(made) <= MOST
            other += made != content
    assert other > SEEDS
