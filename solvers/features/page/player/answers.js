// Which answers to the questions of a page are right, and how they read.

import { number, typedNumber } from "./numbers.js";

const TOLERANCE_OF_TYPED = 1e-6; // relative

/** Whether a question is answered by a number that is typed. */
export function isTyped({ kind }) {
  return kind === "distance" || kind === "cell";
}

/** Whether what was given answers a question: typed text for a distance, else numbers. */
export function isRight(question, given) {
  if (isTyped(question)) {
    const [wanted] = question.answer;
    const value = given.size ? typedNumber([...given][0]) : Number.NaN;
    return wanted === null
      ? value === Number.POSITIVE_INFINITY
      : Math.abs(value - wanted) <= TOLERANCE_OF_TYPED * Math.abs(wanted);
  }
  return given.size === question.answer.length && question.answer.every(one => given.has(one));
}

/** One answer to a question in words: an arc, a run, a vertex or a distance. */
export function answerName(model, question, one) {
  const { arcTails, arcHeads } = model.arrays;
  switch (question.kind) {
    case "arcs":
      return `${model.id(arcTails[one])} → ${model.id(arcHeads[one])}`;
    case "first":
      return model.runs[one].title;
    case "frontier":
      return model.id(one);
    case "cells":
      return `${model.id(Math.floor(one / model.about.n))} → ${model.id(one % model.about.n)}`;
    default:
      return number(one ?? Number.POSITIVE_INFINITY);
  }
}

/** What is right, as a sentence. */
export function solution(model, question) {
  return `Answer: ${question.answer.map(one => answerName(model, question, one)).join(", ")}.`;
}

/**
 * The colour of each vertex or arc that is marked: what was given and, once it was checked, what
 * was right and what was missed.
 */
export function markedAnswers({ answer }, given, isChecked, tokens) {
  const marks = new Map();
  for (const one of given) {
    const verdict = answer.includes(one) ? tokens.good : tokens.bad;
    marks.set(one, isChecked ? verdict : tokens.accent);
  }
  for (const one of isChecked ? answer : []) {
    if (!given.has(one)) {
      marks.set(one, tokens.warning);
    }
  }
  return marks;
}

/** All questions with what was given and what is right, a line each. */
export function summary(model, questions, given, checked) {
  const right = checked.filter(Boolean).length;
  const lines = questions.map((question, place) => {
    const answers = [...given[place]].map(one =>
      isTyped(question) ? one : answerName(model, question, one),
    );
    const verdict = verdictOf(model, question, checked[place]);
    return `${place + 1}. ${question.words} – ${answers.join(", ") || "no answer"} (${verdict})`;
  });
  return [`${model.about.title}: ${right} of ${questions.length} right`, ...lines].join("\n");
}

/** Whether the answers to a question were right, in words; null stands for not checked. */
function verdictOf(model, question, isChecked) {
  if (isChecked === null) {
    return "not checked";
  }
  return isChecked ? "right" : `wrong. ${solution(model, question)}`;
}
