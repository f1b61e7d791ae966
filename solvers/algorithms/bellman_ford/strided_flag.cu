/* Bellman-Ford in a grid-stride loop over flagged vertices.
 *
 * Idea
 *   As strided.cu, but each vertex carries a flag, set where its distance fell in the previous
 *   pass. Vertices without it are skipped: their arcs were already relaxed with the distance that
 *   they still have.
 *
 * Why it is correct
 *   An arc is relaxed again after each fall of its tail's distance. `relax` only clears flags, each
 *   in the thread that handles the vertex; `keep`, a launch of its own, sets them by comparing
 *   `previous` with `distance`. So a vertex that falls after its own turn is flagged as well.
 *
 * Parameters
 *   `early_exit`: stop after a pass without a change.
 *   `block`: threads in a block. `grid`: blocks at most.
 *   `layout`: compressed rows, or padded rows that adjacent
 *   threads read in adjacent words (padded_rows.h).
 *
 * Source
 *   Bodra 2025, "Experimental Setup: Bellman-Ford algorithm", strided with flag (after Agarwal and
 *   Dutta). Taken literally, the paper's text resets a flag in a pass that may also set it; the
 *   second kernel avoids that.
 */
#include "relax.h"
#include "padded_rows.h"

/* Takes flags down, and sets none: a vertex improved here
 * before or after its own turn is flagged by `keep`. */
KERNEL void relax(int n, CONST_IN(index_t) indptr, CONST_IN(int) indices, CONST_IN(dist_t) weights,
                  CONST_IN(dist_t) previous, GLOBAL dist_t *distance, GLOBAL unsigned char *flag,
                  dist_t floor, GLOBAL int *state, int step) {
    int pass = state[QUEUED] + step;
    if (is_over(state, pass)) return;
    int fell = 0;
    FOR_GRID_STRIDE(tail, n) {
        if (!flag[tail]) continue;
        flag[tail] = 0;
        dist_t reached = previous[tail];
        for (index_t arc = indptr[tail]; arc < indptr[tail + 1]; arc++)
            fell |= offer(distance, indices[arc], reached + weights[arc], floor, state, pass);
    }
    if (fell) state[LAST_CHANGE] = pass;
}

/* As relax, over padded rows. */
KERNEL void relax_padded(int n, int slice_bits, index_t stride, CONST_IN(index_t) first,
                         CONST_IN(int) heads, CONST_IN(dist_t) weights, CONST_IN(dist_t) previous,
                         GLOBAL dist_t *distance, GLOBAL unsigned char *flag, dist_t floor,
                         GLOBAL int *state, int step) {
    int pass = state[QUEUED] + step;
    if (is_over(state, pass)) return;
    int fell = 0;
    FOR_GRID_STRIDE(tail, n) {
        if (!flag[tail]) continue;
        flag[tail] = 0;
        dist_t reached = previous[tail];
        fell |= relax_padded_row(tail, slice_bits, stride, first, heads, weights, reached, distance,
                                 floor, state, pass);
    }
    if (fell) state[LAST_CHANGE] = pass;
}

KERNEL void keep(int n, CONST_IN(dist_t) distance, GLOBAL dist_t *previous,
                 GLOBAL unsigned char *flag, GLOBAL const int *state, int step) {
    int pass = state[QUEUED] + step;
    if (is_over(state, pass)) return;
    FOR_GRID_STRIDE(v, n) {
        if (distance[v] < previous[v]) {
            previous[v] = distance[v];
            flag[v] = 1;
        }
    }
}
