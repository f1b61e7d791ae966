/* Single-source shortest paths by parts of the graph, each relaxed to its end in shared memory. See blocked.py.
 *
 * One launch is one round. It takes every part that is near enough, each by one block: its distances and the arcs inside
 * it come into shared memory; frontiers are relaxed there, hop after hop, until nothing falls any more; then its own
 * distances go back, and the arcs that leave it are relaxed in device memory. A part in which one of those made a
 * distance fall is waiting for the next round.
 *
 * Why it stays right: a distance only ever falls, by atomic minimum, and `relaxed_at` remembers the distance with which a
 * vertex's arcs were last relaxed, so whatever lies below it is still to be done, no matter who lowered it and when.
 * `nearest` of a part is infinity exactly while the part is in no list: whoever lowers it from there puts the part in.
 * A block sets it back to infinity before it reads the part's distances; a fall that comes after puts the part into the
 * next list, and a fall that came before is read.
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
#define UNTOUCHED (-1) /* not relaxed in this round */
#define LEFT (-2)      /* still in the queue when the hops were used up */

/* Words of `state`. The first three take turns from round to round: read, pushed to, emptied. */
#define WAITING 0 /* parts in the list */
#define ROUNDS 3  /* that found a part waiting */
#define LOGGED 4  /* this and the rest where watched: vertices relaxed in the round, arcs relaxed, vertices that fell */
#define RELAXED 5
#define FALLEN 6

/* What is asked of a part's neighbours, or of itself later on. */
DEVICE void ask(int part, dist_t distance, GLOBAL dist_t *nearest, GLOBAL int *list, GLOBAL int *waiting,
                SHARED dist_t *block_least) {
    if (atomic_relax(&nearest[part], distance) == (dist_t)DIST_INF) list[atomicAdd(waiting, 1)] = part;
    atomic_relax_shared(block_least, distance);
}

#ifdef WATCHED
DEVICE void note_relaxed(int place, int arcs, int round, CONST_IN(int) order, GLOBAL int *log, GLOBAL int *logged,
                         GLOBAL int *state) {
    if (atomicExch(&logged[place], round) != round) log[atomicAdd(&state[LOGGED], 1)] = order[place];
    atomicAdd(&state[RELAXED], arcs);
}

DEVICE void note_fallen(int place, int round, GLOBAL int *fell, GLOBAL int *state) {
    if (atomicExch(&fell[place], round) != round) atomicAdd(&state[FALLEN], 1);
}
#define NOTE_RELAXED(place, arcs) note_relaxed(place, arcs, round, order, log, logged, state)
#define NOTE_FALLEN(place) note_fallen(place, round, fell, state)
#else
#define NOTE_RELAXED(place, arcs)
#define NOTE_FALLEN(place)
#endif

KERNEL void settle_parts(CONST_IN(int) order, CONST_IN(int) first, CONST_IN(unsigned int) rows,
                         CONST_IN(int) arc_first, CONST_IN(unsigned short) heads, CONST_IN(dist_t) weights,
                         CONST_IN(int) rim_first, CONST_IN(int) rim_tails, CONST_IN(int) rim_heads,
                         CONST_IN(int) rim_parts, CONST_IN(dist_t) rim_weights, GLOBAL dist_t *distance,
                         GLOBAL dist_t *relaxed_at, GLOBAL dist_t *nearest, GLOBAL dist_t *least, GLOBAL int *lists,
                         GLOBAL int *state, int parts, int round, dist_t delta, int most_hops, GLOBAL int *log,
                         GLOBAL int *logged, GLOBAL int *fell) {
    __shared__ dist_t reached[PART];
    __shared__ dist_t part_weights[ARCS];
    __shared__ unsigned short part_heads[ARCS];
    __shared__ unsigned int part_rows[PART];
    __shared__ int queued[PART];
    __shared__ unsigned short queue[2 * PART];
    __shared__ int count[3]; /* of the queue, by hop; three take turns, so that one barrier a hop is enough */
    __shared__ int taken;
    __shared__ dist_t block_least;

    int thread = threadIdx.x, waiting = state[WAITING + round % 3];
    GLOBAL int *next_waiting = &state[WAITING + (round + 1) % 3];
    GLOBAL const int *list = lists + (index_t)(round & 1) * parts;
    GLOBAL int *next_list = lists + (index_t)((round + 1) & 1) * parts;
    dist_t bound = least[round % 3] + delta;
    if (GLOBAL_THREAD == 0) {
        state[WAITING + (round + 2) % 3] = 0;
        least[(round + 2) % 3] = (dist_t)DIST_INF;
        if (waiting > 0) state[ROUNDS] = round + 1;
    }
    if (thread == 0) block_least = (dist_t)DIST_INF;

    for (int i = blockIdx.x; i < waiting; i += gridDim.x) {
        int part = list[i], base = first[part], size = first[part + 1] - base;
        if (thread == 0) {
            dist_t waits_with = nearest[part];
            taken = waits_with <= bound;
            if (taken) {
                count[0] = count[1] = count[2] = 0;
                atomic_replace(&nearest[part], (dist_t)DIST_INF);
                __threadfence();
            } else { /* `nearest` stays, too, so that nobody puts the part into the list again */
                next_list[atomicAdd(next_waiting, 1)] = part;
                atomic_relax_shared(&block_least, waits_with);
            }
        }
        __syncthreads();
        int is_taken = taken; /* `taken` is written again before the slowest thread would read it below */
        if (is_taken) {
            for (int v = thread; v < size; v += BLOCK) {
                dist_t lies = *(volatile GLOBAL dist_t *)&distance[base + v];
                reached[v] = lies;
                part_rows[v] = rows[base + v];
                queued[v] = UNTOUCHED;
                if (lies < relaxed_at[base + v]) {
                    queued[v] = 0;
                    queue[atomicAdd(&count[0], 1)] = (unsigned short)v;
                }
            }
            int arc_base = arc_first[part], arcs = arc_first[part + 1] - arc_base;
            for (int a = thread; a < arcs; a += BLOCK) {
                part_weights[a] = weights[arc_base + a];
                part_heads[a] = heads[arc_base + a];
            }
        }
        __syncthreads();
        if (!is_taken) continue;

        int hop = 1;
        for (; hop <= most_hops && count[(hop - 1) % 3] > 0; hop++) {
            int frontier = count[(hop - 1) % 3], side = ((hop - 1) & 1) * PART, next_side = (hop & 1) * PART;
            if (thread == 0) count[(hop + 1) % 3] = 0;
            for (int j = thread / LANES; j < frontier; j += BLOCK / LANES) {
                int v = queue[side + j];
                dist_t lies = reached[v];
                int begin = part_rows[v] & 0xffff, degree = part_rows[v] >> 16;
                if (thread % LANES == 0) NOTE_RELAXED(base + v, degree);
                for (int a = begin + thread % LANES; a < begin + degree; a += LANES) {
                    int head = part_heads[a];
                    dist_t offered = lies + part_weights[a];
                    if (offered >= reached[head] || offered >= atomic_relax_shared(&reached[head], offered)) continue;
                    NOTE_FALLEN(base + head);
                    if (atomicExch(&queued[head], hop) != hop)
                        queue[next_side + atomicAdd(&count[hop % 3], 1)] = (unsigned short)head;
                }
            }
            __syncthreads();
        }
        for (int j = thread; j < count[(hop - 1) % 3]; j += BLOCK) {
            int v = queue[((hop - 1) & 1) * PART + j];
            queued[v] = LEFT;
            ask(part, reached[v], nearest, next_list, next_waiting, &block_least);
        }
        __syncthreads();

        for (int v = thread; v < size; v += BLOCK) {
            if (queued[v] != UNTOUCHED) atomic_relax(&distance[base + v], reached[v]);
            if (queued[v] >= 0) relaxed_at[base + v] = reached[v];
        }
        for (int a = rim_first[part] + thread; a < rim_first[part + 1]; a += BLOCK) {
            if (queued[rim_tails[a]] < 0) continue;
            int head = rim_heads[a];
            dist_t offered = reached[rim_tails[a]] + rim_weights[a];
            NOTE_RELAXED(base + rim_tails[a], 1);
            if (offered >= *(volatile GLOBAL dist_t *)&distance[head]) continue;
            if (offered >= atomic_relax(&distance[head], offered)) continue;
            NOTE_FALLEN(head);
            __threadfence(); /* who finds the part asked for finds the distance, too */
            ask(rim_parts[a], offered, nearest, next_list, next_waiting, &block_least);
        }
        __syncthreads(); /* before the next part comes into shared memory */
    }
    if (thread == 0 && block_least < (dist_t)DIST_INF) atomic_relax(&least[(round + 1) % 3], block_least);
}

/* Distances in the order of the vertices' own numbers. */
KERNEL void put_back(int n, CONST_IN(int) places, CONST_IN(dist_t) distance, GLOBAL dist_t *answer) {
    FOR_GRID_STRIDE(v, n) { answer[v] = distance[places[v]]; }
}

/* Before the first round: the source's part waits, with distance 0. */
KERNEL void begin(int source, int part, GLOBAL dist_t *distance, GLOBAL dist_t *nearest, GLOBAL dist_t *least,
                  GLOBAL int *lists, GLOBAL int *state) {
    distance[source] = nearest[part] = least[0] = 0;
    least[1] = least[2] = (dist_t)DIST_INF;
    lists[0] = part;
    for (int word = 0; word < 7; word++) state[word] = word == WAITING;
}
