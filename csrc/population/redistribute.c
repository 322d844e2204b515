#include "population/redistribute.h"

#include "base/parallel.h"
#include "field/extent.h"
#include "state/particles.h"
#include "state/simulation.h"

enum { MOST_NEIGHBOURS = 128, PASSES = 7, AT_A_TIME = 256, BLOCK = 16 };
enum { WAITING = 1, GONE = 2 };

typedef struct neighbours {
    int64_t count; /* all of them; the first MOST_NEIGHBOURS are listed */
    uint32_t row[MOST_NEIGHBOURS], nearest;
    double at[MOST_NEIGHBOURS][4]; /* 1, then the offset in reaches */
    double least2;                 /* distance of the nearest, squared */
} neighbours;

/* Beyond this of a reach, squared, no rounding brings a neighbour within it. */
static const double surely_beyond = 1 + 1e-12;

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
    const double beyond2 = surely_beyond * p->side * p->side;
    for (uint32_t t = p->start[bucket]; t < p->start[bucket + 1]; t++) {
        const int64_t other = p->order[t];
        double way[3];
        for (int a = 0; a < 3; a++)
            way[a] = (double)x[3 * other + a] - (double)x[3 * row + a];
        if (mask[other] || vti_dot(way, way) > beyond2)
            continue;
        const double at[4] = {1, way[0] / p->side, way[1] / p->side, way[2] / p->side};
        add_neighbour(n, (uint32_t)other, at);
    }
}

static void find_neighbours(const vt_simulation *s, const vt_partition *p, const uint8_t *mask,
                            int64_t row, neighbours *n)
{
    int64_t bucket[3][3]; /* along each axis: below, here, above */
    n->count = 0;
    n->nearest = 0;
    n->least2 = 2;
    for (int a = 0; a < 3; a++) {
        const int64_t cells = p->cells[a];
        const int64_t here =
            vti_partition_index(p, a, (double)s->vortons.position[3 * row + a]) % cells;
        bucket[a][0] = here > 0 ? here - 1 : cells - 1;
        bucket[a][1] = here;
        bucket[a][2] = here < cells - 1 ? here + 1 : 0;
    }
    for (int d = 0; d < 27; d++)
        add_bucket(s, p, mask, row,
                   (bucket[2][d / 9] * p->cells[1] + bucket[1][d / 3 % 3]) * p->cells[0] +
                       bucket[0][d % 3],
                   n);
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
            for (int c = r; c < 4; c++)
                m[r][c] += n->at[j][r] * n->at[j][c];
    for (int r = 1; r < 4; r++)
        for (int c = 0; c < r; c++)
            m[r][c] = m[c][r];
    int fits = solve(m, x);
    for (int64_t j = 0; fits && j < n->count; j++) {
        share[j] = 0;
        for (int r = 0; r < 4; r++)
            share[j] += n->at[j][r] * x[r];
        fits = fabs(share[j]) <= 1;
    }
    return fits;
}

/* What one row gives, and to whom. */
typedef struct gift {
    int64_t count; /* 0: nobody is there */
    uint32_t row[MOST_NEIGHBOURS];
    double share[MOST_NEIGHBOURS];
} gift;

static void find_gift(const neighbours *n, gift *to)
{
    if (n->count > 0 && find_shares(n, to->share)) {
        to->count = n->count;
        memcpy(to->row, n->row, sizeof *n->row * (size_t)n->count);
        return;
    }
    to->count = n->count > 0;
    to->row[0] = n->nearest;
    to->share[0] = 1;
}

static void give(vt_simulation *s, int64_t from, const gift *to)
{
    float *const strength = s->vortons.strength;
    const double own[3] = {strength[3 * from], strength[3 * from + 1], strength[3 * from + 2]};
    for (int64_t j = 0; j < to->count; j++)
        for (int a = 0; a < 3; a++)
            strength[3 * (int64_t)to->row[j] + a] += (float)(to->share[j] * own[a]);
}

/* Some of the rows that wait. Those that take are others: what they are given changes nothing of
 * what the rest gives. */
typedef struct giving {
    const vt_simulation *simulation;
    const vt_partition *cells;
    const uint8_t *mask;
    uint32_t row[AT_A_TIME];
    gift *gift;
} giving;

static void find_gifts(void *data, int64_t begin, int64_t end)
{
    const giving *const g = data;
    neighbours n;
    for (int64_t i = begin; i < end; i++) {
        find_neighbours(g->simulation, g->cells, g->mask, g->row[i], &n);
        find_gift(&n, &g->gift[i]);
    }
}

/* The next of the rows from `row` on that wait; how many. */
static int64_t take_waiting(giving *g, int64_t *row)
{
    const int64_t count = g->simulation->vortons.set.count;
    int64_t taken = 0;
    while (taken < AT_A_TIME && (*row = vti_first_marked(g->mask, *row, count)) < count) {
        if (g->mask[*row] == WAITING)
            g->row[taken++] = (uint32_t)*row;
        ++*row;
    }
    return taken;
}

/* Rows whose mask is WAITING give to those within reach, in their order, and are GONE; how many
 * find nobody. */
static int64_t redistribute_within(vt_simulation *s, double reach, const vt_extent *content,
                                   uint8_t *mask)
{
    const vt_vortons *const v = &s->vortons;
    const size_t mark = vti_arena_mark(&s->arena);
    int64_t alone = 0, row = 0, taken;
    vt_partition cells;
    giving g = {.simulation = s, .cells = &cells, .mask = mask};
    g.gift = vti_arena_push(&s->arena, sizeof *g.gift * AT_A_TIME);
    vti_make_partition(&cells, reach, 1, content->least, content->most, v->set.count, v->position,
                       &s->arena, s->def.threads);
    while ((taken = take_waiting(&g, &row)) > 0) {
        vti_parallel_for(s->def.threads, taken, BLOCK, find_gifts, &g);
        for (int64_t i = 0; i < taken; i++) {
            give(s, g.row[i], &g.gift[i]);
            if (g.gift[i].count > 0)
                mask[g.row[i]] = GONE;
            alone += g.gift[i].count == 0;
        }
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
