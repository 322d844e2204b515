/* Whether the lattice of the last substep serves again. What particles do does not depend on that,
 * nor what is counted: one made anew would be the same. */
#include <string.h>

#include "walls.h"

/* Not even one that has just jumped: that one is not followed on its way. */
static int are_still(const vt_walls *walls)
{
    int32_t still = 0;
    for (int32_t n = 0; n < walls->count; n++) {
        const vt_wall *const wall = &walls->wall[n];
        still += wall->still && (wall->swept || wall->body->hole);
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
    vt_arena_pop(&kept->arena, 0);
    kept->count = walls->count;
    kept->placed = walls->lattice;
    kept->pose = vt_arena_push(&kept->arena, sizeof *kept->pose * (size_t)walls->count);
    for (int32_t n = 0; n < walls->count; n++)
        kept->pose[n] = walls->wall[n].pose[0];
    vt_fill_lattice(walls, &kept->arena, threads);
    kept->filled = walls->lattice;
    kept->near = walls->near;
}

void vt_make_lattice(vt_walls *walls, const vt_crowd *crowd, vt_kept_lattice *kept, vt_arena *arena,
                     int threads)
{
    vt_place_lattice(walls, crowd);
    if (walls->lattice.cells[0] == 0)
        return;
    if (!are_still(walls)) {
        vt_fill_lattice(walls, arena, threads);
        return;
    }
    if (!serves(kept, walls))
        make_anew(walls, kept, threads);
    walls->lattice = kept->filled;
    walls->near = kept->near;
}
