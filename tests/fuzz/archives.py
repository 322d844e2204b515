"""Any bytes as a motion archive that Python reads: an error that says so, or frames, each of which
is damaged or has fields; and a scene and a branch, or errors. Checksums are put right before, or
none of it would be reached. With Google's atheris, a libFuzzer for Python (`pip install atheris`):

    PYTHONPATH=. python tests/fuzz/archives.py FOUND -runs=100000 -max_len=20000

What it finds to be new goes into the folder FOUND, where archives of a few vortons are put first.
"""

import random
import struct
import sys
import warnings
import zlib
from pathlib import Path

import atheris
from json_trees import mutate as mutate_json

import vorton as vt

with atheris.instrument_imports(include=["vorton.archive"]):
    from vorton.archive import branches, reading, scene_files, writing  # noqa: F401

ODD = [n.to_bytes(8, "little", signed=True) for n in (0, 1, -1, 2**31, 2**62, -(2**63))]


def try_one(content):
    try:
        archive = reading.Archive.of_bytes(content)
    except ValueError as error:
        assert str(error)
        return
    with archive:
        for look in (archive.scene, lambda: archive.branch):
            try:
                look()
            except (ValueError, TypeError, OSError) as error:
                assert str(error)
        assert archive.frames == sorted(archive.frames) and all(archive.lost.values())
        for number in archive.frames:
            why = archive.damage(number)
            assert why is None or why
            archive.layout(number)
            try:
                fields = archive.fields(number)
            except ValueError as error:
                assert str(error)
            else:
                assert why is None and all(field.flags.c_contiguous for field in fields.values())
        assert str(archive.lacks([1, 2]))


# ---- mutations ----


def blocks_in(content):
    """The blocks, one behind the other, as far as their lengths lead."""
    blocks = []
    while len(content) >= reading.BLOCK.size:
        length = reading.BLOCK.unpack_from(content)[2]
        if not reading.BLOCK.size <= length <= len(content):
            break
        blocks.append(content[:length])
        content = content[length:]
    return [*blocks, content] if content else blocks


def mended(block):
    """With the checksums of its fields and its own."""
    block = bytearray(block)
    if len(block) < reading.BLOCK.size:
        return bytes(block)
    kind, _, _, summed = reading.BLOCK.unpack_from(block)
    begin = reading.BLOCK.size + reading.FRAME.size
    if kind == b"FRAM" and begin <= summed <= len(block):
        at = summed
        for entry in range(begin, summed - 71, 72):
            (size,) = struct.unpack_from("<Q", block, entry + 56)
            struct.pack_into("<I", block, entry + 64, zlib.crc32(block[at : at + size]))
            at += size
    struct.pack_into("<I", block, 4, zlib.crc32(block[8:summed]))
    return bytes(block)


def other_head(block, most, seed):
    """A head with another text."""
    (size,) = struct.unpack_from("<I", block, 36)
    text = mutate_json(bytes(block[40 : 40 + size]), most, seed)
    content = block[24:36] + struct.pack("<I", len(text)) + text
    content += bytes(-len(content) % 8)
    length = reading.BLOCK.size + len(content)
    return b"HEAD" + struct.pack("<IQQ", 0, length, length) + content


def other_bytes(block, chance):
    """Mostly in its head and its directory."""
    block = bytearray(block)
    summed = struct.unpack_from("<Q", block, 16)[0] if len(block) >= reading.BLOCK.size else 0
    most = summed if 0 < summed <= len(block) and chance.random() < 0.8 else len(block)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(max(most, 1))
        at -= at % 4 if chance.random() < 0.5 else 0
        some = bytes([chance.randrange(256)])
        if chance.random() < 0.5:
            some = chance.choice(ODD)[: chance.choice((4, 8))]
        block[at : at + len(some)] = some[: len(block) - at]
    return bytes(block)


def mutate(content, most, seed):
    """Now and then anywhere; else one block. Mostly the checksums are put right, and the index."""
    chance = random.Random(seed)
    blocks = blocks_in(content)
    if not blocks or chance.random() < 0.1:
        return atheris.Mutate(content, most)
    which = chance.randrange(len(blocks))
    if which == 0 and len(blocks[0]) >= 40 and chance.random() < 0.7:
        blocks[0] = other_head(blocks[0], most, seed)
    elif chance.random() < 0.1:
        blocks.insert(which, chance.choice(blocks))
    else:
        blocks[which] = other_bytes(blocks[which], chance)
    if chance.random() < 0.8:
        blocks[which] = mended(blocks[which])
    if chance.random() < 0.8 and blocks[-1].startswith(b"INDX") and which != len(blocks) - 1:
        places, at = {}, len(blocks[0])
        for number, block in enumerate(blocks[1:-1], 1):
            places[number] = at, len(block)
            at += len(block)
        blocks[-1] = reading.index_block(places, at)
    made = b"".join(blocks)
    return made if len(made) <= most else content


# ---- what it begins with ----


def archives():
    """Of two frames, with an index and without, and that of a branch."""
    scene = vt.Scene("ring", max_vortons=100, max_tracers=100, max_nodes=6000)
    scene.add(vt.VortexRing(core=0.3, layers=0, sections=8))
    scene.add(vt.Tracers(vt.Sphere(), count=4))
    sim = vt.Simulation(scene, threads=1)
    about = reading.describe_scene(scene, 24.0, None)
    blocks = []
    for number in (1, 2):
        blocks.append(bytes(vt._core.pack_state(sim._core.save_state(number), 1)))
        sim.step()
    for branch in (None, branches.Branch(1, scene).to_dict(None)):
        head = reading.head_block(about | {"branch": branch})
        places = {1: (len(head), len(blocks[0]))}
        places[2] = sum(places[1]), len(blocks[1])
        whole = b"".join([head, *blocks])
        yield whole
        yield whole + reading.index_block(places, len(whole))


def main(found, *options):
    warnings.simplefilter("ignore")
    Path(found).mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(archives()):
        (Path(found) / f"archive{number}").write_bytes(content)
        with reading.Archive.of_bytes(content) as archive:
            assert archive.frames == [1, 2] and archive.scene() and len(archive.fields(2)) > 9
    atheris.Setup([sys.argv[0], found, *options], try_one, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
