/* What all Floyd-Warshall kernels share: the length of a detour, and the watch over the diagonal. */

/* The way from i to the pivot and on to j. Infinity plus a weight that is not negative is no less than infinity, and
 * twice infinity does not wrap; so only integer graphs with negative weights need to ask. */
#if defined(NEGATIVE_WEIGHTS) && (defined(DIST_INT32) || defined(DIST_INT64))
#define DETOUR(to_pivot, from_pivot) \
    ((to_pivot) < DIST_INF && (from_pivot) < DIST_INF ? (to_pivot) + (from_pivot) : (dist_t)DIST_INF)
#else
#define DETOUR(to_pivot, from_pivot) ((to_pivot) + (from_pivot))
#endif

/* A cell of the diagonal falls only where that shows a negative cycle, not where rounding takes a cycle of weight 0
 * a little below it. */
#define FALLS(detour, cell, diagonal, tolerance) ((detour) < (cell) && (!(diagonal) || (detour) < -(tolerance)))

/* Every launch of a run has a number, and `unsound` holds the number of the first that found a negative cycle. Later
 * launches do nothing: the cells would double in size with every step, and overflow. A launch never stops because of
 * its own number, so that all threads of a block agree and none waits alone at a barrier. */
#define STOPPED(unsound, launch) (*(unsound) < (launch))
