#include "base/status.h"
#include "state/simulation.h"
#include "state/transform.h"

static vt_status add_transform_now(vt_simulation *s, const void *data, void *result)
{
    const vt_transform_def *const def = data;
    int32_t *const id = result;
    const vt_status status = vti_keep_transform(&s->transforms, def);
    if (!status)
        *id = s->transforms.count;
    return status;
}

vt_status vt_add_transform(vt_simulation *s, const vt_transform_def *def, int32_t *id)
{
    return vti_accept_and_use(&vti_transform_definition, s, def, add_transform_now, id);
}

vt_status vt_get_pose(vt_simulation *s, int32_t id, double time, double matrix[3][4])
{
    vt_status status = vti_enter(s);
    if (status)
        return status;
    status = vti_check_parent(&s->transforms, id);
    if (!status && !vti_is_finite(time))
        status = vti_fail(VT_INVALID_ARGUMENT, "time is %g s; allowed are finite times", time);
    if (!status) {
        const vt_pose pose = vti_pose_at(&s->transforms, id, time);
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++)
                matrix[r][c] = pose.scale * pose.matrix[r][c];
            matrix[r][3] = pose.position[r];
        }
    }
    return vti_leave(s, status);
}
