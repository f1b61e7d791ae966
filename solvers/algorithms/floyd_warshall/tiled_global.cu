/* Blocked Floyd-Warshall that reads its tiles from global memory.
 *
 * Idea
 *   The pivot advances by a tile of vertices at a
 *   time, in three launches, with one thread per cell:
 *
 *     1  pivot_tile   the tile on the diagonal: one block
 *     2  pivot_cross  a block for each other tile of its row and its column, with the pivot tile
 *     3  other_tiles  a block for each other tile, with those of its row and column from phase 2
 *
 *   A thread keeps its own cell in a register; the two other tiles are small enough to stay in the
 *   multiprocessor's cache. The matrix is padded to a multiple of TILE with vertices that no arc
 *   touches.
 *
 * Why it is correct
 *   After phase 1 the pivot tile holds the shortest paths inside it, so phases 2 and 3 may take its
 *   vertices in any order. In phase 1, row k and column k of the tile do not change for pivot k, so
 *   a barrier between pivots is enough. In phase 2 a block reads the tile that it writes: none of
 *   its threads writes before all have read.
 *
 * Parameters
 *   TILE (`tile`): TILE x TILE threads in a block.
 *
 * Source
 *   Bodra 2025, "Tiled implementation".
 */
#include "detour.h"

#ifndef TILE
#define TILE 32
#endif

/* The cell at (row, column) inside tile (tile_row, tile_column). */
#define CELL(tile_row, tile_column, row, column) \
    (((index_t)(tile_row)*TILE + (row)) * stride + (index_t)(tile_column)*TILE + (column))

KERNEL void pivot_tile(GLOBAL dist_t *matrix, index_t stride, int pivot, int launch,
                       GLOBAL int *unsound, dist_t tolerance) {
    int row = threadIdx.y, column = threadIdx.x;
    index_t cell = CELL(pivot, pivot, row, column);
    int idle = STOPPED(unsound, launch);
    LEAVE_BLOCK(idle);
    dist_t least = matrix[cell];
    for (int k = 0; k < TILE; ++k) {
        __syncthreads();
        dist_t detour = DETOUR(matrix[CELL(pivot, pivot, row, k)],
                               matrix[CELL(pivot, pivot, k, column)]);
        /* The diagonal is only checked when the tile is done;
         * until then a negative cycle inside it doubles its
         * cells at every k, and must not wrap round. */
        if (detour < -DIST_INF) detour = -DIST_INF;
        if (!idle && FALLS(detour, least, row == column, tolerance)) {
            least = detour;
            matrix[cell] = least;
        }
    }
    if (!idle && row == column && least < 0) atomicMin(unsound, launch);
}

/* The least way over the pivot tile's vertices: `to_pivot`
 * is the first cell of a row, `from_pivot` of a column. */
DEVICE dist_t least_detour(GLOBAL const dist_t *to_pivot, GLOBAL const dist_t *from_pivot,
                           index_t stride, dist_t least) {
    for (int k = 0; k < TILE; ++k) {
        dist_t detour = DETOUR(to_pivot[k], from_pivot[k * stride]);
        if (detour < least) least = detour;
    }
    return least;
}

/* blockIdx.y 0: tiles (pivot, blockIdx.x) of the pivot row;
 * 1: tiles (blockIdx.x, pivot) of the pivot column. */
KERNEL void pivot_cross(GLOBAL dist_t *matrix, index_t stride, int pivot, int launch,
                        GLOBAL int *unsound) {
    int row = threadIdx.y, column = threadIdx.x, other = blockIdx.x;
    int tile_row = blockIdx.y == 0 ? pivot : other, tile_column = blockIdx.y == 0 ? other : pivot;
    index_t cell = CELL(tile_row, tile_column, row, column);
    int idle = other == pivot || STOPPED(unsound, launch);
    LEAVE_BLOCK(idle);
    dist_t least = least_detour(matrix + CELL(tile_row, pivot, row, 0),
                                matrix + CELL(pivot, tile_column, 0, column), stride, matrix[cell]);
    __syncthreads();
    if (!idle) matrix[cell] = least;
}

KERNEL void other_tiles(GLOBAL dist_t *matrix, index_t stride, int first_tile_row, int pivot,
                        int launch, GLOBAL int *unsound, dist_t tolerance) {
    int row = threadIdx.y, column = threadIdx.x;
    int tile_row = first_tile_row + (int)blockIdx.y, tile_column = blockIdx.x;
    index_t cell = CELL(tile_row, tile_column, row, column);
    if (tile_row == pivot || tile_column == pivot || STOPPED(unsound, launch)) return;
    dist_t before = matrix[cell];
    dist_t least = least_detour(matrix + CELL(tile_row, pivot, row, 0),
                                matrix + CELL(pivot, tile_column, 0, column), stride, before);
    int diagonal = tile_row == tile_column && row == column;
    if (FALLS(least, before, diagonal, tolerance)) {
        matrix[cell] = least;
        if (diagonal) atomicMin(unsound, launch);
    }
}
