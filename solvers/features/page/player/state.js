// The state of a run after a step, for the figure of a small graph; as the window's lesson.

import { hex } from "./colours.js";
import { ACTIVE_OUTLINE, LESSON_OUTLINE, OUTLINE, SMALL_GRAPH, TOLERANCE } from "./rules.js";

/** Names of the states of arcs, the least important first, as `ArcState` has them. */
export const ARC_STATES = ["idle", "tree", "relaxed", "improved"];

/** What each vertex and arc of a graph is after a step of a run. */
export class State {
  constructor(model, run, step, tokens) {
    this.model = model;
    this.run = run;
    this.step = step;
    this.tokens = tokens;
    this.isAtEnd = !run.trace || step >= run.positions.length - 1;
    this.active = new Set(run.trace ? model.frontier(run, step) : []);
    this.improved = new Set();
    this.hasValues = Boolean(run.tentative) && model.about.n <= SMALL_GRAPH;
    if (this.hasValues) {
      this.compare();
      this.parents = this.findParents();
    }
  }

  /** Tentative distances before and after the step, and what they tell. */
  compare() {
    const { model, run, step } = this;
    const { n } = model.about;
    const { arcTails } = model.arrays;
    const valuesAfter = k => run.tentative.subarray(k * n, (k + 1) * n);
    const start = new Float64Array(n).fill(Number.POSITIVE_INFINITY);
    for (const vertex of model.frontier(run, 0)) {
      start[vertex] = 0;
    }
    this.before = step > 0 ? valuesAfter(step - 1) : start;
    this.after = step >= 0 ? valuesAfter(step) : start;
    for (let vertex = 0; vertex < n; vertex++) {
      if (this.after[vertex] < this.before[vertex]) {
        this.improved.add(vertex);
      }
    }
    const leaving = arcTails.filter(tail => this.active.has(tail)).length;
    this.relaxesAll =
      step >= 0 && run.relaxed[step] === arcTails.length && leaving < arcTails.length;
    this.lastActive = new Int32Array(n).fill(-1);
    for (let k = 0; k + 1 < run.offsets.length; k++) {
      for (const vertex of model.frontier(run, k)) {
        this.lastActive[vertex] = k;
      }
    }
  }

  /** The arc that gives each vertex its tentative distance: the one with the least slack. */
  findParents() {
    const { arcTails, arcHeads, arcWeights } = this.model.arrays;
    const parents = new Map();
    const slacks = new Map();
    for (let arc = 0; arc < arcTails.length; arc++) {
      const [tail, head] = [arcTails[arc], arcHeads[arc]];
      const offer = this.after[tail] + arcWeights[arc];
      const slack = this.after[head] - offer;
      const isPossible = Number.isFinite(slack) && slack >= -TOLERANCE * (1 + Math.abs(offer));
      if (isPossible && tail !== head && !(slack >= slacks.get(head))) {
        parents.set(head, arc);
        slacks.set(head, slack);
      }
    }
    for (const vertex of this.model.frontier(this.run, 0)) {
      parents.delete(vertex);
    }
    return parents;
  }

  /** Fill, outline and its width of a vertex. */
  vertex(vertex) {
    const { tokens } = this;
    const isActive = this.active.has(vertex);
    if (!this.hasValues) {
      const fill = isActive ? tokens.frontier : this.shadeOf(vertex);
      return [fill, tokens.edge_dense, OUTLINE];
    }
    if (isActive) {
      return [tokens.frontier, tokens.text, ACTIVE_OUTLINE];
    }
    if (!Number.isFinite(this.after[vertex])) {
      return [tokens.panel, tokens.edge, LESSON_OUTLINE];
    }
    const isDone = this.lastActive[vertex] >= 0 && this.lastActive[vertex] < this.step;
    return isDone
      ? [tokens.edge_dense, tokens.edge_dense, LESSON_OUTLINE]
      : [tokens.selection, tokens.frontier, LESSON_OUTLINE];
  }

  /** The colour of a vertex by its distance, once it is visited. */
  shadeOf(vertex) {
    const { run, step } = this;
    const position = run.trace ? run.positions[Math.max(0, step)] : 0;
    const isVisited = run.reveal && run.reveal[vertex] <= position && step >= 0;
    return isVisited ? hex(this.model.look.ramp[run.shade[vertex]]) : this.tokens.panel;
  }

  /** The state of an arc: one of `ARC_STATES`. */
  arc(arc) {
    if (!this.hasValues) {
      return "idle";
    }
    const { arcTails, arcHeads } = this.model.arrays;
    const [tail, head] = [arcTails[arc], arcHeads[arc]];
    if (this.parents.get(head) === arc) {
      return this.improved.has(head) ? "improved" : "tree";
    }
    const back = this.model.opposite(arc);
    if (back !== undefined && !this.model.isOneWay(arc)) {
      // one line stands for both
      if (this.parents.get(tail) === back) {
        return this.improved.has(tail) ? "improved" : "tree";
      }
      if (this.active.has(head)) {
        return "relaxed";
      }
    }
    const isOffered = this.relaxesAll && Number.isFinite(this.before[tail]);
    return this.active.has(tail) || isOffered ? "relaxed" : "idle";
  }

  /** The tentative distance of a vertex in words; null where none is shown. */
  value(vertex) {
    return this.hasValues ? this.model.plain(this.after[vertex]) : null;
  }
}
