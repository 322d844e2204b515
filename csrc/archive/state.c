#include <string.h>

#include "archive/frame_packing.h"
#include "archive/checksum.h"
#include "archive/made_again.h"
#include "archive/state_fields.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/reserve.h"
#include "base/spare_memory.h"
#include "base/status.h"
#include "field/domain.h"
#include "model/columns.h"
#include "model/warnings.h"
#include "population/neutral_particles.h"
#include "state/particles.h"
#include "state/simulation.h"

/* ---- saving ---- */

static size_t row_bytes(const vt_state_field *field)
{
    return vti_bytes_of_type((uint32_t)field->type) * (size_t)field->components;
}

/* A field to its place in the bytes. */
typedef struct copy_job {
    const vt_state_field *field;
    uint8_t *to;
} copy_job;

static void copy_some(void *data, int64_t begin, int64_t end)
{
    const copy_job *const job = data;
    const size_t row = row_bytes(job->field);
    uint8_t *to = job->to + (size_t)begin * row;
    if (job->field->stride == (int64_t)row) {
        memcpy(to, job->field->data + (size_t)begin * row, (size_t)(end - begin) * row);
        return;
    }
    for (int64_t n = begin; n < end; n++, to += row)
        memcpy(to, job->field->data + n * job->field->stride, row);
}

static vt_field_entry entry_of(const vt_state_field *field)
{
    vt_field_entry entry = {.type = (uint32_t)field->type,
                            .components = (uint32_t)field->components,
                            .rows = (uint64_t)field->rows};
    memcpy(entry.name, field->name, sizeof entry.name);
    entry.packing = field->made_again ? VT_MADE_AGAIN : VT_STORED;
    entry.bytes = vti_unpacked_bytes(&entry);
    return entry;
}

/* The simulation waits for it: by all its threads. Returns where the next one goes. */
static uint8_t *copy_field(const vt_state_field *field, int threads, uint8_t *to)
{
    enum { BLOCK = 1 << 15 /* rows */ };
    copy_job job = {field, to};
    if (field->rows > 0 && row_bytes(field) > 0)
        vti_parallel_for(threads, field->rows, BLOCK, copy_some, &job);
    return to + row_bytes(field) * (size_t)field->rows;
}

/* The fields that are there, no others; the head of a state of them, without its checksum. */
static vt_frame_head list_fields(vt_simulation *s, vt_state_list *list, int64_t number)
{
    vti_list_state(s, list);
    vti_mark_made_again(s, list);
    vt_frame_head head = {.block = {.kind = {'S', 'T', 'A', 'T'}},
                          .number = number,
                          .time = s->time,
                          .layout = vti_state_layout(list),
                          .digest = vti_definition_digest(s)};
    uint64_t size = 0;
    for (int32_t n = 0; n < list->count; n++)
        if (!list->field[n].absent) {
            list->field[head.fields] = list->field[n];
            size += row_bytes(&list->field[n]) * (uint64_t)list->field[n].rows;
            head.fields++;
        }
    list->count = (int32_t)head.fields;
    head.block.summed = sizeof head + head.fields * sizeof(vt_field_entry);
    head.block.length = (head.block.summed + size + 7) / 8 * 8;
    return head;
}

static void put_directory(const vt_state_list *list, const vt_frame_head *head, vt_bytes *to)
{
    vti_put(to, head, sizeof *head);
    for (int32_t n = 0; n < list->count; n++) {
        const vt_field_entry entry = entry_of(&list->field[n]);
        vti_put(to, &entry, sizeof entry);
    }
}

static vt_status has_no_memory(const vt_frame_head *head)
{
    return vti_fail(VT_OUT_OF_MEMORY, "no memory for a state of %llu bytes",
                    (unsigned long long)head->block.length);
}

static vt_status copy_state(const vt_state_list *list, const vt_frame_head *head, int threads,
                            vt_bytes *to)
{
    vti_reserve_bytes(to, (size_t)head->block.length);
    put_directory(list, head, to);
    if (to->failed)
        return has_no_memory(head);
    uint8_t *at = to->bytes + to->size;
    for (int32_t n = 0; n < list->count; n++)
        at = copy_field(&list->field[n], threads, at);
    to->size = (size_t)(at - to->bytes);
    vti_put_zeros(to, (size_t)head->block.length - to->size);
    vt_crc crc;
    vti_make_crc(&crc);
    vt_block_head block = head->block;
    block.crc = vti_crc32(&crc, to->bytes + 8, (size_t)block.summed - 8);
    memcpy(to->bytes, &block, sizeof block);
    return VT_OK;
}

static int lies_apart(const vt_state_field *field)
{
    return field->rows > 1 && field->stride != (int64_t)row_bytes(field);
}

/* Columns are packed where they lie; what lies apart is brought together first. */
static vt_status pack_state(const vt_state_list *list, const vt_frame_head *head, int threads,
                            vt_bytes *to)
{
    const uint8_t *place[VT_STATE_FIELDS];
    vt_bytes directory = {0};
    size_t apart = 0;
    for (int32_t n = 0; n < list->count; n++)
        if (lies_apart(&list->field[n]))
            apart += row_bytes(&list->field[n]) * (size_t)list->field[n].rows;
    vti_reserve_bytes(&directory, (size_t)head->block.summed + apart);
    put_directory(list, head, &directory);
    if (directory.failed)
        return has_no_memory(head);
    uint8_t *at = directory.bytes + directory.size;
    for (int32_t n = 0; n < list->count; n++) {
        const vt_state_field *const field = &list->field[n];
        place[n] = lies_apart(field) || !field->data ? at : (const uint8_t *)field->data;
        if (place[n] == at)
            at = copy_field(field, threads, at);
    }
    const vt_status status = vti_pack_fields(directory.bytes, place, threads, to);
    vti_return_borrowed(directory.bytes);
    return status;
}

/* Hands the bytes out, or gives them back. */
static vt_status hand_over(vt_status status, vt_bytes *made, uint8_t **bytes, int64_t *size)
{
    if (status) {
        vti_return_borrowed(made->bytes);
        return status;
    }
    *bytes = made->bytes;
    *size = (int64_t)made->size;
    return VT_OK;
}

typedef vt_status saving(const vt_state_list *list, const vt_frame_head *head, int threads,
                         vt_bytes *to);

static vt_status save(vt_simulation *s, int64_t number, saving *function, uint8_t **bytes,
                      int64_t *size)
{
    vt_bytes made = {0};
    vt_state_list *const list = vti_allocate(sizeof *list);
    if (!list)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a state");
    vt_status status = vti_enter(s);
    if (!status) {
        const vt_frame_head head = list_fields(s, list, number);
        status = vti_leave(s, function(list, &head, s->def.threads, &made));
    }
    vti_free(list);
    return hand_over(status, &made, bytes, size);
}

vt_status vt_save_state(vt_simulation *s, int64_t number, uint8_t **bytes, int64_t *size)
{
    return save(s, number, copy_state, bytes, size);
}

vt_status vt_save_packed_state(vt_simulation *s, int64_t number, uint8_t **bytes, int64_t *size)
{
    return save(s, number, pack_state, bytes, size);
}

/* The list of a simulation that holds nothing, not even memory for its fields. */
vt_status vt_state_layout(uint64_t *layout)
{
    vt_simulation *const s = vti_reserve(sizeof *s);
    vt_state_list *const list = vti_allocate(sizeof *list);
    const int made = s && list && vti_create_vortons(&s->vortons, 1) == 0 &&
                     vti_create_tracers(&s->tracers, 1) == 0;
    if (made) {
        vti_list_state(s, list);
        *layout = vti_state_layout(list);
    }
    if (s) {
        vti_destroy_set(&s->vortons.set);
        vti_destroy_set(&s->tracers.set);
        vti_release(s, sizeof *s);
    }
    vti_free(list);
    return made ? VT_OK : vti_fail(VT_OUT_OF_MEMORY, "no memory for the layout of a state");
}

/* ---- packing ---- */

static vt_status check_threads(int32_t threads)
{
    if (threads >= 1 && threads <= VT_MAX_THREADS)
        return VT_OK;
    return vti_fail(VT_INVALID_ARGUMENT, "threads is %d; allowed is 1 to %d", threads,
                    VT_MAX_THREADS);
}

static vt_status check_block(const uint8_t *bytes, int64_t size, int packed, vt_frame_head *head)
{
    if (!bytes || size < 0)
        return vti_fail(VT_INVALID_ARGUMENT, "bytes is NULL or size < 0; allowed is a state");
    const vt_status status = vti_check_frame("the state", bytes, (uint64_t)size, head);
    if (status || (memcmp(head->block.kind, "FRAM", 4) == 0) == packed)
        return status;
    return vti_fail(VT_INVALID_ARGUMENT, "the state: is %spacked; allowed is one that is %s",
                    packed ? "not " : "", packed ? "packed" : "not");
}

vt_status vt_pack_state(const uint8_t *bytes, int64_t size, int32_t threads, uint8_t **packed,
                        int64_t *packed_size)
{
    vt_frame_head head;
    vt_bytes made = {0};
    vt_status status = check_threads(threads);
    if (status || (status = check_block(bytes, size, 0, &head)))
        return status;
    return hand_over(vti_pack_frame(bytes, threads, &made), &made, packed, packed_size);
}

vt_status vt_unpack_state(const uint8_t *packed, int64_t packed_size, int32_t threads,
                          uint8_t **bytes, int64_t *size)
{
    vt_frame_head head;
    vt_bytes made = {0};
    vt_status status = check_threads(threads);
    if (status || (status = check_block(packed, packed_size, 1, &head)))
        return status;
    return hand_over(vti_unpack_frame("the state", packed, threads, &made), &made, bytes, size);
}

/* ---- looking at what was saved ---- */

int vt_get_saved_field(const uint8_t *state, int64_t size, int32_t index, vt_saved_field *field)
{
    vt_frame_head head;
    if (check_block(state, size, 0, &head) || index < 0 || (uint32_t)index >= head.fields)
        return 0;
    uint64_t at = head.block.summed;
    for (uint32_t n = 0; n < (uint32_t)index; n++)
        at += vti_frame_entry(state, n).bytes;
    const vt_field_entry entry = vti_frame_entry(state, (uint32_t)index);
    vt_saved_field known = {.type = (char)entry.type,
                            .components = (int32_t)entry.components,
                            .rows = (int64_t)entry.rows,
                            .bytes = (int64_t)entry.bytes};
    memcpy(known.name, entry.name, sizeof known.name);
    if (entry.bytes == vti_unpacked_bytes(&entry))
        known.data = state + at;
    return vti_hand_out(field, &known, sizeof known) == VT_OK;
}

/* ---- loading ---- */

/* Rows of the particles that the state holds: those of their ids, which are always there. */
static vt_status find_rows(vt_simulation *s, const uint8_t *bytes, uint32_t fields, int64_t rows[2])
{
    rows[VT_VORTONS] = rows[VT_TRACERS] = 0;
    for (uint32_t n = 0; n < fields; n++) {
        const vt_field_entry entry = vti_frame_entry(bytes, n);
        if (strcmp(entry.name, "vortons.id") == 0)
            rows[VT_VORTONS] = (int64_t)entry.rows;
        if (strcmp(entry.name, "tracers.id") == 0)
            rows[VT_TRACERS] = (int64_t)entry.rows;
    }
    const vt_status status = vti_check_room(s, VT_VORTONS, rows[VT_VORTONS], "the state has");
    return status ? status : vti_check_room(s, VT_TRACERS, rows[VT_TRACERS], "the state has");
}

static vt_status does_not_fit(const char *name)
{
    return vti_fail(VT_INVALID_ARGUMENT,
                    "the state: %s is not as this simulation has it; allowed is a state of the "
                    "same build and the same scene",
                    name);
}

/* Gives each field of the list its place in the bytes: NULL for columns that the state lacks. The
 * order is that of the list, so one pass does. */
static vt_status find_fields(const vt_simulation *s, vt_state_list *list, const uint8_t *bytes,
                             const vt_frame_head *head, const int64_t rows[2],
                             const uint8_t **place)
{
    const uint8_t *at = bytes + head->block.summed;
    uint32_t n = 0;
    for (int32_t f = 0; f < list->count; f++) {
        vt_state_field *const field = &list->field[f];
        place[f] = NULL;
        const vt_field_entry entry =
            n < head->fields ? vti_frame_entry(bytes, n) : (vt_field_entry){.name = ""};
        if (strcmp(entry.name, field->name) != 0) {
            if (field->set < 0 || strcmp(field->name, "vortons.id") == 0 ||
                strcmp(field->name, "tracers.id") == 0)
                return does_not_fit(field->name);
            continue;
        }
        field->rows = field->set < 0 ? field->rows : rows[field->set];
        if (entry.type != (uint32_t)field->type ||
            entry.components != (uint32_t)field->components || entry.rows != (uint64_t)field->rows)
            return does_not_fit(field->name);
        field->made_again = entry.packing == VT_MADE_AGAIN && entry.bytes == 0;
        if (field->made_again && !vti_can_be_made_again(s, field))
            return does_not_fit(field->name);
        place[f] = field->made_again ? NULL : at;
        at += entry.bytes;
        n++;
    }
    return n == head->fields ? VT_OK : does_not_fit("a field");
}

/* Of one component, in every row. */
static const struct known_range {
    const char *name;
    int component;
    double least, most;
} known_ranges[] = {{"time", 0, 0, 1e12},
                    {"placement.level", 0, 0, VT_COARSEST_LEVEL},
                    {"born_until", 0, -1, 1e12},
                    {"shell_width", 0, 0, VT_WIDEST_SHELL},
                    {"warnings.count", 0, 0, VT_WARNING_KINDS},
                    {"bodies.heat", 0, 0, 1e6}}; /* its temperature, K: as body.def has it */

static double value_of(const vt_state_field *field, const uint8_t *row, int component)
{
    double value;
    int32_t whole;
    if (field->type == 'd') {
        memcpy(&value, row + 8 * component, sizeof value);
        return value;
    }
    memcpy(&whole, row + 4 * component, sizeof whole);
    return whole;
}

static vt_status check_range(const vt_state_field *field, const uint8_t *rows,
                             const struct known_range *range)
{
    for (int64_t row = 0; row < field->rows; row++) {
        const double value =
            value_of(field, rows + (size_t)row * row_bytes(field), range->component);
        if (!(value >= range->least && value <= range->most))
            return vti_fail(VT_INVALID_ARGUMENT,
                            "the state: %s is %g in row %lld; allowed is %g to %g", range->name,
                            value, (long long)row, range->least, range->most);
    }
    return VT_OK;
}

static vt_status check_warnings(const uint8_t *items)
{
    vt_warnings warnings;
    memcpy(warnings.item, items, sizeof warnings.item);
    for (int n = 0; n < VT_WARNING_KINDS; n++)
        if (!memchr(warnings.item[n].text, 0, sizeof warnings.item[n].text))
            return vti_fail(VT_INVALID_ARGUMENT, "the state: warning %d has no end", n);
    return VT_OK;
}

/* Values that a step takes as they are, since it made them itself: what else stands there in a
 * state that somebody has changed would be an index, or a loop without an end. */
static vt_status check_values(const vt_state_list *list, const uint8_t *const *place)
{
    vt_status status = VT_OK;
    for (int32_t f = 0; !status && f < list->count; f++) {
        const char *const name = list->field[f].name;
        for (size_t n = 0; !status && n < sizeof known_ranges / sizeof *known_ranges; n++)
            if (strcmp(name, known_ranges[n].name) == 0)
                status = check_range(&list->field[f], place[f], &known_ranges[n]);
        if (!status && strcmp(name, "warnings.item") == 0)
            status = check_warnings(place[f]);
    }
    return status;
}

static void take_rows(const vt_state_field *field, const uint8_t *from)
{
    const size_t row = row_bytes(field);
    if (field->stride == (int64_t)row && field->rows > 0) {
        memcpy(field->data, from, row * (size_t)field->rows);
        return;
    }
    for (int64_t n = 0; n < field->rows; n++)
        memcpy(field->data + n * field->stride, from + (size_t)n * row, row);
}

/* What the columns that the state lacks follow from is all there. */
static void make_again(vt_simulation *s, const vt_state_list *list, const uint8_t *const *place)
{
    vti_forget_fields(s);
    vti_form_bodies(&s->bodies, s->time);
    vti_make_again(s, list);
    for (int32_t f = 0; f < list->count; f++) /* winds, which that changes */
        if (list->field[f].set < 0)
            take_rows(&list->field[f], place[f]);
}

static vt_status check_belongs(vt_simulation *s, const vt_state_list *list,
                               const vt_frame_head *head)
{
    if (head->layout != vti_state_layout(list))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "the state: was saved by another build of the library, whose states hold "
                        "other columns; allowed are those of this build of %s: go on with that "
                        "build, or simulate again with this one",
                        VORTON_VERSION);
    if (head->digest != vti_definition_digest(s))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "the state: belongs to another simulation: its method, or the numbers and "
                        "times of its sources, effects or bodies differ");
    return VT_OK;
}

static vt_status load_now(vt_simulation *s, vt_state_list *list, const uint8_t *bytes,
                          const vt_frame_head *head)
{
    const uint8_t *place[VT_STATE_FIELDS];
    const uint32_t viewed[2] = {s->viewed[0], s->viewed[1]};
    int64_t rows[2];
    vti_list_state(s, list);
    vt_status status = check_belongs(s, list, head);
    if (status || (status = find_rows(s, bytes, head->fields, rows)) ||
        (status = find_fields(s, list, bytes, head, rows, place)) ||
        (status = check_values(list, place)))
        return status;
    if (vti_grow_set(&s->vortons.set, rows[VT_VORTONS]) ||
        vti_grow_set(&s->tracers.set, rows[VT_TRACERS]))
        return has_no_memory(head);
    s->vortons.set.count = rows[VT_VORTONS];
    s->tracers.set.count = rows[VT_TRACERS];
    for (int32_t f = 0; f < list->count; f++) {
        const vt_state_field *const field = &list->field[f];
        vt_set *const set = field->set == VT_VORTONS ? &s->vortons.set : &s->tracers.set;
        if (field->set >= 0)
            set->used[field->column] = place[f] != NULL || field->made_again;
        if (place[f])
            take_rows(field, place[f]);
    }
    s->bodies.joined = 0; /* which are placed may have changed */
    make_again(s, list, place);
    for (int set = 0; set < 2; set++) /* views of before are still out */
        s->viewed[set] |= viewed[set];
    return VT_OK;
}

vt_status vt_load_state(vt_simulation *s, const uint8_t *bytes, int64_t size)
{
    vt_frame_head head;
    if (!bytes || size < 0)
        return vti_fail(VT_INVALID_ARGUMENT, "bytes is NULL or size < 0; allowed is a state");
    vt_status status = vti_check_frame("the state", bytes, (uint64_t)size, &head);
    if (status || (status = vti_enter(s)))
        return status;
    vt_bytes unpacked = {0};
    vt_state_list *const list = vti_allocate(sizeof *list);
    if (!list)
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for a state");
    else if (memcmp(head.block.kind, "FRAM", 4) == 0)
        status = vti_unpack_frame("the state", bytes, s->def.threads, &unpacked);
    if (!status)
        status = load_now(s, list, unpacked.bytes ? unpacked.bytes : bytes, &head);
    vti_free(list);
    vti_return_borrowed(unpacked.bytes);
    return vti_leave(s, status);
}
