/* The kernels that archives need, in place of the table of all. */
#include "kernels/dispatch.h"

const vt_stage_table *vti_stages(void)
{
    static const vt_stage_table table = {.gather_rows = vti_scalar_gather_rows,
                                         .find_digits = vti_scalar_find_digits,
                                         .find_zeros = vti_scalar_find_zeros,
                                         .take_words = vti_scalar_take_words,
                                         .restore_words = vti_scalar_restore_words,
                                         .find_lone = vti_scalar_find_lone,
                                         .part_words = vti_scalar_part_words,
                                         .join_classes = vti_scalar_join_classes,
                                         .take_differences = vti_scalar_take_differences,
                                         .put_codes = vti_scalar_put_codes,
                                         .put_rice = vti_scalar_put_rice,
                                         .take_rice = vti_scalar_take_rice,
                                         .guess_rice = vti_scalar_guess_rice,
                                         .fold_crc = vti_scalar_fold_crc};
    return &table;
}
