#include "population/split_merge.h"

#include "base/status.h"
#include "field/extent.h"
#include "field/solve.h"
#include "population/thermal_expansion.h"
#include "state/distance_to_bodies.h"
#include "state/particles.h"
#include "state/predicates.h"

enum { BLOCK = 8192, BUCKETS = 1024 };

static double strength_of(const vt_vortons *v, int64_t row)
{
    return vti_length_of(v->strength + 3 * row);
}

/* ---- splitting ---- */

/* Volume from which on a vorton that expanded is halved, in cells of the grid and in its own at
 * birth: it leaves nodes between it and its neighbours without any, which are taken for ambient
 * fluid, but nothing gets finer than it was made. With 1.2 fluid that grows tenfold
 * gets gaps (tests/test_expansion.py). */
static const double widest = 1.7;

static int is_long(const vt_simulation *s, int64_t row)
{
    if (!(s->def.method.split > 0))
        return 0;
    const double born = (double)s->vortons.birth_strength[row];
    return born > 0 && strength_of(&s->vortons, row) > s->def.method.split * born;
}

/* What the vortons that split have in common. */
typedef struct splitting {
    const float *birth_volume; /* NULL: nothing expands */
    double most_volume;        /* m^3 */
} splitting;

static splitting splitting_of(const vt_simulation *s)
{
    const double h = vti_grid_spacing(s);
    const float *const birth = vti_used_column(&s->vortons.set, VT_VORTON_birth_volume);
    return (splitting){vti_expands(s) ? birth : NULL, widest * h * h * h};
}

static int is_wide(const vt_simulation *s, const splitting *by, int64_t row)
{
    if (!by->birth_volume || !(by->birth_volume[row] > 0))
        return 0;
    const double volume = (double)s->vortons.volume[row];
    return volume > by->most_volume && volume > widest * (double)by->birth_volume[row];
}

static void load(const float *from, double to[3])
{
    for (int a = 0; a < 3; a++)
        to[a] = (double)from[a];
}

/* At the last field solve and at the one before. */
static vt_rate *rates_of(const vt_vortons *v, int64_t row)
{
    return (vt_rate *)v->past_rates + 2 * row;
}

/* From the vorton of the row to one of its halves: along the tube that grew long; of a wide one
 * along one axis, which that is its identity decides. */
static void find_way(const vt_simulation *s, int64_t row, double way[3])
{
    const vt_vortons *const v = &s->vortons;
    const double length = 0.25 * vti_cbrt((double)v->volume[row]);
    const int along = is_long(s, row);
    const double size = along ? strength_of(v, row) : 1;
    const double growth = along ? fmin(size / (double)v->birth_strength[row], 2) : 1;
    for (int a = 0; a < 3; a++) {
        const double part = along ? (double)v->strength[3 * row + a] : v->id[row] % 3 == a;
        way[a] = growth * length * part / size;
    }
    double position[3];
    load(v->position + 3 * row, position);
    if (vti_distance_at(s, position) <= growth * length) /* no half goes through a wall */
        way[0] = way[1] = way[2] = 0;
}

/* Halves the vorton of the row where it is; writes where the other half goes. */
static void halve(vt_simulation *s, int64_t row, float position[3])
{
    vt_vortons *const v = &s->vortons;
    double ways[3];
    find_way(s, row, ways);
    if (!is_long(s, row))
        v->birth_strength[row] /= 2;
    for (int a = 0; a < 3; a++) {
        const double way = ways[a];
        position[a] = (float)((double)v->position[3 * row + a] + way);
        v->position[3 * row + a] = (float)((double)v->position[3 * row + a] - way);
        v->strength[3 * row + a] /= 2;
    }
    v->volume[row] /= 2;
    v->bound_volume[row] /= 2;
    if (v->set.used[VT_VORTON_birth_volume] && v->birth_volume[row] > 0)
        v->birth_volume[row] = v->volume[row];
    if (v->set.used[VT_VORTON_swelling])
        v->swelling[row] /= 2;
    for (int n = 0; n < 2 && v->set.used[VT_VORTON_past_rates]; n++)
        for (int a = 0; a < 4; a++)
            rates_of(v, row)[n].strength[a] /= 2;
}

static void copy_value(const vt_vortons *v, int column, int64_t to, int64_t from)
{
    float *const value = vti_used_column(&v->set, column);
    if (value)
        value[to] = value[from];
}

static void append_half(vt_simulation *s, int64_t row, const float position[3])
{
    vt_vortons *const v = &s->vortons;
    const int64_t half =
        vti_append_vortons(s, 1, position, v->strength + 3 * row, v->core + row, v->volume + row);
    memcpy(v->velocity + 3 * half, v->velocity + 3 * row, 12);
    v->bound_volume[half] = v->bound_volume[row];
    v->age[half] = v->age[row];
    v->birth_strength[half] = v->birth_strength[row];
    if (v->set.used[VT_VORTON_acceleration])
        memcpy(v->acceleration + 3 * half, v->acceleration + 3 * row, 12);
    if (v->set.used[VT_VORTON_past_rates])
        memcpy(v->past_rates + 16 * half, v->past_rates + 16 * row, 64);
    v->flags[half] = v->flags[row]; /* panels shed into one of them: `panel` stays 0 */
    copy_value(v, VT_VORTON_lifetime, half, row);
    copy_value(v, VT_VORTON_swelling, half, row);
    copy_value(v, VT_VORTON_volume_temperature, half, row);
    copy_value(v, VT_VORTON_birth_volume, half, row);
    copy_value(v, VT_VORTON_mixture, half, row);
    for (int c = 0; c < VT_COMPOSITION_COLUMNS; c++)
        copy_value(v, vti_composition_column[c], half, row);
}

typedef struct split_job {
    const vt_simulation *simulation;
    splitting by;
    uint8_t *mask;
    int64_t *wanted; /* of each block */
} split_job;

static void mark_split(void *data, int64_t begin, int64_t end)
{
    const split_job *const job = data;
    int64_t wanted = 0;
    for (int64_t i = begin; i < end; i++) {
        job->mask[i] = is_long(job->simulation, i) || is_wide(job->simulation, &job->by, i);
        wanted += job->mask[i];
    }
    job->wanted[begin / BLOCK] = wanted;
}

static vt_status no_capacity_to_split(const vt_simulation *s, int64_t wanted)
{
    const vt_set *const set = &s->vortons.set;
    return vti_fail(VT_OVER_CAPACITY,
                    "%lld vortons that split do not fit: %lld of max_vortons %lld%s are alive; "
                    "raise max_vortons, choose another at_capacity, a larger method.split or a "
                    "smaller method.expansion",
                    (long long)wanted, (long long)set->count, (long long)set->capacity,
                    vti_whose_room(s, VT_VORTONS));
}

vt_status vti_split_vortons(vt_simulation *s, int64_t reserved)
{
    vt_vortons *const v = &s->vortons;
    const int64_t count = v->set.count, room = v->set.capacity - count - reserved;
    const int64_t blocks = (count + BLOCK - 1) / BLOCK;
    const size_t mark = vti_arena_mark(&s->arena);
    split_job job = {s, splitting_of(s), vti_arena_push(&s->arena, (size_t)count),
                     vti_arena_push(&s->arena, sizeof(int64_t) * (size_t)(blocks + 1))};
    vt_status status = VT_OK;
    int64_t wanted = 0;
    vti_parallel_for(s->def.threads, count, BLOCK, mark_split, &job);
    for (int64_t b = 0; b < blocks; b++)
        wanted += job.wanted[b];
    if (wanted > room && s->def.at_capacity == VT_AT_CAPACITY_ERROR)
        status = no_capacity_to_split(s, wanted);
    for (int64_t i = 0; !status && wanted > 0 && i < count && v->set.count - count < room; i++) {
        float position[3];
        if (!job.mask[i])
            continue;
        halve(s, i, position);
        v->id[i] = s->next_id[VT_VORTONS]++;
        append_half(s, i, position);
    }
    vti_arena_pop(&s->arena, mark);
    return status;
}

/* ---- merging ---- */

/* x: of the sum of the strengths, from the places of the two. */
static void place_sum(double at[2][3], double alpha[2][3], double x[3])
{
    const double size[2] = {sqrt(vti_dot(alpha[0], alpha[0])), sqrt(vti_dot(alpha[1], alpha[1]))};
    const double sum = size[0] + size[1], share = sum > 0 ? size[1] / sum : 0.5;
    double apart[3], total[3], uneven[3], turn[3], shift[3];
    for (int a = 0; a < 3; a++) {
        apart[a] = at[1][a] - at[0][a];
        total[a] = alpha[0][a] + alpha[1][a];
        uneven[a] = (1 - share) * alpha[1][a] - share * alpha[0][a];
        x[a] = at[0][a] + share * apart[a];
    }
    vti_cross(apart, uneven, turn);
    vti_cross(total, turn, shift);
    /* no farther than the two are from each other: strengths that cancel have no place */
    const double size2 = vti_dot(total, total);
    if (!(vti_dot(shift, shift) <= size2 * size2 * vti_dot(apart, apart)) || !(size2 > 0))
        return;
    for (int a = 0; a < 3; a++)
        x[a] += shift[a] / size2;
}

/* What two fluids have together, `share` of it that of the second. */
static void mix(const vt_vortons *v, int column, float share, int64_t into, int64_t from)
{
    float *const value = vti_used_column(&v->set, column);
    if (value)
        value[into] += share * (value[from] - value[into]);
}

/* The deviation of the density is one a volume, the rest belongs to the mass. */
static void mix_fluids(vt_simulation *s, int64_t into, int64_t from)
{
    const vt_vortons *const v = &s->vortons;
    const vt_fluid fluid = vti_fluid_of(&s->def);
    const float mass = vti_vorton_mass(&fluid, v->volume[into], vti_volume_temperature(v, into));
    const float other = vti_vorton_mass(&fluid, v->volume[from], vti_volume_temperature(v, from));
    const float by_mass = other / (mass + other);
    const float by_volume = v->volume[from] / (v->volume[into] + v->volume[from]);
    mix(v, VT_VORTON_volume_temperature, by_mass, into, from);
    mix(v, VT_VORTON_mixture, by_mass, into, from);
    for (int c = 0; c < VT_COMPOSITION_COLUMNS; c++) {
        const int column = vti_composition_column[c];
        mix(v, column, column == VT_VORTON_density ? by_volume : by_mass, into, from);
    }
}

/* Both must be neutral and bounded for what they become to be so; one of them is enough for a
 * newborn vortex. */
static uint32_t merge_flags(uint32_t into, uint32_t from)
{
    const uint32_t both = VT_FLAG_NEUTRAL | VT_FLAG_BOUND_KNOWN,
                   either =
                       VT_FLAG_NEWBORN_VORTEX | VT_FLAG_EMITTED | VT_FLAG_STIRRED | VT_FLAG_FED;
    const uint32_t own = ~(both | either);
    return (into & from & both) | ((into | from) & either) | (into & own);
}

/* The mean age, and the mean of what is left, by volume: what is merged goes no sooner and no later
 * than its parts would in the mean. */
static void mix_lives(vt_vortons *v, int64_t into, int64_t from)
{
    const float share = v->volume[from] / (v->volume[into] + v->volume[from]);
    v->age[into] += share * (v->age[from] - v->age[into]);
    if (!v->set.used[VT_VORTON_lifetime])
        return;
    float *const life = v->lifetime + into;
    if (isfinite(*life)) /* else it has no end, nor have both */
        *life += share * (v->lifetime[from] - *life);
}

/* Row `from` goes into row `into`. */
static void merge_rows(vt_simulation *s, int64_t into, int64_t from)
{
    vt_vortons *const v = &s->vortons;
    double at[2][3], alpha[2][3], x[3];
    const int64_t row[2] = {into, from};
    for (int n = 0; n < 2; n++) {
        load(v->position + 3 * row[n], at[n]);
        load(v->strength + 3 * row[n], alpha[n]);
    }
    place_sum(at, alpha, x);
    for (int a = 0; a < 3; a++) {
        v->position[3 * into + a] = (float)x[a];
        v->strength[3 * into + a] = (float)(alpha[0][a] + alpha[1][a]);
    }
    mix_fluids(s, into, from);
    mix_lives(v, into, from);
    v->bound_volume[into] += v->bound_volume[from];
    v->volume[into] += v->volume[from];
    v->birth_strength[into] += v->birth_strength[from];
    for (int n = 0; n < 2 && v->set.used[VT_VORTON_past_rates]; n++)
        for (int a = 0; a < 4; a++)
            rates_of(v, into)[n].strength[a] += rates_of(v, from)[n].strength[a];
    if (v->set.used[VT_VORTON_swelling])
        v->swelling[into] += v->swelling[from];
    if (v->set.used[VT_VORTON_birth_volume])
        v->birth_volume[into] += v->birth_volume[from];
    v->flags[into] = merge_flags(v->flags[into], v->flags[from]);
}

/* What one vorton may stand for after merging, over its share of a cell that holds as many as
 * there may be: two, and a little for rounding. */
static const double merged = 2.0001;

/* Which vortons merge. */
typedef struct merging {
    uint32_t flags; /* of which they have one; 0: all vortons */
    int32_t most;   /* in a cell */
    double volume;  /* m^3, that one may stand for */
    uint8_t *mask;  /* of those that went into others */
    vt_fluid fluid; /* the ambient one */
    vt_simulation *simulation;
    const vt_partition *cells;
    uint32_t *row;    /* by bucket */
    uint32_t *grown;  /* rows that others went into, one after the other; those of a block of
                         buckets begin where its rows do */
    int64_t *growths; /* of each block */
} merging;

/* The members of one cell. */
typedef struct crowd {
    uint32_t *row;
    int64_t count;
} crowd;

static int64_t weakest_of(const vt_vortons *v, const crowd *c)
{
    int64_t weakest = 0;
    double least = strength_of(v, c->row[0]);
    for (int64_t n = 1; n < c->count; n++) {
        const double strength = strength_of(v, c->row[n]);
        weakest = strength < least ? n : weakest;
        least = strength < least ? strength : least;
    }
    return weakest;
}

/* Fluids of emitters that differ from the ambient one by more than this share of the larger
 * difference stay apart: what mixes them is the flow, and a floating ball came to rest a thirtieth
 * of its radius too high without. */
static const double alike = 0.25;

static int are_alike(const vt_simulation *s, const merging *by, int64_t row, int64_t other)
{
    const double contrast = vti_contrast_of(s, &by->fluid, row);
    const double beside = vti_contrast_of(s, &by->fluid, other);
    return !by->flags || fabs(contrast - beside) <= alike * fmax(contrast, beside);
}

/* Of those that the member may merge with: both together stand for no more than `most` (m^3), and
 * are no farther apart than that fluid is wide, which vortons of a filament soon are. */
static int64_t nearest_to(const vt_simulation *s, const crowd *c, int64_t member, const merging *by)
{
    const vt_vortons *const v = &s->vortons;
    double least = INFINITY;
    int64_t nearest = -1;
    for (int64_t n = 0; n < c->count; n++) {
        double square = 0;
        for (int a = 0; a < 3; a++) {
            const double d = (double)v->position[3 * (int64_t)c->row[n] + a] -
                             (double)v->position[3 * (int64_t)c->row[member] + a];
            square += d * d;
        }
        const double together = (double)v->volume[c->row[n]] + (double)v->volume[c->row[member]];
        if (n == member || !(square < least && together <= by->volume))
            continue;
        const double wide = vti_cbrt(together);
        if (square <= wide * wide && are_alike(s, by, c->row[member], c->row[n])) {
            least = square;
            nearest = n;
        }
    }
    return nearest;
}

/* Whether no wall is between two vortons or where they would be together, which is no farther from
 * the first than twice the second. */
static int is_free(const vt_simulation *s, int64_t into, int64_t from)
{
    double x[3], other[3];
    load(s->vortons.position + 3 * into, x);
    load(s->vortons.position + 3 * from, other);
    return s->bodies.count == 0 || vti_distance_at(s, x) > 2 * sqrt(vti_square_between(x, other));
}

/* `left` counts those that stay, whether they can merge or not. */
static void thin(crowd *c, const merging *by, uint32_t **grown)
{
    vt_simulation *const s = by->simulation;
    for (int64_t left = c->count; left > by->most && c->count > 1;) {
        const int64_t weakest = weakest_of(&s->vortons, c);
        const int64_t nearest = nearest_to(s, c, weakest, by);
        if (nearest >= 0 && is_free(s, c->row[nearest], c->row[weakest])) {
            merge_rows(s, c->row[nearest], c->row[weakest]);
            *(*grown)++ = c->row[nearest];
            by->mask[c->row[weakest]] = 1;
            left--;
        }
        c->row[weakest] = c->row[--c->count];
    }
}

/* The first member of the bucket and those of its cell, moved to the front. */
static crowd take_cell(const vt_vortons *v, const vt_partition *p, uint32_t *row, int64_t count)
{
    crowd c = {row, 0};
    const float *const first = v->position + 3 * (int64_t)row[0];
    for (int64_t n = 0; n < count; n++) {
        const float *const x = v->position + 3 * (int64_t)row[n];
        int same = 1;
        for (int a = 0; a < 3; a++)
            same &= vti_partition_index(p, a, (double)x[a]) ==
                    vti_partition_index(p, a, (double)first[a]);
        if (!same)
            continue;
        const uint32_t member = row[n];
        row[n] = row[c.count];
        row[c.count++] = member;
    }
    return c;
}

/* Of the members of a bucket those that have one of the flags, moved to the front in their order.
 */
static int64_t pick(const vt_vortons *v, uint32_t flags, uint32_t *row, int64_t count)
{
    int64_t picked = 0;
    for (int64_t n = 0; n < count; n++)
        if (!flags || v->flags[row[n]] & flags)
            row[picked++] = row[n];
    return picked;
}

static void thin_bucket(const merging *by, int64_t bucket, uint32_t **grown)
{
    const vt_vortons *const v = &by->simulation->vortons;
    const int64_t first = by->cells->start[bucket], end = by->cells->start[bucket + 1];
    uint32_t *const row = by->row + first;
    const int64_t picked = end - first > by->most ? pick(v, by->flags, row, end - first) : 0;
    if (picked <= by->most) /* nor are there more in any of its cells */
        return;
    for (int64_t at = 0; at < picked;) {
        crowd c = take_cell(v, by->cells, row + at, picked - at);
        at += c.count;
        thin(&c, by, grown);
    }
}

static void thin_buckets(void *data, int64_t begin, int64_t end)
{
    const merging *const by = data;
    uint32_t *const first = by->grown + by->cells->start[begin], *next = first;
    for (int64_t b = begin; b < end; b++)
        thin_bucket(by, b, &next);
    by->growths[begin / BUCKETS] = next - first;
}

/* Each vorton that another went into is a new one, in the order of the buckets. */
static void name_grown(const merging *by, int64_t buckets)
{
    vt_simulation *const s = by->simulation;
    for (int64_t b = 0; b < buckets; b += BUCKETS)
        for (int64_t n = 0; n < by->growths[b / BUCKETS]; n++)
            s->vortons.id[by->grown[by->cells->start[b] + n]] = s->next_id[VT_VORTONS]++;
}

void vti_merge_vortons(vt_simulation *s, uint32_t flags, int32_t most)
{
    const double side = vti_finest_core(s);
    const int64_t count = s->vortons.set.count;
    const size_t mark = vti_arena_mark(&s->arena);
    vt_extent content;
    vt_partition p;
    if (vti_find_extent(s, NULL, &content))
        return;
    if (vti_expands(s))
        vti_note_volumes(s);
    merging by = {.flags = flags,
                  .most = most,
                  .volume = merged * side * side * side / most,
                  .mask = vti_arena_push(&s->arena, (size_t)count),
                  .fluid = vti_fluid_of(&s->def),
                  .simulation = s,
                  .cells = &p,
                  .row = vti_arena_push(&s->arena, sizeof *by.row * (size_t)count),
                  .grown = vti_arena_push(&s->arena, sizeof *by.grown * (size_t)count)};
    vti_make_partition(&p, side, 1, content.least, content.most, count, s->vortons.position,
                       &s->arena, s->def.threads);
    memset(by.mask, 0, (size_t)count);
    memcpy(by.row, p.order, sizeof *by.row * (size_t)count);
    const int64_t buckets = (int64_t)p.cells[0] * p.cells[1] * p.cells[2];
    by.growths =
        vti_arena_push(&s->arena, sizeof *by.growths * (size_t)((buckets + BUCKETS - 1) / BUCKETS));
    vti_parallel_for(s->def.threads, buckets, BUCKETS, thin_buckets, &by);
    name_grown(&by, buckets);
    const vt_heat_books heat = s->heat; /* those that merged have not taken any away */
    vti_remove_rows(s, VT_VORTONS, by.mask);
    s->heat = heat;
    vti_arena_pop(&s->arena, mark);
}
