"""Panels too wide for what walls enclose, too many to be solved for together, and fewer than asked
for: each is told, with what to give instead."""

import re
import warnings

import numpy as np
import pytest
from beside_walls import rms
from marks import slow_but

import vorton as vt
from vorton.validation.boards import duct

WIND = np.array((1.0, 0.3, 0.2))


def told(sim, call=None):
    """The warnings of a step, or of a call."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        (call or sim.step)()
    return [str(w.message) for w in given if issubclass(w.category, vt.SceneWarning)]


def made(bodies, wind=WIND, spacing=0.05, **options):
    scene = vt.Scene("walls", seed=1, wind=tuple(wind), spacing=spacing, **options)
    for body in bodies:
        scene.add(body)
    return vt.Simulation(scene, threads=1)


def boards(size, thickness, sides):
    """Of those around a room, from -size to size: of a side, "-x", as far as the others go."""
    size, order = np.array(size), "zxy"
    for side in sides:
        axis, inner = "xyz".index(side[1]), order[: order.index(side[1])]
        low, high = -size - thickness, size + thickness
        for before in inner:
            low["xyz".index(before)], high["xyz".index(before)] = (
                np.array((-1, 1)) * (size["xyz".index(before)])
            )
        if side[0] == "-":
            high[axis] = -size[axis]
        else:
            low[axis] = size[axis]
        yield vt.Box(tuple(low), tuple(high))


CLOSED = ("-z", "+z", "-x", "+x", "-y", "+y")


def apart(shapes, panels):
    return [vt.Body(shape, shedding=0, panels=panels) for shape in shapes]


def as_one(shapes, panels):
    return [vt.Body(list(shapes), shedding=0, panels=panels)]


def inside(size, count=6):
    sides = [s * 0.8 * (2 * np.arange(count) + 1 - count) / count for s in size]
    return np.float32(np.stack(np.meshgrid(*sides), -1).reshape(-1, 3))


# ---- too wide ----


@pytest.mark.slow
def test_rooms_of_wide_panels():
    """Of one body, with as many as it has by default: a tenth of the wind blows in what is warned
    of, and not with the panels that it says."""
    size, panels = (0.3, 0.3, 0.3), 320
    shapes = list(boards(size, 0.1, CLOSED))
    blown = []
    for _ in range(2):
        sim = made(as_one(shapes, panels), spacing=0.05)
        texts = told(sim)
        blown.append(rms(sim.velocity_at(inside(size))) / rms(WIND))
        if len(blown) == 1:
            (text,) = texts
            assert re.match(r"bodies\[0\], Body: its panels are 0\.\d+ m wide, where walls", text)
            assert "face each other across 0.6 m" in text
            panels = int(re.search(r"panels=(\d+)", text)[1])
    assert texts == []
    assert blown[0] > 0.12 and blown[1] < 0.1


@pytest.mark.parametrize(
    "thickness, wide, fine",
    slow_but([(0.1, 40, 160)], [(0.1, 40, 160), (0.05, 40, 200), (0.3, 40, 200)]),
)
def test_rooms_of_boards(thickness, wide, fine):
    """In those that are warned of blow .18 to .23 of the wind, in others .06 to .08."""
    shapes = list(boards((0.3, 0.3, 0.3), thickness, CLOSED))
    for panels, warns in ((wide, True), (fine, False)):
        sim = made(apart(shapes, panels), spacing=0.06)
        assert any("its panels are" in text for text in told(sim)) == warns
        blown = rms(sim.velocity_at(inside((0.3, 0.3, 0.3)))) / rms(WIND)
        assert blown > 0.15 if warns else blown < 0.1


@pytest.mark.slow
def test_a_duct_of_wide_panels():
    """What flows in at one end leaves it on the way."""
    x = np.float32(
        [(a, b, 0) for a in np.arange(-0.27, 0.3, 0.06) for b in np.arange(-0.27, 0.3, 0.06)]
    )
    panels, lost = 20, []
    for _ in range(2):
        sim = made(apart(duct(0.3, 0.1, 2.4), panels), wind=(0, 0, 1))
        texts = told(sim)
        flow = [
            sim.velocity_at(x + np.float32((0, 0, z)))[:, 2].mean()
            for z in np.linspace(0.1, 2.3, 7)
        ]
        lost.append(1 - min(flow) / max(flow))
        if len(lost) == 1:
            (text,) = texts
            assert "and as many to the 3 that it touches" in text
            assert told(sim) == told(sim, sim.copy().step) == []
            panels = int(re.search(r"panels=(\d+)", text)[1])
    assert texts == []
    assert lost[0] > 0.1 and lost[1] < 0.08


@pytest.mark.slow
def test_where_more_panels_would_part_them_they_are_to_be_one_body():
    shapes = list(boards((1.5, 0.3, 0.3), 0.1, CLOSED))
    (text,) = told(made(apart(shapes, 80)))
    assert "make it and the 5 that it touches shapes of one Body([...]), with panels=2048" in text


def box(low, high, **options):
    return vt.Body(vt.Box(low, high), panels=48, **options)


def open_case():
    """Boards of a bookcase without a back."""
    for x in (-0.5, 0.48):
        yield box((x, 0, 0), (x + 0.02, 0.3, 1))
    for z in (0, 0.48, 0.98):
        yield box((-0.48, 0, z), (0.48, 0.3, z + 0.02))


SOUND = {
    "two balls": [vt.Body(vt.Sphere((x, 0, 0), 0.5), panels=80) for x in (0, 1.05)],
    "two boxes": [box((x, 0, 0), (x + 1, 1, 1)) for x in (0, 1.1)],
    "of one body": [vt.Body([vt.Box((x, 0, 0), (x + 1, 1, 1)) for x in (0, 1.1)], panels=80)],
    "a ball on a floor": [vt.Body(vt.Plane()), vt.Body(vt.Sphere((0, 0, 0.5), 0.5), panels=80)],
    "a stack": [box((0.1 * n, 0, 0.5 * n), (0.1 * n + 0.5, 0.5, 0.5 * n + 0.5)) for n in range(4)],
    "two sheets": [box((-1, -1, z), (1, 1, z + 0.01)) for z in (0, 0.3)],
    "a shelf": [box((-1, 0, 0), (1, 0.1, 2)), box((-0.5, 0.1, 1), (0.5, 0.4, 1.05))],
    "a bookcase": list(open_case()),
    "a channel": apart(boards((0.3, 1, 0.3), 0.1, ("-z", "-x", "+x")), 40),
    "stairs": [vt.Body([vt.Box((n, 0, 0), (n + 1, 1, n + 1)) for n in range(5)])],
    "a ring": [vt.Body(vt.Torus(radius=0.5, thickness=0.2))],
    "books": [
        box((-1, 0, -0.05), (1, 0.3, 0)),
        *(box((0.2 * n, 0, 0), (0.2 * n + 0.15, 0.3, 0.4)) for n in range(-4, 4)),
    ],
    "a box in a room": [
        *as_one([*boards((2, 2, 1.5), 1.0, CLOSED), vt.Box((-1, -1, -1.5), (0, 0, -0.5))], 1350),
        vt.Body(vt.Sphere((1, 1, 0), 0.5), panels=80),
    ],
}
LARGE = "a ring", "a box in a room"


@pytest.mark.parametrize("name", slow_but([each for each in SOUND if each not in LARGE], SOUND))
def test_what_lies_side_by_side_or_stands_open_is_sound(name):
    assert told(made(SOUND[name], wind=(1, 0.3, 0), spacing=0.1)) == []


# ---- too many ----


def bricks(board, parts=3):
    """A board in parts x parts."""
    low, high = np.array(board.lower), np.array(board.upper)
    a, b = (axis for axis in range(3) if axis != np.argmin(high - low))
    for i, k in np.ndindex(parts, parts):
        corner = low.copy(), high.copy()
        for axis, n in ((a, i), (b, k)):
            ends = np.linspace(low[axis], high[axis], parts + 1)
            corner[0][axis], corner[1][axis] = ends[n : n + 2]
        yield vt.Box(*map(tuple, corner))


@pytest.mark.slow
def test_bricks_too_many_to_be_solved_for_together():
    """With more panels more of the wind blows through them."""
    walls = [part for board in boards((0.3, 0.3, 0.3), 0.1, CLOSED) for part in bricks(board)]
    sim = made(apart(walls, 160), spacing=0.039)
    (text,) = told(sim)
    assert text.startswith("bodies[0], Body and the 53 that it touches enclose fluid")
    fit = int(re.search(r"give each panels=(\d+)", text)[1])
    less = made(apart(walls, fit))
    assert told(less) == []
    blown = [rms(each.velocity_at(inside((0.3, 0.3, 0.3)))) for each in (sim, less)]
    assert blown[0] > 0.2 * rms(WIND) > 2 * blown[1]


# ---- fewer than asked for ----


def ball(panels, spacing=0.2, **options):
    given = {} if panels is None else {"panels": panels}
    return made([vt.Body(vt.Sphere(), "ball", **given, **options)], spacing=spacing)


def count(sim, body=0):
    return len(sim._core.panels(body)["area"])


@pytest.mark.slow
def test_cells_too_coarse_for_the_panels_asked_for():
    coarse = ball(800, shedding=0)
    (text,) = told(coarse)
    assert text.startswith("bodies[0], Body 'ball' was to have panels=800, and has ")
    assert f"has {count(coarse)}: cells of 0.2 m" in text
    finest = float(re.search(r"spacing=([\d.]+)\)", text)[1])
    for panels, spacing, options in (
        (800, finest, {"shedding": 0}),
        (800, 0.2, {}),  # it sheds
        (None, 0.4, {"shedding": 0}),
        (int(re.search(r"panels=(\d+) are", text)[1]), 0.2, {"shedding": 0}),
    ):
        assert told(ball(panels, spacing, **options)) == []
    assert count(ball(800, finest, shedding=0)) > 3 * count(coarse)


@pytest.mark.slow
def test_those_that_share_what_they_may_have():
    """Eight cubes in a row, of 432 panels each where they do not touch, have half of them."""
    row = [vt.Box((x, 0, 0), (x + 1, 1, 1)) for x in range(8)]
    (text,) = told(made(apart(row, 430), spacing=0.2))
    assert text.startswith("bodies[0], Body was to have panels=430, and has half as many")
    assert told(made(apart(row, 200), spacing=0.1)) == []


@pytest.mark.slow
def test_walls_of_rooms_keep_their_panels_in_coarse_cells():
    """With those for coarse cells .2 of the wind comes in."""
    sim = made(apart(boards((0.3, 0.3, 0.3), 0.1, CLOSED), 200), spacing=0.12)
    assert told(sim) == []
    assert count(sim) > 200
    assert rms(sim.velocity_at(inside((0.3, 0.3, 0.3)))) < 0.09 * rms(WIND)
