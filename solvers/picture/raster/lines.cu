/* Lines and dots of solvers/picture/raster/lines.py on
 * a device: the same arithmetic, so the same pixels.
 *
 * Idea: one thread per edge. Density and claims are updated by integer atomics, whose result does
 * not depend on the order. Edges that cross many pixels are first written to a list, then drawn by
 * LANES threads each, so that a few long lines do not delay a million short ones.
 *
 * Why the pixels are equal: doubles on both sides, no product fused with a sum (TIMES), and the
 * same order of operations; division, square root and floor are exact by IEEE 754. Density may
 * exceed MOST_DENSITY within a launch: a launch draws at most 2^20 edges of at most 2 * UNITS on a
 * pixel, which with MOST_DENSITY stays below 2^32; `clamp_density` then limits it. min(min(a, m) +
 * b, m) = min(a + b, m), so it does not matter how often that is done.
 *
 * Python passes UNITS, MOST_DENSITY, MOST_SHORT_DENSITY, BLOCK, OWNING_COVERAGE and LONGEST of
 * lines.py, and LONG and LANES.
 */

#ifdef __OPENCL_VERSION__
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#define TIMES(a, b) ((a) * (b))
#else
#define TIMES(a, b) __dmul_rn(a, b)
#endif

#ifndef UNITS /* defaults, for compiling this file alone */
#define UNITS 1024
#define MOST_DENSITY 1073741823
#define MOST_SHORT_DENSITY 2048
#define BLOCK 1024
#define OWNING_COVERAGE 0.35
#define LONGEST 1e12
#endif
#ifndef LONG
#define LONG 32
#define LANES 32
#endif

typedef struct {
    double scale, dx, dy, width, fade, density;
    int columns, top, rows;
} view_t;

typedef struct { /* along its major axis a; see lines._draw_line */
    double a0, b0, a1, b1, slope, thick, peak, strength;
    int first, last; /* visible columns; last < first if there are none */
    int first_a, first_b, rows;
    index_t step_a, step_b;
    int u, v;
} line_t;

DEVICE double lesser(double a, double b) { return b < a ? b : a; }
DEVICE double greater(double a, double b) { return b > a ? b : a; }

/* Width and density of edge e, by its level if there are several. */
DEVICE view_t pen_of(view_t view, int e, CONST_IN(unsigned char) levels, CONST_IN(double) widths,
                     CONST_IN(double) strengths, int count) {
    int level = count == 1 ? 0 : levels[e];
    view.width = TIMES(view.width, widths[level]);
    view.density = strengths[level];
    return view;
}

DEVICE view_t view_of(int columns, int top, int rows, double scale, double dx, double dy,
                      double width, double fade) {
    view_t view;
    view.scale = scale, view.dx = dx, view.dy = dy, view.width = width, view.fade = fade,
    view.density = 1.0;
    view.columns = columns, view.top = top, view.rows = rows;
    return view;
}

DEVICE void raise_claim(GLOBAL int *claims, index_t at, int claim) {
    if (claims[at] < claim) atomicMax(&claims[at], claim); /* a stale value costs only an atomic */
}

DEVICE void add_coverage(GLOBAL unsigned int *density, GLOBAL int *claims, index_t at,
                         unsigned int amount, int claim) {
    if (amount) atomicAdd(&density[at], amount);
    raise_claim(claims, at, claim);
}

DEVICE void clip(line_t *line, int columns) {
    double a0 = line->a0, b0 = line->b0, b1 = line->b1, slope = line->slope;
    double first = greater(line->first_a, floor(a0)),
           last = lesser(line->first_a + columns - 1.0, floor(line->a1));
    double reach = line->thick + 2.0;
    double above = line->first_b - reach, below = line->first_b + line->rows + reach;
    if (lesser(b0, b1) < above || greater(b0, b1) > below) {
        double enter = (above - b0) / slope + a0, leave = (below - b0) / slope + a0;
        first = greater(first, floor(lesser(enter, leave) - 1.0));
        last = lesser(last, floor(greater(enter, leave) + 1.0));
    }
    line->first = 0, line->last = -1;
    if (first <= last) line->first = (int)first, line->last = (int)last;
}

DEVICE line_t line_between(view_t view, double x0, double y0, double x1, double y1, double strength,
                           int e) {
    line_t line;
    int turned = !(fabs(x1 - x0) >= fabs(y1 - y0));
    double a0 = turned ? y0 : x0, b0 = turned ? x0 : y0, a1 = turned ? y1 : x1,
           b1 = turned ? x1 : y1;
    int forwards = a0 <= a1;
    line.a0 = forwards ? a0 : a1, line.b0 = forwards ? b0 : b1;
    line.a1 = forwards ? a1 : a0, line.b1 = forwards ? b1 : b0;
    line.u = 2 * e + (forwards ? 1 : 2), line.v = 2 * e + (forwards ? 2 : 1);
    line.first_a = turned ? view.top : 0, line.first_b = turned ? 0 : view.top;
    line.rows = turned ? view.columns : view.rows;
    line.step_a = turned ? view.columns : 1, line.step_b = turned ? 1 : view.columns;
    line.strength = strength;
    line.slope = (line.b1 - line.b0) / (line.a1 - line.a0);
    line.thick = TIMES(0.5 * view.width, sqrt(1.0 + TIMES(line.slope, line.slope)));
    line.peak = lesser(1.0, 2.0 * line.thick);
    clip(&line, turned ? view.rows : view.columns);
    return line;
}

DEVICE void draw_column(const line_t *line, int column, GLOBAL unsigned int *density,
                        GLOBAL int *claims) {
    double left = greater(line->a0, column), right = lesser(line->a1, column + 1.0);
    if (right <= left) return;
    double centre = 0.5 * (left + right);
    double b = line->b0 + TIMES(line->slope, centre - line->a0);
    int end = centre < 0.5 * (line->a0 + line->a1) ? line->u : line->v;
    double low = greater(line->first_b, floor(b - line->thick - 0.5));
    double high = lesser(line->first_b + line->rows - 1.0, floor(b + line->thick + 0.5));
    if (!(low <= high)) return;
    index_t at = (column - line->first_a) * line->step_a +
                 ((int)low - line->first_b) * line->step_b;
    for (int row = (int)low; row <= (int)high; row++, at += line->step_b) {
        double cover = TIMES(lesser(line->peak, line->thick + 0.5 - fabs(row + 0.5 - b)),
                             right - left);
        if (cover > 0.0)
            add_coverage(density, claims, at, (unsigned int)(TIMES(line->strength, cover) + 0.5),
                         cover > OWNING_COVERAGE ? end : -end);
    }
}

/* The line of edge e; it has no columns if nothing is left
 * to draw. Edges shorter than a pixel are drawn here. */
DEVICE line_t begin_edge(view_t view, float4 ends, int e, GLOBAL unsigned int *density,
                         GLOBAL int *claims) {
    line_t nothing;
    nothing.first = 0, nothing.last = -1;
    int bottom = view.top + view.rows;
    double width = view.width;
    double y0 = TIMES((double)ends.y, view.scale) + view.dy,
           y1 = TIMES((double)ends.w, view.scale) + view.dy;
    if (!(lesser(y0, y1) < bottom + width && greater(y0, y1) > view.top - width)) return nothing;
    double x0 = TIMES((double)ends.x, view.scale) + view.dx,
           x1 = TIMES((double)ends.z, view.scale) + view.dx;
    if (!(lesser(x0, x1) < view.columns + width && greater(x0, x1) > -width)) return nothing;
    double across = fabs(x1 - x0), down = fabs(y1 - y0);
    if (!(across < LONGEST && down < LONGEST)) return nothing;
    double square = TIMES(across, across) + TIMES(down, down), length = sqrt(square);
    if (square < 1.0) {
        double column = floor(0.5 * (x0 + x1)), row = floor(0.5 * (y0 + y1));
        if (0 <= column && column < view.columns && view.top <= row && row < bottom) {
            double units = floor(TIMES(TIMES(TIMES(length, width), (double)UNITS), view.density) +
                                 0.5);
            index_t at = ((int)row - view.top) * (index_t)view.columns + (int)column;
            add_coverage(density, claims, at,
                         (unsigned int)lesser(MOST_SHORT_DENSITY, greater(1.0, units)), 2 * e + 1);
        }
        return nothing;
    }
    double faded = length <= view.fade ? 1.0 : sqrt(view.fade / length);
    double strength = TIMES(TIMES((double)UNITS, view.density), faded);
    return line_between(view, x0, y0, x1, y1, strength, e);
}

/* Draws the edges of the given blocks, one thread
 * block each; long edges are listed for draw_long. */
KERNEL void draw_edges(CONST_IN(float4) segments, index_t edges, CONST_IN(int) blocks,
                       GLOBAL unsigned int *density, GLOBAL int *claims, GLOBAL int *long_edges,
                       GLOBAL int *long_count, int columns, int top, int rows, double scale,
                       double dx, double dy, double width, double fade,
                       CONST_IN(unsigned char) levels, CONST_IN(double) widths,
                       CONST_IN(double) strengths, int count) {
    view_t view = view_of(columns, top, rows, scale, dx, dy, width, fade);
    index_t first = (index_t)blocks[blockIdx.x] * BLOCK;
    index_t end = first + BLOCK < edges ? first + BLOCK : edges;
    for (index_t e = first + threadIdx.x; e < end; e += blockDim.x) {
        line_t line = begin_edge(pen_of(view, (int)e, levels, widths, strengths, count),
                                 segments[e], (int)e, density, claims);
        if (line.last - line.first >= LONG) {
            long_edges[atomicAdd(long_count, 1)] = (int)e;
        } else {
            for (int column = line.first; column <= line.last; column++)
                draw_column(&line, column, density, claims);
        }
    }
}

/* Draws the edges listed by draw_edges, LANES threads
 * each; adjacent threads draw adjacent columns. */
KERNEL void draw_long(CONST_IN(float4) segments, GLOBAL unsigned int *density, GLOBAL int *claims,
                      CONST_IN(int) long_edges, CONST_IN(int) long_count, int columns, int top,
                      int rows, double scale, double dx, double dy, double width, double fade,
                      CONST_IN(unsigned char) levels, CONST_IN(double) widths,
                      CONST_IN(double) strengths, int count) {
    view_t view = view_of(columns, top, rows, scale, dx, dy, width, fade);
    index_t teams = (index_t)gridDim.x * blockDim.x / LANES;
    int lane = (int)(GLOBAL_THREAD % LANES);
    for (index_t i = GLOBAL_THREAD / LANES; i < long_count[0]; i += teams) {
        int e = long_edges[i];
        line_t line = begin_edge(pen_of(view, e, levels, widths, strengths, count), segments[e], e,
                                 density, claims);
        for (int column = line.first + lane; column <= line.last; column += LANES)
            draw_column(&line, column, density, claims);
    }
}

/* Ends a launch: clamps density to MOST_DENSITY and empties the list of long edges. */
KERNEL void clamp_density(index_t pixels, GLOBAL unsigned int *density, GLOBAL int *long_count) {
    FOR_GRID_STRIDE(i, pixels) {
        if (density[i] > MOST_DENSITY) density[i] = MOST_DENSITY;
    }
    if (GLOBAL_THREAD == 0) long_count[0] = 0;
}

/* Draws discs as lines.draw_vertices does, one thread
 * each. They are few, so each sum is clamped at once. */
KERNEL void draw_vertices(CONST_IN(double) points, CONST_IN(int) vertices, CONST_IN(double) radii,
                          index_t count, index_t first_claim, GLOBAL unsigned int *density,
                          GLOBAL int *claims, int columns, int top, int rows, double scale,
                          double dx, double dy, double strength) {
    FOR_GRID_STRIDE(i, count) {
        double reach = radii[i] + 0.5;
        double x = TIMES(points[2 * i], scale) + dx, y = TIMES(points[2 * i + 1], scale) + dy;
        if (!(-reach < x && x < columns + reach && top - reach < y && y < top + rows + reach))
            continue;
        int low = (int)greater(top, floor(y - reach)),
            high = (int)lesser(top + rows - 1, floor(y + reach));
        int left = (int)greater(0, floor(x - reach)),
            right = (int)lesser(columns - 1, floor(x + reach));
        for (int row = low; row <= high; row++) {
            for (int column = left; column <= right; column++) {
                double across = column + 0.5 - x, down = row + 0.5 - y;
                double cover = reach - sqrt(TIMES(across, across) + TIMES(down, down));
                if (!(cover > 0.0)) continue;
                index_t at = (row - top) * (index_t)columns + column;
                double units = TIMES(TIMES((double)UNITS, strength), lesser(1.0, cover)) + 0.5;
                unsigned int more = (unsigned int)lesser((double)MOST_DENSITY, units);
                unsigned int before = density[at], seen;
                for (;;) {
                    unsigned int sum = before + more < MOST_DENSITY ? before + more : MOST_DENSITY;
                    seen = atomicCAS(&density[at], before, sum);
                    if (seen == before) break;
                    before = seen;
                }
                raise_claim(claims, at, (int)(first_claim + vertices[i]));
            }
        }
    }
}
