#include "sources/vortex_filament.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/status.h"
#include "base/vec3.h"
#include "geometry/spline.h"
#include "sources/vortex_cross_section.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 1 << 20 };

/* Waviness of a tube: modes, points on the shortest wave, and key of their phases. */
enum { MODES = 8, POINTS_A_WAVE = 16, PHASES = 0x74756265 };

typedef struct vt_filament {
    vt_filament_def def; /* its points are in the curve */
    vt_curve curve;
} vt_filament;

static int64_t least_sections(const vt_filament_def *def)
{
    return def->closed ? 8 : 1;
}

static vt_section_def section_of(const vt_filament_def *def)
{
    return (vt_section_def){def->core, def->vorton_core, def->sections, def->layers};
}

/* ---- checks ---- */

static vt_status check_points(const char *what, const vt_filament_def *def)
{
    const int64_t least = def->closed ? 3 : 2, count = def->points ? def->point_count : 0;
    if (count < least || count > MOST_POINTS)
        return vti_fail(VT_INVALID_ARGUMENT, "%s.points has %lld rows; allowed is %lld to %d", what,
                        (long long)count, (long long)least, MOST_POINTS);
    for (int64_t i = 0; i < count; i++) {
        const int64_t next = i + 1 < count ? i + 1 : 0;
        double way[3] = {0};
        vti_add_scaled(way, 1.0, def->points + 3 * next);
        vti_add_scaled(way, -1.0, def->points + 3 * i);
        const double apart = vti_sqrt(vti_dot(way, way));
        if ((next || def->closed) && !(apart >= VT_LEAST_LENGTH))
            return vti_fail(VT_INVALID_ARGUMENT,
                            "%s.points[%lld] and points[%lld] are %g m apart; allowed is %g or "
                            "more",
                            what, (long long)i, (long long)next, apart, VT_LEAST_LENGTH);
    }
    return VT_OK;
}

static int64_t count_sections(const vt_filament *f)
{
    const vt_section_def section = section_of(&f->def);
    return vti_section_count(&section, least_sections(&f->def), vti_curve_length(&f->curve));
}

static double section_place(const vt_filament *f, int64_t k, int64_t sections)
{
    const double share = f->def.closed ? (double)k : (double)k + 0.5;
    return vti_curve_length(&f->curve) * (share / (double)sections);
}

/* Inside of a bend that is tighter than the core the vorticity would turn around. */
static vt_status check_bends(const char *what, const vt_filament *f)
{
    const vt_section_def section = section_of(&f->def);
    const vt_status status = vti_check_section_count(what, &section, least_sections(&f->def),
                                                     vti_curve_length(&f->curve));
    const int64_t sections = status ? 0 : count_sections(f);
    int64_t part = 0;
    for (int64_t k = 0; k < sections; k++) {
        double place[3], tangent[3], curvature[3];
        vti_curve_at(&f->curve, section_place(f, k, sections), &part, place, tangent, curvature);
        const double bend = vti_sqrt(vti_dot(curvature, curvature));
        if (!(bend * f->def.core < 1.0))
            return vti_fail(VT_INVALID_ARGUMENT,
                            "%s.core is %g m; allowed is less than the radius of curvature, %g m "
                            "at (%g, %g, %g) m",
                            what, f->def.core, 1.0 / bend, place[0], place[1], place[2]);
    }
    return status;
}

/* ---- vortons ---- */

/* Mirrors a in the plane normal to v through the origin. */
static void mirror(double a[3], const double v[3])
{
    const double square = vti_dot(v, v);
    if (square > 0.0)
        vti_add_scaled(a, -2.0 * vti_dot(v, a) / square, v);
}

/* Carries normal[0] from one place to the next by two mirrors; normal[1] completes the frame. */
static void carry(const vt_line_frame *from, vt_line_frame *to)
{
    double way[3] = {0}, tangent[3], turn[3];
    vti_add_scaled(way, 1.0, to->place);
    vti_add_scaled(way, -1.0, from->place);
    memcpy(tangent, from->slope, sizeof tangent);
    memcpy(to->normal[0], from->normal[0], sizeof tangent);
    mirror(tangent, way);
    mirror(to->normal[0], way);
    vti_subtract(to->slope, tangent, turn);
    mirror(to->normal[0], turn);
    vti_add_scaled(to->normal[0], -vti_dot(to->normal[0], to->slope), to->slope);
    vti_normalise(to->normal[0]);
    vti_cross(to->slope, to->normal[0], to->normal[1]);
}

static void set_normal_slopes(vt_line_frame *frame, const double curvature[3])
{
    memset(frame->normal_slope, 0, sizeof frame->normal_slope);
    for (int n = 0; n < 2; n++)
        vti_add_scaled(frame->normal_slope[n], -vti_dot(curvature, frame->normal[n]), frame->slope);
}

/* Turned about the tangent by an angle in units of pi. */
static vt_line_frame turned(const vt_line_frame *frame, double angle)
{
    vt_line_frame result = *frame;
    const double cosine = vti_cos_pi(angle), sine = vti_sin_pi(angle);
    for (int c = 0; c < 3; c++) {
        result.normal[0][c] = cosine * frame->normal[0][c] + sine * frame->normal[1][c];
        result.normal[1][c] = cosine * frame->normal[1][c] - sine * frame->normal[0][c];
    }
    return result;
}

/* A walk along the line: the frame of section k, after that of section k - 1. */
static void walk(const vt_filament *f, int64_t k, int64_t sections, int64_t *part,
                 vt_line_frame *frame, double curvature[3])
{
    const vt_line_frame last = *frame;
    const double x_axis[3] = {1, 0, 0};
    vti_curve_at(&f->curve, section_place(f, k, sections), part, frame->place, frame->slope,
                 curvature);
    frame->step = vti_curve_length(&f->curve) / (double)sections;
    if (k == 0) {
        vti_normal_to(frame->slope, x_axis, frame->normal[0]);
        vti_cross(frame->slope, frame->normal[0], frame->normal[1]);
    } else {
        carry(&last, frame);
    }
}

/* The angle of a cosine and a sine, in units of pi: the cosine falls from 0 to 1. */
static double angle_of(double cosine, double sine)
{
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 50; i++) {
        const double middle = 0.5 * (low + high);
        if (vti_cos_pi(middle) > cosine)
            low = middle;
        else
            high = middle;
    }
    return sine < 0.0 ? -low : low;
}

/* By how much the normals are turned after once around, in units of pi, within +- 1/6: sixths of a
 * turn do not change the places of a section. */
static double turn_of_closed(const vt_filament *f, int64_t sections)
{
    vt_line_frame frame = {0}, first;
    double curvature[3];
    int64_t part = 0;
    for (int64_t k = 0; k < sections; k++) {
        walk(f, k, sections, &part, &frame, curvature);
        if (k == 0)
            first = frame;
    }
    vt_line_frame back = first;
    carry(&frame, &back);
    const double turn = angle_of(vti_dot(back.normal[0], first.normal[0]),
                                 vti_dot(back.normal[0], first.normal[1]));
    return turn - vti_floor(3.0 * turn + 0.5) / 3.0;
}

static int64_t count(const void *data, int64_t pulse)
{
    const vt_filament *const f = data;
    const vt_section_def section = section_of(&f->def);
    (void)pulse;
    return vti_section_vortons(&section, least_sections(&f->def), vti_curve_length(&f->curve));
}

static void fill(const void *data, int64_t pulse, vt_vorton_list *list)
{
    const vt_filament *const f = data;
    const int64_t sections = count_sections(f);
    const vt_section_def section_def = section_of(&f->def);
    const vt_section section = vti_make_section(&section_def);
    const double turn = f->def.closed ? turn_of_closed(f, sections) : 0.0;
    vt_line_frame frame = {0};
    double curvature[3];
    int64_t part = 0;
    (void)pulse;
    for (int64_t k = 0; k < sections; k++) {
        walk(f, k, sections, &part, &frame, curvature);
        vt_line_frame placed = turned(&frame, -turn * ((double)k / (double)sections));
        set_normal_slopes(&placed, curvature);
        vti_list_section(&section, &placed, f->def.circulation, list);
    }
    list->line = vti_line_of(&section, f->def.closed);
    if (f->def.closed)
        vti_remove_sum(list);
}

static vt_fluid_def fluid(const void *data, int64_t pulse)
{
    (void)pulse;
    return ((const vt_filament *)data)->def.fluid;
}

/* ---- as structures ---- */

static void destroy(void *data)
{
    vt_filament *const f = data;
    vti_destroy_curve(&f->curve);
    vti_free(f);
}

static vt_status create(const vt_structure_kind *kind, const vt_filament_def *def,
                        vt_structure *made)
{
    const vt_section_def section = section_of(def);
    vt_status status = vti_check_section(kind->name, &section, least_sections(def));
    if (!status)
        status = check_points(kind->name, def);
    if (status)
        return status;
    vt_filament *const f = vti_allocate(sizeof *f);
    if (!f)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a %s", kind->name);
    *f = (vt_filament){.def = *def};
    f->def.points = NULL;
    status = vti_create_curve(def->points, def->point_count, def->closed, &f->curve);
    if (!status)
        status = check_bends(kind->name, f);
    if (status) {
        destroy(f);
        return status;
    }
    *made = (vt_structure){
        .kind = kind, .data = f, .start = def->time, .end = INFINITY, .parent = def->parent};
    return VT_OK;
}

vt_status vti_create_filament(const void *def, vt_structure *made)
{
    static const vt_structure_kind kind = {
        .name = "filament", .count = count, .fill = fill, .destroy = destroy, .fluid = fluid};
    return create(&kind, def, made);
}

/* Points along the tube: its ends, or enough of them to follow its waves. */
static int64_t wavy_points(const vt_tube_def *def, double points[][3])
{
    const int64_t count = def->wobble > 0.0 ? MODES * POINTS_A_WAVE + 1 : 2;
    double axis[3] = {0}, normal[2][3];
    const double x_axis[3] = {1, 0, 0};
    vti_add_scaled(axis, 1.0, def->end);
    vti_add_scaled(axis, -1.0, def->start);
    const double length = vti_normalise(axis);
    vti_normal_to(axis, x_axis, normal[0]);
    vti_cross(axis, normal[0], normal[1]);
    double squares = 0.0;
    for (int m = 1; m <= MODES; m++)
        squares += 0.5 / (m * m);
    const double amplitude = def->wobble * length / vti_sqrt(squares);
    for (int64_t i = 0; i < count; i++) {
        const double share = (double)i / (double)(count - 1);
        memcpy(points[i], def->start, sizeof points[i]);
        vti_add_scaled(points[i], share * length, axis);
        for (uint64_t n = 0; def->wobble > 0.0 && n < 2; n++)
            for (uint64_t m = 1; m <= MODES; m++) {
                const double phase = vti_random(def->seed, PHASES + n, m);
                const double wave = vti_cos_pi(2.0 * ((double)m * share + phase));
                vti_add_scaled(points[i], amplitude / (double)m * wave, normal[n]);
            }
    }
    return count;
}

vt_status vti_create_tube(const void *data, vt_structure *made)
{
    static const vt_structure_kind kind = {
        .name = "tube", .count = count, .fill = fill, .destroy = destroy, .fluid = fluid};
    const vt_tube_def *const def = data;
    double points[MODES * POINTS_A_WAVE + 1][3];
    const vt_filament_def line = {.points = points[0],
                                  .point_count = wavy_points(def, points),
                                  .circulation = def->circulation,
                                  .core = def->core,
                                  .vorton_core = def->vorton_core,
                                  .sections = def->sections,
                                  .layers = def->layers,
                                  .time = def->time,
                                  .parent = def->parent,
                                  .fluid = def->fluid};
    return create(&kind, &line, made);
}
