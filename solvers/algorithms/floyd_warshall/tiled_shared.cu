/* Blocked Floyd-Warshall with the tiles in shared memory.
 *
 * Idea
 *   The pivot advances by a tile of vertices at a
 *   time, in three launches, with one thread per cell:
 *
 *     1  pivot_tile   the tile on the diagonal: one block
 *     2  pivot_cross  a block for each other tile of its row and its column, with the pivot tile
 *     3  other_tiles  a block for each other tile, with those of its row and column from phase 2
 *
 *   A block copies the tiles it reads to shared memory, one cell of each per thread; every number
 *   is then read TILE times from there. A thread keeps its own cell in a register. The matrix is
 *   padded to a multiple of TILE with vertices that no arc touches.
 *
 * Why it is correct
 *   After phase 1 the pivot tile holds the shortest paths inside it, so phases 2 and 3 may take its
 *   vertices in any order. Only phase 1 needs a barrier between pivots.
 *
 * Parameters
 *   TILE (`tile`): TILE x TILE threads in a block.
 *
 * Source
 *   Bodra 2025, "Tiled with shared memory"; Wang 2024, Algorithms 5 and 6 (CUDA-Tiling).
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
    __shared__ dist_t tile[TILE][TILE];
    int row = threadIdx.y, column = threadIdx.x;
    index_t cell = CELL(pivot, pivot, row, column);
    int idle = STOPPED(unsound, launch);
    LEAVE_BLOCK(idle);
    tile[row][column] = matrix[cell];
    for (int k = 0; k < TILE; ++k) {
        __syncthreads();
        dist_t detour = DETOUR(tile[row][k], tile[k][column]);
        /* The diagonal is only checked when the tile is done;
         * until then a negative cycle inside it doubles its
         * cells at every k, and must not wrap round. */
        if (detour < -DIST_INF) detour = -DIST_INF;
        if (FALLS(detour, tile[row][column], row == column, tolerance)) tile[row][column] = detour;
    }
    if (idle) return;
    matrix[cell] = tile[row][column];
    if (row == column && tile[row][column] < 0) atomicMin(unsound, launch);
}

/* blockIdx.y 0: tiles (pivot, blockIdx.x) of the pivot row;
 * 1: tiles (blockIdx.x, pivot) of the pivot column. */
KERNEL void pivot_cross(GLOBAL dist_t *matrix, index_t stride, int pivot, int launch,
                        GLOBAL int *unsound) {
    __shared__ dist_t inner[TILE][TILE];
    __shared__ dist_t outer[TILE][TILE];
    int row = threadIdx.y, column = threadIdx.x, other = blockIdx.x;
    int in_row = blockIdx.y == 0;
    index_t cell = in_row ? CELL(pivot, other, row, column) : CELL(other, pivot, row, column);
    int idle = other == pivot || STOPPED(unsound, launch);
    LEAVE_BLOCK(idle);
    inner[row][column] = matrix[CELL(pivot, pivot, row, column)];
    outer[row][column] = matrix[cell];
    __syncthreads();
    dist_t least = outer[row][column];
    for (int k = 0; k < TILE; ++k) {
        dist_t detour = in_row ? DETOUR(inner[row][k], outer[k][column])
                               : DETOUR(outer[row][k], inner[k][column]);
        if (detour < least) least = detour;
    }
    if (!idle) matrix[cell] = least;
}

KERNEL void other_tiles(GLOBAL dist_t *matrix, index_t stride, int first_tile_row, int pivot,
                        int launch, GLOBAL int *unsound, dist_t tolerance) {
    __shared__ dist_t left[TILE][TILE];
    __shared__ dist_t above[TILE][TILE];
    int row = threadIdx.y, column = threadIdx.x;
    int tile_row = first_tile_row + (int)blockIdx.y, tile_column = blockIdx.x;
    index_t cell = CELL(tile_row, tile_column, row, column);
    int idle = tile_row == pivot || tile_column == pivot || STOPPED(unsound, launch);
    LEAVE_BLOCK(idle);
    left[row][column] = matrix[CELL(tile_row, pivot, row, column)];
    above[row][column] = matrix[CELL(pivot, tile_column, row, column)];
    __syncthreads();
    dist_t before = matrix[cell];
    dist_t least = before;
    for (int k = 0; k < TILE; ++k) {
        dist_t detour = DETOUR(left[row][k], above[k][column]);
        if (detour < least) least = detour;
    }
    int diagonal = tile_row == tile_column && row == column;
    if (!idle && FALLS(least, before, diagonal, tolerance)) {
        matrix[cell] = least;
        if (diagonal) atomicMin(unsound, launch);
    }
}
