// Paints marks of the display list on a 2D canvas.

import { readableOn } from "./colours.js";
import { STRUCK_AT } from "./rules.js";

const FULL_TURN = 2 * Math.PI;
const ON = "on ";
const ANCHORS = { start: "left", middle: "center", end: "right" };
export const TYPE = '"Tautpath Sans", system-ui, sans-serif';

const SAMPLES = 12; // along an arc, for clicks

/** Paints marks; `place` tells where in the canvas a place of the graph is. */
export class Painter {
  constructor(context, tokens, halo, place) {
    Object.assign(this, { context, tokens, halo, place });
  }

  /**
   * Paint marks, one after the other. `as` may say what is not among them: the point that they
   * are around, their `text` from the first words on, and colours by their names.
   */
  paint(marks, as = {}) {
    let words = 0;
    for (const mark of marks) {
      if (mark.style[0] === "words") {
        this.paintWords(mark, as, as.text?.[words]);
        words += 1;
      } else {
        this.paintShapes([mark], as);
      }
    }
  }

  /** Paint shapes of one style together, so that they do not show through one another. */
  paintShapes(marks, as = {}) {
    const { context } = this;
    const [kind, , fill, outline, width, opacity, more] = marks[0].style;
    context.beginPath();
    for (const mark of marks) {
      this.trace(kind, this.pointsOf(mark, as), mark.size, more);
    }
    if (fill) {
      context.globalAlpha = opacity;
      context.fillStyle = this.colour(fill, as);
      context.fill();
    }
    if (outline) {
      context.globalAlpha = kind === "plate" ? 1 : opacity;
      this.stroke(this.colour(outline, as), width, Array.isArray(more) ? more : []);
    }
    context.globalAlpha = 1;
  }

  /** Stroke lines through points of the canvas in the style of a mark. */
  paintLines(lines, [, , , ink, width, opacity]) {
    this.context.beginPath();
    for (const line of lines) {
      this.trace("line", line);
    }
    this.context.globalAlpha = opacity;
    this.stroke(this.colour(ink, {}), width);
    this.context.globalAlpha = 1;
  }

  /** Points along a line or a curve. */
  along(mark) {
    const points = this.pointsOf(mark);
    const samples = Array.from({ length: SAMPLES - 1 }, (_, i) => (i + 1) / SAMPLES);
    const at = mark.style[0] === "curve" ? bent : straight;
    return samples.map(share => at(points, share));
  }

  /** Stroke what is in the context's path. */
  stroke(colour, width, dashes = []) {
    const { context } = this;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.lineJoin = "round";
    context.lineCap = "round";
    context.setLineDash(dashes);
    context.stroke();
  }

  /** Paint a line of text, over its halo if it has one. */
  paintWords(mark, as, replaced) {
    const { context } = this;
    const [, , ink, halo, , isStruck, anchor, own, isUpward] = mark.style;
    const text = replaced ?? own;
    let [[x, y]] = this.pointsOf(mark, as);
    context.save();
    if (isUpward) {
      context.translate(x, y);
      context.rotate(-FULL_TURN / 4);
      [x, y] = [0, 0];
    }
    this.setLetters(mark);
    context.textAlign = ANCHORS[anchor];
    if (halo) {
      context.lineWidth = this.halo;
      context.lineJoin = "round";
      context.setLineDash([]);
      context.strokeStyle = this.colour(halo, as);
      context.strokeText(text, x, y);
    }
    context.fillStyle = this.colour(ink, as);
    context.fillText(text, x, y);
    if (isStruck) {
      const up = y - STRUCK_AT * mark.size;
      context.beginPath();
      const { width } = context.measureText(text);
      const left = x - (anchor === "middle" ? width / 2 : 0);
      context.moveTo(left, up);
      context.lineTo(left + width, up);
      this.stroke(context.fillStyle, 1);
    }
    context.restore();
  }

  /** Where words end that begin at their point. */
  endOf(mark) {
    this.setLetters(mark);
    return this.pointsOf(mark)[0][0] + this.context.measureText(mark.style[7]).width;
  }

  /** Use the letters of words. */
  setLetters({ style, size }) {
    this.context.font = `${style[4]} ${size}px ${TYPE}`;
    this.context.textBaseline = "alphabetic";
  }

  /** The points of a mark on the canvas. */
  pointsOf({ points }, { at } = {}) {
    return points.map(({ near, place, beside }) => {
      const [x, y] = near.length ? this.place(near, place) : at;
      return [x + beside[0], y + beside[1]];
    });
  }

  /** Add a shape to the context's path. */
  trace(kind, points, size, radius) {
    const { context } = this;
    const [[x, y], ...rest] = points;
    if (kind === "disc") {
      context.arc(x, y, size, 0, FULL_TURN);
    } else if (kind === "plate") {
      context.roundRect(x, y, rest[0][0] - x, rest[0][1] - y, radius);
    } else if (kind === "curve") {
      context.moveTo(x, y);
      context.quadraticCurveTo(...rest[0], ...rest[1]);
    } else {
      context.moveTo(x, y);
      for (const point of rest) {
        context.lineTo(...point);
      }
      if (kind === "area") {
        context.closePath();
      }
    }
  }

  /** A colour by its name: a role, one that is given, or what is read on one. */
  colour(ink, as) {
    if (ink.startsWith(ON)) {
      return readableOn(this.colour(ink.slice(ON.length), as));
    }
    return as.inks?.[ink] ?? this.tokens[ink] ?? ink;
  }
}

/** The point of a quadratic curve at a parameter. */
function bent([from, control, to], share) {
  const rest = 1 - share;
  return [0, 1].map(
    axis => rest ** 2 * from[axis] + 2 * share * rest * control[axis] + share ** 2 * to[axis],
  );
}

/** About the point at a share of a line of many points. */
function straight(points, share) {
  return points[Math.round(share * (points.length - 1))];
}
