#include "conservation/vortex_lines.h"

#include <stdlib.h>

#include "state/particles.h"
#include "state/predicates.h"

/* Pieces farther apart than this many cores leave gaps: the line is one of vortons apart from each
 * other. */
static const double most_apart = 2;

/* By how much of itself a strength may differ from what the line says. */
static const double most_off = 0.5;

/* Share of the way to the middle between its neighbours that a piece goes along the line in a
 * substep: where pieces lie on a line is nothing of the fluid, but where they crowd others are
 * apart. */
static const double evened = 0.5;

/* Share of a zigzag from piece to piece, of which their neighbours' ways say nothing, that goes in
 * a substep: by eighth differences, which take a sixteenth of that from waves of four pieces and a
 * two-thousandth from those of eight. */
static const double smoothed = 0.25;

static const uint32_t line_flags =
    VT_FLAG_LINE | VT_FLAG_LINE_START | VT_FLAG_LINE_END | VT_FLAG_LINE_CLOSED;

/* ---- which there are ---- */

/* Whether lines move with the fluid, and nothing else makes vorticity. */
static int are_material(const vt_simulation *s)
{
    const vt_method *const m = &s->def.method;
    return m->stretching == VT_STRETCHING_TRANSPOSE && m->stretching_factor == 1 &&
           s->bodies.count == 0 && !vti_is_buoyant(s) && !vti_diffuses(s) && !vti_expands(s) &&
           !vti_has_forces_on(s, VT_FORCE_ON_FLUID);
}

/* A vorton that is a piece of a line. */
typedef struct member {
    int64_t id;
    uint32_t row;
} member;

static int compare_members(const void *a, const void *b)
{
    const int64_t one = ((const member *)a)->id, other = ((const member *)b)->id;
    return (one > other) - (one < other);
}

/* Those of all lines by their ids; returns how many. */
static int64_t list_members(vt_simulation *s, member **list)
{
    const vt_vortons *const v = &s->vortons;
    int64_t count = 0;
    for (int64_t i = 0; i < v->set.count; i++)
        count += (v->flags[i] & VT_FLAG_LINE) != 0;
    member *to = *list = vti_arena_push(&s->arena, sizeof **list * (size_t)count);
    for (int64_t i = 0; i < v->set.count && count > 0; i++)
        if (v->flags[i] & VT_FLAG_LINE)
            *to++ = (member){v->id[i], (uint32_t)i};
    if (count > 0)
        qsort(*list, (size_t)count, sizeof **list, compare_members);
    return count;
}

/* How many members from the first on are the pieces of one line, from end to end; 0: they are not.
 */
static int64_t length_of_line(const vt_vortons *v, const member *first, int64_t count)
{
    if (!(v->flags[first->row] & VT_FLAG_LINE_START))
        return 0;
    for (int64_t n = 1; n < count && first[n].id == first->id + n; n++) {
        if (v->flags[first[n].row] & VT_FLAG_LINE_START)
            return 0;
        if (v->flags[first[n].row] & VT_FLAG_LINE_END)
            return n + 1;
    }
    return 0;
}

/* ---- what it says ---- */

/* Half of the way from the piece before to the one after; at an end that to the only one. */
static void find_way(const vt_lines *l, int64_t piece, const float *const *at, double way[3])
{
    const uint32_t before = l->before[piece], after = l->after[piece];
    const double share = before == piece || after == piece ? 1 : 0.5;
    for (int a = 0; a < 3; a++)
        way[a] = share * ((double)at[after][a] - (double)at[before][a]);
}

static double squared(double x)
{
    return x * x;
}

/* The circulation of a line of members, m^2/s; 0: their strengths are not those of a line. */
static double circulation_of(const vt_simulation *s, const vt_lines *l, int64_t first,
                             int64_t count, const member *members, const float *const *at)
{
    const vt_vortons *const v = &s->vortons;
    double along = 0, squares = 0, off = 0;
    for (int64_t n = 0; n < count; n++) {
        double way[3], strength[3];
        find_way(l, first + n, at, way);
        vti_widen(v->strength + 3 * (int64_t)members[n].row, strength);
        along += vti_dot(strength, way);
        squares += vti_dot(way, way);
        if (vti_dot(way, way) > squared(most_apart * (double)v->core[members[n].row]))
            return 0;
    }
    const double circulation = squares > 0 ? along / squares : 0;
    for (int64_t n = 0; n < count; n++) {
        double way[3], strength[3];
        find_way(l, first + n, at, way);
        vti_widen(v->strength + 3 * (int64_t)members[n].row, strength);
        vti_add_scaled(strength, -circulation, way);
        off = fmax(off, vti_dot(strength, strength) -
                            squared(most_off * circulation) * vti_dot(way, way));
    }
    return off > 0 ? 0 : circulation;
}

/* Adds the pieces of a line, or lets its vortons go. */
static void add_line(vt_simulation *s, int64_t count, const member *members, const float **at,
                     vt_lines *l)
{
    vt_vortons *const v = &s->vortons;
    const int64_t first = l->count, last = first + count - 1;
    const int closed = (v->flags[members[0].row] & VT_FLAG_LINE_CLOSED) != 0;
    for (int64_t n = 0; n < count; n++) {
        const int64_t piece = first + n;
        l->id[piece] = members[n].id;
        l->before[piece] = (uint32_t)(n > 0 ? piece - 1 : closed ? last : piece);
        l->after[piece] = (uint32_t)(n < count - 1 ? piece + 1 : closed ? first : piece);
        at[piece] = v->position + 3 * (int64_t)members[n].row;
    }
    const double circulation = circulation_of(s, l, first, count, members, at);
    for (int64_t n = 0; n < count; n++)
        l->circulation[first + n] = circulation;
    if (circulation != 0)
        l->count += count;
    for (int64_t n = 0; n < count && circulation == 0; n++)
        v->flags[members[n].row] &= ~line_flags;
}

void vti_find_lines(vt_simulation *s, vt_lines *l)
{
    member *members;
    *l = (vt_lines){0};
    if (!are_material(s))
        return;
    const size_t mark = vti_arena_mark(&s->arena);
    const int64_t all = list_members(s, &members);
    if (all == 0) {
        vti_arena_pop(&s->arena, mark);
        return;
    }
    const size_t pieces = (size_t)all;
    l->id = vti_arena_push(&s->arena, sizeof *l->id * pieces);
    l->before = vti_arena_push(&s->arena, sizeof *l->before * pieces);
    l->after = vti_arena_push(&s->arena, sizeof *l->after * pieces);
    l->circulation = vti_arena_push(&s->arena, sizeof *l->circulation * pieces);
    const float **const at = vti_arena_push(&s->arena, sizeof *at * pieces);
    for (int64_t n = 0; n < all;) {
        const int64_t count = length_of_line(&s->vortons, members + n, all - n);
        if (count > 1)
            add_line(s, count, members + n, at, l);
        else
            s->vortons.flags[members[n].row] &= ~line_flags;
        n += count > 1 ? count : 1;
    }
}

/* ---- turning ---- */

/* Where the place and the strength of each piece are. */
typedef struct places {
    const vt_lines *lines;
    const vt_vortons *vortons;
    const float **at;
    float **strength;
    int64_t found;
} places;

static places open_places(vt_simulation *s, const vt_lines *l)
{
    const size_t bytes = sizeof(float *) * (size_t)l->count;
    return (places){.lines = l,
                    .vortons = &s->vortons,
                    .at = vti_arena_push(&s->arena, bytes),
                    .strength = vti_arena_push(&s->arena, bytes)};
}

static int compare_ids(const void *a, const void *b)
{
    const int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return (one > other) - (one < other);
}

/* Of the vorton of a row, if it is a piece. */
static void note_place(places *p, int64_t row, const float *at, float *strength)
{
    const vt_lines *const l = p->lines;
    const vt_vortons *const v = p->vortons;
    const int64_t *const id =
        v->flags[row] & VT_FLAG_LINE
            ? bsearch(&v->id[row], l->id, (size_t)l->count, sizeof *l->id, compare_ids)
            : NULL;
    if (!id)
        return;
    p->at[id - l->id] = at;
    p->strength[id - l->id] = strength;
    p->found++;
}

/* h: length of a unit of places, m. */
static void turn(const places *p, double h)
{
    const vt_lines *const l = p->lines;
    for (int64_t n = 0; n < l->count && p->found == l->count; n++) {
        double way[3];
        find_way(l, n, p->at, way);
        for (int a = 0; a < 3; a++)
            p->strength[n][a] = (float)(l->circulation[n] * h * way[a]);
    }
}

void vti_turn_line_records(vt_simulation *s, const vt_lines *l, double h, int64_t count,
                           vt_record *records)
{
    if (l->count == 0)
        return;
    const size_t mark = vti_arena_mark(&s->arena);
    places p = open_places(s, l);
    for (int64_t i = 0; i < count; i++)
        note_place(&p, records[i].home, records[i].position, records[i].strength);
    turn(&p, h);
    vti_arena_pop(&s->arena, mark);
}

static places find_columns(vt_simulation *s, const vt_lines *l)
{
    const vt_vortons *const v = &s->vortons;
    places p = open_places(s, l);
    for (int64_t i = 0; i < v->set.count; i++)
        note_place(&p, i, v->position + 3 * i, v->strength + 3 * i);
    return p;
}

void vti_turn_lines(vt_simulation *s, const vt_lines *l)
{
    if (l->count == 0)
        return;
    const size_t mark = vti_arena_mark(&s->arena);
    const places p = find_columns(s, l);
    turn(&p, 1);
    vti_arena_pop(&s->arena, mark);
}

/* Adds how far a piece is to go along its line. */
static void add_evening(const places *p, int64_t n, double shift[3])
{
    const vt_lines *const l = p->lines;
    double here[3], before[3], after[3], way[3];
    vti_widen(p->at[n], here);
    vti_widen(p->at[l->before[n]], before);
    vti_widen(p->at[l->after[n]], after);
    if (l->before[n] == n || l->after[n] == n)
        return;
    find_way(l, n, p->at, way);
    const double behind = vti_sqrt(vti_square_between(here, before));
    const double ahead = vti_sqrt(vti_square_between(here, after));
    if (vti_normalise(way) > 0)
        vti_add_scaled(shift, evened * (ahead - behind) / 2, way);
}

/* Second differences along the lines, in place of the values; 0 at ends. */
static void take_differences(const vt_lines *l, double (*value)[3], double (*difference)[3])
{
    for (int64_t n = 0; n < l->count; n++)
        for (int a = 0; a < 3; a++) {
            const int at_end = l->before[n] == n || l->after[n] == n;
            const double sides = value[l->before[n]][a] + value[l->after[n]][a];
            difference[n][a] = at_end ? 0 : sides - 2 * value[n][a];
        }
    memcpy(value, difference, sizeof *value * (size_t)l->count);
}

void vti_space_lines(vt_simulation *s, const vt_lines *l)
{
    enum { TIMES = 4 };
    if (l->count == 0)
        return;
    const size_t mark = vti_arena_mark(&s->arena), bytes = 3 * sizeof(double) * (size_t)l->count;
    const places p = find_columns(s, l);
    double (*const shift)[3] = vti_arena_push(&s->arena, bytes);
    double (*const room)[3] = vti_arena_push(&s->arena, bytes);
    for (int64_t n = 0; n < l->count && p.found == l->count; n++)
        vti_widen(p.at[n], shift[n]);
    for (int time = 0; time < TIMES && p.found == l->count; time++)
        take_differences(l, shift, room);
    for (int64_t n = 0; n < l->count && p.found == l->count; n++) {
        for (int a = 0; a < 3; a++)
            shift[n][a] *= -smoothed / (1 << 2 * TIMES);
        add_evening(&p, n, shift[n]);
    }
    for (int64_t n = 0; n < l->count && p.found == l->count; n++) {
        float *const at = s->vortons.position + (p.at[n] - s->vortons.position);
        for (int a = 0; a < 3; a++)
            at[a] = (float)((double)at[a] + shift[n][a]);
    }
    vti_arena_pop(&s->arena, mark);
}
