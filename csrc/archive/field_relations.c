#include "archive/field_relations.h"

#include <string.h>

#include "archive/place_order.h"
#include "archive/row_chunks.h"
#include "base/memory.h"

/* Columns that hold nearly what another one does: eddies have been entered not long ago, what has
 * not expanded or been written is as it was. */
static const char *const nearly_like[][2] = {{"tracers.eddy_place", "tracers.position"},
                                             {"tracers.second_eddy_place", "tracers.position"},
                                             {"tracers.left_temperature", "tracers.temperature"},
                                             {"vortons.bound_volume", "vortons.volume"},
                                             {"vortons.volume_temperature", "vortons.temperature"}};

/* Columns that at times hold just what another one does: both fields of eddies have been renewed by
 * the same step. */
static const char *const at_times_as[][2] = {{"tracers.second_eddy_place", "tracers.eddy_place"}};

/* Columns that are alike in the order of births: of emitted fluid, and of neutral vortons, which
 * have none of it and are born together. */
static const char *const by_birth[][2] = {
    {"vortons.age", "vortons.id"},         {"vortons.birth_strength", "vortons.id"},
    {"vortons.temperature", "vortons.id"}, {"vortons.fuel", "vortons.id"},
    {"vortons.flame", "vortons.id"},       {"vortons.smoke", "vortons.id"},
    {"vortons.mixture", "vortons.id"},     {"vortons.lifetime", "vortons.id"},
    {"vortons.swelling", "vortons.id"},    {"vortons.birth_volume", "vortons.id"},
    {"vortons.volume", "vortons.id"},      {"tracers.age", "tracers.id"},
    {"tracers.density", "tracers.id"}};

/* The number of the field that a table of `count` pairs has beside a field, from 1 on; 0: none. */
static uint32_t find_field(const char *const (*pairs)[2], size_t count, const uint8_t *bytes,
                           uint32_t n, const vt_field_entry *entry)
{
    for (size_t k = 0; k < count; k++) {
        if (strcmp(entry->name, pairs[k][0]) != 0)
            continue;
        for (uint32_t m = 0; m < n; m++) {
            const vt_field_entry other = vti_frame_entry(bytes, m);
            if (strcmp(other.name, pairs[k][1]) == 0 && other.rows == entry->rows &&
                other.packing != VT_MADE_AGAIN)
                return m + 1;
        }
    }
    return 0;
}

#define FIND_FIELD(pairs, bytes, n, entry)                                                         \
    find_field(pairs, sizeof(pairs) / sizeof *(pairs), bytes, n, entry)

/* Where the numbers of a field lie in a state, of which only the directory need be there. */
static size_t offset_of(const uint8_t *bytes, size_t begin, uint32_t field)
{
    for (uint32_t n = 0; n < field; n++) {
        const vt_field_entry entry = vti_frame_entry(bytes, n);
        begin +=
            (size_t)(entry.packing == VT_MADE_AGAIN ? entry.bytes : vti_unpacked_bytes(&entry));
    }
    return begin;
}

static const uint8_t *place_of(const vt_fields *f, const uint8_t *state, uint32_t n)
{
    return f->place ? f->place[n] : state + offset_of(f->directory, f->begin, n);
}

static int is_of(const vt_field_entry *entry, int type, uint32_t components)
{
    return (int)entry->type == type && entry->components == components &&
           entry->packing != VT_MADE_AGAIN;
}

/* Whether field `number`, from 1 on, has such numbers: states that somebody else has made may have
 * others by a name. */
static int has_numbers(const vt_fields *f, uint32_t number, int type, uint32_t components)
{
    const vt_field_entry entry = vti_frame_entry(f->directory, number - 1);
    return is_of(&entry, type, components);
}

vt_fields vti_describe_fields(const uint8_t *directory, const vt_frame_head *head)
{
    vt_fields f = {
        .directory = directory, .count = head->fields, .begin = (size_t)head->block.summed};
    for (uint32_t n = 0; n < head->fields; n++) {
        const vt_field_entry entry = vti_frame_entry(directory, n);
        if (strcmp(entry.name, "fluid.law") == 0 && is_of(&entry, 'f', VT_LAW_NUMBERS))
            f.fluid[VT_FLUID_LAW] = entry.rows == 1 ? n + 1 : 0;
        if (strcmp(entry.name, "last_substep") == 0 && is_of(&entry, 'd', 1))
            f.fluid[VT_LAST_SUBSTEP] = entry.rows == 1 ? n + 1 : 0;
        if (strncmp(entry.name, "vortons.", 8) != 0)
            continue;
        for (int k = 0; k < VT_LONE_INPUTS; k++)
            if (strcmp(entry.name, vti_lone_inputs[k]) == 0 &&
                is_of(&entry, k == VT_LONE_OF_flags ? 'I' : 'f', 1))
                f.fluid[k] = n + 1;
    }
    return f;
}

void vti_destroy_fields(vt_fields *f)
{
    vti_free(f->order);
    vti_free(f->foretold);
    vti_free(f->place_order);
}

vt_lone_state vti_describe_fluid(const vt_fields *f, const uint8_t *state, uint32_t n,
                                 uint64_t rows)
{
    vt_lone_state lone = {.rows = (int64_t)rows};
    for (int k = 0; k < VT_FLUID_FIELDS; k++) {
        const uint32_t number = f->fluid[k];
        if (number == 0 || number > n ||
            (k < VT_LONE_INPUTS && vti_frame_entry(f->directory, number - 1).rows != rows))
            continue;
        const uint8_t *const numbers = place_of(f, state, number - 1);
        if (k < VT_LONE_INPUTS)
            lone.column[k] = numbers;
        else
            *(k == VT_FLUID_LAW ? &lone.law : &lone.last_substep) = numbers;
    }
    return lone;
}

float *vti_prepare_foretelling(vt_fields *f, vt_lone_state *lone)
{
    const int by_mixture = lone->column[VT_LONE_OF_mixture] != NULL;
    const size_t rows = (size_t)lone->rows;
    if (!f->foretold || f->rows != lone->rows || f->by_mixture != by_mixture) {
        vti_free(f->foretold);
        f->foretold = vti_allocate((sizeof *f->foretold + sizeof *f->fluid_rows) * rows + 1);
        f->failed |= !f->foretold;
        if (!f->foretold)
            return NULL;
        f->rows = lone->rows;
        f->by_mixture = by_mixture;
        f->fluid_rows = (uint32_t *)(f->foretold + rows);
        f->fluid_count = vti_list_fluid(lone, f->fluid_rows);
    }
    lone->fluid = f->fluid_rows;
    lone->fluid_count = f->fluid_count;
    return f->foretold;
}

vt_packed_rows vti_describe_rows(const vt_fields *f, const uint8_t *state, uint32_t reference,
                                 const vt_field_entry *entry)
{
    vt_packed_rows rows = {.rows = (int64_t)entry->rows, .components = (int)entry->components};
    if (reference) {
        rows.reference = place_of(f, state, reference - 1);
        rows.reference_components = (int)vti_frame_entry(f->directory, reference - 1).components;
    }
    return rows;
}

vt_packed_rows vti_describe_order(vt_fields *f, const uint8_t *state, uint32_t orderer,
                                  const vt_field_entry *entry)
{
    if (orderer != f->orderer) {
        vti_free(f->order);
        f->order =
            vti_order_rows(place_of(f, state, orderer - 1), (int64_t)entry->rows, &f->failed);
        f->orderer = orderer;
    }
    return (vt_packed_rows){
        .rows = (int64_t)entry->rows, .components = (int)entry->components, .order = f->order};
}

vt_packed_rows vti_describe_by_place(vt_fields *f, const uint8_t *state, uint32_t placer,
                                     int threads, const vt_field_entry *entry)
{
    vt_packed_rows rows = vti_describe_rows(f, state, placer, entry);
    if (placer != f->placer) {
        vti_free(f->place_order);
        f->placer = placer;
        f->place_order = vti_allocate(sizeof *f->place_order * (size_t)entry->rows + 1);
        f->failed |= !f->place_order;
        if (f->place_order)
            vti_order_by_place(rows.reference, rows.rows, threads, f->place_order);
    }
    rows.order = f->place_order;
    return rows;
}

/* About how many bits field n takes that is less the places of field `placer`. */
static int64_t guess_beside(const vt_fields *f, uint32_t n, uint32_t placer)
{
    const vt_field_entry entry = vti_frame_entry(f->directory, n);
    const vt_field_entry other = vti_frame_entry(f->directory, placer - 1);
    return is_of(&entry, 'f', 3) && is_of(&other, 'f', 3) && entry.rows == other.rows
               ? vti_guess_bits_from_places(f->place[n], f->place[placer - 1], (int64_t)entry.rows)
               : 0;
}

int vti_goes_by_place(const vt_fields *f, uint32_t n, uint32_t placer, const vt_field_entry *entry)
{
    enum { MOST = 12 /* bytes */, FAR = 5 /* bits of a number, of which it can spare some */ };
    if (placer == 0 || !strstr(entry->name, "eddy_place") ||
        strcmp(vti_frame_entry(f->directory, placer - 1).name, "tracers.position") != 0)
        return 0;
    const int64_t rows = (int64_t)entry->rows, own = guess_beside(f, n, placer);
    const int has_second = strcmp(entry->name, "tracers.eddy_place") == 0 && n + 1 < f->count;
    const int64_t all = own + (has_second ? guess_beside(f, n + 1, placer) : 0);
    return own > 3 * FAR * rows && 8 * f->of_tracers + all > 8 * MOST * rows;
}

uint32_t vti_find_reference(const vt_fields *f, uint32_t n, const vt_field_entry *entry)
{
    const uint32_t same = FIND_FIELD(at_times_as, f->directory, n, entry);
    if (same && has_numbers(f, same, (int)entry->type, entry->components) &&
        memcmp(f->place[n], f->place[same - 1], (size_t)vti_unpacked_bytes(entry)) == 0)
        return same;
    const uint32_t near = FIND_FIELD(nearly_like, f->directory, n, entry);
    return near && vti_bytes_of_type(vti_frame_entry(f->directory, near - 1).type) == 4 ? near : 0;
}

float vti_find_birth_of_fields(const vt_fields *f)
{
    const uint32_t volume = f->fluid[VT_LONE_OF_volume];
    if (volume == 0)
        return 0;
    const vt_lone_state lone =
        vti_describe_fluid(f, NULL, f->count, vti_frame_entry(f->directory, volume - 1).rows);
    return vti_find_birth(&lone);
}

uint32_t vti_find_orderer(const vt_fields *f, uint32_t n, const vt_field_entry *entry)
{
    const uint32_t orderer = FIND_FIELD(by_birth, f->directory, n, entry);
    return orderer && has_numbers(f, orderer, 'q', 1) ? orderer : 0;
}
