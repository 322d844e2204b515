"""The default camera: no body stands before what it shows. Judged by the equations of planes."""

import math

import numpy as np
import pytest
from test_preview import ball_of_smoke, volume_of

import vorton as vt
from vorton.preview import Survey, render, render_shot
from vorton.preview.camera import AZIMUTH, Camera
from vorton.preview.viewpoint import ENOUGH, see

SIZE = (160, 120)


def with_planes(planes):
    scene = vt.Scene("walls", method=vt.Method(bodies="none"))
    for point, normal in planes:
        scene.add(vt.Body(vt.Plane(tuple(point), tuple(normal))))
    return vt.Simulation(scene, threads=1)


def project(camera, points):
    """Depth, and place in the picture, -1 to 1 rightwards and upwards, by a pinhole's equations."""
    view = np.subtract(camera.target, camera.eye)
    view /= np.linalg.norm(view)
    right = np.cross(view, camera.up)
    right /= np.linalg.norm(right)
    way = points - np.array(camera.eye)
    deep = way @ view
    high = np.tan(math.radians(camera.field_of_view / 2))
    tall = way @ np.cross(right, view) / deep / high
    wide = way @ right / deep / high * SIZE[1] / SIZE[0]
    return deep, wide, tall


def in_picture(camera, points):
    """Whether points lie within the picture."""
    deep, wide, tall = project(camera, points)
    return (deep > 0) & (np.abs(tall) < 1) & (np.abs(wide) < 1)


def corners(low, high):
    return np.stack(np.meshgrid(*zip(low, high, strict=True), indexing="ij"), -1).reshape(-1, 3)


@pytest.mark.parametrize("seed", range(24))
def test_camera_sees_a_box_between_random_planes(seed):
    """A floor and up to two walls beside a random box: half-space tests of the eye.

    The box lies before all of them, so a line from it to an eye before them is free.
    """
    rng = np.random.default_rng(seed)
    half, centre = rng.uniform(0.2, 1.5, 3), rng.uniform(-5, 5, 3)
    low, high = centre - half, centre + half
    planes = [(low - [0, 0, rng.uniform(0, 0.3)], (0.0, 0.0, 1.0))]
    for _ in range(rng.integers(0, 3)):
        angle = rng.uniform(0, 2 * np.pi)
        normal = np.array([np.cos(angle), np.sin(angle), 0])
        gap = np.abs(normal) @ half + rng.uniform(0.05, 0.5)
        planes.append((centre - gap * normal, normal))
    camera = see(low, high, SIZE, with_planes(planes))
    for point, normal in planes:
        assert np.dot(np.subtract(camera.eye, point), normal) > 0
    assert in_picture(camera, corners(low, high)).all()


def test_a_room_of_planes_is_seen_from_within():
    low, high = np.array([-0.4, -0.4, 0.0]), np.array([0.4, 0.4, 1.0])
    walls = [
        (tuple(-side * 2.0 * np.eye(3)[axis]), tuple(side * np.eye(3)[axis]))
        for axis in range(3)
        for side in (-1.0, 1.0)
    ]
    camera = see(low, high, SIZE, with_planes(walls))
    assert np.abs(camera.eye).max() < 2
    assert in_picture(camera, corners(low, high)).all()
    level = see(low, high, SIZE, with_planes(walls), elevation=0)
    assert level.eye[2] == pytest.approx(level.target[2]) and np.abs(level.eye).max() < 2


def test_in_a_room_with_a_ball_in_its_smoke_it_stands_in_neither():
    """And its picture is as wide as it was told."""
    walls = [
        (tuple(-side * 2.0 * np.eye(3)[axis]), tuple(side * np.eye(3)[axis]))
        for axis in range(3)
        for side in (-1.0, 1.0)
    ]
    sim = with_planes(walls)
    sim.add(vt.Body(vt.Sphere((0, 0, 0.5), radius=0.4)))
    camera = see((-0.5, -0.5, 0.0), (0.5, 0.5, 1.0), SIZE, sim)
    assert np.linalg.norm(np.subtract(camera.eye, (0, 0, 0.5))) > 0.4
    assert np.abs(camera.eye).max() < 2
    narrow = see((-0.5, -0.5, 0.0), (0.5, 0.5, 1.0), SIZE, sim, field_of_view=20.0)
    assert narrow.field_of_view == 20 and np.abs(narrow.eye).max() < 2


def test_without_anything_in_the_way_it_stands_where_it_always_did():
    box = (-1, -1, 0), (1, 1, 2)
    assert see(*box, SIZE) == Camera.frame(*box, SIZE)
    floor = with_planes([((0, 0, 0), (0, 0, 1))])
    assert see(*box, SIZE, floor) == Camera.frame(*box, SIZE, elevation=10)
    assert see(*box, SIZE, floor, azimuth=20) == Camera.frame(*box, SIZE, azimuth=20, elevation=10)


def test_a_wall_before_the_smoke_is_gone_around():
    """Not through it, though azimuth and elevation of old would look at its back."""
    scene = vt.Scene("wall", method=vt.Method(bodies="none"))
    scene.add(vt.Body(vt.Box((-1.5, -1.1, -1), (1.5, -1, 3))))
    sim = vt.Simulation(scene, threads=1)
    volume = volume_of(*ball_of_smoke(0.6))
    around = math.radians(AZIMUTH)
    before = Camera((6 * math.cos(around), 6 * math.sin(around), 1), (0, 0, 0))
    white = {"size": SIZE, "extinction": 10.0, "bodies": sim, "key_direction": (0, 0, 1)}
    hidden, seen = render(volume, before, **white), render(volume, None, **white)
    survey = Survey()
    survey.add(volume, sim.bodies)
    _, right, up = project(survey.camera(SIZE, sim), np.zeros(3))
    x, y = int(SIZE[0] * (1 + right) / 2), int(SIZE[1] * (1 - up) / 2)
    assert seen[y - 5 : y + 5, x - 5 : x + 5].mean() > 1.3 * hidden[50:70, 70:90].mean()
    for given in ("azimuth", "elevation"):
        camera = see((-0.6,) * 3, (0.6,) * 3, SIZE, sim, **{given: -35.0})
        offset = np.subtract(camera.eye, camera.target)
        angle = {
            "azimuth": math.atan2(offset[1], offset[0]),
            "elevation": math.asin(offset[2] / np.linalg.norm(offset)),
        }[given]
        assert math.degrees(angle) == pytest.approx(-35)


@pytest.mark.parametrize("shot", [False, True])
def test_a_pane_does_not_stand_before_smoke_of_which_a_wisp_has_gone_round_it(shot):
    """More than half of the box around both is seen from where the pane hides the thick smoke.
    Judged by where the lines of sight meet the plane of the pane.
    """
    scene = vt.Scene("pane", method=vt.Method(bodies="none"))
    around = math.radians(AZIMUTH)
    normal = np.array([math.cos(around), math.sin(around), 0.0])
    turn = vt.Transform(angle=AZIMUTH)
    scene.add(vt.Body(vt.Box((-0.01, -1.0, -1.0), (0.01, 1.0, 1.0)), parent=turn))
    sim = vt.Simulation(scene, threads=1)
    thick, mass = ball_of_smoke(0.2)
    thick = thick - 0.25 * normal
    wisp = 0.5 * normal + np.outer(np.linspace(-0.2, 0.2, 9), (0.0, 0.0, 1.0))
    masses = np.concatenate([np.full(len(thick), mass), np.full(len(wisp), mass / 10)])
    volume = volume_of(np.concatenate([thick, wisp]), masses)
    survey = Survey()
    for _ in range(5 if shot else 1):
        survey.add(volume, sim.bodies)
    across = np.stack([normal, np.cross((0, 0, 1), normal), (0, 0, 1)], 1)
    start, end = thick @ across, np.array(survey.camera(SIZE, sim).eye) @ across
    share = -start[:, :1] / (end[0] - start[:, :1])
    met = start + share * (end - start)
    hidden = (np.abs(met[:, 1:]) < 1).all(1) & (end[0] > 0)
    assert hidden.mean() <= 1 - ENOUGH


@pytest.mark.parametrize("shot", [False, True])
def test_pictures_hold_bodies_beside_the_smoke_whole(shot):
    """A ball of 3 m in the top of smoke of 1.2 m reaches no edge of them, nor do they where it is
    hidden; a ground of a kilometre is not framed."""
    scene = vt.Scene("balloon", method=vt.Method(bodies="none"))
    scene.add(vt.Body(vt.Sphere((0, 0, 1.8), 1.5), "balloon"))
    scene.add(vt.Body(vt.Box((-500, -500, -2), (500, 500, -1)), "ground"))
    sim = vt.Simulation(scene, threads=1)
    volume = volume_of(*ball_of_smoke(0.6))
    how = {"size": SIZE, "extinction": 3.0, "bodies": sim, "background": ((0, 0, 0),) * 2}

    def picture(hide):
        if shot:
            return next(iter(render_shot([volume], hide=hide, **how)))
        return render(volume, hide=hide, **how)

    both, smoke = picture("ground"), picture(["ground", "balloon"])
    for seen in (both, smoke):
        edges = (seen[0], seen[-1], seen[:, 0], seen[:, -1])
        assert max(edge.max() for edge in edges) < 16 < seen.max()
    tall = [np.ptp(np.nonzero(seen.max((1, 2)) > 30)[0]) / SIZE[1] for seen in (both, smoke)]
    assert min(tall) > 0.5
    with_ground = picture(())
    assert np.ptp(with_ground[:, SIZE[0] // 2].max(1)) > 30
