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

  class Film {
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
    constructor(film, name) {
      this.film = film;
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
    constructor(root, data) {
      this.root = root;
      this.data = data;
      this.steps = data.steps;
      this.last = data.steps.length - 1;
      this.step = this.last;
      this.speed = 1;
      this.films = data.views.map((view) => new Film(data.pieces, view.changes));
      this.find = (selector) => root.querySelector(selector);
      this.slider = this.find("input[type=range]");
      this.said = this.find(".said");
      this.list();
      this.times = Array.from(root.querySelectorAll(".seats li"), (line, seat) =>
        new Times(line, seat, this.steps, (step) => this.seek(step)));
      this.choose(0);
      this.views();
      this.listen();
      this.find(".controls").hidden = false;
      root.classList.add("is-live");
      this.go(this.wanted() ?? this.last);
    }

    /** The step that the address names. */
    wanted() {
      const found = /^#step=(\d{1,9})$/.exec(location.hash);
      return found ? Number(found[1]) : null;
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
      this.boards = shown.map((number) =>
        new Board(this.films[number], isAll ? this.data.views[number].name : ""));
      const boxes = this.find(".boards");
      boxes.classList.toggle("is-all", isAll);
      boxes.replaceChildren(...this.boards.map((board) => board.figure));
      this.boards.forEach((board) => board.show(this.step, false, 0));
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
        if ((step.acts || []).some((act) => act.note)) line.classList.add("has-note");
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
        const step = this.wanted();
        if (step !== null && step !== this.step) this.seek(step);
      });
      document.addEventListener("visibilitychange", () => document.hidden && this.pause());
      const keys = {
        ArrowLeft: actions.back, ArrowRight: actions.forward, Home: actions.first, End: actions.last,
        " ": actions.play, c: actions.chance, f: actions.fault,
        C: () => this.next("chance", -1), F: () => this.next("fault", -1), v: () => this.turnView(),
      };
      document.addEventListener("keydown", (event) => this.press(event, keys));
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
      for (const times of this.times) times.show(step);
      this.tell(step);
      if (!isFirst) history.replaceState(history.state, "", `#step=${step}`);
    }

    tell(step) {
      const { text, ply, acts = [] } = this.steps[step];
      this.slider.value = step;
      this.slider.setAttribute("aria-valuetext", `step ${step} of ${this.last}, ply ${ply}`);
      this.find("output").textContent = `${step} / ${this.last}`;
      this.said.textContent = text;
      const notes = acts.filter((act) => act.note).map((act) => {
        const note = document.createElement("p");
        const by = document.createElement("span");
        by.className = "note-by";
        by.textContent = `seat ${act.seat} notes `;
        note.append(by, act.note);
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

  async function start(root) {
    const { src } = root.dataset;
    const data = src
      ? await fetch(src, { headers: { accept: "application/json" } }).then((answer) => answer.ok && answer.json())
      : JSON.parse(document.getElementById("replay-data").textContent);
    if (data && data.format === FORMAT) new Player(root, data);
  }

  for (const root of document.querySelectorAll(".replay")) start(root).catch(() => {});
})();
