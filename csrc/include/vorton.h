/* vorton: a vortex-particle fluid solver.
 *
 * Vortons carry vorticity; the velocity that they induce moves them and the tracers. The method is
 * that of M. Gourlay's articles "Fluid Simulation for Video Games" (parts 1-20), see README.md.
 *
 * Conventions. SI units, right-handed axes, Z up. Functions that can fail return a vt_status; 0 is
 * success, and after a failure vt_error_message() names the argument, its value and what is
 * allowed, and nothing has changed (but by vt_step where a flow blows up: see there). A definition
 * struct is made by its vt_default_...() function, changed, and passed in; the library copies what
 * it needs. Arrays belong to the simulation: they never move while it lives. One thread at a time
 * may call into a simulation: a second one gets VT_BUSY. The library never prints, exits, or
 * installs signal handlers. */
#ifndef VORTON_H
#define VORTON_H

#include <stdint.h>

#define VORTON_VERSION_MAJOR 0
#define VORTON_VERSION_MINOR 1
#define VORTON_VERSION_PATCH 0
#define VORTON_VERSION "0.1.0"

#if defined(__GNUC__)
#define VT_API __attribute__((visibility("default")))
#else
#define VT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- status ---- */

typedef enum vt_status {
    VT_OK = 0,
    VT_INVALID_ARGUMENT = 1, /* an argument is out of its range */
    VT_OUT_OF_MEMORY = 2,    /* the system refused memory or address space */
    VT_OVER_CAPACITY = 3,    /* more vortons or tracers than the simulation has room for */
    VT_BUSY = 4,             /* another thread is inside this simulation */
    VT_NOT_FINITE = 5,       /* a NaN or an infinity in the state */
    VT_IO = 6                /* a file could not be written */
} vt_status;

/* What went wrong in the last failed call of this thread; "" before any. */
VT_API const char *vt_error_message(void);

/* Version of the library that runs, to compare with the header's: "0.1.0". */
VT_API const char *vt_version(void);

/* Instruction set of the kernels in use: "scalar", "avx2" or "avx512". The best that the processor
 * has; the environment variable VORTON_SIMD, read at the first call, forces a lower one. */
VT_API const char *vt_simd(void);

/* Threads backend in use: "pthread" (default), a pool of the library's own that sleeps when there
 * is nothing to do, or "openmp", where the environment variable VORTON_BACKEND, read at the first
 * parallel loop, asks for it and the build has it. The results have the same bits. A forked process
 * may step on with either: it starts a pool of its own. */
VT_API const char *vt_backend(void);

/* Processors that this process may use, 1 .. 64: what a `threads` of 0 stands for. */
VT_API int vt_available_threads(void);

/* Compiler and flags of this build, "compiler | flags", for benchmark records. */
VT_API const char *vt_build(void);

/* ---- method: one choice for each stage of the frame ---- */

typedef struct vt_method {
#define VT_CHOICE(name, value, article, choices, description) int32_t name;
#define VT_WHOLE(name, value, article, least, most, description) int32_t name;
#define VT_NUMBER(name, value, article, least, most, description) double name;
#include "vorton/method.def"
} vt_method;

enum { VT_VELOCITY_POISSON, VT_VELOCITY_DIRECT, VT_VELOCITY_TREE };
enum { VT_BOUNDARY_CLUSTERS, VT_BOUNDARY_TREE, VT_BOUNDARY_DECIMATED, VT_BOUNDARY_ZERO };
enum { VT_POISSON_DIRECT, VT_POISSON_MULTIGRID, VT_POISSON_NESTED };
enum { VT_DOWNSAMPLING_AVERAGE, VT_DOWNSAMPLING_NEAREST };
enum { VT_KERNEL_GAUSSIAN, VT_KERNEL_WL, VT_KERNEL_BALL };
enum { VT_OPENING_ANGLE, VT_OPENING_ARTICLE };
enum { VT_CORES_FILTERED, VT_CORES_POINT };
enum { VT_DOMAIN_LATTICE, VT_DOMAIN_BOX };
enum {
    VT_STRETCHING_TRANSPOSE,
    VT_STRETCHING_CLASSICAL,
    VT_STRETCHING_MIXED,
    VT_STRETCHING_NONE,
    VT_STRETCHING_RVPM
};
enum { VT_TIME_RK2, VT_TIME_EULER, VT_TIME_RK3 };
enum { VT_BALANCE_IMPULSE, VT_BALANCE_SUM, VT_BALANCE_NONE };
enum { VT_BUOYANCY_LOCAL, VT_BUOYANCY_BOUSSINESQ, VT_BUOYANCY_NONE, VT_BUOYANCY_FULL };
enum { VT_FLAMES_OWN, VT_FLAMES_MEAN };
enum { VT_BURNING_EXACT, VT_BURNING_EULER };
enum { VT_DIFFUSION_PSE, VT_DIFFUSION_EXCHANGE, VT_DIFFUSION_NONE };
enum { VT_WALLS_MASKED, VT_WALLS_NODES, VT_WALLS_HITS, VT_WALLS_OPEN };
enum { VT_BODIES_PANELS, VT_BODIES_ARTICLE, VT_BODIES_NONE };

VT_API vt_method vt_default_method(void);

/* The scheme of the articles, to compare with. Nothing bounds its stretching: flows that stretch
 * vortex lines for long blow up. */
VT_API vt_method vt_article_method(void);

/* Row `index` of method.def, for bindings: returns 0 past the last row. choices is NULL for a
 * number; least and most are 0 for a choice. Numbers between 0 and gap are refused. */
typedef struct vt_method_field {
    const char *name, *choices, *description;
    double value, article, least, most, gap;
    int32_t whole; /* a whole number */
} vt_method_field;
VT_API int vt_describe_method(int index, vt_method_field *field);

/* ---- tracks: functions of time ---- */

enum { VT_TRACK_CONSTANT, VT_TRACK_LINEAR, VT_TRACK_SMOOTH };

/* Keyframes, or samples at a fixed rate. Before the first key the value is the first, after the
 * last the last. Between two keys it is the first of them (constant), runs straight (linear), or
 * follows a cubic that passes the keys smoothly and never leaves the range of its two keys (smooth:
 * monotone cubic of Fritsch and Butland; it starts and ends flat). */
typedef struct vt_track {
    int32_t components;   /* numbers in a value, 1 .. 16 (default 1) */
    int64_t count;        /* keys, >= 1 */
    const double *times;  /* count, s, each later than the one before; NULL: samples, number n is at
                             start + n / rate */
    const double *values; /* count x components, finite */
    const uint8_t *interpolation; /* count, VT_TRACK_... from each key to the next; NULL: linear */
    double start, rate;           /* of samples: s; samples a second, > 0; unused with times */
} vt_track;

VT_API vt_track vt_default_track(void);

/* VT_OK where the track may be used: what follows does not check. Functions that take a track as a
 * parameter check it themselves, and copy it. */
VT_API vt_status vt_validate_track(const vt_track *track);

/* Values (components) at a time, s; and their exact integrals from one time to another (negative
 * where to < from). */
VT_API void vt_evaluate_track(const vt_track *track, double time, double *value);
VT_API void vt_integrate_track(const vt_track *track, double from, double to, double *integral);

/* A parameter of a definition that changes in time. The definition's own value then does not
 * matter, but must be allowed; each key of the track must be what the constant may be. */
typedef struct vt_animation {
    const char *parameter; /* name of the member: each definition says which */
    vt_track track;
} vt_animation;

/* ---- simulation ---- */

typedef struct vt_simulation vt_simulation;

enum { VT_AT_CAPACITY_ERROR, VT_AT_CAPACITY_OLDEST, VT_AT_CAPACITY_STOP };

enum { VT_GAS, VT_LIQUID };

/* The fluid at rest around everything: what vortons that are warmer, colder, lighter or heavier
 * rise or sink in. */
typedef struct vt_ambient {
    int32_t kind;       /* VT_GAS (default): density x temperature is constant; VT_LIQUID: density
                           falls by `expansion` per kelvin */
    double density;     /* at height 0, kg/m^3, > 0 (default 1.2041, air) */
    double temperature; /* at height 0, K, > 0 (default 293.15) */
    double stratification; /* how much warmer a metre higher, K/m, >= 0 (default 0): heights count
                              against gravity */
    double expansion;      /* of a liquid, 1/K, > 0 .. .1 (default 2.07e-4, water) */
} vt_ambient;

VT_API vt_ambient vt_default_ambient(void);

enum { VT_BURN_NONE, VT_BURN_SIMPLE, VT_BURN_ARRHENIUS };

/* How fluid that carries fuel burns, and how hot fluid cools. Fuel becomes flame, flame smoke and
 * clear products; all are shares of the mass of a vorton. The heat of combustion is that of fuel as
 * it is emitted, the air in which it burns included: pure gas has some 5e7 J/kg, mixed with just
 * enough air 2.8e6. */
typedef struct vt_combustion {
    int32_t law;          /* VT_BURN_NONE: nothing burns nor cools (default of a simulation);
                             _SIMPLE: at one rate above the ignition temperature; _ARRHENIUS: at the
                             rate x exp(-activation / temperature) */
    double rate;          /* 1/s, 1e-9 .. 1e15 (default 10 simple, 5e4 Arrhenius) */
    double ignition;      /* of _SIMPLE, K, 0 .. 1e6 (default 500) */
    double activation;    /* of _ARRHENIUS, K, 0 .. 1e6 (default 9000) */
    double flame_time;    /* mean life of flame, s, 1e-6 .. 1e9 (default .1) */
    double heat;          /* of combustion, J/kg of fuel, 0 .. 1e9 (default 1.3e6) */
    double heat_capacity; /* of the fluid, J/(kg K), 1 .. 1e6 (default 1100) */
    double soot;          /* share of the flame that becomes smoke, 0 .. 1 (default .6) */
    double radiation;     /* how fast fluid of 1500 K cools by radiation, K/s, 0 .. 1e9 (default
                             400); grows as T^4 less that of the ambient fluid */
    double mixing;        /* rate m of cooling by mixing, dT/dt = -m (T - ambient), 1/s, 0 .. 1e9
                             (default 1); of heat alone: shares of the mass stay */
} vt_combustion;

/* The defaults of a law, VT_BURN_... */
VT_API vt_combustion vt_default_combustion(int32_t law);

typedef struct vt_simulation_def {
    int64_t max_vortons; /* room for vortons, 1 .. 2^30; address space only (default 2^20) */
    int64_t max_tracers; /* room for tracers, 1 .. 2^31 - 1 (default 2^23) */
    int64_t max_nodes;   /* most nodes of the working grid, 17^3 .. 2^30 (default 2^24); where the
                            flow needs more, the spacing grows */
    double spacing;      /* grid spacing h, m; 0 (default): smallest authored core / 1.5, with
                            method.cores point / .66 */
    double gravity[3];   /* m/s^2, at most 1e6 (default 0 0 -9.81); animatable */
    vt_ambient ambient;  /* default vt_default_ambient() */
    vt_combustion combustion; /* default vt_default_combustion(VT_BURN_NONE) */
    double viscosity;         /* kinematic viscosity nu, m^2/s, 0 .. 1e6 (default 0: no diffusion);
                                 animatable */
    double thermal_diffusivity; /* kappa, m^2/s, 0 .. 1e6: heat diffuses at this rate, where
                                   vortons carry a temperature (default 0: it does not);
                                   animatable */
    double dissipation;         /* rate at which smoke thins out, 1/s, 0 .. 1e9 (default 0): the
                                   density of the tracers, and the share of smoke, fall by
                                   exp(-dissipation x time) */
    double wind[3];             /* uniform velocity of the free stream, m/s (default 0); one that
                                   changes: vt_add_wind */
    uint64_t seed;              /* key of all random numbers (default 0) */
    int32_t threads;            /* 1 .. 64; 0 (default): all processors of the process */
    int32_t at_capacity; /* when births do not fit: VT_AT_CAPACITY_ERROR (default) refuses the step,
                            _OLDEST replaces the oldest, _STOP ends births */
    vt_method method;    /* default vt_default_method() */
    int32_t animation_count;        /* (default 0) */
    const vt_animation *animations; /* of the members that are animatable; over a step each acts as
                                       its exact mean */
} vt_simulation_def;

VT_API vt_simulation_def vt_default_simulation(void);
VT_API vt_status vt_create_simulation(const vt_simulation_def *def, vt_simulation **simulation);

/* A second simulation in the same state: from here on the same calls give the same bits in both,
 * and neither sees the other. max_vortons and max_tracers are the room of the copy, at least for
 * those alive; 0: as in the original. */
VT_API vt_status vt_copy_simulation(vt_simulation *simulation, int64_t max_vortons,
                                    int64_t max_tracers, vt_simulation **copy);

/* NULL is allowed; no thread may be inside the simulation. */
VT_API void vt_destroy_simulation(vt_simulation *simulation);

/* Advances by dt > 0 seconds (0 changes nothing), in as many substeps as the flow needs, at most
 * 4096. Arguments, capacity and all values that were written are looked at before anything moves:
 * then a failure has changed nothing but the room made for births (VT_AT_CAPACITY_OLDEST). A flow
 * may still blow up in a later substep (VT_NOT_FINITE), or vortons that split or diffuse find no
 * room (VT_OVER_CAPACITY): the substeps before it stay done, vt_time says how far they came,
 * vt_step_count is as before, what was due by vt_time is born, later births are not lost, and
 * another vt_step, a shorter one say, goes on from there. */
VT_API vt_status vt_step(vt_simulation *simulation, double dt);

VT_API double vt_time(const vt_simulation *simulation); /* s since creation */
VT_API int64_t vt_step_count(const vt_simulation *simulation);

/* Goes on with another method: between two steps, however often. All that evolves stays as it is;
 * what the new method alone needs begins now: vortons of which it counts what they were born with
 * (split) count as born with the strength that they have, those that it lets expand have their
 * volume at their temperature of now, bodies get the panels that it asks for, or lose them, and the
 * grid is placed anew. The memory that was reserved does for every method. Setting the method that
 * the simulation has changes nothing. VT_INVALID_ARGUMENT: a value out of range, or gas that would
 * burn in a closed container. */
VT_API vt_status vt_set_method(vt_simulation *simulation, const vt_method *method);

/* The method of now. */
VT_API vt_method vt_get_method(const vt_simulation *simulation);

/* ---- shapes ---- */

/* Births, force fields and removals take the first four kinds, bodies all. */
enum {
    VT_SHAPE_SPHERE,
    VT_SHAPE_BOX,
    VT_SHAPE_DISK, /* a cylinder */
    VT_SHAPE_MESH,
    VT_SHAPE_CAPSULE, /* all points nearer than radius to a straight line */
    VT_SHAPE_PLANE,   /* half of space: all behind a plane */
    VT_SHAPE_POLYTOPE /* the convex hull of points */
};

typedef struct vt_shape {
    int32_t kind;     /* VT_SHAPE_... (default sphere) */
    double center[3]; /* m (default 0); any point of a plane; unused by mesh and polytope */
    double axis[3];   /* normal of a disk or of a plane, direction of a capsule; any length but 0
                         (default 0 0 1) */
    double radius;    /* sphere, disk, capsule; m, > 0 (default 1) */
    double size[3];   /* edge lengths of a box, m, > 0 (default 1); size[2] is a disk's thickness,
                         and the length of a capsule's line */
    const float *vertices; /* mesh, polytope: vertex_count x 3, m */
    const int32_t *faces;  /* mesh: face_count x 3, closed, outward (right-handed) */
    int64_t vertex_count, face_count;
    /* In emitters, parcels, force fields and kills the radius of a sphere or a disk and the size of
     * a box or a disk are animatable, as "shape.radius" and "shape.size" (3), keys >= 0; of parcels
     * "around.radius" and "around.size", too. Births at once take the shape of their time; those of
     * a rate are as many as in the largest extent, of which those outside are left out. */
    double layer;  /* > 0: not the inside but a layer on the surface, this thick, m (default 0); the
                      mesh may be open then */
    double offset; /* from the surface to the middle of that layer, along the outward normal, m
                      (default 0) */
} vt_shape;

VT_API vt_shape vt_default_shape(void);

/* Volume in m^3 (of a layer: area of the surface x thickness); checks the shape (a mesh without a
 * layer must be closed). */
VT_API vt_status vt_shape_volume(const vt_shape *shape, double *volume);

/* ---- transforms ---- */

/* A space that moves, turns and grows, for things to be placed in: a point p of it lies at
 * position + scale x rotation x turn(axis, angle) x p in the space of its parent. It may be nested
 * to any depth. */
typedef struct vt_transform_def {
    double position[3];      /* m, within 1e9 (default 0); animatable */
    double rotation[4];      /* quaternion w x y z, any length but 0 (default 1 0 0 0); animatable:
                                between keys it takes the shorter way, at a steady pace for linear */
    double axis[3];          /* of angle; any length but 0 (default 0 0 1) */
    double angle;            /* turn about axis before `rotation`, degrees, any number of turns
                                (default 0); animatable */
    double scale;            /* 1e-9 .. 1e9 (default 1); animatable */
    int32_t parent;          /* id of a transform, or 0 (default): the world */
    int32_t animation_count; /* (default 0) */
    const vt_animation *animations; /* of the members that are animatable */
} vt_transform_def;

VT_API vt_transform_def vt_default_transform(void);

/* *id receives 1, 2, ...: what `parent` means elsewhere. */
VT_API vt_status vt_add_transform(vt_simulation *simulation, const vt_transform_def *def,
                                  int32_t *id);

/* From the space of a transform to the world at a time, s: scaled rotation, and position in the
 * last column. id 0 is the world. */
VT_API vt_status vt_get_pose(vt_simulation *simulation, int32_t id, double time,
                             double matrix[3][4]);

/* ---- sources ---- */

/* What the fluid of the vortons of a source carries at birth (the list is VT_CARRIED in
 * columns.def): density, the deviation that is not due to temperature, kg/m^3, -1e6 .. 1e6;
 * temperature, K, up to 1e6, 0: that of the ambient fluid; fuel, flame and smoke, shares of the
 * mass, 0 .. 1, together at most 1, fuel only where there is a law by which it burns and no closed
 * container in which it could not expand. All 0 (default): the vortons of a vortex take up the
 * fluid that is there already. */
typedef struct vt_fluid_def {
#define VT_CARRIED(name, least, most, allowed) double name;
#include "vorton/columns.def"
#undef VT_CARRIED
} vt_fluid_def;

/* A vortex ring, or with two radii an elliptic one. The cross-section has a Gaussian core of
 * vorticity circulation / (pi core^2) exp(-rho^2 / core^2), filled with vortons of
 * core radius vorton_core; with layers = 0 it is one vorton thick and vorton_core = core. */
typedef struct vt_ring_def {
    double center[3];     /* m (default 0) */
    double axis[3];       /* the ring moves along +axis for circulation > 0; any length but 0
                             (default 0 0 1) */
    double radius[2];     /* semi-axes of the centreline, m, > 0 (default 1 1) */
    double major[3];      /* direction of radius[0], made normal to axis (default 1 0 0) */
    double circulation;   /* m^2/s (default 1) */
    double core;          /* core radius of the ring, m, > 0, < the smaller radius (default .1) */
    double vorton_core;   /* sigma of its vortons, m, <= core / 1.5; 0 (default): core / 2, or
                             core for layers 0 */
    double wobble;        /* rms amplitude of a random waviness of the centreline, in radii, 0 .. .5
                             (default 0): modes 2 .. 13 with random phases */
    uint64_t wobble_seed; /* key of those phases (default 0) */
    int64_t sections; /* vortons along the centreline, >= 8; 0 (default): spaced by vorton_core */
    int32_t layers;   /* rings of vortons around the centreline: 0 one vorton thick; -1 (default)
                         as many as vorton_core asks for */
    double time;      /* birth, s, >= 0 (default 0); inside a step it is born inside the step */
    int32_t parent;   /* transform that places it, where that is at its birth; its scale acts on all
                         lengths (default 0: the world) */
    vt_fluid_def fluid; /* of its vortons */
} vt_ring_def;

VT_API vt_ring_def vt_default_ring(void);
VT_API vt_status vt_add_ring(vt_simulation *simulation, const vt_ring_def *def);

/* A vortex line along a smooth curve through given points: the cubic spline with continuous
 * curvature (chord lengths as parameter; no curvature at open ends). Cross-section as of a ring. A
 * closed line has no total strength. Vorticity that ends in the fluid does not exist: of an open
 * line the velocity is that of the line alone (Biot-Savart), as if the vorticity spread evenly in
 * all directions from its ends; beside closed lines the method's cleaning wears the ends away, and
 * health shows strength_share above 0. Put the ends where nobody looks, or close the line. */
typedef struct vt_filament_def {
    const double *points; /* point_count x 3, m; neighbours must differ */
    int64_t point_count;  /* 2 (closed: 3) .. 2^20 */
    int32_t closed;       /* 1: the last point is joined to the first, not repeated (default 0) */
    double circulation;   /* m^2/s, right-handed about the direction of the points (default 1) */
    double core;          /* m, > 0, < the least radius of curvature (default .1) */
    double vorton_core;   /* as of a ring: 0 (default): core / 2 */
    int64_t sections;     /* as of a ring, >= 8 if closed, >= 1 if open; 0 (default) */
    int32_t layers;       /* as of a ring (default -1) */
    double time;          /* birth, s, >= 0 (default 0) */
    int32_t parent;       /* transform that places it, as of a ring (default 0) */
    vt_fluid_def fluid;   /* of its vortons */
} vt_filament_def;

VT_API vt_filament_def vt_default_filament(void);
VT_API vt_status vt_add_filament(vt_simulation *simulation, const vt_filament_def *def);

/* A straight vortex tube: an open filament from start to end, or a wavy one. */
typedef struct vt_tube_def {
    double start[3], end[3]; /* m, different (default 0 0 -1, 0 0 1) */
    double circulation;      /* m^2/s, right-handed about start -> end (default 1) */
    double core;             /* m (default .1) */
    double vorton_core;      /* as of a ring: 0 (default): core / 2 */
    double wobble;           /* rms amplitude of a random waviness, in lengths of the tube, 0 .. .1
                                (default 0): 1 .. 8 waves along it, the short ones lower,
                                with random phases */
    uint64_t wobble_seed;    /* key of those phases (default 0) */
    int64_t sections;        /* as of a ring, >= 1; 0 (default) */
    int32_t layers;          /* as of a ring (default -1) */
    double time;             /* birth, s, >= 0 (default 0) */
    int32_t parent;          /* transform that places it, as of a ring (default 0) */
    vt_fluid_def fluid;      /* of its vortons */
} vt_tube_def;

VT_API vt_tube_def vt_default_tube(void);
VT_API vt_status vt_add_tube(vt_simulation *simulation, const vt_tube_def *def);

/* A jet: a vortex ring at its nozzle for each pulse, at start + n / rate while before end. A pulse
 * pushes out a slug of fluid of length L = speed x duty / rate, whose boundary layer carries the
 * circulation speed L / 2 (slug model: Shariff & Leonard, Vortex rings, 1992; Gharib, Rambod &
 * Shariff 1998). With duty 1 the rings are the shear layer of a steady jet. */
typedef struct vt_jet_def {
    double center[3];        /* of the nozzle, m (default 0) */
    double axis[3];          /* any length but 0 (default 0 0 1) */
    double radius;           /* of the nozzle, m, > 0 (default .5) */
    double speed;            /* at the exit, m/s, > 0 (default 1) */
    double rate;             /* pulses a second, up to 1e4; 0 (default): 2 speed / radius */
    double duty;             /* share of the time between pulses in which fluid flows, > 0, <= 1
                                (default 1) */
    double circulation;      /* of each ring, m^2/s; 0 (default): of the slug */
    double start, end;       /* s, 0 <= start <= end (default 0, infinity) */
    double core;             /* m, > 0, < radius; 0 (default): .18 radius */
    double vorton_core;      /* as of a ring: 0 (default): core / 2 */
    double wobble;           /* as of a ring, 0 .. .5 (default .03), other phases for each ring */
    double tilt;             /* rms angle by which each ring is turned off the axis, in each of two
                                directions, radians, 0 .. .5 (default .05) */
    uint64_t seed;           /* key of wobble and tilt (default 0) */
    int64_t sections;        /* as of a ring (default 0) */
    int32_t layers;          /* as of a ring (default -1) */
    int32_t parent;          /* transform that places each ring at its birth (default 0) */
    int32_t animation_count; /* (default 0) */
    const vt_animation *animations; /* of rate (pulse n is where its integral from start is n, and
                                       flows until the next one), and of center, axis, radius, core,
                                       speed, circulation (0: no ring), duty, wobble, tilt and what
                                       the fluid carries, as they are at each pulse */
    vt_fluid_def fluid;             /* of the vortons of its rings */
} vt_jet_def;

VT_API vt_jet_def vt_default_jet(void);
VT_API vt_status vt_add_jet(vt_simulation *simulation, const vt_jet_def *def);

/* A cloud of random eddies inside a shape: vorticity curl (w v), with v a sum of 96 plane waves,
 * each free of divergence, of random directions and phases and of wavelengths 1.25 .. 3.2 eddy
 * sizes, and w a smooth window that falls to 0 at the surface over two thirds of an eddy. The
 * vorticity is free of divergence; its total strength is 0. */
typedef struct vt_cloud_def {
    vt_shape shape; /* without a layer, thicker than an eddy (default: sphere of radius 1) */
    double speed;   /* rms of v, weighted with w^2, m/s, >= 0 (default 1): the rms speed where the
                       window is 1 */
    double eddy;    /* size of the eddies, half a wavelength, m, > 0 (default .4) */
    double core;    /* of its vortons, m, > 0, <= eddy / 4; 0 (default): eddy / 5 */
    int64_t count;  /* vortons; 0 (default): volume / core^3 */
    uint64_t seed;  /* (default 0) */
    double time;    /* birth, s, >= 0 (default 0) */
    int32_t parent; /* transform that places it, as of a ring (default 0) */
    vt_fluid_def fluid; /* of its vortons */
} vt_cloud_def;

VT_API vt_cloud_def vt_default_cloud(void);
VT_API vt_status vt_add_cloud(vt_simulation *simulation, const vt_cloud_def *def);

/* Vortons of given places and strengths, born at a time. The arrays are copied. */
typedef struct vt_vorton_points_def {
    int64_t count;         /* 1 .. 2^30 */
    const float *position; /* count x 3, m */
    const float *strength; /* count x 3, m^3/s */
    const float *core;     /* count, m, > 0 */
    const float *volume;   /* count, m^3, > 0 */
    double time;           /* birth, s, >= 0 (default 0) */
    int32_t parent;        /* transform that places it, as of a ring (default 0) */
    /* count each, what the fluid of each vorton carries at birth: deviation of the density, kg/m^3;
     * K, > 0; shares of the mass, 0 .. 1, together at most 1, fuel only where there is a law by
     * which it burns. NULL (default): as the ambient fluid. With all NULL the vortons take up the
     * fluid that is there already. */
    const float *density, *temperature, *fuel, *flame, *smoke;
    const float *lifetime; /* count, s, > 0: older ones are removed; NULL (default): endless */
    double rate;   /* vortons a second from `time` to `end`, the points in turn, up to 1e9; 0
                      (default): one at each point at `time`; animatable */
    double end;    /* s, >= time (default infinity) */
    double jitter; /* each is born anywhere in a ball of this radius about its point, m, >= 0
                      (default 0) */
    int32_t animation_count;        /* (default 0) */
    const vt_animation *animations; /* of the members that are animatable */
} vt_vorton_points_def;

VT_API vt_vorton_points_def vt_default_vorton_points(void);
VT_API vt_status vt_add_vorton_points(vt_simulation *simulation, const vt_vorton_points_def *def);

/* Tracers born inside a shape: `count` at once at time `start`, or `rate` a second from `start` to
 * `end`, each at its own time and place of one low-discrepancy sequence in (x, y, z, t). With a
 * parent each is placed by where that is at the tracer's own time. An animated rate is kept
 * exactly: as many are born as its integral says. */
typedef struct vt_emitter_def {
    vt_shape shape;
    int64_t count;     /* tracers born at `start` (default 0) */
    double rate;       /* tracers a second, 0 .. 1e9 (default 0); animatable */
    double start, end; /* s, 0 <= start <= end (default 0, infinity) */
    double density;    /* smoke in the shape, kg/m^3, >= 0 (default 1): what each tracer carries is
                          density x volume / count, or x volume / (rate x 1 s), of an animated rate
                          the largest: then the smoke follows the rate. Animatable: at birth */
    double lifetime;   /* tracers older than this are removed, s, > 0 (default infinity);
                          animatable: at birth */
    double growth;     /* rate at which the size of its tracers grows, m/s, 0 .. 1e9 (default 0);
                          animatable: at birth. A tracer that is larger than a voxel fills a cube of
                          its size in volumes */
    double fade;       /* share of the lifetime, its last, in which the density of its tracers falls
                          to nothing, 0 .. 1 (default 0); animatable: at birth */
    int32_t parent;    /* transform in which the shape lies (default 0: the world) */
    vt_fluid_def fluid; /* of the tracers themselves, as vt_tracer_points_def says (its density is
                           0: tracers weigh nothing); animatable: at birth */
    int32_t animation_count;        /* (default 0) */
    const vt_animation *animations; /* of the members that are animatable */
} vt_emitter_def;

VT_API vt_emitter_def vt_default_emitter(void);
VT_API vt_status vt_add_emitter(vt_simulation *simulation, const vt_emitter_def *def);

/* Fluid that is warmer, colder, lighter or heavier than the ambient one: vortons with no strength
 * but that of the swirl, which carry temperature and density, born inside `shape`. With them
 * ambient ones are born in the rest of `around`, because buoyancy is right only where vortons lie
 * on both sides of the change; those of a rate beside the shape alone, not above or below it. Each
 * stands for spacing^3. Born as the tracers of an emitter are. Without a working grid
 * (method.velocity) they do nothing. */
typedef struct vt_parcels_def {
    vt_shape shape;         /* where fluid that differs is born; may be a layer on a surface */
    const vt_shape *around; /* contains shape (two to three cells wider, say); NULL (default, and
                               with a layer): no ambient vortons */
    double core;            /* core radius of the vortons, m, 1e-9 .. 1e9 (default .2) */
    double spacing;         /* between the vortons, m, .1 to 1 core; 0 (default): core / 2 */
    vt_fluid_def fluid;     /* in shape; its members are animatable: at birth */
    double rate;            /* vortons a second in all of `around`, <= 1e9; 0: it is filled once, at
                               start; negative (default): as fast as the fluid rises or sinks out
                               of its shape; animatable, keys >= 0 */
    double start, end;      /* s, 0 <= start <= end (default 0, infinity) */
    double lifetime;        /* s, > 0: older ones are removed (default infinity); animatable */
    double swirl;   /* rms speed of random eddies in the fluid that is born, of 5 to 13 cores
                       wavelength, m/s, 0 .. 1e6 (default 0); animatable: at birth */
    double taper;   /* how far fuel falls from the middle of the shape to its sides, 0 .. 1 (default
                       0): by this share, as the square of the way; animatable: at birth */
    double flicker; /* how far fuel falls in places and moments, 0 .. 1 (default 0): by this share
                       at most, in patches of 2 to 7 cores that drift with the births; animatable:
                       at birth */
    int32_t parent; /* transform in which both shapes lie (default 0: the world) */
    int32_t animation_count;        /* (default 0) */
    const vt_animation *animations; /* of the members that are animatable */
} vt_parcels_def;

VT_API vt_parcels_def vt_default_parcels(void);
/* *renew (may be NULL) receives how often a second the shape is filled, of an animated rate the
 * largest. */
VT_API vt_status vt_add_parcels(vt_simulation *simulation, const vt_parcels_def *def,
                                double *renew);

/* Tracers born at points: one at each of them at time `start`, or `rate` a second in all from
 * `start` to `end`, the points in turn. The arrays are copied. */
typedef struct vt_tracer_points_def {
    int64_t count;         /* points, 1 .. 2^31 - 1 */
    const float *position; /* count x 3, m */
    const float *density;  /* count; what a tracer born there stands for, kg, >= 0 */
    const float *size;     /* count, m, > 0 */
    const float *lifetime; /* count, s, > 0; NULL (default): infinity */
    const float *growth;   /* count, m/s, 0 .. 1e9, as of an emitter; NULL (default): 0 */
    const float *fade;     /* count, 0 .. 1, as of an emitter; NULL (default): 0 */
    /* count each, what is a tracer's own at birth; NULL (default): nothing. temperature, K, > 0 to
     * 1e6, shown where it differs more from the ambient one than that of the vortons around does;
     * it cools as theirs. fuel, flame and smoke, 0 .. 1, together at most 1: with method.flames own
     * they burn on at the tracer's temperature, without heat, weight or thrust for the flow
     * (embers); else the tracer soon has what the vortons around it have. */
    const float *temperature, *fuel, *flame, *smoke;
    double rate;             /* tracers a second, up to 1e9; 0 (default): one at each point */
    double start, end;       /* s, 0 <= start <= end (default 0, infinity) */
    double jitter;           /* each is born anywhere in a ball of this radius about its point, m,
                                >= 0 (default 0) */
    int32_t parent;          /* transform in which the points lie (default 0) */
    int32_t animation_count; /* (default 0) */
    const vt_animation *animations; /* of rate and jitter, and of density, size, lifetime, growth
                                       and fade, in place of the arrays: at birth; density is then
                                       that of the smoke, kg/m^3, of size^3 each */
} vt_tracer_points_def;

VT_API vt_tracer_points_def vt_default_tracer_points(void);
VT_API vt_status vt_add_tracer_points(vt_simulation *simulation, const vt_tracer_points_def *def);

/* ---- wind ---- */

/* A uniform wind, added to that of the simulation's definition and to others. An animated one acts
 * over a substep as its exact mean. */
typedef struct vt_wind_def {
    double velocity[3];      /* m/s, -1e9 .. 1e9 (default 0); animatable */
    int32_t parent;          /* transform with which its direction turns; its motion and scale
                                add nothing (default 0: the world) */
    int32_t animation_count; /* (default 0) */
    const vt_animation *animations; /* of the members that are animatable */
} vt_wind_def;

VT_API vt_wind_def vt_default_wind(void);
VT_API vt_status vt_add_wind(vt_simulation *simulation, const vt_wind_def *def); /* at most 1024 */

enum { VT_WIND_ZERO, VT_WIND_BORDER };

/* A wind that depends on the position: velocities on the nodes of a box, linear along each axis
 * between them. It is added to the velocity that the vortons induce: it moves
 * vortons and tracers, and its gradient stretches vortons. Inside the working grid it is seen at
 * the nodes of that; finer detail is lost there. */
typedef struct vt_wind_grid_def {
    const float *velocity;   /* nodes[2] x nodes[1] x nodes[0] x 3, m/s, -1e9 .. 1e9: node (i, j, k)
                                at origin + spacing (i, j, k) */
    int32_t nodes[3];        /* along x, y, z: 2 and more, together at most 2^28 */
    double origin[3];        /* m, -1e9 .. 1e9 (default 0) */
    double spacing[3];       /* m, 1e-9 .. 1e9 (default 1) */
    int32_t outside;         /* outside the box: VT_WIND_ZERO (default) no wind, _BORDER that of the
                                nearest point of the box */
    double strength;         /* factor of the velocity, -1e9 .. 1e9 (default 1); animatable */
    int32_t parent;          /* transform in which the box and the directions lie; velocities do not
                                grow with its scale, nor with its motion (default 0: the world) */
    int32_t animation_count; /* (default 0) */
    const vt_animation *animations; /* of the members that are animatable */
} vt_wind_grid_def;

VT_API vt_wind_grid_def vt_default_wind_grid(void);

/* Copies the values. At most 1024. */
VT_API vt_status vt_add_wind_grid(vt_simulation *simulation, const vt_wind_grid_def *def);

/* ---- force fields ---- */

enum { VT_FORCE_ATTRACTOR, VT_FORCE_VORTEX, VT_FORCE_DRAG };

/* A force field acts on tracers alone; vortons keep to the fluid. Tracers have no mass, so it gives
 * them a velocity in addition to the fluid's. With d the way from the centre, R the radius:
 *
 *   attractor  -strength d / R exp((1 - d^2 / R^2) / 2): towards the centre, largest, `strength`,
 * at the distance R vortex     around an axis, at the distance r from it: strength / (2 pi r) (1 -
 * exp(-r^2 / R^2)), right-handed drag       the fraction `strength` of the difference between
 * `velocity` and that of the tracer, the wind and all other fields included; several act one after
 * the other */
typedef struct vt_force_def {
    int32_t kind; /* VT_FORCE_... (default attractor) */
    double
        center[3];   /* m, -1e9 .. 1e9 (default 0); any point of the axis of a vortex; animatable */
    double axis[3];  /* -1e9 .. 1e9, any length but 0 (default 0 0 1); animatable */
    double strength; /* (default 1) attractor: m/s, negative drives away; vortex: circulation,
                        m^2/s; both -1e9 .. 1e9; drag: 0 .. 1; animatable */
    double radius;   /* m, 1e-6 .. 1e9 (default 1); unused by drag; animatable */
    double velocity[3];             /* drag: m/s, -1e9 .. 1e9 (default 0); animatable */
    const vt_shape *shape;          /* acts inside alone; NULL (default): everywhere */
    int32_t parent;                 /* transform in which all of it lies (default 0: the world) */
    int32_t animation_count;        /* (default 0) */
    const vt_animation *animations; /* of the members that are animatable */
} vt_force_def;

VT_API vt_force_def vt_default_force(void);
/* At most 1024. Copies what it needs. */
VT_API vt_status vt_add_force(vt_simulation *simulation, const vt_force_def *def);

/* ---- removal ---- */

enum { VT_KILL_TRACERS, VT_KILL_VORTONS, VT_KILL_BOTH };

/* Removes, at the end of each step, the particles that fulfil all conditions given; the others keep
 * their order. Vortons take their strength with them: its sum changes. */
typedef struct vt_kill_def {
    int32_t what;          /* VT_KILL_... (default tracers) */
    const vt_shape *shape; /* inside this shape; NULL (default): anywhere */
    int32_t parent;        /* transform in which shape, point and distance lie (default 0) */
    int32_t outside;       /* 1: outside of it instead (default 0) */
    double age;            /* s and more, >= 0 (default 0) */
    double point[3];       /* from which distance is, m, -1e9 .. 1e9 (default 0) */
    double distance[2];    /* m, least >= 0 and most (default 0, infinity) */
    double speed[2];   /* m/s, of the last substep, wind and forces included, least >= 0 and most
                          (default 0, infinity); particles of age 0 have none */
    double start, end; /* when it acts, s, 0 <= start <= end (default 0, infinity) */
    int32_t animation_count;        /* (default 0) */
    const vt_animation *animations; /* of age, point, least_distance, most_distance, least_speed and
                                       most_speed */
} vt_kill_def;

VT_API vt_kill_def vt_default_kill(void);
/* At most 1024. VT_INVALID_ARGUMENT also where no condition is given. */
VT_API vt_status vt_add_kill(vt_simulation *simulation, const vt_kill_def *def);

/* ---- bodies ---- */

/* A rigid body that vortons and tracers do not enter, or with `hole` a container that they do not
 * leave. It is fixed, moves with a transform, or by itself. Contact is swept: a particle that comes
 * up against a wall stays on the side that it came from, however fast either moves, and loses its
 * velocity towards the wall. What lies inside a solid or outside a container when it is born, or
 * when the body is added, is removed; so is what bodies that close in leave no room. What the
 * smallest container holds goes with it where it jumps, and feels gravity less its acceleration. */
typedef struct vt_body_def {
    const char *name;       /* for messages, up to 63 bytes; NULL (default): its number */
    const vt_shape *shapes; /* of any kind; a mesh must be convex (default none) */
    int32_t shape_count;    /* 1 .. 65536; a solid is all of them together, a container is what they
                               have in common */
    int32_t hole;           /* 1: a container (default 0: a solid) */
    int32_t parent;         /* transform in which the shapes lie and with which they move (default
                               0: the world); its scale must not change */

    /* A body with a density has mass, and unless it is held it moves by itself: under gravity,
     * buoyancy, its force and torque, what the flow gives it, impulses, and contact with the other
     * bodies. Fluid that it has to set in motion makes it more inert (added mass). */
    double density; /* kg/m^3, > 0; 0 (default): it has no mass, is fixed or moves with its parent.
                       Not of a plane nor of a container */
    int32_t held;   /* 1: it keeps its place though it has mass, or goes where vt_set_body sends it
                       (default 0) */
    double velocity[3];         /* of its centre at first, m/s (default 0) */
    double angular_velocity[3]; /* at first, in the world, rad/s (default 0) */
    double restitution;      /* speed after over speed before a contact, 0 .. 1 (default .3): of two
                                bodies the larger one */
    double friction;         /* most force along a wall over force against it, 0 .. 100 (default
                                .5): of two bodies the geometric mean */
    double damping;          /* rate at which its velocity relative to the wind, and its spin, fade,
                                1/s, 0 .. 1e6 (default 0): for what of the drag the flow that is
                                simulated does not give */
    double force[3];         /* on its centre, in the world, N (default 0); animatable */
    double torque[3];        /* in the world, N m (default 0); animatable */
    int32_t animation_count; /* (default 0) */
    const vt_animation *animations; /* of the members that are animatable */
    int32_t panels;  /* about how many source panels keep the fluid from flowing through, 20 ..
                        2048 (default 320), with method.bodies; 0: none, particles stop at the wall.
                        Those of a plane alone lie where the vortons are near it, and shed nothing;
                        among several shapes a plane is a wall of a hole, and has none in a solid.
                        Holes of several planes alone, or thinner than a panel is wide, have none.
                        For them a step has at most 8 substeps: of a body that goes farther
                        than about its radius in a step the flow is coarse */
    double shedding; /* of a solid: share per second of the layer of fluid that slips along panels
                        which becomes vortons just above them, 1/s, 0 .. 1e6 (default 30); 0: fluid
                        slips, as it does along the walls of a hole */

    /* Heat that it exchanges with the vortons no farther from its surface than a core, which then
     * carry a temperature. Around a solid of finite size neutral vortons are kept, so that there is
     * fluid to exchange it with (method.halo cells wide; 0: none). */
    double temperature;   /* at first, K, <= 1e6; 0 (default): that of the ambient fluid where
                             density and specific_heat are given, else it exchanges no heat */
    double specific_heat; /* J/(kg K), 0 .. 1e9; with density it warms and cools; 0 (default), or
                             without density: its temperature is held. That of the fluid is 1005
                             (gas), 4182 (liquid), or what combustion says */
    double conductance;   /* heat transfer coefficient h of the surface, W/(m^2 K), 0 .. 1e9: the
                             flow of heat is h x area x difference of the temperatures. -1
                             (default): 25 in a gas, 500 in a liquid */
} vt_body_def;

VT_API vt_body_def vt_default_body(void);

/* *id (may be NULL) receives 0, 1, ...; at most 4096. Errors name the body; also an error: a solid
 * that a source added before, and still to bear, lies inside of for good, or a container that it
 * lies outside of; a container that holds none of the particles alive; a body that starts outside
 * of a container, unless keys lead it in, or two that move by themselves deep in each other. */
VT_API vt_status vt_add_body(vt_simulation *simulation, const vt_body_def *def, int32_t *id);

VT_API int32_t vt_body_count(const vt_simulation *simulation);

typedef struct vt_body_state {
    char name[64];
    int32_t hole;
    double position[3];         /* centre of its volume, m: of several shapes, the mean of theirs by
                                   volume; of a plane its point */
    double rotation[4];         /* unit quaternion w x y z */
    double velocity[3];         /* of that centre, m/s */
    double angular_velocity[3]; /* rad/s, in the world */
    int32_t free;               /* it moves by itself */
    double mass;                /* kg; 0: it has none */
    double inertia[3][3];       /* moments of inertia about the centre, in the world, kg m^2 */
    double fluid_density;       /* mean of the fluid that a body with mass displaces, kg/m^3 */
    /* what a body has received since its creation: impulses, N s, and angular impulses about its
     * centre, N m s, of the flow (what it takes to set the fluid around it in motion included; with
     * method.bodies article of the particles that ran into it), and with mass of gravity and
     * buoyancy together, and of contact with other bodies. A held one records them without
     * following. */
    double flow_impulse[3], flow_angular_impulse[3];
    double weight_impulse[3], weight_angular_impulse[3];
    double contact_impulse[3], contact_angular_impulse[3];
    double temperature;      /* K; 0: it exchanges no heat */
    double heat_given;       /* to the fluid since it was added, J; below 0: taken */
    double shed_strength[3]; /* sum of the strengths of the vortons that it has shed, m^3/s: vortex
                                lines go on inside a body, where -shed_strength lies evenly */
} vt_body_state;

/* Where body `id` is now, and how it moves from now on. */
VT_API vt_status vt_get_body(vt_simulation *simulation, int32_t id, vt_body_state *state);

/* What somebody outside sets of a body that is not moved by a transform. */
typedef struct vt_body_change {
    const double *position; /* of its centre, 3, m; NULL (default): as it is */
    const double *rotation; /* quaternion w x y z of any length but 0; NULL (default): as it is */
    const double *velocity, *angular_velocity; /* 3, m/s and rad/s; NULL (default): as they are */
    double over; /* s, >= 0. 0 (default): it is there at once: particles in its way are put out of
                    it by the shortest way, what a container holds goes with it. > 0: it sets out
                    for that place, straight and turning the shorter way, so as to be there in that
                    time, and particles that it meets are swept along: its velocities become those
                    of the way, which it keeps until it is set again. For bodies that do not move by
                    themselves */
} vt_body_change;

VT_API vt_body_change vt_default_body_change(void);

/* Sets a body where it is, or how it moves from now on. A body that does not move by itself keeps
 * these velocities from now on; so may a container, a held body and one without mass be led. */
VT_API vt_status vt_set_body(vt_simulation *simulation, int32_t id, const vt_body_change *change);

/* Gives a body that moves by itself an impulse, N s, at a point, m (NULL: its centre), and an
 * angular impulse, N m s (NULL: none): its velocities change at once, against the inertia of body
 * and added mass. */
VT_API vt_status vt_apply_impulse(vt_simulation *simulation, int32_t id, const double impulse[3],
                                  const double *point, const double *angular_impulse);

/* Signed distance (count, m) of points (count x 3, m) from the walls of body `id` as it is now, > 0
 * where particles may be: exact for one shape; where shapes of one body overlap, a lower bound of
 * the depth inside. nearest (count x 3, may be NULL): the points of the walls; normal (count x 3,
 * may be NULL): unit vectors along which the distance grows. */
VT_API vt_status vt_body_distance(vt_simulation *simulation, int32_t id, int64_t count,
                                  const double *points, double *distance, double *nearest,
                                  double *normal);

/* Panels of body `id`; 0: it has none. */
VT_API vt_status vt_count_panels(vt_simulation *simulation, int32_t id, int32_t *count);

/* The panels of body `id` as they are now, in the world: centroid, normal towards the fluid (count
 * x 3, m), area (count, m^2), source density (count, m/s), velocity of the fluid at that side
 * (count x 3, m/s). Without a flow density is 0 and velocity the wind. Pointers may be NULL.
 * added_mass: impulse and angular impulse over the density of the fluid that the body gives it, in
 * axes of its own space about the centre of its volume, where it moves (rows 0-2) and turns (3-5)
 * at unit rate: 6 x 6, m^3, m^4, m^5. */
typedef struct vt_panel_arrays {
    double *center, *normal, *area;
    float *density, *velocity;
    double *added_mass;
} vt_panel_arrays;
VT_API vt_status vt_get_panels(vt_simulation *simulation, int32_t id,
                               const vt_panel_arrays *arrays);

/* ---- particles ---- */

enum { VT_VORTONS, VT_TRACERS };
enum { VT_FLOAT32, VT_INT64 };

/* An array that belongs to the simulation, in C order. Column arrays never move; the first `count`
 * rows are alive. A step may permute the rows of a set, all columns together: id is identity. */
typedef struct vt_array {
    void *data;
    int32_t type; /* VT_FLOAT32 or VT_INT64 */
    int32_t dimensions;
    int64_t shape[4];
    int64_t strides[4]; /* bytes */
} vt_array;

VT_API int64_t vt_count(const vt_simulation *simulation, int set);
VT_API int64_t vt_capacity(const vt_simulation *simulation, int set);

/* Column by its name in columns.def, shape (count,) or (count, 3). Asking for `velocity` of the
 * tracers once makes every later step keep it up to date. */
VT_API vt_status vt_column(vt_simulation *simulation, int set, const char *name, vt_array *array);

/* 1 where the vortons carry what this column of the tracers shows (temperature, fuel, flame,
 * smoke), else 0: then all tracers are ambient, or have none of it. */
VT_API int vt_tracers_carry(const vt_simulation *simulation, const char *name);

/* Row `index` of columns.def for the set; returns 0 past the last. */
typedef struct vt_column_field {
    const char *name, *description;
    int32_t type, components;
} vt_column_field;
VT_API int vt_describe_column(int set, int index, vt_column_field *field);

/* Appends vortons. position and strength: count x 3, finite; core: count, > 0, m; volume: count,
 * > 0, m^3. ids (count, may be NULL) receives their identities. */
VT_API vt_status vt_add_vortons(vt_simulation *simulation, int64_t count, const float *position,
                                const float *strength, const float *core, const float *volume,
                                int64_t *ids);

/* Appends tracers. position: count x 3, finite; density: count, >= 0, kg; size: count, > 0, m. */
VT_API vt_status vt_add_tracers(vt_simulation *simulation, int64_t count, const float *position,
                                const float *density, const float *size, int64_t *ids);

/* Removes the rows where mask (count bytes) is not 0; the others keep their order. */
VT_API vt_status vt_remove(vt_simulation *simulation, int set, const uint8_t *mask);

/* rows[i] = row of ids[i] now, or -1 where it is not alive. */
VT_API vt_status vt_find_rows(vt_simulation *simulation, int set, int64_t count, const int64_t *ids,
                              int64_t *rows);

/* ---- fields ---- */

/* Brings the fields up to date with the particles, without moving anything. Everything that reads
 * fields does this by itself when it is needed; views of them show what was there last. */
VT_API vt_status vt_update_fields(vt_simulation *simulation);

/* Node-centred arrays of the working grid, shape (nz, ny, nx, 3), not contiguous: "velocity" (m/s,
 * relative to the uniform wind) and "vector_potential" (m^2/s), up to date with the particles. Node
 * (k, j, i) is at origin + spacing (i, j, k). Valid until the next step. VT_INVALID_ARGUMENT when
 * there is no grid: no vorton carries circulation, or the method has none. */
VT_API vt_status vt_get_grid(vt_simulation *simulation, const char *name, vt_array *array,
                             double origin[3], double *spacing);

/* Velocity in m/s at count points (count x 3, m), anywhere, from the fields of now, winds
 * included, force fields not: inside the grid by sampling, outside by the far field of the vortons.
 */
VT_API vt_status vt_velocity_at(vt_simulation *simulation, int64_t count, const float *points,
                                float *velocity);

/* ---- records ---- */

/* Health of the flow, computed on request from the state and the fields of now; health.def lists
 * and explains the numbers. */
typedef struct vt_health {
#define VT_HEALTH_int32 int32_t
#define VT_HEALTH_int64 int64_t
#define VT_HEALTH_double double
#define VT_HEALTH(name, type, unit, description) VT_HEALTH_##type name;
#define VT_HEALTH_VECTOR(name, type, unit, description) VT_HEALTH_##type name[3];
#include "vorton/health.def"
#undef VT_HEALTH_int32
#undef VT_HEALTH_int64
#undef VT_HEALTH_double
} vt_health;
VT_API vt_status vt_get_health(vt_simulation *simulation, vt_health *health);

/* Time spent in a stage, by index (returns 0 past the last): its name, seconds in the last step,
 * seconds and calls since creation; timings.def lists and explains the stages. */
typedef struct vt_timing {
    const char *name;
    double last, total;
    int64_t calls;
} vt_timing;
VT_API int vt_get_timing(const vt_simulation *simulation, int index, vt_timing *timing);

/* ---- the solvers by themselves ---- */

/* Velocity (m/s) induced at target_count points by source_count vortons: float64, brute force, the
 * judge of all other routes: u = sum q(r / core) alpha x (x - x_j) / (4 pi r^3), part 3. gradient
 * (target_count x 9, row i is d u_i / d x_j) and potential (target_count x 3) may be NULL. kernel:
 * VT_KERNEL_... */
VT_API vt_status vt_direct_sum(int32_t kernel, int64_t target_count, const double *targets,
                               int64_t source_count, const double *positions,
                               const double *strengths, const double *cores, double *velocity,
                               double *gradient, double *potential, int32_t threads);

/* Solves laplace(A) = -source on the nodes of a box of cells[0] x cells[1] x cells[2] cells (even,
 * 2^a 3^b 5^c, 8 .. 1024) with the 7-point stencil, as the rows poisson, cycles, steps and
 * downsampling of the method say (NULL: the default, directly). field: (nz, ny, nx, 3) float32 with
 * nx = cells[0] + 1 ...: source at inner nodes and boundary values of A on the faces; overwritten
 * by A. */
VT_API vt_status vt_solve_poisson(const int32_t cells[3], double spacing, float *field,
                                  const vt_method *method, int32_t threads);

/* ---- volumes ---- */

/* A sparse volume: leaves of 8 x 8 x 8 voxels (value index x * 64 + y * 8 + z), voxel (i, j, k)
 * centred at voxel_size * (i, j, k). It has a density, perhaps a velocity, and those of the fields
 * of volume.def that the tracers carry. These are means weighted with the tracers' mass, sum m T W
 * / sum m W, never sums. */
typedef struct vt_volume vt_volume;

typedef enum vt_volume_field {
#define VT_VOLUME_FIELD(name, unit, description) VT_VOLUME_##name,
#include "vorton/volume.def"
    VT_VOLUME_FIELDS
} vt_volume_field;

/* Name of a field; NULL past the last. */
VT_API const char *vt_volume_field_name(int field);

/* 1 where the tracers of the volume carry the field. */
VT_API int vt_volume_carries(const vt_volume *volume, int field);

typedef struct vt_volume_def {
    double voxel_size;      /* m, > 0 */
    double velocity_margin; /* voxels beyond density in which velocity is stored, 0 .. 16
                               (default 3) */
    int32_t threads;        /* 1 .. 64, also for encoding; 0 (default): those of the simulation, or
                               without one all processors of the process */
    int32_t sharp; /* 1: each tracer is spread as those around it lie, by about half of their
                      spacing: a thin sheet of few tracers is a sheet, not dots. For volumes with
                      fewer than 4 tracers in a voxel; takes 170 bytes and some 1 us a tracer.
                      0 (default): they are filtered, where they are few by half of their spacing,
                      at most a voxel, for some .05 us */
} vt_volume_def;
VT_API vt_volume_def vt_default_volume(void);

/* Density (kg/m^3) of the tracers, velocity (m/s), and what else they carry, on voxels, from the
 * state of now. */
VT_API vt_status vt_create_volume(vt_simulation *simulation, const vt_volume_def *def,
                                  vt_volume **volume);
VT_API void vt_destroy_volume(vt_volume *volume); /* NULL is allowed */

/* Fills velocity (count x 3, m/s) at points (count x 3, m). Anything but VT_OK ends the call that
 * asked for it, with this status and message. */
typedef vt_status vt_velocity_function(void *context, int64_t count, const float *points,
                                       float *velocity);

/* Tracers that belong to no simulation. The arrays are read during the call only. */
typedef struct vt_tracer_source {
    int64_t count;         /* 0 .. 2^31 - 1 */
    const float *position; /* count x 3, m; within 2^23 voxels of the origin along each axis */
    const float *density;  /* count; what each stands for, kg, >= 0 */
    const float *size;     /* count; spacing of the tracers around it at birth, m, >= 0 */
    vt_velocity_function *velocity; /* called for many voxels at a time; NULL: no velocity grid */
    void *context;                  /* its first argument */
    const float *temperature;       /* count, K, > 0; NULL: not carried */
    const float *fuel, *flame, *smoke; /* count, mass fractions of the fluid around each, >= 0;
                                          NULL: not carried. What began as fuel is dense when most
                                          of it has burnt: density x max(e, 1 - 3 u)^2, with u =
                                          (w fuel + flame) / (fuel + flame + smoke + e), e = .001,
                                          so that what is far from all flames stays what it is. w
                                          is 1 from the temperature T at which fuel burns on, 0
                                          below .8 T: fuel too cold to burn is smoke */
    double ambient_temperature;        /* of the fluid without tracers, K, > 0 with temperature */
    vt_combustion combustion; /* that gives T: ignition of _SIMPLE; of _ARRHENIUS where the rate is
                                 1/s, activation / ln(rate), at most activation; 500 K of _NONE */
} vt_tracer_source;
VT_API vt_status vt_create_volume_from_tracers(const vt_tracer_source *source,
                                               const vt_volume_def *def, vt_volume **volume);

typedef struct vt_volume_info {
    int64_t leaves, active_voxels, tracers;
    double mass;               /* sum of density x voxel volume, kg */
    double centroid[3];        /* density-weighted, m */
    double lower[3], upper[3]; /* bounds of the active voxels, m */
    double filled_voxels;    /* (sum of density)^2 / sum of density^2: as many voxels of one density
                                hold the smoke; a faint rim hardly counts */
    double coldest, hottest; /* of the active voxels, K; 0 without temperature */
    double flame_volume;     /* of what burns, m^3; 0 without flame */
    double ambient_temperature; /* K; 0 without temperature */
} vt_volume_info;
VT_API vt_status vt_get_volume_info(const vt_volume *volume, vt_volume_info *info);

/* Fills values ((nz, ny, nx), float32) with the density of the voxels first .. first + shape - 1
 * (x, y, z), 0 outside the leaves. */
VT_API vt_status vt_volume_density(const vt_volume *volume, const int32_t first[3],
                                   const int32_t shape[3], float *values);

/* The same for a field (VT_VOLUME_...); temperature is ambient where no tracer reaches. */
VT_API vt_status vt_volume_values(const vt_volume *volume, int field, const int32_t first[3],
                                  const int32_t shape[3], float *values);

typedef struct vt_vdb_def {
    const char *density_name;     /* grid names; NULL leaves the grid out (default "density") */
    const char *velocity_name;    /* (default "velocity") */
    int32_t half;                 /* store 16-bit floats (default 1) */
    int32_t compress;             /* zlib, where the build has it (default 1) */
    const char *temperature_name; /* K, background ambient (default "temperature") */
    const char *heat_name;  /* how much it glows, 0 .. 1: fire in its reaction zone; without flame
                               what is hot, from 800 K to 2500 K (default NULL) */
    const char *flame_name; /* (default "flame") */
    const char *fuel_name;  /* (default "fuel") */
} vt_vdb_def;
VT_API vt_vdb_def vt_default_vdb(void);

/* The whole OpenVDB file (format 224) in memory: *bytes of *size, to be given back with vt_free. */
VT_API vt_status vt_encode_vdb(const vt_volume *volume, const vt_vdb_def *def, uint8_t **bytes,
                               int64_t *size);
VT_API void vt_free(void *pointer);

/* 1 when the build found zlib. */
VT_API int vt_has_compression(void);

/* ---- preview ---- */

/* A lit picture of smoke by a perspective camera: shadows, two octaves of multiple scattering,
 * occluded ambient light, filmic tone. Where the volume has flame it glows as a black body of its
 * temperature does, and lights the smoke and the bodies, which cast shadows by its light. */
typedef struct vt_preview_def {
    int32_t width, height;           /* pixels, 16 .. 8192 (default 640 x 480) */
    double eye[3], target[3], up[3]; /* m (default up 0 0 1) */
    double field_of_view;            /* vertical, degrees, 5 .. 120 (default 35) */
    double extinction;       /* optical depth per kg/m^2; 0 (default): 9 / p95 of the rays' column
                                density, see vt_preview_extinction */
    double exposure;         /* (default .6) */
    double albedo[3];        /* (default .88 .87 .86) */
    double key_direction[3]; /* towards the light (default -.55 -.35 .75) */
    double key_color[3];     /* (default 1.5 1.46 1.38) */
    double sky_color[3];     /* ambient from above (default .13 .16 .21) */
    double ground_color[3];  /* ambient from below (default .05 .05 .05) */
    double background[2][3]; /* linear colour at the bottom and the top (default .035 .04 .045,
                                .08 .105 .14) */
    double step;             /* length of a march step in voxels, .25 .. 2 (default .8) */
    int32_t threads;         /* 0 (default): all */
    double emission; /* of a volume with flame: radiance of a metre of what glows wholly, at 2000 K;
                        0 (default): 2 / p95 of the rays' glow, see vt_preview_emission */
    double bloom;  /* share of the fire's light that spreads over the picture, 0 .. 1 (default .12)
                    */
    double dye[2]; /* K: the smoke is dyed by its temperature, blue at dye[0], then green, yellow
                      and red at dye[1], and no fire is drawn; equal (default 0 0): no dye. Needs
                      temperature */
    vt_simulation *bodies; /* whose bodies of now are drawn, in grey; NULL (default): none. It is
                              not to be changed meanwhile */
} vt_preview_def;
VT_API vt_preview_def vt_default_preview(void);

/* pixels: height x width x 3, sRGB bytes, top row first. */
VT_API vt_status vt_render_preview(const vt_volume *volume, const vt_preview_def *def,
                                   uint8_t *pixels);

/* The extinction that makes this frame read as smoke: 9 / p95 of the column density over the rays
 * that meet it, 0 without smoke. Take it from a developed frame and keep it for the shot. */
VT_API vt_status vt_preview_extinction(const vt_volume *volume, const vt_preview_def *def,
                                       double *extinction);

/* The emission that makes this frame read as fire: 2 / p95 of the glow along the rays that meet it,
 * 0 without fire. Take it from a frame with much flame and keep it for the shot. */
VT_API vt_status vt_preview_emission(const vt_volume *volume, const vt_preview_def *def,
                                     double *emission);

#ifdef __cplusplus
}
#endif

#endif
