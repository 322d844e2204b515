/* A vortex ring that rises by its own induction, with tracers that show it, from a C program.
 *
 *     export PKG_CONFIG_PATH="$(dirname "$(python3 -c 'import vorton;
 * print(vorton.get_library())')")"
 *     cc ring.c -o ring $(pkg-config --cflags --libs vorton) -lm \
 *         -Wl,-rpath,"$(pkg-config --variable=libdir vorton)"
 *     ./ring ring.vdb
 *
 * Prints the height of the ring against that of a thin ring (Saffman 1970) and writes its smoke as
 * an OpenVDB file when a name is given. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <vorton.h>

#define FRAMES 24

static const double radius = 0.5, core = 0.1, circulation = 1.0;

static void check(vt_status status)
{
    if (status == VT_OK)
        return;
    fprintf(stderr, "vorton: %s\n", vt_error_message());
    exit(EXIT_FAILURE);
}

static vt_simulation *make_ring(void)
{
    vt_simulation_def simulation_def;
    vt_default_simulation(&simulation_def);
    vt_simulation *simulation;
    check(vt_create_simulation(&simulation_def, &simulation));

    vt_ring_def ring;
    vt_default_ring(&ring);
    ring.radius[0] = ring.radius[1] = radius;
    ring.core = core;
    ring.circulation = circulation;
    check(vt_add_ring(simulation, &ring, NULL));

    vt_tracers_def smoke;
    vt_default_tracers(&smoke);
    smoke.shape.kind = VT_SHAPE_DISK;
    smoke.shape.radius = radius + core;
    smoke.shape.size[2] = core;
    smoke.count = 20000;
    check(vt_add_tracers(simulation, &smoke, NULL));
    return simulation;
}

/* Mean height of the vortons, which the library keeps as rows of three floats. */
static double height(vt_simulation *simulation)
{
    vt_array position = {.struct_size = sizeof position};
    check(vt_column(simulation, VT_VORTONS, "position", &position));
    const float *const rows = position.data;
    double sum = 0;
    for (int64_t i = 0; i < position.shape[0]; i++)
        sum += (double)rows[3 * i + 2];
    return sum / (double)position.shape[0];
}

static void write_smoke(vt_simulation *simulation, const char *path)
{
    vt_volume_def volume_def;
    vt_default_volume(&volume_def);
    vt_volume *volume;
    volume_def.voxel_size = 0.03;
    check(vt_create_volume(simulation, &volume_def, &volume));

    vt_vdb_def vdb_def;
    vt_default_vdb(&vdb_def);
    uint8_t *bytes;
    int64_t size;
    check(vt_encode_vdb(volume, &vdb_def, &bytes, &size));
    FILE *const file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, (size_t)size, file) != (size_t)size || fclose(file) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    printf("wrote %s, %lld bytes\n", path, (long long)size);
    vt_free(bytes);
    vt_destroy_volume(volume);
}

int main(int argc, char **argv)
{
    vt_simulation *const simulation = make_ring();
    printf("vorton %s (%s, %s)\n", vt_version(), vt_simd(), vt_backend());

    vt_step(simulation, 1e-6); /* sources give birth inside steps */
    const double start = height(simulation), start_time = vt_time(simulation);
    for (int frame = 1; frame <= FRAMES; frame++) {
        check(vt_step(simulation, 1.0 / 24));
        if (frame % 6 == 0)
            printf("%.3f s: %.4f m\n", vt_time(simulation), height(simulation));
    }
    const double speed = (height(simulation) - start) / (vt_time(simulation) - start_time);
    const double pi = 3.14159265358979323846;
    const double thin = circulation / (4 * pi * radius) * (log(8 * radius / core) - 0.558);
    printf("speed %.4f m/s, thin ring %.4f m/s\n", speed, thin);

    if (argc > 1)
        write_smoke(simulation, argv[1]);
    vt_destroy_simulation(simulation);
    return EXIT_SUCCESS;
}
