/* The nodes of a cubic lattice, fixed in the world, kept in bricks of 8 x 8 x 8 wherever some are
 * needed; and how far vortons fill them with their volume. */
#pragma once

#include "kernels/dispatch.h"
#include "model/fluid_law.h"
#include "model/pose.h"

/* What a vorton is to the halo. */
enum {
    VT_SHELL_SEED = VT_CONTENT_SOURCE, /* it needs one around it */
    VT_SHELL_LASTING = VT_CONTENT_ANY  /* it stays without one */
};

enum { VT_BRICK_EDGE = 8, VT_BRICK_NODES = VT_BRICK_EDGE * VT_BRICK_EDGE * VT_BRICK_EDGE };

/* Bit x of row [z * VT_BRICK_EDGE + y] stands for node (x, y, z). */
typedef uint8_t vt_node_bits[VT_BRICK_EDGE * VT_BRICK_EDGE];

typedef struct vt_brick {
    struct vt_brick *chain, *next;   /* of the same bucket; in the order of their making */
    int64_t number;                  /* in that order */
    int32_t at[3];                   /* node / VT_BRICK_EDGE, rounded down */
    float core, lifetime;            /* of the vorton for which it was made, m, s */
    vt_node_bits source, near, wide; /* what the halo makes of the nodes */
    vt_node_bits born;               /* nodes that a vorton is to be born at */
    int64_t missing;                 /* how many */
    float fill[VT_BRICK_NODES];      /* volume of vortons in it / volume of a node */
} vt_brick;

typedef struct vt_shell_lattice {
    double spacing, scale; /* m; 1 / spacing */
    vt_brick **bucket, *first, **end;
    int64_t bricks;
    int32_t low[3], high[3]; /* bounds of their places */
    uint32_t buckets;        /* a power of 2 */
    vt_brick_box box;        /* after listing: where they are */
    uint32_t *in_box;        /* of each place in it, and one more: the number of the brick, or as
                                many as there are; NULL where it would be large */
    uint32_t *order, *start; /* after filling: the vortons by the brick of the node below them, and
                                where each brick's begin, by number (and the end) */
    vt_arena *arena;
    const vt_stage_table *stages;
} vt_shell_lattice;

typedef struct vt_shell {
    vt_simulation *simulation;
    vt_shell_lattice lattice;
    double vorticity;           /* that counts as carrying strength, 1/s */
    double least;               /* |rho'| that counts as differing, kg/m^3 */
    int32_t width;              /* nodes */
    int32_t kept;               /* nodes within which neutral vortons stay: at least width */
    int32_t strength, contrast; /* whether what carries strength, what differs is a source */
    vt_fluid fluid;             /* from which it differs */
    int64_t count;              /* vortons before any is born */
    uint8_t *part;              /* of each of them: VT_HALO_... */
    vt_brick **bricks;
    const vt_pose *pose; /* of each body */
} vt_shell;

/* No bricks yet; about 64 vortons a brick are expected. */
void vti_begin_shell_lattice(vt_shell_lattice *lattice, double spacing, int64_t vortons,
                             const vt_stage_table *stages, vt_arena *arena);

/* Bricks found lately, by their place along x: neighbours in memory are neighbours in space. */
enum { VT_BRICK_HINTS = 16 };
typedef struct vt_brick_hints {
    vt_brick *brick[VT_BRICK_HINTS]; /* or NULL */
} vt_brick_hints;

/* The brick at a place, or NULL. */
vt_brick *vti_search_brick(const vt_shell_lattice *lattice, const int32_t at[3]);

/* The same; the hints are looked at first, and remember it. */
static inline vt_brick *vti_find_brick(const vt_shell_lattice *lattice, const int32_t at[3],
                                       vt_brick_hints *hints)
{
    vt_brick **const hint = &hints->brick[at[0] & (VT_BRICK_HINTS - 1)];
    vt_brick *b = *hint;
    if (!b || b->at[0] != at[0] || b->at[1] != at[1] || b->at[2] != at[2])
        b = vti_search_brick(lattice, at);
    if (b)
        *hint = b;
    return b;
}

/* Whether the arena has room for more. */
int vti_has_room_for_bricks(const vt_shell_lattice *lattice);

/* The same as vti_find_brick, made where there is none: with that core and lifetime. NULL: no
 * memory. */
vt_brick *vti_need_brick(vt_shell_lattice *lattice, const int32_t at[3], float core, float lifetime,
                         vt_brick_hints *hints);

/* All bricks by number, in arena memory; from then on none is made. */
vt_brick **vti_list_bricks(vt_shell_lattice *lattice);

/* After listing: the nodes at or below positions plus `shift` spacings, and the number of the brick
 * of one of them; as many as there are: none. */
void vti_find_lattice_nodes(const vt_shell_lattice *lattice, int64_t count, const float *position,
                            double shift, vt_lattice_nodes *nodes);
static inline uint32_t vti_brick_number(const vt_shell_lattice *l, const vt_lattice_nodes *nodes,
                                        int64_t i, vt_brick_hints *hints)
{
    if (l->in_box)
        return l->in_box[nodes->brick[i]];
    const int32_t at[3] = {nodes->node[0][i] >> 3, nodes->node[1][i] >> 3, nodes->node[2][i] >> 3};
    const vt_brick *const b = vti_find_brick(l, at, hints);
    return (uint32_t)(b ? b->number : l->bricks);
}

/* Sets fill to what the vortons have (trilinear weights); of nodes whose next ones below lie in
 * bricks that exist, the others get less. Takes at most 46 bytes a vorton and 44 a brick (and 5
 * KiB) from the arena, and leaves order and start there. */
void vti_fill_shell_lattice(vt_shell_lattice *lattice, vt_brick *const *bricks,
                            const vt_vortons *vortons, int threads);

/* The node at or below the position plus `shift` spacings; 0 where that is too far away. */
static inline int vti_find_node(const vt_shell_lattice *l, const float *position, double shift,
                                int32_t node[3])
{
    const double farthest = 1 << 28;
    double at[3];
    int inside = 1;
    for (int a = 0; a < 3; a++) {
        at[a] = (double)position[a] * l->scale + shift;
        inside &= (at[a] < farthest) & (at[a] > -farthest);
    }
    for (int a = 0; a < 3 && inside; a++) {
        const int32_t whole = (int32_t)at[a];
        node[a] = whole - (at[a] < whole);
    }
    return inside;
}

/* The brick of a node. */
static inline void vti_brick_of(const int32_t node[3], int32_t at[3])
{
    for (int a = 0; a < 3; a++)
        at[a] = (node[a] - (node[a] & (VT_BRICK_EDGE - 1))) / VT_BRICK_EDGE;
}

/* A node that is filled to less gets a vorton: below .75 the seam between what was there and what
 * is added slows diffusion by several per cent. */
#define VT_LEAST_FILL 0.75f

/* Whether node n of a brick is one of those, and lacks volume. */
static inline int vti_lacks_volume(const vt_brick *b, const vt_node_bits nodes, int n)
{
    return (nodes[n / VT_BRICK_EDGE] >> n % VT_BRICK_EDGE & 1) && b->fill[n] < VT_LEAST_FILL;
}

/* Where node n of a brick is, m. */
static inline void vti_place_node(const vt_shell_lattice *l, const vt_brick *b, int n,
                                  double position[3])
{
    const int node[3] = {n % VT_BRICK_EDGE, n / VT_BRICK_EDGE % VT_BRICK_EDGE,
                         n / VT_BRICK_EDGE / VT_BRICK_EDGE};
    for (int a = 0; a < 3; a++)
        position[a] = (double)(b->at[a] * VT_BRICK_EDGE + node[a]) * l->spacing;
}

/* The row of a node in its brick, and its bit in there. */
static inline int vti_bit_row(const int32_t node[3])
{
    return (node[2] & (VT_BRICK_EDGE - 1)) * VT_BRICK_EDGE + (node[1] & (VT_BRICK_EDGE - 1));
}

static inline uint8_t vti_bit(const int32_t node[3])
{
    return (uint8_t)(1 << (node[0] & (VT_BRICK_EDGE - 1)));
}
