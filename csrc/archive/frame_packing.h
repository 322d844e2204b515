/* Frames of an archive: checked, packed and unpacked (their bytes: archive/block.h). */
#pragma once

#include "archive/block.h"
#include "volume/bytes.h"
#include "vorton.h"

/* Reads the head of a frame, or of a state in memory, and checks it and its directory: whatever the
 * bytes are, what it then says lies within them. `what` begins the message. */
vt_status vti_check_frame(const char *what, const uint8_t *bytes, uint64_t size,
                          vt_frame_head *head);

/* A state as a frame: fields packed, with their checksums. Or its directory, that is the beginning
 * of the state, and the place of each field: of those that are made again none is read. */
vt_status vti_pack_frame(const uint8_t *bytes, int threads, vt_bytes *to);
vt_status vti_pack_fields(const uint8_t *directory, const uint8_t *const *place, int threads,
                          vt_bytes *to);

/* A frame that was checked as a state: checksums compared, fields unpacked. */
vt_status vti_unpack_frame(const char *what, const uint8_t *bytes, int threads, vt_bytes *to);
