/* Bellman-Ford with one thread per arc; distances are lowered in place.
 *
 * Idea
 *   The graph is a list of arcs (tail, head, weight), and each arc has a thread, which relaxes it
 *   in every pass. Threads have equal work whatever the degrees, and reads of the arc list are
 *   coalesced.
 *
 * Why it is correct
 *   A thread may read a tail's distance while another lowers it. Either value is the length of a
 *   path, and the arc is relaxed again in the next pass, so after pass k all shortest paths of at
 *   most k arcs are known. A change that came too late to be read in its own pass makes another
 *   pass necessary, so a pass without a change can be the last.
 *
 * Parameters
 *   `early_exit`: stop after a pass without a change. `block`: threads in a block.
 *
 * Source
 *   Cholla 2025, section 4.1, algorithms 1 to 3 ("ver1"), which makes n passes.
 */
#include "relax.h"

KERNEL void relax(index_t m, CONST_IN(int) tails, CONST_IN(int) heads, CONST_IN(dist_t) weights,
                  GLOBAL dist_t *distance, dist_t floor, GLOBAL int *state, int step) {
    int pass = state[QUEUED] + step;
    index_t arc = GLOBAL_THREAD;
    if (arc >= m || is_over(state, pass)) return;
    dist_t reached = distance[tails[arc]];
    if (reached >= DIST_INF) return;
    if (offer(distance, heads[arc], reached + weights[arc], floor, state, pass))
        state[LAST_CHANGE] = pass;
}
