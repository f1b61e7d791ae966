// A close view of the page has the marks of the window's, at any scale.

import assert from "node:assert/strict";
import test from "node:test";
import { known, load, modelOf } from "./page.mjs";

const { Figure } = await load("figure.js");
const { State } = await load("state.js");
const model = await modelOf("close");
const NONE = { vertices: new Map(), arcs: new Map() };

/** What a figure paints, as Python describes marks. */
function painted({ camera, position, dark }) {
  const tokens = model.about.looks[dark ? "dark" : "light"];
  const figure = new Figure(null, { left: 0, top: 0 }, camera, model, tokens);
  const { painter } = figure;
  const found = [];
  const add = (mark, as, text = "") => {
    const [kind, , fill, outline, width] = mark.style;
    const colours = [fill, outline].map(ink => ink && painter.colour(ink, as));
    const size = ["disc", "words"].includes(kind) ? mark.size : width;
    found.push([kind, painter.pointsOf(mark, as), size, ...colours, text]);
  };
  painter.paintShapes = (marks, as = {}) => {
    for (const mark of marks) {
      add(mark, as);
    }
  };
  painter.paintWords = (mark, as, text) => add(mark, as, text ?? mark.style[7]);
  model.look = { ramp: model.arrays[`${dark ? "dark" : "light"}.ramp`] };
  figure.drawGraph(new State(model, model.runs[0], position), NONE);
  return found;
}

/** Fail unless two lists of points are the same but for some pixels. */
function assertNear(points, others, most, words) {
  assert.equal(points.length, others.length, words);
  for (const [place, [x, y]] of points.entries()) {
    const [otherX, otherY] = others[place];
    const away = Math.hypot(x - otherX, y - otherY);
    assert.ok(away <= most, `${words}: ${away} pixels`);
  }
}

for (const view of known.drawn) {
  const { camera, dark, exact, marks, position } = view;
  const name = `${camera.scale.toFixed(1)} pixels a unit, ${dark ? "dark" : "light"}`;
  test(`marks at ${name}, after iteration ${position + 1}, are those of the window`, () => {
    // between the scales of the data, labels may stand elsewhere
    const of = list => list.filter(([kind, , , fill]) => exact || (kind === "disc" && fill));
    const [found, wanted] = [of(painted(view)), of(marks)];
    assert.ok(wanted.length > (exact ? 20 : 1));
    assert.deepEqual(
      found.map(([kind, , , ...look]) => [kind, ...look]),
      wanted.map(([kind, , , ...look]) => [kind, ...look]),
    );
    for (const [place, [kind, points, size]] of found.entries()) {
      assertNear(points, wanted[place][1], exact ? 0.25 : 1.5, `${kind} ${place}`);
      assert.ok(Math.abs(size - wanted[place][2]) <= (exact ? 0.1 : 1), `${kind} ${place}`);
    }
  });
}
