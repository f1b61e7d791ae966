/* What all Floyd-Warshall kernels share: the length
 * of a detour, when a cell falls, and when to stop.
 *
 * All care is for negative weights (NEGATIVE_WEIGHTS): without them infinity plus a weight is no
 * less than infinity, twice infinity does not wrap, no cell of the diagonal falls below 0, and no
 * negative cycle is found.
 */

/* The way from i to the pivot and on to j. Floating infinity absorbs whatever is added to it. */
#if defined(NEGATIVE_WEIGHTS) && (defined(DIST_INT32) || defined(DIST_INT64))
#define DETOUR(to_pivot, from_pivot) \
    ((to_pivot) < DIST_INF && (from_pivot) < DIST_INF ? (to_pivot) + (from_pivot) \
                                                      : (dist_t)DIST_INF)
#else
#define DETOUR(to_pivot, from_pivot) ((to_pivot) + (from_pivot))
#endif

#ifdef NEGATIVE_WEIGHTS

/* A cell of the diagonal falls only where that shows a
 * negative cycle, not where rounding takes a cycle of weight 0
 * a little below it. */
#define FALLS(detour, cell, diagonal, tolerance) \
    ((detour) < (cell) && (!(diagonal) || (detour) < -(tolerance)))

/* Every launch of a run has a number, and `unsound` holds the number of the first that found a
 * negative cycle. Later launches do nothing: the cells would double in size with every step, and
 * overflow. A launch never stops because of its own number, so that all threads of a block agree
 * and none waits alone at a barrier. */
#define STOPPED(unsound, launch) (*(unsound) < (launch))

#else

#define FALLS(detour, cell, diagonal, tolerance) ((detour) < (cell))
#define STOPPED(unsound, launch) 0

#endif
