"""The plain C library: the example, the exported symbols, one thread at a time."""

import math
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import vorton as vt
from vorton import cli

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path(vt.get_library()).parent
WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
COMPILER = shutil.which("cc") or shutil.which("gcc")
CPP_COMPILER = shutil.which("c++") or shutil.which("g++")
CMAKE = os.environ.get("VORTON_CMAKE") or shutil.which("cmake")

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C compiler")


def sanitizer_flags():
    """A program that links a library built with a sanitizer must be built with it, too."""
    flags = vt._core.build().split()
    return [flag for flag in flags if flag.startswith("-fsanitize=")]


def pkg_config(*arguments):
    """What pkg-config says, or where it is not installed what is written in the file."""
    if shutil.which("pkg-config"):
        environment = {**os.environ, "PKG_CONFIG_PATH": str(FOLDER)}
        done = subprocess.run(
            ["pkg-config", *arguments, "vorton"],
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.split()
    values = {"pcfiledir": str(FOLDER)}
    for line in (FOLDER / "vorton.pc").read_text().splitlines():
        key, equal, value = line.partition("=" if "=" in line.split(":")[0] else ": ")
        if equal:
            for name, text in values.items():
                value = value.replace(f"${{{name}}}", text)
            values[key] = value
    keys = {"--cflags": "Cflags", "--libs": "Libs", "--modversion": "Version"}
    return " ".join(values[keys[argument]] for argument in arguments).split()


def build(source, program, include=None, warnings=WARNINGS):
    """Compiles a C program as vorton.pc says, with other headers if there are any."""
    command = [
        COMPILER,
        *(warnings or WARNINGS[:1]),
        *sanitizer_flags(),
        *(["-I", str(include)] if include else []),
        str(source),
        "-o",
        str(program),
        *pkg_config("--cflags", "--libs"),
        "-lm",
        "-pthread",
        f"-Wl,-rpath,{FOLDER}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


def run(*command):
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_version_in_pkg_config():
    assert pkg_config("--modversion") == [vt.__version__]


@needs_compiler
def test_example(tmp_path):
    program = build(ROOT / "examples" / "c" / "ring.c", tmp_path / "ring")
    output = run(program, tmp_path / "ring.vdb")
    words = output.replace(",", "").split()
    speed = float(words[words.index("speed") + 1])
    thin = float(words[words.index("ring", words.index("speed")) + 1])
    assert speed == pytest.approx(thin, rel=0.1)  # core / radius is .2: not that thin
    assert (tmp_path / "ring.vdb").read_bytes()[:4] == b" BDV"


def sdk(*options):
    return run(sys.executable, "-m", "vorton.sdk", *options)


def test_sdk_prints_what_is_there(capsys):
    said = dict(line.split(None, 1) for line in sdk().splitlines())
    asked = {name: sdk(f"--{name}").strip() for name in ("cmake-dir", "libs", "version")}
    assert asked == {name: said[name] for name in asked}
    assert said["version"] == vt.__version__
    assert said["library"] == vt.get_library() and Path(vt.get_library()).is_file()
    assert (Path(said["include-dir"]) / "vorton.h").is_file()
    assert (Path(said["pkg-config-dir"]) / "vorton.pc").is_file()
    assert (Path(said["cmake-dir"]) / "vortonConfig.cmake").is_file()
    assert cli.main(["sdk", "--cflags", "--libs"]) == 0
    assert capsys.readouterr().out.splitlines() == [said["cflags"], said["libs"]]


def check_plugin(program):
    """The body is where its owner has it, a frame goes on after a cancel, bits are the same."""
    version, ball, speed, cancelled, rest, calls, library = run(program).splitlines()
    assert version == f"vorton {vt.__version__}, threads of the host"
    places = [part.split()[1:] for part in ball.split(", ")]
    assert places[0] == places[1] == [f"{0.6 * math.sin(2 * 6 / 24):.9f}", f"{0:.9f}", f"{1:.9f}"]
    tracers, most = int(speed.split()[0]), float(speed.split()[-2])
    assert abs(tracers - 4000 * 6 // 24) <= 1 and 0.5 < most < 5  # a jet of 2 m/s
    words = cancelled.split()
    assert words[:2] == ["cancelled", "1"] and int(words[3]) >= 1
    assert 0.3 / 4 < float(words[6]) < 0.3
    words = rest.split()
    assert words[:5] == ["went", "on", "1", "to", "0.300000"] and float(words[-2]) < 1e-6
    assert int(calls.split()[0]) > 100
    assert library == "threads of the library: same bits"


@pytest.mark.slow
@pytest.mark.skipif(CPP_COMPILER is None, reason="no C++ compiler")
def test_plugin_of_a_host(tmp_path):
    command = [CPP_COMPILER, "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
               *sanitizer_flags(), str(ROOT / "examples" / "c" / "plugin.cpp"),
               "-o", str(tmp_path / "plugin"), *shlex.split(sdk("--cflags", "--libs")),
               "-pthread"]  # fmt: skip
    run(*command)
    check_plugin(tmp_path / "plugin")


@pytest.mark.slow
@pytest.mark.skipif(CMAKE is None or CPP_COMPILER is None, reason="no CMake")
def test_cmake_finds_the_library(tmp_path):
    flags = " ".join(sanitizer_flags())
    run(CMAKE, "-S", ROOT / "examples" / "c", "-B", tmp_path,
        f"-Dvorton_DIR={sdk('--cmake-dir').strip()}",
        f"-DCMAKE_C_FLAGS={flags}", f"-DCMAKE_CXX_FLAGS={flags}")  # fmt: skip
    run(CMAKE, "--build", tmp_path)
    check_plugin(tmp_path / "plugin")
    assert "speed" in run(tmp_path / "ring")
    (tmp_path / "newer").mkdir()
    (tmp_path / "newer" / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.21)\nproject(newer LANGUAGES NONE)\n"
        "foreach(version 0.0.1 0.1 0.2 1.0)\n"
        "  find_package(vorton ${version} QUIET CONFIG)\n"
        '  message(STATUS "${version}: ${vorton_FOUND}")\n'
        "endforeach()\n"
    )
    said = run(CMAKE, "-S", tmp_path / "newer", "-B", tmp_path / "none",
               f"-DCMAKE_PREFIX_PATH={FOLDER}")  # fmt: skip
    found = dict(re.findall(r"^-- ([\d.]+): (\d)$", said, re.MULTILINE))
    assert found == {"0.0.1": "1", "0.1": "1", "0.2": "0", "1.0": "0"}


SIMULATIONS = """
#include <stdint.h>
#include <stdio.h>
#include <vorton.h>

int main(void)
{
    for (int n = 0; n < 4; n++) {
        vt_simulation_def def;
        vt_default_simulation(&def);
        vt_simulation *simulation;
        if (vt_create_simulation(&def, &simulation) != VT_OK)
            return 1;
        printf("%d ", (int)((uintptr_t)simulation % 128));
    }
    return 0;
}
"""


@needs_compiler
def test_simulations_are_aligned_as_what_threads_write_in_them(tmp_path):
    (tmp_path / "simulations.c").write_text(SIMULATIONS)
    program = build(tmp_path / "simulations.c", tmp_path / "simulations")
    assert run(program).split() == ["0"] * 4


FIELDS = """
#include <stdio.h>
#include <vorton.h>

int main(void)
{
    const float position[6] = {0, 0, 0, 0.4f, 0, 0}, strength[6] = {0, 0, 1e-3f, 0, 0, -1e-3f};
    const float core[2] = {0.15f, 0.15f}, volume[2] = {1e-3f, 1e-3f};
    vt_simulation_def def;
    vt_default_simulation(&def);
    vt_simulation *simulation;
    vt_grid_field row = {.struct_size = sizeof row};
    def.spacing = 0.1;
    if (vt_create_simulation(&def, &simulation) != VT_OK ||
        vt_insert_vortons(simulation, 2, position, strength, core, volume, NULL) != VT_OK)
        return 1;
    for (int n = 0; vt_describe_grid(n, &row); n++) {
        vt_grid_view view = {.struct_size = sizeof view};
        const vt_status status = vt_get_grid(simulation, n, &view);
        printf("%s %d", row.name, (int)status);
        if (status == VT_OK) {
            const int64_t *const shape = view.shape, *const step = view.strides;
            double sum = 0, most = 0;
            for (int64_t at = 0; at < shape[0] * shape[1] * shape[2] * row.components; at++) {
                const int64_t c = at % row.components, node = at / row.components;
                const char *const place = (const char *)view.data + c * step[3] +
                                          node % shape[2] * step[2] +
                                          node / shape[2] % shape[1] * step[1] +
                                          node / shape[2] / shape[1] * step[0];
                const double value = row.type == VT_BOOL ? *(const unsigned char *)place
                                                         : (double)*(const float *)place;
                sum += c == row.components - 1 ? value : 0;
                most = value > most ? value : most;
            }
            printf(" %lld %g %g %d", (long long)(shape[0] * shape[1] * shape[2]), sum, most,
                   view.step == vt_step_count(simulation));
        }
        printf("\\n");
    }
    vt_grid_view none = {.struct_size = sizeof none};
    printf("none %d\\n", vt_get_grid(simulation, -1, &none) == VT_INVALID_ARGUMENT &&
                             vt_get_grid(simulation, VT_GRID_FIELDS, &none) ==
                                 VT_INVALID_ARGUMENT);
    vt_destroy_simulation(simulation);
    return 0;
}
"""


@needs_compiler
def test_fields_of_the_grid_in_c(tmp_path):
    """Two vortons that turn against each other: vorticity has no sum, and the core's maximum."""
    (tmp_path / "fields.c").write_text(FIELDS)
    lines = run(build(tmp_path / "fields.c", tmp_path / "fields")).splitlines()
    found = {line.split()[0]: [float(word) for word in line.split()[1:]] for line in lines}
    assert [*found] == [row["name"] for row in vt._core.GRID_FIELDS] + ["none"]
    assert found.pop("none") == [1]
    there = {name for name, (status, *_) in found.items() if status == 0}
    assert there == {"velocity", "vector_potential", "divergence", "vorticity", "open"}
    nodes = found["open"][1]
    assert all(found[name][1] == nodes and found[name][-1] == 1 for name in there)
    assert found["open"][2] == nodes  # no walls
    _, _, total, most, _ = found["vorticity"]
    assert abs(total) < 2e-3  # of one: five cells away faces cut its core
    # vortons on nodes, 4 cells apart: Gaussians 1.5 cells wide
    variance = 1.5**2
    exact = (2 * math.pi * variance) ** -1.5 * (1 - math.exp(-(4**2) / (2 * variance)))
    assert most == pytest.approx(exact, rel=0.02)


@needs_compiler
def test_header_alone_is_enough_in_c_and_cpp(tmp_path):
    source = "#include <vorton.h>\nint main(void) { return vt_version()[0] == 0; }\n"
    for language, compiler in (("c", COMPILER), ("c++", shutil.which("c++"))):
        if compiler is None:
            continue
        file = tmp_path / "header.txt"
        file.write_text(source)
        command = [
            compiler,
            "-Wall",
            "-Wextra",
            "-Werror",
            "-x",
            language,
            str(file),
            "-x",
            "none",
            *sanitizer_flags(),
            *pkg_config("--cflags", "--libs"),
            f"-Wl,-rpath,{FOLDER}",
            "-o",
            str(tmp_path / "header"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        run(tmp_path / "header")


@pytest.mark.skipif(shutil.which("nm") is None, reason="no nm")
def test_exported_symbols_begin_with_vt():
    output = run("nm", "-D", "--defined-only", vt.get_library())
    names = {line.split()[-1] for line in output.splitlines()}
    foreign = {name for name in names if not name.startswith("vt_")}
    allowed = ("__asan", "__ubsan", "__odr_asan", "__tsan")
    assert not {name for name in foreign if not name.startswith(allowed)}
    headers = Path(vt.get_include()).rglob("*.h")
    header = "\n".join(path.read_text() for path in headers)
    hidden = {name for name in names - foreign if f"{name}(" not in header}
    assert not hidden, "exported but not in the headers"


TWO_THREADS = r"""
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <vorton.h>

static vt_simulation *simulation;
static atomic_int busy, failed, ready;

static void *step_on(void *unused)
{
    ready++;
    while (ready < 2)
        continue;
    for (int i = 0; i < 200; i++) {
        const vt_status status = vt_step(simulation, 1e-3);
        if (status == VT_BUSY && strstr(vt_error_message(), "thread"))
            busy++;
        else if (status != VT_OK)
            failed++;
    }
    return unused;
}

int main(void)
{
    vt_simulation_def def;
    vt_default_simulation(&def);
    def.threads = 1;
    if (vt_create_simulation(&def, &simulation) != VT_OK)
        return 1;
    enum { COUNT = 500 };
    static float position[COUNT][3], strength[COUNT][3], core[COUNT], volume[COUNT];
    for (int i = 0; i < COUNT; i++) {
        position[i][0] = (float)(i % 10), position[i][1] = (float)(i / 10);
        strength[i][2] = core[i] = volume[i] = 1;
    }
    if (vt_insert_vortons(simulation, COUNT, position[0], strength[0], core, volume, NULL) != VT_OK)
        return 2;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, step_on, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d %d\n", busy, failed, (int)(vt_step_count(simulation) + busy));
    vt_destroy_simulation(simulation);
    return 0;
}
"""


@needs_compiler
def test_second_thread_is_told_busy(tmp_path):
    source = tmp_path / "threads.c"
    source.write_text(TWO_THREADS)
    busy, failed, steps = map(int, run(build(source, tmp_path / "threads")).split())
    assert busy > 0 and failed == 0 and steps == 400


def test_library_does_not_need_python():
    output = run("ldd", vt.get_library()) if shutil.which("ldd") else ""
    assert "python" not in output


NULLS = r"""
#include <stdio.h>
#include <string.h>
#include "vorton.h"

static int refused(vt_status status, const char *word)
{
    return status == VT_INVALID_ARGUMENT && strstr(vt_error_message(), word) != NULL;
}

int main(void)
{
    vt_simulation *simulation;
    vt_simulation_def def;
    vt_default_simulation(&def);
    vt_body_def body;
    vt_default_body(&body);
    vt_shape shape;
    vt_default_shape(&shape);
    vt_body_state state = {.struct_size = sizeof state};
    double point[3] = {2, 0, 0}, distance;
    def.max_nodes = 17 * 17 * 17;
    if (vt_create_simulation(&def, &simulation))
        return 1;
    const int checks[] = {
        refused(vt_add_body(simulation, NULL, NULL), "body is NULL"),
        refused(vt_add_body(simulation, &body, NULL), "shapes"),
        (body.shapes = &shape, body.shape_count = 1, 1),
        vt_add_body(simulation, &body, NULL) == VT_OK,
        refused(vt_get_body(simulation, 0, NULL), "NULL"),
        refused(vt_get_body(simulation, 1, &state), "id"),
        vt_get_body(simulation, 0, &state) == VT_OK,
        refused(vt_body_distance(simulation, 0, 1, NULL, &distance, NULL, NULL), "count"),
        refused(vt_body_distance(simulation, 0, 1, point, NULL, NULL, NULL), "count"),
        refused(vt_body_distance(simulation, 0, -1, point, &distance, NULL, NULL), "count"),
        vt_body_distance(simulation, 0, 0, NULL, NULL, NULL, NULL) == VT_OK,
        vt_body_distance(simulation, 0, 1, point, &distance, NULL, NULL) == VT_OK && distance == 1};
    int failed = 0;
    for (unsigned n = 0; n < sizeof checks / sizeof *checks; n++)
        if (!checks[n])
            failed |= printf("check %u: %s\n", n, vt_error_message());
    vt_destroy_simulation(simulation);
    return failed ? 1 : 0;
}
"""


@needs_compiler
def test_functions_of_bodies_refuse_null(tmp_path):
    source = tmp_path / "nulls.c"
    source.write_text(NULLS)
    run(build(source, tmp_path / "nulls"))
