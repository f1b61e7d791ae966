/* Blocked Floyd-Warshall as three min-plus products a step, tiled in registers.
 *
 * Idea
 *   Step p takes the pivot tile P and does
 *
 *     pivot   P    = P*                                   one block, cells in registers
 *     cross   row  = P* (x) row,  column = column (x) P*  2 (tiles - 1) blocks
 *     rest    C    = min(C, column (x) row)               (tiles - 1)^2 blocks
 *
 *   where (x) is the product with min for sum and + for times. Each thread keeps 8 rows x WORDS
 *   words of C in registers, so that four 16-byte reads of shared memory feed 64 additions and
 *   minimums. The next chunk of both factors is loaded while this one is used, and has its own half
 *   of shared memory: one barrier a chunk. `min(a + b, c)` on int is one instruction on compute
 *   capability 9.0; with PACKED a word holds two 16-bit distances. While step p updates the rest,
 *   one block closes the next pivot tile (look-ahead).
 *
 *   `multiply` is the same product between matrices that are stored apart: matrices in parts on
 *   several devices, or in the host's memory, take their steps in panels of several tiles with it
 *   (panels.py).
 *
 * Why it is correct
 *   P* is closed and has no positive diagonal, so the best path from pivot vertex i to j leaves the
 *   pivot tile at some q for the last time: P*(i, q) + row(q, j). So `cross` is a plain product,
 *   and `rest` needs its result alone. PACKED is used where a bound on all path lengths proves that
 *   every sum fits 16 bits. The host searches for negative cycles before, so the kernels need not
 *   watch the diagonal.
 *
 * Parameters
 *   TILE: rows of a tile. PACKED (`bits`): 16-bit cells. STEP: pivots per chunk.
 *
 * Source
 *   Original implementation, after Lund and Smith 2010 and Sao et al. 2021.
 */

#ifndef TILE
#define TILE 128
#endif
#ifdef PACKED
#define STEP 16 /* pivots per chunk */
#else
/* half, so that the chunk being loaded needs few enough
 * registers for two blocks on a multiprocessor */
#define STEP 8
#endif
#if defined(DIST_INT64) || defined(DIST_FLOAT64)
#define BLOCKS_PER_SM 1
#else
#define BLOCKS_PER_SM 2
#endif
#define ROWS 8    /* cells per thread, down ... */
#ifdef PACKED     /* ... and words per thread, across */
#define WORDS 4
typedef unsigned int word_t;
typedef short cell_t;
#define CELLS_PER_WORD 2
#define RELAX(a, b, c) __viaddmin_s16x2(a, b, c)
#else
#define WORDS 8
typedef dist_t word_t;
typedef dist_t cell_t;
#define CELLS_PER_WORD 1
#define RELAX(a, b, c) min((a) + (b), c)
#endif
#define ROW_WORDS (TILE / CELLS_PER_WORD)
#define THREADS 256

typedef struct __align__(16) { word_t w[16 / sizeof(word_t)]; } Quad;
typedef struct __align__(16) { cell_t c[16 / sizeof(cell_t)]; } CellQuad;
#define QUAD (16 / (int)sizeof(word_t))        /* words in 16 bytes */
#define CELLS_PER_QUAD (16 / (int)sizeof(cell_t))

/* A cell as a word that meets every cell of another word. */
DEVICE word_t spread(cell_t cell) {
#ifdef PACKED
    return ((unsigned int)(unsigned short)cell) * 0x10001u;
#else
    return cell;
#endif
}

/* out = min(c, a (x) b) for one TILE x TILE tile; a has `depth` columns, b as many rows, depth a
 * multiple of STEP. Each stride is the number of cells from one row to the next. `out` may be c,
 * and c may be a or b. */
DEVICE void multiply_tile(cell_t *out, index_t out_stride, const cell_t *c, index_t c_stride,
                          const cell_t *a, index_t a_stride, const cell_t *b, index_t b_stride,
                          int depth) {
    __shared__ word_t left[2][STEP][TILE + 4];
    __shared__ word_t right[2][STEP][ROW_WORDS];
    const int thread = threadIdx.x, ty = thread / 16, tx = thread % 16;

    /* Rows ty*4..+3 and 64+ty*4..+3; words tx*QUAD..+QUAD-1 of each of WORDS/QUAD column groups. */
    word_t sums[ROWS][WORDS];
    #pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int y = (r / 4) * (TILE / 2) + ty * 4 + r % 4;
        #pragma unroll
        for (int g = 0; g < WORDS / QUAD; g++) {
            const word_t *words = (const word_t *)(c + y * c_stride);
            const Quad q = *(const Quad *)(words + g * 16 * QUAD + tx * QUAD);
            #pragma unroll
            for (int w = 0; w < QUAD; w++) {
                sums[r][g * QUAD + w] = q.w[w];
            }
        }
    }

    enum {
        A_QUADS = TILE * STEP / CELLS_PER_QUAD / THREADS,
        B_QUADS = STEP * ROW_WORDS / QUAD / THREADS
    };
    CellQuad a_next[A_QUADS];
    Quad b_next[B_QUADS];
    #define A_ROW (STEP / CELLS_PER_QUAD)
    #define B_ROW (ROW_WORDS / QUAD)
    #define FETCH(k0) \
        _Pragma("unroll") for (int q = 0; q < A_QUADS; q++) { \
            const int at = thread + q * THREADS, y = at / A_ROW, x = at % A_ROW; \
            a_next[q] = *(const CellQuad *)(a + y * a_stride + (k0) + x * CELLS_PER_QUAD); \
        } \
        _Pragma("unroll") for (int q = 0; q < B_QUADS; q++) { \
            const int at = thread + q * THREADS, y = at / B_ROW, x = at % B_ROW; \
            b_next[q] = *(const Quad *)((const word_t *)(b + ((k0) + y) * b_stride) + x * QUAD); \
        }
    #define STORE(side) \
        _Pragma("unroll") for (int q = 0; q < A_QUADS; q++) { \
            const int at = thread + q * THREADS, y = at / A_ROW, x = at % A_ROW; \
            _Pragma("unroll") for (int e = 0; e < CELLS_PER_QUAD; e++) { \
                left[side][x * CELLS_PER_QUAD + e][y] = spread(a_next[q].c[e]); \
            } \
        } \
        _Pragma("unroll") for (int q = 0; q < B_QUADS; q++) { \
            const int at = thread + q * THREADS, y = at / B_ROW, x = at % B_ROW; \
            *(Quad *)&right[side][y][x * QUAD] = b_next[q]; \
        }

    FETCH(0)
    STORE(0)
    __syncthreads();
    #pragma unroll 1
    for (int chunk = 0; chunk < depth / STEP; chunk++) {
        const int side = chunk % 2;
        if (chunk + 1 < depth / STEP) {
            FETCH((chunk + 1) * STEP)
        }
        #pragma unroll
        for (int k = 0; k < STEP; k++) {
            word_t ra[ROWS], rb[WORDS];
            #pragma unroll
            for (int r = 0; r < ROWS; r += QUAD) {
                const Quad q = *(const Quad *)&left[side][k][(r / 4) * (TILE / 2) + ty * 4 + r % 4];
                #pragma unroll
                for (int w = 0; w < QUAD; w++) {
                    ra[r + w] = q.w[w];
                }
            }
            #pragma unroll
            for (int g = 0; g < WORDS / QUAD; g++) {
                const Quad q = *(const Quad *)&right[side][k][g * 16 * QUAD + tx * QUAD];
                #pragma unroll
                for (int w = 0; w < QUAD; w++) {
                    rb[g * QUAD + w] = q.w[w];
                }
            }
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                #pragma unroll
                for (int w = 0; w < WORDS; w++) {
                    sums[r][w] = RELAX(ra[r], rb[w], sums[r][w]);
                }
            }
        }
        if (chunk + 1 < depth / STEP) {
            STORE(side ^ 1)
        }
        __syncthreads();
    }

    #pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int y = (r / 4) * (TILE / 2) + ty * 4 + r % 4;
        #pragma unroll
        for (int g = 0; g < WORDS / QUAD; g++) {
            Quad q;
            #pragma unroll
            for (int w = 0; w < QUAD; w++) {
                q.w[w] = sums[r][g * QUAD + w];
            }
            *(Quad *)((word_t *)(out + y * out_stride) + g * 16 * QUAD + tx * QUAD) = q;
        }
    }
}

/* min(C, A (x) B) for one tile of `matrix`; tiles are named by their row and column. */
DEVICE void relax_tile(cell_t *matrix, index_t stride, int row, int pivot, int column) {
    cell_t *rows = matrix + (index_t)row * TILE * stride,
           *pivots = matrix + (index_t)pivot * TILE * stride;
    cell_t *c = rows + (index_t)column * TILE;
    multiply_tile(c, stride, c, stride, rows + (index_t)pivot * TILE, stride,
                  pivots + (index_t)column * TILE, stride, TILE);
}

/* Floyd-Warshall inside the pivot tile, 8 x 8 cells a thread in registers. Row and column k pass
 * through shared memory, in two halves that take turns, so that one barrier a step is enough. */
DEVICE void close_tile(cell_t *matrix, index_t stride, int pivot) {
    __shared__ dist_t row_k[2][TILE], column_k[2][TILE];
    const int ty = threadIdx.x / 16, tx = threadIdx.x % 16;
    cell_t *tile = matrix + (index_t)pivot * TILE * (stride + 1);
    dist_t cells[8][8]; /* rows ty, ty + 16, ...; columns tx, tx + 16, ... */
    #pragma unroll
    for (int r = 0; r < 8; r++) {
        #pragma unroll
        for (int s = 0; s < 8; s++) {
            cells[r][s] = tile[(r * 16 + ty) * stride + s * 16 + tx];
        }
    }
    #pragma unroll
    /* k = 16 high + low: `high` names a register, `low` a thread */
    for (int high = 0; high < TILE / 16; high++) {
        #pragma unroll 1
        for (int low = 0; low < 16; low++) {
            const int side = low % 2;
            if (ty == low) {
                #pragma unroll
                for (int s = 0; s < 8; s++) {
                    row_k[side][s * 16 + tx] = cells[high][s];
                }
            }
            if (tx == low) {
                #pragma unroll
                for (int r = 0; r < 8; r++) {
                    column_k[side][r * 16 + ty] = cells[r][high];
                }
            }
            __syncthreads();
            dist_t across[8];
            #pragma unroll
            for (int s = 0; s < 8; s++) {
                across[s] = row_k[side][s * 16 + tx];
            }
            #pragma unroll
            for (int r = 0; r < 8; r++) {
                const dist_t down = column_k[side][r * 16 + ty];
                #pragma unroll
                for (int s = 0; s < 8; s++) {
                    cells[r][s] = min(cells[r][s], down + across[s]);
                }
            }
        }
    }
    #pragma unroll
    for (int r = 0; r < 8; r++) {
        #pragma unroll
        for (int s = 0; s < 8; s++) {
            tile[(r * 16 + ty) * stride + s * 16 + tx] = (cell_t)cells[r][s];
        }
    }
}

/* Tile number `other` among all tiles but the pivot. */
DEVICE int skip_pivot(int other, int pivot) { return other + (other >= pivot); }

/* The three phases, for the square of tiles whose first cell is cell number `at` of `matrix`. */
KERNEL void __launch_bounds__(THREADS, 1)
    close_pivot(cell_t *matrix, index_t at, index_t stride, int pivot) {
    close_tile(matrix + at, stride, pivot);
}

KERNEL void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    relax_cross(cell_t *matrix, index_t at, index_t stride, int pivot) {
    const int other = skip_pivot(blockIdx.x, pivot);
    if (blockIdx.y == 0) {
        relax_tile(matrix + at, stride, pivot, pivot, other);
    } else {
        relax_tile(matrix + at, stride, other, pivot, pivot);
    }
}

/* Look-ahead: the first block has the next pivot tile,
 * and closes it while the others are still at work. */
KERNEL void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    relax_rest(cell_t *matrix, index_t at, index_t stride, int pivot) {
    const int others = gridDim.x;
    const int row = skip_pivot((blockIdx.y + pivot) % others, pivot);
    const int column = skip_pivot((blockIdx.x + pivot) % others, pivot);
    relax_tile(matrix + at, stride, row, pivot, column);
    if (row == pivot + 1 && column == pivot + 1) {
        __syncthreads();
        close_tile(matrix + at, stride, row);
    }
}

/* out = min(start, left (x) right), one block a tile of `out`, but for `skipped` columns of tiles
 * from `first_skipped`. Of each matrix: cell number `at` is its first. `out` overlaps a factor only
 * where both are that tile of `start`. */
KERNEL void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    multiply(cell_t *out, index_t out_at, index_t out_stride, const cell_t *start, index_t start_at,
             index_t start_stride, const cell_t *left, index_t left_at, index_t left_stride,
             const cell_t *right, index_t right_at, index_t right_stride, int depth,
             int first_skipped, int skipped) {
    const int across = blockIdx.x + (blockIdx.x >= first_skipped ? skipped : 0);
    const index_t row = (index_t)blockIdx.y * TILE, column = (index_t)across * TILE;
    multiply_tile(out + out_at + row * out_stride + column, out_stride,
                  start + start_at + row * start_stride + column, start_stride,
                  left + left_at + row * left_stride, left_stride, right + right_at + column,
                  right_stride, depth);
}

/* Copy tiles, one block each. */
KERNEL void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    copy_tiles(cell_t *out, index_t out_at, index_t out_stride, const cell_t *from, index_t from_at,
               index_t from_stride) {
    const index_t row = (index_t)blockIdx.y * TILE, column = (index_t)blockIdx.x * TILE;
    for (int cell = threadIdx.x; cell < TILE * TILE; cell += THREADS) {
        const int y = cell / TILE, x = cell % TILE;
        out[out_at + (row + y) * out_stride + column + x] =
            from[from_at + (row + y) * from_stride + column + x];
    }
}
