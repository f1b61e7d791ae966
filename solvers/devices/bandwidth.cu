/* Copy of an array, to measure the bandwidth of the device's memory. Launched by bandwidth.py.
 *
 * Idea
 *   Adjacent threads copy adjacent words of 8 bytes, in a
 *   grid-stride loop, so that reads and writes are coalesced.
 *
 * Why it is correct
 *   The strides partition the words, and the arrays do not overlap.
 *
 * Parameters
 *   None.
 *
 * Source
 *   Original; the copy kernel of McCalpin's STREAM benchmark is the model.
 */
KERNEL void copy(index_t words, CONST_IN(index_t) from, GLOBAL index_t *to) {
    FOR_GRID_STRIDE(i, words) to[i] = from[i];
}
