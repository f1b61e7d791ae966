// The state of Floyd-Warshall after a phase, or some steps of it: matrix and graph of a lesson.

import { AT_HEAD } from "./state.js";

// states of vertices and arcs, as Python numbers them
const [UNREACHED, TENTATIVE, ACTIVE, INACTIVE] = [0, 1, 2, 3];
const [IDLE, TREE, RELAXED, IMPROVED] = [0, 1, 2, 3];
const ONE_WAY = 2; // an arc with one head

/** What each cell, vertex and arc is; a row of the matrix has the distances at the vertices. */
export class PairsState {
  /** `done` counts the steps of the phase that were made; null for the whole phase. */
  constructor(model, run, phase, done) {
    this.model = model;
    this.run = run;
    this.phase = phase;
    this.lesson = run.trace.lesson;
    this.steps = this.lesson.steps[phase] ?? [];
    this.done = phase < 0 || done === null ? null : this.steps.slice(0, done);
    this.step = this.done?.[this.done.length - 1] ?? null;
    this.isAtEnd = phase >= run.positions.length - 1 && this.isWhole;
    this.isExplained = true;
    this.look = model.marks?.close?.names[run.number];
    this.readMatrix();
    this.row = this.cell ? this.cell[0] : (model.about.source ?? 0);
    this.improved = this.fallenOfRow();
    this.path = this.stepPath();
    this.active = this.pivotsAtWork();
  }

  /** Whether all of the phase is shown. */
  get isWhole() {
    return this.done === null || this.done.length === this.steps.length;
  }

  /** Row and column of the step's cell; null without one. */
  get cell() {
    return this.step && this.step.row !== null ? [this.step.row, this.step.column] : null;
  }

  /** The pivots of the phase: the first, and the one after the last. */
  get pivots() {
    return this.phase < 0 ? [0, 0] : this.lesson.pivots[this.phase];
  }

  /** Distances before and after, and the last vertex but one of each path. */
  readMatrix() {
    const { run, phase } = this;
    const size = this.model.about.n ** 2;
    const of = (array, k) => array.subarray(k * size, (k + 1) * size);
    const before = Math.max(0, phase);
    this.before = of(run.matrices, before);
    this.after = of(run.matrices, phase + 1);
    this.beforeLast = of(run.beforeLast, phase + 1);
    if (!this.isWhole) {
      this.after = this.before.slice();
    }
    if (this.done) {
      this.beforeLast = of(run.beforeLast, before).slice();
      for (const step of this.done.slice(0, -1)) {
        this.follow(step);
      }
      this.tried = this.beforeLast.slice();
      if (this.step) {
        this.follow(this.step);
      }
    }
  }

  /** Let a cell fall, as a step says. */
  follow({ row, column, pivot, fall }) {
    if (fall === null) {
      return;
    }
    const cell = this.at(row, column);
    if (!this.isWhole) {
      this.after[cell] = fall;
    }
    if (pivot !== null) {
      this.beforeLast[cell] = this.beforeLast[this.at(pivot, column)];
    }
  }

  /** The place of a cell in an array. */
  at(row, column) {
    return row * this.model.about.n + column;
  }

  /** Whether a cell is less than before the phase. */
  hasFallen(row, column) {
    const cell = this.at(row, column);
    return this.after[cell] < this.before[cell];
  }

  /** Columns of the row that have fallen. */
  fallenOfRow() {
    const vertices = Array.from({ length: this.model.about.n }, (_, vertex) => vertex);
    return new Set(vertices.filter(vertex => this.hasFallen(this.row, vertex)));
  }

  /** The vertices of the path that the step tries; none without one. */
  stepPath() {
    if (!this.cell || this.step.pivot === null) {
      return [];
    }
    const { row, column, pivot } = this.step;
    return [...this.walk(row, pivot), ...this.walk(pivot, column).slice(1)];
  }

  /** The vertices of the path that a cell stood for when the step began. */
  walk(tail, head) {
    const found = [head];
    while (found[0] !== tail && found.length <= this.model.about.n) {
      const before = this.tried[this.at(tail, found[0])];
      if (before < 0) {
        return [tail, head];
      }
      found.unshift(before);
    }
    return found;
  }

  /** The pivot of the step, or all of the phase. */
  pivotsAtWork() {
    const [first, end] = this.pivots;
    const pivot = this.step?.pivot ?? null;
    const all = Array.from({ length: end - first }, (_, place) => first + place);
    return new Set(pivot === null ? all : [pivot]);
  }

  /** The number of a vertex' state. */
  vertex(vertex) {
    if (this.isAtEnd || (vertex < this.pivots[0] && !this.active.has(vertex))) {
      return INACTIVE;
    }
    if (this.active.has(vertex)) {
      return ACTIVE;
    }
    return Number.isFinite(this.after[this.at(this.row, vertex)]) ? TENTATIVE : UNREACHED;
  }

  /** The number of an arc's state with its heads. */
  arc(arc) {
    const { drawn, both } = this.model.marks.close;
    const [tail, head, , opposite, isHeavier] = drawn[arc];
    const there = this.arcBetween(tail, head);
    if (opposite >= 0 && !isHeavier) {
      const code = both[4 * there + this.arcBetween(head, tail)];
      const isAtWork = (code & 2 && this.active.has(head)) || (code & 1 && this.active.has(tail));
      return code + (isAtWork ? AT_HEAD : 0);
    }
    const heavier = there >= RELAXED ? RELAXED : IDLE;
    const atHead = this.active.has(head) ? AT_HEAD : 0;
    return 4 * (isHeavier ? heavier : there) + ONE_WAY + atHead;
  }

  /** The state of an arc in one direction. */
  arcBetween(tail, head) {
    const place = this.path.indexOf(tail);
    if (place >= 0 && this.path[place + 1] === head) {
      return this.step.fall === null ? RELAXED : IMPROVED;
    }
    if (this.beforeLast[this.at(this.row, head)] !== tail || tail === head) {
      return IDLE;
    }
    return this.step === null && this.improved.has(head) ? IMPROVED : TREE;
  }

  /** The chip of a vertex' distance from that of the row. */
  chip(vertex) {
    return this.cellChip(this.at(this.row, vertex));
  }

  /** The chip of a cell. */
  cellChip(cell) {
    return this.model.chip(this.before[cell], this.after[cell]);
  }

  /** The shade of each cell. */
  get shades() {
    return Array.from(this.after, distance => this.model.chipWords.get(distance).shade);
  }

  /** The cell of the step, and the two that its sum is made of, with the colours of their rings. */
  stepCells() {
    if (!this.cell || this.step.pivot === null) {
      return [];
    }
    const { row, column, pivot } = this.step;
    return [
      [this.at(row, pivot), "frontier"],
      [this.at(pivot, column), "frontier"],
      [this.at(row, column), "text"],
    ];
  }

  /** No vertex is shaded. */
  shade() {
    return "";
  }

  /** What the phase or the step does. */
  get sentence() {
    const { lesson, phase, step, done, steps } = this;
    if (phase < 0) {
      return "before the first pivot";
    }
    return step
      ? `${lesson.places[phase]}  ·  step ${done.length} of ${steps.length}  ·  ${step.text}`
      : lesson.words[phase];
  }
}
