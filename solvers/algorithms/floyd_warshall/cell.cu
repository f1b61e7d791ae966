/* Floyd-Warshall with one thread per cell; one launch per pivot k.
 *
 * Idea
 *   The thread of cell (i, j) checks whether the path through k is shorter. The launch gives the
 *   shape of a block: several rows for Bodra's "one thread per edge", a piece of one row for Wang's
 *   CUDA-Loop. A thread lives for one cell, so the index arithmetic before its loads matters: only
 *   the start of its row needs 64 bits.
 *
 * Why it is correct
 *   After step k a cell holds the shortest path with inner vertices among 0 ... k. Row k and column
 *   k do not change in step k, because the detour from k to k costs 0 (a negative cycle stops the
 *   run earlier), so no thread reads what another writes.
 *
 * Parameters
 *   `block`: threads in a block.
 *
 * Source
 *   Bodra 2025, "One thread per edge"; Wang 2024, Algorithm 4 (CUDA-Loop). The comparison in Wang's
 *   listing is reversed; here the shorter path wins.
 */
#include "detour.h"

KERNEL void cell(GLOBAL dist_t *matrix, int n, int first_row, int k, GLOBAL int *unsound,
                 dist_t tolerance) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = first_row + blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n || STOPPED(unsound, k)) return;
    GLOBAL dist_t *row = matrix + (index_t)i * n;
    dist_t detour = DETOUR(row[k], matrix[(index_t)k * n + j]);
    if (FALLS(detour, row[j], i == j, tolerance)) {
        row[j] = detour;
        if (i == j) atomicMin(unsound, k);
    }
}
