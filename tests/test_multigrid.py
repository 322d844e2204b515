"""The Poisson solvers that iterate, `poisson` multigrid and nested, through _core.solve_poisson.

References: exact solutions, a float64 solution of the same linear system by SciPy's transforms, and
for nested iteration the scheme of the articles written out in NumPy.
"""

import hashlib
import json
import os
import subprocess
import sys

import native
import numpy as np
import pytest
from marks import slow_but
from test_poisson import (
    NON_CUBIC,
    V7_ERRORS,
    gaussian,
    inner,
    laplacian,
    random_field,
    solve_float64,
)

from vorton import _core


def solve(field, spacing, poisson, threads=1, **method):
    return _core.solve_poisson(field, spacing, threads, {"poisson": poisson, **method})


def error(solution, reference):
    return np.abs(solution - reference).max() / np.abs(reference).max()


def residual(solution, given, spacing):
    """Relative, rms over rms."""
    right = inner(given).astype(float) * spacing**2
    return np.linalg.norm(laplacian(solution) + right) / np.linalg.norm(right)


# ---- multigrid ----


@pytest.mark.parametrize("cells", V7_ERRORS)
@pytest.mark.parametrize("center", [(0, 0, 0), (0.4, -0.3, 0.1)])
def test_v7_multigrid_against_float64(cells, center):
    _, given = gaussian(cells, center)
    assert error(solve(given, 2 / cells, "multigrid"), solve_float64(given, 2 / cells)) < 1e-3


def test_v7_multigrid_second_order():
    errors = []
    for cells, most in V7_ERRORS.items():
        exact, given = gaussian(cells)
        errors.append(np.abs(solve(given, 2 / cells, "multigrid") - exact).max())
        assert errors[-1] < 1.2 * most
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert np.all((orders > 1.9) & (orders < 2.1)), orders


@pytest.mark.parametrize("cells", [(32, 32, 32), (30, 36, 50), (8, 20, 54)])
def test_v7_every_cycle_divides_the_residual(cells):
    given = random_field(cells)
    left = [residual(solve(given, 0.5, "multigrid", cycles=n), given, 0.5) for n in (1, 2, 3, 4)]
    factors = np.divide(left[:-1], left[1:])
    assert np.all(factors > 5), factors


@pytest.mark.slow
@pytest.mark.parametrize("cells", NON_CUBIC)
def test_multigrid_for_sizes_with_factors_2_3_5(cells):
    field = random_field(cells)
    reference = solve_float64(field, 0.5)
    assert error(solve(field, 0.5, "multigrid"), reference) < 1e-3
    assert error(solve(field, 0.5, "multigrid", cycles=8), reference) < 1e-5


# ---- nested iteration ----


def relax(a, source, steps):
    """Red-black Gauss-Seidel on 6 A - neighbours = source."""
    indices = np.add.outer(np.add.outer(*map(np.arange, a.shape[:2])), np.arange(a.shape[2]))
    for _ in range(steps):
        for colour in (0, 1):
            here = inner(indices) % 2 == colour
            inner(a)[here] = ((laplacian(a) + 6 * inner(a) + inner(source)) / 6)[here]


def mean_of_nodes_around(source):
    """At every second node, with the weights 8, 4, 2 and 1 of node, faces, edges and corners."""
    for axis in range(3):
        wide = np.pad(source, [(1, 1) if a == axis else (0, 0) for a in range(4)])
        low, middle, high = (
            np.take(wide, range(s, s + source.shape[axis], 2), axis) for s in (0, 1, 2)
        )
        source = (low + 2 * middle + high) / 4
    return source


def to_finer(coarse):
    """Linear interpolation to a grid with twice the cells."""
    for axis in range(3):
        nodes = coarse.shape[axis]
        places = np.arange(2 * nodes - 1) / 2
        low = np.minimum(places.astype(int), nodes - 2)
        share = (places - low).reshape([-1 if a == axis else 1 for a in range(4)])
        before, after = np.take(coarse, low, axis), np.take(coarse, low + 1, axis)
        coarse = (1 - share) * before + share * after
    return coarse


def nested_iteration(given, spacing, steps, downsampling):
    """Part 6 of the articles with the changes of part 20; cells are a power of 2."""
    a, source = given.astype(float), given * spacing**2
    inner(a)[:] = 0
    levels = [(a, source)]
    while len(a) > 3:
        nearest = downsampling == "nearest"
        source = 4 * (source[::2, ::2, ::2] if nearest else mean_of_nodes_around(source))
        a = a[::2, ::2, ::2].copy()
        relax(a, source, steps)
        levels.append((a, source))
    for (fine, source), (coarse, _) in zip(levels[-2::-1], levels[:0:-1], strict=True):
        inner(fine)[:] = inner(to_finer(coarse))
        relax(fine, source, steps)
    return levels[0][0]


@pytest.mark.parametrize("downsampling", ["average", "nearest"])
@pytest.mark.parametrize("cells, steps", [(8, 1), (16, 3), (32, 8)])
def test_nested_does_what_part_6_says(cells, steps, downsampling):
    _, given = gaussian(cells, (0.4, -0.3, 0.1))
    expected = nested_iteration(given, 2 / cells, steps, downsampling)
    found = solve(given, 2 / cells, "nested", steps=steps, downsampling=downsampling)
    assert error(found, expected) < 1e-5


@pytest.mark.parametrize("downsampling", ["average", "nearest"])
def test_v7_nested_stalls(downsampling):
    """Twice the steps, far from twice the digits: between 1e-1 and 1e-3 of max A."""
    _, given = gaussian(64, (0.4, -0.3, 0.1))
    reference = solve_float64(given, 2 / 64)
    errors = [
        error(solve(given, 2 / 64, "nested", steps=steps, downsampling=downsampling), reference)
        for steps in (8, 16)
    ]
    assert 1e-3 < errors[1] < errors[0] < 1e-1
    assert errors[1] > 0.3 * errors[0]


@pytest.mark.slow
@pytest.mark.parametrize("cells", NON_CUBIC)
@pytest.mark.parametrize("downsampling", ["average", "nearest"])
def test_nested_for_sizes_with_factors_2_3_5(cells, downsampling):
    """A smooth potential, well within the box of the fewest cells."""
    places = np.meshgrid(*(np.linspace(-1, 1, n + 1) for n in cells[::-1]), indexing="ij")
    bump = np.exp(-sum(x**2 for x in places) / 0.3)
    given = (bump[..., None] * np.array([1, -0.5, 2])).astype(np.float32)
    reference = solve_float64(given, 0.5)
    options = {"downsampling": downsampling}
    found = [solve(given, 0.5, "nested", steps=steps, **options) for steps in (8, 400)]
    assert error(found[0], reference) < 0.2
    assert error(found[1], reference) < 0.5 * error(found[0], reference)


# ---- both ----


@pytest.mark.parametrize("poisson", ["multigrid", "nested"])
def test_faces_keep_their_values(poisson):
    field = random_field((12, 18, 10))
    solution = solve(field, 2.0, poisson)
    inner(field)[:] = 0
    inner(solution)[:] = 0
    assert np.array_equal(solution, field)


@pytest.mark.parametrize("poisson", ["multigrid", "nested"])
def test_components_do_not_mix(poisson):
    field = random_field((20, 16, 12))
    whole = solve(field, 1.0, poisson)
    for component in range(3):
        alone = np.zeros_like(field)
        alone[..., component] = field[..., component]
        solution = solve(alone, 1.0, poisson)
        assert np.array_equal(solution[..., component], whole[..., component])
        solution[..., component] = 0
        assert not solution.any()


METHODS = [
    {"poisson": "multigrid", "cycles": 2},
    {"poisson": "nested", "steps": 2},
    {"poisson": "nested", "steps": 2, "downsampling": "nearest"},
]

FRESH_PROCESS = """
import hashlib, json, numpy, sys
from vorton import _core
for path in sys.argv[2:]:
    field = numpy.load(path)
    for method in json.loads(sys.argv[1]):
        for threads in (1, 2, 3, 8):
            solution = _core.solve_poisson(field, .7, threads, method)
            print(_core.simd(), _core.backend(), hashlib.sha256(solution).hexdigest())
"""


@pytest.fixture(scope="module")
def fields(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fields")
    paths = []
    for cells in ((36, 20, 30), (64, 48, 48)):
        paths.append(str(folder / f"{cells[0]}.npy"))
        np.save(paths[-1], random_field(cells))
    expected = [
        hashlib.sha256(_core.solve_poisson(np.load(path), 0.7, 1, method)).hexdigest()
        for path in paths
        for method in METHODS
    ]
    assert len(set(expected)) == len(expected)
    return paths, expected


@pytest.mark.parametrize(
    "simd, backend",
    slow_but(
        [(native.targets()[-1], "openmp")],
        [(simd, "pthread") for simd in native.targets()] + [(native.targets()[-1], "openmp")],
    ),
)
def test_e1_same_bits(simd, backend, fields):
    paths, expected = fields
    settings = {"VORTON_SIMD": simd, "VORTON_BACKEND": backend}
    command = [sys.executable, "-c", FRESH_PROCESS, json.dumps(METHODS), *paths]
    run = subprocess.run(
        command, env=os.environ | settings, capture_output=True, text=True, check=True
    )
    found = [line.split() for line in run.stdout.splitlines()]
    assert {line[0] for line in found} == {simd}
    assert [line[2] for line in found] == [one for one in expected for _ in range(4)]


@pytest.mark.parametrize(
    "method, words",
    [
        ({"poisson": "spectral"}, ["poisson", "spectral", "multigrid"]),
        ({"poisson": "multigrid", "cycles": 0}, ["cycles", "0", "1"]),
        ({"poisson": "multigrid", "cycles": 21}, ["cycles", "21", "20"]),
        ({"poisson": "nested", "steps": -3}, ["steps", "-3", "1"]),
        ({"poisson": "nested", "downsampling": "median"}, ["downsampling", "median", "nearest"]),
    ],
)
def test_bad_methods(method, words):
    with pytest.raises(ValueError) as raised:
        _core.solve_poisson(random_field((8, 8, 8)), 1.0, 1, method)
    assert all(word in str(raised.value) for word in words), raised.value


# ---- the residual in the health record ----


def ring(**method):
    sim = _core.Simulation(threads=1, spacing=0.05, method={"order": "second", **method})
    sim.add("ring", radius=0.5, core=0.15, wobble=0.1, seed=3)
    return sim


def test_health_knows_the_residual():
    """The same as the source that is deposited and filtered, found from the direct solution."""
    exact, h = ring(), 0.05
    source = -laplacian(exact.grid("vector_potential")[0])
    for method in ({"cycles": 1}, {"cycles": 3}, {"poisson": "nested"}):
        sim = ring(**{"poisson": "multigrid", **method})
        left = laplacian(sim.grid("vector_potential")[0]) + source
        expected = np.linalg.norm(left) / np.linalg.norm(source)
        assert sim.health()["poisson_residual"] == pytest.approx(expected, rel=0.01)
        assert expected > 1e-5
    assert exact.grid("vector_potential")[2] == h
    assert 0 < exact.health()["poisson_residual"] < 2e-5
    assert 0 < ring(order="fourth").health()["poisson_residual"] < 2e-5
    assert np.isnan(ring(velocity="direct").health()["poisson_residual"])


@pytest.mark.parametrize("poisson", ["direct", "multigrid"])
def test_asking_for_health_changes_nothing(poisson):
    asked, left_alone = ring(poisson=poisson), ring(poisson=poisson)
    for _ in range(3):
        asked.step(0.02)
        asked.health()
        left_alone.step(0.02)
    for name in ("position", "strength"):
        assert np.array_equal(asked.column("vortons", name), left_alone.column("vortons", name))


@pytest.mark.slow
@pytest.mark.parametrize("poisson", ["multigrid", "nested"])
def test_e1_same_bits_of_a_simulation(poisson):
    """Threads, and fields that are asked for between the steps: every solution starts anew."""

    def positions(threads, asks):
        sim = _core.Simulation(threads=threads, method={"poisson": poisson})
        sim.add("ring", radius=0.5, core=0.1, wobble=0.1, seed=3)
        for _ in range(4):
            sim.step(0.02)
            if asks:
                sim.update_fields()
        return np.array(sim.column("vortons", "position"))

    first = positions(1, False)
    for threads, asks in ((1, True), (3, False)):
        assert np.array_equal(positions(threads, asks), first)
