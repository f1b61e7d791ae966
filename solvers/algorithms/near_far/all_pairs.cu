/* All pairs on sparse graphs: one block per source, near-far inside the block.
 *
 * Idea
 *   Runs from n sources are independent, and on a sparse graph each touches little memory. A block
 *   takes a source, runs near-far on it, writes the finished row, and takes the next source. With
 *   IN_SHARED, distances (1), or distances, flags and queues (2), are in shared memory where they
 *   fit. A vertex's bit in `pending` is set while its arcs are still to be relaxed with its newest
 *   distance. The thread that sets it pushes the vertex if it is nearer than `split`; the others
 *   are found by scanning the bits once the queue is empty. On a processor a block is one thread.
 *
 * Why it is correct
 *   A bit is cleared before the distance is read, and set after the distance fell; an improvement
 *   that finds the bit set is seen by the thread that clears it later. So nothing is lost. A vertex
 *   is in a queue at most once, so n entries are enough. A block writes only its own memory and its
 *   own row.
 *
 * Parameters
 *   delta (`delta`), in mean weights. THREADS (`block`): threads in a block. LANES: threads that
 *   share a vertex's arcs. SHORT_QUEUE: 16-bit queue entries, for up to 65,536 vertices.
 *
 * Source
 *   Original implementation; near-far after Davidson et al. 2014.
 */

#ifndef THREADS /* in a block */
#define THREADS 256
#endif
#ifndef LANES /* threads that share a vertex's arcs; more than 1 needs warps */
#define LANES 1
#endif
#ifdef SHORT_QUEUE /* n is at most 65,536 */
typedef unsigned short queue_t;
#else
typedef int queue_t;
#endif

#if THREADS == 1 /* nothing to wait for */
#undef __syncthreads
#define __syncthreads()
#endif

#ifdef __OPENCL_VERSION__
#define FENCE_BLOCK() mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define SYNC_LANES()
#define LOAD_FRESH(p) (*(volatile GLOBAL dist_t *)(p))
#define LOWEST_BIT(word) (31 - (int)clz((word) & -(word)))
#else
#define FENCE_BLOCK() __threadfence_block()
#define SYNC_LANES() __syncwarp()
#define LOAD_FRESH(p) (*(volatile dist_t *)(p))
#define LOWEST_BIT(word) (__ffs(word) - 1)
#endif

#if defined(IN_SHARED) /* of distances, and with IN_SHARED == 2 of the queues too */
extern __shared__ __align__(16) unsigned char block_memory[];
#endif

#define COUNTERS 3 /* take turns: read, pushed to, zeroed; so that one barrier a round is enough */

KERNEL void solve_sources(int n, CONST_IN(int) starts, CONST_IN(int) heads,
                          CONST_IN(dist_t) weights, int first_source, int first_row, int sources,
                          dist_t delta, GLOBAL dist_t *answer, GLOBAL dist_t *distances,
                          GLOBAL queue_t *queues, GLOBAL unsigned int *flags,
                          GLOBAL dist_t *block_leasts, GLOBAL int *next_source) {
    __shared__ int counts[COUNTERS];
    __shared__ int taken;
    const int thread = threadIdx.x, words = (n + 31) / 32;
    GLOBAL dist_t *leasts = block_leasts + 2 * blockIdx.x;
    GLOBAL unsigned int *pending = flags + (index_t)blockIdx.x * words;
#ifdef IN_SHARED
    dist_t *distance = (dist_t *)block_memory;
#else
    GLOBAL dist_t *distance = distances + (index_t)blockIdx.x * n;
#endif
#if defined(IN_SHARED) && IN_SHARED == 2
    pending = (unsigned int *)(distance + (n + 3) / 4 * 4);
    queue_t *queue = (queue_t *)(pending + words); /* two sides of n entries */
#else
    GLOBAL queue_t *queue = queues + (index_t)blockIdx.x * 2 * n;
#endif

    while (1) {
        __syncthreads();
        if (thread == 0) taken = atomicAdd(next_source, 1);
        __syncthreads();
        const int row = taken;
        if (row >= sources) break;

        for (int v = thread; v < n; v += THREADS) distance[v] = DIST_INF;
        for (int w = thread; w < words; w += THREADS) pending[w] = 0;
        if (thread == 0) {
            for (int c = 0; c < COUNTERS; c++) counts[c] = 0;
            leasts[0] = leasts[1] = DIST_INF;
        }
        __syncthreads();
        if (thread == 0) {
            const int source = first_source + row;
            distance[source] = 0;
            queue[0] = (queue_t)source;
            pending[source / 32] = 1u << (source % 32);
            counts[0] = 1;
        }
        dist_t split = delta;
        int side = 0, counter = 0, look = 0;
        __syncthreads();

        while (1) {
            const int count = counts[counter], next = (counter + 1) % COUNTERS;
            /* read a round ago, pushed to a round from now */
            if (thread == 0) counts[(counter + 2) % COUNTERS] = 0;
            if (count == 0) { /* look through the bits for the next bucket */
                split += delta;
                dist_t least = DIST_INF;
                for (int w = thread; w < words; w += THREADS) {
                    for (unsigned int rest = pending[w]; rest; rest &= rest - 1) {
                        const int v = 32 * w + LOWEST_BIT(rest);
                        if (distance[v] < split) {
                            queue[(side ^ 1) * n + atomicAdd(&counts[next], 1)] = (queue_t)v;
                        } else {
                            least = min(least, distance[v]);
                        }
                    }
                }
                if (least < DIST_INF) atomic_relax(&leasts[look], least);
                __syncthreads();
                const dist_t farther = leasts[look];
                const int pushed = counts[next];
                look ^= 1;
                if (thread == 0) leasts[look] = DIST_INF;
                if (pushed == 0) {
                    if (farther == DIST_INF) break;
                    split = farther; /* skip empty buckets */
                }
                side ^= 1;
                counter = next;
                __syncthreads();
                continue;
            }
            /* the same for all threads of a warp */
            for (int base = 0; base < count; base += THREADS / LANES) {
                const int i = base + thread / LANES;
                const int u = i < count ? (int)queue[side * n + i] : -1;
                if (u >= 0 && thread % LANES == 0) {
                    atomicAnd(&pending[u / 32], ~(1u << (u % 32)));
                    FENCE_BLOCK();
                }
                SYNC_LANES();
                if (u < 0) continue;
                const dist_t reached = LOAD_FRESH(&distance[u]);
                for (int a = starts[u] + thread % LANES; a < starts[u + 1]; a += LANES) {
                    const int v = heads[a];
                    const dist_t through = reached + weights[a];
                    if (through < distance[v] && through < atomic_relax(&distance[v], through)) {
                        const unsigned int bit = 1u << (v % 32);
                        FENCE_BLOCK();
                        if (!(atomicOr(&pending[v / 32], bit) & bit) && through < split) {
                            queue[(side ^ 1) * n + atomicAdd(&counts[next], 1)] = (queue_t)v;
                        }
                    }
                }
            }
            side ^= 1;
            counter = next;
            __syncthreads();
        }
        GLOBAL dist_t *cells = answer + (index_t)(first_row + row) * n;
        for (int v = thread; v < n; v += THREADS) cells[v] = distance[v];
    }
}
