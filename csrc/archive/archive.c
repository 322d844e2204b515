#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include "archive/archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "archive/block.h"
#include "archive/checksum.h"
#include "base/open_file.h"
#include "base/status.h"

#ifdef _WIN32
#define SEEK(file, at, from) _fseeki64(file, (int64_t)(at), from)
#define TELL(file) _ftelli64(file)
#else
#define SEEK(file, at, from) fseeko(file, (off_t)(at), from)
#define TELL(file) ftello(file)
#endif

enum { VERSION = 1, HEAD_BYTES = 40, INDEX_BYTES = 32, ENTRY_BYTES = 24, END_BYTES = 16 };
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
    *bytes = malloc((size_t)length);
    if (!*bytes)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for %llu bytes of %s",
                        (unsigned long long)length, a->path);
    const vt_status status = read_at(a, at, *bytes, (size_t)length);
    if (status) {
        free(*bytes);
        *bytes = NULL;
    }
    return status;
}

/* Whether a block of that kind begins there and ends within the file. */
static int find_block(vt_archive *a, uint64_t at, const char *kind, vt_block_head *head)
{
    return a->size >= sizeof *head && at <= a->size - sizeof *head &&
           read_at(a, at, head, sizeof *head) == VT_OK && memcmp(head->kind, kind, 4) == 0 &&
           head->length % 8 == 0 && head->length >= sizeof *head && head->length <= a->size - at &&
           head->summed >= sizeof *head && head->summed <= head->length;
}

/* Whether the part of the block that its checksum covers is as it was written; *bytes is that part,
 * or NULL. */
static int read_summed(vt_archive *a, uint64_t at, const vt_block_head *head, uint8_t **bytes)
{
    vt_crc crc;
    vti_make_crc(&crc);
    if (read_block(a, at, head->summed, bytes))
        return 0;
    if (vti_crc32(&crc, *bytes + 8, (size_t)head->summed - 8) == head->crc)
        return 1;
    free(*bytes);
    *bytes = NULL;
    return 0;
}

/* ---- what is in it ---- */

static vt_status no_archive(const vt_archive *a)
{
    return vti_fail(VT_INVALID_ARGUMENT, "%s: is not a motion archive", a->path);
}

static vt_status read_head(vt_archive *a, uint64_t *end)
{
    vt_block_head head;
    uint8_t *bytes = NULL;
    uint32_t version, size;
    if (!find_block(a, 0, "HEAD", &head) || head.summed != head.length ||
        head.length < HEAD_BYTES || !read_summed(a, 0, &head, &bytes))
        return no_archive(a);
    memcpy(&version, bytes + 32, 4);
    memcpy(&size, bytes + 36, 4);
    vt_status status = VT_OK;
    if (memcmp(bytes + 24, "vortonA\n", 8) != 0 || size > head.length - HEAD_BYTES)
        status = no_archive(a);
    else if (version != VERSION)
        status =
            vti_fail(VT_INVALID_ARGUMENT, "%s: version %u of the format, this library reads %d",
                     a->path, version, VERSION);
    else if (!(a->text = calloc(1, (size_t)size + 1)))
        status = vti_fail(VT_OUT_OF_MEMORY, "no memory for the head of %s", a->path);
    else
        memcpy(a->text, bytes + HEAD_BYTES, size);
    free(bytes);
    *end = head.length;
    return status;
}

static int append_frame(vt_archive *a, int64_t number, double time, uint64_t at, uint64_t length)
{
    if ((a->count & (a->count - 1)) == 0) {
        const size_t room = a->count ? 2 * (size_t)a->count : 1;
        vt_archive_frame *const more = realloc(a->frame, room * sizeof *more);
        if (!more)
            return -1;
        a->frame = more;
    }
    a->frame[a->count++] = (vt_archive_frame){sizeof *a->frame, number, time, at, length};
    return 0;
}

/* Whether a frame lies there, with a larger number than the last one; it is then noted. */
static int note_frame(vt_archive *a, uint64_t at, uint64_t *end)
{
    vt_frame_head head;
    vt_block_head block;
    uint8_t *bytes;
    if (!find_block(a, at, "FRAM", &block) || block.summed < sizeof head ||
        block.summed > VT_MOST_DIRECTORY || !read_summed(a, at, &block, &bytes))
        return 0;
    memcpy(&head, bytes, sizeof head);
    free(bytes);
    *end = at + block.length;
    return (a->count == 0 || head.number > a->frame[a->count - 1].number) &&
           append_frame(a, head.number, head.time, at, block.length) == 0;
}

/* The next place from *at on where a frame may begin; 0: there is none. */
static int search_frame(vt_archive *a, uint8_t *room, uint64_t *at)
{
    while (*at < a->size) {
        const uint64_t left = a->size - *at;
        const size_t size = left < SEARCHED_AT_ONCE ? (size_t)left : SEARCHED_AT_ONCE;
        if (read_at(a, *at, room, size))
            return 0;
        for (size_t n = 0; n + 4 <= size; n += 8)
            if (memcmp(room + n, "FRAM", 4) == 0) {
                *at += n;
                return 1;
            }
        *at += size;
    }
    return 0;
}

/* The frames from `at` on, one behind the other, or behind what is damaged. */
static vt_status scan_frames(vt_archive *a, uint64_t at)
{
    uint8_t *const room = malloc(SEARCHED_AT_ONCE);
    if (!room)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory to look for the frames of %s", a->path);
    for (int found = 1; found;)
        if (!note_frame(a, at, &at)) {
            at += 8;
            found = search_frame(a, room, &at);
        }
    free(room);
    return VT_OK;
}

/* The frames that the index at the end tells of; 0 where there is none, or one that is damaged. */
static int follow_index(vt_archive *a)
{
    uint8_t last[END_BYTES], *bytes;
    vt_block_head head;
    uint64_t at, count, end;
    if (a->size < END_BYTES || read_at(a, a->size - END_BYTES, last, END_BYTES) ||
        memcmp(last + 8, "vortonE\n", 8) != 0)
        return 0;
    memcpy(&at, last, 8);
    if (!find_block(a, at, "INDX", &head) || head.summed != head.length ||
        head.length < INDEX_BYTES + END_BYTES || !read_summed(a, at, &head, &bytes))
        return 0;
    memcpy(&count, bytes + 24, 8);
    const uint64_t entries = head.length - INDEX_BYTES - END_BYTES;
    const int fits = entries % ENTRY_BYTES == 0 && count == entries / ENTRY_BYTES;
    if (fits)
        for (uint64_t n = 0; n < count; n++) {
            uint64_t place;
            memcpy(&place, bytes + INDEX_BYTES + ENTRY_BYTES * n + 8, 8);
            note_frame(a, place, &end); /* one that is damaged is not there */
        }
    free(bytes);
    return fits;
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
    const vt_status status = read_head(a, &at);
    if (status || follow_index(a))
        return status;
    return scan_frames(a, at);
}

vt_status vt_open_archive(const char *path, vt_archive **archive)
{
    *archive = NULL;
    if (!path)
        return vti_fail(VT_INVALID_ARGUMENT, "path is NULL; allowed is the path of an archive");
    vt_archive *const a = calloc(1, sizeof *a);
    if (a)
        a->path = malloc(strlen(path) + 1);
    if (!a || !a->path) {
        free(a);
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for an archive");
    }
    strcpy(a->path, path);
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
    free(a->frame);
    free(a->text);
    free(a->path);
    free(a);
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

vt_status vt_load_archive_frame(vt_archive *a, int64_t index, vt_simulation *simulation)
{
    uint8_t *bytes;
    if (index < 0 || index >= a->count)
        return vti_fail(VT_INVALID_ARGUMENT, "index is %lld; allowed is 0 to %lld",
                        (long long)index, (long long)a->count - 1);
    const uint64_t length = a->frame[index].bytes;
    vt_status status = read_block(a, a->frame[index].offset, length, &bytes);
    if (status)
        return status;
    status = vt_load_state(simulation, bytes, (int64_t)length);
    free(bytes);
    return status;
}
