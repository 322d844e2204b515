/* Every allocation of the library is made to fail, one after the other: a call of the API that
 * fails says VT_OUT_OF_MEMORY (where a file cannot be opened VT_IO), and changes nothing: the state
 * is that of before to the bit, the same call then does what it does in a simulation in which
 * nothing ever failed, and so does the step after it. Nothing is leaked.
 *
 *     allocations [-t THREADS] [WORD ...]    only cases with one of these words in their names
 *
 * Prints a line for each case: allocations, calls that failed, those that did without. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "interpose.h"

static int failures, tried, refused_in_all, did_without;

static void check(vt_status status)
{
    if (status == VT_OK)
        return;
    printf("vorton: %s\n", vt_error_message());
    exit(EXIT_FAILURE);
}

/* ---- states ---- */

typedef struct saved {
    uint8_t *bytes;
    int64_t size;
} saved;

static saved save(vt_simulation *s)
{
    saved state = {NULL, 0};
    if (s)
        check(vt_save_state(s, 0, &state.bytes, &state.size));
    return state;
}

static int same(const saved *a, const saved *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->bytes, b->bytes, (size_t)a->size) == 0);
}

static void drop(saved *state)
{
    vt_free(state->bytes);
    *state = (saved){NULL, 0};
}

/* ---- one case ---- */

/* A simulation in which nothing fails: its states, and what the call gave. */
typedef struct reference {
    saved before, after, stepped;
    uint64_t outcome;
    int64_t calls;
} reference;

static void step_on(vt_simulation *s)
{
    if (s)
        check(vt_step(s, 1.0 / 96));
}

static reference make_reference(const fault_case *c)
{
    reference r;
    vt_simulation *const s = c->setup ? c->setup(c->kind) : NULL;
    r.before = save(s);
    outcome = 1;
    fail_calls(INT64_MAX, ONE_FAILS);
    check(c->call(s, c->kind));
    r.calls = calls_made();
    r.outcome = outcome;
    r.after = save(s);
    step_on(s);
    r.stepped = save(s);
    vt_destroy_simulation(s);
    return r;
}

static void expect(int holds, const fault_case *c, int64_t number, int how, const char *what)
{
    if (holds)
        return;
    printf("%s, call %lld%s: %s (%s)\n", c->name, (long long)number,
           how == ALL_FAIL ? " and all after it" : "", what, vt_error_message());
    failures++;
}

static int is_state(vt_simulation *s, const saved *wanted)
{
    saved now = save(s);
    const int is = same(&now, wanted);
    drop(&now);
    return is;
}

static void expect_state(vt_simulation *s, const saved *wanted, const fault_case *c, int64_t number,
                         int how, const char *what)
{
    expect(is_state(s, wanted), c, number, how, what);
}

/* The call with allocation `number` refused, and once more with none. */
static void try_one(const fault_case *c, const reference *r, int64_t number, int how)
{
    vt_simulation *const s = c->setup ? c->setup(c->kind) : NULL;
    outcome = 1;
    fail_calls(number, how);
    vt_status status = c->call(s, c->kind);
    fail_no_calls();
    const int refused = calls_refused() > 0;
    tried++;
    refused_in_all += refused;
    did_without += refused && status == VT_OK;
    const int fits = status == VT_OUT_OF_MEMORY || (status == VT_IO && c->reads_file);
    expect(refused || status == VT_OK, c, number, how, "fails without a reason");
    if (status != VT_OK) {
        expect(fits, c, number, how, "fails with another status");
        if (!c->looks || !is_state(s, &r->after))
            expect_state(s, &r->before, c, number, how, "has changed the state and failed");
        outcome = 1;
        check(c->call(s, c->kind));
    }
    expect(outcome == r->outcome, c, number, how, "gives something else");
    expect_state(s, &r->after, c, number, how, "ends in another state");
    step_on(s);
    expect_state(s, &r->stepped, c, number, how, "steps to another state");
    vt_destroy_simulation(s);
}

static void run_case(const fault_case *c)
{
    const int before = did_without, first = refused_in_all, held_from = (int)blocks_held();
    reference r = make_reference(c);
    for (int64_t number = 0; number < r.calls; number++)
        for (int how = ONE_FAILS; how <= ALL_FAIL; how++)
            try_one(c, &r, number, how);
    drop(&r.before);
    drop(&r.after);
    drop(&r.stepped);
    const int leaked = (int)blocks_held() - held_from;
    expect(leaked == 0, c, -1, ONE_FAILS, "leaks");
    printf("%-24s %5lld allocations, refused %5d times, did without %4d times\n", c->name,
           (long long)r.calls, refused_in_all - first, did_without - before);
    fflush(stdout);
}

static int is_wanted(const char *name, int words, char **word)
{
    int found = words == 0;
    for (int n = 0; n < words; n++)
        found |= strstr(name, word[n]) != NULL;
    return found;
}

int main(int argc, char **argv)
{
    int first = 1;
    if (argc > 2 && strcmp(argv[1], "-t") == 0) {
        case_threads = atoi(argv[2]);
        first = 3;
    }
    make_shared();
    int cases = 0;
    for (const fault_case *c = all_cases; c->name; c++)
        if (is_wanted(c->name, argc - first, argv + first)) {
            run_case(c);
            cases++;
        }
    drop_shared();
    printf("%d cases, %d calls, %d with a refusal, %d did without, %d failures\n", cases, tried,
           refused_in_all, did_without, failures);
    return failures || !cases ? EXIT_FAILURE : EXIT_SUCCESS;
}
