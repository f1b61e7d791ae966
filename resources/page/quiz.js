import { number } from "./figure.js";
import { $, make } from "./model.js";

/** Questions, one at a time, with a score; nothing is sent anywhere. */
export class Quiz {
  constructor(player, questions) {
    Object.assign(this, {
      player,
      questions,
      at: 0,
      given: questions.map(() => new Set()),
      checked: questions.map(() => null),
    });
    if (questions.length) {
      ($("asked").hidden = false), this.show();
    }
  }

  get now() {
    return this.active ? this.questions[this.at] : null;
  }

  show() {
    const { questions, at } = this;
    const question = questions[at];
    const card = $("asked");
    const score = this.checked.filter(Boolean).length;
    card.replaceChildren(
      make("h2", `Question ${at + 1} of ${questions.length}`),
      make("p", question.words),
    );
    const answer = this.answerField(question);
    const row = make("div", "", "row");
    const result = make("p");
    result.setAttribute("aria-live", "polite");
    const button = (words, act, disabled = false) => {
      const one = make("button", words);
      (one.type = "button"), (one.disabled = disabled), (one.onclick = act);
      row.append(one);
      return one;
    };
    button("‹", () => this.go(at - 1), at === 0).setAttribute("aria-label", "Question before");
    if (!this.active) {
      button("Start", () => this.start()).className = "main";
    } else {
      button("Check", () => this.check(), this.checked[at] !== null).className = "main";
    }
    button("›", () => this.go(at + 1), at === questions.length - 1).setAttribute(
      "aria-label",
      "Next question",
    );
    button("Copy answers", () => this.copy());
    row.append(make("span", `${score} right`, "score"));
    if (this.checked[at] !== null) {
      result.textContent = `${this.checked[at] ? "Right." : "Not quite."} ${this.solution(question)}`;
      result.className = this.checked[at] ? "good" : "bad";
    }
    card.append(...(this.active && answer ? [answer] : []), result, row);
  }

  answerField(question) {
    const given = this.given[this.at];
    const field = make("div");
    if (question.kind === "distance") {
      const label = make("label", "Distance (inf if it has none): ");
      const input = make("input");
      (input.type = "text"),
        (input.id = "typed"),
        (input.inputMode = "decimal"),
        (input.value = [...given][0] ?? "");
      input.oninput = () => (this.given[this.at] = new Set(input.value ? [input.value] : []));
      input.onkeydown = event => event.key === "Enter" && this.check();
      label.append(input);
      field.append(label);
    } else if (question.kind === "first") {
      this.player.model.runs.forEach((run, i) => {
        const label = make("label");
        const box = make("input");
        (box.type = "checkbox"), (box.checked = given.has(i));
        box.onchange = () => (box.checked ? given.add(i) : given.delete(i));
        label.append(box, ` ${run.title}`);
        field.append(label);
      });
    } else {
      field.append(
        make(
          "p",
          [...given].map(one => this.named(question, one)).join(", ") || "Nothing chosen yet.",
          "muted",
        ),
      );
    }
    return field;
  }

  named(question, one) {
    const { model } = this.player;
    const { arcTails, arcHeads } = model.arrays;
    if (question.kind === "arcs") {
      return `${model.id(arcTails[one])} → ${model.id(arcHeads[one])}`;
    }
    if (question.kind === "first") {
      return model.runs[one].title;
    }
    return question.kind === "frontier"
      ? model.id(one)
      : number(one === null ? Infinity : Number(one));
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
    if (this.active) {
      this.player.ask(question);
    }
    this.show();
  }

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

  check() {
    const question = this.questions[this.at];
    const given = [...this.given[this.at]];
    const value = text =>
      /^(inf|∞|infinity|none)$/i.test(text.trim())
        ? Infinity
        : Number(text.replace(/[\s\u202f]/g, "").replace("−", "-"));
    let right;
    if (question.kind === "distance") {
      const wanted = question.answer[0] ?? Infinity;
      const said = given.length ? value(given[0]) : NaN;
      right = said === wanted || Math.abs(said - wanted) <= 1e-6 * Math.abs(wanted);
    } else {
      right =
        given.length === question.answer.length &&
        question.answer.every(one => this.given[this.at].has(one));
    }
    this.checked[this.at] = right;
    this.player.draw();
    this.show();
  }

  /** What is marked on the graph: the choice and, once it was checked, what was right and what was missed. */
  marks(tokens) {
    const found = { vertices: new Map(), arcs: new Map() };
    const question = this.now;
    if (!question || !["frontier", "arcs"].includes(question.kind)) {
      if (question && question.kind === "distance") {
        found.vertices.set(question.vertex, tokens.accent);
      }
      return found;
    }
    const kind = question.kind === "arcs" ? found.arcs : found.vertices;
    const done = this.checked[this.at] !== null;
    for (const one of this.given[this.at]) {
      kind.set(
        one,
        done ? (question.answer.includes(one) ? tokens.good : tokens.bad) : tokens.accent,
      );
    }
    if (done) {
      for (const one of question.answer) {
        if (!kind.has(one)) {
          kind.set(one, tokens.warning);
        }
      }
    }
    return found;
  }

  get text() {
    const { model } = this.player;
    const lines = [
      `${model.about.title}: ${this.checked.filter(Boolean).length} of ${this.questions.length} right`,
    ];
    this.questions.forEach((question, i) => {
      const given = [...this.given[i]]
        .map(one => (question.kind === "distance" ? one : this.named(question, one)))
        .join(", ");
      const verdict =
        this.checked[i] === null
          ? "not checked"
          : this.checked[i]
            ? "right"
            : `wrong. ${this.solution(question)}`;
      lines.push(`${i + 1}. ${question.words} – ${given || "no answer"} (${verdict})`);
    });
    return lines.join("\n");
  }

  copy() {
    const text = this.text;
    const show = () => {
      // a page from disk may not be allowed to use the clipboard
      const area = make("textarea");
      (area.value = text), (area.readOnly = true);
      area.setAttribute("aria-label", "Answers");
      $("asked").querySelector("textarea")?.remove();
      $("asked").append(area);
      area.select();
    };
    navigator.clipboard ? navigator.clipboard.writeText(text).then(show, show) : show();
  }
}
