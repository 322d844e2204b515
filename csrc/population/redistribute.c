#include "population/redistribute.h"

#include "field/extent.h"
#include "state/particles.h"
#include "state/simulation.h"

enum { MOST_NEIGHBOURS = 128, PASSES = 7 };
enum { WAITING = 1, GONE = 2 };

typedef struct neighbours {
    int64_t count; /* all of them; the first MOST_NEIGHBOURS are listed */
    uint32_t row[MOST_NEIGHBOURS], nearest;
    double at[MOST_NEIGHBOURS][4]; /* 1, then the offset in reaches */
    double least2;                 /* distance of the nearest, squared */
} neighbours;

static void add_neighbour(neighbours *n, uint32_t row, const double at[4])
{
    const double distance2 = at[1] * at[1] + at[2] * at[2] + at[3] * at[3];
    if (!(distance2 <= 1))
        return;
    if (distance2 < n->least2) {
        n->least2 = distance2;
        n->nearest = row;
    }
    if (n->count < MOST_NEIGHBOURS) {
        n->row[n->count] = row;
        memcpy(n->at[n->count], at, sizeof n->at[0]);
    }
    n->count++;
}

static void add_bucket(const vt_simulation *s, const vt_partition *p, const uint8_t *mask,
                       int64_t row, int64_t bucket, neighbours *n)
{
    const float *const x = s->vortons.position;
    for (uint32_t t = p->start[bucket]; t < p->start[bucket + 1]; t++) {
        const int64_t other = p->order[t];
        double at[4] = {1, 0, 0, 0};
        if (mask[other])
            continue;
        for (int a = 0; a < 3; a++)
            at[a + 1] = ((double)x[3 * other + a] - (double)x[3 * row + a]) / p->side;
        add_neighbour(n, (uint32_t)other, at);
    }
}

static void find_neighbours(const vt_simulation *s, const vt_partition *p, const uint8_t *mask,
                            int64_t row, neighbours *n)
{
    int64_t cell[3];
    n->count = 0;
    n->least2 = 2;
    for (int a = 0; a < 3; a++)
        cell[a] = vti_partition_index(p, a, (double)s->vortons.position[3 * row + a]);
    for (int d = 0; d < 27; d++) {
        const int64_t step[3] = {d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1};
        int64_t bucket = 0;
        for (int a = 2; a >= 0; a--)
            bucket = bucket * p->cells[a] + (cell[a] + step[a] + p->cells[a]) % p->cells[a];
        add_bucket(s, p, mask, row, bucket, n);
    }
}

/* Solves the symmetric system m x = (1, 0, 0, 0) by elimination; 0 when it is close to singular. */
static int solve(double m[4][4], double x[4])
{
    double b[4] = {1, 0, 0, 0};
    for (int k = 0; k < 4; k++) {
        if (!(m[k][k] > 1e-3))
            return 0;
        for (int r = k + 1; r < 4; r++) {
            const double factor = m[r][k] / m[k][k];
            for (int c = k; c < 4; c++)
                m[r][c] -= factor * m[k][c];
            b[r] -= factor * b[k];
        }
    }
    for (int k = 3; k >= 0; k--) {
        x[k] = b[k];
        for (int c = k + 1; c < 4; c++)
            x[k] -= m[k][c] * x[c];
        x[k] /= m[k][k];
    }
    return 1;
}

/* Shares of the listed neighbours; 0 where all should go to the nearest. */
static int find_shares(const neighbours *n, double share[MOST_NEIGHBOURS])
{
    double m[4][4] = {{0}}, x[4];
    if (n->count > MOST_NEIGHBOURS)
        return 0;
    for (int64_t j = 0; j < n->count; j++)
        for (int r = 0; r < 4; r++)
            for (int c = 0; c < 4; c++)
                m[r][c] += n->at[j][r] * n->at[j][c];
    int fits = solve(m, x);
    for (int64_t j = 0; fits && j < n->count; j++) {
        share[j] = 0;
        for (int r = 0; r < 4; r++)
            share[j] += n->at[j][r] * x[r];
        fits = fabs(share[j]) <= 1;
    }
    return fits;
}

static void give_share(vt_simulation *s, int64_t from, int64_t to, double share)
{
    float *const strength = s->vortons.strength;
    for (int a = 0; a < 3; a++)
        strength[3 * to + a] += (float)(share * (double)strength[3 * from + a]);
}

static void give(vt_simulation *s, int64_t row, const neighbours *n)
{
    double share[MOST_NEIGHBOURS];
    if (!find_shares(n, share)) {
        give_share(s, row, n->nearest, 1);
        return;
    }
    for (int64_t j = 0; j < n->count; j++)
        give_share(s, row, n->row[j], share[j]);
}

/* Rows whose mask is WAITING give to those within reach and are GONE; how many find nobody. */
static int64_t redistribute_within(vt_simulation *s, double reach, const vt_extent *content,
                                   uint8_t *mask)
{
    const vt_vortons *const v = &s->vortons;
    const size_t mark = vti_arena_mark(&s->arena);
    int64_t alone = 0;
    vt_partition cells;
    neighbours n;
    vti_make_partition(&cells, reach, 1, content->least, content->most, v->set.count, v->position,
                       &s->arena, s->def.threads);
    for (int64_t i = 0; i < v->set.count; i++) {
        if (mask[i] != WAITING)
            continue;
        find_neighbours(s, &cells, mask, i, &n);
        if (n.count > 0) {
            give(s, i, &n);
            mask[i] = GONE;
        }
        alone += n.count == 0;
    }
    vti_arena_pop(&s->arena, mark);
    return alone;
}

void vti_redistribute(vt_simulation *s, double reach, uint8_t *mask)
{
    const int64_t count = s->vortons.set.count;
    vt_extent content;
    if (memchr(mask, WAITING, (size_t)count) == NULL || vti_find_extent(s, NULL, &content))
        return;
    for (int pass = 0; pass < PASSES && redistribute_within(s, reach, &content, mask) > 0; pass++)
        reach *= 4;
    for (int64_t i = 0; i < count; i++)
        mask[i] = mask[i] == GONE;
    vti_remove_rows(s, VT_VORTONS, mask);
}
