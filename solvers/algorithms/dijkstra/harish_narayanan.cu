/* The scheme of Harish and Narayanan, which has a data race; kept to show it.
 *
 * Idea
 *   The threads of masked vertices write new costs of their successors to a second array
 *   (`updating`), so that no cost is read while it changes. A second kernel copies the new costs
 *   over and masks the vertices that have one.
 *
 * Why it is correct
 *   It is not, by design: two threads may find that theirs is the better offer to the same vertex
 *   and both write, and the larger value may stay. A cost is always that of some path, and it is
 *   only replaced by a smaller one, so the run ends.
 *
 * Parameters
 *   `block`: threads in a block.
 *
 * Source
 *   Harish and Narayanan 2007, as shown to be incorrect in Martín 2009, section 4.3 and Fig. 5.
 */

KERNEL void initialize(int n, int source, GLOBAL dist_t *cost, GLOBAL dist_t *updating,
                       GLOBAL unsigned char *mask) {
    index_t v = GLOBAL_THREAD;
    if (v >= n) return;
    cost[v] = v == source ? (dist_t)0 : (dist_t)DIST_INF;
    updating[v] = cost[v];
    mask[v] = v == source;
}

/* One thread per vertex; those in the mask relax the arcs that leave them. */
KERNEL void relax(int n, CONST_IN(index_t) indptr, CONST_IN(int) heads, CONST_IN(dist_t) weights,
                  CONST_IN(dist_t) cost, GLOBAL dist_t *updating, GLOBAL unsigned char *mask) {
    index_t u = GLOBAL_THREAD;
    if (u >= n || !mask[u]) return;
    mask[u] = 0;
    for (index_t arc = indptr[u]; arc < indptr[u + 1]; arc++) {
        int v = heads[arc];
        dist_t through = cost[u] + weights[arc];
        if (updating[v] > through) updating[v] = through; /* the race */
    }
}

/* New costs become costs; vertices that have one are in the next mask. */
KERNEL void update(int n, GLOBAL dist_t *cost, CONST_IN(dist_t) updating,
                   GLOBAL unsigned char *mask, GLOBAL int *any) {
    index_t v = GLOBAL_THREAD;
    if (v >= n || !(cost[v] > updating[v])) return;
    cost[v] = updating[v];
    mask[v] = 1;
    *any = 1;
}
