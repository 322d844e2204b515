"""An engine of rigid bodies owns the motion: a ball on an arm swings through dyed water (MuJoCo).

Before each frame the engine gets the impulse that weight, buoyancy and flow have given the ball,
and moves it, with its joints and whatever else it knows of, by a frame; vorton is told where the
ball will then be, and takes the water around it along. Needs `pip install mujoco`.

python examples/engine.py
"""

import mujoco
import numpy as np

import vorton as vt

FPS = 48
ARM, RADIUS, DENSITY = 1.0, 0.15, 3000.0  # m, m, kg/m^3

# Weight comes from vorton, less what the water bears of it; so gravity is off here. The ball is as
# inert as it is with the water that it takes along: half of what it displaces, for a sphere.
MODEL = """
<mujoco>
  <option gravity="0 0 0" timestep="{step}" integrator="implicitfast"/>
  <worldbody>
    <body name="ball">
      <joint type="hinge" axis="0 1 0" pos="0 0 0" damping="0"/>
      <geom type="sphere" pos="0 0 -{arm}" size="{radius}" mass="{mass}"
            contype="0" conaffinity="0"/>
    </body>
  </worldbody>
</mujoco>
"""


def make_scene(method=None):
    """The water, the ball where the arm holds it, and dye in its way."""
    scene = vt.Scene("engine", voxel=0.02, ambient=vt.Water(), method=method or vt.Method())
    ball = vt.Sphere((0, 0, -ARM), RADIUS)
    scene.add(vt.Body(ball, density=DENSITY, held=True, name="ball"))
    scene.add(vt.Tracers(vt.Box((-0.3, -0.1, -1.3), (-0.2, 0.1, -0.7)), count=20_000))
    return scene


def make_engine(body):
    """The model, with the inertia of the ball and the water around it; its state."""
    water = 0.5 * body.fluid_density * 4 / 3 * np.pi * RADIUS**3
    text = MODEL.format(step=1 / FPS / 8, arm=ARM, radius=RADIUS, mass=body.mass + water)
    model = mujoco.MjModel.from_xml_string(text)
    return model, mujoco.MjData(model)


def place(model, data):
    """Where the engine has the ball: centre and quaternion."""
    mujoco.mj_kinematics(model, data)
    return data.geom_xpos[0].copy(), data.xquat[1].copy()


def received(body):
    """What the fluid and gravity have given it so far, N s."""
    return np.array(body.weight_impulse) + body.flow_impulse


def swing(sim, frames, angle=0.5):
    """Let go at an angle (radians); yields the angle after each frame."""
    model, data = make_engine(sim.bodies["ball"])
    data.qpos[0] = angle
    sim.set_body("ball", *place(model, data))
    dt = 1 / FPS
    given = received(sim.bodies["ball"])
    # what the first frame will give, known before it: the weight of now
    force = None
    for _ in range(frames):
        if force is None:
            trial = sim.copy()
            trial.step()
            force = (received(trial.bodies["ball"]) - given) / dt
        data.xfrc_applied[1, :3] = force
        # the force acts at the centre of mass of the body, which is that of the ball
        for _ in range(8):
            mujoco.mj_step(model, data)
        sim.set_body("ball", *place(model, data), over=dt)
        sim.step()
        total = received(sim.bodies["ball"])
        force, given = (total - given) / dt, total
        yield float(data.qpos[0])


if __name__ == "__main__":
    simulation = vt.Simulation(make_scene(), FPS)
    for frame, angle in enumerate(swing(simulation, 2 * FPS), 1):
        if frame % 12 == 0:
            print(f"{frame / FPS:.2f} s: {np.degrees(angle):6.1f} degrees, {simulation}")
