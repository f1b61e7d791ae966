/* Flows of the shortest paths from many sources over the arcs
 * of a hierarchy, on a device. Launched by device_flows.py.
 *
 * Idea
 *   A source climbs and is swept from the roots down, with distances and counts of shortest paths,
 *   and the sweep goes back with shares. A thread takes a source or a few, a warp takes neighbours
 *   in the tree: most arcs are tight for all of them or for none, and loads of arcs are shared.
 *   Forwards, a bit for each source of the warp says where an arc is tight. Backwards, a vertex
 *   pulls from the lower ends of its down arcs, so nobody else writes to its share; the warp loads
 *   the bits of 32 arcs together and skips those without any. The flow of an arc is summed over a
 *   warp's sources, and each warp has its own sums over all batches, so that no sum depends on the
 *   order of threads. Warps need not wait for one another. They take pieces of the elimination
 *   tree, for which what was written last is still in the cache.
 *
 * Why it is correct
 *   A shortest path climbs to its highest vertex and descends, and the last vertex of a path above
 *   another is unique, so each path is counted once. A vertex's count is final when its piece has
 *   been taken: the upper ends of its arcs are in the piece or in those of earlier launches.
 *   Backwards the lower ends are in the piece or in those of launches before it. A share is the
 *   flow over one path: the flow that ends at the vertex, divided by the number of paths, plus the
 *   shares of all vertices that follow on a shortest path, each times the number of paths that the
 *   arc stands for.
 *
 * Parameters
 *   BLOCK: threads in a block. EACH: sources of a thread.
 *
 * Source
 *   Original implementation, after Brandes 2001 (accumulation of dependencies) and Dibbelt,
 *   Strasser and Wagner 2016 (customizable contraction hierarchies).
 */

/* Vertices are named by their position in the layout of device_hierarchy.py, or by rank in the
 * climb. Sources are called lanes; their number, `lanes`, is a multiple of BLOCK * EACH, and they
 * are sorted by rank. Lanes that only pad the batch have the origin 0. Down arcs are numbered by
 * the position of their upper end, here called `entry`. */

#ifndef BLOCK
#define BLOCK 32
#endif
#ifndef EACH
#define EACH 1
#endif
#define AHEAD 4 /* arcs that are loaded together */
#define WORD 32 /* arcs whose bits a thread holds */

#ifdef __OPENCL_VERSION__ /* OpenCL has no warps: each thread is one */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define WARP 1
#define VOTE(condition) ((unsigned int)(condition))
#define FROM(value, thread) (value)
#define SUM_OF_WARP(value) (value)
#define READ_ONCE(p) (*(p))
#define WRITE_FOR_LATER(p, value) (*(p) = (value))
#define OR_OF_WARP(bits) (bits)
#define LOWEST(bits) (31 - (int)clz((bits) & (~(bits) + 1u)))
#else
#define WARP 32
#define VOTE(condition) __ballot_sync(0xffffffffu, condition)
#define FROM(value, thread) __shfl_sync(0xffffffffu, value, thread)
#define SUM_OF_WARP(value) sum_of_warp(value)
#define READ_ONCE(p) __ldcs(p) /* leave the cache to what is read again soon */
#define WRITE_FOR_LATER(p, value) __stcs(p, value)
#define OR_OF_WARP(bits) or_of_warp(bits)
#define LOWEST(bits) (__ffs(bits) - 1)
DEVICE unsigned int or_of_warp(unsigned int bits) {
#if __CUDA_ARCH__ >= 800
    return __reduce_or_sync(0xffffffffu, bits);
#else
    for (int distance = WARP / 2; distance > 0; distance /= 2)
        bits |= __shfl_xor_sync(0xffffffffu, bits, distance);
    return bits;
#endif
}
DEVICE double sum_of_warp(double value) {
    for (int distance = WARP / 2; distance > 0; distance /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    return value;
}
#endif
#define IN_WARP ((int)threadIdx.x % WARP)
#define WARPS (BLOCK / WARP)
#define FIRST_LANE (blockIdx.y * (index_t)(BLOCK * EACH) + threadIdx.x)
#define OF_WARP (blockIdx.y * (index_t)WARPS + threadIdx.x / WARP)

/* Distances and counts of shortest paths from each lane's source to its ancestors, by depth and
 * lane; and the ancestors themselves, by rank. */
KERNEL void climb_with_counts(int lanes, int height, CONST_IN(int) start, CONST_IN(int) parent,
                              CONST_IN(int) depth, CONST_IN(index_t) up_first,
                              CONST_IN(unsigned short) up_depth, CONST_IN(dist_t) up,
                              CONST_IN(double) count_up, GLOBAL int *path, GLOBAL dist_t *reached,
                              GLOBAL double *climbed) {
    index_t lane = GLOBAL_THREAD;
    if (lane >= lanes) return;
    int v = start[lane], of_v = depth[v];
    for (int k = 0; k < of_v; k++) {
        reached[k * (index_t)lanes + lane] = DIST_INF;
        climbed[k * (index_t)lanes + lane] = 0;
    }
    reached[of_v * (index_t)lanes + lane] = 0;
    climbed[of_v * (index_t)lanes + lane] = 1;
    for (int level = height - 1; level >= 0; level--) {
        if (level != of_v) continue;
        index_t own = level * (index_t)lanes + lane;
        dist_t so_far = reached[own];
        path[own] = v;
        if (so_far < DIST_INF) {
            double count = climbed[own];
            for (index_t a = up_first[v]; a < up_first[v + 1]; a++) {
                index_t to = up_depth[a] * (index_t)lanes + lane;
                dist_t weight = up[a], before = reached[to];
                dist_t sum = so_far + weight;
                if (sum > before || !(sum < DIST_INF)) continue;
                climbed[to] = count * count_up[a] + (sum < before ? 0 : climbed[to]);
                reached[to] = sum;
            }
        }
        v = parent[v];
        of_v = level - 1;
    }
}

/* Distances and counts of the vertices of the pieces `first` to `last` for all lanes; blockIdx.y is
 * the group of lanes. Counts are 0 beyond `limit`; distances of vertices without down arcs are not
 * kept, for nobody reads them. Counts of climbs that are no shortest paths are negated. A warp has
 * a row of `tight` for each of its EACH groups of lanes: bits of its threads, by entry. Sums of a
 * lane over the pieces that a block takes go to row `part` + blockIdx.x. */
KERNEL void count_pieces(int first, int last, int lanes, int arcs, CONST_IN(int) piece_first,
                         CONST_IN(int) rank, CONST_IN(int) size, CONST_IN(int) depth,
                         CONST_IN(int) arc_first, CONST_IN(int) head, CONST_IN(dist_t) weights,
                         CONST_IN(double) ways, CONST_IN(int) entry, CONST_IN(int) down_first,
                         CONST_IN(double) masses, CONST_IN(int) start, CONST_IN(dist_t) reached,
                         GLOBAL double *climbed, dist_t limit, GLOBAL dist_t *distances,
                         GLOBAL double *counts, GLOBAL unsigned int *tight, int part,
                         GLOBAL double *arrived, GLOBAL double *length, GLOBAL double *farthest,
                         GLOBAL double *greatest) {
    index_t lane = FIRST_LANE;
    GLOBAL unsigned int *row = tight + OF_WARP * EACH * arcs;
    int least_start = start[lane - IN_WARP],
        greatest_start = start[lane - IN_WARP + (EACH - 1) * BLOCK + WARP - 1];
    int from[EACH];
    double arrived_here[EACH], length_here[EACH], greatest_here[EACH];
    dist_t farthest_here[EACH];
    for (int e = 0; e < EACH; e++) {
        from[e] = start[lane + e * BLOCK];
        arrived_here[e] = length_here[e] = greatest_here[e] = farthest_here[e] = 0;
    }
    for (int p = first + blockIdx.x; p < last; p += gridDim.x) {
        int i = piece_first[p], last_place = piece_first[p + 1], root = rank[i];
        /* some lane, perhaps */
        int climbs = root - size[root] < greatest_start && least_start <= root;
        int a = arc_first[i], lowest = down_first[i];
        for (; i < last_place; i++) {
            int end = arc_first[i + 1], next_lowest = down_first[i + 1];
            int is_read = next_lowest > lowest;
            int v = -1;
            index_t climb = 0;
            dist_t best[EACH], by_climb[EACH];
            double count[EACH], mass = masses[i];
            for (int e = 0; e < EACH; e++) {
                by_climb[e] = DIST_INF;
                count[e] = 0;
            }
            if (climbs) {
                v = rank[i];
                climb = depth[v] * (index_t)lanes + lane;
                for (int e = 0; e < EACH; e++)
                    if (v - size[v] < from[e] && from[e] <= v)
                        by_climb[e] = reached[climb + e * BLOCK];
            }
            for (int e = 0; e < EACH; e++) best[e] = by_climb[e];
            if (end - a > WORD) /* else the pass below finds the least, too */
                for (int b = a; b < end; b++) {
                    index_t above = head[b] * (index_t)lanes + lane;
                    dist_t weight = weights[b];
                    for (int e = 0; e < EACH; e++) {
                        dist_t sum = distances[above + e * BLOCK] + weight;
                        best[e] = sum < best[e] ? sum : best[e];
                    }
                }
            for (int word = a; word < end; word += WORD) {
                unsigned int bits[EACH], some = 0;
                int arcs_here = end - word < WORD ? end - word : WORD;
                for (int e = 0; e < EACH; e++) bits[e] = 0;
#pragma unroll AHEAD
                for (int j = 0; j < arcs_here; j++) {
                    index_t above = head[word + j] * (index_t)lanes + lane;
                    dist_t weight = weights[word + j];
                    for (int e = 0; e < EACH; e++) {
                        dist_t sum = distances[above + e * BLOCK] + weight;
                        bits[e] = sum < best[e] ? 0 : bits[e];
                        best[e] = sum < best[e] ? sum : best[e];
                        bits[e] |= sum == best[e] ? 1u << j : 0;
                    }
                }
                for (int e = 0; e < EACH; e++) {
                    if (!(best[e] <= limit)) bits[e] = 0;
                    some |= bits[e];
                }
                some = OR_OF_WARP(some);
                while (some) {
                    int j = LOWEST(some), at = entry[word + j];
                    index_t above = head[word + j] * (index_t)lanes + lane;
                    double way = ways[word + j];
                    some &= some - 1;
                    for (int e = 0; e < EACH; e++) {
                        unsigned int is_tight = bits[e] >> j & 1, all = VOTE(is_tight);
                        if (is_tight) count[e] += counts[above + e * BLOCK] * way;
                        if (IN_WARP == 0) row[e * (index_t)arcs + at] = all;
                    }
                }
            }
            for (int e = 0; e < EACH; e++) {
                index_t own = i * (index_t)lanes + lane + e * BLOCK;
                if (by_climb[e] < DIST_INF) {
                    if (by_climb[e] > best[e])
                        climbed[climb + e * BLOCK] = -climbed[climb + e * BLOCK];
                    else if (best[e] <= limit)
                        count[e] += climbed[climb + e * BLOCK];
                }
                if (is_read) {
                    distances[own] = best[e];
                    counts[own] = count[e];
                } else
                    WRITE_FOR_LATER(&counts[own], count[e]);
                greatest_here[e] = count[e] > greatest_here[e] ? count[e] : greatest_here[e];
                if (best[e] <= limit && v != from[e]) {
                    arrived_here[e] += mass;
                    length_here[e] += mass * best[e];
                    farthest_here[e] = best[e] > farthest_here[e] ? best[e] : farthest_here[e];
                }
            }
            a = end;
            lowest = next_lowest;
        }
    }
    for (int e = 0; e < EACH; e++) {
        index_t own = (part + blockIdx.x) * (index_t)lanes + lane + e * BLOCK;
        arrived[own] = arrived_here[e];
        length[own] = length_here[e];
        farthest[own] = farthest_here[e];
        greatest[own] = greatest_here[e];
    }
}

/* Shares of the vertices of the pieces `first` to `last`, from the lowest up, in place of their
 * counts. What flows over down arcs is added to the warp's row of `flows`, by entry; what ends at
 * vertices to its row of `ends`, by place. What came by the climb is written by depth and lane. */
KERNEL void share_pieces(int first, int last, int lanes, int arcs, int n, CONST_IN(int) piece_first,
                         CONST_IN(int) rank, CONST_IN(int) size, CONST_IN(int) depth,
                         CONST_IN(int) down_first, CONST_IN(int) tail, CONST_IN(double) ways,
                         CONST_IN(double) masses, CONST_IN(int) start, CONST_IN(double) origin,
                         CONST_IN(double) climbed, CONST_IN(unsigned int) tight,
                         GLOBAL double *shares, GLOBAL double *climbed_shares, GLOBAL double *flows,
                         GLOBAL double *ends) {
    index_t lane = FIRST_LANE, warp = OF_WARP;
    CONST_IN(unsigned int) row = tight + warp * EACH * arcs;
    int least_start = start[lane - IN_WARP],
        greatest_start = start[lane - IN_WARP + (EACH - 1) * BLOCK + WARP - 1];
    int from[EACH];
    double of_lane[EACH], of_all = 0;
    for (int e = 0; e < EACH; e++) {
        from[e] = start[lane + e * BLOCK];
        of_lane[e] = origin[lane + e * BLOCK];
        of_all += of_lane[e];
    }
    of_all = SUM_OF_WARP(of_all);
    for (int p = first + blockIdx.x; p < last; p += gridDim.x) {
        int root = rank[piece_first[p]];
        int climbs = root - size[root] < greatest_start && least_start <= root;
        for (int i = piece_first[p + 1] - 1; i >= piece_first[p]; i--) {
            int v = climbs ? rank[i] : -1;
            index_t own = i * (index_t)lanes + lane;
            int end = down_first[i + 1];
            double count[EACH], share[EACH], mass = masses[i], ended = 0;
            int all = 1;
            for (int e = 0; e < EACH; e++) {
                count[e] = READ_ONCE(&shares[own + e * BLOCK]); /* still its count */
                share[e] = 0;
            }
            for (int base = down_first[i]; base < end; base += WARP) {
                int mine = base + IN_WARP;
                unsigned int bits[EACH], some = 0;
                int lower = 0;
                double way = 0, flow_of_mine = 0;
                for (int e = 0; e < EACH; e++) {
                    bits[e] = mine < end ? row[e * (index_t)arcs + mine] : 0;
                    some |= bits[e];
                }
                unsigned int left = VOTE(some != 0);
                if (!left) continue;
                if (some) {
                    lower = tail[mine];
                    way = ways[mine];
                }
                /* several arcs together, so that their loads do not wait for one another */
                while (left) {
                    int taken[AHEAD];
                    double got[AHEAD][EACH];
#pragma unroll
                    for (int q = 0; q < AHEAD; q++) {
                        taken[q] = left ? LOWEST(left) : -1;
                        left &= left - 1;
                        for (int e = 0; e < EACH; e++) got[q][e] = 0;
                        if (taken[q] < 0) continue;
                        index_t below = FROM(lower, taken[q]) * (index_t)lanes + lane;
                        for (int e = 0; e < EACH; e++)
                            if (FROM(bits[e], taken[q]) >> IN_WARP & 1)
                                got[q][e] = shares[below + e * BLOCK];
                    }
#pragma unroll
                    for (int q = 0; q < AHEAD; q++) {
                        if (taken[q] < 0) continue;
                        double factor = FROM(way, taken[q]), flow = 0;
                        for (int e = 0; e < EACH; e++) {
                            double passed = got[q][e] * factor;
                            share[e] += passed;
                            flow += passed * count[e];
                        }
                        flow = SUM_OF_WARP(flow);
                        if (taken[q] == IN_WARP) flow_of_mine = flow;
                    }
                }
                if (flow_of_mine > 0) flows[warp * arcs + mine] += flow_of_mine;
            }
            for (int e = 0; e < EACH; e++) {
                int is_end = count[e] > 0 && v != from[e];
                double flow = is_end ? mass * of_lane[e] : 0;
                if (flow > 0) share[e] += count[e] == 1 ? flow : flow / count[e];
                shares[own + e * BLOCK] = share[e];
                ended += is_end ? of_lane[e] : 0;
                all = all && is_end;
            }
            ended = VOTE(!all) ? SUM_OF_WARP(ended) : of_all;
            if (IN_WARP == 0) ends[warp * n + i] += mass * ended;
            if (!climbs) continue;
            for (int e = 0; e < EACH; e++) {
                if (!(v - size[v] < from[e] && from[e] <= v)) continue;
                index_t climb = depth[v] * (index_t)lanes + lane + e * BLOCK;
                climbed_shares[climb] = climbed[climb] > 0 ? share[e] : 0;
            }
        }
    }
}

/* Shares along each lane's climb, from the root to its source. */
KERNEL void climb_back(int lanes, CONST_IN(int) start, CONST_IN(int) depth,
                       CONST_IN(index_t) up_first, CONST_IN(unsigned short) up_depth,
                       CONST_IN(dist_t) up, CONST_IN(double) count_up, CONST_IN(int) path,
                       CONST_IN(dist_t) reached, GLOBAL double *climbed_shares) {
    index_t lane = GLOBAL_THREAD;
    if (lane >= lanes) return;
    int last = depth[start[lane]];
    for (int k = 0; k <= last; k++) {
        index_t own = k * (index_t)lanes + lane;
        dist_t so_far = reached[own];
        if (!(so_far < DIST_INF)) continue;
        double share = climbed_shares[own];
        for (index_t a = up_first[path[own]]; a < up_first[path[own] + 1]; a++) {
            index_t above = up_depth[a] * (index_t)lanes + lane;
            dist_t sum = so_far + up[a];
            if (sum < DIST_INF && sum == reached[above])
                share += climbed_shares[above] * count_up[a];
        }
        climbed_shares[own] = share;
    }
}

/* First lane whose source is of a rank greater than `v`. */
DEVICE int lanes_up_to(int v, int lanes, CONST_IN(int) start) {
    int low = 0, high = lanes;
    while (low < high) {
        int middle = (low + high) / 2;
        if (start[middle] <= v)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Add what flows over each up arc: a warp takes an arc, and the lanes whose sources are below it.
 * `lower`: lower ends of the up arcs, by rank. */
KERNEL void add_climbs(int lanes, int arcs, CONST_IN(int) start, CONST_IN(int) lower,
                       CONST_IN(int) size, CONST_IN(int) depth, CONST_IN(unsigned short) up_depth,
                       CONST_IN(dist_t) up, CONST_IN(double) count_up, CONST_IN(dist_t) reached,
                       CONST_IN(double) climbed, CONST_IN(double) climbed_shares,
                       GLOBAL double *flows) {
    index_t a = GLOBAL_THREAD / WARP;
    if (a >= arcs) return;
    int v = lower[a], first = lanes_up_to(v - size[v], lanes, start),
        last = lanes_up_to(v, lanes, start);
    if (first == last || !(up[a] < DIST_INF)) return;
    index_t own = depth[v] * (index_t)lanes, above = up_depth[a] * (index_t)lanes;
    dist_t weight = up[a];
    double sum = 0;
    for (int lane = first + IN_WARP; lane < last; lane += WARP) {
        dist_t so_far = reached[own + lane];
        if (so_far < DIST_INF && so_far + weight == reached[above + lane])
            sum += climbed_shares[above + lane] * fabs(climbed[own + lane]);
    }
    sum = SUM_OF_WARP(sum);
    if (IN_WARP == 0) flows[a] += sum * count_up[a];
}

/* Add all rows to the first; with `most`, take the greatest. */
KERNEL void join_rows(int rows, index_t count, int most, GLOBAL double *values) {
    FOR_GRID_STRIDE(i, count) {
        double joined = values[i];
        for (int row = 1; row < rows; row++) {
            double value = values[row * count + i];
            joined = most ? (value > joined ? value : joined) : joined + value;
        }
        values[i] = joined;
    }
}
