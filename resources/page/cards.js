// Everything on the page that is text or a chart: headings, legend, cards, table, footer. Text is only ever textContent.

import { number } from "./figure.js";
import { $, hex, make } from "./model.js";

/** `player` says what is shown at which moment. */
export class Cards {
  constructor(player) {
    this.player = player;
  }

  get model() {
    return this.player.model;
  }

  /** Title, iteration and counts of each pane. */
  heads(panes) {
    const box = $("heads");
    while (box.children.length < panes.length) {
      const head = make("div");
      head.append(make("b"), make("span"));
      box.append(head);
    }
    this.model.runs.forEach((run, i) => {
      const head = box.children[i];
      const { left, top, width, height, row } = panes[i];
      Object.assign(head.style, {
        left: `${left}px`,
        top: `${top}px`,
        width: `${width}px`,
        height: `${height}px`,
      });
      head.classList.toggle("tight", width < 300);
      head.classList.toggle("below", row > 0 && left === 0);
      head.firstChild.textContent = run.title;
      const step = run.trace ? this.player.step(run) : -1;
      const counts =
        step < 0
          ? ""
          : `  ·  ${number(run.active[step])} ${this.model.about.scene.matrix ? "cells" : `active, ${number(run.relaxed[step])} relaxed`}`;
      const time =
        $("clock").value === "time" && step >= 0 ? `  ·  ${milliseconds(run.ends[step])}` : "";
      head.lastChild.textContent = run.trace
        ? this.player.place(run) + counts + time
        : "not traced: its answer";
    });
  }

  texts() {
    const { about, runs } = this.model;
    $("title").textContent = about.title;
    const [from, to] = about.ends;
    const way =
      from === null ? "" : `from ${from}${to === null ? "" : ` to ${to}: ${runs[0].distance}`}`;
    $("subtitle").textContent = [about.graph === about.title ? "" : about.graph, about.facts, way]
      .filter(Boolean)
      .join("  ·  ");
    $("marks").setAttribute(
      "aria-label",
      `Graph ${about.graph}; the table below has the results, arrow keys step through the iterations`,
    );
    const footer = $("footer");
    const csv = make("a", "Download the trials as CSV");
    (csv.href = URL.createObjectURL(new Blob([about.csv], { type: "text/csv" }))),
      (csv.download = "trials.csv");
    $("caption").textContent = about.caption;
    for (const words of about.scene ? about.leftOut : []) {
      footer.append(make("p", `Left out: ${words}`));
    }
    if (about.reading) {
      footer.append(make("p", `Read with ${about.reading}`));
    }
    if (about.attribution) {
      footer.append(make("p", about.attribution));
    }
    footer.append(make("p", `Made with ${about.citation}`));
    const line = make("p");
    line.append(csv);
    footer.append(line);
    this.table();
    this.picked();
  }

  table() {
    const table = make("table");
    const head = make("tr");
    const { runs } = this.model;
    table.append(make("caption", "Results"));
    for (const words of this.model.about.columns) {
      const cell = make("th", words);
      cell.scope = "col";
      head.append(cell);
    }
    const top = make("thead");
    const body = make("tbody");
    top.append(head);
    runs.forEach((run, _i) => {
      const row = make("tr");
      const name = make("td");
      const key = make("span", "", "key");
      name.append(
        key,
        run.title,
        ...(run.device ? [make("span", ` on ${run.device}`, "muted")] : []),
      );
      row.append(name);
      run.cells.forEach((text, column) => {
        const isProof = column === run.cells.length - 1;
        row.append(isProof ? make("td", text, run.ok ? "good" : "bad") : make("td", text));
      });
      body.append(row);
    });
    table.append(top, body);
    const { finding } = this.model.about;
    $("results").replaceChildren(...(finding ? [make("p", finding)] : []), table);
  }

  picked() {
    const { model } = this;
    const v = model.picked;
    const card = $("picked");
    card.hidden = Boolean(model.about.scene?.matrix);
    if (v === null) {
      return card.replaceChildren(
        make("h2", "Vertex"),
        make(
          "p",
          model.about.scene
            ? "Click the picture to pick a vertex."
            : "This page has no picture to pick from.",
          "muted",
        ),
      );
    }
    const facts = make("dl");
    const row = (name, value) => facts.append(make("dt", name), make("dd", value));
    row(model.about.unit === "s" ? "travel time" : "distance", model.distance(v));
    const before = model.arrays.before ? model.arrays.before[v] : -1;
    if (before >= 0) {
      row("predecessor", model.id(before));
    }
    for (const run of model.runs) {
      if (run.trace) {
        row(
          "first active",
          `${run.first[v] < 0 ? "never" : `iteration ${number(run.first[v] * run.trace.stride + 1)}`} (${run.title})`,
        );
      }
    }
    const way = model.wayTo(v);
    if (way.length > 1) {
      row("path", `${number(way.length)} vertices`);
    }
    card.replaceChildren(make("h2", `Vertex ${model.id(v)}`), facts);
  }

  /** Median, its interval and every trial of each run. */
  chart() {
    const { runs } = this.model;
    const timed = runs.filter(run => run.times.length);
    const box = $("times");
    box.replaceChildren(make("h2", "Time of a run"));
    if (!timed.length) {
      return box.append(make("p", "No timed trials.", "muted"));
    }
    const all = timed.flatMap(run => run.times);
    const high = Math.max(...all);
    const low = Math.min(...all);
    const log = high > 20 * low;
    const width = Math.max(300, Math.min(900, box.clientWidth - 30));
    const rowHeight = 46;
    const height = runs.length * rowHeight + 22;
    const x = ms =>
      6 +
      (width - 18) * (log ? Math.log(ms / (low * 0.8)) / Math.log(high / (low * 0.8)) : ms / high);
    const svg = shape("svg", {
      viewBox: `0 0 ${width} ${height}`,
      width: "100%",
      role: "img",
      "aria-label": "Times of all trials; the table has the medians",
    });
    for (const ms of ticks(log ? low * 0.8 : 0, high, log)) {
      svg.append(
        shape("line", {
          x1: x(ms),
          x2: x(ms),
          y1: 4,
          y2: height - 18,
          stroke: this.player.tokens.grid,
        }),
      );
      svg.append(
        shape("text", { x: x(ms), y: height - 4, "text-anchor": "middle" }, milliseconds(ms)),
      );
    }
    runs.forEach((run, i) => {
      const y = i * rowHeight + 32;
      svg.append(
        shape(
          "text",
          { x: 6, y: y - 16 },
          run.title.length > 44 ? `${run.title.slice(0, 43)}…` : run.title,
        ),
      );
      for (const ms of run.times) {
        const dot = shape("circle", {
          cx: x(ms),
          cy: y,
          r: 3.5,
          fill: this.player.keys[i],
          "fill-opacity": 0.45,
        });
        dot.append(shape("title", {}, milliseconds(ms)));
        svg.append(dot);
      }
      if (run.median === null) {
        return;
      }
      if (run.interval) {
        svg.append(
          shape("line", {
            x1: x(run.interval[0]),
            x2: x(run.interval[1]),
            y1: y,
            y2: y,
            stroke: this.player.keys[i],
            "stroke-width": 3,
          }),
        );
      }
      const line = shape("line", {
        x1: x(run.median),
        x2: x(run.median),
        y1: y - 9,
        y2: y + 9,
        stroke: this.player.keys[i],
        "stroke-width": 3,
      });
      const doubt = run.doubt ? `, ${run.doubt}` : "";
      line.append(shape("title", {}, `median ${run.medianText}${doubt}`));
      svg.append(line);
    });
    box.append(svg);
  }

  /** The sizes of all frontiers behind the scrub bar. */
  waves() {
    const svg = $("waves");
    const width = 1000;
    const height = 30;
    const byTime = $("clock").value === "time";
    const bars = 250;
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${width} 44`);
    svg.setAttribute("preserveAspectRatio", "none");
    this.player.traced.forEach(run => {
      const most = run.active.reduce((a, b) => Math.max(a, b), 1);
      const sizes = new Float64Array(bars + 1);
      const times = byTime ? run.ends : run.positions;
      const bar = time => Math.max(0, Math.min(bars, Math.round(bars * this.player.share(time))));
      const used = bar(times[times.length - 1]) + 1;
      run.active.forEach(
        (count, k) => (sizes[bar(times[k])] = Math.max(sizes[bar(times[k])], count)),
      );
      for (let k = 1; k < used; k++) {
        if (!sizes[k]) {
          sizes[k] = sizes[k - 1];
        }
      }
      const points = Array.from(
        sizes.subarray(0, used),
        (count, k) => `${(k * width) / bars},${height - ((height - 3) * count) / most}`,
      );
      const fill = this.player.traced.length === 1 ? 0.28 : 0.14;
      const colour = this.player.keys[this.model.runs.indexOf(run)];
      svg.append(
        shape("polygon", {
          points: `0,${height} ${points.join(" ")} ${((used - 1) * width) / bars},${height}`,
          fill: colour,
          "fill-opacity": fill,
          stroke: colour,
          "stroke-width": 1,
          "vector-effect": "non-scaling-stroke",
        }),
      );
    });
    this.marker = shape("line", {
      y1: 0,
      y2: height,
      stroke: this.player.tokens.text,
      "vector-effect": "non-scaling-stroke",
    });
    svg.append(this.marker);
  }

  cursor() {
    const at = 1000 * this.player.share(this.player.moments[this.player.moment]);
    for (const name of ["x1", "x2"]) {
      this.marker?.setAttribute(name, at);
    }
  }

  legend() {
    const row = $("legend");
    const { model } = this;
    const { tokens: t } = this.player;
    const lesson = model.arrays.arcTails && model.runs.some(run => run.tentative);
    row.replaceChildren();
    const key = (words, colour, edge) => {
      const one = make("span");
      const dot = make("i");
      (dot.style.background = colour), (dot.style.borderColor = edge);
      one.append(dot, words);
      row.append(one);
    };
    if (lesson) {
      key("not reached", t.panel, t.edge),
        key("tentative", t.selection, t.frontier),
        key("relaxing its arcs", t.frontier, t.text),
        key("done", t.edge_dense, t.edge_dense);
      return;
    }
    if (Number.isFinite(model.low)) {
      const scale = make("span");
      const bar = make("span", "", "bar");
      const { ramp } = this.player.look;
      bar.style.background = `linear-gradient(to right, ${[0, 51, 102, 153, 204, 255].map(i => hex(ramp[i])).join(", ")})`;
      scale.append(
        `${model.about.unit === "s" ? "travel time" : "distance"} ${model.measure(model.low)}`,
        bar,
        model.measure(model.high),
      );
      row.append(scale);
    }
    if (model.about.scene.matrix) {
      const tiled = model.runs.some(run => run.trace?.tiled);
      key("unreachable", t.grid, t.outline);
      key(tiled ? "pivot tile" : "being written", t.path, t.path);
      if (tiled) {
        key("its row and column, then all others", t.frontier, t.frontier);
      }
      return;
    }
    if (this.player.traced.length) {
      key("frontier", t.frontier, t.frontier), key("before it", t.trail, t.trail);
    }
  }
}

function shape(tag, attributes, text = "") {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  if (text) {
    element.textContent = text;
  }
  return element;
}

function ticks(low, high, log) {
  if (log) {
    const found = [];
    for (let power = Math.ceil(Math.log10(low)); power <= Math.log10(high); power++) {
      found.push(10 ** power);
    }
    return found;
  }
  const power = 10 ** Math.floor(Math.log10(high / 3));
  const step = [5, 2, 1].find(k => high / (k * power) >= 2.2) * power;
  return Array.from({ length: Math.floor(high / step) + 1 }, (_, i) => i * step);
}

function milliseconds(ms) {
  if (ms === 0) {
    return "0";
  }
  const [value, unit] = ms >= 1000 ? [ms / 1000, "s"] : ms >= 1 ? [ms, "ms"] : [ms * 1000, "µs"];
  return `${number(Number(value.toPrecision(3)))} ${unit}`;
}
