// What the pointer does in the charts of a report: shows or hides a line, and lights up points.

/** Show or hide the line that an entry of a legend stands for. */
function toggleLine(key) {
  const line = key.closest("svg").querySelector(`[data-line="${key.dataset.key}"]`);
  key.classList.toggle("hidden", line.classList.toggle("off"));
}

/** Light up, or no longer, all marks of one measured point: in every chart and table. */
function lightPoint(point, lit) {
  for (const mark of document.querySelectorAll("[data-point]")) {
    if (mark.dataset.point === point) {
      mark.classList.toggle("lit", lit);
    }
  }
}

for (const key of document.querySelectorAll(".key")) {
  key.addEventListener("click", () => toggleLine(key));
}
for (const mark of document.querySelectorAll("[data-point]")) {
  mark.addEventListener("mouseenter", () => lightPoint(mark.dataset.point, true));
  mark.addEventListener("mouseleave", () => lightPoint(mark.dataset.point, false));
}
