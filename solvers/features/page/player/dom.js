// Elements of the page.

const SVG = "http://www.w3.org/2000/svg";

/** The element with an id. */
export function $(id) {
  return document.getElementById(id);
}

/** A new element with a text and a class. */
export function make(tag, text = "", kind = "") {
  const element = document.createElement(tag);
  element.textContent = text;
  if (kind) {
    element.className = kind;
  }
  return element;
}

/** A new element of a drawing, with its attributes and a text. */
export function shape(tag, attributes, text = "") {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  element.textContent = text;
  return element;
}
