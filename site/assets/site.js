// Comfort for pages that are complete without it: tables sort and filter in place, and parts of a page are loaded anew
// when something has landed. No page needs it.
"use strict";

// Sorting: a heading's link leads to the sorted page; here the rows of a table that is whole are sorted in place.
function cellOf(row, column) {
  const cell = row.cells[column];
  return cell.dataset.by ?? cell.textContent.trim();
}

function numberOf(text) {
  const number = parseFloat(text.replace(/^[±~]/, ""));
  return Number.isNaN(number) ? null : number;
}

function compare(one, other, isNumber) {
  if (one === other) return 0;
  if (one === "-" || one === "") return Infinity;
  if (other === "-" || other === "") return -Infinity;
  if (isNumber) return (numberOf(one) ?? 0) - (numberOf(other) ?? 0);
  return one.localeCompare(other, "en", { sensitivity: "base", numeric: true });
}

function isWhole(table) {
  const next = table.closest(".wide").nextElementSibling;
  return !(next && next.matches(".pager")) && !table.parentElement.parentElement.querySelector(".pager");
}

// By table, the column that it was sorted by here, so that new rows come into the same order.
const sorted = new Map();

function order(table) {
  const { column, descending } = sorted.get(table.id);
  const body = table.tBodies[0];
  const heading = table.tHead.rows[0].cells[column];
  const isNumber = heading.classList.contains("n");
  const rows = Array.from(body.rows);
  rows.sort((one, other) => {
    const order = compare(cellOf(one, column), cellOf(other, column), isNumber);
    // What is missing comes last either way.
    return Math.abs(order) === Infinity || !descending ? order : -order;
  });
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
  body.append(...rows);
}

function sortBy(heading) {
  const table = heading.closest("table");
  const was = heading.getAttribute("aria-sort");
  const isNumber = heading.classList.contains("n");
  const isRank = heading.textContent.trim() === "rank";
  const descending = was ? was === "ascending" : isNumber && !isRank;
  sorted.set(table.id, { column: heading.cellIndex, descending });
  order(table);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("table[data-sorts] th a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (!isWhole(link.closest("table"))) return;
  event.preventDefault();
  sortBy(link.closest("th"));
});

// Filtering: the form asks the server; here the rows of a table that is whole are hidden while somebody types.
function filter(form) {
  const table = document.getElementById(form.dataset.filters);
  if (!table || table.tagName !== "TABLE" || !isWhole(table)) return;
  const text = form.elements.filter.value.trim().toLowerCase();
  for (const row of table.tBodies[0].rows) {
    row.hidden = !row.textContent.toLowerCase().includes(text);
  }
}

document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-filters]");
  if (form && !form.elements.filter.defaultValue) filter(form);
});

// Times: in the zone of the reader; how long ago those are that are not long past.
const ago = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

function inWords(time, now) {
  const seconds = (time - now) / 1000;
  // The clock of the server may be a little ahead.
  if (Math.abs(seconds) < 60) return "just now";
  if (seconds < 0 && seconds > -3600) return ago.format(Math.trunc(seconds / 60), "minute");
  if (seconds < 0 && seconds > -86400) return ago.format(Math.trunc(seconds / 3600), "hour");
  const year = time.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return time.toLocaleString("en-GB", { day: "numeric", month: "short", year, hour: "2-digit", minute: "2-digit" });
}

function tellTimes(root) {
  const now = new Date();
  for (const shown of root.querySelectorAll("time[datetime][title]")) {
    const words = inWords(new Date(shown.dateTime), now);
    if (shown.textContent !== words) shown.textContent = words;
  }
}
tellTimes(document);
setInterval(() => document.hidden || tellTimes(document), 60000);

// Live parts: when a tournament has news, the page is fetched and its parts replaced. News that come fast are taken
// together.
const PAUSE = 1000;
// After failures it is asked again later and later, but not later than this.
const LONGEST_PAUSE = 60000;

// Fetches the page and replaces its parts. Says whether there is a reason to do so again: the server shows a page that
// takes long as it was, while it makes it anew.
async function renew() {
  const response = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!response.ok) throw new Error(response.statusText);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  tellTimes(page);
  for (const part of document.querySelectorAll("[data-part]")) {
    const fresh = page.getElementById(part.id);
    if (!fresh || fresh.innerHTML === part.innerHTML) continue;
    // What somebody uses or has filled in stays until he has left it or sent it.
    const isFilled = Array.from(part.querySelectorAll("form[method=post] :is(input, select, textarea)")).some(isChanged);
    if (part.contains(document.activeElement) || isFilled) {
      late.add(part);
      continue;
    }
    const more = Array.from(part.querySelectorAll(".columns :checked"), (box) => box.id);
    part.replaceChildren(...fresh.childNodes);
    for (const id of more) document.getElementById(id)?.click();
    for (const table of part.querySelectorAll("table[data-sorts]")) {
      if (sorted.has(table.id)) order(table);
    }
  }
  for (const form of document.querySelectorAll("form[data-filters]")) filter(form);
  return response.headers.get("x-stale") === "1";
}

function isChanged(field) {
  if (field.type === "checkbox") return field.checked !== field.defaultChecked;
  if (field.tagName !== "SELECT") return field.value !== field.defaultValue;
  const first = Math.max(0, Array.from(field.options).findIndex((option) => option.defaultSelected));
  return field.selectedIndex !== first;
}

// The parts that are to be replaced when nobody uses them any more.
const late = new Set();

function listen(about) {
  let known = null;
  let news = null;
  // Whether a renewal is planned or under way, and whether there were news since it began.
  let isPlanned = false;
  let isWanted = false;
  let failures = 0;
  const plan = () => {
    isWanted = true;
    if (isPlanned) return;
    isPlanned = true;
    setTimeout(async () => {
      isWanted = false;
      try {
        isWanted = (await renew()) || isWanted;
        failures = 0;
      } catch {
        isWanted = true;
        failures += 1;
      }
      isPlanned = false;
      if (isWanted) plan();
    }, Math.min(PAUSE * 2 ** failures, LONGEST_PAUSE));
  };
  const open = () => {
    if (news) return;
    news = new EventSource("/live");
    news.addEventListener("news", (event) => {
      const { version, changed } = JSON.parse(event.data);
      // Between a page and the first news about it something may have landed, and so may with news that were missed.
      const isNext = known !== null && version === known + 1;
      const isOurs = !isNext || about === "" || changed.length === 0 || changed.includes(about);
      if (version !== known && isOurs) plan();
      known = version;
    });
  };
  const close = () => {
    if (news) news.close();
    news = null;
  };
  // A page that nobody sees takes no connection.
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => event.persisted && open());
  document.addEventListener("focusout", (event) => {
    const left = event.target.closest("[data-part]");
    if (late.delete(left)) plan();
  });
  if (!document.hidden) open();
}

// A page of some time ago is loaded again when a newer one is there, unless somebody uses it.
async function catchUp(pause) {
  const isUsed = document.querySelector("main :focus") !== null || document.hidden;
  const response = isUsed ? null : await fetch(location.href, { headers: { accept: "text/html" } }).catch(() => null);
  if (response?.headers.get("x-stale") === "0") location.reload();
  else setTimeout(catchUp, pause, Math.min(2 * pause, LONGEST_PAUSE));
}
if (document.body.hasAttribute("data-old")) setTimeout(catchUp, PAUSE, PAUSE);

// A check that is not over: its page is loaded again and again until it is.
const CHECK_PAUSE = 1500;

function follow() {
  if (!document.querySelector("[data-pending]")) return;
  setTimeout(async () => {
    // What somebody opened or closed stays so.
    const open = new Map(Array.from(document.querySelectorAll("details[id]"), (part) => [part.id, part.open]));
    if (!document.hidden) await renew().catch(() => {});
    for (const part of document.querySelectorAll("details[id]")) part.open = open.get(part.id) || part.open;
    follow();
  }, CHECK_PAUSE);
}
follow();

// What decides which fields a form has is sent as soon as it is chosen.
for (const fields of document.querySelectorAll("[data-chooses]")) {
  const button = fields.querySelector("button");
  button.hidden = true;
  fields.addEventListener("change", () => button.form.requestSubmit(button));
}

// What is shown only once is not made twice by two clicks.
document.addEventListener("submit", (event) => {
  const { dataset } = event.target;
  if (dataset.once === "sent") event.preventDefault();
  else if ("once" in dataset) dataset.once = "sent";
});

// Times are of the zone of the browser, unless another is chosen: how far it is from UTC differs from time to time.
function zoneAt(time) {
  const minutes = -time.getTimezoneOffset();
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
}
for (const list of document.querySelectorAll("select[data-zone]")) {
  const own = list.querySelector("[value=browser]");
  own.textContent = `${Intl.DateTimeFormat().resolvedOptions().timeZone ?? own.textContent}, as in this browser`;
  own.hidden = own.disabled = false;
  // After an error, the one that was sent stays.
  if (!list.form.querySelector("[aria-invalid]")) list.value = own.value;
  list.form.addEventListener("formdata", ({ formData }) => {
    if (list.value !== own.value) return;
    for (const field of list.form.querySelectorAll("[type=datetime-local]")) {
      formData.set(`${field.name}_zone`, zoneAt(new Date(field.value)));
    }
  });
}

// What is shown only once can be copied.
for (const secret of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) break;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(secret.querySelector("code").textContent);
    button.textContent = "Copied";
  });
  secret.append(" ", button);
}

// A file that is too large is not sent first.
document.addEventListener("change", (event) => {
  const field = event.target.closest("input[type=file][data-most]");
  if (!field) return;
  const isLarge = Array.from(field.files).some((file) => file.size > Number(field.dataset.most));
  field.setCustomValidity(isLarge ? "This file is too large." : "");
  field.reportValidity();
});

const live = document.body.dataset.live;
if (live !== undefined && "EventSource" in window) listen(live);

// Pieces of a page that the server sends when they change. Only those that differ are replaced.
function watch(root) {
  // As they came, by id: a script may have added to those on the page.
  let sent = new Map(Array.from(root.children, (child) => [child.id, child.outerHTML]));
  const renewPieces = (html) => {
    const fresh = Array.from(new DOMParser().parseFromString(html, "text/html").body.children);
    const children = fresh.map((child) => {
      const isKnown = sent.get(child.id) === child.outerHTML;
      return (isKnown && document.getElementById(child.id)) || child;
    });
    sent = new Map(fresh.map((child) => [child.id, child.outerHTML]));
    const isSame = children.length === root.children.length && children.every((child, at) => child === root.children[at]);
    if (isSame) return;
    root.dispatchEvent(new Event("before-renewal"));
    // What stays is not moved, so that it keeps the focus.
    for (const child of Array.from(root.children)) if (!children.includes(child)) child.remove();
    children.forEach((child, at) => {
      if (root.children[at] !== child) root.insertBefore(child, root.children[at] ?? null);
    });
    tellTimes(root);
    root.dispatchEvent(new Event("renewal"));
  };
  let pieces = null;
  const open = () => {
    if (pieces) return;
    pieces = new EventSource(root.dataset.pieces);
    pieces.addEventListener("piece", (event) => renewPieces(event.data));
  };
  const close = () => {
    if (pieces) pieces.close();
    pieces = null;
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  if (!document.hidden) open();
}

const pieces = document.querySelector("[data-pieces]");
if (pieces && "EventSource" in window) watch(pieces);
