// Vector marks over the pixels, on a 2D canvas: the arcs and vertices of a small graph, path,
// source, target and scale bar.

import { readableOn } from "./colours.js";
import { number, roundLength } from "./numbers.js";
import {
  ARC_WIDTHS,
  AREA_PER_VERTICES,
  FIGURE_RADIUS,
  FIGURE_VERTICES,
  GLOW_OPACITY,
  GLOW_WIDTH,
  HALO_WIDTH,
  ID_INSIDE,
  ID_SHARE,
  MARKER_RADIUS,
  MARKER_ROOM,
  MOST_DETAILED,
  PATH_WIDTH,
  RADIUS_RANGE,
  RADIUS_SHARE,
  SHORTEST_MEAN_EDGE,
  SPACING_SHARE,
} from "./rules.js";
import { within } from "./sizes.js";
import { ARC_STATES } from "./state.js";

const FULL_TURN = 2 * Math.PI;
const BEND_STEPS = Array.from({ length: 16 }, (_, step) => (step + 1) / 16); // of a bent arc
export const TYPE = '"Tautpath Sans", system-ui, sans-serif';
const SMALL = `11px ${TYPE}`;
const PLAIN = `12px ${TYPE}`;
const BOLD = `600 12px ${TYPE}`;
const DASHES = [6, 4];
const HEAD_SIZE = 9; // of an arc's arrow, without the width of its line
const HEAD_SLOPE = 0.42; // half the width of an arrow by its length
const LABEL_AWAY = 9; // pixels between a vertex and the middle of what is written beside it
const MARKED_AROUND = 6; // pixels between a vertex and the ring around an answer
const MARKED_WIDTH = 9; // of an arc that is an answer
const LOOP = { away: 1.75, radius: 1.05 }; // of an arc to its own tail, in radii of the vertex
// Markers among discs are larger than these, and no smaller than around a disc of this radius.
const MARKED_DISC = 7;
const SOURCE_SIZE = 1.25;
const TARGET_SIZE = 1.3;
const ID_DROP = 0.12; // of a disc's radius: a triangle is wider below its middle
const LEAST_WEIGHT_EDGE = 46; // pixels of the mean edge from which weights are written
const SCALE_BAR = { most: 140, right: 14, bottom: 16, tick: 5, textAbove: 12 };
const PICKED_RADIUS = 9;

/** A pen for one pane of a view, for a model, in the colours of the scheme. */
export class Figure {
  constructor(context, pane, view, model, tokens) {
    this.context = context;
    this.pane = pane;
    this.view = view;
    this.model = model;
    this.tokens = tokens;
  }

  // -- places ---------------------------------------------------------------------------------

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
    const { px, py } = this.model.arrays;
    return this.point([px[vertex], py[vertex]]);
  }

  /** Length of the mean edge in pixels. */
  get meanEdge() {
    return this.model.about.scene.meanLength * this.view.scale;
  }

  /** Whether arcs are drawn one by one: few vertices, far enough apart. */
  get isDetailed() {
    if (!this.model.hasArcs || this.meanEdge < SHORTEST_MEAN_EDGE) {
      return false;
    }
    const room = Math.floor((this.view.width * this.view.height) / AREA_PER_VERTICES);
    return this.model.about.n <= Math.min(MOST_DETAILED, room);
  }

  /** Radius of a vertex; in a small graph they stand apart enough for their ids. */
  get radius() {
    const { about } = this.model;
    const [low, most] = RADIUS_RANGE;
    const spacing = about.scene.spacing * this.view.scale;
    const isSmall = about.n <= FIGURE_VERTICES;
    const high = isSmall ? within([low, FIGURE_RADIUS], SPACING_SHARE * spacing) : most;
    return about.scene.edges ? Math.min(high, Math.max(low, RADIUS_SHARE * this.meanEdge)) : high;
  }

  /** The end points and the bend of an arc, clear of the discs. */
  curve(tail, head) {
    const [x0, y0] = this.at(tail);
    const [x1, y1] = this.at(head);
    const { radius } = this;
    const bend = this.model.bend(tail, head);
    const control = [(x0 + x1) / 2 - (y1 - y0) * bend, (y0 + y1) / 2 + (x1 - x0) * bend];
    return {
      from: towards([x0, y0], control, radius),
      to: towards([x1, y1], control, radius),
      control,
    };
  }

  // -- strokes --------------------------------------------------------------------------------

  /** Stroke what is in the context's path. */
  stroke(colour, width, dashes = []) {
    const { context } = this;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.lineJoin = "round";
    context.setLineDash(dashes);
    context.stroke();
    context.setLineDash([]);
  }

  /** Stroke lines through points, one with each pen (colour and width) after the other. */
  strokeLines(lines, pens) {
    const { context } = this;
    context.lineCap = "round";
    context.beginPath();
    for (const line of lines) {
      context.moveTo(...line[0]);
      for (const point of line.slice(1)) {
        context.lineTo(...point);
      }
    }
    for (const [colour, width] of pens) {
      this.stroke(colour, width);
    }
  }

  /** Begin a path with a circle. */
  circle([x, y], radius) {
    this.context.beginPath();
    this.context.arc(x, y, radius, 0, FULL_TURN);
  }

  /** Stroke an arc; one without an opposite of the same weight has an arrow. */
  arc(tail, head, colour, width, dashes, hasArrow) {
    const { context } = this;
    if (tail === head) {
      const [x, y] = this.at(tail);
      this.circle([x, y - LOOP.away * this.radius], LOOP.radius * this.radius);
      this.stroke(colour, width);
      return;
    }
    const { from, to, control } = this.curve(tail, head);
    context.beginPath();
    context.moveTo(...from);
    context.quadraticCurveTo(...control, ...to);
    this.stroke(colour, width, dashes);
    if (hasArrow) {
      this.arrow(control, to, colour, HEAD_SIZE + width);
    }
  }

  /** An arrow head whose tip comes from a point. */
  arrow(from, tip, colour, size) {
    const { context } = this;
    const [x, y] = tip;
    const length = Math.hypot(x - from[0], y - from[1]) || 1;
    const along = [((x - from[0]) * size) / length, ((y - from[1]) * size) / length];
    const aside = [HEAD_SLOPE * along[1], -HEAD_SLOPE * along[0]];
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x - along[0] - aside[0], y - along[1] - aside[1]);
    context.lineTo(x - along[0] + aside[0], y - along[1] + aside[1]);
    context.fillStyle = colour;
    context.fill();
  }

  /** Write words around a point, on a halo of the canvas. */
  text(words, x, y, colour, font, align = "center") {
    const { context } = this;
    context.font = font;
    context.textAlign = align;
    context.textBaseline = "middle";
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeStyle = this.tokens.canvas;
    context.strokeText(words, x, y);
    context.fillStyle = colour;
    context.fillText(words, x, y);
  }

  // -- what is drawn --------------------------------------------------------------------------

  /** All arcs and vertices as of a state; `marks` are those that answer a question. */
  drawGraph(state, marks) {
    const { arrays, about } = this.model;
    const importance = arc => ARC_STATES.indexOf(state.arc(arc));
    const arcs = [...arrays.arcTails.keys()].filter(arc => this.model.isDrawn(arc));
    arcs.sort((one, other) => importance(one) - importance(other));
    for (const arc of arcs) {
      this.drawArc(arc, state.arc(arc), marks.arcs.get(arc));
    }
    this.drawPath(state);
    if (this.meanEdge > LEAST_WEIGHT_EDGE) {
      this.drawWeights(arcs);
    }
    for (let vertex = 0; vertex < about.n; vertex++) {
      this.drawVertex(vertex, state, marks.vertices.get(vertex));
    }
  }

  /** An arc in its state, above the mark of an answer if it is one. */
  drawArc(arc, state, mark) {
    const { tokens } = this;
    const { arcTails, arcHeads } = this.model.arrays;
    const colours = {
      idle: tokens.edge,
      tree: tokens.edge_dense,
      relaxed: tokens.frontier,
      improved: tokens.good,
    };
    const ends = [arcTails[arc], arcHeads[arc]];
    if (mark) {
      this.arc(...ends, mark, MARKED_WIDTH, [], false);
    }
    const width = ARC_WIDTHS[ARC_STATES.indexOf(state)];
    const dashes = state === "relaxed" ? DASHES : [];
    this.arc(...ends, colours[state], width, dashes, this.model.isOneWay(arc));
  }

  /** A vertex with its id and tentative distance, within the mark of an answer if it is one. */
  drawVertex(vertex, state, mark) {
    const { context, radius, tokens } = this;
    const [x, y] = this.at(vertex);
    if (mark) {
      this.circle([x, y], radius + MARKED_AROUND);
      this.stroke(mark, 4);
    }
    const [ownFill, outline, width] = state.vertex(vertex);
    const fill = this.outlineVertex(vertex, [x, y]) ?? ownFill;
    context.fillStyle = fill;
    context.fill();
    this.stroke(outline, width);
    this.drawId(vertex, [x, y], fill);
    const value = state.value(vertex);
    if (value !== null) {
      const colour = state.improved.has(vertex) ? tokens.good : tokens.text;
      this.text(value, x, y - radius - LABEL_AWAY, colour, BOLD);
    }
  }

  /** Begin the path of a vertex; returns the colour of source or target, undefined for others. */
  outlineVertex(vertex, [x, y]) {
    const { context, radius, tokens } = this;
    const { source, target } = this.model.about;
    const least = Math.max(radius, MARKED_DISC);
    if (vertex === source) {
      context.beginPath();
      triangle(context, x, y, SOURCE_SIZE * least);
      return tokens.source;
    }
    if (vertex === target) {
      context.beginPath();
      square(context, x, y, TARGET_SIZE * least);
      return tokens.target;
    }
    this.circle([x, y], radius);
    return undefined;
  }

  /** The id inside a vertex, where it fits, else below it; none where vertices are small. */
  drawId(vertex, [x, y], fill) {
    const { context, radius } = this;
    if (radius < ID_INSIDE) {
      return;
    }
    const label = this.model.id(vertex);
    context.font = `600 ${Math.min(14, Math.round(radius * 0.85))}px ${TYPE}`;
    if (context.measureText(label).width >= ID_SHARE * radius) {
      this.text(label, x, y + radius + LABEL_AWAY, this.tokens.text, PLAIN);
      return;
    }
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = readableOn(fill);
    const drop = vertex === this.model.about.source ? ID_DROP * radius : 0;
    context.fillText(label, x, y + drop);
  }

  /** Each weight on its arc, where the window has it: it covers no other one there. */
  drawWeights(arcs) {
    const { arcTails, arcHeads, arcWeights, weightShares } = this.model.arrays;
    const hasRoom = arc => weightShares?.[arc] >= 0 && arcTails[arc] !== arcHeads[arc];
    for (const arc of arcs.filter(hasRoom)) {
      const curve = this.curve(arcTails[arc], arcHeads[arc]);
      const place = pointAlong(curve, weightShares[arc]);
      this.text(this.model.plain(arcWeights[arc]), ...place, this.tokens.text, SMALL);
    }
  }

  /** Points along the arcs of a path, which may bend. */
  bentLine(path) {
    const points = [this.at(path[0])];
    for (const [place, head] of path.slice(1).entries()) {
      const curve = {
        ...this.curve(path[place], head),
        from: this.at(path[place]),
        to: this.at(head),
      };
      const isBent = this.model.bend(path[place], head) !== 0;
      points.push(...(isBent ? BEND_STEPS : [1]).map(share => pointAlong(curve, share)));
    }
    return points;
  }

  /** The path with its halo and, but for a lesson, its glow. */
  drawPath(state) {
    const { model, tokens } = this;
    const path = model.shownPath(state);
    if (path.length < 2) {
      return;
    }
    const places = model.polylines(path).map(line => line.map(place => this.point(place)));
    const lines = this.isDetailed && !model.arrays.roadTails ? [this.bentLine(path)] : places;
    const isLesson = this.isDetailed && state.hasValues;
    const glow = [`${tokens.path}${twoDigits(Math.round(255 * GLOW_OPACITY))}`, GLOW_WIDTH];
    const halo = [isLesson ? tokens.canvas : tokens.halo, HALO_WIDTH];
    this.strokeLines(lines, [...(isLesson ? [] : [glow]), halo, [tokens.path, PATH_WIDTH]]);
  }

  /** Source and target, with their ids, above a graph whose vertices are not drawn. */
  drawMarkers() {
    const { about } = this.model;
    if (about.target !== null) {
      this.drawMarker(about.target, square, this.tokens.target);
    }
    if (about.source !== null) {
      this.drawMarker(about.source, triangle, this.tokens.source);
    }
  }

  /** A marker with a halo, and its id where there is room. */
  drawMarker(vertex, outline, colour) {
    const { context, tokens } = this;
    const [x, y] = this.at(vertex);
    context.beginPath();
    outline(context, x, y, MARKER_RADIUS * MARKER_ROOM);
    this.stroke(tokens.halo, 5);
    this.stroke(tokens.text, 1.5);
    context.fillStyle = colour;
    context.fill();
    const label = this.model.id(vertex);
    context.font = PLAIN;
    const end = x + 14 + context.measureText(label).width;
    if (end > this.pane.left + this.view.width) {
      this.text(label, x - 14, y - 8, tokens.text, PLAIN, "right");
    } else {
      this.text(label, x + 14, y - 8, tokens.text, PLAIN, "left");
    }
  }

  /** A ring around a vertex. */
  drawPicked(vertex) {
    this.circle(this.at(vertex), Math.max(PICKED_RADIUS, this.isDetailed ? this.radius + 5 : 0));
    this.stroke(this.tokens.halo, 5);
    this.stroke(this.tokens.accent, 2.5);
  }

  /** A bar of a round length in the lower right corner; none where the unit is unknown. */
  drawScaleBar() {
    const metres = this.model.about.scene.metresPerUnit / this.view.scale;
    if (!metres) {
      return;
    }
    const { most, right, bottom, tick, textAbove } = SCALE_BAR;
    const length = roundLength(metres * most);
    const width = length / metres;
    const x = this.pane.left + this.view.width - right - width;
    const y = this.pane.top + this.view.height - bottom;
    const bar = [
      [x, y - tick],
      [x, y],
      [x + width, y],
      [x + width, y - tick],
    ];
    this.strokeLines([bar], [[this.tokens.text, 1.5]]);
    const words = length < 1000 ? `${number(length)} m` : `${number(length / 1000)} km`;
    this.text(words, x + width / 2, y - textAbove, this.tokens.text, SMALL);
  }
}

/** The point of a quadratic curve at a parameter. */
export function pointAlong({ from, control, to }, share) {
  const rest = 1 - share;
  return [0, 1].map(
    axis => rest ** 2 * from[axis] + 2 * share * rest * control[axis] + share ** 2 * to[axis],
  );
}

/** The point so far from one point on the way to another. */
function towards([x, y], [toX, toY], distance) {
  const length = Math.hypot(toX - x, toY - y) || 1;
  return [x + ((toX - x) * distance) / length, y + ((toY - y) * distance) / length];
}

/** Add a square to the context's path. */
function square(context, x, y, size) {
  context.rect(x - size * 0.8, y - size * 0.8, 1.6 * size, 1.6 * size);
}

/** Add a triangle, its tip up, to the context's path. */
function triangle(context, x, y, size) {
  context.moveTo(x, y - size);
  context.lineTo(x + 0.92 * size, y + 0.72 * size);
  context.lineTo(x - 0.92 * size, y + 0.72 * size);
  context.closePath();
}

/** Two hexadecimal digits of a byte. */
function twoDigits(byte) {
  return byte.toString(16).padStart(2, "0");
}
