// Graph and runs as the page has them, and the state of a run after a step.

import { NEVER } from "./draw.js";
import { number } from "./figure.js";

export const $ = id => document.getElementById(id);

export function make(tag, text = "", kind = "") {
  const element = document.createElement(tag);
  element.textContent = text;
  if (kind) {
    element.className = kind;
  }
  return element;
}

const METRES = { km: 1000, m: 1, dm: 0.1, cm: 0.01, mm: 0.001 };

/** Graph and runs, and what is derived from them. */
export class Model {
  constructor({ about, arrays }) {
    (this.about = about), (this.arrays = arrays);
    if (about.scene && !about.scene.matrix) {
      this.place();
    }
    this.runs = about.runs.map((run, i) => this.unpackRun(run, i));
    if (arrays.arcTails) {
      this.readArcs();
    }
  }

  place() {
    const { arrays, about } = this;
    const grid = about.scene.grid;
    const n = about.n;
    const far = v => arrays.x[v] > 2 * grid;
    arrays.px = Float64Array.from(arrays.x, (x, v) => (far(v) ? NaN : x / grid));
    arrays.py = Float64Array.from(arrays.y, (y, v) => (far(v) ? NaN : y / grid));
    arrays.heads = arrays.heads.map((step, e) => arrays.tails[e] + step);
    const segments = (arrays.segments = new Float32Array(4 * arrays.tails.length));
    for (let e = 0; e < arrays.tails.length; e++) {
      const a = arrays.tails[e];
      const b = arrays.heads[e];
      if (about.scene.curved) {
        segments.set(
          [
            arrays.x0[e],
            arrays.y0[e],
            arrays.x0[e] + arrays.dx[e],
            arrays.y0[e] + arrays.dy[e],
          ].map(x => x / grid),
          4 * e,
        );
      } else {
        segments.set([arrays.px[a], arrays.py[a], arrays.px[b], arrays.py[b]], 4 * e);
      }
    }
    if (arrays.roadHeads) {
      arrays.roadHeads = arrays.roadHeads.map((step, e) => arrays.roadTails[e] + step);
    }
    if (arrays.distances) {
      arrays.distances = arrays.distances.map(d => (d === -1 ? Infinity : d));
    }
    if (arrays.before) {
      arrays.before = arrays.before.map((step, v) => (step ? v + step : -1));
    }
    const known = arrays.distances ? arrays.distances.filter(Number.isFinite) : [];
    this.low = known.reduce((a, b) => Math.min(a, b), Infinity);
    this.high = known.reduce((a, b) => Math.max(a, b), -Infinity);
    this.cells = new Map(); // vertices by place, for clicks: a square of a grid of about two vertices each
    this.side = Math.max(1, Math.floor(Math.sqrt(n / 2)));
    for (let v = 0; v < n; v++) {
      const cell = this.cell(arrays.px[v], arrays.py[v]);
      if (this.cells.has(cell)) {
        this.cells.get(cell).push(v);
      } else {
        this.cells.set(cell, [v]);
      }
    }
  }

  cell(x, y) {
    return Math.floor((x + 0.5) * this.side) * 1e6 + Math.floor((y + 0.5) * this.side);
  }

  unpackRun(run, i) {
    const got = name => this.arrays[`${i}.${name}`];
    const n = this.about.n;
    if (!this.about.scene) {
      return run;
    }
    if (this.about.scene.matrix) {
      return this.unpackMatrix(run, i, got);
    }
    const shade = new Uint8Array(n);
    const { distances } = this.arrays;
    let first = null;
    if (run.trace) {
      const offsets = new Float64Array(got("sizes").length + 1);
      const vertices = Int32Array.from(got("frontiers"));
      got("sizes").forEach((size, k) => (offsets[k + 1] = offsets[k] + size));
      for (let k = 0; k + 1 < offsets.length; k++) {
        for (let j = offsets[k] + 1; j < offsets[k + 1]; j++) {
          vertices[j] += vertices[j - 1];
        }
      }
      Object.assign(run, {
        offsets,
        vertices,
        positions: got("positions"),
        ms: got("ms"),
        tentative: got("tentative"),
      });
      for (const name of ["active", "relaxed", "improved"]) {
        run[name] = got(name);
      }
      if (run.tentative) {
        run.tentative = run.tentative.map(d => (d === -1 ? Infinity : d));
      }
      first = new Int32Array(n).fill(-1);
      if (got("first")) {
        first.set(got("first"));
      } else {
        for (let k = run.positions.length - 1; k >= 0; k--) {
          for (let j = offsets[k]; j < offsets[k + 1]; j++) {
            first[vertices[j]] = run.positions[k];
          }
        }
      }
      run.first = first;
      this.time(run);
    }
    const last = run.trace ? run.positions[run.positions.length - 1] : 0;
    const some = distances || first;
    const reveal = some ? new Int32Array(n).fill(NEVER) : null;
    const spread = this.high > this.low ? 255 / (this.high - this.low) : 0;
    for (let v = 0; v < n && some; v++) {
      if (distances && Number.isFinite(distances[v])) {
        shade[v] = Math.floor((distances[v] - this.low) * spread);
        reveal[v] = first ? (first[v] >= 0 ? first[v] : last) : 0;
      } else if (first && first[v] >= 0) {
        reveal[v] = first[v];
        if (!distances) {
          shade[v] = Math.floor((first[v] * 255) / Math.max(1, last));
        }
      }
    }
    return Object.assign(run, { reveal, shade, length: run.trace ? last + 1 : 1 });
  }

  /** When each step ends: together as long as the timed runs, which did not record. */
  time(run) {
    let total = 0;
    run.ends = Float64Array.from(run.ms, ms => (total += ms));
    const scale = total && run.median ? run.median / total : 1;
    run.ends = run.ends.map(ms => ms * scale);
  }

  unpackMatrix(run, number, got) {
    const { low, high } = this.about.scene;
    (this.low = low), (this.high = high), (run.number = number), (run.length = 1);
    if (!run.trace) {
      return run;
    }
    for (const name of [
      "shades",
      "images",
      "positions",
      "tiles",
      "phases",
      "active",
      "relaxed",
      "ms",
    ]) {
      run[name] = got(name);
    }
    run.tileOffsets = new Float64Array(run.positions.length + 1);
    got("tileCounts").forEach(
      (count, k) => (run.tileOffsets[k + 1] = run.tileOffsets[k] + 4 * count),
    );
    run.length = run.positions[run.positions.length - 1] + 1;
    this.time(run);
    return run;
  }

  /** The last kept step up to a recorded iteration; -1 before the first. */
  stepAt(run, position) {
    let low = 0;
    let high = run.positions.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (run.positions[middle] <= position) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  frontier(run, step) {
    return step < 0
      ? new Int32Array()
      : run.vertices.subarray(run.offsets[step], run.offsets[step + 1]);
  }

  /** Frontiers of the steps before, oldest first, with their freshness; `Activity.trail` of the window. */
  trail(run, step) {
    const found = [];
    const share = Math.floor(run.trace.length / (60 * run.trace.gathered));
    const length = Math.min(24, Math.max(4, share));
    for (let age = 1, room = 150000; age <= length && step - age >= 0; age++) {
      const one = this.frontier(run, step - age);
      if ((room -= one.length) < 0) {
        break;
      }
      found.push([one, 1 - age / (length + 1)]);
    }
    return found.reverse();
  }

  readArcs() {
    const { arcTails: tails, arcHeads: heads, arcWeights: weights } = this.arrays;
    this.least = new Map();
    for (let i = 0; i < tails.length; i++) {
      const key = tails[i] * this.about.n + heads[i];
      const known = this.least.get(key);
      if (known === undefined || weights[i] < weights[known]) {
        this.least.set(key, i);
      }
    }
    this.opposite = i => this.least.get(heads[i] * this.about.n + tails[i]);
  }

  drawn(i) {
    const { arcTails: tails, arcHeads: heads, arcWeights: weights } = this.arrays;
    const back = this.opposite(i);
    if (this.least.get(tails[i] * this.about.n + heads[i]) !== i) {
      return false;
    }
    return back === undefined || weights[back] !== weights[i] || tails[i] <= heads[i];
  }

  oneWay(i) {
    const back = this.opposite(i);
    return back === undefined || this.arrays.arcWeights[back] !== this.arrays.arcWeights[i];
  }

  bent(tail, head) {
    const n = this.about.n;
    const there = this.least.get(tail * n + head);
    const back = this.least.get(head * n + tail);
    return (
      there !== undefined &&
      back !== undefined &&
      this.arrays.arcWeights[there] !== this.arrays.arcWeights[back]
    );
  }

  id(v) {
    return this.about.labels
      ? this.about.labels[v]
      : number(this.arrays.ids[v]).replaceAll("\u202f", "");
  }

  distance(v) {
    const d = this.arrays.distances ? this.arrays.distances[v] : NaN;
    return Number.isNaN(d) ? "not known" : Number.isFinite(d) ? this.measure(d) : "unreachable";
  }

  /** A length in m or km, a time in hours and minutes, else the number; `distance_text` of the window. */
  measure(d) {
    const { unit, unitFactor } = this.about;
    const value = d * unitFactor;
    const metres = value * METRES[unit];
    if (unit in METRES) {
      return Math.abs(metres) < 1000
        ? `${number(Number(metres.toPrecision(3)))} m`
        : `${number(Number((metres / 1000).toPrecision(3)))} km`;
    }
    if (unit !== "s" || Math.abs(value) < 60) {
      return `${number(Number(value.toPrecision(unit === "s" ? 3 : 7)))} ${unit}`.trim();
    }
    const whole = value < 3600 ? Math.round(value) : Math.round(value / 60);
    const [high, low] = value < 3600 ? ["min", "s"] : ["h", "min"];
    return `${number(Math.floor(whole / 60))} ${high}${whole % 60 ? ` ${whole % 60} ${low}` : ""}`;
  }

  /** The vertices from the source to another one; empty if it is not reached or no run kept the way. */
  wayTo(v) {
    const { before, distances, path } = this.arrays;
    if (v === this.about.target && path) {
      return [...path];
    }
    if (!before || !distances || !Number.isFinite(distances[v])) {
      return [];
    }
    const way = [v];
    while (before[way[0]] >= 0 && way.length <= this.about.n) {
      way.unshift(before[way[0]]);
    }
    return way;
  }

  shownPath(state) {
    if (this.picked !== null && this.picked !== undefined) {
      return state.atEnd || !state.values ? this.wayTo(this.picked) : [];
    }
    if (this.about.target === null) {
      return [];
    }
    return state.atEnd || (this.runs.length === 1 && !state.values)
      ? this.wayTo(this.about.target)
      : [];
  }

  polylines(path) {
    const { px, py, roadTails, roadHeads, segments } = this.arrays;
    if (!roadTails) {
      return [path.map(v => [px[v], py[v]])];
    }
    const steps = new Set();
    const found = [];
    const key = (a, b) => Math.min(a, b) * this.about.n + Math.max(a, b);
    for (let i = 1; i < path.length; i++) {
      steps.add(key(path[i - 1], path[i]));
    }
    for (let e = 0; e < roadTails.length; e++) {
      if (steps.has(key(roadTails[e], roadHeads[e]))) {
        found.push([
          [segments[4 * e], segments[4 * e + 1]],
          [segments[4 * e + 2], segments[4 * e + 3]],
        ]);
      }
    }
    return found;
  }

  nearest(x, y, within) {
    let best = null;
    let least = within;
    const ring = Math.max(1, Math.ceil(within * this.side));
    const cx = Math.floor((x + 0.5) * this.side);
    const cy = Math.floor((y + 0.5) * this.side);
    for (let i = cx - ring; i <= cx + ring; i++) {
      for (let j = cy - ring; j <= cy + ring; j++) {
        for (const v of this.cells.get(i * 1e6 + j) ?? []) {
          const far = Math.hypot(this.arrays.px[v] - x, this.arrays.py[v] - y);
          if (far < least) {
            (least = far), (best = v);
          }
        }
      }
    }
    return best;
  }
}

/** The state of a run after a step, for the figure of a small graph; as the window's lesson. */
export class State {
  constructor(model, run, step, tokens) {
    Object.assign(this, { model, run, step, tokens });
    this.atEnd = !run.trace || step >= run.positions.length - 1;
    this.active = new Set(run.trace ? model.frontier(run, step) : []);
    this.improved = new Set();
    const n = model.about.n;
    const at = k => run.tentative.subarray(k * n, (k + 1) * n);
    this.values = Boolean(run.tentative) && n <= 100;
    if (!this.values) {
      return;
    }
    const start = new Float64Array(n).fill(Infinity);
    for (const v of model.frontier(run, 0)) {
      start[v] = 0;
    }
    this.before = step > 0 ? at(step - 1) : start;
    this.after = step >= 0 ? at(step) : start;
    for (let v = 0; v < n; v++) {
      if (this.after[v] < this.before[v]) {
        this.improved.add(v);
      }
    }
    const { arcTails } = model.arrays;
    const own = arcTails.reduce((sum, tail) => sum + this.active.has(tail), 0);
    this.relaxesAll = step >= 0 && run.relaxed[step] === arcTails.length && own < arcTails.length;
    this.last = new Int32Array(n).fill(-1);
    run.offsets
      .slice(0, -1)
      .forEach((_, k) => model.frontier(run, k).forEach(v => (this.last[v] = k)));
    this.parents = this.findParents();
  }

  /** The arc that gives each vertex its tentative distance: the one with the least slack. */
  findParents() {
    const { arcTails, arcHeads, arcWeights } = this.model.arrays;
    const parents = new Map();
    for (let i = 0; i < arcTails.length; i++) {
      const way = this.after[arcTails[i]] + arcWeights[i];
      const slack = this.after[arcHeads[i]] - way;
      if (
        !Number.isFinite(slack) ||
        slack < -1e-5 * (1 + Math.abs(way)) ||
        arcTails[i] === arcHeads[i]
      ) {
        continue;
      }
      const known = parents.get(arcHeads[i]);
      if (!known || slack < known[1]) {
        parents.set(arcHeads[i], [i, slack]);
      }
    }
    for (const v of this.model.frontier(this.run, 0)) {
      parents.delete(v);
    }
    return parents;
  }

  vertex(v) {
    const t = this.tokens;
    if (this.active.has(v)) {
      return [t.frontier, this.values ? t.text : t.edge_dense, this.values ? 2.2 : 1.4];
    }
    if (!this.values) {
      const { run } = this;
      const position = run.trace ? run.positions[Math.max(0, this.step)] : 0;
      const seen = run.reveal && run.reveal[v] <= position && this.step >= 0;
      return [seen ? hex(this.model.look.ramp[run.shade[v]]) : t.panel, t.edge_dense, 1.4];
    }
    if (!Number.isFinite(this.after[v])) {
      return [t.panel, t.edge, 1.6];
    }
    return this.last[v] >= 0 && this.last[v] < this.step
      ? [t.edge_dense, t.edge_dense, 1.6]
      : [t.selection, t.frontier, 1.6];
  }

  arc(i) {
    const { arcTails, arcHeads } = this.model.arrays;
    if (!this.values) {
      return "idle";
    }
    const parent = this.parents.get(arcHeads[i]);
    const back = this.model.opposite(i);
    if (parent && parent[0] === i) {
      return this.improved.has(arcHeads[i]) ? "improved" : "tree";
    }
    if (back !== undefined && !this.model.oneWay(i)) {
      // one line stands for both
      const other = this.parents.get(arcTails[i]);
      if (other && other[0] === back) {
        return this.improved.has(arcTails[i]) ? "improved" : "tree";
      }
      if (this.active.has(arcHeads[i])) {
        return "relaxed";
      }
    }
    const relaxed =
      this.active.has(arcTails[i]) ||
      (this.relaxesAll && Number.isFinite(this.before[arcTails[i]]));
    return relaxed ? "relaxed" : "idle";
  }

  value(v) {
    return this.values ? number(this.after[v] * this.model.about.unitFactor) : null;
  }
}

export function hex(argb) {
  return `#${(argb & 0xffffff).toString(16).padStart(6, "0")}`;
}
