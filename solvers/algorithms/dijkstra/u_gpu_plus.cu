/* UGPU with row bounds in shared memory and frontier flags in the read-only cache (UGPU_PLUS).
 *
 * Idea
 *   As u_gpu.cu. A row ends where the next begins, so each bound is read once, by its own thread,
 *   and shared through shared memory; the last thread of a block reads two. The frontier flags are
 *   a const restrict pointer, which CUDA reads through the read-only cache.
 *
 * Why it is correct
 *   As u_gpu.cu. A barrier separates writing the bounds from
 *   reading them, and all threads of the block reach it.
 *
 * Parameters
 *   BLOCK (`block`): threads in a block.
 *
 * Source
 *   Martín 2009, section 4.2 (UGPU_PLUS), which uses a texture for the flags.
 */
#include "steps.h"

KERNEL void relax(int n, index_t first, CONST_IN(index_t) indptr, CONST_IN(int) tails,
                  CONST_IN(dist_t) weights, GLOBAL dist_t *distance,
                  CONST_IN(unsigned char) frontier, GLOBAL const unsigned char *unresolved) {
    __shared__ index_t bounds[BLOCK + 1];
    int thread = threadIdx.x;
    index_t v = first + GLOBAL_THREAD;
    /* a row ends where the next begins: each bound is fetched
     * once, by its own thread; the last thread fetches two */
    if (v <= n) bounds[thread] = indptr[v];
    if (thread == BLOCK - 1 && v < n) bounds[BLOCK] = indptr[v + 1];
    __syncthreads();
    if (v >= n || !unresolved[v]) return;
    dist_t least = distance[v];
    for (index_t arc = bounds[thread]; arc < bounds[thread + 1]; arc++) {
        int u = tails[arc];
        if (frontier[u]) least = lesser(least, distance[u] + weights[arc]);
    }
    distance[v] = least;
}
