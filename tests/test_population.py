"""Vortons split, merge and are pruned: what they carry stays what it was."""

import numpy as np
import pytest

import vorton as vt
from vorton import _core

STILL = {"stretching": "none", "bound": 0.0, "cleaning": 0.0, "exchange": 0.0, "rounding": 0.0}


def columns(sim, *names):
    return [sim.column("vortons", name).astype(float) for name in names]


def invariants(sim):
    """Strength, linear and angular impulse, and the sizes that errors are measured by."""
    x, a = columns(sim, "position", "strength")
    turn = np.cross(x, a)
    size = np.abs(a).sum()
    return a.sum(axis=0), turn.sum(axis=0) / 2, np.cross(x, turn).sum(axis=0) / 3, size


def cloud(count=400, seed=3, weak=1e-6, **method):
    """A cloud so weak that it does not move."""
    rng = np.random.default_rng(seed)
    sim = _core.Simulation(threads=1, method={**STILL, **method})
    x = rng.uniform(-0.5, 0.5, (count, 3))
    strength = weak * rng.normal(size=(count, 3)) * rng.uniform(0, 1, (count, 1)) ** 2
    sim.add_vortons(x, strength, np.full(count, 0.15), np.full(count, 1 / count))
    return sim


def test_split():
    sim = cloud(split=2.0)
    v = sim.column("vortons", "strength")
    before = v.copy()
    v[:40] *= 3.0  # stretched to three times what they were born with
    v[40:80] *= 1.9
    old = invariants(sim)
    sim.step(1e-6)
    assert sim.count("vortons") == 440
    strength, volume, born = columns(sim, "strength", "volume", "birth_strength")
    ids = sim.column("vortons", "id")
    assert (
        len(set(ids)) == 440 and set(range(40)).isdisjoint(ids) and set(range(40, 400)) <= set(ids)
    )
    halves = np.argsort(ids)[-80:]
    assert volume.sum() == pytest.approx(1, rel=1e-5)
    assert np.allclose(volume[halves], 0.5 / 400)
    assert np.allclose(
        np.sort(np.linalg.norm(strength[halves], axis=1)),
        np.sort(np.repeat(1.5 * np.linalg.norm(before[:40].astype(float), axis=1), 2)),
        rtol=1e-5,
    )
    assert np.all(np.linalg.norm(strength, axis=1) <= 2.0001 * born)
    for was, now in zip(old[:3], invariants(sim)[:3], strict=True):
        assert np.abs(now - was).max() < 1e-6 * old[3]
    sim.step(1e-6, 8)
    assert sim.count("vortons") == 440  # halves are as long as their parents were at birth


@pytest.mark.parametrize("bad", [0.1, 0.999, -1.0, 101.0])
def test_split_must_be_growth(bad):
    """Below 1 every vorton would split every time."""
    with pytest.raises(ValueError, match=r"split.*0, or.*1 to 100"):
        vt.Method(split=bad)
    with pytest.raises(ValueError, match=r"method\.split.*0, or 1 to 100"):
        _core.Simulation(method={"split": bad})
    assert "0: none. 1 to 100, or 0, default 0." in " ".join(vt.Method.__doc__.split())


def test_split_halves_lie_along_the_strength():
    sim = _core.Simulation(threads=1, method={**STILL, "split": 1.5})
    sim.add_vortons([[1, 2, 3]], [[0, 0, 1e-6]], [0.1], [1e-3])
    sim.column("vortons", "strength")[:] *= 2
    sim.step(1e-9)
    x, strength = columns(sim, "position", "strength")
    assert np.allclose(x[np.argsort(x[:, 2])], [[1, 2, 2.95], [1, 2, 3.05]], atol=1e-5)
    assert np.allclose(strength, [[0, 0, 1e-6]] * 2)


def closeness(sim, old):
    """Largest errors of strength, linear and angular impulse, over sum |alpha| x 1 m^n."""
    return [np.abs(now - was).max() / old[3] for was, now in zip(old, invariants(sim)[:3])]


@pytest.mark.parametrize("velocity", ["poisson", "direct"])
def test_merge(velocity):
    """Ten in a cell as wide as a core become two; then each stands for enough."""
    count, core, most = 3000, 0.15, 2
    sim = cloud(count, merge=most, velocity=velocity)
    old = invariants(sim)
    x = columns(sim, "position")[0]
    ids = set(sim.column("vortons", "id"))
    sim.step(1e-6)
    crowd = np.unique(np.floor((x - x.min(axis=0)) / core), axis=0, return_counts=True)[1]
    expected = np.minimum(crowd, most).sum()
    left = sim.count("vortons")
    assert crowd.max() > 15 and expected <= left < 1.1 * expected < 0.3 * count
    later, volume = columns(sim, "position", "volume")
    assert volume.sum() == pytest.approx(1, rel=1e-5) and volume.max() < 1.001 * core**3
    named = np.isin(sim.column("vortons", "id"), list(ids))  # merged ones have new names
    assert np.allclose(volume[named], 1 / count) and volume[~named].min() > 1.9 / count
    assert len(set(sim.column("vortons", "id"))) == left > 2 * named.sum()
    assert max(closeness(sim, old)) < 1e-5
    assert np.abs(later).max() < 0.6
    sim.step(1e-6, 40)
    assert sim.count("vortons") > 0.9 * left


def test_merge_leaves_a_filament_alone():
    """Its vortons stand for less fluid than lies between them: what they are apart counts."""
    sim = _core.Simulation(threads=1, method={**STILL, "merge": 1})
    x = np.zeros((60, 3))
    x[:, 2] = 0.03 * np.arange(60)
    sim.add_vortons(x, np.tile([0, 0, 1e-6], (60, 1)), np.full(60, 0.1), np.full(60, 1e-6))
    sim.step(1e-6, 12)
    assert sim.count("vortons") == 60


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 2])
def test_a_ring_that_merges_travels_on(most):
    """Vortons move through cells and meet ever others: they must not all become a few."""

    def run(**method):
        scene = vt.Scene("ring", method=vt.Method(**method))
        scene.add(vt.VortexRing(radius=0.5, core=0.15, vorton_core=0.075 if most == 1 else 0.06))
        sim = vt.Simulation(scene, threads=1)
        old = invariants(sim._core)
        count = sim.vortons.count
        sim.step(96)
        strength, impulse, _, size = invariants(sim._core)
        weight = np.linalg.norm(sim.vortons.strength.astype(float), axis=1)
        height = weight @ sim.vortons.position[:, 2] / weight.sum()
        return sim.vortons.count / count, impulse[2] / old[1][2], height

    plain, merged = run(), run(merge=most)
    assert 0.5 < merged[0] < 0.99
    assert merged[1] == pytest.approx(1, abs=1e-3)
    assert merged[2] == pytest.approx(plain[2], rel=0.02)


BUBBLE = vt.Sphere(radius=0.5)


def bubble(most):
    """Hot fluid, filled once, half a second later, and how many were born."""
    scene = vt.Scene("bubble", voxel=0.1, method=vt.Method(merge_emitted=most))
    scene.add(vt.VortexRing((0, 0, 3), radius=0.5, core=0.3, circulation=0.1))
    scene.add(vt.Emitter(BUBBLE, temperature=600, renew=0, core=0.15, smoke=0))
    sim = vt.Simulation(scene, fps=48, threads=2)
    sim.step()
    born = sim.vortons.flags & vt.VortonFlag.EMITTED != 0
    counts = born.sum(), (~born & (sim.vortons.strength.any(axis=1))).sum()
    sim.step(11)
    return sim, counts


def test_crowds_of_emitted_vortons_merge_by_themselves():
    """Eight are born in a cube as wide as a core, half of them go; volume, heat and weight stay, no
    ambient fluid gets between them, and the vortons of a ring stay as they are."""
    (lone, born), (sim, _) = bubble(0), bubble(4)
    books = []
    for each in (lone, sim):
        v = each.vortons
        emitted = v.flags & vt.VortonFlag.EMITTED != 0
        volume = v.volume[emitted].astype(float)
        books.append(
            [emitted.sum(), volume.sum(), (volume / v.temperature[emitted]).sum(), each.health.heat]
        )
        warmth = v.temperature[np.linalg.norm(v.position - place(each), axis=1) < 0.3]
        assert len(warmth) > 40 and (warmth > 550).mean() > 0.97
    assert books[0][0] == born[0] and 0.4 < books[1][0] / born[0] < 0.65
    assert books[1][1:] == pytest.approx(books[0][1:], rel=1e-3)
    impulse = [each.health.impulse[2] for each in (lone, sim)]
    assert impulse[1] == pytest.approx(impulse[0], rel=0.03)
    assert sim.vortons.position[:, 2].max() > 2.5  # the ring's


def test_what_merges_lives_as_long_as_its_parts():
    """Fluid of a second's life that was born over half a second: half of it is gone half-way."""
    volumes = []
    for most in (0, 4):
        scene = vt.Scene("puff", seed=2, voxel=0.1, method=vt.Method(merge_emitted=most))
        disk = vt.Disk(radius=0.25, thickness=0.1)
        kind = dict(temperature=330, core=0.06, lifetime=1.0, end=0.5, smoke=0)
        scene.add(vt.Emitter(disk, **kind))
        sim = vt.Simulation(scene, fps=40)
        sim.step(30)
        volumes.append([])
        for _ in range(3):
            v = sim.vortons
            emitted = v.flags & vt.VortonFlag.EMITTED != 0
            volumes[-1].append(v.volume[emitted & (v.temperature > 300)].sum(dtype=float))
            sim.step(10)
    whole, merged = np.array(volumes)
    assert merged[0] == pytest.approx(whole[0], rel=0.08)
    assert 0.3 < whole[2] / whole[0] < 0.7
    assert merged[2] / merged[0] == pytest.approx(whole[2] / whole[0], abs=0.08)


def place(sim):
    """The middle of the hot fluid."""
    v = sim.vortons
    hot = v.temperature > 590
    return v.position[hot].mean(axis=0)


def test_merge_of_parallel_strengths_keeps_the_impulse():
    sim = cloud(merge=1)
    s = sim.column("vortons", "strength")
    s[:] = np.abs(s[:, :1]) * np.float32([0.6, 0, 0.8])
    old = invariants(sim)
    sim.step(1e-6)
    strength, impulse, _, size = invariants(sim)
    assert sim.count("vortons") < 300
    assert np.abs(strength - old[0]).max() < 1e-6 * size
    assert np.abs(impulse - old[1]).max() < 1e-6 * size


def test_merge_of_vortons_with_flags():
    """Neutral are two that both are; of a newborn vortex, two of which one is."""
    neutral, newborn = vt.VortonFlag.NEUTRAL, vt.VortonFlag.NEWBORN_VORTEX
    cases = [(0, 0, 0), (neutral, neutral, neutral), (neutral, 0, 0), (0, neutral, 0)]
    cases += [(newborn, 0, newborn), (0, newborn, newborn), (neutral, newborn, newborn)]
    sim = _core.Simulation(threads=1, method={**STILL, "merge": 1, "halo": 0})
    x = np.zeros((2 * len(cases), 3))
    x[:, 0] = np.repeat(np.arange(len(cases)), 2)
    x[1::2, 1] = 1e-3
    strength = np.tile([0, 0, 1e-6], (len(x), 1))
    sim.add_vortons(x, strength, np.full(len(x), 0.1), np.full(len(x), 1e-6))
    sim.column("vortons", "flags")[:] = [flag for case in cases for flag in case[:2]]
    sim.step(1e-6)
    position, flags = sim.column("vortons", "position"), sim.column("vortons", "flags")
    assert len(flags) == len(cases)
    found = flags[np.argsort(position[:, 0])]
    assert found.tolist() == [case[2] | vt.VortonFlag.BOUND_KNOWN for case in cases]


def test_merge_of_strengths_that_cancel_stays_between_them():
    sim = _core.Simulation(threads=1, method={**STILL, "merge": 1})
    s = [[0, 0, 1e-6], [1e-12, 0, -1e-6], [0, 1e-6, 0]]
    sim.add_vortons([[0, 0, 0], [0.02, 0, 0], [0, 0, 5]], s, np.full(3, 0.1), np.full(3, 1e-3))
    sim.step(1e-6)
    x = columns(sim, "position")[0]
    assert len(x) == 2 and np.abs(x[np.argmin(x[:, 2])]).max() < 0.03


def test_prune():
    sim = cloud(prune=0.3)
    old = invariants(sim)
    size = np.linalg.norm(columns(sim, "strength")[0], axis=1)
    ids = sim.column("vortons", "id").copy()
    strong = set(ids[size >= 0.3 * np.sqrt((size**2).mean())])
    assert 100 < len(strong) < 300
    sim.step(1e-6)
    assert set(sim.column("vortons", "id")) == strong
    assert max(closeness(sim, old)) < 1e-6  # those at the edge have neighbours on one side


def test_prune_hands_over_with_the_impulse_where_neighbours_are_around():
    g = np.arange(5) * 0.1
    x = np.stack(np.meshgrid(g, g, g), -1).reshape(-1, 3)
    x += np.random.default_rng(1).uniform(-0.03, 0.03, x.shape)
    strength = np.random.default_rng(2).normal(size=x.shape) * 1e-6
    middle = np.argmin(((x - 0.2) ** 2).sum(axis=1))
    strength[middle] *= 1e-2
    sim = _core.Simulation(threads=1, method={**STILL, "prune": 0.05})
    sim.add_vortons(x, strength, np.full(125, 0.15), np.full(125, 1e-3))
    old = invariants(sim)
    gone = np.linalg.norm(strength[middle])
    sim.step(1e-9)
    assert sim.count("vortons") == 124
    for was, now in zip(old[:2], invariants(sim)[:2], strict=True):
        assert np.abs(now - was).max() < 0.01 * 0.1 * gone + 1e-7 * old[3]


def test_a_lone_weak_vorton_hands_over_across_the_room():
    sim = _core.Simulation(threads=1, method={**STILL, "prune": 0.5})
    s = [[0, 0, 1e-6], [0, 0, 1e-6], [1e-9, 0, 0]]
    sim.add_vortons([[0, 0, 0], [0.1, 0, 0], [40, 0, 0]], s, np.full(3, 0.1), np.full(3, 1e-3))
    sim.step(1e-6)
    assert sim.count("vortons") == 2
    total = columns(sim, "strength")[0].sum(axis=0)
    assert np.allclose(total, [1e-9, 0, 2e-6], rtol=1e-5, atol=1e-15)


def test_fluid_that_differs_is_kept_mixed_and_halved():
    def one(**method):
        sim = _core.Simulation(threads=1, method={**STILL, "halo": 0, **method})
        s = [[0, 0, 1e-6], [0, 0, 1e-9], [1e-6, 0, 0]]
        x = [[0, 0, 0], [0.02, 0, 0], [0, 0, 0.5]]
        sim.add_vortons(x, s, np.full(3, 0.1), np.float32([4e-4, 1.2e-3, 4e-4]))
        sim.column("vortons", "density")[:] = [0.4, 0.8, 0]
        return sim

    sim = one(prune=0.5)
    sim.step(1e-6)
    assert sim.count("vortons") == 3  # the weak one is heavy
    sim = one(merge=1)
    sim.step(1e-6)
    density, volume = columns(sim, "density", "volume")
    assert sorted(density) == pytest.approx([0, 0.7]) and density @ volume == pytest.approx(1.12e-3)
    sim = one(split=1.5)
    sim.column("vortons", "strength")[0] *= 2
    sim.step(1e-6)
    assert sorted(columns(sim, "density")[0]) == pytest.approx([0, 0.4, 0.4, 0.8])


def test_off_by_default():
    sim = cloud()
    sim.column("vortons", "strength")[:] *= 9
    ids = sim.column("vortons", "id").copy()
    sim.step(1e-6, 9)
    assert sorted(sim.column("vortons", "id")) == sorted(ids)
    strength, born = columns(sim, "strength", "birth_strength")
    assert np.linalg.norm(strength, axis=1) == pytest.approx(9 * born, rel=1e-4)


@pytest.mark.parametrize("policy", ["error", "stop", "oldest"])
def test_split_respects_the_capacity(policy):
    method = vt.Method(**STILL, split=1.5)
    sim = vt.Simulation(method=method, max_vortons=12, at_capacity=policy, threads=1)
    x = np.arange(30).reshape(10, 3) % 7 * 0.3
    sim.vortons.add(x, np.ones((10, 3)) * 1e-6, core=0.1, volume=1e-3)
    sim.vortons.strength *= 2
    before = sim.vortons.strength.copy()
    if policy == "error":
        with pytest.raises(vt.CapacityError, match=r"10 vortons that split.*max_vortons 12"):
            sim.step()
        assert np.array_equal(sim.vortons.strength, before) and sim.time == 0
        return
    sim.step()
    assert sim.vortons.count == 12
    assert np.abs(sim.vortons.strength.sum(axis=0) - before.sum(axis=0)).max() < 1e-10


@pytest.mark.slow
def test_stretched_rings_stay_covered():
    """In a run: as many vortons as it takes for none to stand for more than 1.5 times the strength
    of its birth, and the impulse kept as well as without."""

    def run(seed, **method):
        scene = vt.Scene("wavy", method=vt.Method(velocity="direct", **method))
        scene.add(
            vt.VortexRing(radius=0.5, core=0.15, wobble=0.1, seed=seed, layers=2, sections=60)
        )
        sim = vt.Simulation(scene, threads=1)
        count, impulse = sim.vortons.count, np.array(sim.health["impulse"])
        sim.step(40)
        drift = np.linalg.norm(sim.health["impulse"] - impulse) / np.linalg.norm(impulse)
        v = sim.vortons
        growth = np.linalg.norm(v.strength, axis=1) / v.birth_strength
        return v.count / count, drift, growth, sim.health.strength_share

    counts = []
    for seed in (1, 2, 3, 4):
        alone, plain_drift, plain_growth, _ = run(seed)
        count, drift, growth, share = run(seed, split=1.5, merge=1, prune=1e-3, turn=0.4)
        assert alone == 1 < count
        counts.append((count, np.maximum(plain_growth / 1.5, 1).mean()))
        assert np.quantile(growth, 0.98) < 1.6  # looked at every eighth substep
        assert drift < plain_drift + 0.01
        assert share < 1e-6
    count, expected = np.mean(counts, axis=0)
    assert count == pytest.approx(expected, rel=0.03)
