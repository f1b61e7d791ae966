/* Exercise: A float compared as an integer
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
    if (reached >= DIST_INF) return;
    dist_t candidate = reached + weights[arc];
    GLOBAL dist_t *place = &distance[heads[arc]];
    if (candidate >= *place) return;
    if (candidate < floor) {
        if (state[FELL_THROUGH] == 0) state[FELL_THROUGH] = pass;
        return;
    }
#ifdef DIST_FLOAT64
    dist_t before = DOUBLE_OF_BITS(ATOMIC_MIN_64((GLOBAL index_t *)place, BITS_OF_DOUBLE(candidate)));
#else
    dist_t before = atomic_relax(place, candidate);
#endif
    if (candidate < before) state[LAST_CHANGE] = pass;
}
