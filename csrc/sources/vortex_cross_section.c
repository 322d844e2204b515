#include "sources/vortex_cross_section.h"

#include "base/status.h"
#include "base/vec3.h"

/* Layers fill the core out to this many b (exp(-5.76) = .3 % of the circulation lies beyond). */
static const double reach = 2.4;

static int64_t vortons_in_layer(int layer)
{
    return layer == 0 ? 1 : 6 * layer;
}

static int64_t vortons_in_section(int layers)
{
    return 1 + 3 * (int64_t)layers * (layers + 1);
}

/* Core radius of the vortons, m. */
static double section_vorton_core(const vt_section_def *def)
{
    if (def->vorton_core > 0.0)
        return def->vorton_core;
    return def->layers == 0 ? def->core : 0.5 * def->core;
}

/* b^2 = core^2 - 2 vorton_core^2: the squared radius of the Gaussian that is sampled. */
static double sampled_square(const vt_section_def *def)
{
    const double sigma = section_vorton_core(def);
    return def->core * def->core - 2.0 * sigma * sigma;
}

static int layer_count(const vt_section_def *def)
{
    if (def->layers >= 0)
        return def->layers;
    const double cells = reach * vti_sqrt(sampled_square(def)) / section_vorton_core(def);
    return cells < 1.5 ? 1 : cells > VT_MOST_LAYERS ? VT_MOST_LAYERS + 1 : (int)(cells + 0.5);
}

int64_t vti_section_count(const vt_section_def *def, int64_t least, double length)
{
    if (def->sections > 0)
        return def->sections;
    const double wanted = vti_floor(length / section_vorton_core(def) + 0.5);
    return wanted < (double)least      ? least
           : wanted > VT_MOST_SECTIONS ? VT_MOST_SECTIONS + 1
                                       : (int64_t)wanted;
}

int64_t vti_section_vortons(const vt_section_def *def, int64_t least, double length)
{
    return vti_section_count(def, least, length) * vortons_in_section(layer_count(def));
}

/* ---- checks ---- */

static vt_status check_vorton_core(const char *what, const vt_section_def *def)
{
    if (def->layers == 0) {
        if (def->vorton_core != 0.0 && def->vorton_core != def->core)
            return vti_fail(
                VT_INVALID_ARGUMENT,
                "%s.vorton_core is %g m; allowed for a %s one vorton thick (layers 0) is 0 or "
                "core, %g m",
                what, def->vorton_core, what, def->core);
    } else if (def->vorton_core != 0.0 &&
               !(def->vorton_core >= 1e-9 && 1.5 * def->vorton_core <= def->core * (1 + 1e-9)))
        return vti_fail(
            VT_INVALID_ARGUMENT,
            "%s.vorton_core is %g m; allowed is 0 (core / 2), or 1e-9 m to core / 1.5, %g m "
            "(layers 0 makes a %s one vorton thick)",
            what, def->vorton_core, def->core / 1.5, what);
    return VT_OK;
}

vt_status vti_check_section(const char *what, const vt_section_def *def, int64_t least)
{
    if (def->sections != 0 && def->sections < least)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "%s.sections is %lld; allowed is 0 (spaced by vorton_core), or %lld to %d",
                        what, (long long)def->sections, (long long)least, VT_MOST_SECTIONS);
    return check_vorton_core(what, def);
}

vt_status vti_check_section_count(const char *what, const vt_section_def *def, int64_t least,
                                  double length)
{
    if (layer_count(def) > VT_MOST_LAYERS ||
        vti_section_count(def, least, length) > VT_MOST_SECTIONS ||
        vti_section_vortons(def, least, length) > vt_most_structure_vortons)
        return vti_fail(
            VT_INVALID_ARGUMENT,
            "%s.vorton_core is %g m, which asks for too many vortons; allowed are up to "
            "%d layers, %d sections and 2^30 vortons",
            what, section_vorton_core(def), VT_MOST_LAYERS, VT_MOST_SECTIONS);
    return VT_OK;
}

/* ---- the section ---- */

/* Shares and rms radii of the rings around the centre, cut at half-integer multiples of spacing. */
static void fill_layers(vt_section *s, double square, double spacing)
{
    double inner = 0.0, inner_tail = 1.0, moment = 0.0, total = 0.0;
    for (int m = 0; m <= s->layers; m++) {
        const double outer = (m + 0.5) * (m + 0.5) * spacing * spacing;
        const double tail = vti_exp(-outer / square);
        const double share = inner_tail - tail;
        const double ring_moment = (inner + square) * inner_tail - (outer + square) * tail;
        s->circulation[m] = share / (double)vortons_in_layer(m);
        s->area[m] = VT_PI * (outer - inner) / (double)vortons_in_layer(m);
        s->radius[m] = m == 0 ? 0.0 : vti_sqrt(ring_moment / share);
        total += share;
        moment += m == 0 ? 0.0 : ring_moment;
        inner = outer;
        inner_tail = tail;
    }
    for (int m = 0; m <= s->layers; m++) {
        s->circulation[m] /= total;
        s->radius[m] *= vti_sqrt(square * total / moment);
    }
}

vt_section vti_make_section(const vt_section_def *def)
{
    vt_section s = {.layers = layer_count(def), .vorton_core = section_vorton_core(def)};
    if (s.layers == 0) {
        s.circulation[0] = 1.0;
        s.area[0] = VT_PI * def->core * def->core;
    } else {
        const double square = sampled_square(def);
        fill_layers(&s, square, reach * vti_sqrt(square) / (s.layers + 0.5));
    }
    return s;
}

/* ---- vortons ---- */

static void list_vorton(vt_vorton_list *list, const double position[3], const double strength[3],
                        double core, double volume)
{
    const int64_t i = list->count++;
    for (int c = 0; c < 3; c++) {
        list->position[3 * i + c] = (float)position[c];
        list->strength[3 * i + c] = (float)strength[c];
        list->sum[c] += (double)list->strength[3 * i + c];
    }
    list->sum_of_sizes += vti_sqrt(vti_dot(strength, strength));
    list->core[i] = (float)core;
    list->volume[i] = (float)volume;
}

void vti_list_section(const vt_section *s, const vt_line_frame *f, double circulation,
                      vt_vorton_list *list)
{
    for (int m = 0; m <= s->layers; m++) {
        const int64_t count = vortons_in_layer(m);
        for (int64_t i = 0; i < count; i++) {
            /* Every other circle is turned by half a place. */
            const double angle = 2.0 * ((double)i + 0.5 * (m % 2)) / (double)count;
            const double along[2] = {s->radius[m] * vti_cos_pi(angle),
                                     s->radius[m] * vti_sin_pi(angle)};
            double position[3], strength[3];
            for (int c = 0; c < 3; c++) {
                position[c] = f->place[c] + along[0] * f->normal[0][c] + along[1] * f->normal[1][c];
                strength[c] = f->step * (f->slope[c] + along[0] * f->normal_slope[0][c] +
                                         along[1] * f->normal_slope[1][c]);
            }
            const double length = vti_sqrt(vti_dot(strength, strength));
            for (int c = 0; c < 3; c++)
                strength[c] *= circulation * s->circulation[m];
            list_vorton(list, position, strength, s->vorton_core, s->area[m] * length);
        }
    }
}

uint32_t vti_line_of(const vt_section *section, int closed)
{
    return section->layers > 0 ? 0 : closed ? VT_FLAG_LINE | VT_FLAG_LINE_CLOSED : VT_FLAG_LINE;
}

void vti_remove_sum(vt_vorton_list *list)
{
    if (!(list->sum_of_sizes > 0.0))
        return;
    for (int64_t i = 0; i < list->count; i++) {
        double strength[3];
        vti_widen(list->strength + 3 * i, strength);
        const double share = vti_sqrt(vti_dot(strength, strength)) / list->sum_of_sizes;
        for (int c = 0; c < 3; c++)
            list->strength[3 * i + c] = (float)(strength[c] - share * list->sum[c]);
    }
}
