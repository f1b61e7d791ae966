// Vector marks over the pixels, on a 2D canvas: the arcs and vertices of a small graph, path, source, target and scale bar.

import { channels } from "./draw.js";

const TAU = 2 * Math.PI;
const TYPE = '"Tautline Sans", system-ui, sans-serif';

/** A pen for one pane; `run` is what is shown there, `step` its position in the run's steps (-1 before the first). */
export class Figure {
  constructor(context, pane, view, model, tokens) {
    Object.assign(this, { context, pane, view, model, tokens });
  }

  at(v) {
    const { px, py } = this.model.arrays;
    const { view, pane } = this;
    return [
      pane.left + (px[v] - view.x) * view.scale + view.width / 2,
      pane.top + (py[v] - view.y) * view.scale + view.height / 2,
    ];
  }

  /** Whether arcs are drawn one by one: few vertices, far enough apart. */
  get detailed() {
    const { arrays, about } = this.model;
    const { view } = this;
    if (!arrays.arcTails || about.scene.meanLength * view.scale < 14) {
      return false;
    }
    return about.n <= Math.min(200, Math.floor((view.width * view.height) / 1100));
  }

  /** Vertices stand apart enough for their ids. */
  get radius() {
    const { about } = this.model;
    const { view } = this;
    let high = 8;
    if (about.n <= 64) {
      high = Math.max(2.5, Math.min(19, 0.44 * about.scene.spacing * view.scale));
    }
    return about.scene.edges
      ? Math.min(high, Math.max(2.5, 0.13 * about.scene.meanLength * view.scale))
      : high;
  }

  line(points, colour, width, dash = []) {
    const c = this.context;
    c.beginPath();
    points.forEach(([x, y], i) => (i ? c.lineTo(x, y) : c.moveTo(x, y)));
    (c.strokeStyle = colour), (c.lineWidth = width), (c.lineCap = c.lineJoin = "round");
    c.setLineDash(dash);
    c.stroke();
    c.setLineDash([]);
  }

  /** The end points and the bend of an arc, clear of the discs. */
  shape(tail, head) {
    const [x0, y0] = this.at(tail);
    const [x1, y1] = this.at(head);
    const r = this.radius;
    const far = Math.hypot(x1 - x0, y1 - y0) || 1;
    const bend = this.model.bent(tail, head) ? 2 * Math.min(0.2 * far, 34) : 0;
    const cx = (x0 + x1) / 2 - ((y1 - y0) * bend) / far;
    const cy = (y0 + y1) / 2 + ((x1 - x0) * bend) / far;
    const toward = (x, y) => {
      const d = Math.hypot(cx - x, cy - y) || 1;
      return [x + ((cx - x) * r) / d, y + ((cy - y) * r) / d];
    };
    return { from: toward(x0, y0), to: toward(x1, y1), control: [cx, cy] };
  }

  arc(tail, head, colour, width, dash, alone) {
    const c = this.context;
    (c.strokeStyle = c.fillStyle = colour), (c.lineWidth = width);
    if (tail === head) {
      const [x, y] = this.at(tail);
      const r = this.radius;
      c.beginPath();
      c.arc(x, y - 1.75 * r, 1.05 * r, 0, TAU);
      c.stroke();
      return;
    }
    const { from, to, control } = this.shape(tail, head);
    c.beginPath();
    c.moveTo(...from);
    c.quadraticCurveTo(...control, ...to);
    c.setLineDash(dash);
    c.stroke();
    c.setLineDash([]);
    if (alone) {
      const size = 9 + width;
      const far = Math.hypot(to[0] - control[0], to[1] - control[1]) || 1;
      const ux = (to[0] - control[0]) / far;
      const uy = (to[1] - control[1]) / far;
      c.beginPath();
      c.moveTo(...to);
      c.lineTo(to[0] - ux * size - uy * 0.42 * size, to[1] - uy * size + ux * 0.42 * size);
      c.lineTo(to[0] - ux * size + uy * 0.42 * size, to[1] - uy * size - ux * 0.42 * size);
      c.fill();
    }
  }

  text(words, x, y, colour, font, align = "center") {
    const c = this.context;
    (c.font = font), (c.textAlign = align), (c.textBaseline = "middle");
    (c.lineWidth = 3), (c.lineJoin = "round"), (c.strokeStyle = this.tokens.canvas);
    c.strokeText(words, x, y);
    c.fillStyle = colour;
    c.fillText(words, x, y);
  }

  /** All arcs and vertices, coloured by their state in the iteration; `marks` are those that answer a question. */
  drawGraph(state, marks) {
    const {
      arrays,
      model,
      tokens: t,
    } = { arrays: this.model.arrays, model: this.model, tokens: this.tokens };
    const styles = {
      idle: [t.edge, 1.3, []],
      tree: [t.edge_dense, 2.6, []],
      relaxed: [t.frontier, 2, [6, 4]],
      improved: [t.good, 3.4, []],
    };
    const order = { idle: 0, tree: 1, relaxed: 2, improved: 3 };
    const arcs = [...arrays.arcTails.keys()].filter(i => model.drawn(i));
    arcs.sort((i, j) => order[state.arc(i)] - order[state.arc(j)]);
    for (const i of arcs) {
      const tail = arrays.arcTails[i];
      const head = arrays.arcHeads[i];
      const [colour, width, dash] = styles[state.arc(i)];
      if (marks.arcs.has(i)) {
        this.arc(tail, head, marks.arcs.get(i), 9, [], false);
      }
      this.arc(tail, head, colour, width, dash, model.oneWay(i));
    }
    this.drawPath(state);
    const r = this.radius;
    const c = this.context;
    if (model.about.scene.meanLength * this.view.scale > 46 && arcs.length <= 120) {
      this.drawWeights(arcs);
    }
    for (let v = 0; v < model.about.n; v++) {
      const [x, y] = this.at(v);
      const [fill, edge, width] = state.vertex(v);
      if (marks.vertices.has(v)) {
        c.beginPath();
        c.arc(x, y, r + 6, 0, TAU);
        (c.strokeStyle = marks.vertices.get(v)), (c.lineWidth = 4);
        c.stroke();
      }
      c.beginPath();
      if (v === model.about.source) {
        polygon(c, x, y, 1.25 * Math.max(r, 7), 3);
      } else if (v === model.about.target) {
        polygon(c, x, y, 1.3 * Math.max(r, 7), 4);
      } else {
        c.arc(x, y, r, 0, TAU);
      }
      c.fillStyle =
        v === model.about.source ? t.source : v === model.about.target ? t.target : fill;
      (c.strokeStyle = edge), (c.lineWidth = width);
      c.fill();
      c.stroke();
      const label = model.id(v);
      if (r >= 9) {
        c.font = `600 ${Math.min(14, Math.round(r * 0.85))}px ${TYPE}`;
        (c.textAlign = "center"), (c.textBaseline = "middle"), (c.fillStyle = on(c.fillStyle));
        if (c.measureText(label).width < 1.7 * r) {
          c.fillText(label, x, y + (v === model.about.source ? 0.12 * r : 0));
        } else {
          this.text(label, x, y + r + 9, t.text, `12px ${TYPE}`);
        }
      }
      const value = state.value(v);
      if (value !== null) {
        this.text(value, x, y - r - 9, state.improved.has(v) ? t.good : t.text, `600 12px ${TYPE}`);
      }
    }
  }

  /** Each weight on its arc, where it covers no other one: arcs may cross in their middles. */
  drawWeights(arcs) {
    const { arrays, about } = this.model;
    const placed = [];
    for (const i of arcs) {
      if (arrays.arcTails[i] === arrays.arcHeads[i]) {
        continue;
      }
      const { from, to, control } = this.shape(arrays.arcTails[i], arrays.arcHeads[i]);
      const places = [0.5, 0.38, 0.62, 0.28, 0.72].map(s =>
        from.map((a, k) => (1 - s) ** 2 * a + 2 * s * (1 - s) * control[k] + s * s * to[k]),
      );
      const free =
        places.find(([x, y]) =>
          placed.every(([px, py]) => Math.abs(px - x) > 20 || Math.abs(py - y) > 13),
        ) ?? places[0];
      placed.push(free);
      this.text(
        number(arrays.arcWeights[i] * about.unitFactor),
        ...free,
        this.tokens.text,
        `11px ${TYPE}`,
      );
    }
  }

  drawPath(state) {
    const { model, tokens: t } = this;
    const path = model.shownPath(state);
    if (path.length < 2) {
      return;
    }
    const pieces = model.polylines(path).map(piece => piece.map(p => this.point(p)));
    const lesson = this.detailed && state.values;
    const pens = lesson
      ? [
          [t.canvas, 6.5],
          [t.path, 3],
        ]
      : [
          [`${t.path}3D`, 13],
          [t.halo, 6.5],
          [t.path, 3],
        ];
    for (const [colour, width] of pens) {
      const c = this.context;
      c.beginPath();
      for (const piece of pieces) {
        piece.forEach(([x, y], i) => (i ? c.lineTo(x, y) : c.moveTo(x, y)));
      }
      (c.strokeStyle = colour), (c.lineWidth = width), (c.lineCap = c.lineJoin = "round");
      c.stroke();
    }
  }

  point([x, y]) {
    const { view, pane } = this;
    return [
      pane.left + (x - view.x) * view.scale + view.width / 2,
      pane.top + (y - view.y) * view.scale + view.height / 2,
    ];
  }

  drawMarkers() {
    const c = this.context;
    const { about } = this.model;
    const t = this.tokens;
    for (const [v, sides, colour] of [
      [about.target, 4, t.target],
      [about.source, 3, t.source],
    ]) {
      if (v === null) {
        continue;
      }
      const [x, y] = this.at(v);
      c.beginPath();
      polygon(c, x, y, sides === 4 ? 8.5 * 1.25 : 8.5 * 1.25, sides);
      for (const [edge, width] of [
        [t.halo, 5],
        [t.text, 1.5],
      ]) {
        (c.strokeStyle = edge), (c.lineWidth = width), (c.lineJoin = "round");
        c.stroke();
      }
      c.fillStyle = colour;
      c.fill();
      const label = this.model.id(v);
      c.font = `12px ${TYPE}`;
      const left = x + 14 + c.measureText(label).width > this.pane.left + this.view.width;
      this.text(
        label,
        left ? x - 14 : x + 14,
        y - 8,
        t.text,
        `12px ${TYPE}`,
        left ? "right" : "left",
      );
    }
  }

  drawPicked(v) {
    const c = this.context;
    const [x, y] = this.at(v);
    for (const [colour, width] of [
      [this.tokens.halo, 5],
      [this.tokens.accent, 2.5],
    ]) {
      c.beginPath();
      c.arc(x, y, Math.max(9, this.detailed ? this.radius + 5 : 0), 0, TAU);
      (c.strokeStyle = colour), (c.lineWidth = width);
      c.stroke();
    }
  }

  drawScaleBar() {
    const metres = this.model.about.scene.metresPerUnit / this.view.scale;
    if (!metres) {
      return;
    }
    const power = 10 ** Math.floor(Math.log10(metres * 140));
    const step = [5, 2, 1].find(k => k * power <= metres * 140) * power;
    const width = step / metres;
    const x = this.pane.left + this.view.width - 14 - width;
    const y = this.pane.top + this.view.height - 16;
    this.line(
      [
        [x, y - 5],
        [x, y],
        [x + width, y],
        [x + width, y - 5],
      ],
      this.tokens.text,
      1.5,
    );
    this.text(
      step < 1000 ? `${number(step)} m` : `${number(step / 1000)} km`,
      x + width / 2,
      y - 12,
      this.tokens.text,
      `11px ${TYPE}`,
    );
  }
}

function polygon(c, x, y, r, sides) {
  if (sides === 4) {
    return c.rect(x - r * 0.8, y - r * 0.8, 1.6 * r, 1.6 * r);
  }
  c.moveTo(x, y - r);
  c.lineTo(x + 0.92 * r, y + 0.72 * r);
  c.lineTo(x - 0.92 * r, y + 0.72 * r);
  c.closePath();
}

/** Black or white, whichever is read on a colour. */
function on(colour) {
  const [r, g, b] = channels(colour);
  return 0.299 * r + 0.587 * g + 0.114 * b > 0.5 ? "#000000" : "#FFFFFF";
}

export function number(value) {
  if (!Number.isFinite(value)) {
    return "∞";
  }
  const digits = Number.isInteger(value)
    ? String(Math.abs(value))
    : String(Number(Math.abs(value).toPrecision(7)));
  const [whole, rest] = digits.split(".");
  return (
    (value < 0 ? "−" : "") + whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") + (rest ? `.${rest}` : "")
  );
}
