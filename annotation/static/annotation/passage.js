// A passage in which words are marked, by two ranges, by pointer and by keys: what all tasks of spans share.
// The answer stands in fields of the form; without these scripts they are typed into.
const root = document.documentElement;
const SIDE_BY_SIDE = matchMedia("(min-width: 60.01rem)");
const known = new WeakMap();

const numbers = (list) => list.split(" ").filter(Boolean).map(Number);

// One item's parts. Positions are tokens from 0, the last one included.
function collected(field, own) {
  const passage = document.querySelector("[data-passage]");
  const tokens = [...passage.querySelectorAll("[data-token]")];
  const [start, end] = field.querySelectorAll("input[type=range]");
  const [anchor, beyond] = numbers(field.dataset.anchor);
  const it = {
    field, passage, tokens, start, end,
    spoken: field.querySelector("[data-spoken]"),
    words: tokens.map((token) => "word" in token.dataset),
    anchor: anchor === undefined ? null : [anchor, beyond - 1],
    rtl: start.dir === "rtl",
    ...own(field, passage),
  };
  it.clauses = units(it, numbers(field.dataset.clauses));
  it.sentences = units(it, numbers(field.dataset.sentences));
  return it;
}

// Where units begin, and the words with which they end.
function units(it, starts) {
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

// The border of the next clause, or the edge of the passage.
export function nextClause(it, now, ofEnd, forward) {
  const places = ofEnd ? it.clauses.ends : it.clauses.starts;
  const to = forward ? places.find((place) => place > now) : places.findLast((place) => place < now);
  return to ?? (forward ? it.tokens.length - 1 : 0);
}

// The fields hold another answer: show it, keep it as a draft, and bring these borders of the span into view.
export function changed(it, show, span, borders) {
  it.field.form.dataset.touched = "";
  it.field.dispatchEvent(new Event("variorum:changed", { bubbles: true }));
  show(it);
  for (const at of span ? borders : []) it.tokens[span[at]].scrollIntoView({ block: "nearest" });
}

// "7 words:" and sed dilectio … scientiae
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

export function speak(it, first, ...rest) {
  const count = document.createElement("b");
  count.textContent = first;
  it.spoken.replaceChildren(count, ...rest);
}

// A reference that does not fit is scrolled, so it can take the focus: by keys there is no other way.
const room = new ResizeObserver(([{ target }]) => {
  if (target.scrollHeight > target.clientHeight) target.tabIndex = 0;
  else target.removeAttribute("tabindex");
});

// Let a task act on what the reader does in `fieldset[data-<name>]`. Its acts: `own` (further parts of an item),
// `begin`, `slide`, `typed`, `tap`, `press` (something else was pressed), `step`, `undo`, and `key`, which says
// whether the key was one of its own.
export function follow(name, acts) {
  const parts = () => {
    const field = document.querySelector(`fieldset[data-${name}]`);
    // Where the control is folded away nothing is marked.
    if (field?.closest("details:not([open])")) return undefined;
    if (field && !known.has(field)) known.set(field, collected(field, acts.own));
    return field && known.get(field);
  };

  document.addEventListener("input", ({ target }) => {
    const it = parts();
    if (!it?.field.contains(target)) return;
    const side = target === it.end ? 1 : 0;
    if (target.type === "range") acts.slide(it, side === 1, Number(target.value), SIDE_BY_SIDE.matches ? [side] : []);
    else acts.typed(it);
  });

  document.addEventListener("click", ({ target }) => {
    const it = parts();
    if (!it || it.field.disabled) return;
    const token = target.closest?.("[data-passage] [data-token]");
    if (token && it.passage.contains(token)) acts.tap(it, token.dataset.token - 1);
    else acts.press?.(it, target);
  });

  // Before the page's own keys. Where something is open and has the focus, no key moves a border.
  document.addEventListener("keydown", (event) => {
    const { target, key, shiftKey, altKey } = event;
    const it = parts();
    if (!it || it.field.disabled || root.dataset.keys === "off") return;
    if (event.isComposing) return;
    const undoes = (event.ctrlKey || event.metaKey) && !shiftKey && key.toLowerCase() === "z";
    if ((event.ctrlKey || event.metaKey) && !(undoes && acts.undo)) return;
    if (target.closest?.(".panel, dialog, .act-body, .guideline-text, textarea, select, input:not([type=range])")) return;
    if (undoes) acts.undo(it);
    else if (key === "ArrowLeft" || key === "ArrowRight") {
      const ofEnd = shiftKey || target === it.end;
      const seen = target.type === "range" && !SIDE_BY_SIDE.matches ? [] : [ofEnd ? 1 : 0];
      acts.step(it, ofEnd, (key === "ArrowRight") !== it.rtl, altKey, seen);
    } else if (altKey || event.repeat || !acts.key(it, key.toLowerCase())) return;
    event.preventDefault();
  }, { capture: true });

  const begin = () => {
    const it = parts();
    if (!it) return;
    room.disconnect();
    const verses = document.querySelector("[data-verses]");
    if (verses) room.observe(verses);
    it.passage.dataset.marking = "";
    acts.begin(it);
  };
  begin();
  document.addEventListener("toggle", ({ target }) => {
    if (!target.querySelector?.(`fieldset[data-${name}]`)) return;
    if (target.open) begin();
    else delete document.querySelector("[data-passage]").dataset.marking;
  }, { capture: true });
  document.addEventListener("htmx:afterSwap", ({ target }) => { if (target.id === "main") begin(); });
}
