// Numbers and quantities in words, and the marks of an axis.

import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page.mjs";

const { milliseconds, number, quantity, ticks, typedNumber } = await load("numbers.js");
const { timeAxis } = await load("charts.js");

test("thousands stand apart and fractions are short", () => {
  assert.equal(number(1234567), "1\u202f234\u202f567");
  assert.equal(number(-0.1234567891), "−0.1234568");
  assert.equal(number(Number.POSITIVE_INFINITY), "∞");
});

test("a typed number may have a sign, spaces and words for infinity", () => {
  assert.equal(typedNumber(" −1\u202f234.5 "), -1234.5);
  assert.equal(typedNumber("Inf"), Number.POSITIVE_INFINITY);
  assert.ok(Number.isNaN(typedNumber("far")));
  assert.ok(Number.isNaN(typedNumber(" ")));
});

test("times have the unit that keeps them short", () => {
  assert.deepEqual([0, 0.0042, 4.2, 4200].map(milliseconds), ["0", "4.2 µs", "4.2 ms", "4.2 s"]);
});

test("lengths are in m or km, times in two units, others as they are", () => {
  assert.equal(quantity(12345, "dm"), "1.23 km");
  assert.equal(quantity(999, "m"), "999 m");
  assert.equal(quantity(59.94, "s"), "59.9 s");
  assert.equal(quantity(61, "s"), "1 min 1 s");
  assert.equal(quantity(7200, "s"), "2 h");
  assert.equal(quantity(0.5, ""), "0.5");
});

test("marks of an axis are even, or powers of ten", () => {
  assert.deepEqual(ticks(0, 10, false), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(ticks(0.05, 200, true), [0.1, 1, 10, 100]);
});

test("trials that are far apart have a logarithmic axis", () => {
  const even = timeAxis([1, 2], 334);
  assert.deepEqual([even.x(0), even.x(2)], [6, 306]);
  const wide = timeAxis([1, 100], 334);
  assert.ok(wide.x(10) - wide.x(1) > 100);
  assert.deepEqual(wide.ticks, [1, 10, 100]);
});
