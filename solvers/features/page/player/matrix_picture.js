// The matrix of an all-pairs run: a shade for each cell, and the tiles that a phase writes.

import { bytes, channels, hex, readableOn } from "./colours.js";
import { make } from "./dom.js";
import { TYPE } from "./painter.js";
import { UNREACHABLE } from "./rules.js";

const MOST_IMAGES = 100; // kept
const THROUGH = { opacity: 0.8, least: 2 }; // of the pivot's row and column
const TILE_OPACITY = { rest: 0.22, near: 0.55 }; // of the last phase, and of those before it
const LAST_PHASE = 3;

const NUMBERS_FROM = 18; // pixels of a cell from which distances are written
const CHIP_HEIGHT = 20;
const NAME_AWAY = 10; // pixels between the matrix and ids above it
const LEAST_NAME = 14; // pixels between two ids

/** The cells of runs of all pairs. */
export class MatrixPicture {
  constructor() {
    this.images = new Map(); // by run and step
  }

  /** Take over the colours of a scheme. */
  look(look) {
    this.ramp = look.ramp;
    this.tokens = look.tokens;
    this.images.clear();
  }

  /** The cells after a step, one pixel each. */
  image(run, step) {
    const key = `${run.number}.${run.images[step]}`;
    if (!this.images.has(key)) {
      if (this.images.size > MOST_IMAGES) {
        this.images.clear();
      }
      this.images.set(key, this.drawCells(run, run.images[step]));
    }
    return this.images.get(key);
  }

  /** A canvas with the shades of an image. */
  drawCells({ trace, shades }, image) {
    const { side } = trace;
    const canvas = make("canvas");
    canvas.width = side;
    canvas.height = side;
    const context = canvas.getContext("2d");
    const pixels = context.createImageData(side, side);
    const unreachable = channels(this.tokens.grid).map(channel => 255 * channel);
    for (let cell = 0; cell < side * side; cell++) {
      const shade = shades[image * side * side + cell];
      const colour = shade === UNREACHABLE ? unreachable : bytes(this.ramp[shade]);
      pixels.data.set([...colour, 255], 4 * cell);
    }
    context.putImageData(pixels, 0, 0);
    return canvas;
  }

  /** Draw a run after a step, -1 before the first, into a pane. */
  draw(context, pane, view, run, step) {
    if (!run.trace) {
      return;
    }
    const { scale } = view;
    const left = pane.left + (-0.5 - view.x) * scale + view.width / 2;
    const top = pane.top + (-0.5 - view.y) * scale + view.height / 2;
    context.imageSmoothingEnabled = run.trace.side > scale;
    context.drawImage(this.image(run, Math.max(0, step)), left, top, scale, scale);
    if (step < 0 || step >= run.positions.length - 1) {
      return; // the end shows the answer alone
    }
    const colour = this.workColour(run, step);
    context.fillStyle = colour;
    context.strokeStyle = colour;
    const { n, tiled } = run.trace;
    const tiles = run.tiles.subarray(run.tileOffsets[step], run.tileOffsets[step + 1]);
    if (!tiled && tiles.length === 4 && run.active[step] === n * n) {
      this.drawPivot(context, left, top, scale, scale / n, run.positions[step]);
    } else {
      const isRest = run.phases[step] === LAST_PHASE || !tiled;
      this.drawTiles(context, left, top, scale / n, tiles, isRest);
    }
  }

  /** Draw a lesson's state: numbers, what is written, and the step's cells; `marks` by cell. */
  drawLesson(context, pane, view, state, marks) {
    const { n } = state.run.trace;
    const side = view.scale / n;
    const left = pane.left + (-0.5 - view.x) * view.scale + view.width / 2;
    const top = pane.top + (-0.5 - view.y) * view.scale + view.height / 2;
    const box = (row, column) => [left + column * side, top + row * side, side, side];
    for (let row = 0; row < n; row++) {
      for (let column = 0; column < n; column++) {
        this.drawCell(context, box(row, column), state, row, column);
      }
    }
    if (state.phase >= 0 && !state.isAtEnd) {
      this.outlineWork(context, left, top, side, state);
    }
    if (state.cell && state.step.pivot !== null) {
      const { row, column, pivot } = state.step;
      this.ring(context, box(row, pivot), this.tokens.frontier);
      this.ring(context, box(pivot, column), this.tokens.frontier);
      this.ring(context, box(row, column), this.tokens.text);
    }
    for (const [cell, colour] of marks) {
      this.ring(context, box(Math.floor(cell / n), cell % n), colour);
    }
    this.nameSides(context, left, top, side, state.model);
  }

  /** A cell in the shade of its distance, with the number where there is room. */
  drawCell(context, [x, y, side], state, row, column) {
    const { low, high } = state.model;
    const value = state.after[state.at(row, column)];
    const share = high > low ? (value - low) / (high - low) : 0;
    const isKnown = Number.isFinite(value);
    const shade = Math.max(0, Math.min(UNREACHABLE - 1, Math.floor(share * (UNREACHABLE - 1))));
    const fill = isKnown ? hex(this.ramp[shade]) : this.tokens.grid;
    context.fillStyle = fill;
    context.fillRect(x, y, Math.ceil(side), Math.ceil(side));
    const hasFallen = state.phase >= 0 && state.hasFallen(row, column);
    if (side >= NUMBERS_FROM) {
      const isBold = hasFallen ? "600 " : "";
      context.font = `${isBold}${Math.min(14, Math.max(8, Math.round(side * 0.32)))}px ${TYPE}`;
      this.writeNumber(context, [x, y, side], state.words(value), fill, hasFallen);
    } else if (hasFallen) {
      context.fillStyle = this.tokens.good;
      context.fillRect(x + 1, y + 1, Math.max(1, side - 2), Math.max(1, side - 2));
    }
  }

  /** The distance in a cell, on a chip if it fell. */
  writeNumber(context, [x, y, side], words, fill, hasFallen) {
    const { width } = context.measureText(words);
    if (width > side - 2) {
      return;
    }
    context.fillStyle = readableOn(fill);
    if (hasFallen) {
      const height = Math.min(side - 4, CHIP_HEIGHT);
      const across = Math.min(side - 4, width + 8);
      context.fillStyle = this.tokens.panel;
      context.strokeStyle = this.tokens.good;
      context.lineWidth = 1.75;
      context.beginPath();
      context.roundRect(x + (side - across) / 2, y + (side - height) / 2, across, height, 3);
      context.fill();
      context.stroke();
      context.fillStyle = this.tokens.good;
    }
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(words, x + side / 2, y + side / 2 + 0.5);
  }

  /** Outlines of the pivot's row and column, or of the tiles that the phase writes. */
  outlineWork(context, left, top, side, { run, phase, pivots }) {
    const { n, tiled } = run.trace;
    const tiles = tiled
      ? run.tiles.subarray(run.tileOffsets[phase], run.tileOffsets[phase + 1])
      : [pivots[0], pivots[1], 0, n, 0, n, pivots[0], pivots[1]];
    for (const [colour, width] of [
      [this.tokens.panel, 4.4],
      [this.tokens.frontier, 2.75],
    ]) {
      context.strokeStyle = colour;
      context.lineWidth = width;
      for (let i = 0; i < tiles.length; i += 4) {
        const [row, rowEnd, column, columnEnd] = tiles.slice(i, i + 4);
        const size = [(columnEnd - column) * side - 2, (rowEnd - row) * side - 2];
        context.strokeRect(left + column * side + 1, top + row * side + 1, ...size);
      }
    }
  }

  /** A ring around a cell. */
  ring(context, [x, y, side], colour) {
    for (const [tone, width] of [
      [this.tokens.panel, 6],
      [colour, 3],
    ]) {
      context.strokeStyle = tone;
      context.lineWidth = width;
      context.beginPath();
      context.roundRect(x, y, side, side, 3);
      context.stroke();
    }
  }

  /** The ids of the vertices above and beside the cells, where they fit. */
  nameSides(context, left, top, side, model) {
    const { n } = model.about;
    const size = Math.min(12, Math.floor(side));
    context.font = `${size}px ${TYPE}`;
    const widest = Math.max(
      ...Array.from({ length: n }, (_, v) => context.measureText(model.id(v)).width),
    );
    const every = Math.max(1, Math.ceil(Math.max(widest + 6, LEAST_NAME) / side));
    context.fillStyle = this.tokens.muted;
    context.textBaseline = "middle";
    for (let vertex = 0; vertex < n; vertex += every) {
      const along = (vertex + 0.5) * side;
      context.textAlign = "center";
      context.fillText(model.id(vertex), left + along, top - NAME_AWAY);
      context.textAlign = "right";
      context.fillText(model.id(vertex), left - NAME_AWAY / 2, top + along);
    }
  }

  /** Row and column of the cell at a point of the pane; null beside the matrix. */
  cellAt([x, y], view, n) {
    const column = Math.floor((view.x + (x - view.width / 2) / view.scale + 0.5) * n);
    const row = Math.floor((view.y + (y - view.height / 2) / view.scale + 0.5) * n);
    return Math.min(row, column) >= 0 && Math.max(row, column) < n ? [row, column] : null;
  }

  /** Every cell is compared with the way through a pivot: its row and its column. */
  drawPivot(context, left, top, side, cell, pivot) {
    const width = Math.max(THROUGH.least, cell);
    context.globalAlpha = THROUGH.opacity;
    context.fillRect(left, top + pivot * cell, side, width);
    context.fillRect(left + pivot * cell, top, width, side);
    context.globalAlpha = 1;
  }

  /** The tiles that are written; each is given by its rows and columns. */
  drawTiles(context, left, top, cell, tiles, isRest) {
    context.lineWidth = 1.5;
    for (let i = 0; i < tiles.length; i += 4) {
      const [row, rowEnd, column, columnEnd] = tiles.subarray(i, i + 4);
      const box = [
        left + column * cell,
        top + row * cell,
        (columnEnd - column) * cell,
        (rowEnd - row) * cell,
      ];
      context.globalAlpha = isRest ? TILE_OPACITY.rest : TILE_OPACITY.near;
      context.fillRect(...box);
      context.globalAlpha = 1;
      context.strokeRect(...box);
    }
  }

  /** The colour of the tiles of a step: the first one of three phases is of the pivot. */
  workColour(run, step) {
    const isPivot = !run.trace.tiled || run.phases[step] === 1;
    return isPivot ? this.tokens.path : this.tokens.frontier;
  }
}
