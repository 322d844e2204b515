#include "archive/state_fields.h"

#include <stdio.h>

#include "animation/definition_tables.h"
#include "archive/block.h"
#include "base/hash.h"
#include "model/combustion.h"
#include "model/fluid_law.h"
#include "state/predicates.h"

/* ---- what is in the list ---- */

#define MEMBER(type, struct_type, member) (sizeof(((struct_type *)0)->member))
#define VT_EVOLVES(type, member) +MEMBER(type, vt_simulation, member)
enum {
    EVOLVING_BYTES = 0
#include "state/evolving.def"
};
#undef VT_EVOLVES
#define VT_RECORDED(type, member) +MEMBER(type, vt_simulation, member)
enum {
    RECORDED_BYTES = 0
#include "state/evolving.def"
};
#undef VT_RECORDED
#define VT_RIGID_EVOLVES(type, member) +MEMBER(type, vt_rigid, member)
enum {
    RIGID_BYTES = 0
#include "state/evolving.def"
};
#undef VT_RIGID_EVOLVES
#define VT_BODY_EVOLVES(type, member) +MEMBER(type, vt_body, member)
enum {
    BODY_BYTES = 0
#include "state/evolving.def"
};
#undef VT_BODY_EVOLVES

/* Whoever adds a member adds it to the table. The numbers are the bytes between members that no
 * member has. */
_Static_assert(EVOLVING_BYTES + 24 ==
                   offsetof(vt_simulation, viewed) + 8 - offsetof(vt_simulation, placement),
               "the table has all that evolves");
_Static_assert(RECORDED_BYTES + 12 ==
                   offsetof(vt_simulation, timers) - offsetof(vt_simulation, last_substeps),
               "the table has all records");
_Static_assert(RIGID_BYTES + sizeof(vt_animations) == sizeof(vt_rigid),
               "the table has all of a body");

_Static_assert(BODY_BYTES + sizeof(vt_rigid) + 376 == sizeof(vt_body),
               "of a body the table has all but its shape and what it is made of");

#define VT_EVOLVES(type, member) +1
#define VT_RECORDED VT_EVOLVES
#define VT_RIGID_EVOLVES VT_EVOLVES
#define VT_BODY_EVOLVES VT_EVOLVES
enum {
    OF_TABLE = 0
#include "state/evolving.def"
    , /* and those that are listed below by hand: at most */
    OTHERS = 32
};
#undef VT_EVOLVES
#undef VT_RECORDED
#undef VT_RIGID_EVOLVES
#undef VT_BODY_EVOLVES
_Static_assert((int)OF_TABLE + (int)OTHERS + 2 * (int)VT_MOST_COLUMNS <= (int)VT_STATE_FIELDS,
               "room for the fields");

/* Types as archive/block.h has them. */
enum {
    TYPE_uint8_t = 'B',
    TYPE_int32_t = 'i',
    TYPE_uint32_t = 'I',
    TYPE_float = 'f',
    TYPE_int64_t = 'q',
    TYPE_uint64_t = 'Q',
    TYPE_double = 'd'
};

/* `bytes` are those of a row. */
static vt_state_field *append(vt_state_list *list, const char *name, void *data, int type,
                              size_t bytes, int64_t rows, size_t stride)
{
    vt_state_field *const field = &list->field[list->count++];
    *field = (vt_state_field){.data = data,
                              .rows = rows,
                              .stride = (int64_t)stride,
                              .type = type,
                              .components = (int32_t)(bytes / vti_bytes_of_type((uint32_t)type)),
                              .set = -1,
                              .column = -1,
                              .items = list->items};
    snprintf(field->name, sizeof field->name, "%s", name);
    return field;
}

/* A member of each of count structs, at `items` (NULL: there are none). */
#define APPEND_OF(list, name, type, items, struct_type, member, count)                             \
    append(list, name, (items) ? (char *)(items) + offsetof(struct_type, member) : NULL,           \
           TYPE_##type, MEMBER(type, struct_type, member), count, sizeof(struct_type))

/* The second half of the numbers of each row of the last field becomes one of its own: what may be
 * the same as the first. */
static void split_field(vt_state_list *list, vt_state_field *field, const char *name)
{
    vt_state_field *const second = &list->field[list->count++];
    field->components /= 2;
    *second = *field;
    second->data += field->stride / 2;
    snprintf(second->name, sizeof second->name, "%s", name);
}

static void list_column(vt_state_list *list, int set, vt_set *rows, int32_t c)
{
    static const int types[] = {
        [VT_FLOAT32] = TYPE_float, [VT_INT64] = TYPE_int64_t, [VT_UINT32] = TYPE_uint32_t};
    vt_column_field about = {.struct_size = sizeof about};
    char name[VT_FIELD_NAME];
    const int seen = vt_describe_column(set, c, &about);
    const size_t bytes = (size_t)rows->row_bytes[c];
    snprintf(name, sizeof name, "%s.%s", set == VT_VORTONS ? "vortons" : "tracers",
             seen ? about.name : "left_temperature");
    vt_state_field *const field =
        append(list, name, rows->column[c], seen ? types[about.type] : TYPE_float, bytes,
               rows->count, bytes);
    field->set = set;
    field->column = c;
    field->absent = !rows->used[c];
    if (set == VT_TRACERS && c == VT_TRACER_eddy_place)
        split_field(list, field, "tracers.second_eddy_place");
}

/* First those by which others are packed: ids, in whose order they are (archive/field_relations.c),
 * and what others nearly follow from (archive/lone_fluid.h), each behind what it follows from
 * itself. */
static const int32_t first_of_vortons[] = {
    VT_VORTON_id,          VT_VORTON_age,   VT_VORTON_flags,       VT_VORTON_mixture,
    VT_VORTON_fuel,        VT_VORTON_flame, VT_VORTON_temperature, VT_VORTON_volume_temperature,
    VT_VORTON_birth_volume};
static const int32_t first_of_tracers[] = {VT_TRACER_id};

/* Of the columns that nobody sees not the one that holds nothing between steps. */
static void list_columns(vt_state_list *list, int set, vt_set *rows)
{
    const int of_vortons = set == VT_VORTONS;
    const int32_t *const first = of_vortons ? first_of_vortons : first_of_tracers;
    const size_t firsts = of_vortons ? sizeof first_of_vortons / sizeof *first
                                     : sizeof first_of_tracers / sizeof *first;
    const int32_t count = of_vortons ? (int32_t)VT_VORTON_COLUMNS : (int32_t)VT_TRACER_ALL_COLUMNS;
    uint8_t listed[VT_MOST_COLUMNS] = {0};
    for (size_t n = 0; n < firsts; n++) {
        list_column(list, set, rows, first[n]);
        listed[first[n]] = 1;
    }
    for (int32_t c = 0; c < count; c++)
        if (!listed[c])
            list_column(list, set, rows, c);
    append(list, of_vortons ? "vortons.alike" : "tracers.alike", rows->alike, TYPE_float,
           sizeof rows->alike, 1, sizeof rows->alike);
}

static void list_bodies(vt_state_list *list, vt_bodies *bodies)
{
#define VT_RIGID_EVOLVES(type, member)                                                             \
    APPEND_OF(list, "bodies." #member, type, bodies->items, vt_body, rigid.member, bodies->count);
#define VT_BODY_EVOLVES(type, member)                                                              \
    APPEND_OF(list, "bodies." #member, type, bodies->items, vt_body, member, bodies->count);
#include "state/evolving.def"
#undef VT_RIGID_EVOLVES
#undef VT_BODY_EVOLVES
    append(list, "bodies.open_lines", bodies->open_lines, TYPE_double, sizeof bodies->open_lines, 1,
           24);
}

static void list_sources(vt_state_list *list, vt_sources *sources)
{
    list->items = VT_ROWS_OF_TRACER_EMITTERS;
    APPEND_OF(list, "tracer_emitters.seed", uint64_t, sources->emitters, vt_tracer_emitter,
              stream.seed, sources->tracer_emitter_count);
    APPEND_OF(list, "tracer_emitters.filled", int32_t, sources->emitters, vt_tracer_emitter, filled,
              sources->tracer_emitter_count);
    list->items = VT_ROWS_OF_FLUID_EMITTERS;
    APPEND_OF(list, "fluid_emitters.seed", uint64_t, sources->parcels, vt_fluid_emitter,
              stream.seed, sources->fluid_emitter_count);
    list->items = VT_ROWS_OF_SOURCES;
    append(list, "sources.born_in", sources->born_in, TYPE_float, sizeof *sources->born_in,
           sources->made, sizeof *sources->born_in);
    list->items = VT_ROWS_OF_ALL;
}

static void list_winds(vt_state_list *list, vt_winds *winds)
{
    append(list, "winds.velocity", winds->velocity, TYPE_double, sizeof winds->velocity, 1, 24);
    append(list, "winds.shift", winds->shift, TYPE_double, sizeof winds->shift, 1, 24);
    list->items = VT_ROWS_OF_WIND_GRIDS;
    APPEND_OF(list, "wind_grids.amplitude", double, winds->grids, vt_wind_grid, amplitude,
              winds->grid_count);
    APPEND_OF(list, "wind_grids.pose", double, winds->grids, vt_wind_grid, pose, winds->grid_count);
    list->items = VT_ROWS_OF_ALL;
}

/* A record of all threads as that of one: the same largest, the same sums. */
static void join_extremes(vt_extremes *extremes)
{
    const vt_largest largest = vti_find_largest(extremes);
    for (int t = 1; t < VT_MAX_THREADS; t++)
        for (int b = 0; b < VT_GRADIENT_BINS; b++) {
            extremes->thread[0].gradients[b] += extremes->thread[t].gradients[b];
            extremes->thread[t].gradients[b] = 0;
        }
    for (int t = 0; t < VT_MAX_THREADS; t++) {
        extremes->thread[t].gradient = t ? 0 : (float)largest.gradient;
        extremes->thread[t].speed = t ? 0 : (float)largest.speed;
        extremes->thread[t].pull = t ? 0 : (float)largest.pull;
        extremes->thread[t].bounded = t ? 0 : largest.bounded;
    }
}

static void list_records(vt_state_list *list, vt_simulation *s)
{
    join_extremes(&s->extremes);
    append(list, "extremes.gradient", &s->extremes.thread[0].gradient, TYPE_float, 4, 1, 4);
    append(list, "extremes.speed", &s->extremes.thread[0].speed, TYPE_float, 4, 1, 4);
    append(list, "extremes.pull", &s->extremes.thread[0].pull, TYPE_float, 4, 1, 4);
    append(list, "extremes.bounded", &s->extremes.thread[0].bounded, TYPE_int64_t, 8, 1, 8);
    append(list, "extremes.gradients", s->extremes.thread[0].gradients, TYPE_uint32_t,
           sizeof s->extremes.thread[0].gradients, 1, sizeof s->extremes.thread[0].gradients);
    list->items = VT_ROWS_STAY;
#define VT_RECORDED(type, member) APPEND_OF(list, #member, type, s, vt_simulation, member, 1);
#include "state/evolving.def"
#undef VT_RECORDED
    list->items = VT_ROWS_OF_ALL;
}

/* What fluid follows that nothing else changes (archive/lone_fluid.h): for who packs a state. */
static void list_fluid_law(vt_state_list *list, const vt_simulation *s)
{
    const vt_fluid fluid = vti_fluid_of(&s->def);
    const vt_burning law =
        vti_burns(s) ? vti_burning_of(&s->def.combustion) : (vt_burning){.rate = 0};
    float *const to = list->fluid_law;
    to[VT_LAW_ambient] = fluid.temperature;
    to[VT_LAW_expansion] = fluid.expansion;
    to[VT_LAW_rate] = law.activation > 0 ? 0 : law.rate;
    to[VT_LAW_flame_rate] = law.flame_rate;
    to[VT_LAW_soot] = law.soot;
    to[VT_LAW_heating] = law.heating;
    to[VT_LAW_radiation] = law.radiation;
    to[VT_LAW_mixing] = law.mixing;
    list->items = VT_ROWS_STAY;
    append(list, "fluid.law", to, TYPE_float, sizeof list->fluid_law, 1, sizeof list->fluid_law);
    list->items = VT_ROWS_OF_ALL;
}

/* What animated members of the definition are over the step. */
static void list_definition(vt_state_list *list, vt_simulation *s)
{
    const vt_definition *const d = &vti_simulation_definition;
    list->items = VT_ROWS_STAY;
    for (int n = 0; n < d->count; n++) {
        const vt_row *const row = &d->rows[n];
        const size_t bytes = row->kind == VT_ROW_vector ? 24 : 8;
        if (row->use & VT_ROW_ANIMATED)
            append(list, row->name, (char *)&s->def + row->offset, TYPE_double, bytes, 1, bytes);
    }
    list->items = VT_ROWS_OF_ALL;
}

void vti_list_state(vt_simulation *s, vt_state_list *list)
{
    list->count = 0;
    list->items = VT_ROWS_OF_ALL;
#define VT_EVOLVES(type, member) APPEND_OF(list, #member, type, s, vt_simulation, member, 1);
#include "state/evolving.def"
#undef VT_EVOLVES
    list_fluid_law(list, s);
    list_definition(list, s);
    list_records(list, s);
    list_sources(list, &s->sources);
    list_winds(list, &s->winds);
    list_bodies(list, &s->bodies);
    list_columns(list, VT_VORTONS, &s->vortons.set);
    list_columns(list, VT_TRACERS, &s->tracers.set);
}

/* ---- digests ---- */

uint64_t vti_state_layout(const vt_state_list *list)
{
    uint64_t hash = VT_HASH_OF_NOTHING;
    for (int32_t n = 0; n < list->count; n++) {
        const vt_state_field *const field = &list->field[n];
        hash = vti_hash(hash, field->name, strlen(field->name) + 1);
        hash = vti_hash(hash, &field->type, sizeof field->type);
        hash = vti_hash(hash, &field->components, sizeof field->components);
    }
    return hash;
}

#define HASH(value) hash = vti_hash(hash, &(value), sizeof(value))

static uint64_t hash_sources(uint64_t hash, const vt_sources *sources)
{
    HASH(sources->made);
    hash = vti_hash(hash, sources->made_by, (size_t)sources->made);
    HASH(sources->structures.count);
    for (int32_t n = 0; n < sources->structures.count; n++) {
        const vt_structure *const one = &sources->structures.item[n];
        HASH(one->id);
        HASH(one->start);
        HASH(one->period);
        HASH(one->end);
        HASH(one->parent);
        HASH(one->members);
    }
    HASH(sources->tracer_emitter_count);
    for (int32_t n = 0; n < sources->tracer_emitter_count; n++) {
        const vt_tracer_emitter *const one = &sources->emitters[n];
        HASH(one->stream.id);
        HASH(one->count);
        HASH(one->stream.rate);
        HASH(one->stream.start);
        HASH(one->stream.end);
        HASH(one->stream.parent);
        HASH(one->stream.lifetime);
        HASH(one->members);
    }
    HASH(sources->fluid_emitter_count);
    for (int32_t n = 0; n < sources->fluid_emitter_count; n++) {
        const vt_fluid_emitter *const one = &sources->parcels[n];
        HASH(one->stream.id);
        HASH(one->stream.rate);
        HASH(one->stream.start);
        HASH(one->stream.end);
        HASH(one->core);
        HASH(one->spacing);
        HASH(one->stream.lifetime);
        HASH(one->stream.parent);
    }
    return hash;
}

static uint64_t hash_effects(uint64_t hash, const vt_simulation *s)
{
    HASH(s->winds.uniform_count);
    for (int32_t n = 0; n < s->winds.uniform_count; n++)
        HASH(s->winds.uniform[n].id);
    HASH(s->winds.grid_count);
    for (int32_t n = 0; n < s->winds.grid_count; n++)
        HASH(s->winds.grid_id[n]);
    HASH(s->forces.count);
    for (int32_t n = 0; n < s->forces.count; n++) {
        HASH(s->forces.force[n].id);
        HASH(s->forces.force[n].def.kind);
        HASH(s->forces.force[n].def.strength);
    }
    HASH(s->kills.count);
    for (int32_t n = 0; n < s->kills.count; n++)
        HASH(s->kills.kill[n].id);
    HASH(s->winds.made);
    HASH(s->forces.made);
    HASH(s->kills.made);
    HASH(s->transforms.count);
    return hash;
}

uint64_t vti_definition_digest(const vt_simulation *s)
{
    uint64_t hash = VT_HASH_OF_NOTHING;
#define VT_CHOICE(name, value, article, choices, description) HASH(s->def.method.name);
#define VT_WHOLE(name, value, article, least, most, description) HASH(s->def.method.name);
#define VT_NUMBER VT_WHOLE
#include "vorton/method.def"
    HASH(s->def.spacing);
    HASH(s->def.seed);
    HASH(s->def.detail);
    HASH(s->def.combustion.law);
    hash = hash_sources(hash, &s->sources);
    hash = hash_effects(hash, s);
    HASH(s->bodies.made);
    HASH(s->bodies.count);
    for (int32_t n = 0; n < s->bodies.count; n++) {
        const vt_body *const body = &s->bodies.items[n];
        HASH(body->id);
        HASH(body->hole);
        HASH(body->parent);
        HASH(body->solid_count);
        HASH(body->scale);
        if (body->form) {
            HASH(body->form->mesh->vertex_count);
            HASH(body->form->mesh->frame_count);
            HASH(body->form->mesh->rate);
            HASH(body->form->mesh->start);
        }
    }
    return hash;
}
