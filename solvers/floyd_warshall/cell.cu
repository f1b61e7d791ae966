/* One thread per cell; one launch per pivot k.
 *
 * In place: row k and column k do not change in step k, because the detour from k to k costs 0 (a negative one stops
 * the run before). So no thread reads what another writes.
 *
 * The block's shape is the launch's: several rows for Bodra's "one thread per edge", a piece of one row for Wang's.
 *
 * Papers: Bodra 2025, "One thread per edge"; Wang 2024, Algorithm 4.
 */
#include "detour.h"

KERNEL void cell(GLOBAL dist_t *matrix, index_t n, index_t first_row, int k, GLOBAL int *unsound, dist_t tolerance) {
    index_t j = (index_t)blockIdx.x * blockDim.x + threadIdx.x;
    index_t i = first_row + (index_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n || STOPPED(unsound, k)) return;
    dist_t detour = DETOUR(matrix[i * n + k], matrix[(index_t)k * n + j]);
    if (FALLS(detour, matrix[i * n + j], i == j, tolerance)) {
        matrix[i * n + j] = detour;
        if (i == j) atomicMin(unsound, k);
    }
}
