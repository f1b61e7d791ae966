// Reads the data of the page and shows it.

import { decode } from "./decode.js";
import { $ } from "./dom.js";
import { Model } from "./model.js";
import { Player } from "./player.js";

/** Decode the data and begin to play it. */
async function show() {
  const data = await decode($("data").textContent);
  $("data").remove();
  window.tautpath = new Player(new Model(data)); // for tests, and for whoever embeds the page
}

document.body.classList.add("ready");
show().catch(error => {
  $("told").hidden = false;
  $("told").textContent = `This page cannot be shown: ${error.message}`;
  throw error;
});
