"""Bad input of fire: errors that name the emitter, its value and what is allowed."""

import pytest

import vorton as vt
from vorton import _core

ROOM = vt.Box((-1, -1, 0), (1, 1, 2))
FLOOR = vt.Plane((0, 0, 0), (0, 0, -1))  # the fluid is behind it
WALLS = vt.Plane((-1, 0, 0), (-1, 0, 0)), vt.Plane((1, 0, 0), (1, 0, 0))


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
    yield scene_of(FIRE, vt.Container([FLOOR, *WALLS]))
    yield scene_of(FIRE, vt.Container(ROOM), method=vt.Method(expansion=0))
    yield scene_of(FIRE, vt.Container(ROOM), combustion=vt.Combustion(heat=0))
    yield scene_of(FIRE, vt.Container(ROOM), ambient=vt.Water())
    yield scene_of({"temperature": 500}, vt.Container(ROOM))
    yield scene_of(FIRE, vt.Body(vt.Sphere((0, 0, 1), 0.2)))


@pytest.mark.parametrize("scene", open_rooms())
def test_what_has_room_or_does_not_expand_may_burn(scene):
    sim = vt.Simulation(scene)
    sim.step()
    assert sim.vortons.count > 0


def test_the_library_refuses_it_in_either_order():
    """And changes nothing."""
    law = {"law": "simple"}
    sphere = {"kind": "sphere", "center": (0, 0, 0.5), "radius": 0.1}
    box = vt.Box((-1, -1, 0), (1, 1, 2))._core_shape()

    def fire(core, fuel):
        core.add_parcels(shape=sphere, core=0.05, rate=0.0, temperature=900.0, fuel=fuel)

    def room(core):
        core.add_body(shapes=[box], hole=True, name="room")

    core = _core.Simulation(combustion=law)
    fire(core, 0.5)
    with pytest.raises(ValueError, match="body 'room' is a closed container.*emitter 0 of parcels"):
        room(core)
    assert core.bodies() == []
    core = _core.Simulation(combustion=law)
    room(core)
    fire(core, 0.0)
    with pytest.raises(ValueError, match="body 'room' is a closed container.*emitter 1 of parcels"):
        fire(core, 0.5)
