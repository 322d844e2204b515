/* A tree over vortons (part 3; opening angle and expansions after Barnes and Hut, 1986): who stands
 * far enough away sees the cluster of a node, who stands near looks into its children.
 *
 * The vortons are sorted along a Morton curve; a node is a run of them that shares a cube, a leaf
 * one of few vortons. Moments are about the mean position of the vortons weighted by |alpha|, with
 * o the offset from there, b the largest |o|, d the way from there to a target, r = |d|, n = d / r:
 *
 *   4 pi A_c = (S_c + (b / r) D_c.n + 3/2 (b / r)^2 n.Q_c.n) / r
 *   S = sum alpha,  D_c = sum alpha_c o / b,  Q_c = sum alpha_c (o o^T - |o|^2 / 3) / b^2
 *
 * for each component c of alpha. A cluster stands for its vortons where r >= size / opening angle,
 * size = sqrt 2 b (later still where it is a large part of all), and where r is so many cores that
 * they count as points. The size of a full cube is then 1.2 times its edge: the edge itself
 * flatters a cluster that lies along a curve.
 *
 * In the articles (part 3) only the cell that holds the target is looked into; every other one
 * stands for its vortons however near it is, as one vorton with the sum of their strengths at their
 * mean position, and the largest of their cores. So it is with VT_OPENING_ARTICLE, of nodes in
 * place of cells; the surface of the whole cube stands for a target outside it. */
#pragma once

#include "base/kernel.h"
#include "kernels/sums/tree_build.h"

/* Vector potential (count x 3) at points (count x 3), from vortons with the core of the ball. */
typedef void vt_tree_potential_kernel(const vt_tree *tree, int64_t count, const float *points,
                                      float *potential, int threads);
VT_DECLARE_KERNEL(tree_potential);

/* The same by a tree over the vortons (kernels/sums/tree_sum.h); opening_angle 0 gives the sum over
 * all pairs. Takes the arena that vti_build_tree and vti_order_along_curve take. */
typedef void vt_tree_kernel(int kernel, int opening, double opening_angle, int64_t count,
                            const float *targets, int64_t source_count, const float *positions,
                            const float *strengths, const float *cores, float *velocity,
                            float *gradient, float *divergence, vt_arena *arena, int threads);
VT_DECLARE_KERNEL(tree);

/* Sum of |strength| times the core of each vorton (zeta), 1/s, likewise: what the vorticity were if
 * all strengths turned the same way. */
typedef void vt_strength_density_kernel(int kernel, int64_t count, const float *targets,
                                        int64_t source_count, const float *positions,
                                        const float *strengths, const float *cores, float *density,
                                        vt_arena *arena, int threads);
VT_DECLARE_KERNEL(strength_density);
