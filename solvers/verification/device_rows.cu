/* Whether rows of distances on a device are right. Launched by device_rows.py.
 *
 * Idea
 *   A block takes a row. Its threads look at every arc of the graph: none may offer less than is
 *   claimed of its head, and the head of a tight one is marked. Then they look for a vertex that is
 *   claimed to be reached and has no mark.
 *
 * Why it is correct
 *   All weights are positive. Back along tight arcs distances fall, and they are not negative, so
 *   these arcs lead to the only vertex that needs none, the source at 0: every distance is the
 *   length of a path. No path is shorter, and no other vertex is reached, since no arc offers less
 *   than is claimed. Sums do not wrap, as distances and weights are less than infinity, and twice
 *   that fits. Threads that mark one vertex at once write the same.
 *
 * Parameters
 *   None. BLOCK: threads in a block.
 *
 * Source
 *   Original implementation; the conditions are those of verify.py.
 */

#ifndef BLOCK
#define BLOCK 64
#endif

/* `row_of` and `source`: the row and the source of each of `count` proofs. `marks`: n for each
 * block, 0 before and after. `proved` is set to 1 where a row is right. */
KERNEL void prove_rows(int n, int count, CONST_IN(int) row_of, CONST_IN(int) source,
                       CONST_IN(index_t) indptr, CONST_IN(int) indices, CONST_IN(dist_t) weights,
                       CONST_IN(dist_t) claimed, GLOBAL unsigned char *marks, GLOBAL int *proved) {
    __shared__ int wrong;
    index_t own = blockIdx.x * (index_t)n;
    for (int i = blockIdx.x; i < count; i += gridDim.x) {
        index_t row = row_of[i] * (index_t)n;
        int start = source[i], fails = claimed[row + start] != 0;
        if (threadIdx.x == 0) wrong = 0;
        for (int u = threadIdx.x; u < n; u += BLOCK) {
            dist_t from = claimed[row + u];
            fails |= from < 0;
            if (from < 0 || from >= DIST_INF) continue;
            for (index_t a = indptr[u], end = indptr[u + 1]; a < end; a++) {
                dist_t offered = from + weights[a], to = claimed[row + indices[a]];
                fails |= to > offered || to >= DIST_INF;
                if (to == offered) marks[own + indices[a]] = 1;
            }
        }
        __syncthreads(); /* all marks are made, and `wrong` is set */
        for (int v = threadIdx.x; v < n; v += BLOCK) {
            fails |= claimed[row + v] < DIST_INF && !marks[own + v] && v != start;
            marks[own + v] = 0;
        }
        if (fails) atomicOr(&wrong, 1);
        __syncthreads();
        if (threadIdx.x == 0) proved[i] = !wrong;
        __syncthreads(); /* before `wrong` and the marks are used again */
    }
}
