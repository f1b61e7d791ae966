// The card of a lesson: pseudo-code, and the steps of the phase that is shown.

import { $, make } from "./dom.js";

const SHOWN_STEPS = 9; // rows of the list

/** Shows the steps of a run's phase; `player` is told which one is chosen. */
export class LessonCard {
  constructor(player, run) {
    this.player = player;
    this.run = run;
    this.phase = null; // whose steps are listed
    const { lesson } = run.trace;
    this.lines = lesson.code.map(([text, depth]) => {
      const line = make("div", text);
      line.style.paddingLeft = `${depth + 0.65}em`;
      return line;
    });
    this.code = make("div", "", "code");
    this.code.append(...this.lines);
    this.list = make("select", "", "steps");
    this.list.size = SHOWN_STEPS;
    this.list.setAttribute("aria-label", "Steps of the phase");
    this.list.onchange = () => player.showStep(this.list.selectedIndex);
    const back = this.button("Previous step", () => player.moveStep(-1));
    const forward = this.button("Next step", () => player.moveStep(1));
    forward.className = "main";
    const row = make("div", "", "row");
    row.append(back, forward);
    const hasSteps = lesson.steps.length > 0;
    const steps = hasSteps ? [this.list, row] : [];
    $("lesson").hidden = false;
    $("lesson").replaceChildren(make("h2", "Lesson"), this.code, ...steps);
  }

  /** A button of the card. */
  button(words, act) {
    const one = make("button", words);
    one.type = "button";
    one.onclick = act;
    return one;
  }

  /** List the steps of the phase of a state, and mark its step with its line. */
  show({ phase, steps, step, done }) {
    if (phase !== this.phase) {
      this.phase = phase;
      this.list.replaceChildren(...steps.map(one => make("option", one.text)));
    }
    this.list.selectedIndex = done ? done.length - 1 : -1;
    for (const [place, line] of this.lines.entries()) {
      line.classList.toggle("now", step !== null && place === step.line);
    }
  }
}
