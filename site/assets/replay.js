// Shows a match step by step. The drawings are the games' own: the data hold them as pieces of text and as what changes
// from step to step. Drawings have parts that move (class "mv"); parts of two drawings that look alike are taken for
// the same one. What bots wrote is only ever set as text.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  /** The version of the data that this script reads. */
  const FORMAT = 1;
  /** Milliseconds from step to step at normal speed, and of steps in which nothing moves. */
  const PACE = 1100;
  const SHORT_PACE = 250;
  /** Every so many steps a list of pieces is kept. */
  const KEPT_EVERY = 32;

  const still = matchMedia("(prefers-reduced-motion: reduce)");

  // ---- The drawings of a view.

  /** The drawings of a view, in parts of so many steps, which are loaded when they are needed. */
  class Film {
    constructor(size, load) {
      this.size = size;
      this.load = load;
      this.parts = [];
      this.coming = [];
    }

    /** A film that is here as a whole. */
    static whole(pieces, changes) {
      const film = new Film(changes.length);
      film.parts = [new Part(pieces, changes)];
      return film;
    }

    number(step) {
      return Math.floor(step / this.size);
    }

    has(step) {
      return this.parts[this.number(step)] !== undefined;
    }

    /** Loads the part that a step is in. What could not be loaded is loaded at the next call. */
    need(step) {
      const number = this.number(step);
      this.coming[number] ??= this.load(number).then(
        ({ pieces, changes }) => {
          this.parts[number] = new Part(pieces, changes);
        },
        (error) => {
          delete this.coming[number];
          throw error;
        },
      );
      return this.coming[number];
    }

    /** The drawing after a step whose part is here, as text. */
    at(step) {
      const number = this.number(step);
      return this.parts[number].at(step - number * this.size);
    }
  }

  class Part {
    constructor(pieces, changes) {
      this.pieces = pieces;
      this.changes = changes;
      this.kept = [];
    }

    /** The drawing after a step, as text. */
    at(step) {
      let number = Math.floor(step / KEPT_EVERY);
      while (number >= 0 && !this.kept[number]) number -= 1;
      let list = number < 0 ? [] : this.kept[number];
      for (let at = number < 0 ? 0 : number * KEPT_EVERY + 1; at <= step; at += 1) {
        list = changed(list, this.changes[at]);
        if (at % KEPT_EVERY === 0) this.kept[at / KEPT_EVERY] = list;
      }
      return list.map((piece) => this.pieces[piece]).join("");
    }
  }

  /** Makes changes to a list: numbers of pieces kept, dropped and added, the added ones, and so on. */
  function changed(list, changes) {
    const made = [];
    let old = 0;
    for (let at = 0; at < changes.length; ) {
      const [kept, dropped, added] = changes.slice(at, at + 3);
      made.push(...list.slice(old, old + kept), ...changes.slice(at + 3, at + 3 + added));
      old += kept + dropped;
      at += 3 + added;
    }
    made.push(...list.slice(old));
    return made;
  }

  // ---- What moves between two drawings.

  function parts(svg) {
    return Array.from(svg.querySelectorAll(".mv"), (node) => {
      const [x, y] = place(node);
      const { kind, face, size } = node.dataset;
      return { node, kind, face, size: Number(size), x, y, isCard: face === "card" };
    });
  }

  function place(node) {
    return node.getAttribute("transform").match(/-?\d+/g).map(Number);
  }

  const isHere = (one, other) => one.x === other.x && one.y === other.y;
  const isAlike = (one, other) => one.kind === other.kind;
  const isSame = (one, other) =>
    isAlike(one, other) && isHere(one, other) && one.face === other.face && one.size === other.size;

  /** Pairs the parts of two drawings that are taken for the same; and those that went, and those that came. */
  function paired(before, after) {
    let came = [];
    let gone = before.slice();
    for (const part of after) {
      const at = gone.findIndex((old) => isSame(old, part));
      if (at < 0) came.push(part);
      else gone.splice(at, 1);
    }
    const taken = gone.slice();
    const pairs = [];
    const pair = (fits) => {
      const found = [];
      for (const from of gone) {
        for (const to of came) {
          if (fits(from, to)) found.push([Math.hypot(from.x - to.x, from.y - to.y), from, to]);
        }
      }
      found.sort((one, other) => one[0] - other[0]);
      for (const [, from, to] of found) {
        if (!gone.includes(from) || !came.includes(to)) continue;
        pairs.push({ from, to });
        gone = gone.filter((part) => part !== from);
        came = came.filter((part) => part !== to);
      }
    };
    const isFree = (part) => !taken.some((old) => isHere(old, part));
    const turnHere = () => pair((from, to) => isHere(from, to));
    const turnInFlight = () => pair((from, to) => from.isCard && to.isCard && !isHere(from, to));
    pair((from, to) => isAlike(from, to) && isHere(from, to));
    pair((from, to) => isAlike(from, to) && isFree(to));
    pair(isAlike);
    // A few cards fly and are turned on the way; if many change, all are turned where they lie.
    if (came.length <= 6) turnInFlight();
    turnHere();
    turnInFlight();
    return { pairs, gone, came };
  }

  const moved = (x, y, scale, rest = "") => `translate(${x}px, ${y}px) scale(${scale}) ${rest}`;

  /** Lets what differs between two drawings move. The nodes of the new one are moved; returns the animations. */
  function animate(before, svg, isRoll, ms) {
    const { pairs, gone, came } = paired(before, parts(svg));
    const running = [];
    const source = svg.querySelector(".src");
    const play = (node, frames, options) => {
      svg.append(node);
      running.push(node.animate(frames, { duration: ms, easing: "ease-in-out", fill: "both", ...options }));
    };
    const ghost = (part) => part.node.cloneNode(true);
    for (const part of gone) {
      const { x, y } = part;
      play(ghost(part), [
        { transform: moved(x, y, 1), opacity: 1 },
        { transform: moved(x, y, part.isCard ? 1 : 0.4), opacity: 0 },
      ]);
    }
    for (const { from, to } of pairs) {
      if (source && isHere(from, to) && String(place(source)) === String([to.x, to.y])) continue;
      fly(play, ghost, from, to);
    }
    came.forEach((part, at) => {
      const { x, y } = part;
      if (part.isCard && source) {
        const [fromX, fromY] = place(source);
        const delay = Math.min(at * 40, ms * 1.5);
        play(part.node, [
          { transform: moved(fromX, fromY, 1), opacity: 0 },
          { opacity: 1, offset: 0.15 },
          { transform: moved(x, y, 1), opacity: 1 },
        ], { delay, easing: "cubic-bezier(.2,.7,.3,1)" });
      } else {
        play(part.node, [
          { transform: moved(x, y - 36, 1.35), opacity: 0 },
          { transform: moved(x, y, 1), opacity: 1 },
        ], { easing: "cubic-bezier(.3,0,.4,1.4)" });
      }
    });
    if (isRoll) roll(svg, running, ms);
    return running;
  }

  /** Moves a part from one place to another, through the air if that is far, and turns it over if it has another face. */
  function fly(play, ghost, from, to) {
    const scale = from.size / to.size;
    const isFar = Math.hypot(from.x - to.x, from.y - to.y) > 150 && !to.isCard;
    const [middleX, middleY] = [(from.x + to.x) / 2, (from.y + to.y) / 2 - (isFar ? 60 : 0)];
    const middle = ((1 + scale) / 2) * (isFar ? 1.5 : isHere(from, to) ? 1.12 : 1);
    const path = (turn) => [
      { transform: moved(from.x, from.y, scale) },
      { transform: moved(middleX, middleY, middle, turn), offset: 0.5 },
      { transform: moved(to.x, to.y, 1) },
    ];
    const isTurned = from.kind !== to.kind || from.face !== to.face;
    if (!isTurned) {
      play(to.node, path(isFar ? "scale(1, 1)" : ""));
      return;
    }
    const old = ghost(from);
    // The old face was drawn in the old size.
    const [begin, half] = path("scale(0, 1)");
    play(old, [
      { transform: moved(from.x, from.y, 1), opacity: 1 },
      { transform: moved(middleX, middleY, middle / scale, "scale(0, 1)"), opacity: 1, offset: 0.5 },
      { transform: half.transform, opacity: 0, offset: 0.501 },
      { transform: half.transform, opacity: 0 },
    ]);
    play(to.node, [
      { transform: begin.transform, opacity: 0 },
      { transform: half.transform, opacity: 0, offset: 0.499 },
      { transform: half.transform, opacity: 1, offset: 0.5 },
      { transform: moved(to.x, to.y, 1), opacity: 1 },
    ]);
  }

  function roll(svg, running, ms) {
    svg.querySelectorAll(".die").forEach((die, at) => {
      const [x, y] = place(die);
      const side = at % 2 ? 1 : -1;
      running.push(die.animate([
        { transform: moved(x - 90, y - 30, 0.7, `rotate(${-400 * side}deg)`), opacity: 0.2 },
        { transform: moved(x - 20, y + 12, 1.15, `rotate(${-120 * side}deg)`), opacity: 1, offset: 0.55 },
        { transform: moved(x + 5, y - 6, 1.05, `rotate(${18 * side}deg)`), offset: 0.8 },
        { transform: moved(x, y, 1, "rotate(0deg)") },
      ], { duration: ms * 1.3, easing: "ease-out", fill: "both" }));
    });
  }

  // ---- A board on the page, which shows one view.

  class Board {
    /** `missed` is called when a drawing cannot be loaded. */
    constructor(film, name, missed) {
      this.film = film;
      this.missed = missed;
      this.box = document.createElement("div");
      this.figure = document.createElement("figure");
      this.figure.className = "board";
      this.figure.append(this.box);
      if (name) {
        const caption = document.createElement("figcaption");
        caption.textContent = name;
        this.figure.prepend(caption);
      }
    }

    show(step, isRoll, ms) {
      this.step = step;
      const isHere = this.film.has(step);
      this.figure.ariaBusy = String(!isHere);
      if (!isHere) {
        const isWanted = () => this.step === step;
        this.film.need(step).then(
          () => isWanted() && this.show(step, false, 0),
          () => isWanted() && this.missed(),
        );
        return;
      }
      const drawing = this.film.at(step);
      const shown = this.box.firstElementChild;
      const before = shown && ms > 0 ? parts(shown) : null;
      this.drawing = drawing;
      // Only drawings of the games are ever set as markup. They hold nothing that a bot wrote.
      this.box.innerHTML = drawing;
      if (!before) return;
      const running = animate(before, this.box.firstElementChild, isRoll, ms);
      const node = this.box.firstElementChild;
      Promise.all(running.map((one) => one.finished)).then(() => {
        // Parts that moved were put on top; now everything is where it belongs.
        if (this.box.firstElementChild === node) this.box.innerHTML = this.drawing;
      }, () => {});
    }
  }

  // ---- Times.

  function inWords(us) {
    if (us < 1e3) return `${us} µs`;
    if (us < 1e6) return `${(us / 1e3).toFixed(us < 1e4 ? 1 : 0)} ms`;
    const seconds = us / 1e6;
    if (seconds < 60) return `${seconds.toFixed(1)} s`;
    return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  }

  /** The times of a seat as bars over the steps, and what they say in words. */
  class Times {
    constructor(line, seat, steps, go) {
      this.steps = steps;
      this.moves = [];
      steps.forEach((step, at) => {
        for (const act of step.acts || []) {
          if (act.seat === seat && act.us !== undefined) this.moves.push({ at, ...act, ply: step.ply });
        }
      });
      this.clock = document.createElement("span");
      this.clock.className = "clock";
      line.append(this.clock);
      if (this.moves.length > 0) line.append(this.chart(go));
    }

    chart(go) {
      const [width, height] = [300, 30];
      const last = Math.max(1, this.steps.length - 1);
      const sorted = this.moves.map((move) => move.us).sort((one, other) => one - other);
      const longest = this.moves.reduce((one, other) => (other.us > one.us ? other : one));
      const x = (at) => 1.5 + (at / last) * (width - 3);
      const bar = (us) => Math.max(1.5, Math.sqrt(us / Math.max(1, longest.us)) * (height - 3));
      const path = this.moves.map(({ at, us }) => `M${x(at).toFixed(1)} ${height}v-${bar(us).toFixed(1)}`);
      const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, class: "times", role: "img", preserveAspectRatio: "none" });
      const count = this.moves.length === 1 ? "1 move" : `${this.moves.length} moves`;
      const words = `${count}, median ${inWords(sorted[sorted.length >> 1])}, longest ${inWords(longest.us)} at ply ${longest.ply}`;
      svg.append(
        drawn("title", {}, `Thinking time: ${words}`),
        drawn("path", { d: path.join(""), class: "bars" }),
        (this.now = drawn("path", { class: "now" })),
      );
      this.x = (at) => `M${x(at).toFixed(1)} 0V${height}`;
      svg.addEventListener("click", (event) => {
        const box = svg.getBoundingClientRect();
        go(Math.round(((event.clientX - box.left) / box.width) * last));
      });
      const figure = document.createElement("span");
      figure.className = "chart";
      const caption = document.createElement("span");
      caption.className = "chart-words";
      caption.textContent = words;
      figure.append(svg, caption);
      return figure;
    }

    show(step) {
      const latest = this.moves.filter((move) => move.at <= step).pop();
      const isNow = latest && latest.at === step;
      const left = latest && latest.clock !== undefined ? `clock ${inWords(latest.clock)}` : "";
      this.clock.textContent = [isNow ? `thought ${inWords(latest.us)}` : "", left].filter(Boolean).join(", ");
      if (this.now) this.now.setAttribute("d", this.x(step));
    }
  }

  // ---- Notes that are numbers.

  /** A note that is a number, perhaps after a word: `+0.35`, `score: -12`, `win 61 %`. */
  const NUMBER = /^\s*(?:[a-z]{1,12}(?:\s*[:=]\s*|\s+))?([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?)(?![\w.])/i;

  /** The fewest numbers that make a line. */
  const MIN_NUMBERS = 2;

  /** The numbers that a seat noted, as a line over the steps. */
  class Noted {
    constructor(seat, steps) {
      this.last = Math.max(1, steps.length - 1);
      this.points = [];
      steps.forEach((step, at) => {
        for (const act of step.acts || []) {
          const found = act.seat === seat && NUMBER.exec(act.note ?? "");
          if (found && Number.isFinite(Number(found[1]))) this.points.push({ at, value: Number(found[1]), ply: step.ply });
        }
      });
    }

    get isLine() {
      return this.points.length >= MIN_NUMBERS;
    }

    /** The line, with the name of its seat. */
    chart(name, go) {
      const [width, height] = [300, 44];
      const values = this.points.map(({ value }) => value);
      const [low, high] = [Math.min(...values), Math.max(...values)];
      this.x = (at) => (1.5 + (at / this.last) * (width - 3)).toFixed(1);
      const y = (value) => (height - 3 - ((value - low) / (high - low || 1)) * (height - 6)).toFixed(1);
      const path = this.points.map(({ at, value }, number) => `${number ? "L" : "M"}${this.x(at)} ${y(value)}`);
      const latest = this.points.at(-1);
      const words = `from ${low} to ${high}, at last ${latest.value} at ply ${latest.ply}`;
      const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, class: "times noted", role: "img", preserveAspectRatio: "none" });
      svg.append(drawn("title", {}, `Notes of ${name}: ${words}`));
      if (low < 0 && high > 0) svg.append(drawn("path", { d: `M0 ${y(0)}H${width}`, class: "zero" }));
      this.now = drawn("path", { class: "now" });
      svg.append(drawn("path", { d: path.join(""), class: "line" }), this.now);
      svg.addEventListener("click", (event) => {
        const box = svg.getBoundingClientRect();
        const wanted = ((event.clientX - box.left) / box.width) * this.last;
        const far = ({ at }) => Math.abs(at - wanted);
        go(this.points.reduce((best, point) => (far(point) < far(best) ? point : best)).at);
      });
      const figure = document.createElement("figure");
      const caption = document.createElement("figcaption");
      caption.append(name, " ");
      this.said = document.createElement("span");
      this.said.className = "chart-words";
      this.words = words;
      caption.append(this.said);
      figure.append(caption, svg);
      return figure;
    }

    show(step) {
      const latest = this.points.filter(({ at }) => at <= step).pop();
      this.now.setAttribute("d", `M${this.x(step)} 0V44`);
      this.said.textContent = `${latest ? `now ${latest.value}; ` : ""}${this.words}`;
    }
  }

  function drawn(name, attributes, text) {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text) node.textContent = text;
    return node;
  }

  // ---- The whole.

  const CLASSES = { fault: "is-fault", chance: "is-chance", acts: "is-act", opening: "is-act" };
  const ALL = "all";

  class Player {
    constructor(root, data, films) {
      this.root = root;
      this.data = data;
      this.steps = data.steps;
      this.last = data.steps.length - 1;
      this.step = this.last;
      this.speed = 1;
      this.films = films;
      this.find = (selector) => root.querySelector(selector);
      this.slider = this.find("input[type=range]");
      this.said = this.find(".said");
      this.list();
      this.times = Array.from(root.querySelectorAll(".seats li"), (line, seat) =>
        new Times(line, seat, this.steps, (step) => this.seek(step)));
      this.graphs();
      this.step = Math.min(wanted() ?? this.last, this.last);
      this.choose(0);
      this.views();
      this.listen();
      this.find(".controls").hidden = false;
      this.find(".key-list").hidden = false;
      root.classList.add("is-live");
      this.go(this.step);
      this.fill();
    }

    /** Draws the notes of the seats that noted numbers. */
    graphs() {
      const names = Array.from(this.root.querySelectorAll(".seat-name"), (name) => name.textContent.trim().replace(/\s+/g, " "));
      const all = names.map((_, seat) => new Noted(seat, this.steps));
      this.noted = all.filter((noted) => noted.isLine);
      const box = this.find(".graphs");
      box.hidden = this.noted.length === 0;
      all.forEach((noted, seat) => {
        if (noted.isLine) box.append(noted.chart(names[seat], (step) => this.seek(step)));
      });
    }

    /** Loads what is not here yet of the views that are shown, the nearest steps first. */
    async fill() {
      if (this.isFilling) return;
      this.isFilling = true;
      try {
        for (let next = this.lacking(); next; next = this.lacking()) await next.film.need(next.step);
      } catch {
        // It is loaded when somebody goes there.
      }
      this.isFilling = false;
    }

    lacking() {
      for (let far = 0; far <= this.last; far += 1) {
        for (const step of [this.step + far, this.step - far]) {
          if (step < 0 || step > this.last) continue;
          const board = this.boards.find(({ film }) => !film.has(step));
          if (board) return { film: board.film, step };
        }
      }
      return null;
    }

    views() {
      const select = this.find("[data-set=view]");
      if (!select) return;
      const option = (value, text) => select.add(new Option(text, value));
      this.data.views.forEach((view, number) => option(number, view.name));
      option(ALL, "side by side");
    }

    /** Shows one view, or all of them. */
    choose(view) {
      const isAll = view === ALL;
      const shown = isAll ? this.films.map((_, number) => number) : [Number(view)];
      const missed = () => {
        this.said.textContent = "The board of this step cannot be loaded. Go to another step and back to try again.";
      };
      this.boards = shown.map((number) =>
        new Board(this.films[number], isAll ? this.data.views[number].name : "", missed));
      const boxes = this.find(".boards");
      boxes.classList.toggle("is-all", isAll);
      boxes.replaceChildren(...this.boards.map((board) => board.figure));
      this.boards.forEach((board) => board.show(this.step, false, 0));
      if (this.root.classList.contains("is-live")) this.fill();
    }

    list() {
      const list = this.find(".moves");
      const links = this.steps.map((step, number) => {
        const line = document.createElement("li");
        line.className = CLASSES[step.kind] || "is-frame";
        const link = document.createElement("a");
        link.href = `#step=${number}`;
        link.tabIndex = -1;
        const ply = document.createElement("span");
        ply.className = "ply";
        ply.textContent = step.ply;
        link.append(ply, " ", step.text);
        if ((step.acts || []).some((act) => act.note || act.paused)) line.classList.add("has-note");
        line.append(link);
        return [line, link];
      });
      this.links = links.map(([, link]) => link);
      list.replaceChildren(...links.map(([line]) => line));
      this.find(".more")?.remove();
      list.addEventListener("click", (event) => {
        const link = event.target.closest("a");
        if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        this.seek(this.links.indexOf(link));
      });
    }

    listen() {
      const actions = {
        first: () => this.seek(0),
        back: () => this.seek(this.step - 1),
        play: () => (this.timer ? this.pause() : this.play()),
        forward: () => this.seek(this.step + 1),
        last: () => this.seek(this.last),
        chance: () => this.next("chance", 1),
        fault: () => this.next("fault", 1),
        zoom: () => this.zoom(),
      };
      this.root.addEventListener("click", (event) => {
        const button = event.target.closest("button[data-do]");
        if (button) actions[button.dataset.do]();
      });
      this.slider.addEventListener("input", () => this.seek(Number(this.slider.value)));
      this.find("[data-set=speed]").addEventListener("change", (event) => {
        this.speed = Number(event.target.value);
      });
      this.find("[data-set=view]")?.addEventListener("change", (event) => this.choose(event.target.value));
      addEventListener("hashchange", () => {
        const step = wanted();
        if (step !== null && step !== this.step) this.seek(step);
      });
      document.addEventListener("visibilitychange", () => document.hidden && this.pause());
      const keys = {
        ArrowLeft: actions.back, ArrowRight: actions.forward, Home: actions.first, End: actions.last,
        " ": actions.play, c: actions.chance, x: actions.fault,
        C: () => this.next("chance", -1), X: () => this.next("fault", -1), v: () => this.turnView(),
      };
      document.addEventListener("keydown", (event) => this.press(event, keys));
      this.find(".step-link").addEventListener("click", (event) => this.copy(event));
    }

    /** Copies the address of the step, where the browser lets us. Else the link leads there. */
    async copy(event) {
      if (!navigator.clipboard || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      const link = event.currentTarget;
      const isCopied = await navigator.clipboard.writeText(link.href).then(() => true, () => false);
      this.said.textContent = isCopied ? "The link to this step is copied." : `The link to this step is ${link.href}`;
    }

    /** Shows a wide table larger than a small screen, or whole again. */
    zoom() {
      const isLarge = this.root.classList.toggle("is-large");
      const button = this.find("[data-do=zoom]");
      button.setAttribute("aria-pressed", String(isLarge));
    }

    /** Keys work in the replay, and on the page when nothing else has the focus. */
    press(event, keys) {
      const { target, key } = event;
      const isOurs = target === document.body || target.id === "main" || this.root.contains(target);
      if (!isOurs || event.ctrlKey || event.metaKey || event.altKey || target.closest("select")) return;
      if (key === " " && target.closest("button, a")) return;
      const inList = target.closest(".moves") && { ArrowUp: keys.ArrowLeft, ArrowDown: keys.ArrowRight }[key];
      const act = inList || keys[key];
      if (!act) return;
      event.preventDefault();
      act();
      if (target.closest(".moves")) this.links[this.step].focus({ preventScroll: true });
    }

    turnView() {
      const select = this.find("[data-set=view]");
      if (!select) return;
      select.selectedIndex = (select.selectedIndex + 1) % select.length;
      this.choose(select.value);
    }

    /** Goes to the next or the previous step of a kind. */
    next(kind, direction) {
      let at = this.step + direction;
      while (this.steps[at] && this.steps[at].kind !== kind) at += direction;
      if (this.steps[at]) this.seek(at);
      else this.said.textContent = `There is no ${kind === "fault" ? "fault" : "random event"} ${direction > 0 ? "after" : "before"} this step.`;
    }

    /** Goes to a step because somebody wants it there. */
    seek(step) {
      this.pause();
      this.go(step);
    }

    play() {
      if (this.step === this.last) this.go(0);
      this.playing(true);
      const turn = () => {
        if (this.step === this.last) return this.pause();
        if (this.boards.some(({ film }) => !film.has(this.step + 1))) {
          // It goes on when the next drawings are here.
          this.timer = setTimeout(turn, SHORT_PACE);
          this.fill();
          return;
        }
        this.go(this.step + 1);
        const { kind } = this.steps[this.step];
        const pace = kind === "ready" ? SHORT_PACE : PACE;
        this.timer = setTimeout(turn, pace / this.speed);
      };
      this.timer = setTimeout(turn, SHORT_PACE);
    }

    pause() {
      if (!this.timer) return;
      clearTimeout(this.timer);
      this.timer = null;
      this.playing(false);
    }

    playing(isPlaying) {
      this.root.classList.toggle("is-playing", isPlaying);
      this.find("[data-do=play]").setAttribute("aria-label", isPlaying ? "Pause" : "Play");
      // A match that plays by itself would be read out faster than anybody can listen.
      this.said.setAttribute("aria-live", isPlaying ? "off" : "polite");
    }

    go(to) {
      const step = Math.min(Math.max(0, to), this.last);
      const far = step - this.step;
      const isFirst = !this.links.current;
      if (far === 0 && !isFirst) return;
      this.step = step;
      const ms = Math.abs(far) !== 1 || still.matches ? 0 : Math.min(550, (PACE / this.speed) * 0.6);
      const isRoll = far === 1 && this.steps[step].kind === "chance";
      for (const board of this.boards) board.show(step, isRoll, ms);
      for (const chart of [...this.times, ...this.noted]) chart.show(step);
      this.tell(step);
      if (!isFirst) history.replaceState(history.state, "", `#step=${step}`);
    }

    tell(step) {
      const { text, ply, acts = [] } = this.steps[step];
      this.slider.value = step;
      this.slider.setAttribute("aria-valuetext", `step ${step} of ${this.last}, ply ${ply}`);
      this.find("output").textContent = `${step} / ${this.last}`;
      this.said.textContent = text;
      this.find(".step-link").href = `#step=${step}`;
      const remarks = acts.flatMap(({ seat, paused, note }) => [[`seat ${seat} `, paused], [`seat ${seat} notes `, note]]);
      const notes = remarks.filter(([, text]) => text).map(([who, text]) => {
        const note = document.createElement("p");
        const by = document.createElement("span");
        by.className = "note-by";
        by.textContent = who;
        note.append(by, text);
        return note;
      });
      this.find(".notes").replaceChildren(...notes);
      const link = this.links[step];
      if (this.links.current) {
        this.links.current.removeAttribute("aria-current");
        this.links.current.tabIndex = -1;
      }
      this.links.current = link;
      link.setAttribute("aria-current", "step");
      link.tabIndex = 0;
      // Only the list scrolls, never the page.
      const list = this.find(".moves");
      const line = link.parentElement;
      const top = line.offsetTop;
      if (top < list.scrollTop + 40 || top > list.scrollTop + list.clientHeight - 70) {
        list.scrollTop = top - list.clientHeight / 2;
      }
    }
  }

  /** The step that the address names. */
  function wanted() {
    const found = /^#step=(\d{1,9})$/.exec(location.hash);
    return found ? Number(found[1]) : null;
  }

  async function load(address) {
    const answer = await fetch(address, { headers: { accept: "application/json" } });
    if (!answer.ok) throw new Error(answer.statusText);
    return answer.json();
  }

  async function start(root) {
    const { src, partSteps, last } = root.dataset;
    if (!src) {
      const data = JSON.parse(document.getElementById("replay-data").textContent);
      const films = data.views.map(({ changes }) => Film.whole(data.pieces, changes));
      if (data.format === FORMAT) new Player(root, data, films);
      return;
    }
    // The words of all steps and the board that is shown come first, at the same time.
    const film = (view) => new Film(Number(partSteps), (part) => load(`${src}/${view}/${part}`));
    const first = film(0);
    const shown = first.need(Math.min(wanted() ?? last, last));
    const [data] = await Promise.all([load(`${src}/outline`), shown]);
    const films = data.views.map((_, view) => (view === 0 ? first : film(view)));
    if (data.format === FORMAT) new Player(root, data, films);
  }

  for (const root of document.querySelectorAll(".replay")) start(root).catch(() => {});
})();
