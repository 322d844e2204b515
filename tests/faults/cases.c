#include "cases.h"

#include <stdlib.h>
#include <string.h>

#include <vorton/retime.h>

#include "../../.ci/scenes.h"

int case_threads = 1;
uint64_t outcome;

static const char *const file = "allocations.vta";

static void note(const void *bytes, size_t size)
{
    const uint8_t *const byte = bytes;
    for (size_t n = 0; n < size; n++)
        outcome = (outcome ^ byte[n]) * UINT64_C(0x100000001b3);
}

/* ---- simulations ---- */

enum { DETAILED = KINDS, DETAILED_ROOM };

static void default_def(vt_simulation_def *def)
{
    vt_default_simulation(def);
    def->threads = case_threads;
    def->max_vortons = 60000;
    def->max_tracers = 20000;
    def->max_nodes = 100000;
}

static vt_simulation *make_empty(int kind)
{
    (void)kind;
    vt_simulation_def def;
    vt_simulation *s;
    default_def(&def);
    def.combustion.law = VT_BURN_SIMPLE;
    check(vt_create_simulation(&def, &s));
    return s;
}

/* Fire, detail, conduction by the grid; in a room. */
static vt_simulation *make_more(int kind)
{
    vt_simulation_def def;
    vt_simulation *s;
    default_def(&def);
    def.detail = 2;
    def.combustion.law = VT_BURN_SIMPLE;
    def.method.diffusion = VT_DIFFUSION_IMPLICIT;
    def.method.expansion = 0;
    def.viscosity = def.thermal_diffusivity = 1e-2;
    check(vt_create_simulation(&def, &s));
    vt_ring_def ring;
    vt_default_ring(&ring);
    ring.core = 0.3;
    ring.layers = 1;
    check(vt_add_ring(s, &ring, NULL));
    vt_tracers_def smoke;
    vt_default_tracers(&smoke);
    smoke.count = 300;
    check(vt_add_tracers(s, &smoke, NULL));
    if (kind == DETAILED_ROOM)
        add_room(s);
    else
        add_fire(s);
    return s;
}

static vt_simulation *make_any(int kind)
{
    return kind < KINDS ? make_kind(kind, case_threads) : make_more(kind);
}

static vt_simulation *make_stepped(int kind)
{
    vt_simulation *const s = make_any(kind);
    check(vt_step(s, 1.0 / 48));
    return s;
}

/* ---- calls without a simulation ---- */

static vt_status sum_directly(vt_simulation *none, int kind)
{
    (void)none, (void)kind;
    double x[30], strength[30], core[10], velocity[30];
    for (int n = 0; n < 30; n++)
        x[n] = n % 7, strength[n] = n % 3, core[n / 3] = 0.3;
    const vt_status status = vt_direct_sum(VT_KERNEL_GAUSSIAN, 10, x, 10, x, strength, core,
                                           velocity, NULL, NULL, case_threads);
    if (!status)
        note(velocity, sizeof velocity);
    return status;
}

static vt_status solve(vt_simulation *none, int kind)
{
    (void)none;
    static float field[9 * 9 * 9 * 3];
    const int32_t cells[3] = {8, 8, 8};
    vt_method method;
    vt_default_method(&method);
    method.poisson = kind;
    memset(field, 0, sizeof field);
    field[3 * (4 + 9 * (4 + 9 * 4))] = 1;
    const vt_status status = kind == 3 ? vt_solve_poisson_in_box(cells, 0.1, field, case_threads)
                                       : vt_solve_poisson(cells, 0.1, field, &method, case_threads);
    if (!status)
        note(field, sizeof field);
    return status;
}

/* ---- sources, effects, bodies ---- */

static const float points[4][3] = {{0, 0, 0}, {.5f, 0, 0}, {.5f, .5f, 0}, {0, .5f, .2f}};
static const float some[4] = {.2f, .2f, .2f, .2f};
static const double corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0.2}};
static const float values[8][3] = {{.1f, .2f, 0}};
static const float cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                 {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
static const int32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                     {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                     {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
static const double from_0_to_1[2] = {0, 1}, twice[2] = {20, 40},
                    there_and_back[6] = {0, 0, 0, 1, 1, 1};

/* Of a parameter of one number, or of three. */
static vt_animation animation(const char *parameter, int components)
{
    return (vt_animation){parameter,
                          {.struct_size = sizeof(vt_track),
                           .components = components,
                           .count = 2,
                           .times = from_0_to_1,
                           .values = components == 1 ? twice : there_and_back}};
}

static vt_shape shape_of(int kind)
{
    vt_shape shape;
    vt_default_shape(&shape);
    shape.kind = kind;
    shape.radius = 0.3;
    if (kind == VT_SHAPE_MESH || kind == VT_SHAPE_POLYTOPE) {
        shape.vertices = &cube[0][0];
        shape.vertex_count = 8;
    }
    if (kind == VT_SHAPE_MESH) {
        shape.faces = &faces[0][0];
        shape.face_count = 12;
    }
    return shape;
}

/* Two functions of a kind of definition: one adds it (or changes it: number 0), one makes the
 * simulation for that. All are alive 1 s after the start. */
#define VT_DEFINITION(name, add_call, change_call, fill)                                           \
    static vt_status call_##name(vt_simulation *s, int change)                                     \
    {                                                                                              \
        vt_##name##_def def;                                                                       \
        int32_t id = -1;                                                                           \
        vt_default_##name(&def);                                                                   \
        fill;                                                                                      \
        const vt_status status = change ? change_call : add_call;                                  \
        if (!status)                                                                               \
            note(&id, sizeof id);                                                                  \
        return status;                                                                             \
    }                                                                                              \
    static vt_simulation *before_##name(int change)                                                \
    {                                                                                              \
        vt_simulation *const s = make_empty(0);                                                    \
        if (change)                                                                                \
            check(call_##name(s, 0));                                                              \
        return s;                                                                                  \
    }

#define VT_SIMPLE(name, fill)                                                                      \
    VT_DEFINITION(name, vt_add_##name(s, &def, &id), vt_change_##name(s, 0, &def), fill)

#define VT_ANIMATE(name, components)                                                               \
    const vt_animation track = animation(name, components);                                        \
    def.animations = &track;                                                                       \
    def.animation_count = 1

VT_SIMPLE(ring, def.core = 0.2; def.wobble = 0.1; def.time = change ? 0 : 0.01)
VT_SIMPLE(filament, def.points = &corners[0][0]; def.point_count = 4; def.closed = 1;
          def.time = change ? 0 : 0.01)
VT_SIMPLE(tube, def.core = 0.2; def.end[2] = 1; def.time = change ? 0 : 0.01)
VT_SIMPLE(jet, def.core = 0.2; def.rate = 8; VT_ANIMATE("speed", 1))
VT_SIMPLE(cloud, def.time = change ? 0 : 0.01; def.shape = shape_of(change))
VT_SIMPLE(vorton_points, def.count = 4; def.position = def.strength = &points[0][0];
          def.core = def.volume = some; def.fuel = some; def.lifetime = some; VT_ANIMATE("rate", 1))
VT_SIMPLE(tracers, def.shape = shape_of(change ? VT_SHAPE_BOX : VT_SHAPE_MESH);
          VT_ANIMATE("rate", 1))
VT_DEFINITION(emitter, vt_add_emitter(s, &def, NULL, &id), vt_change_emitter(s, 0, &def, NULL),
              const vt_shape around = shape_of(VT_SHAPE_SPHERE);
              def.shape = shape_of(VT_SHAPE_MESH); def.around = change ? &around : NULL;
              def.fluid.temperature = 500; def.fluid.fuel = 0.4; def.swirl = def.flicker = 0.4;
              VT_ANIMATE("rate", 1))
VT_SIMPLE(tracer_points, def.count = 4; def.position = &points[0][0]; def.density = def.size = some;
          def.smoke = some; VT_ANIMATE("rate", 1))
VT_SIMPLE(wind, VT_ANIMATE("velocity", 3))
VT_SIMPLE(wind_grid, def.nodes[0] = def.nodes[1] = def.nodes[2] = 2; def.velocity = &values[0][0];
          VT_ANIMATE("strength", 1))
VT_SIMPLE(force, const vt_shape inside = shape_of(VT_SHAPE_SPHERE);
          def.kind = change ? VT_FORCE_POINTS : VT_FORCE_GRID; def.acts_on = VT_FORCE_ON_FLUID;
          def.nodes[0] = def.nodes[1] = def.nodes[2] = 2; def.values = &values[0][0];
          def.point_count = 4; def.positions = def.accelerations = &points[0][0];
          def.shape = change ? NULL : &inside; VT_ANIMATE("strength", 1))
VT_SIMPLE(kill, const vt_shape inside = shape_of(VT_SHAPE_MESH); def.shape = &inside; def.age = 0.1)

static vt_status create(vt_simulation *none, int kind)
{
    (void)none, (void)kind;
    vt_simulation *s;
    vt_simulation_def def;
    default_def(&def);
    VT_ANIMATE("gravity", 3);
    const vt_status status = vt_create_simulation(&def, &s);
    if (!status)
        vt_destroy_simulation(s);
    return status;
}

static vt_status place(vt_simulation *s, int kind)
{
    (void)kind;
    vt_transform_def def;
    int32_t id = -1;
    vt_default_transform(&def);
    VT_ANIMATE("position", 3);
    const vt_status status = vt_add_transform(s, &def, &id);
    if (!status)
        note(&id, sizeof id);
    return status;
}

/* A body of each shape; a container. */
static vt_status add_body(vt_simulation *s, int kind)
{
    vt_body_def def;
    vt_shape shapes[2] = {shape_of(kind), shape_of(VT_SHAPE_SPHERE)};
    int32_t id = -1;
    vt_default_body(&def);
    shapes[1].center[0] = 0.4;
    def.shapes = shapes;
    def.shape_count = kind == VT_SHAPE_CAPSULE ? 2 : 1;
    def.panels = kind == VT_SHAPE_PLANE ? 0 : 60;
    def.hole = kind == VT_SHAPE_DISK;
    def.density = kind == VT_SHAPE_BOX ? 20 : 0;
    VT_ANIMATE("force", 3);
    def.animation_count = def.density > 0;
    const vt_status status = vt_add_body(s, &def, &id);
    if (!status)
        note(&id, sizeof id);
    return status;
}

/* Two balls, the one sunk into the other, and what flows past them. */
static vt_simulation *make_touching(int kind)
{
    vt_simulation *const s = make_empty(kind);
    vt_shape shape = shape_of(VT_SHAPE_SPHERE);
    vt_body_def def;
    check(call_ring(s, 0));
    vt_default_body(&def);
    def.shapes = &shape;
    def.shape_count = 1;
    def.panels = 80;
    for (int n = 0; n < 2; n++) {
        shape.center[0] = 0.4 * n;
        check(vt_add_body(s, &def, NULL));
    }
    return s;
}

static vt_status measure(vt_simulation *none, int kind)
{
    (void)none;
    const vt_shape shape = shape_of(kind);
    double volume;
    const vt_status status = vt_shape_volume(&shape, &volume);
    if (!status)
        note(&volume, sizeof volume);
    return status;
}

/* ---- calls of a simulation that has been stepped ---- */

static vt_status step(vt_simulation *s, int kind)
{
    (void)kind;
    return vt_step(s, 1.0 / 48);
}

static vt_status copy(vt_simulation *s, int kind)
{
    (void)kind;
    vt_simulation *made;
    vt_status status = vt_copy_simulation(s, 0, 0, &made);
    if (status)
        return status;
    uint8_t *bytes;
    int64_t size;
    if (!(status = vt_save_state(made, 0, &bytes, &size))) {
        note(bytes, (size_t)size);
        vt_free(bytes);
    }
    vt_destroy_simulation(made);
    return status;
}

static vt_status switch_method(vt_simulation *s, int kind)
{
    vt_method method = method_of(VISCOUS);
    method.expansion = kind == FIRE;
    return vt_set_method(s, &method);
}

static vt_status look(vt_simulation *s, int kind)
{
    const float where[2][3] = {{0, 0, 0}, {9, 9, 9}};
    vt_array column = {.struct_size = sizeof column};
    vt_health health = {.struct_size = sizeof health};
    float velocity[6] = {0};
    vt_status status = VT_OK;
    if (kind == 0)
        status = vt_get_health(s, &health);
    else if (kind == 1)
        status = vt_velocity_at(s, 2, &where[0][0], velocity);
    else if (kind == 2)
        status = vt_update_fields(s);
    else if (kind == 3)
        status = vt_column(s, VT_TRACERS, "velocity", &column);
    else {
        vt_grid_view view = {.struct_size = sizeof view};
        status = vt_get_grid(s, VT_GRID_temperature, &view);
    }
    if (!status)
        note(velocity, sizeof velocity);
    return status;
}

static vt_simulation *make_burning(int kind)
{
    (void)kind;
    return make_stepped(FIRE);
}

static vt_simulation *make_with_bodies(int kind)
{
    (void)kind;
    return make_stepped(BODIES);
}

/* Particles, as a caller adds them. */
static vt_status insert(vt_simulation *s, int tracers)
{
    int64_t made[4] = {0};
    const vt_status status =
        tracers ? vt_insert_tracers(s, 4, &points[0][0], some, some, made)
                : vt_insert_vortons(s, 4, &points[0][0], &points[0][0], some, some, made);
    if (!status)
        note(made, sizeof made);
    return status;
}

/* ---- calls that take away, and that set bodies ---- */

enum { SOURCE = 1, WIND, FORCE, KILL, BODY };

/* With the one that is then taken away, beside others. */
static vt_simulation *make_removable(int what)
{
    vt_simulation *const s = make_stepped(what == BODY ? BODIES : FIRE);
    if (what == SOURCE)
        check(call_emitter(s, 0));
    for (int n = 0; n < 2; n++) {
        check(what == WIND ? call_wind(s, 0) : VT_OK);
        check(what == WIND ? call_wind_grid(s, 0) : VT_OK);
        check(what == FORCE ? call_force(s, 0) : VT_OK);
        check(what == KILL ? call_kill(s, 0) : VT_OK);
    }
    return s;
}

static vt_status take_away(vt_simulation *s, int what)
{
    switch (what) {
    case SOURCE:
        return vt_remove_source(s, 2);
    case WIND:
        return vt_remove_wind(s, 1);
    case FORCE:
        return vt_remove_force(s, 0);
    case KILL:
        return vt_remove_kill(s, 0);
    default:
        return vt_remove_body(s, 0);
    }
}

/* Every other one. */
static vt_status take_particles(vt_simulation *s, int set)
{
    static uint8_t mask[60000];
    for (size_t n = 0; n < sizeof mask; n++)
        mask[n] = n % 2;
    return vt_remove(s, set, mask);
}

/* There at once; the container on its way; an impulse. */
static vt_status lead_body(vt_simulation *s, int how)
{
    vt_body_change change;
    const double impulse[3] = {0, 0, 0.1}, position[3] = {0.5, 0.2, 0};
    vt_default_body_change(&change);
    change.position = position;
    change.over = how == 1 ? 0.1 : 0;
    return how == 2 ? vt_apply_impulse(s, 0, impulse, NULL, NULL)
                    : vt_set_body(s, how == 1 ? 2 : 0, &change);
}

/* ---- states that go over, and what lies between two ---- */

/* Two simulations one step apart, and the velocities at their particles: with fire, and with
 * bodies. */
static vt_moment moments[2][2];

static float *make_velocities(vt_simulation *s, int set)
{
    vt_array column = {.struct_size = sizeof column};
    check(vt_column(s, set, "position", &column));
    float *const velocity = calloc(3 * (size_t)column.shape[0] + 1, sizeof *velocity);
    if (!velocity)
        exit(EXIT_FAILURE);
    check(vt_velocity_at(s, column.shape[0], column.data, velocity));
    return velocity;
}

static void make_moments(void)
{
    for (int with = 0; with < 2; with++)
        for (int later = 0; later < 2; later++) {
            vt_simulation *const s = make_stepped(with ? BODIES : FIRE);
            if (later)
                check(vt_step(s, 1.0 / 48));
            moments[with][later] =
                (vt_moment){s, make_velocities(s, VT_VORTONS), make_velocities(s, VT_TRACERS)};
        }
}

static void drop_moments(void)
{
    for (int n = 0; n < 4; n++) {
        const vt_moment *const moment = &moments[n / 2][n % 2];
        vt_destroy_simulation(moment->simulation);
        free((void *)moment->vorton_velocity);
        free((void *)moment->tracer_velocity);
    }
}

/* The scene of the moments, with a ring and a wind more. */
static vt_simulation *make_other(int with_bodies)
{
    vt_simulation *const s = make_any(with_bodies ? BODIES : FIRE);
    check(call_ring(s, 0));
    check(call_wind(s, 0));
    return s;
}

static vt_status take_over(vt_simulation *s, int with_bodies)
{
    static const int32_t sources[2][4] = {{0, 1, 2, -1}, {0, 1, -1}}, winds[1] = {-1};
    return vt_take_over(s, moments[with_bodies][1].simulation, with_bodies ? 3 : 4,
                        sources[with_bodies], 1, winds);
}

static vt_simulation *make_to_show(int with_bodies)
{
    return make_any(with_bodies ? BODIES : FIRE);
}

static vt_status show_between(vt_simulation *s, int with_bodies)
{
    const vt_moment *const both = moments[with_bodies];
    return vt_show_between(s, &both[0], &both[1], 1.3 / 48);
}

/* ---- states and archives ---- */

static vt_status note_bytes(vt_status status, uint8_t *bytes, int64_t size)
{
    if (status)
        return status;
    note(bytes, (size_t)size);
    vt_free(bytes);
    return VT_OK;
}

static vt_status save(vt_simulation *s, int packed)
{
    uint8_t *bytes = NULL;
    int64_t size = 0;
    const vt_status status =
        packed ? vt_save_packed_state(s, 3, &bytes, &size) : vt_save_state(s, 3, &bytes, &size);
    return note_bytes(status, bytes, size);
}

/* A state of the burning simulation: as it is, and packed. */
static uint8_t *state[2];
static int64_t state_size[2];

static vt_simulation *make_states(int kind)
{
    (void)kind;
    if (!state[0]) {
        vt_simulation *const s = make_stepped(FIRE);
        check(vt_step(s, 1.0 / 48));
        check(vt_save_state(s, 7, &state[0], &state_size[0]));
        check(vt_pack_state(state[0], state_size[0], 1, &state[1], &state_size[1]));
        vt_destroy_simulation(s);
    }
    return make_stepped(FIRE);
}

static vt_status load(vt_simulation *s, int packed)
{
    return vt_load_state(s, state[packed], state_size[packed]);
}

static vt_status pack(vt_simulation *none, int unpack)
{
    (void)none;
    uint8_t *bytes = NULL;
    int64_t size = 0;
    const vt_status status =
        unpack ? vt_unpack_state(state[1], state_size[1], case_threads, &bytes, &size)
               : vt_pack_state(state[0], state_size[0], case_threads, &bytes, &size);
    return note_bytes(status, bytes, size);
}

static void write_bytes(FILE *out, const void *bytes, size_t size)
{
    if (!out || fwrite(bytes, 1, size, out) != size)
        exit(EXIT_FAILURE);
}

/* An archive of three frames, without an index; and simulations that others go on from. */
void make_shared(void)
{
    make_moments();
    uint8_t head[MOST_HEAD];
    const size_t head_size = make_archive_head("", head);
    FILE *const out = fopen(file, "wb");
    write_bytes(out, head, head_size);
    vt_simulation *const s = make_states(0);
    for (int64_t number = 1; number < 4; number++) {
        uint8_t *plain, *packed;
        int64_t size;
        check(vt_save_state(s, number, &plain, &size));
        check(vt_pack_state(plain, size, 1, &packed, &size));
        write_bytes(out, packed, (size_t)size);
        vt_free(plain);
        vt_free(packed);
    }
    vt_destroy_simulation(s);
    if (fclose(out))
        exit(EXIT_FAILURE);
}

void drop_shared(void)
{
    drop_moments();
    remove(file);
    vt_free(state[0]);
    vt_free(state[1]);
}

static vt_status open_archive(vt_simulation *none, int kind)
{
    (void)none, (void)kind;
    vt_archive *archive;
    const vt_status status = vt_open_archive(file, &archive);
    if (status)
        return status;
    vt_archive_frame frame = {.struct_size = sizeof frame};
    for (int64_t n = 0; vt_get_archive_frame(archive, n, &frame); n++)
        note(&frame, sizeof frame);
    vt_close_archive(archive);
    return VT_OK;
}

static vt_status load_frame(vt_simulation *s, int index)
{
    vt_archive *archive;
    vt_status status = vt_open_archive(file, &archive);
    if (status)
        return status;
    status = vt_load_archive_frame(archive, index, s);
    vt_close_archive(archive);
    return status;
}

/* ---- volumes and pictures ---- */

static vt_status show(vt_simulation *s, int kind)
{
    vt_volume_def def;
    vt_volume *volume;
    vt_default_volume(&def);
    def.voxel_size = 0.1;
    def.sharp = kind == 1;
    def.threads = case_threads;
    vt_status status = vt_create_volume(s, &def, &volume);
    if (status)
        return status;
    vt_vdb_def vdb;
    vt_default_vdb(&vdb);
    uint8_t *bytes = NULL, pixels[16 * 16 * 3];
    int64_t size = 0;
    if (kind == 2) {
        vt_preview_def preview;
        vt_default_preview(&preview);
        preview.width = 16;
        preview.height = 16;
        preview.eye[1] = -6;
        preview.threads = case_threads;
        preview.bodies = s;
        if (!(status = vt_render_preview(volume, &preview, pixels)))
            note(pixels, sizeof pixels);
    } else {
        status = vt_encode_vdb(volume, &vdb, &bytes, &size);
        status = note_bytes(status, bytes, size);
    }
    vt_destroy_volume(volume);
    return status;
}

#define VT_BOTH(name)                                                                              \
    {"add " #name, 0, before_##name, call_##name, 0, 0},                                           \
        {"change " #name, 1, before_##name, call_##name, 0, 0}

const fault_case all_cases[] = {
    {"create", 0, NULL, create, 0, 0},
    {"direct sum", 0, NULL, sum_directly, 0, 0},
    {"solve directly", VT_POISSON_DIRECT, NULL, solve, 0, 0},
    {"solve by multigrid", VT_POISSON_MULTIGRID, NULL, solve, 0, 0},
    {"solve nested", VT_POISSON_NESTED, NULL, solve, 0, 0},
    {"solve in a box", 3, NULL, solve, 0, 0},
    {"volume of a mesh", VT_SHAPE_MESH, NULL, measure, 0, 0},
    VT_BOTH(ring),
    VT_BOTH(filament),
    VT_BOTH(tube),
    VT_BOTH(jet),
    VT_BOTH(cloud),
    VT_BOTH(vorton_points),
    VT_BOTH(tracers),
    VT_BOTH(emitter),
    VT_BOTH(tracer_points),
    VT_BOTH(wind),
    VT_BOTH(wind_grid),
    VT_BOTH(force),
    VT_BOTH(kill),
    {"transform", 0, make_empty, place, 0, 0},
    {"body: sphere", VT_SHAPE_SPHERE, make_empty, add_body, 0, 0},
    {"body: box", VT_SHAPE_BOX, make_empty, add_body, 0, 0},
    {"body: container", VT_SHAPE_DISK, make_empty, add_body, 0, 0},
    {"body: mesh", VT_SHAPE_MESH, make_empty, add_body, 0, 0},
    {"body: two shapes", VT_SHAPE_CAPSULE, make_empty, add_body, 0, 0},
    {"body: plane", VT_SHAPE_PLANE, make_empty, add_body, 0, 0},
    {"body: polytope", VT_SHAPE_POLYTOPE, make_empty, add_body, 0, 0},
    {"step: tree", TREE, make_any, step, 0, 0},
    {"step: multigrid", MULTIGRID, make_any, step, 0, 0},
    {"step: article", ARTICLE, make_any, step, 0, 0},
    {"step: viscous", VISCOUS, make_any, step, 0, 0},
    {"step: fire", FIRE, make_any, step, 0, 0},
    {"step: bodies", BODIES, make_any, step, 0, 0},
    {"step: bodies that touch", 0, make_touching, step, 0, 0},
    {"step: article's bodies", ARTICLE_BODIES, make_any, step, 0, 0},
    {"step: detail", DETAILED, make_any, step, 0, 0},
    {"step: room with detail", DETAILED_ROOM, make_any, step, 0, 0},
    {"next step: fire", FIRE, make_stepped, step, 0, 0},
    {"next step: bodies", BODIES, make_stepped, step, 0, 0},
    {"copy: fire", FIRE, make_stepped, copy, 0, 0},
    {"copy: bodies", BODIES, make_stepped, copy, 0, 0},
    {"switch: fire", FIRE, make_stepped, switch_method, 0, 0},
    {"switch: bodies", BODIES, make_stepped, switch_method, 0, 0},
    {"switch: article's bodies", ARTICLE_BODIES, make_stepped, switch_method, 0, 0},
    {"health", 0, make_burning, look, 1, 0},
    {"velocity at points", 1, make_burning, look, 1, 0},
    {"fields", 2, make_burning, look, 1, 0},
    {"a column", 3, make_burning, look, 1, 0},
    {"a field", 4, make_burning, look, 1, 0},
    {"insert vortons", 0, make_burning, insert, 0, 0},
    {"insert tracers", 1, make_burning, insert, 0, 0},
    {"remove a source", SOURCE, make_removable, take_away, 0, 0},
    {"remove a wind", WIND, make_removable, take_away, 0, 0},
    {"remove a force", FORCE, make_removable, take_away, 0, 0},
    {"remove a kill", KILL, make_removable, take_away, 0, 0},
    {"remove a body", BODY, make_removable, take_away, 0, 0},
    {"remove vortons", VT_VORTONS, make_burning, take_particles, 0, 0},
    {"remove tracers", VT_TRACERS, make_burning, take_particles, 0, 0},
    {"set a body", 0, make_with_bodies, lead_body, 0, 0},
    {"set a body on its way", 1, make_with_bodies, lead_body, 0, 0},
    {"push a body", 2, make_with_bodies, lead_body, 0, 0},
    {"take over: fire", 0, make_other, take_over, 0, 0},
    {"take over: bodies", 1, make_other, take_over, 0, 0},
    {"show between: fire", 0, make_to_show, show_between, 0, 0},
    {"show between: bodies", 1, make_to_show, show_between, 0, 0},
    {"save", FIRE, make_stepped, save, 0, 0},
    {"save packed", FIRE, make_stepped, save, 1, 0},
    {"load", 0, make_states, load, 0, 0},
    {"load a packed state", 1, make_states, load, 0, 0},
    {"pack", 0, NULL, pack, 0, 0},
    {"unpack", 1, NULL, pack, 0, 0},
    {"open an archive", 0, NULL, open_archive, 0, 1},
    {"load from an archive", 1, make_states, load_frame, 0, 1},
    {"volume", 0, make_burning, show, 1, 0},
    {"sharp volume", 1, make_burning, show, 1, 0},
    {"picture", 2, make_with_bodies, show, 1, 0},
    {NULL, 0, NULL, NULL, 0, 0},
};
