/* Compound-frontier Dijkstra on a GPU, relaxing unresolved vertices (UGPU, UGPU+2min, UH1 to UH3).
 *
 * Idea
 *   Three kernels an iteration, one thread per vertex. `relax`: an unresolved vertex looks for
 *   frontier vertices among its predecessors (rows of the reverse graph) and keeps the best offer.
 *   The minimum over unresolved vertices and the update of the frontier are those of steps.h;
 *   UGPU+2min reduces the minimum in a second kernel, and in the hybrids UH1 to UH3 the host does
 *   one or two of the steps. With a matrix, each thread has a column, and flags and distances of
 *   the next BLOCK rows go through shared memory.
 *
 * Why it is correct
 *   All unresolved vertices at the least distance can be settled together: with non-negative
 *   weights none can improve another. The unresolved vertices at the next least distance form the
 *   next frontier, so settled vertices never return. A thread writes only its own vertex's
 *   distance, so nothing needs to be atomic. Distances of frontier vertices do not change while
 *   they are read.
 *
 * Parameters
 *   `layout`: compressed rows or adjacency matrix (UGPU). BLOCK (`block`): threads in a block.
 *
 * Source
 *   Martín 2009, sections 3 and 4.1, Figs. 3-4 (UGPU,
 *   UGPU+2min, UH1, UH2, UH3); section 5 for the matrix.
 */
#include "steps.h"

/* One thread per vertex; rows of the reverse graph hold the arcs into it. */
KERNEL void relax(int n, index_t first, CONST_IN(index_t) indptr, CONST_IN(int) tails,
                  CONST_IN(dist_t) weights, GLOBAL dist_t *distance,
                  GLOBAL const unsigned char *frontier, GLOBAL const unsigned char *unresolved) {
    index_t v = first + GLOBAL_THREAD;
    if (v >= n || !unresolved[v]) return;
    dist_t least = distance[v];
    for (index_t arc = indptr[v]; arc < indptr[v + 1]; arc++) {
        int u = tails[arc];
        if (frontier[u]) least = lesser(least, distance[u] + weights[arc]);
    }
    distance[v] = least;
}

/* One thread per column of the adjacency matrix. The frontier flags and distances of the next BLOCK
 * rows are brought into shared memory by all threads of the block together, then used by each of
 * them. */
KERNEL void relax_matrix(int n, index_t first, CONST_IN(dist_t) matrix, GLOBAL dist_t *distance,
                         GLOBAL const unsigned char *frontier,
                         GLOBAL const unsigned char *unresolved) {
    __shared__ dist_t nearby[BLOCK];
    __shared__ unsigned char active[BLOCK];
    index_t v = first + GLOBAL_THREAD;
    int open = v < n && unresolved[v];
    dist_t least = v < n ? distance[v] : (dist_t)DIST_INF;
    for (index_t chunk = 0; chunk < n; chunk += BLOCK) {
        index_t mine = chunk + threadIdx.x;
        active[threadIdx.x] = mine < n ? frontier[mine] : 0;
        nearby[threadIdx.x] = mine < n ? distance[mine] : (dist_t)DIST_INF;
        __syncthreads();
        if (open) {
            for (int i = 0; i < BLOCK; i++)
                if (active[i]) least = lesser(least, nearby[i] + matrix[(chunk + i) * n + v]);
        }
        __syncthreads();
    }
    if (open) distance[v] = least;
}
