/* Parts of definitions that come as dicts. */
#include "binding.h"

static const vt_py_field method_fields[] = {
#define VT_CHOICE(name, value, article, choices, description)                                      \
    {#name, VT_PY_CHOICE, offsetof(vt_method, name), choices},
#define VT_WHOLE(name, value, article, least, most, description)                                   \
    {#name, VT_PY_INT32, offsetof(vt_method, name), NULL},
#define VT_NUMBER(name, value, article, least, most, description)                                  \
    {#name, VT_PY_FINITE, offsetof(vt_method, name), NULL},
#include "vorton/method.def"
    {NULL, VT_PY_OBJECT, 0, NULL}};

int vt_py_to_method(PyObject *dict, vt_method *method)
{
    return vt_py_fill("method", dict, method_fields, method);
}

static const vt_py_field combustion_fields[] = {
    {"law", VT_PY_CHOICE, offsetof(vt_combustion, law), "none simple arrhenius"},
    {"rate", VT_PY_FINITE, offsetof(vt_combustion, rate), NULL},
    {"ignition", VT_PY_FINITE, offsetof(vt_combustion, ignition), NULL},
    {"activation", VT_PY_FINITE, offsetof(vt_combustion, activation), NULL},
    {"flame_time", VT_PY_FINITE, offsetof(vt_combustion, flame_time), NULL},
    {"heat", VT_PY_FINITE, offsetof(vt_combustion, heat), NULL},
    {"heat_capacity", VT_PY_FINITE, offsetof(vt_combustion, heat_capacity), NULL},
    {"soot", VT_PY_FINITE, offsetof(vt_combustion, soot), NULL},
    {"radiation", VT_PY_FINITE, offsetof(vt_combustion, radiation), NULL},
    {"mixing", VT_PY_FINITE, offsetof(vt_combustion, mixing), NULL},
    {NULL, VT_PY_OBJECT, 0, NULL}};

int vt_py_to_combustion(PyObject *dict, vt_combustion *combustion)
{
    return vt_py_fill("combustion", dict, combustion_fields, combustion);
}
