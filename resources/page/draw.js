// The picture, by the rules of the window's rasteriser (solvers/picture/raster), in WebGL 2.
//
// Edges are drawn once a view, into two textures: the density of lines on each pixel, and the vertex that it belongs to.
// A step of the play-back only colours: it looks up which vertices are visited. All panes share these textures.

export const NEVER = 0x7fffffff;
const STEPS = 1024;
const MOST_DENSITY = 64; // of the tone curve, even in the square root of the density
const WIDE = 2048; // columns of textures with a value a vertex

const EDGE_VERTEX = `#version 300 es
precision highp float;
uniform vec4 centre; // of the view, in two parts each, so that float32 resolves pixels far in
uniform vec2 size;
uniform float scale, width, fade, count;
uniform sampler2D pens; // width and strength by level
layout(location = 0) in vec4 segment;
layout(location = 1) in ivec2 ends;
layout(location = 2) in float level;
flat out vec4 line; // a0, b0, a1, b1 along the major axis a
flat out vec4 pen; // half its thickness along b, strength, kind (0 across, 1 down, 2 shorter than a pixel), order
flat out ivec2 owners;
void main() {
  vec2 p = ((segment.xy - centre.xy) - centre.zw) * scale + 0.5 * size;
  vec2 q = ((segment.zw - centre.xy) - centre.zw) * scale + 0.5 * size;
  vec2 by = texelFetch(pens, ivec2(int(level), 0), 0).xy;
  float wide = width * by.x, order = (float(gl_InstanceID) + 1.0) / (count + 2.0);
  vec2 along = q - p;
  float far = length(along);
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1), at;
  owners = ends;
  if (far < 1.0) {
    at = floor(0.5 * (p + q)) + corner;
    line = vec4(0.0);
    pen = vec4(0.0, clamp(far * wide * by.y, 1.0 / 1024.0, 2.0), 2.0, order);
  } else {
    bool across = abs(along.x) >= abs(along.y);
    vec4 l = across ? vec4(p, q) : vec4(p.yx, q.yx);
    if (l.x > l.z) { l = l.zwxy; owners = ends.yx; }
    float slope = (l.w - l.y) / (l.z - l.x), thick = 0.5 * wide * sqrt(1.0 + slope * slope);
    float a = corner.x == 0.0 ? floor(l.x) : floor(l.z) + 1.0;
    float b = l.y + slope * (a - l.x) + (corner.y * 2.0 - 1.0) * (thick + 1.6);
    at = across ? vec2(a, b) : vec2(b, a);
    line = l;
    pen = vec4(thick, by.y * (far <= fade ? 1.0 : sqrt(fade / far)), across ? 0.0 : 1.0, order);
  }
  gl_Position = vec4(at / size * 2.0 - 1.0, 0.0, 1.0); // row 0 of the textures is the top of the picture
}`;

// The coverage of a pixel by a line; `cover` is left at 0 outside it.
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
  return max(0.0, min(min(1.0, 2.0 * pen.x), pen.x + 0.5 - abs(p.y - b)) * (right - left));
}`;

const DENSITY = `#version 300 es
precision highp float;
${COVER}
out float density;
void main() {
  int owner;
  float cover = covered(owner);
  if (cover <= 0.0) discard;
  density = cover * pen.y;
}`;

// The last edge that covers enough of a pixel owns it, else the first that touches it: the depth test decides.
const OWNER = `#version 300 es
precision highp float;
precision highp int;
${COVER}
out int owned;
void main() {
  int owner;
  float cover = covered(owner);
  if (cover <= 0.0) discard;
  owned = owner;
  gl_FragDepth = cover > 0.35 ? 0.5 + 0.5 * pen.w : 0.5 - 0.5 * pen.w;
}`;

const DOT_VERTEX = `#version 300 es
precision highp float;
uniform vec4 centre;
uniform vec2 size;
uniform float scale;
layout(location = 0) in vec2 place;
layout(location = 1) in float radius;
layout(location = 2) in float vertex;
flat out vec3 disc;
flat out int who;
void main() {
  vec2 p = ((place - centre.xy) - centre.zw) * scale + 0.5 * size;
  vec2 at = p + (vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0) * (radius > 0.0 ? radius + 1.5 : 0.0);
  disc = vec3(p, radius + 0.5);
  who = int(vertex);
  gl_Position = vec4(at / size * 2.0 - 1.0, 0.0, 1.0);
}`;
const DOT_DENSITY = `#version 300 es
precision highp float;
uniform float strength;
flat in vec3 disc;
out float density;
void main() {
  float cover = disc.z - distance(gl_FragCoord.xy, disc.xy);
  if (cover <= 0.0) discard;
  density = strength * min(1.0, cover);
}`;
const DOT_OWNER = `#version 300 es
precision highp float;
precision highp int;
flat in vec3 disc;
flat in int who;
out int owned;
void main() {
  if (disc.z - distance(gl_FragCoord.xy, disc.xy) <= 0.0) discard;
  owned = who;
}`;

const WHOLE_VERTEX = `#version 300 es
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }`;
const COLOUR = `#version 300 es
precision highp float;
precision highp int;
precision highp isampler2D;
uniform sampler2D density;
uniform isampler2D owner, state; // state of a vertex: 256 * the iteration that visits it + its shade
uniform sampler2D roads, shades; // roads: colour and opacity by step; rows of roads beside a run, and without
uniform ivec4 pane; // left, bottom and size, in pixels
uniform vec3 moved; // of the textures against the view, while a slow view is moved: zoom and shift
uniform vec3 canvas;
uniform float gain;
uniform int upto, row;
out vec4 colour;
void main() {
  vec2 at = vec2(gl_FragCoord.x - float(pane.x), float(pane.w) - (gl_FragCoord.y - float(pane.y)));
  ivec2 p = ivec2(floor(at * moved.x + moved.yz));
  colour = vec4(canvas, 1.0);
  if (p.x < 0 || p.y < 0 || p.x >= pane.z || p.y >= pane.w) return;
  float amount = texelFetch(density, p, 0).x;
  if (amount <= 0.0) return;
  int s = min(${STEPS - 1}, int(sqrt(amount * gain)));
  vec4 tone = texelFetch(roads, ivec2(s, row), 0);
  int v = texelFetch(owner, p, 0).x, known = texelFetch(state, ivec2(v % ${WIDE}, v / ${WIDE}), 0).x;
  if (row == 0 && known != ${NEVER} && known >> 8 <= upto) {
    vec3 over = texelFetch(shades, ivec2(known & 255, 0), 0).rgb * 255.0;
    colour.rgb = floor((over * tone.a + canvas * 255.0 * (256.0 - tone.a)) / 256.0) / 255.0;
  } else colour.rgb = tone.rgb / 255.0;
}`;

const SPOT_VERTEX = `#version 300 es
precision highp float;
uniform vec2 size;
uniform float reach;
layout(location = 0) in vec2 place;
flat out vec2 middle;
out vec2 here;
void main() {
  middle = place;
  here = place + (vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0) * (reach + 1.0);
  gl_Position = vec4(here.x / size.x * 2.0 - 1.0, 1.0 - here.y / size.y * 2.0, 0.0, 1.0);
}`;
// Light of a spot; alpha is what it takes off the picture below it, which on a dark canvas differs by channel.
const SPOT = `#version 300 es
precision highp float;
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
  float alpha = opacity * (soft ? (1.0 - d / reach) * (1.0 - d / reach) : clamp(radius + 0.5 - d, 0.0, 1.0));
  float white = hot ? 0.45 * clamp(1.0 - d / max(radius, 1.0), 0.0, 1.0) : 0.0;
  vec3 shine = floor((tint * (1.0 - white) + white) * alpha * 255.0 + 0.001) / 255.0;
  float own = channel == 0 ? shine.r : channel == 1 ? shine.g : shine.b;
  light = vec4(shine, channel < 0 ? alpha : alpha * (1.0 - adding) + own * adding);
}`;

export class Raster {
  /** Throws where the browser cannot draw. */
  constructor(canvas, arrays, scene) {
    const gl = canvas.getContext("webgl2", { antialias: false, alpha: false, depth: false });
    if (!gl?.getExtension("EXT_color_buffer_float")) {
      throw new Error("no WebGL 2 with float buffers");
    }
    this.fine = gl.getExtension("EXT_float_blend") !== null;
    (this.gl = gl), (this.canvas = canvas), (this.scene = scene), (this.arrays = arrays);
    this.programs = {};
    for (const [name, vertex, fragment] of [
      ["density", EDGE_VERTEX, DENSITY],
      ["owner", EDGE_VERTEX, OWNER],
      ["dotDensity", DOT_VERTEX, DOT_DENSITY],
      ["dotOwner", DOT_VERTEX, DOT_OWNER],
      ["colour", WHOLE_VERTEX, COLOUR],
      ["spot", SPOT_VERTEX, SPOT],
    ]) {
      this.programs[name] = this.program(vertex, fragment);
    }
    this.edges = this.edgeArray();
    this.dots = this.dotArray();
    this.spots = { array: gl.createVertexArray(), buffer: gl.createBuffer() };
    gl.bindVertexArray(this.spots.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.spots.buffer);
    this.attribute(0, 2, gl.FLOAT, 8, 0);
    this.states = [];
    const known = gl.getExtension("WEBGL_debug_renderer_info");
    // Where a processor stands in for the graphics card, our own rasteriser is tens of times as fast as its shaders.
    this.software =
      Boolean(known) &&
      /swiftshader|llvmpipe|softpipe|basic render/i.test(
        gl.getParameter(known.UNMASKED_RENDERER_WEBGL),
      );
    this.drawn = null; // the view in the textures
    this.slow = false; // whether edges take too long to be drawn at every move
  }

  program(vertex, fragment) {
    const gl = this.gl;
    const program = gl.createProgram();
    for (const [kind, text] of [
      [gl.VERTEX_SHADER, vertex],
      [gl.FRAGMENT_SHADER, fragment],
    ]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) {
        throw new Error(gl.getShaderInfoLog(shader));
      }
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
      throw new Error(gl.getProgramInfoLog(program));
    }
    const places = new Map();
    return {
      program,
      at: name => {
        if (!places.has(name)) {
          places.set(name, gl.getUniformLocation(program, name));
        }
        return places.get(name);
      },
    };
  }

  attribute(place, size, type, stride, offset, whole = false) {
    const gl = this.gl;
    gl.enableVertexAttribArray(place);
    if (whole) {
      gl.vertexAttribIPointer(place, size, type, stride, offset);
    } else {
      gl.vertexAttribPointer(place, size, type, false, stride, offset);
    }
    gl.vertexAttribDivisor(place, 1);
  }

  edgeArray() {
    const gl = this.gl;
    const { segments, tails, heads, levels } = this.arrays;
    const count = tails.length;
    const data = new ArrayBuffer(count * 28);
    const floats = new Float32Array(data);
    const whole = new Int32Array(data);
    for (let e = 0; e < count; e++) {
      for (let i = 0; i < 4; i++) {
        floats[7 * e + i] = segments[4 * e + i];
      }
      (whole[7 * e + 4] = tails[e]), (whole[7 * e + 5] = heads[e]);
      floats[7 * e + 6] = levels ? levels[e] : 0;
    }
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    this.attribute(0, 4, gl.FLOAT, 28, 0);
    this.attribute(1, 2, gl.INT, 28, 16, true);
    this.attribute(2, 1, gl.FLOAT, 28, 24);
    return { array, count };
  }

  dotArray() {
    const gl = this.gl;
    const array = gl.createVertexArray();
    const buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    this.attribute(0, 2, gl.FLOAT, 16, 0);
    this.attribute(1, 1, gl.FLOAT, 16, 8);
    this.attribute(2, 1, gl.FLOAT, 16, 12);
    return { array, buffer };
  }

  texture(inner, outer, type, width, height, data) {
    const gl = this.gl;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, inner, width, height, 0, outer, type, data);
    for (const name of ["MIN", "MAG"]) {
      gl.texParameteri(gl.TEXTURE_2D, gl[`TEXTURE_${name}_FILTER`], gl.NEAREST);
    }
    for (const name of ["S", "T"]) {
      gl.texParameteri(gl.TEXTURE_2D, gl[`TEXTURE_WRAP_${name}`], gl.CLAMP_TO_EDGE);
    }
    return texture;
  }

  /** Take over the tables of colours: of roads with and without a run, and of the ramp. */
  look(look) {
    const gl = this.gl;
    const roads = new Float32Array(STEPS * 8);
    const shades = new Uint8Array(1024);
    for (const [row, table] of [look.roads, look.bare].entries()) {
      for (let s = 0; s < STEPS; s++) {
        roads.set(
          [(table[s] >> 16) & 255, (table[s] >> 8) & 255, table[s] & 255, look.opacity[s]],
          4 * (row * STEPS + s),
        );
      }
    }
    look.ramp.forEach((c, i) => shades.set([(c >> 16) & 255, (c >> 8) & 255, c & 255, 255], 4 * i));
    for (const old of [this.roads, this.shades]) {
      if (old) {
        gl.deleteTexture(old);
      }
    }
    this.roads = this.texture(gl.RGBA32F, gl.RGBA, gl.FLOAT, STEPS, 2, roads);
    this.shades = this.texture(gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, 256, 1, shades);
    this.tokens = look.tokens;
    this.dark = look.dark;
  }

  /** Upload reveal and shade of the vertices of a run; `reveal` null for a run without any. */
  run(number, reveal, shade) {
    const gl = this.gl;
    const n = shade.length;
    const rows = Math.max(1, Math.ceil(n / WIDE));
    const state = new Int32Array(rows * WIDE).fill(NEVER);
    if (reveal) {
      for (let v = 0; v < n; v++) {
        if (reveal[v] !== NEVER) {
          state[v] = reveal[v] * 256 + shade[v];
        }
      }
    }
    this.states[number] = {
      texture: this.texture(gl.R32I, gl.RED_INTEGER, gl.INT, WIDE, rows, state),
      some: reveal !== null,
    };
  }

  /** Sizes in logical pixels that depend on the scale; `Measures` of the window. */
  measures(scale) {
    const {
      bounds: [x0, y0, x1, y1],
      edges,
      meanLength,
    } = this.scene;
    const n = this.arrays.x.length;
    const area = Math.max((x1 - x0) * (y1 - y0), 1e-3) * scale * scale;
    const spacing = Math.sqrt(area / Math.max(1, n));
    const line = Math.min(1.8, Math.max(1, 0.9 + 0.02 * spacing));
    let dot = Math.min(4, 0.09 * spacing);
    let gain = 1 / (1 + (edges * meanLength * scale * line) / Math.max(area, 1));
    if (this.arrays.sizes) {
      (dot = 0.18 * spacing), (gain *= 0.12);
    } else if (dot < 0.9) {
      dot = 0;
    }
    if (!edges) {
      dot = Math.max(dot, 1.5);
    }
    return { spacing, line, dot, gain, frontier: Math.min(5, Math.max(1.7, 0.22 * spacing)) };
  }

  /** Width and strength of roads by their prominence; `RoadPen` of the window. */
  pens(spacing) {
    const data = new Float32Array(512);
    const near = Math.min(1, Math.max(0, Math.log(Math.max(spacing, 1e-9) / 2) / Math.log(30)));
    const mix = (far, close) => far + (close - far) * near;
    for (let i = 0; i < 256; i++) {
      const share = (i / 255) ** mix(1.6, 1);
      const thin = mix(0.8, 0.85);
      const faint = mix(0.15, 0.5);
      data[2 * i] = this.arrays.levels ? thin + (mix(2.4, 2.6) - thin) * share : 1;
      data[2 * i + 1] = this.arrays.levels ? faint * (mix(2, 1.8) / faint) ** share : 1;
    }
    return data;
  }

  /** Fill the textures for a view; `ratio` is pixels per logical one. */
  drawEdges(view, ratio) {
    const gl = this.gl;
    const width = Math.round(view.width * ratio);
    const height = Math.round(view.height * ratio);
    const begun = performance.now();
    this.target(width, height);
    const measures = this.measures(view.scale);
    if (this.pen) {
      gl.deleteTexture(this.pen);
    }
    this.pen = this.texture(gl.RG32F, gl.RG, gl.FLOAT, 256, 1, this.pens(measures.spacing));
    const high = [Math.fround(view.x), Math.fround(view.y)];
    const set = at => {
      gl.uniform4f(at("centre"), ...high, view.x - high[0], view.y - high[1]);
      gl.uniform2f(at("size"), width, height);
      gl.uniform1f(at("scale"), view.scale * ratio);
    };
    gl.viewport(0, 0, width, height);
    gl.disable(gl.SCISSOR_TEST);
    gl.colorMask(true, true, true, true);
    const dots = this.fillDots(measures, view, ratio);
    if (this.software && !dots) {
      this.rasterise(measures, view, ratio);
      return this.finish(view, ratio, begun);
    }
    for (const [name, frame] of [
      ["density", this.densityFrame],
      ["owner", this.ownerFrame],
    ]) {
      gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
      if (name === "density") {
        gl.clearBufferfv(gl.COLOR, 0, [0, 0, 0, 0]);
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.ONE, gl.ONE);
      } else {
        gl.clearBufferiv(gl.COLOR, 0, [0, 0, 0, 0]);
        gl.disable(gl.BLEND);
        gl.enable(gl.DEPTH_TEST);
        gl.depthMask(true);
        gl.clearBufferfv(gl.DEPTH, 0, [0]);
        gl.depthFunc(gl.GREATER);
      }
      const { program, at } = this.programs[name];
      gl.useProgram(program);
      set(at);
      gl.uniform1f(at("width"), measures.line * ratio);
      gl.uniform1f(at("fade"), 220 * ratio);
      gl.uniform1f(at("count"), this.edges.count);
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D, this.pen);
      gl.uniform1i(at("pens"), 0);
      gl.bindVertexArray(this.edges.array);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.edges.count);
      if (dots) {
        const drawer = this.programs[name === "density" ? "dotDensity" : "dotOwner"];
        gl.depthFunc(gl.ALWAYS);
        gl.useProgram(drawer.program);
        set(drawer.at);
        if (name === "density") {
          gl.uniform1f(drawer.at("strength"), (this.arrays.sizes ? 12 : 2) / measures.gain);
        }
        gl.bindVertexArray(this.dots.array);
        gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, dots);
      }
      gl.disable(gl.DEPTH_TEST);
    }
    gl.readPixels(0, 0, 1, 1, gl.RED_INTEGER, gl.INT, new Int32Array(1)); // waits until all is drawn
    this.finish(view, ratio, begun);
  }

  finish(view, ratio, begun) {
    this.took = performance.now() - begun;
    this.slow = this.took > 30;
    this.drawn = { ...view, ratio };
  }

  /** Fill the textures on the processor, by the same rules. */
  rasterise(measures, view, ratio) {
    const gl = this.gl;
    const { width, height } = this;
    const { segments, tails, heads, levels } = this.arrays;
    const pens = this.pens(measures.spacing);
    const scale = view.scale * ratio;
    const fade = 220 * ratio;
    const density = new Float32Array(width * height);
    const owner = new Int32Array(width * height);
    const claims = new Int32Array(width * height);
    const left = 0.5 * width - view.x * scale;
    const top = 0.5 * height - view.y * scale;
    for (let e = 0; e < tails.length; e++) {
      let x0 = segments[4 * e] * scale + left;
      let y0 = segments[4 * e + 1] * scale + top;
      let x1 = segments[4 * e + 2] * scale + left;
      let y1 = segments[4 * e + 3] * scale + top;
      const pen = levels ? 2 * levels[e] : 0;
      const wide = measures.line * ratio * pens[pen];
      const strength = pens[pen + 1];
      if (
        !(
          Math.min(x0, x1) < width + wide &&
          Math.max(x0, x1) > -wide &&
          Math.min(y0, y1) < height + wide &&
          Math.max(y0, y1) > -wide
        )
      ) {
        continue;
      }
      const far = Math.hypot(x1 - x0, y1 - y0);
      if (far < 1) {
        const x = Math.floor(0.5 * (x0 + x1));
        const y = Math.floor(0.5 * (y0 + y1));
        const at = y * width + x;
        if (x < 0 || y < 0 || x >= width || y >= height) {
          continue;
        }
        density[at] += Math.min(2, Math.max(1 / 1024, far * wide * strength));
        (claims[at] = e + 1), (owner[at] = tails[e]);
        continue;
      }
      const across = Math.abs(x1 - x0) >= Math.abs(y1 - y0);
      const stepA = across ? 1 : width;
      const stepB = across ? width : 1;
      if (!across) {
        [x0, y0, x1, y1] = [y0, x0, y1, x1];
      }
      let u = tails[e];
      let v = heads[e];
      if (x0 > x1) {
        [x0, y0, x1, y1, u, v] = [x1, y1, x0, y0, v, u];
      }
      const columns = across ? width : height;
      const rows = across ? height : width;
      const amount = strength * (far <= fade ? 1 : Math.sqrt(fade / far));
      const slope = (y1 - y0) / (x1 - x0);
      const thick = 0.5 * wide * Math.sqrt(1 + slope * slope);
      const peak = Math.min(1, 2 * thick);
      const middle = 0.5 * (x0 + x1);
      for (
        let a = Math.max(0, Math.floor(x0)), last = Math.min(columns - 1, Math.floor(x1));
        a <= last;
        a++
      ) {
        const begin = Math.max(x0, a);
        const end = Math.min(x1, a + 1);
        const centre = 0.5 * (begin + end);
        const b = y0 + slope * (centre - x0);
        if (end <= begin) {
          continue;
        }
        const who = centre < middle ? u : v;
        for (
          let row = Math.max(0, Math.floor(b - thick - 0.5)),
            low = Math.min(rows - 1, Math.floor(b + thick + 0.5));
          row <= low;
          row++
        ) {
          const cover = Math.min(peak, thick + 0.5 - Math.abs(row + 0.5 - b)) * (end - begin);
          const at = a * stepA + row * stepB;
          if (cover <= 0) {
            continue;
          }
          density[at] += cover * amount;
          if (cover > 0.35) {
            (claims[at] = e + 1), (owner[at] = who); // the last edge that covers enough, else the first
          } else if (!claims[at]) {
            (claims[at] = -1), (owner[at] = who);
          }
        }
      }
    }
    gl.bindTexture(gl.TEXTURE_2D, this.density);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, width, height, gl.RED, gl.FLOAT, density);
    gl.bindTexture(gl.TEXTURE_2D, this.owner);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, width, height, gl.RED_INTEGER, gl.INT, owner);
  }

  fillDots(measures, view, ratio) {
    if (!measures.dot) {
      return 0;
    }
    const { px, py, sizes } = this.arrays;
    const found = [];
    const across = view.width / 2 / view.scale + 16 / view.scale;
    const down = view.height / 2 / view.scale + 16 / view.scale;
    for (let v = 0; v < px.length; v++) {
      if (!(Math.abs(px[v] - view.x) < across && Math.abs(py[v] - view.y) < down)) {
        continue;
      }
      const radius = sizes ? Math.min(measures.dot * sizes[v], 14) : measures.dot;
      if (!sizes || radius >= 0.6) {
        found.push(px[v], py[v], radius * ratio, v);
      }
    }
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.dots.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(found), gl.DYNAMIC_DRAW);
    return found.length / 4;
  }

  target(width, height) {
    if (this.width === width && this.height === height) {
      return;
    }
    const gl = this.gl;
    if (this.width) {
      for (const texture of [this.density, this.owner]) {
        gl.deleteTexture(texture);
      }
      for (const frame of [this.densityFrame, this.ownerFrame]) {
        gl.deleteFramebuffer(frame);
      }
      gl.deleteRenderbuffer(this.depth);
    }
    (this.width = width), (this.height = height);
    this.density = this.texture(
      this.fine ? gl.R32F : gl.R16F,
      gl.RED,
      gl.FLOAT,
      width,
      height,
      null,
    );
    this.owner = this.texture(gl.R32I, gl.RED_INTEGER, gl.INT, width, height, null);
    this.densityFrame = this.frame(this.density);
    this.ownerFrame = this.frame(this.owner);
    this.depth = gl.createRenderbuffer();
    gl.bindRenderbuffer(gl.RENDERBUFFER, this.depth);
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT24, width, height);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, this.depth);
  }

  frame(texture) {
    const gl = this.gl;
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    return frame;
  }

  /** Colour a pane; `waves` are the lights of its frontier, `bare` draws roads only. */
  colour(pane, number, upto, view, waves) {
    const gl = this.gl;
    const { program, at } = this.programs.colour;
    const ratio = this.drawn.ratio;
    const then = this.drawn;
    const state = this.states[number];
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.disable(gl.BLEND);
    gl.viewport(pane.x, pane.y, this.width, this.height);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(pane.x, pane.y, this.width, this.height);
    gl.useProgram(program);
    [this.density, this.owner, state.texture, this.roads, this.shades].forEach((texture, i) => {
      gl.activeTexture(gl.TEXTURE0 + i);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.uniform1i(at(["density", "owner", "state", "roads", "shades"][i]), i);
    });
    gl.activeTexture(gl.TEXTURE0);
    const zoom = then.scale / view.scale;
    const half = [0.5 * this.width, 0.5 * this.height];
    gl.uniform3f(
      at("moved"),
      zoom,
      half[0] * (1 - zoom) + (view.x - then.x) * then.scale * ratio,
      half[1] * (1 - zoom) + (view.y - then.y) * then.scale * ratio,
    );
    gl.uniform4i(at("pane"), pane.x, pane.y, this.width, this.height);
    gl.uniform3f(at("canvas"), ...channels(this.tokens.canvas));
    gl.uniform1f(at("gain"), (this.measures(then.scale).gain * STEPS * STEPS) / MOST_DENSITY);
    gl.uniform1i(at("upto"), upto);
    gl.uniform1i(at("row"), state.some ? 0 : 1);
    gl.bindVertexArray(null);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    if (waves.length) {
      this.drawSpots(waves, ratio);
    }
  }

  drawSpots(waves, ratio) {
    const gl = this.gl;
    const { program, at } = this.programs.spot;
    gl.useProgram(program);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.uniform2f(at("size"), this.width, this.height);
    gl.bindVertexArray(this.spots.array);
    for (const wave of waves) {
      if (!wave.places.length) {
        continue;
      }
      const radius = Math.round(wave.radius * ratio * 10) / 10;
      const adding = this.dark ? wave.adding / 256 : 0;
      gl.bindBuffer(gl.ARRAY_BUFFER, this.spots.buffer);
      gl.bufferData(gl.ARRAY_BUFFER, wave.places, gl.DYNAMIC_DRAW);
      gl.uniform3f(at("tint"), ...wave.tint);
      gl.uniform1f(at("radius"), radius);
      gl.uniform1f(at("reach"), wave.halo ? radius : radius + 0.5);
      gl.uniform1f(at("opacity"), Math.round(wave.opacity * 100) / 100);
      gl.uniform1f(at("adding"), adding);
      gl.uniform1i(at("soft"), wave.halo ? 1 : 0);
      gl.uniform1i(at("hot"), this.dark && wave.heat === 1 && !wave.halo ? 1 : 0);
      for (const channel of adding ? [0, 1, 2] : [-1]) {
        if (adding) {
          gl.colorMask(channel === 0, channel === 1, channel === 2, false);
        }
        gl.uniform1i(at("channel"), channel);
        gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, wave.places.length / 2);
      }
      gl.colorMask(true, true, true, true);
    }
  }
}

/** The three channels of "#RRGGBB" in 0..1. */
export function channels(colour) {
  return [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16) / 255);
}

/** The lights of a frontier and of those before it, oldest first; `waves_of` of the window. */
export function wavesOf(now, trail, measures, ratio, tokens) {
  const count = trail.reduce((sum, [one]) => sum + one.length, now.length);
  const snapped = count > 20000;
  let crowding = measures.spacing ? Math.PI * (measures.frontier / measures.spacing) ** 2 : 1;
  const size = Math.max(measures.frontier, Math.min(7, 7 * (25 / Math.max(1, count)) ** 0.25));
  if (snapped) {
    crowding = Math.min(crowding, 0.67 * Math.PI * (size * ratio) ** 2);
  }
  const filling = k => Math.min(1, Math.log(Math.max(1, k / 1000)) / Math.log(50));
  const opacity = k => {
    const alone = 1 - 0.28 ** (1 / Math.max(1, crowding));
    const filled = crowding >= 1 ? alone : 1 - (1 - alone) * crowding;
    return 1 - (1 - filled) * filling(k);
  };
  const tint = heat => {
    const hot = channels(tokens.frontier);
    const cool = channels(tokens.trail);
    return hot.map((c, i) => Math.round(255 * (heat * c + (1 - heat) * cool[i])) / 255);
  };
  const waves = trail.map(([vertices, freshness]) => ({
    vertices,
    radius: size * (0.5 + 0.3 * freshness),
    heat: 0,
    tint: tint(0),
    adding: 128,
    halo: false,
    opacity: (0.06 + 0.49 * freshness ** 1.5) * opacity(vertices.length),
  }));
  const area = filling(now.length);
  const heat = 1 - 0.4 * area;
  const one = { vertices: now, heat, tint: tint(heat), adding: Math.round(128 * (1 - area)) };
  if (now.length <= 600) {
    waves.push({ ...one, radius: size * 2.6, opacity: 0.34, halo: true });
  }
  waves.push({ ...one, radius: size, opacity: opacity(now.length), halo: false });
  return { waves, snapped };
}

/** Fill in the places of spots on the screen; of many, at most one a pixel, in its middle. */
export function placeSpots(waves, snapped, view, ratio, arrays) {
  const width = Math.round(view.width * ratio);
  const height = Math.round(view.height * ratio);
  const { px, py } = arrays;
  const reach = Math.ceil(Math.max(...waves.map(wave => wave.radius)) * ratio) + 1;
  const across = width + 2 * reach;
  const seen = snapped ? new Uint8Array(across * (height + 2 * reach)) : null;
  const scale = view.scale * ratio;
  waves.forEach((wave, mark) => {
    const places = new Float32Array(2 * wave.vertices.length);
    let count = 0;
    for (const v of wave.vertices) {
      let x = (px[v] - view.x) * scale + 0.5 * width;
      let y = (py[v] - view.y) * scale + 0.5 * height;
      if (!(x >= -reach && x < width + reach && y >= -reach && y < height + reach)) {
        continue;
      }
      if (seen) {
        const at = (Math.floor(y) + reach) * across + Math.floor(x) + reach;
        if (seen[at] === mark + 1) {
          continue;
        }
        seen[at] = mark + 1;
        (x = Math.floor(x) + 0.5), (y = Math.floor(y) + 0.5);
      }
      (places[count++] = x), (places[count++] = y);
    }
    wave.places = places.subarray(0, count);
  });
  return waves;
}
