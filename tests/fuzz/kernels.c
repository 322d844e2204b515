/* The kernels that archives need, in place of the table of all. */
#include "kernels/dispatch.h"

const vt_stage_table *vti_stages(void)
{
    static const vt_stage_table table = {.gather_rows = vti_scalar_gather_rows,
                                         .find_digits = vti_scalar_find_digits,
                                         .find_zeros = vti_scalar_find_zeros,
                                         .take_words = vti_scalar_take_words,
                                         .restore_words = vti_scalar_restore_words,
                                         .part_words = vti_scalar_part_words,
                                         .join_classes = vti_scalar_join_classes};
    return &table;
}
