/* Compound-frontier Dijkstra on a GPU, relaxing the arcs that leave the frontier (FGPU).
 *
 * Idea
 *   Three kernels an iteration, one thread per vertex. `relax`: the threads of frontier vertices
 *   relax the arcs that leave them. The minimum over unresolved vertices and the update of the
 *   frontier are those of steps.h. With a matrix, each thread has a row, and the flags of the next
 *   BLOCK columns go through shared memory.
 *
 * Why it is correct
 *   All unresolved vertices at the least distance can be settled together: with non-negative
 *   weights none can improve another. The unresolved vertices at the next least distance form the
 *   next frontier, so settled vertices never return. Two frontier vertices may reach the same head
 *   at once; the atomic minimum keeps the smaller distance.
 *
 * Parameters
 *   `layout`: compressed rows or adjacency matrix. BLOCK (`block`): threads in a block.
 *
 * Source
 *   Martín 2009, sections 3 and 4.1, Figs. 3-4 (FGPU); section 5 for the matrix.
 */
#include "steps.h"

/* One thread per vertex; only those of the frontier have work. */
KERNEL void relax(int n, index_t first, CONST_IN(index_t) indptr, CONST_IN(int) heads,
                  CONST_IN(dist_t) weights, GLOBAL dist_t *distance,
                  GLOBAL const unsigned char *frontier, GLOBAL const unsigned char *unresolved) {
    index_t u = first + GLOBAL_THREAD;
    if (u >= n || !frontier[u]) return;
    dist_t reached = distance[u];
    for (index_t arc = indptr[u]; arc < indptr[u + 1]; arc++) {
        int v = heads[arc];
        if (unresolved[v]) atomic_relax(&distance[v], reached + weights[arc]);
    }
}

/* One thread per row of the adjacency matrix. The flags of the next BLOCK columns are brought into
 * shared memory by all threads of the block together, those without work included. */
KERNEL void relax_matrix(int n, index_t first, CONST_IN(dist_t) matrix, GLOBAL dist_t *distance,
                         GLOBAL const unsigned char *frontier,
                         GLOBAL const unsigned char *unresolved) {
    __shared__ unsigned char open[BLOCK];
    index_t u = first + GLOBAL_THREAD;
    int active = u < n && frontier[u];
    dist_t reached = active ? distance[u] : (dist_t)DIST_INF;
    for (index_t chunk = 0; chunk < n; chunk += BLOCK) {
        index_t mine = chunk + threadIdx.x;
        open[threadIdx.x] = mine < n ? unresolved[mine] : 0;
        __syncthreads();
        if (active) {
            for (int i = 0; i < BLOCK; i++) {
                if (!open[i]) continue;
                dist_t weight = matrix[u * n + chunk + i];
                if (weight < DIST_INF) atomic_relax(&distance[chunk + i], reached + weight);
            }
        }
        __syncthreads();
    }
}
