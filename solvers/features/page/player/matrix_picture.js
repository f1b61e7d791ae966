// The matrix of an all-pairs run: a shade for each cell, and over it the tiles that a phase writes
// or the marks of a lesson.

import { bytes, hex } from "./colours.js";
import { make } from "./dom.js";
import { between } from "./mark_table.js";
import { Painter } from "./painter.js";
import { UNREACHABLE } from "./rules.js";

export const TILE = 6; // numbers of a tile: role, whether written now, rows and columns

/** The cells of runs of all pairs. */
export class MatrixPicture {
  /** Take over the colours of a scheme. */
  look({ ramp, tokens }) {
    this.tokens = tokens;
    this.shades = [...Array.from(ramp.subarray(0, UNREACHABLE), hex), tokens.grid];
    this.pixels = this.shades.map(colour => {
      const [red, green, blue] = bytes(Number.parseInt(colour.slice(1), 16));
      return (255 << 24) | (blue << 16) | (green << 8) | red;
    });
  }

  /** Draw shades of cells, one pixel each, into a square. */
  drawCells(context, [left, top], size, shades) {
    const side = Math.sqrt(shades.length);
    const image = new ImageData(side, side);
    const pixels = Array.from(shades, shade => this.pixels[shade]);
    new Uint32Array(image.data.buffer).set(pixels);
    const canvas = make("canvas");
    canvas.width = side;
    canvas.height = side;
    canvas.getContext("2d").putImageData(image, 0, 0);
    context.imageSmoothingEnabled = side > size;
    context.drawImage(canvas, left, top, size, size);
  }

  /** Draw a run after a step, -1 before the first, into a pane. */
  draw(context, pane, view, model, run, step) {
    const { about } = model;
    const corner = cornerOf(pane, view, about.n);
    const size = run.trace.side ** 2;
    const first = run.images[Math.max(0, step)] * size;
    this.drawCells(context, corner(0, 0), view.scale, run.shades.subarray(first, first + size));
    const isAtEnd = step >= run.positions.length - 1; // which shows the answer alone
    const [from, to] = step < 0 || isAtEnd ? [0, 0] : run.tileOffsets.subarray(step, step + 2);
    for (let i = from; i < to; i += TILE) {
      const [role, isNow, row, rowEnd, column, columnEnd] = run.tiles.subarray(i, i + TILE);
      const [, ink, opacity, least] = about.scene.roles[role];
      const [left, top] = corner(column, row);
      const [right, bottom] = corner(columnEnd, rowEnd);
      const across = Math.max(least, right - left);
      const down = Math.max(least, bottom - top);
      context.globalAlpha = opacity * (isNow ? 1 : about.scene.earlier);
      context.fillStyle = this.tokens[ink];
      context.fillRect((left + right - across) / 2, (top + bottom - down) / 2, across, down);
    }
    context.globalAlpha = 1;
  }

  /** Draw a lesson's state: numbers, what is written, and rings around cells by their colours. */
  drawLesson(context, pane, view, state, answers) {
    const { run, shades } = state;
    const { n } = state.model.about;
    const { chips, ring, outlines, around, halo } = run.trace.lesson.cells;
    const corner = cornerOf(pane, view, n);
    const corners = near => near.map(i => [i % (n + 1), Math.floor(i / (n + 1))]);
    const painter = new Painter(context, this.tokens, halo, (near, place) =>
      corner(...between(...corners(near), place)),
    );
    const paint = (part, cell = 0, as = {}) => {
      const at = corner(cell % n, Math.floor(cell / n));
      painter.paint(run.cellMarks.at(part, view.scale / n), { at, ...as });
    };
    this.drawCells(context, corner(0, 0), view.scale, shades);
    for (const part of state.isAtEnd ? [] : (outlines[state.phase] ?? [])) {
      paint(part);
    }
    for (const [cell, shade] of shades.entries()) {
      const { key, text } = state.cellChip(cell);
      paint(chips[key], cell, { text, inks: { shade: this.shades[shade] } });
    }
    for (const [cell, role] of [...state.stepCells(), ...answers]) {
      paint(ring, cell, { inks: { text: this.tokens[role] ?? role } });
    }
    paint(around);
  }

  /** Row and column of the cell at a point of the pane; null beside the matrix. */
  cellAt([x, y], view, n) {
    const column = Math.floor((view.x + (x - view.width / 2) / view.scale + 0.5) * n);
    const row = Math.floor((view.y + (y - view.height / 2) / view.scale + 0.5) * n);
    return Math.min(row, column) >= 0 && Math.max(row, column) < n ? [row, column] : null;
  }
}

/** A function that finds the upper left corner of a cell in a pane. */
function cornerOf(pane, { x, y, scale, width, height }, n) {
  return (column, row) => [
    pane.left + (column / n - 0.5 - x) * scale + width / 2,
    pane.top + (row / n - 0.5 - y) * scale + height / 2,
  ];
}
