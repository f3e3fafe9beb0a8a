// Several spans: one place at a time is being marked, with the same two ranges; the answer stands in one field
// as people write it, "3-7, 12-15". Of an item's parts, `at` is the place being marked, null: a new one is to
// begin, for keys behind the token `from`.
import { changed, follow, nextClause, rested, said, speak } from "./passage.js";

const HEAD = 80; // Pixels of the page's head.

// The spans as they are written, in order; what reads like none, or overlaps the one before, is left out.
function spans(it) {
  const found = [...it.typed.value.matchAll(/(\d+)(?:\s*[-–—]\s*(\d+))?/g)];
  const all = found.map(([, first, last]) => [first - 1, (last ?? first) - 1]);
  const inside = all.filter(([start, end]) => start >= 0 && start <= end && end < it.tokens.length);
  const apart = [];
  for (const span of inside.sort((a, b) => a[0] - b[0])) if (!(span[0] <= apart.at(-1)?.[1])) apart.push(span);
  return apart;
}

const holding = (list, at) => list.findIndex(([start, end]) => start <= at && at <= end);

// How far the place that holds the token, or a new one there, may reach: up to its neighbours.
function reach(it, list, at, own) {
  const others = list.filter((_, n) => n !== own);
  const low = Math.max(-1, ...others.map(([, end]) => end).filter((end) => end < at)) + 1;
  return [low, Math.min(it.tokens.length, ...others.map(([start]) => start).filter((start) => start > at)) - 1];
}

function change(it, list, span, borders = []) {
  const rest = list.filter((_, n) => n !== it.at);
  const all = span ? [...rest, span].sort((a, b) => a[0] - b[0]) : rest;
  if (all.length > it.most) return speak(it, `At most ${it.most} places.`, " Remove one to mark another.");
  it.before.push([it.typed.value, it.at]);
  it.typed.value = all.map(([start, end]) => `${start + 1}-${end + 1}`).join(", ");
  it.at = span ? all.indexOf(span) : null;
  return changed(it, show, span, borders);
}

// The last change of what is marked is taken back; what was typed or chosen elsewhere stays.
function undo(it) {
  const was = it.before.pop();
  if (!was) return speak(it, "Nothing to undo.");
  [it.typed.value, it.at] = was;
  return changed(it, show, null, []);
}

function clear(it) {
  if (!it.typed.value) return;
  it.before.push([it.typed.value, it.at]);
  [it.typed.value, it.at] = ["", null];
  changed(it, show, null, []);
}

// A new place of one word: the wanted one, or the next free one behind it.
function begin(it, list, wanted, borders) {
  let free = wanted;
  while (free < it.tokens.length && (holding(list, free) >= 0 || !it.words[free])) free += 1;
  if (free >= it.tokens.length) free = it.tokens.findIndex((_, n) => holding(list, n) < 0 && it.words[n]);
  if (free < 0) return;
  it.at = null;
  change(it, list, [free, free], borders);
}

// One border goes as near to the wanted token as its neighbours let it, and takes the other along.
function move(it, ofEnd, wanted, step, borders) {
  const list = spans(it), span = list[it.at];
  if (!span) return begin(it, list, wanted, borders);
  const at = rested(it, wanted, step, ...reach(it, list, span[0], it.at));
  return change(it, list, ofEnd ? [Math.min(at, span[0]), at] : [at, Math.max(at, span[1])], borders);
}

function tapped(it, at) {
  const list = spans(it), span = list[it.at], hit = holding(list, at);
  if (hit >= 0 && hit !== it.at) return select(it, hit);
  if (!span) return begin(it, list, at);
  const [low, high] = reach(it, list, span[0], it.at);
  if (at < low || at > high) return begin(it, list, at);
  const ofEnd = at > span[1] || (at >= span[0] && at - span[0] >= span[1] - at);
  return move(it, ofEnd, at, ofEnd ? -1 : 1);
}

function select(it, at) {
  it.at = at;
  show(it);
}

function another(it) {
  const span = spans(it)[it.at];
  it.from = span ? span[1] + 1 : it.from;
  select(it, null);
}

function byKey(it, ofEnd, forward, clause, seen) {
  const list = spans(it), span = list[it.at];
  if (!span) return begin(it, list, it.from, seen);
  const now = span[ofEnd ? 1 : 0], side = forward ? 1 : -1;
  if (!clause) return move(it, ofEnd, now + side, side, seen);
  return move(it, ofEnd, nextClause(it, now, ofEnd, forward), ofEnd ? -1 : 1, seen);
}

function bySentence(it) {
  const list = spans(it), { starts, ends } = it.sentences;
  const [start, end] = list[it.at] ?? [it.from, it.from];
  const own = list[it.at] ? it.at : -1;
  if (own < 0 && holding(list, start) >= 0) return begin(it, list, start);
  const [low, high] = reach(it, list, start, own);
  const whole = [starts.findLast((place) => place <= start) ?? 0, ends.find((place) => place >= end) ?? end];
  return change(it, list, [rested(it, whole[0], 1, low, high), rested(it, whole[1], -1, low, high)], [1, 0]);
}

function show(it) {
  const list = spans(it), span = list[it.at];
  const [low, high] = span ? reach(it, list, span[0], it.at) : [0, it.tokens.length - 1];
  const free = Math.min(it.from, it.tokens.length - 1);
  for (const [range, at] of [[it.start, span?.[0] ?? free], [it.end, span?.[1] ?? free]]) {
    [range.min, range.max, range.value] = [low, high, at];
    range.setAttribute("aria-valuetext", span ? it.tokens[at].textContent : "nothing marked here yet");
  }
  for (const mark of it.passage.querySelectorAll("mark:not([data-title])")) mark.replaceWith(...mark.childNodes);
  list.forEach((span, n) => mark(it, span, n === it.at));
  it.places.replaceChildren(...list.map((each, n) => row(it, each, n)));
  it.another.hidden = !span;
  it.undo.hidden = !it.before.length;
  it.clear.hidden = !list.length;
  say(it, list, span);
}

// One mark a paragraph that the place reaches into.
function mark(it, [first, last], now) {
  const of = (n) => it.tokens[n]?.closest("p");
  for (let start = first, end = first; end <= last; end += 1) {
    if (end < last && of(end + 1) === of(start)) continue;
    const within = document.createRange(), one = document.createElement("mark");
    within.setStartBefore(it.tokens[start]);
    within.setEndAfter(it.tokens[end]);
    if (now) one.dataset.now = "";
    within.surroundContents(one);
    start = end + 1;
  }
}

function row(it, span, n) {
  const [number, quote] = said(it, span);
  const here = button(n === it.at ? "place now" : "place", quote);
  const remove = button("link", "Remove");
  here.setAttribute("aria-pressed", n === it.at);
  here.addEventListener("click", () => { select(it, n); it.field.focus({ preventScroll: true }); });
  remove.setAttribute("aria-label", `Remove ${quote.textContent}`);
  remove.addEventListener("click", () => { it.at = n; change(it, spans(it), null); it.field.focus({ preventScroll: true }); });
  if (n === it.at) remove.dataset.key = it.field.dataset.removeKey;
  here.title = number.replace(":", "");
  const line = document.createElement("li");
  line.append(here, " ", remove);
  return line;
}

function button(name, inside) {
  const made = document.createElement("button");
  [made.type, made.className] = ["button", name];
  made.append(inside);
  return made;
}

// "2 places. 7 words: sed dilectio … scientiae"
function say(it, list, span) {
  if (!list.length) return speak(it, "Nothing marked.");
  const places = list.length === 1 ? "1 place." : `${list.length} places.`;
  if (!span) return speak(it, places, " Tap the first word of another, or submit.");
  const [number, quote] = said(it, span);
  return speak(it, `${places} ${number}`, " ", quote);
}

follow("spans", {
  own(field) {
    const find = (name) => field.querySelector(`[data-${name}]`);
    return {
      at: null, from: 0, before: [], most: Number(field.dataset.most || 100), typed: find("typed"), places: find("places"),
      another: find("another"), undo: find("undo"), clear: find("clear"),
    };
  },
  begin(it) {
    const declined = it.spoken.cloneNode(true);
    if (spans(it).length) it.at = 0;
    // By keys a place begins with the first word that is in sight.
    else it.from = Math.max(0, it.tokens.findIndex((token) => token.getBoundingClientRect().top > HEAD));
    show(it);
    if (!spans(it).length) it.spoken.replaceChildren(...declined.childNodes);
  },
  slide(it, ofEnd, to, seen) {
    const now = spans(it)[it.at]?.[ofEnd ? 1 : 0] ?? to;
    move(it, ofEnd, to, to < now ? -1 : 1, seen);
  },
  typed: (it) => select(it, spans(it).length ? 0 : null),
  tap: tapped,
  press(it, target) {
    const act = [[it.another, another], [it.undo, undo], [it.clear, clear]].find(([one]) => one.contains(target));
    if (!act) return;
    act[1](it);
    it.field.focus({ preventScroll: true });
  },
  undo,
  step: byKey,
  key(it, key) {
    if (key !== it.field.dataset.sentenceKey) return false;
    bySentence(it);
    return true;
  },
});
