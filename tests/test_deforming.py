"""Bodies whose vertices move: flow against exact solutions and rigid bodies, contact, archives."""

from itertools import combinations

import numpy as np
import pytest

import vorton as vt

RADIUS = 0.5


def ball(radius=RADIUS):
    """Vertices and triangles of an icosahedron, each triangle cut into four, and these again."""
    golden = (1 + 5**0.5) / 2
    corners = [(0, a, b * golden) for a in (-1, 1) for b in (-1, 1)]
    made = [np.roll(corner, k) for k in range(3) for corner in corners]
    faces = [
        (a, b, c) if np.linalg.det([made[a], made[b], made[c]]) > 0 else (a, c, b)
        for a, b, c in combinations(range(12), 3)
        if max(np.linalg.norm(made[i] - made[j]) for i, j in ((a, b), (b, c), (c, a))) < 2.1
    ]
    made = [corner / np.linalg.norm(corner) for corner in made]
    for _ in range(2):
        middles = {tuple(sorted(e)) for f in faces for e in combinations(f, 2)}
        number = {edge: len(made) + k for k, edge in enumerate(sorted(middles))}
        made += [(made[a] + made[b]) / np.linalg.norm(made[a] + made[b]) for a, b in sorted(number)]
        cut = []
        for a, b, c in faces:
            x, y, z = (number[tuple(sorted(edge))] for edge in ((a, b), (b, c), (c, a)))
            cut += [(a, x, z), (b, y, x), (c, z, y), (x, y, z)]
        faces = cut
    return np.array(made) * radius, np.array(faces)


def deforming(frames, fps=24.0, vertices=None, faces=None, **more):
    """A body of a ball, or of a mesh, that goes through these frames."""
    if vertices is None:
        vertices, faces = ball()
    mesh = vt.Mesh(vertices=vertices, faces=faces)
    return vt.Body(mesh, name="soft", deformation=vt.Deformation(frames, fps=fps), **more)


def directions(count):
    made = np.random.default_rng(3).normal(size=(count, 3))
    return made / np.linalg.norm(made, axis=1)[:, None]


def still(body, **settings):
    """A simulation of a body in fluid at rest."""
    scene = vt.Scene("still", spacing=0.06, gravity=(0, 0, 0), **settings)
    scene.add(body)
    return vt.Simulation(scene)


@pytest.mark.slow
def test_a_ball_that_grows_pushes_the_fluid_away():
    """u = dV/dt / (4 pi r^2) outside, at the beginning and while it is larger."""
    vertices, faces = ball()
    volume = np.linalg.det(vertices[faces]).sum() / 6
    sim = still(deforming([vertices, vertices * 1.5], fps=1.0, shedding=0, panels=160))
    for _ in range(2):
        growth = 1 + 0.5 * sim.time
        source = volume * 3 * growth**2 * 0.5
        for away in (1.15, 1.5, 2.5):
            places = directions(100) * RADIUS * growth * away
            expected = source / (4 * np.pi * (RADIUS * growth * away) ** 2)
            error = sim.velocity_at(places) - expected * directions(100)
            assert np.sqrt((error**2).sum(1).mean()) < 0.03 * expected, away
        sim.step(3)
    assert sim.bodies["soft"].upper == pytest.approx(vertices.max(0) * 1.125, rel=1e-6)


def test_a_change_of_form_without_volume_has_no_net_flow():
    """A ball that is pressed flat: what flows out at the sides flows in at the poles."""
    vertices, _ = ball()
    flat = vertices * (1.1, 1.1, 0.8)
    sim = still(deforming([vertices, flat], fps=4.0, shedding=0, panels=80))
    normals = directions(4000)
    through = (sim.velocity_at(1.3 * RADIUS * normals) * normals).sum(1)
    assert abs(through.mean()) < 0.01 * np.abs(through).max()
    assert through[np.abs(normals[:, 2]) < 0.3].min() > 0 > through[normals[:, 2] > 0.95].max()


def both(frames, **more):
    """A ring that meets a ball, which moves by its vertices or by keys."""
    vertices, faces = ball()
    way = np.array((1.0, 0, 0))
    steps = [vertices + way * k / 24 for k in range(25)]
    more = {"panels": 80, **more}
    soft = deforming(steps, **more)
    keys = vt.Keys([(0, (0, 0, 0)), (1, tuple(way))], "linear")
    mesh = vt.Mesh(vertices=vertices, faces=faces)
    hard = vt.Body(mesh, name="hard", parent=vt.Transform(position=keys), **more)
    sims = []
    for body in (soft, hard):
        scene = vt.Scene("ring", spacing=0.1, gravity=(0, 0, 0), seed=1)
        scene.add(vt.VortexRing((0.9, 0, 0.3), axis=(-1, 0, 0), radius=0.4, core=0.15))
        scene.add(body)
        sims.append(vt.Simulation(scene))
        sims[-1].step(frames)
    return sims


@pytest.mark.parametrize("shedding", [pytest.param(0.0, marks=pytest.mark.slow), 30.0])
def test_a_ball_that_moves_by_its_vertices_is_the_same_ball(shedding):
    soft, hard = both(2, shedding=shedding)
    places = soft.bodies["soft"].position + directions(200) * 0.6
    there, here = hard.velocity_at(places), soft.velocity_at(places)
    assert np.abs(there).max() > 0.5 and np.abs(there - here).max() < 1e-3
    assert len(soft.vortons.position) == len(hard.vortons.position)
    bodies = soft.bodies["soft"], hard.bodies["hard"]
    assert bodies[0].position == pytest.approx(bodies[1].position, abs=1e-6)
    assert bodies[0].velocity == pytest.approx(bodies[1].velocity, abs=1e-5)
    assert bodies[0].flow_impulse == pytest.approx(bodies[1].flow_impulse, abs=2e-4)


def smoke_around(body):
    scene = vt.Scene("smoke", spacing=0.1, voxel=0.1, gravity=(0, 0, 0), seed=2)
    scene.add(vt.Tracers(vt.Box((-1, -1, -1), (1, 1, 1)), per_voxel=1.0))
    scene.add(vt.VortexRing((0, 0, 0.9), axis=(0, 0, -1), radius=0.4, core=0.15))
    scene.add(body)
    return vt.Simulation(scene)


@pytest.mark.slow
@pytest.mark.parametrize("panels", [0, 80])
def test_no_particle_is_ever_inside(panels):
    """A ball that swells and bends, with panels and without."""
    vertices, _ = ball(0.4)
    bent = vertices * (1.3, 1.0, 0.8) + 0.4 * vertices[:, :1] ** 2 * (0, 0, 1)
    sim = smoke_around(deforming([vertices, bent, vertices], fps=6.0, panels=panels))
    start = len(sim.tracers.position)
    for _ in range(8):
        sim.step(1)
        for rows in (sim.tracers.position, sim.vortons.position):
            assert sim.body_distance("soft", rows)[0].min() > -1e-5
    assert len(sim.tracers.position) > 0.99 * start


@pytest.mark.slow
def test_states_go_on_with_the_same_bits(tmp_path):
    vertices, _ = ball(0.4)
    body = deforming([vertices, vertices * (1.3, 1, 0.8), vertices], fps=6.0, panels=80)
    whole, part = smoke_around(body), smoke_around(body)
    whole.step(4)
    part.step(2)
    part.save(tmp_path / "two.vta")
    copied = part.copy()
    loaded = vt.Simulation.load(tmp_path / "two.vta")
    for other in (loaded, copied):
        other.step(2)
        assert other.same_state(whole)


@pytest.mark.slow
def test_panels_that_are_made_later_lie_where_the_walls_are():
    vertices, _ = ball(0.4)
    frames = [vertices, 1.5 * vertices]
    body = deforming(frames, fps=1.0, panels=80, shedding=0)
    with_panels = still(body)
    switched = still(body, method=vt.Method(bodies="none"))
    for sim in (with_panels, switched):
        sim.step(6)
    switched.method = vt.Method()
    upper = switched.bodies["soft"].upper
    assert upper == with_panels.bodies["soft"].upper and upper[2] > 1.1 * vertices[:, 2].max()
    places = directions(50)
    assert np.abs(switched.velocity_at(places) - with_panels.velocity_at(places)).max() < 1e-6
    assert np.abs(with_panels.velocity_at(places)).max() > 0.02


def test_it_is_plain_data():
    vertices, faces = ball()
    body = deforming([vertices, 2 * vertices], fps=12.0)
    scene = vt.Scene("soft")
    scene.add(body)
    back = vt.Scene.from_dict(scene.to_dict())
    assert back == scene and back.bodies[0].deformation.fps == 12
    assert np.array_equal(back.bodies[0].deformation.vertices[1], (2 * vertices).astype("f4"))
    rigid = vt.Body(vt.Mesh(vertices=vertices, faces=faces))
    assert "deformation" not in rigid.to_dict()


@pytest.mark.parametrize(
    ("frames", "more", "said"),
    [
        (np.zeros((2, 5, 3)), {}, "has 5 vertices; must be as many as the mesh"),
        (np.full((2, 5, 3), np.nan), {}, r"vertices\[0, 0, 0\] = nan: must be finite"),
        (np.zeros((2, 3)), {}, r"shape \(2, 3\)"),
        (None, {"density": 100.0}, "has no density"),
    ],
)
def test_what_does_not_fit_is_refused(frames, more, said):
    if frames is None:
        frames = ball()[0][None]
    with pytest.raises(ValueError, match=said):
        deforming(frames, **more)


def test_flat_frames_and_places_from_outside_are_refused():
    vertices, _ = ball()
    with pytest.raises(ValueError, match="in frame 1 shape 0 is flat"):
        still(deforming([vertices, vertices * (1, 1, 0)]))
    with pytest.raises(ValueError, match="in frame 2 the mesh is inside out"):
        still(deforming([vertices, vertices * (1, 1, 0.1), vertices * (1, 1, -1)]))
    with pytest.raises(ValueError, match=r"vertices\[0, 0, 1\] = -9223372036854775808"):
        vt.Deformation([[[0, np.iinfo(np.int64).min, 0]]])
    with pytest.raises(TypeError, match="goes with one Mesh"):
        vt.Body(vt.Box(), deformation=vt.Deformation(vertices[None]))
    sim = still(deforming([vertices, vertices]))
    with pytest.raises(ValueError, match="it deforms"):
        sim.set_body("soft", position=(1, 0, 0))
