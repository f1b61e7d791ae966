/* Bellman-Ford with two flags per vertex, and one report of a change per block.
 *
 * Idea
 *   As edge_flags.cu, but the threads of a block collect in shared memory whether one of them
 *   lowered a distance, and one thread writes that to global memory. The next pass reads it and
 *   returns at once where the previous pass changed nothing.
 *
 * Why it is correct
 *   As edge_flags.cu. Threads of a block write the shared word in any order, but all write 1. The
 *   barriers separate clearing, writing and reading it.
 *
 * Parameters
 *   `early_exit`: stop after a pass without a change. `block`: threads in a block.
 *
 * Source
 *   Cholla 2025, section 5 ("ver3"): the text names shared
 *   memory and early termination and gives no listing.
 */
#include "relax.h"

KERNEL void relax(index_t m, CONST_IN(int) tails, CONST_IN(int) heads, CONST_IN(dist_t) weights,
                  GLOBAL dist_t *distance, CONST_IN(unsigned char) active,
                  GLOBAL unsigned char *next, dist_t floor, GLOBAL int *state, int step) {
    int pass = state[QUEUED] + step;
    __shared__ int block_fell;
    /* the whole block alike, so none waits at the barriers below */
    int idle = is_over(state, pass);
    LEAVE_BLOCK(idle);
    if (threadIdx.x == 0) block_fell = 0;
    __syncthreads();

    index_t arc = GLOBAL_THREAD;
    if (!idle && arc < m) {
        int tail = tails[arc];
        if (active[tail]) {
            int head = heads[arc];
            if (offer(distance, head, distance[tail] + weights[arc], floor, state, pass)) {
                next[head] = 1;
                block_fell = 1;
            }
        }
    }
    __syncthreads();
    if (threadIdx.x == 0 && block_fell) state[LAST_CHANGE] = pass;
}

KERNEL void copy_flags(int n, GLOBAL unsigned char *active, GLOBAL unsigned char *next,
                       GLOBAL const int *state, int step) {
    int pass = state[QUEUED] + step;
    index_t v = GLOBAL_THREAD;
    if (v >= n || is_over(state, pass)) return;
    active[v] = next[v];
    next[v] = 0;
}
