/* Fire in the preview. Colour: Planck's law over the colour matching functions of CIE 1931 (2
 * degree observer), then linear sRGB. Where it glows: where fuel burns at the moment. Its light on
 * the smoke: the integral of radiance / (4 pi r^2), with 1 / (4 pi r^2) = sqrt(pi / 2) x the
 * integral over s of a Gaussian of standard deviation s. */
#include "preview/fire.h"

#include "base/math_double.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"

#define SEEN 0.4 /* share of the fire's light that the smoke between lets through */

enum { BOXES = 3 /* of one width after another: nearly a Gaussian */ };

/* ---- colour ---- */

/* The colour matching functions x, y, z at 380, 390 ... 780 nm, in 1e-4. */
enum { FIRST_NM = 380, NM_APART = 10, WAVELENGTHS = 41 };
static const int16_t matching[WAVELENGTHS][3] = {
    {14, 0, 65},        {42, 1, 201},       {143, 4, 679},      {435, 12, 2074},
    {1344, 40, 6456},   {2839, 116, 13856}, {3483, 230, 17471}, {3362, 380, 17721},
    {2908, 600, 16692}, {1954, 910, 12876}, {956, 1390, 8130},  {320, 2080, 4652},
    {49, 3230, 2720},   {93, 5030, 1582},   {633, 7100, 782},   {1655, 8620, 422},
    {2904, 9540, 203},  {4334, 9950, 87},   {5945, 9950, 39},   {7621, 9520, 21},
    {9163, 8700, 17},   {10263, 7570, 11},  {10622, 6310, 8},   {10026, 5030, 3},
    {8544, 3810, 2},    {6424, 2650, 0},    {4479, 1750, 0},    {2835, 1070, 0},
    {1649, 610, 0},     {874, 320, 0},      {468, 170, 0},      {227, 82, 0},
    {114, 41, 0},       {58, 21, 0},        {29, 10, 0},        {14, 5, 0},
    {7, 3, 0},          {3, 1, 0},          {2, 1, 0},          {1, 0, 0},
    {0, 0, 0}};

/* Relative to its value at 780 nm, so that nothing underflows. */
static double planck(double nm, double kelvin)
{
    const double second = 1.438776877e7 / kelvin; /* nm */
    const double edge = vti_exp(-second / 780.0) / (1.0 - vti_exp(-second / 780.0));
    const double here = vti_exp(-second / nm) / (1.0 - vti_exp(-second / nm));
    const double ratio = 780.0 / nm;
    return ratio * ratio * ratio * ratio * ratio * here / edge;
}

static f4 color_of_body(double kelvin)
{
    static const double to_rgb[3][3] = {{3.2404542, -1.5371385, -0.4985314},
                                        {-0.9692660, 1.8760108, 0.0415560},
                                        {0.0556434, -0.2040259, 1.0572252}};
    double xyz[3] = {0.0, 0.0, 0.0}, rgb[3], most = 0.0;
    for (int n = 0; n < WAVELENGTHS; n++)
        for (int c = 0; c < 3; c++)
            xyz[c] += planck(FIRST_NM + n * NM_APART, kelvin) * matching[n][c];
    for (int c = 0; c < 3; c++) {
        rgb[c] = to_rgb[c][0] * xyz[0] + to_rgb[c][1] * xyz[1] + to_rgb[c][2] * xyz[2];
        rgb[c] = rgb[c] > 0.0 ? rgb[c] : 0.0; /* deep red is beyond what sRGB shows */
        most = rgb[c] > most ? rgb[c] : most;
    }
    return (f4){(float)(rgb[0] / most), (float)(rgb[1] / most), (float)(rgb[2] / most), 0.0f};
}

void vti_fill_black_body(vt_black_body *body)
{
    for (int i = 0; i < VT_GLOW_COLORS; i++)
        body->color[i] = color_of_body(600.0 + 40.0 * i);
}

/* ---- what glows ---- */

typedef struct glowing {
    const float *of_volume;
    float *glow, *warmth;
} glowing;

static void find_glow(void *context, int64_t begin, int64_t end)
{
    const glowing *const g = context;
    for (int64_t i = begin * VT_LEAF_VOXELS; i < end * VT_LEAF_VOXELS; i++) {
        const float glow = g->of_volume[i];
        g->glow[i] = glow;
        g->warmth[i] = glow * vti_kelvin_of(glow);
    }
}

vt_status vti_find_glow(const vt_volume *volume, int threads, float **glow, float **warmth)
{
    const size_t bytes = (size_t)volume->density.count * VT_LEAF_VOXELS * sizeof(float);
    *glow = vti_borrow(bytes);
    *warmth = vti_borrow(bytes);
    if (!*glow || !*warmth) {
        vti_return_borrowed(*glow);
        vti_return_borrowed(*warmth);
        *glow = *warmth = NULL;
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for the fire of a preview");
    }
    glowing g = {volume->field[VT_VOLUME_glow], *glow, *warmth};
    vti_parallel_for(threads, volume->density.count, 16, find_glow, &g);
    return VT_OK;
}

/* ---- blur ---- */

/* Means over 2 radius + 1 neighbours, nothing beyond the ends. */
static void box_line(const f4 *from, f4 *to, int64_t count, int64_t radius)
{
    const f4 share = f4_set(1.0f / (float)(2 * radius + 1));
    f4 sum = f4_set(0.0f);
    for (int64_t i = 0; i < radius && i < count; i++)
        sum += from[i];
    for (int64_t i = 0; i < count; i++) {
        if (i + radius < count)
            sum += from[i + radius];
        for (int c = 0; c < 4; c++) /* rounding may leave less than nothing */
            to[i][c] = sum[c] > 0.0f ? sum[c] * share[c] : 0.0f;
        if (i - radius >= 0)
            sum -= from[i - radius];
    }
}

typedef struct blur {
    f4 *values;
    int64_t count[3], stride[3];
    int axis;
    int64_t radius;
    f4 *lines; /* two of the longest with what the boxes reach, for each thread */
    int64_t longest;
} blur;

/* What leaves the line with one box may come back with the next: the line is longer meanwhile. */
static void blur_line(const blur *b, int64_t start, f4 *lines)
{
    const int64_t margin = BOXES * b->radius, count = b->count[b->axis] + 2 * margin;
    f4 *from = lines, *to = lines + b->longest;
    memset(from, 0, (size_t)count * sizeof *from);
    for (int64_t i = 0; i < b->count[b->axis]; i++)
        from[margin + i] = b->values[start + i * b->stride[b->axis]];
    for (int box = 0; box < BOXES; box++) {
        box_line(from, to, count, b->radius);
        f4 *const done = to;
        to = from;
        from = done;
    }
    for (int64_t i = 0; i < b->count[b->axis]; i++)
        b->values[start + i * b->stride[b->axis]] = from[margin + i];
}

static void blur_lines(void *context, int64_t begin, int64_t end, int thread)
{
    const blur *const b = context;
    const int u = b->axis == 0 ? 1 : 0, v = b->axis == 2 ? 1 : 2;
    for (int64_t n = begin; n < end; n++)
        blur_line(b, n % b->count[u] * b->stride[u] + n / b->count[u] * b->stride[v],
                  b->lines + thread * 2 * b->longest);
}

static void blur_all(blur *b, int64_t radius, int threads)
{
    b->radius = radius;
    for (b->axis = 0; b->axis < 3; b->axis++) {
        const int64_t lines = b->count[0] * b->count[1] * b->count[2] / b->count[b->axis];
        if (b->count[b->axis] > 1)
            vti_parallel_for_numbered(threads, lines, 16, blur_lines, b);
    }
}

/* For radii up to `widest`. */
static _Bool start_blur(blur *b, f4 *values, const int64_t count[3], int64_t widest, int threads)
{
    *b = (blur){.values = values};
    int64_t stride = 1;
    for (int axis = 0; axis < 3; axis++) {
        b->count[axis] = count[axis];
        b->stride[axis] = stride;
        stride *= count[axis];
        b->longest = count[axis] > b->longest ? count[axis] : b->longest;
    }
    b->longest += 2 * BOXES * widest;
    b->lines = vti_allocate_lines((size_t)(threads * 2 * b->longest) * sizeof *b->lines);
    return b->lines != NULL;
}

/* Standard deviation of the boxes together. */
static double deviation_of(int64_t radius)
{
    const double width = 2.0 * (double)radius + 1.0;
    return vti_sqrt(BOXES * (width * width - 1.0) / 12.0);
}

/* ---- light on the smoke ---- */

/* Blurs wider than this many nodes add nothing that is seen. */
enum { WIDEST = 16 };

_Bool vti_add_fire_light(const int64_t count[3], double spacing, const f4 *source, f4 *light,
                         int threads)
{
    const int64_t nodes = count[0] * count[1] * count[2];
    f4 *const blurred = vti_allocate_lines((size_t)nodes * sizeof *blurred);
    blur b;
    if (!blurred || !start_blur(&b, blurred, count, WIDEST, threads)) {
        vti_free(blurred);
        return 0;
    }
    for (int64_t radius = 1; radius <= WIDEST; radius *= 2) {
        /* the part of the integral over s that is nearest to this one */
        const double here = deviation_of(radius), next = deviation_of(2 * radius);
        const double low = radius == 1 ? 0.0 : 0.5 * (here + deviation_of(radius / 2));
        const double weight = SEEN * vti_sqrt(0.5 * VT_PI) * (0.5 * (here + next) - low) * spacing;
        memcpy(blurred, source, (size_t)nodes * sizeof *blurred);
        blur_all(&b, radius, threads);
        for (int64_t i = 0; i < nodes; i++)
            light[i] += f4_set((float)weight) * blurred[i];
    }
    vti_free(b.lines);
    vti_free(blurred);
    return 1;
}

/* ---- bloom ---- */

/* Radii of the boxes in pixels of a picture 480 pixels high: deviations 3 and 14. */
static const double bloom_radius[2] = {2.6, 13.5};

_Bool vti_add_bloom(int64_t width, int64_t height, double share, const f4 *fire, f4 *picture,
                    int threads)
{
    const int64_t count[3] = {width, height, 1};
    f4 *const blurred = vti_allocate_lines((size_t)(width * height) * sizeof *blurred);
    int64_t radius[2];
    blur b;
    for (int n = 0; n < 2; n++) {
        radius[n] = (int64_t)(bloom_radius[n] * (double)height / 480.0 + 0.5);
        radius[n] = radius[n] > 0 ? radius[n] : 1;
    }
    if (!blurred || !start_blur(&b, blurred, count, radius[1], threads)) {
        vti_free(blurred);
        return 0;
    }
    for (int n = 0; n < 2; n++) {
        memcpy(blurred, fire, (size_t)(width * height) * sizeof *blurred);
        blur_all(&b, radius[n], threads);
        for (int64_t i = 0; i < width * height; i++)
            picture[i] += f4_set((float)share) * blurred[i];
    }
    vti_free(b.lines);
    vti_free(blurred);
    return 1;
}
