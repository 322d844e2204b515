#include "state/columns.h"

#include <string.h>

#include "core/parallel.h"
#include "core/reserve.h"

enum { BLOCK = 8192, SLACK = 256 /* bytes after a column that vector loads may touch */ };

static const vt_column_field vorton_fields[] = {
#define VT_VORTON_COLUMN(name, type, components, always, description)                              \
    {#name, description, VT_TYPE_##type, components},
#define VT_TYPE_float VT_FLOAT32
#define VT_TYPE_int64 VT_INT64
#include "vorton/columns.def"
#undef VT_VORTON_COLUMN
};

static const vt_column_field tracer_fields[] = {
#define VT_TRACER_COLUMN(name, type, components, always, description)                              \
    {#name, description, VT_TYPE_##type, components},
#include "vorton/columns.def"
#undef VT_TRACER_COLUMN
};

static const int32_t always_used[2][VT_MOST_COLUMNS] = {
    [VT_VORTONS] =
        {
#define VT_VORTON_COLUMN(name, type, components, always, description) always,
#include "vorton/columns.def"
#undef VT_VORTON_COLUMN
        },
    [VT_TRACERS] =
        {
#define VT_TRACER_COLUMN(name, type, components, always, description) always,
#include "vorton/columns.def"
#undef VT_TRACER_COLUMN
        },
};

const int vt_carried_column[VT_CARRIED_COLUMNS] = {
#define VT_CARRIED(name, least, most, allowed) VT_VORTON_##name,
#include "vorton/columns.def"
#undef VT_CARRIED
};

#define VT_TAKEN(name) VT_TRACER_##name,
const int vt_taken_column[VT_TAKEN_COLUMNS] = {
#include "vorton/columns.def"
};
#undef VT_TAKEN
#define VT_TAKEN(name) VT_VORTON_##name,
const int vt_taken_from[VT_TAKEN_COLUMNS] = {
#include "vorton/columns.def"
};
#undef VT_TAKEN

int vt_is_taken(int column)
{
    for (int n = 0; n < VT_TAKEN_COLUMNS; n++)
        if (vt_taken_column[n] == column)
            return 1;
    return 0;
}

int vt_describe_column(int set, int index, vt_column_field *field)
{
    const vt_column_field *const fields = set == VT_VORTONS ? vorton_fields : tracer_fields;
    const int count = set == VT_VORTONS ? (int)VT_VORTON_COLUMNS : (int)VT_TRACER_COLUMNS;
    if (index < 0 || index >= count || (set != VT_VORTONS && set != VT_TRACERS))
        return 0;
    *field = fields[index];
    return 1;
}

static int create_set(vt_set *set, int64_t capacity, int32_t columns, const vt_column_field *fields,
                      const int32_t *used)
{
    *set = (vt_set){.capacity = capacity, .column_count = columns};
    for (int32_t c = 0; c < columns; c++) {
        set->row_bytes[c] = (fields[c].type == VT_INT64 ? 8 : 4) * fields[c].components;
        const size_t bytes = (size_t)(set->row_bytes[c] * capacity + SLACK);
        set->column[c] = vt_reserve(bytes);
        set->used[c] = used[c];
        if (!set->column[c]) {
            vt_destroy_set(set);
            return -1;
        }
        if (fields[c].components > 1) /* swept whole in every substep */
            vt_reserve_huge(set->column[c], bytes);
    }
    return 0;
}

int vt_create_vortons(vt_vortons *vortons, int64_t capacity)
{
    if (create_set(&vortons->set, capacity, VT_VORTON_COLUMNS, vorton_fields,
                   always_used[VT_VORTONS]))
        return -1;
#define VT_VORTON_COLUMN(name, type, components, always, description)                              \
    vortons->name = vortons->set.column[VT_VORTON_##name];
#include "vorton/columns.def"
#undef VT_VORTON_COLUMN
    return 0;
}

int vt_create_tracers(vt_tracers *tracers, int64_t capacity)
{
    if (create_set(&tracers->set, capacity, VT_TRACER_COLUMNS, tracer_fields,
                   always_used[VT_TRACERS]))
        return -1;
#define VT_TRACER_COLUMN(name, type, components, always, description)                              \
    tracers->name = tracers->set.column[VT_TRACER_##name];
#include "vorton/columns.def"
#undef VT_TRACER_COLUMN
    return 0;
}

void vt_destroy_set(vt_set *set)
{
    for (int32_t c = 0; c < set->column_count; c++)
        vt_release(set->column[c], (size_t)(set->row_bytes[c] * set->capacity + SLACK));
    *set = (vt_set){0};
}

void vt_copy_rows(const vt_set *from, vt_set *to)
{
    to->count = from->count;
    for (int32_t c = 0; c < from->column_count; c++) {
        to->used[c] = from->used[c];
        if (from->used[c])
            memcpy(to->column[c], from->column[c], (size_t)(from->row_bytes[c] * from->count));
    }
}

void vt_fill_column(vt_set *set, int column, int64_t first, int64_t count, double value)
{
    float *const values = set->column[column];
    const int64_t components = set->row_bytes[column] / 4;
    for (int64_t i = first * components; i < (first + count) * components; i++)
        values[i] = (float)value;
}

typedef struct permute_context {
    const uint32_t *order;
    const char *from;
    char *to;
    int64_t row_bytes;
} permute_context;

/* Rows of three floats by one move of four: the fourth is overwritten by the next row. */
static void gather_triples(const permute_context *c, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end - 1; i++)
        memcpy(c->to + 12 * i, c->from + 12 * (int64_t)c->order[i], 16);
    memcpy(c->to + 12 * (end - 1), c->from + 12 * (int64_t)c->order[end - 1], 12);
}

static void gather_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const permute_context context = *(const permute_context *)data, *const c = &context;
    if (c->row_bytes == 4)
        for (int64_t i = begin; i < end; i++)
            memcpy(c->to + 4 * i, c->from + 4 * (int64_t)c->order[i], 4);
    else if (c->row_bytes == 8)
        for (int64_t i = begin; i < end; i++)
            memcpy(c->to + 8 * i, c->from + 8 * (int64_t)c->order[i], 8);
    else
        gather_triples(c, begin, end);
}

static void copy_block(void *data, int64_t begin, int64_t end, int thread)
{
    (void)thread;
    const permute_context *const c = data;
    memcpy(c->to + begin * c->row_bytes, c->from + begin * c->row_bytes,
           (size_t)((end - begin) * c->row_bytes));
}

void vt_permute_set(vt_set *set, const uint32_t *order, int64_t count, vt_arena *arena, int threads)
{
    const size_t mark = vt_arena_mark(arena);
    char *const scratch = vt_arena_push(arena, (size_t)(12 * count));
    for (int32_t c = 0; c < set->column_count; c++) {
        if (!set->used[c])
            continue;
        permute_context gather = {order, set->column[c], scratch, set->row_bytes[c]};
        permute_context copy = {NULL, scratch, set->column[c], set->row_bytes[c]};
        vt_parallel_for(threads, count, BLOCK, gather_block, &gather);
        vt_parallel_for(threads, count, BLOCK, copy_block, &copy);
    }
    set->count = count;
    vt_arena_pop(arena, mark);
}
