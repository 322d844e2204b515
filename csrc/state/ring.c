#include "state/ring.h"

#include "core/mathd.h"
#include "core/random.h"
#include "core/status.h"
#include "core/vec3.h"

#include <stddef.h>
#include <string.h>

/* Waviness: modes and key of their phases. */
enum { FIRST_MODE = 2, MODES = 12, PHASES = 0x72696e67 };

/* Steps of the integral of arc length; every step takes four Gauss points. */
enum { ARC_STEPS = 1024 };

/* Layers fill the core out to this many b (exp(-5.76) = .3 % of the circulation lies beyond). */
static const double reach = 2.4;

enum { MOST_LAYERS = 64, MOST_SECTIONS = 1 << 24 };
static const int64_t most_vortons = INT64_C(1) << 30;

vt_ring_def vt_default_ring(void)
{
    return (vt_ring_def){.axis = {0, 0, 1},
                         .radius = {1, 1},
                         .major = {1, 0, 0},
                         .circulation = 1,
                         .core = .1,
                         .layers = -1};
}

/* ---- the centreline, by turns: 0 .. 1 once around ---- */

typedef struct centreline {
    double center[3], axis[3], major[3], minor[3]; /* right-handed: major, minor, axis */
    double radius[2], mean_radius;
    double amplitude;       /* of one mode, in radii */
    double phase[2][MODES]; /* radial, axial; in turns */
} centreline;

static centreline make_centreline(const vt_ring_def *def)
{
    centreline line = {.radius = {def->radius[0], def->radius[1]},
                       .mean_radius = vt_sqrt(def->radius[0] * def->radius[1]),
                       .amplitude = def->wobble / vt_sqrt(0.5 * MODES)};
    memcpy(line.center, def->center, sizeof line.center);
    memcpy(line.axis, def->axis, sizeof line.axis);
    vt_normalise(line.axis);
    vt_normal_to(line.axis, def->major, line.major);
    vt_cross(line.axis, line.major, line.minor);
    for (int direction = 0; direction < 2; direction++)
        for (int m = 0; m < MODES; m++)
            line.phase[direction][m] = vt_random(def->wobble_seed, PHASES + (uint64_t)direction,
                                                 (uint64_t)(FIRST_MODE + m));
    return line;
}

/* Sum of the modes and its derivative by turns. */
static void waviness(const centreline *line, int direction, double turn, double *sum, double *slope)
{
    *sum = *slope = 0.0;
    if (line->amplitude == 0.0)
        return;
    for (int m = 0; m < MODES; m++) {
        const double mode = FIRST_MODE + m, angle = 2.0 * (mode * turn + line->phase[direction][m]);
        *sum += line->amplitude * vt_cos_pi(angle);
        *slope -= line->amplitude * 2.0 * VT_PI * mode * vt_sin_pi(angle);
    }
}

/* Place on the centreline (without the centre) and its derivative by turns. */
static void centreline_at(const centreline *line, double turn, double place[3], double slope[3])
{
    double radial, radial_slope, axial, axial_slope;
    waviness(line, 0, turn, &radial, &radial_slope);
    waviness(line, 1, turn, &axial, &axial_slope);
    const double cosine = vt_cos_pi(2.0 * turn), sine = vt_sin_pi(2.0 * turn);
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

static double speed_at(const centreline *line, double turn)
{
    double place[3], slope[3];
    centreline_at(line, turn, place, slope);
    return vt_sqrt(vt_dot(slope, slope));
}

/* Arc length between two turns, by Gauss's rule with four points. */
static double length_between(const centreline *line, double from, double to)
{
    static const double node[2] = {0.33998104358485626480, 0.86113631159405257522};
    static const double weight[2] = {0.65214515486254614263, 0.34785484513745385737};
    const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    double sum = 0.0;
    for (int i = 0; i < 2; i++)
        sum += weight[i] *
               (speed_at(line, middle - half * node[i]) + speed_at(line, middle + half * node[i]));
    return sum * half;
}

static double step_turn(int step)
{
    return (double)step / ARC_STEPS;
}

static double total_length(const centreline *line)
{
    double sum = 0.0;
    for (int step = 0; step < ARC_STEPS; step++)
        sum += length_between(line, step_turn(step), step_turn(step + 1));
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
        w->inside = length_between(w->line, step_turn(w->step), step_turn(w->step + 1));
    }
    const double start = step_turn(w->step);
    double turn = start + (length - w->before) / w->inside / ARC_STEPS;
    for (int newton = 0; newton < 4; newton++)
        turn -=
            (w->before + length_between(w->line, start, turn) - length) / speed_at(w->line, turn);
    return turn;
}

/* ---- the cross-section ---- */

typedef struct section {
    int layers;
    double vorton_core;
    double radius[MOST_LAYERS + 1];      /* of the circles; 0 is the centre */
    double circulation[MOST_LAYERS + 1]; /* of one vorton */
    double area[MOST_LAYERS + 1];        /* of its cell */
} section;

static int64_t vortons_in_layer(int layer)
{
    return layer == 0 ? 1 : 6 * layer;
}

/* b^2 = core^2 - 2 vorton_core^2: the squared radius of the Gaussian that is sampled. */
static double sampled_square(const vt_ring_def *def)
{
    const double sigma = vt_ring_vorton_core(def);
    return def->core * def->core - 2.0 * sigma * sigma;
}

static int layer_count(const vt_ring_def *def)
{
    if (def->layers >= 0)
        return def->layers;
    const double cells = reach * vt_sqrt(sampled_square(def)) / vt_ring_vorton_core(def);
    return cells < 1.5 ? 1 : cells > MOST_LAYERS ? MOST_LAYERS + 1 : (int)(cells + 0.5);
}

/* Shares and rms radii of the rings around the centre, cut at half-integer multiples of spacing. */
static void fill_layers(section *s, double square, double spacing)
{
    double inner = 0.0, inner_tail = 1.0, moment = 0.0, total = 0.0;
    for (int m = 0; m <= s->layers; m++) {
        const double outer = (m + 0.5) * (m + 0.5) * spacing * spacing;
        const double tail = vt_exp(-outer / square);
        const double share = inner_tail - tail;
        const double ring_moment = (inner + square) * inner_tail - (outer + square) * tail;
        s->circulation[m] = share / (double)vortons_in_layer(m);
        s->area[m] = VT_PI * (outer - inner) / (double)vortons_in_layer(m);
        s->radius[m] = m == 0 ? 0.0 : vt_sqrt(ring_moment / share);
        total += share;
        moment += m == 0 ? 0.0 : ring_moment;
        inner = outer;
        inner_tail = tail;
    }
    for (int m = 0; m <= s->layers; m++) {
        s->circulation[m] /= total;
        s->radius[m] *= vt_sqrt(square * total / moment);
    }
}

static section make_section(const vt_ring_def *def)
{
    section s = {.layers = layer_count(def), .vorton_core = vt_ring_vorton_core(def)};
    if (s.layers == 0) {
        s.circulation[0] = 1.0;
        s.area[0] = VT_PI * def->core * def->core;
    } else {
        const double square = sampled_square(def);
        fill_layers(&s, square, reach * vt_sqrt(square) / (s.layers + 0.5));
    }
    return s;
}

static int64_t vortons_in_section(int layers)
{
    return 1 + 3 * (int64_t)layers * (layers + 1);
}

static int64_t section_count(const vt_ring_def *def, double length)
{
    if (def->sections > 0)
        return def->sections;
    const double wanted = vt_floor(length / vt_ring_vorton_core(def) + 0.5);
    return wanted < 8.0 ? 8 : wanted > MOST_SECTIONS ? MOST_SECTIONS + 1 : (int64_t)wanted;
}

/* ---- checks ---- */

static vt_status check_range(const char *name, double value, double least, double most,
                             const char *unit)
{
    if (!(value >= least && value <= most))
        return vt_fail(VT_INVALID_ARGUMENT, "ring: %s must be %g .. %g%s, got %g", name, least,
                       most, unit, value);
    return VT_OK;
}

static vt_status check_vectors(const vt_ring_def *def)
{
    for (int c = 0; c < 3; c++) {
        if (!(vt_abs(def->center[c]) <= 1e9))
            return vt_fail(VT_INVALID_ARGUMENT,
                           "ring: center[%d] must be finite and within 1e9 m, got %g", c,
                           def->center[c]);
        if (!vt_is_finite(def->axis[c]))
            return vt_fail(VT_INVALID_ARGUMENT, "ring: axis[%d] must be finite, got %g", c,
                           def->axis[c]);
        if (!vt_is_finite(def->major[c]))
            return vt_fail(VT_INVALID_ARGUMENT, "ring: major[%d] must be finite, got %g", c,
                           def->major[c]);
    }
    double axis[3] = {def->axis[0], def->axis[1], def->axis[2]}, normal[3];
    if (vt_normalise(axis) == 0.0)
        return vt_fail(VT_INVALID_ARGUMENT, "ring: axis must not be 0 0 0");
    /* The direction of equal radii does not matter. */
    if (!vt_normal_to(axis, def->major, normal) && def->radius[0] != def->radius[1])
        return vt_fail(VT_INVALID_ARGUMENT,
                       "ring: major must not be 0 0 0 or parallel to axis, got %g %g %g",
                       def->major[0], def->major[1], def->major[2]);
    return VT_OK;
}

static vt_status check_cores(const vt_ring_def *def)
{
    const double smaller = def->radius[0] < def->radius[1] ? def->radius[0] : def->radius[1];
    if (!(def->core >= 1e-9 && def->core < smaller))
        return vt_fail(VT_INVALID_ARGUMENT,
                       "ring: core must be at least 1e-9 m and less than the smaller radius, %g m, "
                       "got %g",
                       smaller, def->core);
    if (def->layers == 0) {
        if (def->vorton_core != 0.0 && def->vorton_core != def->core)
            return vt_fail(VT_INVALID_ARGUMENT,
                           "ring: vorton_core of a ring one vorton thick (layers 0) must be 0 or "
                           "core, %g m, got %g",
                           def->core, def->vorton_core);
    } else if (def->vorton_core != 0.0 &&
               !(def->vorton_core >= 1e-9 && 1.5 * def->vorton_core <= def->core))
        return vt_fail(VT_INVALID_ARGUMENT,
                       "ring: vorton_core must be 0 (core / 2) or 1e-9 m .. core / 1.5, %g m, got "
                       "%g (layers 0 makes a ring one vorton thick)",
                       def->core / 1.5, def->vorton_core);
    return VT_OK;
}

static vt_status check_counts(const vt_ring_def *def)
{
    if (def->layers < -1 || def->layers > MOST_LAYERS)
        return vt_fail(VT_INVALID_ARGUMENT, "ring: layers must be -1 .. %d, got %d", MOST_LAYERS,
                       def->layers);
    if (def->sections != 0 && (def->sections < 8 || def->sections > MOST_SECTIONS))
        return vt_fail(VT_INVALID_ARGUMENT,
                       "ring: sections must be 0 (spaced by vorton_core) or 8 .. %d, got %lld",
                       MOST_SECTIONS, (long long)def->sections);
    return VT_OK;
}

vt_status vt_check_ring(const vt_ring_def *def)
{
    vt_status status = VT_OK;
    if (!def)
        return vt_fail(VT_INVALID_ARGUMENT, "ring must not be NULL");
    if ((status = check_range("radius[0]", def->radius[0], 1e-9, 1e9, " m")) ||
        (status = check_range("radius[1]", def->radius[1], 1e-9, 1e9, " m")) ||
        (status = check_vectors(def)) ||
        (status = check_range("circulation", def->circulation, -1e12, 1e12, " m^2/s")) ||
        (status = check_range("wobble", def->wobble, 0.0, 0.5, "")) ||
        (status = check_range("time", def->time, 0.0, 1e12, " s")) ||
        (status = check_counts(def)) || (status = check_cores(def)))
        return status;
    if (layer_count(def) > MOST_LAYERS || vt_ring_count(def) > most_vortons)
        return vt_fail(VT_INVALID_ARGUMENT,
                       "ring: vorton_core, %g m, asks for too many vortons: at most %d layers and "
                       "2^30 vortons",
                       vt_ring_vorton_core(def), MOST_LAYERS);
    return VT_OK;
}

double vt_ring_vorton_core(const vt_ring_def *def)
{
    if (def->vorton_core > 0.0)
        return def->vorton_core;
    return def->layers == 0 ? def->core : 0.5 * def->core;
}

int64_t vt_ring_count(const vt_ring_def *def)
{
    const centreline line = make_centreline(def);
    const double length = def->sections > 0 ? 0.0 : total_length(&line);
    return section_count(def, length) * vortons_in_section(layer_count(def));
}

/* ---- vortons ---- */

/* Unit vectors normal to the centreline: outwards (0) and along the axis (1). */
static void normals_at(const centreline *line, double turn, double normal[2][3])
{
    double place[3], tangent[3];
    centreline_at(line, turn, place, tangent);
    vt_normalise(tangent);
    memcpy(normal[1], line->axis, sizeof normal[1]);
    vt_add_scaled(normal[1], -vt_dot(normal[1], tangent), tangent);
    vt_normalise(normal[1]);
    vt_cross(tangent, normal[1], normal[0]);
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
            vt_add_scaled(slope[n], weight[i] / step, normal[n]);
    }
}

typedef struct output {
    float *position, *strength, *core, *volume;
    int64_t count;
    double sum[3], sum_of_sizes; /* of the strengths */
} output;

static void add_vorton(output *out, const double position[3], const double strength[3], double core,
                       double volume)
{
    const int64_t i = out->count++;
    for (int c = 0; c < 3; c++) {
        out->position[3 * i + c] = (float)position[c];
        out->strength[3 * i + c] = (float)strength[c];
        out->sum[c] += (double)out->strength[3 * i + c];
    }
    out->sum_of_sizes += vt_sqrt(vt_dot(strength, strength));
    out->core[i] = (float)core;
    out->volume[i] = (float)volume;
}

static void add_section(const vt_ring_def *def, const centreline *line, const section *s,
                        double turn, double arc, output *out)
{
    double place[3], slope[3], normal[2][3], normal_slope[2][3];
    centreline_at(line, turn, place, slope);
    normals_at(line, turn, normal);
    normal_slopes_at(line, turn, normal_slope);
    const double turns = arc / vt_sqrt(vt_dot(slope, slope));
    for (int m = 0; m <= s->layers; m++) {
        const int64_t count = vortons_in_layer(m);
        for (int64_t i = 0; i < count; i++) {
            /* Every other circle is turned by half a place. */
            const double angle = 2.0 * ((double)i + 0.5 * (m % 2)) / (double)count;
            const double along[2] = {s->radius[m] * vt_cos_pi(angle),
                                     s->radius[m] * vt_sin_pi(angle)};
            double position[3], strength[3];
            for (int c = 0; c < 3; c++) {
                position[c] =
                    line->center[c] + place[c] + along[0] * normal[0][c] + along[1] * normal[1][c];
                strength[c] = turns * (slope[c] + along[0] * normal_slope[0][c] +
                                       along[1] * normal_slope[1][c]);
            }
            const double length = vt_sqrt(vt_dot(strength, strength));
            for (int c = 0; c < 3; c++)
                strength[c] *= def->circulation * s->circulation[m];
            add_vorton(out, position, strength, s->vorton_core, s->area[m] * length);
        }
    }
}

/* A closed line has no total strength: what the sum over few sections leaves is taken from all. */
static void remove_sum(output *out)
{
    if (!(out->sum_of_sizes > 0.0))
        return;
    for (int64_t i = 0; i < out->count; i++) {
        double strength[3];
        for (int c = 0; c < 3; c++)
            strength[c] = (double)out->strength[3 * i + c];
        const double share = vt_sqrt(vt_dot(strength, strength)) / out->sum_of_sizes;
        for (int c = 0; c < 3; c++)
            out->strength[3 * i + c] = (float)(strength[c] - share * out->sum[c]);
    }
}

void vt_fill_ring(const vt_ring_def *def, float *position, float *strength, float *core,
                  float *volume)
{
    const centreline line = make_centreline(def);
    const section s = make_section(def);
    const double length = total_length(&line);
    const int64_t sections = section_count(def, length);
    output out = {.position = position, .strength = strength, .core = core, .volume = volume};
    walker w = {&line, 0, 0.0, length_between(&line, 0.0, step_turn(1))};
    for (int64_t k = 0; k < sections; k++) {
        const double turn = walk_to(&w, length * ((double)k / (double)sections));
        add_section(def, &line, &s, turn, length / (double)sections, &out);
    }
    remove_sum(&out);
}
