/* The calls whose allocations are made to fail, each in a simulation of its own. */
#pragma once

#include <stdint.h>

#include <vorton.h>

typedef struct fault_case {
    const char *name;
    int kind;                          /* which of several, for both functions */
    vt_simulation *(*setup)(int kind); /* NULL: the call needs no simulation */
    vt_status (*call)(vt_simulation *simulation, int kind);
    int looks;      /* brings the fields up to date, also where it then fails: that sorts vortons */
    int reads_file; /* and may fail with VT_IO */
} fault_case;

extern const fault_case all_cases[]; /* the last one has no name */

extern int case_threads; /* of the simulations */

/* A digest of what a call gave besides the state: the same wherever it succeeds. */
extern uint64_t outcome;

/* What several calls share: a file in the folder of now, simulations. */
void make_shared(void);
void drop_shared(void);
