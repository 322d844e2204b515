"""Any bytes as a .vdb file of a bake: an error that says so, or grids whose values are as many as
their voxels. With Google's atheris, a libFuzzer for Python (`pip install atheris`):

    PYTHONPATH=. python tests/fuzz/volumes.py FOUND -runs=100000 -max_len=40000

What it finds to be new goes into the folder FOUND, where volumes of few voxels are put first.
"""

import random
import sys
import zlib
from pathlib import Path

import atheris
import numpy as np

import vorton as vt

with atheris.instrument_imports(include=["vorton.files.vdb_files"]):
    from vorton.files import vdb_files

ODD = [n.to_bytes(8, "little", signed=True) for n in (0, 1, -1, 2**31, 2**62, -(2**63))]
MOST_BYTES = 1 << 24  # of the values of a volume: as many as such a file can hold


def try_one(content):
    try:
        grids = vdb_files.decode(content)
    except (ValueError, zlib.error) as error:
        assert str(error)
        return
    for grid in grids.values():
        assert grid.index.shape == (len(grid.values), 3)
        assert grid.values.dtype == np.float32 and grid.values.nbytes < MOST_BYTES


def mutate(content, most, seed):
    """Now and then anywhere; else beside bytes that are not 0: most of a file are masks without a
    bit."""
    chance = random.Random(seed)
    places = np.flatnonzero(np.frombuffer(content, np.uint8))
    if len(content) < 100 or not len(places) or chance.random() < 0.4:
        return atheris.Mutate(content, most)
    mutated = bytearray(content)
    for _ in range(chance.randint(1, 3)):
        at = max(int(chance.choice(places)) + chance.randint(-2, 2), 0)
        some = chance.choice([bytes([chance.randrange(256)]), ODD[chance.randrange(len(ODD))]])
        mutated[at : at + len(some)] = some
    return bytes(mutated[:most])


def volumes():
    """Of one tracer in one leaf or in eight: a grid or three, in all ways in which they are
    written."""
    for place in np.array([[[50.75, 50.75, 50.75]], [[-50.4, 50.4, 50.4]]]):
        for more in ({}, {"velocity": lambda x: x, "temperature": np.full(len(place), 500.0)}):
            volume = vt._core.volume_from_tracers(
                position=place, density=np.full(len(place), 1e-3), size=np.full(len(place), 0.1),
                voxel_size=0.1, velocity_margin=0, **more,
            )  # fmt: skip
            for half in (False, True):
                for packed in (False, True):
                    yield bytes(volume.encode_vdb(half=half, compress=packed))


def main(found, *options):
    Path(found).mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(volumes()):
        (Path(found) / f"volume{number}").write_bytes(content)
        vdb_files.decode(content)
    atheris.Setup([sys.argv[0], found, *options], try_one, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
