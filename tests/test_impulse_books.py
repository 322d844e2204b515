"""Momentum of fluid and bodies where gravity and walls act, too (S4)."""

import numpy as np
import pytest

import vorton as vt

R, AIR, GRAVITY, H = 0.5, vt.Air().density, 9.81, 0.1
VOLUME = 4 / 3 * np.pi * R**3


def simulation(*items, **scene):
    scene = vt.Scene("books", **{"spacing": H, "gravity": (0, 0, 0), **scene})
    for item in items:
        scene.add(item)
    return vt.Simulation(scene, fps=24, threads=1)


def ball(z=0.0, **options):
    return vt.Body(vt.Sphere((0, 0, z), R), name="ball", **options)


def ring(*center, axis=(0, 0, 1)):
    return vt.VortexRing(center, axis=axis, radius=0.6, circulation=1.0, core=0.12)


def both(health, name):
    return np.array([getattr(health, name), getattr(health, name.replace("imp", "angular_imp"))])


def own_books(sim):
    """Momentum of the bodies and of the fluid, less what is booked as given from outside: linear,
    and angular about the origin."""
    h = sim.health
    fluid = both(h, "impulse") + both(h, "bound_impulse")
    given = sum(both(h, f"{by}_impulse") for by in ("buoyant", "forced", "outer"))
    return np.array([h.momentum, h.angular_momentum]) + AIR * (fluid - given)


def misses(sim, steps):
    """What changes of the books in each step, and is not what gravity gives the bodies; over what
    the fluid has."""
    found = []
    for _ in range(steps):
        before, start = own_books(sim), sim.bodies[0]
        sim.step()
        end = sim.bodies[0]
        weight = np.subtract(end.weight_impulse, start.weight_impulse)
        arm = np.add(end.position, start.position) / 2
        whole = AIR * np.linalg.norm(sim.health.impulse)
        given = np.array([weight, np.cross(arm, weight)])
        found.append(np.abs(own_books(sim) - before - given).max() / whole)
    return np.array(found)


# ---- bodies that do not move by themselves ----


def closed_misses(sim, steps):
    """The same of all bodies, with what the others give."""
    found = []
    for _ in range(steps):
        before, held, start = own_books(sim), both(sim.health, "support_impulse"), sim.bodies
        sim.step()
        change = own_books(sim) - before - both(sim.health, "support_impulse") + held
        for one, other in zip(start, sim.bodies, strict=True):
            weight = np.subtract(other.weight_impulse, one.weight_impulse)
            arm = np.add(other.position, one.position) / 2
            change -= [weight, np.cross(arm, weight)] if other.free else 0 * change
        found.append(np.abs(change).max())
    return np.array(found) / (AIR * np.linalg.norm(sim.health.impulse))


def floor(**options):
    return vt.Body(vt.Box((-1, -1, -0.3), (1, 1, 0)), panels=200, name="floor", **options)


@pytest.mark.slow
@pytest.mark.parametrize("shedding", [0, 30])
@pytest.mark.parametrize("kind", ["fixed", "keys", "free"])
def test_s4_momentum_beside_a_floor(kind, shedding):
    """A ball and a ring come down to a slab that stands still, moves by keys or flies: to 1e-6 of
    what the fluid has in each step, linear and angular."""
    options = {"shedding": shedding}
    if kind == "keys":
        keys = vt.Samples([(0.2 * t * t, 0, 0.1 * t) for t in np.arange(12) / 24], fps=24)
        options["parent"] = vt.Transform(position=keys)
    elif kind == "free":
        options["density"] = 30.0
    falling = ball(1.5, density=30.0, velocity=(0.1, 0, -1), shedding=shedding)
    turned = vt.VortexRing((0.3, 0.1, 0.7), axis=(0, 0.3, -1), radius=0.4, core=0.16)
    sim = simulation(falling, floor(**options), turned)
    sim.step()
    assert closed_misses(sim, 8).max() < 1e-6
    held = np.abs(both(sim.health, "support_impulse"))
    assert held.max() == 0 if kind == "free" else held.min(axis=1).max() > 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["fixed", "free"])
def test_s4_momentum_in_contact(kind):
    """A ball falls on the slab and bounces: what the slab gives is in the books, and where it flies
    both keep what they have."""
    density = 30.0 if kind == "free" else None
    falling = ball(0.8, density=30.0, velocity=(0.5, 0, -3), restitution=0.5, friction=0.3)
    sim = simulation(falling, floor(density=density), ring(0, 0.2, 2))
    before = sim.bodies["ball"].velocity[2]
    sim.step()
    whole = AIR * np.linalg.norm(sim.health.impulse)
    assert (closed_misses(sim, 8) * whole).max() < 1e-6 * 30 * VOLUME * 3
    assert sim.bodies["ball"].velocity[2] > before + 2
    contact = np.array(sim.bodies["ball"].contact_impulse)
    given = np.array(sim.health.support_impulse)
    assert (kind == "free") == (np.abs(given).max() < 1e-9)
    assert kind == "free" or np.linalg.norm(given - contact) < 0.1 * np.linalg.norm(contact)


@pytest.mark.parametrize("options", [{"panels": 0}, {"bodies": "none"}, {"bodies": "article"}])
def test_bodies_without_panels_have_their_momentum(options):
    method = {"method": vt.Method(bodies=options["bodies"])} if "bodies" in options else {}
    body = {"panels": 0} if "panels" in options else {}
    sim = simulation(ball(density=30.0, velocity=(1, 0, 0), **body), ring(0, 0, 2), **method)
    sim.step(2)
    state = sim.bodies["ball"]
    np.testing.assert_allclose(sim.health.momentum, state.mass * np.array(state.velocity))


# ---- fluid that differs in density ----


def cloud(*items, contrast=-0.2, buoyancy="boussinesq"):
    """A ball of fluid of another density around a body, off its middle, and a ring that meets it;
    ambient fluid far away."""
    scene = {"gravity": (0, 0, -GRAVITY), "method": vt.Method(buoyancy=buoyancy)}
    sim = simulation(*items, **scene)
    size, apart = 1.2, 0.75 * H
    n = int(1.6 / apart)
    x = apart * (np.indices((2 * n + 1,) * 3).reshape(3, -1).T - n)
    far = np.linalg.norm(x - (0.3, 0, 0), axis=1)
    keep = (far < size) & (np.linalg.norm(x, axis=1) > R)
    density = contrast * AIR * (1 - np.tanh((far - 0.8 * size) / (0.1 * size))) / 2
    volume = {"core": 1.5 * apart, "volume": apart**3}
    sim.vortons.add(x[keep], 0 * x[keep], density=density[keep], **volume)
    return sim


@pytest.mark.slow
@pytest.mark.parametrize("contrast", [-0.2, 0.3])
@pytest.mark.parametrize("shedding", [0, 30])
def test_s4_momentum_of_a_ball_in_fluid_of_another_density(shedding, contrast):
    """To 1e-6 of what the fluid has in each step, linear and angular; from elsewhere comes nothing
    but what the method has lost."""
    sim = cloud(ring(0.25, 0, -1.2), ball(density=1.5 * AIR, shedding=shedding), contrast=contrast)
    sim.step(2)  # it has some
    assert misses(sim, 8).max() < 1e-6
    h = sim.health
    assert np.abs(both(h, "outer_impulse")).max() < 0.01 * np.linalg.norm(h.impulse)
    assert np.sign(h.buoyant_impulse[2]) == -np.sign(contrast)


@pytest.mark.slow
def test_s4_the_weight_of_fluid_around_a_ball():
    """What density differences give is g sum V rho' / rho, by NumPy, and what the fluid beside the
    ball would weigh in its place: to what the nodes resolve of the cloud, linear and angular."""
    sim = cloud(ring(0.25, 0, -1.2), ball(density=1.5 * AIR))
    sim.step(4)
    first, x, excess = sim.health, [], []
    for _ in range(2):
        v = sim.vortons
        x.append(v.position.astype(float))
        excess.append(v.volume.astype(float) * v.density / AIR)
        sim.step()
    displaced = VOLUME * (sim.bodies[0].fluid_density / AIR - 1)
    weight = np.mean([e.sum() for e in excess]) + displaced
    moment = np.mean([(e * p[:, 0]).sum() for e, p in zip(excess, x, strict=True)])
    given = both(sim.health, "buoyant_impulse") - both(first, "buoyant_impulse")
    time = 2 / 24
    np.testing.assert_allclose(given[0][2], -GRAVITY * weight * time, rtol=0.04)
    np.testing.assert_allclose(given[1][1], GRAVITY * moment * time, rtol=0.04)
    assert np.abs(given[0][:2]).max() < 0.01 * given[0][2]


@pytest.mark.slow
def test_s4_momentum_where_the_local_density_counts():
    """But for what the fluid that a free ball drives is lighter than ambient fluid."""
    sim = cloud(ring(0.25, 0, -1.2), ball(density=1.5 * AIR), buoyancy="local")
    sim.step()
    for _ in range(4):
        before, start = own_books(sim)[0], sim.bodies[0]
        sim.step()
        end = sim.bodies[0]
        change = own_books(sim)[0] - before - np.subtract(end.weight_impulse, start.weight_impulse)
        driven = (end.fluid_density - AIR) * VOLUME / 2
        lighter = driven * np.subtract(end.velocity, start.velocity)
        whole = AIR * np.linalg.norm(sim.health.impulse)
        assert np.abs(change + lighter).max() < 1e-5 * whole < np.abs(change).max()


# ---- walls ----


def faces(low, high, count):
    """Points on the faces of a box, a little inside, the normals outwards, and areas."""
    low, high = np.array(low), np.array(high)
    for axis in range(3):
        u, v = ((np.arange(count) + 0.5) / count for _ in range(2))
        u, v = (a.ravel() for a in np.meshgrid(u, v))
        for side in (0, 1):
            share = np.zeros((count**2, 3))
            share[:, axis - 2], share[:, axis - 1] = u, v
            share[:, axis] = side
            normal = (2 * side - 1) * np.eye(3)[axis]
            size = high - low
            area = size[axis - 2] * size[axis - 1] / count**2
            yield low + share * size - 1e-3 * normal, normal, area


def push_of_walls(sim, walls):
    """On vortices beside walls: 1/2 integral of u^2 n and of x cross that (Saffman 1992, 3.11)."""
    linear, angular = np.zeros(3), np.zeros(3)
    for x, normal, area in walls:
        u = sim.velocity_at(np.float32(x)).astype(float)
        along = (u**2).sum(axis=1) - (u @ normal) ** 2
        push = along[:, None] / 2 * normal * area
        linear, angular = linear + push.sum(axis=0), angular + np.cross(x, push).sum(axis=0)
    return np.array([linear, angular])


@pytest.mark.slow
@pytest.mark.parametrize("shedding", [0, 30])
def test_s4_momentum_of_a_ring_and_a_ball_in_a_box(shedding):
    """What is booked as given from outside is what the walls give, by an integral over them."""
    low, high = (-1.5, -1.5, -1.5), (1.5, 1.5, 1.5)
    box = vt.Container(vt.Box(low, high), panels=700)
    free = ball(0.3, density=3.0, shedding=shedding)
    sim = simulation(ring(0.15, 0, -0.8), free, box, spacing=H / 1.5)
    walls = list(faces(low, high, 40))
    sim.step()
    start, push = both(sim.health, "outer_impulse"), [push_of_walls(sim, walls)]
    for _ in range(6):
        assert misses(sim, 1).max() < 1e-6
        push.append(push_of_walls(sim, walls))
    given = both(sim.health, "outer_impulse") - start
    integral = np.trapezoid(push, dx=1 / 24, axis=0)
    np.testing.assert_allclose(given, integral, atol=0.04 * np.abs(integral).max())
    assert np.abs(integral).max() > 0.01 * np.linalg.norm(sim.health.impulse)


@pytest.mark.slow
@pytest.mark.parametrize("shedding", [0, 30])
def test_s4_momentum_of_a_ring_and_a_ball_above_a_plane(shedding):
    plane = vt.Body(vt.Plane(), name="floor")
    sim = simulation(
        ring(1.4, 0, 0.9, axis=(0, 0, -1)), ball(0.8, density=3.0, shedding=shedding), plane
    )
    sim.step()
    assert misses(sim, 8).max() < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("along", [(1, 0, 0), (0, 0, 1)])
@pytest.mark.parametrize("kind", ["body", "container"])
def test_a_ball_near_a_plane_drives_more_fluid(kind, along):
    """1/2 (1 + 3/16 (R / h)^3) of what it displaces along the plane, 3/8 across (Lamb 1932, article
    137, to that order): what a force needs to set it in motion, a radius and a half above it."""
    height = 1.5 * R
    plane = vt.Plane() if kind == "body" else vt.Plane((0, 0, 0), (0, 0, -1))
    wall = vt.Body(plane) if kind == "body" else vt.Container(plane)
    force = tuple(AIR * VOLUME * np.array(along))
    scene = vt.Scene("near", spacing=R / 8, gravity=(0, 0, 0))
    scene.add(ball(height, density=0.05 * AIR, shedding=0, force=force))
    scene.add(wall)
    sim = vt.Simulation(scene, fps=1e3, threads=1)
    sim.step(6)
    start = np.dot(sim.bodies[0].velocity, along)
    sim.step(4)
    driven = 0.004 / (np.dot(sim.bodies[0].velocity, along) - start) - 0.05
    lamb = 0.5 + (3 / 16 if along[2] else 3 / 32) * (R / height) ** 3
    assert driven == pytest.approx(lamb, abs=0.01)


@pytest.mark.parametrize("floor", [True, False])
def test_what_buoyancy_gives_is_summed_where_it_is_kept_or_known(floor):
    """In stratified fluid without a body that has panels the balance asks for it; above a plane it
    keeps no impulse, and nobody does."""
    items = [vt.Body(vt.Plane(), panels=0)] if floor else []
    hot = vt.Emitter(vt.Sphere((0, 0, 1), radius=0.3), temperature=350, core=0.15, renew=0)
    stratified = {"ambient": vt.Air(stratification=5.0), "gravity": (0, 0, -GRAVITY)}
    sim = simulation(hot, *items, **stratified)
    sim.step(3)
    assert np.linalg.norm(sim.health.impulse) > 1e-3
    assert np.any(both(sim.health, "buoyant_impulse")) == (not floor)
