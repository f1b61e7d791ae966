/* Only vertices whose distance fell in the last pass relax their arcs. See strided_flag.py. */
#include "relax.h"

/* Takes flags down, and sets none: a vertex improved here before or after its own turn is flagged by `keep`. */
KERNEL void relax(int n, CONST_IN(index_t) indptr, CONST_IN(int) indices, CONST_IN(dist_t) weights,
                  CONST_IN(dist_t) previous, GLOBAL dist_t *distance, GLOBAL unsigned char *flag,
                  dist_t floor, GLOBAL int *state, int pass) {
    if (is_over(state, pass)) return;
    int fell = 0;
    FOR_GRID_STRIDE(tail, n) {
        if (!flag[tail]) continue;
        flag[tail] = 0;
        dist_t reached = previous[tail];
        for (index_t arc = indptr[tail]; arc < indptr[tail + 1]; arc++)
            fell |= offer(distance, indices[arc], reached + weights[arc], floor, state, pass);
    }
    if (fell) state[LAST_CHANGE] = pass;
}

KERNEL void keep(int n, CONST_IN(dist_t) distance, GLOBAL dist_t *previous, GLOBAL unsigned char *flag,
                 GLOBAL const int *state, int pass) {
    if (is_over(state, pass)) return;
    FOR_GRID_STRIDE(v, n) {
        if (distance[v] < previous[v]) {
            previous[v] = distance[v];
            flag[v] = 1;
        }
    }
}
