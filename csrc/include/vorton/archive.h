/* States of simulations, and motion archives (.vta): files of states, one for each frame. */
#ifndef VORTON_ARCHIVE_H
#define VORTON_ARCHIVE_H

#include "vorton/simulation.h"

VT_BEGIN_C

/* The state of a simulation in memory: all that evolves, exact to the bit, with the number of a
 * frame that it is given. *bytes of *size, to be given back with vt_free. Nothing is packed: that
 * takes as long as the particles take to be copied. */
VT_API vt_status vt_save_state(vt_simulation *simulation, int64_t number, uint8_t **bytes,
                               int64_t *size);

/* The same as an archive has it, as vt_pack_state of that makes it, from the particles where they
 * lie: no copy of them is made. By the simulation's own threads. */
VT_API vt_status vt_save_packed_state(vt_simulation *simulation, int64_t number, uint8_t **bytes,
                                      int64_t *size);

/* Puts a state into a simulation that was made of the same definition: the same simulation,
 * sources, effects and bodies, added in the same order. From here on the same calls give the same
 * bits as in that from which the state was saved; room for particles and number of threads stay the
 * simulation's own, and so do its timings. Takes what these or vt_pack_state gave. What was packed
 * shows velocities of tracers of the time of the state, not those of the last substep before
 * it: the next step finds them anew.
 *
 * VT_INVALID_ARGUMENT: damaged; saved by another build, or from a simulation with another method or
 * with other sources, effects or bodies, as far as their numbers and times say (not their shapes
 * and tracks: the caller knows the scene). VT_OVER_CAPACITY: more particles than there is room for.
 * Then nothing has changed. */
VT_API vt_status vt_load_state(vt_simulation *simulation, const uint8_t *bytes, int64_t size);

/* Goes on from the state of another simulation, at its time: its particles, bodies and all else
 * that evolves. Sources and effects may be others, or in another order: sources[id] is the id in
 * `from` of the source that is `id` here, for as many as were ever added here, winds[id] the same
 * of winds; -1: `from` has none, and what was just added stays, with the columns that it needs. The
 * bodies must be those of `from`, in their order. Method, ambient fluid, combustion and spacing
 * should be the same (the caller knows).
 *
 * VT_INVALID_ARGUMENT: another number of sources, winds or bodies; a source that `from` lacks.
 * VT_OVER_CAPACITY: as vt_load_state. VT_BUSY: of either. Then nothing has changed. */
VT_API vt_status vt_take_over(vt_simulation *simulation, vt_simulation *from, int64_t source_count,
                              const int32_t *sources, int64_t wind_count, const int32_t *winds);

/* The state as an archive has it, packed and with checksums, less than half as large; and back,
 * without columns that vt_load_state makes again: velocities of tracers, and what they take from
 * the vortons around them. threads is 1 .. 64, the bytes do not depend on it. */
VT_API vt_status vt_pack_state(const uint8_t *bytes, int64_t size, int32_t threads,
                               uint8_t **packed, int64_t *packed_size);
VT_API vt_status vt_unpack_state(const uint8_t *packed, int64_t packed_size, int32_t threads,
                                 uint8_t **bytes, int64_t *size);

/* A field of a state in memory: rows of `components` numbers, one behind the other. */
typedef struct vt_saved_field {
    size_t struct_size;
    char name[40];      /* "tracers.position", ended with 0 */
    char type;          /* of the numbers, as Python's struct has it: B uint8, i int32, I uint32,
                           f float, q int64, Q uint64, d double; little-endian */
    int32_t components; /* numbers in a row */
    int64_t rows;
    const void *data; /* in the bytes of the state, aligned as these happen to be; NULL: not
                         there, vt_load_state makes it again */
    int64_t bytes;    /* of data */
} vt_saved_field;

/* Field `index` of what vt_save_state, vt_unpack_state or vt_read_archive_frame gave. Returns 0
 * past the last; for field 0, which every state has, where the bytes are no such state:
 * vt_error_message() then says why. */
VT_API int vt_get_saved_field(const uint8_t *state, int64_t size, int32_t index,
                              vt_saved_field *field);

/* Digest of the names and sizes of all that a state of this build may hold, as the head of a frame
 * has it: vt_load_state refuses states with another one. */
VT_API vt_status vt_state_layout(uint64_t *layout);

/* ---- files ---- */

/* An archive that is read; also one that is being written: it has the frames that are whole. */
typedef struct vt_archive vt_archive;

/* path in UTF-8, on Windows too. VT_IO: cannot be read. VT_INVALID_ARGUMENT: is no archive. */
VT_API vt_status vt_open_archive(const char *path, vt_archive **archive);
VT_API void vt_close_archive(vt_archive *archive); /* NULL is allowed */

/* What the frames belong to: JSON, ended with 0; it belongs to the archive. */
VT_API const char *vt_archive_text(const vt_archive *archive);

typedef struct vt_archive_frame {
    size_t struct_size;
    int64_t number;         /* of the frame: they ascend */
    double time;            /* s */
    uint64_t offset, bytes; /* where its block lies in the file */
} vt_archive_frame;

/* Frame `index`; returns 0 past the last. */
VT_API int vt_get_archive_frame(const vt_archive *archive, int64_t index, vt_archive_frame *frame);

/* The state of frame `index` in memory, of whatever build: vt_unpack_state. *bytes of *size, to be
 * given back with vt_free. VT_IO: cannot be read. VT_INVALID_ARGUMENT: damaged. */
VT_API vt_status vt_read_archive_frame(vt_archive *archive, int64_t index, int32_t threads,
                                       uint8_t **bytes, int64_t *size);

/* Puts the state of frame `index` into a simulation: vt_load_state. VT_IO: cannot be read. */
VT_API vt_status vt_load_archive_frame(vt_archive *archive, int64_t index,
                                       vt_simulation *simulation);

VT_END_C

#endif
