// The reading page: preview in the gap, keys, active time. Everything works without it.
const root = document.documentElement;
const IDLE_MS = 90_000; // Somebody who reads may touch nothing for long; after this they are away.

const form = () => document.querySelector("form[data-judging]");
const shortcuts = () => root.dataset.keys !== "off";

// Preview: the focused candidate is read in the gap, in the flow of the text.
let previews = 0;
let shown = null;

function preview(radio) {
  const gap = document.querySelector("[data-gap]");
  if (!gap || shown === radio?.id) return;
  shown = radio?.id ?? null;
  const text = gap.querySelector(".gap-text");
  text.textContent = radio ? radio.closest("label").querySelector(".candidate-text").textContent : "";
  text.hidden = gap.querySelector(".gap-back").hidden = !radio;
  gap.querySelector(".gap-blank").hidden = Boolean(radio);
  gap.toggleAttribute("data-blank", !radio);
  for (const card of document.querySelectorAll(".candidate")) {
    card.toggleAttribute("data-shown", Boolean(radio) && card.contains(radio));
  }
  if (radio) previews += 1;
}

document.addEventListener("focusin", ({ target }) => {
  if (target.matches?.(".candidate input")) preview(target);
});
document.addEventListener("change", ({ target }) => {
  if (!target.matches?.(".candidate input")) return;
  preview(target);
  target.form.dataset.touched = "";
});
document.addEventListener("click", ({ target }) => {
  const back = target.closest?.(".gap-back");
  if (!back) return;
  preview(null);
  (document.querySelector(".candidate :checked") ?? document.querySelector("main h1"))?.focus();
  preview(null);
});

// Active time: the page in front, and its reader not long gone. performance.now() never goes back.
let active = 0;
let last = performance.now();
let touched = last;
function tick() {
  const now = performance.now();
  // A machine that slept gives one very long step: it was not read.
  if (document.visibilityState === "visible" && now - touched < IDLE_MS && now - last < 5000) active += now - last;
  last = now;
}
setInterval(tick, 1000);
for (const name of ["pointermove", "pointerdown", "keydown", "scroll", "focusin", "visibilitychange"]) {
  addEventListener(name, () => { tick(); touched = performance.now(); }, { passive: true, capture: true });
}
document.addEventListener("click", write, { capture: true });
document.addEventListener("keydown", write, { capture: true });
function write() {
  const judging = form();
  if (!judging) return;
  tick();
  judging.elements.active_seconds.value = (active / 1000).toFixed(1);
  judging.elements.previews.value = previews;
}

// Keys: each is the press of a control that is there anyway.
const WRITES = "input:not([type=radio], [type=checkbox], [type=range]), textarea, select, [contenteditable]";

function open(details, first) {
  details.open = true;
  details.querySelector(first)?.focus();
}

const ACTS = {
  0: (judging) => open(judging.querySelector("[data-key='0']"), "button, textarea"),
  f: (judging) => open(judging.querySelector("[data-key='f']"), "textarea"),
  n: (judging) => open(judging.querySelector("[data-key='n']"), "textarea"),
  l: (judging) => judging.querySelector("[data-key='l']")?.click(),
  u: (judging) => judging.querySelector("[data-key='u']")?.click(),
  b: () => document.querySelector(".gap-back:not([hidden])")?.click(),
};

function choose(judging, digit) {
  const radio = judging.querySelector(`.candidate [data-key="${digit}"]`);
  if (!radio || radio.disabled) return;
  radio.checked = true;
  judging.dataset.touched = "";
  radio.focus();
  preview(radio);
}

function enter(event, judging) {
  const { target } = event;
  if (event.repeat) return judging.contains(target) && event.preventDefault();
  if (target.matches("button, a, summary")) return;
  // From outside the form Enter counts only after a choice on this page: never an item unread.
  const meant = target.matches("[data-answer]") || (!judging.contains(target) && "touched" in judging.dataset);
  if (!meant) return;
  event.preventDefault();
  judging.querySelector("[data-key='enter']")?.click();
}

document.addEventListener("keydown", (event) => {
  const judging = form();
  const { target, key } = event;
  if (!judging || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  if (target.closest?.(".panel")) return;
  if (target.matches(WRITES)) {
    if (key === "Escape") target.closest("details")?.querySelector("summary").focus();
    return;
  }
  if (key === "Enter") return enter(event, judging);
  if (event.repeat || !shortcuts()) return;
  const act = ACTS[key.toLowerCase()];
  if (act && judging.querySelector(".acts")) {
    event.preventDefault();
    act(judging);
  } else if (/^[1-9]$/.test(key)) {
    event.preventDefault();
    choose(judging, key);
  } else if (/^[a-z]$/i.test(key)) {
    // An answer that one button gives: its key goes to the button, and Enter means it.
    const plain = judging.querySelector(`.acts > button[name][data-key="${key.toLowerCase()}"]`);
    if (!plain) return;
    event.preventDefault();
    plain.focus();
  }
});

// A login that has expired: what was chosen and written waits in this tab for the way back.
const WAITING = "variorum.waiting";
const WRITTEN = ["note", "other", "fault"];
const answers = (judging) => [...judging.querySelectorAll("[data-answer][name]")].map(({ name }) => name);

document.addEventListener("htmx:beforeOnLoad", ({ detail }) => {
  const judging = form();
  if (!judging || !detail.xhr.getResponseHeader("HX-Redirect")?.includes("next=")) return;
  const kept = [...new Set([...answers(judging), ...WRITTEN])];
  const said = Object.fromEntries(kept.map((name) => [name, judging.elements[name]?.value]));
  sessionStorage.setItem(WAITING, JSON.stringify({ user: root.dataset.user, path: location.pathname, said }));
});

function restore(judging) {
  const waiting = JSON.parse(sessionStorage.getItem(WAITING));
  sessionStorage.removeItem(WAITING);
  if (waiting?.user !== root.dataset.user || waiting.path !== location.pathname) return;
  for (const [name, value] of Object.entries(waiting.said)) {
    const control = judging.elements[name];
    if (!control || !value) continue;
    control.value = value;
    const details = control instanceof Element && control.closest("details");
    if (details) details.open = true;
    if (control instanceof Element) control.dispatchEvent(new Event("input", { bubbles: true }));
  }
  judging.dataset.touched = "";
}

// A spread whose right page is taller than the window sticks by its foot, not by its head.
const height = new ResizeObserver(([{ target }]) => {
  const room = innerHeight - target.offsetHeight - 24;
  target.style.setProperty("--stick", `${Math.min(84, room)}px`);
});

// What is open stays open from item to item.
let guideline = false;
document.addEventListener("toggle", ({ target }) => {
  if (target.matches("[data-guideline]") && target.isConnected) guideline = target.open;
}, { capture: true });

function begin() {
  const item = document.querySelector("[data-item]");
  if (!item) return;
  active = 0;
  previews = 0;
  shown = null;
  last = touched = performance.now();
  const right = item.querySelector(".right");
  height.disconnect();
  height.observe(right);
  const panel = item.querySelector("[data-guideline]");
  if (panel) panel.open = guideline;
  const judging = form();
  if (judging && sessionStorage.getItem(WAITING)) restore(judging);
  const chosen = item.querySelector(".candidate :checked");
  if (chosen) preview(chosen);
  previews = 0;
}
begin();
document.addEventListener("htmx:afterSwap", ({ target }) => { if (target.id === "main") begin(); });
