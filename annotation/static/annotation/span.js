// The span task: two ranges, and the prose as their view. The answer stands in two number fields,
// empty until the reader has marked something. Without this script the fields are typed into.
const root = document.documentElement;
const SIDE_BY_SIDE = matchMedia("(min-width: 60.01rem)");
const known = new WeakMap();

// One item's parts. Positions are tokens from 0, the last one included.
function parts() {
  const field = document.querySelector("fieldset[data-span]");
  if (!field) return null;
  if (!known.has(field)) known.set(field, collected(field));
  return known.get(field);
}

export const numbers = (list) => list.split(" ").filter(Boolean).map(Number);

function collected(field) {
  const passage = document.querySelector("[data-passage]");
  const tokens = [...passage.querySelectorAll("[data-token]")];
  const [start, end] = field.querySelectorAll("input[type=range]");
  const [first, last] = field.querySelectorAll("input[type=number]");
  const [anchor, beyond] = numbers(field.dataset.anchor);
  const it = {
    field, passage, tokens, start, end, first, last,
    spoken: field.querySelector("[data-spoken]"),
    words: tokens.map((token) => "word" in token.dataset),
    anchor: anchor === undefined ? null : [anchor, beyond - 1],
    rtl: start.dir === "rtl",
    mark: passage.querySelector("mark") ?? document.createElement("mark"),
  };
  it.clauses = units(it, numbers(field.dataset.clauses));
  it.sentences = units(it, numbers(field.dataset.sentences));
  return it;
}

// Where units begin, and the words with which they end.
export function units(it, starts) {
  const ends = starts.map((_, n) => (starts[n + 1] ?? it.tokens.length) - 1);
  return { starts, ends: ends.map((at) => rested(it, at, -1, 0, at)) };
}

// A border rests on a word, or on the anchor: commas would be disagreements about nothing.
export function rested(it, wanted, step, low, high) {
  const rests = (at) => it.words[at] || at === it.anchor?.[0] || at === it.anchor?.[1];
  const from = Math.min(Math.max(wanted, low), high);
  for (const side of [step, -step]) {
    for (let at = from; at >= low && at <= high; at += side) if (rests(at)) return at;
  }
  return from;
}

const marked = (it) => (it.first.value && it.last.value ? [it.first.value - 1, it.last.value - 1] : null);

function startAt(it, wanted, step) {
  const at = rested(it, wanted, step, 0, it.anchor ? it.anchor[0] : it.tokens.length - 1);
  const [, end] = marked(it) ?? it.anchor ?? [at, at];
  return [at, Math.max(at, end)];
}

function endAt(it, wanted, step) {
  const at = rested(it, wanted, step, it.anchor ? it.anchor[1] : 0, it.tokens.length - 1);
  const [start] = marked(it) ?? it.anchor ?? [at, at];
  return [Math.min(at, start), at];
}

function tapped(it, at) {
  const [low, high] = it.anchor ?? marked(it) ?? [at, at];
  if (at < low) return startAt(it, at, 1);
  if (at > high) return endAt(it, at, -1);
  if (it.anchor || low === high) return it.anchor ?? startAt(it, at, 1);
  return at - low < high - at ? startAt(it, at, 1) : endAt(it, at, -1);
}

function byWord(it, ofEnd, forward) {
  const now = marked(it) ?? it.anchor;
  const step = forward ? 1 : -1;
  if (!now) return startAt(it, 0, 1);
  return ofEnd ? endAt(it, now[1] + step, step) : startAt(it, now[0] + step, step);
}

function byClause(it, ofEnd, forward) {
  const now = marked(it) ?? it.anchor;
  if (!now) return startAt(it, 0, 1);
  const at = now[ofEnd ? 1 : 0];
  const places = ofEnd ? it.clauses.ends : it.clauses.starts;
  const to = forward ? places.find((place) => place > at) : places.findLast((place) => place < at);
  const edge = forward ? it.tokens.length - 1 : 0;
  return ofEnd ? endAt(it, to ?? edge, -1) : startAt(it, to ?? edge, 1);
}

function bySentence(it) {
  const [start, end] = marked(it) ?? it.anchor ?? [0, 0];
  const { starts, ends } = it.sentences;
  const from = rested(it, starts.findLast((place) => place <= start), 1, 0, start);
  return [from, ends.find((place) => place >= end) ?? end];
}

// Show a span (null: none), and keep it as the answer.
function keep(it, span, borders = []) {
  it.first.value = span ? span[0] + 1 : "";
  it.last.value = span ? span[1] + 1 : "";
  it.field.form.dataset.touched = "";
  it.field.dispatchEvent(new Event("variorum:changed", { bubbles: true }));
  draw(it);
  say(it);
  for (const at of span ? borders : []) it.tokens[span[at]].scrollIntoView({ block: "nearest" });
}

function draw(it) {
  const span = marked(it);
  const [start, end] = span ?? it.anchor ?? [0, 0];
  it.start.value = start;
  it.end.value = end;
  for (const [range, at] of [[it.start, start], [it.end, end]]) {
    range.setAttribute("aria-valuetext", span ? it.tokens[at].textContent : "nothing marked");
  }
  underline(it, span);
}

// The mark around the span. Only what changed is moved: a passage may be long, and a slider is quick.
function underline({ mark, tokens }, span) {
  if (!span) return mark.replaceWith(...mark.childNodes);
  const [first, last] = span.map((at) => tokens[at]);
  const within = (token) => mark.contains(token);
  if (!within(first) && !within(last) && !tokens.slice(span[0], span[1]).some(within)) {
    mark.replaceWith(...mark.childNodes);
    first.before(mark);
    mark.append(first);
  }
  while (!within(first)) mark.prepend(mark.previousSibling);
  while (!within(last)) mark.append(mark.nextSibling);
  while (mark.firstChild !== first) mark.before(mark.firstChild);
  while (mark.lastChild !== last) mark.after(mark.lastChild);
  return undefined;
}

// "7 words: sed dilectio … scientiae"
export function said(it, [start, end]) {
  const words = it.tokens.slice(start, end + 1).filter((token) => "word" in token.dataset);
  const texts = words.map((token) => token.textContent);
  const within = document.createRange();
  within.setStartBefore(it.tokens[start]);
  within.setEndAfter(it.tokens[end]);
  const quote = document.createElement("bdi");
  quote.lang = it.passage.closest("[lang]").lang;
  quote.textContent = texts.length > 5 ? `${texts[0]} ${texts[1]} … ${texts.at(-1)}` : within.toString();
  return [`${texts.length} ${texts.length === 1 ? "word" : "words"}:`, quote];
}

function say(it) {
  const span = marked(it);
  const count = document.createElement("b");
  if (!span) {
    count.textContent = "Nothing marked.";
    return it.spoken.replaceChildren(count);
  }
  const [number, quote] = said(it, span);
  count.textContent = number;
  it.spoken.replaceChildren(count, " ", quote);
}

document.addEventListener("input", ({ target }) => {
  const it = parts();
  if (!it?.field.contains(target)) return;
  const now = marked(it) ?? it.anchor ?? [0, 0];
  const to = Number(target.value);
  const seen = SIDE_BY_SIDE.matches;
  if (target === it.start) keep(it, startAt(it, to, to < now[0] ? -1 : 1), seen ? [0] : []);
  else if (target === it.end) keep(it, endAt(it, to, to < now[1] ? -1 : 1), seen ? [1] : []);
  else if (marked(it)) keep(it, marked(it));
});

document.addEventListener("click", ({ target }) => {
  const it = parts();
  const token = target.closest?.("[data-passage] [data-token]");
  if (it && token && !it.field.disabled) keep(it, tapped(it, token.dataset.token - 1));
});

// Before the page's own keys. Where something is open and has the focus, no key moves a border.
document.addEventListener("keydown", (event) => {
  const { target, key, shiftKey, altKey } = event;
  const it = parts();
  if (!it || it.field.disabled || root.dataset.keys === "off") return;
  if (event.ctrlKey || event.metaKey || event.isComposing) return;
  if (target.closest?.(".panel, dialog, .act-body, .guideline-text, textarea, select, input:not([type=range])")) return;
  const arrow = key === "ArrowLeft" || key === "ArrowRight";
  const ofEnd = shiftKey || target === it.end;
  const seen = target.type === "range" && !SIDE_BY_SIDE.matches ? [] : [ofEnd ? 1 : 0];
  if (arrow) {
    const forward = (key === "ArrowRight") !== it.rtl;
    keep(it, (altKey ? byClause : byWord)(it, ofEnd, forward), seen);
  } else if (altKey || event.repeat) {
    return;
  } else if (key.toLowerCase() === it.field.dataset.anchorKey) {
    keep(it, it.anchor, [0]);
  } else if (key.toLowerCase() === it.field.dataset.sentenceKey) {
    keep(it, bySentence(it), [1, 0]);
  } else {
    return;
  }
  event.preventDefault();
}, { capture: true });

// A reference that does not fit is scrolled, so it can take the focus: by keys there is no other way.
export const room = new ResizeObserver(([{ target }]) => {
  if (target.scrollHeight > target.clientHeight) target.tabIndex = 0;
  else target.removeAttribute("tabindex");
});

function begin() {
  const it = parts();
  if (!it) return;
  room.disconnect();
  room.observe(document.querySelector("[data-verses]"));
  draw(it);
  if (marked(it)) say(it);
}
begin();
document.addEventListener("htmx:afterSwap", ({ target }) => { if (target.id === "main") begin(); });
