"""The extension for Blender: a zip for each platform, with the wheel of vorton in it.

    python .ci/extension.py [--wheels FOLDER] [--folder FOLDER] [PLATFORM ...]

takes the wheels that .ci/wheels.py has made (default: build/wheels/dist) and makes
FOLDER/vorton-VERSION-PLATFORM.zip (default folder: build/extension) for each of them, or for the
platforms alone that are named. Presets are the scenes of examples/. It is run by a Python that has
vorton installed.
"""

import argparse
import functools
import sys
import zipfile
from pathlib import Path

from vorton.archive.scene_files import ScriptError, load_scene

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "vorton" / "hosts" / "blender" / "extension"
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same files give the same zip

# By the platform of a wheel that of Blender.
PLATFORMS = {
    "manylinux_2_17_x86_64": "linux-x64",
    "linux_x86_64": "linux-x64",
    "manylinux_2_17_aarch64": "linux-arm64",
    "linux_aarch64": "linux-arm64",
    "macosx_11_0_arm64": "macos-arm64",
    "macosx_11_0_x86_64": "macos-x64",
    "win_amd64": "windows-x64",
}

# Scenes that show nothing by themselves, or that their script goes on with.
NOT_ALONE = {
    "blender_campfire",
    "books",
    "boundaries",
    "concepts",
    "controls",
    "remake_pictures",
    "engine",
    "sloshing",
}


@functools.cache  # for all platforms
def preset_scenes():
    """The scenes of the examples, by name."""
    found = {}
    for path in sorted((ROOT / "examples").glob("*.py")):
        if path.stem in NOT_ALONE or path.stem.startswith("test_"):
            continue
        try:
            found[path.stem] = load_scene(path)
        except (TypeError, ScriptError) as error:
            print(f"no preset: {error}", file=sys.stderr)
    return found


def write_presets(folder):
    """Presets as files, for the extension as it lies in the sources."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, scene in preset_scenes().items():
        scene.save(folder / f"{name}.json")


def manifest(version, platform, wheel):
    text = (SOURCES / "blender_manifest.toml").read_text(encoding="utf-8")
    values = {"VERSION": version, "PLATFORM": platform, "WHEEL": wheel}
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text


def contents(wheel):
    """Name and content of each file of the extension with a wheel."""
    _, version, _, _, platform = wheel.stem.split("-")
    yield "blender_manifest.toml", manifest(version, PLATFORMS[platform], wheel.name).encode()
    for path in [*sorted(SOURCES.glob("*.py")), SOURCES / "LICENSE"]:
        yield path.name, path.read_bytes()
    for name, scene in preset_scenes().items():
        yield f"presets/{name}.json", scene.to_json().encode()
    yield f"wheels/{wheel.name}", wheel.read_bytes()


def write_zip(wheel, folder):
    """The extension with a wheel; the path of its zip."""
    _, version, _, _, platform = wheel.stem.split("-")
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"vorton-{version}-{PLATFORMS[platform]}.zip"
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in contents(wheel):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return target


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("platforms", nargs="*", metavar="PLATFORM", help="of these alone")
    parser.add_argument("--wheels", type=Path, default=ROOT / "build" / "wheels" / "dist")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "extension")
    options = parser.parse_args()
    known = sorted(set(PLATFORMS.values()))
    unknown = set(options.platforms) - set(known)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: platforms are {', '.join(known)}")
    made = 0
    for wheel in sorted(options.wheels.glob("vorton-*.whl")):
        platform = PLATFORMS[wheel.stem.split("-")[-1]]
        if not options.platforms or platform in options.platforms:
            target = write_zip(wheel, options.folder)
            print(f"{target}: {target.stat().st_size / 1e6:.2f} MB")
            made += 1
    if not made:
        sys.exit(f"{options.wheels}: holds no wheel for {options.platforms or known}")


if __name__ == "__main__":
    main()
