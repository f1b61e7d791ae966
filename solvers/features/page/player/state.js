// The state of a run after a step, by which marks of a small graph are chosen.

import { hex } from "./colours.js";

// of vertices and arcs of a run without tentative distances
const BARE = 0;
const VISITED = 1;
const AT_WORK = 2;
const BARE_CODES = 32;
export const AT_HEAD = 16; // added to an arc's state where its head is at a vertex at work

/** What each vertex and arc of a graph is after a step of a run. */
export class State {
  constructor(model, run, step) {
    this.model = model;
    this.run = run;
    this.step = step;
    this.isAtEnd = !run.trace || step >= run.positions.length - 1;
    this.look = model.marks?.close?.names[run.number];
    this.isExplained = Boolean(run.vertexStates);
    this.active = new Set(run.trace ? model.frontier(run, step) : []);
    if (this.isExplained) {
      this.before = this.distancesAfter(step - 1);
      this.after = this.distancesAfter(step);
    }
  }

  /** Tentative distances after a step; before the first, only sources have one. */
  distancesAfter(step) {
    const { model, run } = this;
    const { n } = model.about;
    if (step >= 0) {
      return run.tentative.subarray(step * n, (step + 1) * n);
    }
    const start = new Float64Array(n).fill(Number.POSITIVE_INFINITY);
    for (const vertex of model.frontier(run, 0)) {
      start[vertex] = 0;
    }
    return start;
  }

  /** The number of a vertex' state. */
  vertex(vertex) {
    if (this.isExplained) {
      return this.run.vertexStates[(this.step + 1) * this.model.about.n + vertex];
    }
    if (this.active.has(vertex)) {
      return AT_WORK;
    }
    return this.isVisited(vertex) ? VISITED : BARE;
  }

  /** The number of an arc's state with its heads. */
  arc(arc) {
    const { drawn } = this.model.marks.close;
    if (this.isExplained) {
      return this.run.arcStates[(this.step + 1) * drawn.length + arc];
    }
    const [tail, head] = drawn[arc];
    const look = this.isVisited(tail) && this.isVisited(head) ? VISITED : BARE;
    return BARE_CODES + look + (this.active.has(head) ? AT_HEAD : 0);
  }

  /** Whether a vertex is visited. */
  isVisited(vertex) {
    const { run, step } = this;
    const position = run.trace ? run.positions[Math.max(0, step)] : 0;
    return Boolean(run.reveal) && step >= 0 && run.reveal[vertex] <= position;
  }

  /** The colour of a vertex by its distance. */
  shade(vertex) {
    return hex(this.model.look.ramp[this.run.shade[vertex]]);
  }

  /** The chip of a vertex' tentative distance. */
  chip(vertex) {
    return this.model.chip(this.before[vertex], this.after[vertex]);
  }
}
