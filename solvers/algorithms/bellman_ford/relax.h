/* What the Bellman-Ford kernels share.
 *
 * `state` is three words on the device:
 *   state[LAST_CHANGE]  the last pass (counted from 1) that lowered a distance; 0 before the first
 *   state[FELL_THROUGH] the first pass in which a distance fell below `floor`; 0 while none has
 *   state[QUEUED]       passes before those of a batch, which count their steps from 1: a batch
 *                       that was recorded once is queued again and again with the same arguments
 *
 * Passes are queued many at a time, and the host reads `state` only now and then. With EARLY_EXIT a
 * pass that finds that the one before it changed nothing returns at once, so those already in the
 * queue cost an empty launch and neither the work done nor the number of passes depends on when the
 * host looks.
 */

#ifndef EARLY_EXIT
#define EARLY_EXIT 1
#endif

#define LAST_CHANGE 0
#define FELL_THROUGH 1
#define QUEUED 2

/* All threads of a pass get the same answer, though the word may change under them: it only changes
 * to `pass`, and only in a pass that is not over. */
DEVICE int is_over(GLOBAL const int *state, int pass) {
    return EARLY_EXIT && pass > state[LAST_CHANGE] + 1;
}

/* Offer `head` a path of length `candidate`; 1 where it is shorter than every path before.
 *
 * The look before the atomic step spares most atomics and stays right: distances only fall, so a
 * candidate that is no better than a stale value is no better than the true one. No simple path is
 * shorter than `floor`; what would be has gone round a negative cycle, and is not stored lest sums
 * overflow. */
DEVICE int offer(GLOBAL dist_t *distance, int head, dist_t candidate, dist_t floor,
                 GLOBAL int *state, int pass) {
    if (candidate >= distance[head]) return 0;
    if (candidate < floor) {
        if (state[FELL_THROUGH] == 0) state[FELL_THROUGH] = pass;
        return 0;
    }
    return candidate < atomic_relax(&distance[head], candidate);
}

KERNEL void start_distances(int n, int source, GLOBAL dist_t *distance) {
    FOR_GRID_STRIDE(v, n) distance[v] = v == source ? (dist_t)0 : (dist_t)DIST_INF;
}

KERNEL void start_flags(int n, int source, GLOBAL unsigned char *flag) {
    FOR_GRID_STRIDE(v, n) flag[v] = v == source;
}

/* The last launch of a batch of `passes`. */
KERNEL void end_batch(int passes, GLOBAL int *state) {
    if (GLOBAL_THREAD == 0) state[QUEUED] += passes;
}
