/* The matrix before the first step, from the arcs,
 * and the distances after the last, without padding.
 *
 * CELL is the type of the matrix's cells and CELL_INF their infinity; dist_t is the type of weights
 * and distances, and cells from `farthest` on are not reached. A row belongs to one thread in
 * `place_arcs`, so that parallel arcs need no atomic minimum.
 */
#ifdef CELL
#define DISTANCE(cell) ((cell) >= farthest ? (dist_t)DIST_INF : (dist_t)(cell))
#else /* that of the distances, floating point */
#define CELL dist_t
#define CELL_INF DIST_INF
#define DISTANCE(cell) (cell)
#endif

KERNEL void clear_cells(index_t count, GLOBAL CELL *cells) {
    FOR_GRID_STRIDE(i, count) cells[i] = (CELL)CELL_INF;
}

KERNEL void place_arcs(index_t n, index_t size, CONST_IN(index_t) indptr, CONST_IN(int) heads,
                       CONST_IN(dist_t) weights, GLOBAL CELL *cells) {
    FOR_GRID_STRIDE(u, n) {
        GLOBAL CELL *row = cells + u * size;
        row[u] = 0;
        for (index_t arc = indptr[u]; arc < indptr[u + 1]; arc++)
            if (weights[arc] < row[heads[arc]]) row[heads[arc]] = (CELL)weights[arc];
    }
}

/* Rows from `first` on, each by a row of blocks. */
KERNEL void take_rows(index_t first, index_t n, index_t size, index_t farthest,
                      CONST_IN(CELL) cells, GLOBAL dist_t *taken) {
    index_t row = blockIdx.y, column = (index_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= n) return;
    CELL cell = cells[(first + row) * size + column];
    taken[row * n + column] = DISTANCE(cell);
}
