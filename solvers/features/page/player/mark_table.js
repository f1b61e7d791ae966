// Marks of the display list as Python wrote them: at some scales, and between these.

/** Parts of a picture, each a list of marks for a scale; `MarkTable` of mark_table.py. */
export class MarkTable {
  constructor({ scales, styles, steps, shares }, arrays, name) {
    this.scales = scales;
    this.steps = steps; // of a pixel
    this.shares = shares; // of a line between vertices
    this.shapes = this.readShapes(arrays[`${name}.shapes`], arrays[`${name}.numbers`], styles);
    this.parts = this.readParts(arrays[`${name}.parts`]);
    this.scale = null; // of the marks that are kept
    this.kept = new Map();
  }

  /** The marks of a part at a scale: style, points, and what else of them is a number. */
  at(part, scale) {
    if (scale !== this.scale) {
      this.scale = scale;
      this.kept.clear();
    }
    if (!this.kept.has(part)) {
      const { near, tracks } = this.parts[part];
      const looks = tracks.map(track => track.find(one => this.isOf(one.shape, scale)));
      const marks = looks.filter(Boolean).map(look => this.markAt(look, near, scale));
      this.kept.set(part, marks);
    }
    return this.kept.get(part);
  }

  /** Whether a shape is that of a scale: from its own first one on, where labels have room. */
  isOf({ first, last }, scale) {
    const { scales } = this;
    const from = first ? scales[first] : 0;
    return scale >= from && (last + 1 === scales.length || scale < scales[last + 1]);
  }

  /** A mark at a scale; a point has its place in the graph and pixels beside it. */
  markAt({ shape, places }, near, scale) {
    const { style } = shape;
    const numbers = this.numbersAt(shape, scale);
    const points = Array.from({ length: style[1] }, (_, i) => ({
      near,
      place: places[places.length > 1 ? i : 0],
      beside: [numbers[2 * i], numbers[2 * i + 1]],
    }));
    return { style, points, size: numbers[2 * style[1]] };
  }

  /** The numbers of a shape in pixels. */
  numbersAt({ first, frames }, scale) {
    const { scales, steps } = this;
    let place = 0;
    while (place + 2 < frames.length && scales[first + place + 1] < scale) {
      place += 1;
    }
    if (frames.length === 1) {
      return frames[0].map(number => number / steps);
    }
    const [from, to] = [scales[first + place], scales[first + place + 1]];
    const share = Math.min(1, Math.max(0, (scale - from) / (to - from)));
    const [one, other] = [frames[place], frames[place + 1]];
    return one.map((number, i) => (number + (other[i] - number) * share) / steps);
  }

  // -- reading --------------------------------------------------------------------------------

  /** Styles and numbers of shapes; a number is stored by what is not in line with two before. */
  readShapes(shapes, numbers, styles) {
    const found = [];
    let at = 0;
    for (let i = 0; i < shapes.length; i += 5) {
      const [style, first, last, count, size] = shapes.slice(i, i + 5);
      const frames = Array.from({ length: count }, () => new Array(size));
      for (let place = 0; place < size; place++) {
        for (let k = 0; k < count; k++) {
          frames[k][place] = numbers[at] + this.expected(frames, k, place, first);
          at += 1;
        }
      }
      found.push({ style: styles[style], first, last, frames });
    }
    return found;
  }

  /** What a number would be in a straight line with those of the scales before. */
  expected(frames, k, place, first) {
    if (k < 2) {
      return k ? frames[0][place] : 0;
    }
    const [one, two, three] = this.scales.slice(first + k - 2);
    const last = frames[k - 1][place];
    return Math.round(last + ((last - frames[k - 2][place]) * (three - two)) / (two - one));
  }

  /** Parts: the vertices that they are near, and for each mark what it is from a scale on. */
  readParts(numbers) {
    const found = [];
    let at = 0;
    let known = 0;
    const take = () => numbers[at++];
    const several = make => Array.from({ length: take() }, make);
    const takePlace = () => {
      const kind = take();
      return kind < 2 ? [kind, 0] : [take() / this.shares, take() / this.shares];
    };
    const takeLook = near => {
      const shape = known - take();
      known = Math.max(known, shape + 1);
      return { shape: this.shapes[shape], places: near.length > 1 ? several(takePlace) : [[0, 0]] };
    };
    while (at < numbers.length) {
      const near = several(take);
      found.push({ near, tracks: several(() => several(() => takeLook(near))) });
    }
    return found;
  }
}

/** A place so far along the line from a point to another, and across. */
export function between([x, y], [endX, endY], [along, across]) {
  const [dx, dy] = [endX - x, endY - y];
  return [x + along * dx - across * dy, y + along * dy + across * dx];
}
