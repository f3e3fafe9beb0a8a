// What is marked in a passage, and every way to change it: pure functions, without a page.
//
// A passage is {n, words, anchor, held, most, clauses, sentences}: how many tokens it has, which of them are
// words, the anchor or null, the anchor again where every mark has to hold it, how many spans one may mark, and
// where units begin and end. What is marked is a state {spans, at, from}: spans in order and apart, [first, last]
// in tokens from 0; which of them is being marked, null for none; and where keys begin a new one. A function
// returns a new state, and null where one more span than allowed would be marked.

export const FAR = 30; // Words. A tap farther away than this asks first.
const SAME_ACT_MS = 1200; // Steps of one border within this are undone together.

export const current = ({ spans, at }) => (at === null ? undefined : spans[at]);
export const holding = ({ spans }, token) => spans.findIndex(([first, last]) => first <= token && token <= last);

// A border rests on a word, or on the anchor: commas would be disagreements about nothing.
export const rests = ({ words, anchor }, token) => words[token] || token === anchor?.[0] || token === anchor?.[1];

function rested(text, wanted, step, low, high) {
  const from = Math.min(Math.max(wanted, low), high);
  for (const side of [step, -step]) {
    for (let at = from; at >= low && at <= high; at += side) if (rests(text, at)) return at;
  }
  return from;
}

// Where units begin, and the words with which they end.
export function units(text, starts) {
  const ends = starts.map((_, n) => (starts[n + 1] ?? text.n) - 1);
  return { starts, ends: ends.map((at) => rested(text, at, -1, 0, at)) };
}

// How far the span that holds the token, or a new one there, may reach: up to its neighbours.
function reach(text, { spans, at }, token) {
  const others = spans.filter((_, n) => n !== at);
  const low = Math.max(-1, ...others.map(([, last]) => last).filter((last) => last < token)) + 1;
  return [low, Math.min(text.n, ...others.map(([first]) => first).filter((first) => first > token)) - 1];
}

// Between which tokens a border may be moved.
export function limits(text, state, ofEnd) {
  const span = current(state) ?? text.held;
  const [low, high] = span ? reach(text, state, span[0]) : [0, text.n - 1];
  return ofEnd ? [text.held?.[1] ?? low, high] : [low, text.held?.[0] ?? high];
}

function put(text, { spans, at, from }, span) {
  const all = [...spans.filter((_, n) => n !== at), span].sort((one, other) => one[0] - other[0]);
  return all.length > text.most ? null : { spans: all, at: all.indexOf(span), from };
}

// A new span of one word: the wanted one, or the next free one behind it, or any.
function begun(text, state, wanted) {
  const free = (token) => text.words[token] && holding(state, token) < 0;
  const tokens = text.words.map((_, token) => token);
  const first = tokens.find((token) => token >= wanted && free(token)) ?? tokens.find(free);
  return first === undefined ? state : put(text, { ...state, at: null }, [first, first]);
}

// One border goes as near to the wanted token as the anchor and the neighbours let it, and takes the other along.
export function moved(text, state, ofEnd, wanted, step) {
  const span = current(state) ?? text.held;
  if (!span) return begun(text, state, wanted);
  const at = rested(text, wanted, step, ...limits(text, state, ofEnd));
  return put(text, state, ofEnd ? [Math.min(span[0], at), at] : [at, Math.max(span[1], at)]);
}

export function byWord(text, state, ofEnd, forward) {
  const span = current(state) ?? text.held, side = forward ? 1 : -1;
  return span ? moved(text, state, ofEnd, span[Number(ofEnd)] + side, side) : begun(text, state, state.from);
}

// To the border of the next clause or sentence, or to the edge of the passage. It is entered from within: its
// borders rest on its own words. Where nothing is marked yet it is marked whole.
export function byUnit(text, state, ofEnd, forward, { starts, ends }) {
  const span = current(state) ?? text.held;
  if (!span) return whole(text, state, { starts, ends });
  const now = span[Number(ofEnd)], places = ofEnd ? ends : starts;
  const to = forward ? places.find((place) => place > now) : places.findLast((place) => place < now);
  return moved(text, state, ofEnd, to ?? (forward ? text.n - 1 : 0), ofEnd ? -1 : 1);
}

// The units in which the span begins and ends, as far as its neighbours let it.
export function whole(text, state, { starts, ends }) {
  const base = current(state) || text.held ? state : begun(text, state, state.from);
  const span = base && (current(base) ?? text.held);
  if (!span) return base;
  const [low, high] = reach(text, base, span[0]);
  const from = starts.findLast((place) => place <= span[0]) ?? 0, to = ends.find((place) => place >= span[1]) ?? span[1];
  return put(text, base, [rested(text, from, 1, low, high), rested(text, to, -1, low, high)]);
}

export const anchorAlone = (text, state) => (text.held ? put(text, state, [...text.held]) : cleared(state));
export const cleared = ({ from }) => ({ spans: [], at: null, from });
export const without = (state, n) => ({ ...state, spans: state.spans.filter((_, each) => each !== n), at: null });
export const another = (state) => ({ ...state, at: null, from: current(state) ? current(state)[1] + 1 : state.from });

// The words from one to the other, with the anchor where they must hold it. A draw that begins in a span draws
// that one anew, any other begins a span of its own and stops at its neighbours.
export function drawn(text, state, from, to) {
  const own = text.most === 1 ? 0 : holding(state, from);
  const base = { ...state, at: state.spans[own] ? own : null };
  const [low, high] = reach(text, base, from);
  const ends = [rested(text, Math.min(from, to), 1, low, high), rested(text, Math.max(from, to), -1, low, high)];
  return put(text, base, [Math.min(...ends, ...(text.held ?? [])), Math.max(...ends, ...(text.held ?? []))]);
}

const wordsIn = ({ words }, first, last) => words.slice(first, last + 1).filter(Boolean).length;

// What a tap does: {state}, or {asks, all, anew} where the word is far from the mark: how many words away, the
// state with all of them, and one with a new mark there (null: it would not hold the anchor).
export function tapped(text, state, token) {
  const hit = holding(state, token);
  if (hit >= 0 && hit !== state.at) return { state: { ...state, at: hit } };
  const span = current(state) ?? text.held;
  if (!span) return { state: begun(text, state, token) };
  const [low, high] = reach(text, state, span[0]);
  if (token < low || token > high) return { state: begun(text, state, token) };
  const ofEnd = onEnd(text, current(state), span, token);
  if (ofEnd === null) return { state: current(state) ? state : anchorAlone(text, state) };
  const all = moved(text, state, ofEnd, token, ofEnd ? -1 : 1);
  const away = token < span[0] ? wordsIn(text, token, span[0] - 1) : wordsIn(text, span[1] + 1, token);
  if (away <= FAR) return { state: all };
  return { asks: away, all, anew: text.held ? null : begun(text, text.most === 1 ? cleared(state) : state, token) };
}

// Whether a tap moves the end: the nearer border; null where the token is the anchor and stays in.
function onEnd({ held }, now, [first, last], token) {
  if (token < first || token > last) return token > last;
  if (held) return token < held[0] ? false : token > held[1] ? true : null;
  return token - first >= last - token && first !== last;
}

// Every state there was. An act that goes on from the one before (a border, step by step) is undone with it.
export class History {
  past = [];
  future = [];
  #act = "";
  #at = 0;

  record(before, act, now) {
    if (!act || act !== this.#act || now - this.#at > SAME_ACT_MS) this.past.push(before);
    [this.#act, this.#at, this.future] = [act, now, []];
  }

  undo(now) { return this.#go(this.past, this.future, now); }
  redo(now) { return this.#go(this.future, this.past, now); }

  #go(from, to, now) {
    this.#act = "";
    if (from.length) to.push(now);
    return from.pop();
  }
}
