"""States of simulations: saved, packed, loaded; the same bits afterwards, or a refusal."""

import struct
import zlib

import everything
import lone_fluid
import numpy as np
import pytest
import test_copy
from hand_made import LEFT_OUT, simulation, state
from marks import SANITIZED, slow_but

import vorton as vt
from vorton import _core
from vorton.archive.reading import fields_of

pytestmark = pytest.mark.filterwarnings("ignore::vorton.SceneWarning")
HEAD, ENTRY = 64, 72
MADE_AGAIN, FORETOLD, BY_PLACE = 4, 5, 6  # packing of a field that is not there, or foretold ...


def opened(method, threads=2):
    hot = method in ("fire", "room")
    scene = everything.scene(method) if hot else test_copy.scene(method)
    return vt.Simulation(scene, everything.FPS, threads=threads)


@pytest.mark.parametrize(
    "method", slow_but(["direct"], ["direct", "fire", "poisson", "room", "options"])
)
def test_a_loaded_state_goes_on_with_the_same_bits(method):
    """Five steps are no multiple of the cadence of sorting; births and a ring are still to come."""
    sim, steps = opened(method), 1 if SANITIZED and method == "room" else 5
    _ = sim.tracers.velocity
    sim.step(steps)
    saved = sim._core.save_state(6)
    other = opened(method, threads=1)
    packed = _core.pack_state(saved, 2)
    assert bytes(sim._core.save_packed_state(6)) == bytes(packed), "bodies lie apart"
    other._core.load_state(packed)
    assert_made_again(other, dict(fields_of(saved)))
    assert repr(other.health) == repr(sim.health)
    for each in (sim, other):
        each.step(steps)
    assert everything.digests(other) == everything.digests(sim)


def assert_made_again(sim, before):
    """A simulation has all that another had when it was saved; velocities are those of now."""
    now = dict(fields_of(sim._core.save_state(6)))
    assert now.keys() == before.keys()
    for name, values in now.items():
        if name in LEFT_OUT:
            at = now[name.replace("velocity", "position")]
            assert np.array_equal(values, sim.velocity_at(at)), name
        else:
            assert values.tobytes() == before[name].tobytes(), name


def test_what_was_written_is_kept():
    """Into what tracers take, which is made again only where it is what they took."""
    sim = opened("fire")
    sim.step(5)
    for name in ("temperature", "smoke"):
        packed = _core.pack_state(sim._core.save_state(6))
        assert field(packed, "tracers.temperature")[3] == MADE_AGAIN
        getattr(sim.tracers, name)[7] *= np.float32(1.25)
        saved = sim._core.save_state(6)
        other = opened("fire")
        other._core.load_state(_core.pack_state(saved))
        assert_made_again(other, dict(fields_of(saved)))
        sim.step(1)
        other.step(1)
        assert everything.digests(other) == everything.digests(sim)


def test_only_what_can_be_made_again_may_be_left_out():
    """The checksum agrees; what is refused changes nothing."""
    sim = opened("fire")
    sim.step(2)
    packed = bytes(_core.pack_state(sim._core.save_state(1)))
    before, count = state(sim), int.from_bytes(packed[56:60], "little")
    left_out = LEFT_OUT | {"tracers.temperature"}
    for number in range(1, count + 1):
        name, stored = named(packed, number), len(field(packed, named(packed, number))[2])
        if name in left_out or not stored:
            continue
        at = HEAD + ENTRY * (number - 1)
        end = HEAD + ENTRY * count
        entry = packed[at : at + 56] + bytes(12) + MADE_AGAIN.to_bytes(4, "little")
        head = packed[8:at] + entry + packed[at + ENTRY : end]
        skipped = end + sum(
            int.from_bytes(packed[HEAD + ENTRY * n + 56 :][:8], "little") for n in range(number - 1)
        )
        content = packed[end:skipped] + packed[skipped + stored :] + bytes(stored)
        bad = packed[:4] + zlib.crc32(head).to_bytes(4, "little") + head + content
        with pytest.raises(ValueError, match="fit|not as this simulation|cannot be unpacked"):
            sim._core.load_state(bad)
        assert state(sim) == before


def test_rates_within_a_step_are_in_no_state():
    """The substeps of a step go on from the rates of the last two; the next step begins anew."""
    sims = {}
    for time in ("rk2", "extrapolated"):
        scene = vt.Scene("ring", seed=1)
        scene.add(vt.VortexRing(core=0.2))
        scene.method = vt.Method(time=time, turn=0.02)
        sims[time] = vt.Simulation(scene, 24, threads=1)
        sims[time].step(3)
    sim = sims["extrapolated"]
    assert sim._core.health()["substeps"] > 2
    saved, plain = (each._core.save_state(4) for each in (sim, sims["rk2"]))
    assert [name for name, _ in fields_of(saved)] == [name for name, _ in fields_of(plain)]
    size = len(bytes(_core.pack_state(saved))) / sim.vortons.count
    assert size < 1.1 * len(bytes(_core.pack_state(plain))) / sims["rk2"].vortons.count
    other = vt.Simulation(sim.scene, 24, threads=2)
    other._core.load_state(saved)
    for each in (sim, other):
        each.step(2)
    assert everything.digests(other) == everything.digests(sim)


@pytest.mark.slow
def test_saving_changes_nothing():
    sim, other = opened("direct"), opened("direct")
    for _ in range(6):
        sim.step(2)
        sim._core.save_state(1)
        other.step(2)
    assert everything.digests(sim) == everything.digests(other)


@pytest.mark.slow
def test_a_state_replaces_whatever_was_there():
    sim, other = opened("direct"), opened("direct")
    sim.step(5)
    other.step(12)
    view = other.tracers.position
    other._core.load_state(sim._core.save_state(6))
    for each in (sim, other):
        each.step(4)
    assert everything.digests(other) == everything.digests(sim)
    assert np.array_equal(view[: other.tracers.count], sim.tracers.position[: len(view)])


# ---- packing ----


def field(packed, wanted):
    """(type of numbers, rows, stored bytes, packing, checksum) of a field of a frame."""
    packed = bytes(packed)
    count = int.from_bytes(packed[56:60], "little")
    at = HEAD + ENTRY * count
    for n in range(count):
        entry = packed[HEAD + ENTRY * n :][:ENTRY]
        item, components = np.dtype(chr(entry[40])).itemsize, int.from_bytes(entry[44:48], "little")
        rows, size = np.frombuffer(entry, "<u8", 2, 48)
        crc, packing = np.frombuffer(entry, "<u4", 2, 64)
        if entry[:40].rstrip(b"\0").decode() == wanted:
            content = packed[at : at + int(size)]
            return int(item), (int(rows), int(components)), content, packing, crc
        at += int(size)
    raise KeyError(wanted)


def planes_at(content, at, count, item):
    """Numbers whose planes begin there, by the description in byte_planes.h, with Python's own
    zlib; and where they end."""
    planes = []
    for _ in range(item):
        size = int.from_bytes(content[at : at + 2], "little")
        if size == 65534:
            plane, at = coded_at(content, at + 2, count)
            planes.append(plane)
            continue
        stored = {0: count, 65535: 1}.get(size, size)
        part = content[at + 2 : at + 2 + stored]
        part = part * count if size == 65535 else part
        planes.append(zlib.decompress(part) if size not in (0, 65535) else part)
        at += 2 + stored
    rows = np.frombuffer(b"".join(planes), np.uint8).reshape(item, count)
    return np.ascontiguousarray(rows.T).view(f"<u{item}").ravel(), at


def coded_at(content, at, count):
    """Bytes as prefix codes, by the description in byte_codes.h; where they end."""
    least, most = content[at], content[at + 1]
    at += 2
    if least == most:
        return bytes([least]) * count, at
    nibbles = [
        half for byte in content[at:][: (most - least + 2) // 2] for half in byte_halves(byte)
    ]
    lengths = dict(zip(range(least, most + 1), nibbles))
    at += (most - least + 2) // 2
    size = int.from_bytes(content[at : at + 2], "little")
    bits = "".join(f"{byte:08b}"[::-1] for byte in content[at + 2 : at + 2 + size])
    known, code, before = {}, 0, 0
    for length, byte in sorted((length, byte) for byte, length in lengths.items()):
        code <<= length - before
        known[f"{code:0{length}b}"] = byte
        code, before = code + 1, length
    assert code == 1 << before  # the code is whole
    found, begin, end = bytearray(), 0, 0
    while len(found) < count:
        end += 1
        if bits[begin:end] in known:
            found.append(known[bits[begin:end]])
            begin = end
    assert "1" not in bits[end:] and len(bits) - end < 8
    return bytes(found), at + 2 + size


def byte_halves(byte):
    return byte & 15, byte >> 4


def rice_at(content, at, count):
    """Words in Rice's code, by the description in rice_words.h; where they end."""
    k, unary, large = content[at], *np.frombuffer(content, "<u2", 2, at + 1).tolist()
    at += 5
    rows = -(-count // 16)
    lane_words = -(-rows * k // 32)
    lanes = np.frombuffer(content, "<u4", 16 * lane_words, at).reshape(lane_words, 16).T
    lanes = np.unpackbits(lanes.copy().view(np.uint8), axis=1, bitorder="little")
    low = lanes[:, : rows * k].reshape(16, rows, k) @ (1 << np.arange(k))
    at += 64 * lane_words
    bits = np.frombuffer(content, np.uint8, unary, at)
    ends = np.flatnonzero(np.unpackbits(bits, bitorder="little"))
    above = np.diff(ends, prepend=-1) - 1
    at += unary
    assert len(above) == count and above.max() <= 13 and 8 * unary - ends[-1] <= 8
    above[above == 13] = np.frombuffer(content, "<u4", large, at)
    return ((above << k) + low.T.ravel()[:count]).astype(np.uint32), at + 4 * large


def words_at(content, at, count):
    """Words as classes and digits, by the description in word_classes.h; where they end."""
    classes, at = coded_at(content, at, count)
    size = int.from_bytes(content[at : at + 2], "little")
    bits = int.from_bytes(content[at + 2 : at + 2 + size], "little")
    words, used = np.empty(count, np.uint32), 0
    for n, kind in enumerate(classes):
        left = 0 if kind < 8 else (kind - 8) // 4 + 1
        high = kind if kind < 8 else 4 + kind % 4
        words[n] = high << left | bits >> used & ((1 << left) - 1) if left else high
        used += left
        if used > 4096:  # shifts of long numbers take long
            bits >>= used
            used = 0
    assert bits >> used == 0
    return words, at + 2 + size


def with_sign(words):
    """The differences whose words these are."""
    return np.where(words & 1, ~(words >> 1), words >> 1)


def unpack(item, shape, content):
    left, numbers, at = shape[0] * shape[1], [], 0
    while left:
        count, way = min(left, 8192), content[at]
        if way == 2:
            words, at = words_at(content, at + 1, count)
            chunk = with_sign(words.astype(np.uint64))
        else:
            chunk, at = planes_at(content, at + 1, count, item)
        numbers.append(np.cumsum(chunk, dtype=chunk.dtype) if way else chunk)
        left -= count
    assert at == len(content)
    return np.concatenate(numbers).reshape(shape)


def order_of(bits):
    """Bits of floats, in the order of their values."""
    return np.where(bits >> 31, ~bits, bits | np.uint32(1 << 31))


def beside_mean(words):
    """Numbers that are less a mean of sixteen before."""
    first, *others = with_sign(words).view(np.int32).tolist()
    numbers = [first] * 16
    for word in [first] + others:
        mean = sum(signed(n + 8) // 16 for n in numbers[-16:]) if len(numbers) > 16 else 0
        numbers.append(signed(word + mean))
    return np.array(numbers[16:], np.int64).astype(np.uint32)


def signed(number):
    return (number + 2**31) % 2**32 - 2**31


def on_lattice(way, digits, words, other):
    multiple = beside_mean(words) if way > 4 else np.cumsum(with_sign(words), dtype=np.uint32)
    if way in (4, 6):
        beside = other.view("<f4").astype(float)
        multiple = multiple + np.rint(beside * 2.0**digits).astype(np.int64).astype(np.uint32)
    return (multiple.view(np.int32) * 2.0**-digits).astype("<f4").view("<u4")


def in_order_of_values(way, zeros, words, other):
    chunk = with_sign(words)
    chunk = np.cumsum(chunk, dtype=np.uint32) if way == 1 else chunk + (order_of(other) >> zeros)
    chunk = (chunk << zeros).astype(np.uint32)
    return np.where(chunk >> 31, chunk & 0x7FFFFFFF, ~chunk) >> zeros << zeros


def unpack_rows(shape, content, other):
    """Of some rows column by column; other: the field that they may be less."""
    found, at, ways, strays = np.empty(shape, "<u4"), 0, set(), 0
    for first in range(0, shape[0], 8192):
        for component in range(shape[1]):
            rows, way = slice(first, min(first + 8192, shape[0])), content[at]
            ways.add(way)
            stored, way, places, bits = way & ~63, way & 63, [], []
            digits = content[at + 1] if way else 0
            at += 2 if way else 1
            if way > 2:
                count = int.from_bytes(content[at : at + 2], "little")
                apart = np.frombuffer(content, [("place", "<u2"), ("bits", "<u4")], count, at + 2)
                places, bits, at = apart["place"], apart["bits"], at + 2 + 6 * count
            size = rows.stop - first
            if stored == 0:
                words, at = planes_at(content, at, size, 4)
            else:
                words, at = {64: rice_at, 128: words_at}[stored](content, at, size)
            beside = None if other is None else other[rows, component % other.shape[1]]
            if way:
                words = (on_lattice if way > 2 else in_order_of_values)(way, digits, words, beside)
            words[places] = bits
            strays += len(places)
            found[rows, component] = words
    assert at == len(content)
    return found, ways, strays


def order_of_places(places):
    """By the description in place_order.h."""
    order = []
    for first in range(0, len(places), 8192):
        chunk = places[first : first + 8192]
        extent = np.ptp(chunk, axis=0)
        scale = np.float32(256) / extent.max()
        last = np.minimum(extent * scale, 255).astype(int)
        cubes = np.minimum((chunk - chunk.min(axis=0)) * scale, last).astype(int)
        key = sum((cubes[:, a] >> b & 1) << 3 * b + a for b in range(8) for a in range(3))
        order.append(first + np.argsort(key, kind="stable"))
    return np.concatenate(order)


def look_at_fields(sim):
    """Holds the packed fields against the views; how they are packed, and which are made again."""
    columns = {f"vortons.{n}": np.array(getattr(sim.vortons, n)) for n in sim.vortons._columns}
    columns |= {f"tracers.{n}": np.array(getattr(sim.tracers, n)) for n in sim.tracers._columns}
    if "tracers.eddy_place" in columns:
        both = columns["tracers.eddy_place"]
        columns["tracers.eddy_place"] = both[:, :3].copy()
        columns["tracers.second_eddy_place"] = both[:, 3:].copy()
    saved = sim._core.save_state(9)
    assert bytes(_core.pack_state(saved)) == bytes(sim._core.save_packed_state(9))
    return look_at_packed(saved, columns)


def look_at_packed(saved, columns):
    """Holds the packed fields of a state against what they should be."""
    state = dict(fields_of(bytes(saved)))
    vortons = {n[8:]: values for n, values in state.items() if n.startswith("vortons.")}
    law, dt = state["fluid.law"].ravel(), state["last_substep"].ravel()[0]
    packed = _core.pack_state(saved, 1)
    assert bytes(packed) == bytes(_core.pack_state(saved, 5))
    used, row_ways, again, foretold, strays = set(), set(), set(), set(), 0
    for name, values in columns.items():
        item, shape, content, packing, crc = field(packed, name)
        assert zlib.crc32(content) == crc
        if packing == MADE_AGAIN:
            assert not content
            again.add(name)
            continue
        if packing % 256 in (2, 3, BY_PLACE):
            other = columns.get(named(packed, int(packing) // 256))
            order = np.argsort(other) if packing % 256 == 3 else slice(None)
            order = order_of_places(other) if packing % 256 == BY_PLACE else order
            other = None if other is None else other.view("<u4").reshape(len(other), -1)
            other = other[order] if packing % 256 == BY_PLACE else other
            there, ways, apart = unpack_rows(shape, content, other)
            found = np.empty_like(there)
            found[order] = there
            row_ways |= ways
            strays += apart
        elif packing == FORETOLD:
            birth = np.frombuffer(content, "<f4", 1)[0]
            other = lone_fluid.foretell(name.partition(".")[2], vortons, law, dt, birth)
            found, ways, _ = unpack_rows(shape, content[8:], other.view("<u4")[:, None])
            assert zlib.crc32(found.tobytes()) == int.from_bytes(content[4:8], "little")
            row_ways |= ways
            foretold.add(name.partition(".")[2])
        else:
            found = unpack(item, shape, content) if packing else np.frombuffer(content, f"<u{item}")
        assert found.tobytes() == values.tobytes(), name
        used.add(int(packing) % 256)
    return used, row_ways, again, strays, len(packed) / len(saved), foretold


@pytest.mark.slow
def test_fields_are_what_the_views_show_unpacked_by_another_program():
    used, row_ways = set(), set()
    for seed in (4, 9):  # in these frames together all ways of packing are used
        scene = everything.scene("fire")
        scene.seed = seed
        sim = vt.Simulation(scene, everything.FPS, threads=2)
        for _ in range(5):
            sim.step(3)
            found = look_at_fields(sim)
            used |= found[0]
            row_ways |= found[1]
            assert found[2] == LEFT_OUT | {"tracers.temperature"}
            assert found[3] > 0 and found[4] < 0.5
    assert {1, 2, 3, FORETOLD} <= used
    assert {0, 1, 3, 64 + 3, 64 + 5, *(128 + way for way in range(6))} <= row_ways, row_ways


def test_what_another_law_foretells_is_refused():
    """A build whose law gives other bits would else read other numbers: all checksums of the file
    are right."""
    sim = opened("fire")
    sim.step(4)
    packed = bytearray(_core.pack_state(sim._core.save_state(1)))
    count = int.from_bytes(packed[56:60], "little")
    names = [named(packed, n + 1) for n in range(count)]
    number = names.index("vortons.temperature")
    assert field(packed, names[number])[3] == FORETOLD
    entry, end = HEAD + ENTRY * number, HEAD + ENTRY * count
    sizes = [int.from_bytes(packed[HEAD + ENTRY * n + 56 :][:8], "little") for n in range(count)]
    at, size = end + sum(sizes[:number]), sizes[number]
    birth = np.frombuffer(packed, "<f4", 1, at)[0]
    packed[at : at + 4] = np.float32(1.01 * birth).tobytes()
    packed[entry + 64 : entry + 68] = zlib.crc32(packed[at : at + size]).to_bytes(4, "little")
    packed[4:8] = zlib.crc32(packed[8:end]).to_bytes(4, "little")
    with pytest.raises(ValueError, match="cannot be unpacked"):
        _core.unpack_state(bytes(packed))


def test_foretold_fields_are_what_the_views_show_unpacked_by_another_program():
    """Of a young fire: all that burning and cooling tell, beside fluid that has mixed; and of a
    liquid."""
    scene = vt.Scene("fire", seed=2, combustion=vt.Combustion())
    fire = {"temperature": 800, "fuel": 1.0, "swirl": 0.5, "taper": 0.5}
    scene.add(vt.Emitter(vt.Disk(radius=0.2, thickness=0.1), **fire, core=0.06, lifetime=1.3))
    sim = vt.Simulation(scene, threads=2)
    sim.step(4)
    assert look_at_fields(sim)[5] == {"fuel", "flame", "smoke", "temperature", "volume", "swelling"}
    scene = vt.Scene("dye", seed=2, ambient=vt.Water())
    scene.add(vt.Emitter(vt.Disk(radius=0.2, thickness=0.1), temperature=330, core=0.06, smoke=0))
    sim = vt.Simulation(scene, threads=2)
    sim.step(6)
    assert look_at_fields(sim)[5] == {"volume"}


@pytest.mark.parametrize("far", [0, 400])
def test_places_in_eddies_are_unpacked_by_another_program(far):
    """In the order of places where they are far from these, which differ smoothly."""
    sim, rng = simulation(vortons=1, tracers=9000), np.random.default_rng(8)
    sim._core.column("tracers", "eddy_place")
    saved = bytearray(bytes(sim._core.save_state(1)))
    columns = {
        name: dict(fields_of(memoryview(saved)))[f"tracers.{name}"]
        for name in ("position", "eddy_place", "second_eddy_place")
    }
    place = rng.integers(-(2**15), 2**15, (9000, 3)).astype(np.float32) * np.float32(2.0**-12)
    place[:, 2] *= 0.25
    columns["position"][:] = place
    for turn, name in enumerate(("eddy_place", "second_eddy_place")):
        away = np.rint(place * 2**7 + far * np.sin(place[:, [1, 2, 0]] + turn))
        columns[name][:] = away * np.float32(2.0**-7)
    named_columns = {f"tracers.{name}": values for name, values in columns.items()}
    assert (BY_PLACE in look_at_packed(bytes(saved), named_columns)[0]) == (far > 0)
    columns["second_eddy_place"][:] = columns["eddy_place"]
    small = len(_core.pack_state(bytes(saved)))
    columns["second_eddy_place"][::7] += 1
    assert small < 0.9 * len(_core.pack_state(bytes(saved)))


def test_fields_of_a_room_are_what_the_views_show():
    scene = vt.Scene("room", spacing=0.08)
    scene.add(vt.VortexRing(radius=0.4, core=0.1))
    scene.add(vt.Container(vt.Box((-1, -1, -1), (1, 1, 1.5))))
    scene.add(vt.Tracers(vt.Sphere((0, 0, 0), 0.2), per_voxel=2))
    sim = vt.Simulation(scene, threads=2)
    sim.step(3)
    _, _, again, _, share, _ = look_at_fields(sim)
    names = ("velocity", "temperature", "fuel", "flame", "smoke")
    assert again == {f"tracers.{name}" for name in names} and share < 0.3


def named(packed, number):
    """The name of a field by its number, from 1 on; None of 0."""
    entry = bytes(packed)[HEAD + ENTRY * (number - 1) :][:40] if number else b""
    return entry.rstrip(b"\0").decode() or None


def kept(saved):
    """What packing keeps of a state: the fields that are not made again."""
    saved = bytes(saved)
    fields, at = {}, HEAD + ENTRY * int.from_bytes(saved[56:60], "little")
    for n in range(int.from_bytes(saved[56:60], "little")):
        size = int.from_bytes(saved[HEAD + ENTRY * n + 56 :][:8], "little")
        if int.from_bytes(saved[HEAD + ENTRY * n + 68 :][:4], "little") != MADE_AGAIN:
            fields[named(saved, n + 1)] = saved[at : at + size]
        at += size
    return fields


def test_noise_is_stored():
    """What cannot be packed takes hardly more than it is."""
    sim = simulation(vortons=1, tracers=20_000)
    noise = np.random.default_rng(5).integers(0, 2**32, (20_000, 3), np.uint32)
    sim.tracers.position.view(np.uint32)[:] = noise
    packed = _core.pack_state(sim._core.save_state(1))
    item, shape, content, _, _ = field(packed, "tracers.position")
    assert len(content) <= item * shape[0] * shape[1]


@pytest.mark.parametrize("values", [[0.0, -0.0], [1.0, -1.0], [np.inf, np.nan], [1e-45, -1e-45]])
def test_any_bits_come_back(values):
    """Differences of floats over zero, to infinity, of those that are no numbers."""
    sim = simulation(vortons=1, tracers=10_000)
    sim.tracers.position[:] = np.random.default_rng(3).choice(np.float32(values), (10_000, 3))
    sim.tracers.position[::7, 0] += np.float32(1e-3)
    saved = sim._core.save_state(1)
    assert kept(_core.unpack_state(_core.pack_state(saved, 1))) == kept(saved)


@pytest.mark.parametrize("digits", [0, 3, 20, 29, 40])
def test_numbers_on_a_lattice_come_back(digits):
    """Multiples of 2^-digits take hardly more than the bits that differ; the same with some among
    them that are none, or a zero below zero."""
    sim = simulation(vortons=1, tracers=20_000)
    whole = np.random.default_rng(2).integers(-200, 200, (20_000, 3)) + [0, 2**23, -(2**22)]
    sim.tracers.position[:] = (whole * 2.0**-digits).astype(np.float32)
    small = sim._core.save_state(1)
    packed = _core.pack_state(small, 1)
    assert kept(_core.unpack_state(packed)) == kept(small)
    _, _, content, packing, _ = field(packed, "tracers.position")
    assert packing % 256 == 2 and content[0] & 63 in (3, 5) and len(content) < 20_000 * 3 * 1.4
    for value in (-0.0, 2.0**31, 1e-30, np.inf):
        sim.tracers.position[[5, 9000], 1] = value
        saved = sim._core.save_state(1)
        assert kept(_core.unpack_state(_core.pack_state(saved, 1))) == kept(saved)


@pytest.mark.parametrize("count", [1, 17, 1000, 8192 + 517])
def test_numbers_of_one_scale_come_back_unpacked_by_another_program(count):
    """Words in Rice's code: small ones, wide ones, some that are large; of chunks of any length."""
    sim = simulation(vortons=1, tracers=count)
    rng, stored = np.random.default_rng(count), set()
    for scale in (0.3, 40, 3e4, 2e7):
        whole = np.rint(rng.normal(0, scale, (count, 3)))
        whole[rng.random((count, 3)) < 0.004] *= 30
        values = whole.astype(np.float32) * np.float32(2.0**-12)
        sim.tracers.position[:] = values
        _, shape, content, packing, _ = field(
            _core.pack_state(sim._core.save_state(1)), "tracers.position"
        )
        if packing == 0:  # not smaller
            continue
        assert packing == 2
        found, ways, _ = unpack_rows(shape, content, None)
        assert found.tobytes() == values.tobytes()
        stored |= {way & ~63 for way in ways}
    assert 64 in stored or count < 100


def refuse_entry(packed, number, packing, match):
    """With another packing of a field; the checksum agrees."""
    end = int.from_bytes(packed[16:24], "little")
    at = HEAD + ENTRY * (number - 1) + 68
    bad = packed[:at] + packing.to_bytes(4, "little") + packed[at + 4 :]
    crc = zlib.crc32(bad[8:end]).to_bytes(4, "little")
    with pytest.raises(ValueError, match=match):
        _core.unpack_state(bad[:4] + crc + bad[8:])


def test_a_reference_that_does_not_fit_is_refused():
    """To a field behind, to itself, to one with other rows; the checksum agrees."""
    sim = opened("fire")
    sim.step(2)
    packed = bytes(_core.pack_state(sim._core.save_state(1)))
    number = next(n for n in range(1, 200) if named(packed, n) == "tracers.eddy_place")
    ids = next(n for n in range(1, 200) if named(packed, n) == "tracers.id")
    bodies = next(n for n in range(1, 200) if named(packed, n) == "time")
    for other in (number, number + 1, ids, bodies, 2**23):
        refuse_entry(packed, number, 2 + 256 * other, "does not fit")
    age = next(n for n in range(1, 200) if named(packed, n) == "tracers.age")
    for other in (0, ids - 1, ids + 1, age, 2**23):
        refuse_entry(packed, age, 3 + 256 * other, "does not fit")


@pytest.mark.parametrize("ids", [[3, 1, 2, 1], [0, 1, 2, 2**40], [-(2**63), 0, 1, 2**63 - 1]])
def test_rows_without_an_order_of_births(ids):
    """Twice the same number, or numbers far apart: written as they lie, else refused."""
    sim = opened("fire")
    sim.step(2)
    saved, count = bytearray(sim._core.save_state(1)), sim.tracers.count
    number = next(n for n in range(1, 200) if named(saved, n) == "tracers.id")
    at = HEAD + ENTRY * int.from_bytes(saved[56:60], "little")
    at += sum(
        int.from_bytes(saved[HEAD + ENTRY * n + 56 :][:8], "little") for n in range(number - 1)
    )
    saved[at : at + 8 * count] = np.resize(np.array(ids, np.int64), count).tobytes()
    packed = bytes(_core.pack_state(bytes(saved), 1))
    assert kept(_core.unpack_state(packed)) == kept(saved)
    age = next(n for n in range(1, 200) if named(packed, n) == "tracers.age")
    assert field(packed, "tracers.age")[3] in (0, 2)
    refuse_entry(packed, age, 3 + 256 * number, "tracers.age cannot be unpacked")


# ---- refusals ----


def test_states_of_something_else_are_refused():
    sim = simulation(vortons=200, tracers=500)
    saved = sim._core.save_state(1)
    scene = vt.Scene()
    others = {
        "another simulation": vt.Simulation(scene, method=vt.Method(velocity="direct")),
        "200 vortons; max_vortons is 100": simulation(vortons=10, tracers=5, max_vortons=100),
    }
    scene.add(vt.Wind((1, 0, 0)))
    others["effects or bodies differ"] = vt.Simulation(scene)
    for text, other in others.items():
        before = state(other)
        with pytest.raises((ValueError, vt.CapacityError), match=text):
            other._core.load_state(saved)
        assert state(other) == before


@pytest.mark.parametrize("bad", [None, 1, "text", np.zeros(4)[::2]])
def test_what_is_no_bytes_is_refused(bad):
    core = simulation()._core
    for call in (core.load_state, _core.pack_state, _core.unpack_state):
        with pytest.raises((TypeError, ValueError, BufferError)):
            call(bad)
    for call in (core.save_state, core.save_packed_state):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            call(bad if bad != 1 else -1)


def state_of(fields):
    """A state as somebody else may make one: name, type, numbers in a row and content of each."""
    end, rows = HEAD + ENTRY * len(fields), 600
    entries = b"".join(
        struct.pack("<40s4sIQQQ", name.encode(), kind, each, rows, len(content), 0)
        for name, kind, each, content in fields
    )
    content = b"".join(content for *_, content in fields)
    content += bytes(-(end + len(content)) % 8)
    head = struct.pack("<QQ32xQ", end + len(content), end, len(fields)) + entries
    return b"STAT" + zlib.crc32(head).to_bytes(4, "little") + head + content


def test_fields_that_no_simulation_has_are_packed_too():
    """Of names that stand for others: nothing beside them is looked at, and they come back."""
    rng = np.random.default_rng(3)
    place = rng.integers(-(2**20), 2**20, (600, 3)).astype("f") / np.float32(2**12)
    eddy = np.rint(rng.random((600, 3)) * 2**17).astype("f") / np.float32(2**7)
    entry = struct.pack("<40s4sIQQQ", b"next", b"f", 3, 600, 7200, 0)
    numbers, few = rng.random(600).astype("f").tobytes(), bytes(600)
    for fields in (
        # no second place is behind the last field: what lies there only looks like one
        [("tracers.position", b"f", 3, entry + place.tobytes()[len(entry) :]),
         ("tracers.eddy_place", b"f", 3, eddy.tobytes())],
        [("tracers.eddy_place", b"f", 1, numbers),
         ("tracers.second_eddy_place", b"f", 2, 2 * numbers)],
        [("vortons.id", b"B", 1, few), ("vortons.age", b"f", 1, numbers)],
        [("tracers.temperature", b"B", 1, few), ("tracers.left_temperature", b"f", 1, numbers)],
    ):  # fmt: skip
        state = state_of(fields)
        assert bytes(_core.unpack_state(_core.pack_state(state))) == state


def test_no_numbers_but_floats_are_foretold():
    sim = opened("fire")
    sim.step(4)
    saved = bytearray(sim._core.save_state(1))
    end = HEAD + ENTRY * int.from_bytes(saved[56:60], "little")
    entry = saved.index(b"vortons.temperature\0")
    assert field(_core.pack_state(saved), "vortons.temperature")[3] == FORETOLD
    saved[entry + 40] = ord("I")
    saved[4:8] = zlib.crc32(saved[8:end]).to_bytes(4, "little")
    found = dict(fields_of(_core.unpack_state(_core.pack_state(saved))))
    assert found["vortons.temperature"].tobytes() == sim.vortons.temperature.tobytes()


@pytest.mark.parametrize("threads", [0, -1, 65])
def test_threads_are_checked(threads):
    saved = simulation()._core.save_state(1)
    with pytest.raises(ValueError, match=rf"threads is {threads}; allowed is 1 to 64"):
        _core.pack_state(saved, threads)
    with pytest.raises(ValueError, match="packed"):
        _core.unpack_state(saved)


def damaged(content, rng):
    """The bytes cut somewhere, and with one bit flipped."""
    yield content[: int(rng.integers(len(content)))]
    flipped = bytearray(content)
    at = int(rng.integers(8 * len(content)))
    flipped[at // 8] ^= 1 << at % 8
    yield bytes(flipped)


def test_damage_is_found_or_does_not_matter():
    """Cut or flipped anywhere: an error, or the very same state (padding at the end)."""
    sim = opened("direct")
    sim.step(3)
    saved = bytes(sim._core.save_state(4))
    packed = bytes(_core.pack_state(saved))
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(200):
        for bad in damaged(packed, rng):
            try:
                found = bytes(_core.unpack_state(bad))
            except ValueError as error:
                assert "the state: is " in str(error)
                refused += 1
            else:
                assert found == saved
    assert refused > 390, refused


# ---- blocks made by hand ----


def block_of(kind, rows, stored, packing, number_type=b"B"):
    """A state with one field, its checksums right."""
    crc = zlib.crc32(stored)
    entry = struct.pack(
        "<40s4sIQQII", b"tracers.id", number_type, 1, rows, len(stored), crc, packing
    )
    content = struct.pack("<qdQQII", 1, 0.0, 0, 0, 1, 0) + entry
    summed, stored = HEAD + ENTRY, stored + bytes(-len(stored) % 8)
    head = struct.pack("<QQ", summed + len(stored), summed)
    return kind + struct.pack("<I", zlib.crc32(head + content)) + head + content + stored


def test_fields_of_more_than_two_to_the_24_rows():
    """16.8 million equal numbers, in planes of one byte."""
    chunks = 2**24 // 8192 + 1
    packed = block_of(b"FRAM", 8192 * chunks, b"\0\xff\xff\7" * chunks, 1)
    state = _core.unpack_state(packed)
    assert len(state) == HEAD + ENTRY + 8192 * chunks
    assert set(bytes(state[HEAD + ENTRY :: 4096])) == {7}


@pytest.mark.parametrize("rows", [2**31, 2**61, 2**64 - 1])
def test_rows_beyond_any_simulation_are_refused(rows):
    with pytest.raises(ValueError, match="field 0 does not fit"):
        _core.unpack_state(block_of(b"FRAM", rows, b"\0\xff\xff\7", 1, b"d"))


def test_a_state_in_memory_has_no_packed_fields():
    bad = block_of(b"STAT", 1_000_000, b"\0\xff\xff\7", 1)
    with pytest.raises(ValueError, match="field 0 does not fit"):
        _core.pack_state(bad)
    with pytest.raises(ValueError, match="field 0 does not fit"):
        simulation(vortons=1, tracers=1)._core.load_state(bad)


CHANGED = [
    ("time", "d", float("nan")), ("time", "d", -1.0), ("placement.level", "i", -(2**31)),
    ("placement.level", "i", 1000), ("warnings.count", "i", 1 << 20), ("born_until", "d", 1e30),
    ("born_until", "d", float("nan")), ("shell_width", "i", 1000), ("shell_width", "i", -1),
    ("bodies.heat", "d", 1e30), ("bodies.heat", "d", float("nan")),
]  # fmt: skip


@pytest.fixture(scope="module")
def two_bodies():
    """A simulation that has stepped once, and its state."""
    scene = vt.Scene(spacing=0.1)
    for z in (2, -2):
        scene.add(vt.Body(vt.Sphere((0, 0, z), 0.2), temperature=300))
    sim = simulation(scene=scene)
    sim.step()
    return sim, bytes(sim._core.save_state(1))


@pytest.mark.parametrize("name, kind, value", CHANGED)
def test_a_state_that_somebody_has_changed(two_bodies, name, kind, value):
    """Values that no writer makes and no later check finds are refused, and nothing changes: steps
    from them crashed or did not end. Of bodies it is the second one that is changed."""
    sim, good = two_bodies
    (fields,) = struct.unpack_from("<I", good, 56)
    at = 64 + 72 * fields
    for n in range(fields):
        here, rows, size = struct.unpack_from("<40s8xQQ", good, 64 + 72 * n)
        if here.rstrip(b"\0").decode() == name:
            break
        at += size
    bad = bytearray(good)
    row = rows - 1
    struct.pack_into(f"<{kind}", bad, at + row * (size // rows), value)
    before = state(sim)
    with pytest.raises(ValueError, match=f"the state: {name} is .* in row {row}; allowed is"):
        sim._core.load_state(bytes(bad))
    assert state(sim) == before
    sim._core.load_state(good)
    assert state(sim) == before


def test_a_state_is_copied_by_any_number_of_threads():
    """Of more rows than one thread takes; the rows are those of the columns."""
    scene = vt.Scene("many", seed=2, voxel=0.1)
    scene.add(vt.Tracers(vt.Sphere(radius=0.5), count=100_000))
    sims = [vt.Simulation(scene, threads=n, max_vortons=9, max_tracers=10**5) for n in (1, 2, 3)]
    states = [bytes(sim._core.save_state(1)) for sim in sims]
    assert states[0] == states[1] == states[2]
    fields = dict(fields_of(states[0]))
    for name in ("position", "id"):
        assert np.array_equal(fields[f"tracers.{name}"], getattr(sims[0].tracers, name))
