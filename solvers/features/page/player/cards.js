// What is text on the page: headings of panes, legend, card of a vertex, table, footer. Text from
// files is only ever textContent.

import { hex } from "./colours.js";
import { $, make } from "./dom.js";
import { milliseconds, number } from "./numbers.js";

const NARROW_PANE = 300; // pixels
const RAMP_STOPS = [0, 51, 102, 153, 204, 255];

/** `player` says what is shown at which moment. */
export class Cards {
  constructor(player) {
    this.player = player;
  }

  get model() {
    return this.player.model;
  }

  // -- what changes with the moment -----------------------------------------------------------

  /** Title, iteration and counts of each pane. */
  heads(panes) {
    const box = $("heads");
    while (box.children.length < panes.length) {
      const head = make("div");
      head.append(make("b"), make("span"));
      box.append(head);
    }
    for (const [place, run] of this.model.runs.entries()) {
      const head = box.children[place];
      const { left, top, width, height, row } = panes[place];
      for (const [name, value] of Object.entries({ left, top, width, height })) {
        head.style[name] = `${value}px`;
      }
      head.classList.toggle("tight", width < NARROW_PANE);
      head.classList.toggle("below", row > 0 && left === 0);
      head.firstChild.textContent = run.title;
      head.lastChild.textContent = this.moment(run);
    }
  }

  /** What a run is doing now, with its counts and, by time, how long it took so far. */
  moment(run) {
    if (!run.trace) {
      return "not traced: its answer";
    }
    const words = [this.player.place(run)];
    const step = this.player.step(run);
    if (step >= 0) {
      const active = number(run.active[step]);
      const isMatrix = this.model.about.scene.matrix;
      words.push(
        isMatrix ? `${active} cells` : `${active} active, ${number(run.relaxed[step])} relaxed`,
      );
      if (this.player.timeline.byTime) {
        words.push(milliseconds(run.ends[step]));
      }
    }
    return words.join("  ·  ");
  }

  /** What is known of the picked vertex. */
  picked() {
    const { model } = this;
    const vertex = model.picked;
    const card = $("picked");
    card.hidden = Boolean(model.about.scene?.matrix);
    if (vertex === null) {
      const words = model.about.scene
        ? "Click the picture to pick a vertex."
        : "This page has no picture to pick from.";
      card.replaceChildren(make("h2", "Vertex"), make("p", words, "muted"));
      return;
    }
    const facts = make("dl");
    for (const [name, value] of this.factsOf(vertex)) {
      facts.append(make("dt", name), make("dd", value));
    }
    card.replaceChildren(make("h2", `Vertex ${model.id(vertex)}`), facts);
  }

  /** Pairs of names and values. */
  factsOf(vertex) {
    const { model } = this;
    const facts = [[this.quantityName, model.distance(vertex)]];
    const before = model.arrays.before ? model.arrays.before[vertex] : -1;
    if (before >= 0) {
      facts.push(["predecessor", model.id(before)]);
    }
    for (const run of model.runs.filter(one => one.trace)) {
      const iteration = run.first[vertex] * run.trace.stride + 1;
      const when = run.first[vertex] < 0 ? "never" : `iteration ${number(iteration)}`;
      facts.push(["first active", `${when} (${run.title})`]);
    }
    const path = model.pathTo(vertex);
    if (path.length > 1) {
      facts.push(["path", `${number(path.length)} vertices`]);
    }
    return facts;
  }

  /** What distances of the graph are called. */
  get quantityName() {
    return this.model.about.unit === "s" ? "travel time" : "distance";
  }

  // -- what stays -----------------------------------------------------------------------------

  /** Title, caption, footer and table. */
  texts() {
    const { about, runs } = this.model;
    const [from, to] = about.ends;
    const answer = to === null ? "" : ` to ${to}: ${runs[0].distance}`;
    const subtitle = [
      about.graph === about.title ? "" : about.graph,
      about.facts,
      from === null ? "" : `from ${from}${answer}`,
    ];
    $("title").textContent = about.title;
    $("subtitle").textContent = subtitle.filter(Boolean).join("  ·  ");
    $("caption").textContent = about.caption;
    const help = "the table below has the results, arrow keys step through the iterations";
    $("marks").setAttribute("aria-label", `Graph ${about.graph}; ${help}`);
    this.footer();
    this.table();
    this.picked();
  }

  /** What was left out, where the graph is from, and the trials as CSV. */
  footer() {
    const { about } = this.model;
    const csv = make("a", "Download the trials as CSV");
    csv.href = URL.createObjectURL(new Blob([about.csv], { type: "text/csv" }));
    csv.download = "trials.csv";
    const download = make("p");
    download.append(csv);
    const lines = [
      ...(about.scene ? about.leftOut : []).map(words => `Left out: ${words}`),
      about.reading && `Read with ${about.reading}`,
      about.attribution,
      `Made with ${about.citation}`,
    ];
    $("footer").append(...lines.filter(Boolean).map(words => make("p", words)), download);
  }

  /** The table of results, below what was found. */
  table() {
    const { about, runs } = this.model;
    const names = make("tr");
    for (const words of about.columns) {
      const cell = make("th", words);
      cell.scope = "col";
      names.append(cell);
    }
    const head = make("thead");
    head.append(names);
    const body = make("tbody");
    body.append(...runs.map(run => this.tableRow(run)));
    const table = make("table");
    table.append(make("caption", "Results"), head, body);
    const finding = about.finding ? [make("p", about.finding)] : [];
    $("results").replaceChildren(...finding, table);
  }

  /** The name of a run and its figures, of which the last says whether it is proved. */
  tableRow(run) {
    const name = make("td");
    const device = run.device ? [make("span", ` on ${run.device}`, "muted")] : [];
    name.append(make("span", "", "key"), run.title, ...device);
    const figures = run.cells.map(text => make("td", text));
    figures[figures.length - 1].className = run.ok ? "good" : "bad";
    const row = make("tr");
    row.append(name, ...figures);
    return row;
  }

  // -- legend ---------------------------------------------------------------------------------

  /** What the colours of the picture stand for. */
  legend() {
    const { model } = this;
    const isLesson = model.runs.some(run => run.vertexStates);
    if (this.player.taught) {
      const states = model.graph ? this.lessonKeys() : [];
      $("legend").replaceChildren(...states, ...this.markKeys());
    } else if (isLesson) {
      $("legend").replaceChildren(...this.lessonKeys());
    } else {
      const scale = Number.isFinite(model.low) ? [this.scale()] : [];
      const keys = model.about.scene.matrix ? this.matrixKeys() : this.frontierKeys();
      $("legend").replaceChildren(...scale, ...keys);
    }
  }

  /** States of vertices in a lesson. */
  lessonKeys() {
    const { tokens } = this.player;
    const looks = [
      [tokens.panel, tokens.edge],
      [tokens.selection, tokens.frontier],
      [tokens.frontier, tokens.text],
      [tokens.edge_dense, tokens.edge_dense],
    ];
    return this.model.about.states.map((words, place) => legendKey(words, ...looks[place]));
  }

  /** Marks in the matrix of a lesson. */
  markKeys() {
    const { tokens, taught } = this.player;
    return taught.trace.lesson.marks.map(([words, role]) =>
      legendKey(words, "transparent", tokens[role]),
    );
  }

  /** Cells without a shade, and tiles that are written. */
  matrixKeys() {
    const { tokens } = this.player;
    const { runs, about } = this.model;
    const roles = about.scene.roles.filter((_, role) =>
      runs.some(run => run.trace?.roles.includes(role)),
    );
    return [
      legendKey("unreachable", tokens.grid, tokens.outline),
      ...roles.map(([words, ink, opacity]) => {
        const mean = `color-mix(in srgb, ${tokens[ink]} ${100 * opacity}%, transparent)`;
        return legendKey(words, mean, tokens[ink]);
      }),
    ];
  }

  /** The frontier and its trail. */
  frontierKeys() {
    const { tokens, traced } = this.player;
    if (!traced.length) {
      return [];
    }
    return [
      legendKey("frontier", tokens.frontier, tokens.frontier),
      legendKey("before it", tokens.trail, tokens.trail),
    ];
  }

  /** The ramp of distances with its ends. */
  scale() {
    const { model } = this;
    const { ramp } = this.player.look;
    const colours = RAMP_STOPS.map(shade => hex(ramp[shade]));
    const bar = make("span", "", "bar");
    bar.style.background = `linear-gradient(to right, ${colours.join(", ")})`;
    const scale = make("span");
    const low = `${this.quantityName} ${model.measure(model.low)}`;
    scale.append(low, bar, model.measure(model.high));
    return scale;
  }
}

/** An entry of the legend: a dot and what it stands for. */
function legendKey(words, fill, edge) {
  const dot = make("i");
  dot.style.background = fill;
  dot.style.borderColor = edge;
  const key = make("span");
  key.append(dot, words);
  return key;
}
