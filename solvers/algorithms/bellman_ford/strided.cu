/* Bellman-Ford with fewer threads than vertices, in a grid-stride loop.
 *
 * Idea
 *   As vertex.cu, but the grid has a fixed number of threads, and thread t takes the vertices t, t
 *   + stride, t + 2 stride, ..., stride being the number of threads. Adjacent threads take adjacent
 *   vertices, so reads of `previous` and `indptr` are coalesced.
 *
 * Why it is correct
 *   The strides partition the vertices, and `relax` reads distances only from `previous`, so it
 *   does not matter which thread takes which vertex, or when. The rest is as in vertex.cu.
 *
 * Parameters
 *   `early_exit`: stop after a pass without a change.
 *   `block`: threads in a block. `grid`: blocks at most.
 *   `layout`: compressed rows, or padded rows that adjacent
 *   threads read in adjacent words (padded_rows.h).
 *
 * Source
 *   Bodra 2025, "Experimental Setup: Bellman-Ford algorithm", strided.
 */
#include "relax.h"
#include "padded_rows.h"

KERNEL void relax(int n, CONST_IN(index_t) indptr, CONST_IN(int) indices, CONST_IN(dist_t) weights,
                  CONST_IN(dist_t) previous, GLOBAL dist_t *distance, dist_t floor,
                  GLOBAL int *state, int step) {
    int pass = state[QUEUED] + step;
    if (is_over(state, pass)) return;
    int fell = 0;
    FOR_GRID_STRIDE(tail, n) {
        dist_t reached = previous[tail];
        if (reached >= DIST_INF) continue;
        for (index_t arc = indptr[tail]; arc < indptr[tail + 1]; arc++)
            fell |= offer(distance, indices[arc], reached + weights[arc], floor, state, pass);
    }
    if (fell) state[LAST_CHANGE] = pass;
}

/* As relax, over padded rows. */
KERNEL void relax_padded(int n, int slice_bits, index_t stride, CONST_IN(index_t) first,
                         CONST_IN(int) heads, CONST_IN(dist_t) weights, CONST_IN(dist_t) previous,
                         GLOBAL dist_t *distance, dist_t floor, GLOBAL int *state, int step) {
    int pass = state[QUEUED] + step;
    if (is_over(state, pass)) return;
    int fell = 0;
    FOR_GRID_STRIDE(tail, n) {
        dist_t reached = previous[tail];
        if (reached >= DIST_INF) continue;
        fell |= relax_padded_row(tail, slice_bits, stride, first, heads, weights, reached, distance,
                                 floor, state, pass);
    }
    if (fell) state[LAST_CHANGE] = pass;
}

KERNEL void keep(int n, CONST_IN(dist_t) distance, GLOBAL dist_t *previous, GLOBAL const int *state,
                 int step) {
    int pass = state[QUEUED] + step;
    if (is_over(state, pass)) return;
    FOR_GRID_STRIDE(v, n) previous[v] = distance[v];
}
