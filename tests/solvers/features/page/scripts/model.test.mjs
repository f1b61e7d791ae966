// What the scripts read from a page's data, and what follows from it.

import assert from "node:assert/strict";
import test from "node:test";
import { known, load, modelOf } from "./page.mjs";

const { decode } = await load("decode.js");
const { lastUpTo } = await load("model.js");
const { NEVER } = await load("rules.js");
const { State } = await load("state.js");
const { Timeline } = await load("timeline.js");
const { waveHeights } = await load("charts.js");
const textbook = await modelOf("textbook");
const harbour = await modelOf("harbour");
const [dijkstra, bellmanFord] = textbook.runs;

test("arrays are decoded as Python packed them", async () => {
  const { about, arrays } = await decode(known.numbers);
  assert.equal(about.name, "</script>");
  assert.deepEqual([arrays.near[0], arrays.near[999]], [1e9, 1e9 + 999]);
  assert.deepEqual([...arrays.signed], [0, -1, 1, 64, -(2 ** 40)]);
  assert.deepEqual([...arrays.lengths], [3, Number.POSITIVE_INFINITY]);
  assert.deepEqual([...arrays.halves], [0.5, -1]);
  assert.deepEqual([...arrays.bytes], [7, 255]);
});

test("frontiers are those of the trace", () => {
  assert.deepEqual([...textbook.frontier(dijkstra, 0)], [textbook.about.source]);
  assert.equal(textbook.frontier(dijkstra, -1).length, 0);
  for (const run of [...textbook.runs, ...harbour.runs]) {
    const model = harbour.runs.includes(run) ? harbour : textbook;
    for (let step = 0; step < run.positions.length; step++) {
      const frontier = [...model.frontier(run, step)];
      assert.equal(frontier.length, run.active[step]);
      assert.ok(frontier.every(vertex => run.first[vertex] <= run.positions[step]));
    }
  }
});

test("vertices are visited from their first iteration on, shaded by distance", () => {
  const [run] = harbour.runs;
  const { distances } = harbour.arrays;
  const source = harbour.about.source;
  assert.deepEqual([run.reveal[source], run.shade[source]], [0, 0]);
  const farthest = distances.indexOf(harbour.high);
  assert.equal(run.shade[farthest], 255);
  for (const [vertex, distance] of distances.entries()) {
    assert.equal(run.reveal[vertex] === NEVER, !Number.isFinite(distance));
  }
});

test("steps end together as long as the timed runs", () => {
  assert.ok(Math.abs(dijkstra.ends[dijkstra.ends.length - 1] - dijkstra.median) < 1e-9);
});

test("the trail is older frontiers, the freshest last", () => {
  const [run] = harbour.runs;
  const trail = harbour.trail(run, 30);
  const shares = trail.map(([, freshness]) => freshness);
  assert.deepEqual(shares, [...shares].sort());
  assert.deepEqual([...trail[trail.length - 1][0]], [...harbour.frontier(run, 29)]);
  assert.deepEqual(harbour.trail(run, 0), []);
});

test("a path leads from the source along arcs, and its weights are the distance", () => {
  const { arcTails, arcHeads, arcWeights, distances } = textbook.arrays;
  const lightest = (tail, head) =>
    Math.min(...[...arcWeights].filter((_, a) => arcTails[a] === tail && arcHeads[a] === head));
  for (let vertex = 0; vertex < textbook.about.n; vertex++) {
    const path = textbook.pathTo(vertex);
    assert.equal(path[0], textbook.about.source);
    let length = 0;
    for (let step = 1; step < path.length; step++) {
      length += lightest(path[step - 1], path[step]);
    }
    assert.equal(length, distances[vertex]);
  }
  assert.equal(textbook.distance(textbook.about.target), "13");
});

test("each arc of the graph has a line, alone or with its opposite", () => {
  const { arcTails, arcHeads } = textbook.arrays;
  const numbers = [];
  for (const [tail, head, own, opposite] of textbook.marks.close.drawn) {
    assert.deepEqual([arcTails[own], arcHeads[own]], [tail, head]);
    if (opposite >= 0) {
      assert.deepEqual([arcTails[opposite], arcHeads[opposite]], [head, tail]);
    }
    numbers.push(own, opposite);
  }
  assert.equal(numbers.filter(arc => arc >= 0).length, arcTails.length);
});

test("a click finds the nearest vertex, if it is near", () => {
  const { px, py } = harbour.arrays;
  for (const vertex of [0, 77, 2499]) {
    assert.equal(harbour.nearest(px[vertex] + 1e-6, py[vertex], 0.01), vertex);
  }
  assert.equal(harbour.nearest(9, 9, 0.01), null);
});

test("of ascending positions the last one up to a place is found", () => {
  assert.deepEqual(
    [0, 1, 2, 5, 9].map(position => lastUpTo([1, 2, 5], position)),
    [-1, 0, 1, 2, 2],
  );
});

test("distances that an iteration lowers are told with those before", () => {
  const state = new State(textbook, dijkstra, 0);
  const { arcTails, arcHeads } = textbook.arrays;
  const leaving = [...arcTails.keys()].filter(arc => arcTails[arc] === textbook.about.source);
  const heads = new Set(leaving.map(arc => arcHeads[arc]));
  for (let vertex = 0; vertex < textbook.about.n; vertex++) {
    assert.equal(state.chip(vertex).key.endsWith(",1"), heads.has(vertex));
  }
  const unreached = state.after.indexOf(Number.POSITIVE_INFINITY);
  assert.deepEqual(state.chip(unreached).text, ["∞"]);
  const before = new State(textbook, bellmanFord, -1);
  assert.deepEqual(before.chip(textbook.about.source).text, ["0"]);
});

test("in lock step the bar has every iteration, by time every end", () => {
  const lock = new Timeline(textbook.runs, false);
  assert.deepEqual([...lock.moments], [...dijkstra.positions]);
  assert.deepEqual([lock.share(0), lock.share(lock.moments[lock.last])], [0, 1]);
  assert.deepEqual(
    [0.48, 0.52].map(share => lock.nearest(share)),
    [3, 4],
  );
  assert.equal(lock.step(bellmanFord, lock.last), bellmanFord.positions.length - 1);
  const time = new Timeline(textbook.runs, true);
  assert.equal(time.moments.length, new Set([...dijkstra.ends, ...bellmanFord.ends]).size);
  assert.equal(time.step(dijkstra, time.last), dijkstra.positions.length - 1);
  assert.deepEqual([...new Timeline([], false).moments], [0]);
  assert.equal(Timeline.isUneven([{ length: 1 }, { length: 21 }]), true);
  assert.equal(Timeline.isUneven(textbook.runs), false);
});

test("waves behind the bar are as high as frontiers, and end with the run", () => {
  const run = { active: [1, 4, 2], positions: [0, 1, 2] };
  const line = new Timeline([run, { positions: [0, 4] }], false);
  assert.deepEqual(waveHeights(run, line, 8), [0.25, 0.25, 1, 1, 0.5]);
});
