"""Heat between bodies and fluid (VALIDATION H4), and what it sets in motion."""

import copy

import numpy as np
import pytest
from marks import slow_but
from scipy.integrate import solve_ivp
from scipy.spatial import ConvexHull

import vorton as vt

AMBIENT, AIR, CAPACITY = float(np.float32(293.15)), vt.Air().density, 1005.0
STILL = {"gravity": (0, 0, 0), "method": vt.Method(expansion=0, halo=0)}
RADIUS, CORE = 0.5, 0.15


def shell(count=400, outer=RADIUS + CORE, seed=0):
    """Points between a sphere and another about the origin."""
    random = np.random.default_rng(seed)
    direction = random.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    return direction * random.uniform((RADIUS * 1.01) ** 3, outer**3, (count, 1)) ** (1 / 3)


def still_shell(fluid=AMBIENT, threads=1, fps=24, conductance=40.0, volume=None, **body):
    """A ball in a layer of fluid that nothing moves; its volume is that of the layer."""
    scene = vt.Scene(spacing=CORE / 1.5, **STILL)
    scene.add(vt.Body(vt.Sphere(radius=RADIUS), name="ball", conductance=conductance, **body))
    sim = vt.Simulation(scene, fps=fps, threads=threads)
    x = shell()
    if volume is None:
        volume = 4 / 3 * np.pi * ((RADIUS + CORE) ** 3 - RADIUS**3) / len(x)
    sim.vortons.add(x, 0 * x, core=CORE, volume=volume, temperature=fluid)
    return sim


def warm(sim):
    """Heat of the fluid, J, from its columns."""
    v = sim.vortons
    return CAPACITY * AIR * (v.volume * (v.temperature.astype(float) - AMBIENT)).sum()


def capacity(density, specific_heat):
    return density * 4 / 3 * np.pi * RADIUS**3 * specific_heat


@pytest.mark.parametrize("dt", slow_but([0.01, 1e7], [0.01, 10.0, 1e4, 1e7]))
def test_h4_body_and_fluid_meet_at_the_mean_and_nothing_overshoots(dt):
    """Capacities 1 : 2 at 1 and 3 hundred kelvin above: (2 x 3 + 1 x 1) / 3 = 2.3333."""
    fluid = CAPACITY * AIR * 4 / 3 * np.pi * ((RADIUS + CORE) ** 3 - RADIUS**3)
    density = 2 * fluid / capacity(1.0, 500.0)
    body = {"temperature": AMBIENT + 300.0, "density": density, "specific_heat": 500.0}
    sim = still_shell(AMBIENT + 100.0, held=True, **body)
    total = warm(sim) + 2 * fluid * 300
    final, before = AMBIENT + 233.3333, (AMBIENT + 300.0, AMBIENT + 100.0)
    for _ in range(12):
        sim.advance(dt)
        ball, fluid_now = sim.bodies["ball"].temperature, sim.vortons.temperature
        assert warm(sim) + 2 * fluid * (ball - AMBIENT) == pytest.approx(total, rel=1e-6)
        assert final - 0.01 < ball <= before[0] + 1e-9
        assert before[1] - 1e-3 < fluid_now.min() and fluid_now.max() < final + 0.01
        before = ball, fluid_now.min()
    if dt >= 1e4:
        assert ball == pytest.approx(final, abs=1e-3)
        assert fluid_now == pytest.approx(final, abs=1e-2)


@pytest.mark.slow
def test_h4_course_of_newtons_law():
    """Each vorton has its share of the surface by its mass; all temperatures as an ODE has them."""
    random = np.random.default_rng(3)
    start = AMBIENT + random.uniform(0, 200, 400)
    body = {"temperature": AMBIENT + 500.0, "density": 3.0, "specific_heat": 400.0}
    course = {}
    for fps in (2.0, 4.0):
        sim = still_shell(start, fps=fps, held=True, **body)
        sim.step(int(10 * fps))
        course[fps] = sim.bodies[0].temperature
        fluid = sim.vortons.temperature[np.argsort(sim.vortons.id)]
    area = 4 * np.pi * RADIUS**2
    mass = AIR * 4 / 3 * np.pi * ((RADIUS + CORE) ** 3 - RADIUS**3)
    rate = 40.0 * area / (CAPACITY * mass)
    ratio = CAPACITY * mass / len(start) / capacity(3.0, 400.0)

    def law(_, t):
        flow = rate * (t[0] - t[1:])
        return np.concatenate([[-ratio * flow.sum()], flow])

    wanted = solve_ivp(law, (0, 10), [AMBIENT + 500, *start], rtol=1e-9, atol=1e-9).y[:, -1]
    assert course[4.0] == pytest.approx(wanted[0], abs=1e-2)
    assert fluid == pytest.approx(wanted[1:], abs=1e-2)
    assert course[2.0] - AMBIENT == pytest.approx(course[4.0] - AMBIENT, rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(
    "shape, area",
    [
        (vt.Sphere(radius=RADIUS), 4 * np.pi * RADIUS**2),
        (vt.Box((-0.6, -0.2, -0.3), (0.4, 0.5, 0.3)), 2 * (0.7 + 0.6 + 0.42)),
        (vt.Cylinder(radius=0.3, length=0.8), 2 * np.pi * 0.3 * (0.3 + 0.8)),
        (vt.Capsule((0, 0, -0.3), (0, 0, 0.4), radius=0.25), 2 * np.pi * 0.25 * (0.7 + 0.5)),
    ],
)
@pytest.mark.parametrize("core", [0.1, 0.2])
def test_flow_of_heat_is_conductance_times_area_times_difference(shape, area, core):
    """However fine the vortons are; a body whose temperature is held goes on giving."""
    scene = vt.Scene(spacing=core / 1.5, **STILL)
    placed = vt.Transform(scale=2.0)
    scene.add(vt.Body(shape, temperature=AMBIENT + 100, conductance=10, parent=placed))
    sim = vt.Simulation(scene, threads=1)
    axis = np.arange(-2.2, 2.2, 0.08)
    x = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    sim.vortons.add(x, 0 * x, core=core, volume=0.08**3)
    sim.advance(0.01)
    flow = 10 * 4 * area * 100
    assert sim.health.heat_bodies / 0.01 == pytest.approx(flow, rel=0.01)
    assert sim.bodies[0].heat_given == pytest.approx(sim.health.heat_bodies, rel=1e-12)
    assert sim.bodies[0].temperature == AMBIENT + 100
    sparse = vt.Simulation(scene, threads=1)  # little fluid takes little heat
    sparse.vortons.add([[0, 0, 1.45]], np.zeros((1, 3)), core=core, volume=1e-3)
    sparse.advance(0.01)
    assert 0 <= sparse.health.heat_bodies / 0.01 <= 1.001 * 10 * 1e-3 / core * 100

def flow_over_conductance(*bodies, spacing=0.1, frames=2, **settings):
    """Heat that bodies give to still air that stays cold, over conductance, difference and time."""
    scene = vt.Scene("still", spacing=spacing, gravity=(0, 0, 0), **settings)
    for body in bodies:
        scene.add(body)
    sim = vt.Simulation(scene, threads=1)
    sim.step(frames)
    return sum(b.heat_given for b in sim.bodies) / (0.5 * 100 * sim.time)


def warm_body(*shapes, **more):
    hot = {"temperature": AMBIENT + 100, "conductance": 0.5, "panels": 0, "shedding": 0}
    return vt.Body(shapes if len(shapes) > 1 else shapes[0], **{**hot, **more})


def box(x, y, z):
    return vt.Box(*zip(x, y, z, strict=True))


@pytest.mark.parametrize("spacing", slow_but([0.1, 0.09], [0.1, 0.095, 0.09, 0.08, 0.06]))
@pytest.mark.parametrize("shift", [0, 0.013, 0.03, 0.047])
def test_flow_of_heat_does_not_depend_on_where_the_lattice_of_the_fluid_lies(spacing, shift):
    side = (-0.5 + shift, 0.5 + shift)
    found = flow_over_conductance(warm_body(box(side, side, side)), spacing=spacing)
    assert found == pytest.approx(6, rel=0.005)


HALF, TUBE = (-0.5, 0.5), 12


def staves():
    """A tube of wedges, .3 m wide inside and .5 m long, and its area."""
    inside, outside, length = 0.3, 0.34, 0.5
    turn = np.exp(2j * np.pi * np.arange(TUBE + 1) / TUBE)
    parts = [
        vt.Polytope([(w.real, w.imag, z) for r in (inside, outside) for w in r * turn[k : k + 2]
                     for z in (0, length)])
        for k in range(TUBE)
    ]  # fmt: skip
    chord = 2 * TUBE * np.sin(np.pi / TUBE)
    ends = TUBE * np.sin(2 * np.pi / TUBE) * (outside**2 - inside**2)
    return parts, chord * (inside + outside) * length + ends


@pytest.mark.parametrize(
    "shapes, area, within",
    [
        ([vt.Sphere(radius=0.3)], 4 * np.pi * 0.09, 0.005),
        ([box((-0.5, 0), HALF, HALF), box((0, 0.5), HALF, HALF)], 6, 0.005),
        ([box((-0.5, 0.2), HALF, HALF), box((-0.2, 0.5), HALF, HALF)], 6, 0.01),
        ([box(HALF, HALF, HALF), box(HALF, HALF, HALF)], 6, 0.005),
        ([box((-0.5, 0), HALF, HALF), box((0, 0.3), (-0.5, 0), HALF)], 4 + 0.9, 0.005),
        ([vt.Sphere((x, 0, 0), radius=0.3) for x in (-0.15, 0.15)], 4 * np.pi * 0.3 * 0.45, 0.005),
        ([vt.Torus(radius=0.5, thickness=0.15)], 4 * np.pi**2 * 0.5 * 0.15, 0.04),
        (*staves(), 0.005),
    ],
    ids=["ball", "touch", "overlap", "same", "step", "balls", "torus", "tube"],
)
def test_flow_of_heat_is_that_of_the_surface_that_shapes_show_together(shapes, area, within):
    """By areas of solid geometry; that of the 24 wedges of the torus is 1.031 of a smooth one's."""
    assert flow_over_conductance(warm_body(*shapes)) == pytest.approx(area, rel=within)


@pytest.mark.parametrize("spacing", slow_but([0.09], [0.1, 0.09, 0.07]))
@pytest.mark.parametrize(
    "others, area",
    [
        ([warm_body(box((0, 0.5), HALF, HALF))], 6.0),
        ([vt.Body(vt.Plane((0, 0, -0.5)))], 3.5),
        ([vt.Body(box((0, 0.3), HALF, (-0.5, 0)), shedding=0, panels=0)], 3.5),
        ([warm_body(vt.Sphere((3, 0, 0), radius=0.2))], 4 + 4 * np.pi * 0.04),
    ],
    ids=["halves", "floor", "half", "apart"],
)
def test_what_touches_another_body_gives_no_heat(others, area, spacing):
    """A box of area 4: a half of a cube, one that stands on a floor, one against a lower one."""
    body = warm_body(box((-0.5, 0), HALF, HALF))
    found = flow_over_conductance(body, *others, spacing=spacing)
    assert found == pytest.approx(area, rel=0.01)


def test_walls_of_a_container_give_heat_where_they_are_walls_of_the_room():
    """A room that two boxes have in common, full of fluid; of one wall there are two."""
    hot = {"temperature": AMBIENT + 100, "conductance": 0.5, "panels": 0}
    shapes = [box((-0.5, 0.7), HALF, HALF), box((-0.9, 0.5), (-0.5, 0.8), (-0.7, 0.7))]
    scene = vt.Scene(spacing=0.1, **STILL)
    scene.add(vt.Container(shapes, **hot))
    sim = vt.Simulation(scene, threads=1)
    axis = np.arange(-0.475, 0.5, 0.05)
    x = np.stack(np.meshgrid(axis, axis, axis), axis=-1).reshape(-1, 3)
    sim.vortons.add(x, 0 * x, core=0.15, volume=2 * 0.05**3)
    sim.advance(0.01)
    assert sim.bodies[0].heat_given / (0.5 * 100 * 0.01) == pytest.approx(6, rel=0.005)


def test_a_warm_body_that_grows_gives_more_heat():
    corners = np.array([(x, y, z) for x in HALF for y in HALF for z in HALF])
    faces = ConvexHull(corners).simplices
    out = (np.cross(*(corners[faces[:, k]] - corners[faces[:, 0]] for k in (1, 2))) *
           corners[faces].mean(1)).sum(1) > 0  # fmt: skip
    faces[~out] = faces[~out][:, ::-1]
    frames = [corners, corners * 1.2, corners * 1.2]
    grows = {"deformation": vt.Deformation(frames, fps=1000.0), "shedding": 0}
    body = warm_body(vt.Mesh(vertices=corners, faces=faces), **grows)
    assert flow_over_conductance(body) == pytest.approx(6 * 1.2**2, rel=0.02)


@pytest.mark.slow
def test_h4_warm_ball_in_still_air_raises_a_plume_of_the_heat_that_it_lost():
    body = {"temperature": 900.0, "density": 40.0, "specific_heat": 500.0, "held": True}
    scene = vt.Scene("warm")
    scene.add(vt.Body(vt.Sphere(radius=0.3), name="ball", **body))
    sim = vt.Simulation(scene, fps=24, threads=1)
    sim.step(44)
    ball, health = sim.bodies["ball"], sim.health
    lost = 40 * 500 * 4 / 3 * np.pi * 0.3**3 * (900 - ball.temperature)
    assert lost > 1e4 and ball.heat_given == pytest.approx(lost, rel=1e-6)
    assert health.heat == pytest.approx(lost, rel=1e-4)
    assert abs(health.heat_brought) < 1e-4 * lost  # nobody else brought any
    v = sim.vortons
    excess = v.volume * v.temperature.astype(float) ** -1 * (v.temperature - AMBIENT)
    heat = CAPACITY * AIR * AMBIENT * excess.sum()  # the mass of a gas at T is V rho0 T0 / T
    assert heat == pytest.approx(lost, rel=0.02)
    height = (v.position[:, 2] * excess).sum() / excess.sum()
    side = np.linalg.norm((v.position[:, :2] * excess[:, None]).sum(axis=0)) / excess.sum()
    assert height > 0.2 and side < 0.05
    assert sim.velocity_at([[0, 0, 0.7]])[0, 2] > 0.3
    assert (np.linalg.norm(v.position, axis=1) > 0.3).all()


@pytest.mark.slow
def test_cold_body_takes_heat_and_warms_at_a_fire():
    scene = vt.Scene(combustion=vt.Combustion(), voxel=0.05)
    fire = vt.Disk((0, 0, -0.3), radius=0.2, thickness=0.1)
    scene.add(vt.Emitter(fire, temperature=900, fuel=1.0, core=0.1))
    pot = vt.Sphere((0, 0, 0.3), radius=0.15)
    scene.add(vt.Body(pot, name="pot", density=50, specific_heat=500, held=True))
    sim = vt.Simulation(scene, fps=24, threads=1)
    assert sim.bodies["pot"].temperature == pytest.approx(AMBIENT)
    sim.step(24)
    pot, h = sim.bodies["pot"], sim.health
    assert pot.temperature > AMBIENT + 1 and pot.heat_given < 0
    assert h.heat_bodies == pytest.approx(pot.heat_given, rel=1e-12)
    books = h.heat_released - h.heat_radiated - h.heat_mixed + h.heat_bodies + h.heat_brought
    assert h.heat == pytest.approx(books, abs=1e-6 * h.heat_released)


@pytest.mark.slow
def test_warm_walls_and_floors_heat_what_is_beside_them():
    x = np.random.default_rng(4).uniform(-0.5, 0.5, (300, 3))
    for wall in (
        vt.Container(vt.Box((-0.6,) * 3, (0.6,) * 3), temperature=AMBIENT + 50),
        vt.Body(vt.Plane((0, 0, -0.6)), temperature=AMBIENT + 50),
    ):
        sim = vt.Simulation(vt.Scene(spacing=0.1, **STILL), threads=1)
        wall._add_to(sim._core)
        sim.vortons.add(x, 0 * x, core=0.15, volume=1e-3)
        sim.advance(1.0)
        y = sim.vortons.position
        near = 0.6 - np.abs(y).max(axis=1) if isinstance(wall, vt.Container) else y[:, 2] + 0.6
        heated = sim.vortons.temperature > AMBIENT + 1
        assert np.array_equal(heated, near < 0.15)


def test_bodies_that_touch_heat_the_fluid_as_one():
    """Where the layers of two bodies overlap they share the fluid: no vorton is heated twice."""
    halves = [vt.Box((-0.4, -0.3, -0.3), (0, 0.3, 0.3)), vt.Box((0, -0.3, -0.3), (0.4, 0.3, 0.3))]
    found = []
    for shapes in (halves, [vt.Box((-0.4, -0.3, -0.3), (0.4, 0.3, 0.3))]):
        method = vt.Method(expansion=0, rounding=0)
        scene = vt.Scene(spacing=0.1, gravity=(0, 0, 0), method=method)
        for shape in shapes:
            scene.add(vt.Body(shape, temperature=400, conductance=50, panels=0))
        sim = vt.Simulation(scene, threads=1)
        sim.step(2)
        order = np.lexsort(np.round(sim.vortons.position, 4).T)
        found.append((sim.vortons.temperature - 293.15)[order])
    two, one = found
    assert len(one) > 500 and one.max() > 1
    seam = two[one > 1] / one[one > 1]
    assert np.abs(seam - 1).max() < 0.02


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2, 3])
def test_e1_heat_has_the_same_bits_for_any_number_of_threads(threads):
    states = []
    for count in (1, threads):
        scene = vt.Scene()
        turn = vt.Transform(position=vt.Keys([(0, (0, 0, 0)), (1, (0.2, 0, 0))]))
        scene.add(vt.Body(vt.Sphere(radius=0.3), temperature=700, parent=turn, panels=80))
        light = vt.Box((-0.1, -0.1, 0.33), (0.1, 0.1, 0.45))
        scene.add(vt.Body(light, density=20.0, specific_heat=900, held=True, panels=20))
        sim = vt.Simulation(scene, fps=24, threads=count)
        sim.step(10)
        bodies = [(b.temperature, b.heat_given) for b in sim.bodies]
        states.append((sim.vortons.position.copy(), sim.vortons.temperature.copy(), bodies))
    assert np.array_equal(states[0][0], states[1][0])
    assert np.array_equal(states[0][1], states[1][1])
    assert states[0][2] == states[1][2] and states[0][2][1][0] > AMBIENT


def test_copies_go_on_with_the_same_temperatures():
    sim = still_shell(AMBIENT, density=3.0, specific_heat=400.0, held=True)
    sim.vortons.temperature[:] = AMBIENT + 100
    sim.step(3)
    other = copy.copy(sim)
    sim.step(3)
    assert other.bodies[0].temperature < sim.bodies[0].temperature
    other.step(3)
    assert other.bodies[0].temperature == sim.bodies[0].temperature
    assert other.health.heat_bodies == sim.health.heat_bodies


def test_no_heat_without_a_temperature():
    sim = still_shell(AMBIENT + 100)
    sim.step(2)
    assert sim.bodies[0].temperature == 0 and sim.health.heat_bodies == 0
    assert (sim.vortons.temperature == np.float32(AMBIENT + 100)).all()
    insulated = still_shell(AMBIENT, conductance=0.0)
    insulated.step(2)
    assert insulated.bodies[0].heat_given == 0


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"temperature": 0}, ["kettle", "temperature", "> 0"]),
        ({"temperature": float("nan")}, ["kettle", "temperature"]),
        ({"temperature": 2e6}, ["kettle", "temperature", "1e+06"]),
        ({"temperature": "hot"}, ["kettle", "temperature"]),
        ({"conductance": -1}, ["kettle", "conductance"]),
        ({"density": 10, "specific_heat": -3}, ["kettle", "specific_heat"]),
        ({"specific_heat": 500}, ["kettle", "specific_heat", "density"]),
    ],
)
def test_bad_heat_names_the_body(arguments, words):
    with pytest.raises((ValueError, TypeError)) as caught:
        vt.Body(vt.Sphere(), name="kettle", **arguments)
    assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize(
    "name, value", [("temperature", -1.0), ("temperature", 2e6), ("specific_heat", -1.0),
                    ("conductance", -0.5), ("conductance", 1e10)]
)  # fmt: skip
def test_bad_heat_in_the_core_names_the_body(name, value):
    sim = vt._core.Simulation()
    with pytest.raises(ValueError) as caught:
        sim.add("body", shapes=[{"kind": "sphere"}], name="kettle", **{name: value})
    assert "'kettle'" in str(caught.value) and name in str(caught.value)


def test_heat_of_bodies_in_scenes():
    scene = vt.Scene()
    scene.add(vt.Body(vt.Sphere(), temperature=400.0, conductance=12.0, density=3, specific_heat=4))
    scene.add(vt.Container(vt.Box(), temperature=300.0))
    assert vt.Scene.from_json(scene.to_json()) == scene
    assert "temperature" not in vt.Body(vt.Sphere()).to_dict()


def test_vortons_around_a_body_are_no_finer_than_those_that_emitters_will_give():
    """Born before them, they would else set the spacing of the grid by the size of the body."""
    spacing = []
    for hot in ({}, {"temperature": 350.0}):
        scene = vt.Scene()
        scene.add(vt.Emitter(vt.Disk(radius=0.25), temperature=450, core=0.12, lifetime=1, smoke=0))
        scene.add(vt.Body(vt.Sphere((0, 0, 0.8), 0.15), **hot))
        sim = vt.Simulation(scene, fps=24, threads=1)
        sim.step(2)
        spacing.append(sim.health.spacing)
    assert spacing[0] == spacing[1] == pytest.approx(0.12)


def test_all_vortons_beside_a_warm_body_have_cores():
    """What is born at a rate beside it, and the fluid that is kept around it: whether a view was
    taken or not, with the same bits."""
    found = []
    for viewed in (True, False):
        scene = vt.Scene("warm", seed=1)
        ball = vt.Sphere((0, 0, 0.5), radius=0.2)
        scene.add(vt.Body(ball, temperature=400.0))
        spots = [(0.3, 0, 0.2), (-0.3, 0, 0.2)]
        strengths = [(0, 0, 0.01), (0, 0.01, 0)]
        scene.add(vt.VortonPoints(spots, strengths, core=0.1, volume=1e-3, rate=2))
        sim = vt.Simulation(scene, fps=24, threads=1)
        for _ in range(3):
            sim.step()
            if viewed:
                assert sim.vortons.count > 100
                assert sim.vortons.core.min() > 0
        found.append(np.array(sim.vortons.position))
        assert sim.vortons.core.min() > 0
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("moves", [False, True])
def test_the_grid_of_warm_bodies_is_that_of_their_panels_where_they_stir_the_fluid(moves):
    """A ball at rest in still air has a fifth of the cube root of its volume; one in a wind cells
    of its panels, as without a temperature."""
    wind, spacing = (1.0, 0.0, 0.0) if moves else (0.0, 0.0, 0.0), []
    for warmth in ({}, {"temperature": AMBIENT + 50}):
        scene = vt.Scene("ball", wind=wind)
        scene.add(vt.Body(vt.Sphere(radius=0.5), panels=80, **warmth))
        sim = vt.Simulation(scene, threads=1)
        sim.step()
        spacing.append(sim.health.spacing)
    if moves:
        assert spacing[0] == spacing[1]
    else:
        assert spacing[1] == pytest.approx(0.2 * (4 / 3 * np.pi * 0.5**3) ** (1 / 3), rel=1e-6)
