/* From compressed rows to padded ones. See padded_rows.py. */
#include "relax.h"
#include "padded_rows.h"

/* One thread per row, from row `begin` up to `end`,
 * fills all slots of its row, the empty ones too. */
KERNEL void fill_padded(index_t begin, index_t end, int slice_bits, index_t stride,
                        CONST_IN(index_t) indptr, CONST_IN(int) heads, CONST_IN(dist_t) weights,
                        CONST_IN(index_t) first, GLOBAL int *padded_heads,
                        GLOBAL dist_t *padded_weights) {
    index_t row = begin + GLOBAL_THREAD;
    if (row >= end) return;
    index_t arc = indptr[row], last = indptr[row + 1], past = first[(row >> slice_bits) + 1];
    for (index_t slot = first_slot(row, slice_bits, first); slot < past; slot += stride, arc++) {
        padded_heads[slot] = arc < last ? heads[arc] : NO_HEAD;
        padded_weights[slot] = arc < last ? weights[arc] : (dist_t)0;
    }
}
