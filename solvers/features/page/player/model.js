// Graph and runs as the page has them, and what is derived from them.

import { between, MarkTable } from "./mark_table.js";
import { TILE } from "./matrix_picture.js";
import { quantity } from "./numbers.js";
import { NEVER, TRAIL_RANGE, TRAIL_SHARE, TRAIL_VERTICES } from "./rules.js";
import { within } from "./sizes.js";

const CELL_ROW = 1e6; // more than there are cells in a row of the grid of vertices
// of a run with a trace: in a graph, and of all pairs
const RUN_ARRAYS = [
  "positions",
  "ms",
  "active",
  "relaxed",
  "tentative",
  "vertexStates",
  "arcStates",
  "shades",
  "images",
  "tiles",
  "matrices",
  "beforeLast",
];

/** Graph and runs. */
export class Model {
  constructor({ about, arrays }) {
    this.about = about;
    this.arrays = arrays;
    this.picked = null; // a vertex
    if (about.scene && !about.scene.matrix) {
      this.placeVertices();
      this.placeSegments();
      this.readAnswer();
      this.sortIntoCells();
    }
    this.runs = about.runs.map((run, place) => this.unpackRun(run, place));
    this.readMarks();
    this.graph = about.scene?.graph ? this.readGraph() : null;
  }

  /** The model of the graph beside matrices, which has the same runs. */
  readGraph() {
    const graph = Object.create(this);
    graph.about = { ...this.about, scene: this.about.scene.graph };
    graph.placeVertices();
    return graph;
  }

  // -- reading --------------------------------------------------------------------------------

  /** World coordinates of vertices; NaN for one without a place. */
  placeVertices() {
    const { arrays } = this;
    const { grid } = this.about.scene;
    const isPlaced = vertex => arrays.x[vertex] <= 2 * grid;
    const onGrid = (coordinate, vertex) => (isPlaced(vertex) ? coordinate / grid : Number.NaN);
    arrays.px = Float64Array.from(arrays.x, onGrid);
    arrays.py = Float64Array.from(arrays.y, onGrid);
  }

  /** The ends of each drawn segment: of a curved road, or of an edge. */
  placeSegments() {
    const { arrays } = this;
    const { grid, curved } = this.about.scene;
    const { px, py, tails } = arrays;
    const heads = arrays.heads.map((step, segment) => tails[segment] + step);
    const segments = new Float32Array(4 * tails.length);
    for (let i = 0; i < tails.length; i++) {
      if (curved) {
        const x = arrays.x0[i];
        const y = arrays.y0[i];
        const ends = [x, y, x + arrays.dx[i], y + arrays.dy[i]];
        segments.set(
          ends.map(coordinate => coordinate / grid),
          4 * i,
        );
      } else {
        segments.set([px[tails[i]], py[tails[i]], px[heads[i]], py[heads[i]]], 4 * i);
      }
    }
    arrays.heads = heads;
    arrays.segments = segments;
    if (arrays.roadHeads) {
      arrays.roadHeads = arrays.roadHeads.map((step, road) => arrays.roadTails[road] + step);
    }
  }

  /** Predecessors, for which 0 stood for none, and the range of distances. */
  readAnswer() {
    const { arrays } = this;
    if (arrays.before) {
      arrays.before = arrays.before.map((step, vertex) => (step ? vertex + step : -1));
    }
    const known = arrays.distances ? arrays.distances.filter(Number.isFinite) : [];
    this.low = known.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    this.high = known.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  }

  /** Vertices by place, for clicks: a square of a grid for about two vertices each. */
  sortIntoCells() {
    const { px, py } = this.arrays;
    this.cells = new Map();
    this.side = Math.max(1, Math.floor(Math.sqrt(this.about.n / 2)));
    for (let vertex = 0; vertex < this.about.n; vertex++) {
      const cell = this.cellOf(this.cellPlace(px[vertex]), this.cellPlace(py[vertex]));
      if (this.cells.has(cell)) {
        this.cells.get(cell).push(vertex);
      } else {
        this.cells.set(cell, [vertex]);
      }
    }
  }

  /** Column or row of a coordinate. */
  cellPlace(coordinate) {
    return Math.floor((coordinate + 0.5) * this.side);
  }

  /** The number of a square. */
  cellOf(column, row) {
    return column * CELL_ROW + row;
  }

  /** A run with its arrays, as pages of graphs, of matrices and without a picture have it. */
  unpackRun(run, place) {
    run.number = place;
    const arrayOf = name => this.arrays[`${place}.${name}`];
    for (const name of RUN_ARRAYS) {
      run[name] = arrayOf(name);
    }
    const { scene } = this.about;
    if (!scene) {
      return run;
    }
    if (scene.matrix) {
      return this.unpackMatrix(run, place, arrayOf);
    }
    if (run.trace) {
      this.unpackTrace(run, arrayOf);
    }
    return Object.assign(run, this.shading(run));
  }

  /** The frontiers of a run and its counts, and in which iteration each vertex is first active. */
  unpackTrace(run, arrayOf) {
    const sizes = arrayOf("sizes");
    run.offsets = cumulative(sizes, 1);
    run.vertices = Int32Array.from(arrayOf("frontiers"));
    for (let step = 0; step < sizes.length; step++) {
      for (let i = run.offsets[step] + 1; i < run.offsets[step + 1]; i++) {
        run.vertices[i] += run.vertices[i - 1];
      }
    }
    run.first = new Int32Array(this.about.n).fill(-1);
    if (arrayOf("first")) {
      run.first.set(arrayOf("first"));
    } else {
      for (let step = sizes.length - 1; step >= 0; step--) {
        for (const vertex of this.frontier(run, step)) {
          run.first[vertex] = run.positions[step];
        }
      }
    }
    run.ends = endTimes(run);
  }

  /** Shade of each vertex of a run, and from which iteration on it counts as visited. */
  shading({ trace, first, positions }) {
    const { n } = this.about;
    const { distances } = this.arrays;
    const shade = new Uint8Array(n);
    const last = trace ? positions[positions.length - 1] : 0;
    const length = trace ? last + 1 : 1;
    if (!distances && !first) {
      return { reveal: null, shade, length };
    }
    const reveal = new Int32Array(n).fill(NEVER);
    const perUnit = this.high > this.low ? 255 / (this.high - this.low) : 0;
    for (let vertex = 0; vertex < n; vertex++) {
      const isActive = Boolean(first) && first[vertex] >= 0;
      if (distances && Number.isFinite(distances[vertex])) {
        shade[vertex] = Math.floor((distances[vertex] - this.low) * perUnit);
        reveal[vertex] = isActive ? first[vertex] : last;
      } else if (isActive) {
        reveal[vertex] = first[vertex];
        shade[vertex] = distances ? 0 : Math.floor((first[vertex] * 255) / Math.max(1, last));
      }
    }
    return { reveal, shade, length };
  }

  /** A run of all pairs, with the shades and tiles of its phases. */
  unpackMatrix(run, place, arrayOf) {
    this.low = this.about.scene.low;
    this.high = this.about.scene.high;
    run.length = 1;
    if (!run.trace) {
      return run;
    }
    if (run.trace.lesson) {
      run.cellMarks = new MarkTable(run.trace.lesson.cells, this.arrays, `${place}.cells`);
    }
    run.tileOffsets = cumulative(arrayOf("tileCounts"), TILE);
    run.length = run.positions[run.positions.length - 1] + 1;
    run.ends = endTimes(run);
    return run;
  }

  /** The marks of the display list, and the words of tentative distances. */
  readMarks() {
    const { marks } = this.about;
    this.marks = marks;
    if (marks) {
      this.anyMarks = new MarkTable(marks.any, this.arrays, "any");
    }
    if (marks?.close) {
      this.closeMarks = new MarkTable(marks.close, this.arrays, "close");
    }
    const { words, widths, scene } = this.about;
    const told = (value, i) => [
      value,
      { text: words[i], width: widths[i], shade: scene?.shades?.[i] },
    ];
    this.chipWords = new Map(Array.from(this.arrays.words, told));
  }

  // -- steps of a run -------------------------------------------------------------------------

  /** The vertices that are active in a step; none before the first. */
  frontier(run, step) {
    return step < 0
      ? new Int32Array()
      : run.vertices.subarray(run.offsets[step], run.offsets[step + 1]);
  }

  /** Frontiers of the steps before, oldest first, with their freshness; as the window's trail. */
  trail(run, step) {
    const share = Math.floor(run.trace.length / (TRAIL_SHARE * run.trace.gathered));
    const length = within(TRAIL_RANGE, share);
    const found = [];
    let room = TRAIL_VERTICES;
    for (let age = 1; age <= length && step >= age; age++) {
      const frontier = this.frontier(run, step - age);
      room -= frontier.length;
      if (room < 0) {
        break;
      }
      found.push([frontier, 1 - age / (length + 1)]);
    }
    return found.reverse();
  }

  // -- marks ----------------------------------------------------------------------------------

  /** A place in the graph: at a vertex, or so far along the line to another, and across. */
  placeBetween([start, end = start], place) {
    const { px, py } = this.arrays;
    return between([px[start], py[start]], [px[end], py[end]], place);
  }

  /** The part of the chip of a distance that takes the place of another, and its words. */
  chip(before, after) {
    const isGained = after < before;
    const now = this.chipWords.get(after);
    const former = isGained && Number.isFinite(before) ? this.chipWords.get(before) : undefined;
    const key = `${now?.width},${former?.width ?? 0},${Number(isGained)}`;
    return { key, text: former ? [former.text, now.text] : [now?.text] };
  }

  // -- words ----------------------------------------------------------------------------------

  /** A vertex as the file names it. */
  id(vertex) {
    const { labels } = this.about;
    return labels ? labels[vertex] : String(this.arrays.ids[vertex]);
  }

  /** The distance of a vertex in words. */
  distance(vertex) {
    const { distances } = this.arrays;
    if (!distances || Number.isNaN(distances[vertex])) {
      return "not known";
    }
    return Number.isFinite(distances[vertex]) ? this.measure(distances[vertex]) : "unreachable";
  }

  /** A distance in its unit. */
  measure(distance) {
    return quantity(distance * this.about.unitFactor, this.about.unit);
  }

  // -- paths and places -----------------------------------------------------------------------

  /** The vertices from the source to another one; none if it is not reached, or not known how. */
  pathTo(vertex) {
    const { before, distances, path } = this.arrays;
    if (vertex === this.about.target && path) {
      return [...path];
    }
    if (!before || !distances || !Number.isFinite(distances[vertex])) {
      return [];
    }
    const found = [vertex];
    while (before[found[found.length - 1]] >= 0 && found.length <= this.about.n) {
      found.push(before[found[found.length - 1]]);
    }
    return found.reverse();
  }

  /** The path that is drawn with the state of a run: to the picked vertex, else to the target. */
  shownPath(state) {
    const { target } = this.about;
    const end = this.picked ?? target;
    return state.isAtEnd && end !== null ? this.pathTo(end) : [];
  }

  /** The lines of a path in world coordinates, along the curves of its roads. */
  polylines(path) {
    const { px, py, roadTails, roadHeads, segments } = this.arrays;
    if (!roadTails) {
      return [path.map(vertex => [px[vertex], py[vertex]])];
    }
    const either = (a, b) => Math.min(a, b) * this.about.n + Math.max(a, b);
    const steps = new Set(path.slice(1).map((vertex, place) => either(path[place], vertex)));
    const found = [];
    for (let i = 0; i < roadTails.length; i++) {
      if (steps.has(either(roadTails[i], roadHeads[i]))) {
        const [x0, y0, x1, y1] = segments.subarray(4 * i, 4 * i + 4);
        found.push([
          [x0, y0],
          [x1, y1],
        ]);
      }
    }
    return found;
  }

  /** The vertex nearest to a place, not farther than `limit`; null if there is none. */
  nearest(x, y, limit) {
    const { px, py } = this.arrays;
    const ring = Math.max(1, Math.ceil(limit * this.side));
    const [column, row] = [this.cellPlace(x), this.cellPlace(y)];
    let best = null;
    let least = limit;
    for (let i = column - ring; i <= column + ring; i++) {
      for (let j = row - ring; j <= row + ring; j++) {
        for (const vertex of this.cells.get(this.cellOf(i, j)) ?? []) {
          const away = Math.hypot(px[vertex] - x, py[vertex] - y);
          if (away < least) {
            least = away;
            best = vertex;
          }
        }
      }
    }
    return best;
  }
}

/** The last of ascending positions that is at most `position`; -1 if all are greater. */
export function lastUpTo(positions, position) {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (positions[middle] <= position) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - 1;
}

/** Where each of several runs of values begins, `factor` values for each counted one. */
function cumulative(counts, factor) {
  const offsets = new Float64Array(counts.length + 1);
  for (const [place, count] of counts.entries()) {
    offsets[place + 1] = offsets[place] + factor * count;
  }
  return offsets;
}

/** When each step ends: together as long as the timed runs, which did not record. */
function endTimes({ ms, median }) {
  const ends = cumulative(ms, 1).subarray(1);
  const total = ends[ends.length - 1];
  const scale = total && median ? median / total : 1;
  return ends.map(time => time * scale);
}
