/* Exercise: A thread too many
 *
 * An arc is relaxed where its tail's distance fell in the previous pass.
 */
#include "relax.h"

/* `active` is F1 of the paper, `next` its F2. */
KERNEL void relax(index_t m, CONST_IN(int) tails, CONST_IN(int) heads, CONST_IN(dist_t) weights,
                  GLOBAL dist_t *distance, CONST_IN(unsigned char) active, GLOBAL unsigned char *next,
                  dist_t floor, GLOBAL int *state, int step) {
    int pass = state[QUEUED] + step;
    index_t arc = GLOBAL_THREAD;
    if (arc > m || is_over(state, pass)) return;
    int tail = tails[arc];
    if (!active[tail]) return;
    int head = heads[arc];
    if (offer(distance, head, distance[tail] + weights[arc], floor, state, pass)) {
        next[head] = 1;
        state[LAST_CHANGE] = pass;
    }
}

KERNEL void copy_flags(int n, GLOBAL unsigned char *active, GLOBAL unsigned char *next,
                       GLOBAL const int *state, int step) {
    int pass = state[QUEUED] + step;
    index_t v = GLOBAL_THREAD;
    if (v >= n || is_over(state, pass)) return;
    active[v] = next[v];
    next[v] = 0;
}
