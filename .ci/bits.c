/* Digests of what short scenes leave behind, a line each: the same from every build of the library,
 * for every system, number of threads and instruction set; and of what goes on from an archive in
 * the working folder, whose name is not in ASCII. Run by .ci/wheels.py. */
#include <string.h>

#include "scenes.h"

#define FRAMES 3
#define FNV_1A UINT64_C(0xcbf29ce484222325) /* where digests begin */

static uint64_t add_bytes(uint64_t hash, const void *data, int64_t size)
{
    const uint8_t *const byte = data;
    for (int64_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t add_columns(uint64_t hash, vt_simulation *simulation, int set)
{
    vt_column_field field = {.struct_size = sizeof field};
    for (int n = 0; vt_describe_column(set, n, &field); n++) {
        vt_array array = {.struct_size = sizeof array};
        check(vt_column(simulation, set, field.name, &array));
        const int64_t size = field.type == VT_INT64 ? 8 : 4;
        hash = add_bytes(hash, array.data, size * field.components * array.shape[0]);
    }
    return hash;
}

static uint64_t add_smoke(uint64_t hash, vt_simulation *simulation, int threads)
{
    shown made = show_smoke(simulation, 0, threads);
    hash = add_bytes(add_bytes(hash, made.bytes, made.size), made.pixels, sizeof made.pixels);
    vt_free(made.bytes);
    return hash;
}

static void show(const char *name, int number, vt_simulation *simulation, int threads)
{
    uint64_t hash = FNV_1A;
    hash = add_columns(hash, simulation, VT_VORTONS);
    hash = add_columns(hash, simulation, VT_TRACERS);
    hash = add_smoke(hash, simulation, threads);
    printf("%s %d: %lld vortons, %016llx\n", name, number,
           (long long)vt_count(simulation, VT_VORTONS), (unsigned long long)hash);
    vt_destroy_simulation(simulation);
}

/* ---- an archive ---- */

#define ARCHIVE "bits-\xc3\xa4.vta"
#define TEXT "{\"format\": \"of bits.c\"}"

static FILE *create_archive(void)
{
#ifdef _WIN32
    return _wfopen(L"bits-\x00e4.vta", L"wb");
#else
    return fopen(ARCHIVE, "wb");
#endif
}

static void remove_archive(void)
{
#ifdef _WIN32
    _wremove(L"bits-\x00e4.vta");
#else
    remove(ARCHIVE);
#endif
}

/* Says what the packed state is: the same bytes everywhere. */
static void write_archive(vt_simulation *simulation, int threads)
{
    uint8_t head[MOST_HEAD], *state, *packed;
    int64_t size, packed_size;
    check(vt_save_state(simulation, FRAMES, &state, &size));
    check(vt_pack_state(state, size, threads, &packed, &packed_size));
    const size_t head_size = make_archive_head(TEXT, head);
    FILE *const file = create_archive();
    if (!file || fwrite(head, 1, head_size, file) != head_size ||
        fwrite(packed, 1, (size_t)packed_size, file) != (size_t)packed_size || fclose(file) != 0) {
        perror(ARCHIVE);
        exit(EXIT_FAILURE);
    }
    printf("packed: %lld of %lld bytes, %016llx\n", (long long)packed_size, (long long)size,
           (unsigned long long)add_bytes(FNV_1A, packed, packed_size));
    vt_free(state);
    vt_free(packed);
}

static void load_archive(vt_simulation *simulation)
{
    vt_archive *archive;
    vt_archive_frame frame = {.struct_size = sizeof frame};
    check(vt_open_archive(ARCHIVE, &archive));
    if (strcmp(vt_archive_text(archive), TEXT) != 0 || !vt_get_archive_frame(archive, 0, &frame) ||
        frame.number != FRAMES || frame.time != vt_time(simulation) + FRAMES * (1.0 / 24)) {
        fprintf(stderr, "%s: not what was written\n", ARCHIVE);
        exit(EXIT_FAILURE);
    }
    check(vt_load_archive_frame(archive, 0, simulation));
    vt_close_archive(archive);
}

/* A frame more, of a simulation that was read. */
static void go_on_from_archive(vt_simulation *simulation, int threads)
{
    write_archive(simulation, threads);
    vt_simulation *const other = make(threads);
    load_archive(other);
    check(vt_step(other, 1.0 / 24));
    check(vt_step(simulation, 1.0 / 24));
    show("goes on", 0, simulation, threads);
    show("archive", 0, other, threads);
    remove_archive();
}

int main(int count, char **arguments)
{
    const int threads = count > 1 ? atoi(arguments[1]) : 1;
    fprintf(stderr, "%s, %s, %d threads of %d processors\n", vt_simd(), vt_backend(), threads,
            vt_available_threads());
    vt_simulation *const simulation = make(threads);
    for (int frame = 0; frame < FRAMES; frame++)
        check(vt_step(simulation, 1.0 / 24));
    go_on_from_archive(simulation, threads);
    for (int kind = 0; kind < KINDS; kind++) {
        vt_simulation *const other = make_kind(kind, threads);
        step_kind(kind, other);
        show("method", kind, other, threads);
    }
    return EXIT_SUCCESS;
}
