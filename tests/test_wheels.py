"""What a wheel may hold (.ci/wheels.py)."""

import importlib.util
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

PATH = Path(__file__).resolve().parents[1] / ".ci" / "wheels.py"
PLATFORM = "macosx_11_0_arm64"
HELD = (
    "vorton/__init__.py vorton/_core.pyi vorton/py.typed vorton/_core.so vorton/libvorton.so "
    "vorton/vorton.pc vorton/cmake/vortonConfig.cmake vorton/cmake/vortonConfigVersion.cmake "
    "vorton/include/vorton.h vorton/hosts/houdini/toolbar/vorton.shelf"
).split()


@pytest.fixture
def check(tmp_path, monkeypatch):
    """Checks a wheel of empty files."""
    spec = importlib.util.spec_from_file_location("wheels", PATH)
    wheels = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(wheels)
    system = SimpleNamespace(import_suffix="", extension="_core.so")
    setup = SimpleNamespace(SYSTEMS={"darwin": system}, library_name=lambda _: "libvorton.so")
    monkeypatch.setattr(wheels, "load_setup", lambda: setup)
    monkeypatch.setattr(wheels, "run", lambda *command: None)

    def check(names):
        (tmp_path / "dist").mkdir()
        path = tmp_path / "dist" / f"vorton-1-cp311-abi3-{PLATFORM}.whl"
        with zipfile.ZipFile(path, "w") as archive:
            for name in names:
                archive.writestr(name, "")
        wheels.check_wheel(PLATFORM, tmp_path)

    return check


def test_a_wheel_holds_the_files_that_belong_to_it(check):
    check(HELD)


@pytest.mark.parametrize("names", [HELD[:-1], [*HELD, "vorton/core"]], ids=["less", "more"])
def test_a_wheel_with_others_is_refused(check, names):
    with pytest.raises(SystemExit, match="holds .* expected are"):
        check(names)
