/* Near-far by two kernels on any device: one for narrow frontiers, one for wide.
 *
 * Idea
 *   Delta-stepping with two queues. Vertices up to `split` are relaxed round by round until none is
 *   left; farther ones wait in a pile. Then `split` grows by delta and the pile is sifted. A task
 *   is a round (relax the near queue) or a sift (put every vertex of the pile where it now
 *   belongs).
 *
 *   `conduct` is one block. It goes from task to task by itself, with its own barrier between them,
 *   as long as each is small. A larger task is left to `assist`, which the host queues behind it
 *   with enough blocks to fill the device, and which returns at once where nothing was left for it.
 *   So the host need not know how large a frontier is; it queues pairs of both and reads a few
 *   words back now and then.
 *
 * Why it is correct
 *   A distance only falls, by atomic minimum. The thread that lowers it to `split` or less puts the
 *   vertex into the next round's queue unless `queued` says that it is there, else into the pile
 *   unless `piled` says so. Every queued vertex is relaxed a barrier or a launch later, with the
 *   distance it has then. A sift drops a vertex of the pile that a shorter path has since taken
 *   into a round: it lies at or below the split of that time. No queue holds a vertex twice, so n
 *   entries are enough; where the graph has hubs, a vertex is queued in pieces of PIECE arcs, and m
 *   / PIECE entries more are enough.
 *
 * Parameters
 *   delta (`delta`), in mean weights. alone (`alone`): vertices up to which one block works by
 *   itself. `block`: threads in a block. LANES (`lanes`): threads that share a vertex's arcs.
 *   PIECE: arcs in an entry of a hub.
 *
 * Source
 *   Original implementation, after Davidson et al. 2014
 *   (near-far) and Meyer and Sanders 2003 (delta-stepping).
 */

#ifndef LANES /* threads that share a vertex's arcs: a power of two */
#define LANES 1
#endif

#ifndef PIECE /* arcs of an entry of the near queue; 0: all that the vertex has */
#define PIECE 0
#endif

/* Words of `state`; the host reads them as the structure _STATE of two_kernels.py. */
#define TASK 0
#define COUNT 1 /* entries of the task */
#define ROUND 2
#define FAR_SIDE 3
#define NEAR_COUNT 4 /* of the rounds with even and with odd number */
#define FAR_COUNT 6  /* of either side */
#define IMPROVED 8   /* vertices that fell in the round; this and the rest where watched */
#define NOTED 9      /* vertices in the log */
#define ROOM 10      /* that the log has */
#define MARKS 11     /* rounds in the log */

#define BEGIN 0
#define RELAX 1
#define SIFT 2
#define DONE 3

/* Of `bounds`: vertices up to SPLIT are near; those
 * up to SETTLED were near before the last sift. */
#define SPLIT 0
#define SETTLED 1
#define DELTA 2
#define LEAST 3 /* that the last sift kept back */

/* The near queue of a round: vertices, or where the graph has hubs pairs of vertex and piece. */
#if PIECE
#define ENTRY_WORDS 2
#else
#define ENTRY_WORDS 1
#endif

DEVICE GLOBAL int *near_queue(GLOBAL int *near, int room, int round) {
    return near + (index_t)(round & 1) * room * ENTRY_WORDS;
}

DEVICE void enqueue(int v, int room, int round, CONST_IN(index_t) indptr, GLOBAL int *near,
                    GLOBAL int *state) {
    GLOBAL int *entries = near_queue(near, room, round);
    GLOBAL int *count = &state[NEAR_COUNT + (round & 1)];
#if PIECE
    index_t degree = indptr[v + 1] - indptr[v];
    int pieces = degree <= PIECE ? 1 : (int)((degree + PIECE - 1) / PIECE);
    int slot = pieces == 1 ? atomicAdd(count, 1) : atomicAdd(count, pieces);
    for (int piece = 0; piece < pieces; piece++) {
        entries[2 * (slot + piece)] = v;
        entries[2 * (slot + piece) + 1] = piece;
    }
#else
    entries[atomicAdd(count, 1)] = v;
#endif
}

DEVICE void push(int v, dist_t distance, int n, int room, int next, CONST_IN(index_t) indptr,
                 GLOBAL int *near, GLOBAL int *far, GLOBAL int *queued, GLOBAL int *piled,
                 GLOBAL int *state, GLOBAL const dist_t *bounds) {
    if (distance <= bounds[SPLIT]) {
        if (atomicExch(&queued[v], next) != next) enqueue(v, room, next, indptr, near, state);
    } else if (atomicExch(&piled[v], 1) == 0) {
        int side = state[FAR_SIDE];
        far[(index_t)side * n + atomicAdd(&state[FAR_COUNT + side], 1)] = v;
    }
}

/* Worker `worker` of `workers` relaxes its share of the near queue.
 *
 * The look before the atomic step spares most of them, and stays right: distances only fall, so
 * what is no better than a stale value is no better than the true one. */
DEVICE void relax_near(index_t worker, index_t workers, int n, int room, CONST_IN(index_t) indptr,
                       CONST_IN(int) indices, CONST_IN(dist_t) weights, GLOBAL dist_t *distance,
                       GLOBAL int *near, GLOBAL int *far, GLOBAL int *queued, GLOBAL int *piled,
                       GLOBAL int *fell, GLOBAL int *state, GLOBAL const dist_t *bounds) {
    int round = state[ROUND], count = state[COUNT];
    GLOBAL const int *frontier = near_queue(near, room, round);
    for (index_t i = worker / LANES; i < count; i += workers / LANES) {
        int tail = frontier[i * ENTRY_WORDS];
        dist_t reached = distance[tail];
        index_t begin = indptr[tail], end = indptr[tail + 1];
#if PIECE
        begin += (index_t)frontier[2 * i + 1] * PIECE;
        if (end > begin + PIECE) end = begin + PIECE;
#endif
        for (index_t arc = begin + worker % LANES; arc < end; arc += LANES) {
            int head = indices[arc];
            dist_t offered = reached + weights[arc];
            if (offered >= distance[head] || offered >= atomic_relax(&distance[head], offered))
                continue;
#ifdef WATCHED
            if (atomicExch(&fell[head], round + 1) != round + 1) atomicAdd(&state[IMPROVED], 1);
#endif
            push(head, offered, n, room, round + 1, indptr, near, far, queued, piled, state,
                 bounds);
        }
    }
}

/* Worker `worker` of `workers` puts its share of the pile
 * into the next round's queue or onto the other side. */
DEVICE void sift_far(index_t worker, index_t workers, int n, int room, CONST_IN(index_t) indptr,
                     GLOBAL const dist_t *distance, GLOBAL int *near, GLOBAL int *far,
                     GLOBAL int *queued, GLOBAL int *piled, GLOBAL int *state,
                     GLOBAL dist_t *bounds) {
    int round = state[ROUND], count = state[COUNT], side = state[FAR_SIDE];
    GLOBAL const int *pile = far + (index_t)side * n;
    GLOBAL int *kept = far + (index_t)(side ^ 1) * n;
    for (index_t i = worker; i < count; i += workers) {
        int v = pile[i];
        dist_t lies = distance[v];
        if (lies > bounds[SPLIT]) {
            kept[atomicAdd(&state[FAR_COUNT + (side ^ 1)], 1)] = v;
            if (lies < bounds[LEAST]) atomic_relax(&bounds[LEAST], lies);
            continue;
        }
        piled[v] = 0;
        if (lies > bounds[SETTLED]) {
            queued[v] = round;
            enqueue(v, room, round, indptr, near, state);
        }
    }
}

/* Close the task that was done, and choose the next: one thread, while all others wait. */
DEVICE void next_task(GLOBAL int *state, GLOBAL dist_t *bounds) {
    int round = state[ROUND], side = state[FAR_SIDE];
    int fruitless = 0;
    if (state[TASK] == RELAX) {
        state[NEAR_COUNT + (round & 1)] = 0;
        round = state[ROUND] = round + 1;
    } else if (state[TASK] == SIFT) {
        state[FAR_COUNT + side] = 0;
        side = state[FAR_SIDE] = side ^ 1;
        fruitless = state[NEAR_COUNT + (round & 1)] == 0;
    }
    state[IMPROVED] = 0;
    if (state[NEAR_COUNT + (round & 1)] > 0) {
        state[TASK] = RELAX;
        state[COUNT] = state[NEAR_COUNT + (round & 1)];
    } else if (state[FAR_COUNT + side] > 0) {
        state[TASK] = SIFT;
        state[COUNT] = state[FAR_COUNT + side];
        bounds[SETTLED] = bounds[SPLIT];
        /* Over a gap in the distances the split jumps. It then reaches a vertex even where adding
         * delta is lost to rounding, so every second sift at the latest brings something. */
        bounds[SPLIT] = (fruitless ? bounds[LEAST] : bounds[SPLIT]) + bounds[DELTA];
        bounds[LEAST] = (dist_t)DIST_INF;
    } else {
        state[TASK] = DONE;
        state[COUNT] = 0;
    }
}

/* Whether there is a next task that one block does by itself. */
DEVICE int small_task(int n, int alone, GLOBAL int *state, GLOBAL dist_t *bounds) {
#ifdef WATCHED
    /* the log may not hold another round: wait until the host has read it */
    if (state[NOTED] + n > state[ROOM]) {
        state[COUNT] = 0;
        return 0;
    }
#endif
    if (state[TASK] != DONE) next_task(state, bounds);
    return state[TASK] != DONE && state[COUNT] <= alone;
}

/* Before the first task: the source is in the queue of round 0. */
KERNEL void put_first(int room, CONST_IN(index_t) indptr, GLOBAL int *near, GLOBAL int *state,
                      int source) {
    enqueue(source, room, 0, indptr, near, state);
}

KERNEL void conduct(int n, int room, CONST_IN(index_t) indptr, CONST_IN(int) indices,
                    CONST_IN(dist_t) weights, GLOBAL dist_t *distance, GLOBAL int *near,
                    GLOBAL int *far, GLOBAL int *queued, GLOBAL int *piled, GLOBAL int *fell,
                    GLOBAL int *state, GLOBAL dist_t *bounds, int tasks, int alone) {
    __shared__ int goes_on;
    if (threadIdx.x == 0) goes_on = 1;
    for (int made = 0; made < tasks; made++) {
        if (threadIdx.x == 0 && goes_on) goes_on = small_task(n, alone, state, bounds);
        __syncthreads();
        LEAVE_BLOCK(!goes_on);
        /* no else: at one, PoCL 5.0 ends the process */
        if (goes_on && state[TASK] == RELAX)
            relax_near(threadIdx.x, blockDim.x, n, room, indptr, indices, weights, distance, near,
                       far, queued, piled, fell, state, bounds);
        if (goes_on && state[TASK] == SIFT)
            sift_far(threadIdx.x, blockDim.x, n, room, indptr, distance, near, far, queued, piled,
                     state, bounds);
        __syncthreads();
    }
}

KERNEL void assist(int n, int room, CONST_IN(index_t) indptr, CONST_IN(int) indices,
                   CONST_IN(dist_t) weights, GLOBAL dist_t *distance, GLOBAL int *near,
                   GLOBAL int *far, GLOBAL int *queued, GLOBAL int *piled, GLOBAL int *fell,
                   GLOBAL int *state, GLOBAL dist_t *bounds, int alone) {
    index_t workers = (index_t)gridDim.x * blockDim.x;
    if (state[COUNT] <= alone) return;
    if (state[TASK] == RELAX)
        relax_near(GLOBAL_THREAD, workers, n, room, indptr, indices, weights, distance, near, far,
                   queued, piled, fell, state, bounds);
    else
        sift_far(GLOBAL_THREAD, workers, n, room, indptr, distance, near, far, queued, piled, state,
                 bounds);
}

#ifdef WATCHED
/* One block: copy the frontier of the round that was made,
 * and mark where it ends and how many vertices fell. */
KERNEL void note(int room, GLOBAL int *near, GLOBAL int *state, GLOBAL int *log,
                 GLOBAL int *marks) {
    __shared__ int noted;
    int count = state[TASK] == RELAX ? state[COUNT] : 0;
    GLOBAL const int *frontier = near_queue(near, room, state[ROUND]);
    if (threadIdx.x == 0) noted = state[NOTED];
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
#if PIECE
        if (frontier[2 * i + 1] == 0) log[atomicAdd(&noted, 1)] = frontier[2 * i];
#else
        log[atomicAdd(&noted, 1)] = frontier[i];
#endif
    }
    __syncthreads();
    if (threadIdx.x == 0 && count > 0) {
        state[NOTED] = noted;
        marks[2 * state[MARKS]] = noted;
        marks[2 * state[MARKS] + 1] = state[IMPROVED];
        state[MARKS] += 1;
    }
}
#endif
