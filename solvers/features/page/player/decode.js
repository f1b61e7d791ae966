// The data block of the page: base64 of a zlib stream, which holds a JSON description and arrays
// (solvers/features/page/pack.py).

const TYPES = { f8: Float64Array, f4: Float32Array, u1: Uint8Array, u4: Uint32Array };

/** Description and arrays of a data block. */
export async function decode(text) {
  const packed = Uint8Array.from(atob(text.trim()), letter => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const data = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(data.buffer).getUint32(0, true);
  const about = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + length)));
  const arrays = {};
  let start = 4 + length;
  for (const { name, kind, count, bytes } of about.arrays) {
    arrays[name] = unpack(kind, count, data.subarray(start, start + bytes));
    start += bytes;
  }
  return { about, arrays };
}

/**
 * The numbers of an array; those of kinds "d" and "l" were stored as differences, and of the
 * latter -1 stands for infinity.
 */
function unpack(kind, count, bytes) {
  if (kind in TYPES) {
    return new TYPES[kind](bytes.slice().buffer); // a copy, since arrays must be aligned
  }
  const found = new Float64Array(count);
  let place = 0;
  let before = 0;
  for (let i = 0; i < count; i++) {
    let folded = 0;
    let factor = 1;
    let byte;
    do {
      byte = bytes[place];
      place += 1;
      folded += (byte & 127) * factor; // no shifts: they are of 32 bits
      factor *= 128;
    } while (byte > 127);
    const value = folded % 2 ? -(folded + 1) / 2 : folded / 2;
    before = kind === "v" ? value : before + value;
    found[i] = kind === "l" && before === -1 ? Number.POSITIVE_INFINITY : before;
  }
  return found;
}
