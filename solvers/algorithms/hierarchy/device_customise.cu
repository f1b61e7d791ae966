/* Customisation of a contraction hierarchy on a device. Launched by device_customise.py.
 *
 * Idea
 *   The weight of an up arc is the least of the graph's own arcs and of all detours over a lower
 *   vertex. Vertices are taken level by level from the leaves of the elimination tree. A vertex
 *   that is taken has final up arcs, and every two of them are the legs of a detour, which is
 *   offered to the arc between their upper ends. Some threads share the detours with one leg in
 *   common; a level takes one launch.
 *
 * Why it is correct
 *   A detour's legs start at a vertex below both ends of the arc, in its subtree, hence on a lower
 *   level. All vertices of lower levels have been taken before, so all detours over them have been
 *   offered, and the arc is final when its own lower end is taken. Offers are atomic minima. The
 *   sums are those of the host's customisation, and a minimum does not depend on the order, so the
 *   weights are the same bit for bit.
 *
 * Parameters
 *   None.
 *
 * Source
 *   Original implementation, after Dibbelt, Strasser and Wagner 2016 (customizable contraction
 *   hierarchies) and Zeitz 2023 (parallel customization by levels).
 */

#ifdef GUARDED /* some weights are negative, so infinity plus a weight may be less than infinity */
#define SUM(a, b) ((a) < DIST_INF && (b) < DIST_INF ? (a) + (b) : DIST_INF)
#else
#define SUM(a, b) ((a) + (b))
#endif

KERNEL void clear_weights(index_t count, GLOBAL dist_t *up, GLOBAL dist_t *down) {
    FOR_GRID_STRIDE(a, count) up[a] = down[a] = DIST_INF;
}

/* The graph's own arcs. `input_up`: the up arc, or ~ of it where the arc leads down. */
KERNEL void spread_weights(index_t count, CONST_IN(index_t) input_arc, CONST_IN(index_t) input_up,
                           CONST_IN(dist_t) weights, GLOBAL dist_t *up, GLOBAL dist_t *down) {
    FOR_GRID_STRIDE(i, count) {
        index_t a = input_up[i];
        dist_t weight = weights[input_arc[i]];
        if (a >= 0)
            atomic_relax(&up[a], weight);
        else
            atomic_relax(&down[~a], weight);
    }
}

/* Set found[0] if some arc weighs something else in the other direction. */
KERNEL void compare_directions(index_t count, CONST_IN(dist_t) up, CONST_IN(dist_t) down,
                               GLOBAL int *found) {
    FOR_GRID_STRIDE(a, count)
        if (up[a] != down[a]) found[0] = 1;
}

DEVICE void offer(GLOBAL dist_t *weight, dist_t sum) {
    if (sum < *weight) atomic_relax(weight, sum);
}

/* Detours over the vertices of one level. `level_arcs`, `level_tails`: their up arcs from `first`
 * on, and their lower ends. `heads`: upper end of every up arc. 2^`shift` threads share the detours
 * that have an arc as their leg to the nearer upper end. If `symmetric`, both directions weigh the
 * same, and `up` holds both. */
KERNEL void offer_detours(index_t first, int count, int shift, CONST_IN(int) level_arcs,
                          CONST_IN(int) level_tails, CONST_IN(int) heads,
                          CONST_IN(index_t) up_first, CONST_IN(unsigned short) up_depth,
                          int symmetric, GLOBAL dist_t *up, GLOBAL dist_t *down) {
    index_t thread = GLOBAL_THREAD;
    if (thread >> shift >= count) return;
    int lane = (int)(thread & ((1 << shift) - 1));
    index_t a = level_arcs[first + (thread >> shift)],
            end = up_first[level_tails[first + (thread >> shift)] + 1];
    int nearer = heads[a];
    index_t row = up_first[nearer], row_end = up_first[nearer + 1];
    dist_t from_lower = up[a], to_lower = symmetric ? from_lower : down[a];
    for (index_t b = a + 1 + lane; b < end; b += (index_t)1 << shift) {
        unsigned short farther = up_depth[b];
        /* The row of the nearer end has all further upper ends of
         * this one's, in the same order, and perhaps others. */
        index_t low = row + (b - a - 1), high = row_end - (end - b);
        while (low < high) {
            index_t middle = (low + high) / 2;
            if (up_depth[middle] > farther)
                low = middle + 1;
            else
                high = middle;
        }
        dist_t ahead = up[b];
        offer(&up[low], SUM(to_lower, ahead));
        if (!symmetric) {
            dist_t back = down[b];
            offer(&down[low], SUM(back, from_lower));
        }
    }
}

/* Set found[1] if some arc and the way back are a negative cycle. */
KERNEL void find_negative(index_t count, CONST_IN(dist_t) up, CONST_IN(dist_t) down,
                          GLOBAL int *found) {
    FOR_GRID_STRIDE(a, count) {
        dist_t forth = up[a], back = down[a];
        if (forth < DIST_INF && back < DIST_INF && forth + back < 0) found[1] = 1;
    }
}
