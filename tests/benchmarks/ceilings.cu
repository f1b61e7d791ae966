/* What a chip can do at most, one kernel a question. See ceilings.py.
 *
 * Latencies are those of a chain, each step of which needs the one before; rates are those of a full device. Reads are
 * volatile, so that they come from the cache that all multiprocessors share and not from one's own.
 */

#define RING 1024 /* entries of the ring in shared memory */

/* Follow the ring for so many steps. */
KERNEL void chase(GLOBAL int *next, int steps, GLOBAL int *out) {
    int at = 0;
    for (int i = 0; i < steps; i++) at = *(volatile GLOBAL int *)&next[at];
    out[0] = at;
}

/* The same by an atomic minimum that changes nothing, but must say what it found. */
KERNEL void chase_atomic(GLOBAL int *next, int steps, GLOBAL int *out) {
    int at = 0;
    for (int i = 0; i < steps; i++) at = atomicMin(&next[at], 0x7fffffff);
    out[0] = at;
}

KERNEL void chase_shared(GLOBAL const int *next, int steps, GLOBAL int *out) {
    __shared__ int ring[RING];
    for (int i = threadIdx.x; i < RING; i += blockDim.x) ring[i] = next[i];
    __syncthreads();
    int at = 0;
    if (threadIdx.x == 0) {
        for (int i = 0; i < steps; i++) at = *(volatile SHARED int *)&ring[at];
        out[0] = at;
    }
}

KERNEL void chase_shared_atomic(GLOBAL const int *next, int steps, GLOBAL int *out) {
    __shared__ int ring[RING];
    for (int i = threadIdx.x; i < RING; i += blockDim.x) ring[i] = next[i];
    __syncthreads();
    int at = 0;
    if (threadIdx.x == 0) {
        for (int i = 0; i < steps; i++) at = atomicMin(&ring[at], 0x7fffffff);
        out[0] = at;
    }
}

/* Barriers of one block. */
KERNEL void wait_together(int steps, GLOBAL int *out) {
    __shared__ int seen;
    if (threadIdx.x == 0) seen = 0;
    for (int i = 0; i < steps; i++) __syncthreads();
    if (threadIdx.x == 0) out[0] = seen + steps;
}

/* Read the whole table, `times` over; `count` is a multiple of eight times the threads. */
KERNEL void read_all(GLOBAL const int *table, int count, int times, GLOBAL int *out) {
    index_t step = (index_t)gridDim.x * blockDim.x;
    int sum = 0;
    for (int t = 0; t < times; t++) {
        for (index_t i = GLOBAL_THREAD; i < count; i += 8 * step) {
            int part[8];
            for (int k = 0; k < 8; k++) part[k] = *(volatile GLOBAL const int *)&table[i + k * step];
            for (int k = 0; k < 8; k++) sum += part[k];
        }
    }
    if (sum == 0x12345678) out[0] = sum;
}

/* Copy `count` quads of words. */
KERNEL void copy_all(GLOBAL const int *origin, GLOBAL int *target, int count) {
    index_t step = (index_t)gridDim.x * blockDim.x;
    for (index_t i = GLOBAL_THREAD; i < count; i += step) ((GLOBAL int4 *)target)[i] = ((GLOBAL const int4 *)origin)[i];
}

/* Look up cells here and there; `count` is a power of two. */
KERNEL void look_up(GLOBAL const int *table, int count, int times, GLOBAL int *out) {
    unsigned int at = (unsigned int)GLOBAL_THREAD * 2654435761u + 12345u;
    int sum = 0;
    for (int t = 0; t < times; t++) {
        int part[8];
        for (int k = 0; k < 8; k++) {
            at = at * 1664525u + 1013904223u;
            part[k] = *(volatile GLOBAL const int *)&table[(at >> 7) & (unsigned int)(count - 1)];
        }
        for (int k = 0; k < 8; k++) sum += part[k];
    }
    if (sum == 0x12345678) out[0] = sum;
}
