/* Arcs in padded rows, as ELL and sliced ELL store them.
 *
 * The rows of a slice have the length of its longest; empty slots hold NO_HEAD and follow the arcs.
 * A slice is stored column by column: slot k of its row r lies at first[slice] + k * stride + r, so
 * that adjacent threads, which handle adjacent rows, read adjacent words. ELL is one slice of all
 * rows; slice_bits is then 31, and no row number has more.
 *
 * Source: Bell and Garland, "Implementing sparse matrix-vector multiplication on
 * throughput-oriented processors", 2009 (ELL); Monakov, Lokhmotov and Avetisyan, "Automatically
 * tuning sparse matrix-vector multiplication for GPU architectures", 2010 (slices). Bodra 2025
 * names ELL as future work.
 */

#define NO_HEAD (-1)

/* Number of the first slot of a row. */
DEVICE index_t first_slot(index_t row, int slice_bits, CONST_IN(index_t) first) {
    return first[row >> slice_bits] + (row & (((index_t)1 << slice_bits) - 1));
}

/* Relax the arcs of one row; 1 where a distance fell. A
 * row ends with its slice or at its first empty slot. */
DEVICE int relax_padded_row(index_t tail, int slice_bits, index_t stride, CONST_IN(index_t) first,
                            CONST_IN(int) heads, CONST_IN(dist_t) weights, dist_t reached,
                            GLOBAL dist_t *distance, dist_t floor, GLOBAL int *state, int pass) {
    int fell = 0;
    index_t end = first[(tail >> slice_bits) + 1];
    for (index_t slot = first_slot(tail, slice_bits, first); slot < end; slot += stride) {
        int head = heads[slot];
        if (head == NO_HEAD) break;
        fell |= offer(distance, head, reached + weights[slot], floor, state, pass);
    }
    return fell;
}
