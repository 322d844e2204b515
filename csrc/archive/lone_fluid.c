#include "archive/lone_fluid.h"

#include <stdlib.h>
#include <string.h>

#include "archive/byte_planes.h"
#include "base/parallel.h"
#include "kernels/dispatch.h"

const char *const vti_lone_inputs[VT_LONE_INPUTS] = {"vortons.age",
                                                     "vortons.flags",
                                                     "vortons.mixture",
                                                     "vortons.fuel",
                                                     "vortons.flame",
                                                     "vortons.temperature",
                                                     "vortons.volume_temperature",
                                                     "vortons.birth_volume",
                                                     "vortons.volume"};

static float number_at(const uint8_t *column, int64_t row)
{
    float value;
    memcpy(&value, column + 4 * row, sizeof value);
    return value;
}

/* 0 where it is beyond what makes sense: results are then numbers, and none is tiny. */
static float known_at(const uint8_t *column, int64_t row, float least, float most)
{
    const float value = number_at(column, row);
    return value >= least && value <= most ? value : 0;
}

static int is_fluid(const vt_lone_state *state, int64_t row)
{
    const uint8_t *const mixture = state->column[VT_LONE_OF_mixture];
    if (mixture)
        return number_at(mixture, row) > 0;
    uint32_t flags;
    memcpy(&flags, state->column[VT_LONE_OF_flags] + 4 * row, sizeof flags);
    return (flags & VT_FLAG_EMITTED) != 0;
}

int64_t vti_list_fluid(const vt_lone_state *state, uint32_t *to)
{
    int64_t count = 0;
    for (int64_t row = 0; row < state->rows && state->column[VT_LONE_OF_flags]; row++) {
        to[count] = (uint32_t)row;
        count += is_fluid(state, row);
    }
    return count;
}

/* ---- birth ---- */

enum { SAMPLE = 512 /* rows */ };

static int compare_numbers(const void *a, const void *b)
{
    float one, other;
    memcpy(&one, a, sizeof one);
    memcpy(&other, b, sizeof other);
    return (one > other) - (one < other);
}

static const float coldest = 1e-3f, hottest = 1e6f, smallest = 1e-30f, largest = 1e30f;

/* Volume of a mass at a temperature, times what is the same at all: of a gas the temperature. */
static float relative_volume(const float *law, float temperature)
{
    if (!(law[VT_LAW_expansion] > 0))
        return temperature;
    const float left = 1 - law[VT_LAW_expansion] * (temperature - law[VT_LAW_ambient]);
    return left > 0.05f ? 1 / left : 20;
}

float vti_find_birth(const vt_lone_state *state)
{
    const uint8_t *const then = state->column[VT_LONE_OF_birth_volume];
    const uint8_t *const now = state->column[VT_LONE_OF_volume];
    const uint8_t *const at = state->column[VT_LONE_OF_volume_temperature];
    float found[SAMPLE], law[VT_LAW_NUMBERS];
    size_t count = 0;
    if (!then || !now || !at || !state->column[VT_LONE_OF_flags] || !state->law)
        return 0;
    memcpy(law, state->law, sizeof law);
    const int64_t step = state->rows / SAMPLE + 1;
    for (int64_t row = 0; row < state->rows; row += step) {
        const float volume = known_at(now, row, smallest, largest);
        if (!(volume > 0) || !is_fluid(state, row))
            continue;
        const float birth = relative_volume(law, known_at(at, row, coldest, hottest)) *
                            (known_at(then, row, smallest, largest) / volume);
        if (birth >= coldest && birth <= hottest)
            found[count++] = birth;
    }
    qsort(found, count, sizeof *found, compare_numbers);
    return count ? found[count / 2] : relative_volume(law, law[VT_LAW_ambient]);
}

/* ---- laws ---- */

/* A field, what it follows from, and how. */
typedef struct lone_law {
    const char *name;
    uint32_t inputs; /* a bit for each */
    int value;       /* of the kernel; else BY_... */
} lone_law;

enum { BY_SOOT = VT_LONE_VALUES, BY_EXPANSION };

#define OF(name) (1u << VT_LONE_OF_##name)
static const lone_law laws[] = {
    {"vortons.fuel", OF(age) | OF(mixture), VT_LONE_fuel},
    {"vortons.flame", OF(age) | OF(mixture), VT_LONE_flame},
    {"vortons.smoke", OF(mixture) | OF(fuel) | OF(flame), BY_SOOT},
    {"vortons.temperature", OF(age) | OF(mixture), VT_LONE_temperature},
    {"vortons.volume", OF(flags) | OF(volume_temperature) | OF(birth_volume), BY_EXPANSION},
    {"vortons.swelling", OF(mixture) | OF(fuel) | OF(temperature) | OF(volume), VT_LONE_swelling}};

static const lone_law *find_law(const vt_lone_state *state, const char *name)
{
    for (size_t n = 0; n < sizeof laws / sizeof *laws; n++) {
        uint32_t missing = 0;
        for (int k = 0; k < VT_LONE_INPUTS; k++)
            missing |= (laws[n].inputs >> k & 1) && !state->column[k];
        if (strcmp(laws[n].name, name) == 0)
            return missing ? NULL : &laws[n];
    }
    return NULL;
}

typedef struct foretelling {
    const vt_lone_state *state;
    const lone_law *law;
    float number[VT_LAW_NUMBERS];
    vt_lone_fluid fluid;
    float rest; /* relative volume of the ambient fluid */
    float *to;
} foretelling;

/* -1: numbers that no law has. */
static int read_law(const vt_lone_state *state, float birth, foretelling *f)
{
    double dt;
    if (!state->law || !state->last_substep)
        return -1;
    memcpy(f->number, state->law, sizeof f->number);
    memcpy(&dt, state->last_substep, sizeof dt);
    for (int n = 0; n < VT_LAW_NUMBERS; n++)
        if (!(f->number[n] >= 0 && f->number[n] <= 1e9f))
            return -1;
    f->fluid = (vt_lone_fluid){.law = {.rate = f->number[VT_LAW_rate],
                                       .flame_rate = f->number[VT_LAW_flame_rate],
                                       .soot = f->number[VT_LAW_soot],
                                       .heating = f->number[VT_LAW_heating],
                                       .radiation = f->number[VT_LAW_radiation],
                                       .mixing = f->number[VT_LAW_mixing]},
                               .ambient = f->number[VT_LAW_ambient],
                               .birth = birth,
                               .dt = dt >= 1e-9 && dt <= 1e9 ? (float)dt : 1};
    f->rest = relative_volume(f->number, f->fluid.ambient);
    const int hot = f->law->value == BY_EXPANSION || f->law->value == VT_LONE_temperature;
    return hot && !(birth >= coldest && birth <= hottest && f->fluid.ambient >= coldest) ? -1 : 0;
}

static float sane(float value)
{
    const float size = value < 0 ? -value : value;
    return size >= smallest && size <= largest ? value : 0;
}

static float volume_at(const foretelling *f, int64_t row, float birth)
{
    const uint8_t *const then = f->state->column[VT_LONE_OF_birth_volume];
    const uint8_t *const at = f->state->column[VT_LONE_OF_volume_temperature];
    const float noted = relative_volume(f->number, known_at(at, row, coldest, hottest));
    return sane(known_at(then, row, smallest, largest) * (noted * (1 / birth)));
}

enum { BLOCK = 512 /* rows */ };

/* Those that are no fluid are as the ambient one. */
static void foretell_rest(void *data, int64_t begin, int64_t end)
{
    const foretelling *const f = data;
    const float rest = f->law->value == VT_LONE_temperature ? f->fluid.ambient : 0;
    if (f->law->value == BY_EXPANSION)
        for (int64_t row = begin; row < end; row++)
            f->to[row] = volume_at(f, row, f->rest);
    else
        for (int64_t row = begin; row < end; row++)
            f->to[row] = rest;
}

/* The numbers of some rows of a column that make sense, else 0. */
static void gather_known(const uint8_t *column, const uint32_t *row, int64_t count, float least,
                         float most, float *restrict to)
{
    for (int64_t n = 0; n < count; n++)
        to[n] = known_at(column, row[n], least, most);
}

static void find_by_kernel(const foretelling *f, const uint32_t *row, int64_t count, float *found)
{
    const uint8_t *const *const column = f->state->column;
    float age[BLOCK], mixture[BLOCK], temperature[BLOCK], fuel[BLOCK], volume[BLOCK];
    if (f->law->value == VT_LONE_swelling) {
        gather_known(column[VT_LONE_OF_temperature], row, count, coldest, hottest, temperature);
        gather_known(column[VT_LONE_OF_fuel], row, count, smallest, 1, fuel);
        gather_known(column[VT_LONE_OF_volume], row, count, smallest, largest, volume);
    } else {
        gather_known(column[VT_LONE_OF_age], row, count, smallest, 1e6f, age);
        gather_known(column[VT_LONE_OF_mixture], row, count, smallest, 1, mixture);
    }
    const vt_lone_rows rows = {age, mixture, temperature, fuel, volume};
    vti_stages()->find_lone(&f->fluid, (enum vt_lone_value)f->law->value, count, &rows, found);
}

static void find_by_soot(const foretelling *f, const uint32_t *row, int64_t count, float *found)
{
    const uint8_t *const *const column = f->state->column;
    float mixture[BLOCK], fuel[BLOCK], flame[BLOCK];
    gather_known(column[VT_LONE_OF_mixture], row, count, smallest, 1, mixture);
    gather_known(column[VT_LONE_OF_fuel], row, count, smallest, 1, fuel);
    gather_known(column[VT_LONE_OF_flame], row, count, smallest, 1, flame);
    for (int64_t n = 0; n < count; n++)
        found[n] = sane(f->number[VT_LAW_soot] * (mixture[n] - fuel[n] - flame[n]));
}

/* Of the list of fluid. */
static void foretell_fluid(void *data, int64_t begin, int64_t end)
{
    const foretelling *const f = data;
    float found[BLOCK];
    for (; begin < end; begin += BLOCK) {
        const uint32_t *const row = f->state->fluid + begin;
        const int64_t count = end - begin < BLOCK ? end - begin : BLOCK;
        if (f->law->value == BY_SOOT)
            find_by_soot(f, row, count, found);
        else if (f->law->value == BY_EXPANSION)
            for (int64_t n = 0; n < count; n++)
                found[n] = volume_at(f, row[n], f->fluid.birth);
        else
            find_by_kernel(f, row, count, found);
        for (int64_t n = 0; n < count; n++)
            f->to[row[n]] = found[n];
    }
}

int vti_foretell(const vt_lone_state *state, const char *name, float birth, int threads, float *to)
{
    foretelling f = {.state = state, .law = find_law(state, name), .to = to};
    if (!f.law || read_law(state, birth, &f))
        return -1;
    vti_parallel_for(threads, state->rows, 8 * BLOCK, foretell_rest, &f);
    vti_parallel_for(threads, state->fluid_count, 4 * BLOCK, foretell_fluid, &f);
    return 0;
}

/* ---- whether it is worth it ---- */

/* Some rows of a state, in the order in which others would be packed: in stretches all over it. */
typedef struct sample {
    uint32_t column[VT_LONE_INPUTS][SAMPLE], numbers[SAMPLE], foretold[SAMPLE], fluid[SAMPLE];
    vt_lone_state state;
} sample;

static void take_sample(const vt_lone_state *state, const uint8_t *numbers, const uint32_t *order,
                        sample *sample)
{
    enum { STRETCHES = 8, STRETCH = SAMPLE / STRETCHES };
    sample->state = *state;
    sample->state.rows = 0;
    for (int k = 0; k < STRETCHES; k++) {
        const int64_t first = k * state->rows / STRETCHES;
        const int64_t end = (k + 1) * state->rows / STRETCHES;
        for (int64_t n = first; n < end && n < first + STRETCH; n++) {
            const int64_t row = order ? order[n] : n, at = sample->state.rows++;
            memcpy(&sample->numbers[at], numbers + 4 * row, 4);
            for (int c = 0; c < VT_LONE_INPUTS; c++)
                if (state->column[c])
                    memcpy(&sample->column[c][at], state->column[c] + 4 * row, 4);
        }
    }
    for (int c = 0; c < VT_LONE_INPUTS; c++)
        if (state->column[c])
            sample->state.column[c] = (const uint8_t *)sample->column[c];
    sample->state.fluid = sample->fluid;
    sample->state.fluid_count = vti_list_fluid(&sample->state, sample->fluid);
}

int vti_can_foretell(const vt_lone_state *state, const char *name, float birth,
                     const uint8_t *numbers, const uint32_t *order)
{
    const vt_strays none = {.count = 0};
    uint32_t words[SAMPLE];
    float foretold[SAMPLE];
    sample sample;
    if (!find_law(state, name))
        return 0;
    take_sample(state, numbers, order, &sample);
    if (vti_foretell(&sample.state, name, birth, 1, foretold))
        return 0;
    const int64_t count = sample.state.rows;
    memcpy(sample.foretold, foretold, 4 * (size_t)count);
    vti_stages()->take_words(sample.numbers, sample.foretold, 0, count, VT_LESS_ANOTHER_FIELD, 0,
                             &none, words);
    const int64_t by_law = vti_guess_class_bits(words, count);
    vti_stages()->take_words(sample.numbers, NULL, 0, count, VT_LESS_THE_ONE_BEFORE, 0, &none,
                             words);
    return by_law < vti_guess_class_bits(words, count);
}
