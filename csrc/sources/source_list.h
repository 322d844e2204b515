/* The sources by their ids: finding, removing and replacing them. */
#pragma once

#include "state/sources.h"

/* Room for the id of one more source: what is added next takes sources->made. */
vt_status vti_reserve_source_id(vt_sources *sources);

/* That source was added by the function made_by (VT_SOURCE_...); returns its id. */
int32_t vti_note_source(vt_sources *sources, int made_by);

/* Where vortons of a source are born, at count positions, m: all at once, or in one step. */
void vti_note_births(vt_sources *sources, int32_t id, int64_t count, const float *position);

/* Id of the source whose vortons were born nearest to a point, -1: none were; and how far away, m.
 */
int32_t vti_nearest_source(const vt_sources *sources, const double point[3], double *distance);

/* What kind of source it is: the end of the name of the function that made it. */
const char *vti_name_of_source(const vt_sources *sources, int32_t id);

/* Whether there is a source of that id, not removed; made_by: 0, or the function that it must be of
 * (VT_SOURCE_...). */
vt_status vti_check_source(const vt_sources *sources, int32_t id, int made_by);

/* What a source that replaces this one takes over of it. Births before `from`, s, are done.
 * VT_INVALID_ARGUMENT: it was born once, and bears nothing any more. */
vt_status vti_find_predecessor(const vt_sources *sources, int32_t id, double from,
                               vt_predecessor *before);

/* Takes it out of the lists; what it has borne stays. */
void vti_drop_source(vt_sources *sources, int32_t id);

/* The source that was added last, with the id sources->made that is not noted, takes place and id
 * of another, which is dropped. */
void vti_replace_source(vt_sources *sources, int32_t id);
