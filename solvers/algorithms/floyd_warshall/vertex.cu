/* Floyd-Warshall with one thread per row of the matrix; one launch per pivot k.
 *
 * Idea
 *   A thread goes along its row and checks for each column whether the path through k is shorter.
 *   The distance to the pivot is read once for the row, and AHEAD cells are loaded at once, before
 *   the first is used. Adjacent threads are a whole row apart, so their accesses do not coalesce.
 *
 * Why it is correct
 *   After step k a cell holds the shortest path with inner vertices among 0 ... k. Row k and column
 *   k do not change in step k, because the detour from k to k costs 0 (a negative cycle stops the
 *   run earlier), so no thread reads what another writes.
 *
 * Parameters
 *   `block`: threads in a block. AHEAD: cells that a thread loads at once.
 *
 * Source
 *   Bodra 2025, "One thread per vertex implementation".
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

KERNEL void vertex(GLOBAL dist_t *matrix, int n, int first_row, int k, GLOBAL int *unsound,
                   dist_t tolerance) {
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
