// What is shown at which moment, and what clicks, keys and touches do.

import { Cards } from "./cards.js";
import { channels, placeSpots, Raster, wavesOf } from "./draw.js";
import { Figure, number } from "./figure.js";
import { MatrixPicture } from "./matrix.js";
import { $, make, State } from "./model.js";
import { Quiz } from "./quiz.js";

const SCRUB = 10000; // steps of the scrub bar

export class Player {
  constructor(model) {
    this.model = model;
    const { about } = model;
    this.dark = matchMedia("(prefers-color-scheme: dark)").matches;
    (this.moment = 0), (this.playing = false), (this.asking = null);
    model.picked = null;
    this.cards = new Cards(this);
    this.cards.texts();
    if (about.scene?.matrix) {
      this.raster = new MatrixPicture();
    } else if (about.scene) {
      try {
        this.raster = new Raster($("pixels"), model.arrays, about.scene);
      } catch (error) {
        this.tell(
          `This browser cannot draw the picture (${error.message}); the table below has the results.`,
        );
      }
    } else {
      this.tell(about.leftOut.join(" "), about.picture);
    }
    this.traced = model.runs.filter(run => run.trace && about.scene);
    const lengths = this.traced.map(run => run.length);
    $("clock").value = Math.max(...lengths) > 20 * Math.min(...lengths) ? "time" : "lock"; // else most of the bar is of one run
    this.times();
    this.quiz = new Quiz(this, this.raster ? about.questions : []);
    this.controls();
    this.recolour();
    if (this.raster) {
      if (!about.scene.matrix) {
        model.runs.forEach((run, i) => this.raster.run(i, run.reveal, run.shade));
      }
      this.fit();
      new ResizeObserver(() => this.resize()).observe($("view"));
      this.seek(this.end);
      document.fonts.ready.then(() => this.resize());
    }
  }

  tell(words, picture = "") {
    const told = $("told");
    told.hidden = false;
    if (picture) {
      const image = make("img");
      (image.src = `data:image/png;base64,${picture}`),
        (image.alt = `The graph ${this.model.about.graph}`);
      told.append(image);
    }
    told.append(words);
    document.body.classList.add("bare");
    for (const id of ["strip", "transport"]) {
      $(id).style.display = "none";
    }
  }

  // -- time -----------------------------------------------------------------------------------------------------------

  /** The moments of the scrub bar: every kept iteration of any run, or the times at which they end. */
  times() {
    const byTime = $("clock").value === "time";
    const all = this.traced.flatMap(run => Array.from(byTime ? run.ends : run.positions));
    this.moments = Float64Array.from(new Set(all)).sort();
    if (!this.moments.length) {
      this.moments = Float64Array.of(0);
    }
  }

  get end() {
    return this.moments.length - 1;
  }

  /** Where a moment is on the scrub bar, 0 to 1. */
  share(time) {
    const [low, high] = [this.moments[0], this.moments[this.end]];
    return high > low ? (time - low) / (high - low) : 1;
  }

  /** The moment nearest to a place of the scrub bar. */
  momentAt(share) {
    const wanted = this.moments[0] + share * (this.moments[this.end] - this.moments[0]);
    const after = Math.max(
      0,
      this.moments.findIndex(time => time >= wanted),
    );
    return after && wanted - this.moments[after - 1] < this.moments[after] - wanted
      ? after - 1
      : after;
  }

  /** The step of a run that is shown now; -1 before its first. */
  step(run) {
    if (
      this.asking &&
      this.model.runs.indexOf(run) === this.asking.run &&
      this.asking.position < 0
    ) {
      return -1;
    }
    const now = this.moments[this.moment];
    if ($("clock").value === "lock") {
      return this.model.stepAt(run, now);
    }
    return this.model.stepAt({ positions: run.ends }, now);
  }

  seek(moment, quiet = false) {
    this.moment = Math.max(0, Math.min(this.end, Math.round(moment)));
    $("scrub").value = SCRUB * this.share(this.moments[this.moment]);
    const words = this.traced.map(run => this.place(run)).join("; ");
    $("scrub").setAttribute("aria-valuetext", words);
    if (!quiet) {
      $("said").textContent = words;
    }
    this.draw();
  }

  place(run) {
    const step = this.step(run);
    if (step < 0) {
      return "before the first iteration";
    }
    if (run.trace.places) {
      return run.trace.places[step];
    }
    return `iteration ${number(run.positions[step] * run.trace.stride + 1)} of ${number(run.trace.iterations)}`;
  }

  toggle() {
    this.playing = !this.playing;
    $("play")
      .querySelector("path")
      .setAttribute("d", this.playing ? "M3 2.5h4v11H3zM9 2.5h4v11H9z" : "M4 2.5v11L13.5 8z");
    $("play").setAttribute("aria-label", this.playing ? "Pause" : "Play");
    if (!this.playing) {
      return this.seek(this.moment);
    }
    this.asking = null;
    if (this.moment >= this.end) {
      this.moment = 0;
    }
    const whole = this.moments[this.end] - this.moments[0];
    const seconds = Math.min(14, Math.max(3, this.moments.length / 4));
    let before = null;
    let time = this.moments[this.moment];
    const tick = now => {
      if (!this.playing) {
        return;
      }
      if (before !== null) {
        time += ((now - before) / 1000 / seconds) * Number($("speed").value) * whole;
      }
      let at = this.moment;
      while (at < this.end && this.moments[at + 1] <= time) {
        at++;
      }
      this.seek(at, true);
      before = now;
      if (at >= this.end) {
        return this.toggle();
      }
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  pause() {
    if (this.playing) {
      this.toggle();
    }
  }

  ask(question) {
    this.pause();
    this.asking = question.kind === "first" ? null : question;
    $("marks").classList.toggle("asking", question.kind === "frontier" || question.kind === "arcs");
    if (this.asking) {
      $("clock").value = "lock";
      this.times();
      this.cards.waves();
      const place = this.moments.findIndex(one => one >= question.position);
      this.seek(Math.max(0, place));
    } else {
      this.draw();
    }
  }

  // -- view -----------------------------------------------------------------------------------------------------------

  /** The panes in logical pixels: side by side, or below one another where the view is narrow. */
  panes() {
    const count = this.model.runs.length;
    const { clientWidth: width, clientHeight: height } = $("view");
    const columns =
      count === 4 ? 2 : width / count >= 240 && width > height ? count : count <= 2 ? 1 : 2;
    const rows = Math.ceil(count / columns);
    const w = Math.floor(width / columns);
    const h = Math.floor(height / rows);
    return this.model.runs.map((_, i) => ({
      left: (i % columns) * w,
      top: Math.floor(i / columns) * h,
      width: w,
      height: h,
      row: Math.floor(i / columns),
    }));
  }

  /** Show all of the graph, clear of the panes' headings and of the scale bar. */
  fit() {
    const {
      bounds: [x0, y0, x1, y1],
      metresPerUnit,
    } = this.model.about.scene;
    const panes = this.panes();
    const [pane] = panes;
    this.cards.heads(panes);
    const lines = [...$("heads").children].map(
      head => head.firstChild.offsetHeight + head.lastChild.offsetHeight,
    );
    const isLesson = this.model.arrays.arcTails && this.model.about.n <= 200;
    const edge = isLesson ? 38 : 14; // of values beside vertices
    const head = Math.max(...lines) + edge;
    const low = Math.max(edge, metresPerUnit ? 32 : 0);
    const across = x1 > x0 ? (pane.width - 2 * edge - (isLesson ? 20 : 0)) / (x1 - x0) : Infinity;
    const down = y1 > y0 ? (pane.height - low - head) / (y1 - y0) : Infinity;
    const scale = Math.max(20, Math.min(across, down, 2e7));
    this.view = {
      x: (x0 + x1) / 2,
      y: (y0 + y1) / 2 + (low - head) / 2 / scale,
      scale,
      width: pane.width,
      height: pane.height,
    };
    this.fitted = true;
    this.draw();
  }

  resize() {
    if (this.fitted) {
      return this.fit();
    }
    const [pane] = this.panes();
    Object.assign(this.view, { width: pane.width, height: pane.height });
    this.draw();
  }

  move(dx, dy) {
    this.view = {
      ...this.view,
      x: this.view.x - dx / this.view.scale,
      y: this.view.y - dy / this.view.scale,
    };
    this.moved();
  }

  zoom(factor, px = this.view.width / 2, py = this.view.height / 2) {
    const { view } = this;
    const scale = Math.min(2e7, Math.max(20, view.scale * factor));
    const by = scale / view.scale;
    const wx = view.x + (px - view.width / 2) / view.scale;
    const wy = view.y + (py - view.height / 2) / view.scale;
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
    if (!this.raster || this.due) {
      return;
    }
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      this.paint();
    });
  }

  paint() {
    const begun = performance.now();
    const { raster, model, view } = this;
    const ratio = Math.min(2, devicePixelRatio || 1);
    const panes = this.panes();
    const width = Math.round($("view").clientWidth * ratio);
    const height = Math.round($("view").clientHeight * ratio);
    for (const canvas of [$("pixels"), $("marks")]) {
      if (canvas.width !== width || canvas.height !== height) {
        (canvas.width = width), (canvas.height = height);
      }
    }
    const context = $("marks").getContext("2d");
    const tokens = this.tokens;
    const gl = raster.gl;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const within = (pane, draw) => {
      context.save();
      context.beginPath();
      context.rect(pane.left, pane.top, pane.width, pane.height);
      context.clip();
      draw();
      context.restore();
    };
    if (model.about.scene.matrix) {
      model.runs.forEach((run, i) =>
        within(panes[i], () =>
          raster.draw(context, panes[i], view, run, run.trace ? this.step(run) : -1),
        ),
      );
      this.cards.heads(panes);
      return this.cards.cursor();
    }
    const same =
      raster.drawn &&
      ["x", "y", "scale", "width", "height"].every(key => raster.drawn[key] === view[key]) &&
      raster.drawn.ratio === ratio;
    const sized =
      raster.drawn &&
      raster.drawn.width === view.width &&
      raster.drawn.height === view.height &&
      raster.drawn.ratio === ratio;
    const figure = new Figure(context, panes[0], view, model, tokens);
    const detailed = figure.detailed;
    if (!detailed && !same && !(this.moving && raster.slow && sized)) {
      raster.drawEdges(view, ratio);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.disable(gl.SCISSOR_TEST);
    gl.clearColor(...channels(tokens.canvas), 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    model.runs.forEach((run, i) => {
      const pane = panes[i];
      const step = run.trace ? this.step(run) : 0;
      const state = new State(model, run, step, tokens);
      within(pane, () => {
        const marks = new Figure(context, pane, view, model, tokens);
        const asked =
          this.asking && this.asking.run === i
            ? this.quiz.marks(tokens)
            : { vertices: new Map(), arcs: new Map() };
        if (detailed) {
          marks.drawGraph(state, asked);
        } else {
          const upto = run.trace ? (step < 0 ? -1 : run.positions[step]) : 0;
          const place = {
            x: Math.round(pane.left * ratio),
            y: height - Math.round(pane.top * ratio) - raster.height,
          };
          raster.colour(
            place,
            i,
            upto,
            view,
            run.trace && step >= 0 ? this.lights(run, step, view, ratio) : [],
          );
          marks.drawPath(state);
          marks.drawMarkers();
          for (const [v] of asked.vertices) {
            marks.drawPicked(v);
          }
        }
        if (model.picked !== null) {
          marks.drawPicked(model.picked);
        }
        if (i === model.runs.length - 1) {
          marks.drawScaleBar();
        }
      });
    });
    this.cards.heads(panes);
    this.cards.cursor();
    this.took = performance.now() - begun;
  }

  lights(run, step, view, ratio) {
    const trail = this.playing && this.raster.software ? [] : this.model.trail(run, step); // too slow for a processor
    const { waves, snapped } = wavesOf(
      this.model.frontier(run, step),
      trail,
      this.raster.measures(view.scale),
      ratio,
      this.tokens,
    );
    return placeSpots(waves, snapped, view, ratio, this.model.arrays);
  }

  // -- colours and controls -------------------------------------------------------------------------------------------

  recolour() {
    const name = this.dark ? "dark" : "light";
    const { arrays, about } = this.model;
    const colours = about.looks ? about.looks[name] : {};
    this.tokens = colours;
    for (const [role, colour] of Object.entries(colours)) {
      document.documentElement.style.setProperty(`--${role.replace("_", "-")}`, colour);
    }
    document.documentElement.style.colorScheme = name;
    if (about.looks) {
      this.look = { dark: this.dark, tokens: colours };
      for (const part of ["ramp", "roads", "bare", "opacity"]) {
        this.look[part] = arrays[`${name}.${part}`];
      }
      this.model.look = this.look;
    }
    this.keys = about.runs.map((_, i) => about.series[name][i % about.series[name].length]);
    document.querySelectorAll(".key").forEach((key, i) => (key.style.background = this.keys[i]));
    this.cards.chart();
    if (!this.raster) {
      return;
    }
    this.raster.look(this.look);
    this.cards.waves();
    this.cards.legend();
    this.draw();
  }

  pick(x, y) {
    const panes = this.panes();
    const pane = panes.find(
      one => x >= one.left && x < one.left + one.width && y >= one.top && y < one.top + one.height,
    );
    if (!pane || this.model.about.scene.matrix) {
      return;
    }
    const { view, model } = this;
    const wx = view.x + (x - pane.left - view.width / 2) / view.scale;
    const wy = view.y + (y - pane.top - view.height / 2) / view.scale;
    if (this.asking && this.asking.kind === "arcs") {
      const arc = this.nearestArc(pane, x, y);
      if (arc !== null) {
        this.quiz.toggle(arc);
      }
      return this.draw();
    }
    const v = model.nearest(wx, wy, 26 / view.scale);
    if (this.asking && this.asking.kind === "frontier") {
      if (v !== null) {
        this.quiz.toggle(v);
      }
      return this.draw();
    }
    model.picked = v;
    this.cards.picked();
    this.draw();
  }

  nearestArc(pane, x, y) {
    const { model } = this;
    const figure = new Figure(null, pane, this.view, model, this.tokens);
    const { arcTails, arcHeads } = model.arrays;
    const chosen = this.quiz.given[this.quiz.at];
    let best = null;
    let least = 16;
    for (let i = 0; i < arcTails.length; i++) {
      if (arcTails[i] === arcHeads[i]) {
        continue;
      }
      const { from, to, control } = figure.shape(arcTails[i], arcHeads[i]);
      for (let k = 1; k < 12; k++) {
        const s = k / 12;
        const r = 1 - s;
        const px = r * r * from[0] + 2 * r * s * control[0] + s * s * to[0];
        const py = r * r * from[1] + 2 * r * s * control[1] + s * s * to[1];
        // Of two opposite arcs on one line, a click means the one whose head is nearer.
        const far =
          Math.hypot(px - x, py - y) +
          (s < 0.5 && model.opposite(i) !== undefined ? 0.5 : 0) -
          (chosen.has(i) ? 0.1 : 0);
        if (far < least) {
          (least = far), (best = i);
        }
      }
    }
    return best;
  }

  controls() {
    const view = $("marks");
    const pointers = new Map();
    const click = (id, act) => ($(id).onclick = act);
    const stop = act => () => {
      this.pause();
      this.asking = null;
      act();
    };
    click(
      "first",
      stop(() => this.seek(0)),
    );
    click(
      "back",
      stop(() => this.seek(this.moment - 1)),
    );
    click("play", () => this.toggle());
    click(
      "forward",
      stop(() => this.seek(this.moment + 1)),
    );
    click(
      "last",
      stop(() => this.seek(this.end)),
    );
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
    $("scrub").oninput = stop(() => this.seek(this.momentAt(Number($("scrub").value) / SCRUB)));
    $("clock").onchange = () => {
      this.pause();
      this.times();
      this.cards.waves();
      this.seek(this.end);
    };
    $("clock").hidden = this.traced.length < 2;
    if (!this.traced.length) {
      $("transport").style.display = "none";
    }
    let start = null;
    view.onpointerdown = event => {
      view.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
      start = pointers.size === 1 ? [event.offsetX, event.offsetY] : null;
    };
    view.onpointermove = event => {
      const before = pointers.get(event.pointerId);
      if (!before) {
        return;
      }
      const now = [event.offsetX, event.offsetY];
      if (pointers.size === 2) {
        const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
        const pane = this.paneAt(other);
        const spread = p => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
        this.zoom(spread(now) / spread(before), other[0] - pane.left, other[1] - pane.top);
      } else if (!start || Math.hypot(now[0] - start[0], now[1] - start[1]) > 4) {
        start = null;
        this.move(now[0] - before[0], now[1] - before[1]);
      }
      pointers.set(event.pointerId, now);
    };
    view.onpointerup = event => {
      if (start && pointers.size === 1) {
        this.pick(...start);
      }
      pointers.delete(event.pointerId);
      start = null;
    };
    view.onpointercancel = event => pointers.delete(event.pointerId);
    view.addEventListener(
      "wheel",
      event => {
        event.preventDefault();
        const pane = this.paneAt([event.offsetX, event.offsetY]);
        this.zoom(
          Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)),
          event.offsetX - pane.left,
          event.offsetY - pane.top,
        );
      },
      { passive: false },
    );
    const keys = {
      " ": () => this.toggle(),
      ArrowRight: stop(() => this.seek(this.moment + 1)),
      ArrowLeft: stop(() => this.seek(this.moment - 1)),
      Home: stop(() => this.seek(0)),
      End: stop(() => this.seek(this.end)),
      "+": () => this.zoom(1.5),
      "-": () => this.zoom(1 / 1.5),
      0: () => this.fit(),
      Escape: () => {
        this.model.picked = null;
        this.cards.picked();
        this.draw();
      },
    };
    const pans = {
      ArrowLeft: [60, 0],
      ArrowRight: [-60, 0],
      ArrowUp: [0, 60],
      ArrowDown: [0, -60],
    };
    document.addEventListener("keydown", event => {
      const typing = /^(INPUT|SELECT|TEXTAREA|BUTTON)$/.test(event.target.tagName);
      const scrubbing = event.target === $("scrub") && /^(Arrow|Home|End)/.test(event.key); // one iteration, not one step of the bar
      if (
        event.ctrlKey ||
        event.altKey ||
        event.metaKey ||
        (typing && !scrubbing && event.key !== "Escape") ||
        !this.raster
      ) {
        return;
      }
      const pan =
        event.target === view && event.shiftKey
          ? pans[event.key]
          : event.target === view && /Up|Down/.test(event.key)
            ? pans[event.key]
            : null;
      const act = pan
        ? () => this.move(...pan)
        : keys[scrubbing ? event.key.replace("Up", "Right").replace("Down", "Left") : event.key];
      if (!act) {
        return;
      }
      event.preventDefault();
      act();
    });
  }

  paneAt([x, y]) {
    return (
      this.panes().find(one => x < one.left + one.width && y < one.top + one.height) ??
      this.panes()[0]
    );
  }
}
