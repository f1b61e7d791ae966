/* One thread per row; one launch per pivot k.
 *
 * A thread walks along its row while its neighbours walk along theirs, n cells away: no two of them ever touch the same
 * line of memory, and only what a thread's own line still holds in the cache saves it from fetching every cell alone.
 * That is the scheme, and what it is there to show. The number from the pivot's row is the same for all threads.
 *
 * A thread asks for AHEAD cells at once and then waits for all of them together; one by one would take twice as long
 * (19.2 s and 11.0 s for n = 10,876 on an H200). The compiler cannot see to it, not knowing that row k is never written.
 *
 * In place for the reason given in `cell.cu`.
 *
 * Papers: Bodra 2025, "One thread per vertex".
 */
#include "detour.h"

#define AHEAD 8

#define RELAX(j, cell, from_pivot)                              \
    do {                                                        \
        dist_t detour = DETOUR(to_pivot, from_pivot);           \
        if (FALLS(detour, cell, i == (j), tolerance)) {         \
            row[j] = detour;                                    \
            if (i == (j)) atomicMin(unsound, k);                \
        }                                                       \
    } while (0)

KERNEL void vertex(GLOBAL dist_t *matrix, int n, int first_row, int k, GLOBAL int *unsound, dist_t tolerance) {
    int i = first_row + blockIdx.y * blockDim.x + threadIdx.x;
    if (i >= n || STOPPED(unsound, k)) return;
    GLOBAL dist_t *row = matrix + (index_t)i * n;
    GLOBAL const dist_t *pivot_row = matrix + (index_t)k * n;
    dist_t to_pivot = row[k];
    int j = 0;
    for (; j + AHEAD <= n; j += AHEAD) {
        dist_t cells[AHEAD], from_pivot[AHEAD];
#pragma unroll
        for (int a = 0; a < AHEAD; ++a) {
            cells[a] = row[j + a];
            from_pivot[a] = pivot_row[j + a];
        }
#pragma unroll
        for (int a = 0; a < AHEAD; ++a) RELAX(j + a, cells[a], from_pivot[a]);
    }
    for (; j < n; ++j) RELAX(j, row[j], pivot_row[j]);
}
