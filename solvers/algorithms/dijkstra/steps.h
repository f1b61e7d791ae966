/* The steps of an iteration that all compound-frontier programs share: the least distance among
 * unresolved vertices, and the next frontier. A kernel file adds its way of relaxing. */

#ifndef BLOCK
#define BLOCK 256 /* threads in a block: a power of two */
#endif

DEVICE dist_t lesser(dist_t a, dist_t b) { return b < a ? b : a; }

/* Before the first iteration: the source is the frontier. */
KERNEL void initialize(int n, int source, GLOBAL dist_t *distance, GLOBAL unsigned char *frontier,
                       GLOBAL unsigned char *unresolved) {
    index_t v = GLOBAL_THREAD;
    if (v >= n) return;
    distance[v] = v == source ? (dist_t)0 : (dist_t)DIST_INF;
    frontier[v] = v == source;
    unresolved[v] = v != source;
}

/* One value for each 2 * BLOCK vertices: every thread takes two, then half the threads take the
 * lesser of two neighbours' values, then a quarter, and so on, in shared memory. */
KERNEL void minimum1(int n, CONST_IN(dist_t) distance, CONST_IN(unsigned char) unresolved,
                     GLOBAL dist_t *minimums) {
    __shared__ dist_t least[BLOCK];
    int thread = threadIdx.x;
    index_t v = (index_t)blockIdx.x * (2 * BLOCK) + thread;
    index_t w = v + BLOCK;
    dist_t mine = v < n && unresolved[v] ? distance[v] : (dist_t)DIST_INF;
    dist_t other = w < n && unresolved[w] ? distance[w] : (dist_t)DIST_INF;
    least[thread] = lesser(mine, other);
    __syncthreads();
    for (int width = BLOCK / 2; width > 0; width /= 2) {
        if (thread < width) least[thread] = lesser(least[thread], least[thread + width]);
        __syncthreads();
    }
    if (thread == 0) minimums[blockIdx.x] = least[0];
}

/* The same once more, over the values that minimum1 left. */
KERNEL void minimum2(int count, CONST_IN(dist_t) minimums, GLOBAL dist_t *fewer) {
    __shared__ dist_t least[BLOCK];
    int thread = threadIdx.x;
    index_t i = (index_t)blockIdx.x * (2 * BLOCK) + thread;
    index_t j = i + BLOCK;
    least[thread] = lesser(i < count ? minimums[i] : (dist_t)DIST_INF,
                           j < count ? minimums[j] : (dist_t)DIST_INF);
    __syncthreads();
    for (int width = BLOCK / 2; width > 0; width /= 2) {
        if (thread < width) least[thread] = lesser(least[thread], least[thread + width]);
        __syncthreads();
    }
    if (thread == 0) fewer[blockIdx.x] = least[0];
}

/* Unresolved vertices at the least distance settle, and are the next frontier. */
KERNEL void update(int n, CONST_IN(dist_t) distance, GLOBAL unsigned char *frontier,
                   GLOBAL unsigned char *unresolved, dist_t least) {
    index_t v = GLOBAL_THREAD;
    if (v >= n) return;
    int settles = unresolved[v] && distance[v] == least;
    frontier[v] = settles;
    if (settles) unresolved[v] = 0;
}
