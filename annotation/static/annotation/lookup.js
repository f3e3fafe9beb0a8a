// Looking words up in the texts on the page, and a note on words that are selected. Nothing here touches an answer.
const TEXTS = ".prose, .candidate-text, .verses, .need, .passage";
const { translated, counted } = document.getElementById("main"); // (page.js)
const MOST = 500; // More places than anybody reads one by one.
const box = () => document.querySelector("[data-find]");
let places = [];
let at = -1;

// The letters of a text without case and accents, each with the node and the place it comes from.
function letters(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found = { text: "", from: [] };
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement.closest("[hidden], .visually-hidden, kbd, button, .around")) continue;
    let offset = 0;
    for (const sign of node.data) {
      const folded = /\s/.test(sign) ? " " : sign.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
      for (const letter of folded) {
        if (letter === " " && found.text.endsWith(" ")) continue;
        found.text += letter;
        for (let unit = 0; unit < letter.length; unit += 1) found.from.push([node, offset, sign.length]);
      }
      offset += sign.length;
    }
    // Blocks end words; tokens of a passage do not.
    if (node.parentElement.matches("p, cite, dd") && node === node.parentElement.lastChild) {
      found.text += " ";
      found.from.push([node, offset, 0]);
    }
  }
  return found;
}

const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ").trim();

function search(words) {
  const wanted = folded(words);
  places = [];
  const roots = [...document.querySelectorAll(`#main :is(${TEXTS})`)].filter((one) => one.checkVisibility() && !one.parentElement.closest(TEXTS));
  for (const root of wanted ? roots : []) {
    const { text, from } = letters(root);
    for (let begin = text.indexOf(wanted); begin >= 0 && places.length < MOST; begin = text.indexOf(wanted, begin + wanted.length)) {
      const [first, last] = [from[begin], from[begin + wanted.length - 1]];
      const range = document.createRange();
      range.setStart(first[0], first[1]);
      range.setEnd(last[0], last[1] + last[2]);
      places.push(range);
    }
  }
  at = -1;
  show();
}

// Painted over the page, so that no word of it changes; older browsers select the place instead.
function show() {
  const painted = CSS.highlights;
  painted?.set("found", new Highlight(...places));
  painted?.set("found-here", new Highlight(...(at < 0 ? [] : [places[at]])));
  const count = box().querySelector("[data-count]");
  const all = places.length < MOST;
  const total = all ? places.length : translated("the first {n}", { n: MOST });
  const sought = box().querySelector("input").value.trim();
  if (!sought) count.textContent = "";
  else if (!places.length) count.textContent = translated("Not in the texts on this page.");
  else if (at < 0) count.textContent = all ? counted(total, "{n} place", "{n} places") : translated("the first {n} places", { n: MOST });
  else count.textContent = translated("{n} of {total}", { n: at + 1, total });
  for (const button of box().querySelectorAll("button")) button.hidden = places.length < 2;
  if (at < 0) return;
  if (!painted) {
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(places[at]);
  }
  places[at].startContainer.parentElement.scrollIntoView({ block: "center", behavior: "instant" });
}

function step(by) {
  if (!places.length) return;
  at = at < 0 && by < 0 ? places.length - 1 : (at + by + places.length) % places.length;
  show();
}

function forget() {
  places = [];
  at = -1;
  box().querySelector("input").value = "";
  show();
  CSS.highlights?.clear();
}

if (box().open) search(box().querySelector("input").value); // Typed before this was here.
document.addEventListener("input", ({ target }) => {
  if (target.closest("[data-find]")) search(target.value);
});
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-find] form")) return;
  event.preventDefault();
  step(event.submitter?.dataset.findStep === "-1" ? -1 : 1);
});
document.addEventListener("toggle", ({ target }) => {
  if (target.matches?.("[data-find]") && !target.open) forget();
}, { capture: true });
document.addEventListener("htmx:afterSwap", ({ target }) => {
  if (target.id === "main" && box()) box().open = false;
});

// A note on words of the text: they stand at its head, in quotation marks, and the note opens behind them.
const LONGEST = 300;
const quote = Object.assign(document.createElement("button"), { type: "button", className: "button note-here", textContent: translated("Note on these words"), hidden: true });
document.body.append(quote);
let words = "";

function selected() {
  const selection = getSelection();
  const node = selection.rangeCount && !selection.isCollapsed && selection.getRangeAt(0).commonAncestorContainer;
  const inside = node && (node.nodeType === Node.TEXT_NODE ? node.parentElement : node);
  return inside?.closest?.(`#main :is(${TEXTS})`) ? selection.toString().replace(/\s+/g, " ").trim() : "";
}

document.addEventListener("selectionchange", () => {
  const note = document.querySelector("[data-judging] textarea[name=note]");
  const now = note ? selected() : "";
  quote.hidden = !now;
  if (!now) return;
  words = now;
  const { bottom, left } = getSelection().getRangeAt(0).getBoundingClientRect();
  quote.style.insetBlockStart = `${Math.min(bottom + 8, innerHeight - 56)}px`;
  quote.style.insetInlineStart = `${Math.max(8, Math.min(left, innerWidth - 200))}px`;
});
// The press must not take the selection away before it is read.
quote.addEventListener("pointerdown", (event) => event.preventDefault());
quote.addEventListener("click", () => {
  const note = document.querySelector("[data-judging] textarea[name=note]");
  const cut = words.length > LONGEST ? `${words.slice(0, LONGEST).replace(/\s\S*$/, "")} …` : words;
  note.closest("details").open = true;
  const head = translated("“{words}”: ", { words: cut });
  note.value = `${note.value.trimEnd()}${note.value.trim() ? "\n" : ""}${head}`;
  note.dispatchEvent(new Event("input", { bubbles: true }));
  note.focus();
  note.setSelectionRange(note.value.length, note.value.length);
  quote.hidden = true;
});
