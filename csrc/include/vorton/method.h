/* The method: one choice for each stage of the frame. */
#ifndef VORTON_METHOD_H
#define VORTON_METHOD_H

#include "vorton/rows.h"

VT_BEGIN_C

typedef struct vt_method {
    size_t struct_size;
#define VT_CHOICE(name, value, article, choices, description) int32_t name;
#define VT_WHOLE(name, value, article, least, most, description) int32_t name;
#define VT_NUMBER(name, value, article, least, most, description) double name;
#include "vorton/method.def"
} vt_method;

enum { VT_VELOCITY_POISSON, VT_VELOCITY_DIRECT, VT_VELOCITY_TREE };
enum { VT_BOUNDARY_CLUSTERS, VT_BOUNDARY_TREE, VT_BOUNDARY_DECIMATED, VT_BOUNDARY_ZERO };
enum { VT_POISSON_DIRECT, VT_POISSON_MULTIGRID, VT_POISSON_NESTED };
enum { VT_DOWNSAMPLING_AVERAGE, VT_DOWNSAMPLING_NEAREST };
enum { VT_KERNEL_GAUSSIAN, VT_KERNEL_WL, VT_KERNEL_BALL, VT_KERNEL_COUNT };
enum { VT_OPENING_ANGLE, VT_OPENING_ARTICLE };
enum { VT_CORES_FILTERED, VT_CORES_POINT, VT_CORES_SHARP, VT_CORES_AUTOMATIC };
enum { VT_ORDER_SECOND, VT_ORDER_FOURTH };
enum { VT_DOMAIN_LATTICE, VT_DOMAIN_BOX };
enum {
    VT_STRETCHING_TRANSPOSE,
    VT_STRETCHING_CLASSICAL,
    VT_STRETCHING_MIXED,
    VT_STRETCHING_NONE,
    VT_STRETCHING_RVPM
};
enum { VT_TIME_RK2, VT_TIME_EULER, VT_TIME_RK3, VT_TIME_EXTRAPOLATED };
enum { VT_BALANCE_IMPULSE, VT_BALANCE_SUM, VT_BALANCE_NONE };
enum { VT_BUOYANCY_LOCAL, VT_BUOYANCY_BOUSSINESQ, VT_BUOYANCY_NONE, VT_BUOYANCY_FULL };
enum { VT_FLAMES_OWN, VT_FLAMES_MEAN };
enum { VT_BURNING_EXACT, VT_BURNING_EULER };
enum {
    VT_DIFFUSION_PSE,
    VT_DIFFUSION_EXCHANGE,
    VT_DIFFUSION_NONE,
    VT_DIFFUSION_IMPLICIT,
    VT_DIFFUSION_AUTOMATIC
};
enum { VT_WALLS_MASKED, VT_WALLS_NODES, VT_WALLS_HITS, VT_WALLS_OPEN };
enum { VT_BODIES_PANELS, VT_BODIES_ARTICLE, VT_BODIES_NONE };

/* The scheme of the articles, to compare with. Nothing bounds its stretching: flows that stretch
 * vortex lines for long blow up. */
VT_API vt_status vt_article_method(vt_method *method);

VT_END_C

#endif
