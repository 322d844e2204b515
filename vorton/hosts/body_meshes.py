"""The bodies of a bake as meshes that move, for hosts that show them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

import numpy as np

from .. import _core
from ..archive.manifest import Manifest
from ..bakes.baked_bodies import BakedBodies
from ..definitions.animation import frame_rate
from ..scenes.bodies import Body, BodyBase, Container
from ..scenes.scene import Scene
from .shape_meshes import mesh_of


@dataclasses.dataclass
class BodyMesh:
    """A body as a mesh about its centre, and where it is in the frames.

    Attributes
    ----------
    name : str
        Of the body, or body_ with its number where it has none.
    container : bool
        Whether it is a container.
    vertices : (n, 3) float, m
    faces : list of lists of int
        Polygons, counter-clockwise seen from outside, those of a container, too.
    places : dict
        By frame: place (three numbers, m) and unit quaternion (w, x, y, z). Of q and -q, which are
        the same, it is that nearer to the frame before. In a branch a body may be in some frames
        only.
    forms : dict
        Of a body that deforms, by frame: `vertices` then; else empty.
    """

    name: str
    container: bool
    vertices: np.ndarray
    faces: list[list[int]]
    places: dict[int, tuple[tuple[float, ...], tuple[float, ...]]]
    forms: dict[int, np.ndarray] = dataclasses.field(default_factory=dict)

    def placed(self, number: int) -> np.ndarray:
        """The vertices in the scene at a frame, (n, 3), m."""
        place, rotation = self.places[number]
        return self.forms.get(number, self.vertices) @ matrix_of(rotation).T + place


def body_meshes(manifest: Manifest, scene: Scene, numbers: Sequence[int]) -> list[BodyMesh]:
    """All bodies and containers of a bake, those that move by themselves where the bake says.

    Parameters
    ----------
    manifest : Manifest
    scene : Scene
        Of the manifest.
    numbers : sequence of int
        Baked frames, ascending.

    Raises
    ------
    ModuleNotFoundError
        A Polytope, without SciPy.
    """
    baked = BakedBodies(manifest, numbers, scene)
    made: dict[tuple[BodyBase, int], BodyMesh] = {}
    for piece in baked.pieces:
        sim = baked.start(piece)
        if sim is None:
            continue
        rest = [(body.position, body.rotation) for body in sim.bodies]
        seen: list[BodyBase] = []
        meshes = []
        for alone, place in zip(piece.scene.bodies, rest):
            body = piece.whole.bodies[int(alone.name)]
            key = body, seen.count(body)  # one that stays in a branch is the same mesh
            seen.append(body)
            if key not in made:
                name = body.name or f"body_{alone.name}"
                made[key] = _unplaced(alone, name, place, manifest.data["fps"])
            meshes.append(made[key])
        for number in piece.numbers:
            baked.move(sim, number)
            for mesh, at in zip(meshes, sim.bodies):
                known = mesh.places
                before = next(reversed(known.values()))[1] if known else (1.0, 0.0, 0.0, 0.0)
                known[number] = tuple(at.position), _nearer(at.rotation, before)
            for mesh, alone in zip(meshes, piece.scene.bodies):
                if getattr(alone, "deformation", None) is not None:
                    mesh.forms[number] = _form(alone, mesh.places[number], sim.time, sim.fps)
    return list(made.values())


def _unplaced(
    body: BodyBase, name: str, place: tuple[Sequence[float], Sequence[float]], fps: float
) -> BodyMesh:
    """A body that is not in any frame yet, from where it is at frame 1."""
    vertices, faces = _mesh(body, fps)
    about = (vertices - place[0]) @ matrix_of(place[1])
    return BodyMesh(name, isinstance(body, Container), about, faces, {})


def _form(
    body: Body, at: tuple[Sequence[float], Sequence[float]], time: float, fps: float
) -> np.ndarray:
    """Vertices of a body that deforms at a time, s, about its centre."""
    deformation = body.deformation
    assert deformation is not None
    frames = deformation.vertices.astype(float)
    where = min(max((time - deformation.start) * deformation.fps, 0.0), len(frames) - 1.0)
    before = min(int(where), len(frames) - 1)
    after = min(before + 1, len(frames) - 1)
    now = frames[before] + (where - before) * (frames[after] - frames[before])
    pose = _pose(body, time, fps)
    return (now @ pose[:, :3].T + pose[:, 3] - at[0]) @ matrix_of(at[1])


def _pose(body: BodyBase, time: float, fps: float) -> np.ndarray:
    """From the space of a body to the scene, (3, 4), at a time, s."""
    if body.parent is None:
        return np.eye(3, 4)
    core = _core.Simulation(max_vortons=1, max_tracers=1)
    with frame_rate(fps):
        return core.pose(body.parent._add_to(core), time)


def _nearer(rotation: Sequence[float], before: Sequence[float]) -> tuple[float, ...]:
    near = np.dot(rotation, before) >= 0
    return tuple((x if near else -x) + 0.0 for x in rotation)


def _mesh(body: BodyBase, fps: float) -> tuple[np.ndarray, list[list[int]]]:
    """Vertices in the scene at frame 1, (n, 3), m, and faces of all shapes of a body."""
    pose = _pose(body, 0.0, fps)
    vertices: list[np.ndarray] = []
    faces: list[list[int]] = []
    count = 0
    for shape in body.shapes:
        made = mesh_of(shape)
        vertices.append(made.placed() @ pose[:, :3].T + pose[:, 3])
        faces += [[count + int(i) for i in face] for face in made.faces]
        count += len(vertices[-1])
    return np.concatenate(vertices), faces


def matrix_of(rotation: Iterable[float]) -> np.ndarray:
    """The (3, 3) matrix of a unit quaternion w x y z."""
    w, x, y, z = rotation
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
