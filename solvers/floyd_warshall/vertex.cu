/* One thread per row; one launch per pivot k.
 *
 * A thread walks along its row while its neighbours walk along theirs, n cells away: no two of them ever touch the same
 * line of memory, and only what a thread's own line still holds in the cache saves it from fetching every cell alone.
 * That is the scheme, and what it is there to show. The number from the pivot's row is the same for all threads.
 *
 * In place for the reason given in `cell.cu`.
 *
 * Papers: Bodra 2025, "One thread per vertex".
 */
#include "detour.h"

KERNEL void vertex(GLOBAL dist_t *matrix, index_t n, index_t first_row, int k, GLOBAL int *unsound, dist_t tolerance) {
    index_t i = first_row + (index_t)blockIdx.y * blockDim.x + threadIdx.x;
    if (i >= n || STOPPED(unsound, k)) return;
    GLOBAL dist_t *row = matrix + i * n;
    GLOBAL const dist_t *pivot_row = matrix + (index_t)k * n;
    dist_t to_pivot = row[k];
    for (index_t j = 0; j < n; ++j) {
        dist_t detour = DETOUR(to_pivot, pivot_row[j]);
        if (FALLS(detour, row[j], i == j, tolerance)) {
            row[j] = detour;
            if (i == j) atomicMin(unsound, k);
        }
    }
}
