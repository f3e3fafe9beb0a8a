// The two sliders: each is a window of words around its border.
import { byUnit, current, limits, moved } from "./marks.js";

const { translated } = document.getElementById("main"); // (page.js)

const PX_A_WORD = 8; // A slider gives every word at least so much of its track.
const FEWEST = 16; // Words on the shortest track.
const HELD_MS = 160; // One that is held at the end of its window goes on so often, by clauses.
const SIDE_BY_SIDE = matchMedia("(min-width: 60.01rem)");

// In one column the control is not scrolled away from under the hand.
export const beside = (ofEnd) => (SIDE_BY_SIDE.matches ? [Number(ofEnd)] : []);

// All words that may be reached where they fit on its track. While it is held its window stands still.
export function drawSlider(it, range, ofEnd) {
  const before = (token) => Math.max(0, it.places.findLastIndex((place) => place <= token));
  const [lowest, highest] = limits(it.text, it.state, ofEnd);
  const low = it.places.findIndex((place) => place >= lowest), high = before(highest);
  const marked = current(it.state);
  const [first, last] = (marked ?? it.text.held ?? [it.state.from, it.state.from]).map(before);
  const here = ofEnd ? last : first;
  if (it.sliding !== range) {
    const room = Math.max(FEWEST, Math.floor((range.clientWidth || 240) / PX_A_WORD));
    const middle = last - first < room / 2 ? Math.round((first + last) / 2) : here;
    range.min = Math.max(low, Math.min(middle - Math.floor(room / 2), high - room));
    range.max = Math.min(high, Number(range.min) + room);
  }
  range.value = here;
  range.toggleAttribute("data-idle", !marked);
  const text = it.tokens[it.places[here]].textContent;
  const word = translated("{text}, word {n} of {total}", { text, n: here + 1, total: it.places.length });
  range.setAttribute("aria-valuetext", marked ? word : it.text.most > 1 ? translated("nothing marked here yet") : translated("nothing marked"));
}

// A slider that is held keeps its window; at the end of it, it goes on by clauses.
let held = 0;
export function hold(it, range) {
  it.sliding = range;
  clearInterval(held);
  held = setInterval(() => {
    const forward = range.value === range.max;
    if (!forward && range.value !== range.min) return;
    const ofEnd = range === it.ranges[1];
    const state = byUnit(it.text, it.state, ofEnd, forward, it.text.clauses);
    const by = state ? it.places.indexOf(current(state)[Number(ofEnd)]) - Number(range.value) : 0;
    if (!by) return;
    range.min = Number(range.min) + by;
    range.max = Number(range.max) + by;
    it.keep(it, state, `slide${ofEnd}`, beside(ofEnd));
  }, HELD_MS);
}

export function release(it) {
  clearInterval(held);
  if (!it?.sliding) return;
  it.sliding = null;
  for (const [n, each] of it.ranges.entries()) drawSlider(it, each, n === 1);
}

export function slid(it, range) {
  const ofEnd = range === it.ranges[1], to = it.places[Number(range.value)];
  it.keep(it, moved(it.text, it.state, ofEnd, to, ofEnd ? -1 : 1), `slide${ofEnd}`, beside(ofEnd));
}
