#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include "archive/archive.h"

#include <errno.h>
#include <string.h>

#include "archive/block.h"
#include "archive/checksum.h"
#include "base/memory.h"
#include "base/open_file.h"
#include "base/status.h"

#ifdef _WIN32
#define SEEK(file, at, from) _fseeki64(file, (int64_t)(at), from)
#define TELL(file) _ftelli64(file)
#else
#define SEEK(file, at, from) fseeko(file, (off_t)(at), from)
#define TELL(file) ftello(file)
#endif

enum { VERSION = 4, HEAD_BYTES = 40, INDEX_BYTES = 32, ENTRY_BYTES = 24, END_BYTES = 16 };
enum { SEARCHED_AT_ONCE = 1 << 20 /* bytes */ };

/* ---- reading ---- */

static vt_status cannot_read(const vt_archive *a)
{
    return vti_fail(VT_IO, "cannot read %s: %s", a->path,
                    errno ? strerror(errno) : "it ends early");
}

static vt_status read_at(vt_archive *a, uint64_t at, void *to, size_t size)
{
    errno = 0;
    if (SEEK(a->file, at, SEEK_SET) || fread(to, 1, size, a->file) != size)
        return cannot_read(a);
    return VT_OK;
}

/* A whole block, with memory of its own. */
static vt_status read_block(vt_archive *a, uint64_t at, uint64_t length, uint8_t **bytes)
{
    *bytes = vti_allocate((size_t)length);
    if (!*bytes)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for %llu bytes of %s",
                        (unsigned long long)length, a->path);
    const vt_status status = read_at(a, at, *bytes, (size_t)length);
    if (status) {
        vti_free(*bytes);
        *bytes = NULL;
    }
    return status;
}

/* Whether a block of that kind begins there and ends within the file. */
static vt_status find_block(vt_archive *a, uint64_t at, const char *kind, vt_block_head *head,
                            int *found)
{
    *found = 0;
    if (a->size < sizeof *head || at > a->size - sizeof *head)
        return VT_OK;
    const vt_status status = read_at(a, at, head, sizeof *head);
    *found = !status && memcmp(head->kind, kind, 4) == 0 && head->length % 8 == 0 &&
             head->length >= sizeof *head && head->length <= a->size - at &&
             head->summed >= sizeof *head && head->summed <= head->length;
    return status;
}

/* The part of such a block that its checksum covers: *bytes is NULL where no block begins there,
 * where that part is shorter than `least` or longer than `most`, or not as it was written. */
static vt_status read_summed(vt_archive *a, uint64_t at, const char *kind, size_t least,
                             uint64_t most, vt_block_head *head, uint8_t **bytes)
{
    int found;
    *bytes = NULL;
    vt_status status = find_block(a, at, kind, head, &found);
    if (status || !found || head->summed < least || head->summed > most ||
        (status = read_block(a, at, head->summed, bytes)))
        return status;
    if (vti_crc32(&a->crc, *bytes + 8, (size_t)head->summed - 8) == head->crc)
        return VT_OK;
    vti_free(*bytes);
    *bytes = NULL;
    return VT_OK;
}

/* ---- what is in it ---- */

static vt_status no_archive(const vt_archive *a)
{
    return vti_fail(VT_INVALID_ARGUMENT, "%s: is not a motion archive", a->path);
}

static vt_status read_head(vt_archive *a, uint64_t *end)
{
    vt_block_head head;
    uint8_t *bytes;
    uint32_t version, size;
    vt_status status = read_summed(a, 0, "HEAD", HEAD_BYTES, a->size, &head, &bytes);
    if (!bytes)
        return status ? status : no_archive(a);
    memcpy(&version, bytes + 32, 4);
    memcpy(&size, bytes + 36, 4);
    if (head.summed != head.length || memcmp(bytes + 24, "vortonA\n", 8) != 0 ||
        size > head.length - HEAD_BYTES)
        status = no_archive(a);
    else if (version != VERSION)
        status = vti_fail(
            VT_INVALID_ARGUMENT, "%s: version %u of the format, this library reads %d%s", a->path,
            version, VERSION, version < VERSION ? ": it is of an older vorton, bake again" : "");
    else if (!(a->text = vti_allocate_zeroed(1, (size_t)size + 1)))
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for the head of %s", a->path);
    else
        memcpy(a->text, bytes + HEAD_BYTES, size);
    vti_free(bytes);
    *end = head.length;
    return status;
}

static vt_status append_frame(vt_archive *a, int64_t number, double time, uint64_t at,
                              uint64_t length)
{
    if ((a->count & (a->count - 1)) == 0) {
        const size_t room = a->count ? 2 * (size_t)a->count : 1;
        vt_archive_frame *const more = vti_resize(a->frame, room * sizeof *more);
        if (!more)
            return vti_fail(VT_OUT_OF_MEMORY, "no memory for the frames of %s", a->path);
        a->frame = more;
    }
    a->frame[a->count++] = (vt_archive_frame){sizeof *a->frame, number, time, at, length};
    return VT_OK;
}

/* Whether a frame lies there, with a larger number than the last one; it is then noted. */
static vt_status note_frame(vt_archive *a, uint64_t at, uint64_t *end, int *noted)
{
    vt_frame_head head;
    vt_block_head block;
    uint8_t *bytes;
    const vt_status status =
        read_summed(a, at, "FRAM", sizeof head, VT_MOST_DIRECTORY, &block, &bytes);
    *noted = 0;
    if (!bytes)
        return status;
    memcpy(&head, bytes, sizeof head);
    vti_free(bytes);
    *end = at + block.length;
    if (a->count > 0 && head.number <= a->frame[a->count - 1].number)
        return VT_OK;
    *noted = 1;
    return append_frame(a, head.number, head.time, at, block.length);
}

static vt_status note_entries(vt_archive *a, const uint8_t *entry, uint64_t count)
{
    vt_status status = VT_OK;
    for (uint64_t n = 0; n < count && !status; n++) {
        uint64_t place, end;
        int noted; /* a frame that is damaged is not there */
        memcpy(&place, entry + ENTRY_BYTES * n + 8, 8);
        status = note_frame(a, place, &end, &noted);
    }
    return status;
}

/* The next place from *at on where a frame may begin; not *found: there is none. */
static vt_status search_frame(vt_archive *a, uint8_t *room, uint64_t *at, int *found)
{
    for (*found = 0; *at < a->size;) {
        const uint64_t left = a->size - *at;
        const size_t size = left < SEARCHED_AT_ONCE ? (size_t)left : SEARCHED_AT_ONCE;
        const vt_status status = read_at(a, *at, room, size);
        if (status)
            return status;
        for (size_t n = 0; n + 4 <= size; n += 8)
            if (memcmp(room + n, "FRAM", 4) == 0) {
                *at += n;
                *found = 1;
                return VT_OK;
            }
        *at += size;
    }
    return VT_OK;
}

/* The frames from `at` on, one behind the other, or behind what is damaged. */
static vt_status scan_frames(vt_archive *a, uint64_t at)
{
    uint8_t *const room =
        vti_allocate(a->size < SEARCHED_AT_ONCE ? (size_t)a->size : SEARCHED_AT_ONCE);
    vt_status status = VT_OK;
    if (!room)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory to look for the frames of %s", a->path);
    for (int found = 1, noted; found && !status;) {
        uint64_t end = at;
        status = note_frame(a, at, &end, &noted);
        at = noted ? end : at + 8; /* one that is not noted may end anywhere */
        if (status || noted)
            continue;
        status = search_frame(a, room, &at, &found);
    }
    vti_free(room);
    return status;
}

/* The frames that the index at the end tells of; not *found where there is none, or one that is
 * damaged. */
static vt_status follow_index(vt_archive *a, int *found)
{
    uint8_t last[END_BYTES], *bytes;
    vt_block_head head;
    uint64_t at, count;
    vt_status status;
    *found = 0;
    if (a->size < END_BYTES)
        return VT_OK;
    if ((status = read_at(a, a->size - END_BYTES, last, END_BYTES)) ||
        memcmp(last + 8, "vortonE\n", 8) != 0)
        return status;
    memcpy(&at, last, 8);
    status = read_summed(a, at, "INDX", INDEX_BYTES + END_BYTES, a->size, &head, &bytes);
    if (!bytes)
        return status;
    memcpy(&count, bytes + 24, 8);
    const uint64_t entries = head.summed - INDEX_BYTES - END_BYTES;
    *found =
        head.summed == head.length && entries % ENTRY_BYTES == 0 && count == entries / ENTRY_BYTES;
    if (*found)
        status = note_entries(a, bytes + INDEX_BYTES, count);
    vti_free(bytes);
    return status;
}

static vt_status open_now(vt_archive *a)
{
    uint64_t at = 0;
    errno = 0;
    a->file = vti_open_file(a->path);
    if (!a->file || SEEK(a->file, 0, SEEK_END))
        return cannot_read(a);
    const int64_t size = (int64_t)TELL(a->file);
    if (size < 0)
        return cannot_read(a);
    a->size = (uint64_t)size;
    int found;
    vt_status status = read_head(a, &at);
    if (status || (status = follow_index(a, &found)) || found)
        return status;
    return scan_frames(a, at);
}

vt_status vt_open_archive(const char *path, vt_archive **archive)
{
    *archive = NULL;
    if (!path)
        return vti_fail(VT_INVALID_ARGUMENT, "path is NULL; allowed is the path of an archive");
    vt_archive *const a = vti_allocate_zeroed(1, sizeof *a);
    if (a)
        a->path = vti_allocate(strlen(path) + 1);
    if (!a || !a->path) {
        vti_free(a);
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for an archive");
    }
    strcpy(a->path, path);
    vti_make_crc(&a->crc);
    const vt_status status = open_now(a);
    if (status)
        vt_close_archive(a);
    else
        *archive = a;
    return status;
}

void vt_close_archive(vt_archive *a)
{
    if (!a)
        return;
    if (a->file)
        fclose(a->file);
    vti_free(a->frame);
    vti_free(a->text);
    vti_free(a->path);
    vti_free(a);
}

const char *vt_archive_text(const vt_archive *a)
{
    return a->text;
}

int vt_get_archive_frame(const vt_archive *a, int64_t index, vt_archive_frame *frame)
{
    return index >= 0 && index < a->count &&
           vti_hand_out(frame, &a->frame[index], sizeof *frame) == VT_OK;
}

/* The block of a frame, for vti_free. */
static vt_status read_frame(vt_archive *a, int64_t index, uint8_t **bytes)
{
    if (index < 0 || index >= a->count)
        return vti_fail(VT_INVALID_ARGUMENT, "index is %lld; allowed is 0 to %lld",
                        (long long)index, (long long)a->count - 1);
    return read_block(a, a->frame[index].offset, a->frame[index].bytes, bytes);
}

vt_status vt_read_archive_frame(vt_archive *a, int64_t index, int32_t threads, uint8_t **bytes,
                                int64_t *size)
{
    uint8_t *packed;
    vt_status status = read_frame(a, index, &packed);
    if (status)
        return status;
    status = vt_unpack_state(packed, (int64_t)a->frame[index].bytes, threads, bytes, size);
    vti_free(packed);
    return status;
}

vt_status vt_load_archive_frame(vt_archive *a, int64_t index, vt_simulation *simulation)
{
    uint8_t *bytes;
    vt_status status = read_frame(a, index, &bytes);
    if (status)
        return status;
    status = vt_load_state(simulation, bytes, (int64_t)a->frame[index].bytes);
    vti_free(bytes);
    return status;
}
