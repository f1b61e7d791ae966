// The data block of the page: base64 of a zlib stream, which holds a JSON description and arrays (solvers/page/pack.py).

export async function decode(text) {
  const packed = atob(text.trim());
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) {
    bytes[i] = packed.charCodeAt(i);
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const data = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(data.buffer).getUint32(0, true);
  const about = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + length)));
  const arrays = {};
  let at = 4 + length;
  for (const { name, kind, count, bytes: size } of about.arrays) {
    arrays[name] = unpack(kind, count, data.subarray(at, at + size));
    at += size;
  }
  return { about, arrays };
}

const TYPES = { f8: Float64Array, f4: Float32Array, u1: Uint8Array, u4: Uint32Array };

function unpack(kind, count, bytes) {
  if (kind in TYPES) {
    return new TYPES[kind](bytes.slice().buffer); // a copy, since arrays must be aligned
  }
  const found = new Float64Array(count);
  let at = 0;
  let before = 0;
  for (let i = 0; i < count; i++) {
    let value = 0;
    let factor = 1;
    let byte;
    do {
      byte = bytes[at++];
      value += (byte & 127) * factor; // no shifts: they are of 32 bits
      factor *= 128;
    } while (byte > 127);
    value = value % 2 ? -(value + 1) / 2 : value / 2;
    before = kind === "d" ? before + value : value;
    found[i] = before;
  }
  return found;
}
