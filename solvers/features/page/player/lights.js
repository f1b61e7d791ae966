// The lights of a frontier and of its trail, by the rules of the window: which spots, and where.

import { channels } from "./colours.js";
import {
  ADDING,
  AREA_FROM,
  AREA_OPACITY,
  CROWD,
  EMBER,
  FEW,
  FEW_POWER,
  HALO,
  HALO_OPACITY,
  HALO_UPTO,
  LINE_UPTO,
  MOST_RADIUS,
  SNAPPED_CROWDING,
  TRAIL_OPACITY,
  TRAIL_POWER,
  TRAIL_SIZE,
} from "./rules.js";

/**
 * The waves of a frontier and of those before it, oldest first; `waves_of` of the window.
 *
 * `trail` are pairs of vertices and freshness, `sizes` those of the view, and `ratio` pixels per
 * logical one. A wave has vertices that shine alike. Many spots are `snapped` to pixels.
 */
export function wavesOf(now, trail, sizes, ratio, tokens) {
  const count = trail.reduce((sum, [vertices]) => sum + vertices.length, now.length);
  const snapped = count > CROWD;
  const radius = footprint(sizes.frontier, count);
  const crowding = crowdingOf(sizes, snapped ? radius * ratio : Number.POSITIVE_INFINITY);
  const area = filling(now.length);
  const heat = 1 - EMBER * area;
  const waves = trail.map(([vertices, freshness]) => ({
    vertices,
    radius: radius * along(TRAIL_SIZE, freshness),
    opacity:
      along(TRAIL_OPACITY, freshness ** TRAIL_POWER) * spotOpacity(vertices.length, crowding),
    heat: 0,
    tint: tint(0, tokens),
    adding: ADDING,
    halo: false,
  }));
  const frontier = {
    vertices: now,
    radius,
    opacity: spotOpacity(now.length, crowding),
    heat,
    tint: tint(heat, tokens),
    adding: Math.round(ADDING * (1 - area)),
    halo: false,
  };
  if (now.length <= HALO_UPTO) {
    waves.push({ ...frontier, radius: radius * HALO, opacity: HALO_OPACITY, halo: true });
  }
  waves.push(frontier);
  return { waves, snapped };
}

/** Fill in the places of spots on the screen; where `snapped`, one a pixel, in its middle. */
export function placeSpots(waves, snapped, view, ratio, { px, py }) {
  const width = Math.round(view.width * ratio);
  const height = Math.round(view.height * ratio);
  const scale = view.scale * ratio;
  const reach = Math.ceil(Math.max(...waves.map(wave => wave.radius)) * ratio) + 1;
  const columns = width + 2 * reach;
  const marks = snapped ? new Uint8Array(columns * (height + 2 * reach)) : null;
  for (const [wave, { vertices }] of waves.entries()) {
    const places = new Float32Array(2 * vertices.length);
    let count = 0;
    for (const vertex of vertices) {
      let x = (px[vertex] - view.x) * scale + 0.5 * width;
      let y = (py[vertex] - view.y) * scale + 0.5 * height;
      if (!(x >= -reach && x < width + reach && y >= -reach && y < height + reach)) {
        continue;
      }
      if (marks) {
        const pixel = (Math.floor(y) + reach) * columns + Math.floor(x) + reach;
        if (marks[pixel] === wave + 1) {
          continue;
        }
        marks[pixel] = wave + 1;
        x = Math.floor(x) + 0.5;
        y = Math.floor(y) + 0.5;
      }
      places[2 * count] = x;
      places[2 * count + 1] = y;
      count += 1;
    }
    waves[wave].places = places.subarray(0, 2 * count);
  }
  return waves;
}

/** Radius of each spot: larger than `radius` where there are few, so that one is seen. */
function footprint(radius, count) {
  const large = MOST_RADIUS * (FEW / Math.max(1, count)) ** FEW_POWER;
  return Math.max(radius, Math.min(MOST_RADIUS, large));
}

/** Number of spots on a pixel where all vertices shine; `radius` is that of snapped ones. */
function crowdingOf({ spacing, frontier }, radius) {
  const spread = spacing ? Math.PI * (frontier / spacing) ** 2 : 1;
  return Math.min(spread, SNAPPED_CROWDING * Math.PI * radius ** 2);
}

/** How much a frontier is an area: 0 for a line, 1 for an area. */
function filling(count) {
  return Math.min(1, Math.log(Math.max(1, count / LINE_UPTO)) / Math.log(AREA_FROM / LINE_UPTO));
}

/** Opacity of a spot: 1 in a line; where all fill an area, `AREA_OPACITY` for all on a pixel. */
function spotOpacity(count, crowding) {
  const alone = 1 - (1 - AREA_OPACITY) ** (1 / Math.max(1, crowding));
  const filled = crowding >= 1 ? alone : 1 - (1 - alone) * crowding;
  return 1 - (1 - filled) * filling(count);
}

/** A value by its start and its growth. */
function along([start, growth], share) {
  return start + growth * share;
}

/** The colour between that of the trail and that of the frontier, channels in 0..1. */
function tint(heat, tokens) {
  const cool = channels(tokens.trail);
  return channels(tokens.frontier).map(
    (hot, channel) => Math.round(255 * (heat * hot + (1 - heat) * cool[channel])) / 255,
  );
}
