"""What the command `vorton` takes: `make_parser`. Options are named as the arguments of the
functions that they go to; `cli` runs the commands.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from . import _core, sdk
from .archive.manifest import FPS, FRAMES
from .archive.manifest_form import MOST_FPS, MOST_FRAMES
from .bakes.baking import PRESETS
from .hosts import usd

TRACEBACK = "VORTON_TRACEBACK"
SHARP = "thin sheets of few tracers as sheets, not dots: slower, for less than 4 tracers a voxel"
RUN = "(it is run: see that you trust it)"
ANOTHER = "another folder; made if it is not there"


# ---- kinds of values ----


def frame_range(text: str) -> tuple[int, int]:
    """`12-48` or `12` as first and last frame."""
    match = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", text)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is not a range of frames such as 1-96, or 12")
    first = int(match[1])
    last = int(match[2] or match[1])
    if not 1 <= first <= last <= MOST_FRAMES:
        raise argparse.ArgumentTypeError(
            f"{text!r}: frames go from 1 to {MOST_FRAMES}, the first before the last"
        )
    return first, last


def picture_size(text: str) -> tuple[int, int]:
    """`640x480` as width and height."""
    match = re.fullmatch(r"(\d+)[xX](\d+)", text)
    if not match or not all(16 <= int(n) <= 8192 for n in match.groups()):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a size such as 640x480, from 16 to 8192 pixels"
        )
    return int(match[1]), int(match[2])


def positive(text: str) -> float:
    """A finite number > 0."""
    return _number_to(1e12, text)


def frames_a_second(text: str) -> float:
    """A frame rate."""
    return _number_to(MOST_FPS, text)


def _number_to(most: float, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from above 0 to {most:g}")
    return value


# ---- options that several commands have ----


class _Command(argparse.ArgumentParser):
    """The parser of one command, with the options that several have."""

    def __init__(self, *positional: Any, **named: Any) -> None:
        super().__init__(*positional, **named)
        self._negative_number_matcher = re.compile(r"-(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$")
        """What is a value and no option: before Python 3.14 none with an exponent is."""

    def place(self, text: str = "bake folder, or its manifest", name: str = "BAKE") -> None:
        self.add_argument("place", metavar=name, type=Path, help=text)

    def folder(self, *names: str, text: str = ANOTHER, **how: object) -> None:
        self.add_argument(*(names or ("out",)), metavar="OUT", type=Path, help=text, **how)

    def frames(self, text: str) -> None:
        self.add_argument("--frames", type=frame_range, metavar="A-B", help=text)

    def fps(self, text: str) -> None:
        self.add_argument("--fps", type=frames_a_second, metavar="F", help=text)

    def offset(self) -> None:
        text = "how much later each frame is, in frames, to 1 (default 0); with --frames N-N a "
        text += "single time"
        self.add_argument("--offset", type=float, default=0.0, metavar="FRAMES", help=text)

    def last_frame(self, text: str) -> None:
        self.add_argument("--frame", type=int, metavar="N", required=True, help=text)

    def region(self) -> None:
        text = "only the tracers in this box, m: lower corner, upper corner"
        axes = ("X", "Y", "Z", "X", "Y", "Z")
        self.add_argument("--region", type=float, nargs=6, metavar=axes, help=text)

    def flag(self, name: str, text: str) -> None:
        """`--name`; `--no-name` is the same the other way round."""
        off = name.startswith("no-")
        action, dest = "store_false" if off else "store_true", name.removeprefix("no-")
        self.add_argument(f"--{name}", dest=dest, action=action, help=text)

    def setting(self, name: str, text: str) -> None:
        """`--name` or `--no-name`, how files are made; neither, None: as a bake tells, or not."""
        self.add_argument(f"--{name}", action=argparse.BooleanOptionalAction, help=text)

    def quiet(self) -> None:
        self.add_argument("--quiet", dest="progress", action="store_false", help="no progress")

    def threads(self) -> None:
        text = "threads (default: all processors); the result does not depend on it"
        self.add_argument("--threads", type=int, default=0, metavar="N", help=text)
        self.quiet()

    def voxels(self, default: str) -> None:
        text = f"voxel size in m (default: {default})"
        self.add_argument("--voxel", type=positive, metavar="H", help=text)
        self.setting("sharp", SHARP)

    def files(self) -> None:
        """What is written of a frame."""
        self.voxels("the scene's")
        text = "host that reads it (default blender)"
        self.add_argument("--preset", choices=PRESETS, help=text)
        self.setting("half", "store 16-bit floats (default), or 32-bit ones")
        self.setting("compress", "compress volumes where it pays (default)")
        text = "voxels by which velocity is stored beyond density, 0 to 16 (default 3)"
        self.add_argument("--margin", type=float, metavar="N", help=text)
        self.setting("volumes", "write .vdb files (default)")
        self.setting("tracers", "write .npz files (default)")
        self.flag("overwrite", "remove another bake that OUT holds")


# ---- the commands ----


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command; `command` of what it gives is the name of one of them."""
    parser = argparse.ArgumentParser(
        prog="vorton",
        description="Vortex-particle fluid solver: smoke and fire for technical artists.",
        epilog=f"An error is one line; {TRACEBACK}=1 in the environment shows where it came from.",
    )
    version = f"vorton {_core.version()} ({_core.simd()}, {_core.backend()})"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=_Command
    )
    _add_bake(commands)
    _add_derive(commands)
    _add_stage(commands)
    _add_branch(commands)
    _add_rewind(commands)
    _add_gather(commands)
    _add_transfers(commands)
    _add_prune(commands)
    _add_preview(commands)
    _add_info(commands)
    _add_demo(commands)
    _add_validate(commands)
    _add_sdk(commands)
    commands.add_parser(
        "bench", help="measure the solver; vorton bench --help says how", add_help=False
    )
    return parser


def _add_bake(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "bake",
        help="simulate a scene and write numbered volumes and tracers",
        description="Simulate a scene and write OUT/name_0001.vdb, OUT/name_0001.npz ..., the "
        "archive OUT/name.vta and the manifest OUT/name.json. A bake that was interrupted goes on "
        "when it is started again; whatever of frames, rate and files is not given is as it was; "
        "of a scene that has changed since, --overwrite says what it was.",
    )
    text = f"scene.json, scene.py that makes `scene` {RUN}, or the .vta of a bake"
    parser.add_argument("scene", metavar="SCENE", help=text)
    parser.folder(text="folder; made if it is not there")
    first, last = FRAMES
    parser.frames(f"first and last frame (default {first}-{last}); frame 1 is the start")
    parser.fps(f"frames a second (default {FPS:g})")
    parser.files()
    text = "write a .vta file (default); without it an interrupted bake begins from the start"
    parser.setting("archive", text)
    parser.threads()


def _add_derive(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "derive",
        help="write volumes and tracers from the archive of a bake, without simulating",
        description="Write what a bake with these settings writes, from the archive of another one "
        "and without simulating: voxels of another size, other frames, for another host. Frames "
        "for which the archive is damaged are named, and all others made: status 3.",
    )
    parser.place("bake folder, or a .vta file")
    parser.folder(text="another folder")
    parser.frames("first and last frame (default: all that the archive has)")
    parser.fps("frames a second of the same motion (default: as archived); more give slow motion")
    parser.offset()
    text = (
        "volumes are the mean over an open shutter around each frame: for how long, in frames, to "
    )
    text += "1 (default 0: none); .5 is one of 180 degrees. They have no velocity then"
    parser.add_argument("--shutter", type=float, default=0.0, metavar="FRAMES", help=text)
    text = "at how many moments the shutter is looked through (default 8)"
    parser.add_argument("--samples", type=int, default=8, metavar="N", help=text)
    parser.region()
    text = "processes that make frames at the same time (default 1)"
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help=text)
    parser.files()
    parser.threads()


def _add_stage(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "stage",
        help="write a USD stage of a bake, an Alembic archive, or its tracers as points of OpenVDB",
        description="Write BAKE/name.usda, a USD stage with volumes, tracers as points, bodies and "
        "a camera; or BAKE/name.abc, an Alembic archive of tracers and bodies; or "
        "BAKE/points/name_0001.vdb ..., the tracers as points of OpenVDB, in m, Z up. Points of "
        "USD need usd-core (pip install usd-core), Alembic needs alembic3d.",
    )
    parser.place()
    parser.add_argument(
        "--format", choices=("usd", "abc", "vdb"), default="usd", help="default usd"
    )
    text = "host that reads it (default usd): up axis, unit and names of the fields"
    parser.add_argument("--preset", choices=usd.PRESETS, default="usd", help=text)
    text = "up axis (default: as the host has it; of Alembic always y)"
    parser.add_argument("--up", choices=usd.UPS, help=text)
    parser.flag("no-points", "without the tracers")
    parser.quiet()


def _add_branch(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "branch",
        help="bake a changed scene from a frame of another bake on",
        description="Make a bake that has the frames 1 to N of another one, linked where the disk "
        "can, and goes on from there with a changed scene: other sources, effects, bodies, method "
        "... A branch that was interrupted goes on when it is started again.",
    )
    parser.add_argument("scene", metavar="SCENE", help=f"the changed scene, .json or .py {RUN}")
    text = "folder of the other bake, or its manifest"
    parser.add_argument("--from", dest="place", metavar="BAKE", type=Path, required=True, help=text)
    parser.last_frame("its last frame that stays")
    parser.folder("-o", "--out", required=True)
    parser.frames("first and last frame (default: those of the other bake)")
    text = "remove another bake in OUT; where OUT is BAKE, its frames after N"
    parser.flag("overwrite", text)
    parser.threads()


def _add_rewind(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "rewind",
        help="remove the frames of a bake after one of them",
        description="Remove the frames of a bake after frame N, and their states. `vorton bake` "
        "goes on from there, `vorton prune --frames` lets it end there.",
    )
    parser.place()
    parser.last_frame("the last frame that stays")
    parser.quiet()


def _add_gather(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "gather",
        help="make one bake of parts that were derived into folders of their own",
        description="Make one bake of parts of it that were derived apart, as by the machines of a "
        "farm: OUT becomes what derive of all their frames writes. Parts may come later.",
    )
    parser.place("folder with a folder for each part", "PARTS")
    parser.folder()
    parser.quiet()


def _add_transfers(commands: argparse._SubParsersAction) -> None:
    for name in ("copy", "move"):
        text = f"{name} a bake into another folder"
        parser = commands.add_parser(name, help=text, description=f"{text.capitalize()}.")
        parser.place()
        parser.folder()
        parser.quiet()


def _add_prune(commands: argparse._SubParsersAction) -> None:
    text = "remove files of a bake that nobody needs any more"
    more = "`vorton bake` makes frames again from the archive, without simulating."
    parser = commands.add_parser("prune", help=text, description=f"{text.capitalize()}. {more}")
    parser.place()
    parser.frames("frames whose volumes and tracers stay (default: all)")
    parser.flag("no-archive", "remove the archive")
    parser.quiet()


def _add_preview(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "preview",
        help="render lit smoke: a picture or a film",
        description="Render lit smoke from a bake (its tracers), or from a scene (which is "
        "simulated): a .png is one frame, .webp, .gif and .mp4 are films.",
    )
    option = parser.add_argument
    parser.place(f"bake folder, .vta, or scene, .json or .py {RUN}", "SCENE|BAKE")
    parser.folder(text="picture.png, film.webp|gif|mp4")
    parser.frames(
        "frames of a film, or N of a picture (default: all baked ones, 1-96 of a scene; of a "
        "picture the last)"
    )
    option("--size", type=picture_size, default=(640, 480), metavar="WxH", help="default 640x480")
    parser.fps("frames a second (default 24, or what the bake has)")
    text = "frames a second of the same motion, between those of the archive of a bake; more, "
    option("--retime", type=frames_a_second, metavar="F", help=text + "with --fps, is slow motion")
    parser.offset()
    parser.voxels("that of the bake's volumes, or the scene's")
    for name, text in (("eye", "where the camera is"), ("target", "where it looks")):
        text += ", m (default: so that smoke and bodies fill the picture)"
        option(f"--{name}", type=float, nargs=3, metavar=tuple("XYZ"), help=text)
    for name, text in (
        ("azimuth", "around Z: -90 from in front, 0 from +X (default -65)"),
        ("elevation", "above the horizon, -80 to 80 (default -5, with bodies 10)"),
    ):
        text = f"where the default camera looks from, degrees {text}"
        option(f"--{name}", type=float, metavar="D", help=text)
    text = "vertical, default 35"
    option("--fov", dest="field_of_view", type=positive, default=35.0, metavar="DEGREES", help=text)
    text = "optical depth of a kg/m^2 of smoke (default: smoke born with 1 kg/m^3 reads well)"
    option("--extinction", type=positive, metavar="E", help=text)
    for name, text in (
        ("albedo", "colour of the smoke, 0 to 1 each (default: white, of fire grey)"),
        ("background", "linear colour behind it, before exposure (default: dark)"),
    ):
        option(f"--{name}", type=float, nargs=3, metavar=tuple("RGB"), help=text)
    option("--exposure", type=positive, metavar="E", help="brightness (default .6, with fire 1)")
    text = (
        "dye that shows temperature instead of fire, from blue to red: of the whole shot, or from "
        "the first to the second of two temperatures in K"
    )
    option("--dye", type=positive, nargs="*", metavar="K", help=text)
    text = "bodies that are not drawn and keep no light off, by name or number; smoke is as before"
    option("--hide", nargs="+", action="extend", default=[], metavar="NAME", help=text)
    parser.region()
    parser.threads()


def _add_info(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "info",
        help="print what a bake holds, with tracers per active voxel and warnings",
        description="Print what a bake holds, with tracers per active voxel and warnings. Status 1 "
        "where files are missing, damaged or of another bake, stages, points and pictures too, "
        "else 3 where frames of its range are still to be baked.",
    )
    parser.place("bake folder, or its manifest or another file of it; a .vta alone, too")
    parser.flag("verify", "check the hash of every file, too")
    parser.quiet()


def _add_demo(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "demo",
        help="bake and render an example, nothing to configure",
        description="Bake and render an example in under a minute on two cores.",
    )
    parser.folder(text="folder (default vorton-demo)", nargs="?", default=Path("vorton-demo"))
    parser.threads()


def _add_sdk(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "sdk",
        help="what C and C++ programs need to link the library",
        description="Print what C and C++ programs need to link the library; all of it, with its "
        "names, where no option is given.",
    )
    sdk.add_arguments(parser)


def _add_validate(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "validate",
        help="compare the solver with exact solutions, conserved quantities and sums in float64",
        description="Run cases that have an exact answer and say for each what is exact, what was "
        "computed, the error and the largest that it may have. Status 1 if one fails.",
    )
    text = "only cases with one of these words in their name, such as rings, heat or Hill"
    parser.add_argument("words", nargs="*", metavar="WORD", help=text)
    parser.flag("quick", "without the slow ones")
    for name, text in (("html", "a page with figures (these need matplotlib)"), ("json", "JSON")):
        dest, text = f"{name}_path", f"write {text}, too"
        parser.add_argument(f"--{name}", dest=dest, type=Path, metavar="FILE", help=text)
