// A passage in which words are marked, by pointer, keys, buttons and two sliders: what all tasks of spans share.
// The answer stands in fields of the form; without these scripts they are typed into.
import { aloud, draw, drawHandles, placesOf, sketch, sketches, tell, unsketch, write } from "./drawing.js";
import { History, another, byUnit, byWord, cleared, current, tapped, units, whole } from "./marks.js";
import { cancelled, clicked, drawable } from "./pointer.js";
import { beside, hold, release, slid } from "./sliders.js";

const { translated, counted } = document.getElementById("main"); // (page.js)

const root = document.documentElement;
const HEAD = 80; // Pixels of the page's head.
const RESTS_MS = 60;
const OPENED = ".panel, dialog, .act-body, .guideline-text, textarea, select, input:not([type=range])";
const known = new WeakMap();

const numbers = (list) => list.split(" ").filter(Boolean).map(Number);

function collected(field, task) {
  const passage = document.querySelector("[data-passage]");
  const tokens = [...passage.querySelectorAll("[data-token]")];
  const ranges = [...field.querySelectorAll("input[type=range]")];
  const [anchor, beyond] = numbers(field.dataset.anchor);
  const text = { n: tokens.length, words: tokens.map((token) => "word" in token.dataset), anchor: anchor === undefined ? null : [anchor, beyond - 1] };
  // A passage without a letter is marked by its signs.
  if (!text.words.includes(true)) text.words.fill(true);
  Object.assign(text, task.rules(field, text));
  Object.assign(text, { clauses: units(text, numbers(field.dataset.clauses)), sentences: units(text, numbers(field.dataset.sentences)) });
  const find = (name) => field.querySelector(`[data-${name}]`);
  const it = {
    field, passage, tokens, ranges, text, task, history: new History(), places: placesOf(text), rtl: ranges[0].dir === "rtl",
    spoken: find("spoken"), undo: find("undo"), redo: find("redo"), clear: find("clear"), far: find("far"), another: find("another"),
    handles: [handle("start"), handle("end")], drawn: task.drawn, keep, state: { spans: [], at: null, from: 0 },
  };
  passage.append(...it.handles);
  if (!field.disabled) drawable(it, { preview, settle });
  new ResizeObserver(() => drawHandles(it)).observe(passage);
  return it;
}

// A finger or a mouse has it; keys and those who hear the page have the sliders.
function handle(name) {
  const made = document.createElement("span");
  made.className = "handle";
  made.dataset.handle = name;
  made.hidden = true;
  made.setAttribute("aria-hidden", "true");
  return made;
}

// What is being drawn, and what came of it.
function preview(it, state) {
  if (!state) return;
  ask(it, null);
  it.state = state;
  if (!sketches) return void show(it);
  sketch(it);
  // Words that change have the whole page set anew: they are said when the hand rests.
  clearTimeout(it.telling);
  it.telling = setTimeout(() => tell(it, ...it.task.said(it)), RESTS_MS);
}

function settle(it, before, state) {
  clearTimeout(it.telling);
  unsketch();
  it.state = before;
  keep(it, state);
}

function show(it) {
  draw(it);
  tell(it, ...it.task.said(it));
}

// Another state is the answer: it is put into the fields, shown, and kept as a draft. `seen` are the borders to
// bring into view; acts of one name that follow each other are undone together.
function keep(it, state, act = "", seen = []) {
  if (!state) return tell(it, counted(it.text.most, "At most {n} place.", "At most {n} places."), ` ${translated("Remove one to mark another.")}`);
  ask(it, null);
  if (JSON.stringify(state.spans) !== JSON.stringify(it.state.spans)) {
    it.history.record(it.state, act, performance.now());
    changed(it, state);
  }
  it.state = state;
  show(it);
  const span = current(state);
  for (const n of span ? seen : []) it.tokens[span[n]].scrollIntoView({ block: "nearest", behavior: "instant" });
  return undefined;
}

function changed(it, { spans }) {
  it.task.write(it.field, spans);
  it.field.form.dataset.touched = "";
  it.field.dispatchEvent(new Event("variorum:changed", { bubbles: true }));
}

function again(it, redo) {
  const state = it.history[redo ? "redo" : "undo"](it.state);
  if (!state) return aloud(redo ? translated("There is nothing to do again.") : translated("There is nothing to undo."));
  changed(it, state);
  it.state = state;
  ask(it, null);
  show(it);
  return aloud(`${redo ? translated("Done again.") : translated("Undone.")} ${it.spoken.textContent}`);
}

function tap(it, token) {
  const { state, asks, all, anew } = tapped(it.text, it.state, token);
  if (!asks) {
    keep(it, state);
    if (token >= it.text.held?.[0] && token <= it.text.held[1]) aloud(`${translated("The anchor is always part of the mark.")} ${it.spoken.textContent}`);
    return undefined;
  }
  const [first, last] = current(all), many = it.text.words.slice(first, last + 1).filter(Boolean).length;
  const far = current(it.state)
    ? counted(asks, "This word stands {n} word away from your mark.", "This word stands {n} words away from your mark.")
    : counted(asks, "This word stands {n} word away from the anchor.", "This word stands {n} words away from the anchor.");
  return ask(it, far, [
    [counted(many, "Mark the {n} word", "Mark all {n} words"), all],
    ...(anew ? [[it.text.most > 1 ? translated("Mark another place here") : translated("Begin a new mark here"), anew]] : []),
    [translated("Leave it as it was"), it.state],
  ]);
}

function ask(it, words, answers = []) {
  it.far.hidden = !words;
  if (!words) return it.far.replaceChildren();
  const line = document.createElement("p");
  line.textContent = words;
  it.far.replaceChildren(line, ...answers.map(([label, state]) => {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: label });
    button.addEventListener("click", () => { keep(it, state); it.field.focus({ preventScroll: true }); });
    return button;
  }));
  return aloud(words);
}

// By keys: two grains a border, the word and the clause; in a slider also the sentence.
function stepped(it, { key, shiftKey, altKey, ctrlKey, target }) {
  const own = it.ranges.includes(target);
  const ofEnd = shiftKey || target === it.ranges[1];
  const seen = own ? beside(ofEnd) : [Number(ofEnd)];
  const unit = (forward, of) => keep(it, byUnit(it.text, it.state, ofEnd, forward, of), `unit${ofEnd}`, seen);
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const forward = (key === "ArrowRight") !== it.rtl;
    if (altKey || ctrlKey) unit(forward, it.text.clauses);
    else keep(it, byWord(it.text, it.state, ofEnd, forward), `word${ofEnd}`, seen);
  } else if (own && !altKey && !ctrlKey && (key === "ArrowUp" || key === "ArrowDown")) unit(key === "ArrowUp", it.text.clauses);
  else if (own && (key === "PageUp" || key === "End")) unit(true, it.text.sentences);
  else if (own && (key === "PageDown" || key === "Home")) unit(false, it.text.sentences);
  else return false;
  return true;
}

function byKey(it, event) {
  const { key, shiftKey, ctrlKey, metaKey, altKey, repeat } = event;
  const redo = (ctrlKey && /^y$/i.test(key)) || shiftKey;
  if ((ctrlKey || metaKey) && !altKey && (redo ? /^[zy]$/i : /^z$/i).test(key)) {
    again(it, redo);
    return true;
  }
  if (metaKey) return false;
  if (stepped(it, event)) return true;
  if (ctrlKey || altKey) return false;
  if (key === "Delete" || key === "Backspace") keep(it, cleared(it.state));
  else if (repeat) return false;
  else if (key.toLowerCase() === it.field.dataset.sentenceKey) keep(it, whole(it.text, it.state, it.text.sentences), "", [1, 0]);
  else return it.task.key?.(it, key.toLowerCase()) ?? false;
  return true;
}

// The buttons beside the passage. After a press of the mouse Enter means the answer, not the button again.
function pressed(it, { target, detail }) {
  const button = target.closest("button");
  const { step } = button?.dataset ?? {};
  if (!button) return;
  if (step) {
    const ofEnd = button.parentElement.contains(it.ranges[1]);
    keep(it, byWord(it.text, it.state, ofEnd, step > 0), `word${ofEnd}`, beside(ofEnd));
  } else if (button === it.undo || button === it.redo) again(it, button === it.redo);
  else if (button === it.clear) keep(it, cleared(it.state));
  else if (button === it.another) keep(it, another(it.state));
  else return;
  if (detail || button === it.another) it.field.focus({ preventScroll: true });
}

// A reference that does not fit is scrolled, so it can take the focus: by keys there is no other way.
const room = new ResizeObserver(([{ target }]) => {
  if (target.scrollHeight > target.clientHeight) target.tabIndex = 0;
  else target.removeAttribute("tabindex");
});

function read(it) {
  const spans = it.task.read(it.field, it.text);
  if (JSON.stringify(spans) === JSON.stringify(it.state.spans)) return;
  it.history = new History();
  it.state = { spans, at: spans.length ? 0 : null, from: it.state.from };
}

// Whether the passage is marked in: it says so itself, and the page, at whose foot the bar then stays.
function marking(passage, on) {
  passage?.toggleAttribute("data-marking", on);
  root.toggleAttribute("data-marks", on && Boolean(document.querySelector("form[data-judging]")));
}

function begun(it) {
  const verses = document.querySelector("[data-verses]");
  const untouched = [...it.spoken.cloneNode(true).childNodes];
  room.disconnect();
  if (verses) room.observe(verses);
  marking(it.passage, !it.field.disabled);
  read(it);
  // By keys a mark begins with the first word that is in sight.
  it.state.from = Math.max(0, it.tokens.findIndex((token) => token.getBoundingClientRect().top > HEAD));
  draw(it);
  if (it.state.spans.length) write(it, ...it.task.said(it));
  else it.spoken.replaceChildren(...untouched);
}

// Let a task act on what the reader does in `fieldset[data-<name>]`. A task has `rules` (of its passage, marks.js),
// `read` and `write` (its fields), `said` (what is marked, in words), and perhaps `drawn` and `key`.
export function follow(name, task) {
  const parts = () => {
    const field = document.querySelector(`fieldset[data-${name}]`);
    // Where the control is folded away nothing is marked.
    if (!field || field.closest("details:not([open])")) return undefined;
    if (!known.has(field)) known.set(field, collected(field, task));
    return known.get(field);
  };
  const able = () => {
    const it = parts();
    return it?.field.disabled ? undefined : it;
  };
  const begin = () => (parts() ? begun(parts()) : marking(null, false));

  document.addEventListener("input", ({ target }) => {
    const it = parts();
    if (!it?.field.contains(target)) return;
    if (target.type === "range") return void slid(it, target);
    read(it);
    show(it);
  });
  document.addEventListener("pointerdown", ({ target }) => {
    const it = able();
    if (it?.ranges.includes(target)) hold(it, target);
  });
  for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => release(able()));
  document.addEventListener("click", (event) => {
    const it = able();
    if (it?.field.contains(event.target)) return pressed(it, event);
    const token = it?.passage.contains(event.target) ? clicked(it, event) : undefined;
    return token === undefined ? undefined : tap(it, token);
  });
  document.addEventListener("copy", (event) => {
    const it = able();
    if (!it?.state.spans.length || String(getSelection()) || event.target.closest?.("input, textarea")) return;
    const marks = [...it.passage.querySelectorAll("mark:not([data-title])")];
    event.clipboardData.setData("text/plain", marks.map((mark) => mark.textContent).join("\n"));
    event.preventDefault();
  });
  // Before the page's own keys. Where something is open and has the focus, no key moves a border; Esc closes what
  // is asked, or gives up what is being drawn, and nothing else.
  document.addEventListener("keydown", (event) => {
    const it = able();
    if (!it || event.isComposing) return;
    if (event.key === "Escape") {
      const asked = !it.far.hidden;
      if (!cancelled() && !asked) return;
      ask(it, null);
      event.stopPropagation();
    } else if (root.dataset.keys === "off" || event.target.closest?.(OPENED) || !byKey(it, event)) return;
    event.preventDefault();
  }, { capture: true });

  begin();
  document.addEventListener("toggle", ({ target }) => {
    if (!target.querySelector?.(`fieldset[data-${name}]`)) return;
    const passage = document.querySelector("[data-passage]");
    if (target.open) return begin();
    marking(passage, false);
    return passage.querySelectorAll(".handle").forEach((one) => { one.hidden = true; });
  }, { capture: true });
  document.addEventListener("htmx:afterSwap", ({ target }) => { if (target.id === "main") begin(); });
}
