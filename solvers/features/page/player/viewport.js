// Panes and views: where runs stand on the page, and which part of the graph is seen.
//
// A view looks at (x, y) of the graph with `scale` pixels a unit; `width` and `height` are those
// of a pane, in logical pixels.

import { MOST_SCALE } from "./rules.js";
import { within } from "./sizes.js";

const SCALES = [20, MOST_SCALE];
const LEAST_PANE = 240; // pixels of one beside others

/** The panes of some runs: side by side, or below one another where there is little room. */
export function paneLayout(count, width, height) {
  const columns = paneColumns(count, width, height);
  const rows = Math.ceil(count / columns);
  const pane = { width: Math.floor(width / columns), height: Math.floor(height / rows) };
  return Array.from({ length: count }, (_, place) => {
    const row = Math.floor(place / columns);
    return { left: (place % columns) * pane.width, top: row * pane.height, ...pane, row };
  });
}

/** The pane at a point; the first if none is there. */
export function paneAt(panes, [x, y]) {
  return panes.find(pane => contains(pane, [x, y])) ?? panes[0];
}

/** Whether a point is in a pane. */
export function contains({ left, top, width, height }, [x, y]) {
  return x >= left && x < left + width && y >= top && y < top + height;
}

/** The view that shows bounds in a pane, with so many pixels free at its sides. */
export function fittedView([x0, y0, x1, y1], pane, { side, top, bottom }) {
  const across = x1 > x0 ? (pane.width - 2 * side) / (x1 - x0) : Number.POSITIVE_INFINITY;
  const down = y1 > y0 ? (pane.height - top - bottom) / (y1 - y0) : Number.POSITIVE_INFINITY;
  const scale = within(SCALES, Math.min(across, down));
  return {
    x: (x0 + x1) / 2,
    y: (y0 + y1) / 2 + (bottom - top) / 2 / scale,
    scale,
    width: pane.width,
    height: pane.height,
  };
}

/** The graph's coordinates of a point of a pane. */
export function worldAt(view, [x, y]) {
  return [view.x + (x - view.width / 2) / view.scale, view.y + (y - view.height / 2) / view.scale];
}

/** The view after its picture was dragged by some pixels. */
export function pannedView(view, dx, dy) {
  return { ...view, x: view.x - dx / view.scale, y: view.y - dy / view.scale };
}

/** The view enlarged by a factor; what is at a point of the pane stays there. */
export function zoomedView(view, factor, point) {
  const scale = within(SCALES, view.scale * factor);
  const [x, y] = worldAt(view, point);
  const share = view.scale / scale;
  return { ...view, scale, x: x + (view.x - x) * share, y: y + (view.y - y) * share };
}

/** Number of panes side by side. */
function paneColumns(count, width, height) {
  if (count === 4) {
    return 2;
  }
  if (width / count >= LEAST_PANE && width > height) {
    return count;
  }
  return count <= 2 ? 1 : 2;
}
