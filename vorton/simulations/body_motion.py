"""Where the bodies of a simulation are, and how somebody outside moves them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..definitions.records import Bodies, BodyState


class BodyMotion:
    """Base of `Simulation`: its bodies now."""

    __slots__ = ()

    _core: Any

    @property
    def bodies(self) -> Bodies:
        """Where the bodies and containers are now, and how they move from now on.

        A `vorton.records.BodyState` for each, by number in the order of `Scene.bodies` or by name.

        Examples
        --------
        >>> import vorton as vt
        >>> scene = vt.Scene()
        >>> ball = scene.add(vt.Body(vt.Sphere((0, 0, 2), 0.5), name="ball"))
        >>> vt.Simulation(scene).bodies["ball"].position
        (0.0, 0.0, 2.0)
        """
        return Bodies([BodyState(**row) for row in self._core.bodies()])

    def set_body(
        self,
        body: int | str,
        position: Any = None,
        rotation: Any = None,
        velocity: Any = None,
        angular_velocity: Any = None,
        over: float = 0.0,
    ) -> None:
        """Set where a body is, or how it moves from now on.

        This is how somebody else owns the motion of a body, an engine of rigid bodies, say: give
        the body a density and ``held=True``, or no density, and before each step say where it will
        be when the step ends. What the fluid gives it is in its record: see `bodies`.

        Parameters
        ----------
        body : whole number or str
            As in `bodies`; not one that a moving parent moves. Containers, too.
        position : three numbers, m, optional
            Of its centre; default: as it is.
        rotation : four numbers, optional
            Quaternion (w, x, y, z) of any length but 0; default: as it is.
        velocity, angular_velocity : three numbers, m/s and rad/s, optional
            Default: as they are. A body that does not move by itself keeps them until it is set
            again.
        over : number, s
            0 (default): it is there at once, and particles in its way are put out of it by the
            shortest way; what a container holds goes with it. > 0: it sets out for that place,
            straight and turning the shorter way, so as to be there in that time; it sweeps along
            what it meets, however fast it is, and then keeps that velocity until it is set again.
            Not for a body that moves by itself.

        Raises
        ------
        ValueError, TypeError, IndexError, KeyError
            A value out of range, naming the body; no such body.

        Examples
        --------
        >>> import vorton as vt
        >>> scene = vt.Scene()
        >>> paddle = scene.add(vt.Body(vt.Box(), name="paddle"))
        >>> sim = vt.Simulation(scene)
        >>> sim.set_body("paddle", position=(1, 0, 0), over=1 / 24)
        >>> sim.step()
        >>> round(sim.bodies["paddle"].position[0], 6)
        1.0
        """
        with self.bodies._naming(body) as index:
            self._core.set_body(
                index,
                position=position,
                rotation=rotation,
                velocity=velocity,
                angular_velocity=angular_velocity,
                over=over,
            )

    def apply_impulse(
        self, body: int | str, impulse: Any, point: Any = None, angular_impulse: Any = None
    ) -> None:
        """Push a body that moves by itself: its velocities change at once.

        Parameters
        ----------
        body : whole number or str
            As in `bodies`.
        impulse : three numbers, N s
        point : three numbers, m, optional
            Where it acts; default: at the centre.
        angular_impulse : three numbers, N m s, optional
            About the centre, in addition.

        Raises
        ------
        ValueError, TypeError, IndexError, KeyError
            A body that does not move by itself, values that are not finite, naming the body; no
            such body.
        """
        with self.bodies._naming(body) as index:
            self._core.apply_impulse(index, impulse, point, angular_impulse)

    def body_distance(
        self, body: int | str, points: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Signed distances of points from the walls of a body as it is now.

        Parameters
        ----------
        body : whole number or str
            As in `bodies`.
        points : (n, 3) numbers, m

        Returns
        -------
        distance : (n,) float64, m
            > 0 where particles may be: outside of a solid, inside of a container. Exact for one
            shape; where several shapes of a solid overlap, a lower bound of the depth.
        nearest : (n, 3) float64, m
            Nearest points of the walls.
        normal : (n, 3) float64
            Unit vectors along which the distance grows.

        Raises
        ------
        ValueError, TypeError, IndexError, KeyError
            Points that are not finite or of another shape; no such body.
        """
        return self._core.body_distance(self.bodies[body].id, points)
