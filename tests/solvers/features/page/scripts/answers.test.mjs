// Which answers are right, and how they are told.

import assert from "node:assert/strict";
import test from "node:test";
import { load, modelOf } from "./page.mjs";

const { answerName, isRight, markedAnswers, solution, summary } = await load("answers.js");
const model = await modelOf("textbook");
const { questions } = model.about;
const distance = answer => ({ kind: "distance", words: "How far?", answer: [answer] });
const typed = (text, answer) => isRight(distance(answer), new Set([text]));

test("a set is right if it is all of the answer and no more", () => {
  const question = { kind: "frontier", answer: [1, 2] };
  assert.ok(isRight(question, new Set([2, 1])));
  assert.ok(!isRight(question, new Set([1])));
  assert.ok(!isRight(question, new Set([1, 2, 3])));
});

test("a distance may be written in several ways", () => {
  assert.ok(typed("1 234.5", 1234.5));
  assert.ok(typed("0.3333333", 1 / 3));
  assert.ok(!typed("0.33", 1 / 3));
  assert.ok(!typed("", 0));
  assert.ok(!isRight(distance(0), new Set()));
});

test("only infinity answers where there is no path", () => {
  assert.ok(typed("∞", null));
  assert.ok(!typed("5", null));
  assert.ok(!typed("inf", 5));
});

test("the page's own answers are right and have names", () => {
  assert.ok(questions.length >= 4);
  for (const question of questions.filter(one => one.kind !== "distance")) {
    assert.ok(isRight(question, new Set(question.answer)), question.words);
    const names = question.answer.map(one => answerName(model, question, one));
    assert.equal(solution(model, question), `Answer: ${names.join(", ")}.`);
    assert.ok(names.every(name => name && !name.includes("undefined")));
  }
});

test("marks tell right, wrong and missed answers once they are checked", () => {
  const tokens = { good: "good", bad: "bad", accent: "accent", warning: "warning" };
  const marks = isChecked =>
    Object.fromEntries(markedAnswers({ answer: [1, 2] }, new Set([1, 3]), isChecked, tokens));
  assert.deepEqual(marks(false), { 1: "accent", 3: "accent" });
  assert.deepEqual(marks(true), { 1: "good", 2: "warning", 3: "bad" });
});

test("the summary has a line for each question", () => {
  const given = [new Set(["7"]), new Set(["8"]), new Set()];
  const asked = [distance(7), distance(9), distance(null)];
  assert.deepEqual(summary(model, asked, given, [true, false, null]).split("\n"), [
    "textbook: 1 of 3 right",
    "1. How far? – 7 (right)",
    "2. How far? – 8 (wrong. Answer: 9.)",
    "3. How far? – no answer (not checked)",
  ]);
});
