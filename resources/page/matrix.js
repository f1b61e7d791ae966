// The matrix of an all-pairs run: a shade for each cell, and the tiles that a phase writes.

import { channels } from "./draw.js";
import { make } from "./model.js";

const UNREACHABLE = 255;

export class MatrixPicture {
  constructor() {
    this.images = new Map(); // by run and step
  }

  look(look) {
    (this.shades = look.ramp), (this.tokens = look.tokens);
    this.images.clear();
  }

  /** The cells after a step, one pixel each. */
  image(run, step) {
    const image = run.images[step];
    const key = `${run.number}.${image}`;
    if (this.images.has(key)) {
      return this.images.get(key);
    }
    if (this.images.size > 100) {
      this.images.clear();
    }
    const { side } = run.trace;
    const canvas = make("canvas");
    const none = channels(this.tokens.grid).map(c => 255 * c);
    canvas.width = canvas.height = side;
    const context = canvas.getContext("2d");
    const pixels = context.createImageData(side, side);
    for (let i = 0, from = image * side * side; i < side * side; i++) {
      const shade = run.shades[from + i];
      const colour = this.shades[shade];
      pixels.data.set(
        shade === UNREACHABLE ? none : [(colour >> 16) & 255, (colour >> 8) & 255, colour & 255],
        4 * i,
      );
      pixels.data[4 * i + 3] = 255;
    }
    context.putImageData(pixels, 0, 0);
    this.images.set(key, canvas);
    return canvas;
  }

  /** The colour of the tiles of a phase: the first one of three is the pivot. */
  tileColour(run, phase) {
    return !run.trace.tiled || phase === 1 ? this.tokens.path : this.tokens.frontier;
  }

  draw(context, pane, view, run, step) {
    const { scale } = view;
    const left = pane.left + (-0.5 - view.x) * scale + view.width / 2;
    const top = pane.top + (-0.5 - view.y) * scale + view.height / 2;
    if (!run.trace) {
      return;
    }
    context.imageSmoothingEnabled = run.trace.side > scale;
    context.drawImage(this.image(run, Math.max(0, step)), left, top, scale, scale);
    if (step < 0 || step >= run.positions.length - 1) {
      return; // the end shows the answer alone
    }
    const { n, tiled } = run.trace;
    const cell = scale / n;
    const from = run.tileOffsets[step];
    const until = run.tileOffsets[step + 1];
    context.strokeStyle = context.fillStyle = this.tileColour(run, run.phases[step]);
    if (!tiled && until - from === 4 && run.active[step] === n * n) {
      // every cell is compared with the way through a pivot
      const wide = Math.max(2, cell);
      const at = run.positions[step] * cell;
      context.globalAlpha = 0.8;
      context.fillRect(left, top + at, scale, wide);
      context.fillRect(left + at, top, wide, scale);
      return void (context.globalAlpha = 1);
    }
    for (let i = from; i < until; i += 4) {
      const [row, rowEnd, column, columnEnd] = run.tiles.subarray(i, i + 4);
      const box = [
        left + column * cell,
        top + row * cell,
        (columnEnd - column) * cell,
        (rowEnd - row) * cell,
      ];
      context.globalAlpha = run.phases[step] === 3 || !tiled ? 0.22 : 0.55;
      context.fillRect(...box);
      context.globalAlpha = 1;
      context.lineWidth = 1.5;
      context.strokeRect(...box);
    }
  }
}
