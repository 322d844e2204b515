"""The scalar potential: the velocity of fluid that appears at vortons (column `swelling`), against
the exact one of Gaussian charges, and against what any such flow obeys."""

import os
import subprocess
import sys

import differences
import native
import numpy as np
import pytest
import test_boundary
import test_poisson
from hand_made import ROOT
from marks import slow_but
from scipy.special import erf

import vorton as vt
from vorton import _core

SPACING = 0.1


def exact(points, centre, charge, sigma):
    """Velocity of a Gaussian charge, m/s."""
    d = np.asarray(points, float) - centre
    r = np.linalg.norm(d, axis=1)[:, None]
    t = r / (np.sqrt(2) * sigma)
    inside = erf(t) - 2 / np.sqrt(np.pi) * t * np.exp(-t * t)
    return charge * d * inside / (4 * np.pi * r**3)


def simulation_of(position, charge, spacing=SPACING, strength=None, **options):
    position = np.atleast_2d(np.asarray(position, float))
    full = np.ones(len(position))
    strength = np.zeros(position.shape) if strength is None else strength
    sim = _core.Simulation(spacing=spacing, **options)
    sim.add_vortons(position, strength, 1.5 * spacing * full, spacing**3 * full)
    sim.column("vortons", "swelling")[:] = charge
    return sim


def blob(spacing, centre, charge=2.0, sigma=0.3, apart=0.93):
    """Vortons of a Gaussian charge, their cores included, on a lattice that is not the grid's."""
    own = np.sqrt(sigma**2 - (1.5 * spacing) ** 2)
    n = int(5 * own / (apart * spacing)) + 1
    axis = apart * spacing * (np.arange(-n, n + 1) + 0.31)
    x = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), -1).reshape(-1, 3)
    x = x[np.linalg.norm(x, axis=1) < 5 * own]
    q = np.exp(-(x**2).sum(axis=1) / (2 * own**2))
    return x + centre, charge * q / q.sum()


def directions(count, seed=3):
    d = np.random.default_rng(seed).normal(size=(count, 3))
    return d / np.linalg.norm(d, axis=1)[:, None]


def rms_error(found, wanted):
    return np.sqrt(((found - wanted) ** 2).sum() / (wanted**2).sum())


CENTRE = np.array([0.013, 0.27, -0.1])


@pytest.mark.parametrize("apart", [0.93, 1.0])
def test_gaussian_charge(apart):
    """Inside, outside and far outside of the grid; second order in the spacing, where the vortons
    are as far apart as the nodes: else the deposit of a lattice on another wavers by .5 %."""
    errors = []
    for spacing in (0.15, 0.1, 0.2 / 3):
        sim = simulation_of(*blob(spacing, CENTRE, apart=apart), spacing)
        error = []
        for low, high in ((0.05, 1.0), (1.0, 1.5), (3.0, 12.0)):
            radius = np.random.default_rng(1).uniform(low, high, (1000, 1))
            points = np.float32(CENTRE + radius * directions(1000))
            error.append(rms_error(sim.velocity_at(points), exact(points, CENTRE, 2.0, 0.3)))
        errors.append(error)
    errors = np.array(errors)
    assert (errors[-1] < [0.01, 0.004, 0.001]).all()
    assert errors[0, 2] < 0.005
    if apart == 1.0:
        assert errors[-1, 0] < 0.005
        order = np.log(errors[0] / errors[-1]) / np.log(2.25)
        assert (order[:2] > 1.6).all(), order


@pytest.mark.parametrize("seed", range(4))
def test_lone_charge_off_the_lattice(seed):
    """The core of 1.5 spacings: wherever the charge lies in its cell. It does not move itself."""
    at = np.random.default_rng(seed).uniform(-0.5, 0.5, 3) * SPACING
    sim = simulation_of(at, [1.0])
    points = np.float32(at + np.linspace(0.05, 0.45, 9).repeat(100)[:, None] * directions(900))
    u, wanted = sim.velocity_at(points), exact(points, at, 1.0, 1.5 * SPACING)
    assert rms_error(u, wanted) < 0.05
    own = np.linalg.norm(sim.velocity_at(np.float32(at)[None]))
    assert own < 0.02 * np.abs(wanted).max()


@pytest.mark.parametrize("radius", [0.9, 1.2, 4.0])
def test_flux_through_a_sphere_is_the_charge(radius):
    """Gauss-Legendre points on spheres inside the grid and outside of it."""
    sim = simulation_of(*blob(SPACING, CENTRE))
    cosine, weight = np.polynomial.legendre.leggauss(24)
    angle = 2 * np.pi * np.arange(48) / 48
    c, a = np.meshgrid(cosine, angle, indexing="ij")
    sine = np.sqrt(1 - c**2)
    normal = np.stack([sine * np.cos(a), sine * np.sin(a), c], -1)
    u = sim.velocity_at(np.float32(CENTRE + radius * normal).reshape(-1, 3)).reshape(normal.shape)
    wanted = exact([[radius, 0, 0]], 0, 2.0, 0.3)[0, 0] * 4 * np.pi * radius**2
    flow = ((u * normal).sum(-1).sum(1) * weight).sum() * 2 * np.pi / 48 * radius**2
    assert flow == pytest.approx(wanted, rel=0.005)


def test_velocity_is_irrotational():
    """Its differences on the grid have no curl but what floats leave."""
    x, q = blob(SPACING, CENTRE)
    u, _, spacing = simulation_of(x, q * np.random.default_rng(1).normal(size=len(q))).grid(
        "velocity"
    )

    def slope(component, axis):
        return differences.slope(u[..., component], spacing, axis)[(slice(7, -7),) * 3]

    curl = [slope((c + 2) % 3, (c + 1) % 3) - slope((c + 1) % 3, (c + 2) % 3) for c in range(3)]
    size = max(np.abs(slope(c, c)).max() for c in range(3))
    assert np.abs(curl).max() < 1e-4 * size


def test_charges_and_vorticity_superpose():
    random = np.random.default_rng(2)
    x = np.concatenate([random.uniform(-0.6, 0.6, (500, 3)), [[-0.7] * 3, [0.7] * 3]])
    q, strength = random.normal(size=len(x)), random.normal(size=(len(x), 3))
    points = np.float32(directions(500) * random.uniform(0, 3, (500, 1)))

    def velocity(*arguments):
        return simulation_of(x, *arguments[:1], strength=arguments[1]).velocity_at(points)

    none = np.zeros_like(strength)
    whole = velocity(q, strength)
    parts = [velocity(q, none), velocity(0 * q, strength)]
    assert np.abs(whole - sum(parts)).max() < 1e-5 * np.abs(whole).max()
    assert np.abs(velocity(-2 * q, none) + 2 * parts[0]).max() < 1e-5 * np.abs(parts[0]).max()


def test_two_charges():
    """A source and a sink: what one gives the other takes. Far away a dipole is left."""
    at = np.array([[-0.31, 0.02, 0.01], [0.33, -0.05, 0.04]])
    sim = simulation_of(at, [1.0, -1.0])
    for low, high, most in ((0.0, 1.0, 0.08), (2.0, 8.0, 0.01)):
        radius = np.random.default_rng(1).uniform(low, high, (1000, 1))
        points = np.float32(radius * directions(1000))
        near = np.linalg.norm(points[:, None] - at, axis=2).min(axis=1) < 0.03
        wanted = sum(exact(points, x, q, 1.5 * SPACING) for x, q in zip(at, (1, -1), strict=True))
        assert rms_error(sim.velocity_at(points)[~near], wanted[~near]) < most


def test_far_field_of_many_charges():
    """Points beyond the grid, also close to it, against the sum over all charges."""
    random = np.random.default_rng(5)
    x, q = random.normal(0, 0.3, (400, 3)), random.uniform(-0.5, 1.0, 400)
    sim = simulation_of(x, q)
    u, origin, spacing = sim.grid("velocity")
    low = np.array(origin)
    high = low + spacing * (np.array(u.shape[2::-1]) - 1)
    points = random.uniform(-4, 4, (4000, 3))
    beyond = np.maximum(low - points, points - high).max(axis=1)
    points, beyond = np.float32(points[beyond > 0.05]), beyond[beyond > 0.05]
    wanted = sum(exact(points, y, c, 1.5 * SPACING) for y, c in zip(x, q, strict=True))
    found = sim.velocity_at(points)
    for part in (beyond < 0.5, beyond > 0.5):
        assert rms_error(found[part], wanted[part]) < 0.005


def test_no_charge_no_work_no_other_bits():
    """A column of zeros changes nothing; without the column nobody even looks."""
    runs = []
    for zeros in (False, True):
        sim = _core.Simulation(threads=1)
        sim.add("ring", radius=0.5, core=0.1, wobble=0.05)
        if zeros:
            sim.column("vortons", "swelling")[:] = 0
        sim.step(0.05, 3)
        runs.append((sim.column("vortons", "position").copy(), sim.grid("velocity")[0].copy()))
        calls = {row["name"]: row["calls"] for row in sim.timings()}
        assert (calls["potential"] > 0) == zeros
    assert all(np.array_equal(a, b) for a, b in zip(*runs, strict=True))


def test_the_grid_holds_charges_without_vorticity():
    """They make the grid, and feel each other: a ring of sources widens, and pushes tracers."""
    method = {"rounding": 0.0}
    sim = simulation_of([[0.0, 0, 0], [2.0, 0, 0]], [0.0, 0.5], method=method)
    u, origin, spacing = sim.grid("velocity")
    end = np.array(origin) + spacing * (np.array(u.shape[2::-1]) - 1)
    assert origin[0] < -0.4 and end[0] > 2.4
    sim.step(0.1)
    x = sim.column("vortons", "position")
    assert x[0, 0] == pytest.approx(-0.1 * 0.5 / (4 * np.pi * 2**2), rel=0.01)
    assert abs(x[1, 0] - 2) < 1e-5


def test_sources_push_tracers_away():
    """The ball of fluid around a blob of sources grows by what appears in it."""
    sim = simulation_of(*blob(SPACING, CENTRE, charge=0.8))
    start = np.repeat([0.9, 1.5, 4.0], 200)
    x = np.float32(CENTRE + start[:, None] * directions(600))
    sim.add_tracers(x, np.ones(600), np.ones(600))
    sim.step(0.1, 10)
    x = sim.column("tracers", "position")[np.argsort(sim.column("tracers", "id"))]
    volume = np.linalg.norm(x - CENTRE, axis=1) ** 3 * 4 / 3 * np.pi - start**3 * 4 / 3 * np.pi
    # the vortons carry their charge away with them: a few per cent of the nearest feel less of it
    for radius, most in ((0.9, 0.05), (1.5, 0.01), (4.0, 0.01)):
        assert volume[start == radius].mean() == pytest.approx(0.8, rel=most)


@pytest.mark.parametrize("poisson, boundary", [("multigrid", "tree"), ("nested", "decimated")])
def test_methods_of_the_vector_potential_leave_it_alone(poisson, boundary):
    x, q = blob(SPACING, CENTRE)
    points = np.float32(CENTRE + directions(200))
    u = [
        simulation_of(x, q, method={"order": "second", **method}).velocity_at(points)
        for method in ({}, {"poisson": poisson, "boundary": boundary})
    ]
    assert np.array_equal(*u)


# ---- same bits ----


def moved(threads):
    """Charges and vorticity; then heat that diffuses with the vorticity, and expands the fluid."""
    random = np.random.default_rng(4)
    x = random.normal(0, 0.4, (4000, 3))
    sim = simulation_of(
        x, random.normal(size=4000) * 1e-2, 0.08, random.normal(size=(4000, 3)) * 1e-3,
        threads=threads, viscosity=0.004, thermal_diffusivity=0.006, method={"halo": 0},
    )  # fmt: skip
    sim.add_tracers(np.float32(3 * x), np.ones(4000), np.ones(4000))
    sim.step(0.01)
    sim.column("vortons", "temperature")[:] = random.uniform(290, 900, 4000)
    sim.step(0.01, 3)
    names = ["position", "strength", "temperature", "volume", "swelling"]
    found = [sim.column("vortons", name) for name in names] + [sim.column("tracers", "position")]
    found.append(sim.velocity_at(np.float32(10 * x[:500])))
    assert np.abs(found[4]).max() > 0
    return b"".join(array.tobytes() for array in found)


@pytest.mark.parametrize("threads", slow_but([3], [2, 3, 8]))
def test_e1_same_bits_for_any_number_of_threads(threads):
    assert moved(threads) == moved(1)


@pytest.mark.slow
@pytest.mark.parametrize("simd", native.targets())
def test_e1_same_bits_from_every_instruction_set(simd):
    code = "import hashlib, test_potential as t; print(hashlib.sha256(t.moved(2)).hexdigest())"
    found = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "VORTON_SIMD": name},
            cwd=ROOT / "tests",
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for name in (simd, native.targets()[-1])
    ]
    assert found[0] == found[1]


def test_copies_go_on_alike():
    sim = vt.Simulation(vt.Scene(spacing=SPACING))
    x, q = blob(SPACING, CENTRE)
    sim.vortons.add(x, 0 * x, core=1.5 * SPACING, volume=SPACING**3)
    sim.vortons.swelling[:] = q
    copy = sim.copy()
    for each in (sim, copy):
        each.advance(0.1)
    assert np.array_equal(sim.vortons.position, copy.vortons.position)
    order = np.argsort(copy.vortons.id)
    assert np.array_equal(copy.vortons.swelling[order], np.float32(q))


def test_splitting_and_merging_keep_the_charge():
    for method in ({"split": 1.0}, {"merge": 1}):
        sim = _core.Simulation(method=method, threads=1)
        sim.add("ring", radius=0.5, core=0.15, wobble=0.1, seed=3)
        charge = np.random.default_rng(1).uniform(0, 1e-4, sim.count("vortons"))
        sim.column("vortons", "swelling")[:] = charge
        sim.step(0.02)
        kept = sim.column("vortons", "swelling").astype(float)
        assert len(kept) != len(charge)
        assert kept.sum() == pytest.approx(charge.sum(), rel=1e-6)


def test_bad_swelling():
    sim = vt.Simulation()
    sim.vortons.add([[0, 0, 0], [1, 0, 0]], [[0, 0, 1], [0, 0, 1]], core=0.1, volume=1e-3)
    for bad in (np.nan, np.inf):
        sim.vortons.swelling[1] = bad
        with pytest.raises(ValueError, match=r"vortons\.swelling has (nan|inf) in row 1"):
            sim.step()
        with pytest.raises(ValueError, match=r"vortons\.swelling"):
            sim.velocity_at([[0, 0, 0]])
    sim.vortons.swelling[1] = 0
    sim.step()


# ---- the stages ----


@pytest.mark.parametrize(
    "cells", [(16, 16, 16), (24, 16, 20), pytest.param((48, 36, 32), marks=pytest.mark.slow)]
)
def test_faces_of_one_component(cells):
    """Of one component: those of the first of three, bit for bit; within .5 % of the sum."""
    random = np.random.default_rng(1)
    position = random.uniform(5, np.array(cells) - 5, (600, 3))
    charge = np.zeros((600, 3))
    charge[:, 0] = random.uniform(-0.3, 1, 600)
    code = "void test_scalar(test_grid *t) { t->grid.scalar = 1; }"
    library = test_boundary.load(native.targets()[-1], test_boundary.CODE + code)
    three, one = (test_boundary.Grid(library, cells, position, charge) for _ in range(2))
    library.test_scalar(one.pointer)
    whole, faces = three.solve(), one.solve()
    for a, b in zip(whole, faces, strict=True):
        assert np.array_equal(a[0], b[0])
        assert np.isnan(b[1:]).all()  # untouched
        b[1:] = 0
    assert one.face_error(faces) < 0.005


@pytest.mark.slow
@pytest.mark.parametrize("cells", [(16, 16, 16), (8, 20, 54), (30, 36, 50)])
@pytest.mark.parametrize("threads", [1, 3])
def test_poisson_solver_of_one_component(cells, threads, monkeypatch):
    """Of one component: the first of three, bit for bit, on every instruction set."""
    field = test_poisson.random_field(cells)
    three = test_poisson.solve(field, 0.1)
    code = test_poisson.STAGES.replace(
        "{.poisson = VT_NAME(poisson)}", "{.poisson = one_component}"
    )
    code = code.replace(
        "const vt_stage_table *vti_stages(void)",
        """static void one_component(vt_grid *grid, vt_poisson_plan *plan,
                          const vt_filter_sum *filters, vt_arena *arena, int threads)
{
    grid->scalar = 1;
    VT_NAME(poisson)(grid, plan, filters, arena, threads);
}

const vt_stage_table *vti_stages(void)""",
    )
    test_poisson.library.cache_clear()
    monkeypatch.setattr(test_poisson, "STAGES", code)
    for target in native.targets():
        one = test_poisson.solve(field, 0.1, threads=threads, target=target)
        assert np.array_equal(one[..., 0], three[..., 0])
        assert not np.array_equal(one[..., 1], three[..., 1])
    test_poisson.library.cache_clear()
