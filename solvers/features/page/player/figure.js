// What is drawn over the pixels of a pane, by the marks of the display list: the arcs and vertices
// of a small graph, path, source, target and scale bar.

import { Painter } from "./painter.js";
import { AREA_PER_VERTICES } from "./rules.js";

const MARKED_WIDTH = 9; // of an arc that is an answer
const EDGE_ROOM = 2; // pixels between words and the edge of a pane
const ENDS = ["target", "source"]; // the source lies on top

/** Draws one pane of a view, for a model, in the colours of the scheme. */
export class Figure {
  constructor(context, pane, view, model, tokens) {
    Object.assign(this, { pane, view, model });
    this.painter = new Painter(context, tokens, model.marks.any.halo, (near, place) =>
      this.point(model.placeBetween(near, place)),
    );
  }

  /** Pixels of world coordinates. */
  point([x, y]) {
    const { view, pane } = this;
    return [
      pane.left + (x - view.x) * view.scale + view.width / 2,
      pane.top + (y - view.y) * view.scale + view.height / 2,
    ];
  }

  /** Pixels of a vertex. */
  at(vertex) {
    return this.point(this.model.placeBetween([vertex], [0, 0]));
  }

  /** Whether arcs and vertices are drawn one by one: few enough, and far enough apart. */
  get isDetailed() {
    const { closeMarks, about } = this.model;
    const room = Math.floor((this.view.width * this.view.height) / AREA_PER_VERTICES);
    return Boolean(closeMarks) && this.view.scale >= closeMarks.scales[0] && about.n <= room;
  }

  /** The marks of a part of the close view; none without a part. */
  marksOf(part) {
    return part === undefined ? [] : this.model.closeMarks.at(part, this.view.scale);
  }

  /** Paint a part of the close view. */
  paint(part, as) {
    this.painter.paint(this.marksOf(part), as);
  }

  /** All arcs and vertices as of a state; `answers` are those that answer a question. */
  drawGraph(state, answers) {
    const { close } = this.model.marks;
    const { weights, chips } = close.runs[state.look];
    const look = state.isExplained ? "explained" : "bare";
    this.drawWay(close.tried, state.path ?? []);
    const codes = close.drawn.map((_, arc) => state.arc(arc));
    const importance = arc => (codes[arc] >> 2) % 4;
    for (const arc of [...codes.keys()].sort((a, b) => importance(a) - importance(b))) {
      const marks = this.marksOf(close.arcs[arc][codes[arc]]);
      this.drawAnswers(arc, marks, answers.arcs);
      this.painter.paint(marks, { inks: { shade: state.shade(close.drawn[arc][1]) } });
    }
    this.drawWay(close.ways?.[look], this.model.shownPath(state));
    for (const part of Object.values(weights ?? {})) {
      this.paint(part);
    }
    for (const [name, parts] of Object.entries(close.vertices[look])) {
      const vertex = Number(name);
      this.drawAnswer(vertex, answers.vertices.get(vertex));
      this.paint(parts[state.vertex(vertex)], { inks: { shade: state.shade(vertex) } });
    }
    for (const [name, parts] of Object.entries(chips ?? {})) {
      const { key, text } = state.chip(Number(name));
      this.paint(parts[key], { text });
    }
    for (const end of ENDS) {
      this.paint(close.ends?.[end]);
    }
  }

  /** Mark an arc, or the two for which it stands, if it is an answer. */
  drawAnswers(arc, marks, answers) {
    const [, , ...numbers] = this.model.marks.close.drawn[arc];
    for (const colour of numbers.slice(0, 2).map(number => answers.get(number))) {
      if (colour) {
        const [kind, count] = marks[0].style;
        const style = [kind, count, null, colour, MARKED_WIDTH, 1, []];
        this.painter.paint([{ ...marks[0], style }]);
      }
    }
  }

  /** A ring around an answer, in its colour. */
  drawAnswer(vertex, colour) {
    if (colour) {
      const marks = this.marksOf(this.model.marks.close.rings.answer);
      this.painter.paint(marks, { at: this.at(vertex), inks: { accent: colour } });
    }
  }

  /** A ring around the picked vertex. */
  drawPicked(vertex) {
    const { close, picked } = this.model.marks;
    const { anyMarks } = this.model;
    const marks = this.isDetailed ? this.marksOf(close.rings.picked) : anyMarks.at(picked, 1);
    this.painter.paint(marks, { at: this.at(vertex) });
  }

  /** The arcs of a path, layer by layer. */
  drawWay(parts, path) {
    const keys = path.slice(1).map((head, place) => `${path[place]},${head}`);
    const arcs = keys.map(key => this.marksOf(parts?.[key]));
    for (let layer = 0; arcs.some(marks => layer < marks.length); layer++) {
      this.painter.paintShapes(arcs.map(marks => marks[layer]).filter(Boolean));
    }
  }

  /** The path along the curves of roads, and source and target, over a graph from afar. */
  drawFar(state) {
    const { model, painter } = this;
    const { marks, anyMarks } = model;
    const path = model.shownPath(state);
    const lines = path.length > 1 ? model.polylines(path) : [];
    for (const { style } of lines.length ? anyMarks.at(marks.path, 1) : []) {
      painter.paintLines(
        lines.map(line => line.map(place => this.point(place))),
        style,
      );
    }
    for (const [right, left] of ENDS.filter(end => marks.pins[end]).map(end => marks.pins[end])) {
      const pin = anyMarks.at(right, 1);
      const end = painter.endOf(pin[pin.length - 1]);
      const hasRoom = end <= this.pane.left + this.view.width - EDGE_ROOM;
      painter.paint(hasRoom ? pin : anyMarks.at(left, 1));
    }
  }

  /** A bar of a round length in the lower left corner; none where the unit is unknown. */
  drawScaleBar() {
    const { bar, bars, lengths, margin } = this.model.marks;
    if (bar === undefined) {
      return;
    }
    const metres = this.model.about.scene.metresPerUnit / this.view.scale;
    const [length, words] = lengths.findLast(([one]) => one <= bars[1] * metres) ?? lengths[0];
    const corner = [this.pane.left + margin, this.pane.top + this.view.height - margin];
    this.painter.paint(this.model.anyMarks.at(bar, length / metres), { at: corner, text: [words] });
  }

  /** The number of the arc nearest to a point, not farther than `limit`; null without one. */
  nearestArc([x, y], limit, chosen) {
    const { close } = this.model.marks;
    let best = null;
    let least = limit;
    for (const [arc, [tail, head, own, opposite]] of close.drawn.entries()) {
      const [line] = tail === head ? [] : this.marksOf(Object.values(close.arcs[arc])[0]);
      const isNearTail = awayFrom(this.at(tail), [x, y]) < awayFrom(this.at(head), [x, y]);
      // Of two opposite arcs on one line, a click means the one whose head is nearer.
      const number = opposite >= 0 && isNearTail ? opposite : own;
      for (const at of line ? this.painter.along(line) : []) {
        const away = awayFrom(at, [x, y]) - (chosen.has(number) ? 0.1 : 0);
        if (away < least) {
          least = away;
          best = number;
        }
      }
    }
    return best;
  }
}

/** Pixels between two points. */
function awayFrom([x, y], [otherX, otherY]) {
  return Math.hypot(x - otherX, y - otherY);
}
