/* Exercise: A vertex that was never reached
 *
 * Every arc is relaxed in every pass, until a pass changes nothing.
 */
#include "relax.h"

KERNEL void relax(index_t m, CONST_IN(int) tails, CONST_IN(int) heads, CONST_IN(dist_t) weights,
                  GLOBAL dist_t *distance, dist_t floor, GLOBAL int *state, int step) {
    int pass = state[QUEUED] + step;
    index_t arc = GLOBAL_THREAD;
    if (arc >= m || is_over(state, pass)) return;
    dist_t reached = distance[tails[arc]];
    if (offer(distance, heads[arc], reached + weights[arc], floor, state, pass)) state[LAST_CHANGE] = pass;
}
