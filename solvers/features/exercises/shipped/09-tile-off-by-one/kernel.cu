/* Exercise: A tile off by one
 *
 * The tile on the diagonal, then the others of its row and column, then the rest.
 */
#include "detour.h"

#ifndef TILE
#define TILE 32
#endif

/* The cell at (row, column) inside tile (tile_row, tile_column). */
#define CELL(tile_row, tile_column, row, column) \
    (((index_t)(tile_row)*TILE + (row)) * stride + (index_t)(tile_column)*TILE + (column))

KERNEL void pivot_tile(GLOBAL dist_t *matrix, index_t stride, int pivot, int launch, GLOBAL int *unsound,
                       dist_t tolerance) {
    __shared__ dist_t tile[TILE][TILE];
    int row = threadIdx.y, column = threadIdx.x;
    index_t cell = CELL(pivot, pivot, row, column);
    if (STOPPED(unsound, launch)) return;
    tile[row][column] = matrix[cell];
    for (int k = 0; k < TILE; ++k) {
        __syncthreads();
        dist_t detour = DETOUR(tile[row][k], tile[k][column]);
        /* The diagonal is only checked when the tile is done; until then a negative cycle inside it doubles its
         * cells at every k, and must not wrap round. */
        if (detour < -DIST_INF) detour = -DIST_INF;
        if (FALLS(detour, tile[row][column], row == column, tolerance)) tile[row][column] = detour;
    }
    matrix[cell] = tile[row][column];
    if (row == column && tile[row][column] < 0) atomicMin(unsound, launch);
}

/* blockIdx.y 0: tiles (pivot, blockIdx.x) of the pivot row; 1: tiles (blockIdx.x, pivot) of the pivot column. */
KERNEL void pivot_cross(GLOBAL dist_t *matrix, index_t stride, int pivot, int launch, GLOBAL int *unsound) {
    __shared__ dist_t inner[TILE][TILE];
    __shared__ dist_t outer[TILE][TILE];
    int row = threadIdx.y, column = threadIdx.x, other = blockIdx.x;
    int in_row = blockIdx.y == 0;
    index_t cell = in_row ? CELL(pivot, other, row, column) : CELL(other, pivot, row, column);
    if (other == pivot || STOPPED(unsound, launch)) return;
    inner[row][column] = matrix[CELL(pivot, pivot, row, column)];
    outer[row][column] = matrix[cell];
    __syncthreads();
    dist_t least = outer[row][column];
    for (int k = 0; k < TILE - 1; ++k) {
        dist_t detour = in_row ? DETOUR(inner[row][k], outer[k][column]) : DETOUR(outer[row][k], inner[k][column]);
        if (detour < least) least = detour;
    }
    matrix[cell] = least;
}

KERNEL void other_tiles(GLOBAL dist_t *matrix, index_t stride, int first_tile_row, int pivot, int launch,
                        GLOBAL int *unsound, dist_t tolerance) {
    __shared__ dist_t left[TILE][TILE];
    __shared__ dist_t above[TILE][TILE];
    int row = threadIdx.y, column = threadIdx.x;
    int tile_row = first_tile_row + (int)blockIdx.y, tile_column = blockIdx.x;
    index_t cell = CELL(tile_row, tile_column, row, column);
    if (tile_row == pivot || tile_column == pivot || STOPPED(unsound, launch)) return;
    left[row][column] = matrix[CELL(tile_row, pivot, row, column)];
    above[row][column] = matrix[CELL(pivot, tile_column, row, column)];
    __syncthreads();
    dist_t before = matrix[cell];
    dist_t least = before;
    for (int k = 0; k < TILE - 1; ++k) {
        dist_t detour = DETOUR(left[row][k], above[k][column]);
        if (detour < least) least = detour;
    }
    int diagonal = tile_row == tile_column && row == column;
    if (FALLS(least, before, diagonal, tolerance)) {
        matrix[cell] = least;
        if (diagonal) atomicMin(unsound, launch);
    }
}
