// Colours: "#RRGGBB", three channels in 0..1, or numbers 0xAARRGGBB as the tables have them.

/** The three channels of "#RRGGBB" in 0..1. */
export function channels(colour) {
  return [1, 3, 5].map(place => Number.parseInt(colour.slice(place, place + 2), 16) / 255);
}

/** Red, green and blue of 0xAARRGGBB in 0..255. */
export function bytes(argb) {
  return [(argb >> 16) & 255, (argb >> 8) & 255, argb & 255];
}

/** "#rrggbb" of 0xAARRGGBB. */
export function hex(argb) {
  return `#${(argb & 0xffffff).toString(16).padStart(6, "0")}`;
}

/** Black or white, whichever is read on a colour. */
export function readableOn(colour) {
  const [red, green, blue] = channels(colour);
  return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 ? "#000000" : "#FFFFFF";
}
