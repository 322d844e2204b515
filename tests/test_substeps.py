"""How many substeps a step takes: not after its fastest vorton, but after all but a hundredth."""

import ctypes

import native
import numpy as np
import pytest

import vorton as vt

CODE = """
#include "kernels/particles/particle_rates.h"

double share_of(int64_t count, const float *square, const int32_t *thread, double share)
{
    static vt_extremes all;
    memset(&all, 0, sizeof all);
    for (int64_t i = 0; i < count; i++) {
        const float least = 0x1p-32f, most = 0x1.8p31f;
        const float inside = square[i] > most ? most : square[i] < least ? least : square[i];
        uint32_t bits;
        memcpy(&bits, &inside, 4);
        all.thread[thread[i]].gradients[(bits >> 22) - 2 * (127 + VT_GRADIENT_LEAST)]++;
    }
    return vti_gradient_of_share(&all, share);
}
"""


def gradient_of_share(square, share):
    library = native.load(target="scalar", code=CODE)
    library.share_of.restype = ctypes.c_double
    square = np.ascontiguousarray(square, np.float32)
    thread = np.arange(len(square), dtype=np.int32) % 7
    return library.share_of(
        ctypes.c_int64(len(square)), square.ctypes.data_as(ctypes.c_void_p),
        thread.ctypes.data_as(ctypes.c_void_p), ctypes.c_double(share))  # fmt: skip


@pytest.mark.parametrize("share", [0.003, 0.01, 0.1])
@pytest.mark.parametrize("scale", [1e-4, 1, 3e3])
def test_the_share_of_the_squares_lies_beyond(share, scale):
    """Against the sorted list, within the bin: half an octave of the square, at most 1.5."""
    random = np.random.default_rng(3)
    gradient = scale * random.lognormal(0, 0.7, 40_000)
    square = np.sort(gradient**2)[::-1]
    exact = np.sqrt(square[np.searchsorted(np.cumsum(square), share * square.sum())])
    assert exact / np.sqrt(1.5) < gradient_of_share(square, share) < exact * np.sqrt(1.5)


def test_vortons_at_rest_change_nothing():
    moving = np.random.default_rng(4).lognormal(0, 0.5, 5000) ** 2
    joined = np.concatenate([moving, np.zeros(500_000)])
    assert gradient_of_share(joined, 0.01) == pytest.approx(gradient_of_share(moving, 0.01), 1e-3)


def test_a_flow_of_one_kind_turns_as_its_fastest():
    assert 5 / np.sqrt(1.5) < gradient_of_share(np.full(1000, 25.0), 0.01) < 5 * np.sqrt(1.5)


def ring_and_vorton(strength):
    """A ring of many vortons and, far from it, a lone vorton that may turn much faster."""
    scene = vt.Scene("ring", seed=2)
    scene.add(vt.VortexRing(radius=1.0, core=0.15, circulation=2.0))
    scene.add(vt.VortonPoints([(0, 0, 4)], [(0, 0, strength)], core=0.15, volume=0.003))
    sim = vt.Simulation(scene, fps=4)
    sim.step()
    return sim.health


@pytest.mark.slow
def test_one_vorton_that_turns_fast_does_not_set_the_step():
    turn = vt.Method().turn
    calm, both = ring_and_vorton(1e-3), ring_and_vorton(0.5)
    assert both.largest_gradient > 1.5 * calm.largest_gradient
    assert both.substeps <= calm.substeps + 1
    assert turn < both.largest_gradient / 4 / both.substeps < 5 / 3 * turn  # farther than the rest


def warm_ball(viscosity, turn=0.4, radius=0.006, h=0.001):
    """Warm air at rest, 12 cells wide."""
    g = np.arange(-radius - 3 * h, radius + 3.5 * h, h)
    x = np.stack(np.meshgrid(g, g, g, indexing="ij"), -1).reshape(-1, 3)
    r = np.linalg.norm(x, axis=1)
    method = vt.Method(expansion=0.0, turn=turn)
    scene = vt.Scene(viscosity=viscosity, thermal_diffusivity=viscosity, spacing=h, method=method)
    sim = vt.Simulation(scene, threads=1)
    temperature = 293.15 + 300 * np.exp(-((r / radius) ** 2) * 2)
    sim.vortons.add(x, 0 * x, core=1.5 * h, volume=h**3, temperature=temperature)
    return sim


@pytest.mark.slow
def test_waves_that_viscosity_slows_need_fewer_substeps():
    """The fastest grows at .5 (a^2 / viscosity)^(1/3): eight times the viscosity, half the rate.
    The ball rises as it does in four times as many."""
    counts = {}
    for viscosity in (2e-5, 1.6e-4):
        sim = warm_ball(viscosity)
        sim.advance(0.04)
        counts[viscosity] = sim.health.substeps
    assert counts[2e-5] / counts[1.6e-4] == pytest.approx(2, rel=0.3)
    waves = np.linspace(1, 2e4, 200_000)
    pull, viscosity = 9.81 / 2, 2e-5
    growth = np.sqrt(viscosity**2 * waves**4 + pull * waves) - viscosity * waves**2
    assert growth.max() == pytest.approx(0.5 * (pull**2 / viscosity) ** (1 / 3), rel=1e-3)
    heights = []
    for turn in (0.4, 0.1):
        sim = warm_ball(2e-5, turn)
        sim.advance(0.04)
        heat = sim.vortons.volume.astype(float) * (sim.vortons.temperature.astype(float) - 293.15)
        heights.append(heat @ sim.vortons.position[:, 2] / heat.sum())
    assert heights[0] == pytest.approx(heights[1], rel=0.03)


def eddies(**method):
    """Tracers in a cloud of eddies after 4 frames, and how many substeps the last took."""
    scene = vt.Scene("eddies", seed=4, detail=0, method=vt.Method(**method))
    scene.add(vt.RandomCloud(vt.Sphere(radius=0.5), speed=4.0, core=0.1))
    scene.add(vt.Tracers(vt.Sphere(radius=0.5), count=2000))
    sim = vt.Simulation(scene, fps=24)
    sim.step(frames=4)
    return np.array(sim.tracers.position)[np.argsort(sim.tracers.id)], sim.health.substeps


@pytest.mark.slow
@pytest.mark.parametrize("turn, rms, worst", [(1.2, 0.025, 0.08), (vt.Method().turn, 0.06, 0.17)])
def test_tracers_follow_eddies_over_frames(turn, rms, worst):
    """Against substeps of a twentieth of a frame: tracers that have gone six cores are off by a
    fortieth of one, rms, in two substeps a frame, and by a seventeenth in the one of the default;
    a hundredth of them by more than `worst`."""
    exact, many = eddies(turn=0.06)
    found, few = eddies(turn=turn)
    off = np.linalg.norm(found - exact, axis=1) / 0.1
    assert 5 * few < many
    assert np.sqrt((off**2).mean()) < rms and np.percentile(off, 99) < worst


def in_a_rotation(**method):
    """Weak vortons and tracers at .2 to .8 m from the axis of a wind that turns 20 rad/s, a turn a
    frame, and what says their distances from it over those at the start."""
    corners = np.stack(np.meshgrid(*[[-2, 2]] * 3, indexing="ij"), -1).transpose(2, 1, 0, 3)
    scene = vt.Scene(spacing=0.2, detail=0, method=vt.Method(exchange=0, cleaning=0, **method))
    wind = np.cross([0, 0, 20.0], corners)
    scene.add(vt.WindGrid(wind, origin=(-2, -2, -2), spacing=4))
    sim = vt.Simulation(scene, 20 / (2 * np.pi), threads=1)
    start = np.float32([[0.2 + 0.1 * i, 0, 0.1 * i] for i in range(7)])
    sim.vortons.add(start, np.full_like(start, 1e-9), core=0.2, volume=1e-3)
    sim.tracers.add(start, density=1.0, size=0.1)

    def radii(rows):
        return np.linalg.norm(rows.position[np.argsort(rows.id), :2], axis=1) / start[:, 0]

    return sim, radii


def turned(count, **method):
    """Those distances after `count` turns, and substeps a turn."""
    sim, radii = in_a_rotation(**method)
    sim.step(count)
    return radii(sim.vortons), radii(sim.tracers), sim.health.substeps


def radius_after(count, angle):
    """Of a point of the complex plane that begins at 1, whose velocity is i times its place: its
    way bends by what the velocity changes from midpoint to start to midpoint."""
    x, last = 1 + 0j, None
    for _ in range(count):
        now = 1j * angle * x
        bends = last is not None
        middle = x + now / 2 + (1.3 / 4 * (now - last) if bends else 0)
        later = 1j * angle * middle
        x += later - (1.3 / 8 * (later - 2 * now + last) if bends else 0)
        last = later
    return abs(x)


@pytest.mark.parametrize("turn", [0.8, 1.2])
def test_what_turns_stays_on_its_circle(turn):
    """Ten turns in a solid rotation. The midpoint along straight ways would let both go outwards by
    z^4 / 8 a substep, z the angle of one: by 16 % a turn with .8, 34 % with 1.2. Tracers go by the
    series of three looks, which is that of a rotation."""
    vortons, tracers, substeps = turned(10, turn=turn)
    angle = 2 * np.pi / substeps
    assert 0.6 * turn < angle < 0.75 * turn  # of the gradient of a rotation, sqrt(2) times its rate
    assert 10 * substeps * angle**4 / 8 > 1
    expected = radius_after(10 * substeps, angle)
    assert expected == pytest.approx(1, abs=0.11)
    np.testing.assert_allclose(vortons, expected, rtol=0.02)
    assert np.abs(tracers - 1).max() < 0.02


def test_after_a_short_substep_ways_are_straight():
    """It says nothing of accelerations: of pairs of .6 rad and a thousandth of it the longer goes
    outwards as by the plain midpoint rule, by .14 in eight. With ways that bent at their ends they
    went by .41."""
    angle = 0.6
    sim, radii = in_a_rotation()
    for _ in range(8):
        sim.advance(angle / 20)
        sim.advance(1e-3 * angle / 20)
    plain = abs(1 + 1j * angle - angle**2 / 2) ** 8
    np.testing.assert_allclose(radii(sim.vortons), plain, rtol=0.01)


def test_a_vortex_keeps_its_size():
    """A thick ring, which is steady, without what spreads or damps: its vortons stay as far from
    the middle of their section, in five turns of it. Midpoints that bent as in a rotation that is
    given drew it together by 15 %, and straight ones spread it by 27 %, as `turn` is."""
    plain = vt.Method(exchange=0, cleaning=0, bound=0, halo=0, balance="none")
    scene = vt.Scene(method=plain)
    scene.add(vt.VortexRing(radius=1, core=0.25, circulation=10, layers=4, sections=72))
    sim = vt.Simulation(scene, fps=10, threads=2)
    sizes, energies = [], []
    for frames in (1, 23):
        sim.step(frames)
        weight = np.linalg.norm(sim.vortons.strength, axis=1)
        x, y, z = sim.vortons.position.astype(float).T
        section = np.hypot(x, y) + 1j * z
        middle = np.average(section, weights=weight)
        sizes.append(np.sqrt(np.average(abs(section - middle) ** 2, weights=weight)))
        energies.append(sim.health.energy)
    assert sizes[1] == pytest.approx(sizes[0], rel=0.03)
    assert energies[1] == pytest.approx(energies[0], rel=0.02)


def rings(apart):
    """Where a ring is half a second later, beside one that is born that much after a frame."""
    scene = vt.Scene("two", detail=0)
    scene.add(vt.VortexRing(radius=0.5, core=0.1, circulation=4.0))
    scene.add(vt.VortexRing((3, 0, 0), radius=0.5, core=0.1, time=8 / 24 + apart))
    sim = vt.Simulation(scene, fps=24, threads=1)
    sim.step(12)
    x = sim.vortons.position[np.argsort(sim.vortons.id)]
    return x[x[:, 0] < 1.5]


@pytest.mark.slow
def test_a_short_substep_says_nothing_of_accelerations():
    """One that ends at a birth: the change of velocities in it is rounding."""
    exact = rings(0.0)
    for apart in (1e-4, 1e-6, 1e-8):
        assert np.abs(rings(apart) - exact).max() < 2e-3
