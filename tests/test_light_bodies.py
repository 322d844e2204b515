"""Bodies much lighter than the fluid rise, as fast as work lets them, whatever their shape, and
turn no faster than the fluid along them.

What far wakes lose as a force on the body drove each of these to tens or hundreds of m/s within two
seconds, or to BlowUpError; so did spin that nothing braked."""

import numpy as np
import pytest
from marks import slow_but

import vorton as vt

RADIUS = 0.15
SHAPES = {
    "ball": vt.Sphere((0, 0, 0), RADIUS),
    "box": vt.Box((-0.15, -0.12, -0.1), (0.15, 0.12, 0.1)),
    "capsule": vt.Capsule((-0.2, 0, 0), (0.2, 0, 0), 0.1),
}


def rise(ambient, share, shape="ball", spacing=0.0375, frames=60):
    """Velocities of a body of that share of the fluid's density, a row each frame, and its way."""
    scene = vt.Scene("light", ambient=ambient)
    scene.add(vt.Body(SHAPES[shape], "light", density=share * ambient.density))
    sim = vt.Simulation(scene, fps=24, threads=1, spacing=spacing)
    velocity = []
    for _ in range(frames):
        sim.step()
        velocity.append(sim.bodies["light"].velocity)
    return np.array(velocity), sim.bodies["light"].position[2]


def check(velocity, way, share):
    """Upwards in the mean, with no more than half of the energy that buoyancy gives it and the
    fluid that it moves, of about half its volume."""
    fastest = np.sqrt(9.81 * way * (1 - share) / (share + 0.5))
    assert np.linalg.norm(velocity, axis=1).max() < fastest
    assert velocity[-24:, 2].mean() > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.001, 0.1, 0.3])
def test_a_light_ball_rises(share):
    check(*rise(vt.Water(), share), share)


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["box", "capsule"])
def test_light_bodies_of_other_shapes_rise(shape):
    check(*rise(vt.Water(), 0.02, shape, frames=84), 0.02)


@pytest.mark.slow
def test_a_light_ball_of_eight_cells_a_radius_rises():
    """In 30 frames it came to 21 m/s, sidewise."""
    velocity, way = rise(vt.Air(), 0.02, spacing=0.01875, frames=30)
    check(velocity, way, 0.02)
    assert np.linalg.norm(velocity[:, :2], axis=1).max() < 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("share", "shape", "beside"),
    [(0.1, "ball", 0), (0.002, "ball", 1.2), (0.05, "capsule", 0.5), (0.01, "capsule", 1.2)],
)
def test_light_bodies_rise_through_warm_smoke(share, shape, beside):
    """Where fluid is buoyant: above a plume and at its side. They came to 60 m/s and more, with
    1000 rad/s, and most to BlowUpError."""
    scene = vt.Scene("light")
    at = vt.Transform((beside, 0, 0.6))
    density = share * scene.ambient.density
    scene.add(vt.Body(SHAPES[shape], "light", density=density, parent=at))
    smoke = {"temperature": 500, "core": 0.06}
    scene.add(vt.Emitter(vt.Disk(radius=0.2, thickness=0.1), **smoke))
    sim = vt.Simulation(scene, fps=24, threads=1)
    velocity = []
    for _ in range(60):
        sim.step()
        body = sim.bodies["light"]
        velocity.append(body.velocity)
        assert np.linalg.norm(body.angular_velocity) * 0.1 < 1 + sim.health.largest_speed
    check(np.array(velocity), body.position[2] - 0.6, share)


@pytest.mark.parametrize(("share", "left"), [(0.01, 0.15), (0.1, 0.3)])
def test_a_light_ball_does_not_turn_on_by_itself(share, left):
    """What hardly has inertia of its own goes with the fluid along its wall. Of 50 rad/s it kept 37
    for seconds."""
    ambient = vt.Air()
    scene = vt.Scene("spinning", ambient=ambient, gravity=(0, 0, 0))
    spin = {"density": share * ambient.density, "angular_velocity": (0, 0, 50)}
    scene.add(vt.Body(SHAPES["ball"], "light", **spin))
    sim = vt.Simulation(scene, fps=24, threads=1, spacing=0.06)
    sim.step(4)
    assert 0 < sim.bodies["light"].angular_velocity[2] < left * 50


@pytest.mark.parametrize("share", slow_but([0.5], [0.05, 0.5]))
def test_a_wind_carries_a_rising_ball_as_still_air_does(share):
    """Laws of motion do not know of a uniform wind: it had given a couple."""
    found = []
    for wind in ((0.0, 0.0, 0.0), (3.0, 0.0, 0.0)):
        scene = vt.Scene("carried", wind=wind, seed=3, spacing=0.04)
        ball = {"density": share * scene.ambient.density, "velocity": wind}
        scene.add(vt.Body(vt.Sphere((0, 0, 0.5), 0.12), "light", **ball))
        sim = vt.Simulation(scene, fps=24, threads=1)
        sim.step(12)
        body = sim.bodies["light"]
        assert np.linalg.norm(body.angular_velocity) < 0.1
        found.append(np.array(body.velocity) - wind)
    assert found[0][2] > 1 and np.abs(found[1] - found[0]).max() < 0.02


def test_a_fire_far_off_does_not_push_a_ball():
    """What swells there gives its plume, not the wake of the ball, impulse: 1.9 times that of the
    ball at 1 m/s. Where that of all fluid far from the ball counted as its wake's, the ball fell
    at .9 m/s after a second."""
    scene = vt.Scene(seed=1, voxel=0.12, detail=0)
    neutral = {"density": 1.204, "velocity": (0, 0.5, 0)}
    scene.add(vt.Body(vt.Sphere(radius=0.3), panels=120, **neutral))
    fire = vt.Disk((4, 0, 0), radius=0.4, thickness=0.2)
    scene.add(vt.Emitter(fire, temperature=900, core=0.12, renew=6, smoke=0))
    sim = vt.Simulation(scene, fps=24, threads=1)
    given = 0.0
    for _ in range(24):
        sim.step()
        given += (sim.vortons.swelling * sim.vortons.velocity[:, 2]).sum() / 24
    assert given > 1.5 * 4 / 3 * np.pi * 0.3**3
    assert abs(sim.bodies[0].velocity[2]) < 0.15
