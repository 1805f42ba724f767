// Playing by pointing: the drawing marks what can be pointed at, and each move is a path over marks, perhaps with a
// choice at its end. The same for all games. The list of moves beside the board works without this script.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  /** So far, in pixels, a pointer moves before it drags. */
  const DRAG = 8;
  /** So long, in milliseconds, the answer to a move is waited for before the page is loaded anew. */
  const ANSWER_WAIT = 3000;
  /** So many choices at most are offered before all marks are picked. */
  const MAX_CHOICES = 8;

  const root = document.querySelector(".session");
  if (!root || !("EventSource" in window)) return;

  /** What can be pointed at, as places on the board; what is picked of it, in order; and the choice, if it came first. */
  let spots = [];
  let picked = [];
  let chosen = null;
  let moves = [];
  /** Where the hand was when a part of the page was replaced. */
  let hand = null;
  /** Whether a move is under way to the server. */
  let isSent = false;
  /** How often the page was renewed. */
  let renewals = 0;
  let isListOpen = null;
  let drag = null;

  // ---- What a path says.

  /** The marks of a move that are not picked yet; nothing if what is picked does not belong to it. */
  function rest({ marks, choice }) {
    if (chosen !== null && choice !== chosen) return null;
    const left = marks.slice();
    for (const { mark } of picked) {
      // Before a choice, marks are picked in any order.
      const at = choice === null ? (left[0] === mark ? 0 : -1) : left.indexOf(mark);
      if (at < 0) return null;
      left.splice(at, 1);
    }
    return left;
  }

  /** The moves that are still possible, with what is left of their paths. */
  function possible() {
    return moves.map((move) => ({ ...move, left: rest(move) })).filter(({ left }) => left !== null);
  }

  /** The marks that can be picked next. */
  function nextMarks(open) {
    const next = new Set();
    for (const { choice, left } of open) {
      for (const mark of choice === null ? left.slice(0, 1) : left) next.add(mark);
    }
    return next;
  }

  /** The choices that are offered now. */
  function nextChoices(open) {
    if (chosen !== null) return [];
    const all = open.filter(({ choice }) => choice !== null);
    const names = (list) => [...new Set(list.map(({ choice }) => choice))];
    return names(all).length <= MAX_CHOICES ? names(all) : names(all.filter(({ left }) => left.length === 0));
  }

  const isPicked = (spot) => picked.includes(spot);

  function pick(spot) {
    if (isSent) return;
    const isFree = (other) => other.mark === spot.mark && !isPicked(other);
    const isNext = nextMarks(possible()).has(spot.mark);
    if (isNext && (!isPicked(spot) || !spots.some(isFree))) {
      picked.push(spot);
    } else if (isPicked(spot)) {
      picked.splice(picked.indexOf(spot));
    } else {
      picked = [];
      if (nextMarks(possible()).has(spot.mark)) picked = [spot];
    }
    settle();
  }

  function choose(choice) {
    if (isSent) return;
    chosen = choice;
    const [only, ...others] = possible();
    if (only && others.length === 0) return act(only.value);
    settle();
  }

  /** Acts if a path is at its end, and shows where paths lead from here. */
  function settle() {
    const open = possible();
    const done = open.find(({ choice, left }) => left.length === 0 && choice === chosen);
    if (done) return act(done.value);
    if (open.length === 0) drop();
    else show(open);
  }

  function drop() {
    picked = [];
    chosen = null;
    show(possible());
  }

  async function act(value) {
    const form = root.querySelector(".acts");
    if (!form || isSent) return;
    isSent = true;
    show([]);
    const fields = new URLSearchParams({ word: form.elements.word.value, question: form.elements.question.value, action: value });
    // Its buttons have the name "action", and hide what the form itself calls so.
    const answer = await fetch(form.getAttribute("action"), { method: "POST", body: fields, redirect: "manual" }).catch(() => null);
    // The answer is the page of the match, which is here already.
    if (answer?.type !== "opaqueredirect") return location.reload();
    // What was refused in the same words as before brings nothing new, and neither does a connection that is lost.
    const seen = renewals;
    setTimeout(() => {
      if (isSent && renewals === seen) location.reload();
    }, ANSWER_WAIT);
  }

  // ---- What is seen.

  /** Shows what is picked, what can be picked, and the choices. */
  function show(open) {
    const next = nextMarks(open);
    for (const spot of spots) {
      const can = next.has(spot.mark) && !(isPicked(spot) && spots.some((other) => other.mark === spot.mark && !isPicked(other)));
      spot.node.classList.toggle("can", can);
      spot.node.classList.toggle("picked", isPicked(spot));
      spot.node.setAttribute("aria-disabled", String(!can && !isPicked(spot)));
      spot.node.setAttribute("aria-pressed", String(isPicked(spot)));
    }
    root.querySelector(".spots")?.classList.toggle("is-chosen", picked.length > 0 || chosen !== null);
    aim(spots.find((spot) => spot.node === document.activeElement) ?? spots.find((spot) => next.has(spot.mark)) ?? spots[0]);
    const choices = root.querySelector(".choices");
    if (!choices) return;
    const names = chosen === null ? nextChoices(open) : [chosen];
    const buttons = names.map((name) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.dataset.choice = name;
      button.setAttribute("aria-pressed", String(name === chosen));
      return button;
    });
    const old = Array.from(choices.children, (button) => button.dataset.choice + button.ariaPressed);
    const isSame = old.join("\n") === buttons.map((button) => button.dataset.choice + button.ariaPressed).join("\n");
    if (!isSame) choices.replaceChildren(...buttons);
  }

  /** Lets the Tab key lead to one spot. */
  function aim(spot) {
    for (const { node } of spots) node.setAttribute("tabindex", spot?.node === node ? "0" : "-1");
  }

  /** Lays a place over each element of the drawing that has a mark, the smaller ones on top. */
  function lay(svg) {
    const layer = document.createElementNS(SVG, "g");
    layer.setAttribute("class", "spots");
    const toSvg = svg.getScreenCTM()?.inverse();
    if (!toSvg) return [];
    const laid = Array.from(svg.querySelectorAll("[data-mark]"), (element) => {
      const { x, y, width, height } = element.getBBox();
      const place = toSvg.multiply(element.getScreenCTM());
      const [one, other] = [new DOMPoint(x, y), new DOMPoint(x + width, y + height)].map((point) => point.matrixTransform(place));
      const box = { x: Math.min(one.x, other.x), y: Math.min(one.y, other.y), width: Math.abs(one.x - other.x), height: Math.abs(one.y - other.y) };
      const node = document.createElementNS(SVG, "rect");
      for (const [name, value] of Object.entries(box)) node.setAttribute(name, value);
      node.setAttribute("rx", Math.min(box.width, box.height) / 10);
      node.setAttribute("class", "spot");
      node.setAttribute("role", "button");
      node.setAttribute("aria-label", element.dataset.mark);
      node.dataset.spot = element.dataset.mark;
      return { mark: element.dataset.mark, node, x: box.x + box.width / 2, y: box.y + box.height / 2, area: box.width * box.height };
    });
    const byArea = laid.slice().sort((one, other) => other.area - one.area);
    layer.append(...byArea.map(({ node }) => node));
    svg.append(layer);
    // Who cannot see it must reach what is in it.
    svg.setAttribute("role", "group");
    return laid;
  }

  /** Makes what the server sent playable. */
  function begin() {
    picked = [];
    chosen = null;
    isSent = false;
    renewals += 1;
    drag = null;
    const form = root.querySelector(".acts");
    moves = Array.from(form?.querySelectorAll("[data-move]") ?? [], (element) => ({
      value: element.value,
      marks: element.dataset.marks.split(" ").filter(Boolean),
      choice: element.dataset.choice ?? null,
    }));
    const svg = root.querySelector(".session-board svg");
    spots = svg && !svg.querySelector(".spots") ? lay(svg) : spots;
    const marks = new Set(spots.map(({ mark }) => mark));
    const isBoard = (move) => move.marks.every((mark) => marks.has(mark));
    const list = root.querySelector(".act-list");
    if (list) list.open = isListOpen ?? !(moves.every(isBoard) && moves.some(({ marks }) => marks.length > 0));
    moves = moves.filter(isBoard);
    show(possible());
    goBack();
  }

  // ---- Where the hand is.

  /** Remembers what has the focus, before parts of the page are replaced. */
  function remember() {
    const { activeElement } = document;
    if (!root.contains(activeElement) || activeElement.matches(".turn")) return;
    const { spot, choice } = activeElement.dataset;
    const buttons = Array.from(root.querySelectorAll(".act-buttons button"));
    if (spot !== undefined) hand = { spot };
    else if (activeElement.closest(".choices")) hand = { spot: picked.at(-1)?.mark, choice };
    else if (buttons.includes(activeElement)) hand = { at: buttons.indexOf(activeElement), value: activeElement.value };
    else if (activeElement.id) hand = { id: activeElement.id };
  }

  /** Gives the focus back to where the hand was. While there is nothing, it is on the line that says whose turn it is. */
  function goBack() {
    if (!hand || (document.activeElement !== document.body && !document.activeElement.matches(".turn"))) return;
    const buttons = Array.from(root.querySelectorAll(".act-buttons button"));
    const aimed = () => root.querySelector(".acts") && spots.find(({ node }) => node.getAttribute("tabindex") === "0")?.node;
    const found = {
      // What was there may be gone, such as a card that was laid.
      spot: () => spots.find(({ mark }) => mark === hand.spot)?.node ?? aimed(),
      choice: () => (root.querySelector(".spot.can") && aimed()) || root.querySelector(".choices button"),
      at: () => buttons.find(({ value }) => value === hand.value) ?? buttons[Math.min(hand.at, buttons.length - 1)],
      id: () => document.getElementById(hand.id),
    };
    const kind = Object.keys(found).find((kind) => hand[kind] !== undefined);
    const target = kind && found[kind]();
    if (target) {
      target.focus({ preventScroll: true });
      hand = null;
    } else {
      root.querySelector(".turn")?.focus({ preventScroll: true });
    }
  }

  root.addEventListener("before-renewal", remember);
  root.addEventListener("renewal", begin);

  // ---- The pointer.

  const spotOf = (node) => spots.find((spot) => spot.node === node);
  const spotAt = ({ clientX, clientY }) => spotOf(document.elementFromPoint(clientX, clientY));

  root.addEventListener("pointerdown", (event) => {
    const spot = spotOf(event.target);
    if (!spot || event.button !== 0 || !event.isPrimary) return;
    drag = { spot, x: event.clientX, y: event.clientY, ghost: null, isMoving: false };
  });

  addEventListener("pointermove", (event) => {
    if (!drag || !event.isPrimary) return;
    const [right, down] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.isMoving && Math.hypot(right, down) > DRAG) {
      drag.isMoving = true;
      if (!isPicked(drag.spot)) pick(drag.spot);
      const under = document.elementsFromPoint(drag.x, drag.y).map((node) => node.closest(".mv")).find(Boolean);
      drag.ghost = isPicked(drag.spot) && under ? lift(under) : null;
    }
    if (!drag.isMoving) return;
    drag.ghost?.(right, down);
    const over = spotAt(event);
    for (const { node } of spots) node.classList.toggle("over", node === over?.node && node.classList.contains("can"));
  });

  /** Lets a copy of a part of the drawing follow the pointer. */
  function lift(part) {
    const copy = part.cloneNode(true);
    const place = part.getAttribute("transform") ?? "";
    const scale = 1 / (part.ownerSVGElement.getScreenCTM()?.a || 1);
    copy.setAttribute("class", "lifted");
    part.ownerSVGElement.append(copy);
    return (right, down) => {
      if (right === null) copy.remove();
      else copy.setAttribute("transform", `translate(${right * scale} ${down * scale}) ${place}`);
    };
  }

  addEventListener("pointerup", (event) => {
    if (!drag || !event.isPrimary) return;
    const { spot, isMoving, ghost } = drag;
    drag = null;
    ghost?.(null);
    for (const { node } of spots) node.classList.remove("over");
    const to = spotAt(event);
    if (!isMoving) pick(spot);
    else if (to && to !== spot && nextMarks(possible()).has(to.mark)) pick(to);
    else if (to !== spot) drop();
  });

  addEventListener("pointercancel", () => {
    if (!drag) return;
    drag.ghost?.(null);
    if (drag.isMoving) drop();
    drag = null;
  });

  root.addEventListener("click", (event) => {
    const { choice } = event.target.closest(".choices button")?.dataset ?? {};
    if (choice !== undefined) {
      hand = { spot: picked.at(-1)?.mark, choice };
      if (chosen === choice) drop();
      else choose(choice);
      goBack();
    }
    // A click without a pointer, as of a screen reader.
    const spot = spotOf(event.target);
    if (spot && event.detail === 0) pick(spot);
  });

  // ---- The keyboard.

  const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  /** The nearest spot in a direction: what lies aside counts as further away. */
  function toward(from, way) {
    let best = null;
    // On a board that is turned around, up is down.
    const [right, down] = root.classList.contains("is-flipped") ? way.map((step) => -step) : way;
    for (const spot of spots) {
      const [x, y] = [spot.x - from.x, spot.y - from.y];
      const along = x * right + y * down;
      const aside = Math.abs(x * down) + Math.abs(y * right);
      if (along <= 1 || aside > 2 * along) continue;
      const far = along + 2 * aside;
      if (!best || far < best.far) best = { spot, far };
    }
    return best?.spot;
  }

  /** Goes on to the next place that can be picked, or back to the previous one. */
  function leap(from, way) {
    const all = spots.filter((spot) => spot === from || spot.node.classList.contains("can"));
    const to = all[(all.indexOf(from) + way + all.length) % all.length];
    aim(to);
    to.node.focus();
  }

  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && (picked.length > 0 || chosen !== null)) return drop();
    const spot = spotOf(event.target);
    if (!spot) return;
    const way = WAYS[event.key];
    if (way) {
      const to = toward(spot, way);
      if (to) {
        aim(to);
        to.node.focus();
      }
    } else if (event.key === "n" || event.key === "p") {
      leap(spot, event.key === "n" ? 1 : -1);
    } else if (event.key === "Enter" || event.key === " ") {
      pick(spot);
      // Where only a choice is left, the hand goes there.
      const isLast = picked.length > 0 && nextMarks(possible()).size === 0;
      if (isLast && !isSent) root.querySelector(".choices button")?.focus();
    } else {
      return;
    }
    event.preventDefault();
  });

  // ---- The list.

  root.addEventListener("submit", (event) => {
    const form = event.target.closest(".acts");
    if (!form) return;
    event.preventDefault();
    act(event.submitter?.value || form.elements.typed?.value || "");
  });
  root.addEventListener("click", (event) => {
    const list = event.target.closest(".act-list > summary")?.parentElement;
    if (list) isListOpen = !list.open;
  });

  begin();
})();
