/* Many sources to all vertices by a customizable contraction
 * hierarchy, on a device. Launched by device_sweeps.py.
 *
 * Idea
 *   A sweep relaxes the same arcs in the same order whatever the source, so a thread takes a source
 *   or a few, and the threads of a block share every arc that is loaded. A vertex needs the
 *   distances of its ancestors. They are in the block's shared memory, a column for each source, so
 *   threads need not wait for one another. Shared memory has no room for the whole height of a
 *   tree, so the elimination tree is cut into pieces: a block takes a piece and a group of sources,
 *   loads the piece's boundary, and sweeps the piece; its threads load the arcs together, many at a
 *   time. Reductions of the distances of a source are made as they arise, so that the distances
 *   themselves need not be kept.
 *
 * Why it is correct
 *   Each source is the climb and the sweep of cch-tree, independent of the others. A shortest path
 *   climbs to its highest vertex and descends. The climb gives the ancestors of the source a
 *   distance; the sweep takes, for every vertex, the least of that and of all descents over its up
 *   arcs. Their upper ends are in the piece on the path to its root, or in the boundary, which an
 *   earlier launch has settled.
 *
 * Parameters
 *   `block`: threads in a block. `each`: sources of a thread. `piece`: most vertices of a piece of
 *   the last stage. `abreast`: sources of a batch; 0 takes as many as fit. `customise`: where
 *   weights are customised.
 *
 * Source
 *   Original implementation, after Dibbelt, Strasser and Wagner 2016 (customizable contraction
 *   hierarchies) and Delling et al. 2011 (PHAST, several trees at once).
 */

/* Vertices are named by their position in the layout; pieces and slots are those of
 * device_hierarchy.py. Sources are called lanes; their number, `lanes`, is a multiple of LANES, and
 * they are sorted by rank. */

#ifndef BLOCK /* threads in a block */
#define BLOCK 32
#endif
#ifndef EACH /* lanes of a thread */
#define EACH 1
#endif
#ifndef SLOTS /* of all pieces; only OpenCL needs to know */
#define SLOTS 64
#endif
#define LANES (BLOCK * EACH)
#ifndef QUADS /* quads that a block loads together */
#define QUADS 64
#endif
#define QUAD 4
#define UNFINISHED 0xffff
#define AHEAD 8 /* arcs that a climb loads together */
#define TILE 32
#define LESS(a, b) ((a) < (b) ? (a) : (b))
#define MORE(a, b) ((a) > (b) ? (a) : (b))
#ifdef GUARDED /* some weights are negative, so infinity plus a weight may be less than infinity */
#define SUM(a, b) ((a) < DIST_INF && (b) < DIST_INF ? (a) + (b) : DIST_INF)
#else
#define SUM(a, b) ((a) + (b))
#endif
#ifdef TOTAL_FLOAT64 /* type of the sum of distances */
typedef double total_t;
#else
typedef index_t total_t;
#endif

/* A leg of a descent in shared memory: where in `columns`
 * the upper end's distances begin, and the weight. */
#ifdef __OPENCL_VERSION__
typedef struct {
    dist_t weight;
    int column;
} leg_t;
#else /* read by one instruction */
typedef struct __align__(2 * sizeof(dist_t)) {
    dist_t weight;
    int column;
} leg_t;
#endif

/* Down weights by place, in quads: a vertex's last weight fills
 * up its last quad, infinity that of one without arcs. */
KERNEL void order_weights(int n, CONST_IN(int) rank, CONST_IN(index_t) up_first,
                          CONST_IN(index_t) quad_first, CONST_IN(dist_t) down,
                          GLOBAL dist_t *weights) {
    FOR_GRID_STRIDE(i, n) {
        index_t a = up_first[rank[i]], end = up_first[rank[i] + 1];
        dist_t weight = DIST_INF;
        for (index_t to = QUAD * quad_first[i]; to < QUAD * quad_first[i + 1]; to++) {
            if (a < end) weight = down[a++];
            weights[to] = weight;
        }
    }
}

/* The climb: distances from each lane's source to its ancestors, by depth and lane. All threads go
 * through the depths together, since sources next to one another have most ancestors in common. A
 * row's arcs end at different depths, so several are loaded before the first is written. */
KERNEL void climb(int lanes, int height, CONST_IN(int) start, CONST_IN(int) parent,
                  CONST_IN(int) depth, CONST_IN(index_t) up_first,
                  CONST_IN(unsigned short) up_depth, CONST_IN(dist_t) up, GLOBAL dist_t *reached) {
    index_t lane = GLOBAL_THREAD;
    if (lane >= lanes) return;
    int v = start[lane], of_v = depth[v];
    for (int k = 0; k < of_v; k++) reached[k * (index_t)lanes + lane] = DIST_INF;
    reached[of_v * (index_t)lanes + lane] = 0;
    for (int level = height - 1; level >= 0; level--) {
        if (level != of_v) continue;
        dist_t so_far = reached[level * (index_t)lanes + lane];
        if (so_far < DIST_INF) {
            index_t a = up_first[v], end = up_first[v + 1];
            for (; a + AHEAD <= end; a += AHEAD) {
                dist_t before[AHEAD];
#pragma unroll
                for (int j = 0; j < AHEAD; j++)
                    before[j] = reached[up_depth[a + j] * (index_t)lanes + lane];
#pragma unroll
                for (int j = 0; j < AHEAD; j++) {
                    dist_t weight = up[a + j];
                    dist_t sum = SUM(so_far, weight);
                    if (sum < before[j]) reached[up_depth[a + j] * (index_t)lanes + lane] = sum;
                }
            }
            for (; a < end; a++) {
                index_t to = up_depth[a] * (index_t)lanes + lane;
                dist_t weight = up[a], before = reached[to];
                dist_t sum = SUM(so_far, weight);
                if (sum < before) reached[to] = sum;
            }
        }
        v = parent[v];
        of_v = level - 1;
    }
}

/* What the climb of a lane has found for a vertex; infinity where it did not come by. */
DEVICE dist_t climbed_to(int v, int size, int depth, int start, CONST_IN(dist_t) reached, int lanes,
                         index_t lane) {
    return v - size < start && start <= v ? reached[depth * (index_t)lanes + lane] : DIST_INF;
}
#define CLIMBED(e) \
    climbed_to(rank[i], size[rank[i]], depth[rank[i]], start[lane + (e) * BLOCK], reached, lanes, \
               lane + (e) * BLOCK)

/* Settle the pieces `first` to `last` for all lanes; blockIdx.y is the group of lanes. Distances of
 * the places less than `kept` are written, by place and lane. With REDUCE, what the distances of a
 * lane come to is written to row `part` + blockIdx.x of the partial results. */
KERNEL void settle_pieces(int first, int last, int lanes, CONST_IN(int) piece_first,
                          CONST_IN(index_t) boundary_first, CONST_IN(int) boundary,
                          CONST_IN(index_t) quad_first, CONST_IN(unsigned short) ends,
                          CONST_IN(unsigned short) slots, CONST_IN(dist_t) weights,
                          CONST_IN(int) rank, CONST_IN(int) size, CONST_IN(int) depth,
                          CONST_IN(int) start, CONST_IN(dist_t) reached, int kept,
                          GLOBAL dist_t *known, int slots_each, GLOBAL dist_t *scratch, int part,
                          dist_t budget, GLOBAL dist_t *farthest, GLOBAL int *count,
                          GLOBAL int *within, GLOBAL total_t *total) {
    __shared__ leg_t legs[QUAD * (QUADS + 1)]; /* one more, which is loaded and never used */
    __shared__ int owns[QUADS + 1];
#ifdef IN_GLOBAL /* paths to the root are too long for shared memory */
    GLOBAL dist_t *column =
        scratch + (blockIdx.y * (index_t)gridDim.x + blockIdx.x) * slots_each * LANES + threadIdx.x;
#else
#ifdef __OPENCL_VERSION__
    __shared__ dist_t columns[SLOTS * LANES];
#else
    extern __shared__ char bytes[];
    dist_t *columns = (dist_t *)bytes;
#endif
    SHARED dist_t *column = columns + threadIdx.x;
#endif
    index_t lane = blockIdx.y * (index_t)LANES + threadIdx.x;
    int least_start = start[blockIdx.y * LANES],
        greatest_start = start[blockIdx.y * LANES + LANES - 1];
    dist_t best[EACH];
#ifdef REDUCE
    dist_t far[EACH];
    int reached_count[EACH], within_count[EACH];
    total_t sum_of_all[EACH];
    for (int e = 0; e < EACH; e++) {
        far[e] = -DIST_INF;
        reached_count[e] = within_count[e] = 0;
        sum_of_all[e] = 0;
    }
#endif
    for (int p = first + blockIdx.x; p < last; p += gridDim.x) {
        index_t from = boundary_first[p];
        int others = (int)(boundary_first[p + 1] - from), i = piece_first[p],
            last_place = piece_first[p + 1];
        index_t quad = quad_first[i], last_quad = quad_first[last_place];
        int root = rank[i];
        /* by some lane, perhaps */
        int climbed = root - size[root] < greatest_start && least_start <= root;
#pragma unroll 4
        for (int j = 0; j < others; j++) {
            index_t cell = boundary[from + j] * (index_t)lanes + lane;
            for (int e = 0; e < EACH; e++) column[j * LANES + e * BLOCK] = known[cell + e * BLOCK];
        }
        for (int e = 0; e < EACH; e++) {
            if (!others) column[e * BLOCK] = DIST_INF; /* what a root without arcs reads */
            best[e] = climbed ? CLIMBED(e) : DIST_INF;
        }
        for (; quad < last_quad; quad += QUADS) {
            int quads = (int)LESS(last_quad - quad, (index_t)QUADS);
            leg_t next[QUAD];
            int next_own;
            __syncthreads(); /* all have done with the quads before */
#pragma unroll 4
            for (int x = threadIdx.x; x < QUAD * quads; x += BLOCK) {
                legs[x].weight = weights[QUAD * quad + x];
                legs[x].column = slots[QUAD * quad + x] * LANES;
            }
            for (int x = threadIdx.x; x < quads; x += BLOCK) owns[x] = ends[quad + x];
            __syncthreads();
#pragma unroll
            for (int j = 0; j < QUAD; j++) next[j] = legs[j];
            next_own = owns[0];
            for (int q = 1; q <= quads; q++) {
                leg_t now[QUAD];
                int own = next_own;
#pragma unroll
                for (int j = 0; j < QUAD; j++) {
                    now[j] = next[j];
                    next[j] = legs[QUAD * q + j];
                }
                next_own = owns[q];
#pragma unroll
                for (int j = 0; j < QUAD; j++) {
                    for (int e = 0; e < EACH; e++) {
                        dist_t higher = column[now[j].column + e * BLOCK];
                        dist_t sum = SUM(higher, now[j].weight);
                        best[e] = LESS(best[e], sum);
                    }
                }
                if (own == UNFINISHED) continue;
                for (int e = 0; e < EACH; e++) {
                    column[own * LANES + e * BLOCK] = best[e];
                    if (i < kept) known[i * (index_t)lanes + lane + e * BLOCK] = best[e];
#ifdef REDUCE
                    int is_reached = best[e] < DIST_INF;
                    far[e] = is_reached ? MORE(far[e], best[e]) : far[e];
                    reached_count[e] += is_reached;
                    within_count[e] += best[e] <= budget; /* the budget is finite */
                    sum_of_all[e] += is_reached ? best[e] : 0;
#endif
                    best[e] = DIST_INF;
                }
                i++;
                if (climbed && i < last_place)
                    for (int e = 0; e < EACH; e++) best[e] = CLIMBED(e);
            }
        }
    }
#ifdef REDUCE
    for (int e = 0; e < EACH; e++) {
        index_t cell = (part + blockIdx.x) * (index_t)lanes + lane + e * BLOCK;
        farthest[cell] = far[e];
        count[cell] = reached_count[e];
        within[cell] = within_count[e];
        total[cell] = sum_of_all[e];
    }
#endif
}

/* Join the `parts` rows of partial results into the first. */
KERNEL void join_parts(int lanes, int parts, GLOBAL dist_t *farthest, GLOBAL int *count,
                       GLOBAL int *within, GLOBAL total_t *total) {
    index_t lane = GLOBAL_THREAD;
    if (lane >= lanes) return;
    dist_t far = farthest[lane];
    int of_all = count[lane], near = within[lane];
    total_t sum = total[lane];
    for (int part = 1; part < parts; part++) {
        index_t cell = part * (index_t)lanes + lane;
        far = MORE(far, farthest[cell]);
        of_all += count[cell];
        near += within[cell];
        sum += total[cell];
    }
    farthest[lane] = far;
    count[lane] = of_all;
    within[lane] = near;
    total[lane] = sum;
}

#ifdef TABLE /* rows are float64, of some vertices */
typedef double cell_t;
#define CELL(distance) ((distance) < DIST_INF ? (double)(distance) : (double)INFINITY)
#else
typedef dist_t cell_t;
#define CELL(distance) (distance)
#endif

/* Turn distances by place and lane into rows. blockIdx.x is a tile of columns, blockIdx.y one of
 * lanes, in blocks of 32 times 8 threads. `place_of_column`: of the vertex of each column. `row`:
 * of each lane; -1 for lanes that only fill up their group. */
KERNEL void turn_rows(int columns, int lanes, CONST_IN(int) place_of_column, CONST_IN(int) row,
                      CONST_IN(dist_t) known, GLOBAL cell_t *rows) {
    __shared__ dist_t tile[TILE][TILE + 1];
    int column = blockIdx.x * TILE, lane = blockIdx.y * TILE;
    for (int y = threadIdx.y; y < TILE; y += 8)
        if (column + y < columns && lane + (int)threadIdx.x < lanes)
            tile[y][threadIdx.x] =
                known[place_of_column[column + y] * (index_t)lanes + lane + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < TILE; y += 8)
        if (lane + y < lanes && column + (int)threadIdx.x < columns && row[lane + y] >= 0)
            rows[row[lane + y] * (index_t)columns + column + threadIdx.x] =
                CELL(tile[threadIdx.x][y]);
}
