/* One thread per cell; one launch per pivot k.
 *
 * In place: row k and column k do not change in step k, because the detour from k to k costs 0 (a negative one stops
 * the run before). So no thread reads what another writes.
 *
 * The block's shape is the launch's: several rows for Bodra's "one thread per edge", a piece of one row for Wang's.
 *
 * A thread lives for one cell, so what it does before it reads counts: only the start of its row needs 64 bits, and all
 * else is counted in 32. On an H200 that is worth 7 %, and blocks of 256 threads are best: larger ones wait longer for
 * their last thread, and smaller ones come faster than the chip can start blocks (0.84 a clock, 279 us a launch for
 * n = 10,876; 307 are measured).
 *
 * Papers: Bodra 2025, "One thread per edge"; Wang 2024, Algorithm 4.
 */
#include "detour.h"

KERNEL void cell(GLOBAL dist_t *matrix, int n, int first_row, int k, GLOBAL int *unsound, dist_t tolerance) {
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
