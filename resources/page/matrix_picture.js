// The matrix of an all-pairs run: a shade for each cell, and the tiles that a phase writes.

import { bytes, channels } from "./colours.js";
import { make } from "./dom.js";
import { UNREACHABLE } from "./rules.js";

const MOST_IMAGES = 100; // kept
const THROUGH = { opacity: 0.8, least: 2 }; // of the pivot's row and column
const TILE_OPACITY = { rest: 0.22, near: 0.55 }; // of the last phase, and of those before it
const LAST_PHASE = 3;

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
