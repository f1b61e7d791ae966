/* Relaxation over an adjacency matrix with one thread per row, until no distance falls.
 *
 * Idea
 *   The thread of row u offers every vertex a path through u. The thread that lowers a distance
 *   writes the predecessor and sets the vertex's flag; `any_updated` reduces the flags to one word,
 *   which is all that the host reads.
 *
 * Why it is correct
 *   A distance falls by atomic minimum, and a pass without a fall is the last. Predecessor and flag
 *   are separate stores, so a slower thread may write the wrong predecessor: after the last pass,
 *   `repair_predecessors` replaces each that does not account for its vertex's distance. With zero
 *   weights such predecessors may form a cycle, which the host detects.
 *
 * Parameters
 *   BLOCK (`block`): threads in a block, a power of two.
 *
 * Source
 *   Song 2025, Algorithms 3 and 4. The paper calls it Dijkstra; no nearest vertex is sought, so it
 *   is Bellman-Ford over a matrix.
 */

#ifndef BLOCK
#define BLOCK 256 /* threads in a block: a power of two */
#endif

KERNEL void initialize(int n, int source, GLOBAL dist_t *distance, GLOBAL int *predecessor,
                       GLOBAL unsigned char *updated) {
    index_t v = GLOBAL_THREAD;
    if (v >= n) return;
    distance[v] = v == source ? (dist_t)0 : (dist_t)DIST_INF;
    predecessor[v] = -1;
    updated[v] = v == source;
}

/* The thread of row u offers every vertex a way through u. The distance falls by an atomic minimum,
 * but predecessor and flag are stores of their own: a slower thread may put its u over that of the
 * thread whose distance stayed. */
KERNEL void relax(int n, index_t first, CONST_IN(dist_t) matrix, GLOBAL dist_t *distance,
                  GLOBAL int *predecessor, GLOBAL unsigned char *updated,
                  GLOBAL unsigned char *relaxing) {
    index_t u = first + GLOBAL_THREAD;
    if (u >= n) return;
    dist_t reached = distance[u];
    relaxing[u] = reached < DIST_INF;
    if (!relaxing[u]) return;
    for (int v = 0; v < n; v++) {
        dist_t weight = matrix[u * n + v];
        if (weight >= DIST_INF) continue;
        dist_t through = reached + weight;
        if (through < distance[v] && through < atomic_relax(&distance[v], through)) {
            predecessor[v] = (int)u;
            updated[v] = 1;
        }
    }
}

/* Logical or over all flags: a tree in shared memory for each block, one word for all blocks. */
KERNEL void any_updated(int n, CONST_IN(unsigned char) updated, GLOBAL int *any) {
    __shared__ unsigned char found[BLOCK];
    int thread = threadIdx.x;
    index_t v = GLOBAL_THREAD;
    found[thread] = v < n && updated[v];
    __syncthreads();
    for (int width = BLOCK / 2; width > 0; width /= 2) {
        if (thread < width) found[thread] |= found[thread + width];
        __syncthreads();
    }
    if (thread == 0 && found[0]) *any = 1;
}

/* After the last pass the distances are final. A predecessor that does not account for its vertex's
 * distance lost a race: take the first vertex that does. */
KERNEL void repair_predecessors(int n, index_t first, int source, CONST_IN(dist_t) matrix,
                                CONST_IN(dist_t) distance, GLOBAL int *predecessor) {
    index_t v = first + GLOBAL_THREAD;
    if (v >= n || v == source || distance[v] >= DIST_INF) return;
    index_t u = predecessor[v];
    if (distance[u] + matrix[u * n + v] == distance[v]) return;
    for (u = 0; u < n; u++) {
        if (u != v && distance[u] + matrix[u * n + v] == distance[v]) {
            predecessor[v] = (int)u;
            return;
        }
    }
}
