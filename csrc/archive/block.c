#include "archive/block.h"

#include <string.h>

#include "archive/byte_planes.h"
#include "archive/checksum.h"
#include "archive/lone_fluid.h"
#include "archive/place_order.h"
#include "archive/row_chunks.h"
#include "base/memory.h"
#include "base/status.h"

static const uint64_t most_bytes = UINT64_C(1) << 44; /* of a field: sums do not overflow */

vt_field_entry vti_frame_entry(const uint8_t *bytes, uint32_t n)
{
    vt_field_entry entry;
    memcpy(&entry, bytes + sizeof(vt_frame_head) + (size_t)n * sizeof entry, sizeof entry);
    return entry;
}

static int is_kind(const vt_frame_head *head, const char *kind)
{
    return memcmp(head->block.kind, kind, 4) == 0;
}

/* ---- checks ---- */

static uint32_t way_of(const vt_field_entry *e)
{
    return e->packing & 255;
}

/* The number of the field that the rows are less, from 1 on; 0: none. */
static uint32_t reference_of(const vt_field_entry *e)
{
    return e->packing >> 8;
}

/* Whether the field that the rows of entry n are less, or that orders them, lies before it, and has
 * as many. */
static int has_reference(const uint8_t *bytes, uint32_t n, const vt_field_entry *e)
{
    const int ordered = way_of(e) == VT_IN_ORDER, by_place = way_of(e) == VT_BY_PLACE;
    const uint32_t number = ordered || by_place || way_of(e) == VT_IN_ROWS ? reference_of(e) : 0;
    if (number == 0)
        return !ordered && !by_place;
    if (number > n)
        return 0;
    const vt_field_entry other = vti_frame_entry(bytes, number - 1);
    if (other.rows != e->rows || other.packing == VT_MADE_AGAIN)
        return 0;
    if (by_place)
        return other.type == 'f' && other.components == 3;
    return ordered ? other.type == 'q' && other.components == 1
                   : vti_bytes_of_type(other.type) == 4;
}

static int is_sound(const vt_field_entry *e, int packed, uint64_t room)
{
    const uint32_t item = vti_bytes_of_type(e->type);
    if (e->name[sizeof e->name - 1] || item == 0 || e->components == 0 ||
        e->components > 1u << 16 || e->rows > INT32_MAX ||
        e->rows > most_bytes / (e->components * item) || e->bytes > room)
        return 0;
    if (packed && (way_of(e) == VT_IN_ROWS || way_of(e) == VT_IN_ORDER || way_of(e) == VT_BY_PLACE))
        return item == 4;
    if (packed && e->packing == VT_FORETOLD)
        return e->type == 'f' && e->components == 1;
    if (e->packing == VT_MADE_AGAIN)
        return e->bytes == 0 || (!packed && e->bytes == vti_unpacked_bytes(e));
    if (e->packing > (packed ? VT_IN_PLANES : VT_STORED))
        return 0;
    return e->packing != VT_STORED || e->bytes == vti_unpacked_bytes(e);
}

vt_status vti_check_frame(const char *what, const uint8_t *bytes, uint64_t size,
                          vt_frame_head *head)
{
    if (size >= sizeof *head)
        memcpy(head, bytes, sizeof *head);
    const uint64_t end =
        size < sizeof *head ? 0 : sizeof *head + (uint64_t)head->fields * sizeof(vt_field_entry);
    if (end == 0 || (!is_kind(head, "FRAM") && !is_kind(head, "STAT")) ||
        head->block.length > size || head->block.summed != end || end > head->block.length)
        return vti_fail(VT_INVALID_ARGUMENT, "%s: is not a whole frame of an archive", what);
    vt_crc crc;
    vti_make_crc(&crc);
    if (head->block.crc != vti_crc32(&crc, bytes + 8, (size_t)(end - 8)))
        return vti_fail(VT_INVALID_ARGUMENT, "%s: is damaged: the checksum of its head differs",
                        what);
    uint64_t at = end;
    for (uint32_t n = 0; n < head->fields; n++) {
        const vt_field_entry entry = vti_frame_entry(bytes, n);
        if (!is_sound(&entry, is_kind(head, "FRAM"), head->block.length - at) ||
            !has_reference(bytes, n, &entry))
            return vti_fail(VT_INVALID_ARGUMENT, "%s: is damaged: field %u does not fit", what, n);
        at += entry.bytes;
    }
    for (; at < head->block.length; at++)
        if (bytes[at])
            return vti_fail(VT_INVALID_ARGUMENT,
                            "%s: is damaged: there is something behind its fields", what);
    return VT_OK;
}

/* ---- packing ---- */

/* A head and room for the directory, of which vti_end_frame says what is in it. */
static void begin_frame(vt_bytes *to, const vt_frame_head *head, const char *kind)
{
    vt_frame_head now = *head;
    memcpy(now.block.kind, kind, 4);
    vti_put(to, &now, sizeof now);
    vti_put_zeros(to, (size_t)(head->block.summed - sizeof now));
}

static void put_entry(vt_bytes *to, uint32_t n, const vt_field_entry *entry)
{
    if (!to->failed)
        memcpy(to->bytes + sizeof(vt_frame_head) + (size_t)n * sizeof *entry, entry, sizeof *entry);
}

static vt_status end_frame(vt_bytes *to, const vt_crc *crc)
{
    vti_put_zeros(to, (8 - to->size % 8) % 8);
    if (to->failed)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a frame of an archive");
    vt_block_head head;
    memcpy(&head, to->bytes, sizeof head);
    head.length = to->size;
    memcpy(to->bytes, &head, sizeof head);
    head.crc = vti_crc32(crc, to->bytes + 8, (size_t)head.summed - 8);
    memcpy(to->bytes, &head, sizeof head);
    return VT_OK;
}

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

/* What fluid follows, and its columns (archive/lone_fluid.h): numbers of fields, from 1 on; 0: not
 * there. */
enum { FLUID_LAW = VT_LONE_INPUTS, LAST_SUBSTEP, FLUID_FIELDS };

/* A state of which the directory, its own or that of its frame, tells. */
typedef struct fields {
    const uint8_t *directory;
    size_t begin; /* of the first field */
    uint32_t fluid[FLUID_FIELDS];
    float birth;        /* of most fluid, of a state that is packed */
    int64_t of_tracers; /* bytes that their fields take as far as they are packed */
    float *foretold;    /* room for a number of each row; behind it those that are fluid */
    uint32_t *fluid_rows;
    int64_t rows, fluid_count;
    int by_mixture;  /* tells what is fluid */
    uint32_t placer; /* the field of places by which rows were last ordered; 0: none */
    uint32_t *place_order;
    uint32_t orderer; /* the field by which the rows were last ordered; 0: none */
    uint32_t *order;
    int failed; /* no memory for that */
} fields;

static int is_of(const vt_field_entry *entry, int type, uint32_t components)
{
    return (int)entry->type == type && entry->components == components &&
           entry->packing != VT_MADE_AGAIN;
}

/* Looks through the directory once. */
static fields describe_fields(const uint8_t *directory, const vt_frame_head *head)
{
    fields f = {.directory = directory, .begin = (size_t)head->block.summed};
    for (uint32_t n = 0; n < head->fields; n++) {
        const vt_field_entry entry = vti_frame_entry(directory, n);
        if (strcmp(entry.name, "fluid.law") == 0 && is_of(&entry, 'f', VT_LAW_NUMBERS))
            f.fluid[FLUID_LAW] = entry.rows == 1 ? n + 1 : 0;
        if (strcmp(entry.name, "last_substep") == 0 && is_of(&entry, 'd', 1))
            f.fluid[LAST_SUBSTEP] = entry.rows == 1 ? n + 1 : 0;
        if (strncmp(entry.name, "vortons.", 8) != 0)
            continue;
        for (int k = 0; k < VT_LONE_INPUTS; k++)
            if (strcmp(entry.name, vti_lone_inputs[k]) == 0 &&
                is_of(&entry, k == VT_LONE_OF_flags ? 'I' : 'f', 1))
                f.fluid[k] = n + 1;
    }
    return f;
}

static void destroy_fields(fields *f)
{
    vti_free(f->order);
    vti_free(f->foretold);
    vti_free(f->place_order);
}

/* What the fields before field n tell of the fluid of as many vortons. */
static vt_lone_state describe_fluid(const fields *f, const uint8_t *state, uint32_t n,
                                    uint64_t rows)
{
    vt_lone_state lone = {.rows = (int64_t)rows};
    for (int k = 0; k < FLUID_FIELDS; k++) {
        const uint32_t number = f->fluid[k];
        if (number == 0 || number > n ||
            (k < VT_LONE_INPUTS && vti_frame_entry(f->directory, number - 1).rows != rows))
            continue;
        const uint8_t *const numbers = state + offset_of(f->directory, f->begin, number - 1);
        if (k < VT_LONE_INPUTS)
            lone.column[k] = numbers;
        else
            *(k == FLUID_LAW ? &lone.law : &lone.last_substep) = numbers;
    }
    return lone;
}

/* Lists the rows that are fluid, once for all fields that know them by the same column, and makes
 * room for what is foretold; NULL: there is no memory. */
static float *prepare_foretelling(fields *f, vt_lone_state *lone)
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

static vt_packed_rows describe_rows(const fields *f, const uint8_t *state, uint32_t reference,
                                    const vt_field_entry *entry)
{
    vt_packed_rows rows = {.rows = (int64_t)entry->rows, .components = (int)entry->components};
    if (reference) {
        rows.reference = state + offset_of(f->directory, f->begin, reference - 1);
        rows.reference_components = (int)vti_frame_entry(f->directory, reference - 1).components;
    }
    return rows;
}

/* Not every field has an order: then `order` is NULL. */
static vt_packed_rows describe_order(fields *f, const uint8_t *state, uint32_t orderer,
                                     const vt_field_entry *entry)
{
    if (orderer != f->orderer) {
        vti_free(f->order);
        f->order = vti_order_rows(state + offset_of(f->directory, f->begin, orderer - 1),
                                  (int64_t)entry->rows, &f->failed);
        f->orderer = orderer;
    }
    return (vt_packed_rows){
        .rows = (int64_t)entry->rows, .components = (int)entry->components, .order = f->order};
}

/* Less places, in their order; without one where there is no memory. */
static vt_packed_rows describe_by_place(fields *f, const uint8_t *state, uint32_t placer,
                                        int threads, const vt_field_entry *entry)
{
    vt_packed_rows rows = describe_rows(f, state, placer, entry);
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
static int64_t guess_beside(const fields *f, const uint8_t *state, uint32_t n, uint32_t placer)
{
    const vt_field_entry entry = vti_frame_entry(f->directory, n);
    const vt_field_entry other = vti_frame_entry(f->directory, placer - 1);
    return is_of(&entry, 'f', 3) && is_of(&other, 'f', 3) && entry.rows == other.rows
               ? vti_guess_bits_from_places(state + offset_of(f->directory, f->begin, n),
                                            state + offset_of(f->directory, f->begin, placer - 1),
                                            (int64_t)entry.rows)
               : 0;
}

/* Whether places in eddies are packed in the order of the places that they are less: that takes
 * time, so only where a tracer else would take more bytes than it should. */
static int goes_by_place(const fields *f, const uint8_t *state, uint32_t n, uint32_t placer,
                         const vt_field_entry *entry)
{
    enum { MOST = 12 /* bytes */, FAR = 5 /* bits of a number, of which it can spare some */ };
    if (placer == 0 || !strstr(entry->name, "eddy_place") ||
        strcmp(vti_frame_entry(f->directory, placer - 1).name, "tracers.position") != 0)
        return 0;
    const int64_t rows = (int64_t)entry->rows, own = guess_beside(f, state, n, placer);
    const int is_first = strcmp(entry->name, "tracers.eddy_place") == 0;
    const int64_t all = own + (is_first ? guess_beside(f, state, n + 1, placer) : 0);
    return own > 3 * FAR * rows && 8 * f->of_tracers + all > 8 * MOST * rows;
}

/* Appends field n less what is foretold of it, where that takes less than in an order, or as rows
 * lie; 0: it does not. */
static int pack_foretold(fields *f, const uint8_t *state, uint32_t n, const uint8_t *from,
                         const vt_field_entry *entry, const uint32_t *order,
                         const vt_packer *packer, vt_bytes *to)
{
    if (entry->components != 1 || strncmp(entry->name, "vortons.", 8) != 0)
        return 0;
    vt_lone_state lone = describe_fluid(f, state, n, entry->rows);
    if (!vti_can_foretell(&lone, entry->name, f->birth, from, order))
        return 0;
    float *const foretold = prepare_foretelling(f, &lone);
    if (!foretold)
        return 0;
    vti_foretell(&lone, entry->name, f->birth, packer->threads, foretold);
    const vt_packed_rows rows = {.rows = (int64_t)entry->rows,
                                 .components = 1,
                                 .reference = foretold,
                                 .reference_components = 1};
    vti_put(to, &f->birth, sizeof f->birth);
    vti_pack_rows(packer, from, &rows, 0, to);
    return 1;
}

/* The number of the field that the numbers of field n are less; 0: none. */
static uint32_t find_reference(const fields *f, const uint8_t *state, uint32_t n,
                               const uint8_t *from, const vt_field_entry *entry)
{
    const uint32_t same = FIND_FIELD(at_times_as, state, n, entry);
    if (same && memcmp(from, state + offset_of(f->directory, f->begin, same - 1),
                       (size_t)vti_unpacked_bytes(entry)) == 0)
        return same;
    return FIND_FIELD(nearly_like, state, n, entry);
}

/* In the order of births, or as they lie, which is the same where all are. */
static uint32_t pack_rows(fields *f, const uint8_t *state, uint32_t n, const uint8_t *from,
                          const vt_field_entry *entry, const vt_packer *packer, vt_bytes *to)
{
    const int alike = vti_are_alike(from, 4 * (size_t)entry->components, (int64_t)entry->rows);
    const uint32_t orderer = alike ? 0 : FIND_FIELD(by_birth, state, n, entry);
    vt_packed_rows rows = {.rows = (int64_t)entry->rows, .components = (int)entry->components};
    if (orderer)
        rows = describe_order(f, state, orderer, entry);
    if (!alike && pack_foretold(f, state, n, from, entry, rows.order, packer, to))
        return VT_FORETOLD;
    uint32_t reference = 0;
    const int ordered = rows.order != NULL;
    int by_place = 0;
    if (!ordered) {
        reference = find_reference(f, state, n, from, entry);
        by_place = !alike && goes_by_place(f, state, n, reference, entry);
        rows = by_place ? describe_by_place(f, state, reference, packer->threads, entry)
                        : describe_rows(f, state, reference, entry);
    }
    rows.alike = alike;
    vti_pack_rows(packer, from, &rows, 1, to);
    if (by_place)
        return VT_BY_PLACE | reference << 8;
    return ordered ? VT_IN_ORDER | orderer << 8 : VT_IN_ROWS | reference << 8;
}

/* Field n of a state, in rows or planes where that takes less. */
static void pack_field(fields *f, const uint8_t *state, uint32_t n, const uint8_t *from,
                       const vt_packer *packer, const vt_crc *crc, vt_bytes *to)
{
    vt_field_entry entry = vti_frame_entry(state, n);
    const size_t start = to->size, plain = (size_t)vti_unpacked_bytes(&entry);
    if (entry.packing == VT_MADE_AGAIN) {
        entry.bytes = 0;
        put_entry(to, n, &entry);
        return;
    }
    if (vti_bytes_of_type(entry.type) == 4) {
        entry.packing = pack_rows(f, state, n, from, &entry, packer, to);
    } else {
        vti_pack_planes(packer, from, (int64_t)(entry.rows * entry.components),
                        (int)vti_bytes_of_type(entry.type), to);
        entry.packing = VT_IN_PLANES;
    }
    if (!to->failed && to->size - start >= plain) {
        to->size = start;
        vti_put(to, from, plain);
        entry.packing = VT_STORED;
    }
    if (to->failed)
        return;
    entry.bytes = to->size - start;
    f->of_tracers += strncmp(entry.name, "tracers.", 8) == 0 ? (int64_t)entry.bytes : 0;
    entry.crc = vti_crc32(crc, to->bytes + start, (size_t)entry.bytes);
    put_entry(to, n, &entry);
}

/* As all fields tell. */
static float find_birth(const fields *f, const uint8_t *state, uint32_t count)
{
    const uint32_t volume = f->fluid[VT_LONE_OF_volume];
    if (volume == 0)
        return 0;
    const vt_lone_state lone =
        describe_fluid(f, state, count, vti_frame_entry(state, volume - 1).rows);
    return vti_find_birth(&lone);
}

vt_status vti_pack_frame(const uint8_t *bytes, int threads, vt_bytes *to)
{
    vt_frame_head head;
    vt_packer packer;
    vt_crc crc;
    vti_make_crc(&crc);
    memcpy(&head, bytes, sizeof head);
    if (vti_create_packer(&packer, threads))
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a frame of an archive");
    vti_reserve_bytes(to, (size_t)head.block.length / 3); /* frames take a sixth to a fourth */
    begin_frame(to, &head, "FRAM");
    fields f = describe_fields(bytes, &head);
    const uint8_t *from = bytes + head.block.summed;
    f.birth = find_birth(&f, bytes, head.fields);
    for (uint32_t n = 0; n < head.fields; n++) {
        const vt_field_entry entry = vti_frame_entry(bytes, n);
        pack_field(&f, bytes, n, from, &packer, &crc, to);
        from += entry.bytes;
    }
    destroy_fields(&f);
    vti_destroy_packer(&packer);
    to->failed |= f.failed;
    return end_frame(to, &crc);
}

/* Field n: the number behind which the rows lie, and what the fields before it foretell. */
static vt_status unpack_foretold(fields *f, uint32_t n, const uint8_t *from, int threads,
                                 const vt_field_entry *entry, const uint8_t *state, uint8_t *to)
{
    float birth;
    vt_lone_state lone = describe_fluid(f, state, n, entry->rows);
    float *const foretold = prepare_foretelling(f, &lone);
    if (!foretold)
        return VT_OUT_OF_MEMORY;
    if (entry->bytes < sizeof birth)
        return VT_INVALID_ARGUMENT;
    memcpy(&birth, from, sizeof birth);
    if (vti_foretell(&lone, entry->name, birth, threads, foretold))
        return VT_INVALID_ARGUMENT;
    const vt_packed_rows rows = {.rows = (int64_t)entry->rows,
                                 .components = 1,
                                 .reference = foretold,
                                 .reference_components = 1};
    return vti_unpack_rows(from + sizeof birth, (size_t)entry->bytes - sizeof birth, &rows, threads,
                           to);
}

/* Unpacks field n behind what is there. */
static vt_status unpack_numbers(fields *f, uint32_t n, const uint8_t *from, int threads,
                                const vt_field_entry *entry, vt_bytes *to)
{
    const size_t plain = (size_t)vti_unpacked_bytes(entry), start = to->size;
    const int64_t numbers = (int64_t)(entry->rows * entry->components);
    vti_put_zeros(to, plain);
    if (to->failed)
        return VT_OK; /* said at the end */
    if (way_of(entry) == VT_IN_PLANES)
        return vti_unpack_planes(from, (size_t)entry->bytes, numbers,
                                 (int)vti_bytes_of_type(entry->type), threads, to->bytes + start);
    if (way_of(entry) == VT_FORETOLD)
        return unpack_foretold(f, n, from, threads, entry, to->bytes, to->bytes + start);
    const int ordered = way_of(entry) == VT_IN_ORDER, by_place = way_of(entry) == VT_BY_PLACE;
    const uint32_t number = reference_of(entry);
    const vt_packed_rows rows = ordered    ? describe_order(f, to->bytes, number, entry)
                                : by_place ? describe_by_place(f, to->bytes, number, threads, entry)
                                           : describe_rows(f, to->bytes, number, entry);
    if ((ordered || by_place) && !rows.order)
        return f->failed ? VT_OUT_OF_MEMORY : VT_INVALID_ARGUMENT;
    return vti_unpack_rows(from, (size_t)entry->bytes, &rows, threads, to->bytes + start);
}

static vt_status unpack_field(const char *what, const vt_crc *crc, fields *f, uint32_t n,
                              const uint8_t *from, int threads, const vt_field_entry *entry,
                              vt_bytes *to)
{
    if (vti_crc32(crc, from, (size_t)entry->bytes) != entry->crc)
        return vti_fail(VT_INVALID_ARGUMENT, "%s: is damaged: the checksum of %s differs", what,
                        entry->name);
    if (entry->packing == VT_MADE_AGAIN)
        return VT_OK;
    if (entry->packing == VT_STORED) {
        vti_put(to, from, (size_t)vti_unpacked_bytes(entry));
        return VT_OK;
    }
    /* before memory is taken: each chunk, of up to VT_PLANE numbers, takes some bytes */
    if (entry->rows * entry->components / VT_PLANE > entry->bytes)
        return vti_fail(VT_INVALID_ARGUMENT, "%s: is damaged: %s is too short", what, entry->name);
    const vt_status status = unpack_numbers(f, n, from, threads, entry, to);
    if (status == VT_INVALID_ARGUMENT)
        return vti_fail(status, "%s: is damaged: %s cannot be unpacked", what, entry->name);
    to->failed |= status != VT_OK; /* what then ends the frame says so */
    return VT_OK;
}

vt_status vti_unpack_frame(const char *what, const uint8_t *bytes, int threads, vt_bytes *to)
{
    vt_frame_head head;
    vt_crc crc;
    vti_make_crc(&crc);
    memcpy(&head, bytes, sizeof head);
    begin_frame(to, &head, "STAT");
    fields f = describe_fields(bytes, &head);
    const uint8_t *from = bytes + head.block.summed;
    vt_status status = VT_OK;
    for (uint32_t n = 0; n < head.fields && !status; n++) {
        vt_field_entry entry = vti_frame_entry(bytes, n);
        status = unpack_field(what, &crc, &f, n, from, threads, &entry, to);
        from += entry.bytes;
        entry.crc = 0;
        if (entry.packing != VT_MADE_AGAIN) {
            entry.bytes = vti_unpacked_bytes(&entry);
            entry.packing = VT_STORED;
        }
        put_entry(to, n, &entry);
    }
    destroy_fields(&f);
    return status ? status : end_frame(to, &crc);
}
