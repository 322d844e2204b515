/* Scenes for the programs beside this file: one with everything on, and one of every other method.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vorton.h>

static void check(vt_status status)
{
    if (status == VT_OK)
        return;
    fprintf(stderr, "vorton: %s\n", vt_error_message());
    exit(EXIT_FAILURE);
}

static vt_simulation *make(int threads)
{
    vt_simulation_def def;
    vt_default_simulation(&def);
    vt_simulation *simulation;
    def.threads = threads;
    def.detail = 3;
    def.wind[0] = 0.3;
    check(vt_create_simulation(&def, &simulation));

    vt_ring_def ring;
    vt_default_ring(&ring);
    ring.core = 0.2;
    ring.wobble = 0.03;
    check(vt_add_ring(simulation, &ring, NULL));
    ring.center[2] = -0.7;
    ring.time = 0.13; /* inside a step */
    check(vt_add_ring(simulation, &ring, NULL));

    vt_tracers_def smoke;
    vt_default_tracers(&smoke);
    smoke.count = 4000;
    smoke.rate = 20000;
    smoke.lifetime = 0.2;
    check(vt_add_tracers(simulation, &smoke, NULL));
    return simulation;
}

/* The file of the smoke, for vt_free, and a picture of it. */
typedef struct shown {
    uint8_t *bytes, pixels[64 * 48 * 3];
    int64_t size;
} shown;

static shown show_smoke(vt_simulation *simulation, int compress, int threads)
{
    shown made;
    vt_volume_def volume_def;
    vt_default_volume(&volume_def);
    volume_def.voxel_size = 0.05;
    vt_volume *volume;
    check(vt_create_volume(simulation, &volume_def, &volume));
    vt_vdb_def vdb_def;
    vt_default_vdb(&vdb_def);
    vdb_def.compress = compress;
    check(vt_encode_vdb(volume, &vdb_def, &made.bytes, &made.size));
    vt_preview_def preview;
    vt_default_preview(&preview);
    preview.width = 64;
    preview.height = 48;
    preview.eye[1] = -6;
    preview.threads = threads;
    check(vt_render_preview(volume, &preview, made.pixels));
    vt_destroy_volume(volume);
    return made;
}

/* ---- archives ---- */

enum { MOST_HEAD = 128 };

/* CRC-32, bit by bit. */
static inline uint32_t checksum(const uint8_t *byte, size_t size)
{
    uint32_t crc = ~UINT32_C(0);
    for (size_t n = 0; n < size; n++) {
        crc ^= byte[n];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}

/* The head of csrc/archive/block.h: kind, checksum, length twice; magic, version, text of at most
 * 88 bytes. Returns its length. */
static inline size_t make_archive_head(const char *text, uint8_t head[MOST_HEAD])
{
    const uint32_t version = 4, size = (uint32_t)strlen(text);
    const uint64_t length = (40 + size + 7) / 8 * 8;
    memset(head, 0, MOST_HEAD);
    memcpy(head, "HEAD", 4);
    memcpy(head + 8, &length, 8);
    memcpy(head + 16, &length, 8);
    memcpy(head + 24, "vortonA\n", 8);
    memcpy(head + 32, &version, 4);
    memcpy(head + 36, &size, 4);
    memcpy(head + 40, text, size);
    const uint32_t crc = checksum(head + 8, length - 8);
    memcpy(head + 4, &crc, 4);
    return length;
}

/* ---- every other method ---- */

enum {
    TREE,
    MULTIGRID,
    ARTICLE,
    VISCOUS,
    FIRE,
    BODIES,
    ARTICLE_BODIES,
    SWITCHING,
    ROOM, /* its walls are faces of the grid */
    IMPLICIT,
    SECOND,    /* order */
    DEFORMING, /* a body */
    FORCES,    /* all of them */
    KINDS
};
enum { STEPS = 3 };

static vt_method method_of(int kind)
{
    vt_method method;
    vt_default_method(&method);
    if (kind == TREE) {
        method.velocity = VT_VELOCITY_TREE;
        method.time = VT_TIME_RK3;
    } else if (kind == MULTIGRID) {
        method.poisson = VT_POISSON_MULTIGRID;
        method.boundary = VT_BOUNDARY_TREE;
    } else if (kind == ARTICLE) {
        vt_article_method(&method);
    } else if (kind == VISCOUS) {
        method.split = 1.2;
        method.merge = 5;
        method.prune = 0.01;
        method.halo = 1;
    } else if (kind == ARTICLE_BODIES) {
        method.bodies = VT_BODIES_ARTICLE;
        method.walls = VT_WALLS_HITS;
    } else if (kind == IMPLICIT) {
        method.diffusion = VT_DIFFUSION_IMPLICIT;
    } else if (kind == SECOND) {
        method.order = VT_ORDER_SECOND;
    }
    if (kind == BODIES || kind == ARTICLE_BODIES) /* they are warm, and the room is closed */
        method.expansion = 0;
    return method;
}

static void add_fire(vt_simulation *simulation)
{
    vt_emitter_def fire;
    vt_default_emitter(&fire);
    vt_shape around;
    vt_default_shape(&around);
    fire.shape.radius = 0.3;
    fire.shape.center[2] = -0.8;
    around = fire.shape;
    around.radius = 0.6;
    fire.around = &around;
    fire.core = 0.2;
    fire.fluid.temperature = 800;
    fire.fluid.fuel = 0.5;
    fire.swirl = 0.3;
    fire.flicker = 0.5;
    fire.rate = 20000;
    check(vt_add_emitter(simulation, &fire, NULL, NULL));
}

static void add_bodies(vt_simulation *simulation)
{
    vt_shape shape;
    vt_default_shape(&shape);
    vt_body_def body;
    vt_default_body(&body);
    shape.radius = 0.2;
    shape.center[2] = 0.4;
    shape.center[0] = 0.8;
    body.shapes = &shape;
    body.shape_count = 1;
    body.density = 3;
    body.panels = 40;
    body.temperature = 400;
    check(vt_add_body(simulation, &body, NULL));
    shape.center[0] = 0;
    shape.kind = VT_SHAPE_BOX;
    check(vt_add_body(simulation, &body, NULL));
    vt_body_def room;
    vt_default_body(&room);
    shape.kind = VT_SHAPE_SPHERE;
    shape.radius = 2.5;
    room.shapes = &shape;
    room.shape_count = 1;
    room.hole = 1;
    room.panels = 80;
    check(vt_add_body(simulation, &room, NULL));
}

static void add_room(vt_simulation *simulation)
{
    vt_shape box;
    vt_default_shape(&box);
    box.kind = VT_SHAPE_BOX;
    box.size[0] = 2.4;
    box.size[1] = 2.4;
    box.size[2] = 2.0;
    vt_body_def room;
    vt_default_body(&room);
    room.shapes = &box;
    room.shape_count = 1;
    room.hole = 1;
    check(vt_add_body(simulation, &room, NULL));
}

/* A box through which the ring comes, which shrinks to half, and swells again. */
static void add_deforming(vt_simulation *simulation)
{
    enum { CORNERS = 8, FACES = 12, FRAMES_OF_BOX = 3 };
    static const int32_t faces[3 * FACES] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                             2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    static const float half[FRAMES_OF_BOX] = {0.3f, 0.15f, 0.35f};
    float corners[FRAMES_OF_BOX * CORNERS * 3];
    for (int n = 0; n < FRAMES_OF_BOX * CORNERS; n++) {
        const float away = half[n / CORNERS];
        for (int axis = 0; axis < 3; axis++)
            corners[3 * n + axis] = n >> axis & 1 ? away : -away;
        corners[3 * n] += 0.8f;
    }
    vt_shape box;
    vt_default_shape(&box);
    box.kind = VT_SHAPE_POLYTOPE;
    box.vertices = corners;
    box.vertex_count = CORNERS;
    vt_body_def body;
    vt_default_body(&body);
    body.shapes = &box;
    body.shape_count = 1;
    body.panels = 60;
    body.mesh_vertices = body.deformed_vertices = corners;
    body.mesh_vertex_count = CORNERS;
    body.mesh_faces = faces;
    body.mesh_face_count = FACES;
    body.deformed_count = FRAMES_OF_BOX * CORNERS;
    body.deformed_rate = 36;
    check(vt_add_body(simulation, &body, NULL));
}

static void add_force(vt_simulation *simulation, int kind, int acts_on)
{
    static const float values[2 * 2 * 2 * 3] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 4, 0, 0,
                                                0, 5, 0, 0, 0, 6, 7, 0, 0, 0, 8, 0};
    static const float positions[2 * 3] = {0.5f, 0, 0, -0.4f, 0.3f, 0.1f};
    static const float accelerations[2 * 3] = {0, 0, 3, 2, 0, 0};
    vt_shape inside;
    vt_default_shape(&inside);
    inside.radius = 0.7;
    vt_force_def force;
    vt_default_force(&force);
    force.kind = kind;
    force.acts_on = acts_on;
    force.strength = 0.8;
    force.radius = 0.5;
    force.axis[0] = 0.3;
    force.velocity[1] = 0.4;
    force.gusts = kind == VT_FORCE_UNIFORM ? 0.5 : 0;
    if (kind == VT_FORCE_GRID) {
        for (int axis = 0; axis < 3; axis++) {
            force.nodes[axis] = 2;
            force.origin[axis] = -0.5;
        }
        force.values = values;
    } else if (kind == VT_FORCE_POINTS) {
        force.point_count = 2;
        force.positions = positions;
        force.accelerations = accelerations;
    } else if (acts_on == VT_FORCE_ON_FLUID) {
        force.shape = &inside;
    }
    check(vt_add_force(simulation, &force, NULL));
}

static void add_forces(vt_simulation *simulation)
{
    for (int kind = VT_FORCE_ATTRACTOR; kind <= VT_FORCE_DRAG; kind++)
        add_force(simulation, kind, VT_FORCE_ON_TRACERS);
    for (int kind = VT_FORCE_VORTEX; kind <= VT_FORCE_POINTS; kind++)
        add_force(simulation, kind, VT_FORCE_ON_FLUID);
}

static vt_simulation *make_kind(int kind, int threads)
{
    vt_simulation_def def;
    vt_default_simulation(&def);
    vt_simulation *simulation;
    def.threads = threads;
    def.method = method_of(kind);
    def.viscosity = kind == VISCOUS || kind == SWITCHING ? 2e-3 : 0;
    if (kind == IMPLICIT)
        def.viscosity = 0.2;
    def.thermal_diffusivity = kind == FIRE ? 1e-3 : 0;
    if (kind == FIRE || kind == SWITCHING)
        def.combustion.law = VT_BURN_SIMPLE;
    check(vt_create_simulation(&def, &simulation));
    vt_ring_def ring;
    vt_default_ring(&ring);
    ring.core = 0.3;
    ring.radius[0] = ring.radius[1] = 0.8;
    ring.layers = 1;
    check(vt_add_ring(simulation, &ring, NULL));
    vt_tracers_def smoke;
    vt_default_tracers(&smoke);
    smoke.count = 500;
    check(vt_add_tracers(simulation, &smoke, NULL));
    if (kind == FIRE || kind == SWITCHING)
        add_fire(simulation);
    if (kind == BODIES || kind == ARTICLE_BODIES)
        add_bodies(simulation);
    if (kind == ROOM)
        add_room(simulation);
    if (kind == DEFORMING)
        add_deforming(simulation);
    if (kind == FORCES)
        add_forces(simulation);
    return simulation;
}

static void step_kind(int kind, vt_simulation *simulation)
{
    for (int step = 0; step < STEPS; step++) {
        const vt_method other = method_of(step % 2 ? VISCOUS : MULTIGRID);
        if (kind == SWITCHING)
            check(vt_set_method(simulation, &other));
        check(vt_step(simulation, 1.0 / 48));
    }
}
