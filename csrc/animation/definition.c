#include "animation/definition.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"

/* ---- sizes ---- */

static size_t size_in(const void *def)
{
    size_t size;
    memcpy(&size, def, sizeof size);
    return size;
}

static void set_size(void *def, size_t size)
{
    memcpy(def, &size, sizeof size);
}

/* Where a member begins that follows on `end`. */
static size_t place_after(size_t end, int32_t kind)
{
    const size_t alignment = vti_is_int32(kind) || kind == VT_ROW_nodes ? 4 : 8;
    return (end + alignment - 1) / alignment * alignment;
}

/* ---- defaults ---- */

static void set_default(const vt_row *row, void *member)
{
    const int numbers = vti_numbers_in(row->kind);
    const int32_t small = (int32_t)row->value[0];
    const int64_t large = (int64_t)row->value[0];
    if (numbers)
        memcpy(member, row->value, 8 * (size_t)numbers);
    else if (vti_is_int32(row->kind))
        memcpy(member, &small, sizeof small);
    else if (row->kind == VT_ROW_count)
        memcpy(member, &large, sizeof large);
    else if (row->kind == VT_ROW_text)
        memcpy(member, &(const char *){row->unit[0] ? row->unit : NULL}, sizeof(char *));
    else
        memset(member, 0, vti_member_size(row->kind));
}

static size_t part_size(const vt_part_sizes *parts, int32_t kind)
{
    return kind == VT_ROW_shape        ? parts->shape
           : kind == VT_ROW_fluid      ? parts->fluid
           : kind == VT_ROW_ambient    ? parts->ambient
           : kind == VT_ROW_combustion ? parts->combustion
                                       : parts->method;
}

static void fill(const vt_definition *d, char *def, size_t size, const vt_part_sizes *parts)
{
    size_t end = sizeof(size_t);
    memset(def, 0, size);
    set_size(def, size);
    for (int n = 0; n < d->count; n++) {
        const int32_t kind = d->rows[n].kind;
        const vt_definition *const part = vti_part_of(kind);
        const size_t place = place_after(end, kind);
        end = place + (part ? part_size(parts, kind) : vti_member_size(kind));
        if (end > size)
            return;
        if (part)
            fill(part, def + place, end - place, parts);
        else
            set_default(&d->rows[n], def + place);
    }
}

static const vt_part_sizes own_parts = {sizeof(vt_shape), sizeof(vt_fluid_def), sizeof(vt_ambient),
                                        sizeof(vt_combustion), sizeof(vt_method)};

void vt_fill_default(const char *definition, void *def, size_t size, const vt_part_sizes *parts)
{
    const vt_definition *const d = vti_find_definition(definition);
    if (d)
        fill(d, def, size, parts ? parts : &own_parts);
}

/* ---- definitions of programs with an older header ---- */

static vt_status check_size(const vt_definition *d, const void *def)
{
    const size_t size = size_in(def);
    if (size >= sizeof(size_t) && size <= d->size)
        return VT_OK;
    return vti_fail(
        VT_INVALID_ARGUMENT,
        "%s.struct_size is %zu; allowed is what vt_default_%s() of this version (%s) or "
        "an older one sets, up to %zu",
        d->name, size, d->name, VORTON_VERSION, d->size);
}

/* Whether a definition is laid out as in this library. */
static int is_current(const vt_definition *d, const char *def)
{
    int current = size_in(def) == d->size;
    for (int n = 0; current && n < d->count; n++) {
        const vt_definition *const part = vti_part_of(d->rows[n].kind);
        current = !part || size_in(def + d->rows[n].offset) == part->size;
    }
    return current;
}

/* The members that the program knows; `to` has the defaults. */
static vt_status copy_known(const vt_definition *d, const char *from, char *to)
{
    const size_t size = size_in(from);
    size_t end = sizeof(size_t);
    vt_status status = check_size(d, from);
    for (int n = 0; n < d->count && !status; n++) {
        const vt_definition *const part = vti_part_of(d->rows[n].kind);
        const size_t place = place_after(end, d->rows[n].kind);
        if (place + (part ? sizeof(size_t) : vti_member_size(d->rows[n].kind)) > size)
            break;
        end = place + (part ? size_in(from + place) : vti_member_size(d->rows[n].kind));
        if (end > size)
            break;
        if (part)
            status = copy_known(part, from + place, to + d->rows[n].offset);
        else
            memcpy(to + d->rows[n].offset, from + place, end - place);
    }
    return status;
}

static vt_status copy_shapes(const void *from, int64_t count, vt_shape *to)
{
    vt_status status = VT_OK;
    const size_t stride = size_in(from);
    for (int64_t n = 0; n < count && !status; n++) {
        fill(&vti_shape_definition, (char *)&to[n], sizeof *to, &own_parts);
        status = copy_known(&vti_shape_definition, (const char *)from + (size_t)n * stride,
                            (char *)&to[n]);
    }
    return status;
}

static vt_status copy_tracks(const void *from, int64_t count, vt_animation *to)
{
    const size_t head = offsetof(vt_animation, track);
    const size_t size = size_in((const char *)from + head);
    if (size < sizeof(size_t) || size > sizeof(vt_track))
        return vti_fail(VT_INVALID_ARGUMENT,
                        "track.struct_size is %zu; allowed is what vt_default_track() sets, up to "
                        "%zu",
                        size, sizeof(vt_track));
    for (int64_t n = 0; n < count; n++) {
        vt_default_track(&to[n].track);
        memcpy(&to[n], (const char *)from + (size_t)n * (head + size), head + size);
        to[n].track.struct_size = sizeof(vt_track);
    }
    return VT_OK;
}

/* Structs that a member points to: how many, and of which size in the library and the program. */
typedef struct pointed {
    const char *first; /* NULL: the member points nowhere */
    int64_t count;
    size_t size, given;
} pointed;

static pointed pointed_by(const vt_definition *d, int row, const char *def)
{
    const int32_t kind = d->rows[row].kind;
    const int is_shape = kind == VT_ROW_shapes || kind == VT_ROW_shape_or_none;
    pointed p = {.size = is_shape ? sizeof(vt_shape) : sizeof(vt_animation), .count = 1};
    int32_t length = 1;
    if (!is_shape && kind != VT_ROW_animations)
        return p;
    memcpy(&p.first, def + d->rows[row].offset, sizeof p.first);
    for (int n = 0; n < row && kind != VT_ROW_shape_or_none; n++) /* the last before it counts */
        if (d->rows[n].kind == VT_ROW_length)
            memcpy(&length, def + d->rows[n].offset, sizeof length);
    p.count = length;
    if (length <= 0)
        p.first = NULL;
    if (p.first)
        p.given = is_shape ? size_in(p.first)
                           : offsetof(vt_animation, track) +
                                 size_in(p.first + offsetof(vt_animation, track));
    return p;
}

/* Copies what a copy of a definition points to behind it, where it is not of this library's size.
 */
static vt_status copy_pointed(const vt_definition *d, char *def, char *memory)
{
    vt_status status = VT_OK;
    for (int n = 0; n < d->count && !status; n++) {
        const pointed p = pointed_by(d, n, def);
        if (!p.first)
            continue;
        status = p.size == sizeof(vt_shape) ? copy_shapes(p.first, p.count, (vt_shape *)memory)
                                            : copy_tracks(p.first, p.count, (vt_animation *)memory);
        memcpy(def + d->rows[n].offset, &memory, sizeof memory);
        memory += (size_t)p.count * p.size;
    }
    return status;
}

_Static_assert(sizeof(vt_shape) != sizeof(vt_animation), "copy_pointed tells them by their size");

static int is_pointed_current(const vt_definition *d, const char *def)
{
    int current = 1;
    for (int n = 0; n < d->count && current; n++) {
        const pointed p = pointed_by(d, n, def);
        current = !p.first || p.given == p.size;
    }
    return current;
}

vt_status vti_accept(const vt_definition *d, const void *def, vt_accepted *taken)
{
    *taken = (vt_accepted){.def = def};
    if (!def)
        return vti_fail(VT_INVALID_ARGUMENT, "%s is NULL; allowed is the definition of %s", d->name,
                        d->what);
    vt_status status = check_size(d, def);
    if (status || (is_current(d, def) && is_pointed_current(d, def)))
        return status;
    char *const copy = vti_allocate(d->size);
    if (!copy)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a copy of %s", d->what);
    fill(d, copy, d->size, &own_parts);
    status = copy_known(d, def, copy);
    size_t size = d->size;
    for (int n = 0; n < d->count && !status; n++) {
        const pointed p = pointed_by(d, n, copy);
        size += p.first ? (size_t)p.count * p.size : 0;
    }
    char *const whole = status ? NULL : vti_resize(copy, size);
    if (!whole) {
        vti_free(copy);
        return status ? status : vti_fail(VT_OUT_OF_MEMORY, "no memory for a copy of %s", d->what);
    }
    *taken = (vt_accepted){whole, whole};
    status = copy_pointed(d, whole, whole + d->size);
    if (status)
        vti_give_back(taken);
    return status;
}

void vti_give_back(vt_accepted *taken)
{
    vti_free(taken->memory);
    *taken = (vt_accepted){0};
}

/* ---- copies with arrays ---- */

/* What the member of a row points to where it is an array of floats, else NULL; and its bytes. */
static const void *rows_of(const vt_row *row, const char *def, int64_t count, size_t *bytes)
{
    const void *rows = NULL;
    *bytes = (row->kind == VT_ROW_float_vectors ? 12 : 4) * (size_t)count;
    if (row->kind == VT_ROW_float_vectors || row->kind == VT_ROW_floats)
        memcpy(&rows, def + row->offset, sizeof rows);
    return rows;
}

void *vti_copy_with_rows(const vt_definition *d, const void *def, int64_t count)
{
    size_t size = d->size, bytes;
    for (int n = 0; n < d->count; n++)
        size += rows_of(&d->rows[n], def, count, &bytes) ? bytes : 0;
    char *const copy = vti_allocate(size);
    if (!copy)
        return NULL;
    char *end = memcpy(copy, def, d->size);
    end += d->size;
    for (int n = 0; n < d->count; n++) {
        const void *const rows = rows_of(&d->rows[n], def, count, &bytes);
        if (!rows)
            continue;
        memcpy(end, rows, bytes);
        memcpy(copy + d->rows[n].offset, &end, sizeof end);
        end += bytes;
    }
    return copy;
}
