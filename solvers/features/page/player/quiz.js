// Questions, one at a time, with a score; nothing is sent anywhere.

import { answerName, isRight, isTyped, markedAnswers, solution, summary } from "./answers.js";
import { $, make } from "./dom.js";

// what of the picture is marked as an answer, by the kind of a question
const MARKED = { frontier: "vertices", arcs: "arcs", cells: "cells" };

/** The questions of a page and what was answered. */
export class Quiz {
  constructor(player, questions) {
    this.player = player;
    this.questions = questions;
    this.at = 0;
    this.isActive = false;
    this.given = questions.map(() => new Set());
    this.checked = questions.map(() => null);
    if (questions.length) {
      $("asked").hidden = false;
      this.show();
    }
  }

  /** The question that is asked; null before the start. */
  get now() {
    return this.isActive ? this.questions[this.at] : null;
  }

  /** Whether the question that is asked can still be answered. */
  get isOpen() {
    return this.isActive && this.checked[this.at] === null;
  }

  /** Show the question that is due, and whether its answer was right. */
  show() {
    const { questions, at } = this;
    const question = questions[at];
    const result = make("p");
    result.setAttribute("aria-live", "polite");
    if (this.checked[at] !== null) {
      const verdict = this.checked[at] ? "Right." : "Not quite.";
      result.textContent = `${verdict} ${solution(this.player.model, question)}`;
      result.className = this.checked[at] ? "good" : "bad";
    }
    $("asked").replaceChildren(
      make("h2", `Question ${at + 1} of ${questions.length}`),
      ...this.runAsked(question),
      make("p", question.words),
      ...(this.isActive ? [this.answerField(question)] : []),
      result,
      this.buttons(),
    );
  }

  /** The run that a question is about, where the page plays several. */
  runAsked(question) {
    const { runs } = this.player.model;
    const isOfAll = question.kind === "first" || runs.length === 1;
    return isOfAll ? [] : [make("p", runs[question.run].title, "muted")];
  }

  /** A row that moves between questions, starts or checks, and copies answers. */
  buttons() {
    const { at } = this;
    const last = this.questions.length - 1;
    const row = make("div", "", "row");
    const button = (words, act, isDisabled = false) => {
      const one = make("button", words);
      one.type = "button";
      one.disabled = isDisabled;
      one.onclick = act;
      row.append(one);
      return one;
    };
    button("‹", () => this.go(at - 1), at === 0).setAttribute("aria-label", "Question before");
    const main = this.isActive
      ? button("Check", () => this.check(), this.checked[at] !== null)
      : button("Start", () => this.start());
    main.className = "main";
    button("›", () => this.go(at + 1), at === last).setAttribute("aria-label", "Next question");
    button("Copy answers", () => this.copy());
    row.append(make("span", `${this.checked.filter(Boolean).length} right`, "score"));
    return row;
  }

  /** Where a question is answered, or what was chosen in the picture. */
  answerField(question) {
    if (isTyped(question)) {
      return this.typedField();
    }
    if (question.kind === "first") {
      return this.choices();
    }
    const { model } = this.player;
    const chosen = [...this.given[this.at]].map(one => answerName(model, question, one));
    return make("p", chosen.join(", ") || "Nothing chosen yet.", "muted");
  }

  /** A field for a distance. */
  typedField() {
    const label = make("label", "Distance (inf if it has none): ");
    const input = make("input");
    input.type = "text";
    input.id = "typed";
    input.inputMode = "decimal";
    input.value = [...this.given[this.at]][0] ?? "";
    input.oninput = () => {
      this.given[this.at] = new Set(input.value ? [input.value] : []);
    };
    input.onkeydown = event => {
      if (event.key === "Enter") {
        this.check();
      }
    };
    label.append(input);
    return label;
  }

  /** A box for each run. */
  choices() {
    const given = this.given[this.at];
    const field = make("div");
    for (const [place, run] of this.player.model.runs.entries()) {
      const label = make("label");
      const box = make("input");
      box.type = "checkbox";
      box.checked = given.has(place);
      box.onchange = () => (box.checked ? given.add(place) : given.delete(place));
      label.append(box, ` ${run.title}`);
      field.append(label);
    }
    return field;
  }

  /** Begin to ask. */
  start() {
    this.isActive = true;
    this.go(this.at);
  }

  /** Go to a question. */
  go(at) {
    this.at = Math.max(0, Math.min(this.questions.length - 1, at));
    if (this.isActive) {
      this.player.ask(this.questions[this.at]);
    }
    this.show();
  }

  /** Choose a vertex, an arc or a cell, or no longer. */
  toggle(one) {
    if (this.checked[this.at] !== null) {
      return;
    }
    const given = this.given[this.at];
    if (!given.delete(one)) {
      given.add(one);
    }
    this.show();
  }

  /** Decide whether the answer is right. */
  check() {
    this.checked[this.at] = isRight(this.questions[this.at], this.given[this.at]);
    this.player.draw();
    this.show();
  }

  /** What is marked on the graph, by vertex and by arc. */
  marks(tokens) {
    const marks = { vertices: new Map(), arcs: new Map(), cells: new Map() };
    const question = this.now;
    const clicked = MARKED[question?.kind];
    if (question && isTyped(question)) {
      const marked = question.kind === "cell" ? marks.cells : marks.vertices;
      marked.set(question.vertex, tokens.accent);
    } else if (clicked) {
      const isChecked = this.checked[this.at] !== null;
      marks[clicked] = markedAnswers(question, this.given[this.at], isChecked, tokens);
    }
    return marks;
  }

  /** All answers as text. */
  get text() {
    return summary(this.player.model, this.questions, this.given, this.checked);
  }

  /** Copy all answers; a page from disk that may not use the clipboard shows them. */
  copy() {
    const show = () => {
      const area = make("textarea");
      area.value = this.text;
      area.readOnly = true;
      area.setAttribute("aria-label", "Answers");
      $("asked").querySelector("textarea")?.remove();
      $("asked").append(area);
      area.select();
    };
    if (navigator.clipboard) {
      navigator.clipboard.writeText(this.text).then(show, show);
    } else {
      show();
    }
  }
}
