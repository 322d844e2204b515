/* Definitions: structs of parameters, one table each.
 *
 * Every definition struct (vt_ring_def, say) is made from a table, vorton/ring.def, and so are its
 * defaults, the checks of its ranges, what Python sees of it and its documentation: read the table.
 * A row of a table is one member:
 *
 *   VT_ROW(type, name, value, least, most, unit, use, text)
 *
 * type is a name of the list below; value the default; least and most what is allowed, VT_ABOVE_0
 * for what must be larger than 0 and VT_ANY for any finite number; unit "" for a plain number, of a
 * choice its words in the order of their numbers, of a text its default. use is
 *
 *   FIXED              a constant
 *   OPTIONAL           the default stands for what `text` says, and may lie outside of the range
 *   ANIMATED           may change in time: an entry of `animations` has the member's name
 *   ANIMATED_FROM_0    the same; keys may be 0, too
 *   OPTIONAL_ANIMATED  both; keys lie in the range
 *   OPTIONAL_ANIMATED_FROM_0
 *   OR_0               a constant that may be 0, too
 *
 * Versions. A definition begins with its size in the program that made it: vt_default_...() writes
 * it. The tables only grow, at their ends: a program that was compiled with an older header runs
 * with a newer library, for which the members that the program does not know have their defaults.
 * Structs that the library fills (vt_health) are told their size by the program:
 * vt_health health = {.struct_size = sizeof health}; the library writes no farther. */
#ifndef VORTON_ROWS_H
#define VORTON_ROWS_H

#include "vorton/base.h"

/* ---- types of members ---- */

#define VT_MEMBER_number(name) double name;        /* finite */
#define VT_MEMBER_limit(name) double name;         /* may be infinite */
#define VT_MEMBER_pair(name) double name[2];       /* of lengths, say */
#define VT_MEMBER_vector(name) double name[3];     /* x y z */
#define VT_MEMBER_direction(name) double name[3];  /* x y z, not all 0 */
#define VT_MEMBER_quaternion(name) double name[4]; /* w x y z */
#define VT_MEMBER_vectors(name) double name[2][3];
#define VT_MEMBER_matrix(name) double name[3][3]; /* of records alone */
#define VT_MEMBER_whole(name) int32_t name;
#define VT_MEMBER_count(name) int64_t name;
#define VT_MEMBER_seed(name) uint64_t name;
#define VT_MEMBER_flag(name) int32_t name;   /* 0 or 1 */
#define VT_MEMBER_choice(name) int32_t name; /* number of a word */
#define VT_MEMBER_parent(name) int32_t name; /* id of a transform, 0: the world */
#define VT_MEMBER_nodes(name) int32_t name[3];
#define VT_MEMBER_text(name) const char *name;
#define VT_MEMBER_length(name) int32_t name;                /* of the array that follows */
#define VT_MEMBER_rows(name) int64_t name;                  /* of the arrays that follow */
#define VT_MEMBER_floats(name) const float *name;           /* rows */
#define VT_MEMBER_float_vectors(name) const float *name;    /* rows x 3 */
#define VT_MEMBER_vectors_of_rows(name) const double *name; /* rows x 3 */
#define VT_MEMBER_node_vectors(name) const float *name;     /* nodes x 3 */
#define VT_MEMBER_faces(name) const int32_t *name;          /* rows x 3 */
#define VT_MEMBER_three(name) const double *name;
#define VT_MEMBER_four(name) const double *name;
#define VT_MEMBER_shape(name) vt_shape name;
#define VT_MEMBER_shape_or_none(name) const vt_shape *name;
#define VT_MEMBER_shapes(name) const vt_shape *name;
#define VT_MEMBER_fluid(name) vt_fluid_def name;
#define VT_MEMBER_ambient(name) vt_ambient name;
#define VT_MEMBER_combustion(name) vt_combustion name;
#define VT_MEMBER_method(name) vt_method name;
#define VT_MEMBER_animations(name) const vt_animation *name;
#define VT_MEMBER_simulation(name) struct vt_simulation *name;
#define VT_MEMBER_function(name) vt_velocity_function *name;
#define VT_MEMBER_context(name) void *name;
#define VT_MEMBER_version(name) uint32_t name;
#define VT_MEMBER_reserved(name) int32_t name; /* keeps the struct free of padding at its end */

/* A table as members of a struct. */
#define VT_ROW(type, name, value, least, most, unit, use, text) VT_MEMBER_##type(name)

enum {
    VT_ROW_number,
    VT_ROW_limit,
    VT_ROW_pair,
    VT_ROW_vector,
    VT_ROW_direction,
    VT_ROW_quaternion,
    VT_ROW_vectors,
    VT_ROW_whole,
    VT_ROW_count,
    VT_ROW_seed,
    VT_ROW_flag,
    VT_ROW_choice,
    VT_ROW_parent,
    VT_ROW_nodes,
    VT_ROW_text,
    VT_ROW_length,
    VT_ROW_rows,
    VT_ROW_floats,
    VT_ROW_float_vectors,
    VT_ROW_vectors_of_rows,
    VT_ROW_node_vectors,
    VT_ROW_faces,
    VT_ROW_three,
    VT_ROW_four,
    VT_ROW_shape,
    VT_ROW_shape_or_none,
    VT_ROW_shapes,
    VT_ROW_fluid,
    VT_ROW_ambient,
    VT_ROW_combustion,
    VT_ROW_method,
    VT_ROW_animations,
    VT_ROW_simulation,
    VT_ROW_function,
    VT_ROW_context,
    VT_ROW_version,
    VT_ROW_reserved
};

/* Bits of `use`. */
enum { VT_ROW_OPTIONAL = 1, VT_ROW_ANIMATED = 2, VT_ROW_FROM_0 = 4, VT_ROW_OR_0 = 8 };

#define VT_ABOVE_0 4.9406564584124654e-324 /* the smallest double */
#define VT_ANY 1.7976931348623157e308      /* the largest */
#define VT_LIST(...) __VA_ARGS__           /* value of a member of several numbers */

/* ---- the tables at run time, for bindings ---- */

typedef struct vt_row {
    size_t struct_size;      /* set by the program */
    const char *name, *type; /* as in the table */
    const char *unit, *text;
    double value[6], least, most;
    int64_t offset; /* in the library's own struct */
    int32_t kind;   /* VT_ROW_... of the type */
    int32_t use;    /* VT_ROW_OPTIONAL ... */
} vt_row;

/* Row `index` of the table of a definition ("ring"); returns 0 past the last, and where there is no
 * such definition. */
VT_API int vt_describe(const char *definition, int index, vt_row *row);

/* Name of definition `index`, NULL past the last; *size (may be NULL) receives that of its struct
 * in the library. */
VT_API const char *vt_definition_name(int index, size_t *size);

#endif
