// What buttons, pointers, the wheel and keys do.

import { $ } from "./dom.js";
import { paneAt } from "./viewport.js";

const ZOOM_STEP = 1.5;
const PAN_STEP = 60; // pixels
const CLICK_REACH = 4; // pixels that a pointer may move in a click
const WHEEL = { pixels: 0.0015, lines: 0.05 }; // logarithm of the zoom for a unit of the wheel
const PANS = {
  ArrowLeft: [PAN_STEP, 0],
  ArrowRight: [-PAN_STEP, 0],
  ArrowUp: [0, PAN_STEP],
  ArrowDown: [0, -PAN_STEP],
};

/** Have a player do what buttons, pointers, the wheel and keys ask for. */
export function connectControls(player) {
  connectButtons(player);
  connectPointers(player);
  connectWheel(player);
  connectKeys(player);
}

/** An act that ends play-back and leaves the time before the first iteration. */
function stopping(player, act) {
  return () => {
    player.pause();
    const { isBefore } = player;
    player.isBefore = false;
    act(isBefore);
  };
}

/** What moves through the iterations. */
function stepsOf(player) {
  return {
    first: stopping(player, () => player.seek(0)),
    back: stopping(player, () => player.seek(player.moment - 1)),
    forward: stopping(player, isBefore => player.seek(player.moment + (isBefore ? 0 : 1))),
    last: stopping(player, () => player.seek(player.timeline.last)),
  };
}

/** Buttons, scrub bar, choices below the picture, and the system's colour scheme. */
function connectButtons(player) {
  const setDark = dark => {
    player.dark = dark;
    player.recolour();
  };
  const clicks = {
    ...stepsOf(player),
    play: () => player.toggle(),
    in: () => player.zoom(ZOOM_STEP),
    out: () => player.zoom(1 / ZOOM_STEP),
    fit: () => player.fit(),
    scheme: () => setDark(!player.dark),
  };
  for (const [id, act] of Object.entries(clicks)) {
    $(id).onclick = act;
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", event =>
    setDark(event.matches),
  );
  $("scrub").oninput = stopping(player, () => player.seekScrub());
  $("clock").onchange = () => {
    player.pause();
    player.setTimeline();
    player.showWaves();
    player.seek(player.timeline.last);
  };
  $("clock").hidden = player.traced.length < 2;
  if (!player.traced.length) {
    $("transport").style.display = "none";
  }
}

/** One pointer clicks or drags, two of them zoom. */
function connectPointers(player) {
  const view = $("marks");
  const pointers = new Map(); // the last place of each, by its id
  let start = null; // of what may become a click
  view.onpointerdown = event => {
    const place = [event.offsetX, event.offsetY];
    view.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, place);
    start = pointers.size === 1 ? place : null;
  };
  view.onpointermove = event => {
    const before = pointers.get(event.pointerId);
    if (!before) {
      return;
    }
    const now = [event.offsetX, event.offsetY];
    pointers.set(event.pointerId, now);
    if (pointers.size === 2) {
      const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(pair => pair[1]);
      pinch(player, before, now, other);
    } else if (!start || apart(now, start) > CLICK_REACH) {
      start = null;
      player.move(now[0] - before[0], now[1] - before[1]);
    }
  };
  view.onpointerup = event => {
    if (start && pointers.size === 1) {
      player.pick(start);
    }
    pointers.delete(event.pointerId);
    start = null;
  };
  view.onpointercancel = event => pointers.delete(event.pointerId);
}

/** Zoom by what one of two pointers moved away from the other. */
function pinch(player, before, now, other) {
  const factor = (apart(now, other) || 1) / (apart(before, other) || 1);
  player.zoom(factor, inItsPane(player, other));
}

/** The wheel zooms about the pointer. */
function connectWheel(player) {
  const wheel = event => {
    event.preventDefault();
    const unit = event.deltaMode ? WHEEL.lines : WHEEL.pixels;
    const factor = Math.exp(-event.deltaY * unit);
    player.zoom(factor, inItsPane(player, [event.offsetX, event.offsetY]));
  };
  $("marks").addEventListener("wheel", wheel, { passive: false });
}

/** Keys of the whole page, where none is typed into a field. */
function connectKeys(player) {
  const steps = stepsOf(player);
  const keys = {
    " ": () => player.toggle(),
    ArrowRight: steps.forward,
    ArrowLeft: steps.back,
    Home: steps.first,
    End: steps.last,
    "+": () => player.zoom(ZOOM_STEP),
    "-": () => player.zoom(1 / ZOOM_STEP),
    0: () => player.fit(),
    Escape: () => player.choose(null),
    n: () => player.taught && player.moveStep(1),
    N: () => player.taught && player.moveStep(-1),
  };
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.altKey || event.metaKey || !player.picture) {
      return;
    }
    const act = actOf(event, keys, player);
    if (act) {
      event.preventDefault();
      act();
    }
  });
}

/** What a key does where the focus is; undefined for nothing. */
function actOf({ key, shiftKey, target }, keys, player) {
  // On the scrub bar, a key is for one iteration, not for one step of the bar.
  if (target === $("scrub") && /^(Arrow|Home|End)/.test(key)) {
    return keys[key.replace("Up", "Right").replace("Down", "Left")];
  }
  if (/^(INPUT|SELECT|TEXTAREA|BUTTON)$/.test(target.tagName) && key !== "Escape") {
    return undefined;
  }
  const isPan = target === $("marks") && key in PANS && (shiftKey || /Up|Down/.test(key));
  return isPan ? () => player.move(...PANS[key]) : keys[key];
}

/** A point of the view in the pane that it is in. */
function inItsPane(player, [x, y]) {
  const pane = paneAt(player.viewPanes(), [x, y]);
  return [x - pane.left, y - pane.top];
}

/** Distance of two points. */
function apart([x0, y0], [x1, y1]) {
  return Math.hypot(x1 - x0, y1 - y0);
}
