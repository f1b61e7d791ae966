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
 *   that fits. Marks are set by atomics, since 32 share a word.
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

#define WORD_OF(v) (own + (v) / 32)
#define BIT_OF(v) ((int)(1u << ((v) & 31)))

/* `row_of` and `source`: the row and the source of each of `count` proofs. `marks`: a bit for each
 * vertex, in `words` of each block, 0 before and after. `proved` is set to 1 where a row is right. */
KERNEL void prove_rows(int n, int words, int count, CONST_IN(int) row_of, CONST_IN(int) source,
                       CONST_IN(index_t) indptr, CONST_IN(int) indices, CONST_IN(dist_t) weights,
                       CONST_IN(dist_t) claimed, GLOBAL int *marks, GLOBAL int *proved) {
    __shared__ int wrong;
    index_t own = blockIdx.x * (index_t)words;
    for (int i = blockIdx.x; i < count; i += gridDim.x) {
        index_t row = row_of[i] * (index_t)n;
        int start = source[i], fails = claimed[row + start] != 0;
        if (threadIdx.x == 0) wrong = 0;
        for (int u = threadIdx.x; u < n; u += BLOCK) {
            dist_t from = claimed[row + u];
            fails |= from < 0;
            if (from < 0 || from >= DIST_INF) continue;
            for (index_t a = indptr[u], end = indptr[u + 1]; a < end; a++) {
                int v = indices[a];
                dist_t offered = from + weights[a], to = claimed[row + v];
                fails |= to > offered || to >= DIST_INF;
                if (to == offered) atomicOr(&marks[WORD_OF(v)], BIT_OF(v));
            }
        }
        __syncthreads(); /* all marks are made, and `wrong` is set */
        for (int v = threadIdx.x; v < n; v += BLOCK)
            fails |= claimed[row + v] < DIST_INF && !(marks[WORD_OF(v)] & BIT_OF(v)) && v != start;
        if (fails) atomicOr(&wrong, 1);
        __syncthreads(); /* all marks are read, and `wrong` is whole */
        if (threadIdx.x == 0) proved[i] = !wrong;
        for (int word = threadIdx.x; word < words; word += BLOCK) marks[own + word] = 0;
        __syncthreads(); /* before `wrong` and the marks are used again */
    }
}
