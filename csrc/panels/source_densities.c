#include "panels/source_densities.h"

#include "panels/panel_onset.h"
#include "panels/panels.h"
#include "panels/patches.h"
#include "state/predicates.h"
#include "state/simulation.h"

enum { ROUNDS = 4, ROW_BLOCK = 64 };

/* Room before a panel, in cells, up to which it sees nothing of what other bodies make of the flow,
 * and from which on it sees all: see openness. */
static const double closed_at = 0.1, open_at = 1;

/* Largest relative change of the densities in the last round. */
static const double settled = 1e-3;

typedef struct multiply_job {
    int64_t count;
    const float *matrix;
    const double *x;
    float *result;
} multiply_job;

static void multiply_rows(void *data, int64_t begin, int64_t end)
{
    const multiply_job *const job = data;
    const int64_t count = job->count, rows = end - begin;
    float sum[ROW_BLOCK] = {0};
    for (int64_t j = 0; j < count; j++) {
        const float *const column = job->matrix + j * count + begin;
        const float factor = (float)job->x[j];
        for (int64_t i = 0; i < rows; i++)
            sum[i] += column[i] * factor;
    }
    memcpy(job->result + begin, sum, sizeof *sum * (size_t)rows);
}

void vti_multiply_panels(int64_t count, const float *matrix, const double *x, float *result,
                         int threads)
{
    multiply_job job = {count, matrix, x, result};
    vti_parallel_for(threads, count, ROW_BLOCK, multiply_rows, &job);
}

/* What flows out of a body as a whole: nothing, and as much as it grows where it deforms, m^3/s. */
static double find_growth(const vt_panels *p, const vt_paneled_body *b)
{
    double growth = 0;
    for (int32_t i = b->first; i < b->first + b->count && b->body->form; i++) {
        double wall[3];
        vti_wall_velocity(b, p->center[i], wall);
        growth += vti_dot(wall, p->normal[i]) * (double)p->area[i];
    }
    return growth;
}

/* From the densities of a body follow its dipole and the densities of its patches. */
static void take_densities(vt_panels *p, vt_paneled_body *b)
{
    memcpy(b->dipole, b->wide_dipole, sizeof b->dipole);
    for (int32_t i = b->first; i < b->first + b->count; i++) {
        const double charge = (double)p->density[i] * (double)p->area[i];
        for (int c = 0; c < 3; c++)
            b->dipole[c] += charge * (p->center[i][c] - b->center[c]);
    }
    for (int32_t i = 0; i < b->count && b->whole; i++)
        b->whole[i].density = p->density[b->first + i];
    for (int32_t n = b->first_patch; n < b->first_patch + b->patch_count; n++)
        p->patch[n].density = p->density[p->panel[n]] + p->excess[n];
    for (int32_t n = b->first_image; n < b->first_image + b->image_count; n++) {
        const int32_t of = p->image_of[n];
        p->image[n].density = of < 0 ? p->density[-1 - of] : p->patch[of].density;
    }
}

void vti_find_passing_velocity(vt_simulation *s, const vt_paneled_body *b, vt_scope scope,
                               float *velocity)
{
    const size_t mark = vti_arena_mark(&s->arena), bytes = 12 * (size_t)b->count;
    float *const cells = vti_arena_push(&s->arena, bytes);
    vti_panel_cells(s, b, cells);
    memcpy(velocity, s->panels.onset + 3 * (int64_t)b->first, bytes);
    vti_add_neighbours(s, b, scope, b->count, cells, velocity);
    vti_arena_pop(&s->arena, mark);
}

/* Whether the matrix of one of them knows of the other. */
static int are_solved_together(const vt_paneled_body *a, const vt_paneled_body *b)
{
    return vti_are_joined(a, b) || vti_stands_on(a, b) || vti_stands_on(b, a);
}

/* Room before a panel: to the nearest other body, m, or `within` where there is more; *beside: that
 * body. */
static double find_room(const vt_panels *p, const vt_paneled_body *b, int32_t panel,
                        int with_joined, double within, int32_t *beside)
{
    const double *const center = p->center[panel];
    double room = within;
    *beside = -1;
    for (int32_t n = 0; n < p->body_count; n++) {
        const vt_paneled_body *const other = &p->bodies[n];
        const double limit = other->reach + room;
        double local[3];
        if (other == b || (!with_joined && are_solved_together(b, other)) ||
            vti_square_between(other->center, center) > limit * limit)
            continue;
        vti_pose_point_back(&other->pose, center, local);
        const double scale = other->pose.scale;
        const double here = scale * vti_room_at_body(other->body, local, room / scale, NULL);
        if (here < room) {
            room = here;
            *beside = n;
        }
    }
    return room;
}

/* How much of the flow that other bodies make a panel turns back. A gap thinner than a cell is not
 * resolved: panels that face each other across it would drive each other without bound, so the
 * thinner it is, the less they see of each other. */
static double openness(double room)
{
    return fmin(fmax((room - closed_at) / (open_at - closed_at), 0), 1);
}

static void find_rooms_of_body(void *data, int64_t n)
{
    vt_simulation *const s = data;
    vt_panels *const p = &s->panels;
    const vt_paneled_body *const b = &p->bodies[n];
    const double h = s->grid.spacing, within = fmax(open_at * h, s->grid.core);
    for (int32_t i = b->first; i < b->first + b->count; i++) {
        int32_t stranger;
        double room = find_room(p, b, i, 1, within, &p->beside[i]);
        p->room[i] = (float)room;
        if (b->set->whole || b->set->open)
            room = find_room(p, b, i, 0, within, &stranger);
        p->sees[i] = (float)openness(room / h);
    }
}

/* Whether two bodies may be of one group: solids that shed, and turn alike. Where one of them turns
 * on the other, the vorticity inside is not the same. */
static int are_alike(const vt_paneled_body *a, const vt_paneled_body *b)
{
    int alike = !a->set->open && !b->set->open;
    for (int c = 0; c < 3; c++)
        alike = alike && a->angular[c] == b->angular[c];
    return alike && vti_sheds(a->body) && vti_sheds(b->body) && !a->body->hole && !b->body->hole;
}

/* Bodies that touch, or of which the grid does not resolve the gap, are of one group, whose number
 * is that of its first; each is posed as one of its own. */
static void group_bodies(vt_panels *p)
{
    for (int32_t n = 0; n < p->body_count; n++)
        for (int32_t i = p->bodies[n].first; i < p->bodies[n].first + p->bodies[n].count; i++) {
            const vt_paneled_body *const a = &p->bodies[n];
            const vt_paneled_body *const b = p->beside[i] < 0 ? a : &p->bodies[p->beside[i]];
            const int32_t kept = a->group < b->group ? a->group : b->group;
            const int32_t gone = a->group < b->group ? b->group : a->group;
            for (int32_t m = 0; kept != gone && are_alike(a, b) && m < p->body_count; m++)
                if (p->bodies[m].group == gone)
                    p->bodies[m].group = kept;
        }
}

/* What the panels of a body are to emit, m/s. */
static void find_conditions(vt_simulation *s, vt_paneled_body *b, double *condition)
{
    const vt_panels *const p = &s->panels;
    const size_t mark = vti_arena_mark(&s->arena), bytes = 12 * (size_t)b->count;
    float *const cells = vti_arena_push(&s->arena, bytes);
    float *const velocity = vti_arena_push(&s->arena, bytes);
    double square = 0;
    vti_panel_cells(s, b, cells);
    memcpy(velocity, p->onset + 3 * (int64_t)b->first, bytes);
    vti_add_neighbours(s, b, VT_SOLVED_APART, b->count, cells, velocity);
    for (int32_t i = 0; i < b->count; i++) {
        const float *const onset = p->onset + 3 * (int64_t)(b->first + i);
        double through[3], neighbours[3];
        vti_wall_velocity(b, p->center[b->first + i], through);
        for (int c = 0; c < 3; c++) {
            neighbours[c] = (double)velocity[3 * i + c] - (double)onset[c];
            through[c] -= (double)velocity[3 * i + c];
        }
        square += vti_dot(through, through);
        vti_add_scaled(through, 1 - (double)p->sees[b->first + i], neighbours);
        condition[i] = b->body->hidden ? 0 : vti_dot(through, p->normal[b->first + i]);
    }
    b->stream = vti_sqrt(square / b->count);
    vti_arena_pop(&s->arena, mark);
}

/* Bodies that are solved for together, or a single one. */
typedef struct together {
    vt_paneled_body **body;
    int32_t count;
    const vt_panel_set *set;
    double *area; /* of each panel, m^2 */
    double all;   /* of all, m^2 */
} together;

/* Those of which the body is the first; 0: it is none. */
static int list_together(vt_simulation *s, int32_t first, together *t)
{
    vt_panels *const p = &s->panels;
    vt_paneled_body *const b = &p->bodies[first];
    *t = (together){.set = b->set->whole ? b->set->whole : b->set};
    t->body = vti_arena_push(&s->arena, sizeof *t->body * (size_t)p->body_count);
    t->area = vti_arena_push(&s->arena, sizeof *t->area * (size_t)t->set->count);
    for (int32_t n = 0; n < first; n++)
        if (vti_are_joined(&p->bodies[n], b))
            return 0;
    for (int32_t n = first; n < p->body_count; n++)
        if (n == first || vti_are_joined(b, &p->bodies[n]))
            t->body[t->count++] = &p->bodies[n];
    for (int32_t m = 0; m < t->count; m++)
        for (int32_t i = 0; i < t->body[m]->count; i++) {
            const double area = (double)p->area[t->body[m]->first + i];
            t->area[t->body[m]->set->first + i] = area;
            t->all += area;
        }
    return 1;
}

/* What leaves a closed surface as a whole is what it grows by, m^3/s. */
static void balance_conditions(const together *t, double growth, double *condition)
{
    double flux = -growth;
    for (int32_t i = 0; i < t->set->count && !t->set->open; i++)
        flux += condition[i] * t->area[i];
    for (int32_t i = 0; i < t->set->count && !t->set->open; i++)
        condition[i] -= flux / t->all;
}

static void balance_densities(const together *t, double growth, float *density)
{
    double flux = -growth;
    for (int32_t i = 0; i < t->set->count && !t->set->open; i++)
        flux += (double)density[i] * t->area[i];
    for (int32_t i = 0; i < t->set->count && !t->set->open; i++)
        density[i] -= (float)(flux / t->all);
}

/* The sum of the sources of a body, of one that is on its own exactly what it grows by. */
static double charge_of(const vt_panels *p, const vt_paneled_body *b)
{
    double charge = 0;
    if (!b->set->whole)
        return find_growth(p, b);
    for (int32_t i = b->first; i < b->first + b->count; i++)
        charge += (double)p->density[i] * (double)p->area[i];
    return charge;
}

/* Bodies of which number `first` is the first. */
static void solve_together(vt_simulation *s, int32_t first)
{
    vt_panels *const p = &s->panels;
    const size_t mark = vti_arena_mark(&s->arena);
    double growth = 0;
    together t;
    if (list_together(s, first, &t)) {
        double *const condition =
            vti_arena_push(&s->arena, sizeof *condition * (size_t)t.set->count);
        float *const density = vti_arena_push(&s->arena, sizeof *density * (size_t)t.set->count);
        for (int32_t m = 0; m < t.count; m++) {
            find_conditions(s, t.body[m], condition + t.body[m]->set->first);
            growth += find_growth(p, t.body[m]);
        }
        balance_conditions(&t, growth, condition);
        vti_multiply_panels(t.set->count, t.set->inverse, condition, density, s->def.threads);
        balance_densities(&t, growth, density);
        for (int32_t m = 0; m < t.count; m++) {
            vt_paneled_body *const b = t.body[m];
            memcpy(p->density + b->first, density + b->set->first,
                   sizeof *density * (size_t)b->count);
            b->charge = charge_of(p, b);
            take_densities(p, b);
        }
    }
    vti_arena_pop(&s->arena, mark);
}

vt_impulse vti_find_wide_force(vt_simulation *s, const vt_paneled_body *b)
{
    const vt_panels *const p = &s->panels;
    const size_t mark = vti_arena_mark(&s->arena), room = (size_t)b->patch_count;
    int32_t *const patch = vti_arena_push(&s->arena, 4 * room);
    float *const cells = vti_arena_push(&s->arena, 12 * room);
    float *const velocity = vti_arena_push(&s->arena, 12 * room);
    const double h = s->grid.spacing;
    vt_impulse pull = b->wide_force;
    int64_t count = 0;
    for (int32_t i = b->first_patch; i < b->first_patch + b->patch_count; i++)
        if (p->excess[i] != 0) {
            memcpy(cells + 3 * count, p->patch[i].center, sizeof p->patch[i].center);
            patch[count++] = i;
        }
    memset(velocity, 0, 12 * (size_t)count);
    vti_add_neighbours(s, b, VT_APART_AND_IMAGES, count, cells, velocity);
    vti_add_excess_around(s, b, count, cells, velocity);
    for (int64_t n = 0; n < count; n++) {
        const int32_t i = patch[n];
        const double charge = (double)p->excess[i] * (double)p->patch[i].area * h * h;
        double arm[3];
        vti_from_cells(&s->grid, cells + 3 * n, arm);
        vti_add_scaled(arm, -1, b->center);
        vti_add_lagally_force(arm, charge, velocity + 3 * n, &pull);
    }
    vti_arena_pop(&s->arena, mark);
    return pull;
}

/* Adds to the onset the part that does not change from round to round: the excess of wide panels.
 */
static void add_excess_to_onset(vt_simulation *s)
{
    vt_panels *const p = &s->panels;
    for (int32_t n = 0; n < p->body_count; n++) {
        const vt_paneled_body *const b = &p->bodies[n];
        const size_t mark = vti_arena_mark(&s->arena);
        float *const cells = vti_arena_push(&s->arena, 12 * (size_t)b->count);
        vti_panel_cells(s, b, cells);
        vti_add_excess_around(s, b, b->count, cells, p->onset + 3 * (int64_t)b->first);
        vti_arena_pop(&s->arena, mark);
    }
}

static int has_settled(const vt_panels *p, const float *before)
{
    double change = 0, size = 0;
    for (int32_t i = 0; i < p->count; i++) {
        const double now = (double)p->density[i], way = now - (double)before[i];
        change += way * way;
        size += now * now;
    }
    return change <= settled * settled * size;
}

void vti_solve_densities(vt_simulation *s)
{
    vt_panels *const p = &s->panels;
    vti_find_onset(s);
    vti_find_excess(s);
    vti_lay_whole_panels(s);
    add_excess_to_onset(s);
    memset(p->density, 0, sizeof *p->density * (size_t)p->count);
    for (int32_t n = 0; n < p->body_count; n++)
        take_densities(p, &p->bodies[n]);
    const int rounds = vti_have_neighbours(p) ? ROUNDS : 1;
    const size_t mark = vti_arena_mark(&s->arena), bytes = sizeof *p->density * (size_t)p->count;
    float *const before = vti_arena_push(&s->arena, bytes);
    vti_parallel_each(s->def.threads, p->body_count, 1, find_rooms_of_body, s);
    group_bodies(p);
    for (int round = 0; round < rounds; round++) {
        memcpy(before, p->density, bytes);
        for (int32_t n = 0; n < p->body_count; n++)
            solve_together(s, n);
        if (has_settled(p, before))
            break;
    }
    vti_arena_pop(&s->arena, mark);
}
