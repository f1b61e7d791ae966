// Sizes that depend on the scale of a view, by the rules of the window.

import {
  DOT_DENSITIES,
  DOT_RANGE,
  DOT_SHARE,
  FAR_SPACING,
  FRONTIER_RANGE,
  FRONTIER_SHARE,
  LEAST_AREA,
  LEAST_DOT,
  LEVELS,
  LINE_GROWTH,
  LINE_WIDTHS,
  LONE_DOT,
  MOST_DOT,
  NEAR_SPACING,
  ROAD_POWERS,
  ROAD_STRENGTHS,
  ROAD_WIDTHS,
  SIZED_DOT,
  SIZED_GAIN,
} from "./rules.js";

/** A value, or the limit that it is beyond. */
export function within([least, most], value) {
  return Math.min(most, Math.max(least, value));
}

/**
 * Sizes in logical pixels at a scale; `PixelSizes` of solvers/picture/raster/edge_buffers.py.
 *
 * `sized` says whether vertices have sizes of their own. A `dot` of 0 is not drawn.
 */
export function pixelSizes(scene, vertices, sized, scale) {
  const [x0, y0, x1, y1] = scene.bounds;
  const area = Math.max((x1 - x0) * (y1 - y0), LEAST_AREA) * scale * scale;
  const spacing = Math.sqrt(area / Math.max(1, vertices));
  const line = within(LINE_WIDTHS, LINE_GROWTH[0] + LINE_GROWTH[1] * spacing);
  const length = scene.edges * scene.meanLength * scale;
  const gain = (sized ? SIZED_GAIN : 1) / (1 + (length * line) / Math.max(area, 1));
  const dot = sized ? SIZED_DOT * spacing : plainDot(spacing);
  return {
    spacing,
    line,
    gain,
    dot: scene.edges ? dot : Math.max(dot, LONE_DOT),
    dotDensity: DOT_DENSITIES[sized ? 1 : 0] / gain,
    frontier: within(FRONTIER_RANGE, FRONTIER_SHARE * spacing),
  };
}

/** Radius of a vertex in pixels, `size` times that of one of mean degree; 0 if too small. */
export function dotRadius(dot, size) {
  const radius = Math.min(dot * size, MOST_DOT);
  return radius >= LEAST_DOT ? radius : 0;
}

/** Width and strength of roads for each level of prominence, in turn; `RoadPen` of the window. */
export function roadPens(spacing) {
  const far = Math.max(spacing, 1e-9) / FAR_SPACING;
  const near = within([0, 1], Math.log(far) / Math.log(NEAR_SPACING / FAR_SPACING));
  const between = (atFar, atNear) => atFar + (atNear - atFar) * near;
  const [thin, wide] = [0, 1].map(end => between(ROAD_WIDTHS[0][end], ROAD_WIDTHS[1][end]));
  const [faint, strong] = [0, 1].map(end =>
    between(ROAD_STRENGTHS[0][end], ROAD_STRENGTHS[1][end]),
  );
  const pens = new Float32Array(2 * LEVELS);
  for (let level = 0; level < LEVELS; level++) {
    const share = (level / (LEVELS - 1)) ** between(...ROAD_POWERS);
    pens[2 * level] = thin + (wide - thin) * share;
    pens[2 * level + 1] = faint * (strong / faint) ** share;
  }
  return pens;
}

/** Radius of a vertex without a size of its own; 0 if too small to be seen. */
function plainDot(spacing) {
  const [least, most] = DOT_RANGE;
  const dot = Math.min(most, DOT_SHARE * spacing);
  return dot >= least ? dot : 0;
}
