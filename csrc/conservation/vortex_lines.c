#include "conservation/vortex_lines.h"

#include <stdlib.h>

#include "base/vec3.h"
#include "state/particles.h"
#include "state/predicates.h"

/* Pieces farther apart than this many cores are beads: the line is one no more. */
static const double most_apart = 2;

/* Share of a strength that may be off what the line says. Of pieces of a ring that is born with
 * waves of few pieces up to .7 is; one whose strength was taken away is a bead. */
static const double most_off = 0.9;

/* Share of the way to the middle between its neighbours that a piece goes along the line in a
 * substep: where pieces lie on it is nothing of the fluid, but where they crowd others are apart.
 */
static const double evened = 0.5;

/* Share of a zigzag from piece to piece, of which ways between neighbours say nothing, that goes in
 * a substep: by eighth differences, which take a sixteenth of that from waves of four pieces and a
 * two-thousandth from those of eight. */
static const double smoothed = 0.25;

/* Of the pieces over which strengths and ways are summed: at most MOST_PIECES, at least STRETCHES
 * in a line. A ring of wobble .1, whose strengths have waves of two pieces, had 1.05 of its
 * circulation and 1.09 of its energy piece by piece. */
enum { STRETCHES = 8, MOST_PIECES = 8 };

static const uint32_t line_flags =
    VT_FLAG_LINE | VT_FLAG_LINE_START | VT_FLAG_LINE_END | VT_FLAG_LINE_CLOSED;

/* ---- pieces ---- */

static float *place_of(const vt_simulation *s, const vt_lines *l, int64_t piece)
{
    return s->vortons.position + 3 * (int64_t)l->row[piece];
}

static float *strength_of(const vt_simulation *s, const vt_lines *l, int64_t piece)
{
    return s->vortons.strength + 3 * (int64_t)l->row[piece];
}

static int is_end(const vt_lines *l, int64_t piece)
{
    return l->before[piece] == piece || l->after[piece] == piece;
}

/* Half of the way from the piece before to the one after; at an end that to the only one. */
static void find_way(const vt_simulation *s, const vt_lines *l, int64_t piece, double way[3])
{
    const float *const before = place_of(s, l, l->before[piece]);
    const float *const after = place_of(s, l, l->after[piece]);
    for (int a = 0; a < 3; a++)
        way[a] = (is_end(l, piece) ? 1 : 0.5) * ((double)after[a] - (double)before[a]);
}

/* ---- which there are ---- */

/* Whether lines move with the fluid, and nothing else makes vorticity. */
static int are_material(const vt_simulation *s)
{
    const vt_method *const m = &s->def.method;
    return m->stretching == VT_STRETCHING_TRANSPOSE && m->stretching_factor == 1 &&
           s->bodies.count == 0 && !vti_is_buoyant(s) && !vti_diffuses(s) && !vti_expands(s) &&
           !vti_has_forces_on(s, VT_FORCE_ON_FLUID);
}

static int64_t count_members(const vt_vortons *v, int64_t rows)
{
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++)
        count += (v->flags[i] & VT_FLAG_LINE) != 0;
    return count;
}

/* Those of all lines in the order of their ids. */
static void list_members(const vt_vortons *v, int64_t rows, int64_t count, vt_id_of_row *list)
{
    int64_t n = 0;
    for (int64_t i = 0; i < rows; i++)
        if (v->flags[i] & VT_FLAG_LINE)
            list[n++] = (vt_id_of_row){v->id[i], i};
    qsort(list, (size_t)count, sizeof *list, vti_compare_ids);
}

/* How many members from the first on are one line, from its start to its end; 0: they are not. */
static int64_t length_of_line(const vt_vortons *v, const vt_id_of_row *first, int64_t count)
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

/* Appends the pieces of a line, which do not count yet. */
static void append_pieces(const vt_vortons *v, int64_t count, const vt_id_of_row *members,
                          vt_lines *l)
{
    const int64_t first = l->count, last = first + count - 1;
    const int closed = (v->flags[members->row] & VT_FLAG_LINE_CLOSED) != 0;
    for (int64_t n = 0; n < count; n++) {
        const int64_t piece = first + n;
        l->row[piece] = (uint32_t)members[n].row;
        l->before[piece] = (uint32_t)(n > 0 ? piece - 1 : closed ? last : piece);
        l->after[piece] = (uint32_t)(n < count - 1 ? piece + 1 : closed ? first : piece);
    }
}

/* The circulation of the line of the pieces from the last on, m^2/s: that by which its strengths
 * are in the mean those of the ways, both summed over stretches, for strengths follow waves of a
 * line that ways between neighbours miss. */
static double fit_circulation(const vt_simulation *s, const vt_lines *l, int64_t count)
{
    const int64_t end = l->count + count;
    const int64_t share = count / STRETCHES;
    const int64_t stretch = share < 1 ? 1 : share < MOST_PIECES ? share : MOST_PIECES;
    double along = 0, squares = 0;
    for (int64_t n = l->count; n < end;) {
        double ways[3] = {0}, strengths[3] = {0};
        for (int64_t last = n + stretch; n < end && n < last; n++) {
            double way[3], strength[3];
            find_way(s, l, n, way);
            vti_widen(strength_of(s, l, n), strength);
            vti_add_scaled(ways, 1, way);
            vti_add_scaled(strengths, 1, strength);
        }
        along += vti_dot(strengths, ways);
        squares += vti_dot(ways, ways);
    }
    return squares > 0 ? along / squares : 0;
}

/* The same; 0: its strengths are not those of a line. */
static double find_circulation(const vt_simulation *s, const vt_lines *l, int64_t count)
{
    const double circulation = fit_circulation(s, l, count), off = most_off * circulation;
    for (int64_t n = l->count; n < l->count + count; n++) {
        const double most = most_apart * (double)s->vortons.core[l->row[n]];
        double way[3], strength[3];
        find_way(s, l, n, way);
        vti_widen(strength_of(s, l, n), strength);
        vti_add_scaled(strength, -circulation, way);
        if (vti_dot(way, way) > most * most ||
            vti_dot(strength, strength) > off * off * vti_dot(way, way))
            return 0;
    }
    return circulation;
}

/* Adds so many times the sum of the strengths of the lines that are open. */
static void add_open(const vt_simulation *s, const vt_lines *l, double factor, double sum[3])
{
    int open = 0;
    for (int64_t n = 0; n < l->count; n++) {
        double strength[3];
        open |= l->before[n] == n;
        vti_widen(strength_of(s, l, n), strength);
        if (open)
            vti_add_scaled(sum, factor, strength);
        open &= l->after[n] != n;
    }
}

void vti_find_lines(vt_simulation *s, int64_t rows, vt_lines *l)
{
    vt_vortons *const v = &s->vortons;
    const int64_t all = count_members(v, rows);
    const size_t pieces = (size_t)all;
    *l = (vt_lines){0};
    if (all == 0)
        return;
    if (!are_material(s)) {
        for (int64_t i = 0; i < rows; i++)
            v->flags[i] &= ~line_flags;
        return;
    }
    l->row = vti_arena_push(&s->arena, sizeof *l->row * pieces);
    l->before = vti_arena_push(&s->arena, sizeof *l->before * pieces);
    l->after = vti_arena_push(&s->arena, sizeof *l->after * pieces);
    l->circulation = vti_arena_push(&s->arena, sizeof *l->circulation * pieces);
    vt_id_of_row *const members = vti_arena_push(&s->arena, sizeof *members * pieces);
    list_members(v, rows, all, members);
    for (int64_t at = 0, count; at < all; at += count) {
        double circulation = 0;
        count = length_of_line(v, members + at, all - at);
        if (count > 0) {
            append_pieces(v, count, members + at, l);
            circulation = find_circulation(s, l, count);
        } else {
            count = 1;
        }
        for (int64_t n = 0; n < count; n++)
            if (circulation == 0)
                v->flags[members[at + n].row] &= ~line_flags;
            else
                l->circulation[l->count++] = circulation;
    }
    add_open(s, l, -1, l->gain);
}

/* ---- their places ---- */

/* Adds how far a piece is to go along its line. */
static void add_evening(const vt_simulation *s, const vt_lines *l, int64_t piece, double shift[3])
{
    double here[3], before[3], after[3], way[3];
    if (is_end(l, piece))
        return;
    vti_widen(place_of(s, l, piece), here);
    vti_widen(place_of(s, l, l->before[piece]), before);
    vti_widen(place_of(s, l, l->after[piece]), after);
    find_way(s, l, piece, way);
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
            const double sides = value[l->before[n]][a] + value[l->after[n]][a];
            difference[n][a] = is_end(l, n) ? 0 : sides - 2 * value[n][a];
        }
    memcpy(value, difference, sizeof *value * (size_t)l->count);
}

void vti_space_lines(vt_simulation *s, const vt_lines *l)
{
    enum { TIMES = 4, OF_ZIGZAG = 1 << 2 * TIMES };
    const size_t mark = vti_arena_mark(&s->arena), bytes = 3 * sizeof(double) * (size_t)l->count;
    double (*const shift)[3] = vti_arena_push(&s->arena, bytes);
    double (*const room)[3] = vti_arena_push(&s->arena, bytes);
    for (int64_t n = 0; n < l->count; n++)
        vti_widen(place_of(s, l, n), shift[n]);
    for (int time = 0; time < TIMES && l->count > 0; time++)
        take_differences(l, shift, room);
    for (int64_t n = 0; n < l->count; n++) {
        for (int a = 0; a < 3; a++)
            shift[n][a] *= -smoothed / OF_ZIGZAG;
        add_evening(s, l, n, shift[n]);
    }
    for (int64_t n = 0; n < l->count; n++)
        for (int a = 0; a < 3; a++)
            place_of(s, l, n)[a] = (float)((double)place_of(s, l, n)[a] + shift[n][a]);
    vti_arena_pop(&s->arena, mark);
}

/* ---- their strengths ---- */

void vti_hold_lines(const vt_simulation *s, const vt_lines *l, int64_t count, vt_record *records)
{
    for (int64_t i = 0; i < count && l->count > 0; i++) {
        vt_record *const r = &records[i];
        if (s->vortons.flags[r->home] & VT_FLAG_LINE)
            r->strength[0] = r->strength[1] = r->strength[2] = r->volume = 0;
    }
}

void vti_turn_lines(vt_simulation *s, vt_lines *l)
{
    for (int64_t n = 0; n < l->count; n++) {
        double way[3];
        find_way(s, l, n, way);
        for (int a = 0; a < 3; a++)
            strength_of(s, l, n)[a] = (float)(l->circulation[n] * way[a]);
    }
    add_open(s, l, 1, l->gain);
}
