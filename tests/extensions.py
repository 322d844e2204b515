"""The extension for Blender as tests need it: its presets, its zip with a wheel of this build."""

import base64
import hashlib
import importlib.util
import sysconfig
import zipfile
from pathlib import Path

import vorton

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "vorton" / "hosts" / "blender" / "extension"
PLATFORM = sysconfig.get_platform().replace("-", "_").replace(".", "_")


def load_builder():
    """.ci/extension.py as a module."""
    spec = importlib.util.spec_from_file_location("extension", ROOT / ".ci" / "extension.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_addon(folder):
    """The extension as a plain package, `vorton_extension`, with its presets."""
    addon = folder / "vorton_extension"
    addon.mkdir(parents=True)
    for path in SOURCES.glob("*.py"):
        (addon / path.name).write_bytes(path.read_bytes())
    load_builder().write_presets(addon / "presets")
    return addon


def write_wheel(folder):
    """A wheel of the vorton that runs."""
    name = f"vorton-{vorton.__version__}"
    installed = Path(vorton.__file__).parent
    files = {
        f"vorton/{path.relative_to(installed).as_posix()}": path.read_bytes()
        for path in sorted(installed.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts and "extension" not in path.parts
    }
    info = f"{name}.dist-info"
    tag = f"cp311-abi3-{PLATFORM}"
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: vorton\nVersion: {vorton.__version__}\n".encode()
    )
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    rows = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(content)}")
    rows.append(f"{info}/RECORD,,")
    files[f"{info}/RECORD"] = "\n".join(rows).encode()
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}-{tag}.whl"
    with zipfile.ZipFile(target, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return target
