/* The sum over all pairs in float32 (the stage `direct`). */
#ifndef VORTON_STAGES_DIRECT_H
#define VORTON_STAGES_DIRECT_H

/* A vorton made ready for the pair loop: the stage needs 32 bytes of scratch for each. */
typedef struct vt_direct_source {
    float position[3];
    float narrowness;  /* 1 / core^2 */
    float strength[3]; /* alpha / (4 pi core^3) */
    float padding;
} vt_direct_source;
_Static_assert(sizeof(vt_direct_source) == 32, "two sources in a cache line");

#endif
