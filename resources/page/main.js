// Reads the data of the page and shows it.

import { decode } from "./decode.js";
import { $, Model } from "./model.js";
import { Player } from "./player.js";

document.body.classList.add("ready");
decode($("data").textContent)
  .then(data => {
    $("data").remove();
    window.tautline = new Player(new Model(data)); // for tests, and for whoever embeds the page
  })
  .catch(error => {
    $("told").hidden = false;
    $("told").textContent = `This page cannot be shown: ${error.message}`;
    throw error;
  });
