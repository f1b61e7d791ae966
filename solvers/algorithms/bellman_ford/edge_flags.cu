/* Bellman-Ford with one thread per arc and two flags per vertex.
 *
 * Idea
 *   As edge.cu, but an arc is relaxed only where its tail's distance fell in the previous pass (its
 *   `active` flag is set, F1 of the paper). A thread that lowers a head's distance sets the head's
 *   flag for the following pass (`next`, F2); `copy_flags` makes it the active one.
 *
 * Why it is correct
 *   An arc whose tail did not fall would only repeat its last offer. With two flag arrays, setting
 *   a flag for the next pass never conflicts with clearing one in this pass. A flag is set after
 *   the distance fell, and only by the thread whose atomic minimum lowered it; arcs for which that
 *   was too late are relaxed in the next pass. So no improvement is lost.
 *
 * Parameters
 *   `early_exit`: stop after a pass without a change. `block`: threads in a block.
 *
 * Source
 *   Cholla 2025, section 4.2, algorithms 4 to 7 ("ver2"). Algorithm 6 of the paper uses the
 *   distance `Na[id]` as if it were a vertex; the arc's tail `Sa[id]` is meant and used here.
 */
#include "relax.h"

/* `active` is F1 of the paper, `next` its F2. */
KERNEL void relax(index_t m, CONST_IN(int) tails, CONST_IN(int) heads, CONST_IN(dist_t) weights,
                  GLOBAL dist_t *distance, CONST_IN(unsigned char) active,
                  GLOBAL unsigned char *next, dist_t floor, GLOBAL int *state, int step) {
    int pass = state[QUEUED] + step;
    index_t arc = GLOBAL_THREAD;
    if (arc >= m || is_over(state, pass)) return;
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
