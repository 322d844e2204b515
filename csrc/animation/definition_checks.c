#include "animation/definition_checks.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"

/* ---- checks ---- */

static void range_text(const vt_row *row, char text[96])
{
    const int has_least = row->least > -DBL_MAX, has_most = row->most < DBL_MAX;
    char least[32] = "", most[32] = "", rest[32] = "";
    if (row->least == VT_ABOVE_0)
        snprintf(least, sizeof least, "> 0");
    else if (has_least)
        snprintf(least, sizeof least, has_most ? "%g" : ">= %g", row->least);
    if (has_most)
        snprintf(most, sizeof most, has_least ? " to %g" : "<= %g", row->most);
    if (row->use & VT_ROW_OPTIONAL && vti_numbers_in(row->kind))
        snprintf(rest, sizeof rest, ", or %g", row->value[0]);
    snprintf(text, 96, "%s%s%s%s%s%s%s", row->use & VT_ROW_OR_0 ? "0, or " : "",
             has_most || row->most > DBL_MAX ? "" : "finite ", least, most, row->unit[0] ? " " : "",
             row->unit, rest);
}

static int is_allowed(const vt_row *row, double value)
{
    if ((row->use & VT_ROW_OPTIONAL && value == row->value[0]) ||
        (row->use & VT_ROW_OR_0 && value == 0))
        return 1;
    return value >= row->least && value <= row->most;
}

static vt_status refuse(const vt_row *row, const char *what, int component, double value)
{
    char text[96], index[16] = "";
    range_text(row, text);
    if (vti_numbers_in(row->kind) > 1)
        snprintf(index, sizeof index, "[%d]", component);
    return vti_fail(VT_INVALID_ARGUMENT, "%s%s%s is %g; allowed is %s", what, row->name, index,
                    value, text);
}

static vt_status check_numbers(const vt_row *row, const char *what, const double *values)
{
    const int count = vti_numbers_in(row->kind);
    int zero = row->kind == VT_ROW_direction;
    for (int c = 0; c < count; c++) {
        zero = zero && values[c] == 0;
        if (!is_allowed(row, values[c]))
            return refuse(row, what, c, values[c]);
    }
    return zero ? vti_fail(VT_INVALID_ARGUMENT, "%s%s is 0 0 0; allowed is any length but 0", what,
                           row->name)
                : VT_OK;
}

static int count_words(const char *words)
{
    int count = 1;
    for (; *words; words++)
        count += *words == ' ';
    return count;
}

static vt_status check_whole(const vt_row *row, const char *what, const char *member)
{
    int64_t value = 0;
    int32_t small;
    memcpy(&small, member, sizeof small);
    if (row->kind == VT_ROW_count || row->kind == VT_ROW_rows)
        memcpy(&value, member, sizeof value);
    else
        value = small;
    if (row->kind == VT_ROW_choice)
        return value >= 0 && value < count_words(row->unit)
                   ? VT_OK
                   : vti_fail(VT_INVALID_ARGUMENT, "%s%s is %d; allowed is the index of one of: %s",
                              what, row->name, small, row->unit);
    return is_allowed(row, (double)value)
               ? VT_OK
               : vti_fail(VT_INVALID_ARGUMENT, "%s%s is %lld; allowed is %lld to %lld%s", what,
                          row->name, (long long)value, (long long)row->least, (long long)row->most,
                          row->use & VT_ROW_OR_0                            ? ", or 0"
                          : row->use & VT_ROW_OPTIONAL && row->value[0] < 0 ? ", or -1"
                          : row->use & VT_ROW_OPTIONAL                      ? ", or 0"
                                                                            : "");
}

static vt_status check_row(const vt_row *row, const char *what, const void *member)
{
    switch (row->kind) {
    case VT_ROW_whole:
    case VT_ROW_count:
    case VT_ROW_rows:
    case VT_ROW_flag:
    case VT_ROW_choice:
        return check_whole(row, what, member);
    case VT_ROW_ambient:
        return vti_check_rows(&vti_ambient_definition, "ambient.", member);
    case VT_ROW_combustion:
        return vti_check_rows(&vti_combustion_definition, "combustion.", member);
    case VT_ROW_method:
        return vti_check_rows(&vti_method_definition, "method.", member);
    default:
        return check_numbers(row, what, member);
    }
}

vt_status vti_check_rows(const vt_definition *d, const char *what, const void *def)
{
    vt_status status = VT_OK;
    for (int n = 0; n < d->count && !status; n++)
        status = check_row(&d->rows[n], what, (const char *)def + d->rows[n].offset);
    return status;
}

/* ---- arrays ---- */

/* Numbers in a row of the array that a member of this kind points to, 0 for other kinds. */
static int width_of(int32_t kind)
{
    switch (kind) {
    case VT_ROW_floats:
        return 1;
    case VT_ROW_float_vectors:
    case VT_ROW_vectors_of_rows:
    case VT_ROW_node_vectors:
        return 3;
    default:
        return 0;
    }
}

static vt_status check_nodes(const vt_row *row, const char *what, const int32_t nodes[3],
                             int64_t *count)
{
    double product = 1;
    *count = 0;
    if (row->use & VT_ROW_OPTIONAL && !nodes[0] && !nodes[1] && !nodes[2])
        return VT_OK;
    for (int a = 0; a < 3; a++) {
        product *= nodes[a];
        if (!(nodes[a] >= row->least && product <= row->most))
            return vti_fail(VT_INVALID_ARGUMENT,
                            "%s%s[%d] is %d; allowed are %.0f and more, together at most %.0f",
                            what, row->name, a, nodes[a], row->least, row->most);
    }
    *count = (int64_t)product;
    return VT_OK;
}

static vt_status check_array(const vt_row *row, const char *what, const void *member, int64_t rows)
{
    const int width = width_of(row->kind);
    const void *array;
    memcpy(&array, member, sizeof array);
    if (!array && rows > 0 && !(row->use & VT_ROW_OPTIONAL))
        return vti_fail(VT_INVALID_ARGUMENT, "%s%s is NULL; allowed are %lld rows", what, row->name,
                        (long long)rows);
    for (int64_t n = 0; array && n < rows * width; n++) {
        const double value = row->kind == VT_ROW_vectors_of_rows
                                 ? ((const double *)array)[n]
                                 : (double)((const float *)array)[n];
        char text[96];
        if (value >= row->least && value <= row->most)
            continue;
        range_text(row, text);
        return vti_fail(VT_INVALID_ARGUMENT, "%s%s has %g in row %lld; allowed is %s", what,
                        row->name, value, (long long)(n / width), text);
    }
    return VT_OK;
}

vt_status vti_check_arrays(const vt_definition *d, const char *what, const void *def)
{
    int64_t rows = 0, nodes = 0;
    vt_status status = VT_OK;
    for (int n = 0; n < d->count && !status; n++) {
        const vt_row *const row = &d->rows[n];
        const char *const member = (const char *)def + row->offset;
        if (row->kind == VT_ROW_rows)
            memcpy(&rows, member, sizeof rows);
        else if (row->kind == VT_ROW_nodes)
            status = check_nodes(row, what, (const int32_t *)(const void *)member, &nodes);
        else if (width_of(row->kind))
            status =
                check_array(row, what, member, row->kind == VT_ROW_node_vectors ? nodes : rows);
    }
    return status;
}

/* ---- what may be animated ---- */

const vt_row *vti_row_named(const vt_definition *d, const char *name)
{
    for (int n = 0; n < d->count; n++)
        if (strcmp(d->rows[n].name, name) == 0)
            return &d->rows[n];
    return NULL;
}

static vt_parameter parameter_of(const vt_row *row, const char *name, size_t offset)
{
    const int components = vti_numbers_in(row->kind);
    const double least = row->use & VT_ROW_FROM_0 ? 0 : row->least;
    const int above = least == VT_ABOVE_0;
    return (vt_parameter){
        name,
        offset,
        {components ? components : 1, above ? 0 : least, row->most, above, row->unit}};
}

/* Names of what may change of a shape. */
static const char *of_shape(const vt_row *shape, const char *member)
{
    const int around = shape->name[0] == 'a';
    return member[0] == 'r' ? around ? "around.radius" : "shape.radius"
           : around         ? "around.size"
                            : "shape.size";
}

/* Those of the parts of a definition: of its fluid what the definition has no name of its own for,
 * of a shape what of it changes. */
static int part_parameter(const vt_definition *d, const vt_row *row, int index,
                          vt_parameter *parameter)
{
    const int is_fluid = row->kind == VT_ROW_fluid;
    const vt_definition *const part = is_fluid ? &vti_fluid_definition : &vti_shape_definition;
    for (int n = 0; n < part->count; n++) {
        const vt_row *const member = &part->rows[n];
        if (!(member->use & VT_ROW_ANIMATED) || (is_fluid && vti_row_named(d, member->name)))
            continue;
        if (index-- > 0)
            continue;
        *parameter = is_fluid ? parameter_of(member, member->name,
                                             (size_t)row->offset + (size_t)member->offset)
                              : parameter_of(member, of_shape(row, member->name), VT_OF_SHAPE);
        return 1;
    }
    return 0;
}

int vti_parameter_at(const vt_definition *d, int index, vt_parameter *parameter)
{
    for (int n = 0; n < d->count; n++) {
        const vt_row *const row = &d->rows[n];
        const int is_part = row->kind == VT_ROW_fluid || row->kind == VT_ROW_shape ||
                            row->kind == VT_ROW_shape_or_none;
        if (!(row->use & VT_ROW_ANIMATED))
            continue;
        if (!is_part && index-- == 0) {
            *parameter = parameter_of(row, row->name, (size_t)row->offset);
            return 1;
        }
        for (int m = 0; is_part && part_parameter(d, row, m, parameter); m++)
            if (index-- == 0)
                return 1;
    }
    return 0;
}

int vti_find_parameter(const vt_definition *d, const char *name, vt_parameter *parameter)
{
    for (int n = 0; name && vti_parameter_at(d, n, parameter); n++)
        if (strcmp(parameter->name, name) == 0)
            return 1;
    return 0;
}
