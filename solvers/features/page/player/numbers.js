// Numbers and quantities as people read them.

import { METRES_PER_UNIT } from "./rules.js";

const NARROW_SPACE = "\u202f";
const MINUS = "−";

/** A number with its thousands apart, in at most seven digits if it has a fraction. */
export function number(value) {
  if (!Number.isFinite(value)) {
    return "∞";
  }
  const size = Math.abs(value);
  const [whole, fraction] = String(
    Number.isInteger(size) ? size : Number(size.toPrecision(7)),
  ).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, NARROW_SPACE);
  return (value < 0 ? MINUS : "") + grouped + (fraction ? `.${fraction}` : "");
}

/** The number that somebody typed; Infinity for "inf" and the like, NaN for no number. */
export function typedNumber(text) {
  const digits = text.replace(/\s/g, "").replace(MINUS, "-");
  if (/^(inf|∞|infinity|none)$/i.test(digits)) {
    return Number.POSITIVE_INFINITY;
  }
  return digits ? Number(digits) : Number.NaN;
}

/** A time in s, ms or µs, in three digits. */
export function milliseconds(ms) {
  if (ms === 0) {
    return "0";
  }
  if (ms >= 1000) {
    return `${rounded(ms / 1000)} s`;
  }
  return ms >= 1 ? `${rounded(ms)} ms` : `${rounded(ms * 1000)} µs`;
}

/** A value in a unit: a length in m or km, a time in hours and minutes, else the number. */
export function quantity(value, unit) {
  if (unit in METRES_PER_UNIT) {
    const metres = value * METRES_PER_UNIT[unit];
    return Math.abs(metres) < 1000 ? `${rounded(metres)} m` : `${rounded(metres / 1000)} km`;
  }
  if (unit !== "s") {
    return `${number(Number(value.toPrecision(7)))} ${unit}`.trim();
  }
  if (Math.abs(value) < 60) {
    return `${rounded(value)} s`;
  }
  return value < 3600
    ? inTwoUnits(Math.round(value), "min", "s")
    : inTwoUnits(Math.round(value / 60), "h", "min");
}

/** Places of the marks of an axis: powers of ten, or about three to six even steps from 0. */
export function ticks(low, high, logarithmic) {
  if (logarithmic) {
    const first = Math.ceil(Math.log10(low));
    const count = Math.max(0, Math.floor(Math.log10(high)) - first + 1);
    return Array.from({ length: count }, (_, place) => 10 ** (first + place));
  }
  const power = 10 ** Math.floor(Math.log10(high / 3));
  const step = [5, 2, 1].find(factor => high / (factor * power) >= 2.2) * power;
  return Array.from({ length: Math.floor(high / step) + 1 }, (_, place) => place * step);
}

/** A number in three digits. */
function rounded(value) {
  return number(Number(value.toPrecision(3)));
}

/** A whole number of the smaller of two units, of which 60 are the greater. */
function inTwoUnits(whole, high, low) {
  const rest = whole % 60;
  return `${number(Math.floor(whole / 60))} ${high}${rest ? ` ${rest} ${low}` : ""}`;
}
