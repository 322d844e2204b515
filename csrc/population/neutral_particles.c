/* Neutral vortons around those that carry strength, because strength diffuses only to where vortons
 * are, around fluid that differs in density, because buoyancy makes half of its vorticity in the
 * ambient fluid beside it, around bodies that exchange heat, for something to take it up, and
 * where forces act on the fluid, whose vorticity needs something to carry it.
 *
 * The places are the nodes of a lattice, fixed in the world, kept in bricks of 8 x 8 x 8 wherever
 * there are such vortons, or a body is near: the sources. It is nearly as wide as a grid cell, so
 * that every node of the grid gets some, or, where strength diffuses, as the vortons are apart, if
 * that is more.
 * Vortons fill the nodes around them with their volume (trilinear), and so do walls; a node near
 * strength that is not full gets a vorton of what is missing, a little towards where it is missing.
 */

#include "population/neutral_particles.h"

#include "base/status.h"
#include "panels/grid_request.h"
#include "field/solve.h"
#include "population/neutral_beside_bodies.h"
#include "population/neutral_in_forces.h"
#include "population/newborn_fluid.h"
#include "population/redistribute.h"
#include "population/source_bricks.h"
#include "state/distance_to_bodies.h"
#include "state/heat_budget.h"
#include "state/particles.h"
#include "state/predicates.h"

enum { EDGE = VT_BRICK_EDGE, BLOCK = 2048, BRICK_BLOCK = 4, FEW = 64 };

/* A vorton carries strength from this fraction of the mean vorticity on: with a hundredth the
 * Gaussian tail beyond has a thousandth of the strength, and the halo is a third of what it would
 * be with a thousandth. */
static const double least_vorticity = 1e-2;

/* Fluid differs from the ambient one from this fraction of the mean contrast on. What diffusion or
 * a way up through layers of other temperatures leaves around a fire would else get neutral vortons
 * of its own, and these others, without end: 210 000 instead of 21 000. A patch of a tenth of the
 * mean contrast still rises as it should, to 1 %; one of less than this fraction has what vortons
 * it has. */
static const double least_contrast = 1e-2;

/* What a node lacks beside others that are full lies on the far side, so far (in spacings, by how
 * full the node is): the hat of a node, cut by a plane, has what is beyond it there. In the node
 * itself ambient fluid would thin what differs, up to 5 % of the weight of a ball of 6 cells; with
 * .6 a ball of 4 does not get its weight as impulse, to 2 % (tests/test_buoyancy.py). */
static const double far_side = 0.3;

/* Of the lattice where nothing diffuses, in cells of the grid. */
static const double cells_apart = 0.94;

/* Where things diffuse farther than that in a substep, the lattice is as wide as they do, up to so
 * many cells: two cores of the grid, with ripples of 1 % between them. Not where density matters,
 * which nodes without vortons do not know. */
static const double most_apart = 3;

/* ---- sources ---- */

vt_content_rows vti_content_rows(const vt_vortons *v)
{
    return (vt_content_rows){.position = v->position,
                             .strength = v->strength,
                             .volume = v->volume,
                             .density = vti_used_column(&v->set, VT_VORTON_density),
                             .temperature = vti_used_column(&v->set, VT_VORTON_temperature),
                             .fuel = vti_used_column(&v->set, VT_VORTON_fuel),
                             .flame = vti_used_column(&v->set, VT_VORTON_flame)};
}

static void find_parts(const vt_shell *h)
{
    const vt_simulation *const s = h->simulation;
    const vt_content_rows rows = vti_content_rows(&s->vortons);
    const vt_content_limits limits = {.vorticity = h->vorticity,
                                      .contrast = h->least,
                                      .burning = vt_least_share,
                                      .warmth = (float)VT_LEAST_CONTRAST,
                                      .strength_counts = h->strength,
                                      .contrast_counts = h->contrast};
    s->stages->find_content(h->count, &rows, &h->fluid, &limits, h->part, s->def.threads);
}

/* The range of the nodes of a brick that hold sources, from which all that is near is reached. */
static void find_span(const vt_brick *b, int32_t low[3], int32_t high[3])
{
    for (int a = 0; a < 3; a++) {
        low[a] = EDGE;
        high[a] = -1;
    }
    for (int32_t row = 0; row < EDGE * EDGE; row++)
        for (int32_t x = 0; b->source[row] && x < EDGE; x++) {
            const int32_t node[3] = {x, row % EDGE, row / EDGE};
            for (int a = 0; a < 3 && b->source[row] >> x & 1; a++) {
                low[a] = node[a] < low[a] ? node[a] : low[a];
                high[a] = node[a] > high[a] ? node[a] : high[a];
            }
        }
}

/* Bricks for all that is near the sources of a brick. */
static int surround(vt_shell *h, const vt_brick *b)
{
    int32_t at[3], low[3], high[3];
    vt_brick_hints hints = {{NULL}};
    find_span(b, low, high);
    for (int a = 0; a < 3; a++) {
        low[a] += b->at[a] * EDGE - h->kept - 1;
        high[a] += b->at[a] * EDGE + h->kept + 1;
    }
    vti_brick_of(low, low);
    vti_brick_of(high, high);
    for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
        for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
            for (at[0] = low[0]; at[0] <= high[0]; at[0]++)
                if (!vti_need_brick(&h->lattice, at, b->core, b->lifetime, &hints))
                    return 0;
    return 1;
}

/* Whether what does not fit is an error. */
static int refuses(const vt_simulation *s, const vt_shell_wish *wish)
{
    return s->def.at_capacity == VT_AT_CAPACITY_ERROR && !wish->yields;
}

static vt_status make_bricks(vt_shell *h, const vt_shell_wish *wish)
{
    vt_simulation *const s = h->simulation;
    int room = vti_mark_sources(h) && vti_mark_bodies(s, &h->lattice);
    const vt_status status =
        room ? vti_mark_forces(s, wish->reserved, refuses(s, wish), &h->lattice) : VT_OUT_OF_MEMORY;
    if (status == VT_OVER_CAPACITY)
        return status;
    room = !status;
    const int64_t with_sources = h->lattice.bricks;
    for (const vt_brick *b = h->lattice.first; room && b && b->number < with_sources; b = b->next)
        room = surround(h, b);
    if (room)
        h->bricks = vti_list_bricks(&h->lattice);
    return room ? VT_OK
                : vti_fail(VT_OUT_OF_MEMORY, "no memory for the halo of %lld vortons",
                           (long long)h->count);
}

/* ---- near the sources ---- */

enum { WIDE = 3 * EDGE }; /* a brick and its neighbours */
typedef uint32_t wide_bits[WIDE][WIDE];

static void gather_sources(const vt_shell_lattice *l, const vt_brick *b, wide_bits rows)
{
    vt_brick_hints hints = {{NULL}};
    memset(rows, 0, sizeof(wide_bits));
    for (int n = 0; n < 27; n++) {
        const int side[3] = {n % 3, n / 3 % 3, n / 9};
        const int32_t at[3] = {b->at[0] + side[0] - 1, b->at[1] + side[1] - 1,
                               b->at[2] + side[2] - 1};
        const vt_brick *const other = vti_find_brick(l, at, &hints);
        for (int z = 0; other && z < EDGE; z++)
            for (int y = 0; y < EDGE; y++)
                rows[side[2] * EDGE + z][side[1] * EDGE + y] |=
                    (uint32_t)other->source[z * EDGE + y] << (side[0] * EDGE);
    }
}

/* One node farther: along the axes and in their planes, not along the diagonals of space, so that
 * repeated it comes close to a ball. Of the rows those no farther than `margin` from the middle. */
static void widen(wide_bits rows, int margin)
{
    const int low = EDGE - margin, high = 2 * EDGE + margin;
    wide_bits before;
    memcpy(before, rows, sizeof before);
    for (int z = low; z < high; z++)
        for (int y = low; y < high; y++) {
            const uint32_t here = before[z][y];
            const uint32_t beside =
                before[z - 1][y] | before[z + 1][y] | before[z][y - 1] | before[z][y + 1];
            const uint32_t across = before[z - 1][y - 1] | before[z - 1][y + 1] |
                                    before[z + 1][y - 1] | before[z + 1][y + 1];
            const uint32_t along = here | beside;
            rows[z][y] = along | along << 1 | along >> 1 | across;
        }
}

static void keep_middle(const wide_bits rows, vt_node_bits kept)
{
    for (int z = 0; z < EDGE; z++)
        for (int y = 0; y < EDGE; y++)
            kept[z * EDGE + y] = (uint8_t)(rows[EDGE + z][EDGE + y] >> EDGE);
}

static void find_near(void *data, int64_t begin, int64_t end)
{
    const vt_shell *const h = data;
    for (int64_t n = begin; n < end; n++) {
        vt_brick *const b = h->bricks[n];
        wide_bits rows;
        gather_sources(&h->lattice, b, rows);
        for (int32_t w = 0; w < h->width; w++)
            widen(rows, h->kept - w);
        keep_middle((const uint32_t (*)[WIDE])rows, b->near);
        for (int32_t w = h->width; w <= h->kept; w++)
            widen(rows, h->kept - w);
        keep_middle((const uint32_t (*)[WIDE])rows, b->wide);
    }
}

/* ---- births ---- */

typedef struct newborn {
    const vt_shell *halo;
    int64_t room;
    float *position, *strength, *core, *volume, *lifetime;
} newborn;

/* Volume in the next node on a side, as a share of a node. */
static float fill_beside(const vt_shell *h, const vt_brick *b, int n, int side,
                         vt_brick_hints *hints)
{
    static const int stride[3] = {1, EDGE, EDGE * EDGE};
    const int axis = side / 2, up = side % 2, place = n / stride[axis] % EDGE;
    if (place != (up ? EDGE - 1 : 0))
        return b->fill[up ? n + stride[axis] : n - stride[axis]];
    int32_t at[3] = {b->at[0], b->at[1], b->at[2]};
    at[axis] += up ? 1 : -1;
    const vt_brick *const next = vti_find_brick(&h->lattice, at, hints);
    return next ? next->fill[n + (up ? 1 - EDGE : EDGE - 1) * stride[axis]] : 0;
}

/* Whether what a node lacks lies within fluid. Where nothing has to diffuse to it, it stays so:
 * ambient fluid in it would only thin what differs (vortons strewn by a quarter of their spacing
 * lost 2 % of their weight), and in a container set off a flow. With .05 and with .6 for
 * VT_EMPTY_FILL balls of 6 cells do not get their weight as impulse, to 2 %
 * (tests/test_buoyancy.py). */
static int is_gap(const vt_shell *h, const vt_brick *b, int n, vt_brick_hints *hints)
{
    int gap = !h->strength && b->fill[n] > VT_EMPTY_FILL;
    for (int side = 0; gap && side < 6; side++)
        gap = fill_beside(h, b, n, side, hints) > VT_EMPTY_FILL;
    return gap;
}

static void add_walls(void *data, int64_t begin, int64_t end)
{
    const vt_shell *const h = data;
    for (int64_t i = begin; i < end; i++)
        vti_fill_with_walls(h->simulation, h->pose, &h->lattice, h->bricks[i]);
}

static void count_in_brick(const vt_shell *h, vt_brick *b, vt_brick_hints *hints)
{
    for (int row = 0; row < EDGE * EDGE; row++) {
        const float *const fill = b->fill + row * EDGE;
        uint32_t lacks = 0;
        if (!b->near[row])
            continue;
        for (int x = 0; x < EDGE; x++)
            lacks |= (uint32_t)(fill[x] < VT_LEAST_FILL) << x;
        for (lacks &= b->near[row]; lacks; lacks &= lacks - 1) {
            const int x = __builtin_ctz(lacks);
            const int missing = !is_gap(h, b, row * EDGE + x, hints);
            b->missing += missing;
            b->born[row] |= (uint8_t)(missing << x);
        }
    }
}

static void count_missing(void *data, int64_t begin, int64_t end)
{
    const vt_shell *const h = data;
    vt_brick_hints hints = {{NULL}};
    for (int64_t i = begin; i < end; i++)
        count_in_brick(h, h->bricks[i], &hints);
}

/* The number of those to be born; `missing` of a brick becomes the first of its own. */
static int64_t number_missing(const vt_shell *h)
{
    int64_t count = 0;
    for (vt_brick *b = h->lattice.first; b; b = b->next) {
        const int64_t here = b->missing;
        b->missing = count;
        count += here;
    }
    return count;
}

/* From a node to where what it lacks is, in spacings. */
static void find_far_side(const vt_shell *h, const vt_brick *b, int n, vt_brick_hints *hints,
                          double way[3])
{
    const double least = 0.3; /* below, nothing says where */
    double square = 0;
    for (int a = 0; a < 3; a++) {
        way[a] = 0.5 * ((double)fill_beside(h, b, n, 2 * a, hints) -
                        (double)fill_beside(h, b, n, 2 * a + 1, hints));
        square += way[a] * way[a];
    }
    const double length = square > least * least ? sqrt(square) : least;
    for (int a = 0; a < 3; a++)
        way[a] *= far_side * (double)b->fill[n] / length;
}

static void emit_at(const newborn *born, const vt_brick *b, int n, vt_brick_hints *hints, int64_t i)
{
    const double spacing = born->halo->lattice.spacing;
    double position[3], way[3];
    vti_place_node(&born->halo->lattice, b, n, position);
    find_far_side(born->halo, b, n, hints, way);
    for (int a = 0; a < 3; a++) {
        born->position[3 * i + a] = (float)(position[a] + spacing * way[a]);
        born->strength[3 * i + a] = 0;
    }
    born->core[i] = b->core;
    born->lifetime[i] = b->lifetime;
    born->volume[i] = (float)(spacing * spacing * spacing * (1 - (double)b->fill[n]));
}

static void fill_missing(void *data, int64_t begin, int64_t end)
{
    const newborn *const born = data;
    vt_brick_hints hints = {{NULL}};
    for (int64_t k = begin; k < end; k++) {
        const vt_brick *const b = born->halo->bricks[k];
        int64_t next = b->missing;
        for (int row = 0; row < EDGE * EDGE; row++)
            for (uint32_t left = b->born[row]; left && next < born->room; left &= left - 1)
                emit_at(born, b, row * EDGE + __builtin_ctz(left), &hints, next++);
    }
}

static vt_status emit_missing(vt_shell *h, const vt_shell_wish *wish)
{
    vt_simulation *const s = h->simulation;
    const int threads = s->def.threads;
    if (s->bodies.count > 0)
        h->pose = vti_poses_at(s, s->time);
    if (s->bodies.count > 0)
        vti_parallel_for(threads, h->lattice.bricks, BRICK_BLOCK, add_walls, (void *)h);
    vti_parallel_for(threads, h->lattice.bricks, BRICK_BLOCK, count_missing, (void *)h);
    const int64_t missing = number_missing(h);
    const int64_t room = s->vortons.set.capacity - s->vortons.set.count - wish->reserved;
    if (missing > room && refuses(s, wish))
        return vti_fail(
            VT_OVER_CAPACITY,
            "%lld more vortons, %s, do not fit: %lld of max_vortons %lld%s are alive; raise "
            "max_vortons, choose another at_capacity, wider cores (the narrowest, of %.2g m, say "
            "how close they lie) or a smaller method.halo",
            (long long)missing,
            h->strength ? "for strength to diffuse to"
                        : "neutral ones around others, warm bodies and in forces",
            (long long)s->vortons.set.count, (long long)s->vortons.set.capacity,
            vti_whose_room(s, VT_VORTONS),
            s->smallest_core > 0 ? s->smallest_core : vti_core_of_neutral(s));
    const size_t rows = (size_t)(missing < room ? missing : room > 0 ? room : 0);
    newborn born = {.halo = h,
                    .room = (int64_t)rows,
                    .position = vti_arena_push(&s->arena, 12 * rows),
                    .strength = vti_arena_push(&s->arena, 12 * rows),
                    .core = vti_arena_push(&s->arena, 4 * rows),
                    .volume = vti_arena_push(&s->arena, 4 * rows),
                    .lifetime = vti_arena_push(&s->arena, 4 * rows)};
    vti_parallel_for(threads, h->lattice.bricks, BRICK_BLOCK, fill_missing, &born);
    const int64_t first =
        vti_append_vortons(s, born.room, born.position, born.strength, born.core, born.volume);
    for (int64_t i = 0; i < born.room; i++)
        s->vortons.flags[first + i] |= VT_FLAG_NEUTRAL;
    if (s->vortons.set.used[VT_VORTON_lifetime])
        memcpy(s->vortons.lifetime + first, born.lifetime, 4 * rows);
    vti_count_heat(s, first, born.room, NULL, 1);
    return VT_OK;
}

/* ---- deaths ---- */

typedef struct leaving {
    const vt_shell *halo;
    uint8_t *mask;
} leaving;

static void find_some_idle(const leaving *l, int64_t first, int64_t count, vt_brick_hints *hints)
{
    const vt_shell *const h = l->halo;
    const vt_vortons *const v = &h->simulation->vortons;
    vt_lattice_nodes nodes;
    vti_find_lattice_nodes(&h->lattice, count, v->position + 3 * first, 0.5, &nodes);
    for (int64_t i = 0; i < count; i++) {
        const int32_t node[3] = {nodes.node[0][i], nodes.node[1][i], nodes.node[2][i]};
        const uint32_t b = vti_brick_number(&h->lattice, &nodes, i, hints);
        const int stays =
            b < h->lattice.bricks && h->bricks[b]->wide[vti_bit_row(node)] & vti_bit(node);
        const int may_go = ((v->flags[first + i] & VT_FLAG_NEUTRAL) != 0) &
                           !(h->part[first + i] & VT_SHELL_LASTING) & (node[0] != INT32_MIN);
        l->mask[first + i] = (uint8_t)(may_go & !stays);
    }
}

static void find_idle(void *data, int64_t begin, int64_t end)
{
    vt_brick_hints hints = {{NULL}};
    for (int64_t i = begin; i < end; i += VT_LATTICE_ROWS)
        find_some_idle(data, i, end - i < VT_LATTICE_ROWS ? end - i : VT_LATTICE_ROWS, &hints);
}

/* Neutral vortons that no source is near to any more hand on what they were given, unless they are
 * too few to be worth it. */
static void remove_idle(const vt_shell *h)
{
    vt_simulation *const s = h->simulation;
    const int64_t count = s->vortons.set.count;
    leaving l = {h, vti_arena_push(&s->arena, (size_t)count)};
    vti_parallel_for(s->def.threads, h->count, BLOCK, find_idle, &l);
    memset(l.mask + h->count, 0, (size_t)(count - h->count));
    int64_t idle = 0;
    for (int64_t i = 0; i < h->count; i++)
        idle += l.mask[i];
    if (idle > h->count / FEW)
        vti_redistribute(s, 2 * h->lattice.spacing, l.mask);
}

/* Where there is no room for all, flags are as they were. */
static vt_status take_up_and_emit(vt_shell *h, const vt_shell_wish *wish)
{
    vt_simulation *const s = h->simulation;
    const size_t bytes = sizeof *s->vortons.flags * (size_t)h->count;
    if (!vti_wants_to_take_up(h))
        return emit_missing(h, wish);
    uint32_t *const before = vti_arena_push(&s->arena, bytes);
    memcpy(before, s->vortons.flags, bytes);
    vti_take_up_fluid(h);
    const vt_status status = emit_missing(h, wish);
    if (status)
        memcpy(s->vortons.flags, before, bytes);
    return status;
}

/* A cell as strength sees it: of fourth order cells are wider, but cores are not. */
static double cell_of_cores(const vt_simulation *s)
{
    const double cell = vti_grid_spacing(s);
    return vti_is_of_fourth_order(s) ? fmin(cell, vti_finest_core(s) / 1.5) : cell;
}

double vti_lattice_spacing(const vt_simulation *s, const vt_population *population)
{
    const double cell = cell_of_cores(s);
    const double reach2 = fmax(s->def.viscosity, s->def.thermal_diffusivity) * s->last_substep;
    const double way = vti_is_buoyant(s) ? 0 : fmin(sqrt(reach2), most_apart * cell);
    if (vti_diffuses_by_exchange(s) || !vti_has_grid(s))
        return population->spacing;
    return fmax(population->spacing, fmax(cells_apart * cell, way));
}

vt_status vti_keep_shell(vt_simulation *s, const vt_population *population,
                         const vt_shell_wish *wish)
{
    const size_t mark = vti_arena_mark(&s->arena);
    const int threads = s->def.threads;
    vt_shell h = {.simulation = s,
                  .vorticity = least_vorticity * population->vorticity,
                  .least = fmax(least_contrast * population->contrast,
                                VT_LEAST_CONTRAST * s->def.ambient.density),
                  .width = wish->width,
                  .kept = wish->kept > wish->width ? wish->kept : wish->width,
                  .strength = vti_diffuses(s),
                  .contrast = vti_is_buoyant(s) || vti_conducts(s),
                  .fluid = vti_fluid_of(&s->def),
                  .count = s->vortons.set.count};
    vti_begin_shell_lattice(&h.lattice,
                            h.strength && population->spacing > 0
                                ? vti_lattice_spacing(s, population)
                                : cells_apart * vti_grid_spacing(s),
                            h.count, s->stages, &s->arena);
    h.part = vti_arena_push(&s->arena, (size_t)h.count);
    find_parts(&h);
    vt_status status = make_bricks(&h, wish);
    if (!status) {
        vti_parallel_for(threads, h.lattice.bricks, BRICK_BLOCK, find_near, &h);
        vti_fill_shell_lattice(&h.lattice, h.bricks, &s->vortons, threads);
        status = take_up_and_emit(&h, wish);
    }
    if (!status && wish->kept > 0)
        remove_idle(&h);
    vti_arena_pop(&s->arena, mark);
    return status;
}
