/* Floyd-Warshall with one thread per cell, in blocks that each lie in one row.
 *
 * Idea
 *   All threads of a block need the distance from i to k: the first loads it, the others read it
 *   from shared memory. The two cells that differ from thread to thread are loaded before the
 *   barrier, so that all three loads overlap.
 *
 * Why it is correct
 *   As cell.cu: row k and column k do not change in step k. Threads past the last column repeat the
 *   last cell of the row and write the same value; they must reach the barrier.
 *
 * Parameters
 *   `block`: threads in a block.
 *
 * Source
 *   Bodra 2025, "One thread per edge with shared memory".
 */
#include "detour.h"

KERNEL void cell_shared(GLOBAL dist_t *matrix, int n, int first_row, int k, GLOBAL int *unsound,
                        dist_t tolerance) {
    __shared__ dist_t to_pivot;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int j = column < n ? column : n - 1;
    int i = first_row + blockIdx.y;
    int idle = STOPPED(unsound, k);
    LEAVE_BLOCK(idle);
    GLOBAL dist_t *row = matrix + (index_t)i * n;
    dist_t before = row[j];
    dist_t from_pivot = matrix[(index_t)k * n + j];
    if (threadIdx.x == 0) to_pivot = row[k];
    __syncthreads();
    dist_t detour = DETOUR(to_pivot, from_pivot);
    if (!idle && FALLS(detour, before, i == j, tolerance)) {
        row[j] = detour;
        if (i == j) atomicMin(unsound, k);
    }
}
