"""The extension for Blender: a zip for each platform, with the wheel of vorton in it.

    python .ci/extension.py [--wheels FOLDER] [--folder FOLDER] [PLATFORM ...]
    python .ci/extension.py --named [--folder FOLDER]

The first takes the wheels that .ci/wheels.py has made (default: build/wheels/dist) and makes
FOLDER/vorton-VERSION-PLATFORM.zip (default folder: build/extension) for each of them, or for the
platforms alone that are named. Presets are the scenes of examples/: one that fails, or makes none
and is not said to, ends it. It is run by a Python that has vorton installed.

Extensions.blender.org takes wheels alone that are, byte for byte, those of the Python index. The
second makes FOLDER/vorton, the same add-on as a folder, whose manifest names the wheels of all
platforms, without the wheels; it prints the commands that fetch these from the index, and that let
Blender make a zip for each platform.
"""

import argparse
import functools
import json
import shlex
import shutil
import sys
import zipfile
from pathlib import Path

import vorton
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

# Examples that are no preset, and why; every other one must give a scene.
NOT_ALONE = {
    "blender_campfire": "a program, which renders a bake of campfire",
    "books": "compares methods: its scene has no smoke",
    "boundaries": "compares methods: its scene has no smoke",
    "concepts": "pictures of one ring, as the preset ring is",
    "controls": "pictures of many scenes side by side",
    "engine": "its ball is moved by another program, frame by frame",
    "remake_pictures": "a program, which makes the pictures of the others",
    "sloshing": "its script puts vortons of its own into the box: the scene alone rests",
    "stretching": "compares methods, by the scenes of leapfrog and linked_rings",
}


@functools.cache  # for all platforms
def preset_scenes():
    """The scenes of the examples, by name.

    Raises
    ------
    TypeError, ScriptError
        An example, named in the message, makes no scene, or fails.
    """
    paths = sorted((ROOT / "examples").glob("*.py"))
    names = [path for path in paths if not path.stem.startswith("test_")]
    return {path.stem: load_scene(path) for path in names if path.stem not in NOT_ALONE}


def write_presets(folder):
    """Presets as files, for the extension as it lies in the sources."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, scene in preset_scenes().items():
        scene.save(folder / f"{name}.json")


def manifest(version, wheels):
    """The text of the manifest, with the platforms of wheels by their names."""
    text = (SOURCES / "blender_manifest.toml").read_text(encoding="utf-8")
    values = {
        "VERSION": version,
        "PLATFORMS": json.dumps([PLATFORMS[platform_of(name)] for name in wheels]),
        "WHEELS": json.dumps([f"./wheels/{name}" for name in wheels]),
    }
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text


def platform_of(wheel):
    """Of a wheel, by its name."""
    return wheel.removesuffix(".whl").split("-")[-1]


def contents(version, wheels):
    """Name and content of each file of the extension but for the wheels, whose names are given."""
    yield "blender_manifest.toml", manifest(version, wheels).encode()
    for path in [*sorted(SOURCES.glob("*.py")), SOURCES / "LICENSE"]:
        yield path.name, path.read_bytes()
    for name, scene in preset_scenes().items():
        yield f"presets/{name}.json", scene.to_json().encode()


def write_zip(wheel, folder):
    """The extension with a wheel; the path of its zip."""
    version = wheel.name.split("-")[1]
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"vorton-{version}-{PLATFORMS[platform_of(wheel.name)]}.zip"
    files = [*contents(version, [wheel.name]), (f"wheels/{wheel.name}", wheel.read_bytes())]
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files:
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return target


def write_named(folder):
    """The extension as a folder, which names wheels of the index; that folder."""
    made, version = folder / "vorton", vorton.__version__
    if made.exists() and not (made / "blender_manifest.toml").exists():
        sys.exit(f"{made}: is there, and no extension for Blender: give another --folder")
    if made.exists():
        shutil.rmtree(made)
    for name, content in contents(version, index_wheels(version)):
        path = made / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return made


def index_wheels(version):
    """Names of the wheels of a version that the index has, those of .ci/wheels.py."""
    platforms = (name for name in PLATFORMS if not name.startswith("linux_"))
    return [f"vorton-{version}-cp311-abi3-{name}.whl" for name in platforms]


def commands(made):
    """That fetch the wheels, and make the zips."""
    place, wanted = shlex.quote(str(made / "wheels")), f"vorton=={vorton.__version__}"
    fetch = f"pip download {wanted} --no-deps --only-binary=:all: --python-version=3.11 --abi=abi3"
    for wheel in index_wheels(vorton.__version__):
        yield f"{fetch} -d {place} --platform={platform_of(wheel)}"
    folders = f"--source-dir {shlex.quote(str(made))} --output-dir {shlex.quote(str(made.parent))}"
    yield f"blender --command extension build --split-platforms {folders}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("platforms", nargs="*", metavar="PLATFORM", help="of these alone")
    parser.add_argument("--wheels", type=Path, default=ROOT / "build" / "wheels" / "dist")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "extension")
    parser.add_argument("--named", action="store_true", help="name the wheels of the index")
    options = parser.parse_args()
    try:
        preset_scenes()
    except (TypeError, ScriptError) as error:
        sys.exit(f"no preset: {error}")
    if options.named:
        print("\n".join(commands(write_named(options.folder.resolve()))))
        return
    known = sorted(set(PLATFORMS.values()))
    unknown = set(options.platforms) - set(known)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: platforms are {', '.join(known)}")
    made = 0
    for wheel in sorted(options.wheels.glob("vorton-*.whl")):
        platform = PLATFORMS[platform_of(wheel.name)]
        if not options.platforms or platform in options.platforms:
            target = write_zip(wheel, options.folder)
            print(f"{target}: {target.stat().st_size / 1e6:.2f} MB")
            made += 1
    if not made:
        sys.exit(f"{options.wheels}: holds no wheel for {options.platforms or known}")


if __name__ == "__main__":
    main()
