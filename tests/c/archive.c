/* States and archives in a program without Python. Its argument, without which there are states
 * alone, is the path of an archive of an empty scene with three vortons. Prints what failed. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vorton.h>

static int failed;

static void check(int holds, const char *what)
{
    if (!holds)
        failed |= printf("%s: %s\n", what, vt_error_message());
}

static vt_simulation *ring_simulation(int threads, int64_t max_vortons)
{
    vt_simulation_def def;
    vt_ring_def ring;
    vt_tracers_def smoke;
    vt_array velocity = {.struct_size = sizeof velocity};
    vt_simulation *simulation = NULL;
    vt_default_simulation(&def);
    vt_default_ring(&ring);
    def.threads = threads;
    def.max_vortons = max_vortons;
    ring.wobble = 0.1;
    check(vt_create_simulation(&def, &simulation) == VT_OK, "create");
    vt_add_ring(simulation, &ring, NULL);
    vt_default_tracers(&smoke);
    smoke.count = 50;
    check(vt_add_tracers(simulation, &smoke, NULL) == VT_OK, "tracers");
    check(vt_column(simulation, VT_TRACERS, "velocity", &velocity) == VT_OK, "velocities");
    return simulation;
}

static void steps(vt_simulation *simulation, int count)
{
    for (int n = 0; n < count; n++)
        check(vt_step(simulation, 1.0 / 24) == VT_OK, "step");
}

static int are_equal(vt_simulation *a, vt_simulation *b)
{
    vt_array x = {.struct_size = sizeof x}, y = {.struct_size = sizeof y};
    if (vt_column(a, VT_VORTONS, "position", &x) || vt_column(b, VT_VORTONS, "position", &y))
        return 0;
    return x.shape[0] == y.shape[0] && x.shape[0] > 100 &&
           memcmp(x.data, y.data, 12 * (size_t)x.shape[0]) == 0;
}

static void check_states(void)
{
    vt_simulation *const a = ring_simulation(2, 100000), *const b = ring_simulation(1, 50000);
    vt_simulation *const small = ring_simulation(1, vt_count(a, VT_VORTONS));
    uint8_t *state, *packed, *again;
    int64_t size, packed_size, again_size;
    steps(a, 5);
    check(vt_save_state(a, 7, &state, &size) == VT_OK, "save");
    check(vt_pack_state(state, size, 3, &packed, &packed_size) == VT_OK, "pack");
    check(packed_size < size, "packed is less");
    check(vt_unpack_state(packed, packed_size, 1, &again, &again_size) == VT_OK, "unpack");
    check(again_size < size, "what is made again is left out");
    check(vt_load_state(b, again, again_size) == VT_OK, "load what was unpacked");
    check(vt_load_state(b, packed, packed_size) == VT_OK, "load");
    check(vt_load_state(small, state, size) == VT_OK, "load where there is just room");
    check(vt_time(b) == vt_time(a), "time");
    steps(a, 3);
    steps(b, 3);
    check(are_equal(a, b), "the same bits");
    check(vt_load_state(b, packed, packed_size - 8) == VT_INVALID_ARGUMENT, "short");
    packed[packed_size / 2] ^= 1;
    check(vt_load_state(b, packed, packed_size) == VT_INVALID_ARGUMENT, "damaged");
    check(strstr(vt_error_message(), "is damaged: the checksum of") != NULL, "said so");
    check(are_equal(a, b), "nothing has changed");
    check(vt_load_state(b, NULL, 0) == VT_INVALID_ARGUMENT, "NULL");
    check(vt_load_state(NULL, state, size) == VT_INVALID_ARGUMENT, "no simulation");
    check(vt_save_state(NULL, 1, &again, &again_size) == VT_INVALID_ARGUMENT, "no simulation");
    check(vt_pack_state(state, size, 0, &again, &again_size) == VT_INVALID_ARGUMENT, "threads");
    vt_free(state);
    vt_free(packed);
    vt_free(again);
    vt_destroy_simulation(a);
    vt_destroy_simulation(b);
    vt_destroy_simulation(small);
}

/* The fields of a state by their names: columns are what the views of its simulation show. */
static void check_fields(vt_simulation *simulation, const uint8_t *state, int64_t size)
{
    vt_saved_field field = {.struct_size = sizeof field};
    int32_t index = 0, columns = 0;
    for (; vt_get_saved_field(state, size, index, &field); index++) {
        vt_array view = {.struct_size = sizeof view};
        const char *const name = field.name + strlen("vortons.");
        if (strncmp(field.name, "vortons.", strlen("vortons.")) != 0 || !field.data ||
            vt_column(simulation, VT_VORTONS, name, &view))
            continue;
        const int32_t per_row = view.dimensions == 1 ? 1 : (int32_t)view.shape[1];
        columns += view.shape[0] == field.rows && per_row == field.components &&
                   memcmp(view.data, field.data, (size_t)field.bytes) == 0;
        check(field.bytes == field.rows * per_row * (field.type == 'q' ? 8 : 4), "bytes");
    }
    check(index > 50 && columns > 8, "fields");
    check(vt_get_saved_field(state, size, -1, &field) == 0, "no field before the first");
    check(vt_get_saved_field(state, size - 8, 0, &field) == 0, "a state that was cut off");
    check(vt_get_saved_field(NULL, 0, 0, &field) == 0, "no state");
    field.struct_size = 0;
    check(vt_get_saved_field(state, size, 0, &field) == 0, "no size");
}

static void check_file(const char *path)
{
    vt_simulation_def def;
    vt_simulation *simulation = NULL;
    vt_archive *archive = NULL;
    vt_archive_frame frame = {.struct_size = sizeof frame};
    uint8_t *state = NULL;
    int64_t size = 0;
    vt_default_simulation(&def);
    check(vt_create_simulation(&def, &simulation) == VT_OK, "create");
    check(vt_open_archive(path, &archive) == VT_OK, "open");
    check(vt_get_archive_frame(archive, 0, &frame) == 1 && frame.number == 3, "frame");
    check(vt_get_archive_frame(archive, 1, &frame) == 0, "the last frame");
    check(strstr(vt_archive_text(archive), "\"vorton-archive\"") != NULL, "text");
    check(vt_read_archive_frame(archive, 0, 2, &state, &size) == VT_OK, "read");
    check(vt_load_archive_frame(archive, 0, simulation) == VT_OK, "load");
    check_fields(simulation, state, size);
    vt_free(state);
    check(vt_count(simulation, VT_VORTONS) == 3, "vortons");
    check(fabs(vt_time(simulation) - 2.0 / 24) < 1e-12, "time");
    check(vt_read_archive_frame(archive, 1, 1, &state, &size) == VT_INVALID_ARGUMENT, "no frame");
    check(vt_load_archive_frame(archive, 1, simulation) == VT_INVALID_ARGUMENT, "no such frame");
    vt_close_archive(archive);
    vt_close_archive(NULL);
    check(vt_open_archive("none.vta", &archive) == VT_IO && !archive, "no file");
    check(vt_open_archive(NULL, &archive) == VT_INVALID_ARGUMENT, "no path");
    vt_destroy_simulation(simulation);
}

int main(int count, char **arguments)
{
    check_states();
    if (count > 1)
        check_file(arguments[1]);
    return failed ? 1 : 0;
}
