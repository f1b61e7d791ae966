// The scripts of a page, and what Python knows of it: in the folder that the variable names.

import { readFile } from "node:fs/promises";

const FOLDER = new URL(process.env.TAUTPATH_PAGE);

/** What a script exports. */
export function load(name) {
  return import(new URL(name, FOLDER));
}

/** What Python wrote for the tests. */
export const known = JSON.parse(await readFile(new URL("known.json", FOLDER), "utf8"));

/** The model of a page whose data Python wrote. */
export async function modelOf(name) {
  const { decode } = await load("decode.js");
  const { Model } = await load("model.js");
  return new Model(await decode(known[name]));
}
