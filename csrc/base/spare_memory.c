#include "base/spare_memory.h"

#include <stdatomic.h>

#include "base/memory.h"
#include "base/threads.h"

/* The sanitizer is to see what is used after it was given back, and beyond its end. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KEEPS 0
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define KEEPS 0
#elif !defined(KEEPS)
#define KEEPS 1
#endif

enum {
    LARGE = 2 << 20,  /* bytes: of one huge page */
    VAST = 256 << 20, /* bytes */
    MOST_SPARES = 32, /* a volume of fire has 20 arrays */
    BEFORE = 64,      /* bytes before what the caller gets: the head stands there */
    BEFORE_SMALL = 16 /* of blocks that are not large */
};

/* Lies just before what the caller gets. */
typedef struct block_head {
    void *begin; /* what vti_free() takes */
    size_t size; /* from there on; 0: it is not to be kept */
} block_head;
_Static_assert(sizeof(block_head) <= BEFORE_SMALL, "malloc's alignment is kept");

typedef struct spare {
    void *begin;
    size_t size;
} spare;

/* The oldest spare first. Whoever does not get the lock at once does without spares: so nobody
 * waits, and a process that was forked while another thread had it runs on. */
static vt_mutex lock = VT_NEW_MUTEX;
static spare spares[MOST_SPARES];
static int count;
static _Atomic size_t used;  /* bytes of blocks in use */
static size_t waiting, peak; /* of spares; most that were in use */
static _Atomic int keepers;

static void *hand_out(void *begin, size_t size, size_t before)
{
    char *const memory = (char *)begin + before;
    ((block_head *)(void *)memory)[-1] = (block_head){begin, size};
    return memory;
}

/* What grows from frame to frame fits again, and pages that nobody has touched take no memory; but
 * the system may refuse twice as much as is wanted of what is vast: that grows by steps of at most
 * an eighth. */
static size_t round_size(size_t size)
{
    size_t rounded = LARGE, step = VAST / 16;
    while (rounded < size && rounded < VAST)
        rounded *= 2;
    if (rounded >= size)
        return rounded;
    while (step < size / 16)
        step *= 2;
    return (size + step - 1) / step * step;
}

static void *remove_spare(int n)
{
    void *const begin = spares[n].begin;
    waiting -= spares[n].size;
    count--;
    for (; n < count; n++)
        spares[n] = spares[n + 1];
    return begin;
}

static void limit_spares(int most, size_t most_waiting)
{
    while (count > most || waiting > most_waiting)
        vti_free(remove_spare(0));
}

/* Bytes of spares beside so many in use: what a frame takes one after the other is more than what
 * it has at once. */
static size_t room_for_spares(size_t in_use)
{
    const size_t most = peak + peak / 2;
    return in_use < most ? most - in_use : 0;
}

/* One of that size; NULL: there is none. */
static void *take_spare(size_t size)
{
    for (int n = count - 1; n >= 0; n--)
        if (spares[n].size == size)
            return remove_spare(n);
    return NULL;
}

static void *take_or_allocate(size_t size)
{
    void *begin = take_spare(size);
    const size_t after = used + size;
    limit_spares(count, room_for_spares(after));
    if (!begin)
        begin = vti_allocate_huge(size);
    if (!begin && count) {
        limit_spares(0, 0);
        begin = vti_allocate_huge(size);
    }
    if (begin)
        used += size;
    peak = used > peak ? used : peak;
    return begin;
}

static void *allocate_large(size_t size)
{
    if (!vti_try_lock(&lock)) {
        void *const begin = vti_allocate_huge(size);
        return begin ? hand_out(begin, 0, BEFORE) : NULL;
    }
    void *const begin = take_or_allocate(size);
    vti_unlock(&lock);
    return begin ? hand_out(begin, size, BEFORE) : NULL;
}

void *vti_borrow(size_t bytes)
{
    if (bytes > SIZE_MAX / 4)
        return NULL;
    if (bytes >= LARGE && KEEPS)
        return allocate_large(round_size(bytes + BEFORE));
    void *const begin = vti_allocate(bytes + BEFORE_SMALL);
    return begin ? hand_out(begin, 0, BEFORE_SMALL) : NULL;
}

static void drop_all(void)
{
    limit_spares(0, 0);
    peak = used;
}

static void keep(void *begin, size_t size)
{
    spares[count++] = (spare){begin, size};
    waiting += size;
    limit_spares(MOST_SPARES - 1, room_for_spares(used));
}

void vti_return_borrowed(void *memory)
{
    if (!memory)
        return;
    const block_head head = ((block_head *)memory)[-1];
    used -= head.size;
    if (head.size == 0 || !vti_try_lock(&lock)) {
        vti_free(head.begin);
        return;
    }
    if (keepers > 0) {
        keep(head.begin, head.size);
    } else {
        vti_free(head.begin);
        drop_all();
    }
    vti_unlock(&lock);
}

void vti_keep_spares(void)
{
    keepers++;
}

void vti_drop_spares(void)
{
    if (keepers == 0 || --keepers > 0 || !vti_try_lock(&lock))
        return;
    drop_all();
    vti_unlock(&lock);
}
