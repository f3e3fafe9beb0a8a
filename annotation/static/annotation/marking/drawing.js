// What one sees of the marks: the words marked in the passage, handles at the borders, and a line that says the
// words. Of an item's parts `state` is what is drawn (marks.js).
import { current, rests } from "./marks.js";
import { drawSlider } from "./sliders.js";

const { counted } = document.getElementById("main"); // (page.js)

const QUIET_MS = 250; // What is spoken waits until the hand rests.

export function draw(it) {
  drawMarks(it);
  drawHandles(it);
  for (const [n, range] of it.ranges.entries()) drawSlider(it, range, n === 1);
  it.undo.setAttribute("aria-disabled", String(!it.history.past.length));
  it.redo.setAttribute("aria-disabled", String(!it.history.future.length));
  it.clear.setAttribute("aria-disabled", String(!it.state.spans.length));
  it.drawn?.(it);
}

// One mark a paragraph that a span reaches into.
function segments(it) {
  const of = (n) => it.tokens[n].closest("p");
  const found = [];
  for (const [n, [first, last]] of it.state.spans.entries()) {
    for (let start = first, end = first; end <= last; end += 1) {
      if (end < last && of(end + 1) === of(end)) continue;
      found.push({ first: start, last: end, now: n === it.state.at });
      start = end + 1;
    }
  }
  return found;
}

// Only what changed is moved: a passage may be long, and a drag is quick. First marks give words up, then they
// take some, so that none meets another on its way.
function drawMarks(it) {
  const wanted = segments(it);
  const kept = [];
  for (const mark of it.passage.querySelectorAll("mark:not([data-title])")) {
    const inside = [...mark.children].filter((one) => "token" in one.dataset).map((one) => one.dataset.token - 1);
    const [low, high] = [inside[0], inside.at(-1)];
    const one = wanted.find((each) => !each.mark && each.first <= high && each.last >= low && it.tokens[each.first].closest("p") === mark.closest("p"));
    if (one) kept.push(Object.assign(one, { mark }));
    else mark.replaceWith(...mark.childNodes);
  }
  for (const { mark, first, last } of kept) shrink(mark, it.tokens, first, last);
  for (const one of wanted) {
    one.mark ??= wrapped(it.tokens[one.first]);
    while (!one.mark.contains(it.tokens[one.first])) one.mark.prepend(one.mark.previousSibling);
    while (!one.mark.contains(it.tokens[one.last])) one.mark.append(one.mark.nextSibling);
    one.mark.toggleAttribute("data-now", one.now && it.text.most > 1);
  }
}

function shrink(mark, tokens, first, last) {
  const within = (n) => mark.contains(tokens[n]);
  if (within(first)) while (mark.firstChild !== tokens[first]) mark.before(mark.firstChild);
  if (within(last)) while (mark.lastChild !== tokens[last]) mark.after(mark.lastChild);
}

function wrapped(token) {
  const mark = document.createElement("mark");
  token.before(mark);
  mark.append(token);
  return mark;
}

// While one draws, nothing of the text is moved: 1,246 words would be set anew at every move. The browser paints
// over the words, and handles go by the boxes that the pointer measured.
export function sketch(it) {
  const painted = it.state.spans.map(([first, last]) => {
    const range = new Range();
    range.setStartBefore(it.tokens[first]);
    range.setEndAfter(it.tokens[last]);
    return range;
  });
  CSS.highlights.set("drawing", new Highlight(...painted));
  drawHandles(it);
}
export const sketches = "highlights" in CSS;
export const unsketch = () => { if (sketches) CSS.highlights.delete("drawing"); };

// The boxes of a token in the passage's own coordinates: one that is broken has two.
export function boxesOf(it, n) {
  if (it.boxes) return it.boxes.get(n) ?? [];
  const origin = it.passage.getBoundingClientRect();
  return [...it.tokens[n].getClientRects()].map(({ left, right, top, bottom }) => ({ left: left - origin.left, right: right - origin.left, top: top - origin.top, bottom: bottom - origin.top }));
}

// A handle hangs below the outer edge of its word.
export function edge(it, ofEnd) {
  const box = boxesOf(it, current(it.state)[Number(ofEnd)]).at(ofEnd ? -1 : 0);
  const side = ofEnd === it.rtl ? "left" : "right";
  return { side, x: box?.[side] ?? 0, top: box?.top ?? 0, bottom: box?.bottom ?? 0 };
}

export function drawHandles(it) {
  const shown = Boolean(current(it.state)) && "marking" in it.passage.dataset;
  for (const [n, handle] of it.handles.entries()) {
    handle.hidden = !shown;
    if (!shown) continue;
    const { side, x, bottom } = edge(it, n === 1);
    handle.dataset.side = side;
    handle.style.transform = `translate(${x}px, ${bottom}px)`;
  }
}

// "7 words:" and sed dilectio … scientiae
export function said(it, [start, end]) {
  const texts = it.tokens.slice(start, end + 1).filter((token) => "word" in token.dataset).map((token) => token.textContent);
  const within = document.createRange();
  within.setStartBefore(it.tokens[start]);
  within.setEndAfter(it.tokens[end]);
  const quote = document.createElement("bdi");
  quote.lang = it.passage.closest("[lang]").lang;
  quote.textContent = texts.length > 5 ? `${texts[0]} ${texts[1]} … ${texts.at(-1)}` : within.toString();
  return [counted(texts.length, "{n} word:", "{n} words:"), quote];
}

// The line in sight says it at once; whoever hears the page hears it when the hand rests.
let speaking = 0;
export function tell(it, first, ...rest) {
  write(it, first, ...rest);
  aloud(it.spoken.textContent);
}

export function write(it, first, ...rest) {
  const count = document.createElement("b");
  count.textContent = first;
  it.spoken.replaceChildren(count, ...rest);
}

export function aloud(words) {
  clearTimeout(speaking);
  speaking = setTimeout(() => { document.getElementById("status").textContent = words; }, QUIET_MS);
}

export const placesOf = (text) => [...text.words.keys()].filter((token) => rests(text, token));
