#include "sources/vortex_ring.h"

#include "animation/definition_checks.h"
#include "base/growing_array.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/status.h"
#include "base/vec3.h"
#include "geometry/spline.h"
#include "sources/vortex_cross_section.h"

#include <math.h>
#include <string.h>

/* Waviness: modes and key of their phases. */
enum { FIRST_MODE = 2, MODES = 12, PHASES = 0x72696e67 };

/* Steps of the integral of arc length; every step takes four Gauss points. */
enum { ARC_STEPS = 1024 };

enum { LEAST_SECTIONS = 8 };

/* ---- the centreline, by turns: 0 .. 1 once around ---- */

typedef struct centreline {
    double center[3], axis[3], major[3], minor[3]; /* right-handed: major, minor, axis */
    double radius[2], mean_radius;
    double amplitude;       /* of one mode, in radii */
    double phase[2][MODES]; /* radial, axial; in turns */
    double share[MODES];    /* of the amplitude */
} centreline;

static centreline make_centreline(const vt_ring_def *def)
{
    centreline line = {.radius = {def->radius[0], def->radius[1]},
                       .mean_radius = vti_sqrt(def->radius[0] * def->radius[1]),
                       .amplitude = def->wobble / vti_sqrt(0.5 * MODES)};
    memcpy(line.center, def->center, sizeof line.center);
    memcpy(line.axis, def->axis, sizeof line.axis);
    vti_normalise(line.axis);
    vti_normal_to(line.axis, def->major, line.major);
    vti_cross(line.axis, line.major, line.minor);
    for (int m = 0; m < MODES; m++)
        line.share[m] = 1.0;
    for (int direction = 0; direction < 2; direction++)
        for (int m = 0; m < MODES; m++)
            line.phase[direction][m] =
                vti_random(def->seed, PHASES + (uint64_t)direction, (uint64_t)(FIRST_MODE + m));
    return line;
}

/* The centreline averaged along itself by a Gaussian of standard deviation `width`. */
static centreline smooth_centreline(const centreline *line, double width)
{
    centreline smooth = *line;
    for (int m = 0; m < MODES; m++) {
        const double waves = (FIRST_MODE + m) * width / line->mean_radius;
        smooth.share[m] = vti_exp(-0.5 * waves * waves);
    }
    return smooth;
}

/* Sum of the modes and its derivative by turns. */
static void waviness(const centreline *line, int direction, double turn, double *sum, double *slope)
{
    *sum = *slope = 0.0;
    if (line->amplitude == 0.0)
        return;
    for (int m = 0; m < MODES; m++) {
        const double mode = FIRST_MODE + m, angle = 2.0 * (mode * turn + line->phase[direction][m]);
        const double amplitude = line->share[m] * line->amplitude;
        *sum += amplitude * vti_cos_pi(angle);
        *slope -= amplitude * 2.0 * VT_PI * mode * vti_sin_pi(angle);
    }
}

/* Place on the centreline (without the centre) and its derivative by turns. */
static void centreline_at(const centreline *line, double turn, double place[3], double slope[3])
{
    double radial, radial_slope, axial, axial_slope;
    waviness(line, 0, turn, &radial, &radial_slope);
    waviness(line, 1, turn, &axial, &axial_slope);
    const double cosine = vti_cos_pi(2.0 * turn), sine = vti_sin_pi(2.0 * turn);
    const double x = line->radius[0] * cosine, dx = line->radius[0] * -2.0 * VT_PI * sine;
    const double y = line->radius[1] * sine, dy = line->radius[1] * 2.0 * VT_PI * cosine;
    for (int c = 0; c < 3; c++) {
        place[c] = (1.0 + radial) * (x * line->major[c] + y * line->minor[c]) +
                   line->mean_radius * axial * line->axis[c];
        slope[c] = (1.0 + radial) * (dx * line->major[c] + dy * line->minor[c]) +
                   radial_slope * (x * line->major[c] + y * line->minor[c]) +
                   line->mean_radius * axial_slope * line->axis[c];
    }
}

static double speed_at(const void *line, double turn)
{
    double place[3], slope[3];
    centreline_at(line, turn, place, slope);
    return vti_sqrt(vti_dot(slope, slope));
}

static double step_turn(int step)
{
    return (double)step / ARC_STEPS;
}

static double total_length(const centreline *line)
{
    double sum = 0.0;
    for (int step = 0; step < ARC_STEPS; step++)
        sum += vti_arc_length(speed_at, line, step_turn(step), step_turn(step + 1));
    return sum;
}

/* Walks along the centreline: finds the turn at which a growing arc length is reached. */
typedef struct walker {
    const centreline *line;
    int step;
    double before, inside; /* arc length before this step, and of it */
} walker;

static double walk_to(walker *w, double length)
{
    while (w->before + w->inside <= length && w->step < ARC_STEPS - 1) {
        w->before += w->inside;
        w->step++;
        w->inside = vti_arc_length(speed_at, w->line, step_turn(w->step), step_turn(w->step + 1));
    }
    const double start = step_turn(w->step);
    double turn = start + (length - w->before) / w->inside / ARC_STEPS;
    for (int newton = 0; newton < 4; newton++)
        turn -= (w->before + vti_arc_length(speed_at, w->line, start, turn) - length) /
                speed_at(w->line, turn);
    return turn;
}

static vt_section_def section_of(const vt_ring_def *def)
{
    return (vt_section_def){def->core, def->vorton_core, def->sections, def->layers};
}

/* Length of the centreline, where the number of sections depends on it. */
static double length_if_needed(const vt_ring_def *def)
{
    const centreline line = make_centreline(def);
    return def->sections > 0 ? 0.0 : total_length(&line);
}

/* ---- checks ---- */

static vt_status check_major(const vt_ring_def *def)
{
    double axis[3] = {def->axis[0], def->axis[1], def->axis[2]}, normal[3];
    vti_normalise(axis);
    /* The direction of equal radii does not matter. */
    if (!vti_normal_to(axis, def->major, normal) && def->radius[0] != def->radius[1])
        return vti_fail(VT_INVALID_ARGUMENT,
                        "ring.major is %g %g %g; allowed is what is not 0 0 0 or parallel to axis",
                        def->major[0], def->major[1], def->major[2]);
    return VT_OK;
}

static vt_status check_core(const vt_ring_def *def)
{
    const double smaller = def->radius[0] < def->radius[1] ? def->radius[0] : def->radius[1];
    if (!(def->core < smaller))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "ring.core is %g m; allowed is less than the smaller radius, %g m",
                        def->core, smaller);
    return VT_OK;
}

vt_status vti_check_ring(const vt_ring_def *def)
{
    vt_status status = vti_check_rows(&vti_ring_definition, "ring.", def);
    if (!status)
        status = check_major(def);
    if (!status)
        status = check_core(def);
    if (status)
        return status;
    const vt_section_def section = section_of(def);
    if ((status = vti_check_section("ring", &section, LEAST_SECTIONS)))
        return status;
    return vti_check_section_count("ring", &section, LEAST_SECTIONS, length_if_needed(def));
}

int64_t vti_ring_count(const vt_ring_def *def)
{
    const vt_section_def section = section_of(def);
    return vti_section_vortons(&section, LEAST_SECTIONS, length_if_needed(def));
}

/* ---- vortons ---- */

/* Unit vectors normal to the centreline: outwards (0) and along the axis (1). */
static void normals_at(const centreline *line, double turn, double normal[2][3])
{
    double place[3], tangent[3];
    centreline_at(line, turn, place, tangent);
    vti_normalise(tangent);
    memcpy(normal[1], line->axis, sizeof normal[1]);
    vti_add_scaled(normal[1], -vti_dot(normal[1], tangent), tangent);
    vti_normalise(normal[1]);
    vti_cross(tangent, normal[1], normal[0]);
}

/* Their derivatives by turns: central differences of fourth order, of a step that leaves 1e-9 of
 * the highest mode. */
static void normal_slopes_at(const centreline *line, double turn, double slope[2][3])
{
    static const double step = 1.5e-4, weight[4] = {1.0 / 12, -2.0 / 3, 2.0 / 3, -1.0 / 12};
    static const int offset[4] = {-2, -1, 1, 2};
    memset(slope, 0, 2 * sizeof slope[0]);
    for (int i = 0; i < 4; i++) {
        double normal[2][3];
        normals_at(line, turn + step * offset[i], normal);
        for (int n = 0; n < 2; n++)
            vti_add_scaled(slope[n], weight[i] / step, normal[n]);
    }
}

/* The sections are normal to the centreline as it is without waves shorter than the core is wide:
 * normal to all waves they would run into each other, and the outer lines of a core of .8 radii,
 * wobble .1, would be 30 times as long as the centreline (now at most 3.4 times). */
static vt_line_frame frame_at(const centreline *line, const centreline *smooth, double turn,
                              double arc)
{
    vt_line_frame frame;
    centreline_at(line, turn, frame.place, frame.slope);
    vti_add_scaled(frame.place, 1.0, line->center);
    normals_at(smooth, turn, frame.normal);
    normal_slopes_at(smooth, turn, frame.normal_slope);
    frame.step = arc / vti_sqrt(vti_dot(frame.slope, frame.slope));
    return frame;
}

void vti_fill_ring(const vt_ring_def *def, vt_vorton_list *list)
{
    const centreline line = make_centreline(def), smooth = smooth_centreline(&line, def->core);
    const vt_section_def section_def = section_of(def);
    const vt_section section = vti_make_section(&section_def);
    const double length = total_length(&line);
    const int64_t sections = vti_section_count(&section_def, LEAST_SECTIONS, length);
    walker w = {&line, 0, 0.0, vti_arc_length(speed_at, &line, 0.0, step_turn(1))};
    for (int64_t k = 0; k < sections; k++) {
        const double turn = walk_to(&w, length * ((double)k / (double)sections));
        const vt_line_frame frame = frame_at(&line, &smooth, turn, length / (double)sections);
        vti_list_section(&section, &frame, def->circulation, list);
    }
    list->line = vti_line_of(&section, 1);
    vti_remove_sum(list);
}

/* ---- as a structure: its data is the definition ---- */

static int64_t count(const void *def, int64_t pulse)
{
    (void)pulse;
    return vti_ring_count(def);
}

static void fill(const void *def, int64_t pulse, vt_vorton_list *list)
{
    (void)pulse;
    vti_fill_ring(def, list);
}

static vt_fluid_def fluid(const void *def, int64_t pulse)
{
    (void)pulse;
    return ((const vt_ring_def *)def)->fluid;
}

vt_status vti_create_ring(const void *data, vt_structure *made)
{
    static const vt_structure_kind kind = {
        .name = "ring", .count = count, .fill = fill, .destroy = vti_free, .fluid = fluid};
    const vt_ring_def *const def = data;
    const vt_status status = vti_check_ring(def);
    if (status)
        return status;
    vt_ring_def *const copy = vti_copy_of(def, sizeof *def);
    if (!copy)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a ring");
    *made = (vt_structure){
        .kind = &kind, .data = copy, .start = def->time, .end = INFINITY, .parent = def->parent};
    return VT_OK;
}
