// The page: what is shown at which moment, and what clicks, keys and touches do. Text is only ever set as textContent.

const $ = id => document.getElementById(id);

function make(tag, text = "", kind = "") {
  const element = document.createElement(tag);
  element.textContent = text;
  if (kind) element.className = kind;
  return element;
}

/** Graph and runs, and what is derived from them. */
class Model {
  constructor({ about, arrays }) {
    this.about = about, this.arrays = arrays;
    if (about.scene) this.place();
    this.runs = about.runs.map((run, i) => this.unpackRun(run, i));
    if (arrays.arcTails) this.readArcs();
  }

  place() {
    const { arrays, about } = this, grid = about.scene.grid, n = about.n;
    const far = v => arrays.x[v] > 2 * grid;
    arrays.px = Float64Array.from(arrays.x, (x, v) => (far(v) ? NaN : x / grid));
    arrays.py = Float64Array.from(arrays.y, (y, v) => (far(v) ? NaN : y / grid));
    arrays.heads = arrays.heads.map((step, e) => arrays.tails[e] + step);
    const segments = arrays.segments = new Float32Array(4 * arrays.tails.length);
    for (let e = 0; e < arrays.tails.length; e++) {
      const a = arrays.tails[e], b = arrays.heads[e];
      if (about.scene.curved)
        segments.set([arrays.x0[e], arrays.y0[e], arrays.x0[e] + arrays.dx[e], arrays.y0[e] + arrays.dy[e]].map(x => x / grid), 4 * e);
      else segments.set([arrays.px[a], arrays.py[a], arrays.px[b], arrays.py[b]], 4 * e);
    }
    if (arrays.roadHeads) arrays.roadHeads = arrays.roadHeads.map((step, e) => arrays.roadTails[e] + step);
    if (arrays.distances) arrays.distances = arrays.distances.map(d => (d === -1 ? Infinity : d));
    if (arrays.before) arrays.before = arrays.before.map((step, v) => (step ? v + step : -1));
    const known = arrays.distances ? arrays.distances.filter(Number.isFinite) : [];
    this.low = known.reduce((a, b) => Math.min(a, b), Infinity);
    this.high = known.reduce((a, b) => Math.max(a, b), -Infinity);
    this.cells = new Map(); // vertices by place, for clicks: a square of a grid of about two vertices each
    this.side = Math.max(1, Math.floor(Math.sqrt(n / 2)));
    for (let v = 0; v < n; v++) {
      const cell = this.cell(arrays.px[v], arrays.py[v]);
      if (this.cells.has(cell)) this.cells.get(cell).push(v);
      else this.cells.set(cell, [v]);
    }
  }

  cell(x, y) {
    return Math.floor((x + 0.5) * this.side) * 1e6 + Math.floor((y + 0.5) * this.side);
  }

  unpackRun(run, i) {
    const got = name => this.arrays[`${i}.${name}`], n = this.about.n;
    if (!this.about.scene) return run;
    const shade = new Uint8Array(n), { distances } = this.arrays;
    let first = null;
    if (run.trace) {
      const offsets = new Float64Array(got("sizes").length + 1), vertices = Int32Array.from(got("frontiers"));
      got("sizes").forEach((size, k) => (offsets[k + 1] = offsets[k] + size));
      for (let k = 0; k + 1 < offsets.length; k++)
        for (let j = offsets[k] + 1; j < offsets[k + 1]; j++) vertices[j] += vertices[j - 1];
      Object.assign(run, { offsets, vertices, positions: got("positions"), ms: got("ms"), tentative: got("tentative") });
      for (const name of ["active", "relaxed", "improved"]) run[name] = got(name);
      if (run.tentative) run.tentative = run.tentative.map(d => (d === -1 ? Infinity : d));
      first = new Int32Array(n).fill(-1);
      if (got("first")) first.set(got("first"));
      else for (let k = run.positions.length - 1; k >= 0; k--)
        for (let j = offsets[k]; j < offsets[k + 1]; j++) first[vertices[j]] = run.positions[k];
      run.first = first;
      let total = 0;
      run.ends = Float64Array.from(run.ms, ms => (total += ms));
      const scale = total && run.median ? run.median / total : 1; // as long as the timed runs, which did not record
      run.ends = run.ends.map(ms => ms * scale);
    }
    const last = run.trace ? run.positions[run.positions.length - 1] : 0;
    const some = distances || first, reveal = some ? new Int32Array(n).fill(NEVER) : null;
    const spread = this.high > this.low ? 255 / (this.high - this.low) : 0;
    for (let v = 0; v < n && some; v++) {
      if (distances && Number.isFinite(distances[v])) {
        shade[v] = Math.floor((distances[v] - this.low) * spread);
        reveal[v] = first ? (first[v] >= 0 ? first[v] : last) : 0;
      } else if (first && first[v] >= 0) {
        reveal[v] = first[v];
        if (!distances) shade[v] = Math.floor(first[v] * 255 / Math.max(1, last));
      }
    }
    return Object.assign(run, { reveal, shade, length: run.trace ? last + 1 : 1 });
  }

  /** The last kept step up to a recorded iteration; -1 before the first. */
  stepAt(run, position) {
    let low = 0, high = run.positions.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (run.positions[middle] <= position) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  frontier(run, step) {
    return step < 0 ? new Int32Array() : run.vertices.subarray(run.offsets[step], run.offsets[step + 1]);
  }

  /** Frontiers of the steps before, oldest first, with their freshness; `Activity.trail` of the window. */
  trail(run, step) {
    const found = [], share = Math.floor(run.trace.length / (60 * run.trace.gathered));
    const length = Math.min(24, Math.max(4, share));
    for (let age = 1, room = 150000; age <= length && step - age >= 0; age++) {
      const one = this.frontier(run, step - age);
      if ((room -= one.length) < 0) break;
      found.push([one, 1 - age / (length + 1)]);
    }
    return found.reverse();
  }

  readArcs() {
    const { arcTails: tails, arcHeads: heads, arcWeights: weights } = this.arrays;
    this.least = new Map();
    for (let i = 0; i < tails.length; i++) {
      const key = tails[i] * this.about.n + heads[i], known = this.least.get(key);
      if (known === undefined || weights[i] < weights[known]) this.least.set(key, i);
    }
    this.opposite = i => this.least.get(heads[i] * this.about.n + tails[i]);
  }

  drawn(i) {
    const { arcTails: tails, arcHeads: heads, arcWeights: weights } = this.arrays, back = this.opposite(i);
    if (this.least.get(tails[i] * this.about.n + heads[i]) !== i) return false;
    return back === undefined || weights[back] !== weights[i] || tails[i] <= heads[i];
  }

  oneWay(i) {
    const back = this.opposite(i);
    return back === undefined || this.arrays.arcWeights[back] !== this.arrays.arcWeights[i];
  }

  bent(tail, head) {
    const n = this.about.n, there = this.least.get(tail * n + head), back = this.least.get(head * n + tail);
    return there !== undefined && back !== undefined && this.arrays.arcWeights[there] !== this.arrays.arcWeights[back];
  }

  id(v) {
    return this.about.labels ? this.about.labels[v] : number(this.arrays.ids[v]).replaceAll("\u202f", "");
  }

  distance(v) {
    const d = this.arrays.distances ? this.arrays.distances[v] : NaN;
    if (Number.isNaN(d)) return "not known";
    return Number.isFinite(d) ? `${number(d * this.about.unitFactor)} ${this.about.unit}`.trim() : "unreachable";
  }

  /** The vertices from the source to another one; empty if it is not reached or no run kept the way. */
  wayTo(v) {
    const { before, distances, path } = this.arrays;
    if (v === this.about.target && path) return [...path];
    if (!before || !distances || !Number.isFinite(distances[v])) return [];
    const way = [v];
    while (before[way[0]] >= 0 && way.length <= this.about.n) way.unshift(before[way[0]]);
    return way;
  }

  shownPath(state) {
    if (this.picked !== null && this.picked !== undefined) return state.atEnd || !state.values ? this.wayTo(this.picked) : [];
    if (this.about.target === null) return [];
    return state.atEnd || (this.runs.length === 1 && !state.values) ? this.wayTo(this.about.target) : [];
  }

  polylines(path) {
    const { px, py, roadTails, roadHeads, segments } = this.arrays;
    if (!roadTails) return [path.map(v => [px[v], py[v]])];
    const steps = new Set(), found = [], key = (a, b) => Math.min(a, b) * this.about.n + Math.max(a, b);
    for (let i = 1; i < path.length; i++) steps.add(key(path[i - 1], path[i]));
    for (let e = 0; e < roadTails.length; e++)
      if (steps.has(key(roadTails[e], roadHeads[e])))
        found.push([[segments[4 * e], segments[4 * e + 1]], [segments[4 * e + 2], segments[4 * e + 3]]]);
    return found;
  }

  nearest(x, y, within) {
    let best = null, least = within;
    const ring = Math.max(1, Math.ceil(within * this.side));
    const cx = Math.floor((x + 0.5) * this.side), cy = Math.floor((y + 0.5) * this.side);
    for (let i = cx - ring; i <= cx + ring; i++)
      for (let j = cy - ring; j <= cy + ring; j++)
        for (const v of this.cells.get(i * 1e6 + j) ?? []) {
          const far = Math.hypot(this.arrays.px[v] - x, this.arrays.py[v] - y);
          if (far < least) least = far, best = v;
        }
    return best;
  }
}

/** The state of a run after a step, for the figure of a small graph; as the window's lesson. */
class State {
  constructor(model, run, step, tokens) {
    Object.assign(this, { model, run, step, tokens });
    this.atEnd = !run.trace || step >= run.positions.length - 1;
    this.active = new Set(run.trace ? model.frontier(run, step) : []);
    this.improved = new Set();
    const n = model.about.n, at = k => run.tentative.subarray(k * n, (k + 1) * n);
    this.values = Boolean(run.tentative) && n <= 100;
    if (!this.values) return;
    const start = new Float64Array(n).fill(Infinity);
    for (const v of model.frontier(run, 0)) start[v] = 0;
    this.before = step > 0 ? at(step - 1) : start;
    this.after = step >= 0 ? at(step) : start;
    for (let v = 0; v < n; v++) if (this.after[v] < this.before[v]) this.improved.add(v);
    const { arcTails } = model.arrays, own = arcTails.reduce((sum, tail) => sum + this.active.has(tail), 0);
    this.relaxesAll = step >= 0 && run.relaxed[step] === arcTails.length && own < arcTails.length;
    this.last = new Int32Array(n).fill(-1);
    run.offsets.slice(0, -1).forEach((_, k) => model.frontier(run, k).forEach(v => (this.last[v] = k)));
    this.parents = this.findParents();
  }

  /** The arc that gives each vertex its tentative distance: the one with the least slack. */
  findParents() {
    const { arcTails, arcHeads, arcWeights } = this.model.arrays, parents = new Map();
    for (let i = 0; i < arcTails.length; i++) {
      const way = this.after[arcTails[i]] + arcWeights[i], slack = this.after[arcHeads[i]] - way;
      if (!Number.isFinite(slack) || slack < -1e-5 * (1 + Math.abs(way)) || arcTails[i] === arcHeads[i]) continue;
      const known = parents.get(arcHeads[i]);
      if (!known || slack < known[1]) parents.set(arcHeads[i], [i, slack]);
    }
    for (const v of this.model.frontier(this.run, 0)) parents.delete(v);
    return parents;
  }

  vertex(v) {
    const t = this.tokens;
    if (this.active.has(v)) return [t.frontier, this.values ? t.text : t.edge_dense, this.values ? 2.2 : 1.4];
    if (!this.values) {
      const { run } = this, position = run.trace ? run.positions[Math.max(0, this.step)] : 0;
      const seen = run.reveal && run.reveal[v] <= position && this.step >= 0;
      return [seen ? hex(this.model.look.ramp[run.shade[v]]) : t.panel, t.edge_dense, 1.4];
    }
    if (!Number.isFinite(this.after[v])) return [t.panel, t.edge, 1.6];
    return this.last[v] >= 0 && this.last[v] < this.step ? [t.edge_dense, t.edge_dense, 1.6] : [t.selection, t.frontier, 1.6];
  }

  arc(i) {
    const { arcTails, arcHeads } = this.model.arrays;
    if (!this.values) return "idle";
    const parent = this.parents.get(arcHeads[i]), back = this.model.opposite(i);
    if (parent && parent[0] === i) return this.improved.has(arcHeads[i]) ? "improved" : "tree";
    if (back !== undefined && !this.model.oneWay(i)) { // one line stands for both
      const other = this.parents.get(arcTails[i]);
      if (other && other[0] === back) return this.improved.has(arcTails[i]) ? "improved" : "tree";
      if (this.active.has(arcHeads[i])) return "relaxed";
    }
    const relaxed = this.active.has(arcTails[i]) || (this.relaxesAll && Number.isFinite(this.before[arcTails[i]]));
    return relaxed ? "relaxed" : "idle";
  }

  value(v) {
    return this.values ? number(this.after[v] * this.model.about.unitFactor) : null;
  }
}

function hex(argb) {
  return `#${(argb & 0xffffff).toString(16).padStart(6, "0")}`;
}

/** Questions, one at a time, with a score; nothing is sent anywhere. */
class Quiz {
  constructor(player, questions) {
    Object.assign(this, { player, questions, at: 0, given: questions.map(() => new Set()), checked: questions.map(() => null) });
    if (questions.length) $("asked").hidden = false, this.show();
  }

  get now() {
    return this.active ? this.questions[this.at] : null;
  }

  show() {
    const { questions, at } = this, question = questions[at], card = $("asked"), score = this.checked.filter(Boolean).length;
    card.replaceChildren(make("h2", `Question ${at + 1} of ${questions.length}`), make("p", question.words));
    const answer = this.answerField(question), row = make("div", "", "row"), result = make("p");
    result.setAttribute("aria-live", "polite");
    const button = (words, act, disabled = false) => {
      const one = make("button", words);
      one.type = "button", one.disabled = disabled, one.onclick = act;
      row.append(one);
      return one;
    };
    button("‹", () => this.go(at - 1), at === 0).setAttribute("aria-label", "Question before");
    if (!this.active) button("Start", () => this.start()).className = "main";
    else button("Check", () => this.check(), this.checked[at] !== null).className = "main";
    button("›", () => this.go(at + 1), at === questions.length - 1).setAttribute("aria-label", "Next question");
    button("Copy answers", () => this.copy());
    row.append(make("span", `${score} right`, "score"));
    if (this.checked[at] !== null) {
      result.textContent = `${this.checked[at] ? "Right." : "Not quite."} ${this.solution(question)}`;
      result.className = this.checked[at] ? "good" : "bad";
    }
    card.append(...(this.active && answer ? [answer] : []), result, row);
  }

  answerField(question) {
    const given = this.given[this.at], field = make("div");
    if (question.kind === "distance") {
      const label = make("label", "Distance (inf if it has none): "), input = make("input");
      input.type = "text", input.id = "typed", input.inputMode = "decimal", input.value = [...given][0] ?? "";
      input.oninput = () => (this.given[this.at] = new Set(input.value ? [input.value] : []));
      input.onkeydown = event => event.key === "Enter" && this.check();
      label.append(input);
      field.append(label);
    } else if (question.kind === "first") {
      this.player.model.runs.forEach((run, i) => {
        const label = make("label"), box = make("input");
        box.type = "checkbox", box.checked = given.has(i);
        box.onchange = () => (box.checked ? given.add(i) : given.delete(i));
        label.append(box, ` ${run.title}`);
        field.append(label);
      });
    } else field.append(make("p", [...given].map(one => this.named(question, one)).join(", ") || "Nothing chosen yet.", "muted"));
    return field;
  }

  named(question, one) {
    const { model } = this.player, { arcTails, arcHeads } = model.arrays;
    if (question.kind === "arcs") return `${model.id(arcTails[one])} → ${model.id(arcHeads[one])}`;
    if (question.kind === "first") return model.runs[one].title;
    return question.kind === "frontier" ? model.id(one) : number(one === null ? Infinity : Number(one));
  }

  solution(question) {
    return `Answer: ${question.answer.map(one => this.named(question, one)).join(", ")}.`;
  }

  start() {
    this.active = true;
    this.go(this.at);
  }

  go(at) {
    this.at = Math.max(0, Math.min(this.questions.length - 1, at));
    const question = this.questions[this.at];
    if (this.active) this.player.ask(question);
    this.show();
  }

  toggle(one) {
    if (this.checked[this.at] !== null) return;
    const given = this.given[this.at];
    if (!given.delete(one)) given.add(one);
    this.show();
  }

  check() {
    const question = this.questions[this.at], given = [...this.given[this.at]];
    const value = text => (/^(inf|∞|infinity|none)$/i.test(text.trim()) ? Infinity : Number(text.replace(/[\s\u202f]/g, "").replace("−", "-")));
    let right;
    if (question.kind === "distance") {
      const wanted = question.answer[0] ?? Infinity, said = given.length ? value(given[0]) : NaN;
      right = said === wanted || Math.abs(said - wanted) <= 1e-6 * Math.abs(wanted);
    } else right = given.length === question.answer.length && question.answer.every(one => this.given[this.at].has(one));
    this.checked[this.at] = right;
    this.player.draw();
    this.show();
  }

  /** What is marked on the graph: the choice and, once it was checked, what was right and what was missed. */
  marks(tokens) {
    const found = { vertices: new Map(), arcs: new Map() }, question = this.now;
    if (!question || !["frontier", "arcs"].includes(question.kind)) {
      if (question && question.kind === "distance") found.vertices.set(question.vertex, tokens.accent);
      return found;
    }
    const kind = question.kind === "arcs" ? found.arcs : found.vertices, done = this.checked[this.at] !== null;
    for (const one of this.given[this.at]) kind.set(one, done ? (question.answer.includes(one) ? tokens.good : tokens.bad) : tokens.accent);
    if (done) for (const one of question.answer) if (!kind.has(one)) kind.set(one, tokens.warning);
    return found;
  }

  get text() {
    const { model } = this.player, lines = [`${model.about.title}: ${this.checked.filter(Boolean).length} of ${this.questions.length} right`];
    this.questions.forEach((question, i) => {
      const given = [...this.given[i]].map(one => (question.kind === "distance" ? one : this.named(question, one))).join(", ");
      const verdict = this.checked[i] === null ? "not checked" : this.checked[i] ? "right" : `wrong. ${this.solution(question)}`;
      lines.push(`${i + 1}. ${question.words} – ${given || "no answer"} (${verdict})`);
    });
    return lines.join("\n");
  }

  copy() {
    const text = this.text, show = () => { // a page from disk may not be allowed to use the clipboard
      const area = make("textarea");
      area.value = text, area.readOnly = true;
      area.setAttribute("aria-label", "Answers");
      $("asked").querySelector("textarea")?.remove();
      $("asked").append(area);
      area.select();
    };
    navigator.clipboard ? navigator.clipboard.writeText(text).then(show, show) : show();
  }
}

class Player {
  constructor(model) {
    this.model = model;
    const { about } = model;
    this.dark = matchMedia("(prefers-color-scheme: dark)").matches;
    this.moment = 0, this.playing = false, this.asking = null;
    model.picked = null;
    this.texts();
    if (about.scene) {
      try {
        this.raster = new Raster($("pixels"), model.arrays, about.scene);
      } catch (error) {
        this.tell(`This browser cannot draw the picture (${error.message}); the table below has the results.`);
      }
    } else this.tell(about.leftOut.join(" "), about.picture);
    this.traced = model.runs.filter(run => run.trace && about.scene);
    this.times();
    this.quiz = new Quiz(this, this.raster ? about.questions : []);
    this.controls();
    this.recolour();
    if (this.raster) {
      model.runs.forEach((run, i) => this.raster.run(i, run.reveal, run.shade));
      this.fit();
      new ResizeObserver(() => this.resize()).observe($("view"));
      this.seek(this.end);
    }
  }

  tell(words, picture = "") {
    const told = $("told");
    told.hidden = false;
    if (picture) {
      const image = make("img");
      image.src = `data:image/png;base64,${picture}`, image.alt = this.model.about.caption;
      told.append(image);
    }
    told.append(words);
    for (const id of ["zoom", "transport"]) $(id).hidden = true, $(id).style.display = "none";
  }

  // -- time -----------------------------------------------------------------------------------------------------------

  /** The moments of the scrub bar: every kept iteration of any run, or the times at which they end. */
  times() {
    const byTime = $("clock").value === "time";
    const all = this.traced.flatMap(run => Array.from(byTime ? run.ends : run.positions));
    this.moments = Float64Array.from(new Set(all)).sort();
    if (!this.moments.length) this.moments = Float64Array.of(0);
    $("scrub").max = this.moments.length - 1;
  }

  get end() {
    return this.moments.length - 1;
  }

  /** The step of a run that is shown now; -1 before its first. */
  step(run) {
    if (this.asking && this.model.runs.indexOf(run) === this.asking.run && this.asking.position < 0) return -1;
    const now = this.moments[this.moment];
    if ($("clock").value === "lock") return this.model.stepAt(run, now);
    return this.model.stepAt({ positions: run.ends }, now);
  }

  seek(moment, quiet = false) {
    this.moment = Math.max(0, Math.min(this.end, Math.round(moment)));
    $("scrub").value = this.moment;
    const words = this.traced.map(run => this.place(run)).join("; ");
    $("scrub").setAttribute("aria-valuetext", words);
    if (!quiet) $("said").textContent = words;
    this.draw();
  }

  place(run) {
    const step = this.step(run);
    if (step < 0) return "before the first iteration";
    if (run.trace.places) return run.trace.places[step];
    return `iteration ${number(run.positions[step] * run.trace.stride + 1)} of ${number(run.trace.iterations)}`;
  }

  toggle() {
    this.playing = !this.playing;
    $("play").querySelector("path").setAttribute("d", this.playing ? "M3 2.5h4v11H3zM9 2.5h4v11H9z" : "M4 2.5v11L13.5 8z");
    $("play").setAttribute("aria-label", this.playing ? "Pause" : "Play");
    if (!this.playing) return this.seek(this.moment);
    this.asking = null;
    if (this.moment >= this.end) this.moment = 0;
    let before = null, exact = this.moment;
    const byTime = $("clock").value === "time", whole = this.moments[this.end] - this.moments[0];
    const tick = now => {
      if (!this.playing) return;
      if (before !== null) {
        const seconds = Math.min(14, Math.max(3, this.moments.length / 4)), share = (now - before) / 1000 / seconds * Number($("speed").value);
        if (byTime) {
          const wanted = (this.clock ?? this.moments[this.moment]) + share * whole;
          this.clock = wanted;
          while (exact < this.end && this.moments[Math.floor(exact) + 1] <= wanted) exact = Math.floor(exact) + 1;
          if (wanted >= this.moments[this.end]) exact = this.end;
        } else exact += share * this.moments.length;
        this.seek(Math.floor(Math.min(exact, this.end)), true);
      } else this.clock = this.moments[this.moment];
      before = now;
      if (exact >= this.end) return this.toggle();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  pause() {
    if (this.playing) this.toggle();
  }

  ask(question) {
    this.pause();
    this.asking = question.kind === "first" ? null : question;
    $("marks").classList.toggle("asking", question.kind === "frontier" || question.kind === "arcs");
    if (this.asking) {
      $("clock").value = "lock";
      this.times();
      const place = this.moments.findIndex(one => one >= question.position);
      this.seek(Math.max(0, place));
    } else this.draw();
  }

  // -- view -----------------------------------------------------------------------------------------------------------

  /** The panes in logical pixels: side by side, or below one another where the view is narrow. */
  panes() {
    const count = this.model.runs.length, { clientWidth: width, clientHeight: height } = $("view");
    const columns = count === 4 ? 2 : width / count >= 240 && width > height ? count : count <= 2 ? 1 : 2;
    const rows = Math.ceil(count / columns), w = Math.floor(width / columns), h = Math.floor(height / rows);
    return this.model.runs.map((_, i) => ({ left: (i % columns) * w, top: Math.floor(i / columns) * h, width: w, height: h, row: Math.floor(i / columns) }));
  }

  fit() {
    const { bounds: [x0, y0, x1, y1] } = this.model.about.scene, [pane] = this.panes();
    const isLesson = this.model.arrays.arcTails && this.model.about.n <= 200;
    const free = 1 - 2 * (isLesson ? 0.12 : 0.06), narrow = $("view").clientWidth < 600;
    const head = narrow ? 24 : pane.height < 420 || isLesson ? 36 : 48; // of the pane's heading
    const between = low => {
      const across = x1 > x0 ? pane.width * free / (x1 - x0) : Infinity;
      const down = y1 > y0 ? (pane.height - low - head) * free / (y1 - y0) : Infinity;
      const scale = Math.min(across, down, 2e7);
      return { x: (x0 + x1) / 2, y: (y0 + y1) / 2 + (low - head) / 2 / scale, scale, width: pane.width, height: pane.height };
    };
    this.legend();
    const legend = $("legend"), low = !narrow && (pane.height < 420 || isLesson) ? 56 : 0;
    this.view = between(low);
    const left = pane.width / 2 - (x1 - x0) / 2 * this.view.scale, bottom = pane.height / 2 + (y1 - this.view.y) * this.view.scale;
    if (!narrow && left < legend.offsetLeft + legend.offsetWidth && bottom > legend.offsetTop) {
      this.view = between(Math.max(low, Math.min(pane.height / 3, legend.offsetHeight + 16)));
    }
    this.fitted = true;
    this.draw();
  }

  resize() {
    if (this.fitted) return this.fit();
    const [pane] = this.panes();
    Object.assign(this.view, { width: pane.width, height: pane.height });
    this.draw();
  }

  move(dx, dy) {
    this.view = { ...this.view, x: this.view.x - dx / this.view.scale, y: this.view.y - dy / this.view.scale };
    this.moved();
  }

  zoom(factor, px = this.view.width / 2, py = this.view.height / 2) {
    const { view } = this, scale = Math.min(2e7, Math.max(20, view.scale * factor)), by = scale / view.scale;
    const wx = view.x + (px - view.width / 2) / view.scale, wy = view.y + (py - view.height / 2) / view.scale;
    this.view = { ...view, scale, x: wx + (view.x - wx) / by, y: wy + (view.y - wy) / by };
    this.moved();
  }

  moved() {
    this.fitted = false;
    this.moving = true;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      this.moving = false;
      this.draw();
    }, 140);
    this.draw();
  }

  draw() {
    if (!this.raster || this.due) return;
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      this.paint();
    });
  }

  paint() {
    const begun = performance.now(), { raster, model, view } = this, ratio = Math.min(2, devicePixelRatio || 1), panes = this.panes();
    const width = Math.round($("view").clientWidth * ratio), height = Math.round($("view").clientHeight * ratio);
    for (const canvas of [$("pixels"), $("marks")])
      if (canvas.width !== width || canvas.height !== height) canvas.width = width, canvas.height = height;
    const context = $("marks").getContext("2d"), tokens = this.tokens, gl = raster.gl;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const same = raster.drawn && ["x", "y", "scale", "width", "height"].every(key => raster.drawn[key] === view[key]) && raster.drawn.ratio === ratio;
    const sized = raster.drawn && raster.drawn.width === view.width && raster.drawn.height === view.height && raster.drawn.ratio === ratio;
    const figure = new Figure(context, panes[0], view, model, tokens);
    const detailed = figure.detailed;
    if (!detailed && !same && !(this.moving && raster.slow && sized)) raster.drawEdges(view, ratio);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.disable(gl.SCISSOR_TEST);
    gl.clearColor(...channels(tokens.canvas), 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    model.runs.forEach((run, i) => {
      const pane = panes[i], step = run.trace ? this.step(run) : 0, state = new State(model, run, step, tokens);
      context.save();
      context.beginPath();
      context.rect(pane.left, pane.top, pane.width, pane.height);
      context.clip();
      const marks = new Figure(context, pane, view, model, tokens);
      const asked = this.asking && this.asking.run === i ? this.quiz.marks(tokens) : { vertices: new Map(), arcs: new Map() };
      if (detailed) marks.drawGraph(state, asked);
      else {
        const upto = run.trace ? (step < 0 ? -1 : run.positions[step]) : 0;
        const place = { x: Math.round(pane.left * ratio), y: height - Math.round(pane.top * ratio) - raster.height };
        raster.colour(place, i, upto, view, run.trace && step >= 0 ? this.lights(run, step, view, ratio) : []);
        marks.drawPath(state);
        marks.drawMarkers();
        for (const [v] of asked.vertices) marks.drawPicked(v);
      }
      if (model.picked !== null) marks.drawPicked(model.picked);
      if (i === model.runs.length - 1) marks.drawScaleBar();
      context.restore();
    });
    this.heads(panes);
    this.cursor();
    this.took = performance.now() - begun;
  }

  lights(run, step, view, ratio) {
    const trail = this.playing && this.raster.software ? [] : this.model.trail(run, step); // too slow for a processor
    const { waves, snapped } = wavesOf(this.model.frontier(run, step), trail, this.raster.measures(view.scale), ratio, this.tokens);
    return placeSpots(waves, snapped, view, ratio, this.model.arrays);
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
      const head = box.children[i], { left, top, width, height, row } = panes[i];
      Object.assign(head.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
      head.style.paddingRight = row === 0 && left + width > $("view").clientWidth - 60 ? "56px" : "";
      head.classList.toggle("tight", width < 300);
      head.classList.toggle("below", row > 0 && left === 0);
      head.firstChild.textContent = run.title;
      const step = run.trace ? this.step(run) : -1;
      const counts = step < 0 ? "" : `  ·  ${number(run.active[step])} active, ${number(run.relaxed[step])} relaxed`;
      const time = $("clock").value === "time" && step >= 0 ? `  ·  ${milliseconds(run.ends[step])}` : "";
      head.lastChild.textContent = run.trace ? this.place(run) + counts + time : "not traced: its answer";
    });
  }

  // -- words ----------------------------------------------------------------------------------------------------------

  texts() {
    const { about, runs } = this.model;
    $("title").textContent = about.title;
    const [from, to] = about.ends, way = from === null ? "" : `from ${from}${to === null ? "" : ` to ${to}: ${runs[0].distance}`}`;
    $("subtitle").textContent = [about.graph === about.title ? "" : about.graph, about.facts, way].filter(Boolean).join("  ·  ");
    $("marks").setAttribute("aria-label", `Graph ${about.graph}; the table below has the results, arrow keys step through the iterations`);
    const footer = $("footer"), csv = make("a", "Download the trials as CSV");
    csv.href = `data:text/csv;charset=utf-8,${encodeURIComponent(about.csv)}`, csv.download = "trials.csv";
    if (about.caption) footer.append(make("p", about.caption));
    for (const words of about.scene ? about.leftOut : []) footer.append(make("p", `Left out: ${words}`));
    if (about.attribution) footer.append(make("p", about.attribution));
    footer.append(make("p", `Made with ${about.citation}`));
    const line = make("p");
    line.append(csv);
    footer.append(line);
    this.table();
    this.pickedCard();
  }

  table() {
    const table = make("table"), head = make("tr"), { runs } = this.model;
    table.append(make("caption", "Results"));
    for (const words of ["Variant", "Median time", "Speed-up", "Iterations", "Arcs relaxed", "Distance", "Proved"]) {
      const cell = make("th", words);
      cell.scope = "col";
      head.append(cell);
    }
    const top = make("thead"), body = make("tbody");
    top.append(head);
    runs.forEach((run, i) => {
      const row = make("tr"), name = make("td"), key = make("span", "", "key"), base = runs[0].median;
      name.append(key, run.title, ...(run.device ? [make("span", ` on ${run.device}`, "muted")] : []));
      const ratio = base && run.median ? `${(base / run.median).toPrecision(3)}×` : "–";
      row.append(name);
      for (const text of [run.medianText, ratio, run.iterations === null ? "–" : number(run.iterations), run.relaxations === null ? "–" : number(run.relaxations), run.distance])
        row.append(make("td", text));
      row.append(make("td", run.proved, run.ok ? "good" : "bad"));
      body.append(row);
    });
    table.append(top, body);
    $("results").replaceChildren(table);
  }

  pickedCard() {
    const { model } = this, v = model.picked, card = $("picked");
    if (v === null) return card.replaceChildren(make("h2", "Vertex"), make("p", model.about.scene ? "Click the picture to pick a vertex." : "This page has no picture to pick from.", "muted"));
    const facts = make("dl"), row = (name, value) => facts.append(make("dt", name), make("dd", value));
    row(model.about.unit === "s" ? "travel time" : "distance", model.distance(v));
    const before = model.arrays.before ? model.arrays.before[v] : -1;
    if (before >= 0) row("predecessor", model.id(before));
    for (const run of model.runs)
      if (run.trace) row("first active", `${run.first[v] < 0 ? "never" : `iteration ${number(run.first[v] * run.trace.stride + 1)}`} (${run.title})`);
    const way = model.wayTo(v);
    if (way.length > 1) row("path", `${number(way.length)} vertices`);
    card.replaceChildren(make("h2", `Vertex ${model.id(v)}`), facts);
  }

  /** Median, its interval and every trial of each run. */
  chart() {
    const { runs } = this.model, timed = runs.filter(run => run.times.length), box = $("times");
    box.replaceChildren(make("h2", "Time of a run"));
    if (!timed.length) return box.append(make("p", "No timed trials.", "muted"));
    const all = timed.flatMap(run => run.times), high = Math.max(...all), low = Math.min(...all), log = high > 20 * low;
    const width = 300, rowHeight = 46, height = runs.length * rowHeight + 22;
    const x = ms => 6 + (width - 18) * (log ? Math.log(ms / (low * 0.8)) / Math.log(high / (low * 0.8)) : ms / high);
    const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, width: "100%", role: "img", "aria-label": "Times of all trials; the table has the medians" });
    for (const ms of ticks(log ? low * 0.8 : 0, high, log)) {
      svg.append(shape("line", { x1: x(ms), x2: x(ms), y1: 4, y2: height - 18, stroke: this.tokens.grid }));
      svg.append(shape("text", { x: x(ms), y: height - 4, "text-anchor": "middle" }, milliseconds(ms)));
    }
    runs.forEach((run, i) => {
      const y = i * rowHeight + 32;
      svg.append(shape("text", { x: 6, y: y - 16 }, run.title.length > 44 ? `${run.title.slice(0, 43)}…` : run.title));
      for (const ms of run.times) {
        const dot = shape("circle", { cx: x(ms), cy: y, r: 3.5, fill: this.keys[i], "fill-opacity": 0.45 });
        dot.append(shape("title", {}, milliseconds(ms)));
        svg.append(dot);
      }
      if (run.median === null) return;
      if (run.interval) svg.append(shape("line", { x1: x(run.interval[0]), x2: x(run.interval[1]), y1: y, y2: y, stroke: this.keys[i], "stroke-width": 3 }));
      const line = shape("line", { x1: x(run.median), x2: x(run.median), y1: y - 9, y2: y + 9, stroke: this.keys[i], "stroke-width": 3 });
      line.append(shape("title", {}, `median ${run.medianText}`));
      svg.append(line);
    });
    box.append(svg);
  }

  /** The sizes of all frontiers behind the scrub bar. */
  waves() {
    const svg = $("waves"), width = 1000, height = 30, last = this.moments[this.end] || 1, byTime = $("clock").value === "time";
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${width} 44`);
    svg.setAttribute("preserveAspectRatio", "none");
    this.model.runs.forEach((run, i) => {
      if (!run.trace || !this.traced.includes(run)) return;
      const most = run.active.reduce((a, b) => Math.max(a, b), 1), bins = new Float64Array(250);
      run.active.forEach((count, k) => {
        const bin = Math.min(249, Math.floor(250 * (byTime ? run.ends[k] : run.positions[k]) / last));
        bins[bin] = Math.max(bins[bin], count);
      });
      const ends = byTime ? run.ends[run.ends.length - 1] : run.positions[run.positions.length - 1], used = Math.max(1, Math.ceil(250 * ends / last));
      for (let k = 1; k < used; k++) if (!bins[k]) bins[k] = bins[k - 1];
      const points = Array.from(bins.subarray(0, used), (count, k) => `${k * width / 249},${height - (height - 3) * count / most}`);
      const fill = this.model.runs.length === 1 ? 0.28 : 0.14;
      svg.append(shape("polygon", { points: `0,${height} ${points.join(" ")} ${(used - 1) * width / 249},${height}`, fill: this.keys[i], "fill-opacity": fill, stroke: this.keys[i], "stroke-width": 1, "vector-effect": "non-scaling-stroke" }));
    });
    this.marker = shape("line", { y1: 0, y2: height, stroke: this.tokens.text, "vector-effect": "non-scaling-stroke" });
    svg.append(this.marker);
  }

  cursor() {
    const at = 1000 * (this.end ? this.moment / this.end : 1);
    for (const name of ["x1", "x2"]) this.marker?.setAttribute(name, at);
  }

  legend() {
    const box = $("legend"), { model, tokens: t } = this, lesson = model.arrays.arcTails && model.runs.some(run => run.tentative);
    box.replaceChildren();
    const row = make("div", "", "row"), key = (words, colour, edge) => {
      const one = make("span"), dot = make("i");
      dot.style.background = colour, dot.style.borderColor = edge;
      one.append(dot, words);
      row.append(one);
    };
    if (lesson) {
      key("not reached", t.panel, t.edge), key("tentative", t.selection, t.frontier), key("relaxing its arcs", t.frontier, t.text), key("done", t.edge_dense, t.edge_dense);
      return box.append(row);
    }
    if (Number.isFinite(model.low)) {
      const bar = make("div", "", "bar"), ramp = this.look.ramp, ends = make("div", "", "row");
      bar.style.background = `linear-gradient(to right, ${[0, 51, 102, 153, 204, 255].map(i => hex(ramp[i])).join(", ")})`;
      const value = d => `${number(Math.round(d * model.about.unitFactor))} ${model.about.unit}`.trim();
      ends.append(make("span", value(model.low)), make("span", value(model.high)));
      box.append(make("span", model.about.unit === "s" ? "travel time" : "distance"), bar, ends);
    }
    if (this.traced.length) key("frontier", t.frontier, t.frontier), key("before it", t.trail, t.trail);
    box.append(row);
  }

  // -- colours and controls -------------------------------------------------------------------------------------------

  recolour() {
    const name = this.dark ? "dark" : "light", { arrays, about } = this.model;
    const colours = about.looks ? about.looks[name] : {};
    this.tokens = colours;
    for (const [role, colour] of Object.entries(colours)) document.documentElement.style.setProperty(`--${role.replace("_", "-")}`, colour);
    document.documentElement.style.colorScheme = name;
    if (about.looks) {
      this.look = { dark: this.dark, tokens: colours };
      for (const part of ["ramp", "roads", "bare", "opacity"]) this.look[part] = arrays[`${name}.${part}`];
      this.model.look = this.look;
    }
    this.keys = about.series[name];
    document.querySelectorAll(".key").forEach((key, i) => (key.style.background = this.keys[i]));
    this.chart();
    if (!this.raster) return;
    this.raster.look(this.look);
    this.waves();
    this.legend();
    this.draw();
  }

  pick(x, y) {
    const panes = this.panes(), pane = panes.find(one => x >= one.left && x < one.left + one.width && y >= one.top && y < one.top + one.height);
    if (!pane) return;
    const { view, model } = this, wx = view.x + (x - pane.left - view.width / 2) / view.scale, wy = view.y + (y - pane.top - view.height / 2) / view.scale;
    if (this.asking && this.asking.kind === "arcs") {
      const arc = this.nearestArc(pane, x, y);
      if (arc !== null) this.quiz.toggle(arc);
      return this.draw();
    }
    const v = model.nearest(wx, wy, 26 / view.scale);
    if (this.asking && this.asking.kind === "frontier") {
      if (v !== null) this.quiz.toggle(v);
      return this.draw();
    }
    model.picked = v;
    this.pickedCard();
    this.draw();
  }

  nearestArc(pane, x, y) {
    const { model } = this, figure = new Figure(null, pane, this.view, model, this.tokens), { arcTails, arcHeads } = model.arrays;
    const chosen = this.quiz.given[this.quiz.at];
    let best = null, least = 16;
    for (let i = 0; i < arcTails.length; i++) {
      if (arcTails[i] === arcHeads[i]) continue;
      const { from, to, control } = figure.shape(arcTails[i], arcHeads[i]);
      for (let k = 1; k < 12; k++) {
        const s = k / 12, r = 1 - s, px = r * r * from[0] + 2 * r * s * control[0] + s * s * to[0], py = r * r * from[1] + 2 * r * s * control[1] + s * s * to[1];
        // Of two opposite arcs on one line, a click means the one whose head is nearer.
        const far = Math.hypot(px - x, py - y) + (s < 0.5 && model.opposite(i) !== undefined ? 0.5 : 0) - (chosen.has(i) ? 0.1 : 0);
        if (far < least) least = far, best = i;
      }
    }
    return best;
  }

  controls() {
    const view = $("marks"), pointers = new Map(), click = (id, act) => ($(id).onclick = act);
    const stop = act => () => {
      this.pause();
      this.asking = null;
      act();
    };
    click("first", stop(() => this.seek(0)));
    click("back", stop(() => this.seek(this.moment - 1)));
    click("play", () => this.toggle());
    click("forward", stop(() => this.seek(this.moment + 1)));
    click("last", stop(() => this.seek(this.end)));
    click("in", () => this.zoom(1.5));
    click("out", () => this.zoom(1 / 1.5));
    click("fit", () => this.fit());
    click("scheme", () => {
      this.dark = !this.dark;
      this.recolour();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", event => {
      this.dark = event.matches;
      this.recolour();
    });
    $("scrub").oninput = stop(() => this.seek(Number($("scrub").value)));
    $("clock").onchange = () => {
      this.pause();
      this.times();
      this.waves();
      this.seek(this.end);
    };
    $("clock").hidden = this.traced.length < 2;
    if (!this.traced.length) $("transport").style.display = "none";
    let start = null;
    view.onpointerdown = event => {
      view.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
      start = pointers.size === 1 ? [event.offsetX, event.offsetY] : null;
    };
    view.onpointermove = event => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const now = [event.offsetX, event.offsetY];
      if (pointers.size === 2) {
        const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at), pane = this.paneAt(other);
        const spread = p => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
        this.zoom(spread(now) / spread(before), other[0] - pane.left, other[1] - pane.top);
      } else if (!start || Math.hypot(now[0] - start[0], now[1] - start[1]) > 4) {
        start = null;
        this.move(now[0] - before[0], now[1] - before[1]);
      }
      pointers.set(event.pointerId, now);
    };
    view.onpointerup = event => {
      if (start && pointers.size === 1) this.pick(...start);
      pointers.delete(event.pointerId);
      start = null;
    };
    view.onpointercancel = event => pointers.delete(event.pointerId);
    view.addEventListener("wheel", event => {
      event.preventDefault();
      const pane = this.paneAt([event.offsetX, event.offsetY]);
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), event.offsetX - pane.left, event.offsetY - pane.top);
    }, { passive: false });
    const keys = {
      " ": () => this.toggle(), ArrowRight: stop(() => this.seek(this.moment + 1)), ArrowLeft: stop(() => this.seek(this.moment - 1)),
      Home: stop(() => this.seek(0)), End: stop(() => this.seek(this.end)), "+": () => this.zoom(1.5), "-": () => this.zoom(1 / 1.5), 0: () => this.fit(),
      Escape: () => {
        this.model.picked = null;
        this.pickedCard();
        this.draw();
      },
    };
    const pans = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    document.addEventListener("keydown", event => {
      const typing = /^(INPUT|SELECT|TEXTAREA|BUTTON)$/.test(event.target.tagName);
      if (event.ctrlKey || event.altKey || event.metaKey || (typing && event.key !== "Escape") || !this.raster) return;
      const pan = event.target === view && event.shiftKey ? pans[event.key] : event.target === view && /Up|Down/.test(event.key) ? pans[event.key] : null;
      if (!pan && !keys[event.key]) return;
      event.preventDefault();
      pan ? this.move(...pan) : keys[event.key]();
    });
  }

  paneAt([x, y]) {
    return this.panes().find(one => x < one.left + one.width && y < one.top + one.height) ?? this.panes()[0];
  }
}

function shape(tag, attributes, text = "") {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text) element.textContent = text;
  return element;
}

function ticks(low, high, log) {
  if (log) {
    const found = [];
    for (let power = Math.ceil(Math.log10(low)); power <= Math.log10(high); power++) found.push(10 ** power);
    return found;
  }
  const power = 10 ** Math.floor(Math.log10(high / 3)), step = [5, 2, 1].find(k => high / (k * power) >= 2.2) * power;
  return Array.from({ length: Math.floor(high / step) + 1 }, (_, i) => i * step);
}

function milliseconds(ms) {
  if (ms === 0) return "0";
  const [value, unit] = ms >= 1000 ? [ms / 1000, "s"] : ms >= 1 ? [ms, "ms"] : [ms * 1000, "µs"];
  return `${number(Number(value.toPrecision(3)))} ${unit}`;
}

decode($("data").textContent).then(data => {
  $("data").remove();
  window.tautline = new Player(new Model(data)); // for tests, and for whoever embeds the page
}, error => {
  $("told").hidden = false;
  $("told").textContent = `The data of this page cannot be read: ${error.message}`;
});
