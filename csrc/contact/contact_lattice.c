#include "contact/contact_lattice.h"

#include "base/counting_sort.h"
#include "base/parallel.h"
#include "base/vec3.h"

enum {
    LEAST_CELLS = 4,
    MOST_CELLS = 60,
    LEAST_PER_CELL = 3,
    PER_CELL = 20,
    LEAST_ACROSS = 2,
    MOST_ACROSS = 3,
    MOST_PAIRS = 1 << 20,
    SIDE = 2,
    LAYER_BLOCK = 1
};

/* Of the farthest coordinate in the lattice: more than what float arithmetic loses of the distance
 * from a plane, and the skin of a body. */
static const double plane_margin = 0x1p-18;

/* In cells: particles that come from farther are followed from cell to cell. */
static const double most_reach = 1;

/* ---- where it lies ---- */

/* A box in space, empty where lower > upper. */
typedef struct span {
    double lower[3], upper[3];
} span;

static const span empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

/* The box of all places that the wall passes through. */
static span span_of(const vt_wall *wall)
{
    const double radius = wall->body->reach + 0.5 * wall->step;
    span s = empty;
    for (int32_t k = 0; k <= wall->parts; k++) {
        double center[3];
        vti_pose_point(&wall->pose[k], wall->body->center, center);
        for (int c = 0; c < 3; c++) {
            s.lower[c] = fmin(s.lower[c], center[c] - radius);
            s.upper[c] = fmax(s.upper[c], center[c] + radius);
        }
    }
    return s;
}

/* Cells that a particle may end in and meet the wall: all, for a hole or a plane. */
static void cells_of(const vt_lattice *lattice, const vt_wall *wall, int32_t least[3],
                     int32_t most[3])
{
    const span s = span_of(wall);
    const double around = 4 * (double)lattice->reach;
    const int everywhere = wall->body->hole || !vti_is_bounded(wall);
    for (int c = 0; c < 3; c++) {
        const double scale = (double)lattice->per_cell, last = lattice->cells[c] - 1;
        const double lower = (s.lower[c] - around - (double)lattice->lower[c]) * scale;
        const double upper = (s.upper[c] + around - (double)lattice->lower[c]) * scale;
        least[c] = everywhere || !(lower > 0) ? 0
                   : lower > last             ? (int32_t)last + 1
                                              : (int32_t)lower;
        most[c] = everywhere || !(upper < last) ? (int32_t)last : upper < 0 ? -1 : (int32_t)upper;
    }
}

/* Room at a point, the least at the poses of the wall, m: it changes by no more than one goes, and
 * between two poses is less by half a step at most. */
static double distance_at(const vt_wall *wall, const double point[3])
{
    const vt_body *const body = wall->body;
    double least = INFINITY;
    for (int32_t k = wall->swept && !wall->still ? 0 : wall->parts; k <= wall->parts; k++) {
        double local[3];
        vti_pose_point_back(&wall->pose[k], point, local);
        least = fmin(least, body->scale * vti_distance_to_body(body, local, NULL));
    }
    return least;
}

/* Up to the next of `steps` numbers between powers of two: what changes little stays the same. */
static double round_up(double x, double steps)
{
    int power;
    const double share = frexp(x, &power);
    return ldexp(ceil(2 * steps * share) / (2 * steps), power);
}

/* Where the lattice lies, and how fine it is: as many cells as keep the lists short. Outside of it
 * only those without end are met. */
static void place(vt_walls *walls, const vt_crowd *crowd)
{
    span box = empty;
    vt_lattice *const lattice = &walls->lattice;
    if (walls->far_count > 0) { /* walls without end are met anywhere, others beside bodies */
        memcpy(box.lower, crowd->lower, sizeof box.lower);
        memcpy(box.upper, crowd->upper, sizeof box.upper);
    }
    double longest = 0, extent = 0;
    int32_t bounded = 0;
    for (int32_t n = 0; n < walls->count; n++)
        if (vti_is_bounded(&walls->wall[n])) {
            const span s = span_of(&walls->wall[n]);
            bounded++;
            for (int c = 0; c < 3; c++) {
                box.lower[c] = fmin(box.lower[c], s.lower[c]);
                box.upper[c] = fmax(box.upper[c], s.upper[c]);
                extent += (s.upper[c] - s.lower[c]) / 3;
            }
        }
    for (int c = 0; c < 3; c++)
        longest = fmax(longest, box.upper[c] - box.lower[c]);
    *lattice = (vt_lattice){.cells = {0}};
    if (!(longest > 0 && longest < 1e12))
        return;
    /* finer than bodies and the space between particles by far would not pay */
    const double count = round_up((double)crowd->count, 4);
    const double most = fmin(vti_cbrt(count / LEAST_PER_CELL), MOST_CELLS);
    const double width = bounded ? extent / bounded : 0;
    double cell = fmin(longest / vti_cbrt(count / PER_CELL), width / LEAST_ACROSS);
    cell = fmax(cell, fmax(longest / most, width / MOST_ACROSS));
    cell = fmin(cell, longest / LEAST_CELLS);
    lattice->per_cell = (float)(1 / cell);
    lattice->reach =
        (float)fmax(0.1 * cell, fmin(round_up(1.1 * crowd->way, 8), most_reach * cell));
    for (int c = 0; c < 3; c++) {
        /* and two more on each side, for those that end beside what they pass */
        const double cells = ceil((box.upper[c] - box.lower[c]) / cell) + 4;
        lattice->cells[c] = cells > 5 ? (int32_t)cells : 5;
        lattice->lower[c] = (float)(0.5 * (box.lower[c] + box.upper[c] - lattice->cells[c] * cell));
    }
}

/* ---- which walls are near ---- */

/* A cell by which a wall may be met. */
typedef struct pair {
    int32_t cell;
    uint32_t place; /* in walls->near */
    uint8_t free_way;
    uint8_t depth; /* depth of the cell in the wall */
} pair;

enum { BESIDE, AT_SURFACE, DEEP };

/* Cells by which a wall may be met, one after the other. */
typedef struct search {
    const vt_lattice *lattice;
    const vt_wall *wall;
    int32_t least[3], most[3];
    double cell;     /* m */
    double margin;   /* how far from where a particle ends it may meet the wall, m */
    double way;      /* how far particles come, and are then moved aside, together, m */
    int32_t bounded; /* the wall is a solid of finite size that is swept */
    pair *pairs;
    int64_t count;
} search;

static void find_middle(const search *s, const int32_t first[3], int32_t side, double middle[3])
{
    for (int c = 0; c < 3; c++)
        middle[c] = (double)s->lattice->lower[c] + (first[c] + 0.5 * side) * s->cell;
}

/* From how far off what ends in a cube of `side` cells may come, by what the wall passes: cheaper
 * than its room. */
static double free_displacement(const search *s, const int32_t first[3], int32_t side)
{
    double middle[3];
    if (!s->bounded)
        return 0;
    find_middle(s, first, side, middle);
    return vti_free_displacement(s->wall, middle) - (VT_HALF_DIAGONAL * side + 1e-3) * s->cell;
}

/* Room in the middle of a cube of `side` cells, m. */
static double distance_in(const search *s, const int32_t first[3], int32_t side)
{
    double middle[3];
    find_middle(s, first, side, middle);
    return distance_at(s->wall, middle);
}

static void add_pair(search *s, const int32_t at[3], double room, double beside)
{
    const int32_t *const cells = s->lattice->cells;
    const int32_t cell = (at[2] * cells[1] + at[1]) * cells[0] + at[0];
    /* what is left in the corner where there is least, without what the wall itself moves: seen
     * from one that moves, a way in the world is up to half as much again */
    const double left = room - VT_HALF_DIAGONAL * s->cell - (s->margin - s->way);
    const double way = fmax(s->wall->still ? left : 0.5 * left, beside);
    const double unit = way > 0 && s->wall->swept ? way * (double)s->lattice->per_unit : 0;
    const uint8_t least = unit < VT_NO_WALL - 1 ? (uint8_t)unit : VT_NO_WALL - 1;
    const uint8_t depth = s->wall->swept && way > (double)s->lattice->reach * 2 * VT_HALF_DIAGONAL
                              ? BESIDE
                          : room < -VT_HALF_DIAGONAL * s->cell - s->margin ? DEEP
                                                                           : AT_SURFACE;
    s->pairs[s->count++] = (pair){.cell = cell, .free_way = least, .depth = depth};
}

/* Searches a cube of cells: as a whole, if the wall is not near it, else cell by cell. */
static void search_cube(search *s, const int32_t first[3], int32_t side)
{
    if (free_displacement(s, first, side) > s->way ||
        distance_in(s, first, side) > s->margin + VT_HALF_DIAGONAL * side * s->cell)
        return;
    int32_t at[3], end[3];
    for (int c = 0; c < 3; c++)
        end[c] = first[c] + side - 1 < s->most[c] ? first[c] + side - 1 : s->most[c];
    for (at[2] = first[2]; at[2] <= end[2]; at[2]++)
        for (at[1] = first[1]; at[1] <= end[1]; at[1]++)
            for (at[0] = first[0]; at[0] <= end[0]; at[0]++) {
                const double beside = free_displacement(s, at, 1);
                if (beside > s->way)
                    continue;
                const double room = distance_in(s, at, 1);
                if (room <= s->margin + VT_HALF_DIAGONAL * s->cell)
                    add_pair(s, at, room, beside);
            }
}

/* A layer of cells of a wall, and the pairs found in it. */
typedef struct layer {
    int32_t wall, least, most; /* along z */
    int64_t first, count;
} layer;

typedef struct pair_job {
    vt_walls *walls;
    layer *layers; /* those of each wall one after the other, in the order of the walls */
    int32_t layer_count;
    pair *pairs;
    float (*planes)[8];
} pair_job;

static void find_pairs(void *data, int64_t begin, int64_t end)
{
    const pair_job *const job = data;
    const vt_lattice *const lattice = &job->walls->lattice;
    for (int64_t n = begin; n < end; n++) {
        layer *const layer = &job->layers[n];
        search s = {.lattice = lattice,
                    .wall = &job->walls->wall[layer->wall],
                    .cell = 1 / (double)lattice->per_cell,
                    .pairs = job->pairs + layer->first};
        int32_t at[3];
        /* Where it meets a solid, a particle that moves by `way`, and then as far aside, has no
         * more room at one of its ends than half of what both move; the other end is `way` off. */
        const double way = s.wall->swept ? 2 * VT_HALF_DIAGONAL * (double)lattice->reach : 0;
        s.way = 2 * way;
        s.bounded = s.wall->swept && vti_is_bounded(s.wall);
        s.margin = 0.5 * s.wall->step + 2 * way + 1e-3 * s.cell;
        cells_of(s.lattice, s.wall, s.least, s.most);
        at[2] = layer->least;
        s.most[2] = layer->most;
        for (at[1] = s.least[1]; at[1] <= s.most[1]; at[1] += SIDE)
            for (at[0] = s.least[0]; at[0] <= s.most[0]; at[0] += SIDE)
                search_cube(&s, at, SIDE);
        layer->count = s.count;
    }
}

/* Lists the layers (NULL: counts them alone). Returns how many cells they have at most. */
static int64_t list_layers(const vt_walls *walls, layer *layers, int32_t *count)
{
    int64_t sum = 0;
    *count = 0;
    for (int32_t n = 0; n < walls->count; n++) {
        int32_t least[3], most[3];
        int64_t cells = 1;
        cells_of(&walls->lattice, &walls->wall[n], least, most);
        for (int c = 0; c < 2; c++)
            cells *= most[c] >= least[c] ? most[c] - least[c] + 1 : 0;
        for (int32_t z = least[2]; z <= most[2] && cells > 0; z += SIDE) {
            const int32_t last = z + SIDE - 1 < most[2] ? z + SIDE - 1 : most[2];
            if (layers)
                layers[*count] = (layer){.wall = n, .least = z, .most = last, .first = sum};
            sum += cells * (last - z + 1);
            ++*count;
        }
    }
    return sum;
}

/* How far at most what a body passes lies from where it is at its poses, seen from a particle, for
 * one that rests and more for each metre of its way: from the straight line between its places at
 * two poses in the space of the body, turned by one of them, it is turn x its distance from the
 * centre away. */
static void find_stray(vt_walls *walls)
{
    vt_lattice *const lattice = &walls->lattice;
    for (int32_t n = 0; n < walls->count; n++) {
        const vt_wall *const wall = &walls->wall[n];
        if (!wall->swept || !(wall->turn > 0))
            continue;
        const double rest = 1.001 * wall->turn / (1 - 0.5 * wall->turn);
        const int bent = wall->turn < 1 && vti_is_bounded(wall);
        const double stray =
            bent ? rest * (0.5 * wall->body->reach + 0.25 * wall->step) : (double)INFINITY;
        lattice->stray = fmaxf(lattice->stray, (float)stray);
        lattice->drift = fmaxf(lattice->drift, (float)(0.25 * rest));
    }
}

/* Makes the cells twice as wide, with two of them again on each side. */
static void coarsen(vt_lattice *lattice)
{
    lattice->per_cell *= 0.5f;
    lattice->reach *= 2;
    for (int c = 0; c < 3; c++) {
        lattice->cells[c] = (lattice->cells[c] + 1) / 2 + 2;
        lattice->lower[c] -= 1 / lattice->per_cell;
    }
}

/* Whether the lattice has as few cells as coarsening comes to. */
static int is_coarsest(const vt_lattice *lattice)
{
    return lattice->cells[0] <= 5 && lattice->cells[1] <= 5 && lattice->cells[2] <= 5;
}

/* ---- planes ---- */

/* The middle of a cell, m. */
static void find_cell(const vt_lattice *lattice, int32_t cell, double middle[3])
{
    int32_t rest = cell;
    for (int c = 0; c < 3; c++) {
        middle[c] = (double)lattice->lower[c] +
                    (rest % lattice->cells[c] + 0.5) / (double)lattice->per_cell;
        rest /= lattice->cells[c];
    }
}

/* Distance from a plane that counts as none, m. */
static double find_margin(const vt_lattice *lattice, const vt_body *body)
{
    double farthest = isfinite(body->reach) ? body->reach : 0;
    for (int c = 0; c < 3; c++) {
        const double lower = (double)lattice->lower[c];
        const double extent = (lattice->cells[c] + 1) / (double)lattice->per_cell;
        farthest = fmax(farthest, fmax(vti_abs(lower), vti_abs(lower + extent)));
    }
    return plane_margin * farthest;
}

static void set_plane(float plane[4], const double normal[3], const double foot[3], double margin)
{
    vti_narrow(normal, plane);
    plane[3] = (float)(-vti_dot(normal, foot) - margin);
}

/* Of a convex solid: behind the plane of the wall that is deepest under the middle of the cell. */
static void part_from_solid(const vt_wall *wall, const double middle[3], double margin,
                            float planes[8])
{
    double local[3], foot[3], normal[3];
    vti_pose_point_back(&wall->pose[1], middle, local);
    const double distance = vti_solid_distance(&wall->body->solids[0], local, normal);
    memcpy(foot, local, sizeof foot);
    vti_add_scaled(foot, -distance, normal);
    for (int k = wall->still; k < 2; k++) {
        double world_foot[3], world_normal[3];
        vti_pose_point(&wall->pose[k], foot, world_foot);
        vti_pose_direction(&wall->pose[k], normal, world_normal);
        set_plane(planes + 4 * k, world_normal, world_foot, margin);
    }
    if (wall->still)
        memcpy(planes, planes + 4, 4 * sizeof *planes);
}

/* Of a hole with flat sides, where the cell is near one of them alone. Whence a particle comes does
 * not matter there. */
static void part_from_side(const vt_wall *wall, const double middle[3], double half, double margin,
                           float planes[8])
{
    const vt_polytope *const p = &wall->body->solids[0].polytope;
    const vt_pose *const pose = &wall->pose[wall->parts];
    double local[3], foot[3], inward[3], world_foot[3], world_inward[3];
    int32_t face;
    vti_pose_point_back(pose, middle, local);
    const double distance = vti_polytope_distance(p, local, INFINITY, &face);
    for (int32_t f = 0; f < p->face_count; f++)
        if (f != face &&
            wall->body->scale * (p->plane[f][3] - vti_dot(p->plane[f], local)) < half + margin)
            return;
    for (int c = 0; c < 3; c++) {
        inward[c] = -p->plane[face][c];
        foot[c] = local[c] + distance * inward[c];
    }
    vti_pose_point(pose, foot, world_foot);
    vti_pose_direction(pose, inward, world_inward);
    planes[3] = 1;
    set_plane(planes + 4, world_inward, world_foot, margin);
}

static void find_planes_of_layer(void *data, int64_t n)
{
    const pair_job *const job = data;
    const vt_lattice *const lattice = &job->walls->lattice;
    const double half = VT_HALF_DIAGONAL / (double)lattice->per_cell;
    const layer *const layer = &job->layers[n];
    const vt_wall *const wall = &job->walls->wall[layer->wall];
    const vt_body *const body = wall->body;
    const double margin = find_margin(lattice, body);
    const int flat =
        body->hole && body->solid_count == 1 && body->solids[0].kind == VT_SHAPE_POLYTOPE;
    const pair *const pairs = job->pairs + layer->first;
    for (int64_t i = 0; i < layer->count; i++) {
        float *const planes = job->planes[pairs[i].place];
        double middle[3];
        /* nothing lies beyond a plane; or everything does, where no part of the wall can be met
         * without a detour */
        memset(planes, 0, sizeof *job->planes);
        planes[3] = planes[7] = pairs[i].depth == BESIDE;
        if (pairs[i].depth != AT_SURFACE)
            continue;
        find_cell(lattice, pairs[i].cell, middle);
        if (wall->simple)
            part_from_solid(wall, middle, margin, planes);
        else if (flat)
            part_from_side(wall, middle, half, margin, planes);
    }
}

/* ---- lists ---- */

/* Lists of the cells, each in the order of the walls; how far particles may go in them. */
static void fill_lists(vt_walls *walls, const pair_job *job, uint32_t *first, uint8_t *free_way,
                       size_t cells)
{
    memset(free_way, VT_NO_WALL, cells);
    memset(first, 0, sizeof *first * (cells + 1));
    for (int32_t n = 0; n < job->layer_count; n++)
        for (int64_t i = 0; i < job->layers[n].count; i++) {
            const pair *const p = &job->pairs[job->layers[n].first + i];
            first[p->cell]++;
            free_way[p->cell] = p->free_way < free_way[p->cell] ? p->free_way : free_way[p->cell];
        }
    (void)vti_end_lists(first, cells);
    for (int32_t n = job->layer_count - 1; n >= 0; n--)
        for (int64_t i = 0; i < job->layers[n].count; i++) {
            pair *const p = &job->pairs[job->layers[n].first + i];
            p->place = --first[p->cell];
            walls->near[p->place] = job->layers[n].wall;
        }
}

static void fill_lattice(vt_walls *walls, vt_arena *arena, int threads)
{
    vt_lattice *const lattice = &walls->lattice;
    pair_job job = {.walls = walls};
    while (!is_coarsest(lattice) && list_layers(walls, NULL, &job.layer_count) > MOST_PAIRS)
        coarsen(lattice);
    const size_t most = (size_t)list_layers(walls, NULL, &job.layer_count);
    const size_t cells =
        (size_t)lattice->cells[0] * (size_t)lattice->cells[1] * (size_t)lattice->cells[2];
    lattice->per_unit = (VT_NO_WALL - 1) / ((float)(2 * VT_HALF_DIAGONAL) * lattice->reach);
    job.layers = vti_arena_push(arena, sizeof *job.layers * (size_t)job.layer_count);
    job.pairs = vti_arena_push(arena, sizeof *job.pairs * most);
    job.planes = vti_arena_push(arena, sizeof *job.planes * most);
    walls->near = vti_arena_push(arena, sizeof *walls->near * most);
    uint8_t *const free_way = vti_arena_push(arena, cells + VT_CELLS_BEHIND);
    uint32_t *const first = vti_arena_push(arena, sizeof *first * (cells + 1));
    list_layers(walls, job.layers, &job.layer_count);
    vti_parallel_for(threads, job.layer_count, LAYER_BLOCK, find_pairs, &job);
    fill_lists(walls, &job, first, free_way, cells);
    vti_parallel_each(threads, job.layer_count, LAYER_BLOCK, find_planes_of_layer, &job);
    lattice->free_way = free_way;
    lattice->first = first;
    lattice->planes = (const float (*)[8])job.planes;
}

/* ---- kept from substep to substep ---- */

/* Not even one that has just jumped: that one is not followed on its way. */
static int are_still(const vt_walls *walls)
{
    int32_t still = 0;
    for (int32_t n = 0; n < walls->count; n++) {
        const vt_wall *const wall = &walls->wall[n];
        still += wall->still && !wall->body->form && (wall->swept || wall->body->hole);
    }
    return still == walls->count;
}

/* Whether it was made for these walls, and as the lattice of `walls` is placed now. */
static int serves(const vt_kept_lattice *kept, const vt_walls *walls)
{
    const vt_lattice *const now = &walls->lattice, *const then = &kept->placed;
    if (kept->count != walls->count || memcmp(now->cells, then->cells, sizeof now->cells) != 0 ||
        memcmp(now->lower, then->lower, sizeof now->lower) != 0 ||
        now->per_cell != then->per_cell || now->reach != then->reach)
        return 0;
    for (int32_t n = 0; n < walls->count; n++)
        if (memcmp(&kept->pose[n], &walls->wall[n].pose[0], sizeof *kept->pose) != 0)
            return 0;
    return 1;
}

static void make_anew(vt_walls *walls, vt_kept_lattice *kept, int threads)
{
    vti_arena_pop(&kept->arena, 0);
    kept->count = walls->count;
    kept->placed = walls->lattice;
    kept->pose = vti_arena_push(&kept->arena, sizeof *kept->pose * (size_t)walls->count);
    for (int32_t n = 0; n < walls->count; n++)
        kept->pose[n] = walls->wall[n].pose[0];
    fill_lattice(walls, &kept->arena, threads);
    kept->filled = walls->lattice;
    kept->near = walls->near;
}

void vti_make_lattice(vt_walls *walls, const vt_crowd *crowd, vt_kept_lattice *kept,
                      vt_arena *arena, int threads)
{
    place(walls, crowd);
    find_stray(walls);
    walls->lattice.near_outside = walls->far_count > 0;
    if (walls->lattice.cells[0] == 0)
        return;
    if (!are_still(walls)) {
        fill_lattice(walls, arena, threads);
        return;
    }
    if (!serves(kept, walls))
        make_anew(walls, kept, threads);
    walls->lattice = kept->filled;
    walls->near = kept->near;
}
