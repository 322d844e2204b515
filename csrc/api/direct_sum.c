/* vt_direct_sum: the float64 judge of all routes to a velocity (part 3). Every target gathers
 * from all vortons in index order. */
#include "animation/definition_checks.h"
#include "base/parallel.h"
#include "base/status.h"
#include "base/vec3.h"
#include "kernels/sums/regularization.h"

/* Targets that share the constants of a vorton; never depends on the thread count. */
enum { TARGET_BLOCK = 16 };

typedef struct job {
    int kernel;
    int64_t source_count;
    const double *targets, *positions, *strengths, *cores;
    double *velocity, *gradient, *potential;
} job;

typedef struct vorton {
    int kernel;
    const double *position, *strength;
    double square;                                       /* core^2 */
    double velocity_scale, slope_scale, potential_scale; /* 1 / (4 pi core^3), core^5, core */
} vorton;

static vorton make_vorton(const job *j, int64_t i)
{
    const double core = j->cores[i], scale = 1.0 / (4.0 * VT_PI * core);
    vorton v = {j->kernel, j->positions + 3 * i, j->strengths + 3 * i, .square = core * core};
    v.potential_scale = scale;
    v.velocity_scale = scale / v.square;
    v.slope_scale = v.velocity_scale / v.square;
    return v;
}

/* d u_i / d x_j = value e_ikj a_k + slope (a x offset)_i offset_j */
static void add_gradient(double gradient[9], const double a[3], const double offset[3],
                         const double cross[3], double value, double slope)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            gradient[3 * i + j] += slope * cross[i] * offset[j];
    gradient[1] -= value * a[2];
    gradient[2] += value * a[1];
    gradient[3] += value * a[2];
    gradient[5] -= value * a[0];
    gradient[6] -= value * a[1];
    gradient[7] += value * a[0];
}

static void add_vorton(const vorton *v, const double target[3], double velocity[3],
                       double *gradient, double *potential)
{
    const double *const a = v->strength;
    double offset[3], cross[3];
    vti_subtract(target, v->position, offset);
    const double s = vti_dot(offset, offset) / v->square;
    vti_cross(a, offset, cross);
    const double value = v->velocity_scale * vti_core_velocity(v->kernel, s);
    for (int c = 0; c < 3; c++)
        velocity[c] += value * cross[c];
    if (gradient)
        add_gradient(gradient, a, offset, cross, value,
                     v->slope_scale * vti_core_gradient(v->kernel, s));
    for (int c = 0; potential && c < 3; c++)
        potential[c] += v->potential_scale * vti_core_potential(v->kernel, s) * a[c];
}

static void sum_targets(void *context, int64_t begin, int64_t end)
{
    const job *const j = context;
    double velocity[TARGET_BLOCK][3] = {{0}};
    double gradient[TARGET_BLOCK][9] = {{0}};
    double potential[TARGET_BLOCK][3] = {{0}};
    const size_t rows = (size_t)(end - begin);
    for (int64_t i = 0; i < j->source_count; i++) {
        const vorton v = make_vorton(j, i);
        for (size_t t = 0; t < rows; t++)
            add_vorton(&v, j->targets + 3 * (begin + (int64_t)t), velocity[t],
                       j->gradient ? gradient[t] : NULL, j->potential ? potential[t] : NULL);
    }
    memcpy(j->velocity + 3 * begin, velocity, rows * sizeof velocity[0]);
    if (j->gradient)
        memcpy(j->gradient + 9 * begin, gradient, rows * sizeof gradient[0]);
    if (j->potential)
        memcpy(j->potential + 3 * begin, potential, rows * sizeof potential[0]);
}

/* ---- checks ---- */

static vt_status check_array(const char *name, const double *values, int64_t rows, int components,
                             int positive)
{
    if (rows > 0 && !values)
        return vti_fail(VT_INVALID_ARGUMENT, "%s must not be NULL", name);
    for (int64_t i = 0; i < rows * components; i++)
        if (!vti_is_finite(values[i]) || (positive && !(values[i] > 0.0)))
            return vti_fail(VT_INVALID_ARGUMENT, "%s must be %sfinite, got %g in row %lld", name,
                            positive ? "positive and " : "", values[i],
                            (long long)(i / components));
    return VT_OK;
}

static vt_status check_count(const char *name, int64_t count)
{
    const int64_t most = INT64_C(1) << 40;
    if (count < 0 || count > most)
        return vti_fail(VT_INVALID_ARGUMENT, "%s must be 0 .. 2^40, got %lld", name,
                        (long long)count);
    return VT_OK;
}

static vt_status check_arguments(const job *j, int64_t target_count, int32_t threads)
{
    vt_status status = VT_OK;
    if (j->kernel < 0 || j->kernel >= VT_KERNEL_COUNT)
        return vti_fail(VT_INVALID_ARGUMENT, "kernel is %d; allowed is the index of one of: %s",
                        j->kernel, vti_row_named(&vti_method_definition, "kernel")->unit);
    if (threads < 0 || threads > VT_MAX_THREADS)
        return vti_fail(VT_INVALID_ARGUMENT, "threads must be 0 (all) .. %d, got %d",
                        VT_MAX_THREADS, threads);
    if ((status = check_count("target_count", target_count)) ||
        (status = check_count("source_count", j->source_count)) ||
        (status = check_array("targets", j->targets, target_count, 3, 0)) ||
        (status = check_array("positions", j->positions, j->source_count, 3, 0)) ||
        (status = check_array("strengths", j->strengths, j->source_count, 3, 0)) ||
        (status = check_array("cores", j->cores, j->source_count, 1, 1)))
        return status;
    if (target_count > 0 && !j->velocity)
        return vti_fail(VT_INVALID_ARGUMENT, "velocity must not be NULL");
    return VT_OK;
}

vt_status vt_direct_sum(int32_t kernel, int64_t target_count, const double *targets,
                        int64_t source_count, const double *positions, const double *strengths,
                        const double *cores, double *velocity, double *gradient, double *potential,
                        int32_t threads)
{
    job j = {kernel, source_count, targets,  positions, strengths,
             cores,  velocity,     gradient, potential};
    const vt_status status = check_arguments(&j, target_count, threads);
    if (status == VT_OK)
        vti_parallel_for(threads ? threads : vt_available_threads(), target_count, TARGET_BLOCK,
                         sum_targets, &j);
    return status;
}
