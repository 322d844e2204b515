/* The bodies during a substep: where their walls are, which of them may be met where, and what
 * becomes of a particle that meets some. */
#pragma once

#include "base/arena.h"
#include "kernels/bodies/contact_broad_phase.h"
#include "model/pose.h"
#include "state/body.h"

/* A body on its way through the substep: poses at equal times, near enough to each other that what
 * a particle does in its space between two of them is all but straight. */
typedef struct vt_wall {
    const vt_body *body;
    int32_t parts;
    int32_t swept;       /* a solid that did not jump: particles are followed on their way */
    int32_t simple;      /* a swept solid of one convex shape that is seen in one part */
    int32_t still;       /* the body does not move */
    const vt_pose *pose; /* parts + 1 */
    double step;         /* longest way of its points from one pose to the next, m */
    double center[3];    /* of the body at the end, m */
    double start[3];     /* centre of the body at the beginning, m */
    double bow;          /* how far its centre comes from the straight line between them, m */
    double turn;         /* longest difference of its rotation from one pose to the next, radians */
    double lower[3], upper[3]; /* what rests outside of this box is beside the wall, m */
    double middle[3], around;  /* as what rests outside of this sphere, m */
    double velocity[3];        /* of pivot in the middle of the substep, m/s */
    double angular[3];         /* rad/s */
    double pivot[3];
} vt_wall;

/* Boxes of all that solids of finite size pass, by coarse cells that they reach into. */
typedef struct vt_wall_boxes {
    int32_t cells[3];
    double lower[3], per_cell; /* m, 1/m */
    uint32_t *first;           /* cells + 1: first entry of each cell in `wall` */
    int32_t *wall;             /* numbers, in rising order */
} vt_wall_boxes;

typedef struct vt_walls {
    const vt_transforms *transforms;
    double from, to; /* s */
    int32_t count;
    vt_wall *wall;
    vt_lattice lattice; /* where particles must be looked at */
    int32_t *near;      /* numbers of the walls of each cell, from lattice.first on */
    int32_t *all, *far; /* all walls; those that reach beyond the lattice */
    int32_t far_count;
    double most_turn; /* of any wall */
    vt_wall_boxes boxes;
} vt_walls;

/* What there is to move in a substep, to choose a lattice that pays: the result does not depend on
 * it. */
typedef struct vt_crowd {
    double lower[3], upper[3]; /* a box in which most particles are, m; empty where lower > upper */
    int64_t count;
    double way; /* how far all but few of them move along each axis, m */
} vt_crowd;

/* Poses of all bodies from `from` to `to`, s; in arena memory. */
void vti_make_walls(const vt_bodies *bodies, const vt_transforms *transforms, double from,
                    double to, vt_arena *arena, int threads, vt_walls *walls);

/* Whether a wall is of finite size, and goes a finite way. */
static inline int vti_is_bounded(const vt_wall *wall)
{
    return isfinite(wall->body->reach) && isfinite(wall->step);
}

/* Square of the distance of a point from the straight line between two others. */
static inline double vti_square_from_line(const double from[3], const double to[3],
                                          const double point[3])
{
    double way[3], arm[3];
    vti_subtract(to, from, way);
    vti_subtract(point, from, arm);
    const double square = vti_dot(way, way), along = vti_dot(arm, way);
    const double share = along > 0 ? (along < square ? along / square : 1) : 0;
    vti_add_scaled(arm, -share, way);
    return vti_dot(arm, arm);
}

/* From how far off what ends at a point may come without meeting a solid on its way, m, at least;
 * not above 0: not known. In the space of the body the particle runs straight from pose to pose; in
 * the world that is its way relative to the centre, but for the turn of what is as far from there
 * as it may be: of the body, its way, and twice that of the particle. */
static inline double vti_free_displacement(const vt_wall *wall, const double end[3])
{
    const double farthest = wall->body->reach + wall->parts * wall->step;
    const double passed = wall->body->reach + wall->bow + wall->turn * farthest;
    const double square = wall->still ? vti_square_between(wall->center, end)
                                      : vti_square_from_line(wall->start, wall->center, end);
    return (vti_sqrt(square) - passed) / (1 + 2 * wall->turn);
}

/* The walls, in rising order, that may be met on the way of a particle, or where it is moved aside
 * by up to `around`, m: it keeps more than that, and the skin, from all others. Returns how many,
 * at most VT_MOST_AROUND; more than that, and nothing else, where there may be more. */
enum { VT_MOST_AROUND = 256 };
int32_t vti_walls_around(const vt_walls *walls, const double start[3], const double end[3],
                         double around, int32_t list[VT_MOST_AROUND]);

/* Poses of a body at parts + 1 equal times from `from` to the end of the substep. */
enum { VT_MOST_PARTS = 32 };
void vti_fill_poses(const vt_walls *walls, const vt_body *body, double from, int32_t parts,
                    vt_pose *pose);

/* How fast something at a point comes nearer to a wall, m/s, < 0, or moves away from it. */
static inline double vti_approach(const vt_wall *wall, const double point[3],
                                  const double velocity[3], const double normal[3])
{
    double arm[3], carried[3], speed = 0;
    vti_subtract(point, wall->pivot, arm);
    vti_cross(wall->angular, arm, carried);
    for (int c = 0; c < 3; c++)
        speed += (velocity[c] - wall->velocity[c] - carried[c]) * normal[c];
    return speed;
}

/* Where a particle came up against a wall: the point, m, and the normal that leads away from it. */
typedef struct vt_hit {
    const vt_wall *wall;
    double point[3], normal[3];
} vt_hit;

/* One after the other; what comes after so many finds no velocity left to stop. */
enum { VT_MOST_HITS = 8 };
typedef struct vt_article_impulse {
    int32_t count;
    vt_hit hit[VT_MOST_HITS];
} vt_article_impulse;

/* A particle: born at `from` or since, when it was at `start`; it would be at `end` at `to` if it
 * met nothing. */
typedef struct vt_traveller {
    double birth; /* s */
    double start[3], end[3];
    double velocity[3];       /* m/s */
    int64_t *looks;           /* counts the walls that are looked at */
    vt_article_impulse *hits; /* receives what it ran into, if it was held; NULL: nobody asks */
} vt_traveller;

enum { VT_UNHINDERED, VT_HELD, VT_SQUEEZED };
