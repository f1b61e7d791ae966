/* FGPU without atomics, for measuring the cost of atomics (FGPU_no_Atomic).
 *
 * Idea
 *   As f_gpu.cu, but the minimum is a plain read, comparison and write.
 *
 * Why it is correct
 *   It is not, by design: between the read and the write another thread may write a smaller
 *   distance, which is then lost. A distance is always the length of some path, so none is too
 *   small; and each iteration settles a vertex, so the run ends.
 *
 * Parameters
 *   `layout`: compressed rows or adjacency matrix. BLOCK (`block`): threads in a block.
 *
 * Source
 *   Martín 2009, sections 4.1 and 6 (FGPU_no_Atomic); section 5 for the matrix.
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
        if (unresolved[v]) distance[v] = lesser(distance[v], reached + weights[arc]); /* the race */
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
                /* the race */
                if (weight < DIST_INF)
                    distance[chunk + i] = lesser(distance[chunk + i], reached + weight);
            }
        }
        __syncthreads();
    }
}
