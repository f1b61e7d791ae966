/* Near-far in one launch, by a cluster of blocks that share
 * their queues. Compute capability 9.0 for clusters of blocks.
 *
 * Idea
 *   Delta-stepping with two queues: a round takes every vertex in the near queues, relaxes its
 *   arcs, and pushes what fell, below `split` to the next near queue, else to the far pile. When
 *   the near queues are empty, `split` moves up and the pile is sifted.
 *
 *   On a road network a round has little to do, so its latency dominates. Rounds are separated by
 *   the hardware's cluster barrier, and queues are in shared memory; a peer's queue is read through
 *   distributed shared memory. A block makes several hops a round on what it has pushed itself,
 *   without reading from a peer and without the cluster barrier. An arc carries the row bounds of
 *   its head, so a push needs no third access. Each block takes an equal slice of all queues, so
 *   readers balance the load.
 *
 * Why it is correct
 *   A distance only falls, by atomic minimum, and each fall is pushed. An entry whose distance is
 *   no longer the vertex's own is stale (a better one was pushed) and is dropped. A full near queue
 *   spills into the far pile, which affects the order of work, not the distances. Three counters
 *   take turns (read by peers, pushed to, zeroed), so one barrier a round is enough.
 *
 * Parameters
 *   delta (`delta`), in mean weights. CLUSTER (`cluster`): blocks. HOPS (`hops`): hops a block
 *   makes by itself in a round. LANES (`lanes`): threads that share an entry's arcs. THREADS: in a
 *   block. CAPACITY: near entries of a block.
 *
 * Source
 *   Original implementation, after Davidson et al. 2014 (near-far), Meyer and Sanders 2003
 *   (delta-stepping) and Wang et al. 2021 (ADDS).
 */

#ifndef CLUSTER /* blocks */
#define CLUSTER 8
#endif
#ifndef THREADS /* in a block */
#define THREADS 512
#endif
#ifndef LANES /* threads that share an entry's arcs */
#define LANES 4
#endif
#ifndef CAPACITY /* near entries that a block can hold */
#define CAPACITY 1024
#endif
#ifndef HOPS /* that a block makes by itself in a round */
#define HOPS 8
#endif

typedef struct __align__(8) { int start; int count; } Row;
/* with the row of its head */
typedef struct __align__(16) { Row row; int head; dist_t weight; } Arc;
typedef struct __align__(16) { Row row; int vertex; dist_t distance; } Near;
typedef struct __align__(2 * sizeof(dist_t)) { int vertex; dist_t distance; } Far;

/* What outlives a launch: a long run is cut into
 * several, so that it can be cancelled between them. */
typedef struct {
    dist_t split;
    dist_t delta;
    long long rounds;
    int far_count[CLUSTER];
    int far_side[CLUSTER];
    int done;
} State;

extern __shared__ __align__(16) Near near_queues[]; /* two sides of CAPACITY entries */
__shared__ int near_count[3];
/* entries of a queue that its block took itself before the cluster saw it */
__shared__ int near_taken[3];
__shared__ int far_count;
__shared__ dist_t far_least[2];

DEVICE unsigned cluster_rank(void) {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/* Every thread of the cluster arrives; writes before it, shared and global, are seen after it. */
DEVICE void cluster_barrier(void) {
    __syncwarp();
    asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
                 "barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/* The same variable in the shared memory of block `rank` of the cluster. */
template <typename T> DEVICE T *peer(T *variable, unsigned rank) {
    T *remote;
    asm("mapa.u64 %0, %1, %2;" : "=l"(remote) : "l"(variable), "r"(rank));
    return remote;
}

DEVICE void push_far(Far *pile, int vertex, dist_t distance) {
    Far entry;
    entry.vertex = vertex;
    entry.distance = distance;
    pile[atomicAdd(&far_count, 1)] = entry;
}

/* False where the queue is full. */
DEVICE bool push_near(int side, int counter, int vertex, Row row, dist_t distance) {
    const int slot = atomicAdd(&near_count[counter], 1);
    if (slot >= CAPACITY) {
        return false;
    }
    Near entry;
    entry.vertex = vertex;
    entry.row = row;
    entry.distance = distance;
    near_queues[side * CAPACITY + slot] = entry;
    return true;
}

/* What relaxing needs: the graph, and where to push. */
typedef struct {
    const Row *rows;
    const Arc *arcs;
    dist_t *distances;
    dist_t split;
    Far *pile;
    int side;    /* of the near queues, to push to */
    int counter; /* of that side */
#ifdef WATCHED
    int *log_vertices, *log_count, *log_improved;
#endif
} Work;

/* One entry's arcs, by LANES threads. */
DEVICE void relax_entry(const Work *work, Near entry) {
    const dist_t current = __ldcg(&work->distances[entry.vertex]);
    for (int a = threadIdx.x % LANES; a < entry.row.count; a += LANES) {
        const Arc arc = work->arcs[entry.row.start + a];
        if (current != entry.distance) {
            return;
        }
        const dist_t candidate = entry.distance + arc.weight;
        if (candidate < atomic_relax(&work->distances[arc.head], candidate)) {
            if (candidate >= work->split ||
                !push_near(work->side, work->counter, arc.head, arc.row, candidate)) {
                push_far(work->pile, arc.head, candidate);
            }
#ifdef WATCHED
            atomicAdd(work->log_improved, 1);
#endif
        }
    }
#ifdef WATCHED
    if (threadIdx.x % LANES == 0 && current == entry.distance) {
        work->log_vertices[atomicAdd(work->log_count, 1)] = entry.vertex;
    }
#endif
}

/* Moves what is not stale to the other side of the block's own pile. With `split` above 0, what
 * lies below it goes to the near queue instead. Returns the least distance that this thread kept in
 * the pile. */
DEVICE dist_t sift(const Work *work, Far *piles[2], int from, dist_t split) {
    __syncthreads();
    const int piled = far_count;
    __syncthreads();
    if (threadIdx.x == 0) {
        far_count = 0;
    }
    __syncthreads();
    dist_t least = DIST_INF;
    for (int i = threadIdx.x; i < piled; i += THREADS) {
        const Far entry = piles[from][i];
        if (__ldcg(&work->distances[entry.vertex]) != entry.distance) {
            continue;
        }
        if (entry.distance < split && push_near(work->side, work->counter, entry.vertex,
                                                work->rows[entry.vertex], entry.distance)) {
            continue;
        }
        push_far(piles[from ^ 1], entry.vertex, entry.distance);
        least = min(least, entry.distance);
    }
    __syncthreads();
    return least;
}

/* Before the first launch: rows and arcs as above from
 * compressed rows, and the source in the first block's pile. */
KERNEL void pack_rows(int n, const index_t *indptr, Row *rows) {
    FOR_GRID_STRIDE(v, n) {
        rows[v].start = (int)indptr[v];
        rows[v].count = (int)(indptr[v + 1] - indptr[v]);
    }
}

KERNEL void pack_arcs(int m, const int *heads, const dist_t *weights, const Row *rows, Arc *arcs) {
    FOR_GRID_STRIDE(a, m) {
        Arc arc;
        arc.row = rows[heads[a]];
        arc.head = heads[a];
        arc.weight = weights[a];
        arcs[a] = arc;
    }
}

KERNEL void put_first(Far *far_piles, int source) {
    far_piles[0].vertex = source;
    far_piles[0].distance = 0;
}

KERNEL void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS, 1)
solve(const Row *__restrict__ rows, const Arc *__restrict__ arcs, dist_t *distances, Far *far_piles,
      int vertex_count, long long far_capacity, State *state, int most_rounds
#ifdef WATCHED
      , int *log_vertices, int *log_ends, int *log_improved
#endif
) {
    const int rank = cluster_rank(), lane = threadIdx.x % 32;
    Far *piles[2] = {far_piles + 2 * rank * far_capacity,
                     far_piles + (2 * rank + 1) * far_capacity};
    const dist_t delta = state->delta;
    int far_side = state->far_side[rank];
    int rounds = 0, side = 0, counter = 0; /* queue side and counter that this round reads */
    bool done = false;
    Work work;
    work.rows = rows;
    work.arcs = arcs;
    work.distances = distances;
    work.split = state->split;
    if (threadIdx.x < 3) {
        near_count[threadIdx.x] = near_taken[threadIdx.x] = 0;
    }
    if (threadIdx.x == 0) {
        far_count = state->far_count[rank];
        far_least[0] = far_least[1] = DIST_INF;
    }
    cluster_barrier();

    while (true) {
        /* Every warp sums the peers' counts for itself: lane b asks block b. */
        const int taken = lane < CLUSTER ? *peer(&near_taken[counter], lane) : 0;
        const int count = lane < CLUSTER ? min(*peer(&near_count[counter], lane), CAPACITY) - taken
                                         : 0;
        int before = count;
        for (int step = 1; step < CLUSTER; step *= 2) {
            const int other = __shfl_up_sync(~0u, before, step);
            before += lane >= step ? other : 0;
        }
        const int total = __shfl_sync(~0u, before, CLUSTER - 1);
        before -= count;
        const int next = (counter + 1) % 3, spare = (counter + 2) % 3;
        if (threadIdx.x == 0) {
            /* read by peers a round ago, pushed to a round from now */
            near_count[spare] = near_taken[spare] = 0;
        }
        work.side = side ^ 1;
        work.counter = next;
        work.pile = piles[far_side];
#ifdef WATCHED
        work.log_vertices = log_vertices;
        work.log_count = &log_ends[most_rounds + 1];
        work.log_improved = &log_improved[rounds];
#endif

        if (rounds == most_rounds) { /* until the next launch, what is near waits in the pile */
            for (int i = near_taken[counter] + threadIdx.x; i < min(near_count[counter], CAPACITY);
                 i += THREADS) {
                const Near entry = near_queues[side * CAPACITY + i];
                push_far(work.pile, entry.vertex, entry.distance);
            }
            break;
        }

        if (total == 0) { /* the bucket is empty: the next one */
            __syncthreads();
            if (threadIdx.x == 0) {
                far_least[side] = DIST_INF;
            }
            work.split += delta;
            const dist_t least = sift(&work, piles, far_side, work.split);
            atomic_relax(&far_least[side], least);
            far_side ^= 1;
            cluster_barrier();
            dist_t cluster_least = DIST_INF;
            int pushed = 0;
            for (int b = 0; b < CLUSTER; b++) {
                cluster_least = min(cluster_least, *peer(&far_least[side], b));
                pushed += *peer(&near_count[next], b);
            }
            if (pushed == 0) {
                if (cluster_least == DIST_INF) {
                    done = true;
                    break;
                }
                /* empty buckets are skipped: the next sift adds delta to it */
                work.split = cluster_least;
            }
            side ^= 1;
            counter = next;
            continue;
        }

        /* A pile that outgrew n holds stale entries; without
         * them, the pushes of one hop more still fit. */
        if (__syncthreads_or(far_count > vertex_count)) {
            sift(&work, piles, far_side, 0);
            far_side ^= 1;
            work.pile = piles[far_side];
        }

        /* This block's slice of all queues laid end to end. */
        const int begin = (int)((long long)total * rank / CLUSTER),
                  end = (int)((long long)total * (rank + 1) / CLUSTER);
        for (int base = begin; base < end; base += THREADS / LANES) {
            const int i = base + threadIdx.x / LANES;
            int owner = 0;
            for (int b = 1; b < CLUSTER; b++) {
                owner += __shfl_sync(~0u, before, b) <= i;
            }
            const int first = __shfl_sync(~0u, before, owner) - __shfl_sync(~0u, taken, owner);
            if (i < end) {
                relax_entry(&work, *peer(&near_queues[side * CAPACITY + i - first], owner));
            }
        }
        int own_taken = 0;
        for (int hop = 1; hop < HOPS; hop++) {
            __syncthreads();
            const int stop = min(near_count[next], CAPACITY);
            const bool piled_up = far_count > vertex_count;
            __syncthreads();
            if (stop == own_taken || piled_up) {
                break;
            }
            for (int i = own_taken + threadIdx.x / LANES; i < stop; i += THREADS / LANES) {
                relax_entry(&work, near_queues[work.side * CAPACITY + i]);
            }
            own_taken = stop;
        }
        if (threadIdx.x == 0) {
            near_taken[next] = own_taken;
        }
        rounds++;
        side ^= 1;
        counter = next;
        cluster_barrier();
#ifdef WATCHED
        if (rank == 0 && threadIdx.x == 0) {
            log_ends[rounds] = __ldcg(work.log_count);
        }
        cluster_barrier(); /* no vertex of the next round is logged before */
#endif
    }

    __syncthreads();
    if (threadIdx.x == 0) {
        state->far_count[rank] = far_count;
        state->far_side[rank] = far_side;
        if (rank == 0) {
            state->split = work.split - delta; /* a launch begins with a sift, which adds it */
            state->rounds += rounds;
            state->done = done;
        }
    }
    cluster_barrier(); /* no block leaves while a peer may still read its shared memory */
}
