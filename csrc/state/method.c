#include "core/status.h"
#include "state/simulation.h"

/* ---- the rows of method.def ---- */

static const vt_method_field method_fields[] = {
#define VT_CHOICE(name, value, article, choices, description)                                      \
    {#name, choices, description, value, article, 0, 0, 0, 0},
#define VT_WHOLE(name, value, article, least, most, description)                                   \
    {#name, NULL, description, value, article, least, most, 0, 1},
#define VT_NUMBER(name, value, article, least, most, description)                                  \
    {#name, NULL, description, value, article, least, most, 0, 0},
#define VT_FACTOR(name, value, article, most, description)                                         \
    {#name, NULL, description, value, article, 0, most, 1, 0},
#include "vorton/method.def"
};
enum { METHOD_FIELDS = sizeof method_fields / sizeof method_fields[0] };

int vt_describe_method(int index, vt_method_field *field)
{
    if (index < 0 || index >= METHOD_FIELDS)
        return 0;
    *field = method_fields[index];
    return 1;
}

vt_method vt_default_method(void)
{
    return (vt_method){
#define VT_CHOICE(name, value, article, choices, description) .name = value,
#define VT_WHOLE(name, value, article, least, most, description) .name = value,
#define VT_NUMBER(name, value, article, least, most, description) .name = value,
#include "vorton/method.def"
    };
}

vt_method vt_article_method(void)
{
    return (vt_method){
#define VT_CHOICE(name, value, article, choices, description) .name = article,
#define VT_WHOLE(name, value, article, least, most, description) .name = article,
#define VT_NUMBER(name, value, article, least, most, description) .name = article,
#include "vorton/method.def"
    };
}

/* ---- checks ---- */

static int count_words(const char *words)
{
    int count = 1;
    for (; *words; words++)
        count += *words == ' ';
    return count;
}

static vt_status check_choice(const char *name, int32_t value, const char *choices)
{
    if (value >= 0 && value < count_words(choices))
        return VT_OK;
    return vt_fail(VT_INVALID_ARGUMENT, "method.%s is %d; allowed is the index of one of: %s", name,
                   value, choices);
}

static vt_status check_number(const char *name, double value, double least, double most)
{
    if (value >= least && value <= most)
        return VT_OK;
    return vt_fail(VT_INVALID_ARGUMENT, "method.%s is %g; allowed is %g to %g", name, value, least,
                   most);
}

static vt_status check_factor(const char *name, double value, double most)
{
    if (value == 0 || (value >= 1 && value <= most))
        return VT_OK;
    return vt_fail(VT_INVALID_ARGUMENT, "method.%s is %g; allowed is 0, or 1 to %g", name, value,
                   most);
}

vt_status vt_check_method(const vt_method *method)
{
    vt_status status = VT_OK;
#define VT_CHOICE(name, value, article, choices, description)                                      \
    if (!status)                                                                                   \
        status = check_choice(#name, method->name, choices);
#define VT_WHOLE(name, value, article, least, most, description)                                   \
    if (!status)                                                                                   \
        status = check_number(#name, method->name, least, most);
#define VT_NUMBER VT_WHOLE
#define VT_FACTOR(name, value, article, most, description)                                         \
    if (!status)                                                                                   \
        status = check_factor(#name, method->name, most);
#include "vorton/method.def"
    return status;
}
