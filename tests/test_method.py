"""Every row of method.def has the effect that it describes, on the routes that it names."""

import numpy as np
import pytest
from marks import slow_but

import vorton as vt
from vorton import _core

PLAIN = {"time": "euler", "bound": 0.0, "cleaning": 0.0, "exchange": 0.0, "turn": 2.0,
         "balance": "none"}  # fmt: skip


def run(frames=1, dt=0.02, viscosity=0.0, wobble=0.13, **method):
    """Positions and strengths, in the order of ids, of a wavy ring; and the simulation."""
    sim = _core.Simulation(threads=1, viscosity=viscosity, method=method)
    sim.add("ring", radius=0.5, core=0.15, wobble=wobble, seed=3)
    sim.step(dt, frames)
    order = np.argsort(sim.column("vortons", "id"))
    columns = (
        sim.column("vortons", name)[order].astype(float) for name in ("position", "strength")
    )
    return *columns, sim


def test_all_rows_are_tried_here():
    assert set(_core.DEFINITIONS["method"]) == {
        "velocity", "boundary", "poisson", "cycles", "steps", "downsampling", "kernel", "cores",
        "order", "domain", "stretching", "time", "bound", "relaxation", "cleaning", "exchange",
        "balance", "buoyancy", "buoyancy_scale", "expansion", "flames", "burning", "diffusion",
        "halo", "merge_emitted",
        "split", "merge", "prune", "opening", "opening_angle", "turn", "walls",
        "bodies", "stretching_factor", "rounding",
    }  # fmt: skip


@pytest.mark.slow
def test_velocity_and_kernel():
    grid, gauss = run()[0], run(velocity="direct")[0]
    tree = run(velocity="tree")[0]
    moved = np.abs(grid - run(dt=0.0)[0]).max()
    assert 0 < np.abs(grid - gauss).max() < 0.1 * moved
    assert 0 < np.abs(tree - gauss).max() < 0.01 * moved
    for kernel in ("wl", "ball"):
        other = run(velocity="direct", kernel=kernel)[0]
        assert 1e-4 * moved < np.abs(other - gauss).max() < moved
        assert np.abs(run(velocity="tree", kernel=kernel)[0] - other).max() < 0.01 * moved
        assert np.array_equal(run(kernel=kernel)[0], grid)  # "the grid's core is Gaussian"


@pytest.mark.parametrize("velocity", slow_but(["direct"], ["poisson", "direct", "tree"]))
def test_stretching(velocity):
    start = run(dt=0.0)[1]
    change = {
        form: run(velocity=velocity, stretching=form, **PLAIN)[1] - start
        for form in ("transpose", "classical", "mixed", "none")
    }
    size = np.abs(change["transpose"]).max()
    assert size > 1e-3 * np.abs(start).max()
    assert np.abs(change["classical"] - change["transpose"]).max() > 0.1 * size
    mean = (change["transpose"] + change["classical"]) / 2
    assert np.abs(change["mixed"] - mean).max() < 1e-3 * size
    assert np.abs(change["none"]).max() == 0
    half = run(velocity=velocity, stretching_factor=0.5, **PLAIN)[1] - start
    assert np.abs(half - change["transpose"] / 2).max() < 1e-3 * size
    total = np.abs(change["transpose"].sum(axis=0)).max()  # this form keeps the sum
    assert total < 0.02 * np.abs(change["transpose"]).sum()


@pytest.mark.slow
@pytest.mark.parametrize("velocity", ["poisson", "direct", "tree"])
def test_time(velocity):
    """With half the step Euler's error is a half, that of the midpoint rule a quarter, of Heun's an
    eighth; kinks of the grid's and the tree's field leave of the last that it is
    the smallest."""
    method = PLAIN | {"velocity": velocity, "stretching": "none"}
    exact = run(frames=64, dt=0.2 / 64, **method | {"time": "rk3"})[0]
    errors = {}
    for scheme, least, most in (("euler", 1.6, 2.6), ("rk2", 3.0, 6.0), ("rk3", 5.5, 11.0)):
        method["time"] = scheme
        coarse, fine = (
            np.sqrt(((run(frames=n, dt=0.2 / n, **method)[0] - exact) ** 2).mean()) for n in (2, 4)
        )
        assert least < coarse / fine < most or (velocity != "direct" and scheme == "rk3"), scheme
        errors[scheme] = coarse
    assert errors["rk3"] < 0.5 * errors["rk2"] < 0.1 * errors["euler"]


@pytest.mark.parametrize("velocity", ["poisson", "direct"])
def test_rvpm(velocity):
    """The classical rate less 3/5 of its part along alpha, which is seen in the core."""
    start = run(dt=0.0)[1]
    classical = run(velocity=velocity, stretching="classical", **PLAIN)[1] - start
    _, ended, sim = run(velocity=velocity, stretching="rvpm", **PLAIN)
    along = (classical * start).sum(axis=1) / (start**2).sum(axis=1)
    expected = classical - 0.6 * along[:, None] * start
    assert np.abs(ended - start - expected).max() < 1e-3 * np.abs(classical).max()
    core = sim.column("vortons", "core")[np.argsort(sim.column("vortons", "id"))].astype(float)
    assert np.log(core / core.max()).min() < -1e-4 < 0 < np.abs(along).max()
    first = run(dt=0.0)[2].column("vortons", "core")[0]
    assert core == pytest.approx(first * np.exp(-0.2 * along), rel=1e-5)


def test_cores():
    """Filtered ones are as wide as cells, of second order 1.5, points .66: the spacing follows,
    and so does the speed."""
    filtered, point = (run(dt=0.0, cores=cores)[2] for cores in ("filtered", "point"))
    second = run(dt=0.0, order="second")[2]
    core = float(filtered.column("vortons", "core")[0])
    assert filtered.health()["spacing"] == pytest.approx(core)
    assert second.health()["spacing"] == pytest.approx(core / 1.5)
    assert point.health()["spacing"] == pytest.approx(core / np.sqrt(0.44))
    fine = _core.Simulation(method={"cores": "point"}, spacing=core / 3)
    fine.add("ring", radius=0.5, core=0.15, wobble=0.13, seed=3)
    rough = [np.abs(sim.velocity_at(sim.column("vortons", "position"))).max()
             for sim in (filtered, fine)]  # fmt: skip
    assert rough[1] > 1.05 * rough[0]  # the gaps between the vortons show


def test_domain():
    """The box holds a stray tracer and is where the particles are; the lattice minds neither."""

    def grid(domain, offset=0.0):
        sim = _core.Simulation(method={"domain": domain}, max_nodes=40_000)
        sim.add("ring", center=(offset, 0, 0), radius=0.5, core=0.15)
        sim.add_tracers(np.float32([[0, 0, 1.0], [0, 0, 4.0]]), np.ones(2), np.ones(2))
        _, origin, spacing = sim.grid("velocity")
        return np.array(origin), spacing, np.array(sim.health()["grid"])

    origin, spacing, nodes = grid("lattice")
    assert np.abs(origin / spacing - np.round(origin / spacing)).max() < 1e-6
    assert (origin + spacing * (nodes - 1))[2] < 1.0
    coarse_origin, coarse, nodes = grid("box")
    assert coarse > 1.2 * spacing
    assert (coarse_origin + coarse * (nodes - 1))[2] > 4.0 + 4 * coarse
    moved = grid("box", offset=0.3 * coarse)[0] - coarse_origin
    assert moved == pytest.approx([0.3 * coarse, 0, 0], abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("velocity", ["poisson", "direct"])
def test_relaxation(velocity):
    """Strengths turn towards the vorticity of the direct sum; test_stretching has the formula."""
    position, start, sim = run(dt=0.0)
    rng = np.random.default_rng(1)
    turned = start + 0.5 * np.linalg.norm(start, axis=1)[:, None] * rng.normal(size=start.shape)
    core = np.full(len(position), float(sim.column("vortons", "core")[0]))
    g = _core.direct_sum(position, position, turned, core, gradient=True)[1]
    w = np.stack([g[:, 2, 1] - g[:, 1, 2], g[:, 0, 2] - g[:, 2, 0], g[:, 1, 0] - g[:, 0, 1]], 1)

    def alignment(rate):
        other = _core.Simulation(
            method={"velocity": velocity, "stretching": "none", "relaxation": rate, **PLAIN}
        )
        volume = np.full(len(core), 1e-3)
        other.add_vortons(np.float32(position), np.float32(turned), np.float32(core), volume)
        other.step(0.2)
        order = np.argsort(other.column("vortons", "id"))
        alpha = other.column("vortons", "strength")[order].astype(float)
        cosine = (alpha * w).sum(1) / np.linalg.norm(alpha, axis=1) / np.linalg.norm(w, axis=1)
        return np.median(cosine)

    assert alignment(0.0) < 0.95 < alignment(10.0)


@pytest.mark.parametrize("velocity", ["poisson", "direct", "tree"])
def test_bound(velocity):
    tight, loose = (run(velocity=velocity, bound=bound)[2].health() for bound in (0.01, 100.0))
    assert tight["bounded_share"] > 0.9 and loose["bounded_share"] < 0.1


def test_boundary():
    """Trees agree, decimation is rougher, and walls (no potential) slow the ring down."""
    start = run(dt=0.0)[0]
    moved = {
        choice: run(boundary=choice, order="second")[0] - start
        for choice in ("clusters", "tree", "decimated", "zero")
    }
    size = np.abs(moved["clusters"]).max()
    apart = {name: np.abs(way - moved["clusters"]).max() / size for name, way in moved.items()}
    assert 0 < apart["tree"] < 0.005 < apart["decimated"] < 0.1 < apart["zero"]


@pytest.mark.slow
def test_cleaning_acts_everywhere_and_exchange_on_the_grid_alone():
    def difference(velocity, name):
        strengths = [run(frames=4, velocity=velocity, **{name: rate})[1] for rate in (0.0, 10.0)]
        return np.abs(strengths[1] - strengths[0]).max() / np.abs(strengths[0]).max()

    for velocity in ("poisson", "direct", "tree"):
        assert difference(velocity, "cleaning") > 1e-3
    assert difference("poisson", "exchange") > 1e-3
    assert difference("direct", "exchange") == 0 == difference("tree", "exchange")


@pytest.mark.slow
@pytest.mark.parametrize("velocity", ["direct", "tree"])
@pytest.mark.parametrize("kernel", ["wl", "ball"])
def test_a_plain_ring_keeps_its_impulse_by_every_core(velocity, kernel):
    """Cleaning by WL took 2.6 % of it a frame, by the ball it added .6 %."""
    scene = vt.Scene(method=vt.Method(velocity=velocity, kernel=kernel))
    scene.add(vt.VortexRing(radius=0.79, core=0.079))
    sim = vt.Simulation(scene)
    before = sim.health.impulse
    sim.step(4)
    assert sim.health.impulse == pytest.approx(before, abs=1e-3 * before[2])
    strength = sim.vortons.strength.copy()
    sim.method = sim.method.replace(cleaning=0)
    other = vt.Simulation(sim.scene)
    other.step(4)
    assert np.array_equal(other.vortons.strength, strength)


@pytest.mark.parametrize("velocity", slow_but(["direct"], ["poisson", "direct", "tree"]))
def test_balance_keeps_the_sum(velocity):
    def drift(**method):
        method["velocity"] = velocity
        start = run(dt=0.0)[1]
        strength = run(**method)[1]
        return np.linalg.norm(strength.sum(axis=0) - start.sum(axis=0)), strength

    total = np.linalg.norm(run(dt=0.0)[1], axis=1).sum()
    kept, strength = drift()
    left, other = drift(balance="none")
    assert kept < 1e-6 * total < 1e-4 * total < left
    assert not np.array_equal(strength, other)
    (kept, strength), (left, other) = (
        drift(balance=balance, turn=2.0, time="euler") for balance in ("sum", "none")
    )
    start = run(dt=0.0)[1]
    most = 9 * (start**2).sum(axis=1).mean()  # nothing weighs more than three times the rms
    weight = np.minimum((other**2).sum(axis=1), most)
    shared = (start.sum(axis=0) - other.sum(axis=0)) / weight.sum()
    assert np.allclose(strength, other + weight[:, None] * shared, rtol=0, atol=1e-7)


@pytest.mark.parametrize("expansion", slow_but([0.5], [0.0, 0.5, 1.0]))
@pytest.mark.parametrize("velocity", ["poisson", "direct"])
def test_expansion(velocity, expansion):
    """test_expansion.py has the laws; here: the power, and that it acts on the grid alone."""
    sim = run(velocity=velocity, expansion=expansion, halo=0)[2]
    before = sim.column("vortons", "volume").astype(float).sum()
    warm = sim.column("vortons", "temperature")
    sim.step(1e-4)
    warm[:] *= 1.1
    sim.step(0.01, 2)
    growth = sim.column("vortons", "volume").astype(float).sum() / before
    assert growth == pytest.approx(1.1 ** (expansion if velocity == "poisson" else 0), rel=1e-5)


def test_flames():
    """test_flames.py has the law of their own; the mean is that of the vortons around."""
    x = 0.1 * np.stack(np.meshgrid(*3 * [np.arange(8.0)]), axis=-1).reshape(-1, 3)
    fuel = {}
    for choice in ("own", "mean"):
        sim = _core.Simulation(
            threads=1,
            gravity=(0, 0, 0),
            method={"flames": choice, "rounding": 0.0},
            combustion={"law": "simple", "radiation": 0.0, "mixing": 0.0, "heat": 0.0},
        )
        rows = np.full(len(x), 1e-3)
        sim.add_vortons(x, np.zeros_like(x), 150 * rows, rows)
        sim.column("vortons", "fuel")[:] = 0.8
        sim.column("vortons", "temperature")[:] = 900.0
        sim.add_tracers([[0.35, 0.35, 0.35]], np.ones(1), np.ones(1))
        sim.step(0.01, 20)
        fuel[choice] = sim.column("tracers", "fuel")[0] / sim.column("vortons", "fuel")[0]
    assert fuel["mean"] == pytest.approx(1, rel=1e-5)
    # the first step makes it the mean, the others burn at .2 of the rate 10
    assert fuel["own"] == pytest.approx(np.exp(0.8 * 10 * 0.01 * 19), rel=1e-5)


def burnt_down(choice, dt, time=0.1, **law):
    """Columns of a hot vorton with fuel after a time, and the health."""
    law = {"law": "simple", "radiation": 0.0, "mixing": 0.0, "heat": 0.0, **law}
    method = {"burning": choice, "expansion": 0.0}
    sim = _core.Simulation(threads=1, gravity=(0, 0, 0), combustion=law, method=method)
    sim.add_vortons(np.zeros((1, 3)), np.zeros((1, 3)), np.ones(1), np.ones(1))
    sim.column("vortons", "temperature")[:] = 900.0
    sim.column("vortons", "fuel")[:] = 0.8
    sim.step(dt, round(time / dt))
    names = ("temperature", "fuel", "flame", "smoke")
    return {n: float(sim.column("vortons", n)[0]) for n in names}, sim.health()


def test_burning():
    """One explicit step for all of dt, with its known error: (1 - k dt)^n for e^(-k t)."""
    for n in (4, 8, 16):
        v, _ = burnt_down("euler", 0.1 / n)
        assert v["fuel"] == pytest.approx(0.8 * (1 - 10 * 0.1 / n) ** n, rel=1e-5)
    exact, _ = burnt_down("exact", 0.025)
    assert exact["fuel"] == pytest.approx(0.8 * np.exp(-1), rel=1e-5)
    error = [burnt_down("euler", 0.1 / n)[0]["flame"] - exact["flame"] for n in (64, 128, 256)]
    assert error[0] / error[1] == pytest.approx(2, rel=0.05)  # of the first order
    assert error[1] / error[2] == pytest.approx(2, rel=0.05)


@pytest.mark.parametrize("dt", [0.01, 0.5])
def test_explicit_burning_keeps_the_books_at_any_dt(dt):
    """Where a step would burn, or cool, more than there is, it takes all of it."""
    law = {"rate": 8.0, "heat": 1.3e6, "mixing": 2.0, "radiation": 500.0, "flame_time": 0.1}
    v, h = burnt_down("euler", dt, 0.5, **law)
    assert all(v[n] >= 0 for n in v) and v["fuel"] + v["flame"] + v["smoke"] <= 1
    assert h["heat_released"] == pytest.approx(1.3e6 * 1.2041 * (0.8 - v["fuel"]), rel=1e-4)
    books = h["heat_released"] - h["heat_radiated"] - h["heat_mixed"] + h["heat_brought"]
    assert h["heat"] == pytest.approx(books, abs=1e-4 * h["heat_released"])
    assert (v["fuel"] == 0) == (dt == 0.5)


def test_the_article_burns_explicitly():
    rows = _core.DEFINITIONS["method"]
    assert vt.Method.article().burning == "euler" and vt.Method().burning == "exact"
    assert rows["burning"]["choices"] == ("exact", "euler")


@pytest.mark.parametrize("velocity", ["poisson", "direct"])
def test_diffusion(velocity):
    strengths = {
        choice: run(velocity=velocity, viscosity=1e-3, halo=0, diffusion=choice)[1]
        for choice in ("pse", "exchange", "none")
    }
    inviscid = run(velocity=velocity, diffusion="pse")[1]
    assert np.array_equal(strengths["none"], inviscid)
    for choice in ("pse", "exchange"):
        change = np.abs(strengths[choice] - inviscid).max() / np.abs(inviscid).max()
        assert 1e-3 < change < 0.5
    assert np.abs(strengths["pse"] - strengths["exchange"]).max() > 1e-3 * np.abs(inviscid).max()


def test_halo():
    counts = [run(viscosity=0.01, halo=width)[2].count("vortons") for width in (0, 1, 3)]
    assert counts[0] == run()[2].count("vortons") < counts[1] < counts[2]
    assert run(viscosity=0.01, diffusion="none")[2].count("vortons") == counts[0]


def test_split_merge_and_prune():
    count = run()[2].count("vortons")
    assert run(split=1.0, frames=4)[2].count("vortons") > 1.1 * count
    few = [run(merge=most)[2].count("vortons") for most in (1, 2, 0)]
    assert few[0] < few[1] <= few[2] == count
    few = [run(prune=share)[2].count("vortons") for share in (0.5, 0.1, 0.0)]
    assert few[0] < few[1] < few[2] == count


@pytest.mark.parametrize("choice", ["velocity", "boundary"])
def test_opening(choice):
    exact, near, article = (
        run(wobble=0.1, **{choice: "tree", "stretching": "none"} | method)[0]
        for method in ({"opening_angle": 0.0}, {}, {"opening": "article"})
    )
    errors = [np.abs(found - exact).max() for found in (near, article)]
    assert 0 < 10 * errors[0] < errors[1] < 0.01
    assert vt.Method.article().opening == "article"


@pytest.mark.parametrize("velocity", ["poisson", "tree"])
def test_opening_angle(velocity):
    exact, near, far = (run(velocity=velocity, opening_angle=angle)[2] for angle in (0.0, 0.3, 1.0))
    point = [[0, 0, 3.0]]
    u = exact.velocity_at(point)
    errors = [np.abs(sim.velocity_at(point) - u).max() for sim in (near, far)]
    assert 0 < errors[1] < 0.2 * np.abs(u).max() and errors[0] < errors[1]


def test_turn():
    substeps = [run(dt=0.2, turn=turn)[2].health()["substeps"] for turn in (2.0, 0.4, 0.1)]
    assert substeps[0] < substeps[1] < substeps[2]
    assert substeps[2] == pytest.approx(4 * substeps[1], rel=0.3)


def test_article_takes_the_values_of_the_articles():
    article = vt.Method.article()
    assert _core.ARTICLE_METHOD == article.to_dict()
    assert article.time == "euler" and article.kernel == "ball" and article.bound == 0
    assert article != vt.Method()


@pytest.mark.slow
def test_walls():
    """Heavy fluid between walls: how each choice sees what is behind them."""
    x = np.stack(np.meshgrid(*[np.arange(-0.35, 0.4, 0.1)] * 3), axis=-1).reshape(-1, 3)
    spun = {}
    for walls in ("masked", "nodes", "hits", "open"):
        sim = _core.Simulation(threads=1, spacing=0.13, method={"walls": walls, "halo": 0})
        sim.add("body", shapes=[{"kind": "box", "size": (0.8, 0.8, 0.8)}], hole=True)
        sim.add_vortons(*(np.float32(a) for a in (x, 0 * x, np.full(512, 0.2), np.full(512, 1e-3))))
        sim.column("vortons", "density")[:] = 0.1 * (sim.column("vortons", "position")[:, 2] < 0)
        sim.step(1e-3, 1)
        spun[walls] = np.linalg.norm(sim.column("vortons", "strength").astype(float))
    assert spun["masked"] < 1e-3 * spun["open"]
    assert spun["masked"] < spun["nodes"] <= spun["open"] and spun["hits"] <= spun["open"]
    assert spun["nodes"] != spun["hits"]


def test_bodies():
    """A ball in the wind gives nearby vortons vorticity by the rule of the articles alone."""
    x = np.stack(np.meshgrid(*[np.arange(-1.4, 1.5, 0.2)] * 3), axis=-1).reshape(-1, 3)
    for bodies in ("panels", "article", "none"):
        method = {"bodies": bodies}
        sim = _core.Simulation(threads=1, wind=(1, 0, 0), method=method)
        sim.add("body", shapes=[{"kind": "sphere", "radius": 0.8}], shedding=0)
        count = len(x)
        sim.add_vortons(
            *(np.float32(a) for a in (x, 0 * x, np.full(count, 0.3), np.full(count, 8e-3)))
        )
        sim.step(0.02, 1)
        strength = np.linalg.norm(sim.column("vortons", "strength"), axis=1)
        away = np.linalg.norm(sim.column("vortons", "position"), axis=1) > 1.1
        assert (strength.max() > 0) == (bodies == "article") and strength[away].max() == 0


def test_panels():
    """With panels a ball turns the wind aside; without, or where no grid solves for a potential,
    the wind passes through it."""
    for method, turned in ({}, True), ({"bodies": "none"}, False), ({"velocity": "tree"}, False):
        sim = _core.Simulation(threads=1, wind=(1, 0, 0), method=method)
        sim.add("body", shapes=[{"kind": "sphere"}])
        u = sim.velocity_at(np.float32([[1.01, 0, 0], [0, 1.2, 0]]))
        assert (abs(u[0, 0]) < 0.1 and u[1, 0] > 1.2) == turned
        assert np.array_equal(u, np.float32([[1, 0, 0], [1, 0, 0]])) != turned
