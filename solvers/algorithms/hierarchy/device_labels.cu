/* Labels of the vertices high in the elimination tree, on a device. Launched by device_labels.py.
 *
 * Idea
 *   A label holds the distances down to a vertex from all of its ancestors. It is computed from the
 *   labels of the higher neighbours, so vertices are taken by depth, from the roots down, in one
 *   launch for each depth. A thread makes one entry of one label; threads next to one another read
 *   labels next to one another.
 *
 * Why it is correct
 *   The last arc of a shortest way down from an ancestor comes from a higher neighbour, which is
 *   the ancestor itself or a vertex between it and the lower end, of less depth, whose label is
 *   finished. A minimum does not depend on the order, so the labels are those of the host bit for
 *   bit.
 *
 * Parameters
 *   None.
 *
 * Source
 *   Original implementation, after Ouyang et al. 2018 (labels along a tree decomposition).
 */

#define LESS(a, b) ((a) < (b) ? (a) : (b))
#ifdef GUARDED /* some weights are negative, so infinity plus a weight may be less than infinity */
#define SUM(a, b) ((a) < DIST_INF && (b) < DIST_INF ? (a) + (b) : DIST_INF)
#else
#define SUM(a, b) ((a) + (b))
#endif

/* The `count` vertices of one `depth`; `vertices`: their places among all that have labels, from
 * `from` on. `label_first`: where a label begins. `row_first`, `heads`, `head_depths`, `weights`:
 * arcs from higher neighbours, from the nearest on; heads are named by their places. */
KERNEL void make_labels(int from, index_t count, int depth, CONST_IN(int) vertices,
                        CONST_IN(index_t) label_first, CONST_IN(index_t) row_first,
                        CONST_IN(int) heads, CONST_IN(unsigned short) head_depths,
                        CONST_IN(dist_t) weights, GLOBAL dist_t *labels) {
    FOR_GRID_STRIDE(t, count * depth) {
        int v = vertices[from + (int)(t / depth)], ancestor = (int)(t % depth);
        dist_t best = DIST_INF;
        index_t end = row_first[v + 1];
        for (index_t a = row_first[v]; a < end && head_depths[a] >= ancestor; a++) {
            dist_t weight = weights[a];
            if (head_depths[a] > ancestor) {
                dist_t above = labels[label_first[heads[a]] + ancestor];
                weight = SUM(weight, above);
            }
            best = LESS(best, weight);
        }
        labels[label_first[v] + ancestor] = best;
    }
}
