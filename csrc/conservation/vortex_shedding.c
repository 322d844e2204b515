#include "conservation/vortex_shedding.h"

#include "conservation/layer_points.h"
#include "geometry/neighbour_cells.h"
#include "panels/panels.h"
#include "state/distance_to_bodies.h"
#include "state/heat_budget.h"
#include "state/particles.h"
#include "state/predicates.h"
#include "state/wind_at_time.h"

enum { POINT_BLOCK = 16 };

/* How far above the panels vortons are born, cores: the body acts as if it were that much larger.
 * With .05 layers that grow are shed more than 3 % wrong, and that of a ball that spins, too; with
 * .6 its drag is wrong (tests/test_body_flow.py). */
static const double height = 0.25;

/* A layer that slips by less than this in a substep, cores, is none. */
static const double least_slip = 1e-4;

/* Nor, beside bodies at rest in still air, one that is slower than this share of the fastest flow,
 * wherever that is: about what the velocity on the grid is in error by. An exhaust of 4 m/s whose
 * cores are .0065 m wide would make a car of 4 m shed all round, which takes 16 million nodes, with
 * .003 still 7, with .01 a fifth of one. */
static const double least_share = 0.01;

/* The slowest slip that counts in a substep of dt, m/s. */
static double find_least_slip(const vt_simulation *s, double dt)
{
    const double least = least_slip * s->grid.core / dt;
    if (vti_panels_stir(s))
        return least;
    return fmax(least, least_share * vti_find_largest(&s->extremes).speed);
}

int64_t vti_count_slipping(const vt_simulation *s)
{
    int64_t count = 0;
    for (int32_t n = 0; n < s->bodies.count && vti_has_panels(s); n++)
        count += vti_sheds(&s->bodies.items[n]) ? s->bodies.items[n].panels->count : 0;
    return count;
}

static int64_t points_of(const vt_simulation *s, int32_t n)
{
    return vti_sheds(&s->bodies.items[n]) ? vti_count_points(s, n) : 0;
}

int64_t vti_count_layer_points(const vt_simulation *s)
{
    int64_t count = 0;
    for (int32_t n = 0; n < s->bodies.count && vti_has_panels(s); n++)
        count += points_of(s, n);
    return count;
}

vt_status vti_check_shedding(const vt_simulation *s, int64_t reserved)
{
    const int64_t count = vti_count_layer_points(s);
    int64_t rows = count + reserved;
    return count > 0 ? vti_check_capacity(s, VT_VORTONS, &rows) : VT_OK;
}

/* ---- where the strength goes ---- */

/* The first point of each body; behind the last of them the number of all. */
static const int32_t *number_points(vt_simulation *s)
{
    int32_t *const first = vti_arena_push(&s->arena, sizeof *first * ((size_t)s->bodies.count + 1));
    first[0] = 0;
    for (int32_t n = 0; n < s->bodies.count; n++)
        first[n + 1] = first[n] + (int32_t)points_of(s, n);
    return first;
}

/* Rows of the vortons that grow at the points, -1: none; of two of them the later row. */
static void find_growing(const vt_simulation *s, const int32_t *first, int32_t *row)
{
    const uint32_t *const panel = s->vortons.panel;
    memset(row, 0xff, sizeof *row * (size_t)first[s->bodies.count]);
    for (int64_t i = 0; i < s->vortons.set.count; i++) {
        const int32_t number = (int32_t)(panel[i] % VT_PANEL_NUMBERS) - 1;
        const int32_t body =
            number < 0 ? -1 : vti_body_of_id(&s->bodies, panel[i] / VT_PANEL_NUMBERS);
        if (body >= 0 && first[body] + number < first[body + 1])
            row[first[body] + number] = (int32_t)i;
    }
}

typedef struct newborn {
    float *position, *strength, *core, *volume;
    uint32_t *panel;
    int32_t *body;
    int64_t count;
} newborn;

/* One body while it sheds. */
typedef struct shedding {
    vt_simulation *simulation;
    vt_body *body;
    vt_pose pose;               /* at the end of the substep */
    const vt_pose *poses;       /* poses of all bodies at the end of the substep */
    const double *way;          /* way of the wind in the substep, m */
    double share, core;         /* of a steady slip that is shed, 1; m */
    double growth;              /* share of the difference between both slips, 1 */
    double least;               /* slip that counts, m/s */
    int32_t number;             /* of the body */
    const float *start, *later; /* slip of its panels */
    const vt_layer_point *point;
    int32_t point_count, *row; /* of each the vorton that grows there; -1: none */
    uint32_t first;            /* number of its first point; 0: there are too many bodies for one */
    newborn *born;
} shedding;

/* Notes in the books of a body a strength that it has shed at a point. */
static void note_part(vt_simulation *s, vt_body *body, const double way[3], const float position[3],
                      const double strength[3])
{
    double r[3], moment[3][3] = {{0}};
    for (int c = 0; c < 3; c++) {
        r[c] = (double)position[c] - way[c] - body->flow.center[c];
        vti_add_scaled(moment[c], r[c], strength);
    }
    vti_add_line(r, strength, s->bodies.open_lines);
    vti_take_open_lines((const double (*)[3])moment, body->flow.center, s->bodies.open_lines);
    vti_add_strength(r, strength, &body->flow.shed);
    vti_add_scaled(body->shed_strength, 1, strength);
}

/* Volume in which the vortex lines go on that a body sheds, m^3; 0: it has no books. */
static double inner_volume(const vt_simulation *s, const vt_paneled_body *b)
{
    const vt_body *const body = &s->bodies.items[b->number];
    return vti_sheds(body) && body->flow.known == VT_FLOW_KNOWN ? vti_paneled_volume(b) : 0;
}

/* Notes the strength that a body has shed at a point. Vortex lines go on inside of all bodies of
 * its group, evenly: a half of a block sheds what goes around the whole, and with its own lines
 * inside of itself alone the halves would turn against each other. */
static void note_shed(vt_simulation *s, int32_t number, const double way[3],
                      const float position[3], const double strength[3])
{
    const vt_panels *const p = &s->panels;
    const vt_paneled_body *const own = vti_panels_of(s, number);
    double volume = 0;
    for (int32_t n = own->group; n < p->body_count; n++)
        volume += p->bodies[n].group == own->group ? inner_volume(s, &p->bodies[n]) : 0;
    for (int32_t n = own->group; n < p->body_count; n++) {
        const vt_paneled_body *const b = &p->bodies[n];
        const double share = b->group == own->group ? inner_volume(s, b) / volume : 0;
        const double part[3] = {share * strength[0], share * strength[1], share * strength[2]};
        if (share > 0)
            note_part(s, &s->bodies.items[b->number], way, position, part);
    }
}

/* The volume in the bound of stretching: that of a thin filament one core long, less than others
 * may have (kernels/particles/stretching_bound.c), and only until the vorton grows
 * (kernels/particles/gather_records.c). A sheet that is shed against the flow cancels it from the
 * start: by its own volume alone it would lose what the body has given. */
static float volume_in_bound(double volume, double core)
{
    return (float)fmax(volume, 2 * VT_PI * core * core * core);
}

static void add_to_row(const shedding *d, int64_t row, const double strength[3])
{
    const vt_vortons *const v = &d->simulation->vortons;
    for (int c = 0; c < 3; c++)
        v->strength[3 * row + c] += (float)strength[c];
    v->bound_volume[row] = volume_in_bound((double)v->volume[row], d->core);
    v->flags[row] |= VT_FLAG_BOUND_KNOWN | VT_FLAG_FED;
    v->birth_strength[row] += (float)vti_sqrt(vti_dot(strength, strength));
}

static void emit_at(const shedding *d, int32_t point, const double place[3],
                    const double strength[3], double area)
{
    newborn *const b = d->born;
    const int64_t i = b->count++;
    for (int c = 0; c < 3; c++) {
        b->position[3 * i + c] = (float)place[c];
        b->strength[3 * i + c] = (float)strength[c];
    }
    b->core[i] = (float)d->core;
    b->volume[i] = (float)(area * d->core);
    b->panel[i] = d->first ? d->first + (uint32_t)point : 0;
    b->body[i] = d->number;
}

/* Vortons that were shed with cores wider than this many of now are lumps in the cells of now, and
 * of other points: in a first frame the panels alone set the cells. They grow no more. */
static const double widest_core = 2;

static int is_lump(const shedding *d, int64_t row)
{
    const vt_vortons *const v = &d->simulation->vortons;
    return (v->flags[row] & VT_FLAG_SHED) && (double)v->core[row] > widest_core * d->core;
}

/* Square cores of the room of a point whose part of a panel is smaller: within a part of a core
 * vortons tell no more than one of them does. By their own area a ball of one core would shed three
 * times as many as one of four. */
static const double least_room = 0.5;

/* How far from a point, squared, a vorton still grows there, m^2. */
static double room_of(const shedding *d, double area)
{
    return fmax(area, least_room * d->core * d->core);
}

/* Whether the vorton of a row is still near the place where it was born. */
static int is_near(const shedding *d, int64_t row, const double place[3], double area)
{
    double at[3];
    vti_widen(d->simulation->vortons.position + 3 * row, at);
    return vti_square_between(at, place) < room_of(d, area);
}

/* Where a point of a panel is shed at, and the normal there; returns its area. */
static double place_of(const shedding *d, int32_t point, double place[3], double normal[3])
{
    const vt_layer_point *const p = &d->point[point];
    vti_pose_direction(&d->pose, d->body->panels->normal[p->panel], normal);
    vti_pose_point(&d->pose, p->place, place);
    vti_add_scaled(place, height * d->core, normal);
    return p->area;
}

static void shed_at_point(const shedding *d, int32_t point)
{
    const int32_t panel = d->point[point].panel;
    double slip[3], layer[3], strength[3], place[3], normal[3];
    for (int64_t c = 0, i = 3 * (int64_t)panel; c < 3; c++, i++)
        slip[c] = (double)d->start[i] + d->growth * ((double)d->later[i] - (double)d->start[i]);
    if (vti_dot(slip, slip) < d->least * d->least)
        return;
    const double area = place_of(d, point, place, normal);
    vti_cross(d->body->panels->normal[panel], slip, layer);
    vti_pose_direction(&d->pose, layer, strength);
    for (int c = 0; c < 3; c++)
        strength[c] *= d->share * area;

    const vt_vortons *const v = &d->simulation->vortons;
    const int64_t row = d->row[point];
    if (row >= 0 && is_near(d, row, place, area) && !is_lump(d, row)) {
        add_to_row(d, row, strength);
        note_shed(d->simulation, d->number, d->way, v->position + 3 * row, strength);
        return;
    }
    if (!(vti_distance_near(d->simulation, d->poses, place) > 0))
        return;
    emit_at(d, point, place, strength, area);
    if (row >= 0)
        v->panel[row] = 0;
}

/* ---- in fluid that differs from the ambient one ---- */

/* There newborn vortons, of ambient fluid, would thin it out: strength goes to the nearest of those
 * around the body, whatever they have grown at. Around bodies that have nothing but their wake near
 * them it does not: vortons that are fed where the flow has taken them, instead of born at the
 * wall, made a light capsule tumble ever faster. */

/* The vortons near the body, in cells of which only a point's own and those beside it can hold one
 * that grows there. */
typedef struct near_vortons {
    const shedding *shedding;
    const int32_t *row; /* of each, rising */
    const float *position;
    vt_partition cells;
} near_vortons;

/* Lists the rows of the vortons within reach of a point, and where they are; returns how many, 0
 * where all that is there is wake of ambient fluid. */
static int64_t list_near(const shedding *d, const double center[3], double reach, int32_t *row,
                         float *position)
{
    const vt_simulation *const s = d->simulation;
    const vt_vortons *const v = &s->vortons;
    const vt_fluid fluid = vti_fluid_of(&s->def);
    int64_t count = 0;
    int filled = 0;
    for (int64_t i = 0; i < v->set.count; i++) {
        double at[3];
        vti_widen(v->position + 3 * i, at);
        row[count] = (int32_t)i;
        memcpy(position + 3 * count, v->position + 3 * i, 12);
        if (vti_square_between(at, center) >= reach * reach || is_lump(d, i))
            continue;
        count++;
        filled |= !(v->flags[i] & VT_FLAG_SHED) || vti_has_contrast(s, &fluid, i);
    }
    return filled ? count : 0;
}

/* As wide as the room of the largest part of a panel. */
static double width_of_cells(const shedding *d)
{
    double most = 0;
    for (int32_t p = 0; p < d->point_count; p++)
        most = fmax(most, d->point[p].area);
    return (1 + 1e-6) * vti_sqrt(most);
}

/* Of two at the same distance the first row; none behind the wall, which may be a thin one. */
static void look_in_cell(const near_vortons *n, int64_t cell, const double place[3],
                         const double normal[3], double *least, int32_t *row)
{
    const double behind = -height * n->shedding->core;
    for (uint32_t t = n->cells.start[cell]; t < n->cells.start[cell + 1]; t++) {
        const float *const x = n->position + 3 * (int64_t)n->cells.order[t];
        const double at[3] = {(double)x[0], (double)x[1], (double)x[2]};
        const double square = vti_square_between(at, place);
        double way[3];
        vti_subtract(at, place, way);
        if (vti_dot(way, normal) <= behind)
            continue;
        const int32_t found = n->row[n->cells.order[t]];
        if (square < *least || (square == *least && *row >= 0 && found < *row)) {
            *least = square;
            *row = found;
        }
    }
}

static void find_nearest(void *data, int64_t p)
{
    const near_vortons *const n = data;
    const vt_partition *const cells = &n->cells;
    double place[3], normal[3], least = place_of(n->shedding, (int32_t)p, place, normal);
    int64_t home[3];
    int32_t row = -1;
    for (int a = 0; a < 3; a++)
        home[a] = vti_partition_index(cells, a, place[a]);
    for (int side = 0; side < 27; side++) {
        const int64_t step[3] = {side % 3 - 1, side / 3 % 3 - 1, side / 9 - 1};
        int64_t cell = 0;
        for (int a = 2; a >= 0; a--)
            cell = cell * cells->cells[a] + (home[a] + step[a] + cells->cells[a]) % cells->cells[a];
        look_in_cell(n, cell, place, normal, &least, &row);
    }
    n->shedding->row[p] = row;
}

/* The bounds of the near vortons and of where the body sheds. */
static void find_bounds(const shedding *d, int64_t count, const float *position, double low[3],
                        double high[3])
{
    double place[3], normal[3];
    vti_empty_box(low, high);
    for (int64_t i = 0; i < count; i++) {
        vti_widen(position + 3 * i, place);
        vti_add_to_box(place, low, high);
    }
    for (int32_t p = 0; p < d->point_count; p++) {
        place_of(d, p, place, normal);
        vti_add_to_box(place, low, high);
    }
}

static void take_nearest(const shedding *d)
{
    vt_simulation *const s = d->simulation;
    const size_t mark = vti_arena_mark(&s->arena), rows = (size_t)s->vortons.set.count;
    const double reach = d->body->reach + 2 * d->core;
    int32_t *const row = vti_arena_push(&s->arena, sizeof *row * rows);
    float *const position = vti_arena_push(&s->arena, 3 * sizeof *position * rows);
    double center[3], low[3], high[3];
    vti_pose_point(&d->pose, d->body->center, center);
    near_vortons near = {.shedding = d, .row = row, .position = position};
    const int64_t count = list_near(d, center, reach, row, position);
    if (count > 0) {
        find_bounds(d, count, position, low, high);
        vti_make_partition(&near.cells, width_of_cells(d), 1, low, high, count, position, &s->arena,
                           s->def.threads);
        vti_parallel_each(s->def.threads, d->point_count, POINT_BLOCK, find_nearest, &near);
    }
    vti_arena_pop(&s->arena, mark);
}

/* ---- the substep ---- */

static newborn make_capacity_for_newborn(vt_arena *arena, int64_t most)
{
    const size_t rows = (size_t)most;
    return (newborn){.position = vti_arena_push(arena, 12 * rows),
                     .strength = vti_arena_push(arena, 12 * rows),
                     .core = vti_arena_push(arena, 4 * rows),
                     .volume = vti_arena_push(arena, 4 * rows),
                     .panel = vti_arena_push(arena, 4 * rows),
                     .body = vti_arena_push(arena, 4 * rows)};
}

static void append(vt_simulation *s, int64_t reserved, const double way[3], newborn *born)
{
    /* a layer for which the policy has no room stays at its panel */
    int64_t rows = born->count + reserved;
    (void)vti_check_capacity(s, VT_VORTONS, &rows);
    born->count = rows > reserved ? rows - reserved : 0;
    vti_make_capacity(s, VT_VORTONS, born->count + reserved);
    const int64_t first = vti_append_vortons(s, born->count, born->position, born->strength,
                                             born->core, born->volume);
    memcpy(s->vortons.panel + first, born->panel, 4 * (size_t)born->count);
    for (int64_t i = 0; i < born->count; i++) {
        s->vortons.bound_volume[first + i] =
            volume_in_bound((double)born->volume[i], (double)born->core[i]);
        s->vortons.flags[first + i] |= VT_FLAG_BOUND_KNOWN | VT_FLAG_SHED | VT_FLAG_FED;
        const float *const a = born->strength + 3 * i;
        const double strength[3] = {(double)a[0], (double)a[1], (double)a[2]};
        note_shed(s, born->body[i], way, born->position + 3 * i, strength);
    }
    vti_count_heat(s, first, born->count, NULL, 1);
}

/* 1 - e^-z, of a layer that is shed at the rate z / dt. */
static double share_shed(double z)
{
    return z < 1e-4 ? z * (1 - z / 2) : 1 - vti_exp(-z);
}

/* The difference between the slips, over the time between them, for dt: as a share of what a
 * steady one sheds. (1 - shed / z) / shed cancels where z is small, there by its series. */
static double share_of_growth(double z, double at)
{
    const double late = z < 1e-3 ? 0.5 + z / 12 : (1 - share_shed(z) / z) / share_shed(z);
    return at > 0 ? late / at : 0;
}

static uint32_t first_number(const vt_body *body)
{
    return body->id < (int32_t)(UINT32_MAX / VT_PANEL_NUMBERS)
               ? VT_PANEL_NUMBERS * (uint32_t)body->id + 1
               : 0;
}

/* Sheds what slips along one body. */
static void shed_body(shedding *d)
{
    vt_simulation *const s = d->simulation;
    const size_t mark = vti_arena_mark(&s->arena);
    vt_layer_point *const point = vti_arena_push(&s->arena, sizeof *point * (size_t)d->point_count);
    vti_find_points(s, d->number, point);
    d->point = point;
    if (vti_is_buoyant(s))
        take_nearest(d);
    for (int32_t p = 0; p < d->point_count && d->body->flow.known == VT_FLOW_KNOWN; p++)
        shed_at_point(d, p);
    vti_arena_pop(&s->arena, mark);
}

void vti_shed_layers(vt_simulation *s, int64_t reserved, double dt, const vt_slip *slip)
{
    if (vti_count_slipping(s) == 0)
        return;
    const size_t mark = vti_arena_mark(&s->arena);
    const int32_t *const first = number_points(s);
    newborn born = make_capacity_for_newborn(&s->arena, first[s->bodies.count]);
    int32_t *const row = vti_arena_push(&s->arena, 4 * (size_t)first[s->bodies.count]);
    const vt_pose *const poses = vti_poses_at(s, s->time + dt);
    double way[3];
    int64_t panel = 0;
    vti_integrate_winds(s, s->time, s->time + dt, way);
    vti_use_vorton_column(s, VT_VORTON_panel);
    find_growing(s, first, row);
    for (int32_t n = 0; n < s->bodies.count; n++) {
        vt_body *const body = &s->bodies.items[n];
        if (!vti_sheds(body))
            continue;
        const double rate = vti_shedding_rate(body);
        shedding d = {.simulation = s,
                      .body = body,
                      .pose = poses[n],
                      .poses = poses,
                      .way = way,
                      .share = share_shed(rate * dt),
                      .growth = share_of_growth(rate * dt, slip->at),
                      .core = s->grid.core,
                      .least = find_least_slip(s, dt),
                      .number = n,
                      .start = slip->start + 3 * panel,
                      .later = slip->later + 3 * panel,
                      .point_count = first[n + 1] - first[n],
                      .row = row + first[n],
                      .first = first_number(body),
                      .born = &born};
        shed_body(&d);
        panel += body->panels->count;
    }
    if (born.count > 0)
        append(s, reserved, way, &born);
    vti_arena_pop(&s->arena, mark);
}
