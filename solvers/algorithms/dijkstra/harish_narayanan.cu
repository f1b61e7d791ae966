/* The scheme of Harish and Narayanan (2007) as Martin et al. found it wrong, for measuring only. A second array takes
 * the new costs so that none is read while it is written; but two threads may still write the same entry, and the
 * greater value may be the one that stays. See harish_narayanan.py. */

KERNEL void initialize(int n, int source, GLOBAL dist_t *cost, GLOBAL dist_t *updating, GLOBAL unsigned char *mask) {
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

/* New costs become costs; whoever has one is in the next mask. */
KERNEL void update(int n, GLOBAL dist_t *cost, CONST_IN(dist_t) updating, GLOBAL unsigned char *mask,
                   GLOBAL int *any) {
    index_t v = GLOBAL_THREAD;
    if (v >= n || !(cost[v] > updating[v])) return;
    cost[v] = updating[v];
    mask[v] = 1;
    *any = 1;
}
