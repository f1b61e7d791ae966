// Charts of the page: the times of all trials, and the frontiers behind the scrub bar.

import { $, make, shape } from "./dom.js";
import { milliseconds, ticks } from "./numbers.js";

const LOGARITHMIC_FROM = 20; // times the least trial that the longest takes
const ROW = 46; // pixels of a run's trials
const WIDTHS = [300, 900]; // pixels of the chart of times
const AXIS = { left: 6, right: 28, below: 18 }; // pixels around the chart of times, for its labels
const LOW_SHARE = 0.8; // where a logarithmic axis begins, of the least trial
const MOST_TITLE = 44; // letters
const WAVES = { width: 1000, height: 30, view: 44, bars: 250, head: 3 }; // units of the drawing

/** The chart of times in the element "times": median, its interval and every trial of each run. */
export function showTimes(runs, colours, tokens) {
  const box = $("times");
  const times = runs.flatMap(run => run.times);
  box.replaceChildren(make("h2", "Time of a run"));
  if (!times.length) {
    box.append(make("p", "No timed trials.", "muted"));
    return;
  }
  const width = Math.max(WIDTHS[0], Math.min(WIDTHS[1], box.clientWidth - 30));
  const height = runs.length * ROW + 22;
  const axis = timeAxis(times, width);
  const svg = shape("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width: "100%",
    role: "img",
    "aria-label": "Times of all trials; the table has the medians",
  });
  for (const ms of axis.ticks) {
    svg.append(vertical(axis.x(ms), 4, height - AXIS.below, { stroke: tokens.grid }));
    const place = { x: axis.x(ms), y: height - 4, "text-anchor": "middle" };
    svg.append(shape("text", place, milliseconds(ms)));
  }
  for (const [row, run] of runs.entries()) {
    svg.append(...timeRow(run, row * ROW + 32, axis.x, colours[row]));
  }
  box.append(svg);
}

/** Places of times on the axis, which is logarithmic where they are far apart, and its marks. */
export function timeAxis(times, width) {
  const [low, high] = [Math.min(...times), Math.max(...times)];
  const isLogarithmic = high > LOGARITHMIC_FROM * low;
  const start = isLogarithmic ? LOW_SHARE * low : 0;
  const share = ms => (isLogarithmic ? Math.log(ms / start) / Math.log(high / start) : ms / high);
  return {
    x: ms => AXIS.left + (width - AXIS.left - AXIS.right) * share(ms),
    ticks: ticks(start, high, isLogarithmic),
  };
}

/** Title, dots, interval and median of a run. */
function timeRow(run, y, x, colour) {
  const isLong = run.title.length > MOST_TITLE;
  const title = isLong ? `${run.title.slice(0, MOST_TITLE - 1)}…` : run.title;
  const marks = [shape("text", { x: AXIS.left, y: y - 16 }, title)];
  for (const ms of run.times) {
    const dot = shape("circle", { cx: x(ms), cy: y, r: 3.5, fill: colour, "fill-opacity": 0.45 });
    dot.append(shape("title", {}, milliseconds(ms)));
    marks.push(dot);
  }
  const pen = { stroke: colour, "stroke-width": 3 };
  if (run.median === null) {
    return marks;
  }
  if (run.interval) {
    const [from, to] = run.interval;
    marks.push(shape("line", { x1: x(from), x2: x(to), y1: y, y2: y, ...pen }));
  }
  const median = vertical(x(run.median), y - 9, y + 9, pen);
  const doubt = run.doubt ? `, ${run.doubt}` : "";
  median.append(shape("title", {}, `median ${run.medianText}${doubt}`));
  return [...marks, median];
}

/** Sizes of all frontiers in the element "waves"; returns the line that marks the moment. */
export function showWaves(runs, timeline, colourOf, tokens) {
  const { width, height, view, bars, head } = WAVES;
  const svg = $("waves");
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${view}`);
  svg.setAttribute("preserveAspectRatio", "none");
  const thin = { "stroke-width": 1, "vector-effect": "non-scaling-stroke" };
  for (const run of runs) {
    const heights = waveHeights(run, timeline, bars);
    const x = bar => (bar * width) / bars;
    const tops = heights.map((share, bar) => `${x(bar)},${height - (height - head) * share}`);
    const points = `0,${height} ${tops.join(" ")} ${x(heights.length - 1)},${height}`;
    const colour = colourOf(run);
    const opacity = runs.length === 1 ? 0.28 : 0.14;
    const fill = { fill: colour, "fill-opacity": opacity, stroke: colour };
    svg.append(shape("polygon", { points, ...fill, ...thin }));
  }
  const marker = vertical(0, 0, height, { stroke: tokens.text, ...thin });
  svg.append(marker);
  return marker;
}

/** Move the marker of the moment to a share of the bar. */
export function moveMarker(marker, share) {
  marker.setAttribute("x1", WAVES.width * share);
  marker.setAttribute("x2", WAVES.width * share);
}

/** The greatest frontier at each place of the bar, up to the end of a run, as shares of all. */
export function waveHeights(run, timeline, bars) {
  const times = timeline.timesOf(run);
  const barOf = time => Math.max(0, Math.min(bars, Math.round(bars * timeline.share(time))));
  const greatest = run.active.reduce((a, b) => Math.max(a, b), 1);
  const heights = new Array(barOf(times[times.length - 1]) + 1).fill(0);
  for (const [step, count] of run.active.entries()) {
    const bar = barOf(times[step]);
    heights[bar] = Math.max(heights[bar], count / greatest);
  }
  for (let bar = 1; bar < heights.length; bar++) {
    heights[bar] ||= heights[bar - 1]; // of a step that lasts
  }
  return heights;
}

/** An upright line. */
function vertical(x, top, bottom, pen) {
  return shape("line", { x1: x, x2: x, y1: top, y2: bottom, ...pen });
}
