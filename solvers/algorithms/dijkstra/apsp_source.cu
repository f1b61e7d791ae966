/* All pairs with one thread per source, each running an array-based Dijkstra.
 *
 * Idea
 *   A thread runs one source: it scans its own row of the distance matrix for the nearest unvisited
 *   vertex, marks it in its own row of flags, relaxes its arcs, and repeats. A whole run may take
 *   seconds, so each launch settles a few vertices for every source; all that a run has to remember
 *   is in global memory.
 *
 * Why it is correct
 *   Each run is Dijkstra's algorithm, correct for non-negative weights. Rows belong to one thread
 *   each, so no two threads write the same word but `unfinished`, to which all write 1.
 *
 * Parameters
 *   `layout`: compressed rows or adjacency matrix. `batch`:
 *   sources solved at once. `block`: threads in a block.
 *
 * Source
 *   Bodra 2025, "Experimental Setup: Dijkstra algorithm" and
 *   table. The paper runs every source to its end in one launch.
 */

KERNEL void initialize(int n, int count, int first_source, GLOBAL dist_t *distance,
                       GLOBAL unsigned char *visited) {
    FOR_GRID_STRIDE(cell, (index_t)count * n) {
        index_t row = cell / n;
        distance[cell] = cell - row * n == first_source + row ? (dist_t)0 : (dist_t)DIST_INF;
        visited[cell] = 0;
    }
}

/* The unvisited vertex of least distance in a row; -1 where none can be reached. Both loads are
 * unconditional, so that the compiler can have several vertices' under way at once. */
DEVICE int nearest_unvisited(int n, GLOBAL const dist_t *distance,
                             GLOBAL const unsigned char *visited) {
    int nearest = -1;
    dist_t least = DIST_INF;
    for (int v = 0; v < n; v++) {
        dist_t reached = distance[v];
        int settled = visited[v];
        if (reached < least && !settled) {
            least = reached;
            nearest = v;
        }
    }
    return nearest;
}

KERNEL void settle(int n, int count, int steps, CONST_IN(index_t) indptr, CONST_IN(int) heads,
                   CONST_IN(dist_t) weights, GLOBAL dist_t *distances,
                   GLOBAL unsigned char *visiteds, GLOBAL int *unfinished) {
    index_t source = GLOBAL_THREAD;
    if (source >= count) return;
    GLOBAL dist_t *distance = distances + source * n;
    GLOBAL unsigned char *visited = visiteds + source * n;
    for (int step = 0; step < steps; step++) {
        int u = nearest_unvisited(n, distance, visited);
        if (u < 0) return;
        visited[u] = 1;
        dist_t reached = distance[u];
        for (index_t arc = indptr[u]; arc < indptr[u + 1]; arc++) {
            int v = heads[arc];
            dist_t through = reached + weights[arc];
            if (!visited[v] && through < distance[v]) distance[v] = through;
        }
    }
    *unfinished = 1;
}

KERNEL void settle_matrix(int n, int count, int steps, CONST_IN(dist_t) matrix,
                          GLOBAL dist_t *distances, GLOBAL unsigned char *visiteds,
                          GLOBAL int *unfinished) {
    index_t source = GLOBAL_THREAD;
    if (source >= count) return;
    GLOBAL dist_t *distance = distances + source * n;
    GLOBAL unsigned char *visited = visiteds + source * n;
    for (int step = 0; step < steps; step++) {
        int u = nearest_unvisited(n, distance, visited);
        if (u < 0) return;
        visited[u] = 1;
        dist_t reached = distance[u];
        for (int v = 0; v < n; v++) {
            dist_t weight = matrix[(index_t)u * n + v];
            if (weight >= DIST_INF) continue;
            if (!visited[v] && reached + weight < distance[v]) distance[v] = reached + weight;
        }
    }
    *unfinished = 1;
}
