"""Winds, force fields, removal and growth against exact solutions, SciPy and NumPy."""

import math

import numpy as np
import pytest
from hand_made import ring, simulation
from marks import slow_but
from scipy.integrate import solve_ivp
from scipy.interpolate import RegularGridInterpolator

import vorton as vt

METHODS = ["poisson", "direct", "tree"]
FPS = 30


def linear_wind(gradient, half=20.0, **options):
    """A wind u = gradient x, exact on two nodes along each axis."""
    corner = np.array([-half, half])
    z, y, x = np.meshgrid(corner, corner, corner, indexing="ij")
    velocity = np.stack([x, y, z], axis=-1) @ np.asarray(gradient, float).T
    return vt.WindGrid(velocity, origin=(-half,) * 3, spacing=2 * half, **options)


def random_wind(**options):
    """Values, the wind that has them, and the coordinates of its nodes along z, y, x."""
    values = np.random.default_rng(5).normal(0, 1, (6, 5, 7, 3)).astype(np.float32)
    origin, spacing = (-0.7, -0.4, -0.6), (0.25, 0.3, 0.2)
    axes = [origin[a] + spacing[a] * np.arange(values.shape[2 - a]) for a in (2, 1, 0)]
    return values, vt.WindGrid(values, origin=origin, spacing=spacing, **options), axes


def build(*effects, method="poisson", order="fourth", fps=FPS, **scene):
    """Places keep all their digits, to be compared with exact ones."""
    method = vt.Method(velocity=method, order=order, rounding=0)
    made = vt.Scene(voxel=0.05, method=method, **scene)
    for effect in effects:
        made.add(effect)
    return vt.Simulation(made, fps=fps)


def add_weak_vorton(sim, position=(0.1, 0.2, 0.3)):
    """One that makes a grid and hardly moves anything."""
    sim.vortons.add([position], [(1e-7, 0, 0)], core=0.1, volume=1e-3)


def positions(particles):
    """In the order of the ids: a step may sort the rows."""
    return particles.position[np.argsort(particles.id)]


def path(velocity, start, end):
    """Where a point that starts at `start` is at the time `end`, m."""
    solution = solve_ivp(lambda t, x: velocity(t, x), (0, end), start, rtol=1e-10, atol=1e-12)
    return solution.y[:, -1]


# ---- uniform wind in time ----

GUSTS = {
    "linear": vt.Keys([(0, (0, 0, 0)), (0.31, (2, -1, 0.5)), (0.33, (-3, 0, 1)), (2, (1, 1, 1))]),
    "smooth": vt.Keys([(0.1, (0, 0, 0)), (0.5, (2, -1, 0)), (1.7, (1, 4, 2))], "smooth"),
    "jumps": vt.Keys([(0, (1, 0, 0)), (0.123, (0, 5, 0)), (0.7, (0, 0, -2))], "constant"),
    "samples": vt.Samples(np.random.default_rng(1).normal(0, 1, (40, 3)), fps=24),
}


@pytest.mark.parametrize("content", ["tracers", *METHODS, "forces"])
@pytest.mark.parametrize("name", GUSTS)
def test_wind_in_time_moves_everything_by_its_exact_integral(name, content):
    gusts = GUSTS[name]
    method = content if content in METHODS else "poisson"
    effects = [vt.Attractor(strength=0.0)] if content == "forces" else []
    sim = build(vt.Wind(gusts), *effects, method=method, wind=(0.1, 0.2, -0.3), fps=11)
    start = np.array([[0.1, 0.2, 0.3], [3, 1, 0]])
    sim.tracers.add(start, density=1, size=0.1)
    if content != "tracers":
        add_weak_vorton(sim)
    sim.step(11)
    way = np.array(gusts.integral(0, 1)) + np.array([0.1, 0.2, -0.3])
    assert np.allclose(positions(sim.tracers) - start, way, atol=3e-6)
    assert np.allclose(sim.vortons.position, start[: sim.vortons.count] + way, atol=3e-6)
    now = np.array(gusts.at(1)) + np.array([0.1, 0.2, -0.3])
    assert np.allclose(sim.velocity_at(start), now, atol=3e-6)


@pytest.mark.parametrize("cells", [1, 3])
def test_a_ring_that_is_born_into_drifting_fluid_is_that_of_fluid_at_rest(cells):
    """In the frame of the wind, which goes whole cells in a frame: what drifted before has no
    velocity that the flow could have accelerated from."""

    def after_a_frame(wind):
        scene = vt.Scene(wind=(wind, 0, 0), method=vt.Method(rounding=0))
        axis = np.linspace(-0.4, 0.4, 9)
        places = np.stack(np.meshgrid(axis, axis, axis), axis=-1).reshape(-1, 3)
        scene.add(vt.VortonPoints(places, np.zeros_like(places), core=0.15, volume=1e-3))
        scene.add(vt.VortexRing((wind / 24, 0, 0), core=0.15, time=1 / 24))
        sim = vt.Simulation(scene, fps=24)
        sim.step(2)
        order = np.argsort(sim.vortons.id)
        moved = np.array([wind, 0, 0])
        return (
            sim.vortons.position[order] - moved * sim.time,
            sim.vortons.velocity[order] - moved,
            sim.health.spacing,
        )

    position, velocity, spacing = after_a_frame(0)
    there, faster, _ = after_a_frame(24 * cells * spacing)
    assert np.abs(velocity).max() > 0.5
    assert np.abs(there - position).max() < 1e-6
    assert np.abs(faster - velocity).max() < 1e-5


# ---- wind from a grid ----


@pytest.mark.parametrize("bound", [0.0, 1.5])
@pytest.mark.parametrize("method", METHODS)
def test_d3_imposed_strain_stretches_vortons(method, bound):
    g = 0.7
    # these act on what a lone vorton cannot have: a field without ends
    choice = {"cleaning": 0, "exchange": 0}
    scene = vt.Scene(method=vt.Method(velocity=method, bound=bound, **choice), voxel=0.05)
    scene.add(linear_wind(np.diag([g, -g / 2, -g / 2])))
    sim = vt.Simulation(scene, fps=30 * g)
    strength, start = np.array([[0.03, 0.02, -0.05]]), np.array([[0.1, 0.2, 0.3]])
    sim.vortons.add(start, strength, core=0.1, volume=1e-3)
    sim.step(30)
    factor = np.exp([1, -0.5, -0.5])
    assert np.allclose(sim.vortons.strength / strength, factor, rtol=1e-3)
    assert np.allclose(sim.vortons.position / start, factor, rtol=1e-3)


@pytest.mark.parametrize("where", ["nowhere", *METHODS])
def test_linear_wind_is_exact_everywhere(where):
    gradient = np.random.default_rng(2).normal(0, 1, (3, 3))
    sim = build(linear_wind(gradient), method="direct" if where == "direct" else "poisson")
    if where != "nowhere":
        add_weak_vorton(sim)
    points = np.random.default_rng(3).normal(0, 1.0, (300, 3))  # inside the grid and outside
    assert np.allclose(sim.velocity_at(points), points @ gradient.T, atol=3e-5)


@pytest.mark.parametrize("outside", ["zero", "border"])
@pytest.mark.parametrize("method", METHODS)
def test_wind_between_nodes_and_outside(method, outside):
    values, wind, axes = random_wind(outside=outside, strength=0.5)
    sim = build(wind, method=method)
    points = np.random.default_rng(4).uniform(-1.5, 1.5, (2000, 3)).astype(np.float32)
    low, high = [a[0] for a in axes][::-1], [a[-1] for a in axes][::-1]
    inside = ((points >= low) & (points <= high)).all(axis=1)
    assert 50 < inside.sum() < 1950
    at = np.clip(points, low, high)
    expected = 0.5 * RegularGridInterpolator(axes, values)(at[:, ::-1])
    if outside == "zero":
        expected[~inside] = 0
    assert np.allclose(sim.velocity_at(points), expected, atol=2e-6)


def test_wind_at_the_nodes_of_the_working_grid():
    values, wind, axes = random_wind(outside="border")
    calm, windy = build(order="second"), build(wind, order="second")
    for sim in (calm, windy):
        position, strength, core, volume = ring(100)
        sim.vortons.add(position, strength, core=core, volume=volume)
    added = windy.grids.velocity - calm.grids.velocity
    nz, ny, nx, _ = added.shape
    k, j, i = np.meshgrid(range(nz), range(ny), range(nx), indexing="ij")
    points = np.array(windy.grids.origin) + windy.grids.spacing * np.stack([i, j, k], axis=-1)
    at = np.clip(points, [a[0] for a in axes][::-1], [a[-1] for a in axes][::-1])
    expected = RegularGridInterpolator(axes, values)(at[..., ::-1])
    assert np.allclose(added, expected, atol=5e-6)
    assert np.array_equal(windy.grids.vector_potential, calm.grids.vector_potential)


def test_gradient_of_wind_in_the_direct_route():
    """One short step against differences of SciPy's interpolation; none beyond the border."""
    values, wind, axes = random_wind(outside="border")
    find = RegularGridInterpolator(axes, values, bounds_error=False, fill_value=None)
    method = vt.Method(velocity="direct", stretching="classical", bound=0, cleaning=0)
    scene = vt.Scene(voxel=0.1, method=method)
    scene.add(wind)
    sim = vt.Simulation(scene, fps=1e4)
    inside = np.array([[-0.1, 0.23, 0.03], [0.33, -0.21, 0.31], [0.41, 0.53, -0.47]])
    beyond = np.array([[2.0, 0.23, 0.03]])
    strength = np.random.default_rng(6).normal(0, 1e-6, (4, 3)).astype(np.float32)
    sim.vortons.add(np.vstack([inside, beyond]), strength, core=0.1, volume=1.0)
    sim.step()
    rate = (sim.vortons.strength - strength) * 1e4
    h = 1e-4
    for i, x in enumerate(inside):
        along = [
            (find((x + h * e)[::-1]) - find((x - h * e)[::-1]))[0] / (2 * h) for e in np.eye(3)
        ]
        assert np.allclose(rate[i], strength[i] @ np.array(along), rtol=2e-3, atol=5e-9)
    clipped = np.array([axes[2][-1], 0.23, 0.03])
    flat = [(find((clipped + h * e)[::-1]) - find((clipped - h * e)[::-1]))[0] / (2 * h)
            for e in np.eye(3)[1:]]  # fmt: skip
    assert np.allclose(rate[3], strength[3, 1:] @ np.array(flat), atol=1e-8)


@pytest.mark.parametrize(
    "content", slow_but(["nothing", "forces"], ["nothing", *METHODS, "forces"])
)
def test_motion_in_wind_that_depends_on_place_and_time(content):
    """Against an integration of u = wind(t) + strength(t) G x, for tracers and vortons; the frame
    of the fields moves, the grid of wind does not."""
    gradient = np.array([[0.3, -2, 0], [2, -0.2, 0.5], [0, 0.4, -0.1]])
    gust = vt.Keys([(0, (0, 0, 0)), (1, (1.5, -1, 0.5))], "smooth")
    strength = vt.Keys([(0, 0.2), (0.5, 1), (1, 0.5)])
    effects = [vt.Attractor(strength=0.0)] if content == "forces" else []
    method = content if content in METHODS else "poisson"
    errors = []
    for fps in (24, 48):
        sim = build(vt.Wind(gust), linear_wind(gradient, strength=strength), *effects,
                    method=method, fps=fps)  # fmt: skip
        start = np.array([[0.1, 0.2, 0.3], [1, -0.5, 0.2], [0.12, 0.22, 0.3]])
        sim.tracers.add(start, density=1, size=0.1)
        if content != "nothing":
            add_weak_vorton(sim)
        sim.step(fps)

        def velocity(t, x):
            return np.array(gust.at(t)) + strength.at(t) * gradient @ x

        exact = np.array([path(velocity, x, 1) for x in start])
        found = np.vstack([positions(sim.tracers), positions(sim.vortons)])
        errors.append(np.abs(found - np.vstack([exact, exact[: sim.vortons.count]])).max())
    assert errors[0] < 5e-3 and errors[1] < 0.35 * errors[0]


def test_wind_from_a_file(tmp_path):
    values, inline, _ = random_wind()
    np.save(tmp_path / "wind.npy", values)
    scene = vt.Scene("windy")
    scene.add(vt.WindGrid(path=tmp_path / "wind.npy", origin=inline.origin, spacing=inline.spacing))
    scene.save(tmp_path / "scene.json")
    assert '"path": "wind.npy"' in (tmp_path / "scene.json").read_text()
    again = vt.Scene.load(tmp_path / "scene.json")
    assert again == scene and np.array_equal(again.effects[0].velocity, values)
    points = [[0.1, 0.2, 0.05]]
    assert np.array_equal(
        vt.Simulation(again).velocity_at(points), build(inline).velocity_at(points)
    )
    np.save(tmp_path / "wind.npy", 2 * values)
    with pytest.raises(ValueError, match=r"effects\[0\].*have changed since the scene was saved"):
        vt.Scene.load(tmp_path / "scene.json")


# ---- force fields ----


def test_tracers_go_around_a_vortex():
    """Exact circles; the error falls with the square of the angle of a part."""
    circulation, core = 2.0, 0.3
    axis = np.array([1.0, 2.0, 2.0]) / 3
    across = np.array([2.0, 1.0, -2.0]) / 3
    third = np.cross(axis, across)
    radii = np.array([0.02, 0.1, 0.5, 2.0])
    start = (1, 0, -1) + radii[:, None] * across + np.array([[0.3]]) * axis
    rate = -circulation / (2 * np.pi * radii**2) * np.expm1(-((radii / core) ** 2))
    errors = []
    for turn in (0.4, 0.1):
        scene = vt.Scene(voxel=0.1, method=vt.Method(turn=turn))
        scene.add(vt.Vortex((1, 0, -1), 5 * axis, circulation, core, acts_on="tracers"))
        sim = vt.Simulation(scene, fps=24)
        sim.tracers.add(start, density=1, size=0.1)
        sim.step(24)
        turned = radii[:, None] * (np.cos(rate)[:, None] * across + np.sin(rate)[:, None] * third)
        exact = (1, 0, -1) + turned + 0.3 * axis
        errors.append(np.abs(sim.tracers.position - exact).max(axis=1) / radii)
    assert (errors[0] < 5e-3).all() and errors[1].max() < 0.25 * errors[0].max()


def attraction(center, strength, radius):
    def velocity(t, x):
        d = x - np.asarray(center(t))
        return -strength(t) / radius * d * math.exp((1 - d @ d / radius**2) / 2)

    return velocity


def test_tracers_fall_into_attractors():
    """Against SciPy, with a centre that moves and a strength that changes; the flow pushes too."""
    center = vt.Keys([(0, (0, 0, 1)), (1, (1, 0.5, 0))])
    strength = vt.Keys([(0, -1), (0.5, 1.5), (2, 2)])
    sim = build(vt.Attractor(center, strength=strength, radius=0.7), wind=(0.2, 0, 0))
    start = np.array([[0.5, 0, 0.1], [-0.3, 0.4, 1.2], [2, 2, 2]])
    sim.tracers.add(start, density=1, size=0.1)
    sim.step(FPS)
    pull = attraction(center.at, strength.at, 0.7)
    exact = [path(lambda t, x: pull(t, x) + (0.2, 0, 0), x, 1) for x in start]
    assert np.allclose(sim.tracers.position, exact, atol=1e-3)
    far = sim.tracers.position[2] - start[2] - (0.2, 0, 0)
    assert np.abs(far).max() < 0.05


def test_attractor_is_strongest_at_its_radius():
    sim = build(vt.Attractor((1, 0, 0), strength=0.25, radius=0.5), fps=1e4)
    start = np.array([[1 + d, 0, 0] for d in (0.1, 0.5, 0.9, 2.0)])
    sim.tracers.add(start, density=1, size=0.1)
    _ = sim.tracers.velocity
    sim.step()
    speed = -sim.tracers.velocity[:, 0]
    assert speed[1] == pytest.approx(0.25, rel=1e-3) and speed.argmax() == 1
    assert speed[3] < 0.01 * 0.25 * 70 and (speed > 0).all()


def test_drag_blends_velocities():
    """Two drags after an earlier and a later field: u -> (1 - f) u + f v, one after the other."""
    effects = [
        vt.Drag((0, 0, 1), fraction=0.25, acts_on="tracers"),
        vt.Vortex(circulation=2 * np.pi, core=10.0, acts_on="tracers"),
        vt.Drag((0, 4, 0), fraction=0.5, acts_on="tracers"),
    ]
    sim = build(*effects, wind=(1, 0, 0), fps=1e3)
    sim.tracers.add([[2, 0, 0]], density=1, size=0.1)
    _ = sim.tracers.velocity
    sim.step()
    u = np.array([1, -np.expm1(-0.04) / 2, 0])
    u = 0.75 * u + 0.25 * np.array([0, 0, 1])
    u = 0.5 * u + 0.5 * np.array([0, 4, 0])
    assert np.allclose(sim.tracers.velocity[0], u, atol=3e-3)


@pytest.mark.parametrize("method", METHODS)
def test_vortons_keep_to_the_fluid(method):
    """With full drag tracers stand still in the flow of a ring, which runs on as without."""
    free = simulation(method=vt.Method(velocity=method, rounding=0))
    scene = vt.Scene(method=vt.Method(velocity=method, rounding=0))
    scene.add(vt.Drag(fraction=1, acts_on="tracers"))
    held = simulation(scene=scene)
    start = held.tracers.position.copy()
    for sim in (free, held):
        sim.step(5)
    assert np.array_equal(free.vortons.position, held.vortons.position)
    assert np.array_equal(free.vortons.strength, held.vortons.strength)
    assert np.allclose(positions(held.tracers), start, atol=1e-6)
    assert np.abs(positions(free.tracers) - start).max() > 0.05


@pytest.mark.parametrize("method", METHODS)
def test_a_force_of_no_strength_changes_nothing(method):
    """The way of tracers under forces and the plain one are the same rule."""
    plain = simulation(method=vt.Method(velocity=method))
    scene = vt.Scene(method=vt.Method(velocity=method))
    scene.add(vt.Attractor(strength=0))
    forced = simulation(scene=scene)
    for sim in (plain, forced):
        sim.step(10)
    apart = np.abs(positions(plain.tracers) - positions(forced.tracers)).max()
    assert apart < 1e-5 and np.array_equal(plain.tracers.age, forced.tracers.age)


def test_forces_act_inside_their_shape_alone_and_move_with_their_parent():
    """A box that slides along x at 1 m/s carries what it meets upwards."""
    slide = vt.Transform(position=vt.Keys([(0, (-1, 0, 0)), (4, (3, 0, 0))]))
    box = vt.Box((-0.25, -1, -1), (0.25, 1, 1))
    drag = vt.Drag((0, 0, 0.5), fraction=1, shape=box, parent=slide, acts_on="tracers")
    sim = build(drag, fps=100)
    x = np.array([-0.9, 0, 0.5, 1.5])
    sim.tracers.add(np.stack([x, 0 * x, 0 * x], axis=1), density=1, size=0.1)
    sim.step(100)
    # inside while |x - (t - 1)| < .25, until t = 1
    time = np.clip(np.minimum(x + 1.25, 1) - np.maximum(x + 0.75, 0), 0, None)
    assert np.allclose(sim.tracers.position[:, 2], 0.5 * time, atol=0.011)
    assert np.allclose(sim.tracers.position[:, 0], x)
    assert time[0] > 0.3 and time[1] > 0.2 and (time[2:] == 0).all()


def test_parent_turns_and_grows_a_vortex():
    """A vortex about z in a space that is turned about x and doubled: about -y, with twice the
    core."""
    space = vt.Transform(position=(1, 0, 0), angle=90, axis=(1, 0, 0), scale=2)
    placed = build(vt.Vortex((0.5, 0, 0), core=0.2, parent=space, acts_on="tracers"))
    direct = build(vt.Vortex((2, 0, 0), axis=(0, -1, 0), core=0.4, acts_on="tracers"))
    for sim in (placed, direct):
        sim.tracers.add([[2.3, 0, 0], [2, 1, 0.3]], density=1, size=0.1)
        sim.step(10)
    assert np.allclose(placed.tracers.position, direct.tracers.position, atol=1e-6)
    assert np.abs(direct.tracers.position[0] - (2.3, 0, 0)).max() > 0.05


# ---- removal ----

CONDITIONS = {
    "inside": ({"inside": vt.Sphere((0.2, 0, 0), 0.3)}, lambda p: near(p, (0.2, 0, 0), 0, 0.3)),
    "outside": ({"outside": vt.Sphere(radius=0.45)}, lambda p: near(p, (0, 0, 0), 0.45, 99)),
    "age": ({"older_than": 0.25}, lambda p: p.age >= 0.25),
    "nearer": ({"nearer_than": 0.3, "point": (0, 0.3, 0)}, lambda p: near(p, (0, 0.3, 0), 0, 0.3)),
    "between": (
        {"nearer_than": 0.5, "farther_than": 0.2},
        lambda p: near(p, (0, 0, 0), 0.2, 0.5),
    ),
    "faster": ({"faster_than": 0.6}, lambda p: np.linalg.norm(p.velocity, axis=1) >= 0.6),
    "slower": ({"slower_than": 0.8}, lambda p: np.linalg.norm(p.velocity, axis=1) <= 0.8),
    "all at once": (
        {"outside": vt.Box((-9, -9, -9), (0, 9, 9)), "older_than": 0.1, "faster_than": 0.5},
        lambda p: (p.position[:, 0] > 0) & (np.linalg.norm(p.velocity, axis=1) >= 0.5),
    ),
}


def near(particles, point, least, most):
    distance = np.linalg.norm(particles.position - np.array(point), axis=1)
    return (distance >= least) & (distance <= most)


@pytest.mark.parametrize("what", slow_but(["both"], ["tracers", "vortons", "both"]))
@pytest.mark.parametrize("name", CONDITIONS)
def test_kill_removes_what_fulfils_its_conditions(name, what):
    """Against NumPy masks on a twin, which a kill begins to act on after 6 of 7 steps."""
    conditions, mask = CONDITIONS[name]
    scene = vt.Scene()
    scene.add(vt.Kill(what, start=6.5 / 24, **conditions))
    killed, twin = simulation(scene=scene), simulation()
    _ = killed.tracers.velocity, twin.tracers.velocity
    for sim in (killed, twin):
        sim.step(7)
    for one, other in ((killed.tracers, twin.tracers), (killed.vortons, twin.vortons)):
        gone = mask(other) & (what in (one._set, "both"))
        if one._set == "tracers" and what != "vortons":
            assert 0 < gone.sum() and (gone.sum() < len(gone) or name == "age")
        for column in one._columns:
            assert np.array_equal(getattr(one, column), getattr(other, column)[~gone]), column


def test_kill_acts_only_between_its_times():
    scene = vt.Scene(voxel=0.1)
    scene.add(vt.Kill(inside=vt.Sphere(), start=0.15, end=0.45))
    sim = vt.Simulation(scene, fps=10)
    counts = []
    for _ in range(6):
        sim.tracers.add([[0, 0, 0], [5, 0, 0]], density=1, size=0.1)
        sim.step()
        counts.append(sim.tracers.count)
    assert counts == [2, 2, 3, 4, 6, 8]


def test_speed_of_what_has_not_moved_is_not_looked_at():
    scene = vt.Scene(voxel=0.1)
    scene.add(vt.Kill(slower_than=0.5))
    scene.add(vt.Tracers(vt.Sphere(), rate=2400))
    sim = vt.Simulation(scene, fps=24)
    sim.step()
    assert 0 <= sim.tracers.count < 3 and (sim.tracers.age == 0).all()
    windy = vt.Simulation(scene, fps=24)
    windy._core.add("wind", velocity=(1, 0, 0))
    windy.step(3)
    assert windy.tracers.count == windy.tracers.id.max() + 1 > 280


def test_kill_of_everything_leaves_an_empty_flow():
    scene = vt.Scene()
    scene.add(vt.Kill("both", older_than=0.1))
    sim = simulation(scene=scene)
    sim.step(10)
    assert sim.vortons.count == sim.tracers.count == 0
    assert np.array_equal(sim.velocity_at([[0, 0, 0]]), [[0, 0, 0]])


def test_kill_in_a_space_that_moves():
    space = vt.Transform(position=vt.Keys([(0, (0, 0, 0)), (1, (4, 0, 0))]), scale=0.5)
    scene = vt.Scene(voxel=0.1)
    scene.add(vt.Kill(nearer_than=1.0, parent=space))
    scene.add(vt.Kill(inside=vt.Sphere((0, 20, 0)), parent=space))
    sim = vt.Simulation(scene, fps=40)
    x = np.array([-0.7, -0.3, 1.0, 3.0, 3.9, 4.7])
    ids = sim.tracers.add(np.stack([x, 0 * x, 0 * x], axis=1), density=1, size=0.1)
    high = sim.tracers.add([[2, 10, 0], [2, 11, 0]], density=1, size=0.1)
    sim.step(40)
    assert (sim.tracers.rows(ids) >= 0).tolist() == [True, False, False, False, False, True]
    assert (sim.tracers.rows(high) >= 0).tolist() == [False, True]


# ---- fading ----


@pytest.mark.parametrize("fps", [24, 7])
def test_smoke_thins_out_at_the_end_of_its_life(fps):
    """As (lifetime - age) / (fade lifetime), whatever the steps."""
    scene = vt.Scene(voxel=0.1)
    scene.add(vt.Tracers(vt.Sphere(radius=0.1), rate=5000, lifetime=1.0, fade=0.4, density=3.0))
    scene.add(vt.Tracers(vt.Sphere(radius=0.1), rate=5000, lifetime=1.0, density=3.0))
    scene.add(vt.Tracers(vt.Sphere(radius=0.1), count=50, density=3.0))  # for ever
    sim = vt.Simulation(scene, fps=fps)
    sim.advance(0.7)
    sim.step(2 * fps)
    t = sim.tracers
    assert t.count == pytest.approx(10_050, abs=4)
    whole = 3.0 * vt.Sphere(radius=0.1).volume / np.where(np.isinf(t.lifetime), 50, 5000)
    left = np.where(t.fade > 0, np.minimum((1.0 - t.age) / 0.4, 1), 1)
    assert np.allclose(t.density, whole * left, rtol=1e-4, atol=1e-5 * whole.max())
    assert (left < 0.1).sum() > 100 and (t.fade == np.float32(0.4)).sum() > 4000


# ---- growth ----


def test_size_grows_with_age():
    rates = vt.Keys([(0, 0.1), (1, 0.5)])
    scene = vt.Scene(voxel=0.1)
    scene.add(vt.Tracers(vt.Sphere(radius=0.1), rate=500, growth=rates))
    scene.add(vt.Tracers(vt.Sphere(radius=0.1), count=100, growth=0.3, start=0.01))
    scene.add(vt.Tracers(vt.Sphere(radius=0.1), count=50))
    sim = vt.Simulation(scene, fps=24)
    by_hand = sim.tracers.add([[0, 0, 0]], density=1, size=0.2)
    sim.step(24)
    t = sim.tracers
    volume = 4 / 3 * np.pi * 0.1**3
    born = np.where(
        t.growth == 0, 50, np.where(np.isclose(t.growth, 0.3) & (t.age > 0.98), 100, 500)
    )
    size = np.cbrt(volume / born) + t.growth * t.age
    size[t.rows(by_hand)] = 0.2
    assert np.allclose(t.size, size, rtol=2e-5)
    streamed = (t.growth > 0) & ~np.isclose(t.age, 0.99, atol=1e-5)
    assert np.allclose(t.growth[streamed], 0.1 + 0.4 * (1 - t.age[streamed]), atol=1e-5)


def test_grown_tracers_fill_cubes_in_volumes():
    """Mass and centroid stay; the second moment is that of a cube of the size, and the density in
    its middle that of the smoke spread over it."""
    scene = vt.Scene(voxel=0.05)
    scene.add(vt.Tracers(vt.Sphere((0.3, 0.1, 0), radius=0.01), count=1, density=1e3, growth=0.3))
    sim = vt.Simulation(scene, fps=24)
    _, small = sim.step(0), sim.volume()
    sim.step(24)
    grown = sim.volume()
    size = float(sim.tracers.size[0])
    assert size == pytest.approx(0.3 + np.cbrt(4 / 3 * np.pi) * 0.01, rel=1e-5)
    before, after = small.info(), grown.info()
    assert after["tracers"] == 1 and after["mass"] == pytest.approx(before["mass"], rel=1e-5)
    assert np.allclose(after["centroid"], sim.tracers.position[0], atol=1e-4)
    values = grown.density((-10, -10, -10), (40, 30, 30)).astype(float)  # z, y, x
    x = 0.05 * np.arange(-10, 30) - sim.tracers.position[0, 0]
    weight = values.sum(axis=(0, 1))
    spread = (weight * x**2).sum() / weight.sum()
    # the hat and the spline of the voxels add their own: 1/6 and 1/12 voxels^2 and more
    assert size**2 / 12 * 0.95 < spread < size**2 / 12 + 1.0 * 0.05**2
    middle = values[10, 12, 16]
    assert middle == pytest.approx(after["mass"] / size**3, rel=0.15)


def test_a_lattice_of_grown_tracers_is_even():
    """Cubes side by side: the same density everywhere."""
    n, gap = 6, 0.2
    points = gap * np.stack(np.meshgrid(*[np.arange(n)] * 3), axis=-1).reshape(-1, 3)
    sim = vt.Simulation(vt.Scene(voxel=0.05))
    sim.tracers.add(points, density=gap**3, size=gap)
    rough = sim.volume().density((6, 6, 6), (9, 9, 9))
    sim.tracers.growth[:] = 1e-6
    even = sim.volume().density((6, 6, 6), (9, 9, 9))
    between = sim.volume(0.045).density((6, 6, 6), (9, 9, 9))  # points .89 voxels apart
    assert rough.std() > 0.5 and np.allclose(even, 1, atol=1e-3)
    assert between.std() < 0.05 and between.mean() == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize("name", ["Kill", "Attractor", "Vortex", "Drag"])
def test_a_surface_has_no_inside(name):
    """Nor does a skin stand for the body that it is the skin of."""
    skin = vt.Surface(vt.Sphere(), 0.1)
    keys = {"inside", "outside"} if name == "Kill" else {"shape"}
    for key in keys:
        with pytest.raises(TypeError, match=rf"{name}\.{key} = .*must be a filled shape: Sphere"):
            getattr(vt, name)(**{key: skin})
