/* Bellman-Ford with one thread per vertex and two distance arrays.
 *
 * Idea
 *   Each vertex has a thread, which relaxes all arcs that leave it. A pass reads the distances of
 *   the previous pass (`previous`) and lowers those of this one (`distance`); `keep` then copies
 *   them.
 *
 * Why it is correct
 *   After pass k, all shortest paths of at most k arcs are known, so n - 1 passes are enough. No
 *   thread reads what another writes, so a pass has the same result in any order of threads.
 *   Several arcs may lead to one head in a pass; the atomic minimum keeps the least offer
 *   (relax.h). A pass without a change can be the last: the next would read the same distances.
 *
 * Parameters
 *   `early_exit`: stop after a pass without a change. `block`: threads in a block. `layout`:
 *   compressed rows, or padded rows that adjacent threads read in adjacent words (padded_rows.h).
 *
 * Source
 *   Bodra 2025, "Experimental Setup: Bellman-Ford algorithm", one thread per vertex.
 */
#include "relax.h"
#include "padded_rows.h"

KERNEL void relax(int n, CONST_IN(index_t) indptr, CONST_IN(int) indices, CONST_IN(dist_t) weights,
                  CONST_IN(dist_t) previous, GLOBAL dist_t *distance, dist_t floor,
                  GLOBAL int *state, int step) {
    int pass = state[QUEUED] + step;
    index_t tail = GLOBAL_THREAD;
    if (tail >= n || is_over(state, pass)) return;
    dist_t reached = previous[tail];
    if (reached >= DIST_INF) return;
    int fell = 0;
    for (index_t arc = indptr[tail]; arc < indptr[tail + 1]; arc++)
        fell |= offer(distance, indices[arc], reached + weights[arc], floor, state, pass);
    if (fell) state[LAST_CHANGE] = pass;
}

/* As relax, over padded rows. */
KERNEL void relax_padded(int n, int slice_bits, index_t stride, CONST_IN(index_t) first,
                         CONST_IN(int) heads, CONST_IN(dist_t) weights, CONST_IN(dist_t) previous,
                         GLOBAL dist_t *distance, dist_t floor, GLOBAL int *state, int step) {
    int pass = state[QUEUED] + step;
    index_t tail = GLOBAL_THREAD;
    if (tail >= n || is_over(state, pass)) return;
    dist_t reached = previous[tail];
    if (reached >= DIST_INF) return;
    if (relax_padded_row(tail, slice_bits, stride, first, heads, weights, reached, distance, floor,
                         state, pass))
        state[LAST_CHANGE] = pass;
}

KERNEL void keep(int n, CONST_IN(dist_t) distance, GLOBAL dist_t *previous, GLOBAL const int *state,
                 int step) {
    int pass = state[QUEUED] + step;
    index_t v = GLOBAL_THREAD;
    if (v < n && !is_over(state, pass)) previous[v] = distance[v];
}
