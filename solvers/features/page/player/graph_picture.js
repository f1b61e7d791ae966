// The picture of a graph, by the rules of the window (solvers/picture/raster), in WebGL 2.
//
// Edges are drawn once a view, into two textures: the density of lines on each pixel, and the
// vertex that it belongs to. A step of the play-back only colours: it looks up which vertices are
// visited. All panes share these textures.

import { bytes, channels } from "./colours.js";
import { FADE_LENGTH, LEVELS, MOST_DOT, MOST_SCALED_DENSITY, NEVER, STEPS } from "./rules.js";
import { PROGRAMS, WIDE } from "./shaders.js";
import { dotRadius, pixelSizes, roadPens } from "./sizes.js";

const QUAD = 6; // vertices of the two triangles of a quad
const SLOW = 30; // milliseconds from which edges are not drawn at every move

/** The pixels of a graph and of its runs, in all panes. */
export class GraphPicture {
  /** Throws where the browser cannot draw. */
  constructor(canvas, arrays, scene) {
    const gl = canvas.getContext("webgl2", { antialias: false, alpha: false, depth: false });
    if (!gl) {
      throw new Error("it has no WebGL 2");
    }
    if (!gl.getExtension("EXT_color_buffer_float")) {
      throw new Error("its WebGL 2 lacks EXT_color_buffer_float");
    }
    this.gl = gl;
    this.arrays = arrays;
    this.scene = scene;
    this.densityFormat = gl.getExtension("EXT_float_blend") ? gl.R32F : gl.R16F;
    this.programs = {};
    for (const [name, [vertex, fragment]] of Object.entries(PROGRAMS)) {
      this.programs[name] = this.program(vertex, fragment);
    }
    this.textures = {};
    this.states = [];
    this.uploadEdges();
    this.drawn = null; // the view in the textures
    this.slow = false; // whether edges take too long to be drawn at every move
  }

  /** Take over the tables of colours: of roads beside a run and without one, and of the ramp. */
  look(look) {
    const { gl } = this;
    const roads = new Float32Array(8 * STEPS);
    for (const [row, table] of [look.roads, look.bare].entries()) {
      for (let step = 0; step < STEPS; step++) {
        roads.set([...bytes(table[step]), look.opacity[step]], 4 * (row * STEPS + step));
      }
    }
    const shades = Uint8Array.from(Array.from(look.ramp).flatMap(argb => [...bytes(argb), 255]));
    this.keep("roads", gl.RGBA32F, gl.RGBA, gl.FLOAT, STEPS, 2, roads);
    this.keep("shades", gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, look.ramp.length, 1, shades);
    this.tokens = look.tokens;
    this.dark = look.dark;
  }

  /** Upload reveal and shade of the vertices of a run; `reveal` null for a run without any. */
  run(number, reveal, shade) {
    const { gl } = this;
    const state = cells(Int32Array, 1, shade.length).fill(NEVER);
    if (reveal) {
      for (let vertex = 0; vertex < shade.length; vertex++) {
        if (reveal[vertex] !== NEVER) {
          state[vertex] = reveal[vertex] * 256 + shade[vertex];
        }
      }
    }
    const texture = this.texture(gl.R32I, gl.RED_INTEGER, gl.INT, WIDE, state.length / WIDE, state);
    this.states[number] = { texture, any: reveal !== null };
  }

  /** Sizes in logical pixels at a scale. */
  sizes(scale) {
    const { x, sizes } = this.arrays;
    return pixelSizes(this.scene, x.length, Boolean(sizes), scale);
  }

  /** Whether the textures are of a view; of one that was moved, its size alone counts. */
  shows(view, ratio, moved = false) {
    const names = moved ? ["width", "height"] : ["x", "y", "scale", "width", "height"];
    const { drawn } = this;
    return (
      Boolean(drawn) && drawn.ratio === ratio && names.every(name => drawn[name] === view[name])
    );
  }

  /** Fill the textures for a view; `ratio` is pixels per logical one. */
  drawEdges(view, ratio) {
    const { gl } = this;
    const begun = performance.now();
    this.resize(Math.round(view.width * ratio), Math.round(view.height * ratio));
    const sizes = this.sizes(view.scale);
    const pens = this.arrays.levels
      ? roadPens(sizes.spacing)
      : new Float32Array(2 * LEVELS).fill(1);
    this.keep("pens", gl.RG32F, gl.RG, gl.FLOAT, LEVELS, 1, pens);
    const dots = this.uploadDots(sizes.dot, view, ratio);
    gl.viewport(0, 0, this.width, this.height);
    gl.disable(gl.SCISSOR_TEST);
    gl.colorMask(true, true, true, true);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.densityFrame);
    gl.clearBufferfv(gl.COLOR, 0, [0, 0, 0, 0]);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE);
    this.drawLines("edgeDensity", sizes, view, ratio);
    this.drawDots("dotDensity", dots, sizes, view, ratio);
    gl.disable(gl.BLEND);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.ownerFrame);
    gl.clearBufferiv(gl.COLOR, 0, [0, 0, 0, 0]);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    gl.clearBufferfv(gl.DEPTH, 0, [0]);
    gl.depthFunc(gl.GREATER);
    this.drawLines("edgeOwner", sizes, view, ratio);
    gl.depthFunc(gl.ALWAYS);
    this.drawDots("dotOwner", dots, sizes, view, ratio);
    gl.disable(gl.DEPTH_TEST);
    // Waits until all is drawn.
    gl.readPixels(0, 0, 1, 1, gl.RED_INTEGER, gl.INT, new Int32Array(1));
    this.took = performance.now() - begun;
    this.slow = this.took > SLOW;
    this.drawn = { ...view, ratio };
  }

  /** Fill the whole canvas with its background. */
  clear() {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.disable(gl.SCISSOR_TEST);
    gl.clearColor(...channels(this.tokens.canvas), 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
  }

  /**
   * Colour a pane whose left and lower edges are given in pixels, as of an iteration of a run,
   * with the waves of its frontier.
   */
  colour({ left, bottom }, number, iteration, view, waves) {
    const { gl, drawn } = this;
    const state = this.states[number];
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.disable(gl.BLEND);
    gl.viewport(left, bottom, this.width, this.height);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(left, bottom, this.width, this.height);
    const at = this.use("colour");
    this.bind(at, {
      density: this.textures.density,
      owner: this.textures.owner,
      state: state.texture,
      roads: this.textures.roads,
      shades: this.textures.shades,
    });
    const zoom = drawn.scale / view.scale;
    const pixels = drawn.scale * drawn.ratio;
    gl.uniform3f(
      at("moved"),
      zoom,
      0.5 * this.width * (1 - zoom) + (view.x - drawn.x) * pixels,
      0.5 * this.height * (1 - zoom) + (view.y - drawn.y) * pixels,
    );
    gl.uniform4i(at("pane"), left, bottom, this.width, this.height);
    gl.uniform3f(at("canvas"), ...channels(this.tokens.canvas));
    const steps = (STEPS * STEPS) / MOST_SCALED_DENSITY;
    gl.uniform1f(at("gain"), this.sizes(drawn.scale).gain * steps);
    gl.uniform1i(at("upto"), iteration);
    gl.uniform1i(at("row"), state.any ? 0 : 1);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    for (const wave of waves) {
      this.drawSpots(wave, drawn.ratio);
    }
  }

  /** Add the lights of a wave to the pane that was coloured last. */
  drawSpots(wave, ratio) {
    const { gl } = this;
    const count = wave.places.length / 2;
    if (!count) {
      return;
    }
    const places = cells(Float32Array, 2, count);
    places.set(wave.places);
    this.keep("spots", gl.RG32F, gl.RG, gl.FLOAT, WIDE, places.length / 2 / WIDE, places);
    const at = this.use("spot");
    this.bind(at, { spots: this.textures.spots });
    const radius = Math.round(wave.radius * ratio * 10) / 10;
    const adding = this.dark ? wave.adding / 256 : 0;
    gl.uniform2f(at("size"), this.width, this.height);
    gl.uniform3f(at("tint"), ...wave.tint);
    gl.uniform1f(at("radius"), radius);
    gl.uniform1f(at("reach"), wave.halo ? radius : radius + 0.5);
    gl.uniform1f(at("opacity"), Math.round(wave.opacity * 100) / 100);
    gl.uniform1f(at("adding"), adding);
    gl.uniform1i(at("soft"), wave.halo ? 1 : 0);
    gl.uniform1i(at("hot"), this.dark && wave.heat === 1 && !wave.halo ? 1 : 0);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    for (const channel of adding ? [0, 1, 2] : [-1]) {
      if (adding) {
        gl.colorMask(channel === 0, channel === 1, channel === 2, false);
      }
      gl.uniform1i(at("channel"), channel);
      gl.drawArrays(gl.TRIANGLES, 0, QUAD * count);
    }
    gl.colorMask(true, true, true, true);
  }

  /** Draw all edges into the frame that is bound. */
  drawLines(program, sizes, view, ratio) {
    const { gl, textures } = this;
    const at = this.use(program);
    const count = this.arrays.tails.length;
    this.setView(at, view, ratio);
    this.bind(at, { segments: textures.segments, edges: textures.edges, pens: textures.pens });
    gl.uniform1f(at("width"), sizes.line * ratio);
    gl.uniform1f(at("fade"), FADE_LENGTH * ratio);
    gl.uniform1f(at("count"), count);
    gl.drawArrays(gl.TRIANGLES, 0, QUAD * count);
  }

  /** Draw the first dots of their texture into the frame that is bound. */
  drawDots(program, count, sizes, view, ratio) {
    if (!count) {
      return;
    }
    const { gl } = this;
    const at = this.use(program);
    this.setView(at, view, ratio);
    this.bind(at, { dots: this.textures.dots });
    gl.uniform1f(at("strength"), sizes.dotDensity);
    gl.drawArrays(gl.TRIANGLES, 0, QUAD * count);
  }

  /** Upload the places of all segments, the vertices at their ends, and their levels. */
  uploadEdges() {
    const { gl } = this;
    const { segments, tails, heads, levels } = this.arrays;
    const places = cells(Float32Array, 4, tails.length);
    const edges = cells(Int32Array, 4, tails.length);
    places.set(segments);
    for (let edge = 0; edge < tails.length; edge++) {
      edges[4 * edge] = tails[edge];
      edges[4 * edge + 1] = heads[edge];
      edges[4 * edge + 2] = levels ? levels[edge] : 0;
    }
    const rows = places.length / 4 / WIDE;
    this.keep("segments", gl.RGBA32F, gl.RGBA, gl.FLOAT, WIDE, rows, places);
    this.keep("edges", gl.RGBA32I, gl.RGBA_INTEGER, gl.INT, WIDE, rows, edges);
  }

  /** Upload the discs of the vertices in view, of radius `dot`; returns their number. */
  uploadDots(dot, view, ratio) {
    if (!dot) {
      return 0;
    }
    const { px, py, sizes } = this.arrays;
    const across = (view.width / 2 + MOST_DOT + 2) / view.scale;
    const down = (view.height / 2 + MOST_DOT + 2) / view.scale;
    const found = [];
    for (let vertex = 0; vertex < px.length; vertex++) {
      const radius = sizes ? dotRadius(dot, sizes[vertex]) : dot;
      const seen = Math.abs(px[vertex] - view.x) < across && Math.abs(py[vertex] - view.y) < down;
      if (radius && seen) {
        found.push(px[vertex], py[vertex], radius * ratio, vertex);
      }
    }
    const { gl } = this;
    const dots = cells(Float32Array, 4, found.length / 4);
    dots.set(found);
    this.keep("dots", gl.RGBA32F, gl.RGBA, gl.FLOAT, WIDE, dots.length / 4 / WIDE, dots);
    return found.length / 4;
  }

  /** Make the textures that edges are drawn into, of a size in pixels. */
  resize(width, height) {
    if (this.width === width && this.height === height) {
      return;
    }
    const { gl } = this;
    this.width = width;
    this.height = height;
    this.keep("density", this.densityFormat, gl.RED, gl.FLOAT, width, height, null);
    this.keep("owner", gl.R32I, gl.RED_INTEGER, gl.INT, width, height, null);
    gl.deleteFramebuffer(this.densityFrame ?? null);
    gl.deleteFramebuffer(this.ownerFrame ?? null);
    gl.deleteRenderbuffer(this.depth ?? null);
    this.densityFrame = this.frame(this.textures.density);
    this.ownerFrame = this.frame(this.textures.owner);
    this.depth = gl.createRenderbuffer();
    gl.bindRenderbuffer(gl.RENDERBUFFER, this.depth);
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT24, width, height);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, this.depth);
  }

  /** A frame that draws into a texture. */
  frame(texture) {
    const { gl } = this;
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    return frame;
  }

  /** Tell a program where the view is. */
  setView(at, view, ratio) {
    const { gl } = this;
    const [x, y] = [Math.fround(view.x), Math.fround(view.y)];
    gl.uniform4f(at("centre"), x, y, view.x - x, view.y - y);
    gl.uniform2f(at("size"), this.width, this.height);
    gl.uniform1f(at("scale"), view.scale * ratio);
  }

  /** Compile and link a program; throws with what the driver says. */
  program(vertex, fragment) {
    const { gl } = this;
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
    return { program, places: new Map() };
  }

  /** Use a program; returns a function that finds its uniforms. */
  use(name) {
    const { program, places } = this.programs[name];
    this.gl.useProgram(program);
    return uniform => {
      if (!places.has(uniform)) {
        places.set(uniform, this.gl.getUniformLocation(program, uniform));
      }
      return places.get(uniform);
    };
  }

  /** Give a program its textures, by the names that they have there. */
  bind(at, textures) {
    const { gl } = this;
    for (const [unit, [name, texture]] of Object.entries(textures).entries()) {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.uniform1i(at(name), unit);
    }
    gl.activeTexture(gl.TEXTURE0);
  }

  /** Keep a texture under a name, in place of the one that had it. */
  keep(name, ...parameters) {
    this.gl.deleteTexture(this.textures[name] ?? null);
    this.textures[name] = this.texture(...parameters);
  }

  /** A texture whose texels are read as they are. */
  texture(inner, outer, type, width, height, data) {
    const { gl } = this;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, inner, width, height, 0, outer, type, data);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) {
      gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
    }
    for (const wrap of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) {
      gl.texParameteri(gl.TEXTURE_2D, wrap, gl.CLAMP_TO_EDGE);
    }
    return texture;
  }
}

/** An array for whole rows of a texture, with room for `count` values of so many numbers each. */
function cells(kind, numbers, count) {
  return new kind(numbers * WIDE * Math.max(1, Math.ceil(count / WIDE)));
}
