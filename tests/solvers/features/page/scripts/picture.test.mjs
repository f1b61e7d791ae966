// Sizes, lights and places are those that the window has.

import assert from "node:assert/strict";
import test from "node:test";
import { known, load } from "./page.mjs";

const { channels } = await load("colours.js");
const { placeSpots, wavesOf } = await load("lights.js");
const { dotRadius, pixelSizes, roadPens } = await load("sizes.js");
const viewport = await load("viewport.js");

/** Fail unless two numbers agree, but for rounding. */
function assertClose(one, other, tolerance = 1e-9) {
  const limit = tolerance * Math.max(1, Math.abs(other));
  assert.ok(Math.abs(one - other) <= limit, `${one} is not ${other}`);
}

for (const { scale, sizes, pens } of known.sizes) {
  test(`sizes at ${scale} pixels a unit are those of the window`, () => {
    const found = pixelSizes(known.scene, known.scene.vertices, false, scale);
    assert.deepEqual(Object.keys(found).sort(), Object.keys(sizes).sort());
    for (const [name, value] of Object.entries(sizes)) {
      assertClose(found[name], value);
    }
    for (const [place, value] of roadPens(found.spacing).entries()) {
      assertClose(value, pens[place], 1e-6);
    }
  });
}

test("vertices with sizes are drawn from a least radius on, up to a greatest", () => {
  const { dot } = pixelSizes(known.scene, known.scene.vertices, true, 500);
  assert.equal(dotRadius(dot, 0.01), 0);
  assert.equal(dotRadius(dot, 1), dot);
  assert.equal(dotRadius(dot, 1000), dotRadius(dot, 2000));
});

for (const { count, scale, ratio, waves } of known.waves) {
  test(`lights of a frontier of ${count} at ${scale} pixels a unit are those of the window`, () => {
    const vertices = length => Int32Array.from({ length }, (_, vertex) => vertex);
    const trail = [
      [vertices(Math.floor(count / 2)), 0.2],
      [vertices(Math.floor(count / 3)), 0.6],
    ];
    const sizes = pixelSizes(known.scene, known.scene.vertices, false, scale);
    const found = wavesOf(vertices(count), trail, sizes, ratio, known.tokens);
    assert.equal(found.waves.length, waves.length);
    for (const [place, wave] of waves.entries()) {
      const { vertices: shining, tint, ...rest } = found.waves[place];
      assert.equal(shining.length, wave.vertices);
      for (const name of ["radius", "opacity", "heat", "adding"]) {
        assertClose(rest[name], wave[name]);
      }
      assert.equal(rest.halo, wave.halo);
      assert.deepEqual(
        tint.map(channel => Math.round(255 * channel)),
        channels(wave.colour).map(channel => Math.round(255 * channel)),
      );
    }
  });
}

test("of snapped spots there is one a pixel, and none outside the view", () => {
  const view = { x: 0, y: 0, scale: 10, width: 20, height: 20 };
  const arrays = { px: [0.01, 0.02, 0.2, 50], py: [0, 0, 0, 0] };
  const wave = () => ({ vertices: [0, 1, 2, 3], radius: 1 });
  const [snapped] = placeSpots([wave()], true, view, 1, arrays);
  assert.deepEqual([...snapped.places], [10.5, 10.5, 12.5, 10.5]);
  const [free] = placeSpots([wave()], false, view, 1, arrays);
  assert.equal(free.places.length, 6);
});

test("panes stand side by side where there is room", () => {
  const places = (...size) => viewport.paneLayout(...size).map(({ left, top }) => [left, top]);
  assert.deepEqual(places(2, 800, 400), [
    [0, 0],
    [400, 0],
  ]);
  assert.deepEqual(places(2, 400, 800), [
    [0, 0],
    [0, 400],
  ]);
  assert.deepEqual(places(4, 800, 400), [
    [0, 0],
    [400, 0],
    [0, 200],
    [400, 200],
  ]);
  const panes = viewport.paneLayout(2, 800, 400);
  assert.equal(viewport.paneAt(panes, [500, 10]), panes[1]);
  assert.equal(viewport.paneAt(panes, [900, 10]), panes[0]);
});

test("a fitted view shows the bounds within its margins", () => {
  const pane = { width: 300, height: 200 };
  const view = viewport.fittedView([0, 0, 1, 1], pane, { side: 10, top: 60, bottom: 20 });
  assert.equal(view.scale, 120);
  for (const [point, corner] of [
    [[90, 60], 0],
    [[210, 180], 1],
  ]) {
    for (const coordinate of viewport.worldAt(view, point)) {
      assertClose(coordinate, corner);
    }
  }
});

test("zooming keeps a point in place, within the least and the greatest scale", () => {
  const view = { x: 3, y: 4, scale: 100, width: 300, height: 200 };
  const zoomed = viewport.zoomedView(view, 2.5, [20, 30]);
  assert.equal(zoomed.scale, 250);
  const [before, after] = [view, zoomed].map(one => viewport.worldAt(one, [20, 30]));
  assertClose(after[0], before[0]);
  assertClose(after[1], before[1]);
  assert.equal(viewport.zoomedView(view, 0, [0, 0]).scale, 20);
  assert.equal(viewport.pannedView(view, 100, 0).x, 2);
});
