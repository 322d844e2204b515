/* What the fields of a state tell of each other: a field that is packed or unpacked is one less
 * another, in the order of another, or less what others foretell. */
#pragma once

#include "archive/block.h"
#include "archive/lone_fluid.h"
#include "kernels/words/row_words.h"

/* What fluid follows, and its columns (archive/lone_fluid.h): numbers of fields, from 1 on; 0: not
 * there. */
enum { VT_FLUID_LAW = VT_LONE_INPUTS, VT_LAST_SUBSTEP, VT_FLUID_FIELDS };

/* A state of which the directory, its own or that of its frame, tells. */
typedef struct vt_fields {
    const uint8_t *directory;
    uint32_t count;              /* of fields */
    const uint8_t *const *place; /* of each field; NULL: they lie one behind the other */
    size_t begin;                /* of the first of these */
    uint32_t fluid[VT_FLUID_FIELDS];
    float birth;        /* of most fluid, of a state that is packed */
    int64_t of_tracers; /* bytes that their fields take as far as they are packed */
    float *foretold;    /* room for a number of each row; behind it those that are fluid */
    uint32_t *fluid_rows;
    int64_t rows, fluid_count;
    int by_mixture;  /* tells what is fluid */
    uint32_t placer; /* the field of places by which rows were last ordered; 0: none */
    uint32_t *place_order;
    uint32_t orderer; /* the field by which the rows were last ordered; 0: none */
    uint32_t *order;
    int failed; /* no memory for that */
} vt_fields;

/* Looks through a directory once. */
vt_fields vti_describe_fields(const uint8_t *directory, const vt_frame_head *head);
void vti_destroy_fields(vt_fields *f);

/* The number of the field, from 1 on, that the numbers of field n are less, or in whose order they
 * are alike; 0: none. The first of a state that is packed, of which the place of each field is
 * known. */
uint32_t vti_find_reference(const vt_fields *f, uint32_t n, const vt_field_entry *entry);
uint32_t vti_find_orderer(const vt_fields *f, uint32_t n, const vt_field_entry *entry);

/* Whether places in eddies are packed in the order of the places that they are less: that takes
 * time, so only where a tracer else would take more bytes than it should. */
int vti_goes_by_place(const vt_fields *f, uint32_t n, uint32_t placer, const vt_field_entry *entry);

/* The rows of a field less those of another (`reference`, from 1 on; 0: none), in the order of
 * another, or both. `state` holds the fields before it, one behind the other; it is not looked at
 * where the place of each field is known. Not every field has an order: then `order` is NULL, as
 * without memory. */
vt_packed_rows vti_describe_rows(const vt_fields *f, const uint8_t *state, uint32_t reference,
                                 const vt_field_entry *entry);
vt_packed_rows vti_describe_order(vt_fields *f, const uint8_t *state, uint32_t orderer,
                                  const vt_field_entry *entry);
vt_packed_rows vti_describe_by_place(vt_fields *f, const uint8_t *state, uint32_t placer,
                                     int threads, const vt_field_entry *entry);

/* What the fields before field n tell of the fluid of as many vortons. */
vt_lone_state vti_describe_fluid(const vt_fields *f, const uint8_t *state, uint32_t n,
                                 uint64_t rows);

/* Lists the rows that are fluid, once for all fields that know them by the same column, and makes
 * room for what is foretold; NULL: there is no memory. */
float *vti_prepare_foretelling(vt_fields *f, vt_lone_state *lone);

/* The relative volume of most fluid at birth, as all fields tell (archive/lone_fluid.h). */
float vti_find_birth_of_fields(const vt_fields *f);
