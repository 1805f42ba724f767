// Turns boards around, so that they are seen from the other side: on every page with a board that can be turned. What
// the drawing calls still stays where it is, and texts stay upright.
"use strict";
(() => {
  const root = document.querySelector(".replay, .session, .boards[data-pieces]");
  const button = document.querySelector("[data-flip]");
  if (!root || !button) return;

  const look = () => {
    button.hidden = !root.querySelector("svg.turns");
    for (const key of document.querySelectorAll(".flip-key")) key.hidden = button.hidden;
  };

  const flip = () => {
    const isFlipped = root.classList.toggle("is-flipped");
    button.setAttribute("aria-pressed", String(isFlipped));
  };

  button.addEventListener("click", flip);
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (key !== "f" || button.hidden || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!target.closest("input:not([type=range]), select, textarea")) flip();
  });
  root.addEventListener("renewal", look);
  look();
})();
