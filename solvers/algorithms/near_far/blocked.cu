/* Near-far by parts of the graph: a block relaxes a
 * whole part in shared memory. Launched by blocked.py.
 *
 * Idea
 *   The graph is partitioned into parts of neighbouring vertices. A block takes a waiting part,
 *   copies its distances and the arcs inside it to shared memory, and relaxes frontiers there, hop
 *   after hop, until no distance in it falls any more. Then it writes the distances back and
 *   relaxes the cut arcs, those that leave the part, in device memory. A part in which one of them
 *   lowered a distance then waits.
 *
 *   Blocks wait for parts, not for each other. The parts whose `nearest` is at or below `split` are
 *   named in a ring, from which blocks take them in order, by tickets:
 *
 *     state[HEAD]: next ticket, hence next slot to be read    state[TAIL]: next slot to be written
 *                   |                                                     |
 *                   v                                                     v
 *     +-------+-------+-------+-------+-------+-------+-------+-------+-------+-------+
 *     | EMPTY | EMPTY |  p7   |  p2   |  p9   |  p4   |  p1   |  p5   | EMPTY | EMPTY |
 *     +-------+-------+-------+-------+-------+-------+-------+-------+-------+-------+
 *       taken: the block    ^                                             ^
 *       that holds the      |  take: ticket = HEAD++; read the slot       |  put: slot = TAIL++;
 *       ticket cleared it   |  until it is not EMPTY; set nearest to      |  write the part
 *                              infinity; settle the part; FINISHED++
 *
 *       The ring has a power of two of slots. `mark_waiting` puts a part into it where a distance
 *       fell to `split` or less, and so does `admit`.
 *
 *       FINISHED == TAIL: every part put in is finished. The block that finds this is the only one
 *       at work. It leads: it raises `split` to the least `nearest` plus delta, and puts in every
 *       part up to there (`admit`). No part left: STOP = DONE. More tickets than most_taken: STOP =
 *       PAUSED, and the host launches again.
 *       TAIL begins at 1: that count stands for the block
 *       with ticket 0, which leads first and takes no part.
 *
 *   With ROUNDS (for watched runs, and for processors, where a waiting block would take the core
 *   from a working one) `admit_parts` is a kernel of its own, and `settle_parts` takes just the
 *   parts that it put in.
 *
 * Why it is correct
 *   A distance only falls, by atomic minimum, and `relaxed_at` keeps the distance with which a
 *   vertex's arcs were last relaxed; a vertex whose distance lies below it is still to be relaxed,
 *   whichever block lowered it. `nearest` of a part is infinity exactly while nothing in it waits.
 *   The thread that lowers it from above `split` to `split` or less puts the part into the ring;
 *   exactly one does, so the ring holds no part twice. The ring is longer than what can be put in
 *   during a launch, and is cleared before each, so no slot is used twice. A block sets `nearest`
 *   to infinity before it reads the part's distances: a fall before that is read, and one after it
 *   makes the part wait again. A part may be taken at any time and any number of times, so the
 *   order affects the work, not the distances.
 *
 * Parameters
 *   PART (`part`), most vertices of a part; BLOCK (`block`), threads; LANES (`lanes`), threads that
 *   share a vertex's arcs; most_hops (`hops`), hops within a part before it is put back; delta
 *   (`delta`), how far beyond the nearest waiting part a part may be admitted, in mean weights.
 *
 * Source
 *   Original implementation, after Davidson et al. 2014
 *   (near-far) and blocked sweeps in finite-element solvers.
 */

#ifndef PART /* most vertices of a part */
#define PART 512
#endif
#ifndef ARCS /* most arcs inside a part; a multiple of 8 */
#define ARCS 2048
#endif
#ifndef BLOCK /* threads */
#define BLOCK 256
#endif
#ifndef LANES /* threads that share a vertex's arcs: a power of two */
#define LANES 4
#endif

/* Of `queued`, beside the hop for which a vertex was last put into the queue: */
#define UNTOUCHED (-1) /* not relaxed since the part was taken */
#define LEFT (-2)      /* still in the queue when the hops were used up */

#define EMPTY (-1) /* a slot of the ring */

/* Words of `state`. */
#define HEAD 0     /* tickets given out; without ROUNDS the first is for moving `split` */
#define TAIL 1     /* parts put into the ring; without ROUNDS the first stands for moving `split` */
#define FINISHED 2 /* of those */
#define STOP 3     /* GO, or why not */
#define BUCKETS 4  /* moves of `split` that found a part waiting */
#define LOGGED 5   /* where watched, as the rest: vertices relaxed in the round */
#define RELAXED 6  /* arcs relaxed */
#define FALLEN 7   /* vertices that fell */

#define GO 0
#define DONE 1
#define PAUSED 2 /* so that the host can check for cancellation; `nearest` tells what waits */

#define VERTICES_A_THREAD ((PART + BLOCK - 1) / BLOCK)
/* Arcs are copied by words of sixteen bytes. */
#define WEIGHT_WORDS (ARCS * (int)sizeof(dist_t) / 16)
#define HEAD_WORDS (ARCS / 8)

/* Shared memory. */
typedef struct {
    uint4 weights[WEIGHT_WORDS];
    uint4 heads[HEAD_WORDS]; /* eight 16-bit places in the part a word */
    dist_t reached[PART];
    unsigned int rows[PART];
    int queued[PART];
    unsigned short queue[2 * PART];
    int count[3]; /* of the queue, by hop; three take turns, so that one barrier a hop is enough */
    int taken;    /* the part being settled, or EMPTY */
    int leads;    /* this block is to move `split` */
    dist_t least;
} Block;

/* The numbers of a launch, passed by value; `blocked.py` declares the same fields. Pointers cannot
 * stand here: OpenCL takes none inside a structure. */
typedef struct {
    dist_t delta;
    int ring_mask; /* slots of the ring, less one */
    int part_count;
    int vertex_count;
    int most_hops;  /* in a part, before it is put back */
    int most_taken; /* parts in this launch */
    int round;      /* the rest: where watched */
} Limits;

/* Which parts wait. */
typedef struct {
    GLOBAL dist_t *nearest, *split;
    GLOBAL int *ring, *state;
} Waiting;

/* The partitioned graph in device memory, and the distances. `parts` holds eight words a part: its
 * first place, vertices, first arc inside, arcs inside, first cut arc, cut arcs, and two of
 * padding. */
typedef struct {
    Waiting waiting;
    Limits limits;
    GLOBAL const int4 *parts;
    GLOBAL const unsigned int *rows;
    GLOBAL const uint4 *heads, *weights;
    GLOBAL const int *cut_tails, *cut_heads, *cut_parts;
    GLOBAL const dist_t *cut_weights;
    GLOBAL dist_t *distance, *relaxed_at;
    /* where watched: four arrays of `vertex_count` words, as LOG, ORDER, LOGGED_IN, FELL_IN say */
    GLOBAL int *watched;
} Work;

DEVICE int seen(GLOBAL int *word) { return *(volatile GLOBAL int *)word; }
DEVICE dist_t seen_distance(GLOBAL dist_t *word) { return *(volatile GLOBAL dist_t *)word; }

DEVICE void put(const Waiting *waiting, int ring_mask, int part) {
    atomicExch(&waiting->ring[atomicAdd(&waiting->state[TAIL], 1) & ring_mask], part);
}

/* A distance in `part` fell to `distance`. With ROUNDS
 * the next round finds the part by `nearest`. */
DEVICE void mark_waiting(const Waiting *waiting, int ring_mask, int part, dist_t distance,
                         dist_t split) {
    __threadfence(); /* a block that finds the part waiting finds the distance, too */
    dist_t before = atomic_relax(&waiting->nearest[part], distance);
#ifndef ROUNDS
    if (distance <= split && before > split) put(waiting, ring_mask, part);
#endif
}

#ifdef WATCHED
#define LOG 0       /* vertices relaxed in the round, by their own numbers */
#define ORDER 1     /* the vertex at each place */
#define LOGGED_IN 2 /* by place: the last round in which the vertex was logged */
#define FELL_IN 3   /* by place: the last round in which its distance fell */

DEVICE GLOBAL int *watched_array(const Work *work, int array) {
    return work->watched + (index_t)array * work->limits.vertex_count;
}

DEVICE void note_relaxed(const Work *work, int place, int arcs) {
    int round = work->limits.round;
    if (atomicExch(&watched_array(work, LOGGED_IN)[place], round) != round)
        watched_array(work, LOG)[atomicAdd(&work->waiting.state[LOGGED], 1)] =
            watched_array(work, ORDER)[place];
    atomicAdd(&work->waiting.state[RELAXED], arcs);
}

DEVICE void note_fallen(const Work *work, int place) {
    int round = work->limits.round;
    if (atomicExch(&watched_array(work, FELL_IN)[place], round) != round)
        atomicAdd(&work->waiting.state[FALLEN], 1);
}
#else
#define note_relaxed(work, place, arcs)
#define note_fallen(work, place)
#endif

/* The whole block: raise `split` to the least `nearest` plus `delta`, and put the parts up to there
 * into the ring; 0 where no part waits. */
DEVICE int admit(const Waiting *waiting, const Limits *limits, SHARED Block *block) {
    if (threadIdx.x == 0) block->least = (dist_t)DIST_INF;
    __syncthreads();
    dist_t mine = (dist_t)DIST_INF;
    for (int part = threadIdx.x; part < limits->part_count; part += BLOCK) {
        dist_t waits_with = seen_distance(&waiting->nearest[part]);
        if (waits_with < mine) mine = waits_with;
    }
    atomic_relax_shared(&block->least, mine);
    __syncthreads();
    if (block->least == (dist_t)DIST_INF) return 0;
    dist_t bound = block->least + limits->delta;
    if (threadIdx.x == 0) {
        *waiting->split = bound;
        waiting->state[BUCKETS] += 1;
        __threadfence();
    }
    __syncthreads(); /* `split` is set before any thread can take a part */
    for (int part = threadIdx.x; part < limits->part_count; part += BLOCK)
        if (seen_distance(&waiting->nearest[part]) <= bound) put(waiting, limits->ring_mask, part);
    __syncthreads();
    return 1;
}

#ifndef ROUNDS
/* One thread: 1 for the block that finished the last of all parts put in. The count is taken back
 * at once, so that no other block finds itself last while this one admits more parts. */
DEVICE int finished_last(const Waiting *waiting) {
    __threadfence();
    int finished = atomicAdd(&waiting->state[FINISHED], 1) + 1;
    if (finished != seen(&waiting->state[TAIL])) return 0;
    atomicExch(&waiting->state[FINISHED], finished - 1);
    return 1;
}

/* The whole block, while it leads: no other block is at work. */
DEVICE void lead(const Waiting *waiting, const Limits *limits, SHARED Block *block) {
    int leads = 1;
    while (leads) {
        int admitted = admit(waiting, limits, block);
        if (threadIdx.x == 0) {
            if (!admitted) atomicExch(&waiting->state[STOP], DONE);
            block->leads = admitted && finished_last(waiting);
        }
        __syncthreads();
        leads = block->leads;
        __syncthreads();
    }
}
#endif

/* One thread: the next part, or EMPTY if there is none for this block. */
DEVICE int take(const Waiting *waiting, const Limits *limits, SHARED Block *block) {
    int ticket = atomicAdd(&waiting->state[HEAD], 1), part = EMPTY;
    GLOBAL int *slot = &waiting->ring[ticket & limits->ring_mask];
#ifdef ROUNDS
    if (ticket < seen(&waiting->state[TAIL])) part = seen(slot);
#else
    /* the first to come: a block that has not started yet may need this one's multiprocessor */
    block->leads = ticket == 0;
    while (!block->leads && part == EMPTY && seen(&waiting->state[STOP]) == GO) part = seen(slot);
    if (part != EMPTY && ticket >= limits->most_taken) {
        atomicExch(&waiting->state[STOP], PAUSED);
        return EMPTY;
    }
#endif
    if (part != EMPTY) {
        atomicExch(slot, EMPTY);
        __threadfence();
        atomic_replace(&waiting->nearest[part], (dist_t)DIST_INF);
        __threadfence();
    }
    return part;
}

/* Copy a part to shared memory. All loads are issued before the first is used. */
DEVICE void fetch(const Work *work, SHARED Block *block, int4 place) {
    int thread = threadIdx.x, base = place.x, size = place.y, first_arc = place.z / 8,
        arcs = place.w / 8;
    dist_t lies[VERTICES_A_THREAD], before[VERTICES_A_THREAD];
    unsigned int row[VERTICES_A_THREAD];
    for (int k = 0; k < VERTICES_A_THREAD; k++) {
        int v = thread + k * BLOCK;
        if (v < size) {
            lies[k] = seen_distance(&work->distance[base + v]);
            before[k] = work->relaxed_at[base + v];
            row[k] = work->rows[base + v];
        }
    }
    for (int k = 0; k < (WEIGHT_WORDS + BLOCK - 1) / BLOCK; k++) {
        int word = thread + k * BLOCK, stride = (int)sizeof(dist_t) / 2;
        if (word < arcs * stride)
            block->weights[word] = work->weights[(index_t)first_arc * stride + word];
    }
    for (int k = 0; k < (HEAD_WORDS + BLOCK - 1) / BLOCK; k++) {
        int word = thread + k * BLOCK;
        if (word < arcs) block->heads[word] = work->heads[first_arc + word];
    }
    for (int k = 0; k < VERTICES_A_THREAD; k++) {
        int v = thread + k * BLOCK;
        if (v >= size) continue;
        block->reached[v] = lies[k];
        block->rows[v] = row[k];
        block->queued[v] = UNTOUCHED;
        if (lies[k] < before[k]) {
            block->queued[v] = 0;
            block->queue[atomicAdd(&block->count[0], 1)] = (unsigned short)v;
        }
    }
    __syncthreads();
}

/* Relax inside the part, hop after hop. A vertex is queued where a thread sees its distance fall,
 * even if another offer is less afterwards, so the result of the atomic minimum is not needed. The
 * thread with the least offer sees it fall. */
DEVICE void relax_inside(const Work *work, SHARED Block *block, int base) {
    SHARED const dist_t *weights = (SHARED const dist_t *)block->weights;
    SHARED const unsigned short *heads = (SHARED const unsigned short *)block->heads;
    SHARED int *now = &block->count[0], *next = &block->count[1], *spare = &block->count[2];
    SHARED unsigned short *frontier = block->queue, *fallen = block->queue + PART;
    int hop = 1;
    for (; hop <= work->limits.most_hops && *now > 0; hop++) {
        int count = *now;
        if (threadIdx.x == 0) *spare = 0;
        for (int j = threadIdx.x / LANES; j < count; j += BLOCK / LANES) {
            int v = frontier[j];
            dist_t at = block->reached[v];
            unsigned int row = block->rows[v];
            int begin = row & 0xffff, end = begin + (row >> 16);
            if (threadIdx.x % LANES == 0) note_relaxed(work, base + v, end - begin);
/* few vertices have more than LANES arcs; unrolling would only lengthen every hop */
#pragma unroll 1
            for (int a = begin + threadIdx.x % LANES; a < end; a += LANES) {
                int to = heads[a];
                dist_t offered = at + weights[a];
                if (offered >= block->reached[to]) continue;
                atomic_relax_shared(&block->reached[to], offered);
                note_fallen(work, base + to);
                if (atomicExch(&block->queued[to], hop) != hop)
                    fallen[atomicAdd(next, 1)] = (unsigned short)to;
            }
        }
        SHARED int *count_of_now = now;
        SHARED unsigned short *list_of_now = frontier;
        now = next;
        next = spare;
        spare = count_of_now;
        frontier = fallen;
        fallen = list_of_now;
        __syncthreads();
    }
    for (int j = threadIdx.x; j < *now; j += BLOCK) block->queued[frontier[j]] = LEFT;
    __syncthreads();
}

/* Settle a part that the block has taken. */
DEVICE void settle(const Work *work, SHARED Block *block, int part) {
    int4 place = work->parts[2 * part], cut = work->parts[2 * part + 1];
    int base = place.x, first = cut.x + threadIdx.x, end = cut.x + cut.y;
    dist_t split = seen_distance(work->waiting.split);
    int tail = 0, head = 0, neighbour = 0;
    dist_t weight = 0;
    /* most parts have fewer cut arcs than the block has
     * threads; they load while the part is relaxed */
    if (first < end) {
        tail = work->cut_tails[first];
        head = work->cut_heads[first];
        neighbour = work->cut_parts[first];
        weight = work->cut_weights[first];
    }
    fetch(work, block, place);
    relax_inside(work, block, base);
    for (int v = threadIdx.x; v < place.y; v += BLOCK) {
        if (block->queued[v] == UNTOUCHED) continue;
        atomic_relax(&work->distance[base + v], block->reached[v]);
        if (block->queued[v] == LEFT)
            mark_waiting(&work->waiting, work->limits.ring_mask, part, block->reached[v], split);
        else
            work->relaxed_at[base + v] = block->reached[v];
    }
    for (int a = first; a < end; a += BLOCK) {
        if (a != first) {
            tail = work->cut_tails[a];
            head = work->cut_heads[a];
            neighbour = work->cut_parts[a];
            weight = work->cut_weights[a];
        }
        if (block->queued[tail] < 0) continue;
        dist_t offered = block->reached[tail] + weight;
        note_relaxed(work, base + tail, 1);
        if (offered >= atomic_relax(&work->distance[head], offered)) continue;
        note_fallen(work, head);
        mark_waiting(&work->waiting, work->limits.ring_mask, neighbour, offered, split);
    }
    __syncthreads();
}

KERNEL void settle_parts(CONST_IN(int4) parts, CONST_IN(unsigned int) rows, CONST_IN(uint4) heads,
                         CONST_IN(uint4) weights, CONST_IN(int) cut_tails, CONST_IN(int) cut_heads,
                         CONST_IN(int) cut_parts, CONST_IN(dist_t) cut_weights,
                         GLOBAL dist_t *distance, GLOBAL dist_t *relaxed_at, GLOBAL dist_t *nearest,
                         GLOBAL dist_t *split, GLOBAL int *ring, GLOBAL int *state,
                         GLOBAL int *watched, Limits limits) {
    __shared__ Block block;
    Work work = {{nearest, split, ring, state}, limits, parts, rows, heads, weights, cut_tails,
                 cut_heads, cut_parts, cut_weights, distance, relaxed_at, watched};

    while (true) {
        if (threadIdx.x == 0) {
            block.taken = take(&work.waiting, &work.limits, &block);
            block.count[0] = block.count[1] = block.count[2] = 0;
        }
        __syncthreads();
        int part = block.taken;
#ifdef ROUNDS
        if (part == EMPTY) break;
        settle(&work, &block, part);
#else
        int leads = block.leads;
        if (part == EMPTY && !leads) break;
        if (part != EMPTY) {
            settle(&work, &block, part);
            if (threadIdx.x == 0) block.leads = finished_last(&work.waiting);
            __syncthreads();
            leads = block.leads;
        }
        __syncthreads();
        if (leads) lead(&work.waiting, &work.limits, &block);
#endif
    }
}

#ifdef ROUNDS
/* One block, before `settle_parts`: a round. */
KERNEL void admit_parts(GLOBAL dist_t *nearest, GLOBAL dist_t *split, GLOBAL int *ring,
                        GLOBAL int *state, Limits limits) {
    __shared__ Block block;
    Waiting waiting = {nearest, split, ring, state};
    if (threadIdx.x == 0) {
        state[HEAD] = state[TAIL] = 0;
        state[LOGGED] = state[RELAXED] = state[FALLEN] = 0;
    }
    __syncthreads();
    int admitted = admit(&waiting, &limits, &block);
    if (threadIdx.x == 0 && !admitted) state[STOP] = DONE;
}
#endif

/* Before the first launch: the source's part waits, with distance 0. */
KERNEL void begin(int source, int part, GLOBAL dist_t *distance, GLOBAL dist_t *nearest,
                  GLOBAL int *state) {
    distance[source] = nearest[part] = 0;
    state[BUCKETS] = 0;
    /* counted in rounds only, read by the host in any case */
    state[LOGGED] = state[RELAXED] = state[FALLEN] = 0;
}

/* Before `settle_parts` where it leads itself, and before the first round: an empty ring. */
KERNEL void clear(int ring_size, GLOBAL int *ring, GLOBAL int *state) {
    FOR_GRID_STRIDE(slot, ring_size) { ring[slot] = EMPTY; }
    if (GLOBAL_THREAD == 0) {
        state[HEAD] = state[FINISHED] = 0;
        state[TAIL] = 1;
        state[STOP] = GO;
    }
}

/* Distances in the order of the vertices' own numbers. */
KERNEL void put_back(int n, CONST_IN(int) places, CONST_IN(dist_t) distance,
                     GLOBAL dist_t *answer) {
    FOR_GRID_STRIDE(v, n) { answer[v] = distance[places[v]]; }
}
