#include "model/columns.h"

#include <string.h>

#include "base/parallel.h"
#include "base/reserve.h"
#include "base/status.h"

enum {
    BLOCK = 8192,
    SLACK = 256,      /* bytes after a column that vector loads may touch */
    AT_ONCE = 1 << 14 /* rows that a set grows by, at least */
};

static const vt_column_field vorton_fields[] = {
#define VT_VORTON_COLUMN(name, type, components, always, description)                              \
    {sizeof(vt_column_field), #name, description, VT_TYPE_##type, components},
#define VT_TYPE_float VT_FLOAT32
#define VT_TYPE_int64 VT_INT64
#define VT_TYPE_uint32 VT_UINT32
#include "vorton/columns.def"
    {sizeof(vt_column_field), "past_rates", NULL, VT_FLOAT32, 16}};

static const vt_column_field tracer_fields[] = {
#define VT_TRACER_COLUMN(name, type, components, always, description)                              \
    {sizeof(vt_column_field), #name, description, VT_TYPE_##type, components},
#include "vorton/columns.def"
    {sizeof(vt_column_field), "left_temperature", NULL, VT_FLOAT32, 1}};

static const int32_t always_used[2][VT_MOST_COLUMNS] = {
    [VT_VORTONS] =
        {
#define VT_VORTON_COLUMN(name, type, components, always, description) always,
#include "vorton/columns.def"
        },
    [VT_TRACERS] =
        {
#define VT_TRACER_COLUMN(name, type, components, always, description) always,
#include "vorton/columns.def"
        },
};

const int vti_composition_of_taken[VT_TAKEN_COLUMNS] = {
#define VT_TAKEN(name) VT_CARRIED_##name,
#include "vorton/columns.def"
};

const int vti_composition_column[VT_COMPOSITION_COLUMNS] = {
#define VT_CARRIED(name, least, most, allowed) VT_VORTON_##name,
#include "vorton/columns.def"
};

#define VT_TAKEN(name) VT_TRACER_##name,
const int vti_taken_column[VT_TAKEN_COLUMNS] = {
#include "vorton/columns.def"
};
#define VT_TAKEN(name) VT_VORTON_##name,
const int vti_taken_from[VT_TAKEN_COLUMNS] = {
#include "vorton/columns.def"
};

int vti_is_taken(int column)
{
    for (int n = 0; n < VT_TAKEN_COLUMNS; n++)
        if (vti_taken_column[n] == column)
            return 1;
    return 0;
}

int vt_describe_column(int set, int index, vt_column_field *field)
{
    const vt_column_field *const fields = set == VT_VORTONS ? vorton_fields : tracer_fields;
    const int count = set == VT_VORTONS ? (int)VT_VORTON_COLUMNS : (int)VT_TRACER_COLUMNS;
    if (index < 0 || index >= count || (set != VT_VORTONS && set != VT_TRACERS))
        return 0;
    return vti_hand_out(field, &fields[index], sizeof *fields) == VT_OK;
}

static int create_set(vt_set *set, int64_t capacity, int32_t columns, const vt_column_field *fields,
                      const int32_t *used)
{
    *set = (vt_set){.capacity = capacity, .column_count = columns};
    for (int32_t c = 0; c < columns; c++) {
        set->row_bytes[c] = (fields[c].type == VT_INT64 ? 8 : 4) * fields[c].components;
        const size_t bytes = (size_t)(set->row_bytes[c] * capacity + SLACK);
        set->column[c] = vti_reserve_vast(bytes);
        set->used[c] = used[c];
        if (!set->column[c]) {
            vti_destroy_set(set);
            return -1;
        }
        if (fields[c].components > 1) /* swept whole in every substep */
            vti_reserve_huge(set->column[c], bytes);
    }
    if (vti_grow_set(set, 1) == 0)
        return 0;
    vti_destroy_set(set);
    return -1;
}

int vti_grow_set(vt_set *set, int64_t rows)
{
    const int64_t more = rows + rows / 8 + AT_ONCE, before = set->committed;
    const int64_t after = more < set->capacity ? more : set->capacity;
    if (rows <= before)
        return 0;
    for (int32_t c = 0; c < set->column_count; c++)
        if (vti_commit((char *)set->column[c] + set->row_bytes[c] * before,
                       (size_t)(set->row_bytes[c] * (after - before) + SLACK)))
            return -1;
    set->committed = after;
    return 0;
}

int vti_create_vortons(vt_vortons *vortons, int64_t capacity)
{
    if (create_set(&vortons->set, capacity, VT_VORTON_ALL_COLUMNS, vorton_fields,
                   always_used[VT_VORTONS]))
        return -1;
#define VT_VORTON_COLUMN(name, type, components, always, description)                              \
    vortons->name = vortons->set.column[VT_VORTON_##name];
#include "vorton/columns.def"
    vortons->past_rates = vortons->set.column[VT_VORTON_past_rates];
    return 0;
}

int vti_create_tracers(vt_tracers *tracers, int64_t capacity)
{
    if (create_set(&tracers->set, capacity, VT_TRACER_ALL_COLUMNS, tracer_fields,
                   always_used[VT_TRACERS]))
        return -1;
#define VT_TRACER_COLUMN(name, type, components, always, description)                              \
    tracers->name = tracers->set.column[VT_TRACER_##name];
#include "vorton/columns.def"
    tracers->left_temperature = tracers->set.column[VT_TRACER_left_temperature];
    return 0;
}

void vti_destroy_set(vt_set *set)
{
    for (int32_t c = 0; c < set->column_count; c++)
        vti_release(set->column[c], (size_t)(set->row_bytes[c] * set->capacity + SLACK));
    *set = (vt_set){0};
}

int vti_stay_alike(vt_set *set, int column, const float *values, int64_t count)
{
    int64_t i = 0;
    if (set->used[column])
        return 0;
    if (set->count == 0 && count > 0)
        set->alike[column] = values[0];
    while (i < count && memcmp(values + i, &set->alike[column], sizeof *values) == 0)
        i++;
    return i == count;
}

void vti_copy_rows(const vt_set *from, vt_set *to)
{
    (void)vti_grow_set(to, from->count);
    to->count = from->count;
    for (int32_t c = 0; c < from->column_count; c++) {
        to->used[c] = from->used[c];
        to->alike[c] = from->alike[c];
        if (from->used[c])
            memcpy(to->column[c], from->column[c], (size_t)(from->row_bytes[c] * from->count));
    }
}

void vti_fill_column(vt_set *set, int column, int64_t first, int64_t count, double value)
{
    float *const values = set->column[column];
    const int64_t components = set->row_bytes[column] / 4;
    for (int64_t i = first * components; i < (first + count) * components; i++)
        values[i] = (float)value;
}

/* Rows from .. to of a column stay, and become those from `at` on. */
typedef struct stay {
    uint32_t from, to, at;
} stay;

typedef struct closing {
    const vt_set *set;
    const stay *stays;
    int64_t count;
} closing;

/* The first row from i on that is not marked. */
static int64_t first_unmarked(const uint8_t *mask, int64_t i, int64_t count)
{
    while (i < count && mask[i])
        i++;
    return i;
}

/* Behind the first that goes out. Returns how many stay in all; sets the number of runs. */
static int64_t list_stays(const uint8_t *mask, int64_t count, stay *stays, int64_t *runs)
{
    int64_t kept = vti_first_marked(mask, 0, count), from = first_unmarked(mask, kept, count);
    *runs = 0;
    while (from < count) {
        const int64_t to = vti_first_marked(mask, from, count);
        stays[(*runs)++] = (stay){(uint32_t)from, (uint32_t)to, (uint32_t)kept};
        kept += to - from;
        from = first_unmarked(mask, to, count);
    }
    return kept;
}

static void close_column(void *data, int64_t column)
{
    const closing c = *(const closing *)data;
    const size_t bytes = (size_t)c.set->row_bytes[column];
    char *const rows = c.set->column[column];
    for (int64_t n = 0; c.set->used[column] && n < c.count; n++) {
        const stay run = c.stays[n];
        memmove(rows + run.at * bytes, rows + run.from * bytes, (run.to - run.from) * bytes);
    }
}

int64_t vti_take_out_rows(vt_set *set, const uint8_t *mask, vt_arena *arena, int threads)
{
    const size_t mark = vti_arena_mark(arena);
    stay *const stays = vti_arena_push(arena, sizeof *stays * (size_t)(set->count / 2 + 1));
    closing c = {.set = set, .stays = stays};
    const int64_t kept = list_stays(mask, set->count, stays, &c.count);
    if (c.count > 0)
        vti_parallel_each(threads, set->column_count, 1, close_column, &c);
    set->count = kept;
    vti_arena_pop(arena, mark);
    return kept;
}

/* Columns are permuted word by word: scratch is one word a row, however wide they are. */
typedef struct permuting {
    const uint32_t *order;
    uint32_t *scratch;
    uint32_t *column; /* its first word */
    int64_t words;    /* of a row */
} permuting;

static void gather_words(void *data, int64_t begin, int64_t end)
{
    const permuting p = *(const permuting *)data; /* a copy: stores cannot change it */
    for (int64_t i = begin; i < end; i++)
        p.scratch[i] = p.column[(int64_t)p.order[i] * p.words];
}

static void put_words(void *data, int64_t begin, int64_t end)
{
    const permuting p = *(const permuting *)data;
    for (int64_t i = begin; i < end; i++)
        p.column[i * p.words] = p.scratch[i];
}

void vti_permute_set(vt_set *set, const uint32_t *order, int64_t count, vt_arena *arena,
                     int threads)
{
    const size_t mark = vti_arena_mark(arena);
    permuting p = {.order = order, .scratch = vti_arena_push(arena, 4 * (size_t)count)};
    for (int32_t c = 0; c < set->column_count; c++) {
        p.words = set->row_bytes[c] / 4;
        for (int64_t word = 0; set->used[c] && word < p.words; word++) {
            p.column = (uint32_t *)set->column[c] + word;
            vti_parallel_for(threads, count, BLOCK, gather_words, &p);
            vti_parallel_for(threads, count, BLOCK, put_words, &p);
        }
    }
    set->count = count;
    vti_arena_pop(arena, mark);
}
