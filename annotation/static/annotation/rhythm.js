// The rhythm of a sitting: a goal, how far it is, a pause that stops the clock and covers the text, a quiet word
// after 45 minutes, and `?` for the keys. A sitting is this tab's, in this study, until half an hour without work.
const root = document.documentElement;
const main = document.getElementById("main");
const { translated, counted } = main; // (page.js)
const tool = document.querySelector("[data-sitting]");
const dialog = document.querySelector("dialog[data-pause]");
const STORED = "variorum.sitting";
const APART_MS = 30 * 60_000;
const WORD_MS = 45 * 60_000;
const SOON = 3; // So many items before the goal, the page says how long they will take.
const on = () => root.dataset.rhythm !== "off";
const goal = () => Number(root.dataset.goal ?? 0);
const done = () => document.getElementById("progress")?.value ?? 0;
const own = { user: root.dataset.user, study: tool.dataset.sitting };

// Kept in this tab alone, and gone with signing out.
function stored() {
  try {
    const told = JSON.parse(sessionStorage.getItem(STORED));
    const same = told?.user === own.user && told.study === own.study;
    return same && Date.now() - told.at < APART_MS ? told : null;
  } catch {
    return null;
  }
}
let sitting = stored() ?? { ...own, first: Number(tool.dataset.first), read: 0, unbroken: 0 };

function keep() {
  try {
    if ("leaving" in root.dataset) sessionStorage.removeItem(STORED);
    else sessionStorage.setItem(STORED, JSON.stringify({ ...sitting, at: Date.now() }));
  } catch {
    // Where nothing can be kept, a sitting lasts as long as its page.
  }
}
addEventListener("pagehide", keep);

const minutes = (ms) => counted(Math.max(1, Math.round(ms / 60_000)), "{n} minute", "{n} minutes");

// What is left until the goal, at the pace of this sitting; empty without a goal, or before there is a pace.
function ahead(n) {
  const left = goal() - n;
  if (!goal() || left < 0) return "";
  if (!left) return translated("Your goal for this sitting is reached.");
  if (!n) return translated("{left} more like this.", { left });
  return translated("{left} more like this, about {time}.", { left, time: minutes((sitting.read / n) * left) });
}

function show() {
  const line = document.querySelector("[data-rhythm-left]");
  if (line) line.hidden = true;
  if (!on()) return;
  // Practice counts apart: the work begins from nothing.
  if (done() < sitting.first) sitting.first = done();
  const n = done() - sitting.first;
  const said = ahead(n);
  const long = sitting.unbroken >= WORD_MS;
  const far = goal() ? translated("{n} of {total}", { n, total: goal() }) : translated("{n} done", { n });
  const shown = long ? [far, translated("a pause?")] : [far];
  tool.querySelector("[data-sitting-far]").textContent = shown.map((each) => each.replaceAll(" ", "\u00a0")).join(" · ");
  const items = counted(n, "{n} item", "{n} items");
  const read = n ? translated("{items} and {time} of reading in this sitting.", { items, time: minutes(sitting.read) }) : translated("Nothing is done yet in this sitting.");
  tool.querySelector("[data-said]").textContent = [read, said, long ? translated("You have read for 45 minutes.") : ""].join(" ").trim();
  if (!line || !n || !said || goal() - n > SOON) return;
  line.textContent = said;
  line.hidden = false;
}

document.addEventListener("variorum:read", ({ detail: ms }) => {
  const before = sitting.unbroken;
  sitting.read += ms;
  sitting.unbroken += ms;
  if (before >= WORD_MS || sitting.unbroken < WORD_MS || !on()) return;
  document.getElementById("status").textContent = translated("You have read for 45 minutes. A pause?");
  show();
});

// While it lasts nothing of the text is in sight, no key reaches it, and reading.js counts no time.
let top = 0;
function pause() {
  top = scrollY;
  tool.open = false;
  root.dataset.paused = "";
  main.hidden = true;
  dialog.showModal();
}
function back() {
  if (!("paused" in root.dataset)) return;
  main.hidden = false;
  delete root.dataset.paused;
  sitting.unbroken = 0;
  scrollTo({ top, behavior: "instant" });
  show();
}
tool.querySelector("[data-begin-pause]").addEventListener("click", pause);
dialog.querySelector("button").addEventListener("click", () => {
  back();
  dialog.close();
});
dialog.addEventListener("cancel", back);
dialog.addEventListener("close", back);

const WRITES = "input:not([type=radio], [type=checkbox], [type=range]), textarea, select, [contenteditable]";
document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (key !== "?" || event.defaultPrevented || event.isComposing || event.repeat || root.dataset.keys === "off") return;
  const keys = document.querySelector("form.keys")?.closest("details");
  if (!keys || target.closest?.("dialog") || target.matches?.(WRITES)) return;
  event.preventDefault();
  keys.open = !keys.open;
  keys.querySelector("summary").focus();
});

tool.addEventListener("change", show); // After the panel’s own listener, which stores the choice.
document.addEventListener("htmx:afterSwap", ({ target }) => {
  if (target.id === "main") show(); // The bar, out of band, was swapped before.
});
show();
delete tool.dataset.waits; // Its place was kept (reading.css).
