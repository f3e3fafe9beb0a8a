// The span task: two ranges, and the prose as their view. The answer stands in two number fields,
// empty until the reader has marked something.
import { changed, follow, nextClause, rested, said, speak } from "./passage.js";

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

function byKey(it, ofEnd, forward, clause, seen) {
  const now = marked(it) ?? it.anchor;
  if (!now) return keep(it, startAt(it, 0, 1), seen);
  const at = now[ofEnd ? 1 : 0], side = forward ? 1 : -1;
  const to = clause ? nextClause(it, at, ofEnd, forward) : at + side;
  // A clause is entered from within: its borders rest on its own words.
  const rest = clause ? (ofEnd ? -1 : 1) : side;
  return keep(it, (ofEnd ? endAt : startAt)(it, to, rest), seen);
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
  changed(it, show, span, borders);
}

function show(it) {
  draw(it);
  say(it);
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
function say(it) {
  const span = marked(it);
  if (!span) return speak(it, "Nothing marked.");
  const [number, quote] = said(it, span);
  return speak(it, number, " ", quote);
}

follow("span", {
  own(field, passage) {
    const [first, last] = field.querySelectorAll("input[type=number]");
    return { first, last, mark: passage.querySelector("mark") ?? document.createElement("mark") };
  },
  begin(it) {
    draw(it);
    if (marked(it)) say(it);
  },
  slide(it, ofEnd, to, seen) {
    const now = marked(it) ?? it.anchor ?? [0, 0];
    keep(it, (ofEnd ? endAt : startAt)(it, to, to < now[ofEnd ? 1 : 0] ? -1 : 1), seen);
  },
  typed(it) {
    if (marked(it)) keep(it, marked(it));
  },
  tap: (it, at) => keep(it, tapped(it, at)),
  step: byKey,
  key(it, key) {
    if (key === it.field.dataset.anchorKey) keep(it, it.anchor, [0]);
    else if (key === it.field.dataset.sentenceKey) keep(it, bySentence(it), [1, 0]);
    else return false;
    return true;
  },
});
