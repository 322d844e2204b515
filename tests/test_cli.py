"""The command: options, exit status, one-line errors, Ctrl-C."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hand_made import listen_to_ctrl_c

import vorton as vt
from vorton import Manifest, Scene, Torus, Tracers, VortexRing, _core, cli
from vorton.archive.scene_files import ScriptError, load_scene
from vorton.arguments import frame_range, make_parser, picture_size
from vorton.bakes.baking import PRESETS
from vorton.bakes.report import describe, proposed_voxel, ranges_text, size_text, warnings
from vorton.cli import main, one_line
from vorton.files.disk import locked
from vorton.records import HEALTH_LIMITS

SCRIPT = """
import vorton as vt

scene = vt.Scene("ring", voxel=0.1)
scene.add(vt.VortexRing(core=0.2, sections=48, layers=1))
scene.add(vt.Tracers(vt.Torus(), count={count}))
"""


@pytest.fixture
def script(tmp_path) -> Path:
    path = tmp_path / "ring.py"
    path.write_text(SCRIPT.format(count=2000))
    return path


@pytest.fixture
def scene_json(tmp_path) -> Path:
    scene = Scene("ring", voxel=0.1)
    scene.add(VortexRing(core=0.2, sections=48, layers=1))
    scene.add(Tracers(Torus(), count=2000))
    scene.save(tmp_path / "ring.json")
    return tmp_path / "ring.json"


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


def vorton(*arguments: object, **values) -> subprocess.CompletedProcess:
    """The command in a process of its own."""
    root = str(Path(cli.__file__).parents[1])
    path = os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-m", "vorton", *map(str, arguments)],
        capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "PYTHONPATH": path, **values},
    )  # fmt: skip


# ---- bake and info ----


@pytest.mark.slow
def test_script_and_json_give_the_same_bake(script, scene_json, tmp_path, capsys):
    for scene, out in ((script, "a"), (scene_json, "b")):
        assert run("bake", scene, tmp_path / out, "--frames", "1-3", "--quiet") == 0
    shown = capsys.readouterr().out
    assert "frames     1-3 at 24 a second" in shown and PRESETS["blender"].hint in shown
    files = {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()}
    assert files == {path.name: path.read_bytes() for path in (tmp_path / "b").iterdir()}
    assert len(files) == 8


def test_every_option_of_bake_arrives(script, tmp_path):
    options = "--frames 2-3 --fps 30 --voxel 0.2 --preset houdini --no-half --no-compress --sharp"
    out = tmp_path / "out"
    assert run("bake", script, out, *options.split(), "--threads", 1, "--quiet") == 0
    data = Manifest.find(out).data
    assert (data["first"], data["last"], data["fps"]) == (2, 3, 30.0)
    assert data["volumes"] == {
        "voxel": 0.2, "preset": "houdini", "grids": {"density": "density", "velocity": "vel"},
        "half": False, "compress": False, "margin": 3.0, "sharp": True,
    }  # fmt: skip
    assert run("bake", script, out, "--frames", 1, "--no-volumes", "--quiet") == 1
    assert run("bake", script, out, "--frames", 1, "--no-volumes", "--overwrite", "--quiet") == 0
    assert Manifest.find(out).data["volumes"] is None
    options = "--frames 1 --volumes --no-tracers --overwrite --quiet".split()
    assert run("bake", script, out, *options) == 0
    assert Manifest.find(out).data["tracers"] is False and Manifest.find(out).data["volumes"]


def test_a_bake_for_a_host_that_is_unknown_may_be_overwritten(script, tmp_path, capsys):
    out, options = tmp_path / "out", ["--frames", "1", "--threads", "1", "--overwrite"]
    assert run("bake", script, out, *options, "--quiet") == 0
    for given, told in (("--preset usd", "usd"), ("--no-volumes", None)):
        manifest = Manifest.find(out)
        manifest.data["volumes"]["preset"] = "softimage"
        manifest.save()
        assert run("bake", script, out, *options, "--quiet") == 1
        assert "Volumes.preset = 'softimage'" in capsys.readouterr().err
        assert run("bake", script, out, *options, *given.split(), "--quiet") == 0
        volumes = Manifest.find(out).data["volumes"]
        assert (volumes and volumes["preset"]) == told


def test_what_is_overwritten_is_said_once_it_is(script, tmp_path, capsys):
    out, options = tmp_path / "out", ["--frames", "1", "--threads", "1", "--overwrite"]
    assert run("bake", script, out, *options, "--voxel", "0.15", "--quiet") == 0
    text = Path(script).read_text()
    Path(script).write_text(text + "\nscene.seed += 1\n")
    said = "overwrites a bake of another scene: frames 1-1 at 24 a second, volumes 0.15 m"
    capsys.readouterr()
    with locked(out):
        assert run("bake", script, out, *options) == 1
    assert said not in capsys.readouterr().err
    assert run("bake", script, out, *options) == 0
    assert said in capsys.readouterr().err


def test_info_and_verify(script, tmp_path, capsys):
    out = tmp_path / "out"
    run("bake", script, out, "--frames", "1-2", "--quiet")
    capsys.readouterr()
    for place in (out, out / "ring.json"):
        assert run("info", place, "--verify") == 0
        shown = capsys.readouterr().out
        for word in (
            "1 VortexRing, 1 Tracers",
            "2000, in .npz",
            "tracers per voxel of smoke",
            "0.1 m, for blender: density, velocity",
            "verified   all files of 2 frames are as written",
        ):
            assert word in shown  # fmt: skip
    for words, told in (([], True), (["--quiet"], False)):
        assert run("info", out, "--verify", *words) == 0
        assert ("verify ring" in capsys.readouterr().err) == told
    (out / "ring_0001.vdb").write_bytes(b"")
    for words in ([], ["--verify"]):
        assert run("info", out, *words) == 1
        assert "damaged    ring_0001.vdb has 0 bytes" in capsys.readouterr().out


def test_info_of_a_bake_that_lacks_frames_has_a_status_of_its_own(script, tmp_path, capsys):
    """What waits for a bake needs to know that it is not there yet, and that nothing is damaged."""
    out = tmp_path / "out"
    run("bake", script, out, "--frames", "1-3", "--quiet")
    assert run("rewind", out, "--frame", "1") == 0
    capsys.readouterr()
    for words in ([], ["--verify"]):
        assert run("info", out, *words) == 3
        assert "frames 2-3 are missing: bake again to go on" in capsys.readouterr().out
    whole = (out / "ring_0001.vdb").read_bytes()
    (out / "ring_0001.vdb").write_bytes(b"")
    assert run("info", out) == 1  # what is wrong comes first
    (out / "ring_0001.vdb").write_bytes(whole)
    assert run("bake", script, out, "--frames", "1-3", "--quiet") == 0
    assert run("info", out, "--verify") == 0


def test_info_finds_the_bake_of_a_file(script, tmp_path, capsys):
    out = tmp_path / "bake"
    assert run("bake", script, out, "--frames", "1-2", "--quiet") == 0
    capsys.readouterr()
    assert run("info", out) == 0
    whole = capsys.readouterr().out
    for name in ("ring.vta", "ring_0001.vdb", "ring_0002.npz"):
        assert run("info", out / name) == 0
        assert capsys.readouterr().out == whole
    (out / "ring.json").unlink()
    assert run("info", out / "ring.vta") == 0  # says itself what it holds
    alone = capsys.readouterr().out
    assert "1 VortexRing, 1 Tracers" in alone and "states of 1-2 at 24 a second" in alone
    assert run("info", out / "ring_0001.vdb") == 1
    assert "no manifest (.json) beside it names it" in capsys.readouterr().err


def record(frame: int, **values) -> dict:
    health = {"strength_excess": 1.1, "vorticity_divergence": None, "largest_gradient": 1000.0}
    return {"frame": frame, "time": (frame - 1) / 24, "files": [], "tracers": 100,
            "tracers_per_voxel": 8.0, "health": health, **values}  # fmt: skip


def manifest_of(*records: dict) -> Manifest:
    data = {
        "name": "ring", "seed": 1, "scene_sha256": "0" * 64, "scene": {"sources": []},
        "vorton": "0.1.0", "build": "", "first": 1, "last": len(records), "fps": 24.0,
        "tracers": True,
        "volumes": {"voxel": 0.1, "preset": "usd", "grids": {"density": "density"}, "half": True,
                    "compress": True},
        "frames": list(records),
    }  # fmt: skip
    return Manifest(Path("ring.json"), data)


def test_info_warns_of_grain():
    assert warnings(manifest_of(record(1), record(2, tracers_per_voxel=1.1))) == []
    grainy = manifest_of(record(1), record(2, tracers_per_voxel=0.75), record(3))
    assert proposed_voxel(grainy) == pytest.approx(0.1 * 4 ** (1 / 3))
    (text,) = warnings(grainy)
    assert "0.75 tracers per voxel of smoke: grain will show" in text and "voxels of 0.16 m" in text
    assert text in describe(grainy)
    assert "0.75 to 8, median 8" in describe(grainy)
    begins = manifest_of(record(1, tracers_per_voxel=0.4, mass=0.09), record(2, mass=1.0))
    assert warnings(begins) == []  # the first wisps of a source


def test_info_lists_the_bodies():
    scene = vt.Scene("balls")
    scene.add(vt.Body(vt.Sphere(), "ball"))
    scene.add(vt.Container([vt.Box((-9, -9, -9), (9, 9, 9)), vt.Sphere((0, 0, 9), 3)]))
    manifest = manifest_of(record(1))
    assert "bodies" not in describe(manifest)
    manifest.data["scene"] = scene.to_dict()
    told = "bodies     Body 'ball' (Sphere), Container (several shapes)"
    assert told in describe(manifest).splitlines()


def test_info_warns_of_bad_health_and_missing_frames():
    numbers = {name: 1.1 * row.limit for name, row in HEALTH_LIMITS.items()}
    bad = record(2, health={**numbers, "largest_gradient": 1000.0})
    found = warnings(manifest_of(record(1), bad))
    assert len(found) == len(numbers) == 4
    for (name, row), text in zip(HEALTH_LIMITS.items(), found, strict=True):
        assert text.startswith(name) and "frame 2" in text and text.endswith(row.remedy)
    hardly_moves, beside_walls = {"largest_gradient": 1.0}, {"poisson_residual": 0.5}
    for known in (hardly_moves, {"largest_gradient": 1000.0, **beside_walls}):
        other = record(2, health={**numbers, **known})
        assert [text.split()[0] for text in warnings(manifest_of(record(1), other))] == ["rounding"]
    gap = manifest_of(record(1), record(2))
    gap.data["last"] = 5
    assert warnings(gap) == ["frames 3-5 are missing: bake again to go on"]


def test_info_says_which_health_it_did_not_check():
    fine = {name: 0.5 * row.limit for name, row in HEALTH_LIMITS.items()}
    fine |= {"largest_gradient": 1000.0, "poisson_residual": 0.0}
    of_grid = ", ".join(name for name in HEALTH_LIMITS if name != "rounding")

    def told(*changes):
        frames = [record(n, health={**fine, **change}) for n, change in enumerate(changes, 2)]
        lines = describe(manifest_of(record(1, health={**fine}), *frames)).splitlines()
        return [line[11:] for line in lines if line.startswith("unchecked")]

    start = f"{of_grid} in frames 1: the flow had hardly moved"
    assert told({}) == [start]
    assert told({}, {"grid": [0, 0, 0]}) == [f"{start}; {of_grid} in frames 3: there was no grid"]
    walls, unknown = {"poisson_residual": 0.5}, {"rounding": None}
    assert told({}, walls, walls, unknown) == [
        f"{start}; {of_grid} in frames 3-4: walls or forces made much of the flow, or "
        "Method.poisson left it unsolved; rounding in frames 5: it is not known"
    ]


def test_texts():
    assert ranges_text([1, 2, 3, 7, 9, 10]) == "1-3, 7, 9-10" and ranges_text([]) == ""
    assert [size_text(n) for n in (12, 3400, 5.6e6, 7e12)] == [
        "12 B", "3.4 kB", "5.6 MB", "7000.0 GB",
    ]  # fmt: skip


# ---- usage ----


@pytest.mark.parametrize(
    ("text", "frames"), [("1-96", (1, 96)), ("7", (7, 7)), (" 2 - 3 ", (2, 3))]
)
def test_frame_range(text, frames):
    assert frame_range(text) == frames


@pytest.mark.parametrize("text", ["", "a", "1-", "-1", "0-3", "5-4", "1-2-3", "1.5", "1-99999999"])
def test_bad_frame_range(text, script, tmp_path, capsys):
    with pytest.raises(SystemExit) as caught:
        run("bake", script, tmp_path / "out", f"--frames={text}")
    assert caught.value.code == 2 and "argument --frames" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_picture_size(capsys):
    assert picture_size("640x480") == (640, 480)
    for text in ("640", "8x8", "9000x9000", "ax16"):
        with pytest.raises(SystemExit):
            run("preview", "a", "b.png", "--size", text)
        assert "640x480" in capsys.readouterr().err


@pytest.mark.parametrize("option, most", [("--fps", "10000"), ("--voxel", "1e+12")])
@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "x", "1e20"])
def test_bad_number(option, most, text, capsys):
    with pytest.raises(SystemExit):
        run("bake", "a.json", "out", f"{option}={text}")
    said = capsys.readouterr().err
    assert f"{option}: {text!r} is not a number from above 0 to {most}" in said


def test_numbers_below_zero_are_values():
    """In any way in which one may write them; what only looks like one is an option."""
    words = "-1e-3 -2. -.5E+2 0 1 2e0".split()
    for command in ("preview", "derive"):
        arguments = make_parser().parse_args([command, "a", "b.png", "--region", *words])
        assert arguments.region == [float(word) for word in words]
    assert make_parser().parse_args(["preview", "a", "b", "--azimuth", "-1e1"]).azimuth == -10
    for text in ("-1e", "-e3", "-1x"):
        with pytest.raises(SystemExit):
            make_parser().parse_args(["preview", "a", "b", "--azimuth", text])


@pytest.mark.parametrize("command", ["bake", "preview", "info", "demo"])
def test_help(command, capsys):
    with pytest.raises(SystemExit) as caught:
        run(command, "--help")
    assert caught.value.code == 0 and "usage: vorton " + command in capsys.readouterr().out


def test_version_and_no_command(capsys):
    with pytest.raises(SystemExit) as caught:
        run("--version")
    assert caught.value.code == 0 and f"vorton {_core.version()}" in capsys.readouterr().out
    with pytest.raises(SystemExit) as caught:
        run()
    assert caught.value.code == 2


# ---- errors: one line, status 1 ----


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        (None, "none.json", ["none.json", "does not exist"]),
        (None, "none.py", ["none.py", "no such file"]),
        (None, "nosuch", ["nosuch: no such file or folder"]),
        ("", "scene.txt", ["a scene is a .json or a .py file"]),
        ("{", "a.json", ["a.json", "not valid JSON"]),
        ('{"schema": 99}', "a.json", ["schema = 99", "update vorton"]),
        ('{"schema": 1, "voxle": 1}', "a.json", ["'voxle'", "did you mean 'voxel'"]),
        ("x = 1", "a.py", ["a.py: makes no scene", "make_scene()"]),
        ("a = 1\nb = nope", "a.py", ["a.py: line 2: NameError: name 'nope'"]),
        ("a = 1\nb = (", "a.py", ["a.py: line 2: SyntaxError"]),
        ("import vorton as vt\nscene = vt.Scene(voxel=-1)", "a.py", ["line 2", "Scene.voxel = -1"]),
    ],
)  # fmt: skip
def test_bad_scene_file(tmp_path, capsys, content, name, words):
    if content is not None:
        (tmp_path / name).write_text(content)
    assert run("bake", tmp_path / name, tmp_path / "out") == 1
    out, err = capsys.readouterr()
    assert err.startswith("vorton: error: ") and err.count("\n") == 1 and out == ""
    for word in words:
        assert word in err
    assert not (tmp_path / "out").exists()


def test_bad_folder(script, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert run("bake", script, tmp_path / "file" / "out") == 1
    assert "a part of the path is a file" in capsys.readouterr().err
    for place in ("none", "."):
        assert run("info", tmp_path / place) == 1
        assert capsys.readouterr().err.count("\n") == 1


def test_script_function_and_main_guard(tmp_path):
    text = SCRIPT.format(count=10) + "\nif __name__ == '__main__':\n    raise SystemExit(3)\n"
    path = tmp_path / "a.py"
    path.write_text(text)
    assert run("bake", path, tmp_path / "out", "--frames", 1, "--quiet") == 0
    path.write_text("import vorton as vt\ndef make_scene():\n    return vt.Scene('f', voxel=0.1)\n")
    assert run("bake", path, tmp_path / "f", "--frames", 1, "--quiet") == 0


def test_a_script_imports_what_lies_beside_it(tmp_path, monkeypatch):
    """Each script its own, wherever the command is called."""
    monkeypatch.chdir("/")
    path, modules = list(sys.path), set(sys.modules)
    for name in ("first", "second"):
        folder = tmp_path / name
        (folder / "rig").mkdir(parents=True)
        (folder / "rig" / "__init__.py").write_text("from .names import NAME")
        (folder / "rig" / "names.py").write_text(f"NAME = {name!r}")
        (folder / "shot.py").write_text("from rig import NAME\nimport vorton as vt\n"
                                        "def make_scene():\n    import rig.names\n"
                                        "    return vt.Scene(rig.names.NAME)\n")
        assert load_scene(folder / "shot.py").name == name
    assert sys.path == path and set(sys.modules) == modules
    (tmp_path / "pops.py").write_text("import sys\nsys.path.pop(0)\n"
                                      "import vorton as vt\nscene = vt.Scene('popped')\n")
    assert load_scene(tmp_path / "pops.py").name == "popped" and sys.path == path
    (tmp_path / "broken.py").write_text("\n\n1 +")
    (tmp_path / "shot.py").write_text("import broken")
    with pytest.raises(ScriptError, match=r"shot\.py: line 1: SyntaxError.*broken\.py, line 3"):
        load_scene(tmp_path / "shot.py")


def test_error_is_one_line_unless_asked_for(tmp_path, monkeypatch):
    done = vorton("info", tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"vorton: error: {tmp_path}: holds no bake\n"
    monkeypatch.setenv("VORTON_TRACEBACK", "1")
    with pytest.raises(ValueError, match="holds no bake"):
        cli.main(["info", str(tmp_path)])


def test_one_line():
    error = ValueError("two\nlines")
    error.add_note("in frame 3")
    assert one_line(error) == "two lines (in frame 3)"
    assert one_line(OSError(28, "cannot write x: the disk is full")) == (
        "cannot write x: the disk is full"
    )
    assert one_line(PermissionError(13, "Permission denied", "/a")) == (
        "cannot use /a: no permission"
    )
    assert one_line(KeyError("a")) == "KeyError: 'a'" and one_line(MemoryError()) == "MemoryError"


def test_closed_pipe_is_quiet(script, tmp_path):
    run("bake", script, tmp_path / "out", "--frames", 1, "--quiet")
    command = f"{shlex.quote(sys.executable)} -m vorton info {tmp_path}/out | true"
    root = str(Path(cli.__file__).parents[1])
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": root},
    )  # fmt: skip
    assert done.stderr == ""


# ---- Ctrl-C ----


@pytest.mark.slow
@pytest.mark.parametrize(
    "number, status, word",
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
def test_a_stopped_bake_leaves_whole_frames_and_says_how_to_go_on(
    script, tmp_path, number, status, word
):
    script.write_text(SCRIPT.format(count=100_000))
    out = tmp_path / "out"
    arguments = ["bake", str(script), str(out), "--frames", "1-400", "--overwrite"]
    root = str(Path(cli.__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, "-m", "vorton", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": root}, preexec_fn=listen_to_ctrl_c,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not (out / "ring_0003.npz").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == status, stderr
    assert stdout == "" and "Traceback" not in stderr

    last = stderr.splitlines()[-1]
    match = re.fullmatch(
        rf"vorton: {word}; (\d+) of 400 frames are whole \(1-(\d+)\)\. To go on: (.*)", last
    )
    assert match, last
    command = shlex.split(match[3])
    assert command == ["vorton", *arguments[:-1]]
    manifest = Manifest.find(out)
    assert len(manifest.frames) == int(match[1]) == int(match[2]) >= 2
    assert all(manifest.is_whole(n) for n in manifest.frames)
    assert not list(out.glob(".*")), "nothing half-written is left"

    count = len(manifest.frames)
    command[command.index("1-400")] = f"1-{count + 1}"
    assert run(*command[1:], "--quiet") == 0
    straight = tmp_path / "straight"
    assert run("bake", script, straight, "--frames", f"1-{count + 1}", "--quiet") == 0
    for path in straight.glob("ring_*"):
        assert (out / path.name).read_bytes() == path.read_bytes(), path.name


@pytest.mark.parametrize("way, slow_one", [("module", "typing"), ("script", "numpy")])
@pytest.mark.parametrize(
    "number, status, word",
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
def test_a_signal_while_modules_are_imported(tmp_path, way, slow_one, number, status, word):
    """A module that takes long stands for a slow disk: the first of all, or a large one."""
    slow = "import time\nprint('there', flush=True)\ntime.sleep(60)\n"
    (tmp_path / f"{slow_one}.py").write_text(slow)
    (tmp_path / "vorton").write_text("from vorton.cli import main\n")
    start = ["-m", "vorton"] if way == "module" else [str(tmp_path / "vorton")]
    path = os.pathsep.join([str(tmp_path), str(Path(cli.__file__).parents[1])])
    process = subprocess.Popen(
        [sys.executable, *start, "--version"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path.parent,
        env={**os.environ, "PYTHONPATH": path}, preexec_fn=listen_to_ctrl_c,
    )  # fmt: skip
    assert process.stdout.readline() == "there\n"
    process.send_signal(number)
    _, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (status, f"vorton: {word}; nothing has begun\n")


def test_only_the_command_looks_after_signals():
    code = "import signal, vorton; print([signal.getsignal(n).__module__ for n in (2, 15)])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        preexec_fn=listen_to_ctrl_c,
    )  # fmt: skip
    assert "first_moments" not in done.stdout


def test_ctrl_c_before_the_first_frame(script, tmp_path, monkeypatch, capsys):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "bake", interrupt)
    assert run("bake", script, tmp_path / "out") == 130
    assert "no frame is written yet" in capsys.readouterr().err
    monkeypatch.setattr(cli, "load_scene", interrupt)
    assert run("bake", script, tmp_path / "out") == 130
    assert capsys.readouterr().err == "vorton: interrupted\n"


def test_sigterm_is_as_before_after_a_bake(script, tmp_path, monkeypatch):
    """Also where somebody else looks after it, and in a thread that may not."""
    found = []

    def look(*_, **__):
        found.append(signal.getsignal(signal.SIGTERM))
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "bake", look)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert run("bake", script, tmp_path / "out") == 130
    assert callable(found[0]) and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    thread = threading.Thread(target=run, args=("bake", script, tmp_path / "out"))
    thread.start()
    thread.join()
    assert found[1] is signal.SIG_DFL
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        assert run("bake", script, tmp_path / "out") == 130
        assert found[2] is signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def test_manifest_is_json_for_other_tools(script, tmp_path):
    run("bake", script, tmp_path / "out", "--frames", 1, "--quiet")
    data = json.loads((tmp_path / "out/ring.json").read_text())
    assert data["format"] == "vorton-bake" and data["frames"][0]["frame"] == 1
