"""The bodies of a bake, where they were in its frames."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from ..archive.branches import branch_of
from ..archive.manifest import Manifest
from ..definitions.method import Method
from ..scenes.bodies import Body
from ..scenes.scene import Scene
from ..simulations.simulation import Simulation
from .retime import Times


@dataclasses.dataclass
class Piece:
    """Frames of a bake that are of the same scene.

    Attributes
    ----------
    whole : Scene
        The scene that they are of.
    numbers : list of int
        Frames, ascending.
    scene : Scene
        With the bodies alone, named by their numbers in `whole`.
    """

    whole: Scene
    numbers: list[int]
    scene: Scene


class BakedBodies:
    """The bodies of a bake without its fluid, containers too.

    Those that move by themselves are there only where every frame of their scene says where they
    are; what `Simulation.set_body` has moved is where its scene says. In a branch the first frames
    have the bodies of the scene that they are of.

    Parameters
    ----------
    manifest : Manifest
    numbers : sequence of int
        Frames, ascending.
    scene : Scene
        Of the manifest.
    threads : int
        0 (default): all processors.

    Attributes
    ----------
    pieces : list of Piece
        By their frames, ascending; one, but for branches.

    Raises
    ------
    ValueError
        A branch of which the earlier scene cannot be made again.
    """

    def __init__(
        self, manifest: Manifest, numbers: Sequence[int], scene: Scene, *, threads: int = 0
    ) -> None:
        self._manifest, self._threads = manifest, threads
        branch = branch_of(manifest)
        earlier = branch.pieces if branch else []
        scenes = [*(scene for _, scene in earlier), scene]
        ends = [last for last, _ in earlier]
        by_piece: list[list[int]] = [[] for _ in scenes]
        for number in numbers:
            by_piece[sum(_archived(manifest, number) > last for last in ends)].append(number)
        self.pieces = [
            Piece(whole, its, self._alone(whole, its))
            for whole, its in zip(scenes, by_piece, strict=True)
            if its
        ]

    def _alone(self, whole: Scene, numbers: Sequence[int]) -> Scene:
        placed = [set(self._manifest.frame(n).get("bodies", {})) for n in numbers]
        alone = Scene(whole.name, method=Method(bodies="none"), gravity=(0, 0, 0))
        for number, body in enumerate(whole.bodies):
            free = isinstance(body, Body) and body.density is not None and not body.held
            if not free:
                parts: dict[str, Any] = {"panels": 0}
                if isinstance(body, Body):
                    parts = {"deformation": body.deformation}
                alone.add(type(body)(body.shape, name=str(number), parent=body.parent, **parts))
            elif all(str(number) in p for p in placed):
                alone.add(Body(body.shape, name=str(number), parent=body.parent))
        return alone

    def start(self, piece: Piece) -> Simulation | None:
        """A simulation of the bodies of a piece at frame 1, None: there are none."""
        if not piece.scene.bodies:
            return None
        data = self._manifest.data
        sim = Simulation(piece.scene, data["fps"], threads=self._threads)
        sim.advance(data.get("offset", 0) / data["fps"])
        return sim

    def move(self, sim: Simulation | None, number: int) -> None:
        """Bring what `start` gave to a frame of its piece, none before that where it is."""
        if sim is None:
            return
        sim.step(number - 1 - sim.frame)
        there = {body.name for body in sim.scene.bodies}
        for body, place in self._manifest.frame(number).get("bodies", {}).items():
            if body in there:
                sim.set_body(body, place[:3], place[3:])


def _archived(manifest: Manifest, number: int) -> int:
    """The frame of the archive whose scene a frame has: that at its time, or the next one."""
    frame, share = Times.of(manifest.data).place_of(number)
    return frame + (share > 0)
