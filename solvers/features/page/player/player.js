// What is shown at which moment: runs in their panes, and the play-back.

import { Cards } from "./cards.js";
import { moveMarker, showTimes, showWaves } from "./charts.js";
import { connectControls } from "./controls.js";
import { $, make } from "./dom.js";
import { Figure } from "./figure.js";
import { GraphPicture } from "./graph_picture.js";
import { LessonCard } from "./lesson_card.js";
import { placeSpots, wavesOf } from "./lights.js";
import { MatrixPicture } from "./matrix_picture.js";
import { number } from "./numbers.js";
import { PairsState } from "./pairs_state.js";
import { Quiz } from "./quiz.js";
import { State } from "./state.js";
import { Timeline } from "./timeline.js";
import { contains, fittedView, paneLayout, pannedView, worldAt, zoomedView } from "./viewport.js";

const SCRUB = 10000; // steps of the scrub bar
const MOST_RATIO = 2; // pixels drawn for a logical one
const REST = 140; // milliseconds after the last move until edges are drawn anew
const PLAY_SECONDS = [3, 14];
const MOMENTS_A_SECOND = 4;
// pixels around a graph, and around a matrix with ids
const EDGE = { plain: 14, lesson: 38, lessonSides: 10, scaleBar: 32, names: 66 };
const VERTEX_REACH = 26; // pixels from a click
const ARC_REACH = 16;
const LEAST_BESIDE = 560; // pixels of a pane that has a matrix beside its graph
const PLAY_ICON = "M4 2.5v11L13.5 8z";
const PAUSE_ICON = "M3 2.5h4v11H3zM9 2.5h4v11H9z";
const NO_MARKS = { vertices: new Map(), arcs: new Map(), cells: new Map() };
const REMEDY =
  "Switch on hardware acceleration in its settings, or open the page in a current " +
  "Firefox, Chrome, Edge or Safari. The table below has the results.";

/** What the page shows, and all that changes it. */
export class Player {
  constructor(model) {
    this.model = model;
    const { about } = model;
    this.dark = matchMedia("(prefers-color-scheme: dark)").matches;
    this.moment = 0;
    this.isPlaying = false;
    this.asking = null; // a question about the picture
    this.isBefore = false; // whether the run that is asked about has not begun
    this.cards = new Cards(this);
    this.cards.texts();
    this.picture = this.makePicture();
    this.traced = model.runs.filter(run => run.trace && about.scene);
    $("clock").value = Timeline.isUneven(this.traced) ? "time" : "lock";
    this.setTimeline();
    this.taught = this.picture ? (model.runs.find(run => run.trace?.lesson) ?? null) : null;
    this.lesson = this.taught && new LessonCard(this, this.taught);
    this.done = null; // steps made of the phase that is shown; null for all
    this.quiz = new Quiz(this, this.picture ? about.questions : []);
    connectControls(this);
    this.recolour();
    if (this.picture) {
      this.fit();
      new ResizeObserver(() => this.resize()).observe($("view"));
      this.seek(this.timeline.last);
      document.fonts.ready.then(() => this.resize());
    }
  }

  /** What draws the runs; null where the browser or the page has none, which is told. */
  makePicture() {
    const { about, arrays, runs } = this.model;
    if (about.scene?.matrix) {
      return new MatrixPicture();
    }
    if (!about.scene) {
      this.tell(about.leftOut.join(" "), about.picture);
      return null;
    }
    try {
      const picture = new GraphPicture($("pixels"), arrays, about.scene);
      for (const [place, run] of runs.entries()) {
        picture.run(place, run.reveal, run.shade);
      }
      return picture;
    } catch (error) {
      this.tell(`This browser cannot draw the picture: ${error.message}. ${REMEDY}`);
      return null;
    }
  }

  /** Words, and perhaps a PNG, in place of what is played. */
  tell(words, png = "") {
    const told = $("told");
    told.hidden = false;
    if (png) {
      const image = make("img");
      image.src = `data:image/png;base64,${png}`;
      image.alt = `The graph ${this.model.about.graph}`;
      told.append(image);
    }
    told.append(words);
    document.body.classList.add("bare");
    for (const id of ["strip", "transport"]) {
      $(id).style.display = "none";
    }
  }

  // -- time -----------------------------------------------------------------------------------

  /** Take the moments of lock step or of real time, as is chosen. */
  setTimeline() {
    this.timeline = new Timeline(this.traced, $("clock").value === "time");
  }

  /** The step of a run that is shown now; -1 before its first. */
  step(run) {
    const isAsked = this.asking && run.number === this.asking.run;
    if (isAsked && this.isBefore) {
      return -1;
    }
    return this.timeline.step(run, this.moment);
  }

  /** Show a moment; unless it `isQuiet`, as while runs play, it is read out. */
  seek(moment, isQuiet = false) {
    this.moment = Math.max(0, Math.min(this.timeline.last, Math.round(moment)));
    this.done = null;
    $("scrub").value = SCRUB * this.shareOfMoment;
    const words = this.words;
    $("scrub").setAttribute("aria-valuetext", words);
    if (!isQuiet) {
      $("said").textContent = words;
    }
    this.draw();
  }

  /** What is shown, in words. */
  get words() {
    const of = run => (run.trace.lesson ? this.pairsState(run).sentence : this.place(run));
    return this.traced.map(of).join("; ");
  }

  /** Show the phase of the lesson after one of its steps. */
  showStep(step) {
    this.pause();
    this.isBefore = false;
    this.done = step + 1;
    $("said").textContent = this.words;
    this.draw();
  }

  /** Go a step of the lesson on or back, into the next phase or the one before. */
  moveStep(by) {
    const { steps } = this.pairsState(this.taught);
    const at = (this.done ?? (by > 0 ? 0 : steps.length + 1)) - 1 + by;
    if (at >= 0 && at < steps.length) {
      this.showStep(at);
    } else if (by > 0 ? this.moment < this.timeline.last : this.moment > 0) {
      this.seek(this.moment + by);
      this.showStep(by > 0 ? 0 : this.pairsState(this.taught).steps.length - 1);
    }
  }

  /** The state of a run of all pairs; steps are those of the run of the lesson. */
  pairsState(run) {
    const done = run === this.taught ? this.done : null;
    return new PairsState(this.model, run, this.step(run), done);
  }

  /** Go to the moment at the scrub bar's place. */
  seekScrub() {
    this.seek(this.timeline.nearest(Number($("scrub").value) / SCRUB));
  }

  /** Where the moment is on the scrub bar, 0 to 1. */
  get shareOfMoment() {
    return this.timeline.share(this.timeline.moments[this.moment]);
  }

  /** Where a run is now, in words. */
  place(run) {
    const step = this.step(run);
    if (step < 0) {
      return "before the first iteration";
    }
    const { places, stride, iterations } = run.trace;
    const iteration = run.positions[step] * stride + 1;
    return places ? places[step] : `iteration ${number(iteration)} of ${number(iterations)}`;
  }

  /** Play or pause. */
  toggle() {
    this.isPlaying = !this.isPlaying;
    $("play")
      .querySelector("path")
      .setAttribute("d", this.isPlaying ? PAUSE_ICON : PLAY_ICON);
    $("play").setAttribute("aria-label", this.isPlaying ? "Pause" : "Play");
    if (this.isPlaying) {
      this.play();
    } else {
      this.seek(this.moment);
    }
  }

  /** Go through the moments from the present one on, from the first if it is the last. */
  play() {
    const { moments, last } = this.timeline;
    this.isBefore = false;
    if (this.moment >= last) {
      this.moment = 0;
    }
    const [least, most] = PLAY_SECONDS;
    const seconds = Math.min(most, Math.max(least, moments.length / MOMENTS_A_SECOND));
    const timeASecond = (moments[last] - moments[0]) / seconds;
    let before = null;
    let time = moments[this.moment];
    const tick = now => {
      if (!this.isPlaying) {
        return;
      }
      if (before !== null) {
        time += ((now - before) / 1000) * timeASecond * Number($("speed").value);
      }
      before = now;
      let next = this.moment;
      while (next < last && moments[next + 1] <= time) {
        next += 1;
      }
      this.seek(next, true);
      if (next >= last) {
        this.toggle();
      } else {
        requestAnimationFrame(tick);
      }
    };
    requestAnimationFrame(tick);
  }

  /** Stop playing, if it plays. */
  pause() {
    if (this.isPlaying) {
      this.toggle();
    }
  }

  /** Show the moment that a question is about. */
  ask(question) {
    this.pause();
    this.asking = question.kind === "first" ? null : question;
    this.isBefore = Boolean(this.asking) && question.position < 0;
    const isClicked = ["frontier", "arcs", "cells"].includes(question.kind);
    $("marks").classList.toggle("asking", isClicked);
    if (this.asking) {
      $("clock").value = "lock";
      this.setTimeline();
      this.showWaves();
      this.seek(this.timeline.firstFrom(question.position));
    } else {
      this.draw();
    }
  }

  // -- view -----------------------------------------------------------------------------------

  /** The panes in logical pixels. */
  panes() {
    const { clientWidth, clientHeight } = $("view");
    return paneLayout(this.model.runs.length, clientWidth, clientHeight);
  }

  /** The part of each pane that the view is of: where matrices have graphs beside them, theirs. */
  viewPanes() {
    const panes = this.panes();
    return this.isBeside(panes[0]) ? panes.map(pane => halves(pane)[1]) : panes;
  }

  /** Whether a pane has room for the graph beside its matrix. */
  isBeside({ width, height }) {
    return Boolean(this.model.graph) && width >= LEAST_BESIDE && width > height;
  }

  /** Show all of the graph, clear of the panes' headings and of the scale bar. */
  fit() {
    const { about } = this.model;
    const { bounds, metresPerUnit } = about.scene;
    const panes = this.panes();
    this.cards.heads(panes);
    const heads = [...$("heads").children].map(
      head => head.firstChild.offsetHeight + head.lastChild.offsetHeight,
    );
    const isLesson = Boolean(this.model.closeMarks) && !about.scene.matrix;
    const names = this.taught ? EDGE.names : EDGE.plain;
    const edge = isLesson ? EDGE.lesson : names; // of values beside vertices
    this.view = fittedView(bounds, this.viewPanes()[0], {
      side: edge + (isLesson ? EDGE.lessonSides : 0),
      top: Math.max(...heads) + edge,
      bottom: Math.max(edge, metresPerUnit ? EDGE.scaleBar : 0),
    });
    this.isFitted = true;
    this.draw();
  }

  /** Take over another size of the window. */
  resize() {
    if (this.isFitted) {
      this.fit();
      return;
    }
    const [{ width, height }] = this.viewPanes();
    this.view = { ...this.view, width, height };
    this.draw();
  }

  /** Move the picture by some pixels. */
  move(dx, dy) {
    this.moveTo(pannedView(this.view, dx, dy));
  }

  /** Enlarge the picture; what is at a point of the pane, by default its middle, stays there. */
  zoom(factor, point = [this.view.width / 2, this.view.height / 2]) {
    this.moveTo(zoomedView(this.view, factor, point));
  }

  /** Show a view; if edges take long, the old one is moved until this rests. */
  moveTo(view) {
    this.view = view;
    this.isFitted = false;
    this.isMoving = true;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      this.isMoving = false;
      this.draw();
    }, REST);
    this.draw();
  }

  // -- drawing --------------------------------------------------------------------------------

  /** Paint in the browser's next frame. */
  draw() {
    if (!this.picture || this.isDue) {
      return;
    }
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      this.paint();
    });
  }

  /** Paint what is shown now. */
  paint() {
    const ratio = Math.min(MOST_RATIO, devicePixelRatio || 1);
    const width = Math.round($("view").clientWidth * ratio);
    const height = Math.round($("view").clientHeight * ratio);
    for (const canvas of [$("pixels"), $("marks")]) {
      if (canvas.width !== width || canvas.height !== height) {
        canvas.width = width;
        canvas.height = height;
      }
    }
    const context = $("marks").getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const panes = this.panes();
    if (this.model.about.scene.matrix) {
      this.paintMatrices(context, panes);
    } else {
      this.paintGraphs(context, panes, ratio, height);
    }
    this.cards.heads(panes);
    moveMarker(this.marker, this.shareOfMoment);
  }

  /** Paint the matrices of all runs, in lessons with their graphs. */
  paintMatrices(context, panes) {
    const views = this.viewPanes();
    for (const [place, run] of this.model.runs.entries()) {
      const pane = views[place];
      if (!run.trace) {
        continue;
      }
      if (!run.trace.lesson) {
        const { model, view } = this;
        const step = this.step(run);
        inPane(context, pane, () => this.picture.draw(context, pane, view, model, run, step));
        continue;
      }
      const state = this.pairsState(run);
      const isAsked = this.asking && this.asking.run === place;
      const marks = isAsked ? this.quiz.marks(this.tokens).cells : new Map();
      inPane(context, pane, () => this.picture.drawLesson(context, pane, this.view, state, marks));
      if (this.isBeside(panes[place])) {
        this.paintGraphBeside(context, halves(panes[place])[0], state);
      }
      if (run === this.taught) {
        this.lesson.show(state);
      }
    }
  }

  /** Paint the graph beside a matrix: the row of the step, and the path that it tries. */
  paintGraphBeside(context, pane, state) {
    const { graph } = this.model;
    const side = EDGE.lesson + EDGE.lessonSides;
    const sides = { side, top: 2 * EDGE.lesson, bottom: EDGE.lesson };
    const view = fittedView(graph.about.scene.bounds, pane, sides);
    const figure = new Figure(context, pane, view, graph, this.tokens);
    if (graph.closeMarks) {
      inPane(context, pane, () => figure.drawGraph(state, NO_MARKS));
    }
  }

  /** Paint pixels and marks of all runs; `height` is that of the canvas in pixels. */
  paintGraphs(context, panes, ratio, height) {
    const { model, picture, tokens, view } = this;
    const { isDetailed } = new Figure(context, panes[0], view, model, tokens);
    const isMovedOnly = this.isMoving && picture.slow && picture.shows(view, ratio, true);
    if (!isDetailed && !isMovedOnly && !picture.shows(view, ratio)) {
      picture.drawEdges(view, ratio);
    }
    picture.clear();
    for (const [place, run] of model.runs.entries()) {
      const pane = panes[place];
      const figure = new Figure(context, pane, view, model, tokens);
      const step = run.trace ? this.step(run) : 0;
      const isAsked = this.asking && this.asking.run === place;
      const marks = isAsked ? this.quiz.marks(tokens) : NO_MARKS;
      if (!isDetailed) {
        const left = Math.round(pane.left * ratio);
        const bottom = height - Math.round(pane.top * ratio) - picture.height;
        const lights = run.trace && step >= 0 ? this.lights(run, step, ratio) : [];
        const iteration = iterationAt(run, step);
        picture.colour({ left, bottom }, place, iteration, view, lights);
      }
      inPane(context, pane, () => {
        this.paintMarks(figure, new State(model, run, step), marks, isDetailed);
        if (place === model.runs.length - 1) {
          figure.drawScaleBar();
        }
      });
    }
  }

  /** Paint the vector marks of a run: the figure of a small graph, or path and markers. */
  paintMarks(figure, state, marks, isDetailed) {
    if (isDetailed) {
      figure.drawGraph(state, marks);
    } else {
      figure.drawFar(state);
      for (const vertex of marks.vertices.keys()) {
        figure.drawPicked(vertex);
      }
    }
    if (this.model.picked !== null) {
      figure.drawPicked(this.model.picked);
    }
  }

  /** The waves of a run's frontier, with the places of their spots. */
  lights(run, step, ratio) {
    const { model, picture, tokens, view } = this;
    const frontier = model.frontier(run, step);
    const sizes = picture.sizes(view.scale);
    const { waves, snapped } = wavesOf(frontier, model.trail(run, step), sizes, ratio, tokens);
    return placeSpots(waves, snapped, view, ratio, model.arrays);
  }

  // -- colours --------------------------------------------------------------------------------

  /** Take over the colours of the chosen scheme. */
  recolour() {
    const { about, arrays, runs } = this.model;
    const name = this.dark ? "dark" : "light";
    this.tokens = about.looks[name];
    this.look = { dark: this.dark, tokens: this.tokens };
    for (const part of ["ramp", "roads", "bare", "opacity"]) {
      this.look[part] = arrays[`${name}.${part}`];
    }
    this.model.look = this.look;
    const { style } = document.documentElement;
    for (const [role, colour] of Object.entries(this.tokens)) {
      style.setProperty(`--${role.replace("_", "-")}`, colour);
    }
    style.colorScheme = name;
    this.keys = runs.map(run => run.colour[name]);
    for (const [place, key] of [...document.querySelectorAll(".key")].entries()) {
      key.style.background = this.keys[place];
    }
    showTimes(runs, this.keys, this.tokens);
    if (this.picture) {
      this.picture.look(this.look);
      this.showWaves();
      this.cards.legend();
      this.draw();
    }
  }

  /** The sizes of all frontiers behind the scrub bar. */
  showWaves() {
    const colourOf = run => this.keys[run.number];
    this.marker = showWaves(this.traced, this.timeline, colourOf, this.tokens);
  }

  // -- picking --------------------------------------------------------------------------------

  /** What a click at a point of the view means: an answer, or the vertex that is looked at. */
  pick(point) {
    const pane = this.viewPanes().find(one => contains(one, point));
    if (!pane) {
      return;
    }
    if (this.model.about.scene.matrix) {
      this.pickCell(pane, point);
      return;
    }
    const kind = this.quiz.isOpen ? this.asking?.kind : "";
    if (kind === "arcs") {
      const context = $("marks").getContext("2d");
      const figure = new Figure(context, pane, this.view, this.model, this.tokens);
      this.answer(figure.nearestArc(point, ARC_REACH, this.quiz.given[this.quiz.at]));
      return;
    }
    const [x, y] = worldAt(this.view, [point[0] - pane.left, point[1] - pane.top]);
    const vertex = this.model.nearest(x, y, VERTEX_REACH / this.view.scale);
    if (kind === "frontier") {
      this.answer(vertex);
    } else {
      this.choose(vertex);
    }
  }

  /** A cell that is clicked is an answer or, in a lesson, shows its last step of the phase. */
  pickCell(pane, point) {
    const { n } = this.model.about;
    const cell = this.picture.cellAt([point[0] - pane.left, point[1] - pane.top], this.view, n);
    if (!cell || !this.taught) {
      return;
    }
    const [row, column] = cell;
    if (this.quiz.isOpen && this.asking?.kind === "cells") {
      this.answer(row * n + column);
      return;
    }
    const { steps } = this.pairsState(this.taught);
    const step = steps.findLastIndex(one => one.row === row && one.column === column);
    if (step >= 0 && !this.quiz.isOpen) {
      this.showStep(step);
    }
  }

  /** Look at a vertex, or at none. */
  choose(vertex) {
    this.model.picked = vertex;
    this.cards.picked();
    this.draw();
  }

  /** Take a vertex or an arc as an answer, if there is one. */
  answer(one) {
    if (one !== null) {
      this.quiz.toggle(one);
    }
    this.draw();
  }
}

/** The recorded iteration up to which vertices of a run are visited. */
function iterationAt(run, step) {
  if (!run.trace) {
    return 0;
  }
  return step < 0 ? -1 : run.positions[step];
}

/** Draw within a pane. */
function inPane(context, pane, draw) {
  context.save();
  context.beginPath();
  context.rect(pane.left, pane.top, pane.width, pane.height);
  context.clip();
  draw();
  context.restore();
}

/** The left and the right half of a pane. */
function halves(pane) {
  const width = Math.floor(pane.width / 2);
  return [
    { ...pane, width },
    { ...pane, left: pane.left + width, width: pane.width - width },
  ];
}
