"""Rings, jets, filaments, tubes and clouds whose fluid is hot, heavy, smoky, or burns."""

import numpy as np
import pytest
from hand_made import is_neutral

import vorton as vt
from vorton import Keys, _core

GRAVITY = 9.81
FIRE = {"temperature": 900.0, "fuel": 0.5, "flame": 0.1, "soot": 0.2}
LOOP = [(np.cos(a), np.sin(a), 0.3 * np.sin(2 * a)) for a in np.linspace(0, 2 * np.pi, 9)[:-1]]
LINES = {
    "ring": (vt.VortexRing, {"radius": 0.5, "core": 0.15}),
    "filament": (vt.Filament, {"points": LOOP, "closed": True, "core": 0.2}),
    "tube": (vt.VortexTube, {"core": 0.2}),
    "cloud": (vt.RandomCloud, {"shape": vt.Sphere(radius=0.5), "eddy": 0.5}),
    "jet": (vt.Jet, {"radius": 0.3, "speed": 2.0, "layers": 0, "wobble": 0.0}),
}


def make(kind, **values):
    definition, own = LINES[kind]
    return definition(**own, **values)


def simulate(*sources, fps=24, threads=1, **scene):
    made = vt.Scene(**{"combustion": vt.Combustion(), "voxel": 0.1, **scene})
    for source in sources:
        made.add(source)
    return vt.Simulation(made, fps=fps, threads=threads)


def carried(sim):
    return {name: getattr(sim.vortons, name) for name in ("temperature", "density", *SHARES)}


SHARES = ("fuel", "flame", "smoke")


@pytest.mark.parametrize("kind", ["ring", "filament", "tube", "cloud"])
@pytest.mark.parametrize("time", [0.0, 1e-4])
def test_all_vortons_carry_what_the_source_says(kind, time):
    """Those born at once, and those born inside a step."""
    sim = simulate(make(kind, time=time, density=0.1, **FIRE), method=vt.Method(halo=0))
    plain = simulate(make(kind, time=time), method=vt.Method(halo=0))
    if time > 0:
        sim.advance(time * (1 + 1e-9))
        plain.advance(time * (1 + 1e-9))
    assert sim.vortons.count == plain.vortons.count > 0
    wanted = {"temperature": 900, "density": 0.1, "fuel": 0.5, "flame": 0.1, "smoke": 0.2}
    for name, values in carried(sim).items():
        np.testing.assert_allclose(values, wanted[name], rtol=1e-6)
    np.testing.assert_array_equal(plain.vortons.fuel, 0)


def test_what_is_not_said_is_as_in_the_ambient_fluid():
    air = vt.Air(stratification=10.0)
    sim = simulate(make("filament", soot=0.25), ambient=air)
    v = sim.vortons
    np.testing.assert_allclose(v.temperature, 293.15 + 10 * v.position[:, 2], rtol=1e-6)
    np.testing.assert_array_equal(v.smoke, np.float32(0.25))


def test_pulses_of_a_jet_carry_what_its_fluid_is_at_their_birth():
    keys = Keys([(0, 400.0), (1, 1400.0)])
    fuel = Keys([(0, 0.0), (1, 0.8)])
    still = {
        "method": vt.Method(halo=0),
        "combustion": vt.Combustion(rate=1e-9, radiation=0, mixing=0),
    }
    sim = simulate(make("jet", rate=10, temperature=keys, fuel=fuel), **still)
    sim.advance(0.55)
    v = sim.vortons
    pulse = np.round((0.55 - v.age.astype(float)) * 10)
    assert set(pulse) == {0, 1, 2, 3, 4, 5}
    np.testing.assert_allclose(v.temperature, 400 + 100 * pulse, rtol=1e-5)
    np.testing.assert_allclose(v.fuel, 0.08 * pulse, rtol=1e-5, atol=1e-9)


def mass_at_birth(sources):
    """kg: volume x density of the gas at the temperature of its fluid."""
    sim = simulate(*sources, method=vt.Method(halo=0))
    air = sim.scene.ambient
    return air.density * air.temperature / 900.0 * sim.vortons.volume.astype(float).sum()


@pytest.mark.parametrize("kind", ["ring", "filament"])
def test_books_of_a_vortex_that_burns(kind):
    """What it brought, what it burnt, what it lost: NumPy, and health."""
    source = make(kind, **FIRE)
    sim = simulate(source, method=vt.Method(buoyancy="none", stretching="none", halo=0))
    c = sim.scene.combustion
    brought = mass_at_birth([source]) * c.heat_capacity * (900.0 - 293.15)
    assert sim.health.heat == pytest.approx(brought, rel=1e-5)
    sim.step(12)
    h = sim.health
    assert h.heat_brought == pytest.approx(brought, rel=1e-5)
    burnt = mass_at_birth([source]) * (0.5 - sim.vortons.fuel.astype(float).mean())
    assert h.heat_released == pytest.approx(c.heat * burnt, rel=1e-4)
    assert h.heat_released > 0.9 * c.heat * 0.5 * mass_at_birth([source])
    books = h.heat_released - h.heat_radiated - h.heat_mixed + h.heat_brought
    assert h.heat == pytest.approx(books, abs=1e-4 * h.heat_released)


def test_books_of_a_flame_thrower():
    """A jet of fuel with buoyancy, expansion and neutral fluid around it."""
    jet = make("jet", temperature=900.0, fuel=0.9, end=0.3)
    sim = simulate(jet)
    sim.step(12)
    h = sim.health
    assert h.heat_released > 1000 and h.heat_brought > 0
    books = h.heat_released - h.heat_radiated - h.heat_mixed + h.heat_brought
    assert h.heat == pytest.approx(books, abs=1e-4 * h.heat_released)
    ring = vt.VortexRing(radius=0.3, core=0.25 * 0.3, layers=0)
    one = mass_at_birth([ring])
    pulses = int(np.ceil(0.3 * 2.0 / (2.75 * ring.core)))
    fuel = sim.scene.combustion.heat * 0.9 * one * pulses
    assert 0.9 * fuel < h.heat_released < 1.0001 * fuel


@pytest.mark.parametrize("temperature", [280.0, 330.0])
def test_b1_impulse_of_a_warm_ring_grows_by_its_buoyancy(temperature):
    """d(impulse)/dt = -g sum of rho' V / rho0, where the grid does not look between its vortons."""
    ring = {"radius": 1.0, "core": 0.3, "vorton_core": 0.1, "circulation": 1e-6}
    flow = {"cleaning": 0.0, "exchange": 0.0, "balance": "none", "buoyancy": "boussinesq"}
    source = vt.VortexRing(**ring, temperature=temperature)
    sim = simulate(source, combustion=None, spacing=0.1, method=vt.Method(expansion=0, **flow))
    sim.advance(1e-3)
    before = np.array(sim.health.impulse)
    sim.advance(1e-3)
    grown = (np.array(sim.health.impulse) - before) / 1e-3
    warm = np.abs(sim.vortons.temperature - 293.15) > 1
    volume = sim.vortons.volume[warm].astype(float).sum()
    wanted = GRAVITY * (1 - 293.15 / temperature) * volume
    assert grown[2] == pytest.approx(wanted, rel=0.02)
    assert np.abs(grown[:2]).max() < 0.01 * abs(wanted)


@pytest.mark.slow
def test_a_ring_that_says_nothing_takes_up_the_fluid_around_it():
    smoke = {"temperature": 400.0, "renew": 0, "core": 0.12}
    ball = vt.Emitter(vt.Sphere(radius=0.9), **smoke)
    ring = {"radius": 0.4, "core": 0.15, "time": 0.01}
    silent = simulate(ball, vt.VortexRing(**ring))
    cold = simulate(ball, vt.VortexRing(**ring, temperature=293.15))
    alone = simulate(ball)
    for sim in (alone, silent, cold):
        for dt in (0.02, 0.05, 0.05):  # they are looked after every few steps
            sim.advance(dt)
    heat = []
    for sim in (alone, silent, cold):
        warmth = sim.vortons.temperature.astype(float) - 293.15
        heat.append(np.dot(warmth, sim.vortons.volume))
    assert heat[1] == pytest.approx(heat[0], rel=5e-3)  # a ring more of it would be a fifth
    for sim, least, most in ((silent, 373, 400), (cold, 293, 294)):
        v = sim.vortons
        own = v.temperature[(v.core < 0.1) & ~is_neutral(v.flags)]  # not the neutral ones beside it
        assert len(own) > 100 and least < np.median(own) < most


@pytest.mark.parametrize("kind", LINES)
def test_json_round_trip(kind):
    scene = vt.Scene(combustion=vt.Combustion())
    scene.add(make(kind, density=-0.5, **FIRE))
    scene.add(make(kind))
    if kind == "jet":
        scene.add(
            make(kind, fuel=Keys([(0, 0.0), (1, 1.0)]), temperature=Keys([(0, 300), (1, 900)]))
        )
    again = vt.Scene.from_json(scene.to_json())
    assert again == scene and again.sources == scene.sources
    assert scene.sources[0] != scene.sources[1]
    assert not {"temperature", "soot"} & set(scene.sources[1].to_dict())  # as before there were any


def test_json_round_trip_of_an_emitter_with_flame():
    emitter = vt.Emitter(vt.Sphere(radius=0.2), renew=0, temperature=900, flame=0.3, soot=0.1)
    scene = vt.Scene(combustion=vt.Combustion(), voxel=0.1)
    scene.add(emitter)
    assert vt.Scene.from_json(scene.to_json()) == scene
    sim = vt.Simulation(scene, threads=1)
    sim.advance(1e-6)
    assert sim.vortons.flame.max() == pytest.approx(0.3, rel=1e-3)
    assert sim.vortons.smoke.max() == pytest.approx(0.1, rel=1e-3)


@pytest.mark.parametrize("kind", [*LINES, "emitter"])
@pytest.mark.parametrize(
    "values, words",
    [
        ({"temperature": 0}, "temperature = 0: .*> 0"),
        ({"temperature": -5.0}, "temperature = -5.0: .*> 0"),
        ({"temperature": float("nan")}, "temperature = nan"),
        ({"fuel": -0.1}, "fuel = -0.1: .*0 to 1"),
        ({"flame": 1.5}, "flame = 1.5: .*0 to 1"),
        ({"soot": "black"}, "soot = 'black'"),
        ({"density": 1e7}, "density = 10000000.0"),
        (
            {"fuel": 0.5, "flame": 0.4, "soot": 0.2},
            r"fuel \+ flame \+ soot are up to 0.5 \+ 0.4 \+",
        ),
    ],
)
def test_bad_input_names_the_source(kind, values, words):
    name = "Emitter" if kind == "emitter" else LINES[kind][0].__name__
    with pytest.raises((ValueError, TypeError), match=f"{name}.{words}|{name}: {words}"):
        if kind == "emitter":
            vt.Emitter(vt.Sphere(radius=0.2), **values)
        make(kind, **values)


@pytest.mark.parametrize("kind", LINES)
def test_fuel_that_cannot_burn_names_the_source(kind):
    name = LINES[kind][0].__name__
    with pytest.raises(ValueError, match=rf"sources\[0\]: {name}\.fuel = 0\.5: .*no law"):
        simulate(make(kind, fuel=0.5), combustion=None)
    scene = vt.Scene(combustion=vt.Combustion(), voxel=0.1)
    scene.add(make(kind, **FIRE))
    scene.add(vt.Container(vt.Box((-3, -3, -3), (3, 3, 3)), name="room"))
    with pytest.raises(ValueError, match=rf"sources\[0\]: {name}\.fuel = 0\.5: .*'room'"):
        vt.Simulation(scene)
    with pytest.raises(ValueError, match=rf"sources\[0\]: {name}\.density = -1\.3: .*> -1\.2041"):
        simulate(make(kind, density=-1.3))


@pytest.mark.parametrize("kind", LINES)
@pytest.mark.parametrize("time", [0.0, 1.0])
def test_sources_hotter_than_a_liquid_can_be_are_refused(kind, time):
    """1 - 0.1 (T - 293.15) is .05 at 302.65 K."""
    born = {"start" if kind == "jet" else "time": time}
    for temperature in (302.6, 302.7):
        scene = vt.Scene(ambient=vt.Liquid(expansion=0.1), voxel=0.1)
        scene.add(make(kind, temperature=temperature, **born))
        if temperature < 302.65:
            assert vt.Simulation(scene).time == 0
        else:
            with pytest.raises(ValueError, match=r"sources\[0\]: .* at 302.7 K the density"):
                vt.Simulation(scene)


@pytest.mark.parametrize("density", [-1.3, [0, -1.3]])
def test_vortons_at_points_weigh_something(density):
    spots, strengths = [(0, 0, 0), (1, 0, 0)], [(0, 0, 1), (0, 0, 1)]
    source = vt.VortonPoints(spots, strengths, core=0.1, volume=1e-3, density=density)
    with pytest.raises(ValueError, match=r"sources\[0\]: VortonPoints\.density = .*> -1\.2041"):
        simulate(source)


@pytest.mark.parametrize(
    "fluid, words",
    [
        ({"temperature": -1.0}, "ring: temperature is -1; allowed is > 0"),
        ({"density": 1e7}, "ring: density is 1e.07"),
        ({"smoke": 1.5}, "ring: smoke is 1.5"),
        ({"fuel": 0.5}, "ring: fuel is up to 0.5 .* without a law"),
        ({"flame": 0.6, "smoke": 0.6}, "ring: fuel . flame . smoke are up to 0 . 0.6 . 0.6"),
    ],
)
def test_the_library_refuses_bad_fluid_and_changes_nothing(fluid, words):
    core = _core.Simulation()
    with pytest.raises(ValueError, match=words):
        core.add("ring", fluid=fluid)
    with pytest.raises(TypeError, match="heat"):
        core.add("ring", fluid={"heat": 1.0})
    assert core.count("vortons") == 0


@pytest.mark.slow
def test_the_library_refuses_fuel_in_a_closed_container_in_either_order():
    box = vt.Box((-2, -2, -2), (2, 2, 2))._core_shape()
    fire = {"fluid": {"fuel": 0.5, "temperature": 900.0}, "core": 0.3}
    core = _core.Simulation(combustion={"law": "simple"})
    core.add("body", shapes=[box], hole=True, name="room")
    with pytest.raises(ValueError, match="'room' is a closed container.*of ring 0 .fuel"):
        core.add("ring", **fire)
    assert core.count("vortons") == 0
    core = _core.Simulation(combustion={"law": "simple"})
    core.add("jet", fluid={"temperature": 400.0})
    core.add("ring", **fire, time=1.0)
    with pytest.raises(ValueError, match="'room' is a closed container.*of ring 1 .fuel"):
        core.add("body", shapes=[box], hole=True, name="room")


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2, 5])
def test_e1_burning_jets_have_the_same_bits_for_any_number_of_threads(threads):
    def run(count):
        sim = simulate(make("jet", temperature=900.0, fuel=0.9), threads=count)
        sim.step(4)
        return sim.vortons.position.copy(), sim.vortons.temperature.copy()

    for one, other in zip(run(1), run(threads), strict=True):
        np.testing.assert_array_equal(one, other)


def test_e1_a_copy_goes_on_with_the_same_bits():
    fuel = Keys([(0, 0.0), (0.3, 0.9)])
    sim = simulate(make("jet", temperature=900.0, fuel=fuel), make("ring", time=0.2, **FIRE))
    sim.step(3)
    other = sim.copy()
    for each in (sim, other):
        each.step(4)
    np.testing.assert_array_equal(sim.vortons.fuel, other.vortons.fuel)
    np.testing.assert_array_equal(sim.vortons.position, other.vortons.position)
