/* What columns of the vortons nearly are where nothing but its own burning and cooling has changed
 * the fluid since an emitter bore it: an archive then holds by how little they differ from that.
 *
 *   fuel          mixture e^(-rate age)
 *   flame         what that leaves which has not burnt out since
 *   smoke         soot (mixture - fuel - flame): also of fluid that has mixed
 *   temperature   that of birth, and what burning, radiation and mixing have made of it
 *   volume        birth_volume, and what it expands from there to volume_temperature: of all fluids
 *   swelling      what burning and cooling in the last substep have added to the volume
 *
 * Fluid is that of rows with a mixture; where no vorton has any, of those with the flag EMITTED. Of
 * others the temperature of birth is that of the ambient fluid. */
#pragma once

#include "kernels/particles/combustion.h"

/* The numbers of the field "fluid.law": of the ambient fluid its temperature, K, and of a liquid
 * how it expands, 1/K; and of burning what vt_burning has, 0 where nothing burns; the rate is 0
 * where it follows the temperature. */
enum {
    VT_LAW_ambient,
    VT_LAW_expansion,
    VT_LAW_rate,
    VT_LAW_flame_rate,
    VT_LAW_soot,
    VT_LAW_heating,
    VT_LAW_radiation,
    VT_LAW_mixing,
    VT_LAW_NUMBERS
};

/* What it follows from: fields of a state, of one number in each row of the vortons. */
enum vt_lone_input {
    VT_LONE_OF_age,
    VT_LONE_OF_flags,
    VT_LONE_OF_mixture,
    VT_LONE_OF_fuel,
    VT_LONE_OF_flame,
    VT_LONE_OF_temperature,
    VT_LONE_OF_volume_temperature,
    VT_LONE_OF_birth_volume,
    VT_LONE_OF_volume,
    VT_LONE_INPUTS
};

extern const char *const vti_lone_inputs[VT_LONE_INPUTS]; /* names of the fields */

/* Those of a state that there are, of any alignment. */
typedef struct vt_lone_state {
    const uint8_t *column[VT_LONE_INPUTS]; /* NULL: not there */
    const uint8_t *law;                    /* the field "fluid.law" */
    const uint8_t *last_substep;           /* s, double */
    int64_t rows;
    const uint32_t *fluid; /* the rows that are fluid, ascending */
    int64_t fluid_count;
} vt_lone_state;

/* Lists these rows where there is room for all; returns how many they are. */
int64_t vti_list_fluid(const vt_lone_state *state, uint32_t *to);

/* The relative volume at which most fluid was born, as its volumes tell: of a gas the temperature,
 * K; of a liquid that over the volume at the ambient temperature, where there is no fluid that of
 * the ambient one. 0: there are no volumes that tell. */
float vti_find_birth(const vt_lone_state *state);

/* Finds what a field of a state nearly is, by its name and that number. -1: there is no law
 * for it, or not all that it follows from. */
int vti_foretell(const vt_lone_state *state, const char *name, float birth, int threads, float *to);

/* Whether the numbers of a field are nearer to that than each to the one before, in the order of
 * rows in which they would else be packed (NULL: as they lie), as far as some of them tell. */
int vti_can_foretell(const vt_lone_state *state, const char *name, float birth,
                     const uint8_t *numbers, const uint32_t *order);
