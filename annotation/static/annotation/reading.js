// The reading page: preview in the gap, keys, active time. Everything works without it.
// Drafts, lost networks and ended logins are in keeping.js.
const root = document.documentElement;
const { translated } = document.getElementById("main"); // (page.js)
const IDLE_MS = 90_000; // Somebody who reads may touch nothing for long; after this they are away.

const WIDE = matchMedia("(min-width: 60.01rem)");
// Whether what is read and what is chosen stand beside each other: by the screen, and by the grid of the study.
const sideBySide = () => WIDE.matches && !document.querySelector("[data-grid=below]");

const form = () => document.querySelector("form[data-judging]");
const shortcuts = () => root.dataset.keys !== "off";

// Preview: the focused candidate is read in the gap, in the flow of the text. Where the gap is out of sight,
// in one column, the sentences around it are read in the card (`inPlace`).
let previews = 0;
let shown = null;
const around = { before: document.createElement("span"), after: document.createElement("span") };
for (const side of ["before", "after"]) {
  around[side].className = "around";
  around[side].setAttribute("aria-hidden", "true"); // It stands in the text already.
}

// `chosen`: by the reader, just now.
function preview(radio, chosen = true) {
  const gap = document.querySelector("[data-gap]");
  if (!gap || shown === radio?.id) return;
  shown = radio?.id ?? null;
  const card = radio?.closest("label");
  const top = card?.getBoundingClientRect().top;
  const text = gap.querySelector(".gap-text");
  text.textContent = card?.querySelector(".candidate-text").textContent ?? "";
  text.hidden = gap.querySelector(".gap-back").hidden = !radio;
  gap.querySelector(".gap-blank").hidden = Boolean(radio);
  gap.toggleAttribute("data-blank", !radio);
  for (const one of document.querySelectorAll(".candidate")) one.toggleAttribute("data-shown", one === card);
  if (radio) previews += 1;
  inPlace(card, gap);
  // The card stays where the reader looks, although the gap above it grows and another card loses two sentences.
  if (card && chosen && form() && !sideBySide()) scrollBy({ top: card.getBoundingClientRect().top - top, behavior: "instant" });
}

function inPlace(card, gap) {
  const text = card?.querySelector(".candidate-text");
  for (const side of ["before", "after"]) {
    const one = around[side];
    one.textContent = gap.dataset[side] ?? "";
    one.lang = text?.lang ?? "";
    if (text && one.textContent) text[side](one);
    else one.remove();
  }
}

document.addEventListener("focusin", ({ target }) => {
  if (target.matches?.(".candidate input")) preview(target);
});
document.addEventListener("change", ({ target }) => {
  if (!target.matches?.(".candidate input")) return;
  preview(target);
  touch(target.form);
});
document.addEventListener("variorum:changed", () => touch(form()));
function touch(judging) {
  if (!judging) return;
  judging.dataset.touched = "";
  const line = judging.querySelector("[data-wanting]");
  if (line) line.hidden = true;
}
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
  if (document.visibilityState === "visible" && now - touched < IDLE_MS && now - last < 5000 && !("paused" in root.dataset)) {
    active += now - last;
    document.dispatchEvent(new CustomEvent("variorum:read", { detail: now - last })); // rhythm.js counts a sitting.
  }
  last = now;
}
setInterval(tick, 1000);
for (const name of ["pointermove", "pointerdown", "keydown", "scroll", "focusin", "visibilitychange"]) {
  addEventListener(name, () => { tick(); touched = performance.now(); }, { passive: true, capture: true });
}
document.addEventListener("click", write, { capture: true });
document.addEventListener("keydown", write, { capture: true });
document.addEventListener("variorum:write", write);
function write() {
  const judging = form();
  if (!judging) return;
  tick();
  judging.elements.active_seconds.value = (active / 1000).toFixed(1);
  judging.elements.previews.value = previews;
}

// What a browser kept comes back (keeping.js): each control as if it were chosen and typed again.
const AROUND = ["submission", "revision", "draft_known", "active_seconds", "previews"];
document.addEventListener("variorum:fill", ({ detail: fields }) => {
  const judging = form();
  for (const [field, value] of Object.entries(fields)) {
    const control = judging.elements[field];
    if (!control || AROUND.includes(field)) continue;
    if (control.type === "checkbox" || control.type === "radio") control.checked = control.value === value;
    else control.value = value;
    const one = control instanceof Element ? control : judging.querySelector(`[name="${field}"]:checked`);
    const details = value && control instanceof Element && control.closest("details");
    if (details) details.open = true;
    for (const kind of ["input", "change"]) one?.dispatchEvent(new Event(kind, { bubbles: true }));
  }
  judging.dataset.touched = "";
});

// What another window holds, beside what is here; the focus stays where somebody writes. Only a choice between
// them says that both are known: who submits without one is asked again.
document.addEventListener("variorum:both", ({ detail: told }) => {
  const { draft_known: known, revision } = form().elements;
  form().querySelector("[data-both]")?.remove();
  known.insertAdjacentHTML("afterend", told.both);
  const box = form().querySelector("[data-both]");
  document.dispatchEvent(new CustomEvent("htmx:load", { detail: { elt: box } })); // For its times.
  // Where one writes it may be out of sight.
  const button = Object.assign(document.createElement("button"), { type: "button", className: "link", textContent: translated("Show both") });
  button.addEventListener("click", () => box.focus());
  form().querySelector("[data-keeping]").append(" ", button);
  box.addEventListener("click", ({ target }) => {
    if (!target.matches("button")) return;
    revision.value = told.revision;
    known.value += ` ${told.known}`;
  }, { capture: true });
});

// Keys: each is the press of a control that is there anyway.
const OPENED = ".act-body, .guideline-text";
const WRITES = "input:not([type=radio], [type=checkbox], [type=range]), textarea, select, [contenteditable]";

function open(details, first) {
  details.open = true;
  const control = details.querySelector(details.dataset.focus ?? first);
  control?.focus({ preventScroll: "focus" in details.dataset });
  // What is written goes on after what was written.
  control?.setSelectionRange?.(control.value.length, control.value.length);
}

function choose(radio) {
  radio.checked = true;
  radio.focus();
  if (radio.matches(".candidate input")) preview(radio);
  radio.dispatchEvent(new Event("variorum:changed", { bubbles: true }));
}

// The control says itself which key it has, by the reader's own mapping. Who is in something that is open can
// open another of its kind; no key changes an answer beside it.
function pressed(key, within) {
  const controls = [...document.querySelectorAll("[data-item] [data-key], .saved-line [data-key], a[data-key], .tool[data-key]")];
  const control = controls.find((one) => one.dataset.key === key && !one.disabled && one.checkVisibility());
  if (!control || (within && !control.matches("details"))) return false;
  if (control.matches("details[data-folds][open]")) control.open = false;
  else if (control.matches("details")) open(control, "button, textarea");
  else if (control.matches("input")) choose(control);
  // An answer that one button gives: its key goes to the button, and Enter means it.
  else if (control.matches("[data-plain]")) control.focus();
  else control.click();
  return true;
}

function enter(event, judging) {
  const { target } = event;
  if (event.repeat) return judging.contains(target) && event.preventDefault();
  if (target.matches("button, a, summary") || target.closest(OPENED)) return;
  // From outside the form Enter counts only after a choice on this page: never an item unread.
  const outside = !judging.contains(target) || target.matches("fieldset");
  const meant = target.matches("[data-answer]") || (outside && "touched" in judging.dataset);
  if (!meant && !outside) return;
  event.preventDefault();
  if (meant) judging.querySelector("[data-submit]")?.click();
  else if (performance.now() - came > TWICE_MS) missing(judging);
}

// What Enter would need, in the words of the server, and the focus where it is given. The second half of a
// double press, which was meant for the item before, says nothing.
const TWICE_MS = 1000;
let came = document.querySelector("[data-after-answer]") ? performance.now() : -Infinity;
function missing(judging) {
  const line = judging.querySelector("[data-wanting]");
  const submit = judging.querySelector("[data-submit]");
  if (!line || !submit) return;
  const named = [...judging.querySelectorAll("[data-task] [data-answer][name]")];
  const given = named.some((one) => (one.type === "radio" ? one.checked : one.value));
  const label = submit.firstChild.textContent.trim();
  line.textContent = given ? translated("You have changed nothing on this page. “{label}” sends the answer as it is.", { label }) : line.dataset.wanting;
  line.hidden = false;
  document.getElementById("status").textContent = line.textContent;
  if (!given) judging.querySelector("fieldset").focus({ preventScroll: true });
  line.scrollIntoView({ block: sideBySide() ? "nearest" : "start", behavior: "instant" });
}

// What is announced (a group of items, what practice says): Enter goes on, wherever the focus is. The second half of a double
// press was meant for the item before.
function confirmed(event) {
  const button = document.querySelector("[data-announces] button");
  const soon = event.repeat || performance.now() - came < TWICE_MS;
  if (!button || (event.target.matches("button, a, summary") && !soon)) return;
  event.preventDefault();
  if (!soon) button.click();
}

document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (event.isComposing || target.closest?.(".panel, dialog")) return;
  const judging = form();
  // Where one writes Enter begins a line, and with Ctrl (on a Mac Command) it submits what is written there.
  if (key === "Enter" && (event.ctrlKey || event.metaKey) && target.matches("[data-task] textarea")) {
    event.preventDefault();
    if (!event.repeat) judging?.querySelector("[data-submit]")?.click();
    return;
  }
  // Signs of many keyboards need AltGr, which says Ctrl and Alt too.
  const modified = (event.ctrlKey || event.altKey) && !event.getModifierState("AltGraph");
  if (modified || event.metaKey || target.matches(WRITES)) return;
  if (key === "Enter") {
    if (judging) enter(event, judging);
    else confirmed(event);
  } else if (!event.repeat && shortcuts() && pressed(key.toLowerCase(), target.closest?.(OPENED))) {
    event.preventDefault();
  }
});

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

// The next item waits in the page, unseen and nobody's: it is claimed, and its clock begins, when it is shown.
const PREFETCH_MS = 1500; // After the page's own requests, and long before anybody has read an item.
const waiting = document.createElement("template");
document.body.append(waiting);
let looking = 0;

async function prefetch(judging) {
  const reply = await fetch(judging.dataset.prefetch, { redirect: "error" }).catch(() => null);
  const name = reply?.headers.get("X-Prefetched");
  const text = name && (await reply.text().catch(() => ""));
  if (!text || judging !== form()) return;
  waiting.innerHTML = text;
  waiting.dataset.prefetch = name;
}
document.addEventListener("htmx:configRequest", ({ detail }) => {
  if (detail.elt === form() && waiting.dataset.prefetch) detail.headers["X-Prefetched"] = waiting.dataset.prefetch;
});
// The reply that says which place it is shown at leaves out what waits here.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const place = detail.xhr.getResponseHeader("X-Prefetched");
  if (!place) return;
  const part = (name) => waiting.content.querySelector(`[data-part=${name}]`).innerHTML.replaceAll(waiting.dataset.prefetch, place);
  detail.serverResponse = detail.serverResponse.replace(/<template data-part="(\w+)"><\/template>/g, (_, name) => part(name));
});

function begin() {
  clearTimeout(looking);
  waiting.innerHTML = "";
  delete waiting.dataset.prefetch;
  const item = document.querySelector("[data-item]");
  if (!item || !form()) return;
  const judging = form();
  looking = setTimeout(prefetch, PREFETCH_MS, judging);
  active = Number(judging?.elements.active_seconds.value ?? 0) * 1000;
  previews = 0;
  shown = null;
  last = touched = performance.now();
  const right = item.querySelector(".right");
  height.disconnect();
  height.observe(right);
  const panel = item.querySelector("[data-guideline]");
  if (panel) panel.open = guideline;
  const chosen = item.querySelector(".candidate :checked");
  if (chosen) preview(chosen, false);
  previews = Number(judging?.elements.previews.value ?? 0);
}
begin();
document.addEventListener("htmx:afterSwap", ({ target }) => {
  if (target.id !== "main") return;
  came = performance.now();
  begin();
});
