// The programs of the graphics card, in GLSL: coverage, owners and colours of pixels, and lights.
//
// Lines, discs and spots are quads of two triangles. What they are of is read from textures, by
// the number of the quad, and not from attributes of instances: where a processor stands in for
// the card, each instance costs as much as a draw call.

import { HOT_WHITE, MOST_SHORT_DENSITY, NEVER, OWNING_COVERAGE, STEPS, UNITS } from "./rules.js";

/** Columns of the textures that hold a value for each vertex, edge, disc or spot. */
export const WIDE = 4096;

const HEAD = `#version 300 es
precision highp float;
precision highp int;
precision highp isampler2D;
`;

const CELLS = `
ivec2 textureCell(int place) {
  return ivec2(place % ${WIDE}, place / ${WIDE});
}
`;

const QUADS = `${CELLS}
int quad() {
  return gl_VertexID / 6;
}
vec2 corner() { // of the quad, each coordinate 0 or 1
  int k = gl_VertexID % 6;
  if (k > 2) k -= 2;
  return vec2(k & 1, k >> 1);
}
`;

// Row 0 of the textures is the top of the picture.
const VIEW = `
uniform vec4 centre; // in two parts each, so that float32 resolves pixels far in
uniform vec2 size;
uniform float scale;
vec2 pixels(vec2 place) {
  return ((place - centre.xy) - centre.zw) * scale + 0.5 * size;
}
vec4 onScreen(vec2 at) {
  return vec4(at / size * 2.0 - 1.0, 0.0, 1.0);
}
`;

const EDGE_VERTEX = `${HEAD}${QUADS}${VIEW}
uniform float width, fade, count;
uniform sampler2D segments;
uniform isampler2D edges; // tail, head and level
uniform sampler2D pens; // width and strength by level
flat out vec4 line; // a0, b0, a1, b1 along the major axis a
flat out vec4 pen; // half its thickness along b, strength, form (0 across, 1 down, 2 a dot), order
flat out ivec2 owners;
void main() {
  ivec2 cell = textureCell(quad());
  vec4 segment = texelFetch(segments, cell, 0);
  ivec4 edge = texelFetch(edges, cell, 0);
  vec2 by = texelFetch(pens, ivec2(edge.z, 0), 0).xy;
  vec2 p = pixels(segment.xy), q = pixels(segment.zw), along = q - p, at;
  float wide = width * by.x, far = length(along), order = (float(quad()) + 1.0) / (count + 2.0);
  owners = edge.xy;
  line = pen = vec4(0.0);
  bool seen = all(lessThan(min(p, q), size + wide)) && all(greaterThan(max(p, q), vec2(-wide)));
  if (!seen) {
    gl_Position = vec4(2.0, 2.0, 0.0, 1.0);
    return;
  }
  if (far < 1.0) { // shorter than a pixel
    at = floor(0.5 * (p + q)) + corner();
    float most = ${real(MOST_SHORT_DENSITY / UNITS)};
    pen = vec4(0.0, clamp(far * wide * by.y, ${real(1 / UNITS)}, most), 2.0, order);
  } else {
    bool across = abs(along.x) >= abs(along.y);
    line = across ? vec4(p, q) : vec4(p.yx, q.yx);
    if (line.x > line.z) {
      line = line.zwxy;
      owners = edge.yx;
    }
    float slope = (line.w - line.y) / (line.z - line.x);
    float thick = 0.5 * wide * sqrt(1.0 + slope * slope);
    float a = corner().x == 0.0 ? floor(line.x) : floor(line.z) + 1.0;
    float b = line.y + slope * (a - line.x) + (corner().y * 2.0 - 1.0) * (thick + 1.6);
    at = across ? vec2(a, b) : vec2(b, a);
    float strength = by.y * (far <= fade ? 1.0 : sqrt(fade / far));
    pen = vec4(thick, strength, across ? 0.0 : 1.0, order);
  }
  gl_Position = onScreen(at);
}`;

// The coverage of a pixel by a line, and the end that it is nearer to.
const COVER = `
flat in vec4 line;
flat in vec4 pen;
flat in ivec2 owners;
float covered(out int owner) {
  owner = owners.x;
  if (pen.z == 2.0) return 1.0;
  vec2 p = pen.z == 0.0 ? gl_FragCoord.xy : gl_FragCoord.yx;
  float left = max(line.x, floor(p.x)), right = min(line.z, floor(p.x) + 1.0);
  if (right <= left) return 0.0;
  float middle = 0.5 * (left + right), slope = (line.w - line.y) / (line.z - line.x);
  float b = line.y + slope * (middle - line.x);
  owner = middle < 0.5 * (line.x + line.z) ? owners.x : owners.y;
  float peak = min(1.0, 2.0 * pen.x);
  return max(0.0, min(peak, pen.x + 0.5 - abs(p.y - b)) * (right - left));
}
`;

const EDGE_DENSITY = `${HEAD}${COVER}
out float density;
void main() {
  int owner;
  float cover = covered(owner);
  if (cover <= 0.0) discard;
  density = cover * pen.y;
}`;

// The last edge that covers enough of a pixel owns it, else the first that touches it: the depth
// test decides.
const EDGE_OWNER = `${HEAD}${COVER}
out int owned;
void main() {
  int owner;
  float cover = covered(owner);
  if (cover <= 0.0) discard;
  owned = owner;
  gl_FragDepth = cover > ${real(OWNING_COVERAGE)} ? 0.5 + 0.5 * pen.w : 0.5 - 0.5 * pen.w;
}`;

const DOT_VERTEX = `${HEAD}${QUADS}${VIEW}
uniform sampler2D dots; // x, y, radius in pixels, and the vertex
flat out vec3 disc;
flat out int who;
void main() {
  vec4 found = texelFetch(dots, textureCell(quad()), 0);
  vec2 p = pixels(found.xy);
  disc = vec3(p, found.z + 0.5);
  who = int(found.w);
  gl_Position = onScreen(p + (corner() * 2.0 - 1.0) * (found.z + 1.5));
}`;

const DOT_DENSITY = `${HEAD}
uniform float strength;
flat in vec3 disc;
out float density;
void main() {
  float cover = disc.z - distance(gl_FragCoord.xy, disc.xy);
  if (cover <= 0.0) discard;
  density = strength * min(1.0, cover);
}`;

const DOT_OWNER = `${HEAD}
flat in vec3 disc;
flat in int who;
out int owned;
void main() {
  if (disc.z - distance(gl_FragCoord.xy, disc.xy) <= 0.0) discard;
  owned = who;
}`;

// One triangle that covers everything.
const WHOLE_VERTEX = `${HEAD}
void main() {
  vec2 at = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(at, 0.0, 1.0);
}`;

const COLOUR = `${HEAD}${CELLS}
uniform sampler2D density;
uniform isampler2D owner;
uniform isampler2D state; // of a vertex: 256 * the iteration that visits it + its shade
uniform sampler2D roads; // colour and opacity by step; rows of roads beside a run, and without
uniform sampler2D shades;
uniform ivec4 pane; // left, bottom and size, in pixels
uniform vec3 moved; // of the textures against the view, while a slow view is moved: zoom and shift
uniform vec3 canvas;
uniform float gain;
uniform int upto, row;
out vec4 colour;
void main() {
  vec2 at = vec2(
    gl_FragCoord.x - float(pane.x), float(pane.w) - (gl_FragCoord.y - float(pane.y)));
  ivec2 p = ivec2(floor(at * moved.x + moved.yz));
  colour = vec4(canvas, 1.0);
  if (p.x < 0 || p.y < 0 || p.x >= pane.z || p.y >= pane.w) return;
  float amount = texelFetch(density, p, 0).x;
  if (amount <= 0.0) return;
  int tone = min(${STEPS - 1}, int(sqrt(amount * gain)));
  vec4 road = texelFetch(roads, ivec2(tone, row), 0);
  int known = texelFetch(state, textureCell(texelFetch(owner, p, 0).x), 0).x;
  if (row == 0 && known != ${NEVER} && known >> 8 <= upto) {
    vec3 over = texelFetch(shades, ivec2(known & 255, 0), 0).rgb * 255.0;
    vec3 under = canvas * 255.0;
    colour.rgb = floor((over * road.a + under * (256.0 - road.a)) / 256.0) / 255.0;
  } else {
    colour.rgb = road.rgb / 255.0;
  }
}`;

const SPOT_VERTEX = `${HEAD}${QUADS}
uniform sampler2D spots; // places in pixels
uniform vec2 size;
uniform float reach;
flat out vec2 middle;
out vec2 here;
void main() {
  middle = texelFetch(spots, textureCell(quad()), 0).xy;
  here = middle + (corner() * 2.0 - 1.0) * (reach + 1.0);
  gl_Position = vec4(here.x / size.x * 2.0 - 1.0, 1.0 - here.y / size.y * 2.0, 0.0, 1.0);
}`;

// Light of a spot; alpha is what it takes off the picture below it, which on a dark canvas
// differs by channel.
const SPOT = `${HEAD}
uniform vec3 tint;
uniform float radius, reach, opacity, adding;
uniform bool soft, hot;
uniform int channel; // -1 for all
flat in vec2 middle;
in vec2 here;
out vec4 light;
void main() {
  float d = distance(here, middle);
  if (d >= reach) discard;
  float fading = 1.0 - d / reach;
  float alpha = opacity * (soft ? fading * fading : clamp(radius + 0.5 - d, 0.0, 1.0));
  float white = hot ? ${real(HOT_WHITE)} * clamp(1.0 - d / max(radius, 1.0), 0.0, 1.0) : 0.0;
  vec3 shine = floor((tint * (1.0 - white) + white) * alpha * 255.0 + 0.001) / 255.0;
  float own = channel == 0 ? shine.r : channel == 1 ? shine.g : shine.b;
  light = vec4(shine, channel < 0 ? alpha : alpha * (1.0 - adding) + own * adding);
}`;

/** Vertex and fragment shader of each program, by what it draws. */
export const PROGRAMS = {
  edgeDensity: [EDGE_VERTEX, EDGE_DENSITY],
  edgeOwner: [EDGE_VERTEX, EDGE_OWNER],
  dotDensity: [DOT_VERTEX, DOT_DENSITY],
  dotOwner: [DOT_VERTEX, DOT_OWNER],
  colour: [WHOLE_VERTEX, COLOUR],
  spot: [SPOT_VERTEX, SPOT],
};

/** A number as GLSL writes those that need not be whole. */
function real(value) {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}
