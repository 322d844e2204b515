"""What tracers carry, on voxels: means weighted with mass, against the same sums in NumPy."""

import numpy as np
import pytest
from test_volume import SPLINE, H, box_around, cloud, gaussian_taps, hat, smooth
from volumes import INVALID_ARGUMENT, NOT_FINITE, Volume, VolumeError, library

import vorton as vt
from vorton import _core
from vorton.files import tracer_files
from vorton.preview.shots import open_shot

COUNT = 60_000  # 6 in a voxel
LITTLE = 1e-3  # of smoke, where the shares are nothing


@pytest.fixture(scope="module")
def burning():
    """Tracers of unlike mass that carry everything."""
    position, density, size = cloud(COUNT)
    random = np.random.default_rng(8)
    shares = random.dirichlet((1, 1, 1, 2), COUNT).astype(np.float32)
    carried = {
        "temperature": (300 + 900 * random.random(COUNT) ** 3).astype(np.float32),
        "fuel": shares[:, 0],
        "flame": shares[:, 1],
        "smoke": shares[:, 2],
    }
    return position, density, size, carried


@pytest.fixture(scope="module")
def volume(burning):
    position, density, size, carried = burning
    return Volume(position, density, size, H, ambient_temperature=288.0, **carried)


def burnt_share(carried, ignition=500.0):
    """All but flame, and fuel that is hot enough; from .8 of that temperature on a part of it."""
    fuel, flame = carried["fuel"].astype(float), carried["flame"].astype(float)
    warm = np.clip((carried["temperature"].astype(float) / ignition - 0.8) / 0.2, 0, 1)
    return 1 - (fuel * warm + flame) / (fuel + flame + carried["smoke"] + LITTLE)


def filtered(position, amount):
    first, shape = box_around(position)
    return smooth(hat(position, amount, first, shape), SPLINE)


def test_fields_are_means_weighted_with_mass(burning, volume):
    position, density, size, carried = burning
    first, shape = box_around(position)
    mass = filtered(position, density)
    inside = mass > 1e-6 * mass.max()
    wanted = {name: carried[name] for name in ("temperature", "fuel", "flame")}
    for name, values in wanted.items():
        mean = filtered(position, density * values.astype(float)) / np.where(inside, mass, 1)
        found = volume.values(name, first, shape)
        assert np.abs(found - mean)[inside].max() <= 3e-6 * np.abs(mean).max(), name
        assert np.all(found[mass == 0] == (288.0 if name == "temperature" else 0))
        low, high = values.min(), values.max()
        assert found[inside].min() >= low * (1 - 1e-6) and found[inside].max() <= high * (1 + 1e-6)


def test_coverage_is_the_volume_of_births_smoothed(burning, volume):
    position, _, size, _ = burning
    first, shape = box_around(position)
    covered = filtered(position, size.astype(float) ** 3)
    # by a voxel, on the voxels that tracers reach
    covered = np.where(covered > 0, smooth(covered, gaussian_taps(1.0)), 0)
    found = volume.values("coverage", first, shape)
    assert np.abs(found - covered).max() <= 2e-6 * found.max()
    inner = found[10:-10, 10:-10, 10:-10]  # 2000 voxels with 7.5 each; of chance 1 / sqrt(15000)
    assert inner.mean() == pytest.approx(COUNT * H**3 / 2**3, rel=0.03)


def test_glow_is_of_the_flame_smoothed_a_little(burning, volume):
    position, density, _, carried = burning
    first, shape = box_around(position)
    mass = filtered(position, density)
    burning = filtered(position, density * carried["flame"].astype(float))
    half = gaussian_taps(0.5)
    inside = mass > 1e-6 * mass.max()
    mean = smooth(burning, half) / np.where(inside, smooth(mass, half), 1)
    coverage = volume.values("coverage", first, shape).astype(float)
    wanted = (1 - np.exp(-((mean / 0.08) ** 2))) * (1 - np.exp(-((60 * coverage) ** 2)))
    found = volume.values("glow", first, shape)
    assert np.abs(found - wanted)[inside].max() <= 1e-5
    assert np.all(found[mass == 0] == 0) and found.max() > 0.99


def test_only_what_is_smoke_by_now_is_dense(burning, volume):
    position, density, _, carried = burning
    first, shape = box_around(position)
    dense = density * np.maximum(3 * burnt_share(carried) - 2, 1e-3) ** 2
    expected = filtered(position, dense)
    assert np.abs(volume.density(first, shape) - expected).max() <= 2e-6 * expected.max()
    assert volume.info.mass == pytest.approx(dense.sum(), rel=1e-6)
    plain = Volume(*cloud(COUNT), H, temperature=carried["temperature"])
    assert plain.info.mass == pytest.approx(density.sum(dtype=float), rel=1e-6)
    assert not library.vt_volume_carries(plain.handle, 1)


def test_fuel_too_cold_to_burn_by_its_law_is_smoke(burning):
    """By the ignition of the simple law; by that of Arrhenius where fuel burns for a second."""
    position, density, size, carried = burning
    arrays = {"position": position, "density": density, "size": size, **carried}

    def mass(**law):
        found = _core.volume_from_tracers(voxel_size=H, combustion=law, **arrays)
        return found.info()["mass"]

    def wanted(ignition):
        burnt = burnt_share(carried, ignition)
        return (density * np.maximum(3 * burnt - 2, 1e-3) ** 2).sum()

    simple = dict(vt.Combustion(ignition=700.0)._core_combustion())
    assert mass(**simple) == pytest.approx(wanted(700.0), rel=1e-5)
    slow = dict(vt.Combustion("arrhenius", rate=1e3, activation=6000.0)._core_combustion())
    assert mass(**slow) == pytest.approx(wanted(6000 / np.log(1e3)), rel=1e-5)
    lazy = dict(vt.Combustion("arrhenius", rate=2.0, activation=600.0)._core_combustion())
    assert mass(**lazy) == pytest.approx(wanted(600.0), rel=1e-5)
    assert mass(**{**simple, "ignition": 0.0}) == pytest.approx(wanted(1e-9), rel=1e-5)
    assert mass() == pytest.approx(wanted(500.0), rel=1e-5)
    assert mass(**simple) > 1.02 * mass()
    with pytest.raises(ValueError, match="combustion.rate"):
        mass(**{**simple, "rate": -1.0})


@pytest.mark.slow
def test_volumes_of_a_simulation_and_of_its_bake_know_the_law(tmp_path):
    """Fuel at 600 K: of one law it burns, of the other it is smoke."""
    masses = []
    for ignition in (500.0, 900.0):
        scene = vt.Scene(
            "pool", combustion=vt.Combustion(ignition=ignition, mixing=0, radiation=0), voxel=0.05
        )
        pool = {"temperature": 600, "fuel": 0.5, "renew": 0, "core": 0.1}
        scene.add(vt.Emitter(vt.Sphere((0, 0, 0), 0.3), **pool))
        sim = vt.Simulation(scene, threads=1)
        _ = sim.tracers.temperature, sim.tracers.fuel
        sim.step()
        masses.append(sim.volume(0.05).info()["mass"])
        vt.bake(scene, tmp_path / str(ignition), frames=(1, 2), tracers=True)
        *_, baked = open_shot(tmp_path / str(ignition))
        assert baked.info()["mass"] == pytest.approx(masses[-1], rel=1e-3)
    assert masses[1] > 3 * masses[0]


def test_a_uniform_value_stays_what_it_is():
    """Few tracers, a wide filter: the mean does not feel how many there are."""
    position, density, size = cloud(3_000)
    volume = Volume(
        position,
        density,
        2 * size,
        H,
        temperature=np.full(3_000, 1234.5),
        flame=np.full(3_000, 0.25),
    )
    first, shape = box_around(position)
    dense = volume.values("coverage", first, shape) > 0
    assert np.abs(volume.values("temperature", first, shape)[dense] - 1234.5).max() < 1e-3
    assert np.abs(volume.values("flame", first, shape)[dense] - 0.25).max() < 1e-6
    info = volume.info
    assert (info.coldest, info.hottest) == pytest.approx((1234.5, 1234.5), rel=1e-6)
    assert info.ambient_temperature == 293.15
    assert info.mass == pytest.approx(density.sum(dtype=float) * LITTLE**2, rel=1e-4)


def test_volume_of_the_flame(burning, volume):
    position, _, _, carried = burning
    first, shape = box_around(position)
    flame, coverage = (volume.values(n, first, shape).astype(float) for n in ("flame", "coverage"))
    expected = (flame * np.minimum(coverage, 1)).sum() * H**3
    assert volume.info.flame_volume == pytest.approx(expected, rel=1e-6)
    assert 0 < expected < (2.2) ** 3 * carried["flame"].max()


def test_same_bits_for_any_number_of_threads(burning):
    position, density, size, carried = burning
    first, shape = box_around(position)

    def values(threads):
        v = Volume(position, density, size, H, threads=threads, **carried)
        fields = [v.values(n, first, shape) for n in ("temperature", "fuel", "flame", "coverage")]
        return [v.density(first, shape), *fields], v.encode(heat_name="heat"), bytes(v.info)

    expected = values(1)
    for threads in (2, 3, 8):
        found = values(threads)
        for one, other in zip(found[0], expected[0]):
            assert np.array_equal(one, other)
        assert found[1:] == expected[1:]


def test_what_is_not_carried_is_refused_and_what_is_empty_is_not():
    position, density, size = cloud(100)
    plain = Volume(position, density, size, H)
    for field in ("temperature", "fuel", "flame", "coverage"):
        with pytest.raises(VolumeError, match=f"carry no {field}"):
            plain.values(field, (0, 0, 0), (2, 2, 2))
    assert library.vt_volume_values(plain.handle, 9, None, None, None) == INVALID_ARGUMENT
    none = np.zeros(0)
    empty = Volume(
        np.zeros((0, 3)), none, none, H, temperature=none, flame=none, ambient_temperature=280.0
    )
    assert np.all(empty.values("temperature", (0, 0, 0), (2, 2, 2)) == 280)
    assert np.all(empty.values("flame", (0, 0, 0), (2, 2, 2)) == 0)
    assert empty.info.hottest == 0


@pytest.mark.parametrize(
    "name, value, status",
    [
        ("temperature", 0.0, INVALID_ARGUMENT),
        ("temperature", -5.0, INVALID_ARGUMENT),
        ("temperature", np.nan, NOT_FINITE),
        ("temperature", np.inf, NOT_FINITE),
        ("fuel", -0.1, INVALID_ARGUMENT),
        ("flame", np.nan, NOT_FINITE),
        ("smoke", np.inf, NOT_FINITE),
    ],
)
def test_bad_rows_are_named(name, value, status):
    position, density, size = cloud(1000)
    values = np.ones(1000)
    values[417] = value
    with pytest.raises(VolumeError, match=f"{name} of tracer row 417 is") as error:
        Volume(position, density, size, H, **{name: values})
    assert error.value.status == status


@pytest.mark.parametrize("ambient", [0.0, -3.0, np.nan, np.inf])
def test_bad_ambient_temperature(ambient):
    with pytest.raises(VolumeError, match="ambient_temperature is .*; allowed is > 0 to 1e.06 K"):
        Volume(*cloud(10), H, temperature=np.full(10, 300.0), ambient_temperature=ambient)


def test_a_field_too_large_for_a_float_is_refused():
    position, density, size = cloud(1000)
    with pytest.raises(VolumeError, match="temperature of a voxel of 0.1 m is too large"):
        Volume(position, density * 1e33, size, H, temperature=np.full(1000, 3e38))


# ---- simulations ----


@pytest.fixture(scope="module")
def plume():
    scene = vt.Scene("plume", seed=2, voxel=0.04)
    scene.add(vt.Emitter(vt.Disk(radius=0.25, thickness=0.1), temperature=600, core=0.08))
    sim = vt.Simulation(scene, fps=24)
    sim.step(20)
    return sim


def total(volume, voxel):
    """Mass, centroid and mass-weighted mean temperature of a volume."""
    info = volume.info()
    first = np.floor(np.array(info["lower"]) / voxel).astype(int) - 1
    shape = np.ceil((np.array(info["upper"]) - info["lower"]) / voxel).astype(int) + 3
    density = volume.density(first, shape).astype(float)
    heat = (density * volume.values("temperature", first, shape)).sum() / density.sum()
    return info["mass"], np.array(info["centroid"]), heat


def test_e5_two_voxel_sizes_from_one_motion(plume):
    coarse, fine = (total(plume.volume(h), h) for h in (0.04, 0.02))
    tracers = plume.tracers
    mass = tracers.density.astype(float)
    centroid = (tracers.position * mass[:, None]).sum(0) / mass.sum()
    temperature = (tracers.temperature * mass).sum() / mass.sum()
    length = np.ptp(tracers.position[:, 2])
    for found in (coarse, fine):
        assert found[0] == pytest.approx(mass.sum(), rel=1e-5)
        assert np.abs(found[1] - centroid).max() < 1e-4 * length
        assert found[2] - 293.15 == pytest.approx(temperature - 293.15, rel=1e-2)
    assert temperature > 320


def heat_of(volume, voxel):
    """Sum of density x volume x (temperature - ambient), kg K, and its centroid, m."""
    info = volume.info()
    first = np.floor(np.array(info["lower"]) / voxel).astype(int) - 1
    shape = np.ceil((np.array(info["upper"]) - info["lower"]) / voxel).astype(int) + 3
    heat = volume.density(first, shape) * (volume.values("temperature", first, shape) - 293.15)
    heat = heat.astype(float) * voxel**3
    axes = [voxel * (f + np.arange(n)) for f, n in zip(first, shape, strict=True)]
    z, y, x = np.meshgrid(axes[2], axes[1], axes[0], indexing="ij")
    return heat.sum(), np.array([(heat * c).sum() for c in (x, y, z)]) / heat.sum()


def test_e5_two_voxel_sizes_hold_the_same_heat_at_the_same_place(plume):
    (coarse, at), (fine, there) = (heat_of(plume.volume(h), h) for h in (0.04, 0.02))
    tracers = plume.tracers
    weight = tracers.density.astype(float) * (tracers.temperature.astype(float) - 293.15)
    centroid = (tracers.position * weight[:, None]).sum(0) / weight.sum()
    length = np.ptp(tracers.position[:, 2])
    assert coarse == pytest.approx(fine, rel=0.01)
    assert np.abs(at - there).max() < 0.01 * length
    for heat, place in ((coarse, at), (fine, there)):
        assert heat == pytest.approx(weight.sum(), rel=0.01)
        assert np.abs(place - centroid).max() < 0.01 * length


def test_only_simulations_that_carry_heat_have_the_field(plume):
    assert plume.volume().fields() == ("temperature",)
    assert plume.volume().info()["hottest"] > 400
    still = vt.Simulation()
    still.tracers.add(np.zeros((4, 3)), density=1, size=0.1)
    assert still.volume(0.1).fields() == ()


def test_grown_tracers_spread_what_they_carry():
    scene = vt.Scene("grow", voxel=0.05)
    scene.add(vt.Emitter(vt.Sphere(radius=0.2), temperature=700, renew=0, per_voxel=2))
    sim = vt.Simulation(scene, fps=24)
    sim.step()
    sim.tracers.growth[:] = 3.0
    sim.step(4)
    assert sim.tracers.size.max() > 0.3
    mass, _, temperature = total(sim.volume(0.05), 0.05)
    weight = sim.tracers.density.astype(float)
    assert mass == pytest.approx(weight.sum(), rel=1e-5)
    wanted = (sim.tracers.temperature * weight).sum() / weight.sum()
    assert temperature == pytest.approx(wanted, rel=2e-3)


def test_a_bake_keeps_what_is_needed_to_derive_again(plume, tmp_path):
    manifest = vt.bake(plume.scene, tmp_path, frames=(1, 3), progress=False)
    assert manifest.data["volumes"]["grids"] == {
        "density": "density",
        "velocity": "velocity",
        "temperature": "temperature",
        "heat": "heat",
    }
    columns = tracer_files.read(manifest.file(3, ".npz"))
    assert set(columns) == {*tracer_files.COLUMNS, "temperature"}
    sim = vt.Simulation(plume.scene, fps=24)
    sim.step(2)
    again = _core.volume_from_tracers(
        **{n: columns[n] for n in ("position", "density", "size", "temperature")},
        voxel_size=0.04,
        ambient_temperature=293.15,
    )
    ours, derived = total(sim.volume(0.04), 0.04), total(again, 0.04)
    assert derived[0] == pytest.approx(ours[0], rel=1e-6)
    assert derived[2] == pytest.approx(ours[2], rel=1e-6)
    raw = manifest.file(3, ".vdb").read_bytes()
    assert b"temperature" in raw and b"heat" in raw and b"flame" not in raw
