/* One thread per cell, in blocks that each lie in one row; one launch per pivot k.
 *
 * All threads of a block need the same number, the distance from i to k. The first fetches it and the others read it
 * from shared memory. The two numbers that differ from thread to thread are asked for before that, so that all three
 * are on their way at once.
 *
 * Threads past the rim work on the last cell of the row once more, and come to the same result: to send them away
 * would take longer, and they must come to the barrier anyway.
 *
 * In place for the reason given in `cell.cu`, and counting in 32 bits for the one given there.
 *
 * Papers: Bodra 2025, "One thread per edge with shared memory".
 */
#include "detour.h"

KERNEL void cell_shared(GLOBAL dist_t *matrix, int n, int first_row, int k, GLOBAL int *unsound, dist_t tolerance) {
    __shared__ dist_t to_pivot;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int j = column < n ? column : n - 1;
    int i = first_row + blockIdx.y;
    if (STOPPED(unsound, k)) return;
    GLOBAL dist_t *row = matrix + (index_t)i * n;
    dist_t before = row[j];
    dist_t from_pivot = matrix[(index_t)k * n + j];
    if (threadIdx.x == 0) to_pivot = row[k];
    __syncthreads();
    dist_t detour = DETOUR(to_pivot, from_pivot);
    if (FALLS(detour, before, i == j, tolerance)) {
        row[j] = detour;
        if (i == j) atomicMin(unsound, k);
    }
}
