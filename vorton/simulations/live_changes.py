"""What is added to a simulation, changed in it and removed from it while it runs."""

from __future__ import annotations

import copy
from typing import Any

from ..base.checks import shown
from ..definitions.animation import frame_rate
from ..scenes.bodies import BodyBase
from ..scenes.scene import Scene
from ..scenes.scene_advice import warn_of_past_end
from ..sources.source_base import Source
from .opening import Recorder, add_source, check_method, name_items, remove_added


class LiveChanges:
    """Base of `Simulation`: sources, effects and bodies from now on."""

    __slots__ = ()

    _core: Any
    _scene: Scene
    _added: list[tuple[Any, list[tuple[str, int]]]]
    _altered: bool
    _fps: float

    def add(self, item: Any) -> Any:
        """Add a source, an effect or a body from now on, and return it; it joins `scene`.

        Raises
        ------
        TypeError, ValueError, vorton.CapacityError
            As of `Scene.add` and of a new simulation: then nothing has changed.

        Warns
        -----
        vorton.SceneWarning
            As of a new simulation; an `end` that is past.

        Examples
        --------
        >>> import vorton as vt
        >>> sim = vt.Simulation()
        >>> wind = sim.add(vt.Wind((1, 0, 0)))
        >>> sim.remove(wind)
        """
        scene = copy.copy(self._scene)
        scene.add(item)
        warn_of_past_end(item, self._core.time)
        recorder = Recorder(self._core)
        try:
            self._put(scene, item, recorder)
        except BaseException:
            remove_added(self._core, recorder.ids)  # of an Emitter the fluid, if its smoke fails
            raise
        self._added.append((item, recorder.ids))
        self._keep(scene)
        return item

    def change(self, item: Any, new: Any) -> Any:
        """Put another definition in the place of one that is there, from now on; returns it.

        The new one is checked as if it were added, and takes the place of the old one in `scene`.
        What was born stays as it is; a source keeps its random sequence, and what it bears at once
        it bears once.

        Parameters
        ----------
        item : source or effect
            One that `scene` holds. What a body is does not change: `set_body` moves it; for another
            shape remove it and add another.
        new : of the same class

        Raises
        ------
        TypeError, ValueError
            Not in this simulation; of another class; out of range; a source that has been born
            whole. Then nothing has changed.

        Examples
        --------
        >>> import vorton as vt
        >>> sim = vt.Simulation()
        >>> smoke = sim.add(vt.Tracers(vt.Sphere(), rate=100))
        >>> smoke = sim.change(smoke, smoke.replace(rate=200))
        """
        index = self._index_of(item)
        if type(new) is not type(item) or isinstance(new, BodyBase):
            what = f"{type(item).__name__} to {shown(new)}"
            raise TypeError(f"change: {what}: allowed is a source or an effect of the same class")
        scene = copy.copy(self._scene)
        scene._replace(item, new)
        old = self._added[index][1]
        recorder = Recorder(self._core, old)
        try:
            self._put(scene, new, recorder)
        except BaseException:
            if recorder.ids:  # of an Emitter the fluid, if its smoke fails
                self._put(self._scene, item, Recorder(self._core, old))
            raise
        self._added[index] = (new, recorder.finish())
        self._keep(scene)
        return new

    def remove(self, item: Any) -> None:
        """Take a source, an effect or a body away, from now on; what it has borne or shed stays.

        Raises
        ------
        ValueError
            Not in this simulation.
        """
        index = self._index_of(item)
        scene = copy.copy(self._scene)
        scene._replace(item)
        remove_added(self._core, self._added[index][1])
        del self._added[index]
        self._keep(scene)

    def _index_of(self, item: Any) -> int:
        for index, (other, _) in enumerate(self._added):
            if other is item:
                return index
        raise ValueError(f"{shown(item)} is not in this simulation")

    def _put(self, scene: Scene, item: Any, recorder: Recorder) -> None:
        """An item of the scene into the core."""
        with frame_rate(self._fps):
            check_method(scene)
            if isinstance(item, Source):
                index = next(n for n, other in enumerate(scene.sources) if other is item)
                add_source(scene, index, item, recorder)
                return
            try:
                item._add_to(recorder)
            except (TypeError, ValueError) as error:
                text = name_items(scene, self._added, str(error))
                raise type(error)(text) from error

    def _keep(self, scene: Scene) -> None:
        self._altered = True
        scene._close()
        self._scene = scene
