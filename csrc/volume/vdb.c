/* Writer of OpenVDB files, format version 224, from the leaves of a volume.
 *
 * A file is a header, then for each grid a descriptor, metadata, transform, topology (which nodes
 * exist, which voxels are active) and buffers (values). Trees are 5-4-3: a root, nodes of 32^3 and
 * 16^3 children, leaves of 8^3 voxels. Only the values of active voxels are stored (active-mask
 * compression), then perhaps packing as zlib does, a leaf at a time. All numbers are little-endian.
 * Written from the behaviour of OpenVDB 10 to 13; what these readers insist on is said where it
 * matters. */
#include <stdio.h>
#include <string.h>

#include "animation/definition.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/status.h"
#include "kernels/grid/half_floats.h"
#include "volume/vdb_leaves.h"
#include "volume/volume.h"

enum {
    FILE_VERSION = 224,
    LIBRARY_MAJOR = 10, /* the OpenVDB that the file could come from */
    LIBRARY_MINOR = 0,
    COMPRESS_ZIP = 1,
    COMPRESS_ACTIVE_MASK = 2,
    IDENTIFIER = 36,
    ROOT_CHILD_MASK = 32 * 32 * 32 / 8,
    NODE_CHILD_MASK = 16 * 16 * 16 / 8
};

void vt_free(void *pointer)
{
    vti_return_borrowed(pointer);
}

static const char creator[] = "vorton " VORTON_VERSION;

/* ---- metadata ---- */

/* Metadata: name, type, size of the value, value. */
static void put_metadata(vt_bytes *b, const char *name, const char *type, const void *value,
                         size_t size)
{
    vti_put_string(b, name);
    vti_put_string(b, type);
    vti_put_uint32(b, (uint32_t)size);
    vti_put(b, value, size);
}

static void put_text(vt_bytes *b, const char *name, const char *text)
{
    put_metadata(b, name, "string", text, strlen(text));
}

/* ---- a grid ---- */

static void put_statistics(vt_bytes *b, const vt_leaves *leaves)
{
    int32_t low[3], high[3];
    const int64_t count = vti_active_bounds(leaves, low, high);
    put_metadata(b, "file_bbox_max", "vec3i", high, sizeof high);
    put_metadata(b, "file_bbox_min", "vec3i", low, sizeof low);
    put_metadata(b, "file_voxel_count", "int64", &count, sizeof count);
}

/* Nothing about compression or delayed loading goes into the metadata: readers believe it. */
static void put_grid_metadata(vt_bytes *b, const vt_vdb_grid *g)
{
    const uint8_t half = (uint8_t)g->half;
    vti_put_uint32(b, COMPRESS_ACTIVE_MASK | (g->zip ? COMPRESS_ZIP : 0));
    vti_put_uint32(b, g->vector_type ? 8 : 7);
    put_text(b, "class", g->class_name);
    put_text(b, "creator", creator);
    put_statistics(b, g->leaves);
    put_metadata(b, "is_saved_as_half_float", "bool", &half, 1);
    put_text(b, "name", g->name);
    if (g->vector_type)
        put_text(b, "vector_type", g->vector_type);
}

/* Translation 0, then scale, voxel size, 1 / scale, 1 / scale^2, 1 / (2 scale), three of each. */
static void put_transform(vt_bytes *b, double h)
{
    const double numbers[6] = {0.0, h, h, 1.0 / h, 1.0 / (h * h), 0.5 / h};
    vti_put_string(b, "UniformScaleTranslateMap");
    for (int i = 0; i < 18; i++)
        vti_put_double(b, numbers[i / 3]);
}

/* Mask of the children that exist, mask of active tiles (none), and the tile values, of which with
 * active-mask compression there is nothing but the byte that says so. */
static void put_node(vt_bytes *b, const vt_vdb_grid *g, const uint8_t *children, size_t bytes)
{
    vti_put(b, children, bytes);
    vti_put_zeros(b, bytes);
    vti_put_byte(b, VT_VDB_NO_INACTIVE);
    vti_put_no_values(b, g);
}

/* One past the last leaf from `row` that has the same parent: keys equal but for `bits` bits. */
static int64_t end_of_parent(const vt_leaves *leaves, int64_t row, int bits)
{
    const uint64_t parent = leaves->keys[row] >> bits;
    while (row < leaves->count && leaves->keys[row] >> bits == parent)
        row++;
    return row;
}

static void mark_child(uint8_t *mask, uint64_t child)
{
    mask[child >> 3] |= (uint8_t)(1u << (child & 7));
}

static void put_inner_node(vt_bytes *b, const vt_vdb_grid *g, int64_t begin, int64_t end)
{
    uint8_t children[NODE_CHILD_MASK] = {0};
    for (int64_t row = begin; row < end; row++)
        mark_child(children, g->leaves->keys[row] & 4095);
    put_node(b, g, children, sizeof children);
    vti_put(b, g->leaves->masks + begin * VT_LEAF_WORDS, (size_t)(end - begin) * 64);
}

static void put_root_child(vt_bytes *b, const vt_vdb_grid *g, int64_t begin, int64_t end)
{
    uint8_t children[ROOT_CHILD_MASK] = {0};
    int32_t origin[3];
    vti_leaf_origin(g->leaves->keys[begin] >> 27 << 27, origin);
    vti_put(b, origin, sizeof origin);
    for (int64_t row = begin; row < end; row++)
        mark_child(children, g->leaves->keys[row] >> 12 & 32767);
    put_node(b, g, children, sizeof children);
    for (int64_t row = begin, next; row < end; row = next) {
        next = end_of_parent(g->leaves, row, 12);
        put_inner_node(b, g, row, next);
    }
}

/* The background is always of full precision. */
static void put_topology(vt_bytes *b, const vt_vdb_grid *g)
{
    uint32_t children = 0;
    for (int64_t row = 0; row < g->leaves->count; row = end_of_parent(g->leaves, row, 27))
        children++;
    vti_put_uint32(b, 1); /* buffers a leaf */
    for (int c = 0; c < g->components; c++)
        vti_put(b, &g->background, sizeof g->background);
    vti_put_uint32(b, 0); /* tiles of the root */
    vti_put_uint32(b, children);
    for (int64_t row = 0, next; row < g->leaves->count; row = next) {
        next = end_of_parent(g->leaves, row, 27);
        put_root_child(b, g, row, next);
    }
}

/* What says which nodes and voxels exist, and how much room the values take at most. */
static int plan_grid(vt_vdb_grid *g, int threads)
{
    if (g->leaves_out_zeros && vti_leave_out_zeros(g, threads) != 0)
        return -1;
    g->zip = g->zip && vti_packing_pays(g);
    put_grid_metadata(&g->head, g);
    put_transform(&g->head, g->voxel_size);
    put_topology(&g->head, g);
    return g->head.failed ? -1 : vti_plan_vdb_leaves(g, threads);
}

static void destroy_grid(vt_vdb_grid *g)
{
    vti_free(g->blocks);
    vti_destroy_sparse(g);
    vti_return_borrowed(g->head.bytes);
}

/* ---- the file ---- */

/* Readers expect an identifier that differs between files; ours is a hash of the content, so that
 * the same volume gives the same bytes. In the form of a UUID of version 8. */
static void write_identifier(uint8_t *to, const vt_vdb_grid *grids, int count)
{
    uint64_t hash = 0;
    for (int i = 0; i < count; i++) {
        hash = vti_hash_bytes(hash, &grids[i].head);
        for (int64_t block = 0; block < grids[i].block_count; block++)
            hash = vti_mix(hash ^ grids[i].blocks[block].hash);
    }
    const unsigned long long high = hash, low = vti_mix(hash);
    char text[40];
    snprintf(text, sizeof text, "%08llx-%04llx-8%03llx-%04llx-%012llx", high >> 32,
             high >> 16 & 0xffff, high & 0xfff, (low >> 48 & 0x3fff) | 0x8000,
             low & 0xffffffffffff);
    memcpy(to, text, IDENTIFIER);
}

/* Returns where the identifier goes, once the content is there. */
static size_t put_header(vt_bytes *b, int count)
{
    static const char magic[8] = " BDV";
    vti_put(b, magic, sizeof magic);
    vti_put_uint32(b, FILE_VERSION);
    vti_put_uint32(b, LIBRARY_MAJOR);
    vti_put_uint32(b, LIBRARY_MINOR);
    vti_put_byte(b, 1); /* grids have offsets */
    const size_t identifier = b->size;
    vti_put_zeros(b, IDENTIFIER);
    vti_put_uint32(b, 1);
    put_text(b, "creator", creator);
    vti_put_uint32(b, (uint32_t)count);
    return identifier;
}

/* The descriptor has the offsets of the grid, of its buffers, and of its end. */
static void put_grid(vt_bytes *b, vt_vdb_grid *g, int threads)
{
    char type[64];
    snprintf(type, sizeof type, "Tree_%s_5_4_3%s", g->components == 3 ? "vec3s" : "float",
             g->half ? "_HalfFloat" : "");
    vti_put_string(b, g->name);
    vti_put_string(b, type);
    vti_put_string(b, ""); /* the grid that this one is an instance of */
    const size_t start = b->size + 3 * sizeof(int64_t), values = start + g->head.size;
    vti_put_int64(b, (int64_t)start);
    vti_put_int64(b, (int64_t)values);
    const size_t place_of_end = b->size;
    vti_put_int64(b, 0);
    vti_put(b, g->head.bytes, g->head.size);
    b->size += vti_encode_vdb_leaves(g, b->bytes + b->size, threads);
    const int64_t end = (int64_t)b->size;
    memcpy(b->bytes + place_of_end, &end, sizeof end);
}

static vt_status check_range(const vt_vdb_grid *g)
{
    float largest = 0.0f;
    for (int thread = 0; thread < VT_MAX_THREADS; thread++)
        largest = g->largest[thread] > largest ? g->largest[thread] : largest;
    if (g->half && largest >= VT_HALF_OVERFLOW)
        return vti_fail(VT_INVALID_ARGUMENT,
                        "grid %s holds %g; half floats end at 65504: store floats (half = 0), "
                        "or take larger voxels",
                        g->name, (double)largest);
    return VT_OK;
}

/* The file grows in place: there is room for all of it before the values are made. */
static vt_status encode_file(vt_vdb_grid *grids, int count, int threads, vt_bytes *file)
{
    size_t room = 4096;
    for (int i = 0; i < count; i++) {
        if (plan_grid(&grids[i], threads) != 0)
            return vti_fail(VT_OUT_OF_MEMORY, "no memory to encode grid %s", grids[i].name);
        room += 1024 + grids[i].head.size + grids[i].room;
    }
    vti_reserve_bytes(file, room);
    if (file->failed)
        return vti_fail(VT_OUT_OF_MEMORY, "no memory for a .vdb file");
    const size_t identifier = put_header(file, count);
    for (int i = 0; i < count; i++) {
        put_grid(file, &grids[i], threads);
        const vt_status status = check_range(&grids[i]);
        if (status != VT_OK)
            return status;
    }
    write_identifier(file->bytes + identifier, grids, count);
    return VT_OK;
}

/* ---- arguments ---- */

static vt_status check_name(const char *what, const char *name)
{
    if (name && (!name[0] || strlen(name) > 255))
        return vti_fail(VT_INVALID_ARGUMENT, "%s must have 1 .. 255 bytes, got %zu", what,
                        strlen(name));
    for (const char *c = name; c && *c; c++)
        if ((unsigned char)*c < 32 || *c == 127)
            return vti_fail(VT_INVALID_ARGUMENT, "%s must not hold control characters, got %d",
                            what, *c);
    return VT_OK;
}

/* Every grid that a file can have: what it is called, or NULL to leave it out, and what is in it.
 */
typedef struct vdb_row {
    const char *what, *name;
    int field; /* VT_VOLUME_..., or one of the following */
} vdb_row;

enum { ROW_DENSITY = -1, ROW_VELOCITY = -2, ROW_HEAT = -3, ROWS = 6 };

static void list_rows(const vt_vdb_def *def, vdb_row rows[ROWS])
{
    const vdb_row all[ROWS] = {{"density_name", def->density_name, ROW_DENSITY},
                               {"velocity_name", def->velocity_name, ROW_VELOCITY},
                               {"temperature_name", def->temperature_name, VT_VOLUME_temperature},
                               {"heat_name", def->heat_name, ROW_HEAT},
                               {"flame_name", def->flame_name, VT_VOLUME_flame},
                               {"fuel_name", def->fuel_name, VT_VOLUME_fuel}};
    memcpy(rows, all, sizeof all);
}

static vt_status check_names(const vdb_row rows[ROWS])
{
    for (int i = 0; i < ROWS; i++) {
        const vt_status status = check_name(rows[i].what, rows[i].name);
        if (status != VT_OK)
            return status;
        for (int j = 0; j < i && rows[i].name; j++)
            if (rows[j].name && strcmp(rows[i].name, rows[j].name) == 0)
                return vti_fail(VT_INVALID_ARGUMENT, "%s and %s must differ, both are %s",
                                rows[j].what, rows[i].what, rows[i].name);
    }
    return VT_OK;
}

/* ---- grids of a volume ---- */

/* Glow of flame or, without, of what is hot, to be freed; NULL when there is no memory. */
static float *make_heat(const vt_volume *volume)
{
    const size_t count = (size_t)volume->density.count * VT_LEAF_VOXELS;
    float *const *const field = volume->field;
    float *const heat = vti_borrow((count + 1) * sizeof *heat);
    for (size_t i = 0; heat && i < count; i++)
        heat[i] = field[VT_VOLUME_glow] ? field[VT_VOLUME_glow][i]
                                        : vti_heat_of(field[VT_VOLUME_temperature][i]);
    return heat;
}

/* Whether the volume has what the row says, be it empty. */
static int has_row(const vt_volume *volume, const vdb_row *row)
{
    if (!row->name)
        return 0;
    if (row->field == ROW_VELOCITY)
        return volume->has_velocity;
    if (row->field == ROW_HEAT)
        return volume->carries[VT_VOLUME_temperature] || volume->carries[VT_VOLUME_flame];
    return row->field == ROW_DENSITY || volume->carries[row->field];
}

static vt_vdb_grid grid_of_row(const vt_volume *volume, const vdb_row *row, const float *heat)
{
    if (row->field == ROW_VELOCITY)
        return (vt_vdb_grid){.name = row->name,
                             .class_name = "unknown",
                             .vector_type = "contravariant relative",
                             .leaves = &volume->velocity,
                             .values = volume->velocity.values,
                             .components = 3};
    const float *const values = row->field == ROW_DENSITY ? volume->density.values
                                : row->field == ROW_HEAT  ? heat
                                                          : volume->field[row->field];
    const int is_temperature = row->field == VT_VOLUME_temperature;
    const int burns = row->field != ROW_DENSITY && !is_temperature;
    return (vt_vdb_grid){.name = row->name,
                         .class_name = "fog volume",
                         .leaves = &volume->density,
                         .values = values,
                         .background = is_temperature ? (float)volume->ambient_temperature : 0.0f,
                         .leaves_out_zeros = burns,
                         .components = 1};
}

static vt_status encode_rows(const vt_volume *volume, const vt_vdb_def *def,
                             const vdb_row rows[ROWS], const float *heat, vt_bytes *file)
{
    vt_vdb_grid grids[ROWS];
    int count = 0;
    for (int i = 0; i < ROWS; i++) {
        if (!has_row(volume, &rows[i]))
            continue;
        grids[count] = grid_of_row(volume, &rows[i], heat);
        grids[count].voxel_size = volume->voxel_size;
        grids[count].half = def->half != 0;
        grids[count].zip = def->compress != 0;
        count++;
    }
    const vt_status status = encode_file(grids, count, volume->threads, file);
    for (int i = 0; i < count; i++)
        destroy_grid(&grids[i]);
    return status;
}

static vt_status encode_vdb_now(const vt_volume *volume, const vt_vdb_def *def, uint8_t **bytes,
                                int64_t *size)
{
    vdb_row rows[ROWS];
    float *heat = NULL;
    vt_bytes file = {0};
    if (!volume || !def || !bytes || !size)
        return vti_fail(VT_INVALID_ARGUMENT, "%s must not be NULL",
                        !volume  ? "volume"
                        : !def   ? "def"
                        : !bytes ? "bytes"
                                 : "size");
    list_rows(def, rows);
    vt_status status = check_names(rows);
    const vdb_row glow = {.name = def->heat_name, .field = ROW_HEAT};
    if (status == VT_OK && has_row(volume, &glow)) {
        heat = make_heat(volume);
        status = heat ? VT_OK : vti_fail(VT_OUT_OF_MEMORY, "no memory for a .vdb file");
    }
    if (status == VT_OK)
        status = encode_rows(volume, def, rows, heat, &file);
    vti_return_borrowed(heat);
    if (status != VT_OK) {
        vti_return_borrowed(file.bytes);
        return status;
    }
    *bytes = file.bytes;
    *size = (int64_t)file.size;
    return VT_OK;
}

vt_status vt_encode_vdb(const vt_volume *volume, const vt_vdb_def *def, uint8_t **bytes,
                        int64_t *size)
{
    vt_accepted accepted;
    vt_status status = vti_accept(&vti_vdb_definition, def, &accepted);
    if (!status)
        status = encode_vdb_now(volume, accepted.def, bytes, size);
    vti_give_back(&accepted);
    return status;
}
