#include "population/kept_sums.h"

#include <float.h>

#include "field/extent.h"
#include "population/least_change.h"
#include "state/predicates.h"

/* A change beyond this cannot be multiplied in single precision. */
static const double most_share = 1e30;

/* Largest mean relative change of the strengths by which all sums are restored where vortons merge
 * (conservation/impulse_correction.c has the limit of a substep). */
static const double most_merged = 0.1;

/* Share of the sum of |alpha|: where the sum of the strengths is larger, vortex lines end in the
 * fluid. */
static const double open_share = 0.05;

/* In multiples of the rms of |alpha|: in the sharing each vorton weighs as the square of its
 * strength, and a stronger one than this no more. */
static const double cap_of_weight = 3;

enum { SIZE_BLOCK = 8192 };

typedef struct size_job {
    const vt_vortons *vortons;
    vt_strength_sizes *block;
    int shed; /* whether bodies may have shed vortons */
} size_job;

static void sum_block(void *data, int64_t begin, int64_t end)
{
    const size_job *const job = data;
    const vt_vortons *const v = job->vortons;
    vt_strength_sizes sum = {0, 0};
    for (int64_t i = begin; i < end; i++) {
        const double a[3] = {v->strength[3 * i], v->strength[3 * i + 1], v->strength[3 * i + 2]};
        const double size = vti_sqrt(vti_dot(a, a));
        sum.all += size;
        sum.shed += job->shed && v->flags[i] & VT_FLAG_SHED ? size : 0;
    }
    job->block[begin / SIZE_BLOCK] = sum;
}

vt_strength_sizes vti_sum_sizes(vt_simulation *s)
{
    const int64_t count = s->vortons.set.count, blocks = (count + SIZE_BLOCK - 1) / SIZE_BLOCK;
    const size_t mark = vti_arena_mark(&s->arena);
    size_job job = {&s->vortons,
                    vti_arena_push(&s->arena, sizeof(vt_strength_sizes) * (size_t)blocks),
                    s->vortons.set.used[VT_VORTON_panel]};
    vti_parallel_for(s->def.threads, count, SIZE_BLOCK, sum_block, &job);
    vt_strength_sizes sum = {0, 0};
    for (int64_t b = 0; b < blocks; b++) {
        sum.all += job.block[b].all;
        sum.shed += job.block[b].shed;
    }
    vti_arena_pop(&s->arena, mark);
    return sum;
}

static vt_invariants sum_over(vt_simulation *s, const float *strength, const vt_frame *frame,
                              int degree)
{
    const vt_vortons *const v = &s->vortons;
    const int64_t count = v->set.count;
    const int64_t blocks = (count + VT_INVARIANT_BLOCK - 1) / VT_INVARIANT_BLOCK;
    const size_t mark = vti_arena_mark(&s->arena);
    vt_invariants *const block = vti_arena_push(&s->arena, sizeof *block * (size_t)blocks);
    s->stages->sum_invariants(count, v->position, strength, frame, degree, block, s->def.threads);
    vt_invariants all = {{0}, {0}};
    for (int64_t b = 0; b < blocks; b++) {
        for (int n = 0; n < VT_INVARIANTS; n++)
            all.sum[n] += block[b].sum[n];
        for (int n = 0; n < VT_MONOMIALS && degree > 0; n++)
            all.moment[n] += block[b].moment[n];
    }
    vti_arena_pop(&s->arena, mark);
    return all;
}

vt_invariants vti_sum_invariants(vt_simulation *s, const vt_frame *frame, int degree)
{
    return sum_over(s, s->vortons.strength, frame, degree);
}

static vt_frame frame_of_grid(const vt_grid *grid)
{
    vt_frame frame = {.cap = FLT_MAX};
    for (int c = 0; c < 3; c++) {
        const double half = grid->spacing * grid->cells[c] / 2;
        frame.center[c] = (float)((double)vti_grid_origin(grid, c) + half);
        frame.length = fmaxf(frame.length, (float)half);
    }
    return frame;
}

static vt_frame frame_of_extent(const vt_extent *content)
{
    vt_frame frame = {.cap = FLT_MAX};
    for (int c = 0; c < 3; c++) {
        frame.center[c] = (float)((content->least[c] + content->most[c]) / 2);
        frame.length = fmaxf(frame.length, (float)(content->most[c] - content->least[c]) / 2);
    }
    return frame;
}

vt_frame vti_frame_of_now(vt_simulation *s)
{
    vt_extent content;
    if (vti_has_grid(s))
        return frame_of_grid(&s->grid);
    if (vti_find_extent(s, NULL, &content)) /* nothing, where one is not finite: see vt_step */
        return (vt_frame){.cap = FLT_MAX};
    return frame_of_extent(&content);
}

/* From the sums so far: the cap of the weights, and where all sums are kept to the mean place of
 * the strengths, weighted by their squares (the sum alone is the same anywhere, and stays in the
 * middle of the grid). Angular impulse about another point means another condition where vortex
 * lines are torn: one that does not depend on where the grid lies is wanted. */
static void settle_frame(const vt_simulation *s, int kept, const vt_invariants *all,
                         vt_frame *frame)
{
    const double square = all->moment[0];
    for (int c = 0; c < 3 && square > 0 && kept == VT_INVARIANTS; c++)
        frame->center[c] += frame->length * (float)(all->moment[c + 1] / square);
    if (square > 0)
        frame->cap = (float)(cap_of_weight * cap_of_weight * square / (double)s->vortons.set.count);
}

/* Sum of the squares of the relative changes x of the strengths, a little less of strong vortons.
 */
static double sum_squares(int count, const double x[VT_INVARIANTS],
                          const double missing[VT_INVARIANTS])
{
    double squares = 0;
    for (int n = 0; n < count; n++)
        squares += x[n] * missing[n];
    return squares;
}

/* Of what the weight of the vortons gives in a substep so much may be missing: the nodes make the
 * vorticity of an edge up to a cell away from it. Plumes lack up to a fifth
 * (tests/test_balance.py).
 */
static const double most_of_weight = 0.35;

/* Whether the strengths change in the mean by less than `most`, or by less than that share of what
 * the weight would change if it were shared out in the same way. */
static int is_moderate(double vortons, double most, const vt_balance *balance,
                       const vt_invariants *now, const double x[VT_INVARIANTS],
                       const double missing[VT_INVARIANTS])
{
    double by_weight[VT_INVARIANTS];
    vti_find_changes(balance->kept, now->moment, balance->weight, by_weight);
    const double weight = sum_squares(balance->kept, by_weight, balance->weight);
    const double share = most_of_weight * balance->share; /* as of what is missing */
    return sum_squares(balance->kept, x, missing) <
           most * most * vortons + share * share * weight; /* nor NaN */
}

void vti_share_out(vt_simulation *s, double most, vt_balance *balance, const vt_invariants *now)
{
    double missing[VT_INVARIANTS], x[VT_INVARIANTS];
    float share[VT_INVARIANTS] = {0};
    for (int m = 0; m < balance->kept; m++) {
        const double part = m < 3 && !s->wake_is_cut ? 1 : balance->share;
        missing[m] = (balance->sum[m] - now->sum[m]) * part;
    }
    vti_find_changes(balance->kept, now->moment, missing, x);
    balance->restored = is_moderate((double)s->vortons.set.count, most, balance, now, x, missing);
    if (!balance->restored)
        for (int n = 0; n < balance->kept; n++)
            x[n] = n < 3 ? missing[n] / now->moment[0] : 0;
    for (int n = 0; n < balance->kept; n++) {
        if (!(fabs(x[n]) < most_share))
            return;
        share[n] = (float)x[n];
    }
    s->stages->share_invariants(s->vortons.set.count, s->vortons.position, s->vortons.strength,
                                &balance->frame, share, s->def.threads);
}

static int64_t count_nonzero(int64_t count, const float *strength)
{
    int64_t found = 0;
    for (int64_t n = 0; n < 3 * count; n += 3)
        found += strength[n] != 0 || strength[n + 1] != 0 || strength[n + 2] != 0;
    return found;
}

void vti_make_sums(vt_simulation *s, float *strength, const vt_frame *frame, double most,
                   const double sum[VT_INVARIANTS])
{
    const int64_t count = s->vortons.set.count;
    const double carrying = (double)count_nonzero(count, strength);
    vt_frame capped = *frame;
    double missing[VT_INVARIANTS], x[VT_INVARIANTS];
    float share[VT_INVARIANTS];
    capped.cap = FLT_MAX;
    const double square = sum_over(s, strength, &capped, 1).moment[0];
    if (!(square > 0))
        return;
    capped.cap = (float)(cap_of_weight * cap_of_weight * square / carrying);
    const vt_invariants now = sum_over(s, strength, &capped, 4);
    for (int n = 0; n < VT_INVARIANTS; n++)
        missing[n] = sum[n] - now.sum[n];
    vti_find_changes(VT_INVARIANTS, now.moment, missing, x);
    if (!(sum_squares(VT_INVARIANTS, x, missing) < most * most * carrying))
        return;
    for (int n = 0; n < VT_INVARIANTS; n++) {
        if (!(fabs(x[n]) < most_share))
            return;
        share[n] = (float)x[n];
    }
    s->stages->share_invariants(count, s->vortons.position, strength, &capped, share,
                                s->def.threads);
}

/* How much of the strength is that of closed vortex lines, whose sum is 0: 1 unless the sum is
 * large, or where lines of vortons may go on in bodies. The rest is cleaned that much less
 * (step/substep.c): a line that ends in the fluid cannot be free of divergence, and alone it stays.
 */
static double find_closed(vt_simulation *s, const vt_invariants *now)
{
    const double square = vti_dot(now->sum, now->sum);
    if (s->panels.exist || s->grid.walled || !(square > open_share * open_share * now->moment[0]))
        return 1; /* the sum of |alpha| is not below the root of that of their squares */
    const double share = vti_sqrt(square) / vti_sum_sizes(s).all;
    return fmin((1 - fmin(share, 1)) / (1 - open_share), 1);
}

void vti_note_sums(vt_simulation *s, vt_balance *balance)
{
    vt_invariants now = vti_sum_invariants(s, &balance->frame, 1);
    balance->closed = find_closed(s, &now);
    settle_frame(s, balance->kept, &now, &balance->frame);
    if (balance->kept == VT_INVARIANTS)
        now = vti_sum_invariants(s, &balance->frame, 0);
    for (int n = 0; n < VT_INVARIANTS; n++)
        balance->sum[n] = now.sum[n];
}

void vti_open_sums(vt_simulation *s, const vt_extent *content, vt_balance *balance)
{
    *balance = (vt_balance){.share = 1, .frame = frame_of_extent(content)};
    balance->kept = balance->frame.length > 0 ? VT_INVARIANTS : 0;
    if (balance->kept)
        vti_note_sums(s, balance);
}

void vti_close_sums(vt_simulation *s, vt_balance *balance)
{
    if (!balance->kept)
        return;
    const vt_invariants now = vti_sum_invariants(s, &balance->frame, 4);
    if (now.moment[0] > 0)
        vti_share_out(s, most_merged, balance, &now);
}
