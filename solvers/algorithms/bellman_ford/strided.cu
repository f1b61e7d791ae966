/* Fewer threads than vertices. See strided.py. */
#include "relax.h"

KERNEL void relax(int n, CONST_IN(index_t) indptr, CONST_IN(int) indices, CONST_IN(dist_t) weights,
                  CONST_IN(dist_t) previous, GLOBAL dist_t *distance, dist_t floor, GLOBAL int *state, int pass) {
    if (is_over(state, pass)) return;
    int fell = 0;
    FOR_GRID_STRIDE(tail, n) {
        dist_t reached = previous[tail];
        if (reached >= DIST_INF) continue;
        for (index_t arc = indptr[tail]; arc < indptr[tail + 1]; arc++)
            fell |= offer(distance, indices[arc], reached + weights[arc], floor, state, pass);
    }
    if (fell) state[LAST_CHANGE] = pass;
}

KERNEL void keep(int n, CONST_IN(dist_t) distance, GLOBAL dist_t *previous, GLOBAL const int *state, int pass) {
    if (is_over(state, pass)) return;
    FOR_GRID_STRIDE(v, n) previous[v] = distance[v];
}
