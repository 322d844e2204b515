"""Fields on the nodes against formulas, and against sums in NumPy over the vortons."""

import gc

import numpy as np
import pytest
from differences import curl, slopes
from marks import slow_but
from test_views import columns_of

import vorton as vt

H = 0.05  # grid spacing, m
SCALAR = ("density", "temperature", "fuel", "flame", "smoke")
CURLED = ("velocity", "vector_potential", "divergence", "vorticity")


def lattice(half, spacing=H):
    """Points in the middle of cells of the world lattice, in a box around the origin."""
    axis = (np.arange(-half, half) + 0.5) * spacing
    return np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)


def simulation_of(x, strength=None, *, spacing=H, bodies=(), volume=H**3, **options):
    """Vortons by hand; options are of the scene and, by names of columns, of what they carry."""
    carried = {name: options.pop(name) for name in SCALAR if name in options}
    scene = vt.Scene("grids", spacing=spacing, **options)
    for body in bodies:
        scene.add(body)
    sim = vt.Simulation(scene, threads=2)
    strength = np.zeros_like(x) if strength is None else strength
    sim.vortons.add(x, strength, core=1.5 * spacing, volume=volume, **carried)
    return sim


def nodes(sim):
    """Places of the nodes, (nz, ny, nx, 3)."""
    g = sim.grids
    k, j, i = np.meshgrid(*map(np.arange, g.shape), indexing="ij")
    return np.array(g.origin) + g.spacing * np.stack([i, j, k], axis=-1)


def central(field, h):
    """Central differences along x, y and z."""
    return [np.gradient(field.astype(float), h, axis=axis) for axis in (2, 1, 0)]


def ring(radius=0.8, width=0.15, circulation=2.0):
    """Vortons of a ring whose section is a Gaussian, with its vorticity as a function of place."""

    def vorticity(x, width):
        rho = np.hypot(x[..., 0], x[..., 1])
        away = (rho - radius) ** 2 + x[..., 2] ** 2
        size = circulation / (2 * np.pi * width**2) * np.exp(-away / (2 * width**2))
        around = (
            np.stack([-x[..., 1], x[..., 0], 0 * rho], axis=-1) / np.maximum(rho, 1e-9)[..., None]
        )
        return size[..., None] * around

    x = lattice(34)
    omega = vorticity(x, width)
    near = np.linalg.norm(omega, axis=1) > 1e-4 * np.linalg.norm(omega, axis=1).max()
    return x[near], omega[near] * H**3, vorticity, width


@pytest.fixture(scope="module")
def vortex_ring():
    x, strength, vorticity, width = ring()
    return simulation_of(x, strength), vorticity, width


def far_from_faces(field, cells=4):
    return field[cells:-cells, cells:-cells, cells:-cells]


def test_vorticity_of_a_ring_is_what_the_formula_says(vortex_ring):
    """The cores of the grid have a variance of 2.25 cells^2: a section of this width is that much
    wider."""
    sim, vorticity, width = vortex_ring
    wider = np.sqrt(width**2 + 2.25 * H**2)
    exact = vorticity(nodes(sim), wider)
    found = sim.grids.vorticity
    assert np.abs(found - exact).max() < 0.02 * np.abs(exact).max()
    for face in (found[0], found[-1], found[:, 0], found[:, -1], found[:, :, 0], found[:, :, -1]):
        assert not face.any()


@pytest.mark.parametrize("cells", [1.5, 2.0])
def test_cores_by_modes_are_those_from_node_to_node(cells):
    """The direct solver filters modes, the others nodes, with the same taps. Beside faces modes
    take mirror images for what lies beyond."""
    x, strength, *_ = ring()
    found = []
    for poisson in ("direct", "multigrid"):
        method = vt.Method(order="second", cores="filtered", poisson=poisson)
        sim = vt.Simulation(vt.Scene(spacing=H, method=method))
        sim.vortons.add(x, strength, core=cells * H, volume=H**3)
        found.append(far_from_faces(sim.grids.vorticity))
    assert np.abs(found[0] - found[1]).max() < 3e-6 * np.abs(found[1]).max()


def test_vorticity_is_the_curl_of_the_velocity(vortex_ring):
    sim, _, _ = vortex_ring
    found = sim.grids.vorticity
    of_velocity = curl(sim.grids.velocity, sim.grids.spacing)
    error = far_from_faces(of_velocity - found)
    assert np.abs(error).max() < 0.01 * np.abs(found).max()


def test_potential_and_its_divergence(vortex_ring):
    sim, _, _ = vortex_ring
    a, h = sim.grids.vector_potential, sim.grids.spacing
    speed = np.abs(sim.grids.velocity).max()
    assert np.abs(far_from_faces(curl(a, h) - sim.grids.velocity)).max() < 1e-5 * speed
    divergence = sum(slopes(a[..., c], h)[c] for c in range(3))
    assert np.abs(far_from_faces(divergence - sim.grids.divergence)).max() < 1e-5 * speed
    assert np.abs(sim.grids.divergence).max() < 4e-3 * speed


def test_potential_of_a_source():
    """Away from its core, -q / 4 pi r; the velocity is its gradient."""
    sim = simulation_of(np.zeros((1, 3)), volume=1e-3)
    sim.vortons.swelling = 0.3
    phi, h = sim.grids.scalar_potential, sim.grids.spacing
    r = np.linalg.norm(nodes(sim), axis=-1)
    away = r > 4 * h
    exact = -0.3 / (4 * np.pi * r[away])
    assert phi.shape == sim.grids.shape and away.sum() > 500
    assert np.abs(phi[away] / exact - 1).max() < 0.02
    slope = np.stack(slopes(phi, h), axis=-1)
    error = far_from_faces(slope - sim.grids.velocity)
    assert np.abs(error).max() < 1e-4 * np.abs(slope).max()


def test_potential_of_a_ball_in_a_wind():
    """U R^3 x / 2 r^3, and no vorticity: there is no vorton at all."""
    scene = vt.Scene("ball", wind=(2.0, 0, 0), spacing=H)
    scene.add(vt.Body(vt.Sphere(radius=0.4), panels=320, shedding=0))
    sim = vt.Simulation(scene, threads=2)
    r = np.linalg.norm(nodes(sim), axis=-1)
    away = r > 0.5
    exact = 2.0 * 0.4**3 * nodes(sim)[away][:, 0] / (2 * r[away] ** 3)
    assert away.any() and np.abs(exact).max() > 0.15
    assert np.abs(sim.grids.scalar_potential[away] - exact).max() < 0.03 * np.abs(exact).max()
    assert not sim.grids.vorticity.any() and not sim.grids.vector_potential.any()
    assert np.array_equal(sim.grids.open, r > 0.4 + 0.1 * H)


SLOPE = np.array([30.0, -12.0, 21.0])  # kg/m^4


def test_density_that_grows_evenly():
    """Nodes in the midst of vortons of a lattice have exactly what they should."""
    x = lattice(8)
    sim = simulation_of(x, density=x @ SLOPE, ambient=vt.Water())
    inside = np.abs(nodes(sim)).max(axis=-1) < 7 * H - 0.01
    place = nodes(sim)[inside]
    assert inside.sum() == 13**3
    assert np.allclose(sim.grids.density[inside], place @ SLOPE, atol=2e-4)
    assert np.allclose(sim.grids.density_gradient[inside], SLOPE, atol=2e-2)
    outside = np.abs(nodes(sim)).max(axis=-1) > 9 * H + 0.01
    assert outside.any()
    assert not sim.grids.density[outside].any() and not sim.grids.density_gradient[outside].any()


def test_gradient_of_a_warm_blob():
    """Density by the law of the gas, ambient x (T0 / T - 1), of a Gaussian of the temperature."""
    x = lattice(14)
    air = vt.Air()

    def density(x):
        hot = air.temperature + 60 * np.exp(-(x**2).sum(axis=-1) / (2 * 0.2**2))
        return hot, air.density * (air.temperature / hot - 1)

    sim = simulation_of(x, temperature=density(x)[0], ambient=air)
    inside = np.abs(nodes(sim)).max(axis=-1) < 13 * H - 0.01
    place, step = nodes(sim)[inside], 1e-4
    slope = [
        (density(place + step * e)[1] - density(place - step * e)[1]) / (2 * step)
        for e in np.eye(3)
    ]
    found = sim.grids.density_gradient[inside]
    # differences over two cells of means over two: short by 5 % of the third derivative
    assert np.abs(found - np.stack(slope, axis=-1)).max() < 0.06 * np.abs(slope).max()
    means = deposit(sim, density(sim.vortons.position.astype(float))[1])
    differences = np.stack(central(means, H), axis=-1)[inside]
    assert np.abs(found - differences).max() < 1e-4 * np.abs(slope).max()
    assert found.min() < -0.2 < 0.2 < found.max()


def test_walls_make_no_gradient():
    """Between open nodes alone; nodes in walls beside open ones take the mean of those."""
    side = 7.3 * H
    x = lattice(8)
    x = x[np.abs(x).max(axis=1) < side]
    box = vt.Container(vt.Box((-side,) * 3, (side,) * 3), panels=0)  # else they are the faces
    fluid = {"density": 40 + x @ SLOPE, "ambient": vt.Water()}
    sim, free = simulation_of(x, bodies=[box], **fluid), simulation_of(x, **fluid)
    place = nodes(sim)
    is_open = np.abs(place).max(axis=-1) < side - 0.1 * H
    assert sim.grids.open.dtype == bool and np.array_equal(sim.grids.open, is_open)
    found = sim.grids.density_gradient
    # nodes beside the walls lack vortons on their other side, and the rest is evened out from there
    inside = np.abs(place).max(axis=-1) < 3 * H + 0.01
    assert np.allclose(found[inside], SLOPE, atol=2e-2)
    assert np.abs(found[is_open]).max() < 1.5 * np.abs(SLOPE).max()
    assert np.abs(free.grids.density_gradient).max() > 10 * np.abs(SLOPE).max()  # to ambient
    deep = np.abs(place).max(axis=-1) > side + 1.1 * H
    assert deep.any() and not found[deep].any() and not sim.grids.density[deep].any()
    assert free.grids.open.all()


def sums_around(sim, values):
    """Of values over the vortons around each node, weighted by their volumes, and of volumes."""
    v, shape = sim.vortons, sim.grids.shape
    cell = (v.position.astype(float) - sim.grids.origin) / sim.grids.spacing
    low = np.floor(cell).astype(int)
    part = cell - low
    total, volume = np.zeros(shape), np.zeros(shape)
    for corner in np.ndindex(2, 2, 2):
        weight = v.volume * np.prod(np.where(corner, part, 1 - part), axis=1)
        at = tuple((low + corner).T[::-1])
        np.add.at(total, at, weight * values)
        np.add.at(volume, at, weight)
    return total, volume


def deposit(sim, values):
    """Means of values over the vortons around each node, weighted by their volumes; 0 where none
    is."""
    total, volume = sums_around(sim, values)
    return np.divide(total, volume, out=np.zeros(volume.shape), where=volume > 0)


@pytest.fixture(scope="module")
def fire():
    random = np.random.default_rng(4)
    x = random.uniform(-0.4, 0.4, (3000, 3))
    shares = random.dirichlet([1, 1, 1, 3], len(x))
    carried = dict(zip(("fuel", "flame", "smoke"), shares.T, strict=False))
    temperature = random.uniform(280, 1500, len(x))
    volume = random.uniform(0.5, 2, len(x)) * H**3
    scene = {"combustion": vt.Combustion(), "method": vt.Method(flames="mean")}
    return simulation_of(x, 1e-4 * x, temperature=temperature, volume=volume, **carried, **scene)


def test_temperature_is_the_mean_over_the_vortons_around(fire):
    ambient = fire.scene.ambient.temperature
    exact = ambient + deposit(fire, fire.vortons.temperature - ambient)
    assert np.allclose(fire.grids.temperature, exact, atol=2e-2)
    assert exact.max() > 1000 and fire.grids.temperature[0, 0, 0] == np.float32(ambient)


@pytest.mark.parametrize("name", ["fuel", "flame", "smoke"])
def test_shares_are_means_over_the_vortons_around(fire, name):
    exact = deposit(fire, getattr(fire.vortons, name))
    assert np.allclose(getattr(fire.grids, name), exact, atol=1e-5) and exact.max() > 0.3


def test_density_is_the_mean_but_what_is_ambient_yields_to_what_differs(fire):
    """With neutral vortons around (Method.halo), whose edge is ambient. What fills a node more than
    once yields, down to the volume of what differs."""
    ambient = fire.scene.ambient
    values = ambient.density * (ambient.temperature / fire.vortons.temperature - 1)
    mean = deposit(fire, values)
    fill = sums_around(fire, 0)[1] / H**3
    square = deposit(fire, values**2)
    size = deposit(fire, abs(values)) ** 2
    differs = np.divide(size, square, out=np.zeros(fill.shape), where=square > 0)
    exact = mean / np.clip(1 / np.maximum(fill, 1e-9), differs, 1)
    assert np.abs(exact - mean).max() > 0.05
    assert np.allclose(fire.grids.density, exact, atol=2e-5) and exact.min() < -0.5


def test_tracers_take_what_the_nodes_have(fire):
    sim = fire.copy()
    inside = np.zeros(sim.grids.shape, bool)
    inside[1:-1, 1:-1, 1:-1] = True
    sim.tracers.add(nodes(sim)[inside], density=0.0, size=0.1)
    assert np.allclose(sim.tracers.temperature, sim.grids.temperature[inside], rtol=1e-3)
    assert np.allclose(sim.tracers.smoke, sim.grids.smoke[inside], atol=2e-3)


def test_stratified_air_is_there_where_no_vorton_is():
    sim = simulation_of(
        np.zeros((1, 3)), temperature=400.0, ambient=vt.Air(stratification=0.5), volume=1e-3
    )
    z = nodes(sim)[..., 2]
    exact = sim.scene.ambient.temperature + 0.5 * z
    alone = np.linalg.norm(nodes(sim), axis=-1) > 2 * H
    assert np.allclose(sim.grids.temperature[alone], exact[alone], atol=1e-4)


def test_fluid_at_rest_has_means_and_no_flow():
    x = lattice(4)
    sim = simulation_of(x, density=10.0, ambient=vt.Water())
    assert sim.grids.density.max() == pytest.approx(10, rel=1e-5)
    assert "17 x 17" in repr(sim.grids) or "nodes" in repr(sim.grids)
    for name in CURLED:
        with pytest.raises(ValueError, match=f"no grid {name}: no vorton carries circulation"):
            getattr(sim.grids, name)


def test_fields_that_are_not_there(vortex_ring):
    sim, _, _ = vortex_ring
    for name in (*SCALAR, "density_gradient"):
        with pytest.raises(ValueError, match=f"no grid {name}: no vorton carries"):
            getattr(sim.grids, name)
    with pytest.raises(ValueError, match="scalar_potential: no fluid appears"):
        _ = sim.grids.scalar_potential
    empty = vt.Simulation()
    for name in (*vt.Simulation().grids._fields, "origin", "spacing", "shape"):
        with pytest.raises(ValueError, match="there are no vortons"):
            getattr(empty.grids, name)
    with pytest.raises(ValueError, match="GRID_FIELDS"):
        sim._core.grid("pressure")


@pytest.mark.parametrize("velocity", ["direct", "tree"])
def test_sums_have_no_grid(velocity):
    sim = simulation_of(lattice(2), density=1.0, method=vt.Method(velocity=velocity))
    for name in (*sim.grids._fields, "origin", "spacing", "shape"):
        with pytest.raises(ValueError, match=r"method\.velocity"):
            getattr(sim.grids, name)


def burning_scene():
    """A scene that has every field: fire beside a ball with panels."""
    scene = vt.Scene("all", spacing=0.1, combustion=vt.Combustion())
    scene.add(vt.Emitter(vt.Disk(radius=0.3, thickness=0.1), fuel=0.5, temperature=1200, core=0.15))
    scene.add(vt.Body(vt.Sphere((0, 0, 0.6), 0.15), panels=80))
    return scene


def everything(sim):
    return {row["name"]: getattr(sim.grids, row["name"]) for row in vt._core.GRID_FIELDS}


def test_views_are_what_the_table_says():
    sim = vt.Simulation(burning_scene(), threads=2)
    sim.step(8)
    found = everything(sim)
    place = (nodes(sim), sim.grids.origin, sim.grids.spacing)
    for row in vt._core.GRID_FIELDS:
        view = found[row["name"]]
        assert view.shape == sim.grids.shape + (3,) * (row["components"] == 3)
        assert view.dtype == row["dtype"] and not view.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            view[...] = 0
        with pytest.raises(AttributeError, match="read-only"):
            setattr(sim.grids, row["name"], 0)
        assert np.isfinite(view).all() and view.any(), row["name"]
        documentation = getattr(type(sim.grids), row["name"]).__doc__
        assert row["unit"] in documentation and row["dtype"] in documentation
        assert sim._core.grid(row["name"])[1:] == place[1:]
    # the ball is shut, and all around it open
    room = np.linalg.norm(place[0] - (0, 0, 0.6), axis=-1) - 0.15
    assert np.array_equal(found["open"], room > 0.1 * sim.grids.spacing)


def test_looking_changes_nothing():
    """Neither what comes, nor what was looked at before in the same state."""
    sim, twin = (vt.Simulation(burning_scene(), threads=2) for _ in range(2))
    for _ in range(3):
        sim.step()
        twin.step()
        first = {name: view.copy() for name, view in everything(sim).items()}
        assert np.array_equal(sim.velocity_at([[0, 0, 0.3]]), twin.velocity_at([[0, 0, 0.3]]))
        for name, view in reversed(everything(sim).items()):
            assert np.array_equal(view, first[name]), name
    for name, view in columns_of(sim.vortons):
        assert np.array_equal(view, getattr(twin.vortons, name)), name
    assert sim.health == twin.health
    late = everything(twin.copy())  # made by somebody who has never looked
    for name, view in everything(sim).items():
        assert np.array_equal(view, late[name]), name


@pytest.mark.slow
def test_views_keep_their_memory():
    """Through steps in which the grid grows, and after the simulation is gone; asked for again,
    a field is that of now."""
    sim = vt.Simulation(burning_scene(), threads=2)
    sim.step(4)
    held = everything(sim)
    before = {name: view.copy() for name, view in held.items()}
    sim.step(8)
    now = everything(sim)
    for name, view in now.items():
        if name != "open":
            assert view.shape != before[name].shape or not np.array_equal(view, before[name]), name
        assert np.isfinite(held[name].sum()), name  # readable, whatever it holds
    kept = {name: view.copy() for name, view in now.items()}
    del sim
    gc.collect()
    others = [vt.Simulation(burning_scene(), threads=2) for _ in range(2)]  # would take the memory
    for other in others:
        other.step(3)
        everything(other)
    for name, view in now.items():
        assert np.array_equal(view, kept[name]), name


def test_what_is_written_shows():
    x = lattice(4)
    sim = simulation_of(x, density=10.0, ambient=vt.Water())
    first = sim.grids.density
    sim.vortons.density *= 2
    again = sim.grids.density
    assert np.shares_memory(first, again) and again.max() == pytest.approx(20, rel=1e-5)


@pytest.mark.parametrize("thickness", slow_but([0.01, 0.06], [0.005, 0.01, 0.04, 0.06, 0.09]))
def test_a_thin_wall_parts_what_tracers_and_nodes_take(thickness):
    """Hot smoke on one side of a wall of less than two cells: on the other all is ambient, and on
    its own side it is as hot as what gave it, beside the wall, too."""
    hot, cell, half = 600.0, 0.05, thickness / 2
    still = {"gravity": (0, 0, 0), "method": vt.Method(expansion=0, halo=0)}
    scene = vt.Scene("wall", spacing=cell, **still)
    scene.add(vt.Body(vt.Box((-half, -1, -1), (half, 1, 1)), shedding=0))
    x = 0.025 * (np.mgrid[-6:0, -8:8, -8:8].reshape(3, -1).T + 0.5) - [half, 0, 0]
    scene.add(vt.VortonPoints(x, 0 * x, cell, 0.025**3, temperature=hot, smoke=0.5))
    for low, high in ((-half - 0.1, -half - 1e-3), (half + 1e-3, half + 0.1)):
        scene.add(vt.Tracers(vt.Box((low, -0.1, -0.1), (high, 0.1, 0.1)), count=400))
    sim = vt.Simulation(scene, fps=24, threads=1)
    _ = sim.tracers.smoke
    sim.step()
    ambient = scene.ambient.temperature
    right = sim.tracers.position[:, 0] > 0
    temperature, smoke = sim.tracers.temperature, sim.tracers.smoke
    assert right.sum() == (~right).sum() == 400
    assert abs(temperature[right] - ambient).max() < 1e-3 and smoke[right].max() < 1e-6
    assert temperature[~right].mean() > hot - 3 and smoke[~right].mean() > 0.495
    beyond = nodes(sim)[..., 0] > 0.5 * cell
    assert sim.grids.temperature.max() > hot - 20
    assert abs(sim.grids.temperature[beyond] - ambient).max() < 1e-3
