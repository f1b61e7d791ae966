/* From compressed rows to the adjacency matrix. See layouts.py. */

/* No arcs yet: the cells from `first` up to `last` are infinite. */
KERNEL void clear(index_t first, index_t last, GLOBAL dist_t *matrix) {
    FOR_GRID_STRIDE(cell, last - first) matrix[first + cell] = DIST_INF;
}

/* One thread per vertex writes the arcs of its own row; no
 * other writes there, so parallel arcs need no atomics. */
KERNEL void fill_rows(int n, CONST_IN(index_t) indptr, CONST_IN(int) heads,
                      CONST_IN(dist_t) weights, GLOBAL dist_t *matrix) {
    index_t u = GLOBAL_THREAD;
    if (u >= n) return;
    GLOBAL dist_t *row = matrix + u * n;
    for (index_t arc = indptr[u]; arc < indptr[u + 1]; arc++) {
        if (weights[arc] < row[heads[arc]]) row[heads[arc]] = weights[arc];
    }
    row[u] = 0;
}
