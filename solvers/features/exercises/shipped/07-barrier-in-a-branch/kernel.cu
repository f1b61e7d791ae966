/* Exercise: A barrier in a branch
 *
 * One thread of a block reports for all of them that a distance fell.
 */
#include "relax.h"

KERNEL void relax(index_t m, CONST_IN(int) tails, CONST_IN(int) heads, CONST_IN(dist_t) weights,
                  GLOBAL dist_t *distance, CONST_IN(unsigned char) active, GLOBAL unsigned char *next,
                  dist_t floor, GLOBAL int *state, int step) {
    int pass = state[QUEUED] + step;
    __shared__ int block_fell;
    if (is_over(state, pass)) return; /* the whole block alike, so none waits at the barriers below */
    if (threadIdx.x == 0) block_fell = 0;
    __syncthreads();

    index_t arc = GLOBAL_THREAD;
    if (arc < m) {
        int tail = tails[arc];
        if (active[tail]) {
            int head = heads[arc];
            if (offer(distance, head, distance[tail] + weights[arc], floor, state, pass)) {
                next[head] = 1;
                block_fell = 1;
            }
        }
        __syncthreads();
        if (threadIdx.x == 0 && block_fell) state[LAST_CHANGE] = pass;
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
