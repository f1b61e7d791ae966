/* One source to all vertices by a customizable contraction
 * hierarchy, on a device. Launched by device_tree.py.
 *
 * Idea
 *   The network is ordered and customised once, as for cch-tree. The climb from the source visits a
 *   few hundred vertices and is done on the host. The sweep would settle one level of the
 *   elimination tree after another, and near the root a level has only a few vertices. So the tree
 *   is cut: vertices above the cut have labels, the distances from all of their ancestors on the
 *   way down, and one launch settles all of them at once, some threads for each. Below the cut are
 *   small subtrees. A second launch gives every block a bundle of them, whose levels it settles one
 *   after another, a thread for each vertex; blocks do not wait for each other.
 *
 * Why it is correct
 *   A shortest path climbs from the source to its highest vertex, which is an ancestor of both
 *   ends, and descends. Above the cut the label holds the length of the best descent from each
 *   ancestor, and the climb holds the length up to it. Below, every higher neighbour of a vertex is
 *   above the cut, or in the same subtree on a level that the same block has settled before. Blocks
 *   write only their own vertices.
 *
 * Parameters
 *   `block`: threads in a block. `customise`: where weights are customised.
 *
 * Source
 *   Original implementation, after Dibbelt, Strasser and Wagner 2016 (customizable contraction
 *   hierarchies), Delling et al. 2011 (PHAST, sweeps on GPUs) and Ouyang et al. 2018 (labels along
 *   a tree decomposition).
 */

/* Vertices are named by their position: those above the cut
 * first, then bundle after bundle and level after level. */

#ifndef BLOCK /* threads in a block, a multiple of LANES */
#define BLOCK 128
#endif
#define LANES 8 /* threads that share a label */
#define LESS(a, b) ((a) < (b) ? (a) : (b))
#ifdef GUARDED /* some weights are negative, so infinity plus a weight may be less than infinity */
#define SUM(a, b) ((a) < DIST_INF && (b) < DIST_INF ? (a) + (b) : DIST_INF)
#else
#define SUM(a, b) ((a) + (b))
#endif

/* `path`, `lowest`, `reached`: by depth, for the `climbed` ancestors of the source and itself:
 * rank, lowest rank in the subtree, distance. `rank`, `first`, `labels`: of the `count` vertices
 * above the cut. */
KERNEL void settle_above(int count, int climbed, CONST_IN(int) path, CONST_IN(int) lowest,
                         CONST_IN(dist_t) reached, CONST_IN(int) rank, CONST_IN(index_t) first,
                         CONST_IN(dist_t) labels, CONST_IN(int) order, GLOBAL dist_t *known,
                         GLOBAL dist_t *distance) {
    __shared__ dist_t least[BLOCK];
    int lane = threadIdx.x % LANES;
    for (int base = blockIdx.x * (BLOCK / LANES); base < count;
         base += gridDim.x * (BLOCK / LANES)) {
        int i = base + threadIdx.x / LANES;
        dist_t best = DIST_INF;
        if (i < count) {
            /* ancestors of both are those of the least depths */
            int v = rank[i], common = 0, end = climbed;
            while (common < end) {
                int middle = (common + end) / 2;
                if (lowest[middle] <= v && v < path[middle])
                    common = middle + 1;
                else
                    end = middle;
            }
            if (lane == 0 && common < climbed && path[common] == v) best = reached[common];
            index_t label = first[i];
            for (int k = lane; k < common; k += LANES) {
                dist_t up = reached[k], down = labels[label + k];
                dist_t sum = SUM(up, down);
                best = LESS(best, sum);
            }
        }
        least[threadIdx.x] = best;
        __syncthreads();
        if (lane == 0 && i < count) {
            for (int k = 1; k < LANES; k++) {
                dist_t other = least[threadIdx.x + k];
                best = LESS(best, other);
            }
            known[i] = best;
            distance[order[i]] = best;
        }
        __syncthreads();
    }
}

/* `bundle_levels`: where each bundle's levels begin in `level_first`, which says where their
 * vertices begin. `heads` and `down`: the arcs of the vertices, in their order, from `row_first`
 * on. `inside`, `inside_reached`: the `climbed` ancestors of the source in its own bundle, and the
 * distances that the climb found. */
KERNEL void settle_below(int bundles, CONST_IN(int) bundle_levels, CONST_IN(int) level_first,
                         CONST_IN(index_t) row_first, CONST_IN(int) heads, CONST_IN(dist_t) down,
                         int above, int source_bundle, int climbed, CONST_IN(int) inside,
                         CONST_IN(dist_t) inside_reached, CONST_IN(int) order, GLOBAL dist_t *known,
                         GLOBAL dist_t *distance) {
    for (int b = blockIdx.x; b < bundles; b += gridDim.x) {
        for (int level = bundle_levels[b]; level < bundle_levels[b + 1]; level++) {
            for (int v = level_first[level] + threadIdx.x; v < level_first[level + 1]; v += BLOCK) {
                dist_t best = DIST_INF;
                if (b == source_bundle)
                    for (int k = 0; k < climbed; k++)
                        if (inside[k] == v) best = inside_reached[k];
                index_t end = row_first[v - above + 1];
#pragma unroll 4
                for (index_t a = row_first[v - above]; a < end; a++) {
                    dist_t higher = known[heads[a]], weight = down[a];
                    dist_t sum = SUM(higher, weight);
                    best = LESS(best, sum);
                }
                known[v] = best;
                distance[order[v]] = best;
            }
            __syncthreads();
        }
    }
}
