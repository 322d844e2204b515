"""Bad input of fire: errors that name the emitter, its value and what is allowed."""

import dataclasses
import warnings

import numpy as np
import pytest
from hand_made import is_neutral

import vorton as vt
from vorton import Keys, _core

ROOM = vt.Box((-1, -1, 0), (1, 1, 2))
FLOOR = vt.Plane((0, 0, 0), (0, 0, -1))  # the fluid is behind it
WALLS = vt.Plane((-1, 0, 0), (1, 0, 0)), vt.Plane((1, 0, 0), (-1, 0, 0))  # of an open room


def scene_of(emitter=None, body=None, **values):
    """Emitter number 1 of a scene whose first source is another."""
    scene = vt.Scene(**{"voxel": 0.05, "combustion": vt.Combustion(), **values})
    scene.add(vt.Tracers(vt.Sphere((0, 0, 0.5), 0.1), count=5))
    if emitter is not None:
        bed = {"shape": vt.Sphere((0, 0, 0.5), 0.1), "renew": 0, "core": 0.05}
        scene.add(vt.Emitter(**{**bed, **emitter}))
    if body is not None:
        scene.add(body)
    return scene


FIRE = {"temperature": 900, "fuel": 0.5}


@pytest.mark.parametrize("value", [0, -5.0, float("nan"), float("inf")])
def test_temperatures_that_are_none(value):
    with pytest.raises(ValueError, match=r"Emitter\.temperature.*> 0"):
        scene_of({"temperature": value})
    with pytest.raises(ValueError, match=r"sources\[1\].*Emitter\.temperature"):
        data = scene_of({"temperature": 500}).to_dict()
        data["sources"][1]["temperature"] = value
        vt.Scene.from_dict(data)


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_shares_of_fuel_that_are_none(value):
    with pytest.raises(ValueError, match=r"Emitter\.fuel.*0 to 1"):
        scene_of({"fuel": value, "temperature": 500})


@pytest.mark.parametrize("value", [-1.2, -5.0, Keys([(0, 0.0), (1, -2.0)])])
def test_fluid_of_less_than_nothing(value):
    air = vt.Gas(density=1.2)
    with pytest.raises(ValueError, match=r"sources\[1\]: Emitter\.density = .*> -1\.2"):
        vt.Simulation(scene_of({"density": value}, ambient=air))
    vt.Simulation(scene_of({"density": -1.1}, ambient=air))
    vt.Simulation(scene_of({"density": -5.0}, ambient=vt.Water()))


def test_shares_that_are_more_than_all():
    sim = vt.Simulation(scene_of())
    with pytest.raises(ValueError, match="fuel"):
        sim.vortons.add([[0, 0, 0]], [[0, 0, 0]], core=0.1, volume=1e-3, fuel=0.7, smoke=0.5)
        sim.step()
    with pytest.raises(ValueError, match="flame"):
        sim.vortons.add([[0, 0, 0]], [[0, 0, 0]], core=0.1, volume=1e-3, flame=1.5)


def test_fuel_without_a_law():
    with pytest.raises(ValueError, match=r"sources\[1\]: Emitter\.fuel = 0\.5: .*no law"):
        vt.Simulation(scene_of(FIRE, combustion=None))
    sim = vt.Simulation(scene_of(combustion=None))
    with pytest.raises(ValueError, match=r"fuel = 0\.5: .*no law"):
        sim.vortons.add([[0, 0, 0]], [[0, 0, 0]], core=0.1, volume=1e-3, fuel=0.5)
    assert sim.vortons.count == 0


@pytest.mark.parametrize("fluid", [vt.Air, vt.Gas, vt.Water])
def test_ambient_fluid_that_would_turn_over(fluid):
    with pytest.raises(ValueError, match=rf"{fluid.__name__}\.stratification = -1\.0"):
        fluid(stratification=-1.0)


def test_gas_that_burns_in_a_closed_container():
    """It expands, and what is in a container cannot be pressed together."""
    for room in (ROOM, [FLOOR, ROOM]):
        scene = scene_of(FIRE, vt.Container(room, name="room"))
        with pytest.raises(
            ValueError, match=r"sources\[1\]: Emitter\.fuel = 0\.5: .*bodies\[0\].*'room'"
        ):
            vt.Simulation(scene)


def open_rooms():
    walled = scene_of(FIRE)
    for plane in (vt.Plane((0, 0, 0), (0, 0, 1)), *WALLS):
        walled.add(vt.Body(plane))
    yield walled
    yield scene_of(FIRE, vt.Container(ROOM), method=vt.Method(expansion=0))
    yield scene_of(FIRE, vt.Container(ROOM), combustion=vt.Combustion(heat=0))
    yield scene_of(FIRE, vt.Container(ROOM), ambient=vt.Water())
    yield scene_of({"temperature": 500}, vt.Container(ROOM))
    yield scene_of(FIRE, vt.Body(vt.Sphere((0, 0, 1), 0.2)))


@pytest.mark.slow
@pytest.mark.parametrize("scene", list(open_rooms()))
def test_what_has_room_or_does_not_expand_may_burn(scene):
    sim = vt.Simulation(scene)
    sim.step()
    assert sim.vortons.count > 0


@pytest.mark.slow
def test_the_library_refuses_it_in_either_order():
    """And changes nothing."""
    law = {"law": "simple"}
    sphere = {"kind": "sphere", "center": (0, 0, 0.5), "radius": 0.1}
    box = vt.Box((-1, -1, 0), (1, 1, 2))._core_shape()

    def fire(core, fuel):
        fluid = {"temperature": 900.0, "fuel": fuel}
        core.add("emitter", shape=sphere, core=0.05, rate=0.0, fluid=fluid)

    def room(core):
        core.add("body", shapes=[box], hole=True, name="room")

    core = _core.Simulation(combustion=law)
    fire(core, 0.5)
    with pytest.raises(ValueError, match="body 'room' is a closed container.*emitter of parcels 0"):
        room(core)
    assert core.bodies() == []
    core = _core.Simulation(combustion=law)
    room(core)
    fire(core, 0.0)
    with pytest.raises(ValueError, match="body 'room' is a closed container.*emitter of parcels 1"):
        fire(core, 0.5)


@pytest.mark.slow
def test_fuel_written_into_a_closed_container_is_refused_and_nothing_changes():
    room = vt.Container(vt.Box((-1, -1, -1), (1, 1, 1)), name="room")
    scene = vt.Scene(combustion=vt.Combustion())
    scene.add(room)
    sim = vt.Simulation(scene, threads=1)
    sim.vortons.add(np.zeros((3, 3)), [[0, 0, 1.0]] * 3, core=0.2, volume=0.01, temperature=900.0)
    sim.advance(0.01)
    sim.vortons.fuel[1] = 0.25
    row = sim.vortons.id[1]
    before = {name: getattr(sim.vortons, name).copy() for name in ("position", "fuel", "age")}
    words = rf"vortons.fuel has 0.25 in row 1 \(id {row}\), but body 'room' is a closed container"
    with pytest.raises(ValueError, match=words):
        sim.advance(0.01)
    assert sim.time == 0.01
    assert all(np.array_equal(getattr(sim.vortons, n), values) for n, values in before.items())
    sim.vortons.fuel[:] = 0
    sim.advance(0.01)
    still = vt.Simulation(scene, threads=1, method=vt.Method(expansion=0))
    still.vortons.add(
        [[0, 0, 0.0]], [[0, 0, 1.0]], core=0.2, volume=0.01, temperature=900.0, fuel=0.5
    )
    still.advance(0.01)
    assert still.vortons.fuel[0] < 0.5


# ---- vortons at points that bring their fluid ----

PLACES = [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0]]
STILL = {"strengths": [[0, 0, 0]] * 3, "core": 0.2, "volume": 1e-3}
FLUID = {
    "density": 0.25,
    "temperature": [600, 700, 800],
    "fuel": [0, 0.5, 1],
    "flame": 0.0,
    "smoke": [0.25, 0, 0],
}


@pytest.mark.parametrize("time", [0.0, 0.03])
def test_points_bring_their_fluid(time):
    """At once, and in a later step; what is not given is ambient."""
    law = vt.Combustion(rate=1e-9, radiation=0, mixing=0)
    scene = vt.Scene(voxel=0.05, combustion=law, gravity=(0, 0, 0), method=vt.Method(halo=0))
    points = scene.add(vt.VortonPoints(PLACES, **STILL, **FLUID, time=time))
    scene.add(vt.VortonPoints([[3, 0, 0]], [[0, 0, 0]], core=0.2, volume=1e-3, time=time))
    again = vt.Scene.from_json(scene.to_json())
    assert again == scene
    sim = vt.Simulation(again)
    if time:
        assert sim.vortons.count == 0
        sim.step()
    assert sim.vortons.count == 4
    for name, values in FLUID.items():
        wanted = np.append(
            np.broadcast_to(np.float32(values), 3), [293.15, 0][name != "temperature"]
        )
        burnt = 1e-9 / 24  # at most, of the rate of the law in a frame
        off = np.abs(getattr(sim.vortons, name) - wanted).max()
        assert off <= 1e-6 * np.abs(wanted).max() + burnt
    assert points.temperature.tolist() == [600, 700, 800]


def test_the_fluid_of_points_burns():
    scene = vt.Scene(voxel=0.05, combustion=vt.Combustion(radiation=0, mixing=0))
    scene.add(vt.VortonPoints(PLACES, **STILL, temperature=900, fuel=0.5))
    sim = vt.Simulation(scene)
    sim.step(24)
    own = ~is_neutral(sim.vortons.flags)
    wanted = 0.5 * np.exp(-10)  # of the default rate, 10 / s
    assert sim.vortons.fuel[own] == pytest.approx(wanted, rel=1e-4)
    gained = 1.3e6 * (0.5 - wanted) / 1100
    assert sim.vortons.temperature[own] == pytest.approx(900 + gained, rel=1e-5)


@pytest.mark.parametrize(
    "values, words",
    [
        ({"temperature": 0}, r"VortonPoints\.temperature = 0"),
        ({"temperature": [300, -1, 300]}, r"VortonPoints\.temperature\[1\] = -1"),
        ({"fuel": 1.5}, r"VortonPoints\.fuel = 1\.5"),
        ({"smoke": [0, 0, 2]}, r"VortonPoints\.smoke\[2\] = 2"),
        ({"fuel": [0, 0.5]}, r"VortonPoints\.fuel has 2 values for 3 points"),
        ({"fuel": 0.7, "smoke": [0, 0.5, 0]}, r"fuel \+ flame \+ smoke are 1\.2"),
    ],
)
def test_bad_fluid_of_points(values, words):
    with pytest.raises(ValueError, match=words):
        vt.VortonPoints(PLACES, **STILL, **values)


def test_fuel_of_points_without_a_law_or_in_a_closed_container():
    points = vt.VortonPoints(PLACES, **STILL, fuel=[0, 0, 0.5])
    for values, words in (
        ({"combustion": None}, r"sources\[1\]: VortonPoints\.fuel.*no law"),
        ({"body": vt.Container(ROOM)}, r"sources\[1\]: VortonPoints\.fuel.*bodies\[0\]"),
    ):
        scene = scene_of(**values)
        scene.add(points)
        with pytest.raises(ValueError, match=words):
            vt.Simulation(scene)


@pytest.mark.parametrize(
    "values, words",
    [
        ({"fuel": [0.5]}, "row 0: fuel is up to 0.5 .*without a law"),
        ({"smoke": [1.5]}, r"vorton_points\.smoke has 1.5 in row 0; allowed is 0 to 1"),
        ({"smoke": [0.6], "flame": [0.6]}, r"row 0: fuel .* are up to 0 \+ 0.6 \+ 0.6 of"),
        ({"temperature": [0.0]}, r"vorton_points\.temperature has 0 in row 0"),
    ],
)
def test_the_library_refuses_bad_fluid_of_points(values, words):
    core = _core.Simulation()
    with pytest.raises(ValueError, match=words):
        core.add(
            "vorton_points",
            position=[[0, 0, 0]],
            strength=[[0, 0, 0]],
            core=[0.1],
            volume=[1e-3],
            **values,
        )
    assert core.count("vortons") == 0


# ---- gas that becomes warmer in a closed container, without fire ----


CUBE = vt.Box((-1, -1, -1), (1, 1, 1))


@pytest.mark.slow
@pytest.mark.parametrize(
    "warm",
    [
        vt.Body(vt.Sphere(radius=0.2), name="stove", temperature=500.0),
        vt.Body(vt.Sphere(radius=0.2), name="stove", density=50.0, specific_heat=500.0),
    ],
    ids=["held", "free"],
)
def test_a_body_that_heats_gas_in_a_closed_container_is_refused(warm):
    scene = vt.Scene()
    scene.add(warm)
    scene.add(vt.Container(CUBE, name="room"))
    with pytest.raises(ValueError, match=r"bodies\[0\]: Body 'stove' exchanges heat.*'room'"):
        vt.Simulation(scene)
    nameless = vt.Scene()
    nameless.add(dataclasses.replace(warm, name=""))
    nameless.add(vt.Container(CUBE))
    words = r"bodies\[0\]: Body exchanges heat.*in bodies\[1\], the closed Container; make"
    with pytest.raises(ValueError, match=words):
        vt.Simulation(nameless)
    vt.Simulation(scene, method=vt.Method(expansion=0)).step()
    scene = vt.Scene(ambient=vt.Water())
    scene.add(warm)
    scene.add(vt.Container(CUBE, name="room"))
    vt.Simulation(scene)


@pytest.mark.slow
def test_the_library_refuses_warm_bodies_in_closed_containers_too():
    core = _core.Simulation()
    core.add("body", shapes=[CUBE._core_shape()], hole=True, name="room")
    core.add("body", shapes=[vt.Sphere(radius=0.2)._core_shape()], name="stove", temperature=500.0)
    words = "body 'stove' exchanges heat, but body 'room' is a closed container"
    with pytest.raises(ValueError, match=words):
        core.step(0.01)
    assert core.time == 0


def test_gas_warmed_by_hand_in_a_closed_container_is_refused():
    """It would push through the walls; what is born warm has its volume already."""
    x = np.random.default_rng(2).uniform(-0.9, 0.9, (200, 3))
    scene = vt.Scene()
    scene.add(vt.Container(CUBE, name="room"))
    sim = vt.Simulation(scene, threads=1)
    temperature = np.where(x[:, 2] > 0, 400.0, 300.0)
    sim.vortons.add(x, 0 * x, core=0.3, volume=0.04, temperature=temperature)
    sim.advance(0.01)
    before = sim.vortons.temperature.copy()
    sim.vortons.temperature[:] *= 1.5
    with pytest.raises(ValueError, match=r"vortons.temperature has .* but body .room. is a closed"):
        sim.advance(0.01)
    sim.vortons.temperature[:] = before
    volume = sim.vortons.volume.sum(dtype=float)
    sim.advance(0.01)
    assert sim.vortons.volume.sum(dtype=float) == pytest.approx(volume, rel=1e-3)


# ---- liquids without a density, air steeper than a flame, nothing that rises ----


def test_liquids_so_hot_that_the_law_has_no_density_for_them_are_refused():
    ball = vt.Sphere((0, 0, 100), radius=0.2)
    for ambient, temperature, words in (
        (vt.Water(), 6000.0, "temperature of the parcels: at 6000 K.*-180.99"),
        (vt.Liquid(expansion=0.1), 400.0, "temperature of the parcels: at 400 K.*less than 302"),
        (vt.Liquid(stratification=100), 300.0, "ambient fluid around the parcels: at 10"),
    ):
        scene = vt.Scene(ambient=ambient)
        scene.add(vt.Emitter(ball, temperature=temperature, renew=1))
        with pytest.raises(ValueError, match=r"sources\[0\]: Emitter: " + words):
            vt.Simulation(scene)
    scene = vt.Scene(ambient=vt.Water())
    scene.add(vt.Emitter(ball, temperature=vt.Keys([(0, 300.0), (1, 6000.0)]), renew=1))
    with pytest.raises(ValueError, match="at 6000 K"):
        vt.Simulation(scene)
    scene = vt.Scene(ambient=vt.Water())
    scene.add(vt.Body(ball, name="iron", temperature=6000.0))
    with pytest.raises(ValueError, match="iron.*at 6000 K"):
        vt.Simulation(scene)
    sim = vt.Simulation(vt.Scene(ambient=vt.Water()), threads=1)
    sim.vortons.add(np.zeros((2, 3)), np.zeros((2, 3)), core=0.1, volume=1e-3, temperature=300.0)
    sim.vortons.temperature[1] = 6000.0
    with pytest.raises(ValueError, match="vortons.temperature has 6000 K in row 1"):
        sim.step()
    assert sim.time == 0


@pytest.mark.parametrize("kind", [vt.Air, vt.Water])
def test_ambient_fluid_is_no_steeper_than_a_flame(kind):
    with pytest.raises(ValueError, match=r"stratification = 1000000000.*0 to 1000"):
        kind(stratification=1e9)
    with pytest.raises(ValueError, match=r"ambient.stratification is 1e\+09; allowed is 0 to 1000"):
        _core.Simulation(ambient={"stratification": 1e9})


def test_the_rate_of_what_does_not_rise_must_be_given():
    scene = vt.Scene(gravity=(0, 0, 0))
    scene.add(vt.Emitter(vt.Sphere(), temperature=400))
    with pytest.raises(ValueError, match=r"sources\[0\]: Emitter: .*renew"):
        vt.Simulation(scene)


@pytest.mark.parametrize("velocity", ["direct", "tree"])
def test_bodies_without_the_grid_are_warned_of(velocity):
    """The flow goes through them; particles stop."""
    scene = vt.Scene(wind=(1, 0, 0), method=vt.Method(velocity=velocity))
    scene.add(vt.Body(vt.Sphere(), "buoy"))
    words = rf"bodies\[0\]: Body 'buoy': .*'{velocity}'.*the flow does not know"
    with pytest.warns(UserWarning, match=words):
        vt.Simulation(scene)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vt.Simulation(scene, method=scene.method.replace(bodies="none"))
        vt.Simulation(scene, method=vt.Method())


@pytest.mark.parametrize("velocity", ["direct", "tree"])
def test_emitters_without_the_grid_are_warned_of(velocity):
    """Their fluid stays where it is."""
    scene = vt.Scene(method=vt.Method(velocity=velocity))
    scene.add(vt.Emitter(vt.Sphere(), temperature=400, core=0.5, smoke=0))
    words = rf"sources\[0\]: Emitter: .*'{velocity}'.*neither rises nor sinks"
    with pytest.warns(UserWarning, match=words):
        sim = vt.Simulation(scene)
    sim.step(6)
    assert np.all(sim.vortons.velocity == 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim = vt.Simulation(scene, method=vt.Method())
        sim.step(6)
    assert sim.vortons.velocity[:, 2].max() > 0
    with pytest.warns(UserWarning, match=words):
        sim.method = scene.method


@pytest.mark.parametrize(
    "fluid, words",
    [({"fuel": 0.5}, "for fuel above Combustion.ignition"), ({"flame": 1}, "flame glows, but")],
)
def test_cold_fire_is_told_what_it_lacks(fluid, words):
    scene = vt.Scene(combustion=vt.Combustion())
    scene.add(vt.Emitter(vt.Sphere(), **fluid))
    with pytest.raises(ValueError, match=words) as caught:
        vt.Simulation(scene, threads=1)
    assert ("ignition" in str(caught.value)) == ("fuel" in fluid)
