"""Programs that were compiled with another header than the library's: an older one runs on, one of
another major version is refused.

The older header is made of the real one: the last rows of its tables are left out, and the last
members of structs that the library fills. That shifts members that follow a struct within a struct.
"""

import ctypes
import re
import shutil
from pathlib import Path

import definitions
import pytest
from test_c_library import COMPILER, build, run

import vorton as vt

INCLUDE = Path(vt.get_include())

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C compiler")

# Rows that an older header does not have: as many as leave what the program below uses. What may
# not go is never the last: shapes, fluids, rows of arrays and animations stand at the beginning.
LEFT_OUT = {
    "ring": 2,  # wobble, seed
    "shape": 2,  # layer, offset
    "fluid": 1,  # smoke
    "combustion": 1,  # mixing
    "ambient": 1,  # expansion
    "simulation": 2,  # threads, at_capacity
    "tracers": 4,  # growth, fade, emitter, reserved
    "emitter": 2,  # taper, flicker
    "kill": 1,  # end
    "force": 1,  # velocity
    "transform": 1,  # scale
    "body": 3,  # temperature, specific_heat, conductance
    "volume_settings": 2,  # threads, sharp
    "vdb": 2,  # half, compress
}


def rows_in(text):
    return [match.start() for match in re.finditer(r"^VT_ROW\(", text, re.M)]


def make_older(folder):
    """A copy of the headers with shorter tables."""
    shutil.copytree(INCLUDE, folder)
    for name, count in LEFT_OUT.items():
        path = folder / "vorton" / f"{name}.def"
        text = path.read_text()
        path.write_text(text[: rows_in(text)[-count]])
    method = folder / "vorton" / "method.def"
    text = method.read_text()
    kinds = r"^VT_(CHOICE|WHOLE|NUMBER|FACTOR)\("
    last = [match.start() for match in re.finditer(kinds, text, re.M)]
    end = text.index("#undef", last[-1])
    method.write_text(text[: last[-2]] + text[end:])
    health = folder / "vorton" / "health.def"
    text = health.read_text()
    last = text.rindex("\nVT_HEALTH(")
    health.write_text(text[:last] + "\n" + text[text.index("#undef", last) :])
    return folder


PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vorton.h>

/* What lies behind a struct must stay as it is. */
#define GUARDED(type, name) \
    struct { type value; unsigned char guard[256]; } name; \
    memset(&name, 0xa5, sizeof name)
#define CHECK(name) \
    for (int i = 0; i < 256; i++) \
        if (name.guard[i] != 0xa5) { \
            printf("overrun of " #name "\n"); \
            exit(2); \
        }

static void check(vt_status status)
{
    if (status) {
        printf("%s\n", vt_error_message());
        exit(1);
    }
}

int main(void)
{
    vt_simulation *s;
    GUARDED(vt_simulation_def, def);
    vt_default_simulation(&def.value);
    CHECK(def);
    def.value.combustion.law = VT_BURN_SIMPLE;
    def.value.ambient.temperature = 300;
    def.value.method.halo = 1;
    def.value.seed = 5;
    check(vt_create_simulation(&def.value, &s));
    CHECK(def);

    GUARDED(vt_transform_def, space);
    vt_default_transform(&space.value);
    CHECK(space);
    const double heights[6] = {0, 0, 0, 0, 0, 1}, times[2] = {0, 1};
    vt_animation keys[2];
    memset(keys, 0, sizeof keys);
    vt_default_track(&keys[0].track);
    keys[0].parameter = "position";
    keys[0].track.components = 3;
    keys[0].track.count = 2;
    keys[0].track.times = times;
    keys[0].track.values = heights;
    space.value.animation_count = 1;
    space.value.animations = keys;
    int32_t id;
    check(vt_add_transform(s, &space.value, &id));

    GUARDED(vt_ring_def, ring);
    vt_default_ring(&ring.value);
    CHECK(ring);
    ring.value.core = .2;
    ring.value.fluid.temperature = 350;
    check(vt_add_ring(s, &ring.value, NULL));

    GUARDED(vt_tracers_def, smoke);
    vt_default_tracers(&smoke.value);
    CHECK(smoke);
    smoke.value.shape.kind = VT_SHAPE_BOX;
    smoke.value.shape.size[2] = .25;
    smoke.value.count = 500;
    smoke.value.fluid.fuel = .1;
    smoke.value.parent = id;
    check(vt_add_tracers(s, &smoke.value, NULL));

    GUARDED(vt_emitter_def, fire);
    vt_default_emitter(&fire.value);
    CHECK(fire);
    GUARDED(vt_shape, around);
    vt_default_shape(&around.value);
    CHECK(around);
    fire.value.shape.radius = .2;
    around.value.radius = .5;
    fire.value.around = &around.value;
    fire.value.fluid.temperature = 900;
    fire.value.fluid.fuel = .5;
    double renew;
    check(vt_add_emitter(s, &fire.value, &renew, NULL));

    GUARDED(vt_body_def, body);
    vt_default_body(&body.value);
    CHECK(body);
    vt_shape shapes[2];
    vt_default_shape(&shapes[0]);
    vt_default_shape(&shapes[1]);
    shapes[0].center[2] = shapes[1].center[2] = 3;
    shapes[0].radius = .2;
    shapes[1].radius = .2;
    shapes[1].center[0] = .2;
    body.value.shapes = shapes;
    body.value.shape_count = 2;
    body.value.panels = 40;
    check(vt_add_body(s, &body.value, NULL));

    GUARDED(vt_kill_def, kill);
    vt_default_kill(&kill.value);
    CHECK(kill);
    kill.value.shape = &shapes[1];
    check(vt_add_kill(s, &kill.value, NULL));

    for (int frame = 0; frame < 3; frame++)
        check(vt_step(s, 1.0 / 24));

    GUARDED(vt_health, health);
    health.value.struct_size = sizeof health.value;
    check(vt_get_health(s, &health.value));
    CHECK(health);
    GUARDED(vt_body_state, state);
    state.value.struct_size = sizeof state.value;
    check(vt_get_body(s, 0, &state.value));
    CHECK(state);
    GUARDED(vt_method, method);
    method.value.struct_size = sizeof method.value;
    check(vt_get_method(s, &method.value));
    CHECK(method);

    GUARDED(vt_volume_def, settings);
    vt_default_volume(&settings.value);
    CHECK(settings);
    settings.value.voxel_size = .05;
    vt_volume *volume;
    check(vt_create_volume(s, &settings.value, &volume));
    GUARDED(vt_vdb_def, file);
    vt_default_vdb(&file.value);
    CHECK(file);
    uint8_t *bytes;
    int64_t size;
    check(vt_encode_vdb(volume, &file.value, &bytes, &size));
    printf("%lld %lld %.17g %.17g %.17g %d %lld", (long long)health.value.vortons,
           (long long)health.value.tracers, health.value.energy, health.value.heat,
           state.value.position[0], method.value.halo, (long long)size);
    printf("\n%zu %zu %zu\n", sizeof(vt_simulation_def), sizeof(vt_tracers_def),
           sizeof(vt_health));
    vt_free(bytes);
    vt_destroy_volume(volume);
    vt_destroy_simulation(s);
    return 0;
}
"""


def run_with(folder, tmp_path, name, source=PROGRAM, **options):
    (tmp_path / f"{name}.c").write_text(source)
    return run(build(tmp_path / f"{name}.c", tmp_path / name, include=folder, **options))


@needs_compiler
def test_a_program_with_an_older_header_runs(tmp_path):
    older = make_older(tmp_path / "older")
    now, sizes_now = run_with(INCLUDE, tmp_path, "now").splitlines()
    then, sizes_then = run_with(older, tmp_path, "then", warnings=()).splitlines()
    assert then == now
    assert all(int(a) < int(b) for a, b in zip(sizes_then.split(), sizes_now.split(), strict=True))


@needs_compiler
def test_a_program_of_another_major_version_is_refused(tmp_path):
    other = tmp_path / "other"
    shutil.copytree(INCLUDE, other)
    for path in other.rglob("*.h"):
        text = path.read_text()
        path.write_text(text.replace("VORTON_VERSION_MAJOR 0", "VORTON_VERSION_MAJOR 7"))
    source = """
        #include <stdio.h>
        #include <vorton.h>
        int main(void)
        {
            vt_simulation *s;
            vt_simulation_def def;
            vt_default_simulation(&def);
            return vt_create_simulation(&def, &s) == VT_OK || s ? 1 : puts(vt_error_message()) < 0;
        }
    """
    message = run_with(other, tmp_path, "other_program", source=source)
    assert "vorton.h 7." in message and f"this library is {vt.__version__}" in message


@needs_compiler
def test_sizes_that_no_header_has_are_refused(tmp_path):
    source = r"""
        #include <stdio.h>
        #include <string.h>
        #include <vorton.h>
        int main(void)
        {
            vt_simulation *s;
            vt_simulation_def def;
            vt_ring_def ring;
            vt_health health = {.struct_size = 0};
            vt_default_simulation(&def);
            vt_default_ring(&ring);
            if (vt_create_simulation(&def, &s))
                return 1;
            ring.struct_size += 8;
            if (vt_add_ring(s, &ring, NULL) != VT_INVALID_ARGUMENT || puts(vt_error_message()) < 0)
                return 2;
            memset(&ring, 0, sizeof ring);
            if (vt_add_ring(s, &ring, NULL) != VT_INVALID_ARGUMENT || puts(vt_error_message()) < 0)
                return 3;
            vt_default_ring(&ring);
            ring.fluid.struct_size = 0;
            if (vt_add_ring(s, &ring, NULL) != VT_INVALID_ARGUMENT || puts(vt_error_message()) < 0)
                return 4;
            if (vt_get_health(s, &health) != VT_INVALID_ARGUMENT || puts(vt_error_message()) < 0)
                return 5;
            vt_destroy_simulation(s);
            return 0;
        }
    """
    larger, none, part, filled = run_with(INCLUDE, tmp_path, "sizes", source=source).splitlines()
    size = definitions.size("ring")
    assert f"ring.struct_size is {size + 8}" in larger and f"up to {size}" in larger
    assert "ring.struct_size is 0" in none and "vt_default_ring()" in none
    assert "fluid.struct_size is 0" in part
    assert "struct_size 0" in filled


@pytest.mark.parametrize("name", definitions.names())
def test_structs_have_no_padding_at_their_end(name):
    """There a later member would lie where older programs have bytes that nobody keeps."""
    struct = definitions.struct_of(name)
    last, kind = struct._fields_[-1]


    assert getattr(struct, last).offset + ctypes.sizeof(kind) == ctypes.sizeof(struct)
    assert ctypes.sizeof(struct) == definitions.size(name)


@pytest.mark.parametrize("name", definitions.names())
def test_ctypes_lays_structs_out_as_the_library_does(name):
    struct = definitions.struct_of(name)
    for row in definitions.rows(name):
        assert getattr(struct, row.name.decode()).offset == row.offset, row.name
