/* The method of a simulation: defaults and ranges of its rows. */
#include "base/status.h"
#include "vorton.h"

/* ---- the rows of method.def ---- */

static const vt_method_field method_fields[] = {
#define VT_CHOICE(name, value, article, choices, description)                                      \
    {sizeof(vt_method_field), #name, choices, description, value, article, 0, 0, 0, 0},
#define VT_WHOLE(name, value, article, least, most, description)                                   \
    {sizeof(vt_method_field), #name, NULL, description, value, article, least, most, 0, 1},
#define VT_NUMBER(name, value, article, least, most, description)                                  \
    {sizeof(vt_method_field), #name, NULL, description, value, article, least, most, 0, 0},
#define VT_FACTOR(name, value, article, most, description)                                         \
    {sizeof(vt_method_field), #name, NULL, description, value, article, 0, most, 1, 0},
#include "vorton/method.def"
};
enum { METHOD_FIELDS = sizeof method_fields / sizeof method_fields[0] };

int vt_describe_method(int index, vt_method_field *field)
{
    if (index < 0 || index >= METHOD_FIELDS)
        return 0;
    return vti_hand_out(field, &method_fields[index], sizeof *method_fields) == VT_OK;
}

vt_status vt_article_method(vt_method *method)
{
    const vt_method article = {
        .struct_size = sizeof article,
#define VT_CHOICE(name, value, article, choices, description) .name = article,
#define VT_WHOLE(name, value, article, least, most, description) .name = article,
#define VT_NUMBER(name, value, article, least, most, description) .name = article,
#include "vorton/method.def"
    };
    return vti_hand_out(method, &article, sizeof article);
}
