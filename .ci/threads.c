/* A frame with everything on, by many threads: run under the thread sanitizer by .ci/run.
 *
 * Prints a sum over all positions; the library must give the same for any number of threads. */
#include <stdio.h>
#include <stdlib.h>

#include <vorton.h>

#define FRAMES 12

static void check(vt_status status)
{
    if (status == VT_OK)
        return;
    fprintf(stderr, "vorton: %s\n", vt_error_message());
    exit(EXIT_FAILURE);
}

static vt_simulation *make(int threads)
{
    vt_simulation_def def = vt_default_simulation();
    vt_simulation *simulation;
    def.threads = threads;
    def.wind[0] = 0.3;
    check(vt_create_simulation(&def, &simulation));

    vt_ring_def ring = vt_default_ring();
    ring.core = 0.2;
    ring.wobble = 0.03;
    check(vt_add_ring(simulation, &ring));
    ring.center[2] = -0.7;
    ring.time = 0.13; /* inside a step */
    check(vt_add_ring(simulation, &ring));

    vt_emitter_def smoke = vt_default_emitter();
    smoke.count = 4000;
    smoke.rate = 20000;
    smoke.lifetime = 0.2;
    check(vt_add_emitter(simulation, &smoke));
    return simulation;
}

static double sum_of(vt_simulation *simulation, int set)
{
    vt_array position;
    check(vt_column(simulation, set, "position", &position));
    const float *const rows = position.data;
    double sum = 0;
    for (int64_t i = 0; i < 3 * position.shape[0]; i++)
        sum += (double)rows[i];
    return sum;
}

static double run(int threads)
{
    vt_simulation *const simulation = make(threads);
    vt_array velocity;
    check(vt_column(simulation, VT_TRACERS, "velocity", &velocity));
    for (int frame = 0; frame < FRAMES; frame++)
        check(vt_step(simulation, 1.0 / 24));

    vt_health health;
    check(vt_get_health(simulation, &health));
    vt_volume_def volume_def = vt_default_volume();
    volume_def.voxel_size = 0.05;
    vt_volume *volume;
    check(vt_create_volume(simulation, &volume_def, &volume));
    const vt_vdb_def vdb_def = vt_default_vdb();
    uint8_t *bytes, pixels[64 * 48 * 3];
    int64_t size;
    check(vt_encode_vdb(volume, &vdb_def, &bytes, &size));
    vt_preview_def preview = vt_default_preview();
    preview.width = 64;
    preview.height = 48;
    preview.eye[1] = -6;
    preview.threads = threads;
    check(vt_render_preview(volume, &preview, pixels));

    double sum = sum_of(simulation, VT_VORTONS) + sum_of(simulation, VT_TRACERS) + health.energy;
    for (int64_t i = 0; i < size; i++)
        sum += bytes[i];
    for (int i = 0; i < 64 * 48 * 3; i++)
        sum += pixels[i];
    printf("%d threads (%s): %lld vortons, %lld tracers, sum %.17g\n", threads, vt_backend(),
           (long long)health.vortons, (long long)health.tracers, sum);
    vt_free(bytes);
    vt_destroy_volume(volume);
    vt_destroy_simulation(simulation);
    return sum;
}

int main(void)
{
    const double alone = run(1);
    return run(2) == alone && run(4) == alone ? EXIT_SUCCESS : EXIT_FAILURE;
}
