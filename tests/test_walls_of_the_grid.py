"""A box container that does not turn has the faces of the grid for its walls: images instead of
panels. References: the lattice of mirror images in float64, exact cellular flows, the dispersion
relation between walls. The Poisson solver by itself: test_poisson_in_box.py."""

import math

import numpy as np
import pytest
from beside_walls import rms
from marks import slow_but
from scipy.optimize import curve_fit
from scipy.special import erf
from test_shaken_containers import shaken, track

import vorton as vt
from vorton.validation.buoyancy import CORE

SIDES = np.array((2.0, 1.2, 1.6))
BOX = vt.Box(tuple(-SIDES / 2), tuple(SIDES / 2))
SPACING = 0.05
UNSEEN = {"panels": 0}


def simulation(*items, threads=1, fps=24, **scene):
    scene = vt.Scene("room", voxel=0.1, **{"spacing": SPACING, "gravity": (0, 0, 0)} | scene)
    for item in items:
        scene.add(item)
    return vt.Simulation(scene, fps=fps, threads=threads)


def room(box=BOX, **values):
    return vt.Container(box, name="room", **values)


def ring(**values):
    center, axis = (0.3, 0.1, -0.35), (0.3, -0.2, 1.0)
    values = {"radius": 0.3, "core": 0.1, "circulation": 1.0} | values
    return vt.VortexRing(center=center, axis=axis, **values)


def has_walls(sim, sides=SIDES):
    """Whether the grid of now reaches from wall to wall."""
    sim.update_fields()
    cells = np.array(sim.grids.shape[::-1]) - 1
    return np.allclose(cells * sim.grids.spacing, sides, rtol=1e-3)


def lattice(cells, sides=SIDES):
    """Middles of cells that fill the box."""
    axes = [s * ((np.arange(n) + 0.5) / n - 0.5) for s, n in zip(sides, cells, strict=True)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)


def images_flow(position, strength, x, reach):
    """Velocity of the mirror images of vortons in all walls, of vortons themselves not. Images
    beyond the last whole period count half, so that sums over them end evenly."""
    u = np.zeros_like(x)
    for n in np.ndindex(*(2 * np.array(reach) + 1)):
        n = np.array(n) - reach
        odd, weight = n % 2 == 1, 0.5 ** (np.abs(n) == reach).sum()
        if not n.any():
            continue
        sign = np.where(odd, -1.0, 1.0)
        q = position * sign + n * SIDES
        b = strength * (np.prod(sign) * sign) * weight
        way = x[:, None] - q
        u += (np.cross(b, way) / np.linalg.norm(way, axis=2)[..., None] ** 3).sum(1)
    return u / (4 * np.pi)


def at_walls(count=240):
    """Points on the walls, a hair inside, and the normals."""
    rng = np.random.default_rng(3)
    x, axis, side = rng.uniform(-0.5, 0.5, (count, 3)), np.arange(count) % 3, np.arange(count) % 2
    x[np.arange(count), axis] = (side - 0.5) * (1 - 1e-6)
    return np.float32(x * SIDES), np.eye(3)[axis]


@pytest.mark.slow
def test_s8_the_flow_of_a_ring_is_that_of_its_lattice_of_images():
    few = {"layers": 1, "sections": 40}
    inside, alone = simulation(ring(**few), room()), simulation(ring(**few))
    assert has_walls(inside)
    v = alone.vortons
    position, strength = v.position.astype(float), v.strength.astype(float)
    x = np.random.default_rng(1).uniform(-0.5, 0.5, (40, 3)) * SIDES
    found = inside.velocity_at(np.float32(x)) - alone.velocity_at(np.float32(x))
    image = images_flow(position, strength, x, (4, 6, 6))
    assert rms(found - image) < 0.02 * rms(image)


def test_s8_nothing_passes_the_walls():
    inside, alone = simulation(ring(), room()), simulation(ring())
    x, normal = at_walls()
    through = (inside.velocity_at(x) * normal).sum(axis=1)
    assert (alone.velocity_at(x) * normal).sum(axis=1).max() > 0.1
    assert np.abs(through).max() < 1e-5 * np.abs(inside.velocity_at(x)).max()


@pytest.mark.parametrize("axis", slow_but([1], range(3)))
def test_a_cellular_flow_is_exact(axis):
    """omega = sin(m b) sin(n c) along an axis: u = curl omega / (m^2 + n^2), but for the core."""
    sim = simulation(room())
    x, core = lattice((80, 48, 64)), 1.5 * SPACING
    b, c = (axis + 1) % 3, (axis + 2) % 3
    m, n = np.pi / SIDES[b], 2 * np.pi / SIDES[c]

    def phases(x):
        return m * (x[:, b] + SIDES[b] / 2), n * (x[:, c] + SIDES[c] / 2)

    volume = np.prod(SIDES) / len(x)
    strength = np.zeros_like(x)
    strength[:, axis] = np.prod(np.sin(phases(x)), axis=0) * volume
    sim.vortons.add(x, strength, core=core, volume=volume)
    assert has_walls(sim)
    at = np.random.default_rng(2).uniform(-0.5, 0.5, (500, 3)) * SIDES
    p, q = phases(at)
    exact = np.zeros_like(at)
    exact[:, b], exact[:, c] = n * np.sin(p) * np.cos(q), -m * np.cos(p) * np.sin(q)
    exact *= np.exp(-(core**2) * (m**2 + n**2) / 2) / (m**2 + n**2)
    assert rms(sim.velocity_at(np.float32(at)) - exact) < 0.01 * rms(exact)


@pytest.mark.slow
def test_fluid_that_swells_unevenly_flows_along_the_walls():
    """Sources q cos(k x): u = q sin(k x) / k. What all of them have in common has nowhere to go."""
    k, core, x = 2 * np.pi / SIDES[0], 1.5 * SPACING, lattice((80, 48, 64))
    volume = np.prod(SIDES) / len(x)
    at = np.random.default_rng(2).uniform(-0.5, 0.5, (500, 3)) * SIDES
    phase = k * (at[:, 0] + SIDES[0] / 2)
    exact = np.sin(phase)[:, None] * (1, 0, 0) / k * np.exp(-((core * k) ** 2) / 2)
    for even in (0.0, 2.0):
        sim = simulation(room())
        sim.vortons.add(x, 0 * x, core=core, volume=volume)
        sim.vortons.swelling[:] = (even + np.cos(k * (x[:, 0] + SIDES[0] / 2))) * volume
        assert has_walls(sim)
        assert rms(sim.velocity_at(np.float32(at)) - exact) < 0.01 * rms(exact)


def test_a_vorton_at_a_wall_is_bounded_as_one_beside_its_image():
    """The vorticity around newborn vortons, which bounds how far they stretch."""
    low = -SIDES[2] / 2
    near = {"circulation": 1.0, "radius": 0.3, "core": 0.15, "vorton_core": 1.5 * SPACING}
    first = vt.VortexRing(center=(0, 0, low + 0.16), **near)
    twin = vt.VortexRing(center=(0, 0, low - 0.16), **near | {"circulation": -1.0})
    in_room, both = simulation(first, room()), simulation(first, twin)
    assert has_walls(in_room)
    for sim in (in_room, both):
        sim.advance(1e-5)
    rows = both.vortons.rows(in_room.vortons.id)
    found, exact = in_room.vortons.bound_volume, both.vortons.bound_volume[rows]
    assert np.abs(in_room.vortons.position - both.vortons.position[rows]).max() < 1e-4
    assert found.std() > 0.1 * found.mean()
    assert np.abs(found / exact - 1).max() < 0.02


@pytest.mark.slow
def test_a_force_at_a_wall_drives_the_flow_of_its_image():
    """Along a wall, in a ball whose middle lies in it: as all of the ball does without the wall."""
    low, x = -SIDES[2] / 2, lattice((54, 32, 43))
    both = lattice((54, 32, 86), SIDES * (1, 1, 2)) + (0, 0, low)
    volume, speeds = np.prod(SIDES) / len(x), []
    at = np.random.default_rng(4).uniform(-0.25, 0.25, (60, 3)) + (0, 0, low + 0.25)
    force = {"strength": 1.0, "falloff": 0.5}
    push = vt.UniformForce(direction=(1, 0, 0), shape=vt.Sphere((0, 0, low), 0.25), **force)
    for items, vortons in (((room(),), x), ((), both)):
        sim = simulation(push, *items)
        sim.vortons.add(vortons, 0 * vortons, core=1.5 * SPACING, volume=volume)
        sim.advance(0.02)
        speeds.append(sim.velocity_at(np.float32(at)))
    inside, alone = speeds
    assert rms(alone) > 5e-4
    assert rms(inside - alone) < 0.05 * rms(alone)  # the other walls are far


def test_fluid_of_even_slope_has_that_slope_up_to_the_walls():
    """Five eighths of it at them: the mean at a node in a wall is that of half a cell beside it."""
    slope, x = np.array((3.0, -2.0, 5.0)), lattice((80, 48, 64))
    sim = simulation(room(), ambient=vt.Water())
    sim.vortons.add(x, 0 * x, core=1.5 * SPACING, volume=np.prod(SIDES) / len(x),
                    density=20 + x @ slope)
    assert has_walls(sim) and sim.grids.open.all()
    share = sim.grids.density_gradient[1:-1, 1:-1, 1:-1] / slope
    assert np.abs(share[4:-4, 4:-4, 4:-4] - 1).max() < 0.01
    whole = sim.grids.density_gradient / slope
    assert whole.min() > 0.6 and whole.max() < 1.01


def test_vortons_that_fill_a_room_twice_share_the_slope_of_its_fluid():
    """Else they would weigh twice; at the walls, where nodes have half a cell, as elsewhere."""
    slope, x = np.array((3.0, -2.0, 5.0)), lattice((80, 48, 64))
    shares = []
    for times in (1, 2):
        sim = simulation(room(), ambient=vt.Water())
        volume = times * np.prod(SIDES) / len(x)
        sim.vortons.add(x, 0 * x, core=1.5 * SPACING, volume=volume, density=20 + x @ slope)
        assert has_walls(sim)
        shares.append(sim.grids.density_gradient.copy())
    np.testing.assert_allclose(shares[1], shares[0] / 2, rtol=0.01)


ATWOOD, GRAVITY, DEEP = 0.01, 9.81, 2.0
WAVE = np.pi / 2.0  # half a wave in a room 2 m long


def wave_between(z):
    """Shape of an irrotational wave between floor and ceiling, 1 in the middle."""
    return np.sinh(WAVE * (DEEP / 2 - np.abs(z))) / np.sinh(WAVE * DEEP / 2)


def sharp_rate(spacing):
    """That of a jump of density: faces (vorton/validation/buoyancy.py) times tanh(k h)^(1/2) for
    the depth to floor and ceiling."""
    own = math.erfc(WAVE * CORE * spacing / math.sqrt(2))
    return np.sqrt(ATWOOD * GRAVITY * WAVE * np.tanh(WAVE * DEEP / 2) * own)


def fitted(times, heights, rate):
    """Rate of the cosh that fits, over another one."""
    heights = np.array(heights) / heights[0]
    return curve_fit(lambda t, r: np.cosh(r * t), times, heights, p0=[rate])[0][0] / rate


def layer_growth(spacing, layer):
    """The same as growth() by linear theory in NumPy: d^2 zeta / dt^2 = g k^2 / rho G (rho_z zeta)
    for displacements zeta(z), whose solution is a sum of modes. G, the inverse of k^2 - d^2/dz^2
    between floor and ceiling, is a sum of sines, each less by the Gaussian of the cores and of the
    differences of the grid (CORE)."""
    z = DEEP * ((np.arange(800) + 0.5) / 800 - 0.5)
    q = np.pi / DEEP * np.arange(1, 401)
    across = np.sin(np.outer(z + DEEP / 2, q))
    square = WAVE**2 + q**2
    weight = np.exp(-((CORE * spacing) ** 2) * square / 2) / square * (2 / DEEP) * (DEEP / 800)
    slope = 2 * ATWOOD * np.exp(-((z / layer) ** 2) / 2) / (math.sqrt(2 * np.pi) * layer)
    root = np.sqrt(np.maximum(slope, 1e-200))
    modes = GRAVITY * WAVE**2 * root[:, None] * ((across * weight) @ across.T) * root
    square, mode = np.linalg.eigh(modes)
    rates, rate = np.sqrt(np.maximum(square, 0)), sharp_rate(spacing)
    times, watched = np.linspace(0, 2, 7) / rate, np.abs(z) < 0.75 * spacing
    start = mode.T @ (root * wave_between(z))
    heights = [((mode @ (np.cosh(rates * t) * start)) / root)[watched].mean() for t in times]
    return fitted(times, heights, rate)


def growth(thickness, spacing=0.05, layer=0.0):
    """Rate of half a wave of heavy above light fluid in a box, over that of a sharp jump. Density
    changes as an erf of z / layer.

    The vortons sum to the generation at the nodes. With each node counted by the volume of the
    vortons around it, a cell in the mean, but not for a jump between vortons .75 cells apart, that
    made .84 to 1.11 of its vorticity, and a sharp jump grew 4 to 7 % too slowly.
    """
    sides = np.array((2.0, thickness, DEEP))
    cells = 2 * np.round(sides / (0.75 * spacing) / 2).astype(int)
    rest, volume = lattice(cells, sides), np.prod(sides / cells)
    z, phase = rest[:, 2], WAVE * (rest[:, 0] + sides[0] / 2)
    up = wave_between(z) * np.cos(phase)
    along = np.cosh(WAVE * (DEEP / 2 - np.abs(z))) / np.sinh(WAVE * DEEP / 2) * np.sin(phase)
    along = 0 * along if layer else np.sign(z) * along
    rate = sharp_rate(spacing)
    times = np.linspace(0, 2, 7) / rate
    watched, heights = np.abs(z) < 0.75 * spacing, []
    for sign in (1, -1):
        x = rest + sign * 0.3 * spacing * np.stack([along, 0 * z, up], axis=1)
        sim = simulation(
            room(vt.Box(tuple(-sides / 2), tuple(sides / 2))),
            spacing=spacing, gravity=(0, 0, -GRAVITY), ambient=vt.Gas(density=1.0),
        )
        density = ATWOOD * (1 + (erf(z / layer / math.sqrt(2)) if layer else np.sign(z)))
        ids = sim.vortons.add(x, 0 * x, core=1.5 * spacing, volume=volume, density=density)
        assert has_walls(sim, sides)
        found = [x[watched, 2]]
        for dt in np.diff(times):
            sim.advance(dt)
            rows = sim.vortons.rows(ids[watched])
            found.append(sim.vortons.position[rows, 2].astype(float))
        heights.append(np.array(found))
    return fitted(times, (heights[0] - heights[1]) @ np.cos(phase[watched]), rate)


@pytest.mark.slow
def test_b5_rayleigh_taylor_in_a_closed_box_does_not_depend_on_its_thickness():
    """Of six cells it was .86 of the rate: panels held the fluid, too wide for the gap."""
    thin, thick = growth(0.3), growth(0.6)
    assert thin == pytest.approx(thick, rel=1e-3)
    assert thin == pytest.approx(1, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spacing", "layer"), [(0.05, 0.1), (0.05, 0.15), (0.1 / 3, 0.1)]
)
def test_b5_a_layer_of_two_cells_and_more_grows_as_its_profile_says(spacing, layer):
    theory = layer_growth(spacing, layer)
    assert theory < 0.95  # a layer grows more slowly than a jump
    assert growth(0.4, spacing, layer) == pytest.approx(theory, rel=0.01)


@pytest.mark.slow
def test_a_room_that_moves_evenly_is_a_room_at_rest():
    """Its fluid goes along from the start; the wind outside is not felt."""
    def places(velocity, parent=None):
        exact = vt.Method(rounding=0)
        sim = simulation(ring(circulation=2.0), room(parent=parent), wind=velocity, method=exact)
        sim.step(6)
        assert has_walls(sim)
        center = np.array(sim.bodies["room"].position)
        return (sim.vortons.position - center), center

    seconds = np.arange(4)
    moving = vt.Transform(position=vt.Samples([(0.7 * t, 0, 0.2 * t) for t in seconds], fps=1))
    (rest, _), (same, center) = places((0, 0, 0)), places((3, 0, 0), moving)
    assert center == pytest.approx((0.7 / 4, 0, 0.2 / 4), abs=1e-6)
    assert np.abs(same - rest).max() < 1e-4


@pytest.mark.slow
def test_a_shaken_room_feels_its_acceleration():
    """Two fluids slosh alike where walls of the grid hold them and where, in a box that is turned a
    little away from the axes, panels do."""
    cube, times = np.array((0.3,) * 3), np.arange(400) / 192
    box, x = vt.Box(tuple(-cube / 2), tuple(cube / 2)), lattice((16, 16, 16), cube)

    def leans(turn):
        turned = np.cos(turn / 2), 0, 0, np.sin(turn / 2)
        parent = vt.Transform(position=track(shaken(times)), rotation=turned)
        sim = simulation(room(box, parent=parent), ambient=vt.Water(), spacing=0.025,
                         gravity=(0, 0, -9.81))
        density = 60.0 * (x[:, 2] < 0)
        ids = sim.vortons.add(x, 0 * x, core=0.0375, volume=0.3**3 / len(x), density=density)
        assert has_walls(sim, cube) == (turn == 0)
        found = []
        for _ in range(36):
            sim.step()
            heavy = sim.vortons.rows(ids[x[:, 2] < 0])
            found.append(sim.vortons.position[heavy, 0].mean() - sim.bodies["room"].position[0])
        return np.array(found)

    walls, panels = leans(0.0), leans(0.02)
    assert np.abs(panels).max() > 2e-4
    assert np.abs(walls - panels).max() < 0.05 * np.abs(panels).max()


BALL = vt.Body(vt.Sphere((0.5, 0, 0), 0.2), panels=80)


@pytest.mark.parametrize(("items", "walled"), [
    ((room(),), True),
    ((room(), vt.Container(vt.Box((-9, -9, -9), (9, 9, 9)), **UNSEEN)), True),
    ((room(**UNSEEN),), False),
    ((room(), BALL), False),
    ((room(), vt.Wind(velocity=(1, 0, 0))), True),
    ((room(), vt.UniformForce(direction=(0, 0, 1), strength=1.0)), True),
    ((vt.Container([BOX, vt.Sphere((0, 0, 0), 1.2)]),), False),
    ((vt.Container(vt.Cylinder(radius=1.0, length=1.6)),), False),
    ((room(vt.Box(tuple(-0.5 * SIDES), tuple(0.5 * SIDES + (0, 0.017, 0)))),), False),
    ((vt.Container(vt.Box(tuple(-9 * SIDES), tuple(9 * SIDES))),), False),
])
def test_which_containers_have_walls_in_the_grid(items, walled):
    assert has_walls(simulation(ring(), *items)) == walled


def test_a_gap_of_six_cells_has_walls_in_the_grid():
    """It had panels, too wide for it."""
    sides = (2.0, 0.3, 1.6)
    sim = simulation(room(vt.Box((-1, 0, -0.8), (1, 0.3, 0.8))))
    sim.vortons.add([(0.3, 0.1, 0)], [(0, 0, 1e-3)], core=0.075, volume=1e-3)
    sim.step()
    assert has_walls(sim, sides)


@pytest.mark.parametrize(("change", "walled"), [({"poisson": "multigrid"}, False), ({}, True)])
def test_of_which_method(change, walled):
    assert has_walls(simulation(ring(), room(), method=vt.Method(**change))) == walled


def plume(threads=1):
    hot = vt.Emitter(vt.Disk((0, 0, -0.6), radius=0.2, thickness=0.1), temperature=600, core=0.075)
    sim = simulation(hot, room(), gravity=(0, 0, -9.81), threads=threads)
    return sim


def columns(sim):
    v = sim.vortons
    return [v.position.copy(), v.strength.copy(), sim.tracers.position.copy()]


@pytest.mark.slow
def test_a_plume_stays_in_its_room_and_a_copy_goes_on_alike():
    sim = plume()
    sim.step(10)
    assert has_walls(sim)
    twin = sim.copy()
    for one in (sim, twin):
        one.step(10)
    for a, b in zip(columns(sim), columns(twin), strict=True):
        assert np.array_equal(a, b)
        assert len(a) > 1000 or a.ndim == 2
        assert np.isfinite(a).all()
    assert (np.abs(sim.vortons.position) <= np.float32(SIDES / 2)).all()
    assert (np.abs(sim.tracers.position) <= np.float32(SIDES / 2)).all()
    assert sim.vortons.position[:, 2].max() > -0.4


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2, 3])
def test_e1_same_bits_for_any_number_of_threads(threads):
    states = []
    for count in (1, threads):
        sim = plume(count)
        sim.step(8)
        states.append([*columns(sim), sim.velocity_at(at_walls()[0])])
    for one, many in zip(*states, strict=True):
        assert np.array_equal(one, many)


def test_health_of_a_room_counts_the_fluid_at_its_walls():
    """A vortex from floor to ceiling: sums over all nodes, those at walls with half a cell each."""
    sim = simulation(room())
    axes = [np.arange(-side / 2 + SPACING / 4, side / 2, SPACING / 2) for side in SIDES]
    x = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)
    strength = np.zeros_like(x)
    strength[:, 2] = np.exp(-(x[:, :2] ** 2).sum(axis=1) / 0.2**2) * (SPACING / 2) ** 3
    sim.vortons.add(x, strength, core=1.5 * SPACING, volume=(SPACING / 2) ** 3)
    share = np.ones(sim.grids.velocity.shape[:3])
    for axis in range(3):
        faces = np.moveaxis(share, axis, 0)
        faces[0] *= 0.5
        faces[-1] *= 0.5
    u, omega = (np.array(v, dtype=float) for v in (sim.grids.velocity, sim.grids.vorticity))
    energy, enstrophy = (((v**2).sum(axis=3) * share).sum() / 2 * SPACING**3 for v in (u, omega))
    health = sim.health
    assert health.energy == pytest.approx(energy, rel=0.01)  # sum of A . omega, and differences
    assert health.enstrophy == pytest.approx(enstrophy, rel=1e-5)
    assert health.strength_excess == pytest.approx(1, abs=0.01)
    assert health.vorticity_divergence < 1e-3 and health.largest_divergence < 1e-5
