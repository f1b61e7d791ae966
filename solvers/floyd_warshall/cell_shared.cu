/* One thread per cell, in blocks that each lie in one row; one launch per pivot k.
 *
 * All threads of a block need the same number, the distance from i to k. The first fetches it and the others read it
 * from shared memory. The two numbers that differ from thread to thread are asked for before the barrier, so that all
 * three are on their way at once.
 *
 * In place for the reason given in `cell.cu`.
 *
 * Papers: Bodra 2025, "One thread per edge with shared memory".
 */
#include "detour.h"

KERNEL void cell_shared(GLOBAL dist_t *matrix, index_t n, index_t first_row, int k, GLOBAL int *unsound,
                        dist_t tolerance) {
    __shared__ dist_t to_pivot;
    index_t j = (index_t)blockIdx.x * blockDim.x + threadIdx.x;
    index_t i = first_row + blockIdx.y;
    dist_t before = 0, from_pivot = 0;
    if (STOPPED(unsound, k)) return;
    if (threadIdx.x == 0) to_pivot = matrix[i * n + k];
    if (j < n) {
        before = matrix[i * n + j];
        from_pivot = matrix[(index_t)k * n + j];
    }
    __syncthreads();
    dist_t detour = DETOUR(to_pivot, from_pivot);
    if (j < n && FALLS(detour, before, i == j, tolerance)) {
        matrix[i * n + j] = detour;
        if (i == j) atomicMin(unsound, k);
    }
}
