/* Exercise: A divergent branch
 *
 * Every arc is relaxed in every pass, until a pass changes nothing.
 */
#include "relax.h"

KERNEL void relax(index_t m, CONST_IN(int) tails, CONST_IN(int) heads, CONST_IN(dist_t) weights,
                  GLOBAL dist_t *distance, dist_t floor, GLOBAL int *state, int step) {
    int pass = state[QUEUED] + step;
    index_t thread = GLOBAL_THREAD;
    index_t middle = (m + 1) / 2;
    if (is_over(state, pass)) return;
    if (thread % 2 == 0) { /* an arc of the first half */
        index_t arc = thread / 2;
        if (arc >= middle) return;
        dist_t reached = distance[tails[arc]];
        if (reached >= DIST_INF) return;
        if (offer(distance, heads[arc], reached + weights[arc], floor, state, pass)) state[LAST_CHANGE] = pass;
    } else { /* an arc of the second half */
        index_t arc = middle + thread / 2;
        if (arc >= m) return;
        dist_t reached = distance[tails[arc]];
        if (reached >= DIST_INF) return;
        if (offer(distance, heads[arc], reached + weights[arc], floor, state, pass)) state[LAST_CHANGE] = pass;
    }
}
