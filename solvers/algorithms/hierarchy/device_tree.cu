/* One source to all vertices by a customizable contraction hierarchy, on a device. Launched by device_tree.py.
 *
 * Idea
 *   The network is ordered and customised once, as for cch-tree. The climb from the source visits some hundred vertices
 *   and is made on the host. The sweep would settle one level of the elimination tree after another, and near the root
 *   a level is a few vertices. So the tree is cut: vertices above the cut have labels, the distances from all of their
 *   ancestors on the way down, and one launch settles all of them at once, a thread for each. Below the cut are small
 *   subtrees, and a second launch settles them, each by one thread, from its root to its lowest vertex.
 *
 * Why it is correct
 *   A shortest path climbs from the source to its highest vertex, which is an ancestor of both ends, and descends. Above
 *   the cut the label holds the length of the best descent from each ancestor, and the climb holds the length up to it.
 *   Below, every higher neighbour of a vertex is above the cut or in the same subtree, and settled before it by the same
 *   thread or by the launch before. Threads write only their own vertices.
 *
 * Parameters
 *   `block`: threads in a block.
 *
 * Source
 *   Original implementation, after Dibbelt, Strasser and Wagner 2016 (customizable contraction hierarchies), Delling et
 *   al. 2011 (PHAST, sweeps on GPUs) and Ouyang et al. 2018 (labels along a tree decomposition).
 */

/* GUARDED: some weights are negative, so infinity plus a weight may be less than infinity. */
#ifdef GUARDED
#define SUM(a, b) ((a) < DIST_INF && (b) < DIST_INF ? (a) + (b) : DIST_INF)
#else
#define SUM(a, b) ((a) + (b))
#endif
#define LESS(a, b) ((a) < (b) ? (a) : (b))

/* path[k]: rank of the source's ancestor at depth k, for the `climbed` least depths; reached[k]: its distance; lowest[k]:
 * the lowest rank in its subtree. */
KERNEL void settle_above(int count, int climbed, CONST_IN(int) above, CONST_IN(index_t) first, CONST_IN(dist_t) labels,
                         CONST_IN(int) path, CONST_IN(int) lowest, CONST_IN(dist_t) reached, CONST_IN(int) order,
                         GLOBAL dist_t *known, GLOBAL dist_t *distance) {
    FOR_GRID_STRIDE(i, count) {
        int v = above[i];
        dist_t best = DIST_INF;
        int k = 0;
        for (; k < climbed && lowest[k] <= v && v < path[k]; k++) {
            dist_t label = labels[first[i] + k], up = reached[k];
            best = LESS(best, SUM(up, label));
        }
        if (k < climbed && path[k] == v) best = LESS(best, reached[k]);
        known[v] = best;
        distance[order[v]] = best;
    }
}

KERNEL void settle_below(int count, int climbed, CONST_IN(int) roots, CONST_IN(int) sizes, CONST_IN(index_t) up_first,
                         CONST_IN(int) up_head, CONST_IN(dist_t) down, CONST_IN(int) path, CONST_IN(dist_t) reached,
                         CONST_IN(int) order, GLOBAL dist_t *known, GLOBAL dist_t *distance) {
    int source = climbed > 0 ? path[climbed - 1] : -1;
    FOR_GRID_STRIDE(i, count) {
        int root = roots[i], end = root - sizes[i];
        int k = climbed; /* path[k - 1] is the next of the source's ancestors in this subtree */
        if (end < source && source <= root) {
            k = 1;
            while (path[k - 1] > root) k++;
        }
        index_t last = up_first[root + 1];
        for (int v = root; v > end; v--) {
            index_t begin = up_first[v];
            dist_t best = DIST_INF;
            if (end < source && source <= root && k <= climbed && path[k - 1] == v) best = reached[k++ - 1];
            for (index_t a = begin; a < last; a++) {
                dist_t above = known[up_head[a]], weight = down[a];
                best = LESS(best, SUM(above, weight));
            }
            known[v] = best;
            distance[order[v]] = best;
            last = begin;
        }
    }
}
