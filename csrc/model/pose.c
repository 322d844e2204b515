#include "model/pose.h"

#include <math.h>

#include "base/vec3.h"

/* ---- quaternions: w x y z ---- */

static double dot4(const double a[4], const double b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

int vti_normalise_quaternion(double q[4])
{
    double largest = 0;
    for (int c = 0; c < 4; c++)
        largest = fmax(largest, vti_abs(q[c]));
    if (!(largest > 0))
        return 0;
    for (int c = 0; c < 4; c++)
        q[c] /= largest;
    const double length = vti_sqrt(dot4(q, q));
    for (int c = 0; c < 4; c++)
        q[c] /= length;
    return 1;
}

/* atan(x) for 0 <= x <= 1: three times atan x = 2 atan(x / (1 + sqrt(1 + x^2))), then the series.
 */
static double arctangent(double x)
{
    for (int n = 0; n < 3; n++)
        x /= 1 + vti_sqrt(1 + x * x);
    double sum = 0;
    for (int n = 8; n >= 0; n--)
        sum = 1.0 / (2 * n + 1) - x * x * sum;
    return 8 * x * sum;
}

/* To full precision also where the angle is small. */
double vti_quaternion_angle(const double a[4], const double b[4])
{
    double difference[4], sum[4];
    for (int c = 0; c < 4; c++) {
        difference[c] = b[c] - a[c];
        sum[c] = b[c] + a[c];
    }
    return 2 * arctangent(vti_sqrt(fmin(1, dot4(difference, difference) / dot4(sum, sum))));
}

/* The share `way` of the turn by `angle` from a to b. */
static void slerp(const double a[4], const double b[4], double angle, double way, double q[4])
{
    double part[2] = {angle - way, way};
    if (angle > 1e-8)
        for (int end = 0; end < 2; end++)
            part[end] = vti_sin(part[end]);
    for (int c = 0; c < 4; c++)
        q[c] = part[0] * a[c] + part[1] * b[c];
    if (!vti_normalise_quaternion(q))
        memcpy(q, a, 4 * sizeof *q);
}

static void rotation_at(const vt_track *rotation, const vt_track *arc, double time, double q[4])
{
    const int64_t key = vti_find_key(rotation, time);
    const double *const from = rotation->values + 4 * (key < 0 ? 0 : key);
    memcpy(q, from, 4 * sizeof *q);
    if (key < 0 || key >= rotation->count - 1)
        return;
    double c[4];
    vti_track_polynomial(arc, key, 0, c);
    const double angle = arc->values[key + 1] - c[0];
    c[0] = 0;
    const double way = vti_polynomial(c, time - vti_key_time(arc, key));
    slerp(from, from + 4, angle, fmin(fmax(way, 0), angle), q);
}

static void matrix_of_turn(const double axis[3], double degrees, double m[3][3])
{
    const double cosine = vti_cos_pi(degrees / 180), sine = vti_sin_pi(degrees / 180);
    const double cross[3][3] = {
        {0, -axis[2], axis[1]}, {axis[2], 0, -axis[0]}, {-axis[1], axis[0], 0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[i][j] = (1 - cosine) * axis[i] * axis[j] + sine * cross[i][j] + (i == j ? cosine : 0);
}

static void multiply(const double (*a)[3], const double (*b)[3], double product[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            product[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
}

/* ---- poses ---- */

static vt_pose own_pose(const vt_transform *transform, double time)
{
    vt_transform_def now = transform->def;
    double rotation[3][3], turn[3][3];
    vti_animate(&transform->animations, time, &now);
    if (transform->arc.count > 0)
        rotation_at(vti_find_animation(&transform->animations, "rotation"), &transform->arc, time,
                    now.rotation);
    vt_pose pose = {.scale = now.scale};
    memcpy(pose.position, now.position, sizeof pose.position);
    vti_quaternion_matrix(now.rotation, rotation);
    matrix_of_turn(now.axis, now.angle, turn);
    multiply((const double (*)[3])rotation, (const double (*)[3])turn, pose.matrix);
    return pose;
}

vt_pose vti_pose_at(const vt_transforms *transforms, int32_t id, double time)
{
    if (id == 0)
        return (vt_pose){.matrix = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .scale = 1};
    vt_pose pose = own_pose(&transforms->items[id - 1], time);
    for (int32_t p = transforms->items[id - 1].def.parent; p;
         p = transforms->items[p - 1].def.parent) {
        const vt_pose parent = own_pose(&transforms->items[p - 1], time);
        vt_pose joined = {.scale = parent.scale * pose.scale};
        vti_pose_point(&parent, pose.position, joined.position);
        multiply((const double (*)[3])parent.matrix, (const double (*)[3])pose.matrix,
                 joined.matrix);
        pose = joined;
    }
    return pose;
}

void vti_pose_direction(const vt_pose *pose, const double direction[3], double world[3])
{
    double turned[3];
    for (int c = 0; c < 3; c++)
        turned[c] = vti_dot(pose->matrix[c], direction);
    memcpy(world, turned, sizeof turned);
}

void vti_pose_point(const vt_pose *pose, const double point[3], double world[3])
{
    vti_pose_direction(pose, point, world);
    for (int c = 0; c < 3; c++)
        world[c] = pose->position[c] + pose->scale * world[c];
}

void vti_pose_point_row(const vt_pose *pose, float point[3])
{
    double place[3];
    vti_widen(point, place);
    vti_pose_point(pose, place, place);
    vti_narrow(place, point);
}

void vti_pose_vector_row(const vt_pose *pose, float vector[3])
{
    double turned[3];
    vti_widen(vector, turned);
    vti_pose_direction(pose, turned, turned);
    for (int c = 0; c < 3; c++)
        vector[c] = (float)(pose->scale * turned[c]);
}

/* ---- motion ---- */

static double rate_of(const vt_track *track, int component, double time)
{
    const int64_t key = track ? vti_find_key(track, time) : -1;
    if (key < 0 || key >= track->count - 1)
        return 0;
    double c[4];
    vti_track_polynomial(track, key, component, c);
    const double d = time - vti_key_time(track, key);
    return c[1] + d * (2 * c[2] + d * 3 * c[3]);
}

/* The axis of the turn that leads from the key before a time to the next, where there is one. */
static void axis_of_arc(const vt_track *rotation, double time, double axis[3])
{
    const int64_t key = vti_find_key(rotation, time);
    memset(axis, 0, 3 * sizeof *axis);
    if (key < 0 || key >= rotation->count - 1)
        return;
    const double *const a = rotation->values + 4 * key, *const b = a + 4;
    vti_cross(b + 1, a + 1, axis);
    for (int c = 0; c < 3; c++)
        axis[c] = a[0] * b[c + 1] - b[0] * a[c + 1] - axis[c];
    vti_normalise(axis);
}

static vt_motion own_motion(const vt_transform *t, double time)
{
    const double radians = VT_PI / 180;
    vt_motion motion = {{0}, {0}};
    vt_pose turned = {.matrix = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int c = 0; c < 3; c++)
        motion.velocity[c] = rate_of(vti_find_animation(&t->animations, "position"), c, time);
    double q[4], axis[3];
    memcpy(q, t->def.rotation, sizeof q);
    if (t->arc.count > 0) {
        const vt_track *const rotation = vti_find_animation(&t->animations, "rotation");
        rotation_at(rotation, &t->arc, time, q);
        axis_of_arc(rotation, time, axis);
        vti_add_scaled(motion.angular, 2 * rate_of(&t->arc, 0, time), axis);
    }
    vti_quaternion_matrix(q, turned.matrix);
    vti_pose_direction(&turned, t->def.axis, axis);
    vti_add_scaled(motion.angular,
                   radians * rate_of(vti_find_animation(&t->animations, "angle"), 0, time), axis);
    return motion;
}

vt_motion vti_motion_at(const vt_transforms *transforms, int32_t id, double time)
{
    vt_motion motion = {{0}, {0}};
    double place[3] = {0, 0, 0};
    for (; id; id = transforms->items[id - 1].def.parent) {
        const vt_transform *const transform = &transforms->items[id - 1];
        const vt_pose pose = own_pose(transform, time);
        vt_motion own = own_motion(transform, time);
        double arm[3], carried[3], turned[3];
        for (int c = 0; c < 3; c++)
            arm[c] = pose.scale * vti_dot(pose.matrix[c], place);
        vti_cross(own.angular, arm, carried);
        vti_pose_direction(&pose, motion.velocity, turned);
        for (int c = 0; c < 3; c++) {
            own.velocity[c] += carried[c] + pose.scale * turned[c];
            place[c] = pose.position[c] + arm[c];
        }
        vti_pose_direction(&pose, motion.angular, turned);
        vti_add_scaled(own.angular, 1, turned);
        motion = own;
    }
    return motion;
}

/* The first time in (from, to] at which a key of interpolation constant gives way to another value;
 * INFINITY: none. */
static double first_jump(const vt_track *track, double from, double to)
{
    const size_t size = sizeof(double) * (size_t)track->components;
    if (!track->interpolation)
        return INFINITY;
    for (int64_t k = vti_find_key(track, from); k < track->count - 1; k++) {
        if (k >= 0 && vti_key_time(track, k + 1) > to)
            return INFINITY;
        const double *const value = track->values + (k < 0 ? 0 : k) * track->components;
        if (k >= 0 && track->interpolation[k] == VT_TRACK_CONSTANT &&
            memcmp(value, value + track->components, size) != 0)
            return vti_key_time(track, k + 1);
    }
    return INFINITY;
}

double vti_next_jump(const vt_transforms *transforms, int32_t id, double from, double to)
{
    double next = INFINITY;
    for (; id; id = transforms->items[id - 1].def.parent) {
        const vt_animations *const animations = &transforms->items[id - 1].animations;
        for (int32_t a = 0; a < animations->count; a++)
            next = fmin(next, first_jump(&animations->items[a].track, from, to));
    }
    return next;
}

double vti_next_key(const vt_transforms *transforms, int32_t id, double time)
{
    double next = INFINITY;
    for (; id; id = transforms->items[id - 1].def.parent) {
        const vt_animations *const animations = &transforms->items[id - 1].animations;
        for (int32_t a = 0; a < animations->count; a++) {
            const vt_track *const track = &animations->items[a].track;
            int64_t key = vti_find_key(track, time) + 1;
            while (key < track->count && vti_key_time(track, key) <= time)
                key++; /* that of a sample is rounded */
            if (key < track->count)
                next = fmin(next, vti_key_time(track, key));
        }
    }
    return next;
}

/* From the largest of the four sums that hold a component squared (Shepperd 1978). */
void vti_pose_quaternion(const vt_pose *pose, double q[4])
{
    const double (*const m)[3] = pose->matrix;
    const double trace = m[0][0] + m[1][1] + m[2][2];
    int i = 0;
    for (int c = 1; c < 3; c++)
        i = m[c][c] > m[i][i] ? c : i;
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    if (trace > m[i][i]) {
        q[0] = 1 + trace;
        for (int c = 0; c < 3; c++)
            q[c + 1] = m[(c + 2) % 3][(c + 1) % 3] - m[(c + 1) % 3][(c + 2) % 3];
    } else {
        q[0] = m[k][j] - m[j][k];
        q[i + 1] = 1 + m[i][i] - m[j][j] - m[k][k];
        q[j + 1] = m[j][i] + m[i][j];
        q[k + 1] = m[k][i] + m[i][k];
    }
    vti_normalise_quaternion(q);
    const double sign = q[0] < 0 ? -1 : 1;
    for (int c = 0; c < 4; c++)
        q[c] *= sign;
}

int vti_parent_moves(const vt_transforms *transforms, int32_t id)
{
    return id != 0 && transforms->items[id - 1].moves;
}
