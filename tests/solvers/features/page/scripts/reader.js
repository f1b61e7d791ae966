// Reads a page as a person does: what is drawn on its canvas, written beside it, and told by its
// legend. It is run before the page's own scripts, and knows none of their names.

(() => {
  const pen = CanvasRenderingContext2D.prototype;
  const drawings = { shapes: [], words: [] };
  let points = [];
  let line = "line"; // what a stroke is
  let area = "area"; // what is filled

  /** Have a method of the canvas tell what it is called with. */
  function follow(name, tell) {
    const method = pen[name];
    pen[name] = function (...given) {
      tell(this, ...given);
      return method.apply(this, given);
    };
  }

  follow("clearRect", () => {
    drawings.shapes = [];
    drawings.words = [];
  });
  follow("beginPath", () => {
    points = [];
    line = "line";
    area = "area";
  });
  for (const name of ["moveTo", "lineTo", "arc"]) {
    follow(name, (_, x, y) => points.push([x, y]));
  }
  follow("quadraticCurveTo", (_, cx, cy, x, y) => {
    points.push([cx, cy], [x, y]);
    line = "curve";
  });
  follow("roundRect", (_, x, y, w, h) => {
    points.push([x, y], [x + w, y + h]);
    line = "plate";
    area = "plate";
  });
  follow("fill", ({ fillStyle: colour }) =>
    drawings.shapes.push({ kind: area, points, colour }),
  );
  follow("stroke", ({ strokeStyle: colour, lineWidth: width }) =>
    drawings.shapes.push({ kind: line, points, colour, width }),
  );
  follow("fillText", (context, text, x, y) =>
    drawings.words.push({ text, x, y, bold: /^(bold|600)/.test(context.font) }),
  );
  globalThis.drawings = drawings;
})();
