"""The bodies of a bake, where they were in its frames."""

from __future__ import annotations

from collections.abc import Sequence

from .bodies import Body
from .manifest import Manifest
from .method import Method
from .scene import Scene
from .simulation import Simulation


class BakedBodies:
    """The bodies of a bake without its fluid.

    Those that move by themselves are there only where every frame says where they are; what
    `Simulation.set_body` has moved is where its scene says.

    Parameters
    ----------
    manifest : Manifest
    numbers : sequence of int
        Frames, ascending.
    scene : Scene
        Of the manifest.
    containers : bool
        Those, too; default False.
    threads : int
        0 (default): all processors.

    Attributes
    ----------
    scene : Scene
        With the bodies alone, named by their numbers in the scene of the bake.
    """

    def __init__(
        self,
        manifest: Manifest,
        numbers: Sequence[int],
        scene: Scene,
        *,
        containers: bool = False,
        threads: int = 0,
    ) -> None:
        self._manifest, self._threads = manifest, threads
        placed = [set(manifest.frame(n).get("bodies", {})) for n in numbers]
        self.scene = Scene(scene.name, method=Method(bodies="none"), gravity=(0, 0, 0))
        for number, body in enumerate(scene.bodies):
            free = isinstance(body, Body) and body.density is not None and not body.held
            if not free and (containers or isinstance(body, Body)):
                parts = {"panels": 0} if not isinstance(body, Body) else {}
                self.scene.add(
                    type(body)(body.shape, name=str(number), parent=body.parent, **parts)
                )
            elif free and all(str(number) in p for p in placed):
                self.scene.add(Body(body.shape, name=str(number), parent=body.parent))

    def start(self) -> Simulation | None:
        """A simulation of them at frame 1, None: there are none."""
        if not self.scene.bodies:
            return None
        return Simulation(self.scene, self._manifest.data["fps"], threads=self._threads)

    def move(self, sim: Simulation | None, number: int) -> None:
        """Bring what `start` gave to a frame, none before that where it is."""
        if sim is None:
            return
        sim.step(number - 1 - sim.frame)
        for body, place in self._manifest.frame(number).get("bodies", {}).items():
            sim.set_body(body, place[:3], place[3:])
