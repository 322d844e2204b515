"""Every function and method of the extension with wrong arguments: an error, and no change."""

import copy
import pickle
from functools import partial

import numpy as np
import pytest
from hand_made import ring, simulation, state

import vorton as vt
from vorton import _core

NAN, INF = float("nan"), float("inf")


# ---- bad input ----

# What each kind of argument must refuse, with TypeError or ValueError.
BAD = {
    "number": [None, "1", 1j, [1.0], NAN, np.zeros(2), object(), True],
    "finite": [None, "1", 1j, [1.0], NAN, INF, -INF, 10**400, np.zeros(2), True],
    "integer": [None, "1", 1.5, 1j, NAN, [1], 2**70, -(2**70), True],
    "seed": [None, "1", 1.5, -1, 2**64, NAN],
    "vector": [
        None,
        "abc",
        1.0,
        (1, 2),
        (1, 2, 3, 4),
        (1, 2, NAN),
        (1, INF, 3),
        (1j, 0, 0),
        ((1, 2, 3),),
        (1, "2", 3),
        (1, None, 3),
        (True, False, True),
    ],
    "quaternion": [None, "abcd", 1.0, (1, 0, 0), (0, 0, 0, 0), (1, 0, 0, NAN), (1, 0, 0, "0")],
    "pair": [None, "ab", (1, 2, 3), (1, NAN), NAN, INF, (1j, 2)],
    "choice": [None, 0, "nothing", "", b"error", NAN],
    "flag": [None, 0, 1, "yes", NAN],
    "text": [1, 1.5, b"density", ["a"], "nul\0inside"],
    "rows": [
        None,
        1.0,
        "abc",
        np.zeros(3),
        np.zeros((4, 2)),
        np.zeros((4, 4)),
        np.zeros((4, 3, 1)),
        np.full((4, 3), NAN),
        np.full((4, 3), INF),
        [[1, 2, "3"]] * 4,
        np.zeros((4, 3), complex),
        np.zeros((4, 3), object),
        np.zeros((4, 3), bool),
        [[1, 2, 3], [1, 2]],
        np.zeros((4, 3), "M8[s]"),
        {"a": 1},
    ],
    "values": [
        None,
        "abc",
        1.0,
        np.zeros((4, 1)),
        np.ones(3),
        np.ones(5),
        np.full(4, NAN),
        np.full(4, INF),
        np.ones(4, complex),
        np.ones(4, object),
        np.ones(4, bool),
    ],
    "carried": ["abc", 1.0, np.ones((4, 1)), np.ones(3), np.full(4, NAN), np.full(4, -1.0)],
    "shares": ["abc", 1.0, np.ones((4, 1)), np.ones(3), np.full(4, NAN), np.full(4, -1.0)],
    "lifetimes": ["abc", 1.0, np.ones((4, 1)), np.ones(3), np.full(4, NAN), np.zeros(4)],
    "mask": [
        None,
        "abc",
        1,
        np.zeros(4, int),
        np.zeros(4),
        np.zeros((4, 1), bool),
        np.zeros(3, bool),
        np.zeros(5, bool),
        [0, 1, 0, 1],
    ],
    "ids": [
        None,
        "abc",
        1,
        np.zeros(4),
        np.zeros((4, 1), int),
        [1.5],
        [NAN],
        np.zeros(4, bool),
        np.full(4, 2**63, np.uint64),
    ],
    "set": [None, 0, "particles", b"vortons", ""],
    "column": [None, 0, "nothing", b"position", ""],
    "points": [
        None,
        1.0,
        "abc",
        np.zeros(3),
        np.zeros((4, 2)),
        np.full((4, 3), NAN),
        np.zeros((4, 3), complex),
        np.zeros((4, 3), object),
    ],
    "triple": [None, 1, "abc", (1, 2), (1.5, 2, 3), (1, 2, 2**40), (NAN, 1, 1)],
    "dict": [None, 1, "sphere", [("kind", "sphere")], {"nothing": 1}, {1: 2}],
    "field": [
        None,
        1.0,
        "abc",
        np.zeros((9, 9, 9)),
        np.zeros((9, 9, 9, 2)),
        np.full((9, 9, 9, 3), NAN),
        np.zeros((9, 9, 9, 3), complex),
    ],
    "function": [1, "velocity", [1]],
    "wind": [
        None,
        1.0,
        "abc",
        np.zeros((2, 2, 3)),
        np.zeros((2, 2, 2, 2)),
        np.zeros((1, 2, 2, 3)),
        np.zeros((2, 2, 1, 3)),
        np.zeros((2, 0, 2, 3)),
        np.full((2, 2, 2, 3), NAN),
        np.full((2, 2, 2, 3), INF),
        np.full((2, 2, 2, 3), 2e9),
        np.zeros((2, 2, 2, 3), complex),
        np.zeros((2, 2, 2, 3), bool),
    ],
    "length": [None, "1", 1j, 0.0, -1.0, NAN, INF, 1e10, True],
    "lengths": [None, "abc", 1.0, (1, 1), (1, 0, 1), (1, -1, 1), (1, 1, NAN), (1, 1, 1e10)],
    "place": ["abc", 1.0, (1, 2), (1, 2, NAN), (1, INF, 3), (1, 2, NAN, 4)],
    "far place": ["abc", 1.0, (1, 2), (1, 2, NAN), (1, INF, 3), (0, 0, 2e9), (True,) * 3],
    "far vector": [None, "abc", 1.0, (1, 2), (1, 2, NAN), (1, INF, 3), (0, 0, 2e9), (True,) * 3],
    "axis": [None, "abc", 1.0, (1, 2), (0, 0, 0), (1, 2, NAN), (0, 0, 2e9)],
    "factor": [None, "1", 1j, NAN, INF, 2e9, True],
    "time": [None, "1", 1j, -1.0, NAN, INF, True],
    "share": [None, "1", 1j, -0.1, 1.1, NAN, INF, True],
    "least": [None, "1", 1j, -1.0, NAN, INF, True],
    "most": [None, "1", 1j, -1.0, NAN, 0.1, True],
    "parent": [None, "1", 1.5, -1, 1, True],
    "moving": [
        None,
        1,
        {1: {}},
        {"nothing": {"values": [[1.0]], "times": [0.0]}},
        {"velocity": 1},
        {"strength": {"times": [0.0]}},
        {"strength": {"values": [[2e9]], "times": [0.0]}},
        {"strength": {"values": [[NAN]], "times": [0.0]}},
        {"velocity": {"values": [[1.0]], "times": [0.0]}},
        {"velocity": {"values": [[1.0, 2.0, 2e9]], "times": [0.0]}},
        {"axis": {"values": [[0.0, 0.0, 0.0]], "times": [0.0]}},
        {"radius": {"values": [[0.0]], "times": [0.0]}},
    ],
    "shapes": [None, 1, "box", {}, [], [1], [None], [{"nothing": 1}], [{"radius": 0.0}]],
    "shape": [1, "sphere", [("kind", "sphere")], {"nothing": 1}, {"radius": 0.0}],
}


def good_calls(sim):
    """(name, function, {argument: (kind, good value)}): every function and method of _core."""
    core = sim._core
    p, s, c, v = ring(4)
    volume = core.volume(0.1)
    track = {"values": [[1.0], [2.0]], "times": [0.0, 1.0]}
    ring_def = {
        "fluid": ("dict", {"temperature": 400.0, "smoke": 0.1}),
        "center": ("vector", (0, 0, 1)),
        "axis": ("vector", (0, 0, 1)),
        "radius": ("pair", 0.5),
        "major": ("vector", (1, 0, 0)),
        "circulation": ("finite", 1.0),
        "core": ("finite", 0.1),
        "vorton_core": ("finite", 0.1),
        "wobble": ("finite", 0.0),
        "seed": ("seed", 0),
        "sections": ("integer", 30),
        "layers": ("integer", 0),
        "time": ("finite", 0.0),
        "parent": ("integer", 0),
    }
    line_def = {
        "circulation": ("finite", 1.0),
        "core": ("finite", 0.1),
        "vorton_core": ("finite", 0.1),
        "sections": ("integer", 30),
        "layers": ("integer", 0),
        "time": ("finite", 0.0),
        "parent": ("integer", 0),
    }
    filament_def = {
        "fluid": ("dict", {"temperature": 400.0, "smoke": 0.1}),
        "points": ("rows", p),
        "closed": ("flag", True),
        **line_def,
        "core": ("finite", 0.01),
        "vorton_core": ("finite", 0.01),
    }
    tube_def = {
        "fluid": ("dict", {"temperature": 400.0, "smoke": 0.1}),
        "start": ("vector", (0, 0, 0)),
        "end": ("vector", (0, 0, 1)),
        "wobble": ("finite", 0.0),
        "seed": ("seed", 0),
        **line_def,
    }
    jet_def = {
        "fluid": ("dict", {"temperature": 400.0, "smoke": 0.1}),
        "center": ("vector", (0, 0, 0)),
        "axis": ("vector", (0, 0, 1)),
        "radius": ("finite", 0.5),
        "speed": ("finite", 1.0),
        "rate": ("finite", 2.0),
        "duty": ("finite", 0.5),
        "circulation": ("finite", 0.0),
        "start": ("finite", 0.0),
        "end": ("number", INF),
        "core": ("finite", 0.1),
        "vorton_core": ("finite", 0.0),
        "wobble": ("finite", 0.0),
        "tilt": ("finite", 0.0),
        "seed": ("seed", 0),
        "sections": ("integer", 30),
        "layers": ("integer", 1),
        "parent": ("integer", 0),
        "animations": ("dict", {"speed": track}),
    }
    cloud_def = {
        "fluid": ("dict", {"temperature": 400.0, "smoke": 0.1}),
        "shape": ("dict", {"kind": "sphere"}),
        "speed": ("finite", 1.0),
        "eddy": ("finite", 1.0),
        "core": ("finite", 0.0),
        "count": ("integer", 10),
        "seed": ("seed", 0),
        "time": ("finite", 0.0),
        "parent": ("integer", 0),
    }
    emitter_def = {
        "shape": ("dict", {"kind": "sphere"}),
        "count": ("integer", 1),
        "rate": ("finite", 0.0),
        "start": ("finite", 0.0),
        "end": ("number", INF),
        "density": ("finite", 1.0),
        "lifetime": ("number", INF),
        "growth": ("time", 0.0),
        "fade": ("finite", 0.0),
        "fluid": ("dict", {"temperature": 400.0, "smoke": 0.1}),
        "parent": ("integer", 0),
        "animations": ("dict", {"density": track}),
    }
    parcels_def = {
        "shape": ("dict", {"kind": "sphere"}),
        "around": ("shape", {"kind": "sphere", "radius": 1.5}),
        "core": ("finite", 0.3),
        "spacing": ("finite", 0.0),
        "fluid": ("dict", {"temperature": 400.0, "flame": 0.1, "smoke": 0.1}),
        "swirl": ("finite", 0.1),
        "rate": ("finite", 10.0),
        "start": ("finite", 0.0),
        "end": ("number", INF),
        "lifetime": ("number", INF),
        "parent": ("integer", 0),
        "animations": ("dict", {"density": track}),
    }
    transform_def = {
        "position": ("vector", (0, 0, 0)),
        "rotation": ("quaternion", (1, 0, 0, 0)),
        "axis": ("vector", (0, 0, 1)),
        "angle": ("finite", 0.0),
        "scale": ("finite", 1.0),
        "parent": ("integer", 0),
        "animations": ("dict", {"angle": track}),
    }
    shape = {
        "kind": ("choice", "box"),
        "center": ("vector", (0, 0, 0)),
        "axis": ("vector", (0, 0, 1)),
        "radius": ("finite", 1.0),
        "size": ("vector", (1, 1, 1)),
        "vertices": ("points", p),
        "faces": ("triple", [[0, 1, 2]]),
        "layer": ("finite", 0.1),
        "offset": ("finite", 0.0),
    }
    wind_track = {"values": [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]], "times": [0.0, 1.0]}
    wind = {
        "velocity": ("far vector", (0, 0, 0)),
        "animations": ("moving", {"velocity": wind_track}),
    }
    wind_grid = {
        "velocity": ("wind", np.zeros((2, 3, 4, 3))),
        "parent": ("parent", 0),
        "origin": ("far vector", (0, 0, 0)),
        "spacing": ("lengths", (1, 1, 1)),
        "outside": ("choice", "border"),
        "strength": ("factor", 0.0),
        "animations": ("moving", {"strength": track}),
    }
    force = {
        "kind": ("choice", "vortex"),
        "center": ("far vector", (0, 0, 0)),
        "axis": ("axis", (0, 0, 1)),
        "strength": ("factor", 0.0),
        "radius": ("length", 1.0),
        "velocity": ("far vector", (0, 0, 0)),
        "shape": ("shape", {"kind": "sphere"}),
        "parent": ("parent", 0),
        "animations": ("moving", {"axis": wind_track | {"values": [[0, 0, 1], [0, 1, 0]]}}),
    }
    kill = {
        "what": ("choice", "both"),
        "shape": ("shape", {"kind": "sphere"}),
        "parent": ("parent", 0),
        "outside": ("flag", True),
        "age": ("time", 1.0),
        "point": ("far vector", (0, 0, 0)),
        "least_distance": ("least", 0.5),
        "most_distance": ("most", 1.0),
        "least_speed": ("least", 0.5),
        "most_speed": ("most", 1.0),
        "start": ("time", 0.5),
        "end": ("most", 1.0),
    }
    body = {
        "shapes": ("shapes", [{"kind": "sphere"}, {"kind": "capsule"}]),
        "name": ("text", "ball"),
        "hole": ("flag", False),
        "parent": ("parent", 0),
        "panels": ("integer", 20),
        "restitution": ("share", 0.5),
        "friction": ("least", 0.5),
        "damping": ("least", 0.5),
        "density": ("length", 400.0),
        "held": ("flag", False),
        "velocity": ("far vector", (0, 0, 1)),
        "angular_velocity": ("far vector", (0, 0, 1)),
        "force": ("vector", (0, 0, 1)),
        "torque": ("vector", (0, 0, 1)),
        "animations": ("moving", {"force": wind_track}),
    }
    place = {
        "id": ("parent", 0),
        "position": ("far place", (0, 0, 1)),
        "rotation": ("place", (1, 0, 0, 1)),
        "over": ("time", 0.0),
    }
    push = {
        "id": ("parent", 0),
        "impulse": ("vector", (0, 0, 1)),
        "point": ("far place", (0, 0, 1)),
        "angular_impulse": ("place", (0, 0, 1)),
    }
    camera = {
        "width": ("integer", 16),
        "height": ("integer", 16),
        "eye": ("vector", (0, -3, 0)),
        "target": ("vector", (0, 0, 0)),
        "up": ("vector", (0, 0, 1)),
        "field_of_view": ("finite", 35),
        "extinction": ("finite", 1.0),
        "exposure": ("finite", 0.6),
        "albedo": ("vector", (1, 1, 1)),
        "key_direction": ("vector", (0, 0, 1)),
        "key_color": ("vector", (1, 1, 1)),
        "sky_color": ("vector", (1, 1, 1)),
        "ground_color": ("vector", (1, 1, 1)),
        "background": ("vector", ((0, 0, 0), (1, 1, 1))),
        "step": ("finite", 0.8),
        "threads": ("integer", 1),
        "emission": ("finite", 1.0),
        "bloom": ("finite", 0.1),
        "dye": ("pair", (0, 0)),
        "bounce": ("finite", 0.2),
        "hidden": ("text", "nobody"),
    }
    create = {
        "max_vortons": ("integer", 10),
        "max_tracers": ("integer", 10),
        "max_nodes": ("integer", 17**3),
        "spacing": ("finite", 0.1),
        "viscosity": ("finite", 0.1),
        "thermal_diffusivity": ("finite", 0.1),
        "wind": ("vector", (0, 0, 0)),
        "seed": ("seed", 0),
        "threads": ("integer", 1),
        "at_capacity": ("choice", "error"),
        "method": ("dict", {"velocity": "direct"}),
        "combustion": ("dict", {"law": "simple"}),
        "animations": ("dict", {"viscosity": track}),
    }
    direct = {
        "targets": ("points", np.zeros((4, 3))),
        "positions": ("rows", p),
        "strengths": ("rows", s),
        "cores": ("values", c),
        "kernel": ("choice", "wl"),
        "threads": ("integer", 1),
    }
    from_tracers = {
        "position": ("rows", p),
        "density": ("values", np.ones(4)),
        "size": ("values", np.ones(4)),
        "voxel_size": ("finite", 0.5),
        "velocity": ("function", None),
        "velocity_margin": ("finite", 1.0),
        "threads": ("integer", 1),
        "temperature": ("carried", np.full(4, 300.0)),
        "fuel": ("carried", np.zeros(4)),
        "flame": ("carried", np.ones(4)),
        "smoke": ("carried", np.ones(4)),
        "growth": ("carried", np.ones(4)),
        "ambient_temperature": ("finite", 290.0),
        "sharp": ("flag", False),
    }
    warm = _core.volume_from_tracers(**{key: value for key, (_, value) in from_tracers.items()})
    return [
        ("step", core.step, {"dt": ("finite", 0.0), "count": ("integer", 1)}),
        (
            "add_vortons",
            core.add_vortons,
            {
                "position": ("rows", p),
                "strength": ("rows", s),
                "core": ("values", c),
                "volume": ("values", v),
            },
        ),
        (
            "add_tracers",
            core.add_tracers,
            {"position": ("rows", p), "density": ("values", c), "size": ("values", c)},
        ),
        ("set_method", core.set_method, {"method": ("dict", {"turn": 0.3})}),
        ("remove", core.remove, {"set": ("set", "vortons"), "mask": ("mask", np.zeros(4, bool))}),
        ("find_rows", core.find_rows, {"set": ("set", "vortons"), "ids": ("ids", [0, 1])}),
        ("column", core.column, {"set": ("set", "tracers"), "name": ("column", "density")}),
        ("grid", core.grid, {"name": ("column", "velocity")}),
        ("copy", core.copy, {"max_vortons": ("integer", 0), "max_tracers": ("integer", 9)}),
        ("set_method", core.set_method, {"method": ("dict", {"velocity": "tree"})}),
        ("velocity_at", core.velocity_at, {"points": ("points", p)}),
        (
            "volume",
            core.volume,
            {
                "voxel_size": ("finite", 0.1),
                "velocity_margin": ("finite", 1.0),
                "threads": ("integer", 1),
                "sharp": ("flag", False),
            },
        ),
        ("ring", partial(core.add, "ring"), ring_def),
        ("filament", partial(core.add, "filament"), filament_def),
        ("tube", partial(core.add, "tube"), tube_def),
        ("jet", partial(core.add, "jet"), jet_def),
        ("cloud", partial(core.add, "cloud"), cloud_def),
        ("tracers", partial(core.add, "tracers"), emitter_def),
        ("emitter", partial(core.add, "emitter"), parcels_def),
        ("transform", partial(core.add, "transform"), transform_def),
        ("pose", core.pose, {"id": ("integer", 0), "time": ("finite", 0.0)}),
        (
            "evaluate_track",
            _core.evaluate_track,
            {"track": ("dict", track), "time": ("finite", 0.0)},
        ),
        (
            "integrate_track",
            _core.integrate_track,
            {"track": ("dict", track), "start": ("finite", 0.0), "end": ("finite", 1.0)},
        ),
        ("wind", partial(core.add, "wind"), wind),
        ("wind_grid", partial(core.add, "wind_grid"), wind_grid),
        ("force", partial(core.add, "force"), force),
        ("kill", partial(core.add, "kill"), kill),
        ("body", partial(core.add, "body"), body),
        ("set_body", ball()._core.set_body, place),
        ("apply_impulse", ball(density=400.0)._core.apply_impulse, push),
        (
            "body_distance",
            ball()._core.body_distance,
            {"id": ("integer", 0), "points": ("rows", p)},
        ),
        ("panels", ball()._core.panels, {"id": ("integer", 0)}),
        (
            "vorton_points",
            partial(core.add, "vorton_points"),
            {
                "position": ("rows", p),
                "strength": ("rows", s),
                "core": ("values", c),
                "volume": ("values", v),
                "time": ("finite", 0.0),
                "parent": ("integer", 0),
                "temperature": ("carried", np.full(4, 300.0)),
                "smoke": ("carried", np.full(4, 0.5)),
                "lifetime": ("lifetimes", c),
                "rate": ("finite", 9.0),
                "end": ("number", INF),
                "jitter": ("finite", 0.1),
                "animations": ("dict", {"rate": track}),
            },
        ),
        (
            "tracer_points",
            partial(core.add, "tracer_points"),
            {
                "position": ("rows", p),
                "density": ("values", c),
                "size": ("values", c),
                "lifetime": ("lifetimes", c),
                "growth": ("shares", c),
                "fade": ("shares", c),
                "animations": ("dict", {"jitter": track}),
                "rate": ("finite", 0.0),
                "start": ("finite", 0.0),
                "end": ("number", INF),
                "jitter": ("finite", 0.0),
                "parent": ("integer", 0),
                "temperature": ("carried", np.full(4, 300.0)),
                "smoke": ("carried", np.full(4, 0.5)),
            },
        ),
        (
            "density",
            volume.density,
            {"first": ("triple", (0, 0, 0)), "shape": ("triple", (2, 3, 4))},
        ),
        (
            "values",
            warm.values,
            {
                "field": ("choice", "temperature"),
                "first": ("triple", (0, 0, 0)),
                "shape": ("triple", (2, 3, 4)),
            },
        ),
        (
            "encode_vdb",
            volume.encode_vdb,
            {
                "density_name": ("text", "density"),
                "velocity_name": ("text", None),
                "temperature_name": ("text", "temperature"),
                "heat_name": ("text", None),
                "flame_name": ("text", "flame"),
                "fuel_name": ("text", "fuel"),
                "half": ("flag", True),
                "compress": ("flag", False),
            },
        ),
        ("render", volume.render, camera),
        ("extinction", volume.extinction, camera),
        ("emission", volume.emission, camera),
        ("Simulation", _core.Simulation, create),
        ("shape_volume", _core.shape_volume, shape),
        ("direct_sum", _core.direct_sum, direct),
        (
            "solve_poisson",
            _core.solve_poisson,
            {
                "field": ("field", np.zeros((9, 9, 9, 3))),
                "spacing": ("finite", 0.1),
                "threads": ("integer", 1),
                "method": ("dict", {"poisson": "multigrid"}),
            },
        ),
        (
            "solve_poisson_in_box",
            _core.solve_poisson_in_box,
            {
                "field": ("field", np.zeros((9, 9, 9, 3))),
                "spacing": ("finite", 0.1),
                "threads": ("integer", 1),
            },
        ),
        ("probe_machine", _core.probe_machine, {"threads": ("integer", 1)}),
        ("volume_from_tracers", _core.volume_from_tracers, from_tracers),
    ]


def ball(**values):
    """A simulation with a body."""
    sim = vt.Simulation()
    sim._core.add("body", shapes=[{"kind": "sphere"}], panels=20, **values)
    return sim


def four():
    """A simulation of four vortons and four tracers whose fields exist."""
    sim = simulation(vortons=4, tracers=4, threads=1)
    sim.update_fields()
    return sim


CALLS = [name for name, _, _ in good_calls(four())]


def call_named(sim, name):
    return next((f, a) for n, f, a in good_calls(sim) if n == name)


@pytest.mark.parametrize("name", CALLS)
def test_good_input_is_taken(name):
    function, arguments = call_named(four(), name)
    function(**{key: value for key, (_, value) in arguments.items()})


@pytest.mark.parametrize("name", CALLS)
def test_bad_input_is_refused_and_changes_nothing(name):
    sim = four()
    before = state(sim)
    function, arguments = call_named(sim, name)
    good = {key: value for key, (_, value) in arguments.items()}
    for key, (kind, _) in arguments.items():
        for bad in BAD[kind]:
            with pytest.raises((TypeError, ValueError)) as error:
                function(**{**good, key: bad})
                pytest.fail(f"{name}({key}={bad!r}) was taken")
            words = str(error.value)
            named = key in words or "argument" in words or name in words
            assert named or kind in ("dict", "shape", "shapes", "moving"), words
    assert state(sim) == before


@pytest.mark.parametrize("name", CALLS)
def test_unknown_arguments_are_refused(name):
    function, arguments = call_named(four(), name)
    good = {key: value for key, (_, value) in arguments.items()}
    with pytest.raises(TypeError, match="nothing_like_it|takes at most"):
        function(**good, nothing_like_it=1)
    with pytest.raises(TypeError):
        function(*[None] * 30)


def test_every_function_is_called_here():
    public = {n for n in dir(_core) if not n.startswith("_") and callable(getattr(_core, n))}
    for kind in (_core.Simulation, _core.Volume):
        public |= {n for n in vars(kind) if not n.startswith("_")}
    without_arguments = {
        "version",
        "simd",
        "backend",
        "available_threads",
        "build",
        "info",
        "fields",
        "health",
        "timings",
        "warnings",
        "bodies",
        "time",
        "step_count",
        "update_fields",
        "grid_place",
    }
    one_argument = {"count", "capacity", "tracers_carry"}
    by_id = {"change", "remove_added"}  # tests/test_changes.py
    # tests/test_state.py
    states = {"save_state", "save_packed_state", "load_state", "pack_state", "unpack_state"}
    states |= {"state_layout"}  # tests/test_archive.py
    states |= {"pack_numbers"}  # tests/test_deflate.py
    states |= {"take_over", "show_between"}  # tests/test_branch.py, tests/test_retime.py
    types = {"BlowUpError", "BusyError", "CapacityError", "Volume"}
    added = set(CALLS) & set(_core.DEFINITIONS) - {"volume"}
    apart = without_arguments | one_argument | by_id | states | types | {"add"}
    assert public - apart == set(CALLS) - added


@pytest.mark.parametrize("name", ["count", "capacity"])
def test_names_of_sets(name):
    function = getattr(four()._core, name)
    assert function("vortons") >= 4
    for bad in BAD["set"]:
        with pytest.raises((TypeError, ValueError), match="vortons"):
            function(bad)


def test_names_of_what_tracers_carry():
    core = four()._core
    assert core.tracers_carry("temperature") is core.tracers_carry("nothing") is False
    for bad in BAD["text"]:
        if not isinstance(bad, str):
            with pytest.raises(TypeError, match="name"):
                core.tracers_carry(bad)


def test_volume_cannot_be_made_by_hand():
    with pytest.raises(TypeError):
        _core.Volume()


def test_numbers_of_other_types_are_taken():
    sim = vt.Simulation()
    position, strength, core, _volume = ring(4)
    for cast in (np.float16, np.float64, np.longdouble, list, np.asfortranarray):
        convert = (
            cast
            if callable(cast) and not isinstance(cast, type)
            else ((lambda x: x.tolist()) if cast is list else (lambda x, t=cast: x.astype(t)))
        )
        sim.vortons.add(
            convert(position), convert(strength), core=convert(core), volume=np.full(4, 1e-3)
        )
    sim.vortons.add(np.zeros((2, 3), int), np.zeros((2, 3), np.uint8), core=1, volume=np.int64(2))
    assert sim.vortons.count == 22
    assert np.allclose(sim.vortons.position[8:20:4], position[0])
    sim.vortons.add(position[::-2], strength[::-2], core=0.1, volume=0.1)
    assert np.array_equal(sim.vortons.position[22:], position[::-2].astype(np.float32))


def test_message_names_argument_value_and_range():
    sim = four()
    with pytest.raises(ValueError, match=r"position must have shape \(n, 3\), got \(4, 2\)"):
        sim.vortons.add(np.zeros((4, 2)), np.zeros((4, 2)), core=1, volume=1)
    with pytest.raises(ValueError, match=r"strength must have shape \(4, 3\), got \(5, 3\)"):
        sim.vortons.add(np.zeros((4, 3)), np.zeros((5, 3)), core=1, volume=1)
    with pytest.raises(TypeError, match="position must hold real numbers, got dtype complex128"):
        sim.vortons.add(np.zeros((4, 3), complex), np.zeros((4, 3)), core=1, volume=1)
    with pytest.raises(ValueError, match="points must be finite, got nan at flat index 5"):
        sim.velocity_at([[0, 0, 0], [0, 0, NAN]])
    with pytest.raises(ValueError, match="position must be finite in float32, got 1e\\+39"):
        sim.vortons.add([[0, 0, 1e39]], [[0, 0, 0]], core=1, volume=1)
    with pytest.raises(ValueError, match="core.*-1"):
        sim.vortons.add(np.zeros((1, 3)), np.zeros((1, 3)), core=-1, volume=1)
    with pytest.raises(ValueError, match=r"threads.*65.*64"):
        vt.Simulation(threads=65)
    with pytest.raises(ValueError, match="dt.*-1"):
        sim.advance(-1)
    with pytest.raises(ValueError, match="one of: vortons tracers; got 'x'"):
        sim._core.count("x")


# ---- errors of the library ----


@pytest.mark.parametrize("column", ["vortons.position", "vortons.strength", "tracers.position"])
@pytest.mark.parametrize("value", [NAN, INF])
def test_e3_nan_written_into_a_view(column, value):
    sim = simulation()
    sim.step()
    set_name, name = column.split(".")
    view = getattr(getattr(sim, set_name), name)
    old = view[7, 1]
    view[7, 1] = value
    before = state(sim)
    with pytest.raises(ValueError, match=rf"{set_name}.{name}.*row 7"):
        sim.step()
    assert state(sim) == before
    view[7, 1] = old
    sim.step()
    assert sim.frame == 2


def test_dt():
    sim = simulation()
    before = state(sim)
    sim.advance(0)
    assert state(sim) == before
    for bad in (-1.0, NAN, INF, None, "1"):
        with pytest.raises((ValueError, TypeError), match="dt"):
            sim.advance(bad)
    assert state(sim) == before


def test_exceptions_have_their_place():
    assert issubclass(vt.BusyError, RuntimeError) and issubclass(vt.CapacityError, RuntimeError)
    assert vt.BusyError.__module__ == "vorton" and vt.CapacityError.__module__ == "vorton"


def test_no_memory():
    with pytest.raises((MemoryError, ValueError)):
        # 256 simulations of the largest size do not fit into any address space.
        [
            _core.Simulation(max_vortons=2**30, max_tracers=2**31 - 1, max_nodes=2**30)
            for _ in range(256)
        ]


def test_core_objects_cannot_be_copied():
    sim = four()
    for thing in (sim._core, sim._core.volume(0.1)):
        for way in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError):
                way(thing)
