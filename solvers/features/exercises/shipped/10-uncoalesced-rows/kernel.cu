/* Exercise: Uncoalesced rows
 *
 * Each cell of the matrix has a thread; a launch takes all paths through one pivot.
 */
#include "detour.h"

KERNEL void cell(GLOBAL dist_t *matrix, int n, int first_row, int k, GLOBAL int *unsound, dist_t tolerance) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = first_row + blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n || STOPPED(unsound, k)) return;
    GLOBAL dist_t *row = matrix + (index_t)i * n;
    dist_t detour = DETOUR(row[k], matrix[(index_t)k * n + j]);
    if (FALLS(detour, row[j], i == j, tolerance)) {
        row[j] = detour;
        if (i == j) atomicMin(unsound, k);
    }
}
