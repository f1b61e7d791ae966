/* Single-source shortest paths by parts of the graph, each relaxed to its end in shared memory. See blocked.py.
 *
 * A block takes a waiting part: its distances and the arcs inside it come into shared memory; frontiers are relaxed
 * there, hop after hop, until nothing falls any more; then its own distances go back, and the arcs that leave it are
 * relaxed in device memory. Parts in which one of those made a distance fall are waiting from then on.
 *
 * Blocks wait for parts, not for each other. Parts near enough (`nearest` at or below `split`) are named in a ring, from
 * which blocks take them in order by tickets. When all that were put in are finished, the block that finished last
 * moves `split` up and puts the next ones in: by then it is the only one at work. With ROUNDS (for a run that is watched,
 * and for processors, where whoever waits takes the core from whoever works) that is a kernel by itself, `admit_parts`,
 * and `settle_parts` takes just the parts that it put in.
 *
 * Why it stays right: a distance only ever falls, by atomic minimum, and `relaxed_at` remembers the distance with which a
 * vertex's arcs were last relaxed, so whatever lies below it is still to be done, no matter who lowered it and when.
 * `nearest` of a part is infinity exactly while nothing in it waits. Whoever lowers it past `split` puts the part into the
 * ring: exactly one does, so the ring holds no part twice. It is longer than what can be put in during a launch, and
 * cleared before each, so no slot is used twice. A block sets `nearest` back to infinity before it reads the part's
 * distances: a fall that came before is read, and one that comes after makes the part wait again.
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
#define TAIL 1     /* parts put into the ring; without ROUNDS the first stands for whoever moves `split` */
#define FINISHED 2 /* of those */
#define STOP 3     /* GO, or why not */
#define BUCKETS 4  /* moves of `split` that found a part waiting */
#define LOGGED 5   /* this and the rest where watched: vertices relaxed in the round, arcs relaxed, vertices that fell */
#define RELAXED 6
#define FALLEN 7

#define GO 0
#define DONE 1
#define PAUSED 2 /* so that the host can ask whether to go on; what waits is found again by `nearest` */

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
    int taken;    /* the part in hand, or EMPTY */
    int leads;    /* this block is to move `split` */
    dist_t least;
} Block;

/* Which parts wait, and who takes them. In device memory but for the numbers. */
typedef struct {
    GLOBAL dist_t *nearest, *split;
    GLOBAL int *ring, *state;
    int ring_mask, part_count;
    dist_t delta;
} Waiting;

/* The cut graph in device memory, and what is known of it. `parts` holds eight words a part: its first place, vertices,
 * first arc inside, arcs inside, first arc of the rim, arcs of the rim, and two of padding. */
typedef struct {
    Waiting waiting;
    GLOBAL const int4 *parts;
    GLOBAL const unsigned int *rows;
    GLOBAL const uint4 *heads, *weights;
    GLOBAL const int *rim_tails, *rim_heads, *rim_parts;
    GLOBAL const dist_t *rim_weights;
    GLOBAL dist_t *distance, *relaxed_at;
    int most_hops;
    GLOBAL const int *order; /* this and the rest where watched */
    GLOBAL int *log, *logged, *fell;
    int round;
} Work;

DEVICE int seen(GLOBAL int *word) { return *(volatile GLOBAL int *)word; }
DEVICE dist_t seen_distance(GLOBAL dist_t *word) { return *(volatile GLOBAL dist_t *)word; }

DEVICE void put(const Waiting *waiting, int part) {
    atomicExch(&waiting->ring[atomicAdd(&waiting->state[TAIL], 1) & waiting->ring_mask], part);
}

/* A distance in `part` fell to `distance`. With ROUNDS the next one finds it by `nearest`. */
DEVICE void wake(const Waiting *waiting, int part, dist_t distance, dist_t split) {
    __threadfence(); /* who finds the part waiting finds the distance, too */
    dist_t before = atomic_relax(&waiting->nearest[part], distance);
#ifndef ROUNDS
    if (distance <= split && before > split) put(waiting, part);
#endif
}

#ifdef WATCHED
DEVICE void note_relaxed(const Work *work, int place, int arcs) {
    if (atomicExch(&work->logged[place], work->round) != work->round)
        work->log[atomicAdd(&work->waiting.state[LOGGED], 1)] = work->order[place];
    atomicAdd(&work->waiting.state[RELAXED], arcs);
}

DEVICE void note_fallen(const Work *work, int place) {
    if (atomicExch(&work->fell[place], work->round) != work->round) atomicAdd(&work->waiting.state[FALLEN], 1);
}
#else
#define note_relaxed(work, place, arcs)
#define note_fallen(work, place)
#endif

/* The whole block: move `split` up to what waits nearest and `delta` more, and put the parts up to there into the ring;
 * 0 where no part waits. */
DEVICE int admit(const Waiting *waiting, SHARED Block *block) {
    if (threadIdx.x == 0) block->least = (dist_t)DIST_INF;
    __syncthreads();
    dist_t mine = (dist_t)DIST_INF;
    for (int part = threadIdx.x; part < waiting->part_count; part += BLOCK) {
        dist_t waits_with = seen_distance(&waiting->nearest[part]);
        if (waits_with < mine) mine = waits_with;
    }
    atomic_relax_shared(&block->least, mine);
    __syncthreads();
    if (block->least == (dist_t)DIST_INF) return 0;
    dist_t bound = block->least + waiting->delta;
    if (threadIdx.x == 0) {
        *waiting->split = bound;
        waiting->state[BUCKETS] += 1;
        __threadfence();
    }
    __syncthreads(); /* `split` stands before anyone can take a part */
    for (int part = threadIdx.x; part < waiting->part_count; part += BLOCK)
        if (seen_distance(&waiting->nearest[part]) <= bound) put(waiting, part);
    __syncthreads();
    return 1;
}

#ifndef ROUNDS
/* One thread: 1 for the block that finished the last of all parts put in. That is taken back at once, so that nobody
 * else comes to be the last while this block admits more. */
DEVICE int finished_last(const Waiting *waiting) {
    __threadfence();
    int finished = atomicAdd(&waiting->state[FINISHED], 1) + 1;
    if (finished != seen(&waiting->state[TAIL])) return 0;
    atomicExch(&waiting->state[FINISHED], finished - 1);
    return 1;
}

/* The whole block, while it leads: nobody else is at work. */
DEVICE void lead(const Waiting *waiting, SHARED Block *block) {
    int leads = 1;
    while (leads) {
        int admitted = admit(waiting, block);
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

/* One thread: the next part, or EMPTY where there is none for this block. */
DEVICE int take(const Waiting *waiting, int most_taken, SHARED Block *block) {
    int ticket = atomicAdd(&waiting->state[HEAD], 1), part = EMPTY;
    GLOBAL int *slot = &waiting->ring[ticket & waiting->ring_mask];
#ifdef ROUNDS
    if (ticket < seen(&waiting->state[TAIL])) part = seen(slot);
#else
    block->leads = ticket == 0; /* whoever comes first: a block that has not begun may be waiting for this one's place */
    while (!block->leads && part == EMPTY && seen(&waiting->state[STOP]) == GO) part = seen(slot);
    if (part != EMPTY && ticket >= most_taken) {
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

/* Bring a part into shared memory. Everything is asked for before anything is looked at. */
DEVICE void fetch(const Work *work, SHARED Block *block, int4 place) {
    int thread = threadIdx.x, base = place.x, size = place.y, first_arc = place.z / 8, arcs = place.w / 8;
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
        if (word < arcs * stride) block->weights[word] = work->weights[(index_t)first_arc * stride + word];
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

/* Relax inside the part, hop after hop. A vertex is queued where its distance is seen to fall, no matter whose offer is
 * the least in the end; so nothing is asked of the atomic minimum. Whoever makes the least offer sees it fall. */
DEVICE void relax_inside(const Work *work, SHARED Block *block, int base) {
    SHARED const dist_t *weights = (SHARED const dist_t *)block->weights;
    SHARED const unsigned short *heads = (SHARED const unsigned short *)block->heads;
    SHARED int *now = &block->count[0], *next = &block->count[1], *spare = &block->count[2];
    SHARED unsigned short *frontier = block->queue, *fallen = block->queue + PART;
    int hop = 1;
    for (; hop <= work->most_hops && *now > 0; hop++) {
        int count = *now;
        if (threadIdx.x == 0) *spare = 0;
        for (int j = threadIdx.x / LANES; j < count; j += BLOCK / LANES) {
            int v = frontier[j];
            dist_t at = block->reached[v];
            unsigned int row = block->rows[v];
            int begin = row & 0xffff, end = begin + (row >> 16);
            if (threadIdx.x % LANES == 0) note_relaxed(work, base + v, end - begin);
#pragma unroll 1 /* hardly any vertex has more than LANES arcs: unrolled, the loop is a detour on every hop's way */
            for (int a = begin + threadIdx.x % LANES; a < end; a += LANES) {
                int to = heads[a];
                dist_t offered = at + weights[a];
                if (offered >= block->reached[to]) continue;
                atomic_relax_shared(&block->reached[to], offered);
                note_fallen(work, base + to);
                if (atomicExch(&block->queued[to], hop) != hop) fallen[atomicAdd(next, 1)] = (unsigned short)to;
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

/* The block's part, from its waiting to its end. */
DEVICE void settle(const Work *work, SHARED Block *block, int part) {
    int4 place = work->parts[2 * part], rim = work->parts[2 * part + 1];
    int base = place.x, first = rim.x + threadIdx.x, end = rim.x + rim.y;
    dist_t split = seen_distance(work->waiting.split);
    int tail = 0, head = 0, neighbour = 0;
    dist_t weight = 0;
    if (first < end) { /* most rims have fewer arcs than the block has threads; they come while the part is relaxed */
        tail = work->rim_tails[first];
        head = work->rim_heads[first];
        neighbour = work->rim_parts[first];
        weight = work->rim_weights[first];
    }
    fetch(work, block, place);
    relax_inside(work, block, base);
    for (int v = threadIdx.x; v < place.y; v += BLOCK) {
        if (block->queued[v] == UNTOUCHED) continue;
        atomic_relax(&work->distance[base + v], block->reached[v]);
        if (block->queued[v] == LEFT)
            wake(&work->waiting, part, block->reached[v], split);
        else
            work->relaxed_at[base + v] = block->reached[v];
    }
    for (int a = first; a < end; a += BLOCK) {
        if (a != first) {
            tail = work->rim_tails[a];
            head = work->rim_heads[a];
            neighbour = work->rim_parts[a];
            weight = work->rim_weights[a];
        }
        if (block->queued[tail] < 0) continue;
        dist_t offered = block->reached[tail] + weight;
        note_relaxed(work, base + tail, 1);
        if (offered >= atomic_relax(&work->distance[head], offered)) continue;
        note_fallen(work, head);
        wake(&work->waiting, neighbour, offered, split);
    }
    __syncthreads();
}

KERNEL void settle_parts(CONST_IN(int4) parts, CONST_IN(unsigned int) rows, CONST_IN(uint4) heads,
                         CONST_IN(uint4) weights, CONST_IN(int) rim_tails, CONST_IN(int) rim_heads,
                         CONST_IN(int) rim_parts, CONST_IN(dist_t) rim_weights, GLOBAL dist_t *distance,
                         GLOBAL dist_t *relaxed_at, GLOBAL dist_t *nearest, GLOBAL dist_t *split, GLOBAL int *ring,
                         GLOBAL int *state, CONST_IN(int) order, GLOBAL int *log, GLOBAL int *logged, GLOBAL int *fell,
                         int ring_mask, int part_count, int most_hops, int most_taken, int round, dist_t delta) {
    __shared__ Block block;
    Work work = {{nearest, split, ring, state, ring_mask, part_count, delta},
                 parts, rows, heads, weights, rim_tails, rim_heads, rim_parts, rim_weights, distance, relaxed_at,
                 most_hops, order, log, logged, fell, round};

    while (true) {
        if (threadIdx.x == 0) {
            block.taken = take(&work.waiting, most_taken, &block);
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
        if (leads) lead(&work.waiting, &block);
#endif
    }
}

#ifdef ROUNDS
/* One block, before `settle_parts`: a round. */
KERNEL void admit_parts(GLOBAL dist_t *nearest, GLOBAL dist_t *split, GLOBAL int *ring, GLOBAL int *state, int ring_mask,
                        int part_count, dist_t delta) {
    __shared__ Block block;
    Waiting waiting = {nearest, split, ring, state, ring_mask, part_count, delta};
    if (threadIdx.x == 0) {
        state[HEAD] = state[TAIL] = 0;
        state[LOGGED] = state[RELAXED] = state[FALLEN] = 0;
    }
    __syncthreads();
    int admitted = admit(&waiting, &block);
    if (threadIdx.x == 0 && !admitted) state[STOP] = DONE;
}
#endif

/* Before the first launch: the source's part waits, with distance 0. */
KERNEL void begin(int source, int part, GLOBAL dist_t *distance, GLOBAL dist_t *nearest, GLOBAL int *state) {
    distance[source] = nearest[part] = 0;
    state[BUCKETS] = 0;
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
KERNEL void put_back(int n, CONST_IN(int) places, CONST_IN(dist_t) distance, GLOBAL dist_t *answer) {
    FOR_GRID_STRIDE(v, n) { answer[v] = distance[places[v]]; }
}
